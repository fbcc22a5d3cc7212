/* See cause.h. Calls are found by rank and number in one table, so that lists of many findings cost
 * no more than their calls. */
#include "checkers/cause.h"

#include "core/check.h"
#include "core/table.h"

/* The first of several that fit is taken. A cause has no cause itself: the table has one level. */
static const struct {
    enum rule_id cause, symptom;
} rows[] = {
    {RULE_REQUEST, RULE_BUFFER}, /* a request that nobody completes holds its buffer for ever */
    {RULE_COLLECTIVE, RULE_DEADLOCK}, /* collectives that differ wait for each other */
    {RULE_COLLECTIVE, RULE_HANG},
};

struct made { /* a call, and the finding that it is part of */
    struct {
        uint64_t rank, seq, rule;
    } key;
    uint32_t id;
};

static enum core_status causes_put(struct core_table *calls, const struct finding *finding)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < finding->call_count && status == CORE_OK; i++) {
        struct made key = {{finding->call[i].rank, finding->call[i].seq,
                            (uint64_t)(finding->rule - rule_table)},
                           0},
                    *made;
        if (!key.key.seq || !finding->call[i].core)
            continue;
        status = core_table_put(calls, &key.key, "the causes of findings", &made);
        if (status == CORE_OK && !made->id)
            made->id = finding->id;
        CORE_CHECK(status != CORE_OK || made->id <= finding->id); /* the first of several */
    }
    return status;
}

static uint32_t cause_of(const struct core_table *calls, const struct finding_call *call,
                         enum rule_id cause)
{
    uint64_t seq[] = {call->subject_seq, call->seq};

    for (size_t i = 0; i < sizeof seq / sizeof *seq; i++) {
        struct made key = {{call->rank, seq[i], cause}, 0};
        const struct made *made = seq[i] ? core_table_find(calls, &key.key) : NULL;
        if (made)
            return made->id;
    }
    return 0;
}

enum core_status cause_find(struct finding_list *list)
{
    struct core_table calls = CORE_TABLE(struct made, key);
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++)
        if (list->finding[i].severity != FINDING_NOTE)
            status = causes_put(&calls, &list->finding[i]);
    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++) {
        struct finding *finding = &list->finding[i];
        for (size_t row = 0; row < sizeof rows / sizeof *rows && !finding->cause; row++)
            for (uint32_t c = 0; c < finding->call_count && !finding->cause; c++)
                if (finding->rule == &rule_table[rows[row].symptom] && finding->call[c].core)
                    finding->cause = cause_of(&calls, &finding->call[c], rows[row].cause);
        if (!finding->cause)
            continue;
        CORE_CHECK(finding->cause <= list->count); /* ids are places */
        CORE_CHECK(finding->cause != finding->id);
        CORE_CHECK(!list->finding[finding->cause - 1].cause); /* the table has one level */
    }
    core_table_done(&calls);
    return status;
}
