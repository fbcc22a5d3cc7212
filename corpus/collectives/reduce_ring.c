/* Reduction on a ring: over distance 1, then 2, then 4, and so on up to P/2.
 *
 * Source: basic operations, the dual of the broadcast of figure 4.2. 2^d ranks, any root. In each
 * round pairs of blocks of consecutive ranks combine, each pair on its own part of the ring, so no
 * two messages share a link. lg P rounds, each with one combine.
 *
 * Example, P = 4, root 0: 1->0, 3->2; 2->0.
 */
#include "corpus/collectives/phases.h"

int cw_reduce_ring(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   int root, MPI_Comm comm)
{
    int rank, size, error;
    struct reduction r = {0};
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    TRY(reduction_start(&r, sendbuf, recvbuf, count, type, op, comm));
    for (int distance = 1; distance < size; distance *= 2) {
        int partner = rank ^ distance;
        /* The result of a block is on the rank that has the same place in its block as the root in
         * the root's block. */
        if (rank % (2 * distance) == root % (2 * distance)) {
            TRY(reduction_receive(&r, partner));
        } else {
            TRY(reduction_send(&r, partner));
            break;
        }
    }
    if (rank == root)
        TRY(reduction_result(&r, recvbuf));
done:
    reduction_done(&r);
    return error;
}

COLLECTIVE(reduce, "reduce.ring", cw_reduce_ring, .domain = COLLECTIVE_POWER_OF_TWO)
