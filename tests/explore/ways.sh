# Runs all programs in both ways, for a fixed time each: jobs behave like worlds, or the explorer
# says what it cannot do. Not heads.c: if a rank returns without MPI_Finalize, mpirun ends the job,
# and only worlds show what the other rank would have waited for. Not typed.c: a real library
# accepts the wrong types.
# slow
# timeout: 1800
/usr/bin/python3 "$SOURCE/tests/explore/ways.py" 30 \
    $(ls "$SOURCE"/tests/explore/programs/*.c | grep -v '/heads.c$\|/typed.c$')
