/* Finds conflicts in a world's decisions that MPI forbids whatever their order: a rank stores in
 * its window while an operation of another rank on the same byte is under way. The two are
 * concurrent if one decision could have had either as its answer. */
#ifndef EXPLORE_STORE_CONFLICT_H
#define EXPLORE_STORE_CONFLICT_H

#include "explore/search.h"

/* Adds such pairs of a world that was run with the answers `asked`; a pair of two places is added
 * once. */
enum core_status explore_stores_find(const struct world_decisions *decisions, int rank_count,
                                     const struct explore_list *asked,
                                     struct explore_stores *stores);
void explore_stores_done(struct explore_stores *stores);

#endif
