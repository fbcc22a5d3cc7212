# timeout: 120
# needs: mpich<4.1: it shows defects of MPICH 4.0.2
# The claims of `crosswait fuzz --library` on MPICH 4.0.2 also hold without crosswait: plain
# programs call a collective as the standard allows (docs/library.md), each beside a call that is
# right.
set -u
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
cat >show.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
enum { ROOM = 4096 };
static int rank, size, all[ROOM], some[ROOM]; /* what is written beside them spoils nothing else */
static int *in = all + ROOM / 2, *out = some + ROOM / 2;
static MPI_Comm world = MPI_COMM_WORLD;

/* The blocks do not begin at the buffer's beginning. */
static int allgatherv(void)
{
    int counts[2] = {1, 1}, places[2] = {3, 9};
    out[0] = 42 + rank;
    MPI_Allgatherv(out, 1, MPI_INT, in, counts, places, MPI_INT, world);
    return in[0] || in[3] != 42 || (size > 1 && in[9] != 43);
}

/* Started twice, with other data each time. */
static int started(MPI_Request *request, int blocks)
{
    int bad = 0;
    for (int k = 1; k < 3; k++) {
        memset(in, 0, 64 * sizeof *in);
        out[0] = 100 * k + rank;
        MPI_Start(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
        for (int i = 0; i < blocks; i++)
            bad |= in[i] != 100 * k + i;
    }
    return bad;
}
static int gather_init(void)
{
    MPI_Request request;
    MPI_Gather_init(out, 1, MPI_INT, in, 1, MPI_INT, 0, world, MPI_INFO_NULL, &request);
    return started(&request, rank ? 0 : size);
}
static int allgather_init(void)
{
    MPI_Request request;
    MPI_Allgather_init(out, 1, MPI_INT, in, 1, MPI_INT, world, MPI_INFO_NULL, &request);
    return started(&request, size);
}

static int apart; /* ints from one element to the next */

/* x -> a x + b, one behind the other, at 0 and 8 of an element. */
static void affine(void *first, void *then, int *n, MPI_Datatype *type)
{
    const unsigned *a = first;
    unsigned *b = then;
    (void)type;
    for (int i = 0; i < *n; i++, a += apart, b += apart) {
        b[2] += a[2] * b[0];
        b[0] *= a[0];
    }
}
/* Of elements that are so many bytes apart; their data are 12 bytes long. */
static int reduce_scatter(int extent)
{
    MPI_Datatype raw, type;
    MPI_Op op;
    int counts[2] = {1, 1};
    MPI_Type_vector(2, 1, 2, MPI_INT, &raw);
    MPI_Type_create_resized(raw, 0, extent, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(affine, 0, &op);
    apart = extent / 4;
    for (int e = 0; e < 2; e++) {
        out[apart * e] = 3 + 2 * rank + e;
        out[apart * e + 2] = 5 + 7 * rank + e;
    }
    MPI_Reduce_scatter(out, in, counts, type, op, world);
    return in[0] != (3 + rank) * (5 + rank) || in[2] != (5 + rank) * (5 + rank) + 12 + rank;
}

/* In place, twice; pairs of ranks exchange two ints that lie apart. */
static int alltoallw(int nonblocking)
{
    MPI_Datatype apart, types[2];
    MPI_Request request;
    int counts[2], places[2] = {0, 32}, bad = 0;
    MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    for (int i = 0; i < 2; i++) {
        types[i] = rank == i ? MPI_INT : apart;
        counts[i] = rank == i ? 2 : 1;
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 16; i++)
            in[i] = 1000 * k + 100 * rank + i;
        if (nonblocking) {
            MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, places, types, world,
                           &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, places, types, world);
        }
        int other = 1 - rank, mine = 8 * rank, its = 8 * other;
        bad |= in[its] != 1000 * k + 100 * other + mine ||
               in[its + 2] != 1000 * k + 100 * other + mine + 2;
    }
    return bad;
}

/* A torus with `ones` dimensions of one rank and one of all: what goes to the left comes from the
 * right. */
static int torus(int dims, int sized)
{
    int extents[2] = {dims > 1 ? 1 : size, size}, periods[2] = {1, 1}, counts[4] = {1, 1, 1, 1};
    int places[4] = {0, 1, 2, 3}, low, high, bad = 0;
    MPI_Comm grid;
    MPI_Cart_create(world, dims, extents, periods, 0, &grid);
    for (int i = 0; i < 4; i++)
        out[i] = 10 * rank + i;
    if (sized)
        MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, grid);
    else
        MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
    for (int d = 0; d < dims; d++) {
        MPI_Cart_shift(grid, d, 1, &low, &high);
        bad |= in[2 * d] != 10 * low + 2 * d + 1 || in[2 * d + 1] != 10 * high + 2 * d;
    }
    return bad;
}

static int ibcast(void)
{
    MPI_Request request;
    in[0] = rank == size - 1 ? 7 : -1;
    MPI_Ibcast(in, 1, MPI_INT, size - 1, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return in[0] != 7;
}

static int igather(void)
{
    MPI_Request request;
    int bad = 0;
    out[0] = 7 + rank;
    MPI_Igather(out, 1, MPI_INT, in, 1, MPI_INT, 0, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < size && rank == 0; i++)
        bad |= in[i] != 7 + i;
    return bad;
}

#define IS(name) !strcmp(argv[1], name)
int main(int argc, char **argv)
{
    int any, bad;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    bad = IS("allgatherv")            ? allgatherv()
          : IS("gather_init")         ? gather_init()
          : IS("allgather_init")      ? allgather_init()
          : IS("reduce_scatter")      ? reduce_scatter(20)
          : IS("reduce_scatter, no gap") ? reduce_scatter(12)
          : IS("ialltoallw")          ? alltoallw(1)
          : IS("alltoallw")           ? alltoallw(0)
          : IS("neighbor_alltoallv")  ? torus(1, 1)
          : IS("neighbor_alltoall")   ? torus(1, 0)
          : IS("neighbor_alltoall, 2 dimensions") ? torus(2, 0)
          : IS("ibcast")              ? ibcast()
                                      : igather();
    MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, world);
    if (rank == 0)
        printf("%s on %d: %s\n", argv[1], size, any ? "wrong" : "right");
    MPI_Finalize();
    return 0;
}
C
mpicc.mpich -w -o show show.c
show() { # RANKS CASE
    mpiexec.mpich -n $1 ./show "$2" 2>&1 | grep -oE "^$2 on .*|Assertion failed"
}
show 1 allgatherv
show 2 allgatherv
show 1 gather_init
show 2 allgather_init
show 2 reduce_scatter
show 2 "reduce_scatter, no gap"
show 2 ialltoallw
show 2 alltoallw
show 2 neighbor_alltoallv
show 3 neighbor_alltoallv
show 2 neighbor_alltoall
show 1 "neighbor_alltoall, 2 dimensions"
show 2 "neighbor_alltoall, 2 dimensions"
export MPIR_CVAR_DEVICE_COLLECTIVES=none
for algorithm in tsp_scatterv_recexch_allgatherv tsp_tree; do
    MPIR_CVAR_IBCAST_INTRA_ALGORITHM=$algorithm show 3 ibcast
done
for algorithm in tsp_tree sched_binomial; do
    MPIR_CVAR_IGATHER_INTRA_ALGORITHM=$algorithm show 1 igather
done
# What asserts when it is asked for.
MPIR_CVAR_IBCAST_INTRA_ALGORITHM=sched_auto show 2 ibcast | head -1
