/* Planted defect: a pipelined ring allgather cuts every block into chunks of one element instead of
 * one kilobyte.
 *
 * Origin: MPICH afb3046a. Axis: cost. Shows as: the right result, but m (P-1) rounds instead of
 * P-1, which is more than the row of the model has.
 */
#include "corpus/collectives/collective.h"

static int allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm, int chunk)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    for (int step = 0; step < size - 1; step++) {
        int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        MPI_Aint at = 0;
        do { /* an empty block takes one empty message */
            MPI_Aint part = n - at < chunk ? n - at : chunk;
            TRY(exchange_elements(element_at(recvbuf, n * out + at, extent), part,
                                  (rank + 1) % size, element_at(recvbuf, n * in + at, extent), part,
                                  (rank - 1 + size) % size, recvtype, comm));
            at += chunk;
        } while (at < n);
    }
done:
    return error;
}

int defect_allgather_wrong_chunks(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 1);
}

int fixed_allgather_wrong_chunks(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     recvcount ? recvcount : 1);
}

COLLECTIVE(allgather, "allgather.ring", fixed_allgather_wrong_chunks)
DEFECT(allgather, "allgather.ring", defect_allgather_wrong_chunks, fixed_allgather_wrong_chunks,
       .expect = "cost", .axis = "cost", .origin = "MPICH afb3046a")
