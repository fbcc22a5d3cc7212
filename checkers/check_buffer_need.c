/* Computes how much a receiver must buffer for the program to be safe. Reports nothing for a
 * program that needs none. */
#include <inttypes.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "replay/search/need.h"

static void add_steps(struct finding *finding, const struct replay_need *need)
{
    enum { STEPS_NAMED_MAX = 8 };
    char bytes[64];

    for (uint32_t i = 0; i < need->step_count && i < STEPS_NAMED_MAX; i++) {
        CORE_CHECK(!need->step[i].rendezvous || i == 0); /* need.h: the first step */
        CORE_CHECK(i < 2 || need->step[i - 1].bytes < need->step[i].bytes);
        if (need->step[i].rendezvous)
            finding_fact(finding, "without buffering: %s",
                         replay_outcome_text(need->step[i].outcome));
        else
            finding_fact(finding, "from an eager threshold of %s on: %s",
                         describe_bytes(need->step[i].bytes, bytes, sizeof bytes),
                         replay_outcome_text(need->step[i].outcome));
    }
    if (need->step_count > STEPS_NAMED_MAX)
        finding_fact(finding, "%" PRIu32 " more thresholds change the outcome",
                     (uint32_t)need->step_count - STEPS_NAMED_MAX);
}

/* Names the sends that need a buffer. */
static void add_sends(struct finding *finding, struct trace *trace, const struct replay_need *need)
{
    enum { SENDS_NAMED_MAX = 64 };

    for (uint32_t i = 0; i < need->blame_count && i < SENDS_NAMED_MAX; i++)
        if (need->blame[i].event)
            finding_core_add(finding, trace, need->blame[i].rank, need->blame[i].event);
}

static bool ended_early(const struct check_input *input)
{
    for (uint32_t i = 0; i < input->trace->rank_count; i++)
        if (input->trace->rank[i].state != EVENT_RANK_FINISHED)
            return true;
    return false;
}

/* Returns the id of the deadlock without buffering, which implies the need; 0: no such finding. */
static uint32_t deadlock_id(const struct finding_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct finding *finding = &list->finding[i];
        if (finding->rule == &rule_table[RULE_DEADLOCK] &&
            finding_is_under(finding, &check_unbuffered))
            return finding->id;
    }
    return 0;
}

enum core_status check_buffer_need(const struct check_input *input, struct finding_list *list)
{
    const struct replay_need *need;
    const struct replay_worlds *worlds;
    char bytes[64];
    enum core_status status = check_worlds(input, &worlds);

    if (status == CORE_OK)
        status = check_need(input, &need);
    if (status != CORE_OK)
        return status;
    /* If the deadlock rests on an assumption, its own note says all. If the record ends too early
     * to decide, the check reports nothing. */
    if (!need->always && need->ever && !worlds->unbuffered.assumed &&
        worlds->unbuffered.outcome == REPLAY_DEADLOCK) {
        struct finding *finding = finding_list_add(list, RULE_BUFFER_NEED, FINDING_NOTE);
        uint32_t most = 0;
        if (finding) {
            finding->cause = deadlock_id(list);
            for (uint32_t i = 0; i < need->rank_count; i++)
                if (need->held_bytes[i] > need->held_bytes[most])
                    most = i;
            finding_title(finding, "safe only where sends of up to %s are buffered%s",
                          describe_bytes(need->safe_bytes, bytes, sizeof bytes),
                          ended_early(input) ? ", as far as it was recorded" : "");
            add_steps(finding, need);
            add_sends(finding, input->trace, need);
            finding_fact(finding,
                         "when all sends are buffered, rank %" PRIu32
                         " holds the most: %s at a time",
                         most, describe_bytes(need->held_bytes[most], bytes, sizeof bytes));
            if (need->pool_bytes != UINT64_MAX)
                finding_fact(
                    finding,
                    "a pool of %s for each receiver is enough (buffering=pool:%" PRIu64 ")",
                    describe_bytes(need->pool_bytes, bytes, sizeof bytes), need->pool_bytes);
            if (need->credits != UINT64_MAX)
                finding_fact(finding,
                             "room for %" PRIu64
                             " message%s at each receiver is enough (buffering=credits:%" PRIu64
                             ")",
                             need->credits, need->credits == 1 ? "" : "s", need->credits);
        }
    }
    return CORE_OK;
}
