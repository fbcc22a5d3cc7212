/* See remedy_wait.h.
 *
 * The wait is inserted at all calls of the operation's place, on every rank. It is unknown which of
 * the recorded calls between the operation and the access come before the access, so each place
 * for the wait is tried: the wait is offered behind the last call behind which one does not cure.
 *
 * Invariants
 *  1. A request keeps exactly one wait: the one that is inserted replaces the recorded one.
 *  2. A flush is offered only inside a passive epoch at the target of the access. */
#include "checkers/remedy_wait.h"

#include <stdlib.h>
#include <string.h>

#include "checkers/remedy_trial.h"
#include "core/array.h"
#include "core/check.h"
#include "core/text.h"

enum { BETWEEN_MAX = 8 }; /* operations between the operation and the access */

struct use { /* of a buffer that MPI owned */
    const struct finding_call *call;
    struct trace_event operation, found; /* who owned it; the call that found the use */
    struct trace_event behind;           /* the call behind which the operation may be completed */
    const struct trace_site *site;       /* of the use; NULL: unknown */
};

static const struct finding_call *use_call(const struct finding *finding)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        if (finding->call[i].found && finding->call[i].subject_seq)
            return &finding->call[i];
    return NULL;
}

bool remedy_wait_fits(const struct finding *finding)
{
    return finding->rule == &rule_table[RULE_BUFFER] && finding->remedy == REMEDY_OF_RULE &&
           !finding->tried && use_call(finding);
}

static enum core_status use_read(const struct check_input *input, const struct finding *finding,
                                 struct use *out_use)
{
    struct trace *trace = input->trace;
    struct use use = {.call = use_call(finding)};
    CORE_CHECK(use.call);
    int32_t at = use.call->found_at;
    enum core_status status =
        trace_event_get(trace, use.call->rank, use.call->subject_seq, &use.operation);

    if (status == CORE_OK)
        status = trace_event_get(trace, use.call->rank, use.call->seq, &use.found);
    if (at > 0 && (uint32_t)at < trace->site_count && trace->site[at].file &&
        trace->site[at].line > 0)
        use.site = &trace->site[at];
    *out_use = use;
    return status;
}

/* Writes where the call goes: "before a.c:17, and behind MPI_Isend (a.c:15)". */
static enum core_status where_write(const struct trial *trial, const struct use *use, FILE *file)
{
    bool further = use->behind.seq != use->operation.seq;

    if (!use->site)
        fputs("right behind it", file);
    else
        fprintf(file, "before %s:%d%s", use->site->file, use->site->line,
                further ? ", and behind " : "");
    CORE_CHECK(use->site || !further);
    return further ? trial_call_write(trial, use->behind.rank, use->behind.seq, file) : CORE_OK;
}

/* Keeps the change as a move of the line that completes the operation now, if that is a call for it
 * alone. */
static enum core_status move_keep(const struct trace *trace, const struct use *use,
                                  const struct trace_event *completes, struct finding_move *move)
{
    const struct trace_site *start = &trace->site[use->behind.site],
                            *end = &trace->site[completes->site];
    const char *path = use->site ? use->site->path : start->path;
    int before = use->site ? use->site->line : start->line + 1;

    CORE_CHECK(!move->path);
    if (!path || !start->path || !end->path || strcmp(path, end->path) != 0 ||
        strcmp(path, start->path) != 0 || before <= start->line || end->line <= before)
        return CORE_OK;
    *move = (struct finding_move){.path = strdup(path),
                                  .call = strdup(trace->call[completes->call].name),
                                  .line = end->line,
                                  .before = before,
                                  .completes = true};
    return move->path && move->call ? CORE_OK
                                    : core_report(CORE_NO_MEMORY, "out of memory for a remedy");
}

/* --- a wait ----------------------------------------------------------------------------------- */

static bool makes_request(const struct replay_op *op)
{
    return op->kind == REPLAY_ISEND || op->kind == REPLAY_IRECV || op->kind == REPLAY_ICOLL;
}

