/* Chooses the level of detail and writes the stream, in one pass over the events by id. */
#include "reports/html/timeline.h"

#include <inttypes.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "reports/html/stream.h"
#include "reports/messages.h"
#include "reports/rows.h"

/* --- histogram of times, eight steps an octave ------------------------------------------------ */

enum { SCALE_STEPS = 512 };

struct scale {
    uint64_t count[SCALE_STEPS];
};

static uint32_t scale_step(uint64_t ns)
{
    if (ns < 8)
        return (uint32_t)ns;
    uint32_t shift = 60 - (uint32_t)__builtin_clzll(ns);
    return (shift + 1) * 8 + (uint32_t)(ns >> shift & 7);
}

static uint64_t scale_floor(uint32_t step)
{
    return step < 8 ? step : (uint64_t)(8 + step % 8) << (step / 8 - 1);
}

/* Returns the least time that at most count_max times reach. */
static uint64_t scale_least(const struct scale *scale, uint64_t count_max)
{
    uint64_t count = 0;
    uint32_t step = SCALE_STEPS;

    while (step > 0 && count + scale->count[step - 1] <= count_max)
        count += scale->count[--step];
    return step ? scale_floor(step) : 0;
}

/* --- shapes ----------------------------------------------------------------------------------- */

struct entry {
    uint64_t seq, start, end, more, inside;
    uint32_t shape;
    bool pending, bundle;
};
struct bundle { /* calls being collected into one entry */
    struct entry entry;
    uint64_t calls;
    uint32_t *class; /* classes of its calls, each once */
    uint32_t class_count, class_room;
    uint32_t only; /* the trace's id of the shape, while it holds one call */
};
struct lane {
    uint32_t rank;
    int32_t thread;
    uint64_t *ns;       /* by class: time in the open bundle */
    uint8_t *seen;      /* by class: bit 0: a call that returned, bit 1: one that did not */
    uint64_t behaviour; /* sum over seen */
    struct entry *entry;
    uint32_t entry_count, entry_room;
    struct bundle open[2]; /* of the application's calls, and of the library's inside them */
};

struct timeline {
    const struct report_facts *facts;
    struct html_stream stream;
    uint64_t apart_ns, bundle_ns; /* calls from this length on have their own entry; longest
                                     bundle */
    struct report_shapes known;
    uint32_t *shape_number; /* by the trace's id: 1 + its number on the page; 0: not yet on it */
    uint32_t *class_number; /* by class: the same for the text shared by its shapes, if there are
                               too many of them */
    uint64_t *mark;
    uint32_t mark_count, mark_room, mark_next;
    uint32_t rank; /* rank being walked, and its lanes */
    struct lane *lane;
    uint32_t lane_count, lane_room;
    json_t *shapes, *lanes;
    uint64_t *group; /* behaviours, by first appearance */
    uint32_t group_count, group_room;
    bool inner;
    struct report_message *message; /* in order of sending */
    uint32_t message_count, message_room;
    uint64_t messages, flight_ns; /* flight_ns: shorter flights are not drawn */
    struct scale flights;
    uint64_t *cell; /* count and bytes, of the application and of the library */
    uint32_t side, cells;
};

static enum core_status sql_failed(struct trace *trace)
{
    return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                       sqlite3_errmsg(trace->db));
}

static void shape_append(struct timeline *line, const struct report_shape *shape, const char *text)
{
    const struct trace *trace = line->facts->trace;
    const struct trace_call *call = &trace->call[shape->call];
    char place[512];

    json_array_append_new(
        line->shapes,
        json_pack("[s, s, s, s, i]", call->name, event_class_text(call->class), text,
                  shape->site > 0 ? trace_site_text(trace, shape->site, place, sizeof place) : "",
                  shape->inner ? 1 : 0));
    line->inner |= shape->inner;
}

/* Returns the number of the text shared by all calls of a place: "MPI_Isend(...)". */
static uint32_t class_get(struct timeline *line, uint32_t class)
{
    const struct report_shape *shape = &line->known.shape[line->known.first[class]];
    char text[80];

    if (!line->class_number[class]) {
        snprintf(text, sizeof text, "%s(...)", line->facts->trace->call[shape->call].name);
        shape_append(line, shape, text);
        line->class_number[class] = (uint32_t)json_array_size(line->shapes);
    }
    return line->class_number[class] - 1;
}

