/* See request.h. */
#include "core/trace/request.h"

#include "core/check.h"

struct step { /* the context of one event */
    struct requests *requests;
    const struct trace_event *event;
    request_fn fn;
    void *context;
};

void requests_init(struct requests *requests)
{
    *requests =
        (struct requests){CORE_TABLE(struct request, id), CORE_TABLE(struct request_pairs, key)};
}

void requests_done(struct requests *requests)
{
    core_table_done(&requests->table);
    core_table_done(&requests->pairs);
}

void requests_clear(struct requests *requests)
{
    core_table_clear(&requests->table);
    core_table_clear(&requests->pairs);
}

struct request *requests_find(const struct requests *requests, uint64_t id)
{
    return id ? core_table_find(&requests->table, &id) : NULL;
}

/* Returns the id of the twin. The recorder counts ids up, so none has this bit. */
static uint64_t twin_id(uint64_t id)
{
    return id | (uint64_t)1 << 63;
}

struct request *requests_twin(const struct requests *requests, uint64_t id)
{
    return id ? requests_find(requests, twin_id(id)) : NULL;
}

uint32_t requests_count(const struct requests *requests)
{
    return requests->table.count;
}

struct request *requests_at(const struct requests *requests, uint32_t index)
{
    return core_table_at(&requests->table, index);
}

static enum core_status request_tell(const struct step *step, enum request_step what,
                                     struct request *request, const struct trace_completion *done)
{
    CORE_CHECK(request->active ||
               (what != REQUEST_BEGUN && what != REQUEST_DONE)); /* invariant 2 */
    CORE_CHECK(what != REQUEST_MADE || (request->persistent && !request->active));
    CORE_CHECK(what != REQUEST_MATCHED || request->kind == REQUEST_MESSAGE);
    CORE_CHECK(what != REQUEST_BEGUN || request->begun == step->event->seq);
    CORE_CHECK((what == REQUEST_DONE) == (done != NULL));
    return step->fn ? step->fn(what, step->event, request, done, step->context) : CORE_OK;
}

static struct request request_of(const struct trace_event *event, enum request_kind kind)
{
    return (struct request){.id = event->request,
                            .made = event->seq,
                            .begun = event->seq,
                            .turn = event->seq,
                            .t_enter = event->t_enter,
                            .t_leave = event->t_leave,
                            .bytes = event->bytes,
                            .comm = event->comm,
                            .win = event->win,
                            .peer = event->peer,
                            .tag = event->tag,
                            .kind = (uint8_t)kind,
                            .mode = (uint8_t)event->mode,
                            .active = true,
                            .inside = event->parent != 0};
}

/* Adds a request to the table, if it has an id, and tells the caller. The recorder never repeats an
 * id; if an id comes again, the newer request replaces the older. */
static enum core_status request_add(const struct step *step, enum request_step what,
                                    struct request *request)
{
    struct request *kept = request;
    enum core_status status = CORE_OK;

    if (request->id)
        status = core_table_put(&step->requests->table, &request->id, "requests", &kept);
    if (status != CORE_OK)
        return status;
    if (request->id)
        *kept = *request;
    CORE_CHECK((kept == request) == (request->id == 0)); /* blocking calls: not in the table */
    return request_tell(step, what, kept, NULL);
}

/* --- what begins ------------------------------------------------------------------------------ */

/* Completes the request of a blocking call, if the call had returned. */
static enum core_status done_now(const struct step *step, struct request *request,
                                 const struct trace_completion *found)
{
    struct trace_completion done = {.done = true, .source = EVENT_NONE, .tag = EVENT_NONE};

    CORE_CHECK(request->id == 0); /* other requests complete in the call that completes them */
    return step->event->pending ? CORE_OK
                                : request_tell(step, REQUEST_DONE, request, found ? found : &done);
}

static const struct trace_completion *own_status(const struct trace_event *event)
{
    return event->completion_count ? &event->completion[0] : NULL;
}

static enum core_status request_blocking(const struct step *step, enum request_kind kind)
{
    struct request request = request_of(step->event, kind);

    CORE_CHECK(kind != REQUEST_MESSAGE); /* request_match makes those */
    request.id = 0;
    enum core_status status = request_tell(step, REQUEST_BEGUN, &request, NULL);
    return status
               ? status
               : done_now(step, &request, kind == REQUEST_RECEIVE ? own_status(step->event) : NULL);
}

static enum core_status send_and_receive(const struct step *step)
{
    const struct trace_event *event = step->event;
    struct request send = request_of(event, REQUEST_SEND), receive = send;

    receive.kind = REQUEST_RECEIVE;
    receive.peer = event->recv_peer;
    receive.tag = event->recv_tag;
    receive.bytes = event->recv_bytes;
    send.id = receive.id = 0;
    enum core_status status = request_tell(step, REQUEST_BEGUN, &send, NULL);
    if (status == CORE_OK)
        status = request_tell(step, REQUEST_BEGUN, &receive, NULL);
    if (status == CORE_OK)
        status = done_now(step, &receive, own_status(event));
    return status != CORE_OK ? status : done_now(step, &send, NULL);
}

