/* Planted defect: an all-to-all with Cartesian neighbours distinguishes its messages by source
 * alone.
 *
 * Origin: MPI Forum #153, MPICH #4061, Open MPI 196a91e6. Axis: topology. Shows as: wrong result
 * if a periodic dimension has 1 or 2 ranks: both neighbours are the same rank, and the two blocks
 * are swapped.
 */
#include "corpus/collectives/collective.h"

enum { DIMS_MAX = 8 };

/* Sends block b to the lower (even b) or upper neighbour in dimension b / 2, which receives it as
 * the block from its other side. */
static int neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             int tag_step)
{
    int dims = 0, requests_n = 0, error;
    MPI_Request requests[4 * DIMS_MAX];
    MPI_Aint send_extent = extent_of(sendtype), recv_extent = extent_of(recvtype);
    TRY(MPI_Cartdim_get(comm, &dims));
    if (dims > DIMS_MAX)
        return MPI_ERR_DIMS;
    for (int b = 0; b < 2 * dims; b++) {
        int below, above;
        TRY(MPI_Cart_shift(comm, b / 2, 1, &below, &above));
        TRY(MPI_Irecv(element_at(recvbuf, (MPI_Aint)b * recvcount, recv_extent), recvcount,
                      recvtype, b % 2 ? above : below, COLLECTIVE_TAG - (b ^ 1) * tag_step, comm,
                      &requests[requests_n++]));
        TRY(MPI_Isend(element_at(sendbuf, (MPI_Aint)b * sendcount, send_extent), sendcount,
                      sendtype, b % 2 ? above : below, COLLECTIVE_TAG - b * tag_step, comm,
                      &requests[requests_n++]));
    }
    TRY(MPI_Waitall(requests_n, requests, MPI_STATUSES_IGNORE));
done:
    return error;
}

int defect_neighbor_both_sides(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 0);
}

int fixed_neighbor_both_sides(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 1);
}

COLLECTIVE(neighbor_alltoall, "", fixed_neighbor_both_sides)
DEFECT(neighbor_alltoall, "", defect_neighbor_both_sides, fixed_neighbor_both_sides,
       .expect = "wrong result", .axis = "topology",
       .origin = "MPI Forum #153, MPICH #4061, Open MPI 196a91e6")
