/* Turns a trace into a program: walks over a rank's events, and lowers point to point. The header
 * says what becomes of which call. */
#include "replay/program/lower.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"
#include "replay/program/lower_state.h"

/* --- requests --------------------------------------------------------------------------------- */

enum core_status lower_persistent(struct lower *lower, const struct trace_event *event,
                                  const struct replay_op *op)
{
    struct request *request = requests_find(&lower->requests, event->request);
    enum core_status status = CORE_OK;

    CORE_CHECK(op->kind == REPLAY_ISEND || op->kind == REPLAY_IRECV || op->kind == REPLAY_ICOLL);
    CORE_CHECK(op->comm < lower->program->comm_count);
    if (request)
        status =
            CORE_ARRAY_PUSH(lower->start, lower->start_count, lower->start_room, A_LOWERING, *op);
    if (request && status == CORE_OK)
        request->own[LOWER_START] = lower->start_count;
    return status;
}

void lower_unsupported(struct lower *lower, const struct trace_event *event)
{
    struct replay_lower_notes *notes = lower->notes;
    if (notes->unsupported++ == 0) {
        notes->unsupported_call = event->call;
        notes->unsupported_rank = lower->rank;
        notes->unsupported_event = event->seq;
    }
}

enum core_status lower_add(struct lower *lower, const struct trace_event *event,
                           struct replay_op op)
{
    CORE_CHECK(op.comm < lower->program->comm_count);
    op.event = event->seq;
    if (op.kind != REPLAY_RECV && op.kind != REPLAY_IRECV && op.kind != REPLAY_PROBE &&
        op.kind != REPLAY_MPROBE)
        op.matched = REPLAY_ANY;
    if (event->pending)
        op.flags |= REPLAY_FLAG_PENDING;
    if (event->parent)
        op.flags |= REPLAY_FLAG_INSIDE;
    if (!lower->threads)
        return replay_program_add(lower->program, lower->rank, &op);
    struct replay_when when = {.enter = event->t_enter,
                               .leave = event->pending ? UINT64_MAX : event->t_leave,
                               .thread = (uint32_t)event->thread};
    return replay_program_add_when(lower->program, lower->rank, &op, &when);
}

enum core_status lower_start(struct lower *lower, const struct trace_event *event,
                             struct replay_op op, uint64_t id)
{
    struct replay_rank *rank = &lower->program->rank[lower->rank];
    op.request = rank->request_count;
    enum core_status status = lower_add(lower, event, op);
    struct request *request = requests_find(&lower->requests, id);
    CORE_CHECK(status != CORE_OK || rank->request_count == op.request + 1); /* it made one */
    if (status == CORE_OK && request) {
        request->own[LOWER_NUMBER] = (uint32_t)op.request + 1;
        request->own[LOWER_OP] = rank->op_count - 1;
    }
    return status;
}

/* --- communicators ---------------------------------------------------------------------------- */

enum core_status lower_comm(struct lower *lower, int32_t *slot, int32_t id, int32_t *out_comm)
{
    const struct trace_comm *comm = &lower->trace->comm[id];
    uint32_t count = (uint32_t)comm->size + (comm->inter ? (uint32_t)comm->remote_size : 0), made;
    bool is_world = !comm->inter && count == lower->trace->rank_count;

    CORE_CHECK(id >= 0 && (uint32_t)id < lower->trace->comm_count); /* core invariant 3 */
    *out_comm = *slot;
    if (*slot >= 0)
        return CORE_OK;
    int32_t *member;
    enum core_status status = CORE_ARRAY_NEW(member, count, A_LOWERING);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        member[i] =
            i < (uint32_t)comm->size ? comm->member[i] : comm->remote[i - (uint32_t)comm->size];
        is_world = is_world && member[i] == (int32_t)i;
        if (member[i] < 0 || (uint32_t)member[i] >= lower->trace->rank_count) {
            free(member);
            return CORE_OK;
        }
    }
    status = replay_program_comm(lower->program, is_world ? NULL : member, count, &made);
    free(member);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(made > 0); /* 0 is the world, whatever the trace names so */
    lower->program->comm[made].origin = id;
    lower->program->comm[made].remote = comm->inter ? (uint32_t)comm->size : 0;
    *out_comm = *slot = (int32_t)made;
    return CORE_OK;
}

