/* All-to-all personalised on a ring: a rank sends all its blocks for others to the right in one
 * message; it keeps the first block of a message that arrives and passes on the rest.
 *
 * Source: primitives by topology. Any number of ranks. P-1 rounds, of P-1 blocks, P-2 blocks, ...
 * and finally one.
 *
 * Example, P = 3, rank 0: sends its blocks for 1,2; gets rank 2's blocks for 0,1 and keeps the
 * first; sends the other one to 1; gets rank 1's block for 0.
 */
#include "corpus/collectives/phases.h"

int cw_alltoall_ring(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error;
    struct temporary own = {0};
    MPI_Aint n = recvcount;
    rank_and_size(comm, &rank, &size);
    /* `own` holds this rank's blocks for the others in the form in which they are sent. */
    TRY(temporary_new(n * size, recvtype, &own));
    if (sendbuf == MPI_IN_PLACE)
        TRY(copy_elements(recvbuf, n * size, recvtype, own.data, n * size, recvtype));
    else
        TRY(copy_elements(sendbuf, (MPI_Aint)sendcount * size, sendtype, own.data, n * size,
                          recvtype));
    struct ring ring = ring_of_all(comm);
    TRY(ring_alltoall(&ring, own.data, recvbuf, n, recvtype));
done:
    free(own.base);
    return error;
}

COLLECTIVE(alltoall, "alltoall.ring", cw_alltoall_ring)
