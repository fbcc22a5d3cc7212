/* Sets of requests that one call completes (MPI_Waitsome, MPI_Testsome), in worlds of
 * order=explore: an answer has a bit for each request that the call reports. For explore*.c. */
#ifndef WORLD_EXCHANGE_EXPLORE_SOME_H
#define WORLD_EXCHANGE_EXPLORE_SOME_H

#include "world/exchange/explore.h"

/* Reports every set of complete requests that contains the certain ones; of too many requests, all
 * of them and each alone. */
void world_explore_subsets(const struct world_decider *d);
/* Tells whether the answer is such a set. */
bool world_explore_is_subset(const struct world_decider *d, int32_t answer);

#endif
