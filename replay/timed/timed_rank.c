/* Runs the operations of one rank on the timed clock until one must wait. Also handles collectives
 * entered as one operation. */
#include "replay/timed/timed_state.h"

#include <string.h>

#include "core/array.h"
#include "core/check.h"

static void timed_rank_block(struct timed_engine *e, struct timed_rank *r, uint32_t pending,
                             uint32_t flags)
{
    CORE_CHECK_HOT(pending > 0 && pending <= RANK_PENDING_MAX);
    CORE_CHECK(!(r->flags & (RANK_BLOCKED | RANK_ENDED))); /* timed_state.h invariant 2 */
    r->pending = pending;
    r->flags |= RANK_BLOCKED | flags;
    r->blocked_at = e->now;
}

static void timed_rank_schedule(struct timed_engine *e, uint32_t rank, uint64_t ticks,
                                enum replay_step_kind kind, const struct replay_op *op)
{
    struct timed_rank *r = &e->rank[rank];
    timed_column_add(e, COLUMN_COMPUTE, rank, ticks);
    if (e->cause)
        e->cause[rank].rank =
            timed_path_record(e, &(struct timed_record){.start = e->now,
                                                        .end = e->now + ticks,
                                                        .amount = op->bytes,
                                                        .rank = (int32_t)rank,
                                                        .peer = -1,
                                                        .op = timed_op_index(e, rank, op),
                                                        .prev = e->cause[rank].rank,
                                                        .kind = kind});
    CORE_CHECK_HOT(!(r->flags & (RANK_BLOCKED | RANK_ENDED))); /* timed_state.h invariant 2 */
    r->flags |= RANK_BLOCKED;
    timed_queue_push(&e->queue, e->now + ticks, rank, EVENT_RESUME);
}

/* Does local work; returns 1 if the rank must wait for time to pass. */
static int timed_rank_work(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    int combine = op->kind == REPLAY_COMBINE;
    uint64_t ticks = combine                     ? op->bytes * e->tau
                     : e->options.ignore_compute ? 0
                                                 : op->bytes * e->scale;
    if (ticks == 0)
        return 0;
    if (e->local) {
        e->local[rank] += ticks;
        timed_column_add(e, COLUMN_COMPUTE, rank, ticks);
        return 0;
    }
    timed_rank_schedule(e, rank, ticks, combine ? REPLAY_STEP_COMBINE : REPLAY_STEP_COMPUTE, op);
    return 1;
}

static int await_all(struct timed_engine *e, struct timed_rank *r, const int32_t *request,
                     uint32_t count)
{
    uint32_t pending = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *state = timed_request(e, r, request[i]);
        *state |= REQUEST_CONSUMED; /* taken when the wait ends: no later wait-any may take it */
        if (*state & REQUEST_DONE)
            continue;
        *state |= REQUEST_AWAITED;
        pending++;
    }
    if (pending)
        timed_rank_block(e, r, pending, 0);
    return pending != 0;
}

/* Waits until one more member of the set is complete; does not wait if no member is left to
 * complete. */
static int await_any(struct timed_engine *e, struct timed_rank *r, const int32_t *request,
                     uint32_t count, int all)
{
    int waits = 0, found = 0;
    for (uint32_t i = 0; i < count && (all || !found); i++) {
        uint8_t *state = timed_request(e, r, request[i]);
        if (*state & REQUEST_CONSUMED)
            continue;
        if (*state & REQUEST_DONE) {
            *state |= REQUEST_CONSUMED;
            found = 1;
        } else {
            waits = 1;
        }
    }
    if (found || !waits)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (!(*timed_request(e, r, request[i]) & REQUEST_DONE))
            *timed_request(e, r, request[i]) |= REQUEST_AWAITED;
    timed_rank_block(e, r, 1, RANK_ANY);
    return 1;
}

