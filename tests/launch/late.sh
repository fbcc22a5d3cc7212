# timeout: 60
# A hang after many rounds of a loop, which ranks fold while they record (core/spool/spool_loop.h),
# is proven like any other, with what the last round posted; the same job without it has no finding.
. $SOURCE/tests/launch/lib.bash
for how in bad good; do
    crosswait record -o T.db -- mpirun -n 2 $BUILD/tests/launch/late 5000 $how 2>&1 |
        grep -o 'deadlock: [^;]*'
    sqlite3 T.db "select count(*) from event where call = 'MPI_Isend';
        select sum(calls) > 40000 from event_part;
        select count(*) from message where recv_seq is null and not inner"
    rm T.db
done
