/* Worlds of one search run by several processes, of this machine or of one job. The search itself
 * stays where it is, and goes through its worlds in its own order: what it has yet to run is given
 * out beforehand, and what came of it is there when its turn comes. So the result does not depend
 * on how many take part, nor on which of them is faster.
 *
 * A helper is a child that dies with us, or another process of the job, which goes when we do; one
 * that died, or could not start, is done without. */
#ifndef EXPLORE_SPREAD_H
#define EXPLORE_SPREAD_H

#include "explore/meeting.h"
#include "explore/search.h"

struct explore_helper; /* the child's side */

/* The body of a helper: starts the program, and serves until it returns. */
typedef void (*explore_help_fn)(void *context, struct explore_helper *helper);
void explore_helper_serve(struct explore_helper *helper, explore_run_fn run, void *context);

/* To be called before anything is started that a child should not have. */
enum core_status explore_spread_new(int helpers, explore_help_fn help, void *context,
                                    struct explore_spread **out_spread);
void explore_spread_free(struct explore_spread *spread);
/* Processes that come to the meeting help, too; the spread owns the meeting then. */
void explore_spread_meet(struct explore_spread *spread, struct explore_meeting *meeting);
/* The other side: helps whoever listens for that job, until it has ended. */
void explore_spread_join(uint64_t job, explore_help_fn help, void *context);

/* How many more can be given out now. */
int explore_spread_room(struct explore_spread *spread);
/* Gives a world out, unless it is already; hash: its name. The policy is one of order=explore with
 * each send buffered; seeded: its choices are by chance, of that seed. */
void explore_spread_give(struct explore_spread *spread, uint64_t hash,
                         const struct explore_list *list, bool seeded, uint64_t seed);
/* The result, valid until the next call for another; false: it was not given out, or its helper is
 * gone. Waits for it if need be. */
bool explore_spread_take(struct explore_spread *spread, uint64_t hash,
                         const struct world_outcome **out_outcome, uint64_t *out_key,
                         struct explore_events *out_events);

#endif
