/* Planted defect: in a gather of many unexpected messages at one rank, a sender assumes that its
 * middle send is complete if the sends before and after it are.
 *
 * Seen in: programs that count completed sends. Axis: pool. Shows as: deadlock if the root has room
 * for one half of a block and the empty message after it, but not for the other half. The
 * assumption holds if no sends are buffered, or all, or those below a size, or a fixed number of
 * messages.
 *
 * Each rank sends its block in two halves and an empty message. When the root is ready for a rank,
 * it sends that rank a synchronous message, then receives.
 */
#include "corpus/collectives/packed.h"

static int send_block(const void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                      int look)
{
    int error, first = 0, last = 0;
    char *all = NULL;
    MPI_Aint bytes = 0;
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    TRY(packed_new(buffer, count, type, 1, &all, &bytes));
    int half = (int)(bytes / 2);
    TRY(MPI_Isend(all, half, MPI_PACKED, root, COLLECTIVE_TAG, comm, &requests[0]));
    TRY(MPI_Isend(all + half, (int)bytes - half, MPI_PACKED, root, COLLECTIVE_TAG, comm,
                  &requests[1]));
    TRY(MPI_Isend(NULL, 0, MPI_PACKED, root, COLLECTIVE_TAG, comm, &requests[2]));
    if (look && half + half == bytes) {
        TRY(MPI_Test(&requests[0], &first, MPI_STATUS_IGNORE));
        TRY(MPI_Test(&requests[2], &last, MPI_STATUS_IGNORE));
    }
    if (first && last) /* assumes that the middle send is complete too */
        TRY(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    TRY(receive_elements(NULL, 0, MPI_BYTE, root, comm));
    TRY(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
done:
    free(all);
    return error;
}

static int receive_block(void *buffer, int count, MPI_Datatype type, int from, MPI_Comm comm)
{
    int error;
    char *all = NULL;
    MPI_Aint bytes = 0;
    TRY(packed_new(buffer, count, type, 0, &all, &bytes));
    int half = (int)(bytes / 2);
    TRY(MPI_Ssend(NULL, 0, MPI_BYTE, from, COLLECTIVE_TAG, comm));
    TRY(receive_elements(all, half, MPI_PACKED, from, comm));
    TRY(receive_elements(all + half, bytes - half, MPI_PACKED, from, comm));
    TRY(receive_elements(NULL, 0, MPI_PACKED, from, comm));
    TRY(packed_take(all, bytes, buffer, count, type));
done:
    free(all);
    return error;
}

static int gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, int look)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (!packed_fits(rank == root ? recvcount : sendcount, rank == root ? recvtype : sendtype))
        return MPI_ERR_COUNT;
    if (rank != root)
        return send_block(sendbuf, sendcount, sendtype, root, comm, look);
    MPI_Aint extent = extent_of(recvtype);
    for (int from = 0; from < size; from++) {
        void *block = element_at(recvbuf, (MPI_Aint)from * recvcount, extent);
        if (from != root)
            TRY(receive_block(block, recvcount, recvtype, from, comm));
        else if (sendbuf != MPI_IN_PLACE)
            TRY(copy_elements(sendbuf, sendcount, sendtype, block, recvcount, recvtype));
    }
done:
    return error;
}

int defect_gather_first_and_last(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                 MPI_Comm comm)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, 1);
}

int fixed_gather_first_and_last(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                MPI_Comm comm)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, 0);
}

COLLECTIVE(gather, "", fixed_gather_first_and_last)
DEFECT(gather, "", defect_gather_first_and_last, fixed_gather_first_and_last, .expect = "deadlock",
       .axis = "pool", .origin = "counting completed sends")
