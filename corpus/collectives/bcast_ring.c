/* Broadcast on a ring by recursive doubling: over distance P/2, then P/4, and so on.
 *
 * Source: basic operations, figure 4.2. 2^d ranks, any root. The ranks that have the message are
 * always evenly spread, and each sends to the middle of the gap on its right, so no two messages
 * share a link. lg P rounds.
 *
 * Example, P = 8, root 0: 0->4; 0->2, 4->6; 0->1, 2->3, 4->5, 6->7.
 */
#include "corpus/collectives/collective.h"

int cw_bcast_ring(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    int me = (rank - root + size) % size; /* distance to the right of the root */
    for (int distance = size / 2; distance && !error; distance /= 2) {
        if (me % (2 * distance) == 0)
            error = MPI_Send(buffer, count, type, (rank + distance) % size, COLLECTIVE_TAG, comm);
        else if (me % (2 * distance) == distance)
            error = MPI_Recv(buffer, count, type, (rank - distance + size) % size, COLLECTIVE_TAG,
                             comm, MPI_STATUS_IGNORE);
    }
    return error;
}

COLLECTIVE(bcast, "bcast.ring", cw_bcast_ring, .domain = COLLECTIVE_POWER_OF_TWO)