/* Finds the operation that waits for the request; op_count: none that would stay as it is. */
static uint32_t wait_find(const struct replay_rank *of, uint32_t from, int32_t request)
{
    CORE_CHECK(request >= 0 && makes_request(&of->op[from]));
    for (uint32_t i = from + 1; i < of->op_count; i++) {
        const struct replay_op *op = &of->op[i];
        bool one = op->kind == REPLAY_WAIT || op->kind == REPLAY_CANCEL || op->kind == REPLAY_FREE,
             set = op->kind == REPLAY_WAIT_ALL || op->kind == REPLAY_WAIT_ANY ||
                   op->kind == REPLAY_WAIT_SOME || op->kind == REPLAY_TEST;
        if (one && op->request == request)
            return op->kind == REPLAY_WAIT ? i : of->op_count;
        for (uint32_t k = 0; set && k < of->set[op->request].count; k++)
            if (of->member[of->set[op->request].first + k] == request)
                return op->kind == REPLAY_WAIT_ALL ? i : of->op_count;
    }
    return of->op_count;
}

/* Adds a WAIT_ALL without the requests that are waited for before it. `waited`: by request. */
static enum core_status wait_rest(const struct replay_rank *from, const bool *waited,
                                  const struct replay_op *op, struct replay_program *to,
                                  uint32_t rank)
{
    const struct replay_set *set = &from->set[op->request];
    struct replay_op rest = *op;
    int32_t *left;
    uint32_t count = 0;
    enum core_status status = CORE_ARRAY_NEW(left, set->count + 1ul, "a remedy");

    CORE_CHECK(op->kind == REPLAY_WAIT_ALL);
    for (uint32_t i = 0; i < set->count && status == CORE_OK; i++)
        if (!waited[from->member[set->first + i]])
            left[count++] = from->member[set->first + i];
    if (status == CORE_OK && count < set->count)
        status = replay_program_set(to, rank, left, count, -1, &rest.request);
    if (status == CORE_OK)
        status = replay_program_add(to, rank, &rest);
    free(left);
    return status;
}

/* Returns the last operation of the call that made the operation. */
static uint32_t call_end(const struct replay_rank *of, uint32_t op)
{
    while (op + 1 < of->op_count && of->op[op + 1].event == of->op[op].event)
        op++;
    return op;
}

/* Copies the operations of a rank; each operation of the place is waited for after `gap` further
 * ones, if that is before its wait. *out_can false: what waits for one of them also waits for
 * others that may be complete instead. */
static enum core_status rank_wait(const struct trial *trial, uint32_t rank, int32_t site,
                                  uint32_t gap, struct replay_program *to, bool *out_can)
{
    const struct replay_rank *from = &trial->program->rank[rank];
    uint32_t *behind; /* by operation: the one waited for behind it, plus 1; the last at the end */
    bool *waited = NULL;
    enum core_status status = CORE_ARRAY_NEW(behind, from->op_count + 1ul, "a remedy");

    CORE_CHECK(site > 0 && rank < to->rank_count);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(waited, (uint64_t)from->request_count + 1, "a remedy");
    for (uint32_t i = 0; status == CORE_OK && i < from->op_count; i++) {
        struct replay_op op = from->op[i];
        if (makes_request(&op) && trial->site[rank][i] == site) {
            uint32_t wait = wait_find(from, i, op.request);
            *out_can = *out_can && wait < from->op_count;
            uint32_t last = call_end(from, i + gap);
            if (*out_can && last + 1 < wait) {
                *out_can = !behind[last];
                behind[last] = i + 1;
            }
        }
        if (op.kind == REPLAY_WAIT_ALL)
            status = wait_rest(from, waited, &op, to, rank);
        else if (op.kind != REPLAY_WAIT || !waited[op.request])
            status = replay_program_add(to, rank, &op);
        if (status != CORE_OK || !behind[i])
            continue;
        op = (struct replay_op){.kind = REPLAY_WAIT,
                                .request = from->op[behind[i] - 1].request,
                                .event = from->op[i].event};
        CORE_CHECK(!waited[op.request]); /* invariant 1 */
        waited[op.request] = true;
        status = replay_program_add(to, rank, &op);
    }
    free(waited);
    free(behind);
    return status;
}