/* Returns the number of an event's text: that of its shape, with the arguments of the first such
 * event. Each rank may use its share of the texts with arguments. */
static enum core_status shape_get(struct timeline *line, uint32_t rank, uint64_t seq, uint32_t id,
                                  uint32_t *out_number)
{
    struct trace *trace = line->facts->trace;
    uint64_t told = (uint64_t)TIMELINE_SHAPES_MAX * (rank + 1) / trace->rank_count;
    char text[512];

    if (!line->shape_number[id] && json_array_size(line->shapes) >= told) {
        *out_number = class_get(line, line->known.shape[id].class);
        return CORE_OK;
    }
    if (!line->shape_number[id]) {
        enum core_status status = report_row_text(trace, rank, seq, text, sizeof text);
        if (status != CORE_OK)
            return status;
        shape_append(line, &line->known.shape[id], text);
        line->shape_number[id] = (uint32_t)json_array_size(line->shapes);
    }
    *out_number = line->shape_number[id] - 1;
    return CORE_OK;
}

/* --- levels of detail ------------------------------------------------------------------------- */

/* Gives each call its own entry if all fit. Otherwise a quarter of the entries is for long calls,
 * and half for the bundles between them, since each long call can end a bundle early. */
static enum core_status detail_choose(struct timeline *line)
{
    struct trace *trace = line->facts->trace;
    struct scale scale = {.count = {0}};
    sqlite3_stmt *row = NULL;
    uint64_t events = 0, lanes = 0;

    if (sqlite3_prepare_v2(trace->db, "SELECT duration FROM event_row WHERE t_enter IS NOT NULL",
                           -1, &row, NULL) != SQLITE_OK)
        return sql_failed(trace);
    for (; sqlite3_step(row) == SQLITE_ROW; events++) {
        int64_t ns = sqlite3_column_int64(row, 0);
        scale.count[scale_step(ns > 0 ? (uint64_t)ns : 0)]++;
    }
    sqlite3_finalize(row);
    if (events <= TIMELINE_ENTRIES_MAX)
        return CORE_OK;
    for (uint32_t i = 0; i < trace->rank_count; i++)
        lanes += trace->rank[i].threads > 1 ? trace->rank[i].threads : 1;
    line->apart_ns = scale_least(&scale, TIMELINE_ENTRIES_MAX / 4);
    line->bundle_ns = line->facts->end_ns / (TIMELINE_ENTRIES_MAX / 2 / (2 * lanes) + 1) + 1;
    return CORE_OK;
}

static enum core_status entry_add(struct lane *lane, const struct entry *entry)
{
    return CORE_ARRAY_PUSH(lane->entry, lane->entry_count, lane->entry_room,
                           "the timeline's entries", *entry);
}

static enum core_status bundle_close(struct timeline *line, struct lane *lane,
                                     struct bundle *bundle)
{
    struct entry *entry = &bundle->entry;
    uint32_t most = bundle->calls ? bundle->class[0] : 0;
    enum core_status status = CORE_OK;

    if (!bundle->calls)
        return CORE_OK;
    for (uint32_t i = 0; i < bundle->class_count; i++)
        if (lane->ns[bundle->class[i]] > lane->ns[most])
            most = bundle->class[i];
    if (bundle->calls == 1) {
        status = shape_get(line, lane->rank, entry->seq, bundle->only, &entry->shape);
    } else {
        entry->bundle = true;
        entry->more = bundle->calls - 1;
        entry->shape = class_get(line, most);
    }
    for (uint32_t i = 0; i < bundle->class_count; i++)
        lane->ns[bundle->class[i]] = 0;
    bundle->calls = bundle->class_count = 0;
    return status == CORE_OK ? entry_add(lane, entry) : status;
}

