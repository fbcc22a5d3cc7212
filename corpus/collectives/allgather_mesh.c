/* Allgather on a mesh: a ring pass in each row, then a ring pass of whole rows in each column.
 *
 * Source: basic operations; primitives by topology; independent broadcast. q x q ranks. q-1 rounds
 * of one block, then q-1 rounds of q blocks.
 *
 * Example, 2 x 2: 0<->1, 2<->3; then 0<->2 and 1<->3 exchange ab for cd.
 */
#include "corpus/collectives/phases.h"

int cw_allgather_mesh(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    int q = square_root_of(size);
    if (!q)
        return MPI_ERR_COMM;
    int row = rank / q, column = rank % q;
    struct ring along_row = {q, column, row * q, 1, comm}, along_column = {q, row, column, q, comm};
    MPI_Aint *blocks = pieces_same(n, q), *rows = pieces_same(n * q, q);
    if (!blocks || !rows)
        TRY(MPI_ERR_NO_MEM);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    TRY(ring_allgather(&along_row, element_at(recvbuf, n * row * q, extent), blocks, recvtype));
    TRY(ring_allgather(&along_column, recvbuf, rows, recvtype));
done:
    free(blocks);
    free(rows);
    return error;
}

COLLECTIVE(allgather, "allgather.mesh", cw_allgather_mesh, .domain = COLLECTIVE_SQUARE)
