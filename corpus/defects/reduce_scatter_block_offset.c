/* Planted defect: a reduce-scatter of equal blocks reduces at rank 0, which computes the offset of
 * each rank's block in an int.
 *
 * Axis: memory. Shows as: wrong result or crash from 2^31 bytes on, as rank 0 sends other memory.
 * Elements far apart reach that with little data. Types that cannot be reduced do not show it.
 */
#include "corpus/collectives/collective.h"

/* `bits` is the width of the offset. */
static int reduce_scatter_block(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm, int bits)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    const void *mine = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    MPI_Aint all = (MPI_Aint)count * size, extent = extent_of(type);
    if (rank > 0) {
        error = send_elements(mine, all, type, 0, comm);
        return error ? error : receive_elements(recvbuf, count, type, 0, comm);
    }
    struct temporary sum = {0}, next = {0};
    TRY(temporary_new(all, type, &sum));
    TRY(temporary_new(all, type, &next));
    for (int from = size - 1; from > 0; from--) { /* keeps rank order */
        TRY(receive_elements(from == size - 1 ? sum.data : next.data, all, type, from, comm));
        if (from < size - 1)
            TRY(reduce_elements(next.data, sum.data, all, type, op));
    }
    if (size > 1)
        TRY(reduce_elements(mine, sum.data, all, type, op));
    else
        TRY(copy_elements(mine, all, type, sum.data, all, type));
    for (int to = 0; to < size; to++) {
        MPI_Aint offset = (MPI_Aint)to * count * extent;
        if (bits == 32)
            offset = (int)(unsigned)offset; /* what int arithmetic gives on all known machines */
        if (to > 0)
            TRY(send_elements((char *)sum.data + offset, count, type, to, comm));
        else
            TRY(copy_elements(sum.data, count, type, recvbuf, count, type));
    }
done:
    free(sum.base);
    free(next.base);
    return error;
}

int defect_reduce_scatter_block_offset(const void *sendbuf, void *recvbuf, int count,
                                       MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter_block(sendbuf, recvbuf, count, type, op, comm, 32);
}

int fixed_reduce_scatter_block_offset(const void *sendbuf, void *recvbuf, int count,
                                      MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter_block(sendbuf, recvbuf, count, type, op, comm, 64);
}

COLLECTIVE(reduce_scatter_block, "", fixed_reduce_scatter_block_offset)
DEFECT(reduce_scatter_block, "", defect_reduce_scatter_block_offset,
       fixed_reduce_scatter_block_offset, .expect = "wrong result", .axis = "memory",
       .origin = "the place of a block of the result in an int")
