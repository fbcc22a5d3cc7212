/* Allgather from building blocks: gather to rank 0, then broadcast the result.
 *
 * Source: the alpha-beta model, section 31. Any number of ranks. 2 ceil(lg P) rounds.
 *
 * Example, P = 2: 1->0 b; 0->1 ab.
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/phases.h"

int cw_bcast_binomial(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

int cw_allgather_gather_bcast(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error, all;
    rank_and_size(comm, &rank, &size);
    MPI_Datatype made = recvtype;
    /* With MPI_IN_PLACE the own block lies in the receive buffer. A gather allows that on its root
     * only. */
    if (sendbuf == MPI_IN_PLACE && rank != 0) {
        sendbuf = element_at(recvbuf, (MPI_Aint)rank * recvcount, extent_of(recvtype));
        sendcount = recvcount;
        sendtype = recvtype;
    }
    TRY(cw_gather_binomial(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0, comm));
    TRY(elements_start((MPI_Aint)size * recvcount, recvtype, &all, &made));
    TRY(cw_bcast_binomial(recvbuf, all, made, 0, comm));
done:
    elements_done(recvtype, &made);
    return error;
}

COLLECTIVE(allgather, "allgather.gather_bcast", cw_allgather_gather_bcast)
