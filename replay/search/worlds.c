/* Runs both worlds of a program on one machine. */
#include "replay/search/worlds.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"

#define THE_WORLDS "what a program does with buffering and without" /* out of memory for ... */

static void worlds_held(void *context, uint32_t rank, uint64_t bytes, uint32_t count)
{
    struct replay_worlds *worlds = context;

    CORE_CHECK_HOT(rank < worlds->rank_count);
    if (bytes > worlds->held_bytes[rank])
        worlds->held_bytes[rank] = bytes;
    if (count > worlds->held_count[rank])
        worlds->held_count[rank] = count;
}

static enum core_status run_both(const struct replay_program *program, struct replay_policy *policy,
                                 struct replay_worlds *worlds)
{
    struct replay_hooks hooks = {.context = worlds, .held = worlds_held};
    struct replay_run *run;
    enum core_status status = replay_run_open(program, &run);

    if (status != CORE_OK)
        return status;
    policy->buffering = REPLAY_RENDEZVOUS;
    status = replay_run_all(run, policy, NULL, NULL, &worlds->unbuffered);
    replay_run_hooks(run, &hooks);
    policy->buffering = REPLAY_EAGER;
    if (status == CORE_OK)
        status = replay_run_all(run, policy, NULL, NULL, &worlds->buffered);
    replay_run_close(run);
    return status;
}

enum core_status replay_worlds_run(const struct replay_program *program,
                                   const struct replay_policy *policy,
                                   struct replay_worlds *out_worlds)
{
    struct replay_worlds worlds = {.rank_count = program->rank_count};
    struct replay_policy own;
    enum core_status status = CORE_OK;

    if (policy)
        status = replay_policy_copy(policy, &own);
    else
        replay_policy_init(&own);
    if (status != CORE_OK)
        return status;
    status = CORE_ARRAY_NEW(worlds.held_bytes, program->rank_count, THE_WORLDS);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(worlds.held_count, program->rank_count, THE_WORLDS);
    if (status == CORE_OK)
        status = run_both(program, &own, &worlds);
    replay_policy_done(&own);
    if (status != CORE_OK) {
        replay_worlds_done(&worlds);
        return status;
    }
    CORE_CHECK(worlds.unbuffered.outcome < REPLAY_OUTCOME_COUNT);
    CORE_CHECK(worlds.buffered.outcome < REPLAY_OUTCOME_COUNT);
    *out_worlds = worlds;
    return CORE_OK;
}

void replay_worlds_done(struct replay_worlds *worlds)
{
    replay_result_done(&worlds->unbuffered);
    replay_result_done(&worlds->buffered);
    free(worlds->held_bytes);
    free(worlds->held_count);
    *worlds = (struct replay_worlds){0};
}
