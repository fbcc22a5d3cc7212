/* Broadcast of a long message: scatter it down a binomial tree, then pass the pieces round a ring.
 *
 * Source: the alpha-beta model, section 45. Any number of ranks, any root (lg P + P-1 rounds if P
 * is a power of two). A rank sends and receives about two messages' worth of words for any P, while
 * the root of a tree sends lg P copies.
 *
 * Example, P = 4, root 0, message abcd: 0->2 cd; 0->1 b, 2->3 d; then three steps round the ring.
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/packed.h"
#include "corpus/collectives/phases.h"

/* Scatters the pieces. Places are counted from the root on; place `low` receives the pieces [low,
 * high) and passes on its part of them. */
static int scatter_pieces(char *all, const MPI_Aint *start, int rank, int size, int root,
                          MPI_Comm comm)
{
    int me = (rank - root + size) % size, low = 0, high = size, error = MPI_SUCCESS;
    while (high - low > 1 && !error) {
        int middle = low + power_of_two_from(high - low) / 2;
        MPI_Aint n = start[high] - start[middle];
        if (me == low)
            error = send_elements(all + start[middle], n, MPI_PACKED, (middle + root) % size, comm);
        else if (me == middle)
            error = receive_elements(all + start[middle], n, MPI_PACKED, (low + root) % size, comm);
        if (me < middle)
            high = middle;
        else
            low = middle;
    }
    return error;
}

int cw_bcast_scatter_allgather(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, error;
    char *all = NULL;
    MPI_Aint *start = NULL, bytes = 0;
    rank_and_size(comm, &rank, &size);
    if (!packed_fits(count, type))
        return cw_bcast_binomial(buffer, count, type, root, comm);
    TRY(packed_new(buffer, count, type, rank == root, &all, &bytes));
    if (!(start = pieces_even(bytes, size)))
        TRY(MPI_ERR_NO_MEM);
    TRY(scatter_pieces(all, start, rank, size, root, comm));
    /* Piece i belongs to place i, so the ring begins at the root. */
    struct ring ring = ring_of_all(comm);
    for (int step = 0; step < size - 1; step++) {
        int out = (rank - root - step + 2 * size) % size, in = (out - 1 + size) % size;
        TRY(exchange_elements(all + start[out], start[out + 1] - start[out],
                              ring_rank(&ring, rank + 1), all + start[in],
                              start[in + 1] - start[in], ring_rank(&ring, rank - 1), MPI_PACKED,
                              comm));
    }
    if (rank != root)
        TRY(packed_take(all, bytes, buffer, count, type));
done:
    free(all);
    free(start);
    return error;
}

COLLECTIVE(bcast, "bcast.scatter_allgather", cw_bcast_scatter_allgather)