static enum core_status wait_try(const struct trial *trial, int32_t site, uint32_t gap,
                                 bool *out_cures)
{
    struct replay_program changed = {0};
    enum core_status status = trial_frame_copy(trial->program, &changed);
    bool can = true;

    *out_cures = false;
    for (uint32_t rank = 0; status == CORE_OK && rank < trial->program->rank_count; rank++) {
        status = trial_sets_copy(&trial->program->rank[rank], &changed, rank);
        if (status == CORE_OK)
            status = rank_wait(trial, rank, site, gap, &changed, &can);
    }
    if (status == CORE_OK && can)
        status = trial_cures(&changed, out_cures);
    replay_program_done(&changed);
    return status;
}

/* Finds the operation, and how many are between it and the call that found the use. False: the
 * operation is none that a single wait completes. */
static bool between_find(const struct trial *trial, const struct use *use, uint32_t *out_at,
                         uint32_t *out_count, uint64_t *out_wait)
{
    const struct replay_rank *of = &trial->program->rank[use->call->rank];
    uint32_t at = of->op_count, next;

    for (uint32_t i = 0; i < of->op_count; i++)
        if (of->op[i].event == use->operation.seq) {
            if (at < of->op_count || !makes_request(&of->op[i]))
                return false;
            at = i;
        }
    if (at == of->op_count)
        return false;
    uint32_t wait = wait_find(of, at, of->op[at].request);
    for (next = at + 1; next < of->op_count && of->op[next].event < use->found.seq;)
        next++;
    if (wait == of->op_count || wait < next)
        return false;
    *out_at = at;
    *out_count = next - at - 1;
    *out_wait = of->op[wait].event;
    return true;
}

static enum core_status wait_word(const struct trial *trial, const struct use *use, uint64_t wait,
                                  struct finding *finding)
{
    char *text = NULL;
    size_t bytes;
    struct trace_event completes;
    FILE *file = open_memstream(&text, &bytes);

    CORE_CHECK(!finding->tried);
    if (!file)
        return core_report(CORE_NO_MEMORY, "out of memory for a remedy");
    fputs("call MPI_Wait for ", file);
    enum core_status status = trial_call_write(trial, use->call->rank, use->operation.seq, file);
    fputc(' ', file);
    if (status == CORE_OK)
        status = where_write(trial, use, file);
    fprintf(file, ": then MPI is done with the buffer, and %s", trial_cure);
    if (status == CORE_OK)
        status = trace_event_get(trial->input->trace, use->call->rank, wait, &completes);
    if (status == CORE_OK && completes.class == EVENT_CLASS_WAIT)
        status = move_keep(trial->input->trace, use, &completes, &finding->move);
    finding->tried = core_text_close(file, &text);
    return status == CORE_OK && !finding->tried
               ? core_report(CORE_NO_MEMORY, "out of memory for a remedy")
               : status;
}

/* Finds the first place from which on the wait cures; UINT32_MAX: there is none. Where the use is
 * unknown, only a wait right behind the operation certainly comes before it. */
static enum core_status places_try(const struct trial *trial, const struct use *use,
                                   uint32_t between, uint32_t *out_gap)
{
    enum core_status status = CORE_OK;
    bool cures = true;

    *out_gap = UINT32_MAX;
    CORE_CHECK(between <= BETWEEN_MAX);
    for (uint32_t gap = use->site ? between + 1 : 1; gap > 0 && status == CORE_OK && cures; gap--) {
        status = wait_try(trial, use->operation.site, gap - 1, &cures);
        *out_gap = cures ? gap - 1 : *out_gap;
    }
    return status;
}

/* Tells whether the use stands behind that call in the source. */
static bool is_behind(const struct trace *trace, const struct use *use)
{
    const struct trace_site *call = &trace->site[use->behind.site];

    return use->behind.seq == use->operation.seq ||
           (use->site && use->site->path && call->path && !strcmp(use->site->path, call->path) &&
            use->site->line > call->line);
}