/* --- messages --------------------------------------------------------------------------------- */

static int32_t world_peer(const struct lower *lower, const struct trace_event *event, int32_t peer)
{
    int32_t world = trace_comm_world(lower->trace, event->comm, (int32_t)lower->rank, peer);
    return world == EVENT_ANY ? REPLAY_ANY : world == EVENT_PROC_NULL ? REPLAY_PROC_NULL : world;
}

/* Maps the negative tags of the library's own messages to positive ones. These messages have a
 * context of their own. */
static int32_t inner_tag(int32_t tag)
{
    return tag < 0 && tag != EVENT_ANY ? INT32_MAX + tag + 1 : tag;
}

/* Tells whether no message can have this peer or tag: a library that checks arguments refuses it.
 */
static bool is_impossible(int32_t peer, int32_t tag, enum lower_side side)
{
    bool peer_is_any = peer == REPLAY_ANY, tag_is_any = tag == REPLAY_ANY;

    if (side == LOWER_SENDS && (peer_is_any || tag_is_any))
        return true;
    return (peer < 0 && peer != REPLAY_PROC_NULL && !peer_is_any) || (tag < 0 && !tag_is_any);
}

enum core_status lower_message_op(struct lower *lower, const struct trace_event *event,
                                  enum lower_side side, struct replay_op *op, bool *out_bad)
{
    bool is_recv_half = side == LOWER_RECEIVES && trait_in(event->traits, TRAIT_SENDS);
    int32_t peer = is_recv_half ? event->recv_peer : event->peer;
    int32_t tag = is_recv_half ? event->recv_tag : event->tag;
    int32_t comm = -1;
    *out_bad = true;
    if (event->comm >= 0) {
        enum core_status status = lower_comm(
            lower, (event->parent ? lower->inner : lower->comm) + event->comm, event->comm, &comm);
        if (status != CORE_OK)
            return status;
    }
    if (comm < 0 || peer == EVENT_NONE) {
        lower_unsupported(lower, event);
        lower->stop =
            true; /* a message to or from an unknown rank: later calls could be blamed wrongly */
        return CORE_OK;
    }
    op->comm = (uint32_t)comm;
    op->peer = world_peer(lower, event, peer);
    op->tag = tag == EVENT_ANY ? REPLAY_ANY : event->parent ? inner_tag(tag) : tag;
    if (is_impossible(op->peer, op->tag, side)) {
        lower->stop |= event->pending;
        return CORE_OK;
    }
    CORE_CHECK(op->peer < (int32_t)lower->program->rank_count); /* lower_comm checked its members */
    CORE_CHECK(op->tag >= REPLAY_ANY);
    *out_bad = false;
    return CORE_OK;
}

static uint8_t mode_of(enum event_mode mode)
{
    switch (mode) {
    case EVENT_MODE_BUFFERED:
        return REPLAY_BUFFERED;
    case EVENT_MODE_SYNCHRONOUS:
        return REPLAY_SYNCHRONOUS;
    case EVENT_MODE_READY:
        return REPLAY_READY;
    case EVENT_MODE_NONE:
    case EVENT_MODE_STANDARD:
        break;
    }
    return REPLAY_STANDARD;
}

/* Returns the source that a receive or probe got, by the status of completion `index`. */
static int32_t matched_by(const struct lower *lower, const struct trace_event *event,
                          const struct trace_completion *done)
{
    if (!done->done || done->cancelled || done->source < 0)
        return REPLAY_ANY;
    int32_t world = trace_comm_world(lower->trace, event->comm, (int32_t)lower->rank, done->source);
    return world >= 0 ? world : REPLAY_ANY;
}

static bool lower_found(const struct trace_event *event)
{
    return event->completion_count && event->completion[0].done;
}

/* Marks a receive of what the thread's last probe of any source found. With several threads it
 * assumes nothing, as they may take each other's messages. */
