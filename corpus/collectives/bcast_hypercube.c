/* Broadcast on a hypercube from rank 0, with the masks as the book prints them.
 *
 * Source: basic operations, algorithm 4.1; primitives by topology. 2^d ranks, root 0. The highest
 * dimension goes first; `mask` has a bit for each dimension not yet used, and a rank takes part in
 * a dimension if all its bits in the mask are zero. d rounds.
 *
 * Example, d = 3: 0->4; 0->2, 4->6; 0->1, 2->3, 4->5, 6->7.
 */
#include "corpus/collectives/collective.h"

int cw_bcast_hypercube(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    if (root != 0)
        return MPI_ERR_ROOT;
    int mask = size - 1;
    for (int bit = size / 2; bit && !error; bit /= 2) {
        mask ^= bit;
        if (rank & mask)
            continue;
        if (rank & bit)
            error =
                MPI_Recv(buffer, count, type, rank ^ bit, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
        else
            error = MPI_Send(buffer, count, type, rank ^ bit, COLLECTIVE_TAG, comm);
    }
    return error;
}

COLLECTIVE(bcast, "bcast.hypercube", cw_bcast_hypercube, .domain = COLLECTIVE_POWER_OF_TWO,
           .root_zero_only = 1)
