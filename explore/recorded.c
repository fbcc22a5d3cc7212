/* See the header. Holds no state. */
#include "explore/recorded.h"

#include "core/array.h"
#include "explore/reexec.h"

/* Takes the answers of receives, probes and completions. A job records the order of accesses only
 * if it is asked to. */
static enum core_status answers_take(const struct world_decisions *decisions,
                                     struct explore_list *list)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++) {
        const struct world_decision *d = &decisions->decision[i];
        if (decision_kind_of(d->number) != DECISION_CHOICE)
            continue;
        status = CORE_ARRAY_PUSH(list->answer, list->count, list->room, "answers",
                                 (struct explore_answer){.rank = (uint32_t)d->rank,
                                                         .number = d->number,
                                                         .answer = d->answer});
    }
    return status;
}

static enum core_status world_try(struct explore_program *program, const struct explore_list *list)
{
    static const struct explore_sends all_buffered;
    const struct replay_choice choice = {.kind = REPLAY_CHOICE_LIST};
    const struct world_outcome *outcome;
    struct explore_events events;
    struct replay_policy policy;
    uint64_t key;

    enum core_status status = explore_policy(list, &all_buffered, &policy);
    if (status != CORE_OK)
        return status;
    status = explore_program_run(program, &policy, &choice, &outcome, &key, &events);
    replay_policy_done(&policy);
    return status;
}

enum core_status explore_recorded_try(struct trace *trace, struct explore_program *program)
{
    struct replay_policy nothing;
    struct explore_mirror mirror;
    struct explore_list list = {0};

    replay_policy_init(&nothing);
    nothing.order = REPLAY_ORDER_EXPLORE;
    enum core_status status = explore_mirror_run(trace, &nothing, NULL, &mirror);
    replay_policy_done(&nothing);
    if (status != CORE_OK)
        return CORE_OK;
    status = answers_take(&mirror.decisions, &list);
    explore_mirror_done(&mirror);
    if (status == CORE_OK)
        status = world_try(program, &list);
    explore_list_done(&list);
    return status == CORE_NO_MEMORY ? status : CORE_OK;
}
