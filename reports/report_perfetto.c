/* Writes the trace as a timeline in Perfetto's own format, which ui.perfetto.dev and
 * trace_processor open: a process per rank, a track per thread, a slice per call, messages as
 * arrows (flows) from the call that sent to the end of the call that completed the receive. The
 * library's messages lie inside the collective that sent them. Polls that were repeated in turn
 * overlap in time, so each kind of them has a track of its own.
 *
 * The format is a protobuf: a stream of TracePacket with TrackEvent inside. To keep calls small (31
 * bytes, two more beyond 127 lanes, and 20 per message), each lane (a thread, or a kind of polls)
 * is a packet sequence whose clock counts on from packet to packet and whose names are written once
 * (InternedData). Packets depend on the state of their sequence without saying so each: a file
 * loses none. A call that did not return has no end, as the format demands.
 *
 * Invariants
 *  1. Slices of a track nest: a call ends no later than the one around it.
 *  2. Time does not go back in a sequence. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "reports/messages.h"
#include "reports/report.h"
#include "reports/rows.h"

/* --- protobuf --------------------------------------------------------------------------------- */

enum { /* field numbers, by message */
       TRACE_PACKET = 1,
       PACKET_CLOCK_SNAPSHOT = 6,
       PACKET_TIMESTAMP = 8,
       PACKET_SEQUENCE = 10,
       PACKET_TRACK_EVENT = 11,
       PACKET_INTERNED = 12,
       PACKET_FLAGS = 13,
       PACKET_CLOCK_ID = 58,
       PACKET_DEFAULTS = 59,
       PACKET_TRACK = 60,
       SNAPSHOT_CLOCK = 1,
       CLOCK_ID = 1,
       CLOCK_TIMESTAMP = 2,
       CLOCK_INCREMENTAL = 3,
       DEFAULTS_TRACK_EVENT = 11,
       TRACK_UUID = 1,
       TRACK_NAME = 2,
       TRACK_PROCESS = 3,
       TRACK_THREAD = 4,
       TRACK_PARENT = 5,
       PROCESS_PID = 1,
       PROCESS_NAME = 6,
       THREAD_PID = 1,
       THREAD_TID = 2,
       THREAD_NAME = 5,
       EVENT_CATEGORY = 3,
       EVENT_ANNOTATION = 4,
       EVENT_TYPE = 9,
       EVENT_NAME = 10,
       EVENT_TRACK = 11,
       EVENT_FLOW = 47,
       EVENT_FLOW_END = 48,
       ANNOTATION_NAME = 1,
       ANNOTATION_UINT = 3,
       ANNOTATION_TEXT = 17,
       INTERNED_CATEGORY = 1,
       INTERNED_NAME = 2,
       INTERNED_ANNOTATION = 3,
       INTERNED_TEXT = 29,
       INTERN_ID = 1,
       INTERN_TEXT = 2
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2, SLICE_BEGIN = 1, SLICE_END = 2 };
enum { CLOCK_BOOT = 6, CLOCK_OURS = 64 };
enum { CATEGORY_LIBRARY = 1, CATEGORY_POLLS = 2, NOTE_CALL = 1, NOTE_TIMES = 2 };

struct message { /* contents of a message before they enter the message around it */
    uint8_t *byte;
    uint32_t count, room;
    enum core_status status; /* the first failure */
};

static void put_bytes(struct message *message, const void *bytes, size_t count)
{
    if (message->status == CORE_OK)
        message->status = CORE_ARRAY_ROOM(message->byte, message->room,
                                          (uint64_t)message->count + count, "the timeline");
    if (message->status != CORE_OK || !count)
        return;
    memcpy(message->byte + message->count, bytes, count);
    message->count += (uint32_t)count;
}

static void put_varint(struct message *message, uint64_t value)
{
    uint8_t byte[10];
    uint32_t count = 0;

    for (; value > 127; value >>= 7)
        byte[count++] = (uint8_t)(value & 127) | 128;
    byte[count++] = (uint8_t)value;
    put_bytes(message, byte, count);
}

static void put_number(struct message *message, uint32_t field, uint64_t value)
{
    put_varint(message, (uint64_t)field << 3);
    put_varint(message, value);
}

static void put_fixed64(struct message *message, uint32_t field, uint64_t value)
{
    uint8_t byte[8];

    for (uint32_t i = 0; i < 8; i++)
        byte[i] = (uint8_t)(value >> 8 * i);
    put_varint(message, (uint64_t)field << 3 | 1);
    put_bytes(message, byte, sizeof byte);
}

