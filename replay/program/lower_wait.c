/* Lowers what happens to requests: starts, waits, tests, cancels and frees. */
#include "core/array.h"
#include "core/check.h"
#include "replay/program/lower_state.h"

static enum core_status start_one(struct lower *lower, const struct trace_event *event, uint64_t id)
{
    const struct request *request = requests_find(&lower->requests, id);
    if (!request || !request->own[LOWER_START]) {
        lower->notes->unknown_requests += id != 0;
        return CORE_OK;
    }
    if (request->begun != event->seq) /* it was active: an error, which begins nothing */
        return CORE_OK;
    CORE_CHECK(request->own[LOWER_START] <= lower->start_count);
    if (request->armed)
        return lower_armed(lower, event, request);
    struct replay_op op = lower->start[request->own[LOWER_START] - 1];
    CORE_CHECK(op.kind != REPLAY_ICOLL || op.comm < lower->number_room);
    if (op.kind == REPLAY_ICOLL)
        op.tag = (int32_t)lower->number[op.comm]++;
    return lower_start(lower, event, op, id);
}

/* Lowers a generalized request: its creation, or its completion by its own rank. */
enum core_status lower_general(struct lower *lower, const struct trace_event *event)
{
    const struct replay_rank *rank = &lower->program->rank[lower->rank];
    const struct request *request = requests_find(&lower->requests, event->request);
    struct replay_op op = {.kind = REPLAY_GENERAL};

    if (!lower->options->choices || !request)
        return CORE_OK;
    if (trait_in(event->traits, TRAIT_MAKES_REQUEST))
        return lower_start(lower, event, op, event->request);
    int32_t number = lower_number(request);
    if (number < 0 || rank->op[request->own[LOWER_OP]].kind != REPLAY_GENERAL)
        return CORE_OK;
    op.kind = REPLAY_FULFIL;
    op.request = number;
    return lower_add(lower, event, op);
}

enum core_status lower_starts(struct lower *lower, const struct trace_event *event)
{
    if (event->request)
        return start_one(lower, event, event->request);
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; status == CORE_OK && i < event->completion_count; i++)
        status = start_one(lower, event, event->completion[i].request);
    return status;
}

/* Tells whether MPI_Cancel was called for the request by then. */
static bool is_cancelled(const struct lower *lower, int32_t number)
{
    return (uint32_t)number < lower->cancel_room && lower->cancel[number] != UINT32_MAX;
}

/* Undoes a cancel: the request completed all the same. */
static void not_cancelled(struct lower *lower, int32_t number)
{
    struct replay_rank *rank = &lower->program->rank[lower->rank];

    CORE_CHECK(number >= 0 && number < rank->request_count);
    if (!is_cancelled(lower, number))
        return;
    CORE_CHECK(lower->cancel[number] < rank->op_count);
    struct replay_op *op = &rank->op[lower->cancel[number]];
    CORE_CHECK(op->kind == REPLAY_CANCEL && op->request == number);
    op->flags &= (uint16_t)~REPLAY_FLAG_DONE;
}

/* Learns from a request's completion about the operation that made it. */
enum core_status lower_learn(enum request_step step, const struct trace_event *event,
                             struct request *request, const struct trace_completion *done,
                             void *context)
{
    struct lower *lower = context;
    const struct replay_rank *rank = &lower->program->rank[lower->rank];
    int32_t number = lower_number(request);

    (void)event;
    if (step != REQUEST_DONE || number < 0)
        return CORE_OK;
    CORE_CHECK(request->own[LOWER_OP] < rank->op_count);
    struct replay_op *op = &rank->op[request->own[LOWER_OP]];
    CORE_CHECK(op->request == number); /* the operation that made it */
    if (op->kind == REPLAY_IRECV && !done->cancelled && done->source >= 0) {
        int32_t origin = lower->program->comm[op->comm].origin;
        int32_t world = trace_comm_world(lower->trace, origin, (int32_t)lower->rank, done->source);
        if (world >= 0)
            op->matched = world;
    }
    if (!done->cancelled)
        not_cancelled(lower, number);
    else if (op->kind == REPLAY_IRECV && !is_cancelled(lower, number))
        op->peer = REPLAY_PROC_NULL; /* another thread cancels it during this wait */
    return CORE_OK;
}

struct gathered {
    uint32_t count, done;
    int32_t chosen; /* index of the last completed one, or -1 */
    bool all;       /* the call waits for all */
};

/* Adds a request. One with two sides is complete when both are; in a wait for any, its receive
 * represents both. */
