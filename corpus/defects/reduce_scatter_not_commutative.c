/* Planted defect: a reduce-scatter round a ring never checks whether the operation commutes.
 *
 * Origin: Open MPI #8010. Axis: operation. Shows as: wrong result with an operation that does not
 * commute: ranks combine the block of rank b in the order b+1, b+2, ..., b instead of 0, ..., P-1.
 */
#include "corpus/collectives/phases.h"

static int combine_round(const struct ring *ring, void *all, const MPI_Aint *start,
                         MPI_Datatype type, MPI_Op op)
{
    struct temporary arrived = {0};
    MPI_Aint extent = extent_of(type);
    int error;
    TRY(temporary_new(start[ring->size], type, &arrived));
    for (int step = 0; step < ring->size - 1; step++) {
        int out = (ring->me - step - 1 + ring->size) % ring->size;
        int in = (ring->me - step - 2 + 2 * ring->size) % ring->size;
        MPI_Aint n = start[in + 1] - start[in];
        TRY(exchange_elements(element_at(all, start[out], extent), start[out + 1] - start[out],
                              ring_rank(ring, ring->me + 1), arrived.data, n,
                              ring_rank(ring, ring->me - 1), type, ring->comm));
        TRY(reduce_elements(arrived.data, element_at(all, start[in], extent), n, type, op));
    }
done:
    free(arrived.base);
    return error;
}

static int reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm, int ask)
{
    struct ring ring = ring_of_all(comm);
    struct temporary all = {0};
    MPI_Aint *start = malloc(sizeof(*start) * ((size_t)ring.size + 1));
    int error;
    if (!start)
        TRY(MPI_ERR_NO_MEM);
    start[0] = 0;
    for (int r = 0; r < ring.size; r++)
        start[r + 1] = start[r] + recvcounts[r];
    TRY(temporary_new(start[ring.size], type, &all));
    TRY(copy_elements(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, start[ring.size], type, all.data,
                      start[ring.size], type));
    if (ask && !is_commutative(op))
        TRY(ring_reduce_scatter(&ring, all.data, start, type, op));
    else
        TRY(combine_round(&ring, all.data, start, type, op));
    TRY(copy_elements(element_at(all.data, start[ring.me], extent_of(type)), recvcounts[ring.me],
                      type, recvbuf, recvcounts[ring.me], type));
done:
    free(all.base);
    free(start);
    return error;
}

int defect_reduce_scatter_not_commutative(const void *sendbuf, void *recvbuf,
                                          const int recvcounts[], MPI_Datatype type, MPI_Op op,
                                          MPI_Comm comm)
{
    return reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, 0);
}

int fixed_reduce_scatter_not_commutative(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                         MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, 1);
}

COLLECTIVE(reduce_scatter, "", fixed_reduce_scatter_not_commutative)
DEFECT(reduce_scatter, "", defect_reduce_scatter_not_commutative,
       fixed_reduce_scatter_not_commutative, .expect = "wrong result", .axis = "operation",
       .origin = "Open MPI #8010")