static enum core_status bundle_add(struct timeline *line, struct lane *lane, struct bundle *bundle,
                                   uint32_t id, const struct entry *entry)
{
    enum core_status status = CORE_OK;
    uint32_t class = line->known.shape[id].class;

    if (bundle->calls && entry->end > bundle->entry.start + line->bundle_ns)
        status = bundle_close(line, lane, bundle);
    if (status != CORE_OK)
        return status;
    if (!bundle->calls) {
        bundle->entry = *entry;
        bundle->entry.inside = 0;
        bundle->only = id;
    }
    bundle->calls++;
    bundle->entry.inside += entry->end - entry->start;
    if (entry->end > bundle->entry.end)
        bundle->entry.end = entry->end;
    if (!lane->ns[class])
        status = CORE_ARRAY_PUSH(bundle->class, bundle->class_count, bundle->class_room,
                                 "the timeline's bundle", class);
    lane->ns[class] += entry->end - entry->start + 1; /* never 0: the class is listed */
    return status;
}

/* --- lanes ------------------------------------------------------------------------------------ */

static uint64_t timeline_mixed(uint64_t value)
{
    value = (value ^ value >> 31) * 0x9e3779b97f4a7c15;
    return (value ^ value >> 29) * 0xbf58476d1ce4e5b9;
}

/* Returns the lane of a thread of the current rank, and adds it if new. */
static enum core_status lane_get(struct timeline *line, uint32_t rank, int32_t thread,
                                 struct lane **out_lane)
{
    struct lane lane = {.rank = rank, .thread = thread};
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < line->lane_count; i++)
        if (line->lane[i].thread == thread) {
            *out_lane = &line->lane[i];
            return CORE_OK;
        }
    status = CORE_ARRAY_NEW(lane.ns, line->known.class_count, "the timeline's calls");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(lane.seen, line->known.class_count, "the timeline's calls");
    if (status == CORE_OK)
        status = CORE_ARRAY_PUSH(line->lane, line->lane_count, line->lane_room,
                                 "the timeline's lanes", lane);
    if (status != CORE_OK) {
        free(lane.ns);
        free(lane.seen);
        return status;
    }
    *out_lane = &line->lane[line->lane_count - 1];
    return CORE_OK;
}

static void lane_done(struct lane *lane)
{
    free(lane->ns);
    free(lane->seen);
    free(lane->entry);
    for (uint32_t i = 0; i < 2; i++)
        free(lane->open[i].class);
}

/* Notes a call in the lane's behaviour. Lanes that make the same calls at the same places, and hang
 * in the same ones, behave alike. */
static void lane_see(const struct timeline *line, struct lane *lane, uint32_t id, bool pending)
{
    const struct report_shape *shape = &line->known.shape[id];
    uint8_t bit = pending ? 2 : 1;

    if (shape->inner || lane->seen[shape->class] & bit)
        return;
    lane->seen[shape->class] |= bit;
    lane->behaviour += timeline_mixed(((uint64_t)shape->class << 2 | bit) + 1);
}

static enum core_status group_get(struct timeline *line, uint64_t behaviour, uint32_t *out_number)
{
    uint32_t i = 0;

    while (i < line->group_count && line->group[i] != behaviour)
        i++;
    *out_number = i;
    return i < line->group_count ? CORE_OK
                                 : CORE_ARRAY_PUSH(line->group, line->group_count, line->group_room,
                                                   "the timeline's groups", behaviour);
}

static int by_seq(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return (x->seq > y->seq) - (x->seq < y->seq);
}

static void entries_write(struct html_stream *stream, const struct lane *lane)
{
    uint64_t seq = 0, start = 0;

    for (uint32_t i = 0; i < lane->entry_count; i++) {
        const struct entry *entry = &lane->entry[i];
        html_stream_number(stream, entry->shape);
        html_stream_number(stream, entry->seq - seq);
        html_stream_signed(stream, (int64_t)(entry->start - start));
        html_stream_number(stream, entry->pending ? 0 : entry->end - entry->start + 1);
        html_stream_number(stream, entry->more * 2 + entry->bundle);
        if (entry->bundle)
            html_stream_number(stream, entry->inside);
        seq = entry->seq;
        start = entry->start;
    }
}

