/* See the header. Messages carry nothing here: who matches whom does not depend on it. A collective
 * holds its ranks as its shape says. Calls on windows are in mirror_window.c.
 *
 * Memory is taken before the world begins: a rank that is stuck does not come to an end. */
#include "explore/mirror.h"

#include <mpi.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "explore/mirror_window.h"
#include "replay/program/lower.h"

#define A_MIRROR "what a job chose"

struct rank_state {
    MPI_Comm *comm, *group; /* by communicator of the program: of messages, of collectives */
    MPI_Request *request;
    MPI_Message *message; /* by request */
    MPI_Request *list;    /* of one call */
    int *index;
    uint32_t *decided; /* by number of the decision: the operation */
    uint32_t *sent;    /* by number of the standard send in the world, from 0: the operation */
    uint64_t *number;  /* of the same, in the job; 0: it has none */
    uint32_t sent_count;
    bool died;    /* of itself */
    bool refused; /* it waited for what the policy names, which did not come */
};

struct mirror {
    struct trace *trace;
    const struct replay_program *program;
    const struct replay_policy *policy;
    struct rank_state *rank;
    struct mirror_windows windows;
    struct explore_mirror *out;
    enum core_status status; /* of the events */
};

/* --- before and after ------------------------------------------------------------------------- */

static uint32_t longest(const struct replay_rank *rank)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < rank->set_count; i++)
        if (rank->set[i].count > most)
            most = rank->set[i].count;
    return most;
}

static enum core_status rank_make(const struct trace *trace, const struct replay_program *program,
                                  uint32_t rank, struct rank_state *state)
{
    const struct replay_rank *r = &program->rank[rank];
    uint64_t requests = (uint64_t)r->request_count + 1, ops = (uint64_t)r->op_count + 2;
    enum core_status status = CORE_ARRAY_NEW(state->comm, program->comm_count, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->group, program->comm_count, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->request, requests, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->message, requests, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->list, longest(r), A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->index, longest(r), A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->decided, ops, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->sent, ops, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->number, ops, A_MIRROR);
    state->died = trace->rank[rank].state != EVENT_RANK_FINISHED &&
                  trace->rank[rank].state != EVENT_RANK_ENDED;
    for (uint64_t i = 0; status == CORE_OK && i < requests; i++) {
        state->request[i] = MPI_REQUEST_NULL;
        state->message[i] = MPI_MESSAGE_NULL;
    }
    return status;
}

static void rank_done(struct rank_state *state)
{
    free(state->comm);
    free(state->group);
    free(state->request);
    free(state->message);
    free(state->list);
    free(state->index);
    free(state->decided);
    free(state->sent);
    free(state->number);
}

/* --- a rank ----------------------------------------------------------------------------------- */

enum { ANSWER_UNKNOWN = -2 };

struct at { /* an operation, as its rank does it */
    struct mirror *mirror;
    struct rank_state *state;
    const struct replay_rank *rank;
    const struct replay_op *op;
    uint32_t index;
};

/* What the decision of the operation was, if it is one. A rank that died in it got something, or
 * died of something else: nothing tells. */
static void wish(const struct at *at, int32_t answer)
{
    bool pending = at->op->flags & REPLAY_FLAG_PENDING;
    uint32_t number = world_decided() + 1;
    at->state->decided[number] = at->index;
    at->state->refused |=
        (pending || answer == WORLD_WISH_NEVER) && !at->state->died &&
        replay_policy_find(&at->mirror->policy->forced, (uint32_t)world_rank(), false, number);
    if ((pending || answer == WORLD_WISH_NEVER) && at->state->died)
        world_wish(WORLD_WISH_FREE);
    else
        world_wish(pending ? WORLD_WISH_NEVER : answer);
}

static int peer_of(const struct replay_op *op)
{
    return op->peer == REPLAY_ANY         ? MPI_ANY_SOURCE
           : op->peer == REPLAY_PROC_NULL ? MPI_PROC_NULL
                                          : op->peer;
}

static int tag_of(const struct replay_op *op)
{
    return op->tag == REPLAY_ANY ? MPI_ANY_TAG : op->tag;
}

