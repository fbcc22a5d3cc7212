/* Planted defect: a broadcast over a Cartesian communicator goes both ways round a periodic
 * dimension, and reaches the opposite rank from both sides.
 *
 * Origin: MPI Forum #153, MPICH #4061 (periodic dimensions of 2). Axis: grid. Shows as: a leftover
 * message, or a hang if sends do not buffer, if a periodic dimension has an even number of ranks;
 * with 2 the root sends twice to its neighbour. On other communicators the root sends to all.
 *
 * After dimension d all ranks that agree with the root in the later dimensions have the data. On
 * 0 1 2 3 with root 1: 1 sends to 2 and 0, 2 sends to 3; 0 must not send.
 */
#include "corpus/collectives/collective.h"

enum { DIMS_MAX = 8 };

/* Broadcasts from `root` along the line of ranks through this rank in dimension d. */
static int line(void *buffer, int count, MPI_Datatype type, int d, int n, int periodic, int x,
                int root, MPI_Comm comm, int twice)
{
    int below, above, error = MPI_SUCCESS;
    TRY(MPI_Cart_shift(comm, d, 1, &below, &above));
    int up = periodic ? (x - root + n) % n : x - root; /* distance from the root */
    int down = periodic ? (root - x + n) % n : root - x;
    int upward = x == root || (periodic ? up <= down : up > 0);
    int downward = x == root || !upward;
    if (x != root)
        TRY(receive_elements(buffer, count, type, upward ? below : above, comm));
    if (upward && (periodic ? up + 1 <= n - up - 1 : above != MPI_PROC_NULL))
        TRY(send_elements(buffer, count, type, above, comm));
    if (downward && (periodic ? down + 1 < n - down - 1 + twice : below != MPI_PROC_NULL))
        TRY(send_elements(buffer, count, type, below, comm));
done:
    return error;
}

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int twice)
{
    int rank, size, topology, dims, error = MPI_SUCCESS;
    int n[DIMS_MAX], periodic[DIMS_MAX], x[DIMS_MAX], root_x[DIMS_MAX];
    rank_and_size(comm, &rank, &size);
    TRY(MPI_Topo_test(comm, &topology));
    if (topology != MPI_CART) {
        for (int i = 0; i < size && rank == root; i++)
            if (i != root)
                TRY(send_elements(buffer, count, type, i, comm));
        return rank == root ? error : receive_elements(buffer, count, type, root, comm);
    }
    TRY(MPI_Cartdim_get(comm, &dims));
    if (dims > DIMS_MAX)
        return MPI_ERR_DIMS;
    TRY(MPI_Cart_get(comm, DIMS_MAX, n, periodic, x));
    TRY(MPI_Cart_coords(comm, root, DIMS_MAX, root_x));
    for (int d = 0; d < dims; d++) {
        int here = 1;
        for (int e = d + 1; e < dims; e++)
            here &= x[e] == root_x[e];
        if (here)
            TRY(line(buffer, count, type, d, n[d], periodic[d], x[d], root_x[d], comm, twice));
    }
done:
    return error;
}

int defect_bcast_torus_tie(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 1);
}

int fixed_bcast_torus_tie(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 0);
}

COLLECTIVE(bcast, "", fixed_bcast_torus_tie)
DEFECT(bcast, "", defect_bcast_torus_tie, fixed_bcast_torus_tie, .expect = "deadlock",
       .axis = "grid", .origin = "MPI Forum #153, MPICH #4061")
