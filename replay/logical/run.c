/* Runs the logical engine: point to point, and the main loop. A rank runs until it waits; whatever
 * ends the wait puts it back on the work list, so nothing polls. The invariants are in run.h. */
#include "replay/logical/run.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/work.h"
#include "replay/logical/run_state.h"

static const struct replay_op *op_of(const struct replay_run *run, uint32_t rank, uint32_t op)
{
    CORE_CHECK_HOT(rank < run->program->rank_count);
    CORE_CHECK_HOT(op < run->program->rank[rank].op_count);
    return &run->program->rank[rank].op[op];
}

static bool run_sends(const struct replay_op *op)
{
    return op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND;
}

void run_wake(struct replay_run *run, uint32_t context)
{
    struct rank_state *state = &run->state[context];
    if (state->hold == HOLD_NOT || state->hold == HOLD_END)
        return;
    CORE_CHECK_HOT(run->work_count < run_context_count(run)); /* run.h invariant 1 */
    if (context >= run->program->rank_count && run_looks(state->hold))
        run_threads_look_no_more(run, context);
    state->hold = HOLD_NOT;
    run->work[run->work_count++] = context;
}

/* Wakes all contexts of a rank with this hold, so that they retry. */
void run_wake_held(struct replay_run *run, uint32_t rank, enum hold hold)
{
    for (uint32_t at = run_looking_first(run, rank), next; at != UINT32_MAX; at = next) {
        next = run_looking_next(run, at);
        core_work(1);
        if (run->state[at].hold == hold)
            run_wake(run, at);
    }
}

bool run_request_is_done(const struct replay_run *run, uint32_t rank, int32_t request)
{
    CORE_CHECK_HOT(request >= 0 && request < run->program->rank[rank].request_count);
    return run->state[rank].request[request] & REQUEST_DONE;
}

void run_request_done(struct replay_run *run, uint32_t rank, int32_t request)
{
    uint32_t context = rank;
    struct rank_state *state = &run->state[rank];
    uint8_t *flags = &state->request[request];

    CORE_CHECK_HOT(request >= 0 && request < run->program->rank[rank].request_count);
    if (*flags & REQUEST_DONE)
        return;
    *flags |= REQUEST_DONE;
    if (!(*flags & REQUEST_AWAITED))
        return;
    *flags &= (uint8_t)~REQUEST_AWAITED;
    if (run->threads) {
        context = run->threads->awaiter[flags - run->request];
        state = &run->state[context];
    }
    CORE_CHECK(state->hold != HOLD_REQUESTS || state->waiting > 0); /* run.h invariant 2 */
    if (state->hold == HOLD_ANY)
        run_wake(run, context);
    else if (state->hold == HOLD_REQUESTS && --state->waiting == 0) {
        run_pass(run, rank, state);
        run_wake(run, context);
    }
}

void run_assume(struct replay_run *run, uint32_t rank, uint32_t op)
{
    if (run->assumed)
        return;
    run->assumed = true;
    run->assumed_rank = rank;
    run->assumed_event = op_of(run, rank, op)->event;
}

void run_error(struct replay_run *run, const struct replay_error *error)
{
    struct replay_result *result = run->result;
    if (!result)
        return;
    CORE_CHECK(error->kind < REPLAY_ERROR_COUNT);
    CORE_CHECK(error->rank < run->program->rank_count);
    CORE_CHECK(result->error_listed <= result->error_count);
    result->error_count++;
    if (result->error_listed == REPLAY_ERRORS_MAX)
        return;
    if (CORE_ARRAY_PUSH(result->error, result->error_listed, result->error_room,
                        "the result of a replay", *error))
        run->failed = CORE_NO_MEMORY;
}

int32_t run_wanted(const struct replay_run *run, uint32_t rank, uint32_t index)
{
    const struct replay_policy *policy = run->policy;
    const struct replay_rank *program = &run->program->rank[rank];
    const struct replay_op *op = &program->op[index];

    bool several = op->kind == REPLAY_WAIT_ANY || op->kind == REPLAY_WAIT_SOME;
    if (run->hooks.decide)
        return several ? program->set[op->request].chosen : -1;
    if (policy->order == REPLAY_ORDER_FIRST || policy->order == REPLAY_ORDER_RANDOM)
        return -1;
    if (policy->order == REPLAY_ORDER_LIST) {
        uint64_t id = replay_op_id(run->program, rank, index);
        const struct replay_name *forced = replay_policy_find(&policy->forced, rank, false, id);
        if (forced)
            return forced->source;
    }
    return several ? program->set[op->request].chosen : op->matched;
}

