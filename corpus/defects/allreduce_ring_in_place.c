/* Planted defect: a ring allreduce receives into the result and then adds its own operand from the
 * send buffer, which is the same memory with MPI_IN_PLACE.
 *
 * Origin: Open MPI #9385. Axis: in-place. Shows as: wrong result.
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/phases.h"

/* Makes the steps of the reduce-scatter: in each, piece `in` arrives and gets the own operand. */
static int reduce_scatter(const struct ring *ring, const void *operand, void *recvbuf,
                          const MPI_Aint *start, MPI_Datatype type, MPI_Op op)
{
    int error = MPI_SUCCESS;
    MPI_Aint extent = extent_of(type);
    for (int step = 0; step < ring->size - 1 && !error; step++) {
        int out = (ring->me - step - 1 + ring->size) % ring->size;
        int in = (ring->me - step - 2 + 2 * ring->size) % ring->size;
        const void *from = step ? recvbuf : operand; /* the first piece is sent unchanged */
        MPI_Aint n = start[in + 1] - start[in];
        void *arrived = element_at(recvbuf, start[in], extent);
        TRY(exchange_elements(element_at(from, start[out], extent), start[out + 1] - start[out],
                              ring_rank(ring, ring->me + 1), arrived, n,
                              ring_rank(ring, ring->me - 1), type, ring->comm));
        TRY(reduce_elements(element_at(operand, start[in], extent), arrived, n, type, op));
    }
done:
    return error;
}

static int allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm, int copy_in_place)
{
    struct ring ring = ring_of_all(comm);
    struct temporary operand = {0};
    MPI_Aint *start = pieces_even(count, ring.size);
    int error;
    if (!start)
        TRY(MPI_ERR_NO_MEM);
    if (ring.size == 1 || !is_commutative(op)) {
        const void *own = sendbuf == MPI_IN_PLACE && ring.me ? recvbuf : sendbuf;
        TRY(cw_reduce_binomial(own, recvbuf, count, type, op, 0, comm));
        TRY(cw_bcast_binomial(recvbuf, count, type, 0, comm));
        goto done;
    }
    if (sendbuf == MPI_IN_PLACE && copy_in_place) {
        TRY(temporary_new(count, type, &operand));
        TRY(copy_elements(recvbuf, count, type, operand.data, count, type));
        sendbuf = operand.data;
    } else if (sendbuf == MPI_IN_PLACE) {
        sendbuf = recvbuf;
    }
    TRY(reduce_scatter(&ring, sendbuf, recvbuf, start, type, op));
    TRY(ring_allgather(&ring, recvbuf, start, type));
done:
    free(start);
    free(operand.base);
    return error;
}

int defect_allreduce_ring_in_place(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                   MPI_Op op, MPI_Comm comm)
{
    return allreduce(sendbuf, recvbuf, count, type, op, comm, 0);
}

int fixed_allreduce_ring_in_place(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm)
{
    return allreduce(sendbuf, recvbuf, count, type, op, comm, 1);
}

COLLECTIVE(allreduce, "", fixed_allreduce_ring_in_place)
DEFECT(allreduce, "", defect_allreduce_ring_in_place, fixed_allreduce_ring_in_place,
       .expect = "wrong result", .axis = "in-place", .origin = "Open MPI #9385")
