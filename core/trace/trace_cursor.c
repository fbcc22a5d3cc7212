/* Events of a trace, one by one. Rows of event_row are put together with their shapes here rather
 * than by SQL: shapes repeat, so a cache of them by id makes an event cost one step over one narrow
 * table. Whoever judges a trace goes over it several times: the rows of a rank are kept when a
 * cursor has read them all, as long as there are no more than trace->rows_kept_max of all ranks.
 *
 * Invariants
 *  1. An entry of the cache with id != 0 was checked: its ids exist in the trace's arrays.
 *  2. What a cursor hands out is the cursor's own: another cursor may throw entries out of the
 *     cache.
 *  3. The rows that are kept of a rank are all it has, in the order of seq.
 *  4. Of all ranks, no more rows than the trace allows are kept or held by a cursor that reads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/spool/spool_read.h"
#include "core/trace/trace_part.h"

enum { SEQ_BITS = 40, CACHE_SHAPES = 1 << 12, SET_MAX = 1 << 24 };

struct done { /* a completion, its request counted from the event's */
    struct trace_completion completion;
    int64_t ahead;
    bool has_request;
};
struct shape {
    int64_t id;               /* 0: empty */
    struct trace_event event; /* what repeats */
    uint64_t parent_back;
    bool many;
    struct done *done;
    uint32_t done_count;
};
struct row { /* of event_row */
    uint64_t seq;
    int64_t request, enter, repeat;
    int64_t duration; /* -1: the call did not return */
    uint32_t shape;
};
struct rows {
    struct row *row;
    uint32_t count, room;
    bool whole; /* invariant 3; else there are none */
};
struct trace_shapes {
    struct shape shape[CACHE_SHAPES];
    struct rows *rows;              /* a rank each */
    uint32_t rank_count, rows_held; /* rows_held: invariant 4 */
    sqlite3_stmt *by_id, *set_by_id, *event_by_id, *arg_by_name;
};
struct trace_cursor {
    struct trace *trace;
    uint32_t rank, next; /* next: of the rows that are kept */
    sqlite3_stmt *stmt;  /* NULL: they are kept */
    struct row row;      /* where it stands */
    struct rows read;    /* what it has read so far, while it is to be kept */
    bool keeps;
    struct trace_completion *completion;
    uint32_t completion_room;
    uint64_t rows;
    uint64_t only; /* traits of which a call has one; 0: all calls */
    bool none;     /* no call of the trace has one */
};

void trace_shapes_free(struct trace_shapes *shapes)
{
    if (!shapes)
        return;
    for (int i = 0; i < CACHE_SHAPES; i++)
        free(shapes->shape[i].done);
    sqlite3_finalize(shapes->by_id);
    sqlite3_finalize(shapes->set_by_id);
    sqlite3_finalize(shapes->event_by_id);
    sqlite3_finalize(shapes->arg_by_name);
    for (uint32_t i = 0; i < shapes->rank_count; i++)
        free(shapes->rows[i].row);
    free(shapes->rows);
    free(shapes);
}

static enum core_status shapes_open(struct trace *trace)
{
    struct trace_shapes *shapes;
    enum core_status status;

    if (trace->shapes)
        return CORE_OK;
    shapes = core_alloc_zero(1, sizeof *shapes);
    if (shapes)
        shapes->rows = core_alloc_zero(trace->rank_count + 1, sizeof *shapes->rows);
    if (!shapes || !shapes->rows) {
        free(shapes);
        return core_report(CORE_NO_MEMORY, "cannot read the trace '%s': out of memory",
                           trace->path);
    }
    shapes->rank_count = trace->rank_count;
    status = trace_prepare(
        trace,
        "SELECT call, comm, peer, tag, datatype, count, bytes, root, op, site, thread, error, "
        "parent_back, recv_peer, recv_tag, recv_datatype, recv_count, recv_bytes, completions, "
        "many, "
        "args, win FROM shape WHERE id = ?1",
        &shapes->by_id);
    if (status == CORE_OK)
        status = trace_prepare(trace,
                               "SELECT idx, request_ahead, done, source, tag, bytes, error, "
                               "cancelled FROM completion_set "
                               "WHERE id = ?1 ORDER BY idx",
                               &shapes->set_by_id);
    if (status == CORE_OK)
        status = trace_prepare(
            trace,
            "SELECT id, shape, request, t_enter, duration, repeat FROM event_row WHERE id = ?1",
            &shapes->event_by_id);
    if (status == CORE_OK)
        status = trace_prepare(trace,
                               "SELECT value FROM arg_set WHERE id = ?1 AND name = ?2 ORDER BY idx",
                               &shapes->arg_by_name);
    if (status != CORE_OK)
        trace_shapes_free(shapes);
    else
        trace->shapes = shapes;
    return status;
}

