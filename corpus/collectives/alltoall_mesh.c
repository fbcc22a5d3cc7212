/* All-to-all personalised on a mesh: first along the rows, with the blocks for one column together,
 * then along the columns.
 *
 * Source: primitives by topology. q x q ranks. 2 (q-1) rounds; each phase is the algorithm for a
 * ring, with pieces of q blocks.
 *
 * Example, 2 x 2, rank 0: gives 1 its blocks for 1,3 and gets those of 1 for 0,2; then gives 2 the
 * blocks of 0,1 for 2.
 */
#include "corpus/collectives/phases.h"

/* Sets to[j][i] = from[i][j], for blocks of n elements. */
static int turn_blocks(const void *from, void *to, int q, MPI_Aint n, MPI_Datatype type,
                       MPI_Aint extent)
{
    int error = MPI_SUCCESS;
    for (int i = 0; i < q; i++)
        for (int j = 0; j < q && !error; j++)
            error = copy_elements(element_at(from, n * (i * q + j), extent), n, type,
                                  element_at(to, n * (j * q + i), extent), n, type);
    return error;
}

int cw_alltoall_mesh(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error;
    struct temporary own = {0};
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    int q = square_root_of(size);
    if (!q)
        return MPI_ERR_COMM;
    int row = rank / q, column = rank % q;
    struct ring along_row = {q, column, row * q, 1, comm}, along_column = {q, row, column, q, comm};
    struct temporary first = {0}, second = {0};
    /* `own` holds this rank's blocks for the others in the form in which they are sent. */
    TRY(temporary_new(n * size, recvtype, &own));
    if (sendbuf == MPI_IN_PLACE)
        TRY(copy_elements(recvbuf, n * size, recvtype, own.data, n * size, recvtype));
    else
        TRY(copy_elements(sendbuf, (MPI_Aint)sendcount * size, sendtype, own.data, n * size,
                          recvtype));
    TRY(temporary_new(n * size, recvtype, &first));
    TRY(temporary_new(n * size, recvtype, &second));
    /* Turns own[row][column] (of the destination) into first[column][row], so that the blocks for
     * one column lie together. */
    TRY(turn_blocks(own.data, first.data, q, n, recvtype, extent));
    TRY(ring_alltoall(&along_row, first.data, second.data, n * q, recvtype));
    /* Turns second[source column][destination row] into first[destination row][source column]. */
    TRY(turn_blocks(second.data, first.data, q, n, recvtype, extent));
    TRY(ring_alltoall(&along_column, first.data, recvbuf, n * q,
                      recvtype)); /* [source row][source column] */
done:
    free(own.base);
    free(first.base);
    free(second.base);
    return error;
}

COLLECTIVE(alltoall, "alltoall.mesh", cw_alltoall_mesh, .domain = COLLECTIVE_SQUARE)