static void follow_probe(struct lower *lower, const struct trace_event *event, struct replay_op *op)
{
    struct lower_thread *thread = lower->now;

    if (!thread->probe || event->parent)
        return;
    CORE_CHECK(thread->probe <= lower->program->rank[lower->rank].op_count);
    struct replay_op *probe = &lower->program->rank[lower->rank].op[thread->probe - 1];
    CORE_CHECK(probe->kind == REPLAY_PROBE && probe->peer == REPLAY_ANY);
    CORE_CHECK(probe->matched >= 0); /* lower_probe keeps only successful ones */
    if (!matching_fits((struct matching_envelope){op->comm, op->peer, op->tag},
                       (struct matching_envelope){probe->comm, probe->matched, thread->probe_tag}))
        return;
    thread->probe = 0;
    if (op->peer == REPLAY_ANY && (op->tag == REPLAY_ANY || probe->tag != REPLAY_ANY))
        return; /* it names nothing that the probe found */
    op->flags |= REPLAY_FLAG_PROBED;
    probe->flags |= REPLAY_FLAG_PROBED;
}

static enum core_status lower_message(struct lower *lower, const struct trace_event *event)
{
    bool is_send = trait_in(event->traits, TRAIT_SENDS);
    struct replay_op op = {
        .bytes = event->bytes, .request = REPLAY_NO_REQUEST, .matched = REPLAY_ANY};
    bool bad;

    enum core_status status =
        lower_message_op(lower, event, is_send ? LOWER_SENDS : LOWER_RECEIVES, &op, &bad);
    if (status != CORE_OK || bad)
        return status;
    const struct request *made = trait_in(event->traits, TRAIT_PARTITIONED)
                                     ? requests_find(&lower->requests, event->request)
                                     : NULL;
    if (made && made->pair)
        status = lower_pair_comm(lower, event->comm, made->pair, &op.comm);
    if (status != CORE_OK)
        return status;
    op.mode = is_send ? mode_of(event->mode) : 0;
    lower->notes->wildcards += !is_send && op.peer == REPLAY_ANY;
    if (!is_send && !trait_in(event->traits, TRAIT_PERSISTENT))
        follow_probe(lower, event, &op);
    if (trait_in(event->traits, TRAIT_MAKES_REQUEST)) {
        op.kind = is_send ? REPLAY_ISEND : REPLAY_IRECV;
        return trait_in(event->traits, TRAIT_PERSISTENT)
                   ? lower_persistent(lower, event, &op)
                   : lower_start(lower, event, op, event->request);
    }
    op.kind = is_send ? REPLAY_SEND : REPLAY_RECV;
    if (!is_send && event->completion_count)
        op.matched = matched_by(lower, event, &event->completion[0]);
    return lower_add(lower, event, op);
}

static enum core_status lower_sendrecv(struct lower *lower, const struct trace_event *event)
{
    struct replay_op send = {.kind = REPLAY_ISEND, .mode = REPLAY_STANDARD, .bytes = event->bytes};
    struct replay_op receive = {
        .kind = REPLAY_IRECV, .bytes = event->recv_bytes, .matched = REPLAY_ANY};
    struct replay_rank *rank = &lower->program->rank[lower->rank];
    int32_t pair[2], set;
    bool bad, bad_too;

    enum core_status status = lower_message_op(lower, event, LOWER_SENDS, &send, &bad);
    if (status == CORE_OK)
        status = lower_message_op(lower, event, LOWER_RECEIVES, &receive, &bad_too);
    if (status != CORE_OK || bad || bad_too)
        return status;
    if (event->completion_count)
        receive.matched = matched_by(lower, event, &event->completion[0]);
    lower->notes->wildcards += receive.peer == REPLAY_ANY;
    if (receive.peer == REPLAY_ANY && trait_in(event->traits, TRAIT_MAKES_REQUEST))
        receive.matched = REPLAY_UNTOLD; /* until its completion names the source */
    follow_probe(lower, event, &receive);
    const struct request *twin = requests_twin(&lower->requests, event->request);
    if (trait_in(event->traits, TRAIT_MAKES_REQUEST)) {
        status = lower_start(lower, event, receive, twin ? twin->id : 0);
        return status != CORE_OK ? status : lower_start(lower, event, send, event->request);
    }
    receive.request = pair[0] = rank->request_count;
    status = lower_add(lower, event, receive);
    send.request = pair[1] = rank->request_count;
    CORE_CHECK(status != CORE_OK || pair[1] == pair[0] + 1);
    if (status == CORE_OK)
        status = lower_add(lower, event, send);
    if (status == CORE_OK)
        status = replay_program_set(lower->program, lower->rank, pair, 2, -1, &set);
    if (status != CORE_OK)
        return status;
    return lower_add(lower, event, (struct replay_op){.kind = REPLAY_WAIT_ALL, .request = set});
}

