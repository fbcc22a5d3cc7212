/* Tells where accumulates come in more ways than in one order of whole operations: those ways are
 * not run. MPI makes an accumulate atomic by element, so of two that overlap in two elements each
 * element may have an order of its own; and a window's info may give up the order of those that one
 * rank calls. */
#ifndef WORLD_EXCHANGE_EXPLORE_ATOMIC_H
#define WORLD_EXCHANGE_EXPLORE_ATOMIC_H

#include "world/exchange/explore.h"
#include "world/exchange/rma.h"

/* The bytes of the smallest element that it accumulates; 0: it is no accumulate. */
size_t world_atomic_bytes(const struct world_rma *rma);
/* Whether the two, which conflict, are accumulates of two ranks, and meet in several elements. */
/* The parts of what it touches, in order, where that has gaps; NULL: there are none, or they are
 * too many, or in no order. */
const struct world_pieces *world_rma_pieces(const struct world_rma *rma);
bool world_atomic_torn(const struct world_decider *a, const struct world_decider *b);
/* Whether the window keeps the order of accumulates that conflict. */
bool world_atomic_ordered(const struct ompi_win_t *win);

#endif
