/* Reduction up a binomial tree: in each round neighbouring blocks of ranks combine, until one rank
 * has the result.
 *
 * Source: the alpha-beta model, sections 23-25. Any number of ranks: a partner beyond the last
 * rank does not exist and is skipped (`PARTNER < P`). Any root, and always in rank order: blocks
 * are consecutive ranks, and of two blocks the one with the root, else the lower one, receives.
 * ceil(lg P) rounds, each with one combine.
 *
 * Example, P = 5, root 0: 1->0, 3->2; 2->0; 4->0. The result is (((x0 x1) (x2 x3)) x4).
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/phases.h"

/* Returns the rank that holds the result of the ranks low..low+width-1. */
static int block_holder(int low, int width, int root)
{
    return root >= low && root < low + width ? root : low;
}

int cw_reduce_binomial(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                       int root, MPI_Comm comm)
{
    int rank, size, error;
    struct reduction r = {0};
    rank_and_size(comm, &rank, &size);
    TRY(reduction_start(&r, sendbuf, recvbuf, count, type, op, comm));
    for (int width = 1; width < size; width *= 2) {
        int low = rank / width * width, other_low = low ^ width; /* the two blocks to combine */
        if (other_low >= size)
            continue;
        int other = block_holder(other_low, width, root);
        int both_low = low < other_low ? low : other_low;
        if (block_holder(both_low, 2 * width, root) == rank) {
            TRY(reduction_receive(&r, other));
        } else {
            TRY(reduction_send(&r, other));
            break;
        }
    }
    if (rank == root)
        TRY(reduction_result(&r, recvbuf));
done:
    reduction_done(&r);
    return error;
}

COLLECTIVE(reduce, "reduce.binomial", cw_reduce_binomial)
