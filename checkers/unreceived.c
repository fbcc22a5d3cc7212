/* See the header. */
#include "checkers/unreceived.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/trace/request.h"
#include "core/trace/trace_message.h"

struct telling { /* how a rank's record is incomplete */
    bool sends, receives;
};

static void receive_look(const struct request *request, const struct trace_completion *done,
                         struct telling *open)
{
    const bool any = request->peer == EVENT_ANY || request->tag == EVENT_ANY;
    if (!done)
        open->receives |= any;
    else if (!done->cancelled && request->peer != EVENT_PROC_NULL)
        open->receives |= done->source == EVENT_NONE || done->tag == EVENT_NONE ||
                          done->source == EVENT_ANY || done->tag == EVENT_ANY;
}

static enum core_status request_look(enum request_step step, const struct trace_event *event,
                                     struct request *request, const struct trace_completion *done,
                                     void *context)
{
    struct telling *open = context;
    const bool freed = step == REQUEST_FREED && request->active;
    const bool left = step == REQUEST_BEGUN && event->pending && !request->id;

    if (request->kind == REQUEST_SEND)
        open->sends |= freed && request->cancelled;
    else if (request->kind == REQUEST_RECEIVE && step == REQUEST_DONE)
        receive_look(request, done, open);
    else if (request->kind == REQUEST_RECEIVE && (freed || left))
        receive_look(request, NULL, open);
    else if (request->kind == REQUEST_OTHER) /* receives of an unknown message */
        open->receives |= trait_in(event->traits, TRAIT_RECEIVES);
    return CORE_OK;
}

static enum core_status rank_look(struct trace *trace, uint32_t rank, struct telling *out)
{
    struct requests requests;
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    requests_init(&requests);
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more)
        if (!event.parent && (status = requests_follow(&requests, &event, request_look, out)))
            break;
    for (uint32_t i = 0; i < requests_count(&requests); i++) {
        const struct request *request = requests_at(&requests, i);
        if (request->kind == REQUEST_RECEIVE && request->active)
            receive_look(request, NULL, out);
    }
    trace_cursor_close(cursor);
    requests_done(&requests);
    return status;
}

static enum core_status unreceived_add(const struct trace_message *message, void *context)
{
    struct unreceived *found = context;
    CORE_CHECK(found->count <= found->room);
    const struct unreceived_send send = {message->source, message->dest, message->send};
    return CORE_ARRAY_PUSH(found->send, found->count, found->room, "messages", send);
}

/* Removes sends of ranks with incomplete records, and partitioned sends. */
static enum core_status unreceived_sift(struct trace *trace, struct unreceived *found)
{
    struct telling *open = calloc(trace->rank_count, sizeof *open);
    bool *looked = calloc(trace->rank_count, sizeof *looked);
    enum core_status status = CORE_OK;
    uint32_t kept = 0;

    if (!open || !looked)
        status = core_report(CORE_NO_MEMORY, "out of memory for messages that nobody received");
    for (uint32_t i = 0; i < found->count && status == CORE_OK; i++) {
        const struct unreceived_send send = found->send[i];
        const uint32_t side[2] = {send.rank, send.dest};
        struct trace_event event;
        CORE_CHECK(send.rank < trace->rank_count); /* trace_message.c yields no others */
        CORE_CHECK(send.dest < trace->rank_count);
        for (int s = 0; s < 2 && status == CORE_OK; s++)
            if (!looked[side[s]]) {
                looked[side[s]] = true;
                status = rank_look(trace, side[s], &open[side[s]]);
            }
        if (status != CORE_OK || open[send.rank].sends || open[send.dest].receives ||
            trace_event_get(trace, send.rank, send.seq, &event) != CORE_OK ||
            trait_in(event.traits, TRAIT_PARTITIONED))
            continue;
        found->send[kept++] = send;
    }
    CORE_CHECK(kept <= found->count);
    found->count = kept;
    free(open);
    free(looked);
    return status;
}

struct abroad {
    struct trace *trace;
    struct unreceived *found;
};

/* Adds the last so many sends of the rank to that peer, at most ABROAD_MAX. */
static enum core_status abroad_add(const struct trace_unreceived *sent, void *context)
{
    enum { ABROAD_MAX = 100 };
    const struct abroad *abroad = context;
    struct unreceived *found = abroad->found;
    uint64_t seq[ABROAD_MAX], seen = 0;
    const uint64_t wanted = sent->count < ABROAD_MAX ? sent->count : ABROAD_MAX;
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(abroad->trace, sent->rank, &cursor);

    if (status != CORE_OK)
        return status;
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more)
        if (!event.parent && trait_in(event.traits, TRAIT_SENDS) && event.comm == sent->comm &&
            event.peer == sent->peer && event.tag == sent->tag)
            seq[seen++ % ABROAD_MAX] = event.seq;
    trace_cursor_close(cursor);
    CORE_CHECK(sent->count > 0);
    for (uint64_t i = seen < wanted ? 0 : seen - wanted; i < seen && status == CORE_OK; i++) {
        const struct unreceived_send send = {sent->rank, (uint32_t)sent->peer, seq[i % ABROAD_MAX]};
        status = CORE_ARRAY_PUSH(found->send, found->count, found->room, "messages", send);
        found->abroad++;
    }
    return status;
}

enum core_status unreceived_find(struct trace *trace, struct unreceived *out)
{
    struct unreceived found = {0};
    enum core_status status = trace_messages_unreceived(trace, unreceived_add, &found);

    if (status == CORE_OK && found.count)
        status = unreceived_sift(trace, &found);
    if (status == CORE_OK)
        status = trace_unreceived_each(trace, abroad_add, &(struct abroad){trace, &found});
    if (status == CORE_OK)
        *out = found;
    else
        unreceived_done(&found);
    return status;
}

void unreceived_done(struct unreceived *unreceived)
{
    free(unreceived->send);
    *unreceived = (struct unreceived){0};
}
