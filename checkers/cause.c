/* See cause.h. Calls are found by rank and number in one table, so that lists of many findings cost
 * no more than their calls. */
#include "checkers/cause.h"

#include "core/check.h"
#include "core/table.h"

/* The first of several that fit is taken. */
static const struct row {
    enum rule_id cause, symptom;
    enum finding_effect effect; /* that the cause has to have; OPEN: any */
} rows[] = {
    /* a request that nobody completes holds its buffer for ever */
    {RULE_REQUEST, RULE_BUFFER, FINDING_EFFECT_OPEN},
    /* collectives that differ wait for each other */
    {RULE_COLLECTIVE, RULE_DEADLOCK, FINDING_EFFECT_OPEN},
    {RULE_COLLECTIVE, RULE_HANG, FINDING_EFFECT_OPEN},
    /* a message that nobody receives holds its sender */
    {RULE_MESSAGE, RULE_DEADLOCK, FINDING_EFFECT_BLOCKS},
    {RULE_MESSAGE, RULE_HANG, FINDING_EFFECT_BLOCKS},
    /* MPI refuses what it must not be given, and what has no room */
    {RULE_ARGUMENT, RULE_ERROR, FINDING_EFFECT_OPEN},
    {RULE_COLLECTIVE, RULE_ERROR, FINDING_EFFECT_OPEN},
    {RULE_MESSAGE, RULE_ERROR, FINDING_EFFECT_FAILS},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct made { /* a call, and the finding that it is part of */
    struct {
        uint64_t rank, seq, row;
    } key;
    uint32_t id;
};

static bool may_cause(const struct finding *finding, const struct row *row)
{
    return finding->severity != FINDING_NOTE && finding->rule == &rule_table[row->cause] &&
           (row->effect == FINDING_EFFECT_OPEN || row->effect == finding->effect);
}

static enum core_status causes_put(struct core_table *calls, const struct finding *finding,
                                   uint64_t row)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < finding->call_count && status == CORE_OK; i++) {
        struct made key = {{finding->call[i].rank, finding->call[i].seq, row}, 0}, *made;
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
                         uint64_t row)
{
    uint64_t seq[] = {call->subject_seq, call->seq};

    for (size_t i = 0; i < sizeof seq / sizeof *seq; i++) {
        struct made key = {{call->rank, seq[i], row}, 0};
        const struct made *made = seq[i] ? core_table_find(calls, &key.key) : NULL;
        if (made)
            return made->id;
    }
    return 0;
}

static void cause_set(const struct core_table *calls, struct finding *finding)
{
    for (uint64_t row = 0; row < ROWS && !finding->cause; row++)
        for (uint32_t c = 0; c < finding->call_count && !finding->cause; c++)
            if (finding->rule == &rule_table[rows[row].symptom] && finding->call[c].core)
                finding->cause = cause_of(calls, &finding->call[c], row);
}

enum core_status cause_find(struct finding_list *list)
{
    struct core_table calls = CORE_TABLE(struct made, key);
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++)
        for (uint64_t row = 0; row < ROWS && status == CORE_OK; row++)
            if (may_cause(&list->finding[i], &rows[row]))
                status = causes_put(&calls, &list->finding[i], row);
    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++)
        cause_set(&calls, &list->finding[i]);
    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++) {
        struct finding *finding = &list->finding[i];
        for (uint32_t steps = 0; finding->cause && steps < list->count; steps++) {
            CORE_CHECK(finding->cause <= list->count); /* ids are places */
            uint32_t above = list->finding[finding->cause - 1].cause;
            if (!above)
                break;
            finding->cause = above; /* a symptom of a symptom */
        }
        CORE_CHECK(finding->cause != finding->id);
    }
    core_table_done(&calls);
    return status;
}