static int by_thread(const void *a, const void *b)
{
    const struct lane *x = a, *y = b;

    return (x->thread > y->thread) - (x->thread < y->thread);
}

static enum core_status lane_end(struct timeline *line, struct lane *lane)
{
    uint32_t group = 0;
    char label[64];
    enum core_status status = bundle_close(line, lane, &lane->open[0]);

    if (status == CORE_OK)
        status = bundle_close(line, lane, &lane->open[1]);
    if (status == CORE_OK)
        status = group_get(line, lane->behaviour, &group);
    if (status != CORE_OK)
        return status;
    if (lane->entry_count)
        qsort(lane->entry, lane->entry_count, sizeof *lane->entry, by_seq);
    entries_write(&line->stream, lane);
    snprintf(label, sizeof label,
             lane->thread ? "rank %" PRIu32 ", thread %" PRId32 : "rank %" PRIu32, lane->rank,
             lane->thread);
    json_array_append_new(line->lanes,
                          json_pack("[I, i, s, I, I]", (json_int_t)lane->rank, (int)lane->thread,
                                    label, (json_int_t)lane->entry_count, (json_int_t)group));
    return CORE_OK;
}

/* Ends the lanes of the current rank. */
static enum core_status rank_end(struct timeline *line)
{
    enum core_status status = CORE_OK;

    if (line->lane_count > 1)
        qsort(line->lane, line->lane_count, sizeof *line->lane, by_thread);
    for (uint32_t i = 0; i < line->lane_count && status == CORE_OK; i++)
        status = lane_end(line, &line->lane[i]);
    for (uint32_t i = 0; i < line->lane_count; i++)
        lane_done(&line->lane[i]);
    line->lane_count = 0;
    return status;
}

/* Findings' calls, in the order of events' ids. */
static int by_id(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static enum core_status marks_gather(struct timeline *line)
{
    const struct finding_list *list = line->facts->findings;
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; list && i < list->count; i++)
        for (uint32_t k = 0; k < list->finding[i].call_count && status == CORE_OK; k++) {
            const struct finding_call *call = &list->finding[i].call[k];
            if (call->seq && line->mark_count < TIMELINE_LINKED_MAX)
                status = CORE_ARRAY_PUSH(line->mark, line->mark_count, line->mark_room,
                                         "the timeline's findings",
                                         (uint64_t)call->rank << REPORT_SEQ_BITS | call->seq);
        }
    if (line->mark_count)
        qsort(line->mark, line->mark_count, sizeof *line->mark, by_id);
    return status;
}

static bool timeline_marked(struct timeline *line, uint64_t id)
{
    while (line->mark_next < line->mark_count && line->mark[line->mark_next] < id)
        line->mark_next++;
    return line->mark_next < line->mark_count && line->mark[line->mark_next] == id;
}

/* Adds one bar for summed rounds of a loop: the application's calls, or those inside them. */
static enum core_status sum_add(struct timeline *line, struct lane *lane,
                                const struct report_row *row, bool inner)
{
    struct entry entry = {
        .seq = row->seq, .start = row->start, .end = row->end, .bundle = true, .more = 0};
    uint64_t calls = 0, longest = 0;
    enum core_status status = bundle_close(line, lane, &lane->open[inner]);

    for (uint32_t i = 0; i < row->sum->call_count && status == CORE_OK; i++) {
        const struct trace_sum_call *call = &row->sum->call[i];
        if (call->shape >= line->known.count || !line->known.shape[call->shape].known ||
            line->known.shape[call->shape].inner != inner)
            continue;
        lane_see(line, lane, call->shape, false);
        if (!calls || call->total > longest) {
            longest = call->total;
            entry.shape = class_get(line, line->known.shape[call->shape].class);
        }
        calls += call->calls;
        entry.inside += call->total;
    }
    entry.more = calls - 1;
    return status == CORE_OK && calls ? entry_add(lane, &entry) : status;
}

static enum core_status event_add(const struct report_row *row, void *context)
{
    struct timeline *line = context;
    struct entry entry = {.seq = row->seq,
                          .start = row->start,
                          .end = row->end,
                          .more = row->repeat - 1,
                          .pending = row->pending};
    struct lane *lane = NULL;
    const struct report_shape *shape = &line->known.shape[row->shape];
    bool alone = timeline_marked(line, row->id) || entry.pending || !line->bundle_ns ||
                 entry.end - entry.start >= line->apart_ns;
    enum core_status status = CORE_OK;

