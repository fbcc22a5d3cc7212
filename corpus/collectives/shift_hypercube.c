/* Circular shift on a hypercube: the reflected Gray code places ranks on nodes, so that ranks a
 * power of two apart are at most two links apart. s is written as a sum of powers of two, some of
 * them negative; each power takes one step or two.
 *
 * Source: primitives by topology. 2^d ranks, any s. With negative powers it takes at most lg P
 * rounds, without them up to 2 lg P.
 *
 * Example, P = 8: node G(x) of rank x is 0,1,3,2,6,7,5,4. s = 3 = 4 - 1: rank 0 (node 0) sends over
 * node 2 to rank 4 (node 6), then rank 4 sends to rank 3 (node 2).
 */
#include "corpus/collectives/shift.h"

static int node_of(int rank)
{
    return rank ^ rank >> 1;
}

static int rank_at(int node)
{
    int rank = 0;
    for (; node; node >>= 1)
        rank ^= node;
    return rank;
}

/* Shifts by a power of two, forward or back: each node sends to a neighbour, over the lower of the
 * two dimensions first. */
static int shift_power(void *recvbuf, struct temporary *spare, int count, MPI_Datatype type,
                       int rank, int size, int step, MPI_Comm comm)
{
    int target = node_of((rank + step + size) % size),
        source = node_of((rank - step + size) % size);
    int here = node_of(rank), out = here ^ target, in = here ^ source;
    int low = out & -out; /* the same for all ranks: the bit below the bit that the step changes */
    if (out == low)
        return shift_hop(recvbuf, spare, count, type, rank_at(target), rank_at(source), comm);
    int middle = here ^ low;
    int error = shift_hop(recvbuf, spare, count, type, rank_at(middle), rank_at(middle), comm);
    /* Forward the neighbour's block to where it belongs, over the second dimension. */
    int onward = node_of((rank_at(middle) + step + size) % size);
    return error ? error
                 : shift_hop(recvbuf, spare, count, type, rank_at(onward),
                             rank_at(source ^ (in & -in)), comm);
}

int cw_shift_hypercube(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                       MPI_Comm comm, int s)
{
    int rank, size, error = MPI_SUCCESS;
    struct temporary spare = {0};
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    int rest = shift_distance(s, size);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, count, type, recvbuf, count, type));
    TRY(temporary_new(count, type, &spare));
    for (int power = 1; power < size && rest % size; power *= 2) {
        if (!(rest & power))
            continue;
        /* A run of ones takes only two steps: ...0111 is 1000 - 0001. */
        int step = rest & 2 * power && 2 * power < size ? -power : power;
        rest -= step;
        TRY(shift_power(recvbuf, &spare, count, type, rank, size, step, comm));
    }
done:
    free(spare.base);
    return error;
}

COLLECTIVE(shift, "shift.hypercube", cw_shift_hypercube, .domain = COLLECTIVE_POWER_OF_TWO)
