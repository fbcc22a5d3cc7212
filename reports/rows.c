/* The events of a trace as rows of its tables. */
#include "reports/rows.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/progress.h"
#include "core/trace/describe.h"

static enum core_status sql_failed(struct trace *trace)
{
    return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                       sqlite3_errmsg(trace->db));
}

static enum core_status rows_damaged(struct trace *trace, const char *what)
{
    return core_report(CORE_BAD_FORMAT, "the trace '%s' is damaged: %s", trace->path, what);
}

/* Sorted by call and place, so that shapes of one class are neighbours. */
static const char shapes_sql[] =
    "SELECT id, call, ifnull(site, 0), thread, parent_back IS NOT NULL FROM shape "
    "ORDER BY call, ifnull(site, 0), parent_back IS NOT NULL, id";

static enum core_status shape_add(struct report_shapes *shapes, uint32_t id,
                                  struct report_shape shape)
{
    const struct report_shape *before =
        shapes->class_count ? &shapes->shape[shapes->first[shapes->class_count - 1]] : NULL;
    enum core_status status = CORE_OK;

    if (!before || shape.call != before->call || shape.site != before->site ||
        shape.inner != before->inner)
        status = CORE_ARRAY_PUSH(shapes->first, shapes->class_count, shapes->class_room,
                                 "the calls' shapes", id);
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM_ZERO(shapes->shape, shapes->room, (uint64_t)id + 1,
                                      "the calls' shapes");
    if (status != CORE_OK)
        return status;
    shape.class = shapes->class_count - 1;
    shapes->shape[id] = shape;
    if (id >= shapes->count)
        shapes->count = id + 1;
    return CORE_OK;
}

enum core_status report_shapes_read(struct trace *trace, struct report_shapes *out_shapes)
{
    struct report_shapes shapes = {0};
    sqlite3_stmt *row = NULL;
    enum core_status status = CORE_OK;

    if (sqlite3_prepare_v2(trace->db, shapes_sql, -1, &row, NULL) != SQLITE_OK)
        return sql_failed(trace);
    while (status == CORE_OK && sqlite3_step(row) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0);
        struct report_shape shape = {.call = sqlite3_column_int(row, 1),
                                     .site = sqlite3_column_int(row, 2),
                                     .thread = sqlite3_column_int(row, 3),
                                     .inner = sqlite3_column_int(row, 4) != 0,
                                     .known = true};
        if (id < 0 || id >= UINT32_MAX || (uint64_t)id > trace->file_bytes || shape.call < 0 ||
            (uint32_t)shape.call >= trace->call_count || !trace->call[shape.call].name)
            status = rows_damaged(trace, "an impossible shape");
        else
            status = shape_add(&shapes, (uint32_t)id, shape);
    }
    sqlite3_finalize(row);
    if (status != CORE_OK)
        report_shapes_done(&shapes);
    else
        *out_shapes = shapes;
    return status;
}

void report_shapes_done(struct report_shapes *shapes)
{
    CORE_ARRAY_DONE(shapes->shape, shapes->count, shapes->room);
    CORE_ARRAY_DONE(shapes->first, shapes->class_count, shapes->class_room);
}

static const char rows_sql[] =
    "SELECT id, shape, t_enter, duration, ifnull(repeat, 1) FROM event_row WHERE t_enter IS NOT "
    "NULL ORDER BY id";

/* Returns the shape whose calls took most of the rounds' time; 0 if unknown. */
static uint32_t sum_shape(const struct report_shapes *shapes, const struct trace_sum *sum)
{
    const struct trace_sum_call *most = NULL;

    for (uint32_t i = 0; i < sum->call_count; i++) {
        const struct trace_sum_call *call = &sum->call[i];
        if (call->shape < shapes->count && shapes->shape[call->shape].known &&
            !shapes->shape[call->shape].inner && (!most || call->total > most->total))
            most = call;
    }
    return most ? most->shape : 0;
}

/* Passes the rounds before an event to fn, and advances behind them. */
static enum core_status sums_before(struct trace_sums *sums, const struct trace_sum **sum,
                                    uint64_t id, const struct report_shapes *shapes,
                                    report_row_fn fn, void *context)
{
    enum core_status status = CORE_OK;

    while (status == CORE_OK && *sum &&
           ((uint64_t)(*sum)->rank << REPORT_SEQ_BITS | (*sum)->seq) < id) {
        struct report_row row = {.id = (uint64_t)(*sum)->rank << REPORT_SEQ_BITS | (*sum)->seq,
                                 .seq = (*sum)->seq,
                                 .rank = (*sum)->rank,
                                 .shape = sum_shape(shapes, *sum),
                                 .start = (*sum)->t_enter,
                                 .end = (*sum)->t_leave,
                                 .repeat = 1,
                                 .sum = *sum};
        if (row.shape)
            status = fn(&row, context);
        if (status == CORE_OK)
            status = trace_sums_next(sums, sum);
    }
    return status;
}

enum core_status report_rows_each(struct trace *trace, const struct report_shapes *shapes,
                                  report_row_fn fn, void *context)
{
    sqlite3_stmt *read = NULL;
    struct trace_sums *sums = NULL;
    const struct trace_sum *sum = NULL;
    uint64_t total = 0, done = 0;
    enum core_status status = trace_sums_open(trace, &sums);

    if (status == CORE_OK)
        status = trace_sums_next(sums, &sum);
    if (status == CORE_OK && sqlite3_prepare_v2(trace->db, rows_sql, -1, &read, NULL) != SQLITE_OK)
        status = sql_failed(trace);
    for (uint32_t i = 0; i < trace->rank_count; i++)
        total += trace->rank[i].events;
    core_progress_begin("rendering", total);
    while (status == CORE_OK && sqlite3_step(read) == SQLITE_ROW) {
        core_progress_at(done++);
        uint64_t id = (uint64_t)sqlite3_column_int64(read, 0);
        int64_t shape = sqlite3_column_int64(read, 1), start = sqlite3_column_int64(read, 2),
                stay = sqlite3_column_int64(read, 3), repeat = sqlite3_column_int64(read, 4);
        struct report_row row = {.id = id,
                                 .seq = id & ((UINT64_C(1) << REPORT_SEQ_BITS) - 1),
                                 .rank = (uint32_t)(id >> REPORT_SEQ_BITS),
                                 .shape = (uint32_t)shape,
                                 .start = start > 0 ? (uint64_t)start : 0,
                                 .repeat = repeat > 1 ? (uint64_t)repeat : 1,
                                 .pending = sqlite3_column_type(read, 3) == SQLITE_NULL};
        row.end = row.start + (stay > 0 ? (uint64_t)stay : 0);
        if (id >> REPORT_SEQ_BITS >= trace->rank_count || shape < 0 || shape >= shapes->count ||
            !shapes->shape[shape].known)
            status = rows_damaged(trace, "an event has an unknown rank or shape");
        else
            status = sums_before(sums, &sum, id, shapes, fn, context);
        if (status == CORE_OK)
            status = fn(&row, context);
    }
    if (status == CORE_OK)
        status = sums_before(sums, &sum, UINT64_MAX, shapes, fn, context);
    sqlite3_finalize(read);
    trace_sums_close(sums);
    core_progress_end();
    return status;
}

enum core_status report_row_text(struct trace *trace, uint32_t rank, uint64_t seq, char *buffer,
                                 size_t buffer_bytes)
{
    struct trace_event event;
    enum core_status status = trace_event_get(trace, rank, seq, &event);

    if (status != CORE_OK)
        return status;
    describe_call_said(trace, &event, buffer, buffer_bytes);
    return CORE_OK;
}
