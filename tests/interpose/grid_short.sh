# timeout: 240
# The messages inside collectives: each algorithm of coll/tuned once, every non-blocking collective, at one awkward P.
. "$SOURCE/tests/interpose/grid.bash"
grid "5" "bcast reduce allreduce alltoall allgather barrier reduce_scatter gather scatter scan" 3
for op in ibcast ibarrier ireduce iallreduce iscan iexscan igather iscatter iallgather iallgatherv ialltoall ialltoallv ireduce_scatter \
    ireduce_scatter_block pbcast pallreduce pbarrier palltoall pgather; do one 3 $op 3; done
