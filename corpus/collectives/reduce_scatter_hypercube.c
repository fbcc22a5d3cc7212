/* Reduce-scatter on a hypercube by halving: over each dimension a rank gives away half of the
 * blocks it still works on and combines the other half.
 *
 * Source: primitives by topology. 2^d ranks, blocks of any sizes. The nearest dimension goes
 * first, so ranks combine in rank order, as an operation that does not commute needs it. The
 * blocks are laid out so that each half is one run (see phases.h). d rounds.
 *
 * Example, P = 4, rank 0: gives 1 its parts of the blocks 1,3, keeps 0,2; gives 2 the sum for block
 * 2, keeps 0.
 */
#include "corpus/collectives/phases.h"

int cw_reduce_scatter_hypercube(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, size, error;
    struct temporary all = {0};
    MPI_Aint *start = NULL, extent = extent_of(type);
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    if (sendbuf == MPI_IN_PLACE)
        sendbuf = recvbuf;
    if (!(start = malloc(sizeof(*start) * ((size_t)size + 1))))
        TRY(MPI_ERR_NO_MEM);
    start[0] = 0;
    for (int place = 0; place < size; place++) /* cube_place is its own inverse */
        start[place + 1] = start[place] + recvcounts[cube_place(place, size)];
    TRY(temporary_new(start[size], type, &all));
    MPI_Aint from = 0;
    for (int r = 0; r < size; from += recvcounts[r++])
        TRY(copy_elements(element_at(sendbuf, from, extent), recvcounts[r], type,
                          element_at(all.data, start[cube_place(r, size)], extent), recvcounts[r],
                          type));
    TRY(cube_reduce_scatter(comm, all.data, start, type, op));
    TRY(copy_elements(element_at(all.data, start[cube_place(rank, size)], extent), recvcounts[rank],
                      type, recvbuf, recvcounts[rank], type));
done:
    free(all.base);
    free(start);
    return error;
}

COLLECTIVE(reduce_scatter, "reduce_scatter.hypercube", cw_reduce_scatter_hypercube,
           .domain = COLLECTIVE_POWER_OF_TWO)
