/* Every collective whose results can be verified, v-forms and in place too; and reductions with an
 * operation that does not commute: products of matrices. Any number of ranks up to 8. */
#include <mpi.h>

enum { RANKS_MAX = 8 };

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *x = in;
    int *y = inout;

    (void)type;
    for (int i = 0; i + 3 < *count; i += 4) {
        int product[4] = {x[i] * y[i] + x[i + 1] * y[i + 2], x[i] * y[i + 1] + x[i + 1] * y[i + 3],
                          x[i + 2] * y[i] + x[i + 3] * y[i + 2],
                          x[i + 2] * y[i + 1] + x[i + 3] * y[i + 3]};
        for (int k = 0; k < 4; k++)
            y[i + k] = product[k];
    }
}

static void moved(int rank, int size)
{
    int a[64], b[64] = {0}, counts[RANKS_MAX], displs[RANKS_MAX], to[RANKS_MAX], from[RANKS_MAX],
               near[RANKS_MAX], far[RANKS_MAX];

    for (int i = 0; i < 64; i++)
        a[i] = rank * 100 + i;
    for (int i = 0, at = 0; i < size; i++) {
        counts[i] = i + 1;
        displs[i] = at;
        at += i + 2;
        to[i] = i + 1;
        from[i] = rank + 1;
        near[i] = i * 4;
        far[i] = i * 5;
    }
    MPI_Bcast(a, 4, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Gather(rank ? a : MPI_IN_PLACE, 2, MPI_INT, b, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(rank ? a : MPI_IN_PLACE, counts[rank], MPI_INT, b, counts, displs, MPI_INT, 0,
                MPI_COMM_WORLD);
    MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 2, MPI_INT, b, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Scatter(a, 2, MPI_INT, b, 2, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Scatterv(a, counts, displs, MPI_INT, rank == 1 ? MPI_IN_PLACE : b, counts[rank], MPI_INT, 1,
                 MPI_COMM_WORLD);
    MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(a, to, near, MPI_INT, b, from, far, MPI_INT, MPI_COMM_WORLD);
}

static void reduced(int rank)
{
    int a[64], b[64] = {0}, counts[RANKS_MAX];
    MPI_Request request;

    for (int i = 0; i < 64; i++)
        a[i] = rank * 10 + i;
    for (int i = 0; i < RANKS_MAX; i++)
        counts[i] = i + 1;
    MPI_Allreduce(MPI_IN_PLACE, a, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(rank ? a : MPI_IN_PLACE, rank ? NULL : a, 8, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Scan(a, b, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(a, b, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(a, b, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 64; i++) /* the first 16 of them, 32 and 64 */
        MPI_Allreduce(a, b, 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void multiplied(int rank)
{
    int a[4] = {1, rank + 1, rank, 2}, b[4];
    MPI_Op op;

    MPI_Op_create(multiply, 0, &op);
    MPI_Reduce(a, b, 4, MPI_INT, op, 0, MPI_COMM_WORLD);
    MPI_Allreduce(a, b, 4, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Scan(a, b, 4, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Exscan(a, b, 4, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    moved(rank, size);
    reduced(rank);
    multiplied(rank);
    MPI_Finalize();
    return 0;
}