static enum core_status lower_probe(struct lower *lower, const struct trace_event *event,
                                    bool polling)
{
    bool takes = trait_in(event->traits, TRAIT_MATCHED);
    struct replay_op op = {.kind = takes ? REPLAY_MPROBE : REPLAY_PROBE,
                           .flags = polling ? REPLAY_FLAG_TEST : 0,
                           .request = REPLAY_NO_REQUEST,
                           .matched = REPLAY_ANY};
    bool bad;

    enum core_status status = lower_message_op(lower, event, LOWER_RECEIVES, &op, &bad);
    if (status != CORE_OK || bad || op.peer == REPLAY_PROC_NULL)
        return status;
    if (event->completion_count)
        op.matched = matched_by(lower, event, &event->completion[0]);
    lower->notes->wildcards += op.peer == REPLAY_ANY;
    lower->notes->tests += polling;
    if (takes)
        return lower_start(lower, event, op, event->request);
    status = lower_add(lower, event, op);
    if (op.peer == REPLAY_ANY)
        lower->now->probe = 0;
    if (status == CORE_OK && op.peer == REPLAY_ANY && op.matched >= 0 && !lower->threads) {
        CORE_CHECK(event->completion_count > 0); /* its completion says what matched */
        lower->now->probe = lower->program->rank[lower->rank].op_count;
        lower->now->probe_tag = event->completion[0].tag;
    }
    return status;
}

static enum core_status lower_mrecv(struct lower *lower, const struct trace_event *event)
{
    bool immediate = trait_in(event->traits, TRAIT_MAKES_REQUEST);
    struct replay_op op = {.kind = immediate ? REPLAY_IMRECV : REPLAY_MRECV, .bytes = event->bytes};
    const struct request *request = requests_find(&lower->requests, event->request);
    bool known = request && (request->matched || request->kind == REQUEST_MESSAGE);
    bool of_nobody = immediate ? !event->message : known && request->peer == EVENT_PROC_NULL;

    if (of_nobody) { /* MPI_MESSAGE_NO_PROC */
        op.kind = REPLAY_IRECV;
        op.peer = REPLAY_PROC_NULL;
        op.tag = op.matched = REPLAY_ANY;
        return immediate ? lower_start(lower, event, op, event->request) : CORE_OK;
    }
    if (!known || lower_number(request) < 0) { /* its probe was not recorded */
        lower->notes->unknown_requests += (immediate ? event->message : event->request) != 0;
        return CORE_OK;
    }
    if (!immediate) {
        op.request = lower_number(request);
        return lower_add(lower, event, op);
    }
    op.tag = lower_number(request); /* the number of its message */
    return lower_start(lower, event, op, event->request);
}

/* --- the walk --------------------------------------------------------------------------------- */

static bool is_poll(const struct trace_event *event)
{
    return trait_in(event->traits, TRAIT_POLLS) && !trait_in(event->traits, TRAIT_WINDOW);
}

static enum core_status lower_poll(struct lower *lower, const struct trace_event *event)
{
    bool is_probe = trait_in(event->traits, TRAIT_PROBES);
    bool is_true = is_probe ? lower_found(event) : lower_test_true(event);

    if (!is_true || event->pending) {
        lower->notes->polls += event->repeat;
        if (!lower->options->choices)
            return lower_poll_keep(lower->now, event);
        return is_probe ? lower_choice_probe(lower, event) : lower_choice(lower, event, true);
    }
    lower_poll_forget(lower->now);
    return is_probe ? lower_probe(lower, event, true) : lower_wait(lower, event, true);
}

