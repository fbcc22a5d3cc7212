# slow
# timeout: 3000
# The messages inside collectives: every algorithm of every operation of coll/tuned, coll/basic and coll/libnbc, P = 2 to 9.
. "$SOURCE/tests/interpose/grid.bash"
grid "2 3 4 5 6 7 8 9" "bcast reduce allreduce alltoall alltoallv allgather allgatherv barrier reduce_scatter reduce_scatter_block gather scatter \
    scan exscan" 1 1000 20000
for p in 2 3 4 5 6 7 8 9; do
    for op in bcast barrier reduce allreduce scan exscan gather scatter allgather allgatherv alltoall alltoallv reduce_scatter reduce_scatter_block; do
        one $p i$op 1 1000 20000
        OMPI_MCA_coll=self,basic,libnbc one $p $op 1 1000
        OMPI_MCA_coll=self,basic,libnbc,tuned,sync,inter OMPI_MCA_coll_sync_priority=95 OMPI_MCA_coll_sync_barrier_before=1 one $p $op 7
    done
done
