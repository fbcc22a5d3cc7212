/* The blocks that a rank holds while an allgather goes through a hypercube, highest dimension
 * first.
 *
 * Before the exchange over `bit`, rank r holds the blocks of the ranks that differ from it in
 * higher bits only. These are 2 * bit blocks apart, and the first is block r mod (2 * bit).
 */
#ifndef CORPUS_COLLECTIVES_HELD_BLOCKS_H
#define CORPUS_COLLECTIVES_HELD_BLOCKS_H

#include "corpus/collectives/collective.h"

static inline int held_type(int size, int bit, int count, MPI_Datatype type, MPI_Datatype *out)
{
    MPI_Datatype block;
    int error;
    TRY(MPI_Type_contiguous(count, type, &block));
    error = MPI_Type_vector(size / (2 * bit), 1, 2 * bit, block, out);
    MPI_Type_free(&block);
    TRY(error);
    TRY(MPI_Type_commit(out));
done:
    return error;
}

/* Returns the address of the first block that `rank` holds. */
static inline void *held_first(const void *buffer, int rank, int bit, MPI_Aint n, MPI_Aint extent)
{
    return element_at(buffer, n * (rank % (2 * bit)), extent);
}

typedef int (*exchange_fn)(const void *out, MPI_Aint out_n, int to, void *in, MPI_Aint in_n,
                           int from, MPI_Datatype type, MPI_Comm comm);

#endif
