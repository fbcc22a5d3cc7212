/* Planted defect: a linear allgather numbers the elements of all blocks in an int, and computes the
 * place of a block in bytes from this number.
 *
 * Axis: memory. Shows as: wrong result or crash with 2^31 elements or more in all (three ranks with
 * 2^30 ints each), as blocks lie in the wrong place. Types of many bytes do not show it.
 */
#include "corpus/collectives/collective.h"

/* `bits` is the width of an element's number. */
static int allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm, int bits)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Aint extent = extent_of(recvtype);
    for (int root = 0; root < size && !error; root++) {
        MPI_Aint first = (MPI_Aint)root * recvcount;
        if (bits == 32)
            first = (int)(unsigned)first; /* what int arithmetic gives on all known machines */
        void *block = element_at(recvbuf, first, extent);
        if (rank != root) {
            error =
                MPI_Recv(block, recvcount, recvtype, root, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
            continue;
        }
        if (sendbuf != MPI_IN_PLACE)
            error = copy_elements(sendbuf, sendcount, sendtype, block, recvcount, recvtype);
        for (int to = 0; to < size && !error; to++)
            if (to != root)
                error = MPI_Send(block, recvcount, recvtype, to, COLLECTIVE_TAG, comm);
    }
    return error;
}

int defect_allgather_int_index(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 32);
}

int fixed_allgather_int_index(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 64);
}

COLLECTIVE(allgather, "", fixed_allgather_int_index)
DEFECT(allgather, "", defect_allgather_int_index, fixed_allgather_int_index,
       .expect = "wrong result", .axis = "memory", .origin = "rank * recvcount in an int")