static int wait_on(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    struct timed_rank *r = &e->rank[rank];
    if (op->kind == REPLAY_WAIT)
        return await_all(e, r, &op->request, 1);
    const struct replay_set *set = &e->sets[rank].set[op->request];
    const int32_t *member = e->sets[rank].member + set->first;
    int chosen = set->chosen >= 0 && (uint32_t)set->chosen < set->count;
    switch (op->kind) {
    case REPLAY_TEST:
        if (!(op->flags & REPLAY_FLAG_DONE))
            return 0;
        return chosen ? await_all(e, r, member + set->chosen, 1)
                      : await_all(e, r, member, set->count);
    case REPLAY_WAIT_ANY:
        if (!chosen)
            return await_any(e, r, member, set->count, 0);
        return await_all(e, r, member + set->chosen, 1);
    case REPLAY_WAIT_SOME:
        if (set->chosen > 0 && (uint32_t)set->chosen <= set->count)
            return await_all(e, r, member, (uint32_t)set->chosen);
        return await_any(e, r, member, set->count, 1);
    default:
        return await_all(e, r, member, set->count);
    }
}

static void timed_rank_cancel(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    uint8_t *state = timed_request(e, &e->rank[rank], op->request);
    for (const struct replay_op *made = e->program->rank[rank].op; made < op; made++)
        if ((made->kind == REPLAY_ISEND || made->kind == REPLAY_IRECV) &&
            made->request == op->request) {
            if (!(*state & REQUEST_DONE) && made->peer != REPLAY_PROC_NULL &&
                timed_match_cancel(e, rank, made))
                *state |= REQUEST_DONE;
            return;
        }
}

static int collective_enter(struct timed_engine *e, uint32_t rank, const struct replay_op *op);

/* Runs an operation; returns 1 if the rank must wait. */
static int timed_rank_step(struct timed_engine *e, uint32_t rank, struct timed_rank *r,
                           const struct replay_op *op)
{
    switch (op->kind) {
    case REPLAY_ISEND:
    case REPLAY_IRECV:
        if (op->peer == REPLAY_PROC_NULL)
            *timed_request(e, r, op->request) |= REQUEST_DONE;
        else if (op->kind == REPLAY_ISEND)
            timed_match_send(e, rank, op, op->request);
        else
            timed_match_recv(e, rank, op, op->request);
        return 0;
    case REPLAY_SEND:
    case REPLAY_RECV:
        if (op->peer == REPLAY_PROC_NULL)
            return 0;
        if (op->kind == REPLAY_SEND && (op->mode == REPLAY_BUFFERED || op->mode == REPLAY_TOKEN)) {
            timed_match_send(e, rank, op, WHOLE_OP);
            return 0;
        }
        timed_rank_block(e, r, 1, 0);
        if (op->kind == REPLAY_SEND)
            timed_match_send(e, rank, op, WHOLE_OP);
        else
            timed_match_recv(e, rank, op, WHOLE_OP);
        return 1;
    case REPLAY_MPROBE:
        if (op->peer == REPLAY_PROC_NULL || timed_match_take(e, rank, op))
            return 0;
        timed_rank_block(e, r, 1, RANK_PROBING);
        return 1;
    case REPLAY_MRECV:
        timed_rank_block(e, r, 1, 0);
        timed_match_held(e, rank, op, op->request, WHOLE_OP);
        return 1;
    case REPLAY_IMRECV:
        timed_match_held(e, rank, op, op->tag, op->request);
        return 0;
    case REPLAY_DETACH:
        CORE_CHECK(e->any_detach);
        if (!e->buffered[rank])
            return 0;
        timed_rank_block(e, r, 1, RANK_PROBING);
        return 1;
    case REPLAY_LOCK:
        return timed_lock_take(e, rank, op);
    case REPLAY_UNLOCK:
        timed_lock_release(e, rank, op);
        return 0;
    case REPLAY_IPROBE:
        if (!(op->flags & REPLAY_FLAG_DONE))
            return 0;
        /* fall through */
    case REPLAY_PROBE:
        if (op->peer == REPLAY_PROC_NULL || timed_match_probe(e, rank, op))
            return 0;
        timed_rank_block(e, r, 1, RANK_PROBING);
        return 1;
    case REPLAY_WAIT:
    case REPLAY_WAIT_ALL:
    case REPLAY_WAIT_ANY:
    case REPLAY_WAIT_SOME:
    case REPLAY_TEST:
        return wait_on(e, rank, op);
    case REPLAY_CANCEL:
        timed_rank_cancel(e, rank, op);
        return 0;
    case REPLAY_COLL:
    case REPLAY_ICOLL:
        return collective_enter(e, rank, op);
    case REPLAY_COMPUTE:
    case REPLAY_COMBINE:
        return timed_rank_work(e, rank, op);
    default:
        CORE_CHECK_HOT(op->kind == REPLAY_FREE || op->kind == REPLAY_ATTACH);
        return 0; /* a freed operation continues unobserved */
    }
}

