/* Finds, in the decisions of a world, what MPI does not allow whatever comes of it: a rank stores
 * in its window while an operation of another rank that changes the same byte is under way. Both
 * are when one decision could have been either. */
#ifndef EXPLORE_STORE_CONFLICT_H
#define EXPLORE_STORE_CONFLICT_H

#include "explore/search.h"

/* The first such pair; out_store->is tells whether there is one, and its list is left as it was. */
enum core_status explore_store_find(const struct world_decisions *told, int rank_count,
                                    struct explore_store *out_store);

#endif
