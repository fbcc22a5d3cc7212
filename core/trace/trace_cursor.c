/* Reads the events of a trace one by one. This file, not SQL, joins rows of events (trace_unfold.c)
 * with their shapes (trace_shape.c): shapes repeat, so an event costs one step over one narrow
 * table. A checker reads a trace several times: once a cursor has read all rows of a rank, they are
 * kept, up to trace->rows_kept_max rows of all ranks.
 *
 * Invariants
 *  1. A cursor owns the event that it hands out: another cursor may evict looked-up parts.
 *  2. The kept rows of a rank are all its rows, in the order of seq, except those that are left out
 *     (trace_rounds.h).
 *  3. A cursor that reads keeps or holds no more rows of all ranks than the trace allows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/spool/spool_read.h"
#include "core/trace/trace_part.h"
#include "core/work.h"

enum { SEQ_BITS = 40 };

struct trace_cursor {
    struct trace *trace;
    uint32_t rank, next;         /* next: index in the kept rows */
    uint32_t left;               /* the next part that is left out */
    struct trace_source *source; /* NULL: the rank's rows are kept */
    struct trace_row row;        /* the current row */
    struct trace_rows read;      /* the rows read so far, while they are to be kept */
    bool keeps;
    struct trace_completion *completion;
    uint32_t completion_room;
    uint64_t rows;
    uint64_t only; /* each call has one of these traits; 0: all calls */
    bool none;     /* no call of the trace has one */
};

/* Restores a tag, which is stored relative to the row's tag. Returns false if the result is no
 * tag. */
static inline bool tag_from(int32_t from, int32_t *tag)
{
    return !from || *tag == EVENT_NONE || *tag == EVENT_ANY ||
           !__builtin_add_overflow(*tag, from, tag);
}

/* Restores the number of a rank that counts from another one. Returns false if the result is none.
 */
static inline bool rank_from(uint32_t from, int32_t *rank)
{
    return !__builtin_add_overflow(*rank, from, rank) && *rank >= 0;
}

static inline bool peers_from(const struct trace_shape *shape, uint32_t rank,
                              struct trace_event *event)
{
    return (!(shape->near & TRACE_NEAR_PEER) || rank_from(rank, &event->peer)) &&
           (!(shape->near & TRACE_NEAR_RECV_PEER) || rank_from(rank, &event->recv_peer));
}

/* Fills in the event of a row, without its completions. */
static enum core_status event_fill(struct trace *trace, uint32_t rank, const struct trace_row *row,
                                   struct trace_event *out_event,
                                   const struct trace_shape **out_shape)
{
    enum core_status status = trace_shape_get(trace, row->shape, out_shape);
    const struct trace_shape *shape = *out_shape;

    if (status != CORE_OK)
        return status;
    if (shape->parent_back >= row->seq)
        return trace_damaged(trace, "an event is invalid");
    const struct trace_call *call = &trace->call[shape->call];
    bool pending = row->duration < 0;
    CORE_CHECK(row->seq > 0); /* parent_back is not negative */
    *out_event = (struct trace_event){
        .rank = rank,
        .seq = row->seq,
        .parent = shape->parent_back ? row->seq - shape->parent_back : 0,
        .call = shape->call,
        .class = call->class,
        .mode = call->mode,
        .verb = call->verb,
        .traits = call->traits,
        .comm = shape->comm,
        .win = shape->win,
        .peer = shape->peer,
        .tag = shape->tag,
        .datatype = shape->datatype,
        .count = shape->count,
        .bytes = shape->bytes,
        .root = shape->root,
        .op = shape->op,
        .request = shape->many ? 0 : (uint64_t)row->request,
        .site = shape->site,
        .thread = shape->thread,
        .error = shape->error,
        .t_enter = (uint64_t)row->enter,
        .t_leave = (uint64_t)row->enter + (pending ? 0 : (uint64_t)row->duration),
        .pending = pending,
        .summed = row->summed,
        .repeat = row->repeat ? (uint64_t)row->repeat : 1,
        .has_recv_half = shape->recv_peer != EVENT_NONE || shape->recv_datatype != -1 ||
                         shape->recv_count != EVENT_NONE,
        .recv_peer = shape->recv_peer,
        .recv_tag = shape->recv_tag,
        .recv_datatype = shape->recv_datatype,
        .recv_count = shape->recv_count,
        .recv_bytes = shape->recv_bytes,
        .arg_set = shape->arg_set};
    return tag_from(row->tag, &out_event->tag) && tag_from(row->tag, &out_event->recv_tag) &&
                   (!shape->near || peers_from(shape, rank, out_event))
               ? CORE_OK
               : trace_damaged(trace, "an event is invalid");
}