static enum core_status request_begin(const struct step *step, enum request_kind kind)
{
    struct request request = request_of(step->event, kind);

    CORE_CHECK(kind != REQUEST_MESSAGE); /* request_match makes those */
    return request_add(step, REQUEST_BEGUN, &request);
}

/* Begins the two communications of MPI_Isendrecv. */
static enum core_status begin_both(const struct step *step)
{
    const struct trace_event *event = step->event;
    struct request send = request_of(event, REQUEST_SEND), receive = send;

    receive.id = twin_id(send.id);
    receive.kind = REQUEST_RECEIVE;
    receive.peer = event->recv_peer;
    receive.tag = event->recv_tag;
    receive.bytes = event->recv_bytes;
    enum core_status status = request_add(step, REQUEST_BEGUN, &send);
    return status != CORE_OK || !send.id ? status : request_add(step, REQUEST_BEGUN, &receive);
}

static enum core_status number_pair(struct requests *requests, const struct request *request,
                                    uint32_t *out_number)
{
    struct request_pairs *pairs,
        like = {.key = {request->comm, request->peer, request->tag, request->kind}};
    enum core_status status =
        core_table_put(&requests->pairs, &like.key, "partitioned requests", &pairs);

    if (status == CORE_OK)
        *out_number = ++pairs->count;
    return status;
}

static enum core_status make_persistent(const struct step *step, enum request_kind kind)
{
    struct request request = request_of(step->event, kind);
    bool partitioned = trait_in(step->event->traits, TRAIT_PARTITIONED) && step->event->count > 0;

    request.persistent = true;
    request.active = false;
    request.begun = request.turn = request.rounds = 0;
    enum core_status status =
        partitioned ? number_pair(step->requests, &request, &request.pair) : CORE_OK;
    return status != CORE_OK ? status : request_add(step, REQUEST_MADE, &request);
}

static enum core_status request_match(const struct step *step)
{
    const struct trace_event *event = step->event;
    const struct trace_completion *found = own_status(event);
    struct request request = request_of(event, REQUEST_MESSAGE);

    if (!event->request || !found || !found->done)
        return CORE_OK;
    request.peer = found->source;
    request.tag = found->tag;
    request.bytes = found->bytes;
    return request_add(step, REQUEST_MATCHED, &request);
}

/* Begins the receive of MPI_Mrecv, or of MPI_Imrecv, which has a request of its own. */
static enum core_status receive_matched(const struct step *step, bool immediate)
{
    const struct trace_event *event = step->event;
    struct request *message =
        requests_find(step->requests, immediate ? event->message : event->request);

    if (!message || message->kind != REQUEST_MESSAGE)
        return immediate ? request_begin(step, REQUEST_OTHER) : CORE_OK;
    CORE_CHECK(!message->persistent);
    struct request request = *message;
    core_table_remove(&step->requests->table, message);
    request.kind = REQUEST_RECEIVE;
    request.matched = true;
    request.made = request.begun = event->seq;
    request.t_enter = event->t_enter;
    request.t_leave = event->t_leave;
    request.id = immediate ? event->request : 0;
    enum core_status status = request_add(step, REQUEST_BEGUN, &request);
    struct trace_completion done = {
        .done = true, .source = request.peer, .tag = request.tag, .bytes = request.bytes};
    return status != CORE_OK || immediate ? status : done_now(step, &request, &done);
}

static enum core_status request_start_one(const struct step *step, uint64_t id)
{
    struct request *request = requests_find(step->requests, id);

    if (!request || !request->persistent || request->active || request->armed)
        return CORE_OK; /* ignores a second start, which is a mistake */
    request->armed = request->pair && request->kind == REQUEST_SEND;
    request->active = !request->armed;
    request->rounds += request->rounds != REQUEST_ROUNDS_UNTOLD;
    request->cancelled = false;
    request->begun = request->turn = step->event->seq;
    request->t_enter = step->event->t_enter;
    request->t_leave = step->event->t_leave;
    return request_tell(step, request->armed ? REQUEST_ARMED : REQUEST_BEGUN, request, NULL);
}

/* Notes that partitions of a send are marked as ready; the last one begins the send. */
static enum core_status request_mark(const struct step *step)
{
    struct request *request = requests_find(step->requests, step->event->request);

    if (!request || !request->armed || step->event->count)
        return CORE_OK;
    request->armed = false;
    request->active = true;
    request->begun = request->turn = step->event->seq;
    request->t_enter = step->event->t_enter;
    request->t_leave = step->event->t_leave;
    return request_tell(step, REQUEST_BEGUN, request, NULL);
}

static enum core_status start_all(const struct step *step)
{
    const struct trace_event *event = step->event;
    enum core_status status = event->request ? request_start_one(step, event->request) : CORE_OK;

    for (uint32_t i = 0; status == CORE_OK && !event->request && i < event->completion_count; i++)
        status = request_start_one(step, event->completion[i].request);
    return status;
}

/* --- what ends -------------------------------------------------------------------------------- */

