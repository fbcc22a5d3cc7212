/* Runs ranks on which several threads made calls. A rank has one matching space and one set of
 * requests, but one context per thread: a context runs the thread's operations, and only contexts
 * wait. Contexts are numbered like ranks: the context of a single-threaded rank has the rank's
 * number; the threads of the others follow after the last rank, rank by rank.
 *
 * The record does not show how locks and joins order the threads of a rank. With threads=free only
 * unavoidable dependences order them: a message or request must be made before it is received,
 * cancelled or freed. A deadlock then holds for any run in which each thread makes these calls.
 * With threads=recorded an operation also waits for those that had returned when it began in the
 * recorded run.
 *
 * If two threads send, or receive, with equal envelopes, MPI matches them in the order of posting:
 * the engine posts such operations in the recorded order, and calls a deadlock assumed.
 *
 * Invariants
 *  1. An operation that has to wait for an earlier one of another thread waits for one that began
 *     before it in the recorded run.
 *  2. A context with HOLD_ORDER is on exactly one list (`waiter`), that of one thing for which it
 *     waits, and nothing else wakes it. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/work.h"
#include "replay/logical/run_state.h"

static bool is_threaded(const struct replay_rank *rank)
{
    for (uint32_t i = 1; rank->when && i < rank->op_count; i++)
        if (rank->when[i].thread != rank->when[0].thread)
            return true;
    return false;
}

static struct run_thread_op *ops_of(const struct replay_run *run, uint32_t rank)
{
    return run->threads->op + run->threads->base[rank];
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Numbers the threads of a rank in the order of their first operations, and links the operations of
 * each. seen: by thread number, scratch, all zero. */
static void link_threads(struct replay_run *run, uint32_t rank, uint32_t *seen)
{
    struct run_threads *threads = run->threads;
    const struct replay_rank *program = &run->program->rank[rank];
    struct run_thread_op *op = ops_of(run, rank);

    for (uint32_t i = program->op_count;
         i-- > 0;) { /* seen: the operation after this one, plus 1 */
        uint32_t *next = &seen[program->when[i].thread];
        op[i].next = *next ? *next - 1 : program->op_count;
        *next = i + 1;
    }
    for (uint32_t i = 0; i < program->op_count; i++) {
        uint32_t *first = &seen[program->when[i].thread];
        if (*first == i + 1) { /* the first of its thread */
            threads->rank[threads->count] = rank;
            threads->start[threads->count] = i;
            op[i].thread = threads->count++;
            *first = 0;
        }
        CORE_CHECK(op[i].next > i);
        if (op[i].next < program->op_count)
            op[op[i].next].thread = op[i].thread;
    }
    CORE_CHECK(threads->count > threads->first[rank] + 1); /* is_threaded found several */
}

struct at_leave {
    uint64_t leave;
    uint32_t op;
};

static int at_leave_compare(const void *a, const void *b)
{
    const struct at_leave *x = a, *y = b;
    if (x->leave != y->leave)
        return x->leave < y->leave ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* Finds the recorded order: how many operations had returned when each began. Corrects times that
 * contradict the order of a thread. */
static void order_returns(struct replay_run *run, uint32_t rank, struct at_leave *leave,
                          uint64_t *latest)
{
    const struct replay_rank *program = &run->program->rank[rank];
    struct run_thread_op *op = ops_of(run, rank);
    uint32_t count = program->op_count;

    uint32_t first = run->threads->first[rank];

    memset(latest, 0, (run->threads->count - first) * sizeof *latest);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *last = &latest[op[i].thread - first];
        *last = program->when[i].enter > *last ? program->when[i].enter : *last;
        leave[i] = (struct at_leave){
            .leave = program->when[i].leave > *last ? program->when[i].leave : *last, .op = i};
    }
    qsort(leave, count, sizeof *leave, at_leave_compare);
    for (uint32_t i = 0; i < count; i++)
        op[leave[i].op].place = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = CORE_ARRAY_FIND(at, 0, count, leave[at].leave < program->when[i].enter);
        CORE_CHECK(low <= count && op[i].place < count);
        op[i].need = low;
    }
}

/* Finds the operation of another thread that makes a request which each operation needs. made: by
 * request, scratch. */
