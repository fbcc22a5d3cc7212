/* All-to-all personalised, pairwise: in step i each rank exchanges one block with rank XOR i.
 *
 * Source: primitives by topology; it is optimal on a hypercube. 2^d ranks. P-1 rounds of one block
 * each; with E-cube routing no two messages of a step share a link.
 *
 * Example, P = 4: 0<->1, 2<->3; 0<->2, 1<->3; 0<->3, 1<->2.
 */
#include "corpus/collectives/phases.h"

int cw_alltoall_pairwise_xor(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error;
    struct temporary own = {0};
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    /* `own` holds this rank's blocks for the others in the form in which they are sent. */
    TRY(temporary_new(n * size, recvtype, &own));
    if (sendbuf == MPI_IN_PLACE)
        TRY(copy_elements(recvbuf, n * size, recvtype, own.data, n * size, recvtype));
    else
        TRY(copy_elements(sendbuf, (MPI_Aint)sendcount * size, sendtype, own.data, n * size,
                          recvtype));
    TRY(copy_elements(element_at(own.data, n * rank, extent), n, recvtype,
                      element_at(recvbuf, n * rank, extent), n, recvtype));
    for (int i = 1; i < size; i++) {
        int partner = rank ^ i;
        TRY(exchange_elements(element_at(own.data, n * partner, extent), n, partner,
                              element_at(recvbuf, n * partner, extent), n, partner, recvtype,
                              comm));
    }
done:
    free(own.base);
    return error;
}

COLLECTIVE(alltoall, "alltoall.pairwise_xor", cw_alltoall_pairwise_xor,
           .domain = COLLECTIVE_POWER_OF_TWO)
