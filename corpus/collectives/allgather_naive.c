/* Allgather, naive: one broadcast after the other, from each rank in turn.
 *
 * Source: basic operations. Any number of ranks. P broadcasts down binomial trees: P ceil(lg P)
 * rounds if each ends before the next begins. Nothing separates them here, so they can overlap and
 * take fewer rounds.
 *
 * Example, P = 2: 0->1 a; 1->0 b.
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/phases.h"

int cw_allgather_naive(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    for (int root = 0; root < size; root++)
        TRY(cw_bcast_binomial(element_at(recvbuf, n * root, extent), recvcount, recvtype, root,
                              comm));
done:
    return error;
}

COLLECTIVE(allgather, "allgather.naive", cw_allgather_naive)
