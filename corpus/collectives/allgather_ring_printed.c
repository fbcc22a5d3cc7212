/* Allgather by passing blocks round a ring as the lecture prints it: in each step send, then
 * receive.
 *
 * UNSAFE: if the library does not buffer the sends, all ranks wait in their first send. Checkers
 * must find that; allgather_ring.c is the safe form.
 *
 * Source: basic operations, algorithm 4.4; allgather in MPI (ring pass). Any number of ranks. With
 * buffering P-1 rounds.
 *
 * Example, P = 3, unbuffered: 0 waits for 1, 1 waits for 2, 2 waits for 0.
 */
#include "corpus/collectives/phases.h"

int cw_allgather_ring_printed(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    for (int step = 0; step < size - 1; step++) {
        int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        TRY(send_then_receive_elements(element_at(recvbuf, n * out, extent), n, (rank + 1) % size,
                                       element_at(recvbuf, n * in, extent), n,
                                       (rank - 1 + size) % size, recvtype, comm));
    }
done:
    return error;
}

COLLECTIVE(allgather, "allgather.ring", cw_allgather_ring_printed, .printed = 1)
