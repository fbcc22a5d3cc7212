# slow
# timeout: 180
# Looking inside the collectives of pip's Open MPI 5 does no harm: the job prints and returns the
# same as without crosswait, with threads, with callbacks of the library on its messages, over UCX,
# and through shared memory, for which the record says that the inside is not seen. The recorder
# does not look into a library with another layout, and the record says so.
. "$SOURCE/tests/mpi/inside.bash"
meta() { sqlite3 T.db "select value from meta where key = '$1'"; }
same() { # LAYER PROGRAM...: and the record has both sides of all that was sent
    local layer=$1 status
    shift
    with openmpi mpirun -n 4 "$@" >plain 2>&1
    status=$?
    with openmpi crosswait record -o T.db -- mpirun -n 4 "$@" >watched 2>&1
    [ $? = $status ] && cmp <(sort plain) <(sort watched) || { cat watched; fail "$*: is harmed"; }
    [ "$(meta layer)" = "$layer" ] || { meta notes; fail "$*: layer $(meta layer), not $layer"; }
    [ "$(sqlite3 T.db "select count(*) from message
        where send_seq is null or recv_seq is null")" = 0 ] ||
        fail "$*: messages have no other side"
}
compiled openmpi threads "$SOURCE/tests/mpi/programs/inside_threads.c"
same on ./threads
OMPI_MCA_coll_adapt_priority=100 same on ./threads
OMPI_MCA_pml=ucx OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any \
    same on ./threads
OMPI_MCA_coll_sm_priority=100 same sample ./one_collective bcast reduce barrier 3
meta notes | grep -q 'send no messages' || fail "shared memory: it is not said"
cat >other.c <<'C'
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
/* As if the table had no function that starts requests. */
int MPI_Init(int *count, char ***arguments)
{
    enum { START = 15 };
    int error = PMPI_Init(count, arguments);
    void **table = dlsym(RTLD_DEFAULT, "mca_pml");
    table[START] = NULL;
    return error;
}
C
with openmpi mpicc -D_GNU_SOURCE -shared -fPIC -o other.so other.c -ldl
with openmpi crosswait record -o T.db -- mpirun -n 2 -x LD_PRELOAD="$PWD/other.so" \
    ./one_collective bcast 3 >watched 2>&1 || { cat watched; fail "another shape: the job failed"; }
[ "$(meta layer)" = off ] && meta notes | grep -q 'not of the known shape' ||
    { meta layer; meta notes; fail "another shape: it is not said"; }
exit $failed
