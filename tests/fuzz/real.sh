# slow
# timeout: 280
# A defect that needs credits, a pool, an order of arrival, delays or a grid fails in process and,
# with the same decisions forced, on real ranks; without that axis it does not fail; its correct
# twin survives the same on both. Holds fuzz invariant 5; fuzz/decisions.c invariants 1, 2 and 3.
set -u
cd "$(mktemp -d)" || exit 1
mkdir corpus && cp -r "$SOURCE/corpus/collectives" corpus/
for name in allgather_first_send gather_first_and_last reduce_arrival_order bcast_try_and_ask \
    neighbor_ordered_pairs bcast_torus_tie barrier_two_groups bcast_whole_messages; do
    cp "$SOURCE/corpus/defects/$name.c" .
done
# What no decision tells, only time: a buffer is read before its receive is complete.
cat >early.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
static int gather(int early, const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
                  int root, MPI_Comm c)
{
    int rank, size;
    MPI_Aint lb, extent;
    MPI_Request requests[64];
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    MPI_Type_get_extent(u, &lb, &extent);
    MPI_Barrier(c);
    if (rank != root)
        return MPI_Send(s, n, t, root, 5, c);
    size_t bytes = (size_t)(m * extent);
    char *own = malloc(size * bytes + 1);
    memcpy(own, r, size * bytes);
    for (int i = 0; i < size; i++)
        MPI_Irecv(own + i * bytes, m, u, i == root ? MPI_PROC_NULL : i, 5, c, &requests[i]);
    if (s != MPI_IN_PLACE)
        MPI_Sendrecv(s, n, t, 0, 6, own + root * bytes, m, u, 0, 6, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    MPI_Wait(&requests[size - 1], MPI_STATUS_IGNORE);
    if (!early)
        MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
    memcpy(r, own, size * bytes);
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
    free(own);
    return MPI_SUCCESS;
}
#define SIDES \
    const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm c
static int early(SIDES)
{
    return gather(1, s, n, t, r, m, u, root, c);
}
static int whole(SIDES)
{
    return gather(0, s, n, t, r, m, u, root, c);
}
COLLECTIVE(gather, "", early)
COLLECTIVE(gather, "", whole)
END
# What ends the job itself.
cat >ends.c <<'END'
#include <mpi.h>
static int dies(MPI_Comm c)
{
    int r;
    MPI_Comm_rank(c, &r);
    if (r == 1)
        *(volatile int *)8 = 1;
    return MPI_Barrier(c);
}
static int cuts(MPI_Comm c)
{
    int r, b[4] = {0};
    MPI_Comm_rank(c, &r);
    if (r == 0)
        MPI_Send(b, 4, MPI_INT, 1, 1, c);
    if (r == 1)
        MPI_Recv(b, 2, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE);
    return MPI_Barrier(c);
}
COLLECTIVE(barrier, "", dies)
COLLECTIVE(barrier, "", cuts)
END
scenario() { # $1: collective, the rest: lines
    printf 'crosswait scenario 1\ncollective %s\n' "$1"; shift
    printf '%s\n' "$@"
}
crosswait fuzz ./*.c -o out --cflags=-I. -runs=0 >/dev/null 2>&1 # built once
in_process() {
    CROSSWAIT_FUZZ_TARGET= out/fuzz --run="$1" 2>/dev/null |
        sed -nE 's/^finding: ([a-z-]+):.*/  in process: \1/p
            s/^no finding/  in process: silent/p' | sort -u
}
on_real_ranks() {
    crosswait fuzz ./*.c -o out --cflags=-I. --real="$1" 2>/dev/null </dev/null |
        sed -nE 's/^finding: ([a-z-]+):.*/  real ranks: \1/p
            s/^no finding/  real ranks: silent/p' | sort -u
}
case_of() { # $1: title, $2: name, $3: lines of the axis, separated by ';', the rest: lines of both
    title=$1 name=$2 axis=$3; shift 3
    echo "$title: $name"
    scenario "defect_$name" "$@" >plain.txt
    scenario "defect_$name" "$@" >axis.txt; echo "$axis" | tr ';' '\n' >>axis.txt
    sed 's/defect_/fixed_/' axis.txt >twin.txt
    echo " without"; in_process plain.txt
    echo " with"; in_process axis.txt; on_real_ranks axis.txt
    echo " its twin"; in_process twin.txt; on_real_ranks twin.txt
}
case_of credits allgather_first_send 'buffering credits;credits 2' 'ranks 3' 'buffering rendezvous'
case_of pool gather_first_and_last 'buffering pool;pool-bytes 4' 'ranks 2' 'count 2' \
    'buffering rendezvous'
case_of delays reduce_arrival_order 'delays slow-link;delays-seed 64' 'ranks 3' 'op affine-int' \
    'buffering eager'
case_of schedule reduce_arrival_order 'shuffle yes;choices 040500' 'ranks 3' 'op affine-pair' \
    'buffering eager'
case_of timing bcast_try_and_ask 'delays slow-link;delays-seed 0' 'ranks 3' 'buffering eager' \
    'calls 2'
case_of grid neighbor_ordered_pairs 'periods 2' 'ranks 3' 'dims 2' 'buffering eager'
case_of "early exit" barrier_two_groups 'ranks 2' 'ranks 1'
case_of cost bcast_whole_messages 'ranks 3' 'ranks 1' 'count 8'
case_of grid bcast_torus_tie 'communicator grid;periods 1' 'ranks 2' 'buffering eager'

# Each order by two of the ways to be told of it; real_order_all.sh has the others.
. "$SOURCE/tests/fuzz/real_order.bash"
order delays waitany iprobe
order shuffle testsome recv

for what in early whole; do
    scenario $what 'ranks 3' 'buffering eager' 'delays slow-link' 'delays-seed 64' >$what.txt
    CROSSWAIT_FUZZ_TARGET= out/fuzz --run=$what.txt 2>/dev/null |
        sed -nE "s/^(finding: wrong-result|no finding).*/$what in process: \\1/p"
    crosswait fuzz ./*.c -o out --cflags=-I. --real=$what.txt 2>/dev/null </dev/null |
        sed -nE "s/^(finding: wrong-result|no finding).*/$what on real ranks: \\1/p"
done

for what in dies cuts; do
    scenario $what 'ranks 2' >$what.txt
    crosswait fuzz ./*.c -o out --cflags=-I. --real=$what.txt 2>/dev/null </dev/null |
        grep "^finding"
done
