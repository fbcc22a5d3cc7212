/* Turns at one rank's memory, by where they reach: those that may conflict with one are found
 * without going through all others. Whoever reaches much of the memory is near to everybody.
 *
 *     for (struct world_near e = world_near_of(list, index, turn); world_near_next(&e);)
 *         if (conflict(turn, e.turn)) ...
 *
 * `list` holds the same turns, linked by `next`. Each is seen once. */
#ifndef WORLD_EXCHANGE_EXPLORE_OVERLAP_H
#define WORLD_EXCHANGE_EXPLORE_OVERLAP_H

#include "world/exchange/explore.h"

struct world_near_index;
struct world_near_node;

struct world_near {
    struct world_decider *turn;
    const struct world_near_index *index; /* NULL: all of the list */
    struct world_decider *list;
    const struct world_near_node *node; /* the next one to look at */
    uintptr_t piece, last;              /* of memory: the one that is looked at */
    bool wide;
};

void world_near_add(struct world_near_index **index, struct world_decider *turn);
void world_near_remove(struct world_near_index *index, const struct world_decider *turn);
struct world_near world_near_of(struct world_decider *list, const struct world_near_index *index,
                                const struct world_decider *like);
bool world_near_next(struct world_near *near);

#endif
