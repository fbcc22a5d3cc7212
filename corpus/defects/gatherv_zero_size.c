/* Planted defect: the root of a linear gatherv asks each rank for its block, but skips blocks
 * without bytes; the ranks skip only blocks without elements.
 *
 * Axis: no bytes. Shows as: deadlock if the datatype has no bytes and the count is above 0, as the
 * rank waits for the root to ask.
 */
#include "corpus/collectives/collective.h"

static int is_empty(int count, MPI_Datatype type, int by_elements)
{
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    return count == 0 || (bytes == 0 && !by_elements);
}

static int gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm, int by_elements)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (rank != root) {
        if (is_empty(sendcount, sendtype, by_elements))
            return MPI_SUCCESS;
        error = MPI_Recv(NULL, 0, MPI_BYTE, root, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
        return error ? error : MPI_Send(sendbuf, sendcount, sendtype, root, COLLECTIVE_TAG, comm);
    }
    MPI_Aint extent = extent_of(recvtype);
    for (int i = 0; i < size && !error; i++) {
        void *block = element_at(recvbuf, displs[i], extent);
        if (i == root) {
            if (sendbuf != MPI_IN_PLACE)
                error = copy_elements(sendbuf, sendcount, sendtype, block, recvcounts[i], recvtype);
            continue;
        }
        if (is_empty(recvcounts[i], recvtype, 0))
            continue;
        error = MPI_Send(NULL, 0, MPI_BYTE, i, COLLECTIVE_TAG, comm);
        if (!error)
            error = MPI_Recv(block, recvcounts[i], recvtype, i, COLLECTIVE_TAG, comm,
                             MPI_STATUS_IGNORE);
    }
    return error;
}

int defect_gatherv_zero_size(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const int recvcounts[], const int displs[],
                             MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                   1);
}

int fixed_gatherv_zero_size(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const int recvcounts[], const int displs[],
                            MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                   0);
}

COLLECTIVE(gatherv, "", fixed_gatherv_zero_size)
DEFECT(gatherv, "", defect_gatherv_zero_size, fixed_gatherv_zero_size, .expect = "deadlock",
       .axis = "no bytes", .origin = "one side counts bytes, the other elements")
