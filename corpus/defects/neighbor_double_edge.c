/* Planted defect: an all-to-all with the neighbours of a graph finds the place of a block by its
 * source rank.
 *
 * Axis: edges. Shows as: wrong result if a graph has two edges from one rank to another: the second
 * block overwrites the first, and its own place keeps its old content.
 */
#include "corpus/collectives/collective.h"

enum { NEIGHBOURS_MAX = 64 };

struct neighbours {
    int grid, in_count, out_count;
    int in[NEIGHBOURS_MAX], out[NEIGHBOURS_MAX], weight[NEIGHBOURS_MAX];
};

static int neighbours_get(MPI_Comm comm, struct neighbours *n)
{
    int error, topology, weighted, dims = 0;
    TRY(MPI_Topo_test(comm, &topology));
    n->grid = topology == MPI_CART;
    if (n->grid) {
        TRY(MPI_Cartdim_get(comm, &dims));
        n->in_count = n->out_count = 2 * dims;
        for (int d = 0; d < dims; d++)
            TRY(MPI_Cart_shift(comm, d, 1, &n->in[2 * d], &n->in[2 * d + 1]));
        memcpy(n->out, n->in, sizeof n->out);
        return MPI_SUCCESS;
    }
    TRY(MPI_Dist_graph_neighbors_count(comm, &n->in_count, &n->out_count, &weighted));
    if (n->in_count > NEIGHBOURS_MAX || n->out_count > NEIGHBOURS_MAX)
        return MPI_ERR_TOPOLOGY;
    TRY(MPI_Dist_graph_neighbors(comm, n->in_count, n->in, n->weight, n->out_count, n->out,
                                 n->weight));
done:
    return error;
}

static int neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             int by_rank)
{
    int error, requests_n = 0;
    struct neighbours n;
    MPI_Request requests[2 * NEIGHBOURS_MAX];
    MPI_Aint send_extent = extent_of(sendtype), recv_extent = extent_of(recvtype);
    TRY(neighbours_get(comm, &n));
    for (int b = 0; b < n.in_count; b++) {
        int place = b;
        for (int first = 0; by_rank && !n.grid && place == b && first < b; first++)
            place = n.in[first] == n.in[b] ? first : b;
        TRY(MPI_Irecv(element_at(recvbuf, (MPI_Aint)place * recvcount, recv_extent), recvcount,
                      recvtype, n.in[b], COLLECTIVE_TAG + (n.grid ? b ^ 1 : 0), comm,
                      &requests[requests_n++]));
    }
    for (int b = 0; b < n.out_count; b++)
        TRY(MPI_Isend(element_at(sendbuf, (MPI_Aint)b * sendcount, send_extent), sendcount,
                      sendtype, n.out[b], COLLECTIVE_TAG + (n.grid ? b : 0), comm,
                      &requests[requests_n++]));
    TRY(MPI_Waitall(requests_n, requests, MPI_STATUSES_IGNORE));
done:
    return error;
}

int defect_neighbor_double_edge(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 1);
}

int fixed_neighbor_double_edge(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 0);
}

COLLECTIVE(neighbor_alltoall, "", fixed_neighbor_double_edge, .topology = COLLECTIVE_GRID_OR_GRAPH)
DEFECT(neighbor_alltoall, "", defect_neighbor_double_edge, fixed_neighbor_double_edge,
       .topology = COLLECTIVE_GRID_OR_GRAPH, .expect = "wrong result", .axis = "edges",
       .origin = "a table of places by rank")
