/* All-to-all personalised on a hypercube: over each dimension partners exchange the half of their
 * blocks that must cross it.
 *
 * Source: primitives by topology. 2^d ranks. d rounds of P/2 blocks. At first slot j of a rank
 * holds the block for rank j. After the exchange over a dimension that bit of j is a bit of the
 * block's source, so at the end slot j holds the block from rank j.
 *
 * Example, P = 4, rank 0: slots 1,3 against slots 0,2 of rank 1; then slots 2,3 against slots 0,1
 * of rank 2.
 */
#include "corpus/collectives/phases.h"

/* Copies the slots whose number differs from `rank` in this bit, in order, into `half` or back.
 */
static int move_half(void *slots, void *half, int rank, int size, int bit, MPI_Aint n,
                     MPI_Datatype type, MPI_Aint extent, int out)
{
    int error = MPI_SUCCESS;
    MPI_Aint place = 0;
    for (int slot = ~rank & bit; slot < size && !error; slot += 2 * bit, place += n * bit) {
        void *run = element_at(slots, n * slot, extent), *packed = element_at(half, place, extent);
        error = copy_elements(out ? run : packed, n * bit, type, out ? packed : run, n * bit, type);
    }
    return error;
}

int cw_alltoall_hypercube(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    int rank, size, error;
    struct temporary own = {0};
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    struct temporary in = {0};
    MPI_Aint half = n * (size / 2);
    /* `own` holds this rank's blocks for the others in the form in which they are sent. */
    TRY(temporary_new(n * size, recvtype, &own));
    if (sendbuf == MPI_IN_PLACE)
        TRY(copy_elements(recvbuf, n * size, recvtype, own.data, n * size, recvtype));
    else
        TRY(copy_elements(sendbuf, (MPI_Aint)sendcount * size, sendtype, own.data, n * size,
                          recvtype));
    TRY(copy_elements(own.data, n * size, recvtype, recvbuf, n * size, recvtype));
    TRY(temporary_new(half, recvtype, &in));
    for (int bit = 1; bit < size; bit *= 2) {
        int partner = rank ^ bit;
        TRY(move_half(recvbuf, own.data, rank, size, bit, n, recvtype, extent, 1));
        TRY(exchange_elements(own.data, half, partner, in.data, half, partner, recvtype, comm));
        TRY(move_half(recvbuf, in.data, rank, size, bit, n, recvtype, extent, 0));
    }
done:
    free(own.base);
    free(in.base);
    return error;
}

COLLECTIVE(alltoall, "alltoall.hypercube", cw_alltoall_hypercube, .domain = COLLECTIVE_POWER_OF_TWO)
