/* Broadcast on a balanced binary tree whose leaves are the ranks and whose inner nodes only route.
 *
 * Source: basic operations, figure 4.7. 2^d leaves, any root. In each round the ranks that have
 * the message send it into the sibling subtree, one level lower each time; each subtree carries one
 * message. lg P rounds.
 *
 * Example, P = 8, root 0: over the top node 0->4; over the next level 0->2, 4->6; finally 0->1,
 * 2->3, 4->5, 6->7.
 */
#include "corpus/collectives/collective.h"

int cw_bcast_tree(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    int have = rank == root;
    for (int leaves = size; leaves > 1 && !error; leaves /= 2) {
        /* A leaf takes part in this round if it has the same place within its half subtree as the
         * root has. */
        int partner = rank ^ leaves / 2;
        if (have) {
            error = MPI_Send(buffer, count, type, partner, COLLECTIVE_TAG, comm);
        } else if (rank % (leaves / 2) == root % (leaves / 2)) {
            error = MPI_Recv(buffer, count, type, partner, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
            have = 1;
        }
    }
    return error;
}

COLLECTIVE(bcast, "bcast.tree", cw_bcast_tree, .domain = COLLECTIVE_POWER_OF_TWO)
