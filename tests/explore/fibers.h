/* Worlds of fibers for the search: what a rank finds out goes into its hash, and the outcome of a
 * world is the hashes of its ranks and what the world found. */
#ifndef TESTS_EXPLORE_FIBERS_H
#define TESTS_EXPLORE_FIBERS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "explore/search.h"

enum { FIBERS_RANKS = 16, FIBERS_EVENTS = 1 << 16 };

struct fibers {
    world_rank_fn program;
    void *context;
    int rank_count;
    struct world_event event[FIBERS_EVENTS];
    size_t event_count;
    struct world_outcome outcome;
    uint64_t deadlocks; /* worlds that ended in one */
};

static uint64_t fibers_hash[FIBERS_RANKS];

static inline void fibers_saw(int rank, int64_t what)
{
    fibers_hash[rank] = core_random_mix(fibers_hash[rank] ^ (uint64_t)what);
}

static inline void fibers_event(void *context, const struct world_event *event)
{
    struct fibers *f = context;
    if (f->event_count == FIBERS_EVENTS)
        abort();
    f->event[f->event_count++] = *event;
}

static inline enum core_status fibers_run(void *context, const struct replay_policy *policy,
                                          const struct replay_choice *choice,
                                          const struct world_outcome **out_outcome,
                                          uint64_t *out_key, struct explore_events *out_events)
{
    struct fibers *f = context;
    struct world_options options = {.rank_count = f->rank_count,
                                    .run = f->program,
                                    .context = f->context,
                                    .policy = *policy,
                                    .choice = *choice,
                                    .initialized = true,
                                    .event = fibers_event,
                                    .event_context = f,
                                    .step_count_max = 1000000};
    f->event_count = 0;
    memset(fibers_hash, 0, sizeof fibers_hash);
    enum core_status status = world_run(&options, &f->outcome);
    for (int i = 0; i < f->outcome.finding_count; i++)
        f->deadlocks += f->outcome.finding[i].rule == WORLD_RULE_DEADLOCK;
    uint64_t key = 0;
    for (int i = 0; i < f->rank_count; i++)
        key = core_random_mix(key ^ fibers_hash[i]);
    for (int i = 0; i < f->outcome.finding_count; i++) { /* in whatever order */
        uint64_t one = 0;
        for (const char *at = f->outcome.finding[i].text; *at; at++)
            one = core_random_mix(one ^ (uint8_t)*at);
        key += one;
    }
    *out_outcome = &f->outcome;
    *out_key = key;
    *out_events = (struct explore_events){f->event, f->event_count};
    return status;
}

#endif