static enum core_status lower_call(struct lower *lower, const struct trace_event *event)
{
    uint64_t traits = event->traits;
    bool refused;
    enum core_status status = trace_event_refused(lower->trace, event, &refused);

    if (status != CORE_OK)
        return status;
    if (refused) {
        if (!trait_in(traits, TRAIT_LOCAL) && !is_poll(event))
            lower_poll_forget(lower->now);
        lower->stop |= event->pending;
        return collective_refused_met(&lower->refused, event->rank, event->seq)
                   ? lower_collective_refused(lower, event)
                   : CORE_OK;
    }
    if (is_poll(event))
        return lower_poll(lower, event);
    if (lower->options->choices && lower_choice_is_window(event))
        return lower_choice_window(lower, event);
    if (event->verb == VERB_TEST_EPOCH)
        return lower_rma_test(lower, event);
    if (!trait_in(traits, TRAIT_LOCAL)) /* a polling loop may make such calls too */
        lower_poll_forget(lower->now);
    if (trait_in(traits, TRAIT_DYNAMIC)) {
        lower_unsupported(lower, event);
        lower->stop |= event->pending;
        return CORE_OK;
    }
    if (event->verb == VERB_FINALIZE) { /* never waits; a rank in it communicates no more, however
                                           the call ended there */
        lower->finalized = true;
        return CORE_OK;
    }
    if (traits & (TRAIT_BIT(COLLECTIVE) | TRAIT_BIT(MAKES_COMM)))
        return lower_collective(lower, event);
    if (trait_in(traits, TRAIT_PROBES))
        return lower_probe(lower, event, false);
    if (trait_in(traits, TRAIT_MATCHED))
        return lower_mrecv(lower, event);
    if (trait_in(traits, TRAIT_SENDS) && trait_in(traits, TRAIT_RECEIVES))
        return lower_sendrecv(lower, event);
    if (traits & (TRAIT_BIT(SENDS) | TRAIT_BIT(RECEIVES)))
        return lower_message(lower, event);
    if (traits & TRAITS_COMPLETE)
        return lower_wait(lower, event, false);
    if (trait_in(traits, TRAIT_STARTS))
        return lower_starts(lower, event);
    if (traits_mark(traits))
        return lower_marked(lower, event);
    if (trait_in(traits, TRAIT_CANCELS))
        return lower_cancel(lower, event);
    if (trait_in(traits, TRAIT_FREES_REQUEST))
        return lower_free(lower, event);
    switch (event->verb) {
    case VERB_ATTACH_BUFFER:
    case VERB_DETACH_BUFFER:
    case VERB_ATTACH_OWN_BUFFER:
    case VERB_DETACH_OWN_BUFFER:
    case VERB_FLUSH_BUFFER:
        return lower_buffer(lower, event);
    case VERB_LOCK:
    case VERB_UNLOCK:
    case VERB_POST:
    case VERB_START_EPOCH:
    case VERB_COMPLETE_EPOCH:
    case VERB_WAIT_EPOCH:
        return lower_rma(lower, event);
    default: /* other local calls, and MPI_Abort */
        return (traits & ~TRAIT_BIT(MAKES_REQUEST)) == TRAIT_BIT(LOCAL)
                   ? lower_general(lower, event)
                   : CORE_OK;
    }
}

/* Tells whether the call ends requests, which are needed until it is lowered; requests that it
 * begins are needed from then on. */
static bool ends_requests(uint64_t traits)
{
    bool takes_message = trait_in(traits, TRAIT_MATCHED) && trait_in(traits, TRAIT_RECEIVES);

    return traits & (TRAITS_COMPLETE | TRAIT_BIT(FREES_REQUEST)) ||
           (takes_message && !trait_in(traits, TRAIT_MAKES_REQUEST));
}

static enum core_status lower_event(struct lower *lower, const struct trace_event *event)
{
    bool ends = ends_requests(event->traits);
    enum core_status status =
        ends ? CORE_OK : requests_follow(&lower->requests, event, lower_learn, lower);

