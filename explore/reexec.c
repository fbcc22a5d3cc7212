/* See the header. Messages are empty here, as the matching does not depend on their contents. A
 * collective blocks its ranks as its shape requires. reexec_window.c executes calls on windows.
 *
 * All memory is allocated before the world begins, because a rank that blocks for ever never frees
 * any. */
#include "explore/reexec.h"

#include <mpi.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "explore/reexec_inside.h"
#include "replay/program/lower.h"

/* --- before and after ------------------------------------------------------------------------- */

static uint32_t reexec_longest(const struct replay_rank *rank)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < rank->set_count; i++)
        if (rank->set[i].count > most)
            most = rank->set[i].count;
    return most;
}

static enum core_status thread_make(const struct replay_rank *r, uint64_t ops,
                                    struct thread_state *state)
{
    enum core_status status = CORE_ARRAY_NEW(state->list, reexec_longest(r), A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->index, reexec_longest(r), A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->decided, ops + 2, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->sent, ops, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->number, ops, A_MIRROR);
    return status;
}

static enum core_status rank_make(const struct mirror *mirror, uint32_t rank,
                                  struct rank_state *state)
{
    const struct trace *trace = mirror->trace;
    const struct replay_program *program = mirror->program;
    const struct replay_rank *r = &program->rank[rank];
    uint64_t requests = (uint64_t)r->request_count + 1;
    enum core_status status = reexec_threads_read(program, rank, &mirror->turns, &state->threads);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->thread, state->threads.count, A_MIRROR);
    for (uint32_t i = 0; status == CORE_OK && i < state->threads.count; i++)
        status = thread_make(r, state->threads.thread[i].op_count, &state->thread[i]);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->causes, r->op_count, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->done, r->op_count, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->comm, program->comm_count, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->group, program->comm_count, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->request, requests, A_MIRROR);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(state->message, requests, A_MIRROR);
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
    for (uint32_t i = 0; state->thread && i < state->threads.count; i++) {
        free(state->thread[i].list);
        free(state->thread[i].index);
        free(state->thread[i].decided);
        free(state->thread[i].sent);
        free(state->thread[i].number);
    }
    free(state->thread);
    reexec_threads_done(&state->threads);
    free(state->causes);
    free(state->done);
    free(state->comm);
    free(state->group);
    free(state->request);
    free(state->message);
}

/* --- a rank ----------------------------------------------------------------------------------- */

struct at { /* an operation that its rank executes */
    struct mirror *mirror;
    struct rank_state *state;
    struct thread_state *thread;
    const struct replay_rank *rank;
    const struct replay_op *op, *before; /* before: of its thread; NULL if op is the first */
    uint32_t index;
};

/* Tells whether the rank's record ends in this poll: it waits for the answer that the policy names,
 * or is repeated. */
static bool ends_in_poll(const struct replay_op *op)
{
    return op->flags & REPLAY_FLAG_PENDING &&
           (op->kind == REPLAY_TEST || op->kind == REPLAY_IPROBE);
}

/* Forces the recorded answer of the operation's decision, if it has one. For a rank that died in
 * the operation the answer stays free: it may have got something, or died of something else. If not
 * all sends have buffers, the world gets the policy's answer, which may never become possible, and
 * refuses it if another answer was possible instead. */
