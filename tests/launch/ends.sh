# expected
# However a job ends, the status and the output are the job's own, and the trace says how each rank
# ended.
. $SOURCE/tests/launch/lib.bash
ends() { # ranks command...
    local n=$1
    shift
    echo "\$ ${*##*/}"
    mpirun -n $n "$@" >plain.out 2>plain.err; plain=$?
    crosswait record -o T.db -- mpirun -n $n "$@" >out 2>err; status=$?
    [ $status = $plain ] || echo "status $status, without crosswait $plain"
    cmp <(sort plain.out) <(sort out) || echo "the output differs"
    grep '^crosswait' err
    echo "[$status]"
    ranks T.db
    rm -f T.db
}
ends 2 $P/quiz
ends 3 $P/crash_segv
ends 3 $P/kill_one
ends 3 $P/abort_one
ends 2 python3 $P/ring_sum.py
ends 1 $P/quiz
# Without mpirun: one rank, and its status is seen directly.
crosswait record -o T.db -- $P/quiz; echo "[$?]"
ranks T.db