static void put_text(struct message *message, uint32_t field, const char *text)
{
    put_varint(message, (uint64_t)field << 3 | 2);
    put_varint(message, strlen(text));
    put_bytes(message, text, strlen(text));
}

/* Appends a message to the one around it, and empties it for reuse. */
static void put_message(struct message *message, uint32_t field, struct message *part)
{
    put_varint(message, (uint64_t)field << 3 | 2);
    put_varint(message, part->count);
    put_bytes(message, part->byte, part->count);
    if (message->status == CORE_OK)
        message->status = part->status;
    part->count = 0;
}

/* --- lanes ------------------------------------------------------------------------------------ */

struct flow { /* an end of a message */
    uint64_t event, number;
};
struct flows {
    struct flow *flow; /* by event */
    uint32_t count, room;
};
struct open { /* a call that was entered and not yet left */
    uint64_t end, event;
};
struct lane {
    int32_t thread;
    uint64_t uuid, sequence, now;
    uint32_t *text; /* by shape: its number, from 1; 0: not yet written */
    uint32_t *name; /* by call: the same */
    uint32_t texts, names;
    struct open *open;
    uint32_t open_count, open_room;
    struct report_row *poll;
    uint32_t poll_count, poll_room;
};
struct timeline {
    struct trace *trace;
    FILE *file;
    struct report_shapes shapes;
    struct message packet, part, inner, detail, interned;
    struct flows sent, received;
    uint64_t flows, sequences, tracks;
    uint32_t rank; /* rank being written */
    uint64_t rank_uuid;
    struct lane *lane;
    uint32_t lane_count, lane_room;
    enum core_status status;
};

static void packet_write(struct timeline *line)
{
    struct message head = {0};

    put_varint(&head, TRACE_PACKET << 3 | 2);
    put_varint(&head, line->packet.count);
    if (line->packet.status == CORE_OK && head.status == CORE_OK) {
        fwrite(head.byte, 1, head.count, line->file);
        fwrite(line->packet.byte, 1, line->packet.count, line->file);
    } else if (line->status == CORE_OK) {
        line->status = line->packet.status != CORE_OK ? line->packet.status : head.status;
    }
    free(head.byte);
    line->packet.count = 0;
}

static void report_perfetto_intern(struct timeline *line, uint32_t field, uint64_t number,
                                   const char *text)
{
    put_number(&line->detail, INTERN_ID, number);
    put_text(&line->detail, INTERN_TEXT, text);
    put_message(&line->interned, field, &line->detail);
}

static void clock_put(struct timeline *line, uint64_t id, uint64_t timestamp, bool incremental)
{
    put_number(&line->detail, CLOCK_ID, id);
    put_number(&line->detail, CLOCK_TIMESTAMP, timestamp);
    if (incremental)
        put_number(&line->detail, CLOCK_INCREMENTAL, 1);
    put_message(&line->inner, SNAPSHOT_CLOCK, &line->detail);
}

/* Begins a sequence: its clock counts from the job's start, and its events are on the lane's
 * track. */
static void sequence_begin(struct timeline *line, struct lane *lane)
{
    lane->sequence = ++line->sequences;
    lane->now = 0;
    put_number(&line->part, EVENT_TRACK, lane->uuid);
    put_number(&line->inner, PACKET_CLOCK_ID, CLOCK_OURS);
    put_message(&line->inner, DEFAULTS_TRACK_EVENT, &line->part);
    put_number(&line->packet, PACKET_SEQUENCE, lane->sequence);
    put_number(&line->packet, PACKET_FLAGS, FLAG_CLEARED | FLAG_NEEDS);
    put_message(&line->packet, PACKET_DEFAULTS, &line->inner);
    report_perfetto_intern(line, INTERNED_CATEGORY, CATEGORY_LIBRARY, "library");
    report_perfetto_intern(line, INTERNED_CATEGORY, CATEGORY_POLLS, "polls");
    report_perfetto_intern(line, INTERNED_ANNOTATION, NOTE_CALL, "call");
    report_perfetto_intern(line, INTERNED_ANNOTATION, NOTE_TIMES, "times");
    put_message(&line->packet, PACKET_INTERNED, &line->interned);
    packet_write(line);
    clock_put(line, CLOCK_OURS, 0, true);
    clock_put(line, CLOCK_BOOT, 0, false);
    put_message(&line->packet, PACKET_CLOCK_SNAPSHOT, &line->inner);
    put_number(&line->packet, PACKET_SEQUENCE, lane->sequence);
    packet_write(line);
}

