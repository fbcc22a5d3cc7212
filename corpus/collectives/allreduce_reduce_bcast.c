/* Allreduce: reduce to rank 0, then broadcast.
 *
 * Source: primitives by topology. Any number of ranks, any operation. 2 ceil(lg P) rounds.
 *
 * Example, P = 2: 1->0 x1; 0->1 x0+x1.
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/collective.h"

int cw_bcast_binomial(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

int cw_allreduce_reduce_bcast(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm)
{
    int rank, error;
    MPI_Comm_rank(comm, &rank);
    if (sendbuf == MPI_IN_PLACE && rank != 0)
        sendbuf = recvbuf; /* a reduction allows MPI_IN_PLACE only on its root */
    error = cw_reduce_binomial(sendbuf, recvbuf, count, type, op, 0, comm);
    return error ? error : cw_bcast_binomial(recvbuf, count, type, 0, comm);
}

COLLECTIVE(allreduce, "allreduce.reduce_bcast", cw_allreduce_reduce_bcast)
