/* Gathers events into calls. See foreign/calls.h.
 *
 * TAU names no requests: in a call that begins a send or completes requests, it writes the event of
 * a blocking send or receive. Such an event gets a request of its own here. The completion of a
 * send stays unknown.
 *
 * Invariants
 *  1. In both readings the nth event that makes a request makes request n.
 *  2. A lane is in at most one call: MPI functions inside it are part of its work. */
#include "foreign/calls.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "foreign/meaning.h"

struct calls_open_request {
    uint64_t number; /* in the archive */
    uint32_t request;
};
struct calls_lane {
    uint64_t *region; /* entered regions, innermost last */
    uint32_t depth, region_room;
    uint32_t call_depth; /* regions entered, counting the call's own; 0: in no call */
    struct calls_call call;
    uint32_t record_room;
};

static bool makes_request(enum events_kind kind)
{
    return kind == EVENTS_ISEND || kind == EVENTS_IRECV || kind == EVENTS_ICOLLECTIVE;
}

static bool names_request(enum events_kind kind)
{
    return kind == EVENTS_ISEND_DONE || kind == EVENTS_IRECV_DONE || kind == EVENTS_TESTED ||
           kind == EVENTS_CANCELLED || kind == EVENTS_ICOLLECTIVE_DONE;
}

/* --- requests --------------------------------------------------------------------------------- */

static enum core_status request_make(struct calls *calls, const struct events_event *event,
                                     uint32_t *out_request)
{
    struct calls_open_request *open;
    enum core_status status =
        core_table_put(&calls->open, &event->request, "the requests of a rank", &open);

    if (status == CORE_OK && !calls->learnt)
        status =
            CORE_ARRAY_PUSH(calls->request, calls->request_count, calls->request_room,
                            "the requests of a rank", (struct calls_request){.kind = event->kind});
    if (status != CORE_OK)
        return status;
    CORE_CHECK(calls->request_next < calls->request_count); /* invariant 1 */
    open->request = *out_request = ++calls->request_next;
    return CORE_OK;
}

static void request_learn(struct calls_request *request, const struct events_event *event)
{
    request->cancelled |= event->kind == EVENTS_CANCELLED;
    if (event->kind == EVENTS_TESTED || event->kind == EVENTS_CANCELLED)
        return;
    request->done = true;
    if (event->kind == EVENTS_ISEND_DONE)
        return;
    request->peer = event->peer;
    request->tag = event->tag;
    request->comm = event->comm;
    request->bytes = event->bytes;
}

/* Tells whether the event fits the request it names, since tools may mistake requests. */
static bool request_fits(enum events_kind made, enum events_kind named)
{
    return named == EVENTS_TESTED || named == EVENTS_CANCELLED ||
           made == (named == EVENTS_ISEND_DONE   ? EVENTS_ISEND
                    : named == EVENTS_IRECV_DONE ? EVENTS_IRECV
                                                 : EVENTS_ICOLLECTIVE);
}

static uint32_t request_named(struct calls *calls, const struct events_event *event)
{
    struct calls_open_request *open = core_table_find(&calls->open, &event->request);
    uint32_t request = open ? open->request : 0;

    if (!request || !request_fits(calls->request[request - 1].kind, event->kind))
        return 0;
    CORE_CHECK(request <= calls->request_count);
    if (!calls->learnt)
        request_learn(&calls->request[request - 1], event);
    if (event->kind != EVENTS_TESTED)
        core_table_remove(&calls->open, open);
    return request;
}

const struct calls_request *calls_request(const struct calls *calls, uint32_t request)
{
    CORE_CHECK(request && request <= calls->request_count);
    return &calls->request[request - 1];
}

/* --- lanes ------------------------------------------------------------------------------------ */

static enum core_status record_add(struct calls *calls, struct calls_lane *lane,
                                   const struct events_event *event)
{
    struct calls_record record = {.event = *event};
    enum core_status status = CORE_OK;

    if (makes_request(event->kind))
        status = request_make(calls, event, &record.request);
    else if (names_request(event->kind))
        record.request = request_named(calls, event);
    if (status == CORE_OK)
        status = CORE_ARRAY_PUSH(lane->call.record, lane->call.record_count, lane->record_room,
                                 "the events of a call", record);
    return status;
}

/* Adds the events of a message whose request the tool did not name. Its number is one that tools,
 * which count from 0, do not reach. */
static enum core_status unnamed_add(struct calls *calls, struct calls_lane *lane,
                                    const struct events_event *event)
{
    struct events_event made = *event;
    enum core_status status;

    made.request = UINT64_MAX - calls->request_next;
    made.kind = event->kind == EVENTS_SEND ? EVENTS_ISEND : EVENTS_IRECV;
    status = record_add(calls, lane, &made);
    if (status != CORE_OK || event->kind == EVENTS_SEND)
        return status;
    made.kind = EVENTS_IRECV_DONE;
    return record_add(calls, lane, &made);
}