static enum core_status wait_find_place(const struct check_input *input, struct use *use,
                                        struct finding *finding)
{
    const struct replay_rank *of = &input->program->rank[use->call->rank];
    struct trial trial;
    uint32_t at, between, gap = UINT32_MAX;
    uint64_t wait;
    bool can;
    enum core_status status = trial_open(&trial, input, true, &can);

    if (status == CORE_OK && can && between_find(&trial, use, &at, &between, &wait) &&
        between <= BETWEEN_MAX)
        status = places_try(&trial, use, between, &gap);
    if (status == CORE_OK && gap != UINT32_MAX) {
        status = trace_event_get(input->trace, use->call->rank,
                                 of->op[call_end(of, at + gap)].event, &use->behind);
        if (status == CORE_OK && use->behind.site > 0 && is_behind(input->trace, use))
            status = wait_word(&trial, use, wait, finding);
    }
    trial_close(&trial);
    return status;
}

/* --- a flush ---------------------------------------------------------------------------------- */

/* Finds whether the access lies in a passive epoch at its target, and the first later flush that
 * completes it (seq 0: none). */
static enum core_status epoch_find(struct trace *trace, const struct use *use, bool *out_passive,
                                   struct trace_event *out_flush)
{
    const struct trace_event *access = &use->operation;
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more, held = false, open = true;
    enum core_status status = trace_cursor_open(trace, access->rank, &cursor);

    *out_passive = false;
    *out_flush = (struct trace_event){.seq = 0};
    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, TRAIT_BIT(WINDOW));
    while (open && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        bool names =
            event.win == access->win && (event.peer == EVENT_NONE || event.peer == access->peer);
        if (event.seq == access->seq)
            *out_passive = held;
        if (names && (event.verb == VERB_LOCK || event.verb == VERB_UNLOCK))
            held = event.verb == VERB_LOCK;
        if (event.seq <= access->seq)
            continue;
        if (names && event.class == EVENT_CLASS_RMA_FLUSH)
            *out_flush = event;
        open = held && !out_flush->seq;
    }
    trace_cursor_close(cursor);
    return status;
}

static enum core_status flush_try(const struct check_input *input, const struct use *use,
                                  struct finding *finding)
{
    struct trial trial = {.input = input};
    struct trace_event flush;
    char *text = NULL;
    size_t bytes;
    bool passive;
    CORE_CHECK(!finding->tried && use->operation.class == EVENT_CLASS_RMA);
    enum core_status status = epoch_find(input->trace, use, &passive, &flush);

    if (status != CORE_OK || !passive) /* invariant 2 */
        return status;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return core_report(CORE_NO_MEMORY, "out of memory for a remedy");
    fputs("call MPI_Win_flush for the target of ", file);
    status = trial_call_write(&trial, use->call->rank, use->operation.seq, file);
    fputc(' ', file);
    if (status == CORE_OK)
        status = where_write(&trial, use, file);
    fputs(": it completes the access, and waits for no call of another rank", file);
    if (status == CORE_OK && flush.seq)
        status = move_keep(input->trace, use, &flush, &finding->move);
    finding->tried = core_text_close(file, &text);
    return status == CORE_OK && !finding->tried
               ? core_report(CORE_NO_MEMORY, "out of memory for a remedy")
               : status;
}

enum core_status remedy_try_wait(const struct check_input *input, struct finding *finding)
{
    struct use use;
    enum core_status status = use_read(input, finding, &use);

    CORE_CHECK(remedy_wait_fits(finding) && input->program);
    if (status != CORE_OK)
        return status == CORE_NOT_FOUND ? CORE_OK : status;
    use.behind = use.operation;
    if (use.operation.site <= 0 || input->trace->imported)
        return CORE_OK;
    return use.operation.class == EVENT_CLASS_RMA ? flush_try(input, &use, finding)
                                                  : wait_find_place(input, &use, finding);
}