/* Writes the process of a rank, with number rank + 1, since 0 is the system's. */
static void rank_track(struct timeline *line, uint32_t number)
{
    const struct trace_rank *rank = &line->trace->rank[number];
    char name[512];

    line->rank = number;
    line->rank_uuid = ++line->tracks;
    snprintf(name, sizeof name, "rank %" PRIu32 " (%s), %s", number, rank->host ? rank->host : "?",
             event_rank_state_text(rank->state));
    put_number(&line->inner, PROCESS_PID, (uint64_t)number + 1);
    put_text(&line->inner, PROCESS_NAME, name);
    put_number(&line->part, TRACK_UUID, line->rank_uuid);
    put_message(&line->part, TRACK_PROCESS, &line->inner);
    put_message(&line->packet, PACKET_TRACK, &line->part);
    packet_write(line);
}

/* Writes the track of a thread. The first thread of a process has the process's number. */
static void thread_track(struct timeline *line, struct lane *lane)
{
    char name[32];
    uint64_t ranks = line->trace->rank_count;

    lane->uuid = ++line->tracks;
    snprintf(name, sizeof name, "thread %" PRId32, lane->thread);
    put_number(&line->inner, THREAD_PID, (uint64_t)line->rank + 1);
    put_number(&line->inner, THREAD_TID,
               line->lane_count ? ranks + lane->uuid : (uint64_t)line->rank + 1);
    put_text(&line->inner, THREAD_NAME, name);
    put_number(&line->part, TRACK_UUID, lane->uuid);
    put_number(&line->part, TRACK_PARENT, line->rank_uuid);
    put_message(&line->part, TRACK_THREAD, &line->inner);
    put_message(&line->packet, PACKET_TRACK, &line->part);
    packet_write(line);
}

static void lane_done(struct lane *lane)
{
    free(lane->text);
    free(lane->name);
    free(lane->open);
    free(lane->poll);
}

static enum core_status lane_init(const struct timeline *line, struct lane *lane)
{
    enum core_status status = CORE_ARRAY_NEW(lane->text, line->shapes.count, "the timeline");

    return status == CORE_OK ? CORE_ARRAY_NEW(lane->name, line->trace->call_count, "the timeline")
                             : status;
}

static enum core_status lane_get(struct timeline *line, int32_t thread, struct lane **out_lane)
{
    struct lane lane = {.thread = thread};

    for (uint32_t i = 0; i < line->lane_count; i++)
        if (line->lane[i].thread == thread) {
            *out_lane = &line->lane[i];
            return CORE_OK;
        }
    enum core_status status = lane_init(line, &lane);
    if (status == CORE_OK) {
        thread_track(line, &lane);
        sequence_begin(line, &lane);
        status =
            CORE_ARRAY_PUSH(line->lane, line->lane_count, line->lane_room, "the timeline", lane);
    }
    if (status != CORE_OK) {
        lane_done(&lane);
        return status;
    }
    *out_lane = &line->lane[line->lane_count - 1];
    return CORE_OK;
}

/* --- slices ----------------------------------------------------------------------------------- */

/* Writes the common head of the event in `part`; its own fields follow. */
static void event_begin(struct timeline *line, uint32_t type)
{
    put_number(&line->part, EVENT_TYPE, type);
}

static void event_end(struct timeline *line, struct lane *lane, uint64_t time)
{
    CORE_CHECK(time >= lane->now); /* invariant 2 */
    put_number(&line->packet, PACKET_TIMESTAMP, time - lane->now);
    put_number(&line->packet, PACKET_SEQUENCE, lane->sequence);
    if (line->interned.count)
        put_message(&line->packet, PACKET_INTERNED, &line->interned);
    put_message(&line->packet, PACKET_TRACK_EVENT, &line->part);
    lane->now = time;
    packet_write(line);
}

static void flows_put(struct flows *flows, uint64_t event, uint32_t field, struct message *message)
{
    uint32_t low = CORE_ARRAY_FIND(at, 0, flows->count, flows->flow[at].event < event);
    for (; low < flows->count && flows->flow[low].event == event; low++)
        put_fixed64(message, field, flows->flow[low].number);
}

