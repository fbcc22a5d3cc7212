/* Reduction on a balanced binary tree whose leaves are the ranks and whose inner nodes only route.
 *
 * Source: basic operations, the dual of figure 4.7. 2^d leaves, any root. In each round sibling
 * subtrees combine, one level higher each time. lg P rounds, each with one combine.
 *
 * Example, P = 4, root 3: 0->1, 2->3; over the top node 1->3.
 */
#include "corpus/collectives/phases.h"

int cw_reduce_tree(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   int root, MPI_Comm comm)
{
    int rank, size, error;
    struct reduction r = {0};
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    TRY(reduction_start(&r, sendbuf, recvbuf, count, type, op, comm));
    for (int leaves = 2; leaves <= size; leaves *= 2) {
        int partner = rank ^ leaves / 2;
        if ((rank ^ root) & leaves / 2) {
            TRY(reduction_send(&r, partner));
            break;
        }
        TRY(reduction_receive(&r, partner));
    }
    if (rank == root)
        TRY(reduction_result(&r, recvbuf));
done:
    reduction_done(&r);
    return error;
}

COLLECTIVE(reduce, "reduce.tree", cw_reduce_tree, .domain = COLLECTIVE_POWER_OF_TWO)
