/* Broadcast on a hypercube from any root: the masks of the book on virtual ids, rank XOR root.
 *
 * Source: basic operations, algorithm 4.2; primitives by topology. 2^d ranks. XOR keeps neighbours
 * neighbours, so every message still crosses one link. d rounds.
 *
 * Example, d = 2, root 3: virtual ids of 0,1,2,3 are 3,2,1,0; 3->1; 3->2, 1->0.
 */
#include "corpus/collectives/collective.h"

int cw_bcast_hypercube_any(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    int me = rank ^ root, mask = size - 1;
    for (int bit = size / 2; bit && !error; bit /= 2) {
        mask ^= bit;
        if (me & mask)
            continue;
        int partner = (me ^ bit) ^ root;
        if (me & bit)
            error = MPI_Recv(buffer, count, type, partner, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
        else
            error = MPI_Send(buffer, count, type, partner, COLLECTIVE_TAG, comm);
    }
    return error;
}

COLLECTIVE(bcast, "bcast.hypercube_any", cw_bcast_hypercube_any, .domain = COLLECTIVE_POWER_OF_TWO)