bool run_probe_waits(const struct replay_run *run, const struct replay_op *op)
{
    return op->peer == REPLAY_ANY &&
           (op->kind == REPLAY_MPROBE || op->flags & REPLAY_FLAG_PROBED) &&
           (run->hooks.decide || run->policy->order == REPLAY_ORDER_RANDOM);
}

/* --- sends ------------------------------------------------------------------------------------ */

/* Tells whether a standard send completes although no receive has taken its message. */
static bool policy_buffers(struct replay_run *run, uint32_t rank, uint32_t index,
                           const struct replay_op *op)
{
    CORE_CHECK_HOT(run_sends(op) && op->peer >= 0);
    const struct rank_side *to = &run->side[op->peer];
    const struct replay_send send = {
        .bytes = op->bytes,
        .held_count = to->held_count,
        .held_bytes = to->held_bytes,
        .rank = rank,
        .event = run->policy->send.count ? replay_op_id(run->program, rank, index) : 0};
    return replay_policy_buffers(run->policy, &send, run->choice);
}

static void buffer_use(struct replay_run *run, uint32_t rank, uint32_t index,
                       const struct replay_op *op)
{
    struct rank_side *side = &run->side[rank];
    CORE_CHECK(run->has_buffered);
    side->used += op->bytes + run->program->buffered_overhead;
    if (side->used > side->attached)
        run_error(run, &(struct replay_error){.kind = REPLAY_ERROR_BUFFER,
                                              .rank = rank,
                                              .op = index,
                                              .event = op->event,
                                              .other_rank = -1,
                                              .bytes = side->used - side->attached});
}

static void hold_bytes(struct replay_run *run, uint32_t to, uint64_t bytes)
{
    struct rank_side *side = &run->side[to];
    struct replay_result *result = run->result;
    CORE_CHECK_HOT(run->track);
    side->held_bytes += bytes;
    CORE_CHECK_HOT(side->held_bytes >= bytes); /* replay_program_check ensures the sum */
    side->held_count++;
    if (!result)
        return;
    if (side->held_bytes > result->held_bytes_max) {
        result->held_bytes_max = side->held_bytes;
        result->held_rank = to;
    }
    if (side->held_count > result->held_count_max)
        result->held_count_max = side->held_count;
    if (run->hooked && run->hooks.held)
        run->hooks.held(run->hooks.context, to, side->held_bytes, side->held_count);
}

/* Decides whether a send completes, for a message that no receive has taken yet. */
static bool run_buffers(struct replay_run *run, uint32_t rank, uint32_t index,
                        const struct replay_op *op)
{
    bool buffered;
    CORE_CHECK_HOT(op->mode <= REPLAY_TOKEN);
    switch ((enum replay_mode)op->mode) {
    case REPLAY_SYNCHRONOUS:
        return false;
    case REPLAY_TOKEN:
        return true;
    case REPLAY_BUFFERED:
        buffer_use(run, rank, index, op);
        return true;
    case REPLAY_READY:
    case REPLAY_STANDARD:
        break;
    }
    buffered = policy_buffers(run, rank, index, op);
    if (run->hooked && run->hooks.sent)
        run->hooks.sent(run->hooks.context, rank, index, buffered);
    if (buffered && run->track)
        hold_bytes(run, (uint32_t)op->peer, op->bytes);
    return buffered;
}

bool run_is_buffered(const struct replay_run *run, uint32_t rank, uint32_t index)
{
    const struct replay_op *op = op_of(run, rank, index);
    CORE_CHECK_HOT(run_sends(op));
    if (op->kind == REPLAY_ISEND)
        return run->state[rank].request[op->request] & REQUEST_BUFFERED;
    return run->state[run_context(run, rank, index)].pc != index;
}

void run_blocking_done(struct replay_run *run, uint32_t rank, uint32_t index)
{
    uint32_t context = run_context(run, rank, index);
    CORE_CHECK_HOT(run->state[context].pc == index);
    CORE_CHECK_HOT(run->state[context].hold == HOLD_MESSAGE ||
                   run->state[context].hold == HOLD_COLL || run->state[context].hold == HOLD_LOCK);
    run_pass(run, rank, &run->state[context]);
    run_wake(run, context);
}

/* Completes a blocking operation or a request. */
static void run_complete(struct replay_run *run, uint32_t rank, uint32_t index)
{
    const struct replay_op *op = op_of(run, rank, index);
    const struct rank_state *state = &run->state[run_context(run, rank, index)];

    if (op->kind == REPLAY_ISEND || op->kind == REPLAY_IRECV || op->kind == REPLAY_IMRECV)
        run_request_done(run, rank, op->request);
    else if (state->pc == index && state->hold == HOLD_MESSAGE)
        run_blocking_done(run, rank, index);
}

