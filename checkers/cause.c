/* See cause.h. One table finds calls by rank and number, so the cost grows with the calls of the
 * findings, not with pairs of findings. */
#include "checkers/cause.h"

#include "core/check.h"
#include "core/random.h"
#include "core/table.h"

enum bond {               /* what a symptom and its cause have in common */
            SHARES,       /* a call, or an operation that its calls wait for */
            TOUCHES,      /* a call, or the operation at which the cause found it wrong later */
            SHARES_BOTH,  /* a call, and the operation that the call is about */
            STANDS_WITH,  /* the place of a call, or of the operation that it is about */
            AWAITS,       /* a call of the symptom waits for a rank of the cause */
            AWAITS_AFTER, /* the same, and its rank made a call of the cause before */
            BEGINS        /* the rank of the symptom's first call is a rank of the cause */
};

/* The table of causes; the first row that fits wins. */
static const struct row {
    struct {
        enum rule_id rule;
        enum finding_effect effect; /* effect required of the finding; OPEN: any */
    } cause, symptom;
    enum bond bond;
} rows[] = {
    /* a request that is never completed keeps its buffer */
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_BUFFER, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_FILE, FINDING_EFFECT_OPEN}, SHARES},
    /* also in a later round, of which the first one stands in the finding */
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_BUFFER, FINDING_EFFECT_OPEN}, STANDS_WITH},
    /* collectives that differ wait for each other */
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_HANG, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_PARTS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS_AFTER},
    {{RULE_COLLECTIVE, FINDING_EFFECT_PARTS}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS_AFTER},
    {{RULE_FILE, FINDING_EFFECT_BLOCKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_FILE, FINDING_EFFECT_BLOCKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    /* a message that no rank receives blocks its sender */
    {{RULE_MESSAGE, FINDING_EFFECT_BLOCKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_BLOCKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, SHARES},
    /* MPI refuses invalid arguments and messages that are too long */
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_FAILS}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_FILE, FINDING_EFFECT_OPEN}, {RULE_ERROR, FINDING_EFFECT_OPEN}, SHARES},
    /* and Python's bindings raise an exception for that */
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_EXCEPTION, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_EXCEPTION, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_EXCEPTION, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_FAILS}, {RULE_EXCEPTION, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_REFUSED}, {RULE_EXCEPTION, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_EXCEPTION, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_FILE, FINDING_EFFECT_OPEN}, {RULE_EXCEPTION, FINDING_EFFECT_OPEN}, SHARES},
    /* a buffered send without an attached buffer has no room */
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_MESSAGE, FINDING_EFFECT_FAILS}, SHARES},
    /* a rank whose call MPI refused did not do what others wait for */
    {{RULE_ARGUMENT, FINDING_EFFECT_REFUSED}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_ARGUMENT, FINDING_EFFECT_REFUSED}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_ARGUMENT, FINDING_EFFECT_REFUSED}, {RULE_COLLECTIVE, FINDING_EFFECT_LACKS}, BEGINS},
    {{RULE_MESSAGE, FINDING_EFFECT_REFUSED}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_MESSAGE, FINDING_EFFECT_REFUSED}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_MESSAGE, FINDING_EFFECT_REFUSED}, {RULE_COLLECTIVE, FINDING_EFFECT_LACKS}, BEGINS},
    /* nor did a rank that waited for a request which it had not started */
    {{RULE_REQUEST, FINDING_EFFECT_LACKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_REQUEST, FINDING_EFFECT_LACKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    /* nor does a rank that waits for what no rank can do any more */
    {{RULE_REQUEST, FINDING_EFFECT_BLOCKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_BLOCKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_RMA, FINDING_EFFECT_LACKS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_RMA, FINDING_EFFECT_LACKS}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    /* an epoch that is not closed blocks those who wait for its end */
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_HANG, FINDING_EFFECT_OPEN}, SHARES},
    /* the rank dies in the wrong call */
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_FAILS}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_SPOILS}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_FAILS}, {RULE_CRASH, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_REFUSED}, {RULE_CRASH, FINDING_EFFECT_OPEN}, SHARES},
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_FILE, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_THREAD, FINDING_EFFECT_OPEN}, {RULE_CRASH, FINDING_EFFECT_FAILS}, SHARES},
    /* or the library ends the rank there, also for a mistake of a rank that it waits for */
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_THREAD, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_FAILS}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_SPOILS}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_FAILS}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_MESSAGE, FINDING_EFFECT_REFUSED}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, SHARES},
    {{RULE_REQUEST, FINDING_EFFECT_OPEN}, {RULE_LIFECYCLE, FINDING_EFFECT_FAILS}, AWAITS},
    /* or the rank dies later, because memory beside its buffer was overwritten */
    {{RULE_BUFFER, FINDING_EFFECT_SPOILS}, {RULE_CRASH, FINDING_EFFECT_OPEN}, BEGINS},
    /* or because one thread called MPI_Finalize under another one's calls */
    {{RULE_THREAD, FINDING_EFFECT_SPOILS}, {RULE_CRASH, FINDING_EFFECT_OPEN}, BEGINS},
    {{RULE_THREAD, FINDING_EFFECT_SPOILS}, {RULE_LIFECYCLE, FINDING_EFFECT_OPEN}, BEGINS},
    {{RULE_THREAD, FINDING_EFFECT_SPOILS}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_THREAD, FINDING_EFFECT_SPOILS}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    /* or in a later call, which transfers the data of an operation without a buffer */
    {{RULE_ARGUMENT, FINDING_EFFECT_SPOILS}, {RULE_CRASH, FINDING_EFFECT_FAILS}, BEGINS},
    /* a buffer longer than its variable reaches into the next variable */
    {{RULE_BUFFER, FINDING_EFFECT_FAILS}, {RULE_ARGUMENT, FINDING_EFFECT_MEETS}, SHARES},
    {{RULE_BUFFER, FINDING_EFFECT_SPOILS}, {RULE_ARGUMENT, FINDING_EFFECT_MEETS}, SHARES},
    /* a wrong call has no defined result */
    {{RULE_COLLECTIVE, FINDING_EFFECT_OPEN}, {RULE_RESULT, FINDING_EFFECT_OPEN}, TOUCHES},
    {{RULE_ARGUMENT, FINDING_EFFECT_OPEN}, {RULE_RESULT, FINDING_EFFECT_OPEN}, TOUCHES},
    {{RULE_BUFFER, FINDING_EFFECT_OPEN}, {RULE_RESULT, FINDING_EFFECT_OPEN}, TOUCHES},
    /* accesses that are unordered in a window are unordered in the rank's own memory too */
    {{RULE_RMA, FINDING_EFFECT_OPEN}, {RULE_BUFFER, FINDING_EFFECT_OPEN}, SHARES_BOTH},
    /* nor does one that exits */
    {{RULE_LIFECYCLE, FINDING_EFFECT_OPEN}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_LIFECYCLE, FINDING_EFFECT_OPEN}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    /* what is unpickled is no pickle */
    {{RULE_TYPE, FINDING_EFFECT_FAILS}, {RULE_EXCEPTION, FINDING_EFFECT_OPEN}, STANDS_WITH},
    /* a rank that gave up does nothing more that others wait for */
    {{RULE_EXCEPTION, FINDING_EFFECT_OPEN}, {RULE_DEADLOCK, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_EXCEPTION, FINDING_EFFECT_OPEN}, {RULE_HANG, FINDING_EFFECT_OPEN}, AWAITS},
    {{RULE_EXCEPTION, FINDING_EFFECT_OPEN}, {RULE_COLLECTIVE, FINDING_EFFECT_LACKS}, BEGINS},
    {{RULE_EXCEPTION, FINDING_EFFECT_OPEN}, {RULE_COLLECTIVE, FINDING_EFFECT_PARTS}, BEGINS},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct causes {
    struct core_table made;
    bool any[ROWS]; /* by row: some finding fits as its cause */
};

