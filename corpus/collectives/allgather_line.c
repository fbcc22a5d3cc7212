/* Allgather on a linear array: the ring pass, whose last link is the way back over the whole line.
 *
 * Source: primitives by topology. Any number of ranks. If links carry both directions at once, the
 * block that goes back delays none of those that go forward: P-1 rounds. If a link carries one
 * direction at a time, each step takes two rounds: 2 (P-1). The blocks travel to the left here, so
 * the way back leads to the right.
 *
 * Example, P = 3: 1->0 b, 2->1 c, and 0->2 a over both links; then 1->0 c, 2->1 a, 0->2 b.
 */
#include "corpus/collectives/phases.h"

int cw_allgather_line(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    for (int step = 0; step < size - 1; step++) {
        int out = (rank + step) % size, in = (rank + step + 1) % size;
        TRY(exchange_elements(element_at(recvbuf, n * out, extent), n, (rank - 1 + size) % size,
                              element_at(recvbuf, n * in, extent), n, (rank + 1) % size, recvtype,
                              comm));
    }
done:
    return error;
}

COLLECTIVE(allgather, "allgather.line", cw_allgather_line)
