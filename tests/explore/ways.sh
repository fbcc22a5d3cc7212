# All programs in both ways, so many seconds each: jobs do what worlds do, or say what they cannot.
# Not heads.c: where a rank returns without MPI_Finalize, mpirun ends the job, and what the other
# rank would have waited for is seen in worlds only.
# slow
# timeout: 1800
/usr/bin/python3 "$SOURCE/tests/explore/ways.py" 30 \
    $(ls "$SOURCE"/tests/explore/programs/*.c | grep -v '/heads.c$')
