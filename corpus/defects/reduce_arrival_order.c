/* Planted defect: the root of a reduction combines contributions in the order of their arrival.
 *
 * Seen in: Open MPI PR 12258, MPICH ba1b4dd1, and any root that receives from MPI_ANY_SOURCE. Axis:
 * order. Shows as: wrong result with operations that do not commute, if the root receives a higher
 * rank's message first.
 */
#include "corpus/collectives/collective.h"

static int reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  int root, MPI_Comm comm, int as_they_come)
{
    int rank, size, error;
    struct temporary mine = {0}, theirs = {0};
    rank_and_size(comm, &rank, &size);
    if (rank != root) {
        TRY(send_elements(sendbuf, count, type, root, comm));
        return receive_elements(NULL, 0, MPI_BYTE, root, comm); /* no rank runs ahead */
    }
    const void *own = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    TRY(temporary_new(count, type, &mine));
    TRY(temporary_new(count, type, &theirs));
    for (int i = 0; i < size; i++) {
        struct temporary *into = i ? &theirs : &mine;
        if (i == root)
            TRY(copy_elements(own, count, type, into->data, count, type));
        else
            TRY(receive_elements(into->data, count, type, as_they_come ? MPI_ANY_SOURCE : i, comm));
        if (i)
            TRY(combine(&mine, &theirs, 0, count, type, op));
    }
    TRY(copy_elements(mine.data, count, type, recvbuf, count, type));
    for (int i = 0; i < size; i++)
        if (i != root)
            TRY(send_elements(NULL, 0, MPI_BYTE, i, comm));
done:
    free(mine.base);
    free(theirs.base);
    return error;
}

int defect_reduce_arrival_order(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                MPI_Op op, int root, MPI_Comm comm)
{
    return reduce(sendbuf, recvbuf, count, type, op, root, comm, 1);
}

int fixed_reduce_arrival_order(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                               MPI_Op op, int root, MPI_Comm comm)
{
    return reduce(sendbuf, recvbuf, count, type, op, root, comm, is_commutative(op));
}

COLLECTIVE(reduce, "", fixed_reduce_arrival_order)
DEFECT(reduce, "", defect_reduce_arrival_order, fixed_reduce_arrival_order,
       .expect = "wrong result", .axis = "order", .origin = "Open MPI PR 12258, MPICH ba1b4dd1")
