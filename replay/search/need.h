/* How much buffering a program needs.
 *
 * Under eager:BYTES only sizes that occur among its standard sends can change the verdict: the
 * verdict is given as a function of the threshold, exact for the wildcard order given (others:
 * replay/search/explore.h). Where nothing is left to chance (no wildcards) more buffering never
 * hurts, and the one step is found by halving; else every size is tried. */
#ifndef REPLAY_SEARCH_NEED_H
#define REPLAY_SEARCH_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/program/program.h"
#include "replay/policy/policy.h"
#include "replay/logical/run.h"
#include "replay/search/worlds.h"

struct replay_need_step { /* from this eager threshold on, up to the next step's */
    bool rendezvous;      /* the first step: nothing is buffered, zero-byte messages neither. Else
                             eager:bytes */
    uint64_t bytes;
    enum replay_outcome outcome;
};
struct replay_need_send { /* a standard send that must complete before its receive is posted, or the
                             program deadlocks */
    uint32_t rank, op;
    uint64_t event, bytes;
    uint32_t to;
};
struct replay_need {
    struct replay_need_step *step; /* ascending; neighbours differ in outcome */
    uint32_t step_count, step_room;
    uint64_t thresholds; /* sizes that occur, and so could matter */
    uint64_t runs;       /* variants run */
    bool exact;  /* false: the budget ended before every size was tried; what is not tried is not
                    claimed in step[] */
    bool always; /* safe whatever the threshold is */
    bool ever;   /* some threshold is safe for good, that is, together with all larger ones */
    uint64_t safe_bytes;  /* the smallest such threshold, when ever */
    uint64_t *held_bytes; /* per rank: most bytes held at a time in unreceived messages when
                             everything is eager */
    uint32_t *held_count; /* the same in messages */
    uint32_t rank_count;
    uint64_t pool_bytes, credits; /* smallest pool:BYTES and credits:N found to be safe, by halving;
                                     UINT64_MAX: none */
    struct replay_need_send
        *blame; /* a minimal set: with these buffered and nothing else it finishes; without any one
                   of them it does not. Empty when always, or when not even full buffering helps. As
                   policy: buffering=only:RANK.EVENT,... */
    uint32_t blame_count;
    bool blame_minimal; /* false: the budget ended before the set was minimal; it is sufficient all
                           the same */
};
/* The budget: operations executed, and runs of the whole program besides, which are few for a long
 * one. To leave sends out of those that are blamed takes a run for each, and they grow in number
 * with the program: so that has less. */
#define REPLAY_NEED_OPS_MAX UINT64_C(20000000)
#define REPLAY_NEED_BLAME_OPS_MAX UINT64_C(2000000)
#define REPLAY_NEED_RUNS_MAX 16

/* coll and order are taken from policy (NULL: default); its buffering is not used. worlds: of this
 * program under this policy, where they were run already; NULL: they are run here. */
enum core_status replay_need_find(const struct replay_program *program,
                                  const struct replay_policy *policy,
                                  const struct replay_worlds *worlds, struct replay_need *out_need);
void replay_need_done(struct replay_need *need);

#endif
