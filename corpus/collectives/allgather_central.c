/* Allgather over one rank: all send their blocks to rank 0, and rank 0 sends the result to each of
 * the others.
 *
 * Source: allgather in MPI. Any number of ranks. 2 (P-1) rounds; rank 0 sends the whole result P-1
 * times.
 *
 * Example, P = 3: 1->0 b, 2->0 c; 0->1 abc, 0->2 abc.
 */
#include "corpus/collectives/phases.h"

int cw_allgather_central(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    if (rank) {
        TRY(send_elements(element_at(recvbuf, n * rank, extent), n, recvtype, 0, comm));
        TRY(receive_elements(recvbuf, n * size, recvtype, 0, comm));
    } else {
        for (int r = 1; r < size; r++)
            TRY(receive_elements(element_at(recvbuf, n * r, extent), n, recvtype, r, comm));
        for (int r = 1; r < size; r++)
            TRY(send_elements(recvbuf, n * size, recvtype, r, comm));
    }
done:
    return error;
}

COLLECTIVE(allgather, "allgather.central", cw_allgather_central)
