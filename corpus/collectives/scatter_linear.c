/* Scatter, linear: the root sends each rank its block in turn.
 *
 * Source: the alpha-beta model, section 36. Any number of ranks, any root. P-1 rounds.
 *
 * Example, P = 3, root 0, blocks abc: 0->1 b, 0->2 c.
 */
#include "corpus/collectives/collective.h"

int cw_scatter_linear(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (rank != root)
        return MPI_Recv(recvbuf, recvcount, recvtype, root, COLLECTIVE_TAG, comm,
                        MPI_STATUS_IGNORE);
    MPI_Aint extent = extent_of(sendtype);
    for (int i = 1; i < size && !error; i++) {
        int to = (root + i) % size;
        error = MPI_Send(element_at(sendbuf, (MPI_Aint)to * sendcount, extent), sendcount, sendtype,
                         to, COLLECTIVE_TAG, comm);
    }
    if (!error && recvbuf != MPI_IN_PLACE)
        error = copy_elements(element_at(sendbuf, (MPI_Aint)root * sendcount, extent), sendcount,
                              sendtype, recvbuf, recvcount, recvtype);
    return error;
}

COLLECTIVE(scatter, "scatter.linear", cw_scatter_linear)