    if (status == CORE_OK)
        status = lower_call(lower, event);
    return status != CORE_OK || !ends
               ? status
               : requests_follow(&lower->requests, event, lower_learn, lower);
}

static bool is_expandable(const struct trace_event *event)
{
    return !trait_in(event->traits, TRAIT_MAKES_REQUEST) &&
           !trait_in(event->traits, TRAIT_DYNAMIC) &&
           (verb_is_coll(event->verb) || trait_in(event->traits, TRAIT_MAKES_COMM));
}

/* Adds the application's work between its last call and this one. */
static enum core_status lower_compute(struct lower *lower, const struct trace_event *event,
                                      uint64_t *left)
{
    uint64_t before = *left;
    *left = event->t_leave > before ? event->t_leave : before;
    if (!before || event->t_enter <= before)
        return CORE_OK;
    struct replay_op op = {.kind = REPLAY_COMPUTE,
                           .bytes = (event->t_enter - before) * 1000,
                           .event = event->seq,
                           .request = REPLAY_NO_REQUEST,
                           .matched = REPLAY_ANY};
    struct replay_when when = {
        .enter = before, .leave = event->t_enter, .thread = (uint32_t)event->thread};
    return replay_program_add_when(lower->program, lower->rank, &op, lower->threads ? &when : NULL);
}

/* Finds the thread that made the call; a large number means a damaged trace. */
static enum core_status find_thread(struct lower *lower, const struct trace_event *event)
{
    uint32_t thread = lower->threads ? (uint32_t)event->thread : 0;
    if (thread >= REPLAY_THREADS_MAX)
        return core_report(CORE_BAD_FORMAT, "rank %u, event %llu: no thread has number %d",
                           lower->rank, (unsigned long long)event->seq, event->thread);
    enum core_status status =
        CORE_ARRAY_ROOM(lower->thread, lower->thread_room, thread + 1, A_LOWERING);
    if (status != CORE_OK)
        return status;
    for (; lower->thread_count <= thread; lower->thread_count++)
        lower->thread[lower->thread_count] = (struct lower_thread){0};
    lower->now = &lower->thread[thread];
    return CORE_OK;
}

/* Tells whether the call deletes or copies attributes; the callbacks run before anything for which
 * other ranks wait. */
static bool runs_callbacks(const struct trace_event *event)
{
    if (event->traits & (TRAIT_BIT(MAKES_REQUEST) | TRAIT_BIT(DYNAMIC)))
        return false;
    return event->traits & (TRAIT_BIT(FREES_COMM) | TRAIT_BIT(MAKES_COMM) | TRAIT_BIT(FREES_WIN)) ||
           event->verb == VERB_FINALIZE;
}

static enum core_status lower_held(struct lower *lower)
{
    bool holds = lower->holds;

    CORE_CHECK(!holds || !lower->threads); /* with threads, callbacks are not separated */
    lower->holds = false;
    return holds ? lower_event(lower, &lower->held) : CORE_OK;
}

/* Lowers a call of the application. With threads, their calls cannot be separated from callbacks.
 */
static enum core_status lower_own(struct lower *lower, const struct trace_event *event)
{
    /* no call with summed times was made inside another one (store_loop.c) */
    bool nested = !lower->threads && !event->summed && event->t_enter < lower->outer_leave;
    enum core_status status = nested ? CORE_OK : lower_held(lower);

    if (status != CORE_OK || nested)
        return status == CORE_OK ? lower_event(lower, event) : status;
    if (!event->summed)
        lower->outer_leave = event->pending ? UINT64_MAX : event->t_leave;
    lower->now->inside_of = lower->expand && is_expandable(event) ? event->seq : 0;
    if (lower->now->inside_of) {
        lower_poll_forget(lower->now);
    } else if (!lower->threads && runs_callbacks(event)) {
        CORE_CHECK(!lower->holds); /* the previous one was lowered before this call */
        lower->held = *event;
        lower->held.completion = NULL;
        lower->held.completion_count = 0;
        lower->holds = true;
    } else {
        status = lower_event(lower, event);
    }
    return status;
}

