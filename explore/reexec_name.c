/* See reexec_inside.h. The job numbers a send by how many sends its thread started before, and a
 * decision by the thread's count of decisions; each is given the place of the call that made it. */
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/table.h"
#include "explore/reexec_inside.h"

enum { ANSWER_UNKNOWN = -2 };

/* Tells whether the job numbers the send: it counts the sends that the rank starts, without
 * MPI_Start. */
static bool may_wait(const struct replay_op *op)
{
    return (op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND) && op->mode != REPLAY_SYNCHRONOUS;
}

enum core_status reexec_sends_number(struct mirror *mirror, uint32_t rank, uint32_t index)
{
    const struct reexec_thread *thread = &mirror->rank[rank].threads.thread[index];
    struct thread_state *state = &mirror->rank[rank].thread[index];
    const struct replay_rank *r = &mirror->program->rank[rank];
    const struct replay_op *op = r->op;
    struct trace_cursor *cursor;
    struct trace_event event;
    uint64_t number = 0;
    uint32_t at = 0, traced = 0;
    bool more = true;
    for (uint32_t i = 0; i < thread->op_count; i++)
        if (may_wait(&op[thread->op[i]]))
            state->sent[state->sent_count++] = thread->op[i];
    if (!state->sent_count)
        return CORE_OK;
    if (r->when)
        traced = r->when[thread->op[0]].thread;
    enum core_status status = trace_cursor_open(mirror->trace, rank, &cursor);
    if (status != CORE_OK)
        return status;
    while (at < state->sent_count &&
           (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        if (event.parent || (r->when && (uint32_t)event.thread != traced))
            continue;
        bool named = event.mode == EVENT_MODE_STANDARD && trait_in(event.traits, TRAIT_SENDS);
        number += named;
        for (; at < state->sent_count && op[state->sent[at]].event <= event.seq; at++)
            state->number[at] = op[state->sent[at]].event == event.seq && named ? number : 0;
    }
    trace_cursor_close(cursor);
    return status;
}

/* Returns the job's number for a send of the world. */
static uint64_t send_in_job(const struct mirror *mirror, int rank, uint32_t number)
{
    const struct rank_state *state = &mirror->rank[rank];
    uint32_t own = 0;
    const struct reexec_thread *thread =
        number ? reexec_threads_of(&state->threads, number, &own) : NULL;
    if (!thread)
        return 0;
    const struct thread_state *of = &state->thread[thread - state->threads.thread];
    uint64_t job = own <= of->sent_count ? of->number[own - 1] : 0;
    return job ? decision_of_thread(thread->number, (uint32_t)job) : 0;
}

enum core_status reexec_events_name(struct mirror *mirror)
{
    struct explore_mirror *out = mirror->out;
    enum core_status status = mirror->status;
    for (uint32_t i = 0; i < out->event_count && status == CORE_OK; i++) {
        struct world_event *e = &out->event[i];
        e->site = 0;
        if (e->kind != WORLD_EVENT_SEND)
            continue;
        e->number = (uint32_t)send_in_job(mirror, e->rank, e->number);
        e->flag |= e->standard && !e->number; /* it has no number */
        e->standard &= e->number != 0;
    }
    return status;
}

static void place_name(const struct mirror *mirror, struct world_decision *d,
                       const struct trace_event *event)
{
    const char *call = mirror->trace->call[event->call].name;
    d->site = (uint64_t)event->site;
    memset(d->call, 0, sizeof d->call);
    strncpy(d->call, call ? call : "", sizeof d->call - 1);
}

struct turns_same { /* turns of one object with the same answer */
    struct turns_same_key {
        int32_t rank;
        uint32_t object;
        int32_t answer;
    } key;
    uint32_t count;
};

/* Counts how many turns with this answer came before; counts this decision too if it is a turn. */
static enum core_status same_before(struct core_table *same, const struct world_decision *d,
                                    uint32_t *out_before)
{
    struct turns_same_key key = {d->rank, d->number - d->place, d->answer};
    struct turns_same *turns;
    enum core_status status = core_table_put(same, &key, A_MIRROR, &turns);
    if (status != CORE_OK)
        return status;
    *out_before = turns->count;
    turns->count += d->place != 0;
    return CORE_OK;
}

/* Records if the order of the two accesses is unknown: it is known only if both complete before the
 * next. */
static void reexec_certain(const struct mirror *mirror, const struct world_decision *d,
                           int32_t other, uint32_t before)
{
    const int32_t answer[] = {d->answer, other};
    uint32_t rank, op;
    for (int i = 0; i < 2 && other != d->answer; i++)
        if (reexec_windows_find(&mirror->windows, d, answer[i], before, &rank, &op))
            mirror->out->windows |= !reexec_windows_certain(&mirror->windows, rank, op);
}

static enum core_status turn_name(const struct mirror *mirror, struct world_decision *d,
                                  const struct world_decision *as_told, uint32_t before)
{
    const struct world_decisions *decisions = &mirror->out->decisions;
    uint32_t rank, op;
    struct trace_event event;
    for (uint32_t i = 0; i < d->option_count; i++)
        reexec_certain(mirror, d, decisions->option[d->option_first + i].answer, before);
    for (uint32_t i = 0; i < decisions->missed_count; i++)
        if (&decisions->decision[decisions->missed[i].decision] == as_told)
            reexec_certain(mirror, d, decisions->missed[i].answer, before);
    if (!reexec_windows_find(&mirror->windows, d, d->answer, before, &rank, &op))
        return CORE_OK;
    enum core_status status =
        trace_event_get(mirror->trace, rank, mirror->program->rank[rank].op[op].event, &event);
    if (status == CORE_OK)
        place_name(mirror, d, &event);
    return status;
}

static enum core_status decision_name(const struct mirror *mirror, struct world_decision *d,
                                      const struct replay_name *name)
{
    const struct replay_rank *rank = &mirror->program->rank[d->rank];
    const struct rank_state *state = &mirror->rank[d->rank];
    bool buffer = d->reason == REPLAY_REASON_BUFFER;
    uint32_t number = buffer ? decision_send(d->number) : d->number, own, index;
    const struct reexec_thread *thread = reexec_threads_of(&state->threads, number, &own);
    struct trace_event event;
    if (!thread || own > thread->op_count) /* it made more than can be numbered */
        return CORE_OK;
    const struct thread_state *of = &state->thread[thread - state->threads.thread];
    index = buffer ? of->sent[own - 1] : of->decided[own];
    CORE_CHECK(index < rank->op_count);
    enum core_status status =
        trace_event_get(mirror->trace, (uint32_t)d->rank, rank->op[index].event, &event);
    if (status != CORE_OK)
        return status;
    bool unknown = !buffer && state->died && !d->given &&
                   (event.pending ||
                    (d->reason == REPLAY_REASON_MATCH && !d->poll && rank->op[index].matched < 0));
    if (unknown) { /* each answer is tried; this job counts as none of them */
        d->answer = ANSWER_UNKNOWN;
        mirror->out->decisions.unknown = true;
    }
    place_name(mirror, d, &event);
    mirror->out->persistent |= name && !d->given && trait_in(event.traits, TRAIT_STARTS);
    return CORE_OK;
}

static uint32_t number_in_job(const struct mirror *mirror, const struct world_decision *d)
{
    if (d->reason != REPLAY_REASON_BUFFER)
        return d->number;
    return decision_of_send((uint32_t)send_in_job(mirror, d->rank, decision_send(d->number)));
}

/* Gives a decision about threads the place of its operation. */
static enum core_status thread_name(const struct mirror *mirror, struct world_decision *d)
{
    const struct replay_rank *rank = &mirror->program->rank[d->rank];
    struct trace_event event;
    uint64_t op = d->site;
    d->site = 0;
    if (!op || op > rank->op_count)
        return CORE_OK;
    enum core_status status =
        trace_event_get(mirror->trace, (uint32_t)d->rank, rank->op[op - 1].event, &event);
    if (status == CORE_OK)
        place_name(mirror, d, &event);
    return status;
}

enum core_status reexec_decisions_name(struct mirror *mirror, const struct replay_policy *policy)
{
    struct explore_mirror *out = mirror->out;
    const struct world_decisions *decisions = out->outcome.decisions;
    struct core_table same = CORE_TABLE(struct turns_same, key);
    out->decisions = *decisions;
    out->outcome.decisions = &out->decisions;
    for (uint32_t r = 0; r < mirror->program->rank_count; r++)
        out->decisions.cut |= mirror->rank[r].refused;
    enum core_status status =
        CORE_ARRAY_NEW(out->decision, decisions->decision_count + 1, A_MIRROR);
    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++) {
        struct world_decision *d = &out->decision[i];
        *d = decisions->decision[i];
        uint32_t number = number_in_job(mirror, d);
        const struct replay_name *name =
            replay_policy_find(&policy->forced, (uint32_t)d->rank, false, number);
        d->given = name && name->source == d->answer;
        uint32_t before;
        status = same_before(&same, &decisions->decision[i], &before);
        if (status != CORE_OK)
            break;
        status = reexec_windows_is(d) ? turn_name(mirror, d, &decisions->decision[i], before)
                 : d->reason == REPLAY_REASON_THREAD ? thread_name(mirror, d)
                                                     : decision_name(mirror, d, name);
        d->number = number;
        if (number == decision_of_send(0)) /* the job does not number it, so it keeps its buffer */
            d->option_count = 1;
    }
    core_table_done(&same);
    out->decisions.decision = out->decision;
    return status;
}