static void reexec_force_answer(const struct at *at, int32_t answer)
{
    bool waits = at->op->flags & REPLAY_FLAG_PENDING || answer == WORLD_ANSWER_NEVER;
    bool fewer = at->mirror->policy->buffering != REPLAY_EAGER && !ends_in_poll(at->op);
    uint32_t number = world_decided() + 1, thread = (uint32_t)(at->thread - at->state->thread),
             named = decision_of_thread(at->state->threads.thread[thread].number, number);
    const struct replay_name *name =
        replay_policy_find(&at->mirror->policy->forced, (uint32_t)world_rank(), false, named);
    at->thread->decided[number] = at->index;
    at->state->refused |= waits && !at->state->died && name && !fewer;
    if (!waits)
        world_force_answer(answer);
    else if (at->state->died)
        world_force_answer(WORLD_ANSWER_FREE);
    else
        world_force_answer(name && fewer ? name->source : WORLD_ANSWER_NEVER);
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

/* Returns the recorded source; without a status that tells it, the message was not received. */
static int32_t source_of(const struct replay_op *op)
{
    return op->matched >= 0 ? op->matched : op->peer >= 0 ? op->peer : WORLD_ANSWER_NEVER;
}

static void reexec_send(const struct at *at)
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

static void reexec_receive(const struct at *at)
{
    const struct replay_op *op = at->op;
    MPI_Comm comm = at->state->comm[op->comm];
    if (op->peer != REPLAY_PROC_NULL)
        reexec_force_answer(at, source_of(op));
    if (op->kind == REPLAY_IRECV)
        MPI_Irecv(NULL, 0, MPI_BYTE, peer_of(op), tag_of(op), comm,
                  &at->state->request[op->request]);
    else
        MPI_Recv(NULL, 0, MPI_BYTE, peer_of(op), tag_of(op), comm, MPI_STATUS_IGNORE);
}

static void reexec_probe(const struct at *at)
{
    const struct replay_op *op = at->op;
    MPI_Comm comm = at->state->comm[op->comm];
    bool takes = op->kind == REPLAY_MPROBE, poll = op->flags & REPLAY_FLAG_TEST;
    MPI_Message *message = takes ? &at->state->message[op->request] : NULL;
    int32_t source = source_of(op);
    int flag;
    if (op->peer == REPLAY_PROC_NULL)
        return;
    reexec_force_answer(at, source < 0 ? source : source + poll);
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
    reexec_force_answer(at, op->kind == REPLAY_TEST ? 0 : 1);
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
    int32_t some = op->bytes && op->bytes < 1u << 30 ? (int32_t)op->bytes : WORLD_ANSWER_FREE;
    switch ((enum replay_test)op->mode) {
    case REPLAY_TEST_ANY:
        reexec_force_answer(at, nothing           ? 0
                                : set->chosen < 0 ? WORLD_ANSWER_FREE
                                                  : set->chosen + poll);
        if (poll)
            MPI_Testany(count, list, &one, &flag, MPI_STATUS_IGNORE);
        else
            MPI_Waitany(count, list, &one, MPI_STATUS_IGNORE);
        return;
    case REPLAY_TEST_SOME:
        reexec_force_answer(at, nothing ? 0 : some);
        if (poll)
            MPI_Testsome(count, list, &one, at->thread->index, MPI_STATUSES_IGNORE);
        else
            MPI_Waitsome(count, list, &one, at->thread->index, MPI_STATUSES_IGNORE);
        return;
    default:
        reexec_force_answer(at, nothing ? 0 : 1);
        if (poll)
            MPI_Testall(count, list, &flag, MPI_STATUSES_IGNORE);
        else
            MPI_Waitall(count, list, MPI_STATUSES_IGNORE);
    }
}

static void reexec_complete(const struct at *at)
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
        at->thread->list[i] = member[i] >= 0 ? state->request[member[i]] : MPI_REQUEST_NULL;
    if (op->kind == REPLAY_TEST && op->mode <= REPLAY_TEST_LOOK)
        complete_one(at, at->thread->list);
    else
        complete_list(at, set, at->thread->list);
    for (uint32_t i = 0; i < set->count; i++)
        if (member[i] >= 0)
            state->request[member[i]] = at->thread->list[i];
}

static int root_of(const struct replay_comm *comm, int32_t world)
{
    for (uint32_t i = 0; comm->member && i < comm->count; i++)
        if (comm->member[i] == world)
            return (int)i;
    return world;
}

/* Calls a collective with the same synchronisation. `made` receives its request, if it has one. */
static void reexec_collective(const struct at *at, MPI_Request *made)
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
            MPI_Ibcast(at->thread->index, 1, MPI_INT, root, comm, made);
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

/* Tells whether the thread's previous operation tested the same requests. */
static bool comes_again(const struct at *at)
{
    const struct replay_op *op = at->op, *before = at->before;
    if (!before || op->kind != REPLAY_TEST || before->kind != REPLAY_TEST ||
        before->mode != op->mode)
        return false;
    const struct replay_set *set = &at->rank->set[op->request],
                            *same = &at->rank->set[before->request];
    const int32_t *member = at->rank->member;
    return set->count == same->count &&
           !memcmp(member + set->first, member + same->first, set->count * sizeof *member);
}

/* Sets an empty status, as nobody reads that of a generalized request. */
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

