# slow
# timeout: 240
# Checks the messages inside of collectives of pip's Intel MPI, seen at libfabric, which
# --inside=transport makes it use between ranks of one machine. Algorithms are checked message by
# message, on communicators of some sizes, and those with a row of the model have its rounds and
# words. The same for MPICH over libfabric, and for other providers, with which the fields of tags
# lie elsewhere. The job is the same with and without; `auto` changes nothing and says that nothing
# is seen.
. "$SOURCE/tests/mpi/pip.bash"
there impi mpich
one=$SOURCE/tests/interpose/programs/one_collective.c
compiled impi one_collective "$one"
compiled impi libfabric "$SOURCE/tests/mpi/programs/inside_libfabric.c"
compiled impi calls "$SOURCE/corpus/programs/calls_coll.c" -I"$SOURCE"
compiled impi threads "$SOURCE/tests/mpi/programs/inside_threads.c"
mkdir mpich && compiled mpich mpich/one_collective "$one"
compiled mpich mpich/libfabric "$SOURCE/tests/mpi/programs/inside_libfabric.c"
compiled mpich mpich/calls "$SOURCE/corpus/programs/calls_coll.c" -I"$SOURCE"
MPI=mpich
. "$SOURCE/tests/interpose/grid.bash"
MPIRUN=mpirun PROGRAMS=$PWD
export CROSSWAIT_INSIDE=transport
library() { PATH=$SOURCE/build/mpi/$1/bin:$PATH "${@:2}"; }
meta() { sqlite3 T.db "select value from meta where key = '$1'"; }
sized() { for op in $operations; do echo "$1$op@$2"; done; }
library impi one 100 5 $(sized "" 2-5) $(sized i 2-5) 1 1000 20000
persistent="pbcast@2-5 pallreduce@2-5 pbarrier@2-5 palltoall@2-5 pgather@2-5"
library impi one 5 5 $persistent 1 1000
adjust=(ALLGATHER ALLREDUCE ALLTOALL BARRIER BCAST GATHER REDUCE REDUCE_SCATTER SCAN SCATTER)
all() { # NUMBER COMMAND...: each collective by its algorithm of that number, if it has one
    (for name in "${adjust[@]}"; do export I_MPI_ADJUST_$name=$1; done; "${@:2}")
}
keeps() { # LIBRARY OPERATION=ROW...
    local case claims=() calls=()
    for case in "${@:2}"; do
        claims+=("--claim=MPI_${case%%=*}=${case#*=}") calls+=("${case%%=*}@4,8")
    done
    with $1 crosswait record -o T.db -- mpirun -n 8 "$program" "${calls[@],,}" 840 >out 2>&1 &&
        crosswait check --only=cost "${claims[@]}" T.db >out 2>&1 ||
        { cat out; fail "$*: a row is not kept"; }
}
program=./one_collective
all 1 keeps impi Allgather=allgather.hypercube.pack Allreduce=allreduce.recursive_doubling \
    Alltoall=alltoall.hypercube Barrier=barrier.allreduce Bcast=bcast.binomial \
    Gather=gather.binomial Reduce=reduce.linear Reduce_scatter=reduce_scatter.hypercube \
    Scan=scan.hypercube Scatter=scatter.binomial
all 2 keeps impi Allreduce=allreduce.reduce_scatter_allgather Reduce=reduce.binomial \
    Reduce_scatter=reduce_scatter.ring
all 3 keeps impi Allgather=allgather.ring Alltoall=alltoall.pairwise_xor \
    Bcast=bcast.scatter_allgather Gather=gather.linear Scatter=scatter.linear
all 8 keeps impi Allreduce=allreduce.ring
for number in 4 5 6 7 9; do
    library impi all $number one 10 5 $(sized "" 4,5) 1000
done
same() { # LIBRARY LAYER PROGRAM...
    local library=$1 layer=$2 status
    shift 2
    with $library mpirun -n 4 "$@" >plain 2>&1
    status=$?
    with $library crosswait record -o T.db -- mpirun -n 4 "$@" >watched 2>&1
    [ $? = $status ] && cmp <(sort plain) <(grep -v '^crosswait: inside=' watched | sort) ||
        { cat watched; fail "$library $*: is harmed"; }
    [ "$(meta layer)" = "$layer" ] ||
        { meta notes; fail "$library $*: layer $(meta layer), not $layer"; }
    [ "$(sqlite3 T.db "select count(*) from message
        where send_seq is null or recv_seq is null")" = 0 ] ||
        fail "$library $*: messages have no other side"
}
same impi on ./threads
grep -q '^crosswait: inside=transport: .*libfabric' watched ||
    fail "it is not said that the library takes another way"
same impi on ./libfabric
MPIR_CVAR_CH4_OFI_ENABLE_DATA=1 same impi on ./libfabric
own=$SOURCE/build/mpi/impi/lib # the libfabric of the wheel, not one of the system
LD_LIBRARY_PATH=$own FI_PROVIDER_PATH=$own same impi on ./libfabric
synchronous() { # in MPI_Gatherv
    same impi on ./calls
    crosswait dump T.db | grep -q 'fi_tsend_sync(dest=0, ' || fail "no synchronous send"
}
synchronous
MPIR_CVAR_CH4_OFI_ENABLE_DATA=1 synchronous
# A library of some builds of libfabric catches signals unless it is told not to.
compiled impi crash "$SOURCE/corpus/programs/crash_segv.c"
with impi crosswait run -o T.db -- mpirun -n 2 ./crash >out 2>&1
grep -q '^error\[crash\].*SIGSEGV' out || { cat out; fail "a crash is not told"; }
I_MPI_COLL_INTRANODE=shm same impi sample ./one_collective bcast reduce barrier 3
meta notes | grep -q 'send no messages' || fail "shared memory: it is not said"
export MPIR_CVAR_CH4_NETMOD=ofi
PROGRAMS=$PWD/mpich library mpich one 50 5 $(sized "" 2-5) $(sized i 5) 1 1000 20000
PROGRAMS=$PWD/mpich library mpich one 5 5 $persistent 1 1000
program=mpich/one_collective MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial \
    MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring keeps mpich Bcast=bcast.binomial \
    Allreduce=allreduce.ring Alltoall=alltoall.pairwise_xor
same mpich on mpich/libfabric
same mpich on mpich/calls
FI_PROVIDER='tcp;ofi_rxm' MPIR_CVAR_CH4_OFI_ENABLE_DATA=0 same mpich on mpich/calls
export CROSSWAIT_INSIDE=auto
same impi off ./libfabric
meta notes | grep -q 'does not see' || fail "auto: it is not said that the inside is not seen"
echo "$total cases"
exit $failed
