/* Gather, linear: the root receives the block of each rank in turn.
 *
 * Source: the dual of the linear scatter of the alpha-beta model, section 36. Any number of ranks,
 * any root. P-1 rounds.
 *
 * Example, P = 3, root 0: 1->0 b, 2->0 c; the root has abc.
 */
#include "corpus/collectives/collective.h"

int cw_gather_linear(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (rank != root)
        return MPI_Send(sendbuf, sendcount, sendtype, root, COLLECTIVE_TAG, comm);
    MPI_Aint extent = extent_of(recvtype);
    for (int i = 1; i < size && !error; i++) {
        int from = (root + i) % size;
        error = MPI_Recv(element_at(recvbuf, (MPI_Aint)from * recvcount, extent), recvcount,
                         recvtype, from, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
    }
    if (!error && sendbuf != MPI_IN_PLACE)
        error = copy_elements(sendbuf, sendcount, sendtype,
                              element_at(recvbuf, (MPI_Aint)root * recvcount, extent), recvcount,
                              recvtype);
    return error;
}

COLLECTIVE(gather, "gather.linear", cw_gather_linear)
