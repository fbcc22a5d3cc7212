/* Makes every collective call, blocking and non-blocking, also on neighbourhoods. Each rank prints
 * how often it made each call.
 *
 * Arguments: none. Ranks: any number up to 16.
 *
 * TEST: ranks=1 args= job=0 verdict=clean
 * TEST: ranks=4 args= job=0 verdict=clean
 * TEST: ranks=5 args= job=0 verdict=clean
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

enum { RANKS_MAX = 16 };

static int rank, size;
static int a[RANKS_MAX], b[RANKS_MAX], ones[RANKS_MAX], places[RANKS_MAX], bytes[RANKS_MAX];
static MPI_Datatype ints[RANKS_MAX];
static MPI_Comm world;

static void blocking(void)
{
    int sum = 0, mine = rank + 1;
    CALL(MPI_Barrier, world);
    CALL(MPI_Bcast, a, size, MPI_INT, 0, world);
    CALL(MPI_Gather, &mine, 1, MPI_INT, b, 1, MPI_INT, size - 1, world);
    CALL(MPI_Gatherv, &mine, 1, MPI_INT, b, ones, places, MPI_INT, 0, world);
    CALL(MPI_Scatter, a, 1, MPI_INT, b, 1, MPI_INT, 0, world);
    CALL(MPI_Scatterv, a, ones, places, MPI_INT, b, 1, MPI_INT, 0, world);
    CALL(MPI_Allgather, &mine, 1, MPI_INT, b, 1, MPI_INT, world);
    EXPECT(b[size - 1] == size);
    CALL(MPI_Allgatherv, &mine, 1, MPI_INT, b, ones, places, MPI_INT, world);
    CALL(MPI_Alltoall, a, 1, MPI_INT, b, 1, MPI_INT, world);
    CALL(MPI_Alltoallv, a, ones, places, MPI_INT, b, ones, places, MPI_INT, world);
    CALL(MPI_Alltoallw, a, ones, bytes, ints, b, ones, bytes, ints, world);
    CALL(MPI_Reduce, &mine, &sum, 1, MPI_INT, MPI_SUM, 0, world);
    EXPECT(rank || sum == size * (size + 1) / 2);
    CALL(MPI_Allreduce, &mine, &sum, 1, MPI_INT, MPI_MAX, world);
    EXPECT(sum == size);
    CALL(MPI_Allreduce, MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MIN, world);
    CALL(MPI_Reduce_scatter, a, &sum, ones, MPI_INT, MPI_SUM, world);
    CALL(MPI_Reduce_scatter_block, a, &sum, 1, MPI_INT, MPI_SUM, world);
    CALL(MPI_Scan, &mine, &sum, 1, MPI_INT, MPI_SUM, world);
    EXPECT(sum == (rank + 1) * (rank + 2) / 2);
    CALL(MPI_Exscan, &mine, &sum, 1, MPI_INT, MPI_SUM, world);
    CALL(MPI_Reduce_local, &mine, &sum, 1, MPI_INT, MPI_SUM);
}

static void done(MPI_Request *request)
{
    CALL(MPI_Wait, request, MPI_STATUS_IGNORE);
}

static void nonblocking(void)
{
    MPI_Request r, two[2];
    int sum = 0, mine = rank + 1;
    CALL(MPI_Ibarrier, world, &r), done(&r);
    CALL(MPI_Ibcast, a, size, MPI_INT, 0, world, &r), done(&r);
    CALL(MPI_Igather, &mine, 1, MPI_INT, b, 1, MPI_INT, 0, world, &r), done(&r);
    CALL(MPI_Igatherv, &mine, 1, MPI_INT, b, ones, places, MPI_INT, 0, world, &r), done(&r);
    CALL(MPI_Iscatter, a, 1, MPI_INT, b, 1, MPI_INT, 0, world, &r), done(&r);
    CALL(MPI_Iscatterv, a, ones, places, MPI_INT, b, 1, MPI_INT, 0, world, &r), done(&r);
    CALL(MPI_Iallgather, &mine, 1, MPI_INT, b, 1, MPI_INT, world, &r), done(&r);
    CALL(MPI_Iallgatherv, &mine, 1, MPI_INT, b, ones, places, MPI_INT, world, &r), done(&r);
    CALL(MPI_Ialltoall, a, 1, MPI_INT, b, 1, MPI_INT, world, &r), done(&r);
    CALL(MPI_Ialltoallv, a, ones, places, MPI_INT, b, ones, places, MPI_INT, world, &r), done(&r);
    CALL(MPI_Ialltoallw, a, ones, bytes, ints, b, ones, bytes, ints, world, &r), done(&r);
    CALL(MPI_Ireduce, &mine, &sum, 1, MPI_INT, MPI_SUM, 0, world, &r), done(&r);
    CALL(MPI_Iallreduce, &mine, &sum, 1, MPI_INT, MPI_SUM, world, &r), done(&r);
    EXPECT(sum == size * (size + 1) / 2);
    CALL(MPI_Ireduce_scatter, a, &sum, ones, MPI_INT, MPI_SUM, world, &r), done(&r);
    CALL(MPI_Ireduce_scatter_block, a, &sum, 1, MPI_INT, MPI_SUM, world, &r), done(&r);
    CALL(MPI_Iscan, &mine, &sum, 1, MPI_INT, MPI_SUM, world, &r), done(&r);
    CALL(MPI_Iexscan, &mine, &sum, 1, MPI_INT, MPI_SUM, world, &r), done(&r);
    CALL(MPI_Ibarrier, world, &two[0]); /* two are active at once */
    CALL(MPI_Iallreduce, &mine, &sum, 1, MPI_INT, MPI_SUM, world, &two[1]);
    CALL(MPI_Waitall, 2, two, MPI_STATUSES_IGNORE);
}