static enum core_status complete_one(const struct step *step, struct request *request,
                                     const struct trace_completion *done)
{
    enum core_status status = CORE_OK;

    CORE_CHECK(done->done); /* complete_all skips the others */
    if (!request || request->kind == REQUEST_MESSAGE)
        return CORE_OK;
    if (request->active)
        status = request_tell(step, REQUEST_DONE, request, done);
    request->active = request->armed = false;
    if (!request->persistent && !trait_in(step->event->traits, TRAIT_KEEPS_REQUEST))
        core_table_remove(&step->requests->table, request);
    return status;
}

static enum core_status request_complete_one(const struct step *step,
                                             const struct trace_completion *done)
{
    uint64_t id = done->request ? done->request : step->event->request;
    struct request *twin = requests_twin(step->requests, id);
    struct trace_completion told = *done, sent = *done;

    if (twin) { /* the status is that of the receive */
        sent.source = sent.tag = EVENT_NONE;
        sent.bytes = 0;
    }
    if (twin && done->source == EVENT_NONE) { /* the library left the status unset: assume the
                                                 source and tag that the call names */
        told.source = twin->peer == EVENT_ANY ? EVENT_NONE : twin->peer;
        told.tag = twin->tag == EVENT_ANY ? EVENT_NONE : twin->tag;
        told.bytes = REQUEST_BYTES_UNTOLD;
    }
    enum core_status status = twin ? complete_one(step, twin, &told) : CORE_OK;

    return status != CORE_OK ? status
                             : complete_one(step, requests_find(step->requests, id), &sent);
}

static enum core_status complete_all(const struct step *step)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; status == CORE_OK && i < step->event->completion_count; i++)
        if (step->event->completion[i].done)
            status = request_complete_one(step, &step->event->completion[i]);
    return status;
}

static enum core_status release_one(const struct step *step, struct request *request)
{
    if (!request)
        return CORE_OK;
    enum core_status status = request_tell(step, REQUEST_FREED, request, NULL);
    core_table_remove(&step->requests->table, request);
    return status;
}

static enum core_status request_release(const struct step *step)
{
    uint64_t id = step->event->request;
    enum core_status status = release_one(step, requests_twin(step->requests, id));

    return status != CORE_OK ? status : release_one(step, requests_find(step->requests, id));
}

static enum core_status request_cancel(const struct step *step)
{
    struct request *request = requests_find(step->requests, step->event->request);
    struct request *twin = requests_twin(step->requests, step->event->request);

    if (request && request->active && request->kind != REQUEST_MESSAGE)
        request->cancelled = true;
    if (twin && twin->active)
        twin->cancelled = true;
    return CORE_OK;
}

/* --- an event --------------------------------------------------------------------------------- */

static enum request_kind kind_of(uint64_t traits)
{
    return trait_in(traits, TRAIT_SENDS)        ? REQUEST_SEND
           : trait_in(traits, TRAIT_RECEIVES)   ? REQUEST_RECEIVE
           : trait_in(traits, TRAIT_COLLECTIVE) ? REQUEST_COLLECTIVE
                                                : REQUEST_OTHER;
}

/* Begins what a call with a request of its own begins, or makes its persistent request. */
static enum core_status request_make(const struct step *step)
{
    uint64_t traits = step->event->traits;

    if (trait_in(traits, TRAIT_SENDS) && trait_in(traits, TRAIT_RECEIVES))
        return begin_both(step);
    return trait_in(traits, TRAIT_PERSISTENT) ? make_persistent(step, kind_of(traits))
                                              : request_begin(step, kind_of(traits));
}

enum core_status requests_follow(struct requests *requests, const struct trace_event *event,
                                 request_fn fn, void *context)
{
    struct step step = {requests, event, fn, context};
    uint64_t traits = event->traits;

    if (!event->pending && event_refused(event->class, event->error, event->completion_count))
        return CORE_OK;
    if (traits & TRAITS_COMPLETE)
        return complete_all(&step);
    if (trait_in(traits, TRAIT_STARTS))
        return start_all(&step);
    if (traits_mark(traits))
        return request_mark(&step);
    if (trait_in(traits, TRAIT_FREES_REQUEST))
        return request_release(&step);
    if (trait_in(traits, TRAIT_CANCELS))
        return request_cancel(&step);
    if (trait_in(traits, TRAIT_PROBES))
        return trait_in(traits, TRAIT_MATCHED) ? request_match(&step) : CORE_OK;
    if (trait_in(traits, TRAIT_MATCHED))
        return receive_matched(&step, trait_in(traits, TRAIT_MAKES_REQUEST));
    if (trait_in(traits, TRAIT_MAKES_REQUEST))
        return request_make(&step);
    if (trait_in(traits, TRAIT_SENDS) && trait_in(traits, TRAIT_RECEIVES))
        return send_and_receive(&step);
    if (traits & (TRAIT_BIT(SENDS) | TRAIT_BIT(RECEIVES) | TRAIT_BIT(COLLECTIVE)))
        return request_blocking(&step, kind_of(traits));
    return CORE_OK;
}
