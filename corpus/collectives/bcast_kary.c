/* Broadcast down a k-ary tree: in each stage every rank that has the message sends it to k-1
 * others.
 *
 * Source: independent broadcast, algorithm 3. Any number of ranks, any root, k >= 2; k = P is the
 * direct broadcast, k = 2 the binary one. With one port a stage takes k-1 rounds, so P = k^r takes
 * (k-1) r rounds, or r supersteps.
 *
 * Example, P = 9, k = 3, root 0: stage 1: 0->3, 0->6; stage 2: 0->1, 0->2, 3->4, 3->5, 6->7, 6->8.
 */
#include "corpus/collectives/collective.h"

int cw_bcast_kary(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int k)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (k < 2)
        return MPI_ERR_ARG;
    int me = (rank - root + size) % size;
    long reach = 1; /* number of ranks that a holder serves from this stage on */
    while (reach < size)
        reach *= k;
    for (; reach > 1 && !error; reach /= k) {
        long step = reach / k, place = me % reach;
        if (place == 0) {
            for (int j = 1; j < k && me + j * step < size && !error; j++)
                error = MPI_Send(buffer, count, type, (int)((rank + j * step) % size),
                                 COLLECTIVE_TAG, comm);
        } else if (place % step == 0) {
            error = MPI_Recv(buffer, count, type, (int)((rank - place + size) % size),
                             COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
        }
    }
    return error;
}

COLLECTIVE(bcast_k, "bcast.kary", cw_bcast_kary)
