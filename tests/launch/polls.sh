# expected
# The launcher does not end a job that only polls, and prints one line about it; if something else
# ends it, the finding is suspected, not proven. If the job polled for long, or longer than --stall
# allows, the finding is a warning.
. $SOURCE/tests/launch/lib.bash
own polls cw.polls
ended() { # after a condition has come true, for what the program polls, when rank 1 is there
    crosswait run -o $2.db -- mpirun -n 2 ./cw.polls $2 >$2.out 2>$2.err &
    wait_for "standing $2.db '.*' '$3'"
    [ $1 = told ] && { wait_for 'grep -qs polled '$2.err >/dev/null
        wait_for 'grep -qs polled '$2.err; }
    kill -TERM $!
    wait $!; echo "$2: $?"
    grep -h '^note.deadlock\|^error\|^warning\|^verdict' $2.out
    grep -h '^   = rank 0 has only polled' $2.out |
        sed 's/[0-9.]* seconds/N seconds/; s/[0-9,]* calls/N calls/'
    grep -h 'only polled and' $2.err | sed 's/for [0-9]* seconds/for N seconds/'
    echo "left behind $(left cw.polls)"
}
ended told probe "in MPI_Barrier"
ended soon test "in MPI_Barrier"
# the sender sleeps: it may still send
ended soon slow "outside of MPI, after MPI_Send"
crosswait run --stall=3 -o stalled.db -- mpirun -n 2 ./cw.polls test >stalled.out 2>&1
echo "stalled: $?"
grep -h '^warning\|^verdict' stalled.out