/* Tells whether the event of a blocking call lies in a call that begins or completes requests. */
static bool is_unnamed(const struct calls_call *call, enum events_kind kind)
{
    enum event_class class =
        call->meaning == ARCHIVE_NONE ? EVENT_CLASS_OTHER : meaning_at(call->meaning).class;

    return (kind == EVENTS_SEND && (class == EVENT_CLASS_ISEND || class == EVENT_CLASS_START)) ||
           (kind == EVENTS_RECV && class >= EVENT_CLASS_WAIT && class <= EVENT_CLASS_TESTSOME);
}

static void call_begin(struct calls *calls, struct calls_lane *lane, uint32_t meaning,
                       const struct events_event *event)
{
    struct calls_record *record = lane->call.record;

    lane->call =
        (struct calls_call){.lane = event->lane,
                            .meaning = meaning,
                            .seq = ++calls->seq,
                            .t_enter = event->time,
                            .t_leave = event->time,
                            .caller = lane->depth ? lane->region[lane->depth - 1] : ARCHIVE_NONE,
                            .record = record};
}

static enum core_status region_enter(struct calls *calls, struct calls_lane *lane,
                                     const struct events_event *event)
{
    const struct archive_region *region = archive_region(calls->archive, event->region);

    if (region && region->call != ARCHIVE_NONE && !lane->call_depth) { /* invariant 2 */
        call_begin(calls, lane, region->call, event);
        lane->call_depth = lane->depth + 1;
    }
    return CORE_ARRAY_PUSH(lane->region, lane->depth, lane->region_room, "the calls of a rank",
                           event->region);
}

/* Tells whether leaving the region ends a call; inner regions that were never left end with it. */
static bool region_leave(struct calls_lane *lane, const struct events_event *event)
{
    uint32_t at = lane->depth;

    while (at && lane->region[at - 1] != event->region)
        at--;
    if (!at)
        return false; /* it was never entered */
    lane->depth = at - 1;
    if (!lane->call_depth || lane->depth >= lane->call_depth)
        return false;
    lane->call_depth = 0;
    lane->call.t_leave = event->time;
    return true;
}

/* Takes an event. *out_whole: it completes the lane's call. */
static enum core_status event_take(struct calls *calls, struct calls_lane *lane,
                                   const struct events_event *event, bool *out_whole)
{
    *out_whole = false;
    if (event->kind == EVENTS_ENTER)
        return region_enter(calls, lane, event);
    if (event->kind == EVENTS_LEAVE) {
        *out_whole = region_leave(lane, event);
        return CORE_OK;
    }
    if (!lane->call_depth)
        call_begin(calls, lane, ARCHIVE_NONE, event);
    *out_whole = !lane->call_depth;
    return is_unnamed(&lane->call, event->kind) ? unnamed_add(calls, lane, event)
                                                : record_add(calls, lane, event);
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum core_status reading_begin(struct calls *calls, uint32_t rank)
{
    enum core_status status = events_open(&calls->events, calls->archive, rank);

    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM_ZERO(calls->lane, calls->lane_room, calls->events.lane_count,
                                      "the calls of a rank");
    calls->lane_count = status == CORE_OK ? calls->events.lane_count : 0;
    for (uint32_t i = 0; i < calls->lane_count; i++) {
        calls->lane[i].depth = calls->lane[i].call_depth = 0;
        calls->lane[i].call.record_count = 0;
    }
    core_table_clear(&calls->open);
    calls->seq = calls->request_next = calls->pending_at = 0;
    return status;
}

enum core_status calls_open(struct calls *calls, struct archive *archive, uint32_t rank)
{
    enum core_status status;

    *calls =
        (struct calls){.archive = archive, .open = CORE_TABLE(struct calls_open_request, number)};
    status = reading_begin(calls, rank);
    if (status != CORE_OK)
        calls_close(calls);
    return status;
}

enum core_status calls_open_again(struct calls *calls, uint32_t rank)
{
    events_close(&calls->events);
    calls->learnt = true;
    return reading_begin(calls, rank);
}

enum core_status calls_next(struct calls *calls, struct calls_call *out_call, bool *out_more)
{
    struct events_event event;
    bool more = true, whole = false;
    enum core_status status;

    while ((status = events_next(&calls->events, &event, &more)) == CORE_OK && more) {
        struct calls_lane *lane = &calls->lane[event.lane];
        status = event_take(calls, lane, &event, &whole);
        if (status != CORE_OK)
            return status;
        if (whole) {
            *out_call = lane->call;
            lane->call.record_count = 0;
            *out_more = true;
            return CORE_OK;
        }
    }
    while (status == CORE_OK && calls->pending_at < calls->lane_count) {
        struct calls_lane *lane = &calls->lane[calls->pending_at++];
        if (!lane->call_depth)
            continue;
        *out_call = lane->call;
        out_call->pending = true;
        *out_more = true;
        return CORE_OK;
    }
    *out_more = false;
    return status;
}

uint64_t calls_number(struct calls *calls)
{
    return ++calls->seq;
}

void calls_close(struct calls *calls)
{
    events_close(&calls->events);
    for (uint32_t i = 0; i < calls->lane_room; i++) {
        free(calls->lane[i].region);
        free(calls->lane[i].call.record);
    }
    free(calls->lane);
    free(calls->request);
    core_table_done(&calls->open);
    memset(calls, 0, sizeof *calls);
}
