# slow
# timeout: 240
# Checks the messages inside of collectives of pip's MPICH 5, seen at UCX; --inside=transport makes
# MPICH use UCX between ranks of one machine. Each algorithm is checked message by message, on
# communicators of some sizes, and those with a row of the model have its rounds and words. The job
# is the same with and without; `auto` changes nothing and says that nothing is seen.
. "$SOURCE/tests/mpi/pip.bash"
there mpich
PATH=$SOURCE/build/mpi/mpich/bin:$PATH
compiled mpich one_collective "$SOURCE/tests/interpose/programs/one_collective.c"
compiled mpich threads "$SOURCE/tests/mpi/programs/inside_threads.c"
MPI=mpich
. "$SOURCE/tests/interpose/grid.bash"
MPIRUN=mpirun PROGRAMS=$PWD
export CROSSWAIT_INSIDE=transport
meta() { sqlite3 T.db "select value from meta where key = '$1'"; }
sized() { for op in $operations; do echo "$1$op@2-5"; done; }
one 100 5 $(sized "") $(sized i) 1 1000 20000
one 5 5 pbcast@2-5 pallreduce@2-5 pbarrier@2-5 palltoall@2-5 pgather@2-5 1 1000
way() { # COLLECTIVE ALGORITHM ROW
    local name=MPIR_CVAR_${1^^}_INTRA_ALGORITHM
    export $name=$2
    one 2 5 ${1,,}@2-5 1 1000
    if [ -n "$3" ]; then
        with mpich crosswait record -o T.db -- mpirun -n 8 ./one_collective ${1,,}@4,8 840 \
            >out 2>&1 &&
            crosswait check --only=cost --claim=MPI_$1=$3 T.db >out 2>&1 ||
            { cat out; fail "$1 $2: row $3 is not kept"; }
    fi
    unset $name
}
way Bcast binomial bcast.binomial
way Bcast scatter_ring_allgather bcast.scatter_allgather
way Bcast scatter_recursive_doubling_allgather
way Reduce binomial reduce.binomial
way Reduce reduce_scatter_gather
way Allreduce recursive_doubling allreduce.recursive_doubling
way Allreduce reduce_scatter_allgather allreduce.reduce_scatter_allgather
way Allreduce ring allreduce.ring
way Allgather recursive_doubling allgather.hypercube.pack
way Allgather ring allgather.ring
way Allgather brucks
way Alltoall pairwise alltoall.pairwise_xor
way Alltoall brucks
way Gather binomial gather.binomial
way Scatter binomial scatter.binomial
way Reduce_scatter recursive_halving reduce_scatter.hypercube
MPIR_CVAR_SCAN_COMPOSITION=2 way Scan recursive_doubling scan.hypercube
same() { # LAYER PROGRAM...
    local layer=$1 status
    shift
    with mpich mpirun -n 4 "$@" >plain 2>&1
    status=$?
    with mpich crosswait record -o T.db -- mpirun -n 4 "$@" >watched 2>&1
    [ $? = $status ] && cmp <(sort plain) <(grep -v '^crosswait: inside=' watched | sort) ||
        { cat watched; fail "$*: is harmed"; }
    [ "$(meta layer)" = "$layer" ] || { meta notes; fail "$*: layer $(meta layer), not $layer"; }
    [ "$(sqlite3 T.db "select count(*) from message
        where send_seq is null or recv_seq is null")" = 0 ] ||
        fail "$*: messages have no other side"
}
same on ./threads
grep -q '^crosswait: inside=transport: ' watched || fail "it is not said that limits are others"
export CROSSWAIT_INSIDE=auto
same off ./threads
meta notes | grep -q 'does not see' || fail "auto: it is not said that the inside is not seen"
echo "$total cases"
exit $failed