/* The same for a number that the matching returned. */
static void complete_who(struct replay_run *run, uint32_t rank, uint64_t who)
{
    uint32_t request = (uint32_t)(who >> 32);

    if (request) {
        run_request_done(run, rank, (int32_t)(request - 1));
        return;
    }
    const struct rank_state *state = &run->state[run_context(run, rank, run_who_op(who))];
    if (state->pc == run_who_op(who) && state->hold == HOLD_MESSAGE)
        run_blocking_done(run, rank, run_who_op(who));
}

/* Notes an unbuffered standard send that may be buffered later. */
static void note_waiting(struct replay_run *run, struct waiting_sends *waiting, uint32_t rank,
                         uint32_t index)
{
    uint64_t bytes = op_of(run, rank, index)->bytes;

    if (CORE_ARRAY_PUSH(waiting->send, waiting->count, waiting->room, "a replay",
                        (struct waiting_send){rank, index}))
        run->failed = CORE_NO_MEMORY;
    if (bytes < waiting->bytes_min)
        waiting->bytes_min = bytes;
}

bool run_send_is_held(const struct replay_run *run, struct waiting_send send)
{
    const struct replay_op *op = op_of(run, send.rank, send.op);
    const struct rank_state *state = &run->state[run_context(run, send.rank, send.op)];

    if (op->kind == REPLAY_SEND)
        return state->pc == send.op && state->hold == HOLD_MESSAGE;
    return !(run->state[send.rank].request[op->request] &
             (REQUEST_DONE | REQUEST_BUFFERED | REQUEST_CANCELLED));
}

/* Tells whether a send still waits for room: no matched probe has taken its message. */
static bool still_waits(const struct replay_run *run, struct waiting_send send)
{
    for (uint32_t i = 0; i < run->taken_count; i++)
        if (run->taken[i].from == (int32_t)send.rank && run->taken[i].send_op == send.op)
            return false;
    return run_send_is_held(run, send);
}

/* Buffers the sends that wait for room at a receiver, in the order in which they came, after room
 * has become free. */
static void run_promote(struct replay_run *run, uint32_t to)
{
    struct waiting_sends *waiting = &run->waiting[to];

    CORE_CHECK_HOT(run->bounded && waiting->first <= waiting->count);
    while (waiting->first < waiting->count && !still_waits(run, waiting->send[waiting->first]))
        waiting->first++;
    for (uint32_t i = waiting->first; i < waiting->count; i++) {
        struct waiting_send send = waiting->send[i];
        core_work(1);
        const struct replay_op *op = op_of(run, send.rank, send.op);
        if (!still_waits(run, send))
            continue;
        CORE_CHECK(op->peer == (int32_t)to && op->bytes >= waiting->bytes_min);
        if (policy_buffers(run, send.rank, send.op, op)) {
            hold_bytes(run, to, op->bytes);
            if (op->kind == REPLAY_ISEND)
                run->state[send.rank].request[op->request] |= REQUEST_BUFFERED;
            run_complete(run, send.rank, send.op);
            continue;
        }
        struct replay_op smallest = *op;
        smallest.bytes = waiting->bytes_min;
        if (!policy_buffers(run, send.rank, send.op, &smallest))
            return; /* nor do the later ones fit */
    }
}

/* Frees the room of a kept message that was taken. Called before its send completes. */
static void message_leaves(struct replay_run *run, uint32_t from, uint32_t send_op, uint32_t to)
{
    const struct replay_op *op = op_of(run, from, send_op);
    if (op->mode == REPLAY_BUFFERED) {
        struct rank_side *side = &run->side[from];
        CORE_CHECK(side->used >= op->bytes + run->program->buffered_overhead);
        side->used -= op->bytes + run->program->buffered_overhead;
        if (side->used == 0)
            run_wake_held(run, from, HOLD_DETACH);
    } else if (run->track && (op->mode == REPLAY_STANDARD || op->mode == REPLAY_READY) &&
               run_is_buffered(run, from, send_op)) {
        CORE_CHECK(run->side[to].held_count > 0 && run->side[to].held_bytes >= op->bytes);
        run->side[to].held_bytes -= op->bytes;
        run->side[to].held_count--;
    }
}

static void note_match(struct replay_run *run, uint32_t from, uint32_t send_op, uint32_t to,
                       uint32_t receive_op, bool choice)
{
    CORE_CHECK_HOT(run_sends(op_of(run, from, send_op)));
    CORE_CHECK_HOT(!run_sends(op_of(run, to, receive_op)));
    CORE_CHECK_HOT(op_of(run, from, send_op)->peer == (int32_t)to);
    run->messages++;
    if (run->result) {
        const struct replay_op *send = op_of(run, from, send_op),
                               *receive = op_of(run, to, receive_op);
        if (send->bytes > receive->bytes)
            run_error(run, &(struct replay_error){.kind = REPLAY_ERROR_TRUNCATED,
                                                  .rank = to,
                                                  .op = receive_op,
                                                  .event = receive->event,
                                                  .other_rank = (int32_t)from,
                                                  .other_op = send_op,
                                                  .other_event = send->event,
                                                  .bytes = send->bytes});
        if (replay_op_diverges(receive, (int32_t)from))
            run_assume(run, to, receive_op);
    }
    if (run->hooked && run->hooks.matched)
        run->hooks.matched(run->hooks.context, from, send_op, to, receive_op, choice);
}