    if (row->rank != line->rank)
        status = rank_end(line);
    line->rank = row->rank;
    if (status == CORE_OK)
        status = lane_get(line, row->rank, shape->thread, &lane);
    if (status == CORE_OK && row->sum) {
        status = sum_add(line, lane, row, true);
        return status == CORE_OK ? sum_add(line, lane, row, false) : status;
    }
    if (status != CORE_OK)
        return status;
    lane_see(line, lane, row->shape, entry.pending);
    struct bundle *bundle = &lane->open[shape->inner];
    if (!alone)
        return bundle_add(line, lane, bundle, row->shape, &entry);
    status = bundle_close(line, lane, bundle);
    if (status == CORE_OK)
        status = shape_get(line, row->rank, entry.seq, row->shape, &entry.shape);
    return status == CORE_OK ? entry_add(lane, &entry) : status;
}

static enum core_status lanes_write(struct timeline *line)
{
    struct trace *trace = line->facts->trace;
    enum core_status status = report_shapes_read(trace, &line->known);

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(line->shape_number, line->known.count, "the timeline's shapes");
    if (status == CORE_OK)
        status =
            CORE_ARRAY_NEW(line->class_number, line->known.class_count, "the timeline's calls");
    if (status == CORE_OK)
        status = report_rows_each(trace, &line->known, event_add, line);
    return status == CORE_OK ? rank_end(line) : status;
}

/* --- messages --------------------------------------------------------------------------------- */

static uint64_t timeline_flight(const struct report_message *message)
{
    return message->t_leave > message->t_send ? message->t_leave - message->t_send : 0;
}

/* Keeps the messages that took longest, at most half of the room. */
static void messages_thin(struct timeline *line)
{
    uint32_t kept = 0;

    line->flight_ns = scale_least(&line->flights, TIMELINE_MESSAGES_MAX);
    for (uint32_t i = 0; i < line->message_count; i++)
        if (timeline_flight(&line->message[i]) >= line->flight_ns)
            line->message[kept++] = line->message[i];
    line->message_count = kept;
}

static void message_take(const struct report_message *message, void *context)
{
    struct timeline *line = context;
    uint32_t ranks = line->facts->trace->rank_count;
    uint64_t source = (uint64_t)message->source * line->side / ranks,
             dest = (uint64_t)message->dest * line->side / ranks,
             *cell = &line->cell[(source * line->side + dest) * 4 + (message->inner ? 2 : 0)];

    cell[0] += message->messages;
    cell[1] += message->bytes * message->messages;
    line->messages += message->messages;
    if (message->summed)
        return;
    line->flights.count[scale_step(timeline_flight(message))]++;
    if (timeline_flight(message) < line->flight_ns)
        return;
    line->message[line->message_count++] = *message;
    if (line->message_count == line->message_room)
        messages_thin(line);
}

static enum core_status messages_write(struct timeline *line)
{
    uint32_t ranks = line->facts->trace->rank_count;
    uint64_t before = 0;

    line->side = ranks < TIMELINE_SIDE_MAX ? ranks : TIMELINE_SIDE_MAX;
    line->message_room = 2 * TIMELINE_MESSAGES_MAX;
    enum core_status status =
        CORE_ARRAY_NEW(line->cell, (uint64_t)line->side * line->side * 4, "the matrix");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(line->message, line->message_room, "the page's messages");
    if (status == CORE_OK)
        status = report_messages_each(line->facts->trace, message_take, line);
    if (status != CORE_OK)
        return status;
    if (line->message_count > TIMELINE_MESSAGES_MAX)
        messages_thin(line);
    for (uint32_t i = 0; i < line->message_count; i++) {
        const struct report_message *message = &line->message[i];
        html_stream_number(&line->stream, message->source);
        html_stream_number(&line->stream, message->dest);
        html_stream_number(&line->stream, message->t_send - before);
        html_stream_signed(&line->stream, (int64_t)message->t_leave - (int64_t)message->t_send);
        html_stream_number(&line->stream, message->bytes);
        html_stream_number(&line->stream, message->inner);
        before = message->t_send;
    }
    return CORE_OK;
}

