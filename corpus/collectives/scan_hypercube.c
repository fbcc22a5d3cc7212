/* Prefix sums on a hypercube: over each dimension partners exchange the sums of their subcubes; the
 * upper partner adds the other sum to its result, and both add it to their sum.
 *
 * Source: primitives by topology. d rounds for 2^d ranks; it works for any number of ranks, since
 * no rank needs the sum of an incomplete subcube. Combines in rank order.
 *
 * Example: <3,1,4,0,2> gives <3,4,8,8,10>. Rank 2 gets 0 from 3, then 4 from 0: 4 + 4 = 8.
 */
#include "corpus/collectives/collective.h"

int cw_scan_hypercube(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm)
{
    int rank, size, error;
    struct temporary sum = {0}, theirs = {0};
    rank_and_size(comm, &rank, &size);
    TRY(temporary_new(count, type, &sum));
    TRY(temporary_new(count, type, &theirs));
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, count, type, recvbuf, count, type));
    TRY(copy_elements(recvbuf, count, type, sum.data, count, type));
    for (int bit = 1; bit < size; bit *= 2) {
        int partner = rank ^ bit;
        if (partner >= size)
            continue;
        TRY(exchange_elements(sum.data, count, partner, theirs.data, count, partner, type, comm));
        if (partner < rank)
            TRY(reduce_elements(theirs.data, recvbuf, count, type, op));
        TRY(combine(&sum, &theirs, partner < rank, count, type, op));
    }
done:
    free(sum.base);
    free(theirs.base);
    return error;
}

COLLECTIVE(scan, "scan.hypercube", cw_scan_hypercube)