/* Completes both sides of a match, which the matching had held. */
void run_deliver(struct replay_run *run, uint32_t from, uint32_t send_op, uint32_t to,
                 uint32_t receive_op, bool choice)
{
    if (run->has_send_detail)
        message_leaves(run, from, send_op, to);
    note_match(run, from, send_op, to, receive_op, choice);
    run_complete(run, from, send_op);
    run_complete(run, to, receive_op);
    if (run->bounded)
        run_promote(run, to);
}

/* Posts a send. True: it is complete. If it blocks and is not, its context waits. */
static bool post_send(struct replay_run *run, struct rank_state *state, uint32_t rank,
                      uint32_t index, const struct replay_op *op)
{
    uint32_t entry, to = (uint32_t)op->peer;
    uint64_t receive;

    if (op->peer < 0)
        return true;
    CORE_CHECK_HOT(state->hold == HOLD_NOT); /* run.h invariant 1 */
    struct matching_key key = {.to = to, .comm = op->comm, .from = (int32_t)rank, .tag = op->tag};
    if (matching_send(&run->match, &key, run_who(index, op), &receive, &entry)) {
        note_match(run, rank, index, to, run_who_op(receive), false);
        complete_who(run, to, receive);
        return true;
    }
    if (op->mode == REPLAY_READY && !matching_posted(&run->match, &key))
        run_error(run, &(struct replay_error){.kind = REPLAY_ERROR_READY,
                                              .rank = rank,
                                              .op = index,
                                              .event = op->event,
                                              .other_rank = op->peer});
    bool buffered = run_buffers(run, rank, index, op), blocking = op->kind == REPLAY_SEND;
    if (buffered && !blocking)
        state->request[op->request] |= REQUEST_BUFFERED;
    if (!buffered && (op->mode == REPLAY_STANDARD || op->mode == REPLAY_READY)) {
        if (run->bounded)
            note_waiting(run, &run->waiting[to], rank, index);
        if (run->hooks.late_buffering)
            note_waiting(run, &run->late, rank, index);
    }
    if (!run->match.wild)
        return buffered;
    if (!buffered && blocking)
        state->hold = HOLD_MESSAGE;
    else if (buffered && blocking)
        state->pc = UINT32_MAX; /* already past it, if its message is taken right now */
    run_posted(run, &key);
    if (buffered && blocking)
        state->pc = index;
    return buffered;
}

static void run_match_note(struct replay_run *run, uint32_t rank, int32_t request, int32_t from,
                           uint32_t send_op)
{
    CORE_CHECK(from >= 0 && run_sends(op_of(run, (uint32_t)from, send_op)));
    if (CORE_ARRAY_PUSH(
            run->taken, run->taken_count, run->taken_room, "a replay",
            (struct taken){.rank = rank, .request = request, .from = from, .send_op = send_op}))
        run->failed = CORE_NO_MEMORY;
}

/* Posts a receive. True: it is complete. */
static bool post_receive(struct replay_run *run, struct rank_state *state, uint32_t rank,
                         uint32_t index, const struct replay_op *op)
{
    int32_t from;
    uint32_t entry;
    uint64_t send;

    if (op->peer == REPLAY_PROC_NULL)
        return true;
    CORE_CHECK_HOT(state->hold == HOLD_NOT); /* run.h invariant 1 */
    struct matching_key key = {.to = rank, .comm = op->comm, .from = op->peer, .tag = op->tag};
    if (op->flags & REPLAY_FLAG_PROBED) {
        key.from = key.from == REPLAY_ANY ? REPLAY_ANY : state->found_from;
        key.tag = key.tag == REPLAY_ANY ? REPLAY_ANY : state->found_tag;
    }
    if (matching_receive(&run->match, &key, run_who(index, op), &from, &send, &entry)) {
        if (run->has_send_detail)
            run_deliver(run, (uint32_t)from, run_who_op(send), rank, index, false);
        else { /* the same, in short */
            note_match(run, (uint32_t)from, run_who_op(send), rank, index, false);
            complete_who(run, (uint32_t)from, send);
        }
        return true;
    }
    if (op->kind == REPLAY_RECV)
        state->hold = HOLD_MESSAGE;
    if (op->peer == REPLAY_ANY && run->match.deferred)
        run_posted(run, &key);
    return false;
}

