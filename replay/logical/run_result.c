/* Collects the result of a run: who waits for whom, and what is left over. Only this file traces
 * requests back to the operations that made them, so a run that finishes does not pay for it. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"
#include "replay/logical/run_state.h"

/* Limits how many missing members of a collective become clauses: fewer clauses claim less, never
 * more. */
enum { MISSING_MAX = 64 };

struct conclusion {
    struct replay_run *run;
    struct replay_waitfor *waitfor;
    uint32_t *maker; /* for the current rank: request -> operation */
    uint32_t maker_room;
    uint32_t *any_first,
        *any_count; /* by communicator: the shared list of MPI_ANY_SOURCE; count 0: not made yet */
    uint32_t coll_comm,
        coll_number; /* the collective whose members `missing` lists; comm UINT32_MAX: none */
    uint32_t *missing;
    uint32_t missing_count;
    enum core_status status;
};

const char *replay_outcome_text(enum replay_outcome outcome)
{
    static const char *const text[] = {"finished", "deadlock", "cannot say"};
    _Static_assert(sizeof text / sizeof *text == REPLAY_OUTCOME_COUNT, "a text per outcome");
    return (unsigned)outcome < REPLAY_OUTCOME_COUNT ? text[outcome] : NULL;
}

void replay_result_done(struct replay_result *result)
{
    if (!result)
        return;
    replay_waitfor_done(&result->waitfor);
    free(result->leftover);
    free(result->error);
    *result = (struct replay_result){0};
}

static void run_result_clause(struct conclusion *c, uint32_t op, bool any)
{
    if (c->status == CORE_OK)
        c->status = replay_waitfor_clause(c->waitfor, op, any);
}

static void run_result_peer(struct conclusion *c, uint32_t node)
{
    if (c->status == CORE_OK)
        c->status = replay_waitfor_peer(c->waitfor, node);
}

/* Adds the threads of a rank that still have to do the operation; adds the rank itself if there are
 * none, or if its unrecorded acts may matter. */
typedef bool (*wanted_fn)(const struct replay_op *op, const void *context);
static void thread_peers(struct conclusion *c, uint32_t rank, wanted_fn wanted, const void *context)
{
    const struct replay_run *run = c->run;
    const struct replay_rank *program = &run->program->rank[rank];
    uint32_t added = 0, none = UINT32_MAX;

    CORE_CHECK(rank < run->program->rank_count);
    for (uint32_t i = run_is_threaded(run, rank) && program->end == REPLAY_END_FINISHED
                          ? run->threads->first[rank]
                          : none;
         i != none && i < run->threads->first[rank + 1]; i++) {
        const struct rank_state *state = &run->state[run->program->rank_count + i];
        const struct run_thread_op *op = run->threads->op + run->threads->base[rank];
        uint32_t at = state->pc;
        if (at < program->op_count && state->hold == HOLD_MESSAGE) /* already posted */
            at = op[at].next;
        while (at < program->op_count && !wanted(&program->op[at], context))
            at = op[at].next;
        if (at == program->op_count)
            continue;
        run_result_peer(c, run->program->rank_count + i);
        added++;
    }
    if (!added)
        run_result_peer(c, rank);
}

static bool is_coll(const struct replay_op *op, const void *context)
{
    const struct replay_op *mine = context;
    return (op->kind == REPLAY_COLL || op->kind == REPLAY_ICOLL) && op->comm == mine->comm &&
           op->tag == mine->tag;
}

struct meeting { /* a waiting message operation and its rank */
    const struct replay_op *op;
    uint32_t rank;
};

static bool run_result_meets(const struct replay_op *op, const void *context)
{
    const struct meeting *meeting = context;
    CORE_CHECK(meeting->op->peer != REPLAY_PROC_NULL); /* such an operation does not wait */
    bool sends = op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND,
         waits = meeting->op->kind == REPLAY_SEND || meeting->op->kind == REPLAY_ISEND;
    bool receives =
        op->kind == REPLAY_RECV || op->kind == REPLAY_IRECV || op->kind == REPLAY_MPROBE;
    const struct replay_op *receive = waits ? op : meeting->op, *send = waits ? meeting->op : op;
    return (waits ? receives : sends) && op->comm == meeting->op->comm &&
           (waits ? matching_accepts(op->peer, (int32_t)meeting->rank)
                  : op->peer == (int32_t)meeting->rank) &&
           matching_accepts(receive->tag, send->tag);
}

/* --- collectives ------------------------------------------------------------------------------ */

