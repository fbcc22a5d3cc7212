/* Reduction on a hypercube: the broadcast of algorithm 4.1 backwards, one dimension after the
 * other.
 *
 * Source: basic operations; primitives by topology. 2^d ranks, any root (virtual id = rank XOR
 * root). The lowest dimension goes first, so that a round always combines two blocks of consecutive
 * ranks, and the operation need not commute. d rounds, each with one combine.
 *
 * Example, d = 2, root 0: 1->0, 3->2; 2->0.
 */
#include "corpus/collectives/phases.h"

int cw_reduce_hypercube(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                        int root, MPI_Comm comm)
{
    int rank, size, error;
    struct reduction r = {0};
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    TRY(reduction_start(&r, sendbuf, recvbuf, count, type, op, comm));
    int me = rank ^ root, mask = 0;
    for (int bit = 1; bit < size; bit *= 2) {
        if ((me & mask) == 0) {
            if (me & bit)
                TRY(reduction_send(&r, rank ^ bit));
            else
                TRY(reduction_receive(&r, rank ^ bit));
        }
        mask ^= bit;
    }
    if (rank == root)
        TRY(reduction_result(&r, recvbuf));
done:
    reduction_done(&r);
    return error;
}

COLLECTIVE(reduce, "reduce.hypercube", cw_reduce_hypercube, .domain = COLLECTIVE_POWER_OF_TWO)
