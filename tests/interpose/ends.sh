# timeout: 120
# However a rank ends, the record has each of its calls that returned, and those of the other ranks.
# Holds interpose/recorder.c invariant 1.
. "$SOURCE/tests/interpose/ends.bash"
for us in 1000 50000 211111; do try kill $us running; done
try segv 3000 signalled
try abort 3000 signalled
try mpi_abort 20000 aborted; [ $LAST_CODE = 9 ] || { echo "MPI_Abort(9): exit status $LAST_CODE"
    exit 1; }
try exit 20000 exited; [ $LAST_CODE = 4 ] || [ "$MPI" = mpich ] ||
    # whose mpiexec tells of whom it ended itself, too
    { echo "exit(4): exit status $LAST_CODE"; exit 1; }
try nofds 20000 finalized; [ $LAST_CODE = 0 ] || exit 1
try noenv 2000 finalized; [ $LAST_CODE = 0 ] || exit 1
