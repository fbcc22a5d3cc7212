# timeout: 180
# The algorithms of pip's Open MPI 5 that have a row of the model: rounds and words inside the
# library are those of the row, each rank's messages can be replayed without a deadlock, and no
# algorithm is taken for another.
. "$SOURCE/tests/mpi/inside.bash"
export OMPI_MCA_coll_tuned_use_dynamic_rules=1
job() { # OPERATION:ALGORITHM=ROW...
    local case call
    claims=()
    for case; do
        call=${case%%:*}
        claims+=("--claim=MPI_${call^}=${case#*=}")
    done
    with openmpi crosswait record -o T.db -- mpirun -n 8 ./one_collective \
        "${@/%=*/@4,8}" 840 >out 2>&1 || { cat out; fail "$*: the job failed"; }
    total=$((total + $#))
}
costs() { crosswait check --only=cost "${claims[@]}" T.db >out 2>&1; }
keeps() {
    job "$@"
    costs || { cat out; fail "$*: a row is not kept"; }
    crosswait replay --inside T.db >out 2>&1 || { cat out; fail "$*: the inside is not replayed"; }
}
keeps bcast:1=bcast.linear reduce:1=reduce.linear allreduce:3=allreduce.recursive_doubling \
    allgather:3=allgather.hypercube.pack alltoall:2=alltoall.pairwise_xor \
    barrier:3=barrier.allreduce reduce_scatter:3=reduce_scatter.ring gather:1=gather.linear \
    scatter:1=scatter.linear scan:2=scan.hypercube
keeps bcast:6=bcast.binomial reduce:5=reduce.binomial allreduce:4=allreduce.ring \
    allgather:4=allgather.ring reduce_scatter:2=reduce_scatter.hypercube \
    gather:2=gather.binomial scatter:2=scatter.binomial
keeps bcast:9=bcast.scatter_allgather allreduce:6=allreduce.reduce_scatter_allgather
job bcast:1=bcast.binomial
costs
[ $? = 1 ] && grep -q 'does not keep its row bcast.binomial: 3 rounds' out ||
    { cat out; fail "linear passes for binomial"; }
echo "$total cases"
exit $failed
