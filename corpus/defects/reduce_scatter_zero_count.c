/* Planted defect: in a reduce-scatter by recursive halving a rank sends only if it also has
 * something to receive.
 *
 * Origin: Open MPI trac 1559. Axis: zero size. Shows as: hang with some receive counts of 0: a rank
 * waits for its partner, which has nothing to receive and so does not send.
 */
#include "corpus/collectives/phases.h"

static int halve(MPI_Comm comm, void *buffer, const MPI_Aint *start, MPI_Datatype type, MPI_Op op,
                 int send_alone)
{
    struct temporary arrived = {0};
    MPI_Aint extent = extent_of(type);
    int rank, size, low = 0, error;
    rank_and_size(comm, &rank, &size);
    TRY(temporary_new(start[size], type, &arrived));
    for (int bit = 1, half = size / 2; half; bit *= 2, half /= 2) {
        int partner = rank ^ bit, keep = rank & bit ? low + half : low,
            give = rank & bit ? low : low + half;
        MPI_Aint in = start[keep + half] - start[keep], out = start[give + half] - start[give];
        void *kept = element_at(buffer, start[keep], extent);
        int to = out && (in || send_alone) ? partner : MPI_PROC_NULL;
        int from = in ? partner : MPI_PROC_NULL;
        TRY(exchange_elements(element_at(buffer, start[give], extent), out, to, arrived.data, in,
                              from, type, comm));
        if (partner < rank) {
            TRY(reduce_elements(arrived.data, kept, in, type, op));
        } else {
            TRY(reduce_elements(kept, arrived.data, in, type, op));
            TRY(copy_elements(arrived.data, in, type, kept, in, type));
        }
        low = keep;
    }
done:
    free(arrived.base);
    return error;
}

static int reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm, int send_alone)
{
    int rank, size, error;
    struct temporary all = {0};
    MPI_Aint extent = extent_of(type), from = 0;
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    if (sendbuf == MPI_IN_PLACE)
        sendbuf = recvbuf;
    MPI_Aint *start = malloc(sizeof(*start) * ((size_t)size + 1));
    if (!start)
        TRY(MPI_ERR_NO_MEM);
    start[0] = 0;
    for (int place = 0; place < size; place++)
        start[place + 1] = start[place] + recvcounts[cube_place(place, size)];
    TRY(temporary_new(start[size], type, &all));
    for (int r = 0; r < size; from += recvcounts[r++])
        TRY(copy_elements(element_at(sendbuf, from, extent), recvcounts[r], type,
                          element_at(all.data, start[cube_place(r, size)], extent), recvcounts[r],
                          type));
    TRY(halve(comm, all.data, start, type, op, send_alone));
    TRY(copy_elements(element_at(all.data, start[cube_place(rank, size)], extent), recvcounts[rank],
                      type, recvbuf, recvcounts[rank], type));
done:
    free(all.base);
    free(start);
    return error;
}

int defect_reduce_scatter_zero_count(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, 0);
}

int fixed_reduce_scatter_zero_count(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                    MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, 1);
}

COLLECTIVE(reduce_scatter, "reduce_scatter.hypercube", fixed_reduce_scatter_zero_count,
           .domain = COLLECTIVE_POWER_OF_TWO)
DEFECT(reduce_scatter, "reduce_scatter.hypercube", defect_reduce_scatter_zero_count,
       fixed_reduce_scatter_zero_count, .domain = COLLECTIVE_POWER_OF_TWO, .expect = "deadlock",
       .axis = "zero size", .origin = "Open MPI trac 1559")
