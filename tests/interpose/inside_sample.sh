# timeout: 120
# `run` keeps the library's messages inside of a sample of collectives only: the first 256 of each
# kind and every power of two, the same ones on all ranks, complete; `record` keeps all.
set -u
failed=0
job() { # COMMAND FAMILY: 600 rounds, two ranks
    timeout 60 crosswait $1 -o T.db -- mpirun -n 2 "$BUILD/tests/bench/jobs/families" $2 600 >out \
        2>&1 || { cat out; failed=1; }
}
expect() { # WHAT VALUE QUERY
    is=$(sqlite3 T.db "$3")
    [ "$is" = "$2" ] || { echo "$1: $is, not $2"; failed=1; }
}
of="SELECT DISTINCT e.id - s.parent_back AS parent FROM event_each e
    JOIN shape s ON s.id = e.shape JOIN call c ON c.id = s.call
    WHERE s.parent_back IS NOT NULL AND c.name"
inside="SELECT parent >> 40, count(*) FROM ($of LIKE '%')
    JOIN event_each e ON e.id = parent JOIN shape s ON s.id = e.shape
    JOIN call c ON c.id = s.call WHERE c.name ="
for call in Bcast Barrier Allreduce:collectives Allgather Alltoallv:vectors \
    Iallreduce:icollectives Ibarrier; do
    case $call in
    Bcast) job run collectives ;;
    *v:vectors) job run vectors ;;
    I*:icollectives) job run icollectives ;;
    esac
    expect "$call, layer" sample "SELECT value FROM meta WHERE key = 'layer'"
    expect "$call, of which the inside was kept" '0|257
1|257' "$inside 'MPI_${call%:*}' GROUP BY 1"
    expect "$call, messages without the other side" 0 \
        "SELECT count(*) FROM message WHERE send_seq IS NULL OR recv_seq IS NULL"
    expect "$call, waits and starts outside of the sample" '' \
        "$of LIKE '%wait%' EXCEPT $of NOT LIKE '%wait%'"
done
# Every other round duplicates the world, the others split it into single ranks; what came of that
# is split in turn. Of the world's splits 256 are kept, and of its duplicates' 255: the first of
# them comes after a split of the world, and counts as the second.
job run comms
expect "making communicators, layer" sample "SELECT value FROM meta WHERE key = 'layer'"
expect "MPI_Comm_dup, of which the inside was kept" '0|256
1|256' "$inside 'MPI_Comm_dup' GROUP BY 1"
expect "MPI_Comm_split, of which the inside was kept" '0|511
1|511' "$inside 'MPI_Comm_split' GROUP BY 1"
expect "making communicators, messages without the other side" 0 \
    "SELECT count(*) FROM message WHERE send_seq IS NULL OR recv_seq IS NULL"
job 'record' collectives
expect "record, layer" on "SELECT value FROM meta WHERE key = 'layer'"
expect "record, all of the inside" '0|600
1|600' "$inside 'MPI_Barrier' GROUP BY 1"
exit $failed