static void gather_one(struct lower *lower, const struct request *request,
                       const struct request *twin, struct gathered *gathered)
{
    if (lower_number(twin) >= 0)
        lower->scratch[gathered->count++] = lower_number(twin);
    if (lower_number(twin) < 0 || gathered->all)
        lower->scratch[gathered->count++] = lower_number(request);
}

/* Adds the numbers of a call's requests: the completed ones (1), the others (0), or all (-1). */
static void lower_wait_gather(struct lower *lower, const struct trace_event *event, int which,
                              struct gathered *gathered)
{
    for (uint32_t i = 0; i < event->completion_count; i++) {
        const struct trace_completion *done = &event->completion[i];
        if (which >= 0 && done->done != (which == 1))
            continue;
        const struct request *request = requests_find(&lower->requests, done->request);
        if (lower_number(request) < 0) {
            lower->notes->unknown_requests += done->request != 0 && !request;
            continue;
        }
        if (done->done) {
            gathered->chosen = (int32_t)gathered->count;
            gathered->done++;
        }
        CORE_CHECK(gathered->count < 2 * event->completion_count); /* there is room for so many */
        gather_one(lower, request, requests_twin(&lower->requests, done->request), gathered);
    }
}

static enum core_status wait_several(struct lower *lower, const struct trace_event *event,
                                     enum replay_op_kind kind, bool polling)
{
    struct gathered set_of = {.chosen = -1, .all = kind == REPLAY_WAIT_ALL};
    int32_t set;

    enum core_status status = CORE_ARRAY_ROOM(lower->scratch, lower->scratch_room,
                                              2 * (uint64_t)event->completion_count, A_LOWERING);
    if (status != CORE_OK)
        return status;
    if (kind == REPLAY_WAIT_SOME) { /* completed ones first, and their number */
        lower_wait_gather(lower, event, 1, &set_of);
        lower_wait_gather(lower, event, 0, &set_of);
        set_of.chosen = set_of.done ? (int32_t)set_of.done : -1;
    } else
        lower_wait_gather(lower, event, -1, &set_of);
    CORE_CHECK(set_of.done <= set_of.count);
    CORE_CHECK(set_of.chosen <= (int32_t)set_of.count - (kind != REPLAY_WAIT_SOME));
    if (set_of.count == 0)
        return CORE_OK;
    lower->notes->wildcards += kind != REPLAY_WAIT_ALL && set_of.count > 1;
    lower->notes->tests += polling;
    status = replay_program_set(lower->program, lower->rank, lower->scratch, set_of.count,
                                kind == REPLAY_WAIT_ALL ? -1 : set_of.chosen, &set);
    if (status != CORE_OK)
        return status;
    return lower_add(lower, event,
                     (struct replay_op){.kind = (uint8_t)kind,
                                        .flags = polling ? REPLAY_FLAG_TEST : 0,
                                        .request = set});
}

static enum core_status wait_one(struct lower *lower, const struct trace_event *event, uint64_t id,
                                 bool polling)
{
    const struct request *request = requests_find(&lower->requests, id),
                         *twin = requests_twin(&lower->requests, id);
    if (lower_number(request) < 0) {
        lower->notes->unknown_requests += id != 0 && !request;
        return CORE_OK;
    }
    lower->notes->tests += polling;
    if (lower_number(twin) >= 0) {
        const int32_t both[] = {lower_number(twin), lower_number(request)};
        int32_t set;
        enum core_status status =
            replay_program_set(lower->program, lower->rank, both, 2, -1, &set);
        return status != CORE_OK
                   ? status
                   : lower_add(lower, event,
                               (struct replay_op){.kind = REPLAY_WAIT_ALL,
                                                  .flags = polling ? REPLAY_FLAG_TEST : 0,
                                                  .request = set});
    }
    return lower_add(lower, event,
                     (struct replay_op){.kind = REPLAY_WAIT,
                                        .flags = polling ? REPLAY_FLAG_TEST : 0,
                                        .request = lower_number(request)});
}

static uint64_t single_request(const struct trace_event *event)
{
    return event->request            ? event->request
           : event->completion_count ? event->completion[0].request
                                     : 0;
}