/* Returns the time of the calls by which the row of rounds is named. */
static uint64_t sum_total(const struct report_row *row)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < row->sum->call_count; i++)
        total += row->sum->call[i].shape == row->shape ? row->sum->call[i].total : 0;
    return total;
}

static enum core_status slice_begin(struct timeline *line, struct lane *lane,
                                    const struct report_row *row, uint64_t time)
{
    const struct report_shape *shape = &line->shapes.shape[row->shape];
    enum core_status status = CORE_OK;
    char text[1024];

    if (!lane->name[shape->call]) {
        lane->name[shape->call] = ++lane->names;
        report_perfetto_intern(line, INTERNED_NAME, lane->names,
                               line->trace->call[shape->call].name);
    }
    if (row->sum) {
        char calls[32], took[32];
        snprintf(text, sizeof text, "%s calls of a loop; those of %s took %s",
                 describe_number(row->sum->calls, calls, sizeof calls),
                 line->trace->call[shape->call].name,
                 report_why_time(sum_total(row), took, sizeof took));
        report_perfetto_intern(line, INTERNED_TEXT, ++lane->texts, text);
    } else if (!lane->text[row->shape]) {
        status = report_row_text(line->trace, row->rank, row->seq, text, sizeof text / 2);
        if (status == CORE_OK && shape->site > 0) {
            size_t used = strlen(text);
            memcpy(text + used, " at ", 5);
            trace_site_text(line->trace, shape->site, text + used + 4, sizeof text - used - 4);
        }
        if (status == CORE_OK) {
            lane->text[row->shape] = ++lane->texts;
            report_perfetto_intern(line, INTERNED_TEXT, lane->texts, text);
        }
    }
    event_begin(line, SLICE_BEGIN);
    put_number(&line->part, EVENT_NAME, lane->name[shape->call]);
    if (shape->inner || row->repeat > 1)
        put_number(&line->part, EVENT_CATEGORY,
                   row->repeat > 1 ? CATEGORY_POLLS : CATEGORY_LIBRARY);
    put_number(&line->inner, ANNOTATION_NAME, NOTE_CALL);
    put_number(&line->inner, ANNOTATION_TEXT, row->sum ? lane->texts : lane->text[row->shape]);
    put_message(&line->part, EVENT_ANNOTATION, &line->inner);
    if (row->repeat > 1) {
        put_number(&line->inner, ANNOTATION_NAME, NOTE_TIMES);
        put_number(&line->inner, ANNOTATION_UINT, row->repeat);
        put_message(&line->part, EVENT_ANNOTATION, &line->inner);
    }
    flows_put(&line->sent, row->id, EVENT_FLOW, &line->part);
    event_end(line, lane, time);
    return status;
}

static void slice_end(struct timeline *line, struct lane *lane, const struct open *open)
{
    event_begin(line, SLICE_END);
    flows_put(&line->received, open->event, EVENT_FLOW_END, &line->part);
    event_end(line, lane, open->end > lane->now ? open->end : lane->now);
}

/* Ends the slices that end by that time. */
static void slices_close(struct timeline *line, struct lane *lane, uint64_t time)
{
    while (lane->open_count && lane->open[lane->open_count - 1].end <= time)
        slice_end(line, lane, &lane->open[--lane->open_count]);
}

static enum core_status report_perfetto_slice(struct timeline *line, struct lane *lane,
                                              const struct report_row *row)
{
    uint64_t start = row->start > lane->now ? row->start : lane->now, end = row->end;

    slices_close(line, lane, row->start);
    if (lane->open_count && end > lane->open[lane->open_count - 1].end)
        end = lane->open[lane->open_count - 1].end; /* invariant 1 */
    if (row->pending)
        end = UINT64_MAX; /* never ended */
    start = row->start > lane->now ? row->start : lane->now;
    enum core_status status = slice_begin(line, lane, row, start);
    return status == CORE_OK
               ? CORE_ARRAY_PUSH(lane->open, lane->open_count, lane->open_room, "the timeline",
                                 (struct open){.end = end, .event = row->id})
               : status;
}

/* --- polls ------------------------------------------------------------------------------------ */