/* Probes; true: a message is there. A matched probe takes it. */
static bool run_probe(struct replay_run *run, struct rank_state *state, uint32_t rank,
                      uint32_t index, const struct replay_op *op)
{
    struct matching_key key = {.to = rank, .comm = op->comm, .from = op->peer, .tag = op->tag},
                        found;
    uint32_t send_op;

    if (op->peer == REPLAY_PROC_NULL)
        return true;
    if (run_probe_waits(run, op) && state->forced < 0)
        return false;
    if (op->peer == REPLAY_ANY && !state->relaxed) {
        int32_t wanted = state->forced >= 0 ? state->forced : run_wanted(run, rank, index);
        if (wanted >= 0)
            key.from = wanted;
    }
    uint32_t at = matching_probe(&run->match, &key);
    if (!at)
        return false;
    state->relaxed = false;
    state->forced = -1;
    run_entry(run, at, &found, &send_op);
    CORE_CHECK(found.to == rank && (key.from < 0 || found.from == key.from));
    if (replay_op_diverges(op, found.from))
        run_assume(run, rank, index);
    if (op->flags & REPLAY_FLAG_PROBED) {
        state->found_from = found.from;
        state->found_tag = found.tag;
    }
    if (op->kind == REPLAY_MPROBE) {
        run_match_note(run, rank, op->request, found.from, send_op);
        matching_remove(&run->match, at);
        run_settle(run, rank);
    }
    return true;
}

static void receive_taken(struct replay_run *run, uint32_t rank, uint32_t index, int32_t request)
{
    for (uint32_t i = run->taken_count; i-- > 0;) {
        struct taken taken = run->taken[i];
        if (taken.rank != rank || taken.request != request)
            continue;
        run->taken[i] = run->taken[--run->taken_count];
        if (taken.from >= 0)
            run_deliver(run, (uint32_t)taken.from, taken.send_op, rank, index, false);
        return;
    }
}

/* --- waits ------------------------------------------------------------------------------------ */

static void await_one(struct replay_run *run, const struct rank_state *state, uint8_t *flags)
{
    *flags |= REQUEST_AWAITED;
    if (run->threads)
        run->threads->awaiter[flags - run->request] = (uint32_t)(state - run->state);
}

static bool run_await(struct replay_run *run, struct rank_state *state, const int32_t *request,
                      uint32_t count)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *flags = &state->request[request[i]];
        if (*flags & (REQUEST_DONE | REQUEST_AWAITED))
            continue;
        await_one(run, state, flags);
        missing++;
    }
    CORE_CHECK_HOT(missing <= count);
    state->waiting = missing; /* run.h invariant 2 */
    if (missing)
        state->hold = HOLD_REQUESTS;
    return missing == 0;
}

/* Waits for any or some: for the recorded members if the policy wants these, else for any. */
static bool await_any(struct replay_run *run, struct rank_state *state, uint32_t rank,
                      uint32_t index, const struct replay_op *op)
{
    const struct replay_rank *program = &run->program->rank[rank];
    const struct replay_set *set = &program->set[op->request];
    const int32_t *member = program->member + set->first;
    int32_t wanted = state->relaxed ? -1 : run_wanted(run, rank, index);
    bool some = op->kind == REPLAY_WAIT_SOME, any_done = false, all_wanted = true;

    if (set->count == 0)
        return true;
    for (uint32_t i = 0; i < set->count; i++) {
        bool is_wanted = some ? (int32_t)i < set->chosen : (int32_t)i == set->chosen;
        bool done = state->request[member[i]] & REQUEST_DONE;
        state->request[member[i]] &= (uint8_t)~REQUEST_AWAITED;
        any_done |= done;
        all_wanted &= done || !is_wanted;
    }
    if (wanted > (int32_t)set->count || (some ? wanted == 0 : wanted == (int32_t)set->count))
        wanted = -1;
    bool good = any_done;
    if (wanted >= 0 && some)
        for (int32_t i = 0; i < wanted; i++)
            good = good && state->request[member[i]] & REQUEST_DONE;
    else if (wanted >= 0)
        good = state->request[member[wanted]] & REQUEST_DONE;
    if (good) {
        if (set->chosen >= 0 && !all_wanted)
            run_assume(run, rank, index);
        state->relaxed = false;
        return true;
    }
    for (uint32_t i = 0; i < set->count; i++)
        if (!(state->request[member[i]] & REQUEST_DONE) &&
            (wanted < 0 || (some ? (int32_t)i < wanted : (int32_t)i == wanted)))
            await_one(run, state, &state->request[member[i]]);
    run_hold_looking(run, state, HOLD_ANY);
    return false;
}

