/* Reduce-scatter on a mesh: in each row all blocks of a column go round together, then in each
 * column the single blocks go round.
 *
 * Source: the dual of allgather.mesh (basic operations; primitives by topology). q x q ranks,
 * blocks of any sizes. q-1 rounds of q blocks, then q-1 rounds of one block. Rows are consecutive
 * ranks and go first, so ranks combine in rank order, as an operation that does not commute needs
 * it (see phases.h).
 *
 * Example, 2 x 2: 0 gives 1 its parts of the blocks 1,3 and gets those of 0,2; then it gives 2
 * block 2 and gets block 0.
 */
#include "corpus/collectives/phases.h"

int cw_reduce_scatter_mesh(const void *sendbuf, void *recvbuf, const int recvcounts[],
                           MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, size, error;
    struct temporary all = {0};
    MPI_Aint extent = extent_of(type);
    rank_and_size(comm, &rank, &size);
    int q = square_root_of(size);
    if (!q)
        return MPI_ERR_COMM;
    if (sendbuf == MPI_IN_PLACE)
        sendbuf = recvbuf;
    int row = rank / q, column = rank % q;
    struct ring along_row = {q, column, row * q, 1, comm}, along_column = {q, row, column, q, comm};

    /* Sort the blocks by column. Then `start` has the place of each block, `columns` the place of
     * each column; `from` has the place of each block in the send buffer. */
    MPI_Aint *start = malloc(sizeof(MPI_Aint) * ((size_t)size + 1)),
             *columns = malloc(sizeof(MPI_Aint) * (q + 1));
    MPI_Aint *from = malloc(sizeof(MPI_Aint) * ((size_t)size + 1));
    if (!start || !columns || !from)
        TRY(MPI_ERR_NO_MEM);
    start[0] = from[0] = 0;
    for (int r = 0; r < size; r++)
        from[r + 1] = from[r] + recvcounts[r];
    for (int i = 0; i < size; i++)
        start[i + 1] = start[i] + recvcounts[i % q * q + i / q];
    for (int c = 0; c <= q; c++)
        columns[c] = start[c * q];

    TRY(temporary_new(start[size], type, &all));
    for (int i = 0; i < size; i++) {
        int block = i % q * q + i / q;
        TRY(copy_elements(element_at(sendbuf, from[block], extent), recvcounts[block], type,
                          element_at(all.data, start[i], extent), recvcounts[block], type));
    }
    TRY(ring_reduce_scatter(&along_row, all.data, columns, type, op));
    TRY(ring_reduce_scatter(&along_column, all.data, start + column * q, type, op));
    TRY(copy_elements(element_at(all.data, start[column * q + row], extent), recvcounts[rank], type,
                      recvbuf, recvcounts[rank], type));
done:
    free(all.base);
    free(start);
    free(columns);
    free(from);
    return error;
}

COLLECTIVE(reduce_scatter, "reduce_scatter.mesh", cw_reduce_scatter_mesh,
           .domain = COLLECTIVE_SQUARE)