static void matrix_write(struct timeline *line)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < line->side * line->side; i++) {
        const uint64_t *cell = &line->cell[(uint64_t)i * 4];
        if (!cell[0] && !cell[2])
            continue;
        html_stream_number(&line->stream, i - before);
        for (uint32_t k = 0; k < 4; k++)
            html_stream_number(&line->stream, cell[k]);
        before = i;
        line->cells++;
    }
}

/* --- the critical path ------------------------------------------------------------------------ */

/* Writes the path. Segments too short for the page are merged, under the rank of the longest. */
static uint32_t path_write(struct timeline *line)
{
    const struct why *why = &line->facts->why;
    uint64_t least_ns = why->segment_count > TIMELINE_SEGMENTS_MAX
                            ? line->facts->end_ns / TIMELINE_SEGMENTS_MAX + 1
                            : 0,
             before = 0;
    uint32_t written = 0;

    for (uint32_t i = 0; i < why->segment_count; i++) {
        struct why_segment segment = why->segment[i];
        uint64_t longest = segment.end_ns - segment.start_ns;
        while (segment.end_ns - segment.start_ns < least_ns && i + 1 < why->segment_count) {
            const struct why_segment *next = &why->segment[++i];
            if (next->end_ns - next->start_ns > longest) {
                longest = next->end_ns - next->start_ns;
                segment.rank = next->rank;
            }
            segment.end_ns = next->end_ns;
        }
        html_stream_number(&line->stream, segment.rank);
        html_stream_signed(&line->stream, (int64_t)(segment.start_ns - before));
        html_stream_number(&line->stream, segment.end_ns - segment.start_ns);
        before = segment.start_ns;
        written++;
    }
    return written;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Writes JSON inside a <script>, where "<" is not allowed. */
static void script_json(json_t *object, FILE *file)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII);

    for (const char *at = text ? text : "null"; *at; at++) {
        if (*at == '<')
            fputs("\\u003c", file);
        else
            fputc(*at, file);
    }
    free(text);
}

static void timeline_done(struct timeline *line)
{
    for (uint32_t i = 0; i < line->lane_count; i++)
        lane_done(&line->lane[i]);
    free(line->lane);
    report_shapes_done(&line->known);
    free(line->shape_number);
    free(line->class_number);
    free(line->mark);
    free(line->group);
    free(line->message);
    free(line->cell);
}

enum core_status html_timeline_write(const struct report_facts *facts, FILE *file)
{
    struct timeline line = {
        .facts = facts, .stream = {.file = file}, .shapes = json_array(), .lanes = json_array()};
    uint32_t segments = 0;

    fprintf(file, "<script type=\"text/plain\" id=\"stream\">\n");
    enum core_status status = marks_gather(&line);
    if (status == CORE_OK)
        status = detail_choose(&line);
    if (status == CORE_OK)
        status = lanes_write(&line);
    if (status == CORE_OK)
        status = messages_write(&line);
    if (status == CORE_OK) {
        matrix_write(&line);
        segments = path_write(&line);
    }
    html_stream_end(&line.stream);
    fprintf(file, "\n</script>\n<script type=\"application/json\" id=\"head\">");
    json_t *head = json_pack(
        "{s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "ranks",
        (json_int_t)facts->trace->rank_count, "end", (json_int_t)facts->end_ns, "inner",
        (int)line.inner, "apart", (json_int_t)(line.bundle_ns ? line.apart_ns : 0), "messages",
        (json_int_t)line.messages, "drawn", (json_int_t)line.message_count, "flight",
        (json_int_t)line.flight_ns, "side", (json_int_t)line.side, "cells", (json_int_t)line.cells,
        "segments", (json_int_t)segments, "shapes", line.shapes, "lanes", line.lanes);
    script_json(head, file);
    json_decref(head);
    fprintf(file, "</script>\n");
    timeline_done(&line);
    return status;
}
