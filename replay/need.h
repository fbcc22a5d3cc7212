/* How much buffering a program needs.
 *
 * Under eager:BYTES only sizes that occur among its standard sends can change the verdict, so all of them are tried: the verdict as a
 * function of the threshold, exact for the wildcard order given (others: replay/explore.h). */
#ifndef REPLAY_NEED_H
#define REPLAY_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/program.h"
#include "replay/policy.h"
#include "replay/run.h"

struct replay_need_step { /* from this eager threshold on, up to the next step's */
    uint64_t bytes;       /* 0: nothing is buffered (zero-byte messages neither: the first step is rendezvous) */
    enum replay_outcome outcome;
    bool assumed;
};
struct replay_need_send { /* a standard send that must complete before its receive is posted, or the program deadlocks */
    uint32_t rank, op;
    uint64_t event, bytes;
    uint32_t to;
};
struct replay_need {
    struct replay_need_step *step; /* ascending; neighbours differ in outcome */
    uint32_t step_count;
    uint64_t thresholds;      /* sizes tried */
    bool always;              /* safe whatever the threshold is */
    bool ever;                /* some threshold is safe for good, that is, together with all larger ones */
    uint64_t safe_bytes;      /* the smallest such threshold, when ever */
    uint64_t *held_bytes;     /* per rank: most bytes held at a time in unreceived messages when everything is eager */
    uint32_t *held_count;     /* the same in messages */
    uint32_t rank_count;
    uint64_t pool_bytes, credits; /* smallest pool:BYTES and credits:N that are safe together with all larger ones tried; UINT64_MAX: none */
    struct replay_need_send *blame; /* a minimal set: with these buffered and nothing else it finishes; without any one of them it
                                       does not. Empty when always, or when not even full buffering helps */
    uint32_t blame_count;
    bool blame_minimal;       /* false: the budget ended before the set was minimal; it is sufficient all the same */
};
enum { REPLAY_NEED_RUNS_MAX = 100000 };

/* coll and order are taken from policy (NULL: default); its buffering is not used. */
enum core_status replay_need_find(const struct replay_program *program, const struct replay_policy *policy,
                                  struct replay_need *out_need);
void replay_need_done(struct replay_need *need);

#endif
