/* Allreduce by recursive doubling: over each dimension of the hypercube, partners exchange what
 * they have and both combine it.
 *
 * Source: primitives by topology. 2^d ranks in d rounds; other numbers of ranks in at most two
 * more. Messages do not grow, as ranks combine what they get. The nearest dimension goes first and
 * both partners combine in the same order, so all ranks have the same bits and the operation need
 * not commute.
 *
 * Example, P = 4: 0<->1, 2<->3; then 0<->2, 1<->3. With P = 5, rank 0 first sends x0 to 1 and gets
 * the result from it at the end.
 */
#include "corpus/collectives/phases.h"
#include "corpus/collectives/recursive_doubling.h"

int cw_allreduce_recursive_doubling(const void *sendbuf, void *recvbuf, int count,
                                    MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, size, error;
    struct reduction r;
    rank_and_size(comm, &rank, &size);
    struct doubling d = doubling_of(rank, size);
    TRY(reduction_start(&r, sendbuf, recvbuf, count, type, op, comm));
    if (d.id < 0)
        TRY(reduction_send(&r, rank + 1));
    else if (rank < 2 * d.extra)
        TRY(reduction_receive(&r, rank - 1));
    for (int bit = 1; bit < d.core && d.id >= 0; bit *= 2) {
        int partner = doubling_rank(&d, d.id ^ bit);
        TRY(exchange_elements(r.mine.data, count, partner, r.theirs.data, count, partner, type,
                              comm));
        TRY(combine(&r.mine, &r.theirs, partner < rank, count, type, op));
    }
    if (d.id < 0)
        TRY(receive_elements(recvbuf, count, type, rank + 1, comm));
    else if (rank < 2 * d.extra)
        TRY(reduction_send(&r, rank - 1));
    if (d.id >= 0)
        TRY(reduction_result(&r, recvbuf));
done:
    reduction_done(&r);
    return error;
}

COLLECTIVE(allreduce, "allreduce.recursive_doubling", cw_allreduce_recursive_doubling)