static void link_makers(struct replay_run *run, uint32_t rank, uint32_t *made)
{
    const struct replay_rank *program = &run->program->rank[rank];
    struct run_thread_op *op = ops_of(run, rank);

    for (uint32_t i = 0; i < program->op_count; i++) {
        int32_t needed = REPLAY_NO_REQUEST;
        switch ((enum replay_op_kind)program->op[i].kind) {
        case REPLAY_IMRECV:
            needed = program->op[i].tag;
            made[program->op[i].request] = i;
            break;
        case REPLAY_ISEND:
        case REPLAY_IRECV:
        case REPLAY_ICOLL:
        case REPLAY_MPROBE:
            made[program->op[i].request] = i;
            break;
        case REPLAY_MRECV:
        case REPLAY_CANCEL:
        case REPLAY_FREE:
            needed = program->op[i].request;
            break;
        default:
            break;
        }
        CORE_CHECK(needed < 0 ||
                   made[needed] < i); /* invariant 1; replay_program_check ensures it */
        if (needed >= 0 && op[made[needed]].thread != op[i].thread)
            op[i].after = made[needed] + 1;
    }
}

struct envelope { /* of an operation that MPI matches */
    uint32_t op, comm;
    int32_t peer, tag;
    bool receives;
};

static int envelope_compare(const void *a, const void *b)
{
    const struct envelope *x = a, *y = b;
    if (x->receives != y->receives)
        return x->receives ? 1 : -1;
    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static int envelope_compare_op(const void *a, const void *b)
{
    const struct envelope *x = a, *y = b;
    return (x->op > y->op) - (x->op < y->op);
}

/* Chains operations that compete for messages in recorded order: each waits for the previous one if
 * another thread makes that. */
static void run_threads_chain(struct replay_run *run, uint32_t rank,
                              const struct envelope *envelope, uint32_t count)
{
    struct run_thread_op *op = ops_of(run, rank);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t before = envelope[i - 1].op, at = envelope[i].op;
        if (op[before].thread == op[at].thread)
            continue;
        CORE_CHECK(before < at); /* invariant 1 */
        op[at].after = before + 1;
        if (!run->threads->contended) {
            run->threads->contended = true;
            run->threads->contended_rank = rank;
            run->threads->contended_op = at;
        }
    }
}

static bool takes_message(const struct replay_op *op)
{
    return op->kind == REPLAY_RECV || op->kind == REPLAY_IRECV || op->kind == REPLAY_MPROBE;
}

/* Chains the competing operations of a rank. any_tag: by communicator, whether any receive of the
 * program takes any tag; own: scratch, the same for this rank. */
static void link_contended(struct replay_run *run, uint32_t rank, const bool *any_tag, bool *own,
                           struct envelope *envelope)
{
    const struct replay_rank *program = &run->program->rank[rank];
    uint32_t count = 0;

    memset(own, 0, run->program->comm_count * sizeof *own);
    for (uint32_t i = 0; i < program->op_count; i++)
        own[program->op[i].comm] |=
            takes_message(&program->op[i]) && program->op[i].tag == REPLAY_ANY;
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct replay_op *op = &program->op[i];
        bool receives = takes_message(op),
             sends = op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND;
        if ((!receives && !sends) || op->peer == REPLAY_PROC_NULL)
            continue;
        bool one_tag = receives ? own[op->comm] : any_tag[op->comm];
        envelope[count++] = (struct envelope){.op = i,
                                              .comm = op->comm,
                                              .peer = op->peer,
                                              .tag = one_tag ? REPLAY_ANY : op->tag,
                                              .receives = receives};
    }
    CORE_CHECK(count <= program->op_count);
    qsort(envelope, count, sizeof *envelope, envelope_compare);
    for (uint32_t i = 0, end; i < count; i = end) {
        bool any_source = false;
        for (end = i;
             end < count && envelope[end].receives == envelope[i].receives &&
             envelope[end].comm == envelope[i].comm && envelope[end].tag == envelope[i].tag;
             end++)
            any_source |= envelope[end].peer == REPLAY_ANY;
        if (any_source) {
            qsort(envelope + i, end - i, sizeof *envelope, envelope_compare_op);
            run_threads_chain(run, rank, envelope + i, end - i);
            continue;
        }
        for (uint32_t first = i, last; first < end; first = last) {
            for (last = first; last < end && envelope[last].peer == envelope[first].peer;)
                last++;
            run_threads_chain(run, rank, envelope + first, last - first);
        }
    }
}

