/* Allgather on a hypercube: each rank packs the blocks that it holds before each exchange, and
 * unpacks those that arrive.
 *
 * Source: allgather in MPI. 2^d ranks. One exchange for each dimension, the highest first; each
 * doubles the blocks that a rank holds: d rounds, and each rank receives each block once.
 *
 * Example, P = 4, rank 0: packs a, exchanges with 2, unpacks c; packs a,c, exchanges with 1,
 * unpacks b,d.
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
    MPI_Datatype held = MPI_DATATYPE_NULL;
    int space = 0, type_size = 0;
    char *out = NULL, *in = NULL;
    MPI_Type_size(recvtype, &type_size);
    if (n * type_size * size > INT_MAX)
        return MPI_ERR_COUNT; /* MPI_Pack counts bytes in an int */
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    for (int bit = size / 2; bit; bit /= 2) {
        int partner = rank ^ bit, position = 0, bytes;
        TRY(held_type(size, bit, recvcount, recvtype, &held));
        TRY(MPI_Pack_size(1, held, comm, &space));
        free(out);
        free(in);
        out = malloc((size_t)space + 1);
        in = malloc((size_t)space + 1);
        if (!out || !in)
            TRY(MPI_ERR_NO_MEM);
        TRY(MPI_Pack(held_first(recvbuf, rank, bit, n, extent), 1, held, out, space, &position,
                     comm));
        bytes = position;
        TRY(exchange(out, bytes, partner, in, bytes, partner, MPI_PACKED, comm));
        position = 0;
        TRY(MPI_Unpack(in, bytes, &position, held_first(recvbuf, partner, bit, n, extent), 1, held,
                       comm));
        TRY(MPI_Type_free(&held));
    }
done:
    if (held != MPI_DATATYPE_NULL)
        MPI_Type_free(&held);
    free(out);
    free(in);
    return error;
}

int cw_allgather_hypercube_pack(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     exchange_elements);
}

/* UNSAFE, as the lecture prints it: each exchange sends, then receives. If the library does not
 * buffer the sends, both partners wait for ever. */
int cw_allgather_hypercube_pack_printed(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                        MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     send_then_receive_elements);
}

COLLECTIVE(allgather, "allgather.hypercube.pack", cw_allgather_hypercube_pack,
           .domain = COLLECTIVE_POWER_OF_TWO)
COLLECTIVE(allgather, "allgather.hypercube.pack", cw_allgather_hypercube_pack_printed,
           .domain = COLLECTIVE_POWER_OF_TWO, .printed = 1)