static enum core_status set_load(struct trace *trace, int64_t set, struct shape *shape)
{
    sqlite3_stmt *stmt = trace->shapes->set_by_id;
    enum core_status status = CORE_OK;
    uint32_t room = 0;
    int code;

    sqlite3_bind_int64(stmt, 1, set);
    while ((code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        struct done done = {.has_request = sqlite3_column_type(stmt, 1) != SQLITE_NULL};
        struct trace_completion *c = &done.completion;
        int32_t index, flag, cancelled;
        if (shape->done_count == SET_MAX)
            status = core_report(CORE_LIMIT, "'%s': more than %d completions of a call",
                                 trace->path, SET_MAX);
        else
            status = CORE_ARRAY_ROOM(shape->done, room, shape->done_count + 1, trace->path);
        if (status != CORE_OK)
            break;
        if (!trace_column(stmt, 0, -1, &index) || index < 0 || !trace_column(stmt, 2, 0, &flag) ||
            !trace_column(stmt, 3, EVENT_NONE, &c->source) ||
            !trace_column(stmt, 4, EVENT_NONE, &c->tag) || !trace_column(stmt, 6, 0, &c->error) ||
            !trace_column(stmt, 7, 0, &cancelled)) {
            status = trace_damaged(trace, "a completion makes no sense");
            break;
        }
        done.ahead = sqlite3_column_int64(stmt, 1);
        c->index = (uint32_t)index;
        c->done = flag != 0;
        c->cancelled = cancelled != 0;
        c->bytes = (uint64_t)sqlite3_column_int64(stmt, 5);
        shape->done[shape->done_count++] = done;
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_reset(stmt);
    return status;
}

static bool shape_column(sqlite3_stmt *stmt, int column, int32_t none, uint32_t count,
                         int32_t *out_value)
{
    if (!trace_column(stmt, column, none, out_value))
        return false;
    return *out_value == none || (*out_value > 0 && (uint32_t)*out_value < count);
}

static bool shape_fill(const struct trace *trace, sqlite3_stmt *stmt, struct shape *shape)
{
    struct trace_event *event = &shape->event;
    int32_t many;

    if (!shape_column(stmt, 0, 0, trace->call_count, &event->call) || !event->call ||
        !trace->call[event->call].name ||
        !shape_column(stmt, 1, -1, trace->comm_count, &event->comm) ||
        !trace_column(stmt, 2, EVENT_NONE, &event->peer) ||
        !trace_column(stmt, 3, EVENT_NONE, &event->tag) ||
        !shape_column(stmt, 4, -1, trace->datatype_count, &event->datatype) ||
        !trace_column(stmt, 7, EVENT_NONE, &event->root) ||
        !shape_column(stmt, 8, EVENT_NONE, trace->op_count, &event->op) ||
        !shape_column(stmt, 9, 0, trace->site_count, &event->site) ||
        !trace_column(stmt, 10, 0, &event->thread) || !trace_column(stmt, 11, 0, &event->error) ||
        !trace_column(stmt, 13, EVENT_NONE, &event->recv_peer) ||
        !trace_column(stmt, 14, EVENT_NONE, &event->recv_tag) ||
        !shape_column(stmt, 15, -1, trace->datatype_count, &event->recv_datatype) ||
        !trace_column(stmt, 19, 0, &many) || !trace_column(stmt, 21, -1, &event->win))
        return false;
    if (event->comm >= 0 && !trace->comm[event->comm].member)
        return false;
    CORE_CHECK((uint32_t)event->call < trace->call_count &&
               (event->comm < 0 || (uint32_t)event->comm < trace->comm_count) &&
               (event->datatype < 0 || (uint32_t)event->datatype < trace->datatype_count) &&
               (uint32_t)event->site < trace->site_count + 1u); /* invariant 1 */
    event->class = trace->call[event->call].class;
    event->verb = trace->call[event->call].verb;
    event->traits = trace->call[event->call].traits;
    event->mode = trace->call[event->call].mode;
    event->count =
        sqlite3_column_type(stmt, 5) == SQLITE_NULL ? EVENT_NONE : sqlite3_column_int64(stmt, 5);
    event->bytes = (uint64_t)sqlite3_column_int64(stmt, 6);
    event->recv_count =
        sqlite3_column_type(stmt, 16) == SQLITE_NULL ? EVENT_NONE : sqlite3_column_int64(stmt, 16);
    event->recv_bytes = (uint64_t)sqlite3_column_int64(stmt, 17);
    event->has_leg = event->recv_peer != EVENT_NONE || event->recv_datatype != -1 ||
                     event->recv_count != EVENT_NONE;
    shape->parent_back = (uint64_t)sqlite3_column_int64(stmt, 12);
    event->arg_set = sqlite3_column_int64(stmt, 20);
    shape->many = many != 0;
    return (int64_t)event->bytes >= 0 && (int64_t)event->recv_bytes >= 0;
}

static enum core_status shape_get(struct trace *trace, int64_t id, const struct shape **out_shape)
{
    struct shape *shape = &trace->shapes->shape[(uint64_t)id % CACHE_SHAPES];
    sqlite3_stmt *stmt = trace->shapes->by_id;
    enum core_status status = CORE_OK;
    int64_t set;
    int code;

    *out_shape = shape;
    if (__builtin_expect(shape->id == id && id != 0, 1))
        return CORE_OK;
    free(shape->done);
    memset(shape, 0, sizeof *shape);
    sqlite3_bind_int64(stmt, 1, id);
    code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt);
    if (code != SQLITE_ROW)
        status = code == SQLITE_DONE ? trace_damaged(trace, "an event has no shape")
                                     : trace_failed(trace, code);
    else if (!shape_fill(trace, stmt, shape))
        status = trace_damaged(trace, "an event makes no sense");
    set = status != CORE_OK ? 0 : sqlite3_column_int64(stmt, 18);
    sqlite3_reset(stmt);
    if (status == CORE_OK && set)
        status = set_load(trace, set, shape);
    if (status == CORE_OK)
        shape->id = id;
    return status;
}

/* The row that stmt stands on. */
static enum core_status row_read(const struct trace *trace, sqlite3_stmt *stmt, struct row *out_row)
{
    int64_t shape = sqlite3_column_int64(stmt, 1), duration = sqlite3_column_int64(stmt, 4);