static void reexec_operate(const struct at *at)
{
    const struct replay_op *op = at->op;
    if (ends_in_poll(op)) {
        struct replay_op once = *op;
        struct at found_nothing = *at;
        once.flags &= (uint16_t)~REPLAY_FLAG_PENDING;
        found_nothing.op = &once;
        reexec_force_answer(at, 0);
        if (comes_again(at) && !at->state->refused)
            reexec_complete(&found_nothing);
        world_force_answer(WORLD_ANSWER_FREE);
        return;
    }
    switch ((enum replay_op_kind)op->kind) {
    case REPLAY_SEND:
    case REPLAY_ISEND:
        reexec_send(at);
        break;
    case REPLAY_RECV:
    case REPLAY_IRECV:
        reexec_receive(at);
        break;
    case REPLAY_PROBE:
    case REPLAY_MPROBE:
        reexec_probe(at);
        break;
    case REPLAY_IPROBE: {
        int flag;
        reexec_force_answer(at, 0);
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
        reexec_complete(at);
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
        reexec_collective(at, NULL);
        break;
    case REPLAY_ICOLL:
        reexec_collective(at, &at->state->request[op->request]);
        break;
    case REPLAY_WINDOW:
        reexec_windows_do(&at->mirror->windows, (uint32_t)world_rank(), at->index,
                          at->state->group[op->comm],
                          op->request >= 0 ? &at->state->request[op->request] : NULL);
        break;
    default: /* time; attached buffers, as all sends have a buffer here */
        break;
    }
    world_force_answer(WORLD_ANSWER_FREE);
}

/* Gives the communicator the number that the job's recorded order uses for it. */
static void object_give(const struct mirror *mirror, uint32_t rank, uint32_t comm)
{
    struct rank_state *state = &mirror->rank[rank];
    const struct replay_comm *of = &mirror->program->comm[comm];
    uint32_t object = decision_comm(of->member != NULL); /* MPI_COMM_WORLD and _SELF */
    bool known = of->origin >= 0 && mirror->trace->comm[of->origin].parent < 0;
    for (uint32_t i = 0; i < mirror->turns.count; i++) {
        const struct order_log_row *row = &mirror->turns.row[i];
        struct trace_event event;
        if (row->kind != ORDER_LOG_COMM_MADE || row->rank != rank ||
            trace_event_get(mirror->trace, rank, row->seq, &event) != CORE_OK ||
            event.request != (uint64_t)of->origin)
            continue;
        object = row->number;
        known = true;
    }
    state->threads.unknown |= !known;
    world_comm_object(state->comm[comm], object);
    if (state->group[comm] != MPI_COMM_NULL)
        world_comm_object(state->group[comm], object);
}

/* Creates a copy of MPI_COMM_WORLD for each communicator, so that its messages stay separate; peers
 * are named by their world ranks. */
static void reexec_communicators(const struct mirror *mirror, uint32_t rank)
{
    struct rank_state *state = &mirror->rank[rank];
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
    for (uint32_t c = 1; c < mirror->program->comm_count && state->threads.count > 1; c++)
        object_give(mirror, rank, c);
}

/* --- its threads ------------------------------------------------------------------------------ */

struct begin { /* a thread to start */
    struct mirror *mirror;
    int rank;
    uint32_t index;
};

static void thread_run(void *argument);

/* Starts the threads that this thread created before its call of that number. */
static void others_begin(const struct at *at, uint64_t call)
{
    uint32_t own = (uint32_t)(at->thread - at->state->thread);
    for (uint32_t i = 1; i < at->state->threads.count; i++) {
        const struct reexec_thread *other = &at->state->threads.thread[i];
        if (other->maker != own || other->made >= call || at->state->thread[i].begun)
            continue;
        struct begin *begin = world_take(sizeof *begin);
        *begin = (struct begin){at->mirror, world_rank(), i};
        at->state->thread[i].begun = true;
        world_thread_begin(other->number, thread_run, begin);
    }
}

/* Waits for the operations of other threads that this operation follows. */
static void others_await(const struct at *at)
{
    const struct reexec_rank_threads *threads = &at->state->threads;
    uint32_t i = CORE_ARRAY_FIND(k, 0, threads->order_count, threads->order[k].op < at->index);
    for (; i < threads->order_count && threads->order[i].op == at->index; i++) {
        uint32_t behind = threads->order[i].behind;
        while (!at->state->done[behind]) {
            at->thread->waits = behind + 1;
            world_thread_block();
        }
        at->thread->waits = 0;
        world_thread_behind(at->state->causes[behind]);
    }
}

static void others_wake(const struct at *at)
{
    at->state->done[at->index] = true;
    at->state->causes[at->index] = world_thread_causes();
    for (uint32_t i = 0; i < at->state->threads.count; i++)
        if (at->state->thread[i].waits == at->index + 1) {
            at->state->thread[i].waits = 0;
            world_thread_wake(at->state->threads.thread[i].number);
        }
}

static void operate_all(struct mirror *mirror, int rank, uint32_t index)
{
    const struct replay_rank *r = &mirror->program->rank[rank];
    struct rank_state *state = &mirror->rank[rank];
    const struct reexec_thread *thread = &state->threads.thread[index];
    struct at at = {.mirror = mirror, .state = state, .thread = &state->thread[index], .rank = r};
    bool several = state->threads.count > 1;
    for (uint32_t i = 0; i < thread->op_count; i++) {
        at.index = thread->op[i];
        at.op = &r->op[at.index];
        if (several) {
            others_begin(&at, at.op->event);
            others_await(&at);
            world_site((uint64_t)at.index + 1);
        }
        reexec_operate(&at);
        if (several)
            others_wake(&at);
        at.before = at.op;
        at.thread->done++;
    }
    if (several)
        others_begin(&at, UINT64_MAX);
}

static void thread_run(void *argument)
{
    const struct begin *begin = argument;
    operate_all(begin->mirror, begin->rank, begin->index);
}

static int rank_run(int rank, void *context)
{
    struct mirror *mirror = context;
    reexec_communicators(mirror, (uint32_t)rank);
    operate_all(mirror, rank, 0);
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

/* --- all of it -------------------------------------------------------------------------------- */

/* Adds the policy's answers that the world must give: the recorded order of accesses; the answer of
 * a rank that died in its decision; and the sends that have no buffer. */
static enum core_status name_give(const struct mirror *mirror, const struct replay_name *name,
                                  struct replay_names *given)
{
    const struct rank_state *state = &mirror->rank[name->rank];
    const struct replay_name *turn =
        replay_policy_find(&mirror->turns.had, name->rank, false, name->id);
    if (decision_orders(name->id))
        return turn && turn->source == name->source ? replay_policy_add(given, name) : CORE_OK;
    if (decision_kind_of(name->id) == DECISION_CHOICE)
        return state->died ? replay_policy_add(given, name) : CORE_OK;
    struct replay_name own = *name;
    for (uint32_t t = 0; t < state->threads.count; t++) {
        uint32_t number = state->threads.thread[t].number;
        const struct thread_state *thread = &state->thread[t];
        for (uint32_t i = 0; i < thread->sent_count; i++)
            if (thread->number[i] && decision_of_thread(number, (uint32_t)thread->number[i]) ==
                                         decision_send(name->id)) {
                own.id = decision_of_send(decision_of_thread(number, i + 1));
                return replay_policy_add(given, &own);
            }
    }
    return CORE_OK;
}

/* Takes over the recorded order of accesses, and that of threads for ranks in which several threads
 * called MPI. */
static enum core_status turns_have(struct mirror *mirror)
{
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < mirror->turns.count && status == CORE_OK; i++) {
        const struct order_log_row *row = &mirror->turns.row[i];
        if (row->kind == ORDER_LOG_DONE && row->rank < mirror->program->rank_count &&
            (mirror->rank[row->rank].threads.count > 1 || !reexec_turn_is_thread(row->number)))
            status = reexec_log_have(&mirror->turns, row);
    }
    return status;
}

static enum core_status reexec_world(struct mirror *mirror, const struct replay_policy *policy)
{
    struct world_options options = {.rank_count = (int)mirror->program->rank_count,
                                    .run = rank_run,
                                    .context = mirror,
                                    .initialized = true,
                                    .hollow = true,
                                    .turns = &mirror->turns.had,
                                    .step_count_max = UINT64_MAX,
                                    .event = keep_event,
                                    .event_context = mirror};
    replay_policy_init(&options.policy);
    options.policy.buffering = REPLAY_EAGER;
    options.policy.order = REPLAY_ORDER_EXPLORE;
    enum core_status status = CORE_OK;
    for (uint32_t r = 0; r < mirror->program->rank_count; r++)
        for (uint32_t t = 0; t < mirror->rank[r].threads.count && status == CORE_OK; t++)
            status = reexec_sends_number(mirror, r, t);
    for (uint32_t i = 0; i < policy->forced.count && status == CORE_OK; i++)
        if (policy->forced.name[i].rank < mirror->program->rank_count)
            status = name_give(mirror, &policy->forced.name[i], &options.policy.forced);
    if (status == CORE_OK)
        status = world_run(&options, &mirror->out->outcome);
    replay_policy_done(&options.policy);
    if (status == CORE_OK)
        status = reexec_events_name(mirror);
    return status == CORE_OK ? reexec_decisions_name(mirror, policy) : status;
}

/* Tells whether MPI refused a call here that it accepted in the job: what follows is then unknown.
 */
static bool reexec_failed(const struct world_outcome *outcome)
{
    for (int i = 0; i < outcome->finding_count; i++)
        if (outcome->finding[i].rule == WORLD_RULE_ERROR)
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

/* Tells whether the world repeated fewer accesses than the job recorded. */
static bool turns_lack(const struct mirror *mirror)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mirror->out->decisions.decision_count; i++)
        count += mirror->out->decision[i].place != 0;
    return count != mirror->turns.had.count;
}