/* Counts what has to be allocated; false: no rank has several threads. */
static bool count_threads(const struct replay_program *program, uint64_t *out_ops,
                          uint32_t *out_ops_max, uint32_t *out_requests_max, uint64_t *out_threads)
{
    bool any = false;
    *out_ops = *out_threads = 0;
    *out_ops_max = *out_requests_max = 0;
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        const struct replay_rank *r = &program->rank[rank];
        if (!is_threaded(r))
            continue;
        any = true;
        *out_ops += r->op_count;
        *out_threads += r->op_count < REPLAY_THREADS_MAX ? r->op_count : REPLAY_THREADS_MAX;
        if (r->op_count > *out_ops_max)
            *out_ops_max = r->op_count;
        if ((uint32_t)r->request_count > *out_requests_max)
            *out_requests_max = (uint32_t)r->request_count;
    }
    return any;
}

struct scratch {
    uint32_t *seen, *made;
    struct at_leave *leave;
    uint64_t *latest;
    struct envelope *envelope;
    bool *any_tag, *own;
};

static void link_all(struct replay_run *run, struct scratch *scratch)
{
    const struct replay_program *program = run->program;
    struct run_threads *threads = run->threads;
    uint64_t base = 0;

    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        for (uint32_t i = 0; i < program->rank[rank].op_count; i++) {
            const struct replay_op *op = &program->rank[rank].op[i];
            scratch->any_tag[op->comm] |=
                op->tag == REPLAY_ANY && (takes_message(op) || op->kind == REPLAY_PROBE);
        }
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        threads->first[rank] = threads->count;
        threads->base[rank] = base;
        if (!is_threaded(&program->rank[rank]))
            continue;
        base += program->rank[rank].op_count;
        link_threads(run, rank, scratch->seen);
        order_returns(run, rank, scratch->leave, scratch->latest);
        link_contended(run, rank, scratch->any_tag, scratch->own, scratch->envelope);
        link_makers(run, rank, scratch->made);
    }
    threads->first[program->rank_count] = threads->count;
    CORE_CHECK(base == threads->op_count); /* operations of multithreaded ranks */
}

enum core_status run_threads_open(struct replay_run *run)
{
    const struct replay_program *program = run->program;
    uint64_t ops, count;
    uint32_t ops_max, requests_max, ranks = program->rank_count;
    struct scratch scratch = {0};

    if (!count_threads(program, &ops, &ops_max, &requests_max, &count))
        return CORE_OK;
    struct run_threads *threads = run->threads = calloc(1, sizeof *threads);
    if (threads) {
        threads->first = calloc((size_t)ranks + 1, sizeof *threads->first);
        threads->base = calloc(ranks, sizeof *threads->base);
        threads->frontier = calloc(ranks, sizeof *threads->frontier);
        threads->looking = calloc(ranks, sizeof *threads->looking);
        threads->looking_last = calloc(ranks, sizeof *threads->looking_last);
        threads->look_link = calloc(count, sizeof *threads->look_link);
        threads->ready = calloc(count, sizeof *threads->ready);
        threads->waiter = calloc(ops, 2 * sizeof *threads->waiter);
        threads->waiter_next = calloc(count, sizeof *threads->waiter_next);
        threads->rank = calloc(count, sizeof *threads->rank);
        threads->start = calloc(count, sizeof *threads->start);
        threads->op = calloc(ops, sizeof *threads->op);
        threads->passed = calloc(ops, 2);
        threads->awaiter = calloc(run->request_count + 1, sizeof *threads->awaiter);
        threads->op_count = ops;
    }
    scratch = (struct scratch){.seen = calloc(REPLAY_THREADS_MAX, sizeof *scratch.seen),
                               .made = calloc((size_t)requests_max + 1, sizeof *scratch.made),
                               .leave = malloc(ops_max * sizeof *scratch.leave),
                               .latest = malloc(count * sizeof *scratch.latest),
                               .envelope = malloc(ops_max * sizeof *scratch.envelope),
                               .any_tag = calloc(program->comm_count, sizeof *scratch.any_tag),
                               .own = calloc(program->comm_count, sizeof *scratch.own)};
    bool made = threads && threads->first && threads->base && threads->frontier &&
                threads->looking && threads->looking_last && threads->look_link && threads->ready &&
                threads->waiter && threads->waiter_next && threads->rank && threads->start &&
                threads->op && threads->passed && threads->awaiter && scratch.seen &&
                scratch.made && scratch.leave && scratch.latest && scratch.envelope &&
                scratch.any_tag && scratch.own;
    if (made)
        link_all(run, &scratch);
    free(scratch.seen);
    free(scratch.made);
    free(scratch.leave);
    free(scratch.latest);
    free(scratch.envelope);
    free(scratch.any_tag);
    free(scratch.own);
    return made ? CORE_OK : CORE_NO_MEMORY; /* the caller reports */
}