static bool has_entered(const struct replay_run *run, uint32_t rank, uint32_t comm, int32_t number)
{
    const struct replay_rank *program = &run->program->rank[rank];
    bool threaded = run_is_threaded(run, rank);
    uint32_t end =
        threaded ? program->op_count : run->state[rank].pc + (run->state[rank].hold == HOLD_COLL);
    for (uint32_t i = end; i-- > 0;) {
        if ((program->op[i].kind != REPLAY_COLL && program->op[i].kind != REPLAY_ICOLL) ||
            program->op[i].comm != comm || program->op[i].tag != number)
            continue;
        const struct rank_state *state = &run->state[run_context(run, rank, i)];
        return !threaded || run_passed(run, rank, i) ||
               (state->pc == i && state->hold == HOLD_COLL);
    }
    return false;
}

/* Puts all members that have not entered into c->missing. */
static void find_missing(struct conclusion *c, uint32_t comm, int32_t number)
{
    const struct replay_comm *members = &c->run->program->comm[comm];
    uint32_t count = members->member ? members->count : c->run->program->rank_count;

    if (c->coll_comm == comm && c->coll_number == (uint32_t)number)
        return;
    c->coll_comm = comm;
    c->coll_number = (uint32_t)number;
    c->missing_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = members->member ? (uint32_t)members->member[i] : i;
        if (!has_entered(c->run, rank, comm, number))
            c->missing[c->missing_count++] = rank;
        CORE_CHECK(c->missing_count <= c->run->program->rank_count); /* each member once */
    }
}

static uint32_t index_in(const struct replay_comm *comm, uint32_t rank)
{
    for (uint32_t i = 0; comm->member && i < comm->count; i++)
        if (comm->member[i] == (int32_t)rank)
            return i;
    return rank;
}

/* Tells whether `rank`, waiting in op, needs `other` to enter. */
static bool run_result_needs(const struct conclusion *c, const struct replay_op *op, uint32_t rank,
                             uint32_t other)
{
    const struct replay_comm *comm = &c->run->program->comm[op->comm];
    if (c->run->policy->coll != REPLAY_RELAXED)
        return true;
    switch ((enum replay_coll_shape)op->mode) {
    case REPLAY_COLL_FROM_ROOT:
        return other == (uint32_t)op->peer;
    case REPLAY_COLL_PREFIX:
        return index_in(comm, other) < index_in(comm, rank);
    case REPLAY_COLL_ALL_TO_ALL:
    case REPLAY_COLL_TO_ROOT:
        return !comm->remote ||
               (index_in(comm, other) < comm->remote) != (index_in(comm, rank) < comm->remote);
    }
    return true;
}

static void coll_clauses(struct conclusion *c, uint32_t rank, uint32_t op_index, bool first_only)
{
    const struct replay_op *op = &c->run->program->rank[rank].op[op_index];
    uint32_t listed = 0;

    CORE_CHECK(op->kind == REPLAY_COLL || op->kind == REPLAY_ICOLL);
    CORE_CHECK(!first_only || c->status != CORE_OK || c->waitfor->clause_count > 0);
    find_missing(c, op->comm, op->tag);
    for (uint32_t i = 0; i < c->missing_count && listed < (first_only ? 1 : MISSING_MAX); i++)
        if (run_result_needs(c, op, rank, c->missing[i])) {
            if (!first_only)
                run_result_clause(c, op_index, false);
            thread_peers(c, c->missing[i], is_coll, op);
            listed++;
        }
}

/* --- one that is blocked ---------------------------------------------------------------------- */

/* Adds the members of a communicator to the current, empty clause; all clauses share one list. */
static void any_peers(struct conclusion *c, uint32_t comm)
{
    struct replay_waitfor *waitfor = c->waitfor;
    const struct replay_comm *members = &c->run->program->comm[comm];
    uint32_t count = members->member ? members->count : c->run->program->rank_count;

    if (c->status != CORE_OK)
        return;
    CORE_CHECK(waitfor->clause_count > 0);
    struct replay_clause *current = &waitfor->clause[waitfor->clause_count - 1];
    if (c->any_count[comm] && current->count == 0) {
        CORE_CHECK(c->any_first[comm] + c->any_count[comm] <= waitfor->peer_count);
        current->first = c->any_first[comm];
        current->count = c->any_count[comm];
        return;
    }
    bool whole = current->count == 0;
    uint32_t first = waitfor->peer_count;
    for (uint32_t i = 0; i < count; i++)
        run_result_peer(c, members->member ? (uint32_t)members->member[i] : i);
    if (whole && c->status == CORE_OK) {
        c->any_first[comm] = first;
        c->any_count[comm] = count;
    }
}

