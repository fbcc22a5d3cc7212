/* Planted defect: the root of a gather receives a header from any rank, which names the rank of the
 * next block, and takes the header of a rank's next call for one of this call.
 *
 * Seen in: servers that ask "who is there" with MPI_ANY_SOURCE. Axis: timing. Shows as: wrong
 * result if a rank is already in the next call with the same root: on 3 ranks the root takes both
 * headers of one rank, and no block of the other.
 *
 * The correct twin receives the headers rank by rank, so that each is the first of its rank.
 */
#include "corpus/collectives/collective.h"

static int gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, int any)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (rank != root) {
        TRY(MPI_Send(&rank, 1, MPI_INT, root, COLLECTIVE_TAG, comm));
        return MPI_Send(sendbuf, sendcount, sendtype, root, COLLECTIVE_TAG + 1, comm);
    }
    MPI_Aint extent = extent_of(recvtype);
    for (int i = 0; i < size; i++) {
        int from = i;
        if (i == root)
            continue;
        TRY(MPI_Recv(&from, 1, MPI_INT, any ? MPI_ANY_SOURCE : i, COLLECTIVE_TAG, comm,
                     MPI_STATUS_IGNORE));
        TRY(MPI_Recv(element_at(recvbuf, (MPI_Aint)from * recvcount, extent), recvcount, recvtype,
                     from, COLLECTIVE_TAG + 1, comm, MPI_STATUS_IGNORE));
    }
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype,
                          element_at(recvbuf, (MPI_Aint)root * recvcount, extent), recvcount,
                          recvtype));
done:
    return error;
}

int defect_gather_header_of_next_call(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                      MPI_Comm comm)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, 1);
}

int fixed_gather_header_of_next_call(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                     MPI_Comm comm)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, 0);
}

COLLECTIVE(gather, "", fixed_gather_header_of_next_call)
DEFECT(gather, "", defect_gather_header_of_next_call, fixed_gather_header_of_next_call,
       .expect = "wrong result", .axis = "timing", .origin = "headers from MPI_ANY_SOURCE")
