/* Finds, in the decisions of a world, what MPI does not allow whatever comes of it: a rank stores
 * in its window while an operation of another rank that changes the same byte is under way. Both
 * are when one decision could have been either. */
#ifndef EXPLORE_STORE_CONFLICT_H
#define EXPLORE_STORE_CONFLICT_H

#include "explore/search.h"

/* Adds each such pair, of a world with the answers `asked`, that is between two places of which
 * none was added before. */
enum core_status explore_stores_find(const struct world_decisions *decisions, int rank_count,
                                     const struct explore_list *asked,
                                     struct explore_stores *stores);
void explore_stores_done(struct explore_stores *stores);

#endif