/* Adds the ranks that can complete a send or receive to the current clause. */
static void message_peers(struct conclusion *c, uint32_t rank, const struct replay_op *op)
{
    if (op->peer == REPLAY_ANY)
        any_peers(c, op->comm);
    else if (op->peer >= 0)
        thread_peers(c, (uint32_t)op->peer, run_result_meets,
                     &(struct meeting){.op = op, .rank = rank});
}

static void message_clause(struct conclusion *c, uint32_t rank, const struct replay_op *op,
                           uint32_t index)
{
    run_result_clause(c, index, op->peer == REPLAY_ANY);
    message_peers(c, rank, op);
}

static void find_makers(struct conclusion *c, uint32_t rank)
{
    const struct replay_rank *program = &c->run->program->rank[rank];
    if ((uint32_t)program->request_count > c->maker_room) {
        free(c->maker);
        c->maker = malloc((size_t)program->request_count * sizeof *c->maker);
        c->maker_room = c->maker ? (uint32_t)program->request_count : 0;
        if (!c->maker) {
            c->status = core_report(CORE_NO_MEMORY, "out of memory for the wait-for graph");
            return;
        }
    }
    uint32_t end = run_is_threaded(c->run, rank) ? program->op_count : c->run->state[rank].pc;
    for (uint32_t i = 0; i < end; i++)
        switch (program->op[i].kind) {
        case REPLAY_ISEND:
        case REPLAY_IRECV:
        case REPLAY_ICOLL:
        case REPLAY_MPROBE:
        case REPLAY_IMRECV:
            c->maker[program->op[i].request] = i;
            break;
        default:
            break;
        }
}

/* Returns the operation that made a request; find_makers was called. */
static uint32_t maker_of(const struct conclusion *c, uint32_t rank, int32_t request)
{
    const struct replay_rank *program = &c->run->program->rank[rank];
    CORE_CHECK(request >= 0 && request < program->request_count);
    CORE_CHECK(c->maker[request] < program->op_count);
    CORE_CHECK(program->op[c->maker[request]].request == request);
    return c->maker[request];
}

static void request_clause(struct conclusion *c, uint32_t rank, int32_t request)
{
    if (run_request_is_done(c->run, rank, request))
        return;
    uint32_t index = maker_of(c, rank, request);
    const struct replay_op *op = &c->run->program->rank[rank].op[index];
    CORE_CHECK(op->kind != REPLAY_MPROBE);  /* no call waits for a message itself */
    if (!run_passed(c->run, rank, index)) { /* another thread has not yet made it */
        run_result_clause(c, index, false);
        run_result_peer(c, run_context(c->run, rank, index));
    } else if (op->kind == REPLAY_ICOLL)
        coll_clauses(c, rank, index, false);
    else
        message_clause(c, rank, op, index);
}

static void any_clause(struct conclusion *c, uint32_t rank, uint32_t pc,
                       const struct replay_set *set)
{
    const struct replay_rank *program = &c->run->program->rank[rank];
    bool any = false;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct replay_op *op =
            &program->op[maker_of(c, rank, program->member[set->first + i])];
        any |= op->kind == REPLAY_IRECV && op->peer == REPLAY_ANY;
    }
    run_result_clause(c, pc, any);
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t index = maker_of(c, rank, program->member[set->first + i]);
        const struct replay_op *op = &program->op[index];
        if (!run_passed(c->run, rank, index))
            run_result_peer(c, run_context(c->run, rank, index));
        else if (op->kind == REPLAY_ICOLL)
            coll_clauses(c, rank, index,
                         true); /* one missing member proves that it is incomplete */
        else
            message_peers(c, rank, op);
    }
}

static void detach_clauses(struct conclusion *c, uint32_t rank)
{
    bool is_receive;
    for (uint32_t at = matching_next(&c->run->match, MATCHING_NONE, &is_receive); at;
         at = matching_next(&c->run->match, at, &is_receive)) {
        struct matching_key key;
        uint32_t index;
        if (is_receive)
            continue;
        run_entry(c->run, at, &key, &index);
        if (key.from == (int32_t)rank &&
            c->run->program->rank[rank].op[index].mode == REPLAY_BUFFERED) {
            run_result_clause(c, index, false);
            run_result_peer(c, key.to);
        }
    }
}

