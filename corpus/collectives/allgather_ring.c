/* Allgather by passing blocks round a ring: in each step a rank passes on the block that it got in
 * the step before.
 *
 * Source: the alpha-beta model (bucket); basic operations, algorithm 4.4; allgather in MPI (ring
 * pass). Any number of ranks. P-1 rounds, each of one block. Each step posts its send and its
 * receive together; allgather_ring_printed.c is the form that the lecture prints.
 *
 * Example, P = 3: 0->1 a, 1->2 b, 2->0 c; then 0->1 c, 1->2 a, 2->0 b.
 */
#include "corpus/collectives/phases.h"

int cw_allgather_ring(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    for (int step = 0; step < size - 1; step++) {
        int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        TRY(exchange_elements(element_at(recvbuf, n * out, extent), n, (rank + 1) % size,
                              element_at(recvbuf, n * in, extent), n, (rank - 1 + size) % size,
                              recvtype, comm));
    }
done:
    return error;
}

COLLECTIVE(allgather, "allgather.ring", cw_allgather_ring)
