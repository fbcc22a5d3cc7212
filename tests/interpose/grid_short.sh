# timeout: 180
# The messages inside collectives: each algorithm of coll/tuned, every non-blocking and some persistent collectives, at two awkward P.
. "$SOURCE/tests/interpose/grid.bash"
operations="bcast reduce allreduce alltoall alltoallv allgather allgatherv barrier reduce_scatter reduce_scatter_block gather scatter scan exscan"
grid_at_once 5 "$operations" 3
for op in $operations; do unset "OMPI_MCA_coll_tuned_${op}_algorithm"; done
one 3 "i${operations// /,i}" 3 100
one 4 pbcast,pallreduce,pbarrier,palltoall,pgather 3