/* Where no status told it, the message was not received. */
static int32_t source_of(const struct replay_op *op)
{
    return op->matched >= 0 ? op->matched : op->peer >= 0 ? op->peer : WORLD_WISH_NEVER;
}

static void send(const struct at *at)
{
    const struct replay_op *op = at->op;
    MPI_Comm comm = at->state->comm[op->comm];
    MPI_Request *request = op->kind == REPLAY_ISEND ? &at->state->request[op->request] : NULL;
    int dest = peer_of(op);
    if (op->mode == REPLAY_SYNCHRONOUS) {
        if (request)
            MPI_Issend(NULL, 0, MPI_BYTE, dest, op->tag, comm, request);
        else
            MPI_Ssend(NULL, 0, MPI_BYTE, dest, op->tag, comm);
        return;
    }
    if (request)
        MPI_Isend(NULL, 0, MPI_BYTE, dest, op->tag, comm, request);
    else
        MPI_Send(NULL, 0, MPI_BYTE, dest, op->tag, comm);
}

static void receive(const struct at *at)
{
    const struct replay_op *op = at->op;
    MPI_Comm comm = at->state->comm[op->comm];
    if (op->peer != REPLAY_PROC_NULL)
        wish(at, source_of(op));
    if (op->kind == REPLAY_IRECV)
        MPI_Irecv(NULL, 0, MPI_BYTE, peer_of(op), tag_of(op), comm,
                  &at->state->request[op->request]);
    else
        MPI_Recv(NULL, 0, MPI_BYTE, peer_of(op), tag_of(op), comm, MPI_STATUS_IGNORE);
}

static void probe(const struct at *at)
{
    const struct replay_op *op = at->op;
    MPI_Comm comm = at->state->comm[op->comm];
    bool takes = op->kind == REPLAY_MPROBE, poll = op->flags & REPLAY_FLAG_TEST;
    MPI_Message *message = takes ? &at->state->message[op->request] : NULL;
    int32_t source = source_of(op);
    int flag;
    if (op->peer == REPLAY_PROC_NULL)
        return;
    wish(at, source < 0 ? source : source + poll);
    if (takes && poll)
        MPI_Improbe(peer_of(op), tag_of(op), comm, &flag, message, MPI_STATUS_IGNORE);
    else if (takes)
        MPI_Mprobe(peer_of(op), tag_of(op), comm, message, MPI_STATUS_IGNORE);
    else if (poll)
        MPI_Iprobe(peer_of(op), tag_of(op), comm, &flag, MPI_STATUS_IGNORE);
    else
        MPI_Probe(peer_of(op), tag_of(op), comm, MPI_STATUS_IGNORE);
}

static void receive_message(const struct at *at)
{
    const struct replay_op *op = at->op;
    bool immediate = op->kind == REPLAY_IMRECV;
    MPI_Message *message = &at->state->message[immediate ? op->tag : op->request];
    if (*message == MPI_MESSAGE_NULL)
        return;
    if (immediate)
        MPI_Imrecv(NULL, 0, MPI_BYTE, message, &at->state->request[op->request]);
    else
        MPI_Mrecv(NULL, 0, MPI_BYTE, message, MPI_STATUS_IGNORE);
}

static void complete_one(const struct at *at, MPI_Request *request)
{
    const struct replay_op *op = at->op;
    bool poll = op->kind == REPLAY_TEST || op->flags & REPLAY_FLAG_TEST;
    int flag;
    wish(at, op->kind == REPLAY_TEST ? 0 : 1);
    if (!poll)
        MPI_Wait(request, MPI_STATUS_IGNORE);
    else if (op->mode == REPLAY_TEST_LOOK)
        MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
    else
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
}

