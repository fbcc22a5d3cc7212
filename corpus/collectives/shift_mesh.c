/* Circular shift on a mesh with wrap-around, numbered row by row: s mod q along the rows, then s /
 * q down the columns, and one more in the columns that wrapped.
 *
 * Source: primitives by topology. q x q ranks, any s. Each part takes the shorter way round: at
 * most q + 1 rounds.
 *
 * Example, 3 x 3, s = 4: one step to the right; then one step down, in column 0, which wrapped,
 * two.
 */
#include "corpus/collectives/shift.h"

/* Shifts by `distance` in a line of q ranks: first, first + stride, ...; `place` is this rank's. */
static int shift_line(void *recvbuf, struct temporary *spare, int count, MPI_Datatype type,
                      int place, int first, int stride, int q, int distance, MPI_Comm comm)
{
    int step = distance <= q - distance ? 1 : -1, error = MPI_SUCCESS;
    int to = first + (place + step + q) % q * stride,
        from = first + (place - step + q) % q * stride;
    for (int left = step > 0 ? distance : q - distance; left && !error; left--)
        error = shift_hop(recvbuf, spare, count, type, to, from, comm);
    return error;
}

int cw_shift_mesh(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Comm comm,
                  int s)
{
    int rank, size, error = MPI_SUCCESS;
    struct temporary spare = {0};
    rank_and_size(comm, &rank, &size);
    int q = square_root_of(size);
    if (!q)
        return MPI_ERR_COMM;
    int distance = shift_distance(s, size), row = rank / q, column = rank % q;
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, count, type, recvbuf, count, type));
    TRY(temporary_new(count, type, &spare));
    TRY(shift_line(recvbuf, &spare, count, type, column, row * q, 1, q, distance % q, comm));
    int down = (distance / q + (column < distance % q)) % q;
    TRY(shift_line(recvbuf, &spare, count, type, row, column, q, q, down, comm));
done:
    free(spare.base);
    return error;
}

COLLECTIVE(shift, "shift.mesh", cw_shift_mesh, .domain = COLLECTIVE_SQUARE)
