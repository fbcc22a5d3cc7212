/* Inside of the order of turns, shared by explore_access.c (which turn comes next) and
 * explore_alternatives.c (which could have come instead). Nobody else includes this. */
#ifndef WORLD_EXCHANGE_EXPLORE_ACCESS_INSIDE_H
#define WORLD_EXCHANGE_EXPLORE_ACCESS_INSIDE_H

#include "world/exchange/explore_access.h"
#include "world/exchange/explore_overlap.h"

/* Whether the order of two turns of one memory, lock or communicator makes a difference. */
bool world_access_conflict(const struct world_decider *a, const struct world_decider *b);
/* The turns that are asked for, or that were decided, and that may conflict with this one. */
struct world_overlaps world_access_asking(const struct world_decider *turn);
struct world_overlaps world_access_decided(const struct world_decider *turn);

/* Lists the turns that must come before `asks` for it to precede `d`, in the order that they had.
 */
const struct world_causes *world_alternatives_witnesses(const struct world_decider *d,
                                                        const struct world_decider *asks);
/* A turn is asked for from now on: reports it for each earlier decision that it could have had. */
void world_alternatives_asking(const struct world_decider *asks);
/* A turn was decided. Without those that conflict with it and came before it, it could have been
 * another turn: reports what conflicts with that, and did not take it, as first. */
void world_alternatives_decided(const struct world_decider *turn);
/* A lock was given away: reports those who wait until it is free, who cannot ask yet. */
void world_alternatives_locked(struct world_decider *lock);

#endif
