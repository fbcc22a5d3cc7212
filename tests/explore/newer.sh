# Programs whose functions are newer than MPI 3.1 are explored, with the standard ABI: each wrong
# one is found, no correct one is blamed. newer_all.sh: with each library. What worlds lack is
# refused.
/usr/bin/python3 "$SOURCE/tests/explore/newer_programs.py" ${libraries:-abi}
sed 's/MPI_Finalize/MPI_Buffer_flush();\n    &/' "$SOURCE/tests/explore/newer/getstatus.c" >lacks.c
"$SOURCE/build/mpi/mpich/bin/mpicc_abi" -w -o lacks lacks.c &&
    crosswait explore -n 3 -- ./lacks 2>&1 | sed '/^crosswait: explore --world/d'
# Open MPI 4 has the persistent collectives by other names.
mpicc -g -w -DWRONG -o persistent "$SOURCE/tests/explore/newer/persistent.c" &&
    crosswait explore -n 3 -- ./persistent 2>&1 | grep '^error\|^crosswait'