static void complete_list(const struct at *at, const struct replay_set *set, MPI_Request *list)
{
    const struct replay_op *op = at->op;
    bool nothing = op->kind == REPLAY_TEST, poll = nothing || op->flags & REPLAY_FLAG_TEST;
    int count = (int)set->count, flag, one;
    int32_t some = op->bytes && op->bytes < 1u << 30 ? (int32_t)op->bytes : WORLD_WISH_FREE;
    switch ((enum replay_test)op->mode) {
    case REPLAY_TEST_ANY:
        wish(at, nothing ? 0 : set->chosen < 0 ? WORLD_WISH_FREE : set->chosen + poll);
        if (poll)
            MPI_Testany(count, list, &one, &flag, MPI_STATUS_IGNORE);
        else
            MPI_Waitany(count, list, &one, MPI_STATUS_IGNORE);
        return;
    case REPLAY_TEST_SOME:
        wish(at, nothing ? 0 : some);
        if (poll)
            MPI_Testsome(count, list, &one, at->state->index, MPI_STATUSES_IGNORE);
        else
            MPI_Waitsome(count, list, &one, at->state->index, MPI_STATUSES_IGNORE);
        return;
    default:
        wish(at, nothing ? 0 : 1);
        if (poll)
            MPI_Testall(count, list, &flag, MPI_STATUSES_IGNORE);
        else
            MPI_Waitall(count, list, MPI_STATUSES_IGNORE);
    }
}

static void complete(const struct at *at)
{
    const struct replay_op *op = at->op;
    struct rank_state *state = at->state;
    if (op->kind == REPLAY_WAIT) {
        complete_one(at, &state->request[op->request]);
        return;
    }
    const struct replay_set *set = &at->rank->set[op->request];
    const int32_t *member = at->rank->member + set->first;
    for (uint32_t i = 0; i < set->count; i++)
        state->list[i] = member[i] >= 0 ? state->request[member[i]] : MPI_REQUEST_NULL;
    if (op->kind == REPLAY_TEST && op->mode <= REPLAY_TEST_LOOK)
        complete_one(at, state->list);
    else
        complete_list(at, set, state->list);
    for (uint32_t i = 0; i < set->count; i++)
        if (member[i] >= 0)
            state->request[member[i]] = state->list[i];
}

static int root_of(const struct replay_comm *comm, int32_t world)
{
    for (uint32_t i = 0; comm->member && i < comm->count; i++)
        if (comm->member[i] == world)
            return (int)i;
    return world;
}

/* As much of it as holds its ranks; `made` takes its request, if it has one. */
static void collective(const struct at *at, MPI_Request *made)
{
    const struct replay_op *op = at->op;
    MPI_Comm comm = at->state->group[op->comm];
    int root = root_of(&at->mirror->program->comm[op->comm], op->peer), in = 0, out;
    bool rooted = op->peer >= 0, local = op->flags & REPLAY_FLAG_LOCAL;
    enum replay_coll_shape shape = (enum replay_coll_shape)op->mode;
    bool from = shape == REPLAY_COLL_FROM_ROOT, to = shape == REPLAY_COLL_TO_ROOT;
    if (comm == MPI_COMM_NULL || local || ((from || to) && !rooted)) {
        if (made)
            MPI_Ibarrier(MPI_COMM_SELF, made);
    } else if (from) {
        if (made)
            MPI_Ibcast(at->state->index, 1, MPI_INT, root, comm, made);
        else
            MPI_Bcast(&in, 1, MPI_INT, root, comm);
    } else if (to) {
        static int nothing[2];
        if (made)
            MPI_Ireduce(&nothing[0], &nothing[1], 1, MPI_INT, MPI_SUM, root, comm, made);
        else
            MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, root, comm);
    } else if (shape == REPLAY_COLL_PREFIX) {
        static int none[2];
        if (made)
            MPI_Iscan(&none[0], &none[1], 1, MPI_INT, MPI_SUM, comm, made);
        else
            MPI_Scan(&in, &out, 1, MPI_INT, MPI_SUM, comm);
    } else if (made) {
        MPI_Ibarrier(comm, made);
    } else {
        MPI_Barrier(comm);
    }
}

/* The record ends in it: it waits for the answer that the policy names, or comes again. */
static bool ends_in_poll(const struct replay_op *op)
{
    return op->flags & REPLAY_FLAG_PENDING &&
           (op->kind == REPLAY_TEST || op->kind == REPLAY_IPROBE);
}