    *out_row = (struct row){.seq = (uint64_t)sqlite3_column_int64(stmt, 0) &
                                   (((uint64_t)1 << SEQ_BITS) - 1),
                            .request = sqlite3_column_int64(stmt, 2),
                            .enter = sqlite3_column_int64(stmt, 3),
                            .repeat = sqlite3_column_int64(stmt, 5),
                            .duration = duration,
                            .shape = (uint32_t)shape};
    if (duration == 0 && sqlite3_column_type(stmt, 4) == SQLITE_NULL)
        out_row->duration = -1;
    if (shape < 0 || shape > UINT32_MAX)
        return trace_damaged(trace, "an event has no shape");
    if (duration < 0 || out_row->enter < 0 || out_row->request < 0 || out_row->repeat < 0)
        return trace_damaged(trace, "an event makes no sense");
    return CORE_OK;
}

/* The event of a row, without its completions. */
static enum core_status event_fill(struct trace *trace, uint32_t rank, const struct row *row,
                                   struct trace_event *out_event, const struct shape **out_shape)
{
    enum core_status status = shape_get(trace, row->shape, out_shape);
    const struct shape *shape = *out_shape;

    if (status != CORE_OK)
        return status;
    *out_event = shape->event;
    out_event->rank = rank;
    out_event->seq = row->seq;
    if (shape->parent_back >= out_event->seq)
        return trace_damaged(trace, "an event makes no sense");
    out_event->parent = shape->parent_back ? out_event->seq - shape->parent_back : 0;
    out_event->request = shape->many ? 0 : (uint64_t)row->request;
    out_event->t_enter = (uint64_t)row->enter;
    out_event->pending = row->duration < 0;
    out_event->t_leave = out_event->t_enter + (out_event->pending ? 0 : (uint64_t)row->duration);
    out_event->repeat = row->repeat ? (uint64_t)row->repeat : 1;
    return CORE_OK;
}

enum core_status trace_cursor_open(struct trace *trace, uint32_t rank,
                                   struct trace_cursor **out_cursor)
{
    struct trace_cursor *cursor;
    enum core_status status = shapes_open(trace);

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
    if (!cursor->keeps) {
        *out_cursor = cursor;
        return CORE_OK;
    }
    status = trace_prepare(trace,
                           "SELECT id, shape, request, t_enter, duration, repeat FROM event_row "
                           "WHERE id > ?1 AND id < ?2 "
                           "ORDER BY id",
                           &cursor->stmt);
    if (status != CORE_OK) {
        free(cursor);
        return status;
    }
    sqlite3_bind_int64(cursor->stmt, 1, (int64_t)rank << SEQ_BITS);
    sqlite3_bind_int64(cursor->stmt, 2, ((int64_t)rank + 1) << SEQ_BITS);
    *out_cursor = cursor;
    return CORE_OK;
}

void trace_cursor_only(struct trace_cursor *cursor, uint64_t traits)
{
    cursor->only = traits;
    cursor->none = true;
    for (uint32_t i = 0; i < cursor->trace->call_count; i++)
        cursor->none = cursor->none && !(cursor->trace->call[i].traits & traits);
}

/* What the cursor has read is not kept. */
static void rows_drop(struct trace_cursor *cursor)
{
    CORE_CHECK(cursor->trace->shapes->rows_held >= cursor->read.count); /* invariant 4 */
    cursor->trace->shapes->rows_held -= cursor->read.count;
    CORE_ARRAY_DONE(cursor->read.row, cursor->read.count, cursor->read.room);
    cursor->keeps = false;
}

void trace_cursor_close(struct trace_cursor *cursor)
{
    if (!cursor)
        return;
    sqlite3_finalize(cursor->stmt);
    rows_drop(cursor);
    free(cursor->completion);
    free(cursor);
}

static enum core_status completions_give(struct trace_cursor *cursor, const struct shape *shape,
                                         int64_t request, struct trace_event *out_event)
{
    enum core_status status = CORE_ARRAY_FIT(cursor->completion, cursor->completion_room,
                                             shape->done_count, cursor->trace->path);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < shape->done_count; i++) {
        cursor->completion[i] = shape->done[i].completion;
        if (shape->done[i].has_request)
            cursor->completion[i].request = (uint64_t)request + (uint64_t)shape->done[i].ahead;
    }
    CORE_CHECK(cursor->completion != NULL); /* invariant 2: not the cache's */
    out_event->completion = cursor->completion;
    out_event->completion_count = shape->done_count;
    return CORE_OK;
}

