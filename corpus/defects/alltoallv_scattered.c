/* Planted defect: an alltoallv posts its messages in batches of four, and takes P / 4 as the number
 * of batches.
 *
 * Origin: MPICH 027e5480. Axis: P, block. Shows as: hang with fewer than four ranks, as no batch
 * sends anything while the receives wait; wrong result if P is no multiple of four, as nobody sends
 * the last blocks.
 */
#include "corpus/collectives/collective.h"

enum { BATCH = 4 };

static int alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                     MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                     const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, int steps)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Aint send_extent = extent_of(sendtype), recv_extent = extent_of(recvtype);
    MPI_Request requests[2 * BATCH];
    rank_and_size(comm, &rank, &size);
    for (int first = 0; first < size; first += BATCH) {
        int n = 0, last = first + BATCH < size ? first + BATCH : size;
        if (last > steps && steps)
            last = steps;
        for (int i = first; i < last; i++) {
            int from = (rank - i + size) % size;
            TRY(MPI_Irecv(element_at(recvbuf, rdispls[from], recv_extent), recvcounts[from],
                          recvtype, from, COLLECTIVE_TAG, comm, &requests[n++]));
        }
        for (int i = first; i < last && i < steps; i++) {
            int to = (rank + i) % size;
            TRY(MPI_Isend(element_at(sendbuf, sdispls[to], send_extent), sendcounts[to], sendtype,
                          to, COLLECTIVE_TAG, comm, &requests[n++]));
        }
        TRY(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    }
done:
    return error;
}

int defect_alltoallv_scattered(const void *sendbuf, const int sendcounts[], const int sdispls[],
                               MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                               const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, size / BATCH * BATCH);
}

int fixed_alltoallv_scattered(const void *sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, size);
}

COLLECTIVE(alltoallv, "", fixed_alltoallv_scattered, .no_in_place = 1)
DEFECT(alltoallv, "", defect_alltoallv_scattered, fixed_alltoallv_scattered, .no_in_place = 1,
       .expect = "deadlock", .axis = "P, block", .origin = "MPICH 027e5480")
