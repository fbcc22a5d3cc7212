/* See cause.h. Calls are found by rank and number in one table, so that lists of many findings cost
 * no more than their calls. */
#include "checkers/cause.h"

#include "core/check.h"
#include "core/table.h"

enum bond {              /* what a symptom has in common with its cause */
            SHARES,      /* a call, or one that its calls wait for */
            TOUCHES,     /* a call, or what the cause found wrong with it later */
            SHARES_BOTH, /* a call, and the operation that it is about */
            AWAITS,      /* one of its calls waits for a rank of the cause */
            BEGINS       /* the rank of its first call is one of the cause's */
};

/* The first of several that fit is taken. */
static const struct row {
    struct {
        enum rule_id rule;
        enum finding_effect effect; /* that it has to have; OPEN: any */
    } cause, symptom;
    enum bond bond;
} rows[] = {
    /* a request that nobody completes holds its buffer for ever */
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_BUFFER, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_FILE, FINDING_EFFECT_OPEN}, SHARES},
    /* collectives that differ wait for each other */
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_HANG, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_FILE, FINDING_EFFECT_BLOCKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_FILE, FINDING_EFFECT_BLOCKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    /* a message that nobody receives holds its sender */
    {{RULE_MESSAGE, FINDING_EFFECT_BLOCKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_BLOCKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, SHARES},
    /* MPI refuses what it must not be given, and what has no room */
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_FAILS}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_FILE, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    /* a buffered send for which nothing is attached finds no room */
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_MESSAGE, FINDING_EFFECT_FAILS}, SHARES},
    /* a rank that was refused did not do what others wait for */
    {{RULE_ARGUMENT, FINDING_EFFECT_REFUSED}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_ARGUMENT, FINDING_EFFECT_REFUSED}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_ARGUMENT, FINDING_EFFECT_REFUSED}, {RULE_COLLECTIVE, FINDING_EFFECT_LACKS}, BEGINS},
    /* nor one that waited for a request without having started it */
    {{RULE_REQUEST, FINDING_EFFECT_LACKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_REQUEST, FINDING_EFFECT_LACKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    /* nor one that waits for what nobody can do any more */
    {{RULE_REQUEST, FINDING_EFFECT_BLOCKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_BLOCKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_RMA, FINDING_EFFECT_LACKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_RMA, FINDING_EFFECT_LACKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    /* an epoch that is not ended holds those who wait for its end */
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_HANG, FINDING_EFFECT_OPEN}, SHARES},
    /* a rank dies of a mistake, in the call */
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_FAILS}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_SPOILS}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_FILE, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_THREAD, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    /* or the library ends it there, also of a mistake of the rank that it waits for */
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_THREAD, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_FAILS}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_SPOILS}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_FAILS}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, AWAITS},
    /* or later, of what lay beside its buffer */
    {{RULE_BUFFER, FINDING_EFFECT_SPOILS}, {RULE_CRASH, FINDING_EFFECT_OPEN}, BEGINS},
    /* a buffer that is longer than its variable reaches into the next one */
    {{RULE_BUFFER, FINDING_EFFECT_FAILS}, {RULE_ARGUMENT, FINDING_EFFECT_MEETS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_SPOILS}, {RULE_ARGUMENT, FINDING_EFFECT_MEETS}, SHARES},
    /* nothing defined comes of what is wrong by itself */
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_RESULT, FINDING_EFFECT_OPEN}, TOUCHES},
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_RESULT, FINDING_EFFECT_OPEN}, TOUCHES},
    {{RULE_BUFFER, FINDING_EFFECT_OPEN}, {RULE_RESULT, FINDING_EFFECT_OPEN}, TOUCHES},
    /* what nothing orders in a window, nothing orders in the memory of the rank itself */
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_BUFFER, FINDING_EFFECT_OPEN}, SHARES_BOTH},
    /* a rank that gave up does nothing more of what others wait for */
    {{RULE_EXCEPTION, FINDING_EFFECT_OPEN}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_EXCEPTION, FINDING_EFFECT_OPEN}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_EXCEPTION, FINDING_EFFECT_OPEN}, {RULE_COLLECTIVE, FINDING_EFFECT_LACKS}, BEGINS},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct causes {
    struct core_table made;
    bool any[ROWS]; /* that fit the row */
};

struct made { /* a call, or a rank (seq 0), and the finding that it is part of */
    struct {
        uint64_t rank, seq, row;
    } key;
    uint32_t id;
};

static bool is_such(const struct finding *finding, enum rule_id rule, enum finding_effect effect)
{
    return finding->rule == &rule_table[rule] &&
           (effect == FINDING_EFFECT_OPEN || effect == finding->effect);
}