static enum core_status values_read(struct trace *trace, sqlite3_stmt *stmt, int64_t **out_value,
                                    uint32_t *out_count)
{
    enum core_status status = CORE_OK;
    int64_t *value = NULL;
    uint32_t count = 0, room = 0;
    int code;

    while ((code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        if (sqlite3_column_type(stmt, 0) != SQLITE_INTEGER)
            continue;
        if (count == SET_MAX)
            status = core_report(CORE_LIMIT, "'%s': more than %d values of a call", trace->path,
                                 SET_MAX);
        else
            status =
                CORE_ARRAY_PUSH(value, count, room, trace->path, sqlite3_column_int64(stmt, 0));
        if (status != CORE_OK)
            break;
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    if (status != CORE_OK) {
        free(value);
        return status;
    }
    *out_value = value;
    *out_count = count;
    return CORE_OK;
}

/* Values of an argument of a set of arguments. */
static enum core_status arg_get(struct trace *trace, int64_t set, const char *name,
                                int64_t **out_value, uint32_t *out_count)
{
    sqlite3_stmt *stmt = trace->shapes->arg_by_name;
    enum core_status status;

    if (!set) {
        *out_value = NULL;
        *out_count = 0;
        return CORE_OK;
    }
    sqlite3_bind_int64(stmt, 1, set);
    sqlite3_bind_text(stmt, 2, name, -1, SQLITE_STATIC);
    status = values_read(trace, stmt, out_value, out_count);
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    return status;
}

/* The message of an MPI_Imrecv, whose request is its own. */
static enum core_status message_get(struct trace *trace, struct trace_event *event)
{
    int64_t *value;
    uint32_t count;
    enum core_status status = arg_get(trace, event->arg_set, "message", &value, &count);

    if (status != CORE_OK)
        return status;
    event->message = count && value[0] > 0 ? (uint64_t)value[0] : 0;
    free(value);
    return CORE_OK;
}

/* The rows that the cursor has read are all of its rank. */
static void rows_keep(struct trace_cursor *cursor)
{
    struct rows *rows = &cursor->trace->shapes->rows[cursor->rank];

    if (!cursor->keeps || rows->whole)
        return;
    CORE_CHECK(!rows->row); /* invariant 3 */
    CORE_ARRAY_TRIM(cursor->read.row, cursor->read.count, cursor->read.room);
    *rows = cursor->read;
    rows->whole = true;
    cursor->read = (struct rows){0};
    cursor->keeps = false;
}

static enum core_status row_add(struct trace_cursor *cursor)
{
    struct trace_shapes *shapes = cursor->trace->shapes;
    struct rows *read = &cursor->read;
    enum core_status status;

    if (!cursor->keeps)
        return CORE_OK;
    if (shapes->rows_held >= cursor->trace->rows_kept_max) {
        rows_drop(cursor);
        return CORE_OK;
    }
    if (read->count && read->row[read->count - 1].seq >= cursor->row.seq)
        return trace_damaged(cursor->trace, "events are not in order");
    status = CORE_ARRAY_PUSH(read->row, read->count, read->room, cursor->trace->path, cursor->row);
    shapes->rows_held += status == CORE_OK;
    return status;
}

/* Steps to the next row. */
static enum core_status row_step(struct trace_cursor *cursor, bool *out_more)
{
    const struct rows *rows = &cursor->trace->shapes->rows[cursor->rank];
    enum core_status status;

    *out_more = false;
    if (!cursor->stmt) {
        if (cursor->next == rows->count)
            return CORE_OK;
        cursor->row = rows->row[cursor->next++];
        *out_more = true;
        return CORE_OK;
    }
    int code = core_fault() ? SQLITE_NOMEM : sqlite3_step(cursor->stmt);
    if (code == SQLITE_DONE) {
        rows_keep(cursor);
        return CORE_OK;
    }
    if (code != SQLITE_ROW)
        return trace_failed(cursor->trace, code);
    if (++cursor->rows > cursor->trace->file_bytes)
        return trace_damaged(cursor->trace, "a table has no end");
    status = row_read(cursor->trace, cursor->stmt, &cursor->row);
    if (status == CORE_OK)
        status = row_add(cursor);
    *out_more = status == CORE_OK;
    return status;
}

/* Steps to the next row that the cursor hands out. */
static enum core_status row_next(struct trace_cursor *cursor, bool *out_more)
{
    enum core_status status = CORE_OK;
    const struct shape *shape = NULL;

    *out_more = false;
    while (status == CORE_OK && !cursor->none) {
        status = row_step(cursor, out_more);
        if (status != CORE_OK || !*out_more || !cursor->only)
            return status;
        status = shape_get(cursor->trace, cursor->row.shape, &shape);
        if (status == CORE_OK && shape->event.traits & cursor->only)
            return CORE_OK;
        *out_more = false;
    }
    return status;
}

enum core_status trace_cursor_next(struct trace_cursor *cursor, struct trace_event *out_event,
                                   bool *out_more)
{
    const struct shape *shape;
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
    if (status == CORE_OK && shape->done_count)
        status = completions_give(cursor, shape, cursor->row.request, out_event);
    if (status == CORE_OK)
        *out_more = true;
    return status;
}

/* Among the rows that are kept; NULL: it is not there. */
static const struct row *row_find(const struct rows *rows, uint64_t seq)
{
    uint32_t low = 0, high = rows->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->row[middle].seq < seq)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows->count && rows->row[low].seq == seq ? &rows->row[low] : NULL;
}

enum core_status trace_event_get(struct trace *trace, uint32_t rank, uint64_t seq,
                                 struct trace_event *out_event)
{
    enum core_status status = shapes_open(trace);
    const struct shape *shape;
    sqlite3_stmt *stmt;
    struct row row;
    int code;

    if (status != CORE_OK)
        return status;
    if (rank >= trace->rank_count || !seq || seq >> SEQ_BITS)
        return CORE_NOT_FOUND;
    if (trace->shapes->rows[rank].whole) {
        const struct row *kept = row_find(&trace->shapes->rows[rank], seq);
        return kept ? event_fill(trace, rank, kept, out_event, &shape) : CORE_NOT_FOUND;
    }
    stmt = trace->shapes->event_by_id;
    sqlite3_bind_int64(stmt, 1, (int64_t)rank << SEQ_BITS | (int64_t)seq);
    code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt);
    if (code == SQLITE_ROW)
        status = row_read(trace, stmt, &row);
    else
        status = code == SQLITE_DONE ? CORE_NOT_FOUND : trace_failed(trace, code);
    sqlite3_reset(stmt);
    return status != CORE_OK ? status : event_fill(trace, rank, &row, out_event, &shape);
}

