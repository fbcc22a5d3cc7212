/* Planted defect: a ring allgather is off by one: it makes P-2 steps.
 *
 * Origin: the classic mistake with the ring pass (allgather in MPI). Axis: P. Shows as: wrong
 * result with two or more ranks: the block of the right neighbour never arrives. Rounds and words
 * are also below the lower bound.
 */
#include "corpus/collectives/collective.h"

static int allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm, int steps_less)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(recvbuf, n * rank, extent),
                          recvcount, recvtype));
    for (int step = 0; step < size - 1 - steps_less; step++) {
        int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        TRY(exchange_elements(element_at(recvbuf, n * out, extent), n, (rank + 1) % size,
                              element_at(recvbuf, n * in, extent), n, (rank - 1 + size) % size,
                              recvtype, comm));
    }
done:
    return error;
}

int defect_allgather_ring_short(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 1);
}

int fixed_allgather_ring_short(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 0);
}

COLLECTIVE(allgather, "allgather.ring", fixed_allgather_ring_short)
DEFECT(allgather, "allgather.ring", defect_allgather_ring_short, fixed_allgather_ring_short,
       .expect = "wrong result", .axis = "P", .origin = "off by one in the ring pass")