enum core_status lower_wait(struct lower *lower, const struct trace_event *event, bool polling)
{
    if (lower->options->choices)
        return lower_choice(lower, event, polling);
    if (trait_in(event->traits, TRAIT_COMPLETES_ALL))
        return wait_several(lower, event, REPLAY_WAIT_ALL, polling);
    if (trait_in(event->traits, TRAIT_COMPLETES_ANY))
        return wait_several(lower, event, REPLAY_WAIT_ANY, polling);
    if (trait_in(event->traits, TRAIT_COMPLETES_SOME))
        return wait_several(lower, event, REPLAY_WAIT_SOME, polling);
    return wait_one(lower, event, single_request(event), polling);
}

/* Tells whether a test succeeded: Testall if all are complete, the others if any is. */
bool lower_test_true(const struct trace_event *event)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < event->completion_count; i++)
        done += event->completion[i].done;
    return trait_in(event->traits, TRAIT_COMPLETES_ALL)
               ? done == event->completion_count && done > 0
               : done > 0;
}

static enum core_status cancel_one(struct lower *lower, const struct trace_event *event,
                                   const struct request *request)
{
    struct replay_rank *rank = &lower->program->rank[lower->rank];
    int32_t number = lower_number(request);
    if (number < 0)
        return CORE_OK;
    CORE_CHECK(number < rank->request_count);
    uint32_t before = lower->cancel_room;
    enum core_status status = CORE_ARRAY_ROOM(lower->cancel, lower->cancel_room,
                                              (uint32_t)rank->request_count, A_LOWERING);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = before; i < lower->cancel_room; i++)
        lower->cancel[i] = UINT32_MAX;
    lower->cancel[number] = rank->op_count;
    /* without a record of completion it counts as cancelled, which no other rank can prevent */
    return lower_add(
        lower, event,
        (struct replay_op){.kind = REPLAY_CANCEL, .flags = REPLAY_FLAG_DONE, .request = number});
}

enum core_status lower_cancel(struct lower *lower, const struct trace_event *event)
{
    enum core_status status =
        cancel_one(lower, event, requests_twin(&lower->requests, event->request));

    return status != CORE_OK
               ? status
               : cancel_one(lower, event, requests_find(&lower->requests, event->request));
}

static enum core_status free_one(struct lower *lower, const struct trace_event *event,
                                 const struct request *request)
{
    int32_t number = lower_number(request);
    if (number < 0)
        return CORE_OK;
    /* a send that was cancelled and then freed has most likely been delivered */
    if (request->kind == REQUEST_SEND)
        not_cancelled(lower, number);
    return lower_add(lower, event, (struct replay_op){.kind = REPLAY_FREE, .request = number});
}

enum core_status lower_free(struct lower *lower, const struct trace_event *event)
{
    enum core_status status =
        free_one(lower, event, requests_twin(&lower->requests, event->request));

    return status != CORE_OK
               ? status
               : free_one(lower, event, requests_find(&lower->requests, event->request));
}

static enum core_status lower_wait_attach(struct lower *lower, const struct trace_event *event,
                                          uint64_t bytes)
{
    return lower_add(
        lower, event,
        (struct replay_op){.kind = REPLAY_ATTACH, .request = REPLAY_NO_REQUEST, .bytes = bytes});
}

/* Lowers buffers. The engine has one buffer per rank: once a communicator or a session has a
 * buffer, the rank has room for any message, and detaching waits for none. */
enum core_status lower_buffer(struct lower *lower, const struct trace_event *event)
{
    const struct replay_op detach = {.kind = REPLAY_DETACH, .request = REPLAY_NO_REQUEST};
    int64_t size = 0;
    enum core_status status = CORE_OK;

    if (event->verb == VERB_ATTACH_OWN_BUFFER && !lower->own_buffers)
        status = lower_wait_attach(lower, event, LOWER_ANY_ROOM);
    lower->own_buffers |= event->verb == VERB_ATTACH_OWN_BUFFER;
    if (status != CORE_OK || lower->own_buffers)
        return status;
    switch (event->verb) {
    case VERB_ATTACH_BUFFER:
        status = trace_arg_first(lower->trace, event, "size", &size);
        lower->attached = size > 0 ? (uint64_t)size : event->bytes;
        if (lower->attached == 0) /* MPI_BUFFER_AUTOMATIC: the library has room */
            lower->attached = LOWER_ANY_ROOM;
        return status == CORE_OK ? lower_wait_attach(lower, event, lower->attached) : status;
    case VERB_FLUSH_BUFFER:
        status = lower->attached ? lower_add(lower, event, detach) : CORE_OK;
        return status == CORE_OK && lower->attached
                   ? lower_wait_attach(lower, event, lower->attached)
                   : status;
    default:
        return lower_add(lower, event, detach);
    }
}