enum core_status trace_arg_get(struct trace *trace, uint32_t rank, uint64_t seq, const char *name,
                               int64_t **out_value, uint32_t *out_count)
{
    struct trace_event event;
    enum core_status status = trace_event_get(trace, rank, seq, &event);

    return status != CORE_OK ? status : arg_get(trace, event.arg_set, name, out_value, out_count);
}

enum core_status trace_group_get(struct trace *trace, int64_t group, int64_t **out_member,
                                 uint32_t *out_count)
{
    sqlite3_stmt *stmt;
    enum core_status status =
        trace_prepare(trace, "SELECT world FROM grp_member WHERE grp = ?1 ORDER BY rank", &stmt);

    if (status != CORE_OK)
        return status;
    sqlite3_bind_int64(stmt, 1, group);
    status = values_read(trace, stmt, out_member, out_count);
    sqlite3_finalize(stmt);
    return status;
}

enum core_status trace_args_each(struct trace *trace, int64_t arg_set, trace_arg_fn fn,
                                 void *context)
{
    enum core_status status = CORE_OK;
    sqlite3_stmt *stmt;
    int code = SQLITE_DONE;

    if (!arg_set)
        return CORE_OK;
    status = trace_prepare(
        trace, "SELECT name, idx, value FROM arg_set WHERE id = ?1 ORDER BY rowid", &stmt);
    if (status != CORE_OK)
        return status;
    sqlite3_bind_int64(stmt, 1, arg_set);
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        int type = sqlite3_column_type(stmt, 2);
        status =
            fn(name ? name : "?", (uint32_t)sqlite3_column_int64(stmt, 1),
               sqlite3_column_int64(stmt, 2),
               type == SQLITE_TEXT ? (const char *)sqlite3_column_text(stmt, 2) : NULL, context);
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(stmt);
    return status;
}
