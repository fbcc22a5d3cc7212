/* Computes how much buffering a program needs.
 *
 * Under eager:BYTES only the sizes of its standard sends can change the verdict. The result is the
 * verdict as a function of the threshold, exact for the given wildcard order (other orders:
 * replay/search/explore.h). Without wildcards more buffering never hurts, so binary search finds
 * the one step; otherwise every size is tried. */
#ifndef REPLAY_SEARCH_NEED_H
#define REPLAY_SEARCH_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/program/program.h"
#include "replay/policy/policy.h"
#include "replay/logical/run.h"
#include "replay/search/worlds.h"

struct replay_need_step { /* from this eager threshold up to that of the next step */
    bool rendezvous; /* the first step: nothing is buffered, not even zero-byte messages. Otherwise
                        eager:bytes */
    uint64_t bytes;
    enum replay_outcome outcome;
};
struct replay_need_send { /* a standard send that must complete before its receive is posted, or
                             else the program deadlocks */
    uint32_t rank, op;
    uint64_t event, bytes;
    uint32_t to;
};
struct replay_need {
    struct replay_need_step *step; /* ascending; neighbours differ in outcome */
    uint32_t step_count, step_room;
    uint64_t thresholds; /* number of different sizes, the only thresholds that can matter */
    uint64_t runs;       /* number of runs */
    bool exact;  /* false: the budget ended before every size was tried; step[] claims only what was
                    tried */
    bool always; /* safe at every threshold */
    bool ever;   /* some threshold is safe together with all larger ones */
    uint64_t safe_bytes;  /* the smallest such threshold, if `ever` */
    uint64_t *held_bytes; /* by rank: most unreceived bytes at a time when everything is eager */
    uint32_t *held_count; /* the same in messages */
    uint32_t rank_count;
    uint64_t pool_bytes, credits; /* smallest safe pool:BYTES and credits:N that binary search
                                     found; UINT64_MAX: none */
    struct replay_need_send
        *blame; /* minimal set: with exactly these sends buffered the program finishes; without any
                   one of them it does not. Empty if `always`, or if full buffering does not help.
                   As policy: buffering=only:RANK.EVENT,... */
    uint32_t blame_count;
    bool blame_minimal; /* false: the budget ended before the set was minimal; it still suffices */
};
/* Budget: operations executed, and runs of the whole program, which are few for a long program.
 * Removing a send from the blamed set takes one run, and long programs have many, so that part has
 * a smaller budget. */
#define REPLAY_NEED_OPS_MAX UINT64_C(20000000)
#define REPLAY_NEED_BLAME_OPS_MAX UINT64_C(2000000)
#define REPLAY_NEED_RUNS_MAX 16

/* Computes the need. coll and order come from policy (NULL: default), its buffering is ignored.
 * worlds: results for this program and policy, if they were run already; NULL: runs them. */
enum core_status replay_need_find(const struct replay_program *program,
                                  const struct replay_policy *policy,
                                  const struct replay_worlds *worlds, struct replay_need *out_need);
void replay_need_done(struct replay_need *need);

#endif
