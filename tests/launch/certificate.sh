# expected
# The trace of a job that hangs contains the proof, and the check accepts it.
. $SOURCE/tests/launch/lib.bash
checked() { # ranks program arguments
    local n=$1 program=$2
    shift 2
    own $program cw.$program
    crosswait record -o T.db -- mpirun -n $n ./cw.$program "$@" >out 2>err
    crosswait report --no-check --format=proof T.db >proof
    echo "$program: $? $(tail -n 1 proof)"
    sed -n '/^Rank [0-9]* is in/,/^  It waits/p' proof
    rm T.db
}
checked 2 quiz 1048576
checked 3 reduce_alone
checked 3 hangs collectives
checked 2 hangs_more icolls
exit 0