static bool is_too_long(const struct lower *lower)
{
    uint64_t most = lower->options->ops_max;

    return most && lower->ops + lower->program->rank[lower->rank].op_count > most;
}

/* Decides for each event whether to lower it: one of the application, or one inside a collective if
 * requested. */
static enum core_status lower_rank(struct lower *lower, struct trace_cursor *cursor)
{
    struct trace_event event;
    bool more;
    uint64_t left = 0;
    enum core_status status;

    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more && !lower->stop) {
        if ((status = find_thread(lower, &event)) != CORE_OK)
            break;
        if (lower->options->compute && !event.parent &&
            (status = lower_compute(lower, &event, &left)) != CORE_OK)
            break;
        if (!event.parent)
            lower->inside = event.pending && event.verb != VERB_FINALIZE;
        if (event.parent) {
            if (lower->now->inside_of && event.parent >= lower->now->inside_of)
                status = lower_event(lower, &event);
        } else {
            status = lower_own(lower, &event);
        }
        lower->notes->too_long = is_too_long(lower);
        if (status != CORE_OK || lower->notes->too_long)
            break;
    }
    return status == CORE_OK && !lower->stop ? lower_held(lower) : status;
}

static void forget_threads(struct lower *lower)
{
    for (uint32_t i = 0; i < lower->thread_count; i++) {
        lower_poll_forget(&lower->thread[i]);
        free(lower->thread[i].poll);
    }
    lower->thread_count = 0;
}

static void reset_rank(struct lower *lower, uint32_t rank)
{
    CORE_CHECK(rank < lower->program->rank_count);
    CORE_CHECK(lower->program->rank[rank].op_count == 0); /* each rank is lowered once */
    lower->rank = rank;
    lower_epochs_done(lower);
    requests_clear(&lower->requests);
    lower->start_count = 0;
    if (lower->number)
        memset(lower->number, 0, lower->number_room * sizeof *lower->number);
    if (lower->cancel)
        memset(lower->cancel, 0xFF, lower->cancel_room * sizeof *lower->cancel);
    forget_threads(lower);
    lower->threads = lower->trace->rank[rank].threads > 1;
    lower->notes->threads |= lower->threads;
    lower->stop = lower->finalized = lower->inside = lower->holds = lower->own_buffers = false;
    lower->attached = 0;
    lower->outer_leave = 0;
}

/* Drops the pending operations of a rank that died in them: it waits for nothing. */
static void drop_pending(struct replay_rank *rank)
{
    uint32_t kept = 0;
    while (!rank->when && rank->op_count &&
           rank->op[rank->op_count - 1].flags & REPLAY_FLAG_PENDING)
        rank->op_count--;
    for (uint32_t i = 0; rank->when && i < rank->op_count; i++) {
        if (rank->op[i].flags & REPLAY_FLAG_PENDING)
            continue;
        rank->op[kept] = rank->op[i];
        rank->when[kept++] = rank->when[i];
    }
    if (rank->when)
        rank->op_count = kept;
}

static enum core_status lower_one(struct lower *lower, uint32_t rank)
{
    const struct trace_rank *known = &lower->trace->rank[rank];
    struct replay_rank *program = &lower->program->rank[rank];
    struct trace_cursor *cursor;

    reset_rank(lower, rank);
    bool ended = known->state == EVENT_RANK_FINISHED || known->state == EVENT_RANK_EXITED;
    program->end = ended && !known->cut && !known->lost ? REPLAY_END_FINISHED : REPLAY_END_UNKNOWN;
    if (known->lost && !known->cut) { /* events are missing in the middle: any claim about the rank
                                         could be wrong */
        lower->notes->ranks_unknown++;
        lower->notes->ranks_left_out++;
        return CORE_OK;
    }
    enum core_status status = trace_cursor_open(lower->trace, rank, &cursor);
    if (status != CORE_OK)
        return status;
    status = lower_rank(lower, cursor);
    trace_cursor_close(cursor);
    if (lower->finalized)
        program->end = REPLAY_END_FINISHED;
    bool died = known->state == EVENT_RANK_CRASHED || known->state == EVENT_RANK_ABORTED ||
                (known->state == EVENT_RANK_EXITED &&
                 lower->inside); /* an error that MPI takes for fatal */
    if (lower->stop || (died && !lower->finalized))
        program->end = REPLAY_END_UNKNOWN;
    for (uint32_t i = 0;
         i < lower->thread_count && known->state == EVENT_RANK_ENDED && !lower->stop && !known->cut;
         i++)
        if (status == CORE_OK)
            status = lower_poll_end(lower, &lower->thread[i]);
    if (died && !lower->options->fatal)
        drop_pending(program);
    lower->notes->ranks_unknown += program->end == REPLAY_END_UNKNOWN;
    return status;
}