/* The operation before was a test of the same requests. */
static bool comes_again(const struct at *at)
{
    const struct replay_op *op = at->op, *before = op - 1;
    if (!at->index || op->kind != REPLAY_TEST || before->kind != REPLAY_TEST ||
        before->mode != op->mode)
        return false;
    const struct replay_set *set = &at->rank->set[op->request],
                            *same = &at->rank->set[before->request];
    const int32_t *member = at->rank->member;
    return set->count == same->count &&
           !memcmp(member + set->first, member + same->first, set->count * sizeof *member);
}

/* Nobody looks at what a generalized request says. */
static int general_query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int general_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int general_cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void operate(const struct at *at)
{
    const struct replay_op *op = at->op;
    if (ends_in_poll(op)) {
        struct replay_op once = *op;
        struct at found_nothing = *at;
        once.flags &= (uint16_t)~REPLAY_FLAG_PENDING;
        found_nothing.op = &once;
        wish(at, 0);
        if (comes_again(at) && !at->state->refused)
            complete(&found_nothing);
        world_wish(WORLD_WISH_FREE);
        return;
    }
    switch ((enum replay_op_kind)op->kind) {
    case REPLAY_SEND:
    case REPLAY_ISEND:
        send(at);
        break;
    case REPLAY_RECV:
    case REPLAY_IRECV:
        receive(at);
        break;
    case REPLAY_PROBE:
    case REPLAY_MPROBE:
        probe(at);
        break;
    case REPLAY_IPROBE: {
        int flag;
        wish(at, 0);
        MPI_Iprobe(peer_of(op), tag_of(op), at->state->comm[op->comm], &flag, MPI_STATUS_IGNORE);
        break;
    }
    case REPLAY_MRECV:
    case REPLAY_IMRECV:
        receive_message(at);
        break;
    case REPLAY_WAIT:
    case REPLAY_WAIT_ALL:
    case REPLAY_WAIT_ANY:
    case REPLAY_WAIT_SOME:
    case REPLAY_TEST:
        complete(at);
        break;
    case REPLAY_CANCEL:
        if (at->state->request[op->request] != MPI_REQUEST_NULL)
            MPI_Cancel(&at->state->request[op->request]);
        break;
    case REPLAY_FREE:
        if (at->state->request[op->request] != MPI_REQUEST_NULL)
            MPI_Request_free(&at->state->request[op->request]);
        break;
    case REPLAY_GENERAL:
        MPI_Grequest_start(general_query, general_free, general_cancel, NULL,
                           &at->state->request[op->request]);
        break;
    case REPLAY_FULFIL:
        MPI_Grequest_complete(at->state->request[op->request]);
        break;
    case REPLAY_COLL:
        collective(at, NULL);
        break;
    case REPLAY_ICOLL:
        collective(at, &at->state->request[op->request]);
        break;
    case REPLAY_WINDOW:
        mirror_windows_do(&at->mirror->windows, (uint32_t)world_rank(), at->index,
                          at->state->group[op->comm],
                          op->request >= 0 ? &at->state->request[op->request] : NULL);
        break;
    default: /* time; attached buffers, as all sends have one here */
        break;
    }
    world_wish(WORLD_WISH_FREE);
}

/* Messages of each communicator keep to themselves; peers are named by their ranks in the world. */
static void communicators(const struct mirror *mirror, struct rank_state *state)
{
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    state->comm[0] = state->group[0] = MPI_COMM_WORLD;
    for (uint32_t c = 1; c < mirror->program->comm_count; c++) {
        const struct replay_comm *comm = &mirror->program->comm[c];
        MPI_Comm_dup(MPI_COMM_WORLD, &state->comm[c]);
        state->group[c] = state->comm[c];
        if (!comm->member)
            continue;
        MPI_Group_incl(world, (int)comm->count, comm->member, &group);
        MPI_Comm_create(MPI_COMM_WORLD, group, &state->group[c]);
    }
}

