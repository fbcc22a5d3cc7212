/* See event_view.h. */
#include "core/trace/event_view.h"

#include <stdlib.h>

#include "core/array.h"

static struct trace_completion completion_of(const struct event_parts *parts, uint64_t own,
                                             const struct spool_done *done)
{
    struct trace_completion completion = {.index = done->index,
                                          .request = done->request,
                                          .done = true,
                                          .cancelled = done->head.a != 0,
                                          .source = done->source,
                                          .tag = done->tag,
                                          .bytes = done->bytes,
                                          .error = done->head.b};

    if (!completion.request && done->index < parts->request_count)
        completion.request = (uint64_t)parts->request[done->index];
    if (!completion.request && !parts->request_count)
        completion.request = own;
    return completion;
}

enum core_status event_view_set(struct event_view *view, const struct spool_event *record,
                                const struct event_parts *parts)
{
    bool starts = trait_in(parts->traits, TRAIT_STARTS);
    uint32_t count = starts ? parts->request_count : parts->done_count;
    enum core_status status =
        CORE_ARRAY_ROOM(view->completion, view->completion_room, count, "the parts of a call");

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < count; i++)
        view->completion[i] =
            starts ? (struct trace_completion){.index = i, .request = (uint64_t)parts->request[i]}
                   : completion_of(parts, record->request, &parts->done[i]);
    struct trace_event *event = &view->event; /* fields left out stay zero */
    event->seq = record->seq;
    event->parent = record->parent ? record->seq - record->parent : parts->inside ? record->seq : 0;
    event->class = parts->class;
    event->mode = parts->mode;
    event->traits = parts->traits;
    event->comm = event->win = (int32_t)record->comm;
    event->peer = record->peer;
    event->tag = record->tag;
    event->count = record->count;
    event->bytes = parts->bytes;
    event->request = starts && count ? 0 : record->request;
    event->message = parts->message;
    event->error = record->head.b;
    event->pending = parts->pending;
    event->t_enter = record->t_enter;
    event->t_leave = record->t_leave;
    event->has_recv_half = parts->recv_half != NULL;
    event->recv_peer = parts->recv_half ? parts->recv_half->peer : EVENT_NONE;
    event->recv_tag = parts->recv_half ? parts->recv_half->tag : EVENT_NONE;
    event->completion = view->completion;
    event->completion_count = count;
    return CORE_OK;
}

void event_view_done(struct event_view *view)
{
    free(view->completion);
    *view = (struct event_view){.completion = NULL};
}
