/* A schedule of a world for the real MPI library: every answer that was given there, and which
 * sends are buffered. */
#ifndef EXPLORE_LIVE_H
#define EXPLORE_LIVE_H

#include <stdint.h>

#include "explore/command.h"
#include "replay/policy/policy.h"

/* Runs one world of the command under the policy, of order=explore, or of order=random, where the
 * policy's seed chooses. *out_policy, the caller's, says what was decided, as it can be had live;
 * *out_lost how many of its words cannot: sends inside collectives. *out_finished: all ranks of the
 * world came to their ends. */
enum core_status explore_live(const struct explore_command *command,
                              const struct replay_policy *policy, struct replay_policy *out_policy,
                              uint32_t *out_lost, bool *out_finished);

#endif
