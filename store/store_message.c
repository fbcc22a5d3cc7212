/* Follows a rank's sends and receives, call by call, so that store_match.c can pair messages.
 * core/trace/request.h follows the requests; this file passes on each send that begins and each
 * receive that completes, with the source and tag of its status.
 *
 * Invariants
 *  1. A receive is passed on once: when it completes, or when no further record of it can come. */
#include "core/check.h"
#include "store/store_part.h"

struct follow { /* what following a call needs; record is NULL after the last */
    struct store *store;
    struct store_rank *rank;
    const struct spool_event *record;
};

static struct store_side side_of(const struct follow *follow, const struct request *request,
                                 int32_t peer, int32_t tag)
{
    uint32_t comm = (uint32_t)request->comm;
    int32_t me = follow->rank->rank, world = store_world(follow->store, follow->rank, comm, peer);
    bool sends = request->kind == REQUEST_SEND;

    CORE_CHECK(sends || request->kind == REQUEST_RECEIVE || request->kind == REQUEST_MESSAGE);
    CORE_CHECK(world == EVENT_NONE || world < follow->store->world_size);
    return (struct store_side){.comm = store_map_get(&follow->rank->ids.comm, comm),
                               .source = sends ? me : world,
                               .dest = sends ? world : me,
                               .tag = tag,
                               .inner = request->inside,
                               .pair = request->pair};
}

static enum core_status store_message_sent(const struct follow *follow,
                                           const struct request *request)
{
    struct store_side side = side_of(follow, request, request->peer, request->tag);

    CORE_CHECK(side.source == follow->rank->rank);
    if (side.dest == EVENT_NONE)
        return CORE_OK;
    return store_match_send(follow->store, &side, request->begun, (int64_t)request->bytes,
                            store_clock_ns(follow->rank->clock, follow->record->t_enter));
}

static enum core_status store_message_received(const struct follow *follow,
                                               const struct request *request,
                                               const struct trace_completion *done)
{
    struct store_side side = side_of(follow, request, done->source, done->tag);

    CORE_CHECK(side.dest == follow->rank->rank);
    if (side.source == EVENT_NONE || side.tag == EVENT_NONE || done->cancelled)
        return CORE_OK;
    return store_match_receive(follow->store, &side, request->turn, request->begun,
                               done->bytes == REQUEST_BYTES_UNTOLD ? STORE_NULL
                                                                   : (int64_t)done->bytes,
                               store_clock_ns(follow->rank->clock, follow->record->t_leave), false);
}

/* Passes on a receive that was freed or never completed by a call: it takes the next message in its
 * order, if one comes. */
static enum core_status received_perhaps(const struct follow *follow, const struct request *request)
{
    struct store_side side = side_of(follow, request, request->peer, request->tag);

    CORE_CHECK(side.dest == follow->rank->rank);
    if (side.source == EVENT_NONE || side.tag == EVENT_ANY)
        return CORE_OK;
    return store_match_receive(follow->store, &side, request->turn, request->begun, STORE_NULL, 0,
                               true);
}

/* Passes on a message that a matched probe found and no call received: it takes a place in the
 * order of receives (M5 of core/matching/matching.h), but its send has no receive. */
static enum core_status message_held(const struct follow *follow, const struct request *request)
{
    struct store_side side = side_of(follow, request, request->peer, request->tag);

    if (side.source == EVENT_NONE || side.tag == EVENT_NONE || side.tag == EVENT_ANY)
        return CORE_OK;
    return store_match_receive(follow->store, &side, request->turn, (uint64_t)STORE_NULL,
                               STORE_NULL, 0, true);
}

static void send_cancelled(const struct follow *follow, const struct request *request)
{
    struct store_side side = side_of(follow, request, request->peer, request->tag);

    store_match_unsend(follow->store, &side, request->begun);
}

static enum core_status step_take(enum request_step step, const struct trace_event *event,
                                  struct request *request, const struct trace_completion *done,
                                  void *context)
{
    const struct follow *follow = context;
    bool sends = request->kind == REQUEST_SEND;

    if (!sends && request->kind != REQUEST_RECEIVE)
        return CORE_OK;
    switch (step) {
    case REQUEST_BEGUN:
        if (sends)
            return store_message_sent(follow, request);
        return event->pending && !request->id ? received_perhaps(follow, request) : CORE_OK;
    case REQUEST_DONE:
        if (!sends)
            return store_message_received(follow, request, done);
        if (done->cancelled)
            send_cancelled(follow, request);
        return CORE_OK;
    case REQUEST_FREED:
        return request->active && !sends ? received_perhaps(follow, request) : CORE_OK;
    default:
        return CORE_OK;
    }
}

enum core_status store_message_follow(struct store *store, struct store_rank *rank,
                                      const struct spool_event *event,
                                      const struct store_gather *parts, uint32_t call,
                                      int64_t bytes, bool pending)
{
    const struct store_call *def = &store->defs.call[call];
    const struct store_list *list = store_list_find(parts, SPOOL_LIST_REQUESTS);
    struct event_parts given = {.class = def->class,
                                .traits = def->traits,
                                .inside = def->inner,
                                .pending = pending,
                                .bytes = (uint64_t)bytes,
                                .recv_half =
                                    parts && parts->has_recv_half ? &parts->recv_half : NULL,
                                .request = list ? list->value : NULL,
                                .request_count = list ? list->count : 0,
                                .done = parts ? parts->done : NULL,
                                .done_count = parts ? parts->done_count : 0};
    struct follow follow = {.store = store, .rank = rank, .record = event};

    if (trait_in(def->traits, TRAIT_MATCHED) && parts && parts->arg_count)
        given.message = (uint64_t)parts->arg[0];
    enum core_status status = event_view_set(&rank->view, event, &given);
    return status != CORE_OK
               ? status
               : requests_follow(&rank->requests, &rank->view.event, step_take, &follow);
}

enum core_status store_message_finish(struct store *store, struct store_rank *rank)
{
    struct follow follow = {.store = store, .rank = rank};
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; status == CORE_OK && i < requests_count(&rank->requests); i++) {
        const struct request *request = requests_at(&rank->requests, i);
        if (request->kind == REQUEST_RECEIVE && request->active)
            status = received_perhaps(&follow, request);
        else if (request->kind == REQUEST_MESSAGE)
            status = message_held(&follow, request);
    }
    return status;
}
