/* Planted defect: an all-to-all by Bruck's algorithm stores received blocks as if they had the send
 * datatype.
 *
 * Origin: Open MPI 99ca5726. Axis: datatype. Shows as: wrong result if the send datatype differs
 * from the receive datatype.
 *
 * Block i travels i ranks to the right, by the bits of i: in round k all blocks with bit k set move
 * 2^k ranks on.
 */
#include "corpus/collectives/collective.h"

static int bruck(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm, int last_count,
                 MPI_Datatype last_type)
{
    int rank, size, error;
    struct temporary blocks = {0}, out = {0}, in = {0};
    rank_and_size(comm, &rank, &size);
    if (sendbuf == MPI_IN_PLACE) {
        sendbuf = recvbuf;
        sendcount = last_count = recvcount;
        sendtype = last_type = recvtype;
    }
    MPI_Aint n = sendcount, extent = extent_of(sendtype);
    TRY(temporary_new(n * size, sendtype, &blocks));
    TRY(temporary_new(n * size, sendtype, &out));
    TRY(temporary_new(n * size, sendtype, &in));
    for (int i = 0; i < size; i++)
        TRY(copy_elements(element_at(sendbuf, n * ((rank + i) % size), extent), n, sendtype,
                          element_at(blocks.data, n * i, extent), n, sendtype));
    for (int bit = 1; bit < size; bit *= 2) {
        MPI_Aint moved = 0;
        for (int i = bit; i < size; i++)
            if (i & bit)
                TRY(copy_elements(element_at(blocks.data, n * i, extent), n, sendtype,
                                  element_at(out.data, n * moved++, extent), n, sendtype));
        TRY(exchange_elements(out.data, n * moved, (rank + bit) % size, in.data, n * moved,
                              (rank - bit + size) % size, sendtype, comm));
        moved = 0;
        for (int i = bit; i < size; i++)
            if (i & bit)
                TRY(copy_elements(element_at(in.data, n * moved++, extent), n, sendtype,
                                  element_at(blocks.data, n * i, extent), n, sendtype));
    }
    /* Block i is from the rank i to the left. */
    for (int i = 0; i < size; i++)
        TRY(copy_elements(element_at(blocks.data, n * i, extent), n, sendtype,
                          element_at(recvbuf, (MPI_Aint)last_count * ((rank - i + size) % size),
                                     extent_of(last_type)),
                          last_count, last_type));
done:
    free(blocks.base);
    free(out.base);
    free(in.base);
    return error;
}

int defect_alltoall_bruck_types(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return bruck(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, sendcount,
                 sendtype);
}

int fixed_alltoall_bruck_types(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return bruck(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, recvcount,
                 recvtype);
}

COLLECTIVE(alltoall, "", fixed_alltoall_bruck_types)
DEFECT(alltoall, "", defect_alltoall_bruck_types, fixed_alltoall_bruck_types,
       .expect = "wrong result", .axis = "datatype", .origin = "Open MPI 99ca5726")
