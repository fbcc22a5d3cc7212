/* Planted defect: a reduction to rank 0, which sends the result to the root, gives every rank but 0
 * a buffer for partial results before it checks for MPI_IN_PLACE.
 *
 * Origin: MPICH #6540. Axis: in-place, root. Shows as: wrong result with MPI_IN_PLACE and a root
 * other than 0, as the root's operand is then read from the empty buffer.
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/collective.h"

static int reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  int root, MPI_Comm comm, int operand_first)
{
    int rank, size, error;
    struct temporary partial = {0};
    MPI_Aint true_lower, true_extent;
    rank_and_size(comm, &rank, &size);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    void *result = recvbuf;
    if (sendbuf == MPI_IN_PLACE && operand_first)
        sendbuf = recvbuf;
    if (rank != 0 || root != 0) {
        TRY(temporary_new(count, type, &partial));
        if (count)
            memset((char *)partial.data + true_lower, 0,
                   (size_t)((count - 1) * extent_of(type) + true_extent));
        result = partial.data;
    }
    if (sendbuf == MPI_IN_PLACE)
        sendbuf = result;
    TRY(cw_reduce_binomial(rank == 0 && sendbuf == result ? MPI_IN_PLACE : sendbuf, result, count,
                           type, op, 0, comm));
    if (root && rank == 0)
        TRY(send_elements(result, count, type, root, comm));
    if (root && rank == root)
        TRY(receive_elements(recvbuf, count, type, 0, comm));
done:
    free(partial.base);
    return error;
}

int defect_reduce_in_place_root(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                MPI_Op op, int root, MPI_Comm comm)
{
    return reduce(sendbuf, recvbuf, count, type, op, root, comm, 0);
}

int fixed_reduce_in_place_root(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                               MPI_Op op, int root, MPI_Comm comm)
{
    return reduce(sendbuf, recvbuf, count, type, op, root, comm, 1);
}

COLLECTIVE(reduce, "", fixed_reduce_in_place_root)
DEFECT(reduce, "", defect_reduce_in_place_root, fixed_reduce_in_place_root,
       .expect = "wrong result", .axis = "in-place, root", .origin = "MPICH #6540")
