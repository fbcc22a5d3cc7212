/* Planted defect: an allgatherv receives the block of each step from any source, and uses one tag
 * for all steps.
 *
 * Origin: MPICH cf20786e. Axis: timing. Shows as: wrong match under delay: the block of a rank that
 * is a step ahead fills the place of a late rank's block. In step s every rank sends its block to
 * the rank s to its right.
 */
#include "corpus/collectives/collective.h"

static int allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                      MPI_Comm comm, int tag_step)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Aint extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    void *own = element_at(recvbuf, displs[rank], extent);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, own, recvcounts[rank], recvtype));
    for (int step = 1; step < size; step++) {
        int to = (rank + step) % size, from = (rank - step + size) % size,
            tag = COLLECTIVE_TAG - step * tag_step;
        MPI_Request both[2];
        TRY(MPI_Irecv(element_at(recvbuf, displs[from], extent), recvcounts[from], recvtype,
                      MPI_ANY_SOURCE, tag, comm, &both[0]));
        TRY(MPI_Isend(own, recvcounts[rank], recvtype, to, tag, comm, &both[1]));
        TRY(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    }
done:
    return error;
}

int defect_allgatherv_tag_reuse(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, const int recvcounts[], const int displs[],
                                MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, 0);
}

int fixed_allgatherv_tag_reuse(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, const int recvcounts[], const int displs[],
                               MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, 1);
}

COLLECTIVE(allgatherv, "", fixed_allgatherv_tag_reuse)
DEFECT(allgatherv, "", defect_allgatherv_tag_reuse, fixed_allgatherv_tag_reuse,
       .expect = "wrong result", .axis = "timing", .origin = "MPICH cf20786e")
