/* Planted defect: every rank of a gather computes the size of a block from `recvcount` and
 * `recvtype`, which MPI ignores on ranks that are not the root.
 *
 * Seen in: gathers that were tested with the same arguments on all ranks. Axis: arguments. Shows
 * as: an error of the datatype, on ranks that pass MPI_DATATYPE_NULL.
 */
#include "corpus/collectives/collective.h"

static int gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, int early)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Aint low, extent;
    rank_and_size(comm, &rank, &size);
    if (early)
        TRY(MPI_Type_get_extent(recvtype, &low, &extent));
    if (rank != root) {
        TRY(MPI_Send(sendbuf, sendcount, sendtype, root, COLLECTIVE_TAG, comm));
        return error;
    }
    TRY(MPI_Type_get_extent(recvtype, &low, &extent));
    for (int from = 0; from < size; from++) {
        void *block = element_at(recvbuf, (MPI_Aint)from * recvcount, extent);
        if (from != root)
            TRY(receive_elements(block, recvcount, recvtype, from, comm));
        else if (sendbuf != MPI_IN_PLACE)
            TRY(copy_elements(sendbuf, sendcount, sendtype, block, recvcount, recvtype));
    }
done:
    return error;
}

int defect_gather_ignored_type(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                               MPI_Comm comm)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, 1);
}

int fixed_gather_ignored_type(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                              MPI_Comm comm)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, 0);
}

COLLECTIVE(gather, "", fixed_gather_ignored_type)
DEFECT(gather, "", defect_gather_ignored_type, fixed_gather_ignored_type, .expect = "error",
       .axis = "arguments", .origin = "gathers tested with equal arguments on all ranks")
