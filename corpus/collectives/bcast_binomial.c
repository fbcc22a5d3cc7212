/* Broadcast down a binomial tree: in each round every rank that has the message sends it to a rank
 * that lacks it.
 *
 * Source: basic operations; primitives by topology; independent broadcast, algorithm 1. Any number
 * of ranks, any root. Ranks are numbered from the root on. A rank serves the far half first, so on
 * a ring of 2^d ranks no two messages share a link. ceil(lg P) rounds.
 *
 * Example, P = 6, root 0: round 1: 0->4; round 2: 0->2 (4->6 does not exist); round 3: 0->1, 2->3,
 * 4->5.
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/collective.h"

int cw_bcast_binomial(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    int me = (rank - root + size) % size;
    int mask = power_of_two_from(size);
    if (me) {
        mask = me & -me; /* the lowest bit that is set gives the round of the receive */
        error = MPI_Recv(buffer, count, type, (rank - mask + size) % size, COLLECTIVE_TAG, comm,
                         MPI_STATUS_IGNORE);
    }
    for (mask /= 2; mask && !error; mask /= 2)
        if (me + mask < size)
            error = MPI_Send(buffer, count, type, (rank + mask) % size, COLLECTIVE_TAG, comm);
    return error;
}

COLLECTIVE(bcast, "bcast.binomial", cw_bcast_binomial)