static void lock_clauses(struct conclusion *c, uint32_t rank, uint32_t pc)
{
    const struct replay_run *run = c->run;
    const struct replay_op *op = &run->program->rank[rank].op[pc];
    for (uint32_t i = 1; i <= run->lock_count; i++) {
        const struct lock_state *lock = &run->lock[i];
        bool same = lock->target == (uint32_t)op->peer;
        bool all = op->peer < 0 ? lock->exclusive
                                : op->mode == REPLAY_LOCK_EXCLUSIVE && lock->target == RUN_LOCK_ALL;
        if (lock->comm != op->comm || (!same && !all))
            continue;
        for (uint32_t at = lock->holder; at; at = run->lock_waiter[at].next) {
            run_result_clause(c, pc, false);
            run_result_peer(c, run->lock_waiter[at].rank);
        }
    }
}

static uint64_t run_result_rounds(const struct replay_rank *program, uint32_t pc)
{
    const struct replay_op *op = &program->op[pc];
    uint64_t round = 0;
    for (uint32_t i = 0; i < pc; i++)
        round += program->op[i].kind == op->kind && program->op[i].peer == op->peer &&
                 program->op[i].tag == op->tag && program->op[i].comm == op->comm &&
                 program->op[i].mode == op->mode;
    return round;
}

/* Adds a clause for each operation of another thread that must precede this thread's operation. */
static void order_clauses(struct conclusion *c, uint32_t rank, uint32_t pc)
{
    enum { AWAITED_MAX = 64 };
    uint32_t context[AWAITED_MAX],
        count = run_threads_awaited(c->run, rank, pc, context, AWAITED_MAX);
    CORE_CHECK(count <= AWAITED_MAX);
    for (uint32_t i = 0; i < count; i++) {
        run_result_clause(c, pc, false);
        run_result_peer(c, context[i]);
    }
}

static void blocked_context(struct conclusion *c, uint32_t context)
{
    const struct replay_run *run = c->run;
    uint32_t rank = run_rank_of(run, context), pc = run->state[context].pc;
    const struct replay_rank *program = &run->program->rank[rank];
    CORE_CHECK(pc < program->op_count); /* run.h invariant 1 */
    const struct replay_op *op = &program->op[pc];
    const struct replay_set *set;

    c->status = replay_waitfor_blocked(
        c->waitfor, &(struct replay_blocked){.node = context,
                                             .rank = rank,
                                             .op = pc,
                                             .event = op->event,
                                             .kind = op->kind,
                                             .order = run->state[context].hold == HOLD_ORDER,
                                             .round = run_result_rounds(program, pc)});
    if (c->status != CORE_OK)
        return;
    switch ((enum hold)run->state[context].hold) {
    case HOLD_MESSAGE:
    case HOLD_PROBE:
        message_clause(c, rank, op, pc);
        break;
    case HOLD_REQUESTS:
        CORE_CHECK(op->kind == REPLAY_WAIT || op->kind == REPLAY_WAIT_ALL ||
                   op->kind == REPLAY_TEST);
        CORE_CHECK(run->state[context].waiting > 0); /* run.h invariant 2 */
        find_makers(c, rank);
        if (c->status != CORE_OK)
            break;
        if (op->kind == REPLAY_WAIT) {
            request_clause(c, rank, op->request);
            break;
        }
        set = &program->set[op->request];
        for (uint32_t i = 0; i < set->count && c->status == CORE_OK; i++)
            request_clause(c, rank, program->member[set->first + i]);
        break;
    case HOLD_ANY:
        CORE_CHECK(op->kind == REPLAY_WAIT_ANY || op->kind == REPLAY_WAIT_SOME);
        find_makers(c, rank);
        if (c->status == CORE_OK)
            any_clause(c, rank, pc, &program->set[op->request]);
        break;
    case HOLD_COLL:
        CORE_CHECK(op->kind == REPLAY_COLL);
        coll_clauses(c, rank, pc, false);
        break;
    case HOLD_DETACH:
        CORE_CHECK(run->side[rank].used > 0);
        detach_clauses(c, rank);
        break;
    case HOLD_LOCK:
        lock_clauses(c, rank, pc);
        break;
    case HOLD_ORDER:
        order_clauses(c, rank, pc);
        break;
    case HOLD_NOT: /* a hook stopped the run */
    case HOLD_END:
        break;
    }
}

/* --- what is left ----------------------------------------------------------------------------- */