static int by_shape(const void *a, const void *b)
{
    const struct report_row *x = a, *y = b;

    if (x->shape != y->shape)
        return x->shape < y->shape ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static enum core_status polls_write(struct timeline *line, struct lane *thread)
{
    enum core_status status = CORE_OK;

    if (thread->poll_count)
        qsort(thread->poll, thread->poll_count, sizeof *thread->poll, by_shape);
    for (uint32_t i = 0; i < thread->poll_count && status == CORE_OK;) {
        uint32_t shape = thread->poll[i].shape;
        struct lane lane = {.uuid = ++line->tracks};
        char name[128];
        snprintf(name, sizeof name, "polls: %s",
                 line->trace->call[line->shapes.shape[shape].call].name);
        put_number(&line->part, TRACK_UUID, lane.uuid);
        put_number(&line->part, TRACK_PARENT, thread->uuid);
        put_text(&line->part, TRACK_NAME, name);
        put_message(&line->packet, PACKET_TRACK, &line->part);
        packet_write(line);
        sequence_begin(line, &lane);
        status = lane_init(line, &lane);
        for (; i < thread->poll_count && thread->poll[i].shape == shape && status == CORE_OK; i++)
            status = report_perfetto_slice(line, &lane, &thread->poll[i]);
        slices_close(line, &lane, UINT64_MAX - 1);
        lane_done(&lane);
    }
    return status;
}

/* --- ranks ------------------------------------------------------------------------------------ */

static enum core_status rank_end(struct timeline *line)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < line->lane_count && status == CORE_OK; i++) {
        slices_close(line, &line->lane[i], UINT64_MAX - 1);
        status = polls_write(line, &line->lane[i]);
    }
    for (uint32_t i = 0; i < line->lane_count; i++)
        lane_done(&line->lane[i]);
    line->lane_count = 0;
    return status;
}

static enum core_status event_take(const struct report_row *row, void *context)
{
    struct timeline *line = context;
    struct lane *lane = NULL;
    enum core_status status = CORE_OK;

    if (!line->tracks || row->rank != line->rank) {
        status = rank_end(line);
        rank_track(line, row->rank);
    }
    if (status == CORE_OK)
        status = lane_get(line, line->shapes.shape[row->shape].thread, &lane);
    if (status != CORE_OK)
        return status;
    if (row->repeat > 1)
        return CORE_ARRAY_PUSH(lane->poll, lane->poll_count, lane->poll_room, "the timeline", *row);
    status = report_perfetto_slice(line, lane, row);
    return status == CORE_OK ? line->status : status;
}

static void message_take(const struct report_message *message, void *context)
{
    struct timeline *line = context;
    if (message->summed)
        return;
    uint64_t number = ++line->flows;

    if (line->status == CORE_OK)
        line->status =
            CORE_ARRAY_PUSH(line->sent.flow, line->sent.count, line->sent.room,
                            "the timeline's messages", (struct flow){message->send_id, number});
    if (line->status == CORE_OK)
        line->status = CORE_ARRAY_PUSH(line->received.flow, line->received.count,
                                       line->received.room, "the timeline's messages",
                                       (struct flow){message->completed_id, number});
}

static int by_event(const void *a, const void *b)
{
    const struct flow *x = a, *y = b;

    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void flows_sort(struct flows *flows)
{
    if (flows->count)
        qsort(flows->flow, flows->count, sizeof *flows->flow, by_event);
}

static void timeline_done(struct timeline *line)
{
    for (uint32_t i = 0; i < line->lane_count; i++)
        lane_done(&line->lane[i]);
    free(line->lane);
    free(line->sent.flow);
    free(line->received.flow);
    free(line->packet.byte);
    free(line->part.byte);
    free(line->inner.byte);
    free(line->detail.byte);
    free(line->interned.byte);
    report_shapes_done(&line->shapes);
}

enum core_status report_perfetto(const struct report_facts *facts, FILE *file)
{
    struct timeline line = {.trace = facts->trace, .file = file};
    enum core_status status = report_shapes_read(line.trace, &line.shapes);

    if (status == CORE_OK)
        status = report_messages_each(line.trace, message_take, &line);
    if (status == CORE_OK)
        status = line.status;
    flows_sort(&line.sent);
    flows_sort(&line.received);
    if (status == CORE_OK)
        status = report_rows_each(line.trace, &line.shapes, event_take, &line);
    if (status == CORE_OK)
        status = rank_end(&line);
    if (status == CORE_OK)
        status = line.status;
    timeline_done(&line);
    if (status == CORE_OK && ferror(file))
        status = report_unwritten(facts);
    return status;
}