static enum core_status find_overtaking(const struct lower *lower)
{
    const struct trace *trace = lower->trace;
    bool *said, any = false;
    enum core_status status = CORE_ARRAY_NEW(said, lower->program->comm_count, A_LOWERING);

    for (uint32_t i = 0; i < trace->comm_count && status == CORE_OK; i++)
        if (trace->comm[i].overtaking && lower->comm[i] >= 0)
            any = said[lower->comm[i]] = true;
    if (any)
        status = replay_program_overtakes(lower->program, said);
    free(said);
    return status;
}

enum core_status replay_lower(struct trace *trace, const struct replay_lower_options *options,
                              struct replay_program *out_program,
                              struct replay_lower_notes *out_notes)
{
    struct replay_program program;
    struct replay_lower_notes notes = {.unsupported_call = -1};
    struct lower lower = {.trace = trace,
                          .options = options,
                          .program = &program,
                          .notes = &notes,
                          .window = CORE_TABLE(struct lower_window, win),
                          .pairs = CORE_TABLE(struct lower_pair, key)};
    size_t comms = (size_t)trace->comm_count + 1;

    enum core_status status = replay_program_init(&program, trace->rank_count);
    requests_init(&lower.requests);
    if (status != CORE_OK)
        return status;
    status = CORE_ARRAY_NEW(lower.comm, comms, A_LOWERING);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(lower.inner, comms, A_LOWERING);
    if (status != CORE_OK)
        goto free_lower;
    memset(lower.comm, 0xFF, comms * sizeof *lower.comm);
    memset(lower.inner, 0xFF, comms * sizeof *lower.inner);
    const char *layer = trace_meta(trace, "layer"), *overhead = trace_meta(trace, "bsend_overhead");
    program.buffered_overhead = overhead ? (uint32_t)strtoul(overhead, NULL, 10) : 0;
    lower.expand =
        options->inside && layer &&
        (strcmp(layer, "on") == 0 || (options->inside_some && strcmp(layer, "sample") == 0));
    status = collective_refused_load(trace, &lower.refused);
    for (uint32_t rank = 0; status == CORE_OK && !notes.too_long && rank < trace->rank_count;
         rank++) {
        status = lower_one(&lower, rank);
        lower.ops += program.rank[rank].op_count;
    }
    if (status == CORE_OK && notes.too_long) {
        replay_program_done(&program);
        status = replay_program_init(&program, trace->rank_count);
    } else if (status == CORE_OK) {
        status = find_overtaking(&lower);
    }
    if (status == CORE_OK) {
        CORE_CHECK(notes.ranks_left_out <= notes.ranks_unknown);
        CORE_CHECK(notes.ranks_unknown <= trace->rank_count);
        CORE_CHECK(notes.unsupported == 0 || notes.unsupported_call > 0);
        replay_program_trim(&program);
        status = options->choices ? CORE_OK : replay_program_check(&program);
    }
free_lower:
    free(lower.comm);
    free(lower.inner);
    collective_refused_done(&lower.refused);
    core_table_done(&lower.window);
    core_table_done(&lower.pairs);
    lower_epochs_done(&lower);
    free(lower.epoch);
    free(lower.number);
    requests_done(&lower.requests);
    free(lower.start);
    free(lower.cancel);
    forget_threads(&lower);
    free(lower.thread);
    free(lower.scratch);
    if (status != CORE_OK) {
        replay_program_done(&program);
        return status;
    }
    *out_program = program;
    if (out_notes)
        *out_notes = notes;
    return CORE_OK;
}
