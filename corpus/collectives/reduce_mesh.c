/* Reduction on a mesh: along all rows at once, then along the column of the root (and so on in more
 * dimensions).
 *
 * Source: basic operations, the dual of figure 4.5. P = s^dim with s a power of two, any root.
 * Rows are consecutive ranks and go first, so the operation need not commute. dim * lg s rounds,
 * each with one combine.
 *
 * Example, 2 x 2, root 0: rows: 1->0, 3->2; column: 2->0.
 */
#include "corpus/collectives/phases.h"
#include "corpus/collectives/mesh.h"

int cw_reduce_mesh(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   int root, MPI_Comm comm)
{
    int rank, size, error;
    struct reduction r = {0};
    rank_and_size(comm, &rank, &size);
    struct mesh mesh;
    if (!mesh_shape(size, &mesh))
        return MPI_ERR_COMM;
    TRY(reduction_start(&r, sendbuf, recvbuf, count, type, op, comm));
    int me = rank ^ root,
        unit = 1; /* `unit` is the distance between neighbours in this dimension */
    for (int dim = 0; dim < mesh.dims && me % unit == 0; dim++, unit *= mesh.side) {
        int coordinate = me / unit % mesh.side;
        for (int step = 1; step < mesh.side; step *= 2) {
            if (coordinate & step) {
                TRY(reduction_send(&r, rank ^ step * unit));
                break;
            }
            TRY(reduction_receive(&r, rank ^ step * unit));
        }
    }
    if (rank == root)
        TRY(reduction_result(&r, recvbuf));
done:
    reduction_done(&r);
    return error;
}

COLLECTIVE(reduce, "reduce.mesh", cw_reduce_mesh, .domain = COLLECTIVE_POWER_OF_TWO)
