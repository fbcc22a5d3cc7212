/* Following what a rank sends and receives, call by call, so that messages can be paired
 * (store_match.c says how): which calls begin a send or a receive, and which complete one, with the
 * source and tag that its status tells.
 *
 * Invariants
 *  1. rank->requests holds each request that is under way, and each persistent one, from the call
 *     that made it to the one that completed or freed it.
 *  2. A receive is handed on once: when it completes, or when nothing more will be heard of it. */
#include "core/store/store_part.h"

struct talk { /* what following a call's communication needs */
    struct store *store;
    struct store_rank *rank;
    const struct spool_event *event;
    const struct store_gather *parts;
    bool inner;
    int64_t bytes;
};

static enum core_status talk_send(const struct talk *talk, uint32_t comm, int32_t peer, int32_t tag,
                                  int64_t bytes)
{
    struct store_side side = {.comm = store_map_get(&talk->rank->ids.comm, comm),
                              .source = talk->rank->rank,
                              .dest = store_world(talk->store, talk->rank, comm, peer),
                              .tag = tag,
                              .inner = talk->inner};

    if (side.dest == EVENT_NONE)
        return CORE_OK;
    return store_match_send(talk->store, &side, talk->event->seq, bytes,
                            store_clock_ns(talk->rank->clock, talk->event->t_enter));
}

static enum core_status talk_receive(const struct talk *talk, const struct store_request *request,
                                     int32_t source, int32_t tag, int64_t bytes, bool maybe)
{
    struct store_side side = {.comm = store_map_get(&talk->rank->ids.comm, request->comm),
                              .source = store_world(talk->store, talk->rank, request->comm, source),
                              .dest = talk->rank->rank,
                              .tag = tag,
                              .inner = request->inner};

    if (side.source == EVENT_NONE || (maybe && tag == EVENT_ANY))
        return CORE_OK;
    int64_t time = maybe ? 0 : store_clock_ns(talk->rank->clock, talk->event->t_leave);
    return store_match_receive(talk->store, &side, request->order, request->seq, bytes, time,
                               maybe);
}

static struct store_request request_of(const struct talk *talk, enum store_request_kind kind,
                                       bool persistent)
{
    const struct spool_event *event = talk->event;

    return (struct store_request){.id = event->request,
                                  .kind = (uint8_t)kind,
                                  .persistent = persistent,
                                  .active = !persistent,
                                  .inner = talk->inner,
                                  .comm = event->comm,
                                  .peer = event->peer,
                                  .tag = event->tag,
                                  .order = event->seq,
                                  .seq = event->seq,
                                  .bytes = talk->bytes};
}

static enum core_status talk_start(const struct talk *talk, uint32_t id)
{
    struct store_request *request = store_request_find(&talk->rank->requests, id);

    if (!request || !request->persistent)
        return CORE_OK;
    request->active = true;
    request->order = request->seq = talk->event->seq;
    if (request->kind == STORE_REQUEST_SEND)
        return talk_send(talk, request->comm, request->peer, request->tag, request->bytes);
    return CORE_OK;
}

static enum core_status talk_complete(const struct talk *talk, const struct spool_done *done,
                                      uint32_t id)
{
    struct store_request *request = store_request_find(&talk->rank->requests, id);
    enum core_status status = CORE_OK;

    if (!request || !request->active)
        return CORE_OK;
    if (request->kind == STORE_REQUEST_RECEIVE && !done->head.a && done->source >= 0)
        status = talk_receive(talk, request, done->source, done->tag, (int64_t)done->bytes, false);
    if (request->kind == STORE_REQUEST_SEND && done->head.a) {
        struct store_side side = {
            .comm = store_map_get(&talk->rank->ids.comm, request->comm),
            .source = talk->rank->rank,
            .dest = store_world(talk->store, talk->rank, request->comm, request->peer),
            .tag = request->tag,
            .inner = request->inner};
        store_match_unsend(talk->store, &side, request->seq);
    }
    request->active = false;
    if (!request->persistent)
        store_request_remove(&talk->rank->requests, request);
    return status;
}

enum core_status store_receive_let_go(struct store *store, struct store_rank *rank,
                                      const struct store_request *request)
{
    struct talk talk = {.store = store, .rank = rank};

    return talk_receive(&talk, request, request->peer, request->tag, STORE_NULL, true);
}

static enum core_status talk_free(const struct talk *talk, uint32_t id)
{
    struct store_request *request = store_request_find(&talk->rank->requests, id);
    enum core_status status = CORE_OK;

    if (!request)
        return CORE_OK;
    if (request->kind == STORE_REQUEST_RECEIVE && request->active)
        status = store_receive_let_go(talk->store, talk->rank, request);
    store_request_remove(&talk->rank->requests, request);
    return status;
}

static enum core_status talk_matched_receive(const struct talk *talk, bool immediate)
{
    const struct store_gather *parts = talk->parts;
    uint32_t message = talk->event->request;
    struct store_request *found, request;