static void source_seek(struct trace_cursor *cursor, uint64_t seq)
{
    int64_t rank = cursor->rank;

    CORE_CHECK(seq > 0 && !(seq >> SEQ_BITS));
    trace_source_seek(cursor->source, rank << SEQ_BITS | (int64_t)seq,
                      ((rank + 1) << SEQ_BITS) - 1);
}

enum core_status trace_cursor_open(struct trace *trace, uint32_t rank,
                                   struct trace_cursor **out_cursor)
{
    struct trace_cursor *cursor;
    enum core_status status = trace_shapes_open(trace);

    if (status != CORE_OK)
        return status;
    if (rank >= trace->rank_count)
        return core_report(CORE_NOT_FOUND, "the trace '%s' has no rank %" PRIu32, trace->path,
                           rank);
    cursor = core_alloc_zero(1, sizeof *cursor);
    if (!cursor)
        return core_report(CORE_NO_MEMORY, "cannot read the trace '%s': out of memory",
                           trace->path);
    cursor->trace = trace;
    cursor->rank = rank;
    cursor->keeps = !trace->shapes->rows[rank].whole;
    status = trace_hold(trace);
    if (status != CORE_OK || !cursor->keeps) {
        if (status == CORE_OK)
            *out_cursor = cursor;
        else
            free(cursor);
        return status;
    }
    int code = trace_source_open(trace->unfold, &cursor->source);
    if (code != SQLITE_OK) {
        trace_release(trace);
        free(cursor);
        return trace_failed(trace, code);
    }
    source_seek(cursor, 1);
    *out_cursor = cursor;
    return CORE_OK;
}

/* Takes a shape that cannot be read as wanted, as who reads it then reports that. */
static bool shape_wanted(uint32_t id, void *context)
{
    const struct trace_cursor *cursor = context;
    const struct trace_shape *shape = NULL;

    return trace_shape_get(cursor->trace, id, &shape) != CORE_OK ||
           cursor->trace->call[shape->call].traits & cursor->only;
}

void trace_cursor_only(struct trace_cursor *cursor, uint64_t traits)
{
    cursor->only = traits;
    cursor->none = true;
    for (uint32_t i = 0; i < cursor->trace->call_count; i++)
        cursor->none = cursor->none && !(cursor->trace->call[i].traits & traits);
    if (cursor->source)
        trace_source_only(cursor->source, shape_wanted, cursor);
}

/* Drops the rows that the cursor has read. */
static void rows_drop(struct trace_cursor *cursor)
{
    uint32_t weight = trace_rows_weight(&cursor->read);

    CORE_CHECK(cursor->trace->shapes->rows_held >= weight); /* invariant 3 */
    cursor->trace->shapes->rows_held -= weight;
    trace_rows_done(&cursor->read);
    cursor->keeps = false;
}

void trace_cursor_seek(struct trace_cursor *cursor, uint64_t seq)
{
    const struct trace_rows *rows = &cursor->trace->shapes->rows[cursor->rank];

    if (cursor->source) {
        rows_drop(cursor);
        source_seek(cursor, seq);
        return;
    }
    CORE_CHECK(rows->whole);
    cursor->next = CORE_ARRAY_FIND(at, 0, rows->count, rows->row[at].seq < seq);
}

void trace_cursor_close(struct trace_cursor *cursor)
{
    if (!cursor)
        return;
    trace_source_close(cursor->source);
    trace_release(cursor->trace);
    rows_drop(cursor);
    free(cursor->completion);
    free(cursor);
}

/* Writes the completions that a part stands for. Returns false if they are invalid. */
static bool completions_put(const struct trace_cursor *cursor, const struct trace_set_part *part,
                            const struct trace_row *row, struct trace_completion *out)
{
    struct trace_completion done = {
        .index = part->index,
        .request = part->has_request ? (uint64_t)row->request + (uint64_t)part->ahead : 0,
        .done = part->done,
        .cancelled = part->cancelled,
        .source = part->source,
        .tag = part->tag,
        .bytes = part->bytes,
        .error = part->error};

    CORE_CHECK(part->members > 0); /* set_part_read */
    if (!tag_from(row->tag, &done.tag) || (part->near && !rank_from(cursor->rank, &done.source)))
        return false;
    for (uint32_t i = 0; i < part->members; i++) {
        out[i] = done;
        done.index++;
        done.request += part->has_request;
    }
    return true;
}