static bool may_cause(const struct finding *finding, const struct row *row)
{
    return finding->severity != FINDING_NOTE &&
           is_such(finding, row->cause.rule, row->cause.effect);
}

static bool is_of_ranks(enum bond bond)
{
    return bond == AWAITS || bond == BEGINS;
}

static enum core_status made_put(struct causes *causes, const struct finding *finding,
                                 uint32_t rank, uint64_t seq, uint64_t row)
{
    CORE_CHECK(row < ROWS);
    struct made key = {{rank, seq, row}, 0}, *made;
    enum core_status status =
        core_table_put(&causes->made, &key.key, "the causes of findings", &made);

    causes->any[row] = true;
    if (status == CORE_OK && !made->id)
        made->id = finding->id;
    CORE_CHECK(status != CORE_OK || made->id <= finding->id); /* the first of several */
    return status;
}

static enum core_status causes_put(struct causes *causes, const struct finding *finding,
                                   uint64_t row)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < finding->call_count && status == CORE_OK; i++) {
        const struct finding_call *call = &finding->call[i];

        if (is_of_ranks(rows[row].bond)) {
            status = made_put(causes, finding, call->rank, 0, row);
            continue;
        }
        if (!call->core)
            continue;
        if (call->seq)
            status = made_put(causes, finding, call->rank, call->seq, row);
        if (call->subject_seq && rows[row].bond == TOUCHES && status == CORE_OK)
            status = made_put(causes, finding, call->rank, call->subject_seq, row);
    }
    return status;
}

/* Rows for which some finding fits as the cause. */
static uint32_t cause_at(const struct causes *causes, uint64_t rank, uint64_t seq, uint64_t row)
{
    struct made key = {{rank, seq, row}, 0};
    const struct made *made = core_table_find(&causes->made, &key.key);

    return made ? made->id : 0;
}

static uint32_t awaited_of(const struct causes *causes, const struct finding_call *call,
                           uint64_t row)
{
    uint32_t id = 0;

    for (uint32_t i = 0; i < call->await_count && !id; i++)
        for (uint64_t rank = call->await[i].first; rank <= call->await[i].last && !id; rank++)
            id = cause_at(causes, rank, 0, row);
    return id;
}

/* By what its calls wait for, as far as that is not told. */
static uint32_t linked_of(const struct causes *causes, const struct finding *finding, uint64_t row)
{
    uint32_t id = 0;

    CORE_CHECK(causes->any[row]); /* else nobody asks */
    for (uint32_t i = 0; i < finding->link_count && !id; i++)
        if (is_of_ranks(rows[row].bond) == !finding->link[i].seq)
            id = cause_at(causes, finding->link[i].rank, finding->link[i].seq, row);
    return id;
}

static uint32_t shared_of(const struct causes *causes, const struct finding_call *call,
                          uint64_t row)
{
    uint32_t subject = call->subject_seq ? cause_at(causes, call->rank, call->subject_seq, row) : 0,
             own = call->seq ? cause_at(causes, call->rank, call->seq, row) : 0;

    if (rows[row].bond == SHARES_BOTH)
        return subject == own ? own : 0;
    return subject ? subject : own;
}

/* Findings about the call numbered c. */
static uint32_t cause_of(const struct causes *causes, const struct finding *finding, uint32_t c,
                         uint64_t row)
{
    const struct finding_call *call = &finding->call[c];

    switch (rows[row].bond) {
    case AWAITS:
        return awaited_of(causes, call, row);
    case BEGINS:
        return c == 0 ? cause_at(causes, call->rank, 0, row) : 0;
    case SHARES:
    case TOUCHES:
    case SHARES_BOTH:
        break;
    }
    return shared_of(causes, call, row);
}

static void cause_set(const struct causes *causes, struct finding *finding)
{
    for (uint64_t row = 0; row < ROWS && !finding->cause; row++) {
        if (!causes->any[row] ||
            !is_such(finding, rows[row].symptom.rule, rows[row].symptom.effect))
            continue;
        for (uint32_t c = 0; c < finding->call_count && !finding->cause; c++)
            if (finding->call[c].core)
                finding->cause = cause_of(causes, finding, c, row);
        if (!finding->cause && (rows[row].bond == SHARES || rows[row].bond == AWAITS))
            finding->cause = linked_of(causes, finding, row);
    }
}

enum core_status cause_find(struct finding_list *list)
{
    struct causes causes = {.made = CORE_TABLE(struct made, key)};
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++)
        for (uint64_t row = 0; row < ROWS && status == CORE_OK; row++)
            if (may_cause(&list->finding[i], &rows[row]))
                status = causes_put(&causes, &list->finding[i], row);
    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++)
        cause_set(&causes, &list->finding[i]);
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
    core_table_done(&causes.made);
    return status;
}