struct made { /* a call, or a rank (seq 0), and the finding that contains it */
    struct {
        uint64_t rank, seq, row;
    } key;
    uint32_t id;
    uint64_t call; /* of a rank: its call in the finding */
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
    return bond == AWAITS || bond == AWAITS_AFTER || bond == BEGINS;
}

static enum core_status made_put(struct causes *causes, const struct finding *finding,
                                 const struct finding_call *call, uint64_t seq, uint64_t row)
{
    CORE_CHECK(row < ROWS);
    struct made key = {{call->rank, seq, row}, 0, 0}, *made;
    enum core_status status =
        core_table_put(&causes->made, &key.key, "the causes of findings", &made);

    causes->any[row] = true;
    if (status == CORE_OK && !made->id)
        *made = (struct made){key.key, finding->id, call->seq};
    CORE_CHECK(status != CORE_OK || made->id <= finding->id); /* the first of several */
    return status;
}

/* Returns a number for a place that is none of a call. */
static uint64_t place_number(const char *site)
{
    uint64_t hash = 0;

    for (const char *at = site; *at; at++)
        hash = core_random_mix(hash ^ (unsigned char)*at);
    return hash | UINT64_C(1) << 63;
}

static enum core_status causes_put(struct causes *causes, const struct finding *finding,
                                   uint64_t row)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < finding->call_count && status == CORE_OK; i++) {
        const struct finding_call *call = &finding->call[i];

        if (is_of_ranks(rows[row].bond)) {
            if (i && is_such(finding, RULE_MESSAGE, FINDING_EFFECT_REFUSED))
                break; /* the receive was refused, not the send */
            status = made_put(causes, finding, call, 0, row);
            continue;
        }
        if (!call->core)
            continue;
        if (rows[row].bond == STANDS_WITH) {
            if (call->site)
                status = made_put(causes, finding, call, place_number(call->site), row);
            continue;
        }
        if (call->seq)
            status = made_put(causes, finding, call, call->seq, row);
        if (call->subject_seq && rows[row].bond == TOUCHES && status == CORE_OK)
            status = made_put(causes, finding, call, call->subject_seq, row);
    }
    return status;
}

