/* Worlds that helpers of a search run: a question is a list of answers, or the seed of a sample;
 * the answer is what the world decided (core/search/spread.h). */
#ifndef EXPLORE_SPREAD_H
#define EXPLORE_SPREAD_H

#include "core/search/spread.h"
#include "explore/search.h"

/* The body of a helper. */
void explore_spread_serve(struct search_helper *helper, explore_run_fn run, void *context);

/* Takes the spread over, also where it fails; NULL: all worlds are run here. */
enum core_status explore_spread_new(struct search_spread *spread,
                                    struct explore_spread **out_spread);
void explore_spread_free(struct explore_spread *spread);

/* How many more worlds can be given out now. */
int explore_spread_room(struct explore_spread *spread);
/* Gives a world out, unless it is already; hash: its name. The policy is one of order=explore with
 * each send buffered; seeded: its choices are by chance, of that seed. */
void explore_spread_give(struct explore_spread *spread, uint64_t hash,
                         const struct explore_list *list, bool seeded, uint64_t seed);
/* Waits for what came of it, valid until the next call; false: it is to be run here. */
bool explore_spread_take(struct explore_spread *spread, uint64_t hash,
                         const struct world_outcome **out_outcome, uint64_t *out_key,
                         struct explore_events *out_events);

#endif