static void run_cancel(struct replay_run *run, uint32_t rank, uint32_t index,
                       const struct replay_op *op)
{
    const struct replay_rank *program = &run->program->rank[rank];
    struct rank_state *state = &run->state[rank];

    const bool cancels = op->flags & REPLAY_FLAG_DONE;
    if (cancels == !!(state->request[op->request] & REQUEST_DONE))
        run_assume(run, rank, index); /* it ends otherwise than recorded, and the rank sees that */
    if (!cancels || state->request[op->request] & REQUEST_DONE)
        return;
    for (uint32_t i = index; i-- > 0;) { /* rare, so it searches backwards from here */
        const struct replay_op *made = &program->op[i];
        if ((made->kind != REPLAY_ISEND && made->kind != REPLAY_IRECV) ||
            made->request != op->request)
            continue;
        bool receive = made->kind == REPLAY_IRECV;
        struct matching_key key = {.comm = made->comm, .tag = made->tag};
        key.to = receive ? rank : (uint32_t)made->peer;
        key.from = receive ? made->peer : (int32_t)rank;
        uint32_t at = matching_find(&run->match, &key, receive, run_who(i, made));
        if (at) {
            if (!receive && run->has_send_detail)
                message_leaves(run, rank, i, key.to);
            matching_remove(&run->match, at);
            state->request[op->request] |= REQUEST_CANCELLED;
            run_request_done(run, rank, op->request);
            run_settle(run, key.to);
        }
        return;
    }
}

/* --- the loop --------------------------------------------------------------------------------- */

/* Runs one operation of a kind that the fast part of advance() does not handle. True: continue
 * after it. */
static bool step_rare(struct replay_run *run, struct rank_state *state, uint32_t rank,
                      uint32_t index, const struct replay_op *op)
{
    struct rank_side *side;

    switch ((enum replay_op_kind)op->kind) {
    case REPLAY_IPROBE:
        if (!(op->flags & REPLAY_FLAG_DONE))
            return true;
        /* fall through */
    case REPLAY_PROBE:
    case REPLAY_MPROBE:
        if (run_probe(run, state, rank, index, op))
            return true;
        run_hold_looking(run, state, HOLD_PROBE);
        return false;
    case REPLAY_MRECV:
        receive_taken(run, rank, index, op->request);
        return true;
    case REPLAY_IMRECV:
        receive_taken(run, rank, index, op->tag);
        run_request_done(run, rank, op->request);
        return true;
    case REPLAY_TEST: {
        const struct replay_rank *program = &run->program->rank[rank];
        const struct replay_set *set = &program->set[op->request];
        return !(op->flags & REPLAY_FLAG_DONE) ||
               run_await(run, state, program->member + set->first, set->count);
    }
    case REPLAY_WAIT_ANY:
    case REPLAY_WAIT_SOME:
        return await_any(run, state, rank, index, op);
    case REPLAY_CANCEL:
        run_cancel(run, rank, index, op);
        return true;
    case REPLAY_ATTACH:
        side = &run->side[rank];
        side->attached = op->bytes;
        side->attaches = true;
        return true;
    case REPLAY_DETACH:
        side = &run->side[rank];
        if (side->used) {
            run_hold_looking(run, state, HOLD_DETACH);
            return false;
        }
        side->attached = 0;
        return true;
    case REPLAY_LOCK:
        if (run_lock_enter(run, rank, index))
            return true;
        state->hold = HOLD_LOCK;
        return false;
    case REPLAY_UNLOCK:
        run_lock_leave(run, rank, op);
        return true;
    default:
        CORE_CHECK_HOT(op->kind == REPLAY_FREE || op->kind == REPLAY_COMPUTE ||
                       op->kind == REPLAY_COMBINE);
        return true;
    }
}

static void prepare_one(struct replay_run *run, uint32_t rank, const struct replay_op *op, bool far)
{
    struct matching_key key = {
        .to = (uint32_t)op->peer, .comm = op->comm, .from = (int32_t)rank, .tag = op->tag};
    if (op->kind == REPLAY_IRECV) {
        key.to = rank;
        key.from = op->peer;
    } else if (op->kind != REPLAY_ISEND || op->peer < 0)
        return;
    matching_prepare(&run->match, &key, far);
}

/* Prefetches ahead: long series of sends or receives mostly wait for memory. */
static void run_prepare(struct replay_run *run, uint32_t rank, const struct replay_rank *program,
                        uint32_t index)
{
    enum { NEAR = 12, FAR = 24 };
    if (index + FAR >= program->op_count ||
        program->op[index + FAR].kind != program->op[index].kind)
        return;
    prepare_one(run, rank, &program->op[index + FAR], true);
    prepare_one(run, rank, &program->op[index + NEAR], false);
}

