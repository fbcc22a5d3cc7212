/* The two worlds that frame what buffering can do to a program: `unbuffered`, where no standard
 * send completes before its receive is posted, and `buffered`, where every one does at once. Each
 * is run once, and whoever judges the program looks at the same results. */
#ifndef REPLAY_SEARCH_WORLDS_H
#define REPLAY_SEARCH_WORLDS_H

#include <stdint.h>

#include "core/status.h"
#include "replay/logical/run.h"
#include "replay/policy/policy.h"
#include "replay/program/program.h"

struct replay_worlds {
    struct replay_result unbuffered, buffered;
    uint64_t *held_bytes; /* per rank: most bytes held at a time in unreceived messages when all is
                             buffered */
    uint32_t *held_count; /* the same in messages */
    uint32_t rank_count;
};

/* coll and order are taken from policy (NULL: default); its buffering is not used. */
enum core_status replay_worlds_run(const struct replay_program *program,
                                   const struct replay_policy *policy,
                                   struct replay_worlds *out_worlds);
void replay_worlds_done(struct replay_worlds *worlds); /* takes a zeroed one */

#endif
