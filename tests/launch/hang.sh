# expected
# The launcher ends jobs that hang within two seconds of their last progress and leaves no process;
# the trace says why.
. $SOURCE/tests/launch/lib.bash
hang() { # ranks program arguments
    local n=$1 program=$2
    shift 2
    own $program cw.$program
    crosswait record -o T.db -- mpirun -n $n ./cw.$program "$@" >out 2>err
    local status=$?
    [ $status -ne 0 ] || echo "status 0"
    grep '^crosswait:' err | sed 's/; the job was ended.*//'
    took=$(sed -n 's/.*the job was ended \([0-9.]*\) seconds after its last progress$/\1/p' err)
    awk "BEGIN { exit !($took <= 5) }" ||
        echo "ended only after $took seconds" # however crowded the machine
    all="$all $took"
    echo "left behind: $(left cw.$program)"
    ranks T.db
    sqlite3 -separator ' ' T.db "select reason, count(distinct entry), count(*) from ended, proof"
    ls -d T.db.spool 2>/dev/null
    rm T.db
}
hang 2 quiz 1048576
hang 2 quiz_blocking 1048576
hang 3 reduce_alone
hang 3 ring_allgather_printed 100000
hang 2 two_comms_crossed 1048576
middle=$(printf '%s\n' $all | sort -n | sed -n 3p)
awk "BEGIN { exit !($middle <= 2.0) }" || echo "most were not ended within 2 seconds, but after$all"
exit 0