static int leftover_compare(const void *a, const void *b)
{
    const struct replay_leftover *x = a, *y = b;
    if (x->is_send != y->is_send)
        return x->is_send ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* Tells whether a rank may do more than is known: its record ends early, and it is not deadlocked.
 */
static bool may_go_on(const struct replay_run *run, const struct replay_waitfor *waitfor,
                      uint32_t rank)
{
    if (run->program->rank[rank].end != REPLAY_END_UNKNOWN)
        return false;
    uint32_t at = CORE_ARRAY_FIND(i, 0, waitfor->blocked_count, waitfor->blocked[i].rank < rank);
    return run_is_threaded(run, rank) || at == waitfor->blocked_count ||
           waitfor->blocked[at].rank != rank || waitfor->blocked[at].standing == REPLAY_MAYBE;
}

/* Tells whether a rank whose record ends early could still be the partner. */
static bool partner_unknown(const struct replay_run *run, const struct replay_waitfor *waitfor,
                            const struct matching_key *key, bool is_receive)
{
    if (!is_receive)
        return may_go_on(run, waitfor, key->to);
    if (key->from >= 0)
        return may_go_on(run, waitfor, (uint32_t)key->from);
    for (uint32_t i = 0; i < run->program->rank_count; i++)
        if (may_go_on(run, waitfor, i))
            return true;
    return false;
}

static enum core_status find_leftovers(struct replay_run *run, struct replay_result *result)
{
    uint32_t count = matching_count(&run->match);
    if (!count)
        return CORE_OK;
    uint32_t room = count < REPLAY_LEFTOVERS_MAX ? count : REPLAY_LEFTOVERS_MAX;
    result->leftover = malloc(room * sizeof *result->leftover);
    if (!result->leftover)
        return core_report(CORE_NO_MEMORY, "out of memory for the result of a replay");
    bool is_receive;
    for (uint32_t at = matching_next(&run->match, MATCHING_NONE, &is_receive); at;
         at = matching_next(&run->match, at, &is_receive)) {
        struct matching_key key;
        uint32_t index;
        run_entry(run, at, &key, &index);
        uint32_t rank = is_receive ? key.to : (uint32_t)key.from;
        const struct replay_op *op = &run->program->rank[rank].op[index];
        if (op->mode == REPLAY_TOKEN || partner_unknown(run, &result->waitfor, &key, is_receive))
            continue;
        result->leftover_count++;
        if (result->leftover_listed == room)
            continue;
        result->leftover[result->leftover_listed++] =
            (struct replay_leftover){.rank = rank,
                                     .op = index,
                                     .event = op->event,
                                     .kind = op->kind,
                                     .is_send = !is_receive,
                                     .complete = !is_receive && (op->mode == REPLAY_BUFFERED ||
                                                                 run_is_buffered(run, rank, index)),
                                     .peer = is_receive ? key.from : (int32_t)key.to,
                                     .tag = key.tag,
                                     .comm = key.comm,
                                     .bytes = op->bytes};
    }
    CORE_CHECK(result->leftover_listed <= result->leftover_count);
    CORE_CHECK(result->leftover_count <= count);
    qsort(result->leftover, result->leftover_listed, sizeof *result->leftover, leftover_compare);
    return CORE_OK;
}

/* Returns the state of a context. One past its last operation, with an unknown end, may act. But
 * with the recorded order of threads, if other threads of its rank wait, it is assumed to wait for
 * them outside of MPI. */
static enum replay_alive alive_of(const struct replay_run *run, uint32_t context)
{
    uint32_t rank = run_rank_of(run, context);
    if (run->state[context].hold != HOLD_END)
        return REPLAY_ALIVE_BLOCKED;
    if (run->program->rank[rank].end != REPLAY_END_UNKNOWN)
        return REPLAY_ALIVE_ENDED;
    for (uint32_t i = context < run->program->rank_count ? UINT32_MAX : run->threads->first[rank];
         i != UINT32_MAX && i < run->threads->first[rank + 1] &&
         run->policy->threads == REPLAY_THREADS_RECORDED;
         i++)
        if (run->state[run->program->rank_count + i].hold != HOLD_END)
            return REPLAY_ALIVE_ENDED;
    return REPLAY_ALIVE_UNKNOWN;
}

/* Finds the blocked contexts in the order of ranks; the context of a multithreaded rank itself does
 * not count. */
static void find_blocked(struct conclusion *c, uint8_t *alive)
{
    const struct replay_run *run = c->run;
    for (uint32_t rank = 0; c->status == CORE_OK && rank < run->program->rank_count; rank++) {
        bool threaded = run_is_threaded(run, rank);
        uint32_t first = threaded ? run->program->rank_count + run->threads->first[rank] : rank;
        uint32_t end =
            threaded ? run->program->rank_count + run->threads->first[rank + 1] : rank + 1;
        alive[rank] = REPLAY_ALIVE_ENDED;
        for (uint32_t context = first; c->status == CORE_OK && context < end; context++) {
            alive[context] = (uint8_t)alive_of(run, context);
            if (alive[context] == REPLAY_ALIVE_BLOCKED)
                blocked_context(c, context);
        }
    }
}

static enum core_status find_waitfor(struct replay_run *run, struct replay_waitfor *waitfor)
{
    const struct replay_program *program = run->program;
    struct conclusion c = {.run = run, .waitfor = waitfor, .coll_comm = UINT32_MAX};
    const struct run_threads *threads = run->threads;
    uint8_t *alive = malloc(run_context_count(run));

    c.any_first = malloc(program->comm_count * sizeof *c.any_first);
    c.any_count = calloc(program->comm_count, sizeof *c.any_count);
    c.missing = malloc((size_t)program->rank_count * sizeof *c.missing);
    if (!alive || !c.any_first || !c.any_count || !c.missing)
        c.status = core_report(CORE_NO_MEMORY, "out of memory for the wait-for graph");
    find_blocked(&c, alive);
    if (c.status == CORE_OK)
        c.status = replay_waitfor_solve(
            waitfor, alive, program->rank_count,
            threads
                ? &(struct replay_waitfor_threads){threads->first, threads->rank, threads->count}
                : NULL);
    free(alive);
    free(c.any_first);
    free(c.any_count);
    free(c.missing);
    free(c.maker);
    return c.status;
}

/* Notes which assumptions the verdict makes about its calls and about the order of threads. */
static void run_result_assume(struct replay_run *run, const struct replay_waitfor *waitfor)
{
    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        const struct replay_op *op = &run->program->rank[blocked->rank].op[blocked->op];
        CORE_CHECK(i == 0 || waitfor->blocked[i - 1].rank <= blocked->rank);
        if (blocked->standing == REPLAY_MAYBE)
            continue;
        if (op->flags & (REPLAY_FLAG_TEST | REPLAY_FLAG_ASSUMED))
            run_assume(run, blocked->rank, blocked->op);
        if (run->policy->threads == REPLAY_THREADS_RECORDED &&
            run_is_threaded(run, blocked->rank)) {
            run_assume(run, blocked->rank, blocked->op);
            run->result->by_threads = true;
        }
    }
}