void run_threads_done(struct replay_run *run)
{
    struct run_threads *threads = run->threads;
    if (!threads)
        return;
    free(threads->first);
    free(threads->base);
    free(threads->frontier);
    free(threads->looking);
    free(threads->looking_last);
    free(threads->look_link);
    free(threads->ready);
    free(threads->waiter);
    free(threads->waiter_next);
    free(threads->rank);
    free(threads->start);
    free(threads->op);
    free(threads->passed);
    free(threads->awaiter);
    free(threads);
}

/* --- running ---------------------------------------------------------------------------------- */

void run_threads_start(struct replay_run *run)
{
    struct run_threads *threads = run->threads;
    uint32_t ranks = run->program->rank_count;

    CORE_CHECK(threads->first[ranks] == threads->count);
    memset(threads->passed, 0, 2 * threads->op_count);
    memset(threads->frontier, 0, ranks * sizeof *threads->frontier);
    memset(threads->looking, 0, ranks * sizeof *threads->looking);
    memset(threads->looking_last, 0, ranks * sizeof *threads->looking_last);
    memset(threads->waiter, 0, 2 * threads->op_count * sizeof *threads->waiter);
    for (uint32_t i = 0; i < threads->count; i++) {
        struct rank_state *of_rank = &run->state[threads->rank[i]];
        run->state[ranks + i] =
            (struct rank_state){.request = of_rank->request, .pc = threads->start[i], .forced = -1};
        of_rank->hold = HOLD_END; /* the context of the rank itself is unused */
    }
}

bool run_threads_passed(const struct replay_run *run, uint32_t rank, uint32_t op)
{
    CORE_CHECK_HOT(op < run->program->rank[rank].op_count);
    return run->threads->passed[run->threads->base[rank] + op];
}

/* Tells whether the operation has begun: a blocking send or receive is posted long before it
 * completes. */
static bool has_begun(const struct replay_run *run, uint32_t rank, uint32_t op)
{
    const struct rank_state *state = &run->state[run_context(run, rank, op)];
    return run_threads_passed(run, rank, op) || (state->pc == op && state->hold == HOLD_MESSAGE);
}

bool run_threads_may_begin(const struct replay_run *run, uint32_t rank, uint32_t index)
{
    const struct run_threads *threads = run->threads;
    const struct run_thread_op *op = &ops_of(run, rank)[index];
    CORE_CHECK_HOT(op->after <= index); /* invariant 1 */
    if (run->policy->threads == REPLAY_THREADS_RECORDED && op->need > threads->frontier[rank])
        return false;
    return !op->after || has_begun(run, rank, op->after - 1);
}

/* Puts a context on the list of the first thing that it waits for; false: it waits for nothing. */
static bool await_first(struct replay_run *run, uint32_t rank, uint32_t thread)
{
    struct run_threads *threads = run->threads;
    uint32_t index = run->state[run->program->rank_count + thread].pc;
    const struct run_thread_op *op = &ops_of(run, rank)[index];
    uint32_t *list = threads->waiter + threads->base[rank];

    if (op->after && !has_begun(run, rank, op->after - 1))
        list += op->after - 1;
    else if (!run_threads_may_begin(run, rank, index))
        list += threads->op_count + op->need - 1;
    else
        return false;
    core_work(1);
    threads->waiter_next[thread] = *list;
    *list = thread + 1;
    return true;
}

void run_threads_await(struct replay_run *run, uint32_t context)
{
    uint32_t thread = context - run->program->rank_count;

    run->state[context].hold = HOLD_ORDER;
    CORE_CHECK(await_first(run, run->threads->rank[thread], thread)); /* invariant 2 */
}

/* Empties a list. Contexts that wait for nothing else join `ready`, which holds so many entries;
 * returns the new number. */
static uint32_t run_threads_release(struct replay_run *run, uint32_t rank, uint32_t *list,
                                    uint32_t ready)
{
    struct run_threads *threads = run->threads;
    uint32_t at = *list;

    *list = 0;
    for (uint32_t next; at; at = next) {
        next = threads->waiter_next[at - 1];
        CORE_CHECK(run->state[run->program->rank_count + at - 1].hold == HOLD_ORDER);
        if (!await_first(run, rank, at - 1))
            threads->ready[ready++] = at - 1;
    }
    return ready;
}