/* Moves the rank past the operation. */
static void timed_rank_pass(struct timed_rank *r)
{
    r->op++;
    r->left--;
}

void timed_rank_run(struct timed_engine *e, uint32_t rank)
{
    struct timed_rank *r = &e->rank[rank];

    CORE_CHECK_HOT(!(r->flags & RANK_BLOCKED)); /* timed_state.h invariant 2 */
    while (r->left) {
        const struct replay_op *op = r->op;
        if (op->kind == REPLAY_ISEND && r->left > 8 && op[1].kind == REPLAY_ISEND &&
            op[4].kind == REPLAY_ISEND) {
            timed_match_ahead(e, rank, op + 4, 1);
            timed_match_ahead(e, rank, op + 8, 0);
        }
        if (timed_rank_step(e, rank, r, op)) {
            if (!(r->flags & RANK_PROBING))
                timed_rank_pass(r); /* a blocked rank is past the operation in which it waits, a
                                       probing rank before it */
            return;
        }
        timed_rank_pass(r);
    }
    if (!(r->flags & RANK_ENDED)) {
        r->flags |= RANK_ENDED;
        r->blocked_at = e->now + (e->local ? e->local[rank] : 0);
    }
}

static void settle_any(struct timed_engine *e, uint32_t rank)
{
    struct timed_rank *r = &e->rank[rank];
    const struct replay_op *op = r->op - 1;
    CORE_CHECK_HOT(op->kind == REPLAY_WAIT_ANY || op->kind == REPLAY_WAIT_SOME);
    const struct replay_set *set = &e->sets[rank].set[op->request];
    const int32_t *member = e->sets[rank].member + set->first;
    int one = op->kind == REPLAY_WAIT_ANY;
    for (uint32_t i = 0; i < set->count; i++) {
        uint8_t *state = timed_request(e, r, member[i]);
        *state &= (uint8_t)~REQUEST_AWAITED;
        if ((*state & REQUEST_DONE) && !(*state & REQUEST_CONSUMED) && one >= 0) {
            *state |= REQUEST_CONSUMED;
            if (one)
                one = -1; /* wait-any takes one, wait-some all completed */
        }
    }
    r->flags &= ~(uint32_t)RANK_ANY;
}

void timed_rank_complete(struct timed_engine *e, uint32_t rank, int32_t request, uint32_t cause,
                         const struct timed_message *message, uint64_t started)
{
    struct timed_rank *r = &e->rank[rank];

    if (request == NO_SIDE)
        return;
    if (request != WHOLE_OP) {
        CORE_CHECK_HOT(request >= 0 && request < e->program->rank[rank].request_count);
        uint8_t *state = timed_request(e, r, request);
        CORE_CHECK_HOT(!(*state & REQUEST_AWAITED) || r->pending > 0);
        int awaited = *state & REQUEST_AWAITED;
        *state = (uint8_t)((*state | REQUEST_DONE) & ~REQUEST_AWAITED);
        if (!awaited || --r->pending > 0)
            return;
        if (r->flags & RANK_ANY)
            settle_any(e, rank);
    }
    if (message)
        timed_path_idle(e, rank, message, started);
    if (e->cause)
        e->cause[rank].rank = cause;
    CORE_CHECK(r->flags & RANK_BLOCKED); /* timed_state.h invariant 2 */
    r->flags &= ~(uint32_t)RANK_BLOCKED;
    timed_numbers_add(e, &e->run, rank);
}

/* --- collectives entered as one operation ----------------------------------------------------- */

struct meeting {           /* one collective call on one communicator */
    uint64_t entered_last; /* time of the last entry */
    uint32_t comm;
    int32_t number;
    uint32_t entered, root_entered,
        prefix;       /* number; whether; first position that has not entered, for PREFIX */
    uint32_t waiting; /* list of entries */
    uint32_t chain;
    uint8_t *here; /* by position, for PREFIX */
    uint32_t cause;
};