static enum core_status completions_give(struct trace_cursor *cursor, uint32_t set,
                                         const struct trace_row *row, struct trace_event *out_event)
{
    const struct trace_set_part *part = NULL;
    uint32_t parts = 0;
    uint64_t count = 0;
    enum core_status status = trace_set_get(cursor->trace, set, &part, &parts);

    for (uint32_t i = 0; status == CORE_OK && i < parts; i++)
        count += part[i].members;
    if (status == CORE_OK && count > TRACE_SET_MAX)
        status = core_report(CORE_LIMIT, "'%s': more than %d completions of a call",
                             cursor->trace->path, TRACE_SET_MAX);
    if (status == CORE_OK)
        status =
            CORE_ARRAY_FIT(cursor->completion, cursor->completion_room, count, cursor->trace->path);
    if (status != CORE_OK || !count)
        return status;
    core_work(count);
    CORE_CHECK(cursor->completion != NULL); /* invariant 1 */
    for (uint32_t i = 0, at = 0; i < parts; at += part[i++].members)
        if (!completions_put(cursor, &part[i], row, &cursor->completion[at]))
            return trace_damaged(cursor->trace, "an event is invalid");
    out_event->completion = cursor->completion;
    out_event->completion_count = (uint32_t)count;
    return CORE_OK;
}

/* Sets the message of an MPI_Imrecv; its request field holds its own request. */
static enum core_status message_get(struct trace *trace, struct trace_event *event)
{
    int64_t message = 0;
    enum core_status status = trace_arg_first(trace, event, "message", &message);

    event->message = message > 0 ? (uint64_t)message : 0;
    return status;
}

/* Keeps the rows that the cursor has read, which are all of its rank. */
static void rows_keep(struct trace_cursor *cursor)
{
    struct trace_rows *rows = &cursor->trace->shapes->rows[cursor->rank];

    if (!cursor->keeps || rows->whole)
        return;
    CORE_CHECK(!rows->row); /* invariant 2 */
    CORE_CHECK(trace_rows_weight(&cursor->read) <=
               cursor->trace->shapes->rows_held); /* invariant 3 */
    CORE_ARRAY_TRIM(cursor->read.row, cursor->read.count, cursor->read.room);
    CORE_ARRAY_TRIM(cursor->read.odd, cursor->read.odd_count, cursor->read.odd_room);
    *rows = cursor->read;
    rows->whole = true;
    cursor->read = (struct trace_rows){0};
    cursor->keeps = false;
}

/* Keeps the current row, if the cursor still keeps its rows. */
static enum core_status row_add(struct trace_cursor *cursor)
{
    struct trace_shapes *shapes = cursor->trace->shapes;
    struct trace_rows *read = &cursor->read;
    uint32_t before = trace_rows_weight(read);
    bool kept = shapes->rows_held < cursor->trace->rows_kept_max;

    if (kept && read->count && read->row[read->count - 1].seq >= cursor->row.seq)
        return trace_damaged(cursor->trace, "events are not in order");
    enum core_status status =
        kept ? trace_rows_add(cursor->trace, read, &cursor->row, &kept) : CORE_OK;
    shapes->rows_held += trace_rows_weight(read) - before;
    if (status == CORE_OK && !kept)
        rows_drop(cursor);
    return status;
}

/* Tells whether the row begins a part that is left out. If so, moves the source behind that
 * part. */
static bool row_is_left(struct trace_cursor *cursor, const struct trace_row *row)
{
    const struct trace_left *all = cursor->trace->shapes->left;
    const struct trace_left *left = all ? &all[cursor->rank] : NULL;

    while (left && cursor->left < left->count && left->part[cursor->left].end <= row->seq)
        cursor->left++;
    if (!left || cursor->left == left->count || left->part[cursor->left].from > row->seq)
        return false;
    source_seek(cursor, left->part[cursor->left++].end);
    return true;
}

/* Steps to the next row. */
static enum core_status row_step(struct trace_cursor *cursor, bool *out_more)
{
    const struct trace_rows *rows = &cursor->trace->shapes->rows[cursor->rank];
    enum core_status status = CORE_OK;
    int64_t id;