/* Completes the request of an operation at once. Another thread may already wait for it. */
static inline void complete_at_once(struct replay_run *run, struct rank_state *state, uint32_t rank,
                                    int32_t request, bool threaded)
{
    if (threaded)
        run_request_done(run, rank, request);
    else
        state->request[request] |= REQUEST_DONE;
}

/* Prefetches the next operation of a waiting context, which will have left the cache when the
 * context resumes. */
static inline void prepare_deferred(const struct replay_op *op)
{
    __builtin_prefetch(op + 1);
    __builtin_prefetch(op + 3);
}

/* Runs one context until it waits. */
static inline __attribute__((always_inline)) void
run_advance(struct replay_run *run, uint32_t context, uint32_t rank, bool threaded)
{
    const struct replay_rank *program = &run->program->rank[rank];
    struct rank_state *state = &run->state[context];

    CORE_CHECK_HOT(state->hold == HOLD_NOT); /* run.h invariant 1: it was on the work list */
    while (state->pc < program->op_count) {
        uint32_t index = state->pc;
        const struct replay_op *op = &program->op[index];
        if (threaded && !run_threads_may_begin(run, rank, index)) {
            run_threads_await(run, context);
            return;
        }
        if (op[0].kind == REPLAY_ISEND || op[0].kind == REPLAY_IRECV)
            run_prepare(run, rank, program, index);
        switch ((enum replay_op_kind)op->kind) {
        case REPLAY_ISEND:
            if (post_send(run, state, rank, index, op))
                complete_at_once(run, state, rank, op->request, threaded);
            break;
        case REPLAY_IRECV:
            if (post_receive(run, state, rank, index, op))
                complete_at_once(run, state, rank, op->request, threaded);
            break;
        case REPLAY_WAIT:
            if (!run_await(run, state, &op->request, 1)) {
                prepare_deferred(op);
                return;
            }
            break;
        case REPLAY_WAIT_ALL: {
            const struct replay_set *set = &program->set[op->request];
            if (!run_await(run, state, program->member + set->first, set->count)) {
                prepare_deferred(op);
                return;
            }
            break;
        }
        case REPLAY_SEND:
            if (!post_send(run, state, rank, index, op)) {
                if (state->pc == index && state->hold == HOLD_NOT)
                    state->hold = HOLD_MESSAGE;
                if (threaded)
                    run_threads_begun(run, rank, index);
                return;
            }
            break;
        case REPLAY_RECV:
            if (!post_receive(run, state, rank, index, op)) {
                if (threaded)
                    run_threads_begun(run, rank, index);
                return;
            }
            break;
        case REPLAY_COLL:
            if (!run_coll_enter(run, rank, index)) {
                state->hold = HOLD_COLL;
                return;
            }
            break;
        case REPLAY_ICOLL:
            if (run_coll_enter(run, rank, index))
                run_request_done(run, rank, op->request);
            break;
        default:
            if (!step_rare(run, state, rank, index, op))
                return;
        }
        if (threaded)
            run_threads_pass(run, rank, state);
        else
            state->pc++;
        if (run->random_schedule && state->pc < program->op_count) { /* any context may be next */
            CORE_CHECK_HOT(run->work_count < run_context_count(run));
            run->work[run->work_count++] = context;
            return;
        }
        if (run->failed != CORE_OK)
            return;
    }
    CORE_CHECK(state->pc >= program->op_count && state->hold == HOLD_NOT); /* run.h invariant 1 */
    state->hold = HOLD_END;
}

static void advance_thread(struct replay_run *run, uint32_t context)
{
    CORE_CHECK_HOT(run->threads && context < run_context_count(run));
    run_advance(run, context, run_rank_of(run, context), true);
}

static uint32_t next_context(struct replay_run *run)
{
    CORE_CHECK(run->work_count > 0);
    uint32_t at = run->work_count - 1;
    if (run->random_schedule) {
        at = replay_choice_take(run->choice, run->work_count, REPLAY_REASON_SCHEDULE);
        CORE_CHECK_HOT(at < run->work_count); /* choice.h invariant 1 */
        uint32_t context = run->work[at];
        run->work[at] = run->work[--run->work_count];
        return context;
    }
    if (run_rank_of(run, run->work[at]) == run->slow_rank && at > 0) {
        uint32_t context = run->work[at];
        run->work[at] = run->work[0];
        run->work[0] = context;
    }
    run->work_count--;
    return run->work[at];
}

