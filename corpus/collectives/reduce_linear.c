/* Reduction, linear: the root receives from each of the others in turn, in rank order, and
 * combines.
 *
 * Source: the alpha-beta model. Any number of ranks, any root, any operation. P-1 rounds and P-1
 * combines, all on the root.
 *
 * Example, P = 3, root 1: 1 receives x0, then x2: (x0 x1) x2.
 */
#include "corpus/collectives/collective.h"

static int root_combines(const void *own, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                         int root, int size, MPI_Comm comm)
{
    struct temporary sum = {0}, next = {0};
    int error;
    TRY(temporary_new(count, type, &sum));
    TRY(temporary_new(count, type, &next));
    for (int r = 0; r < size; r++) {
        struct temporary *to = r ? &next : &sum;
        if (r == root)
            TRY(copy_elements(own, count, type, to->data, count, type));
        else
            TRY(MPI_Recv(to->data, count, type, r, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
        if (r)
            TRY(combine(&sum, &next, 0, count, type, op));
    }
    TRY(copy_elements(sum.data, count, type, recvbuf, count, type));
done:
    free(sum.base);
    free(next.base);
    return error;
}

int cw_reduce_linear(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                     int root, MPI_Comm comm)
{
    int rank, size;
    rank_and_size(comm, &rank, &size);
    if (rank != root)
        return MPI_Send(sendbuf, count, type, root, COLLECTIVE_TAG, comm);
    return root_combines(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, recvbuf, count, type, op,
                         root, size, comm);
}

COLLECTIVE(reduce, "reduce.linear", cw_reduce_linear)
