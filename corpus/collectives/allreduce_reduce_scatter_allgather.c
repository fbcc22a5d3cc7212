/* Allreduce on a hypercube: reduce-scatter by halving, then allgather by doubling.
 *
 * Source: the alpha-beta model; primitives by topology. 2^d ranks, any operation. 2d rounds, and
 * as few words as the ring.
 *
 * Example, P = 4, vectors of four abcd, rank 0: gives 1 its cd, then gives 2 its b; now has the sum
 * of a; gets b from 2, cd from 1.
 */
#include "corpus/collectives/phases.h"

int cw_allreduce_reduce_scatter_allgather(const void *sendbuf, void *recvbuf, int count,
                                          MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, size, error;
    rank_and_size(comm, &rank, &size);
    if (!is_power_of_two(size))
        return MPI_ERR_COMM;
    MPI_Aint *start = pieces_even(count, size); /* any rank may own any piece here */
    if (!start)
        TRY(MPI_ERR_NO_MEM);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, count, type, recvbuf, count, type));
    TRY(cube_reduce_scatter(comm, recvbuf, start, type, op));
    TRY(cube_allgather(comm, recvbuf, start, type));
done:
    free(start);
    return error;
}

COLLECTIVE(allreduce, "allreduce.reduce_scatter_allgather", cw_allreduce_reduce_scatter_allgather,
           .domain = COLLECTIVE_POWER_OF_TWO)
