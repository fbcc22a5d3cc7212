/* Planted defect: a scan sends its messages on MPI_COMM_WORLD, whatever communicator the caller
 * passes.
 *
 * Origin: MPICH bf021b67. Axis: communicator, concurrency. Shows as: cross-talk with other traffic,
 * and wrong results or a hang if the ranks have other numbers in MPI_COMM_WORLD.
 */
#include "corpus/collectives/collective.h"

static int scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Comm messages)
{
    int rank, size, error;
    struct temporary before = {0};
    rank_and_size(comm, &rank, &size);
    TRY(temporary_new(count, type, &before));
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, count, type, recvbuf, count, type));
    if (rank > 0) {
        TRY(receive_elements(before.data, count, type, rank - 1, messages));
        TRY(reduce_elements(before.data, recvbuf, count, type, op));
    }
    if (rank + 1 < size)
        TRY(send_elements(recvbuf, count, type, rank + 1, messages));
done:
    free(before.base);
    return error;
}

int defect_scan_wrong_communicator(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                   MPI_Op op, MPI_Comm comm)
{
    return scan(sendbuf, recvbuf, count, type, op, comm, MPI_COMM_WORLD);
}

int fixed_scan_wrong_communicator(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm)
{
    return scan(sendbuf, recvbuf, count, type, op, comm, comm);
}

COLLECTIVE(scan, "", fixed_scan_wrong_communicator)
DEFECT(scan, "", defect_scan_wrong_communicator, fixed_scan_wrong_communicator,
       .expect = "cross-talk", .axis = "communicator", .origin = "MPICH bf021b67")
