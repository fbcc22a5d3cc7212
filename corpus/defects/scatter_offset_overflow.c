/* Planted defect: a linear scatter computes the offset of a block in an int.
 *
 * Origin: Open MPI 944a3603 and others. Axis: size. Shows as: wrong result or crash from 2^31 bytes
 * on, as the root reads in the wrong place. A large extent reaches that with little data (a resized
 * datatype of 2^30 bytes, three ranks).
 */
#include "corpus/collectives/collective.h"

/* `bits` is the width of the offset. */
static int scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, int bits)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    if (rank != root)
        return MPI_Recv(recvbuf, recvcount, recvtype, root, COLLECTIVE_TAG, comm,
                        MPI_STATUS_IGNORE);
    MPI_Aint extent = extent_of(sendtype);
    for (int i = 0; i < size && !error; i++) {
        MPI_Aint offset = (MPI_Aint)i * sendcount * extent;
        if (bits == 32)
            offset = (int)(unsigned)offset; /* what int arithmetic gives on all known machines */
        const char *block = (const char *)sendbuf + offset;
        if (i != root)
            error = MPI_Send(block, sendcount, sendtype, i, COLLECTIVE_TAG, comm);
        else if (recvbuf != MPI_IN_PLACE)
            error = copy_elements(block, sendcount, sendtype, recvbuf, recvcount, recvtype);
    }
    return error;
}

int defect_scatter_offset_overflow(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                   MPI_Comm comm)
{
    return scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, 32);
}

int fixed_scatter_offset_overflow(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                  MPI_Comm comm)
{
    return scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, 64);
}

COLLECTIVE(scatter, "scatter.linear", fixed_scatter_offset_overflow)
DEFECT(scatter, "scatter.linear", defect_scatter_offset_overflow, fixed_scatter_offset_overflow,
       .expect = "wrong result", .axis = "size", .origin = "Open MPI 944a3603")