/* Returns the id of the finding that this row makes the cause at the call or rank; 0: none. */
static uint32_t cause_at(const struct causes *causes, uint64_t rank, uint64_t seq, uint64_t row)
{
    struct made key = {{rank, seq, row}, 0, 0};
    const struct made *made = core_table_find(&causes->made, &key.key);

    return made ? made->id : 0;
}

/* Tells whether the rank of the call made a call of this cause before it. */
static bool is_after(const struct causes *causes, const struct finding_call *call, uint64_t row,
                     uint32_t id)
{
    struct made key = {{call->rank, 0, row}, 0, 0};
    const struct made *made = core_table_find(&causes->made, &key.key);

    return made && made->id == id && made->call && made->call < call->seq;
}

static uint32_t awaited_of(const struct causes *causes, const struct finding_call *call,
                           uint64_t row)
{
    uint32_t id = 0;

    for (uint32_t i = 0; i < call->await_count && !id; i++)
        for (uint64_t rank = call->await[i].first; rank <= call->await[i].last && !id; rank++)
            id = cause_at(causes, rank, 0, row);
    return id && rows[row].bond == AWAITS_AFTER && !is_after(causes, call, row, id) ? 0 : id;
}

/* Finds the cause through what the finding's calls wait for (finding->link). */
static uint32_t linked_of(const struct causes *causes, const struct finding *finding, uint64_t row)
{
    uint32_t id = 0;

    CORE_CHECK(causes->any[row]); /* the caller asked before */
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

static uint32_t placed_of(const struct causes *causes, const struct finding_call *call,
                          uint64_t row)
{
    uint32_t id = 0;

    if (call->subject_site)
        id = cause_at(causes, call->rank, place_number(call->subject_site), row);
    if (!id && call->site)
        id = cause_at(causes, call->rank, place_number(call->site), row);
    return id;
}

/* Finds the cause of a finding through its call number c. */
static uint32_t cause_of(const struct causes *causes, const struct finding *finding, uint32_t c,
                         uint64_t row)
{
    const struct finding_call *call = &finding->call[c];

    switch (rows[row].bond) {
    case AWAITS:
    case AWAITS_AFTER:
        return awaited_of(causes, call, row);
    case STANDS_WITH:
        return placed_of(causes, call, row);
    case BEGINS:
        return c == 0 ? cause_at(causes, call->rank, 0, row) : 0;
    case SHARES:
    case TOUCHES:
    case SHARES_BOTH:
        break;
    }
    return shared_of(causes, call, row);
}

/* Tells whether the finding is a cause of that one already, so that it cannot follow from it. */
static bool is_above(const struct finding_list *list, uint32_t id, const struct finding *finding)
{
    for (uint32_t steps = 0; id && steps < list->count; steps++) {
        if (id == finding->id)
            return true;
        CORE_CHECK(id <= list->count); /* ids are indexes + 1 */
        id = list->finding[id - 1].cause;
    }
    return id != 0;
}

static void cause_set(const struct causes *causes, const struct finding_list *list,
                      struct finding *finding)
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
        if (is_above(list, finding->cause, finding))
            finding->cause = 0;
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
        cause_set(&causes, list, &list->finding[i]);
    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++) {
        struct finding *finding = &list->finding[i];
        for (uint32_t steps = 0; finding->cause && steps < list->count; steps++) {
            CORE_CHECK(finding->cause <= list->count); /* ids are indexes + 1 */
            uint32_t above = list->finding[finding->cause - 1].cause;
            if (!above)
                break;
            finding->cause = above; /* the cause of the cause */
        }
        CORE_CHECK(finding->cause != finding->id);
    }
    core_table_done(&causes.made);
    return status;
}
