/* Every collective, blocking and not, with counts that differ between ranks. Any number of ranks up
 * to 8. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void show(const char *name, const int *data, int count)
{
    char line[2048] = "", all[8][2048];
    for (int i = 0; i < count; i++)
        sprintf(line + strlen(line), " %d", data[i]);
    MPI_Gather(line, 2048, MPI_CHAR, all, 2048, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("%s %d:%s\n", name, i, all[i]);
}

static void affine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    unsigned *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++, a += 2, b += 2) {
        unsigned x = a[0] * b[0], y = a[0] * b[1] + a[1];
        b[0] = x;
        b[1] = y;
    }
}

static void all_of_them(int blocking)
{
    int counts[8], places[8], total = 0, data[64], out[64], mine[8];
    MPI_Request q = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
#define DO(name, call, icall, result, n) \
    do {                                 \
        memset(out, -1, sizeof out);     \
        if (blocking)                    \
            call;                        \
        else                             \
            icall;                       \
        MPI_Wait(&q, MPI_STATUS_IGNORE); \
        show(name, result, n);           \
    } while (0)
    for (int i = 0; i < size; i++) {
        counts[i] = i % 3;
        places[i] = total;
        total += counts[i];
    }
    for (int i = 0; i < 64; i++)
        data[i] = rank * 100 + i;
    for (int i = 0; i < 8; i++)
        mine[i] = rank * 10 + i;
    DO("bcast", MPI_Bcast(mine, 3, MPI_INT, 1, comm), MPI_Ibcast(mine, 3, MPI_INT, 1, comm, &q),
       mine, 4);
    DO("gather", MPI_Gather(data, 2, MPI_INT, out, 2, MPI_INT, 1, comm),
       MPI_Igather(data, 2, MPI_INT, out, 2, MPI_INT, 1, comm, &q), out, 2 * size);
    DO("scatter", MPI_Scatter(data, 2, MPI_INT, out, 2, MPI_INT, 1, comm),
       MPI_Iscatter(data, 2, MPI_INT, out, 2, MPI_INT, 1, comm, &q), out, 3);
    DO("allgather", MPI_Allgather(data, 2, MPI_INT, out, 2, MPI_INT, comm),
       MPI_Iallgather(data, 2, MPI_INT, out, 2, MPI_INT, comm, &q), out, 2 * size);
    DO("gatherv", MPI_Gatherv(data, counts[rank], MPI_INT, out, counts, places, MPI_INT, 0, comm),
       MPI_Igatherv(data, counts[rank], MPI_INT, out, counts, places, MPI_INT, 0, comm, &q), out,
       total);
    DO("scatterv", MPI_Scatterv(data, counts, places, MPI_INT, out, counts[rank], MPI_INT, 0, comm),
       MPI_Iscatterv(data, counts, places, MPI_INT, out, counts[rank], MPI_INT, 0, comm, &q), out,
       3);
    DO("allgatherv",
       MPI_Allgatherv(data, counts[rank], MPI_INT, out, counts, places, MPI_INT, comm),
       MPI_Iallgatherv(data, counts[rank], MPI_INT, out, counts, places, MPI_INT, comm, &q), out,
       total);
    DO("alltoall", MPI_Alltoall(data, 2, MPI_INT, out, 2, MPI_INT, comm),
       MPI_Ialltoall(data, 2, MPI_INT, out, 2, MPI_INT, comm, &q), out, 2 * size);
    int to[8], from[8], at[8];
    for (int i = 0; i < size; i++) {
        to[i] = (rank + i) % 3;
        from[i] = (rank + i) % 3;
        at[i] = 3 * i;
    }
    DO("alltoallv", MPI_Alltoallv(data, to, at, MPI_INT, out, from, at, MPI_INT, comm),
       MPI_Ialltoallv(data, to, at, MPI_INT, out, from, at, MPI_INT, comm, &q), out, 3 * size);
    DO("reduce", MPI_Reduce(data, out, 3, MPI_INT, MPI_SUM, 1, comm),
       MPI_Ireduce(data, out, 3, MPI_INT, MPI_SUM, 1, comm, &q), out, 3);
    DO("allreduce", MPI_Allreduce(data, out, 3, MPI_INT, MPI_MAX, comm),
       MPI_Iallreduce(data, out, 3, MPI_INT, MPI_MAX, comm, &q), out, 3);
    DO("scan", MPI_Scan(data, out, 3, MPI_INT, MPI_SUM, comm),
       MPI_Iscan(data, out, 3, MPI_INT, MPI_SUM, comm, &q), out, 3);
    DO("exscan", MPI_Exscan(data, out, 3, MPI_INT, MPI_SUM, comm),
       MPI_Iexscan(data, out, 3, MPI_INT, MPI_SUM, comm, &q), out, rank ? 3 : 0);
    DO("reduce_scatter", MPI_Reduce_scatter(data, out, counts, MPI_INT, MPI_SUM, comm),
       MPI_Ireduce_scatter(data, out, counts, MPI_INT, MPI_SUM, comm, &q), out, counts[rank]);
    DO("reduce_scatter_block", MPI_Reduce_scatter_block(data, out, 2, MPI_INT, MPI_SUM, comm),
       MPI_Ireduce_scatter_block(data, out, 2, MPI_INT, MPI_SUM, comm, &q), out, 2);
    DO("barrier", MPI_Barrier(comm), MPI_Ibarrier(comm, &q), out, 1);
    MPI_Datatype pair;
    MPI_Op op;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(affine, 0, &op);
    DO("affine", MPI_Allreduce(data, out, 2, pair, op, comm),
       MPI_Iallreduce(data, out, 2, pair, op, comm, &q), out, 4);
    DO("affine reduce", MPI_Reduce(data, out, 2, pair, op, size - 1, comm),
       MPI_Ireduce(data, out, 2, pair, op, size - 1, comm, &q), out, rank == size - 1 ? 4 : 0);
    DO("affine scan", MPI_Scan(data, out, 2, pair, op, comm),
       MPI_Iscan(data, out, 2, pair, op, comm, &q), out, 4);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    memcpy(out, data, sizeof out);
    MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_INT, MPI_SUM, comm);
    show("allreduce in place", out, 4);
    memcpy(out, data, sizeof out);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, comm);
    show("allgather in place", out, 2 * size);
    memcpy(out, data, sizeof out);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, comm);
    show("alltoall in place", out, 2 * size);
    memcpy(out, data, sizeof out);
    MPI_Scan(MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, comm);
    show("scan in place", out, 3);
    memcpy(out, data, sizeof out);
    MPI_Gather(rank == 1 ? MPI_IN_PLACE : data, 2, MPI_INT, out, 2, MPI_INT, 1, comm);
    show("gather in place", out, 2 * size);
}

static void operations(void)
{
    struct {
        double value;
        int index;
    } in = {rank % 2 ? 5.5 : -rank, rank}, out;
    unsigned char bits = (unsigned char)(1 << rank), mixed;
    int values[3] = {rank, rank == 1, 1}, got[3];
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    show("maxloc", (int[]){(int)(out.value * 10), out.index}, 2);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    show("minloc", (int[]){(int)(out.value * 10), out.index}, 2);
    MPI_Allreduce(&bits, &mixed, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    show("bor", (int[]){mixed}, 1);
    MPI_Allreduce(values, got, 3, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    show("land", got, 3);
    MPI_Allreduce(values, got, 3, MPI_INT, MPI_LXOR, MPI_COMM_WORLD);
    show("lxor", got, 3);
    MPI_Allreduce(values, got, 3, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
    show("prod", got, 3);
    float complex_in[2] = {1, (float)rank}, complex_out[2];
    MPI_Allreduce(complex_in, complex_out, 1, MPI_C_FLOAT_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
    show("complex", (int[]){(int)complex_out[0], (int)complex_out[1]}, 2);
    int a[2] = {3, 4}, b[2] = {10, 20};
    MPI_Reduce_local(a, b, 2, MPI_INT, MPI_SUM);
    show("local", b, 2);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    all_of_them(1);
    all_of_them(0);
    operations();
    MPI_Finalize();
    return 0;
}