    if (immediate) /* request is its own; the message's id is its only scalar */
        message = parts && parts->arg_count ? (uint32_t)parts->arg[0] : 0;
    found = store_request_find(&talk->rank->requests, message);
    if (!found || found->kind != STORE_REQUEST_MESSAGE)
        return CORE_OK;
    request = *found;
    store_request_remove(&talk->rank->requests, found);
    request.kind = STORE_REQUEST_RECEIVE;
    request.seq = talk->event->seq;
    request.id = talk->event->request;
    if (immediate)
        return store_request_add(&talk->rank->requests, &request);
    return talk_receive(talk, &request, request.peer, request.tag, request.bytes, false);
}

static enum core_status talk_receive_now(const struct talk *talk, int32_t peer, int32_t tag,
                                         bool pending)
{
    struct store_request request = request_of(talk, STORE_REQUEST_RECEIVE, false);
    const struct store_gather *parts = talk->parts;

    if (pending)
        return talk_receive(talk, &request, peer, tag, STORE_NULL, true);
    if (!parts || !parts->done_count || parts->done[0].source < 0)
        return CORE_OK;
    return talk_receive(talk, &request, parts->done[0].source, parts->done[0].tag,
                        (int64_t)parts->done[0].bytes, false);
}

static enum core_status talk_follow(const struct talk *talk, enum event_class class, bool pending)
{
    const struct spool_event *event = talk->event;
    const struct store_gather *parts = talk->parts;
    const struct store_list *list;
    struct store_request request;
    enum core_status status = CORE_OK;

    switch (class) {
    case EVENT_CLASS_SEND:
        return talk_send(talk, event->comm, event->peer, event->tag, talk->bytes);
    case EVENT_CLASS_SENDRECV:
        status = talk_send(talk, event->comm, event->peer, event->tag, talk->bytes);
        if (status || !parts)
            return status;
        return talk_receive_now(talk, parts->has_leg ? parts->leg.peer : EVENT_NONE,
                                parts->has_leg ? parts->leg.tag : EVENT_ANY, pending);
    case EVENT_CLASS_ISEND:
        status = talk_send(talk, event->comm, event->peer, event->tag, talk->bytes);
        /* fall through */
    case EVENT_CLASS_SEND_INIT:
        request = request_of(talk, STORE_REQUEST_SEND, class == EVENT_CLASS_SEND_INIT);
        return status ? status : store_request_add(&talk->rank->requests, &request);
    case EVENT_CLASS_IRECV:
    case EVENT_CLASS_RECV_INIT:
        request = request_of(talk, STORE_REQUEST_RECEIVE, class == EVENT_CLASS_RECV_INIT);
        return store_request_add(&talk->rank->requests, &request);
    case EVENT_CLASS_RECV:
        return talk_receive_now(talk, event->peer, event->tag, pending);
    case EVENT_CLASS_MPROBE:
    case EVENT_CLASS_IMPROBE:
        if (!event->request || !parts || !parts->done_count)
            return CORE_OK;
        request = request_of(talk, STORE_REQUEST_MESSAGE, false);
        request.peer = parts->done[0].source;
        request.tag = parts->done[0].tag;
        request.bytes = (int64_t)parts->done[0].bytes;
        return store_request_add(&talk->rank->requests, &request);
    case EVENT_CLASS_MRECV:
    case EVENT_CLASS_IMRECV:
        return talk_matched_receive(talk, class == EVENT_CLASS_IMRECV);
    case EVENT_CLASS_START:
        list = store_list_find(parts, SPOOL_LIST_REQUESTS);
        for (uint32_t i = 0; !status && list && i < list->count; i++)
            status = talk_start(talk, (uint32_t)list->value[i]);
        return status || list ? status : talk_start(talk, event->request);
    case EVENT_CLASS_REQUEST_FREE:
        return talk_free(talk, event->request);
    case EVENT_CLASS_REQUEST_STATUS:
        return CORE_OK;
    default:
        break;
    }
    list = store_list_find(parts, SPOOL_LIST_REQUESTS);
    for (uint32_t i = 0; !status && parts && i < parts->done_count; i++) {
        const struct spool_done *done = &parts->done[i];
        uint32_t id = done->request;
        if (!id && list && done->index < list->count)
            id = (uint32_t)list->value[done->index];
        if (!id && !list)
            id = event->request;
        if (id)
            status = talk_complete(talk, done, id);
    }
    return status;
}

enum core_status store_talk(struct store *store, struct store_rank *rank,
                            const struct spool_event *event, const struct store_gather *parts,
                            uint32_t call, int64_t bytes, bool pending)
{
    const struct store_call *def = &store->defs.call[call];
    struct talk talk = {.store = store,
                        .rank = rank,
                        .event = event,
                        .parts = parts,
                        .bytes = bytes,
                        .inner = event->parent || def->inner};

    return talk_follow(&talk, def->class, pending);
}
