/* Allgather on a complete binary tree with ranks at all nodes: collect up the tree, then broadcast
 * down it.
 *
 * Source: allgather in MPI. 2^k - 1 ranks; the children of rank i are 2i+1 and 2i+2. The blocks of
 * a subtree are one run of ranks per level, so one message of a derived datatype carries them. A
 * rank serves both children at once: 2 (lg(P+1) - 1) rounds if ranks have several ports, more if
 * they have one.
 *
 * Example, P = 3: 1->0 b and 2->0 c; 0->1 abc and 0->2 abc.
 */
#include "corpus/collectives/phases.h"

/* Makes the datatype of the blocks of the subtree below `top`: one run for each of its levels. */
static int subtree_type(int top, int size, int count, MPI_Datatype type, MPI_Datatype *out)
{
    MPI_Datatype block;
    int lengths[32], places[32], levels = 0, error;
    for (long first = top, width = 1; first < size; first = 2 * first + 1, width *= 2) {
        places[levels] = (int)first;
        lengths[levels++] = (int)width;
    }
    TRY(MPI_Type_contiguous(count, type, &block));
    error = MPI_Type_indexed(levels, lengths, places, block, out);
    MPI_Type_free(&block);
    TRY(error);
    TRY(MPI_Type_commit(out));
done:
    return error;
}

int cw_allgather_tree(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    if (size & (size + 1))
        return MPI_ERR_COMM;
    int parent = (rank - 1) / 2, child = 2 * rank + 1;
    MPI_Datatype below[3] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL},
                 whole = recvtype;
    MPI_Request both[2];
    int all = 0;
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    for (int i = 0; child < size && i < 2; i++)
        TRY(subtree_type(child + i, size, recvcount, recvtype, &below[i]));
    for (int i = 0; child < size && i < 2; i++)
        TRY(MPI_Irecv(recvbuf, 1, below[i], child + i, COLLECTIVE_TAG, comm, &both[i]));
    if (child < size)
        TRY(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));

    TRY(elements_start(n * size, recvtype, &all, &whole));
    if (rank) {
        TRY(subtree_type(rank, size, recvcount, recvtype, &below[2]));
        TRY(MPI_Send(recvbuf, 1, below[2], parent, COLLECTIVE_TAG, comm));
        TRY(MPI_Recv(recvbuf, all, whole, parent, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
    }
    for (int i = 0; child < size && i < 2; i++)
        TRY(MPI_Isend(recvbuf, all, whole, child + i, COLLECTIVE_TAG, comm, &both[i]));
    if (child < size)
        TRY(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
done:
    for (int i = 0; i < 3; i++)
        if (below[i] != MPI_DATATYPE_NULL)
            MPI_Type_free(&below[i]);
    elements_done(recvtype, &whole);
    return error;
}

COLLECTIVE(allgather, "allgather.tree", cw_allgather_tree, .domain = COLLECTIVE_FULL_TREE)
