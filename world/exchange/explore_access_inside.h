/* Inside of the order of turns, shared by explore_access.c (which turn is next) and
 * explore_alternatives.c (which turn could have been instead). No other file includes this. */
#ifndef WORLD_EXCHANGE_EXPLORE_ACCESS_INSIDE_H
#define WORLD_EXCHANGE_EXPLORE_ACCESS_INSIDE_H

#include "world/exchange/explore_access.h"
#include "world/exchange/explore_overlap.h"

/* Tells whether the order of two turns of one memory, lock or communicator makes a difference. */
bool world_access_conflict(const struct world_decider *a, const struct world_decider *b);
/* Return the waiting, or the decided, turns that may conflict with this one. */
struct world_overlaps world_access_asking(const struct world_decider *turn);
struct world_overlaps world_access_decided(const struct world_decider *turn);

/* Returns the turns that must come before `asks` for it to precede `d`, in their recorded order. */
struct world_causes world_alternatives_witnesses(const struct world_decider *d,
                                                 const struct world_decider *asks);
/* Reports a new waiting turn for each earlier decision that it could have answered. */
void world_alternatives_asking(const struct world_decider *asks);
/* Reports what else could have come first: without the conflicting turns before it, a decided turn
 * could have preceded others that conflict with it. */
void world_alternatives_decided(const struct world_decider *turn);
/* Reports those that wait for a lock that was given away, as they cannot ask before it is free. */
void world_alternatives_locked(struct world_decider *lock);

#endif
