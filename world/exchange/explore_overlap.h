/* Indexes turns at one rank's memory by the bytes that they reach, so that those which may conflict
 * with a turn are found without a walk through all. A turn that reaches much of the memory may
 * conflict with all.
 *
 *     for (struct world_overlaps e = world_overlaps_of(list, index, turn);
 * world_overlaps_next(&e);) if (conflict(turn, e.turn)) ...
 *
 * `list` holds the same turns, linked by `next`. The loop visits each turn once. */
#ifndef WORLD_EXCHANGE_EXPLORE_OVERLAP_H
#define WORLD_EXCHANGE_EXPLORE_OVERLAP_H

#include "world/exchange/explore.h"

struct world_overlap_index;
struct world_overlap_node;

struct world_overlaps {
    struct world_decider *turn;
    const struct world_overlap_index *index; /* NULL: the whole list */
    struct world_decider *list;
    const struct world_overlap_node *node; /* the next node to visit */
    uintptr_t piece, last;                 /* the piece of memory visited, and the last */
    bool wide;
};

void world_overlaps_add(struct world_overlap_index **index, struct world_decider *turn);
void world_overlaps_remove(struct world_overlap_index *index, const struct world_decider *turn);
struct world_overlaps world_overlaps_of(struct world_decider *list,
                                        const struct world_overlap_index *index,
                                        const struct world_decider *like);
bool world_overlaps_next(struct world_overlaps *overlaps);

#endif