static int number_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Wakes the ready contexts in ascending order, whichever waited first. */
static void wake_ready(struct replay_run *run, uint32_t ready)
{
    if (ready > 1)
        qsort(run->threads->ready, ready, sizeof *run->threads->ready, number_compare);
    for (uint32_t i = 0; i < ready; i++)
        run_wake(run, run->program->rank_count + run->threads->ready[i]);
}

void run_threads_begun(struct replay_run *run, uint32_t rank, uint32_t op)
{
    uint32_t *list = run->threads->waiter + run->threads->base[rank] + op;

    if (*list && has_begun(run, rank, op))
        wake_ready(run, run_threads_release(run, rank, list, 0));
}

void run_threads_look(struct replay_run *run, uint32_t context)
{
    struct run_threads *threads = run->threads;
    uint32_t thread = context - run->program->rank_count, rank = threads->rank[thread];
    uint32_t before = threads->looking_last[rank];

    for (; before > thread + 1; core_work(1))
        before = threads->look_link[before - 1].before;
    CORE_CHECK(before != thread + 1);
    uint32_t *after = before ? &threads->look_link[before - 1].after : &threads->looking[rank];
    threads->look_link[thread] = (struct run_thread_link){before, *after};
    *(*after ? &threads->look_link[*after - 1].before : &threads->looking_last[rank]) = thread + 1;
    *after = thread + 1;
}

void run_threads_look_no_more(struct replay_run *run, uint32_t context)
{
    struct run_threads *threads = run->threads;
    uint32_t thread = context - run->program->rank_count, rank = threads->rank[thread];
    struct run_thread_link link = threads->look_link[thread];

    *(link.before ? &threads->look_link[link.before - 1].after : &threads->looking[rank]) =
        link.after;
    *(link.after ? &threads->look_link[link.after - 1].before : &threads->looking_last[rank]) =
        link.before;
}

void run_threads_pass(struct replay_run *run, uint32_t rank, struct rank_state *state)
{
    struct run_threads *threads = run->threads;
    const struct run_thread_op *op = ops_of(run, rank);
    uint8_t *returned = threads->passed + threads->op_count + threads->base[rank];
    uint32_t *waiter = threads->waiter + threads->base[rank];
    uint32_t index = state->pc, *frontier = &threads->frontier[rank], ready,
             count = run->program->rank[rank].op_count;

    CORE_CHECK_HOT(index < count && !threads->passed[threads->base[rank] + index]);
    CORE_CHECK_HOT(!returned[op[index].place]); /* places are unique */
    threads->passed[threads->base[rank] + index] = 1;
    returned[op[index].place] = 1;
    CORE_CHECK_HOT(op[index].next > index && op[index].next <= count);
    state->pc = op[index].next;
    uint32_t first = *frontier;
    while (*frontier < count && returned[*frontier])
        ++*frontier;
    ready = run_threads_release(run, rank, &waiter[index], 0);
    for (uint32_t place = first; place < *frontier; place++)
        ready = run_threads_release(run, rank, &waiter[threads->op_count + place], ready);
    wake_ready(run, ready);
}

/* --- what is known of them -------------------------------------------------------------------- */

uint32_t run_threads_first_unpassed(const struct replay_run *run, uint32_t rank)
{
    uint32_t first = run->program->rank[rank].op_count;
    for (uint32_t i = run->threads->first[rank]; i < run->threads->first[rank + 1]; i++) {
        uint32_t pc = run->state[run->program->rank_count + i].pc;
        first = pc < first ? pc : first;
    }
    return first;
}

/* Lists the contexts whose operations an operation under HOLD_ORDER waits for. */
uint32_t run_threads_awaited(const struct replay_run *run, uint32_t rank, uint32_t index,
                             uint32_t *out_context, uint32_t room)
{
    const struct run_threads *threads = run->threads;
    const struct run_thread_op *op = ops_of(run, rank);
    uint32_t count = 0;

    if (op[index].after && !has_begun(run, rank, op[index].after - 1) && room)
        out_context[count++] = run_context(run, rank, op[index].after - 1);
    for (uint32_t i = threads->first[rank];
         i < threads->first[rank + 1] && run->policy->threads == REPLAY_THREADS_RECORDED; i++) {
        uint32_t pc = run->state[run->program->rank_count + i].pc;
        if (pc < run->program->rank[rank].op_count && op[pc].place < op[index].need && count < room)
            out_context[count++] = run->program->rank_count + i;
    }
    return count;
}
