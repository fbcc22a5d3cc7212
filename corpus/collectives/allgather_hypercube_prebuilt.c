/* Allgather on a hypercube: derived datatypes, built once before the first stage, describe the
 * blocks that a rank holds.
 *
 * Source: allgather in MPI. 2^d ranks. One exchange for each dimension, the highest first; each
 * doubles the blocks that a rank holds: d rounds, and each rank receives each block once.
 *
 * Example, P = 4: the datatypes are one block (for bit 2) and two blocks a stride of two apart (for
 * bit 1).
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
    MPI_Datatype held[32];
    int built = 0, stage = 0;
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    for (int bit = size / 2; bit; bit /= 2, built++)
        TRY(held_type(size, bit, recvcount, recvtype, &held[built]));
    for (int bit = size / 2; bit; bit /= 2, stage++) {
        int partner = rank ^ bit;
        TRY(exchange(held_first(recvbuf, rank, bit, n, extent), 1, partner,
                     held_first(recvbuf, partner, bit, n, extent), 1, partner, held[stage], comm));
    }
done:
    while (built--)
        MPI_Type_free(&held[built]);
    return error;
}

int cw_allgather_hypercube_prebuilt(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     exchange_elements);
}

/* UNSAFE, as the lecture prints it: each exchange sends, then receives. If the library does not
 * buffer the sends, both partners wait for ever. */
int cw_allgather_hypercube_prebuilt_printed(const void *sendbuf, int sendcount,
                                            MPI_Datatype sendtype, void *recvbuf, int recvcount,
                                            MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     send_then_receive_elements);
}

COLLECTIVE(allgather, "allgather.hypercube.prebuilt", cw_allgather_hypercube_prebuilt,
           .domain = COLLECTIVE_POWER_OF_TWO)
COLLECTIVE(allgather, "allgather.hypercube.prebuilt", cw_allgather_hypercube_prebuilt_printed,
           .domain = COLLECTIVE_POWER_OF_TWO, .printed = 1)
