/* Allgather on a hypercube: each rank appends the blocks that arrive, and puts all blocks into
 * order at the end.
 *
 * Source: allgather in MPI. 2^d ranks, d rounds. One exchange for each dimension, the highest
 * first; each doubles the blocks that a rank holds, and a rank receives each block once. Slot k
 * finally has the block of rank XOR (the bits of k in reverse order).
 *
 * Example, P = 4, rank 0: a; a c; a c b d; sorted: a b c d.
 */
#include "corpus/collectives/held_blocks.h"

static int allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm, exchange_fn exchange)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    struct temporary slots = {0};
    MPI_Aint held = 1;
    TRY(temporary_new(n * size, recvtype, &slots));
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, slots.data, recvcount, recvtype));
    else
        TRY(copy_elements(element_at(recvbuf, n * rank, extent), n, recvtype, slots.data, n,
                          recvtype));
    for (int bit = size / 2; bit; bit /= 2, held *= 2)
        TRY(exchange(slots.data, n * held, rank ^ bit, element_at(slots.data, n * held, extent),
                     n * held, rank ^ bit, recvtype, comm));
    for (int slot = 0; slot < size; slot++) {
        int owner = rank;
        for (int low = 1, high = size / 2; high; low *= 2, high /= 2)
            owner ^= slot & low ? high : 0;
        TRY(copy_elements(element_at(slots.data, n * slot, extent), n, recvtype,
                          element_at(recvbuf, n * owner, extent), n, recvtype));
    }
done:
    free(slots.base);
    return error;
}

int cw_allgather_hypercube_sort(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     exchange_elements);
}

/* UNSAFE, as the lecture prints it: each exchange sends, then receives. If the library does not
 * buffer the sends, both partners wait for ever. */
int cw_allgather_hypercube_sort_printed(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                        MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     send_then_receive_elements);
}

COLLECTIVE(allgather, "allgather.hypercube.sort", cw_allgather_hypercube_sort,
           .domain = COLLECTIVE_POWER_OF_TWO)
COLLECTIVE(allgather, "allgather.hypercube.sort", cw_allgather_hypercube_sort_printed,
           .domain = COLLECTIVE_POWER_OF_TWO, .printed = 1)