static void start_schedule(struct replay_run *run)
{
    const struct replay_policy *policy = run->policy;
    enum replay_delay delay = policy->delay;

    run->slow_rank = UINT32_MAX;
    if (delay == REPLAY_DELAY_SWARM) {
        static const enum replay_delay kind[] = {REPLAY_DELAY_NONE, REPLAY_DELAY_UNIFORM,
                                                 REPLAY_DELAY_SLOW_RANK};
        delay = kind[replay_choice_take(run->choice, 3, REPLAY_REASON_DELAY)];
        if (delay == REPLAY_DELAY_SLOW_RANK)
            run->slow_rank =
                replay_choice_take(run->choice, run->program->rank_count, REPLAY_REASON_DELAY);
    } else if (delay == REPLAY_DELAY_SLOW_RANK && policy->delay_ns < run->program->rank_count)
        run->slow_rank = (uint32_t)policy->delay_ns;
    run->random_schedule = delay == REPLAY_DELAY_UNIFORM || delay == REPLAY_DELAY_EXPONENTIAL ||
                           delay == REPLAY_DELAY_HEAVY;
    run->work_count = 0;
    for (uint32_t context = run_context_count(run); context-- > 0;)
        if (run->state[context].hold != HOLD_END)
            run->work[run->work_count++] = context;
    CORE_CHECK(run->work_count <= run_context_count(run));
    CORE_CHECK(run->slow_rank == UINT32_MAX || run->slow_rank < run->program->rank_count);
}

static enum core_status run_start(struct replay_run *run)
{
    const struct replay_policy *policy = run->policy;
    uint32_t ranks = run->program->rank_count;
    bool bounded = policy->buffering == REPLAY_CREDITS || policy->buffering == REPLAY_POOL;
    bool deferred = (run->has_wild && policy->order != REPLAY_ORDER_FIRST) || run->hooks.decide;
    bool wild = run->has_wild || bounded || run->hooks.decide;

    if (run->match_ready &&
        (run->match.wild != (wild || deferred) || run->match.deferred != deferred)) {
        matching_done(&run->match);
        run->match_ready = false;
    }
    if (!run->match_ready) {
        enum core_status status = matching_init(&run->match, ranks, wild, deferred);
        if (status != CORE_OK)
            return status;
        run->match_ready = true;
    } else
        matching_reset(&run->match);
    CORE_CHECK(matching_count(&run->match) == 0);
    run_coll_reset(run);
    memset(run->request, 0, run->request_count);
    uint8_t *request = run->request;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        run->state[rank] = (struct rank_state){.request = request, .forced = -1};
        request += run->program->rank[rank].request_count;
    }
    CORE_CHECK(request == run->request + run->request_count); /* all requests, rank after rank */
    if (run->threads)
        run_threads_start(run);
    run->bounded = bounded;
    run->track = bounded || run->result != NULL;
    run->has_send_detail = run->has_buffered || run->track;
    if (run->has_send_detail)
        memset(run->side, 0, ranks * sizeof *run->side);
    if (bounded && !run->waiting) {
        enum core_status status = CORE_ARRAY_NEW(run->waiting, ranks, "a replay");
        if (status != CORE_OK)
            return status;
    }
    for (uint32_t rank = 0; rank < ranks && bounded; rank++) {
        run->waiting[rank].first = run->waiting[rank].count = 0;
        run->waiting[rank].bytes_min = UINT64_MAX;
    }
    run->late.count = 0;
    run->taken_count = 0;
    run->messages = 0;
    run->assumed = false;
    run->failed = CORE_OK;
    start_schedule(run);
    return CORE_OK;
}

enum core_status replay_run_all(struct replay_run *run, const struct replay_policy *policy,
                                struct replay_choice *choice, enum replay_outcome *out_outcome,
                                struct replay_result *out_result)
{
    struct replay_result result = {0};
    enum replay_outcome outcome = REPLAY_FINISHED;

    core_work(run->op_count);
    run->policy = policy;
    run->result = out_result ? &result : NULL;
    run->choice = choice;
    if (!choice) {
        replay_choice_seed(&run->own_choice, policy->seed);
        run->choice = &run->own_choice;
    }
    enum core_status status = run_start(run);
    if (status != CORE_OK)
        return status;
    do {
        while (run->work_count && run->failed == CORE_OK) {
            uint32_t context = next_context(run);
            if (context < run->program->rank_count)
                run_advance(run, context, context, false);
            else
                advance_thread(run, context);
        }
    } while (run->failed == CORE_OK && run->match.deferred && run_decide(run));
    CORE_CHECK(run->work_count == 0 || run->failed != CORE_OK); /* run.h invariant 1: all at rest */
    if (run->match.failed && run->failed == CORE_OK)
        run->failed = core_report(CORE_NO_MEMORY, "out of memory for matching messages");
    status = run->failed;
    if (status == CORE_OK)
        status = run_conclude(run, &outcome);
    run->result = NULL;
    if (status != CORE_OK) {
        replay_result_done(&result);
        return status;
    }
    if (out_outcome)
        *out_outcome = outcome;
    if (out_result)
        *out_result = result;
    return CORE_OK;
}
