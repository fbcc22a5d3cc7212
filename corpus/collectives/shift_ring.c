/* Circular shift on a ring: s steps to the right, or P-s to the left if that is shorter.
 *
 * Source: primitives by topology; the alpha-beta model, section 21. Any number of ranks, any s.
 * min(s, P-s) rounds.
 *
 * Example, P = 6, s = 1: <6,6,7,3,8,4> gives <4,6,6,7,3,8>.
 */
#include "corpus/collectives/shift.h"

int cw_shift_ring(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Comm comm,
                  int s)
{
    int rank, size, error = MPI_SUCCESS;
    struct temporary spare = {0};
    rank_and_size(comm, &rank, &size);
    int distance = shift_distance(s, size), step = distance <= size - distance ? 1 : -1;
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, count, type, recvbuf, count, type));
    TRY(temporary_new(count, type, &spare));
    for (int left = step > 0 ? distance : size - distance; left; left--)
        TRY(shift_hop(recvbuf, &spare, count, type, (rank + step + size) % size,
                      (rank - step + size) % size, comm));
done:
    free(spare.base);
    return error;
}

COLLECTIVE(shift, "shift.ring", cw_shift_ring)