struct entry { /* one rank's part */
    uint64_t at;
    uint32_t rank, op, next;
    int32_t request;
    uint32_t position;
    uint32_t cause;
};

struct timed_collectives {
    struct meeting *meeting;
    struct entry *entry;
    uint32_t meeting_count, meeting_room, entry_count, entry_room;
    uint32_t *slot, slot_count;
    uint32_t **position; /* by communicator: position of each world rank; made when first needed */
};

void timed_collectives_done(struct timed_engine *e)
{
    struct timed_collectives *c = e->collectives;
    if (!c)
        return;
    for (uint32_t i = 0; c->meeting && i < c->meeting_count; i++)
        free(c->meeting[i].here);
    for (uint32_t i = 0; c->position && i < e->program->comm_count; i++)
        free(c->position[i]);
    free(c->position);
    free(c->meeting);
    free(c->entry);
    free(c->slot);
    free(c);
}

static int no_memory(struct timed_engine *e)
{
    if (e->status == CORE_OK)
        e->status = core_report(CORE_NO_MEMORY, "out of memory for collectives");
    return 0;
}

static struct timed_collectives *timed_rank_collectives(struct timed_engine *e)
{
    if (!e->collectives) {
        struct timed_collectives *c = core_alloc_zero(1, sizeof *c);
        if (!c || !(c->slot = core_alloc_zero(4096, sizeof *c->slot)) ||
            !(c->position = core_alloc_zero(e->program->comm_count, sizeof *c->position))) {
            if (c)
                free(c->slot);
            free(c);
            no_memory(e);
            return NULL;
        }
        c->slot_count = 4096;
        c->meeting_count = 1;
        c->entry_count = 1;
        e->collectives = c;
    }
    return e->collectives;
}

static int timed_rank_room(struct timed_engine *e, struct timed_collectives *c)
{
    if (timed_failed(e, CORE_ARRAY_ROOM_ZERO(c->meeting, c->meeting_room, c->meeting_count + 1,
                                             "collectives")) ||
        timed_failed(e,
                     CORE_ARRAY_ROOM(c->entry, c->entry_room, c->entry_count + 1, "collectives")))
        return 0;
    return 1;
}

static struct meeting *meeting_find(struct timed_collectives *c, uint32_t comm, int32_t number)
{
    uint32_t *slot = &c->slot[(comm * 2654435761u ^ (uint32_t)number * 40503u) % c->slot_count];
    for (uint32_t i = *slot; i; i = c->meeting[i].chain)
        if (c->meeting[i].comm == comm && c->meeting[i].number == number)
            return &c->meeting[i];
    CORE_CHECK(c->meeting_count < c->meeting_room); /* room() provided one more */
    uint32_t made = c->meeting_count++;
    c->meeting[made] = (struct meeting){.comm = comm, .number = number, .chain = *slot};
    *slot = made;
    return &c->meeting[made];
}

static uint32_t position_of(struct timed_engine *e, uint32_t comm, uint32_t rank)
{
    const struct replay_comm *of = &e->program->comm[comm];
    uint32_t **table = &e->collectives->position[comm];
    if (!of->member)
        return rank;
    if (!*table) {
        *table = core_alloc_zero(e->program->rank_count, sizeof **table);
        if (!*table) {
            no_memory(e);
            return 0;
        }
        for (uint32_t i = 0; i < of->count; i++)
            if (of->member[i] >= 0 && (uint32_t)of->member[i] < e->program->rank_count)
                (*table)[of->member[i]] = i;
    }
    return (*table)[rank];
}

static uint64_t collective_cost(const struct timed_engine *e, const struct replay_op *op)
{
    uint32_t ranks = e->program->comm[op->comm].count, clg = 0;
    if (e->options.coll_cost)
        return e->scale * e->options.coll_cost(e->options.coll_context,
                                               (enum replay_coll_shape)op->mode, ranks, op->bytes);
    while ((1ull << clg) < ranks)
        clg++;
    return ranks > 1 ? e->alpha * clg + timed_words_ticks(e, op->bytes) : 0;
}

