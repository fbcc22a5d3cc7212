/* Planted defect: an all-to-all with Cartesian neighbours uses tags that include the tag of the
 * check of block sizes, which runs at the same time.
 *
 * Origin: Open MPI #13918. Axis: tags, concurrency. Shows as: wrong match (a receive for a size
 * gets data), wrong result or truncation, if a Cartesian neighbour is also a neighbour in rank.
 */
#include "corpus/collectives/collective.h"

enum { DIMS_MAX = 8 };

/* Sends the sizes round a ring of ranks, and the blocks to the neighbours. `size_tag` must differ
 * from the tags of the blocks. */
static int neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             int first_tag, int size_tag)
{
    int rank, size, dims = 0, requests_n = 0, error;
    int mine[2] = {sendcount, recvcount}, theirs[2] = {0, 0};
    MPI_Request requests[4 * DIMS_MAX + 2];
    MPI_Aint send_extent = extent_of(sendtype), recv_extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    TRY(MPI_Cartdim_get(comm, &dims));
    if (dims > DIMS_MAX)
        return MPI_ERR_DIMS;
    for (int b = 0; b < 2 * dims; b++) {
        int below, above;
        TRY(MPI_Cart_shift(comm, b / 2, 1, &below, &above));
        TRY(MPI_Irecv(element_at(recvbuf, (MPI_Aint)b * recvcount, recv_extent), recvcount,
                      recvtype, b % 2 ? above : below, first_tag + (b ^ 1), comm,
                      &requests[requests_n++]));
    }
    TRY(MPI_Irecv(theirs, 2, MPI_INT, (rank - 1 + size) % size, size_tag, comm,
                  &requests[requests_n++]));
    TRY(MPI_Isend(mine, 2, MPI_INT, (rank + 1) % size, size_tag, comm, &requests[requests_n++]));
    for (int b = 0; b < 2 * dims; b++) {
        int below, above;
        TRY(MPI_Cart_shift(comm, b / 2, 1, &below, &above));
        TRY(MPI_Isend(element_at(sendbuf, (MPI_Aint)b * sendcount, send_extent), sendcount,
                      sendtype, b % 2 ? above : below, first_tag + b, comm,
                      &requests[requests_n++]));
    }
    TRY(MPI_Waitall(requests_n, requests, MPI_STATUSES_IGNORE));
done:
    return error;
}

int defect_neighbor_tag_collision(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm)
{
    return neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                             COLLECTIVE_TAG - 32, COLLECTIVE_TAG - 31);
}

int fixed_neighbor_tag_collision(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                             COLLECTIVE_TAG - 32, COLLECTIVE_TAG);
}

COLLECTIVE(neighbor_alltoall, "", fixed_neighbor_tag_collision)
DEFECT(neighbor_alltoall, "", defect_neighbor_tag_collision, fixed_neighbor_tag_collision,
       .expect = "wrong result", .axis = "tags, concurrency", .origin = "Open MPI #13918")
