/* Elements of the receive buffer that MPI leaves undefined: those behind a rank's own block after
 * a reduce-scatter in place, and rank 0's after an exclusive scan. Correct collectives write them;
 * the wrong ones beside them write a byte that belongs to no element. Their data may begin before
 * the buffer's address. */
#include <mpi.h>
#include <stdlib.h>

struct scratch {
    char *memory, *data;
};

static struct scratch scratch_new(int n, MPI_Datatype type)
{
    MPI_Aint lower, extent, low, bytes;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &low, &bytes);
    struct scratch s = {.memory = malloc((size_t)(bytes + (n ? n - 1 : 0) * extent) + 1)};
    s.data = s.memory - low;
    return s;
}

static void copy(const void *from, void *to, int n, MPI_Datatype type)
{
    MPI_Sendrecv(from, n, type, 0, 7, to, n, type, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* Behind the last byte of so many elements, or between the items of the last one. */
static void spoil(void *buffer, int n, MPI_Datatype type, int behind)
{
    MPI_Aint lower, extent, low, bytes;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &low, &bytes);
    if (n > 0 && (behind || bytes > 8))
        ((char *)buffer)[(n - 1) * extent + low + (behind ? bytes : 4)] ^= 1;
}

/* Rank 0 sums up in rank order; in place it copies the whole sum over its operand. */
static int reduce_scatter(const void *in, void *out, const int counts[], MPI_Datatype type,
                          MPI_Op op, MPI_Comm comm, int wrong)
{
    int rank, size, all = 0, at = 0;
    MPI_Aint lower, extent;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_extent(type, &lower, &extent);
    for (int r = 0; r < size; r++)
        all += counts[r];
    const void *mine = in == MPI_IN_PLACE ? out : in;
    if (rank) {
        MPI_Send(mine, all, type, 0, 1, comm);
        return MPI_Recv(out, counts[rank], type, 0, 2, comm, MPI_STATUS_IGNORE);
    }
    struct scratch sum = scratch_new(all, type), next = scratch_new(all, type);
    for (int r = size - 1; r >= 0; r--) {
        struct scratch *to = r == size - 1 ? &sum : &next;
        if (r)
            MPI_Recv(to->data, all, type, r, 1, comm, MPI_STATUS_IGNORE);
        else
            copy(mine, to->data, all, type);
        if (r < size - 1)
            MPI_Reduce_local(next.data, sum.data, all, type, op);
    }
    copy(sum.data, out, in == MPI_IN_PLACE ? all : counts[0], type);
    if (wrong && in == MPI_IN_PLACE)
        spoil(out, all, type, wrong == 1);
    for (int r = 0; r < size; at += counts[r++])
        if (r)
            MPI_Send(sum.data + at * extent, counts[r], type, r, 2, comm);
    free(sum.memory);
    free(next.memory);
    return MPI_SUCCESS;
}

static int right_reduce_scatter(const void *in, void *out, const int counts[], MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(in, out, counts, type, op, comm, 0);
}
static int wrong_reduce_scatter(const void *in, void *out, const int counts[], MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(in, out, counts, type, op, comm, 1);
}
static int wrong_reduce_scatter_gap(const void *in, void *out, const int counts[],
                                    MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(in, out, counts, type, op, comm, 2);
}

/* Each rank's operand goes to all ranks above; rank 0's result is its own operand. */
static int exscan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                  int wrong)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    struct scratch own = scratch_new(n, type), next = scratch_new(n, type);
    copy(in == MPI_IN_PLACE ? out : in, own.data, n, type);
    for (int r = rank - 1; r >= 0; r--) {
        MPI_Recv(r == rank - 1 ? out : next.data, n, type, r, 3, comm, MPI_STATUS_IGNORE);
        if (r < rank - 1)
            MPI_Reduce_local(next.data, out, n, type, op);
    }
    for (int r = rank + 1; r < size; r++)
        MPI_Send(own.data, n, type, r, 3, comm);
    if (!rank)
        copy(own.data, out, n, type);
    if (!rank && wrong)
        spoil(out, n, type, wrong == 1);
    free(own.memory);
    free(next.memory);
    return MPI_SUCCESS;
}

static int right_exscan(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    return exscan(in, out, n, t, op, c, 0);
}
static int wrong_exscan(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    return exscan(in, out, n, t, op, c, 1);
}
static int wrong_exscan_gap(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
    return exscan(in, out, n, t, op, c, 2);
}

COLLECTIVE(reduce_scatter, "", right_reduce_scatter)
COLLECTIVE(reduce_scatter, "", wrong_reduce_scatter)
COLLECTIVE(reduce_scatter, "", wrong_reduce_scatter_gap)
COLLECTIVE(exscan, "", right_exscan)
COLLECTIVE(exscan, "", wrong_exscan)
COLLECTIVE(exscan, "", wrong_exscan_gap)