static int may_leave(const struct timed_engine *e, const struct meeting *m,
                     const struct entry *entry, const struct replay_op *op)
{
    switch (op->mode) {
    case REPLAY_COLL_FROM_ROOT:
        return m->root_entered || op->peer < 0;
    case REPLAY_COLL_TO_ROOT:
        return (int32_t)entry->rank != op->peer || m->entered >= e->program->comm[m->comm].count;
    case REPLAY_COLL_PREFIX:
        return m->prefix >= entry->position;
    default:
        return m->entered >= e->program->comm[m->comm].count;
    }
}

static void timed_rank_leave(struct timed_engine *e, struct meeting *m, uint32_t index)
{
    struct entry *entry = &e->collectives->entry[index];
    const struct replay_op *op = &e->program->rank[entry->rank].op[entry->op];
    uint64_t end = e->now + collective_cost(e, op);
    if (e->cause)
        entry->cause = timed_path_record(e, &(struct timed_record){.start = e->now,
                                                                   .end = end,
                                                                   .amount = op->bytes,
                                                                   .rank = (int32_t)entry->rank,
                                                                   .peer = -1,
                                                                   .op = entry->op,
                                                                   .prev = m->cause,
                                                                   .kind = REPLAY_STEP_COLLECTIVE});
    timed_queue_push(&e->queue, end, index, EVENT_COLLECTIVE);
}

static void meeting_enter(struct timed_engine *e, struct meeting *m, const struct entry *entry,
                          const struct replay_op *op)
{
    uint32_t count = e->program->comm[m->comm].count;
    m->entered++;
    m->root_entered |= (int32_t)entry->rank == op->peer;
    if (e->cause)
        m->cause = e->cause[entry->rank].rank; /* the last to enter releases the others */
    if (op->mode == REPLAY_COLL_PREFIX) {
        if (!m->here && !(m->here = core_alloc_zero(count ? count : 1, 1))) {
            no_memory(e);
            return;
        }
        if (entry->position < count)
            m->here[entry->position] = 1;
        while (m->prefix < count && m->here[m->prefix])
            m->prefix++;
        CORE_CHECK(m->prefix <= count && m->prefix <= m->entered);
    }
}

static int collective_enter(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    struct timed_collectives *c = timed_rank_collectives(e);
    if (!c || !timed_rank_room(e, c))
        return 0;
    struct meeting *m = meeting_find(c, op->comm, op->tag);
    CORE_CHECK(m->comm == op->comm && m->number == op->tag);
    CORE_CHECK(c->entry_count < c->entry_room);
    uint32_t index = c->entry_count++;
    c->entry[index] = (struct entry){.at = e->now,
                                     .rank = rank,
                                     .op = timed_op_index(e, rank, op),
                                     .request = op->kind == REPLAY_ICOLL ? op->request : WHOLE_OP,
                                     .position = position_of(e, op->comm, rank),
                                     .next = m->waiting};
    m->waiting = index;
    meeting_enter(e, m, &c->entry[index], op);
    for (uint32_t *at = &m->waiting; *at;) {
        struct entry *entry = &c->entry[*at];
        if (may_leave(e, m, entry, &e->program->rank[entry->rank].op[entry->op])) {
            uint32_t leaving = *at;
            *at = entry->next;
            timed_rank_leave(e, m, leaving);
        } else {
            at = &entry->next;
        }
    }
    if (op->kind == REPLAY_ICOLL)
        return 0;
    timed_rank_block(e, &e->rank[rank], 1, 0);
    return 1;
}

void timed_collective_event(struct timed_engine *e, uint32_t id)
{
    CORE_CHECK(id < e->collectives->entry_count);
    const struct entry entry = e->collectives->entry[id];
    struct timed_rank *r = &e->rank[entry.rank];
    uint64_t blocked_at = r->blocked_at;
    int was_blocked = (r->flags & RANK_BLOCKED) != 0;
    timed_rank_complete(e, entry.rank, entry.request, entry.cause, NULL, e->now);
    if (was_blocked && !(r->flags & RANK_BLOCKED))
        timed_column_add(e, COLUMN_COLLECTIVE, entry.rank, e->now - blocked_at);
}
