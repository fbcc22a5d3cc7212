/* Tells where accumulates can interleave in more ways than whole operations can be ordered: these
 * ways are not run. MPI makes an accumulate atomic by element, so if two overlap in two elements
 * each element may have its own order; and a window's info may give up the order of one rank's
 * accumulates. */
#ifndef WORLD_EXCHANGE_EXPLORE_ATOMIC_H
#define WORLD_EXCHANGE_EXPLORE_ATOMIC_H

#include "world/exchange/explore.h"
#include "world/exchange/rma.h"

/* Returns the size of the smallest element that it accumulates; 0 if it is no accumulate. */
size_t world_atomic_bytes(const struct world_rma *rma);
/* Returns the ranges that it touches, in order, if there are gaps; NULL if there are none, too
 * many, or they are unordered. */
const struct world_pieces *world_rma_pieces(const struct world_rma *rma);
/* Tells whether two conflicting turns are accumulates of two ranks that overlap in several
 * elements.
 */
bool world_atomic_torn(const struct world_decider *a, const struct world_decider *b);
/* Tells whether the window keeps the order of conflicting accumulates. */
bool world_atomic_ordered(const struct ompi_win_t *win);

#endif
