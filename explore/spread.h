/* Worlds that helper processes of a search run. A question is a list of answers, or the seed of a
 * sample; the answer is what the world decided (core/search/spread.h). */
#ifndef EXPLORE_SPREAD_H
#define EXPLORE_SPREAD_H

#include "core/search/spread.h"
#include "explore/search.h"

/* Serves questions until the search ends: the body of a helper. */
void explore_spread_serve(struct search_helper *helper, explore_run_fn run, void *context);

/* Takes over the spread, also when it fails; NULL: all worlds run in this process. */
enum core_status explore_spread_new(struct search_spread *spread,
                                    struct explore_spread **out_spread);
void explore_spread_free(struct explore_spread *spread);

/* Returns how many more worlds can be given out now. */
int explore_spread_room(struct explore_spread *spread);
/* Gives a world out that was not given out before; hash: its name. False: no helper can take it.
 * The policy is order=explore with a buffer for each send; seeded: its choices are random, from
 * that seed. */
bool explore_spread_give(struct explore_spread *spread, uint64_t hash,
                         const struct explore_list *list, bool seeded, uint64_t seed);
/* Waits for the world's result, which stays valid until the next call. False: the caller must run
 * the world itself. */
bool explore_spread_take(struct explore_spread *spread, uint64_t hash,
                         const struct world_outcome **out_outcome, uint64_t *out_key,
                         struct explore_events *out_events);

#endif