enum core_status run_conclude(struct replay_run *run, enum replay_outcome *out_outcome)
{
    const struct replay_program *program = run->program;
    struct replay_result *result = run->result;
    bool held = false, unknown = false;

    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        held |= run->state[rank].hold != HOLD_END;
        unknown |= program->rank[rank].end == REPLAY_END_UNKNOWN;
        if (result && !run_is_threaded(run, rank))
            result->ops += run->state[rank].pc;
    }
    for (uint32_t i = 0; run->threads && i < run->threads->count; i++)
        held |= run->state[program->rank_count + i].hold != HOLD_END;
    for (uint64_t i = 0; run->threads && result && i < run->threads->op_count; i++)
        result->ops += run->threads->passed[i];
    *out_outcome = held ? REPLAY_DEADLOCK : REPLAY_FINISHED;
    enum core_status status = CORE_OK;
    struct replay_waitfor waitfor = {0};
    if (held && (unknown || result)) {
        status = find_waitfor(run, &waitfor);
        if (waitfor.core_count + waitfor.behind_count == 0)
            *out_outcome = REPLAY_STALLED;
    }
    if (!result || status != CORE_OK) {
        replay_waitfor_done(&waitfor);
        return status;
    }
    CORE_CHECK(held == (waitfor.blocked_count > 0)); /* run.h invariant 1 */
    CORE_CHECK(result->ops <= run->op_count);
    if (held)
        run_result_assume(run, &waitfor);
    if (run->threads &&
        run->threads->contended) { /* another order of threads may match other messages */
        run_assume(run, run->threads->contended_rank, run->threads->contended_op);
        result->by_threads = true;
    }
    result->outcome = *out_outcome;
    result->waitfor = waitfor;
    result->assumed = run->assumed;
    result->assumed_rank = run->assumed_rank;
    result->assumed_event = run->assumed_event;
    result->messages = run->messages;
    return find_leftovers(run, result);
}
