/* Runs the two extremes of buffering: `unbuffered`, where no standard send completes before its
 * receive is posted, and `buffered`, where every standard send completes at once. Each is run once;
 * all who judge the program share the results. */
#ifndef REPLAY_SEARCH_WORLDS_H
#define REPLAY_SEARCH_WORLDS_H

#include <stdint.h>

#include "core/status.h"
#include "replay/logical/run.h"
#include "replay/policy/policy.h"
#include "replay/program/program.h"

struct replay_worlds {
    struct replay_result unbuffered, buffered;
    uint64_t *held_bytes; /* by rank: most unreceived bytes at a time when everything is buffered */
    uint32_t *held_count; /* the same in messages */
    uint32_t rank_count;
};

/* Runs both. coll and order come from policy (NULL: default), its buffering is ignored. */
enum core_status replay_worlds_run(const struct replay_program *program,
                                   const struct replay_policy *policy,
                                   struct replay_worlds *out_worlds);
void replay_worlds_done(struct replay_worlds *worlds); /* accepts a zeroed one */

#endif
