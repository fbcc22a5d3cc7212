/* Allreduce round a ring: reduce-scatter, then allgather of the reduced pieces.
 *
 * Source: the alpha-beta model, sections 46-47. Any number of ranks, any operation. 2 (P-1)
 * rounds, each with a P-th of the vector.
 *
 * Example, P = 2, vectors of two: 0 gives 1 its second element, 1 gives 0 its first; then they
 * exchange the sums.
 */
#include "corpus/collectives/phases.h"

int cw_allreduce_ring(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm)
{
    struct ring ring = ring_of_all(comm);
    MPI_Aint *start = pieces_even(count, ring.size);
    int error;
    if (!start)
        TRY(MPI_ERR_NO_MEM);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, count, type, recvbuf, count, type));
    TRY(ring_reduce_scatter(&ring, recvbuf, start, type, op));
    TRY(ring_allgather(&ring, recvbuf, start, type));
done:
    free(start);
    return error;
}

COLLECTIVE(allreduce, "allreduce.ring", cw_allreduce_ring)
