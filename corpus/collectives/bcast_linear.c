/* Broadcast, linear: the root sends the message to each of the others in turn.
 *
 * Source: the alpha-beta model and primitives by topology (the naive way); independent broadcast,
 * algorithm 2. Any number of ranks, any root. P-1 rounds, as one port sends one message at a time;
 * one superstep.
 *
 * Example, P = 4, root 1: 1 sends to 2, then to 3, then to 0.
 */
#include "corpus/collectives/collective.h"

int cw_bcast_linear(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (rank != root)
        return MPI_Recv(buffer, count, type, root, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 1; i < size && !error; i++)
        error = MPI_Send(buffer, count, type, (root + i) % size, COLLECTIVE_TAG, comm);
    return error;
}

COLLECTIVE(bcast, "bcast.linear", cw_bcast_linear)
