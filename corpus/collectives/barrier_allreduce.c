/* Barrier as an allreduce of nothing: recursive doubling with empty messages.
 *
 * Source: primitives by topology. Any number of ranks. No rank leaves before the last has entered,
 * as each has received, directly or indirectly, a message from all.
 *
 * Example, P = 4: 0<->1, 2<->3; then 0<->2, 1<->3.
 */
#include "corpus/collectives/collective.h"
#include "corpus/collectives/recursive_doubling.h"

int cw_barrier_allreduce(MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    struct doubling d = doubling_of(rank, size);
    if (d.id < 0) {
        TRY(send_elements(NULL, 0, MPI_BYTE, rank + 1, comm));
        return receive_elements(NULL, 0, MPI_BYTE, rank + 1, comm);
    }
    if (rank < 2 * d.extra)
        TRY(receive_elements(NULL, 0, MPI_BYTE, rank - 1, comm));
    for (int bit = 1; bit < d.core; bit *= 2) {
        int partner = doubling_rank(&d, d.id ^ bit);
        TRY(exchange_elements(NULL, 0, partner, NULL, 0, partner, MPI_BYTE, comm));
    }
    if (rank < 2 * d.extra)
        TRY(send_elements(NULL, 0, MPI_BYTE, rank - 1, comm));
done:
    return error;
}

COLLECTIVE(barrier, "barrier.allreduce", cw_barrier_allreduce)