    *out_more = false;
    core_work(1);
    if (!cursor->source) {
        if (cursor->next == rows->count)
            return CORE_OK;
        cursor->row = trace_rows_get(rows, cursor->next++);
        *out_more = true;
        return CORE_OK;
    }
    int code;
    do
        code = trace_source_next(cursor->source, &cursor->row, &id);
    while (code == SQLITE_ROW && row_is_left(cursor, &cursor->row));
    if (cursor->keeps && trace_source_passed(cursor->source)) /* they are not all */
        rows_drop(cursor);
    if (code == SQLITE_DONE) {
        rows_keep(cursor);
        return CORE_OK;
    }
    if (code != SQLITE_ROW)
        return trace_source_failed(cursor->trace, code);
    if (++cursor->rows > cursor->trace->file_bytes + cursor->trace->summed)
        return trace_damaged(cursor->trace, "a table has no end");
    if (cursor->keeps)
        status = row_add(cursor);
    *out_more = status == CORE_OK;
    return status;
}

/* Steps to the next row that the cursor hands out. */
static enum core_status row_next(struct trace_cursor *cursor, bool *out_more)
{
    enum core_status status = CORE_OK;
    const struct trace_shape *shape = NULL;

    *out_more = false;
    while (status == CORE_OK && !cursor->none) {
        status = row_step(cursor, out_more);
        if (status != CORE_OK || !*out_more || !cursor->only)
            return status;
        status = trace_shape_get(cursor->trace, cursor->row.shape, &shape);
        if (status == CORE_OK && cursor->trace->call[shape->call].traits & cursor->only)
            return CORE_OK;
        *out_more = false;
    }
    return status;
}

enum core_status trace_cursor_next(struct trace_cursor *cursor, struct trace_event *out_event,
                                   bool *out_more)
{
    const struct trace_shape *shape;
    bool more;
    enum core_status status = row_next(cursor, &more);

    if (status != CORE_OK || !more) {
        if (status == CORE_OK)
            *out_more = false;
        return status;
    }
    status = event_fill(cursor->trace, cursor->rank, &cursor->row, out_event, &shape);
    if (status == CORE_OK && trait_in(out_event->traits, TRAIT_MATCHED) &&
        trait_in(out_event->traits, TRAIT_MAKES_REQUEST))
        status = message_get(cursor->trace, out_event);
    if (status == CORE_OK && shape->set)
        status = completions_give(cursor, shape->set, &cursor->row, out_event);
    if (status == CORE_OK)
        *out_more = true;
    return status;
}

enum core_status trace_event_get(struct trace *trace, uint32_t rank, uint64_t seq,
                                 struct trace_event *out_event)
{
    enum core_status status = trace_shapes_open(trace);
    const struct trace_shape *shape;
    struct trace_row row;

    if (status != CORE_OK)
        return status;
    if (rank >= trace->rank_count || !seq || seq >> SEQ_BITS)
        return CORE_NOT_FOUND;
    struct trace_source *source = trace->shapes->source;
    int code = trace_source_get(source, (int64_t)rank << SEQ_BITS | (int64_t)seq, &row);
    trace_source_rest(source);
    if (code == SQLITE_DONE)
        return CORE_NOT_FOUND;
    if (code != SQLITE_ROW)
        return trace_source_failed(trace, code);
    return event_fill(trace, rank, &row, out_event, &shape);
}

enum core_status trace_arg_get(struct trace *trace, uint32_t rank, uint64_t seq, const char *name,
                               int64_t **out_value, uint32_t *out_count)
{
    struct trace_event event;
    enum core_status status = trace_event_get(trace, rank, seq, &event);

    return status != CORE_OK ? status : trace_arg_find(trace, &event, name, out_value, out_count);
}

enum core_status trace_arg_first(struct trace *trace, const struct trace_event *event,
                                 const char *name, int64_t *value)
{
    int64_t *all;
    uint32_t count;
    enum core_status status = trace_arg_find(trace, event, name, &all, &count);

    if (status == CORE_OK && count)
        *value = all[0];
    if (status == CORE_OK)
        free(all);
    return status;
}

int64_t trace_arg_value(struct trace *trace, const struct trace_event *event, const char *name,
                        int64_t otherwise)
{
    int64_t value = otherwise;

    return trace_arg_first(trace, event, name, &value) == CORE_OK ? value : otherwise;
}