static int rank_run(int rank, void *context)
{
    struct mirror *mirror = context;
    const struct replay_rank *r = &mirror->program->rank[rank];
    struct at at = {.mirror = mirror, .state = &mirror->rank[rank], .rank = r};
    communicators(mirror, at.state);
    for (at.index = 0; at.index < r->op_count; at.index++) {
        at.op = &r->op[at.index];
        operate(&at);
    }
    return 0;
}

static void keep_event(void *context, const struct world_event *event)
{
    struct mirror *mirror = context;
    struct explore_mirror *out = mirror->out;
    if (mirror->status == CORE_OK)
        mirror->status =
            CORE_ARRAY_PUSH(out->event, out->event_count, out->event_room, A_MIRROR, *event);
}

/* --- what it is called in the job ------------------------------------------------------------- */

/* Sends are named in the job by how many the rank began before, starts not counted. */
static bool may_wait(const struct replay_op *op)
{
    return (op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND) && op->mode != REPLAY_SYNCHRONOUS;
}

static enum core_status sends_number(struct mirror *mirror, uint32_t rank)
{
    struct rank_state *state = &mirror->rank[rank];
    const struct replay_op *op = mirror->program->rank[rank].op;
    struct trace_cursor *cursor;
    struct trace_event event;
    uint64_t number = 0;
    uint32_t at = 0;
    bool more = true;
    for (uint32_t i = 0; i < mirror->program->rank[rank].op_count; i++)
        if (may_wait(&op[i]))
            state->sent[state->sent_count++] = i;
    enum core_status status = trace_cursor_open(mirror->trace, rank, &cursor);
    if (status != CORE_OK)
        return status;
    while (at < state->sent_count &&
           (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        if (event.parent)
            continue;
        bool named = event.mode == EVENT_MODE_STANDARD && trait_in(event.traits, TRAIT_SENDS);
        number += named;
        for (; at < state->sent_count && op[state->sent[at]].event <= event.seq; at++)
            state->number[at] = op[state->sent[at]].event == event.seq && named ? number : 0;
    }
    trace_cursor_close(cursor);
    return status;
}

static enum core_status events_name(struct mirror *mirror)
{
    struct explore_mirror *out = mirror->out;
    enum core_status status = mirror->status;
    for (uint32_t i = 0; i < out->event_count && status == CORE_OK; i++) {
        struct world_event *e = &out->event[i];
        const struct rank_state *state = &mirror->rank[e->rank];
        if (e->kind != WORLD_EVENT_SEND)
            continue;
        bool known = e->number && e->number <= state->sent_count;
        e->number = known ? (uint32_t)state->number[e->number - 1] : 0;
        e->flag |= e->standard && !e->number; /* it has its buffer: none can be taken from it */
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

static uint32_t same_before(const struct world_decisions *told, const struct world_decision *d)
{
    uint32_t same = 0;
    for (const struct world_decision *e = told->decision; e < d; e++)
        same += e->rank == d->rank && e->place && e->number - e->place == d->number - d->place &&
                e->answer == d->answer;
    return same;
}

/* That one came before the other is known only if both were done by then. */
static void certain(const struct mirror *mirror, const struct world_decision *d, int32_t other,
                    uint32_t before)
{
    const int32_t answer[] = {d->answer, other};
    uint32_t rank, op;
    for (int i = 0; i < 2 && other != d->answer; i++)
        if (mirror_windows_find(&mirror->windows, d, answer[i], before, &rank, &op))
            mirror->out->windows |= !mirror_windows_certain(&mirror->windows, rank, op);
}

static enum core_status turn_name(const struct mirror *mirror, struct world_decision *d,
                                  const struct world_decision *as_told)
{
    const struct world_decisions *told = &mirror->out->told;
    uint32_t before = same_before(told, as_told), rank, op;
    struct trace_event event;
    for (uint32_t i = 0; i < d->option_count; i++)
        certain(mirror, d, told->option[d->option_first + i].answer, before);
    for (uint32_t i = 0; i < told->missed_count; i++)
        if (&told->decision[told->missed[i].decision] == as_told)
            certain(mirror, d, told->missed[i].answer, before);
    if (!mirror_windows_find(&mirror->windows, d, d->answer, before, &rank, &op))
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
    uint32_t index =
        buffer ? state->sent[d->number - REPLAY_BUFFER_NUMBERS - 1] : state->decided[d->number];
    struct trace_event event;
    CORE_CHECK(index < rank->op_count);
    enum core_status status =
        trace_event_get(mirror->trace, (uint32_t)d->rank, rank->op[index].event, &event);
    if (status != CORE_OK)
        return status;
    bool unknown = !buffer && state->died && !d->given &&
                   (event.pending ||
                    (d->reason == REPLAY_REASON_MATCH && !d->poll && rank->op[index].matched < 0));
    if (unknown) { /* each answer is tried, and this job is none of them */
        d->answer = ANSWER_UNKNOWN;
        mirror->out->told.unknown = true;
    }
    place_name(mirror, d, &event);
    mirror->out->persistent |= name && !d->given && trait_in(event.traits, TRAIT_STARTS);
    return CORE_OK;
}

static uint32_t number_in_job(const struct mirror *mirror, const struct world_decision *d)
{
    const struct rank_state *state = &mirror->rank[d->rank];
    if (d->reason != REPLAY_REASON_BUFFER)
        return d->number;
    uint32_t send = d->number - REPLAY_BUFFER_NUMBERS;
    CORE_CHECK(send > 0 && send <= state->sent_count);
    return REPLAY_BUFFER_NUMBERS + (uint32_t)state->number[send - 1];
}

static enum core_status decisions_name(struct mirror *mirror, const struct replay_policy *policy)
{
    struct explore_mirror *out = mirror->out;
    const struct world_decisions *told = out->outcome.decisions;
    out->told = *told;
    out->outcome.decisions = &out->told;
    for (uint32_t r = 0; r < mirror->program->rank_count; r++)
        out->told.cut |= mirror->rank[r].refused;
    enum core_status status = CORE_ARRAY_NEW(out->decision, told->decision_count + 1, A_MIRROR);
    for (uint32_t i = 0; i < told->decision_count && status == CORE_OK; i++) {
        struct world_decision *d = &out->decision[i];
        *d = told->decision[i];
        uint32_t number = number_in_job(mirror, d);
        const struct replay_name *name =
            replay_policy_find(&policy->forced, (uint32_t)d->rank, false, number);
        d->given = name && name->source == d->answer;
        status = mirror_windows_is(d) ? turn_name(mirror, d, &told->decision[i])
                                      : decision_name(mirror, d, name);
        d->number = number;
        if (number == REPLAY_BUFFER_NUMBERS) /* it has its buffer: none can be taken from it */
            d->option_count = 1;
    }
    out->told.decision = out->decision;
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* What the policy names and the world is to be given: turns that were had; where the rank died it
 * got what it was to get; and sends that have no buffer. */
static enum core_status name_give(const struct mirror *mirror, const struct replay_name *name,
                                  struct replay_names *given)
{
    const struct rank_state *state = &mirror->rank[name->rank];
    const struct replay_name *turn =
        replay_policy_find(&mirror->windows.turns, name->rank, false, name->id);
    if (name->id < REPLAY_BUFFER_NUMBERS && name->id >= REPLAY_TURN_OBJECT)
        return turn && turn->source == name->source ? replay_policy_add(given, name) : CORE_OK;
    if (name->id < REPLAY_BUFFER_NUMBERS)
        return state->died ? replay_policy_add(given, name) : CORE_OK;
    struct replay_name own = *name;
    for (uint32_t i = 0; i < state->sent_count; i++)
        if (state->number[i] && state->number[i] == name->id - REPLAY_BUFFER_NUMBERS) {
            own.id = REPLAY_BUFFER_NUMBERS + i + 1;
            return replay_policy_add(given, &own);
        }
    return CORE_OK;
}

static enum core_status world(struct mirror *mirror, const struct replay_policy *policy)
{
    struct world_options options = {.rank_count = (int)mirror->program->rank_count,
                                    .run = rank_run,
                                    .context = mirror,
                                    .initialized = true,
                                    .hollow = true,
                                    .turns = &mirror->windows.turns,
                                    .step_count_max = UINT64_MAX,
                                    .event = keep_event,
                                    .event_context = mirror};
    replay_policy_init(&options.policy);
    options.policy.buffering = REPLAY_EAGER;
    options.policy.order = REPLAY_ORDER_EXPLORE;
    enum core_status status = CORE_OK;
    for (uint32_t r = 0; r < mirror->program->rank_count && status == CORE_OK; r++)
        status = sends_number(mirror, r);
    for (uint32_t i = 0; i < policy->forced.count && status == CORE_OK; i++)
        if (policy->forced.name[i].rank < mirror->program->rank_count)
            status = name_give(mirror, &policy->forced.name[i], &options.policy.forced);
    if (status == CORE_OK)
        status = world_run(&options, &mirror->out->outcome);
    replay_policy_done(&options.policy);
    if (status == CORE_OK)
        status = events_name(mirror);
    return status == CORE_OK ? decisions_name(mirror, policy) : status;
}

/* MPI refuses here what it did not refuse there: what comes behind that is not known. */
static bool failed(const struct world_outcome *outcome)
{
    for (int i = 0; i < outcome->finding_count; i++)
        if (!strcmp(outcome->finding[i].rule, "error"))
            return true;
    return false;
}

static bool has_files(const struct trace *trace)
{
    sqlite3_stmt *row;
    bool has = false;
    if (sqlite3_prepare_v2(trace->db, "SELECT 1 FROM win WHERE kind = 'file' LIMIT 1", -1, &row,
                           NULL) == SQLITE_OK)
        has = sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return has;
}

/* Not all turns that the job had are there. */
static bool turns_lack(const struct mirror *mirror)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mirror->out->told.decision_count; i++)
        count += mirror->out->decision[i].place != 0;
    return count != mirror->windows.turns.count;
}

enum core_status explore_mirror_run(struct trace *trace, const struct replay_policy *policy,
                                    const char *turns, struct explore_mirror *out_mirror)
{
    struct replay_program program;
    struct replay_lower_notes notes;
    struct mirror mirror = {
        .trace = trace, .program = &program, .policy = policy, .out = out_mirror};
    *out_mirror = (struct explore_mirror){0};
    enum core_status status = replay_lower(
        trace, &(struct replay_lower_options){.choices = true, .fatal = true}, &program, &notes);
    if (status != CORE_OK)
        return status;
    if (notes.threads)
        status = core_report(CORE_UNSUPPORTED, "several threads of a rank make calls of MPI");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(mirror.rank, program.rank_count, A_MIRROR);
    for (uint32_t r = 0; r < program.rank_count && status == CORE_OK; r++)
        status = rank_make(trace, &program, r, &mirror.rank[r]);
    if (status == CORE_OK)
        status = mirror_windows_new(trace, &program, turns, &mirror.windows);
    if (status == CORE_OK)
        status = world(&mirror, policy);
    out_mirror->windows |= has_files(trace);
    out_mirror->windows |= mirror.windows.any && (mirror.windows.unknown || turns_lack(&mirror));
    out_mirror->told.cut |= trace_meta(trace, "turns") != NULL; /* not all had theirs */
    out_mirror->told.limited |= mirror.windows.polls || failed(&out_mirror->outcome);
    out_mirror->told.limited |= notes.unsupported || notes.unknown_requests ||
                                notes.ranks_left_out || out_mirror->windows ||
                                out_mirror->persistent;
    for (uint32_t r = 0; mirror.rank && r < program.rank_count; r++)
        rank_done(&mirror.rank[r]);
    free(mirror.rank);
    mirror_windows_done(&mirror.windows);
    replay_program_done(&program);
    if (status != CORE_OK)
        explore_mirror_done(out_mirror);
    return status;
}

void explore_mirror_done(struct explore_mirror *mirror)
{
    free(mirror->decision);
    free(mirror->event);
    *mirror = (struct explore_mirror){0};
}