static void neighbours(void)
{
    MPI_Comm ring;
    MPI_Request r;
    int dims[1] = {size}, periods[1] = {1}, out[2] = {rank, rank}, in[2] = {-1, -1};
    MPI_Aint far[2] = {0, sizeof(int)};
    CALL(MPI_Cart_create, world, 1, dims, periods, 0, &ring);
    CALL(MPI_Neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, ring);
    EXPECT(in[0] == (rank + size - 1) % size && in[1] == (rank + 1) % size);
    CALL(MPI_Neighbor_allgatherv, out, 1, MPI_INT, in, ones, places, MPI_INT, ring);
    CALL(MPI_Neighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, ring);
    CALL(MPI_Neighbor_alltoallv, out, ones, places, MPI_INT, in, ones, places, MPI_INT, ring);
    CALL(MPI_Neighbor_alltoallw, out, ones, far, ints, in, ones, far, ints, ring);
    CALL(MPI_Ineighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, ring, &r), done(&r);
    CALL(MPI_Ineighbor_allgatherv, out, 1, MPI_INT, in, ones, places, MPI_INT, ring, &r), done(&r);
    CALL(MPI_Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, ring, &r), done(&r);
    CALL(MPI_Ineighbor_alltoallv, out, ones, places, MPI_INT, in, ones, places, MPI_INT, ring, &r),
        done(&r);
    CALL(MPI_Ineighbor_alltoallw, out, ones, far, ints, in, ones, far, ints, ring, &r), done(&r);
    CALL(MPI_Comm_free, &ring);
}

static void largest(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
}

static void operations(void)
{
    MPI_Op op;
    int commutative, mine = rank, result;
    CALL(MPI_Op_create, largest, 1, &op);
    CALL(MPI_Op_commutative, op, &commutative);
    CALL(MPI_Allreduce, &mine, &result, 1, MPI_INT, op, world);
    EXPECT(result == size - 1 && commutative);
    CALL(MPI_Op_free, &op);
}

int main(int argc, char **argv)
{
    CALL(MPI_Init, &argc, &argv);
    world = MPI_COMM_WORLD;
    CALL(MPI_Comm_rank, world, &rank);
    CALL(MPI_Comm_size, world, &size);
    EXPECT(size <= RANKS_MAX);
    for (int i = 0; i < RANKS_MAX; i++) {
        a[i] = i;
        ones[i] = 1;
        places[i] = i;
        bytes[i] = i * (int)sizeof(int);
        ints[i] = MPI_INT;
    }
    blocking();
    nonblocking();
    neighbours();
    operations();
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
