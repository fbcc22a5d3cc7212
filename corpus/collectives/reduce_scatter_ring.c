/* Reduce-scatter round a ring: each block starts at the right neighbour of its owner and goes once
 * round; every rank adds its own part.
 *
 * Source: the alpha-beta model (bucket); basic operations; primitives by topology. Any number of
 * ranks, blocks of any sizes. P-1 rounds, each with one block and one combine. If the operation
 * does not commute, the ring would combine in the wrong order, so ranks send their parts directly
 * to the owner, in as many rounds and words.
 *
 * Example, P = 3, block of rank 0: 1 sends x1 to 2, 2 sends x1+x2 to 0, 0 adds x0.
 */
#include "corpus/collectives/phases.h"

int cw_reduce_scatter_ring(const void *sendbuf, void *recvbuf, const int recvcounts[],
                           MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, size, error;
    struct temporary all = {0};
    MPI_Aint *start = NULL, extent = extent_of(type);
    rank_and_size(comm, &rank, &size);
    if (sendbuf == MPI_IN_PLACE)
        sendbuf = recvbuf;
    struct ring ring = ring_of_all(comm);
    if (!(start = malloc(sizeof(*start) * ((size_t)size + 1))))
        TRY(MPI_ERR_NO_MEM);
    start[0] = 0;
    for (int r = 0; r < size; r++)
        start[r + 1] = start[r] + recvcounts[r];
    TRY(temporary_new(start[size], type, &all));
    TRY(copy_elements(sendbuf, start[size], type, all.data, start[size], type));
    TRY(ring_reduce_scatter(&ring, all.data, start, type, op));
    TRY(copy_elements(element_at(all.data, start[rank], extent), recvcounts[rank], type, recvbuf,
                      recvcounts[rank], type));
done:
    free(all.base);
    free(start);
    return error;
}

COLLECTIVE(reduce_scatter, "reduce_scatter.ring", cw_reduce_scatter_ring)