/* Tells whether some action of a rank's threads was not repeated, or has an unknown order. */
static bool threads_lack(const struct mirror *mirror)
{
    bool any = false, lack = false;
    for (uint32_t r = 0; r < mirror->program->rank_count; r++) {
        const struct rank_state *state = &mirror->rank[r];
        if (state->threads.count < 2)
            continue;
        any = true;
        lack |= state->threads.unknown;
        for (uint32_t t = 0; t < state->threads.count; t++) {
            const struct reexec_thread *thread = &state->threads.thread[t];
            uint32_t done = state->thread[t].done;
            lack |= done < thread->op_count &&
                    !(mirror->program->rank[r].op[thread->op[done]].flags & REPLAY_FLAG_PENDING);
        }
    }
    return lack || (any && turns_lack(mirror));
}

/* Tells whether a rank has several threads, even if they made no call: they may write what another
 * thread sends. */
static bool has_threads(const struct mirror *mirror)
{
    bool has = false;
    for (uint32_t i = 0; i < mirror->turns.count; i++)
        has |= mirror->turns.row[i].kind == ORDER_LOG_THREAD_MADE;
    for (uint32_t r = 0; mirror->rank && r < mirror->program->rank_count; r++)
        has |= mirror->rank[r].threads.count > 1;
    return has;
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
    status = reexec_log_read(turns, &mirror.turns);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(mirror.rank, program.rank_count, A_MIRROR);
    for (uint32_t r = 0; r < program.rank_count && status == CORE_OK; r++)
        status = rank_make(&mirror, r, &mirror.rank[r]);
    if (status == CORE_OK)
        status = turns_have(&mirror);
    if (status == CORE_OK)
        status = reexec_windows_new(trace, &program, &mirror.turns, &mirror.windows);
    if (status == CORE_OK)
        status = reexec_world(&mirror, policy);
    out_mirror->windows |= has_files(trace);
    out_mirror->windows |= mirror.windows.any &&
                           (mirror.windows.unknown || mirror.turns.unknown || turns_lack(&mirror));
    out_mirror->decisions.blind_windows |= mirror.windows.any;
    out_mirror->decisions.blind_threads |= has_threads(&mirror);
    out_mirror->threads = threads_lack(&mirror) && !trace_meta(trace, "turns");
    out_mirror->decisions.cut |= trace_meta(trace, "turns") != NULL; /* a rank missed its turn */
    out_mirror->decisions.limited |= mirror.windows.polls || reexec_failed(&out_mirror->outcome) ||
                                     trace_meta(trace, "turns") != NULL;
    out_mirror->decisions.overtaking |= program.overtaking;
    out_mirror->decisions.limited |= notes.unsupported || notes.unknown_requests ||
                                     notes.ranks_left_out || out_mirror->windows ||
                                     out_mirror->persistent || out_mirror->threads;
    for (uint32_t r = 0; mirror.rank && r < program.rank_count; r++)
        rank_done(&mirror.rank[r]);
    free(mirror.rank);
    reexec_windows_done(&mirror.windows);
    reexec_log_done(&mirror.turns);
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
