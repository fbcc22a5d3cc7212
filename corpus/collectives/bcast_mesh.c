/* Broadcast on a mesh: along the row of the root, then down all columns at once (and so on in more
 * dimensions).
 *
 * Source: basic operations, figure 4.5; primitives by topology. P = s^dim with s a power of two,
 * any root. Each line uses recursive doubling, the far half first; partners differ in one bit of
 * one coordinate, so messages stay in halves of the line that do not overlap. dim * lg s rounds.
 *
 * Example, 4 x 4, root 0: row: 0->2; 0->1, 2->3; columns: each of 0..3 sends over two rows, then
 * over one.
 */
#include "corpus/collectives/collective.h"
#include "corpus/collectives/mesh.h"

int cw_bcast_mesh(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    struct mesh mesh;
    rank_and_size(comm, &rank, &size);
    if (!mesh_shape(size, &mesh))
        return MPI_ERR_COMM;
    int me = rank ^ root; /* XOR of each coordinate, since the sides are powers of two */
    int unit = 1;         /* the distance between neighbours in this dimension */
    for (int dim = 0; dim < mesh.dims && !error; dim++, unit *= mesh.side) {
        if (me / (unit * mesh.side))
            continue; /* not in the root's plane: the message comes along a later dimension */
        int coordinate = me / unit;
        for (int step = mesh.side / 2; step && !error; step /= 2) {
            int partner = rank ^ step * unit;
            if (coordinate % (2 * step) == 0)
                error = MPI_Send(buffer, count, type, partner, COLLECTIVE_TAG, comm);
            else if (coordinate % (2 * step) == step)
                error =
                    MPI_Recv(buffer, count, type, partner, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
        }
    }
    return error;
}

COLLECTIVE(bcast, "bcast.mesh", cw_bcast_mesh, .domain = COLLECTIVE_POWER_OF_TWO)
