/* Planted defect: an alltoallv skips sends of zero bytes, but not the receives that would match
 * them.
 *
 * Origin: Open MPI #12198. Axis: zero size. Shows as: hang if any block is empty.
 */
#include "corpus/collectives/collective.h"

static int alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                     MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                     const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, int skip_sends,
                     int skip_receives)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Aint send_extent = extent_of(sendtype), recv_extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    for (int step = 0; step < size && !error; step++) {
        int to = (rank + step) % size, from = (rank - step + size) % size;
        MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        if (recvcounts[from] || !skip_receives)
            TRY(MPI_Irecv(element_at(recvbuf, rdispls[from], recv_extent), recvcounts[from],
                          recvtype, from, COLLECTIVE_TAG, comm, &both[0]));
        if (sendcounts[to] || !skip_sends)
            TRY(MPI_Isend(element_at(sendbuf, sdispls[to], send_extent), sendcounts[to], sendtype,
                          to, COLLECTIVE_TAG, comm, &both[1]));
        error = MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
done:
    return error;
}

int defect_alltoallv_zero_skip(const void *sendbuf, const int sendcounts[], const int sdispls[],
                               MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                               const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, 1, 0);
}

int fixed_alltoallv_zero_skip(const void *sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, 1, 1);
}

COLLECTIVE(alltoallv, "", fixed_alltoallv_zero_skip, .no_in_place = 1)
DEFECT(alltoallv, "", defect_alltoallv_zero_skip, fixed_alltoallv_zero_skip, .no_in_place = 1,
       .expect = "deadlock", .axis = "zero size", .origin = "Open MPI #12198")
