/* Planted defect: to avoid deadlock in an all-to-all with Cartesian neighbours, the lower rank of
 * two neighbours sends first.
 *
 * Origin: MPI Forum #153, Open MPI 196a91e6 (periodic dimensions of 1). Axis: topology. Shows as:
 * deadlock, with any buffering, if a periodic dimension has one rank: the rank is its own
 * neighbour, not the lower one, and waits for itself.
 */
#include "corpus/collectives/collective.h"

static int neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             int knows_itself)
{
    int rank, dims = 0, error;
    MPI_Aint send_extent = extent_of(sendtype), recv_extent = extent_of(recvtype);
    MPI_Comm_rank(comm, &rank);
    TRY(MPI_Cartdim_get(comm, &dims));
    for (int b = 0; b < 2 * dims; b++) { /* even b: down, odd b: up, in dimension b / 2 */
        int below, above;
        TRY(MPI_Cart_shift(comm, b / 2, 1, &below, &above));
        int to = b % 2 ? above : below, from = b % 2 ? below : above, tag = COLLECTIVE_TAG - b;
        const void *out = element_at(sendbuf, (MPI_Aint)b * sendcount, send_extent);
        void *in = element_at(recvbuf, (MPI_Aint)(b ^ 1) * recvcount, recv_extent);
        if (to == rank && knows_itself) {
            TRY(copy_elements(out, sendcount, sendtype, in, recvcount, recvtype));
            continue;
        }
        if (rank < to)
            TRY(MPI_Send(out, sendcount, sendtype, to, tag, comm));
        TRY(MPI_Recv(in, recvcount, recvtype, from, tag, comm, MPI_STATUS_IGNORE));
        if (rank >= to)
            TRY(MPI_Send(out, sendcount, sendtype, to, tag, comm));
    }
done:
    return error;
}

int defect_neighbor_ordered_pairs(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm)
{
    return neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 0);
}

int fixed_neighbor_ordered_pairs(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 1);
}

COLLECTIVE(neighbor_alltoall, "", fixed_neighbor_ordered_pairs)
DEFECT(neighbor_alltoall, "", defect_neighbor_ordered_pairs, fixed_neighbor_ordered_pairs,
       .expect = "deadlock", .axis = "topology", .origin = "MPI Forum #153, Open MPI 196a91e6")
