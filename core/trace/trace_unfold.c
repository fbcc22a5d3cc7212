/* Unfolds loops: shows the rows of event_row and event_part one by one in the order of their ids,
 * as if there were no parts. Cursors read events from a
 * source; queries find them in virtual tables, which hide the tables event_row and message_row on
 * the trace's own connection (temp.event_row, and temp.message_row of trace_unfold_message.c).
 *
 * Invariants
 *  1. Ids that a source hands out ascend. If both tables have a call (damage), the part's counts.
 *  2. Each row from a part was checked: its loop exists, each request is valid, each time has
 *     decimal digits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"

enum {
    SEQ_BITS = 40,
    SHAPE_BYTES_MAX = 4, /* of two digits */
    BYTES_OF_A_ROW = 16  /* a guess for SQLite's planner */
};
#define NONSENSE TRACE_NONSENSE
#define TIME_MAX (INT64_MAX / 2)

/* --- loops ------------------------------------------------------------------------------------ */

struct loop_call {
    int64_t request, repeat;
    uint32_t shape;
    int32_t tag;
    bool has_request;
};
struct loop {
    uint32_t at, calls; /* call[at, at + calls) */
    int64_t step;
};
struct trace_unfold {
    sqlite3 *db;
    const char *path;
    uint64_t file_bytes;
    const struct trace_shapes *shapes; /* the trace's, with the kept rows; or NULL */
    struct trace_batch *batch;         /* filled by the running query */
    struct loop *loop;                 /* indexed by id - 1 */
    struct loop_call *call;
    uint32_t loop_count, loop_room, call_count, call_room;
    bool loops_read;
};

int trace_unfold_prepare(const struct trace_unfold *unfold, const char *text,
                         sqlite3_stmt **out_stmt)
{
    return core_fault() ? SQLITE_NOMEM
                        : sqlite3_prepare_v3(unfold->db, text, -1, SQLITE_PREPARE_PERSISTENT,
                                             out_stmt, NULL);
}

int trace_unfold_step(sqlite3_stmt *stmt)
{
    return core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt);
}

static int loop_read(struct trace_unfold *unfold, sqlite3_stmt *stmt)
{
    int64_t calls = sqlite3_column_int64(stmt, 1);
    struct loop loop = {.calls = (uint32_t)calls, .step = sqlite3_column_int64(stmt, 2)};

    if (sqlite3_column_int64(stmt, 0) != (int64_t)unfold->loop_count + 1 || calls < 1 ||
        calls > UINT32_MAX)
        return NONSENSE;
    return CORE_ARRAY_PUSH(unfold->loop, unfold->loop_count, unfold->loop_room, unfold->path,
                           loop) == CORE_OK
               ? SQLITE_OK
               : SQLITE_NOMEM;
}

/* Reads one call of a loop. Rows come by loop and place in it. */
static int loop_call_read(struct trace_unfold *unfold, sqlite3_stmt *stmt)
{
    int64_t loop = sqlite3_column_int64(stmt, 0), index = sqlite3_column_int64(stmt, 1),
            shape = sqlite3_column_int64(stmt, 2), tag = sqlite3_column_int64(stmt, 5);
    struct loop_call call = {.shape = (uint32_t)shape,
                             .request = sqlite3_column_int64(stmt, 3),
                             .has_request = sqlite3_column_type(stmt, 3) != SQLITE_NULL,
                             .repeat = sqlite3_column_int64(stmt, 4),
                             .tag = (int32_t)tag};

    if (loop < 1 || loop > unfold->loop_count || shape < 0 || shape > UINT32_MAX ||
        tag < INT32_MIN || tag > INT32_MAX || call.repeat < 0)
        return NONSENSE;
    struct loop *of = &unfold->loop[loop - 1];
    if (!index)
        of->at = unfold->call_count;
    if (index < 0 || index >= of->calls || of->at + (uint64_t)index != unfold->call_count)
        return NONSENSE;
    return CORE_ARRAY_PUSH(unfold->call, unfold->call_count, unfold->call_room, unfold->path,
                           call) == CORE_OK
               ? SQLITE_OK
               : SQLITE_NOMEM;
}

static int rows_each(struct trace_unfold *unfold, const char *text,
                     int (*read)(struct trace_unfold *unfold, sqlite3_stmt *stmt))
{
    sqlite3_stmt *stmt = NULL;
    int code = trace_unfold_prepare(unfold, text, &stmt);

    while (code == SQLITE_OK && (code = trace_unfold_step(stmt)) == SQLITE_ROW)
        code = read(unfold, stmt);
    sqlite3_finalize(stmt);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Reads all loops, at the first part. */
static int loops_read(struct trace_unfold *unfold)
{
    int code = SQLITE_OK;

    if (unfold->loops_read)
        return SQLITE_OK;
    CORE_CHECK(unfold->loop_count <= unfold->loop_room); /* left over from a failed attempt */
    unfold->loop_count = unfold->call_count = 0;
    code = rows_each(unfold, "SELECT id, calls, step FROM main.loop ORDER BY id", loop_read);
    if (code == SQLITE_OK)
        code = rows_each(unfold,
                         "SELECT loop, idx, shape, request, repeat, tag FROM main.loop_call ORDER "
                         "BY loop, idx",
                         loop_call_read);
    for (uint32_t i = 0; code == SQLITE_OK && i < unfold->loop_count; i++)
        if ((uint64_t)unfold->loop[i].at + unfold->loop[i].calls > unfold->call_count)
            code = NONSENSE;
    unfold->loops_read = code == SQLITE_OK;
    return code;
}

/* --- events ----------------------------------------------------------------------------------- */

struct trace_source {
    struct trace_unfold *unfold;
    sqlite3_stmt *rows, *parts, *behind;
    struct trace_batch batch; /* of event_row */
    int64_t low;              /* skips smaller ids */
    int64_t after;            /* later ids are larger */
    bool parts_ended;
    bool timed;           /* skips calls without times of their own */
    trace_wants_fn wants; /* skips summed rounds of whose calls it wants no shape; NULL: none */
    void *wants_context;
    const struct loop *asked;  /* the loop that it was asked of last, */
    bool wanted, passed;       /* and the answer; passed: rounds were skipped */
    int64_t gap_low, gap_high; /* last lookup: no part has an id from low to high */
    struct {
        const struct loop *loop;
        int64_t id, enter, request;
        uint32_t first, calls, next;
        int enter_bytes, duration_bytes;
        unsigned char times[TRACE_PART_CALLS_MAX * 4 * TRACE_TIME_BYTES_MAX];
        bool summed; /* of event_sum: its calls from `enter` on took `lasted` ns together */
        int64_t lasted;
        int shape_bytes, request_bytes; /* of a list, which has no loop */
    } part;                             /* next < calls: some are left */
};

int trace_source_open(struct trace_unfold *unfold, struct trace_source **out_source)
{
    struct trace_source *source = core_alloc_zero(1, sizeof *source);
    int code = source ? SQLITE_OK : SQLITE_NOMEM;

    if (code == SQLITE_OK) {
        source->unfold = unfold;
        code = trace_unfold_prepare(
            unfold,
            "SELECT 1 FROM main.event_row WHERE id BETWEEN ?1 AND ?2 AND "
            "crosswait_take(id, shape, request, t_enter, duration, repeat, tag) ORDER "
            "BY id",
            &source->rows);
    }
    if (code == SQLITE_OK)
        code = trace_unfold_prepare(
            unfold,
            "SELECT id, loop, first, calls, request, t_enter, enter_bytes, "
            "duration_bytes, times, NULL, ifnull(shape_bytes, 0), ifnull(request_bytes, 0) FROM "
            "main.event_part WHERE id BETWEEN "
            "ifnull((SELECT "
            "max(id) FROM main.event_part WHERE id <= ?1), ?1) AND ?2 UNION ALL "
            "SELECT id, loop, first, calls, request, t_enter, 0, 0, NULL, t_leave, 0, 0 FROM "
            "main.event_sum WHERE id BETWEEN ifnull((SELECT max(id) FROM main.event_sum WHERE id "
            "<= ?1), ?1) AND ?2 ORDER BY 1",
            &source->parts);
    if (code == SQLITE_OK)
        code = trace_unfold_prepare(
            unfold,
            "SELECT min(id) FROM (SELECT min(id) AS id FROM main.event_part "
            "WHERE id > ?1 UNION ALL SELECT min(id) FROM main.event_sum WHERE id "
            "> ?1)",
            &source->behind);
    if (code == SQLITE_OK) {
        source->gap_low = INT64_MAX;
        source->gap_high = INT64_MIN;
        *out_source = source;
    } else {
        trace_source_close(source);
    }
    return code;
}

void trace_source_close(struct trace_source *source)
{
    if (!source)
        return;
    sqlite3_finalize(source->rows);
    sqlite3_finalize(source->parts);
    sqlite3_finalize(source->behind);
    free(source);
}

void trace_source_seek(struct trace_source *source, int64_t low, int64_t high)
{
    sqlite3_stmt *stmt[] = {source->rows, source->parts};

    for (int i = 0; i < 2; i++) {
        sqlite3_reset(stmt[i]);
        sqlite3_bind_int64(stmt[i], 1, low);
        sqlite3_bind_int64(stmt[i], 2, high);
    }
    source->batch.count = source->batch.next = 0;
    source->batch.room = low == high ? 1 : TRACE_BATCH_ROWS;
    source->batch.damaged = source->batch.ended = false;
    source->part.next = source->part.calls = 0;
    source->parts_ended = false;
    source->low = low;
    source->after = INT64_MIN;
}

void trace_source_rest(struct trace_source *source)
{
    sqlite3_reset(source->rows);
    sqlite3_reset(source->parts);
}

static int rows_take(struct trace_source *source)
{
    struct trace_batch *batch = &source->batch;

    if (batch->damaged)
        return NONSENSE;
    CORE_CHECK(batch->next == batch->count); /* all rows were handed out */
    batch->count = batch->next = 0;
    if (batch->ended) /* another step would restart the query */
        return SQLITE_OK;
    source->unfold->batch = batch;
    int code = trace_unfold_step(source->rows);
    source->unfold->batch = NULL;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return code;
    batch->ended = code == SQLITE_DONE;
    return batch->damaged && !batch->count ? NONSENSE : SQLITE_OK;
}

static bool in_range(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

static int part_read(struct trace_source *source)
{
    struct trace_unfold *unfold = source->unfold;
    sqlite3_stmt *stmt = source->parts;
    int64_t id = sqlite3_column_int64(stmt, 0), loop = sqlite3_column_int64(stmt, 1),
            first = sqlite3_column_int64(stmt, 2), calls = sqlite3_column_int64(stmt, 3),
            enter = sqlite3_column_int64(stmt, 6), duration = sqlite3_column_int64(stmt, 7);
    int64_t shape = sqlite3_column_int64(stmt, 10), more = sqlite3_column_int64(stmt, 11);
    const void *times = sqlite3_column_blob(stmt, 8);
    int bytes = sqlite3_column_bytes(stmt, 8), code = loops_read(unfold);
    bool listed = sqlite3_column_type(stmt, 1) == SQLITE_NULL;

    if (code != SQLITE_OK)
        return code;
    source->part.request = sqlite3_column_int64(stmt, 4);
    source->part.enter = sqlite3_column_int64(stmt, 5);
    source->part.summed = sqlite3_column_type(stmt, 9) != SQLITE_NULL;
    source->part.lasted = sqlite3_column_int64(stmt, 9) - source->part.enter;
    bool times_fit = source->part.summed
                         ? in_range(source->part.lasted, 0, TIME_MAX)
                         : in_range(calls, 1, TRACE_PART_CALLS_MAX) &&
                               in_range(enter, 1, TRACE_TIME_BYTES_MAX) &&
                               in_range(duration, 1, TRACE_TIME_BYTES_MAX) &&
                               in_range(shape, listed, listed * SHAPE_BYTES_MAX) &&
                               in_range(more, listed, listed * TRACE_TIME_BYTES_MAX) &&
                               bytes == calls * (enter + duration + shape + more);
    if ((!listed && !in_range(loop, 1, unfold->loop_count)) ||
        !in_range(calls, 1, TRACE_SUM_CALLS_MAX) || !times_fit ||
        !in_range(source->part.enter, 0, TIME_MAX) || id < 0 || id > INT64_MAX - calls ||
        (id + calls - 1) >> SEQ_BITS != id >> SEQ_BITS)
        return NONSENSE;
    source->part.loop = listed ? NULL : &unfold->loop[loop - 1];
    if (!in_range(first, 0, listed ? 0 : (int64_t)source->part.loop->calls - 1))
        return NONSENSE;
    if (!source->part.summed) {
        CORE_CHECK((size_t)bytes <= sizeof source->part.times);
        memcpy(source->part.times, times, (size_t)bytes);
    }
    source->part.id = id;
    source->part.first = (uint32_t)first;
    source->part.calls = (uint32_t)calls;
    source->part.enter_bytes = (int)enter;
    source->part.duration_bytes = (int)duration;
    source->part.shape_bytes = (int)shape;
    source->part.request_bytes = (int)more;
    source->part.next = id >= source->low           ? 0
                        : source->low - id >= calls ? (uint32_t)calls
                                                    : (uint32_t)(source->low - id);
    CORE_CHECK(source->part.next <= source->part.calls);
    return SQLITE_OK;
}

void trace_source_only(struct trace_source *source, trace_wants_fn wants, void *context)
{
    source->wants = wants;
    source->wants_context = context;
    source->asked = NULL;
}

static bool loop_is_wanted(struct trace_source *source, const struct loop *loop)
{
    if (!source->wants)
        return true;
    if (source->asked == loop)
        return source->wanted;
    source->asked = loop;
    source->wanted = false;
    for (uint32_t i = 0; i < loop->calls && !source->wanted; i++) {
        CORE_CHECK(loop->at + i < source->unfold->call_count);
        source->wanted =
            source->wants(source->unfold->call[loop->at + i].shape, source->wants_context);
    }
    return source->wanted;
}

/* Takes the next part that has calls left, if any. */
static int part_take(struct trace_source *source)
{
    int code = SQLITE_OK;

    while (code == SQLITE_OK && source->part.next == source->part.calls && !source->parts_ended) {
        code = trace_unfold_step(source->parts);
        source->parts_ended = code == SQLITE_DONE;
        if (code == SQLITE_ROW && source->timed &&
            sqlite3_column_type(source->parts, 9) != SQLITE_NULL)
            code = SQLITE_OK;
        else if (code == SQLITE_ROW)
            code = part_read(source);
        if (code == SQLITE_OK && source->part.summed && source->part.next < source->part.calls &&
            !loop_is_wanted(source, source->part.loop)) {
            source->part.next = source->part.calls;
            source->passed = true;
        } else if (code == SQLITE_DONE)
            code = SQLITE_OK;
    }
    return code;
}

/* Reads a time. Returns -1 if the bytes are no digits. */
static int64_t digits_read(const unsigned char *at, int bytes)
{
    int64_t value = 0;

    CORE_CHECK(bytes > 0 && bytes <= TRACE_TIME_BYTES_MAX);
    for (int i = 0; i < bytes; i++) {
        if (at[i] >> 4 > 9 || (at[i] & 15) > 9)
            return -1;
        value = value * 100 + (at[i] >> 4) * 10 + (at[i] & 15);
    }
    return value;
}

/* Reads the time from the part's first call to its n-th, and how long that lasted. Returns false if
 * the bytes are no digits. */
static bool part_times(const struct trace_source *source, uint32_t n, int64_t *out_enter,
                       int64_t *out_duration)
{
    const unsigned char *times = source->part.times;
    unsigned enter = (unsigned)source->part.enter_bytes,
             duration = (unsigned)source->part.duration_bytes;

    CORE_CHECK(n < source->part.calls);
    if (source->part.summed) {
        *out_enter = 0;
        *out_duration = source->part.lasted;
        return true;
    }
    *out_enter = digits_read(times + n * enter, source->part.enter_bytes);
    *out_duration =
        digits_read(times + source->part.calls * enter + n * duration, source->part.duration_bytes);
    return *out_enter >= 0 && *out_duration >= 0;
}

/* Reads the shape and the request of a list's n-th call. Returns false if they make no sense. */
static bool list_fields(const struct trace_source *source, uint32_t n, int64_t *out_shape,
                        int64_t *out_request)
{
    unsigned shape = (unsigned)source->part.shape_bytes,
             request = (unsigned)source->part.request_bytes, calls = source->part.calls;
    const unsigned char *shapes =
        source->part.times +
        calls * (unsigned)(source->part.enter_bytes + source->part.duration_bytes);

    CORE_CHECK(n < calls);
    *out_shape = digits_read(shapes + n * shape, (int)shape);
    *out_request = digits_read(shapes + calls * shape + n * request, (int)request);
    if (*out_shape < 0 || *out_request < 0)
        return false;
    return !*out_request ||
           !__builtin_add_overflow(*out_request - 1, source->part.request, out_request);
}

/* Hands out the next call of a list. */
static int list_row(struct trace_source *source, struct trace_row *out_row)
{
    uint32_t n = source->part.next++;
    int64_t shape = 0, request = 0, enter = 0, duration = 0;
    bool fits = part_times(source, n, &enter, &duration) &&
                list_fields(source, n, &shape, &request) && request >= 0;

    *out_row =
        (struct trace_row){.seq = ((uint64_t)source->part.id + n) & (((uint64_t)1 << SEQ_BITS) - 1),
                           .request = request,
                           .enter = source->part.enter + enter,
                           .duration = duration,
                           .shape = (uint32_t)shape};
    return fits ? SQLITE_OK : NONSENSE;
}

static int part_row(struct trace_source *source, struct trace_row *out_row)
{
    if (!source->part.loop)
        return list_row(source, out_row);
    uint32_t n = source->part.next++, at = source->part.first + n;
    const struct loop *loop = source->part.loop;
    const struct loop_call *call = &source->unfold->call[loop->at + at % loop->calls];
    int64_t request = 0, enter = 0, duration = 0;
    bool fits = part_times(source, n, &enter, &duration);

    CORE_CHECK(n < source->part.calls);
    CORE_CHECK(loop->at + at % loop->calls < source->unfold->call_count);
    if (call->has_request &&
        (__builtin_mul_overflow((int64_t)(at / loop->calls), loop->step, &request) ||
         __builtin_add_overflow(request, source->part.request, &request) ||
         __builtin_add_overflow(request, call->request, &request)))
        return NONSENSE;
    *out_row =
        (struct trace_row){.seq = ((uint64_t)source->part.id + n) & (((uint64_t)1 << SEQ_BITS) - 1),
                           .request = request,
                           .enter = source->part.enter + enter,
                           .repeat = call->repeat,
                           .duration = duration,
                           .shape = call->shape,
                           .tag = call->tag,
                           .summed = source->part.summed};
    return !fits || request < 0 ? NONSENSE : SQLITE_OK;
}

int trace_source_next(struct trace_source *source, struct trace_row *out_row, int64_t *out_id)
{
    struct trace_batch *batch = &source->batch;
    int code = batch->next == batch->count ? rows_take(source) : SQLITE_OK;

    if (code == SQLITE_OK && source->part.next == source->part.calls)
        code = part_take(source);
    if (code != SQLITE_OK)
        return code;
    CORE_CHECK(source->part.next <= source->part.calls);
    bool row = batch->next < batch->count, part = source->part.next < source->part.calls;
    if (!row && !part)
        return SQLITE_DONE;
    int64_t id = source->part.id + source->part.next;
    if (row && (!part || batch->id[batch->next] < id)) {
        id = batch->id[batch->next];
        *out_row = batch->row[batch->next++];
    } else {
        if (row && batch->id[batch->next] == id)
            batch->next++; /* invariant 1 */
        code = part_row(source, out_row);
    }
    if (code == SQLITE_OK && id <= source->after)
        code = NONSENSE;
    source->after = *out_id = id;
    return code == SQLITE_OK ? SQLITE_ROW : code;
}

bool trace_source_passed(const struct trace_source *source)
{
    return source->passed;
}

static bool part_holds(const struct trace_source *source, int64_t id)
{
    return source->part.calls && id >= source->part.id && id - source->part.id < source->part.calls;
}

/* Notes that no part holds this id, nor the ids up to the next part. */
static int gap_find(struct trace_source *source, int64_t id)
{
    CORE_CHECK(!part_holds(source, id));
    sqlite3_bind_int64(source->behind, 1, id);
    int code = trace_unfold_step(source->behind);

    source->gap_low = id;
    source->gap_high = INT64_MAX;
    if (code == SQLITE_ROW && sqlite3_column_type(source->behind, 0) != SQLITE_NULL)
        source->gap_high = sqlite3_column_int64(source->behind, 0) - 1;
    sqlite3_reset(source->behind);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

/* Tells whether a cursor keeps all rows of the rank. If so, looks up the id in them. */
static bool kept_get(const struct trace_unfold *unfold, int64_t id, struct trace_row *out_row,
                     int *out_code)
{
    const struct trace_shapes *shapes = unfold->shapes;
    int64_t rank = id >> SEQ_BITS;

    if (!shapes || rank < 0 || rank >= shapes->rank_count || !shapes->rows[rank].whole)
        return false;
    const struct trace_rows *rows = &shapes->rows[rank];
    uint64_t seq = (uint64_t)id & (((uint64_t)1 << SEQ_BITS) - 1);
    uint32_t at = trace_rows_find(rows, seq);
    if (at == UINT32_MAX && trace_row_is_left(shapes, (uint32_t)rank, seq))
        return false;
    *out_code = at == UINT32_MAX ? SQLITE_DONE : SQLITE_ROW;
    if (at != UINT32_MAX)
        *out_row = trace_rows_get(rows, at);
    return true;
}

int trace_source_get(struct trace_source *source, int64_t id, struct trace_row *out_row)
{
    int code = SQLITE_OK;

    if (kept_get(source->unfold, id, out_row, &code))
        return code;
    if (!part_holds(source, id) && !in_range(id, source->gap_low, source->gap_high)) {
        trace_source_seek(source, id, id);
        code = part_take(source);
        if (code == SQLITE_OK && !part_holds(source, id))
            code = gap_find(source, id);
    }
    if (code == SQLITE_OK && part_holds(source, id)) {
        source->part.next = (uint32_t)(id - source->part.id);
        code = part_row(source, out_row);
        return code == SQLITE_OK ? SQLITE_ROW : code;
    }
    if (code == SQLITE_OK) {
        trace_source_seek(source, id, id);
        code = rows_take(source);
    }
    if (code != SQLITE_OK || !source->batch.count)
        return code == SQLITE_OK ? SQLITE_DONE : code;
    *out_row = source->batch.row[0];
    return SQLITE_ROW;
}

/* --- virtual tables --------------------------------------------------------------------------- */

struct events { /* a cursor */
    sqlite3_vtab_cursor base;
    struct trace_source *source;
    struct trace_row row;
    int64_t id;
    bool one; /* the cursor looks up a single id */
    bool ended;
};

int trace_table_failed(sqlite3_vtab *table, int code)
{
    struct trace_table *of = (struct trace_table *)table;

    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", code == NONSENSE ? "a loop is invalid"
                                                            : sqlite3_errmsg(of->unfold->db));
    return code;
}

uint64_t trace_table_rows(const struct trace_table *table)
{
    return table->unfold->file_bytes / BYTES_OF_A_ROW + 2;
}

static int events_connect(sqlite3 *db, void *context, int count, const char *const *word,
                          sqlite3_vtab **out_table, char **error)
{
    struct trace_table *table = core_alloc_zero(1, sizeof *table);
    int code = table ? sqlite3_declare_vtab(db, "CREATE TABLE event (id INTEGER, shape INTEGER, "
                                                "request INTEGER, t_enter INTEGER, duration "
                                                "INTEGER, repeat INTEGER, tag INTEGER)")
                     : SQLITE_NOMEM;

    (void)count;
    (void)word;
    (void)error;
    if (code != SQLITE_OK) {
        free(table);
        return code;
    }
    table->unfold = context;
    *out_table = &table->base;
    return SQLITE_OK;
}

int trace_table_disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

enum { FROM_LOW = 1, FROM_HIGH = 2, FROM_EQUAL = 4, TIMED = 8, COLUMN_ENTER = 3 };

static int plan_bound(unsigned char operation)
{
    switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return FROM_EQUAL;
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
        return FROM_LOW;
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
        return FROM_HIGH;
    default:
        return 0;
    }
}

/* Plans a query by bounds of ids. SQLite itself checks the bounds again. */
static int events_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
    uint64_t rows = trace_table_rows((const struct trace_table *)table);
    int place[FROM_EQUAL + 1] = {0}, wanted = 0, next = 0, timed = 0;

    for (int i = 0; i < info->nConstraint; i++) {
        int bound = plan_bound(info->aConstraint[i].op);
        if (info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL &&
            info->aConstraint[i].iColumn == COLUMN_ENTER)
            timed = TIMED;
        if (!bound || !info->aConstraint[i].usable || info->aConstraint[i].iColumn > 0 ||
            wanted & bound)
            continue;
        wanted |= bound;
        place[bound] = i;
    }
    if (wanted & FROM_EQUAL)
        wanted = FROM_EQUAL;
    for (int bound = FROM_LOW; bound <= FROM_EQUAL; bound *= 2)
        if (wanted & bound)
            info->aConstraintUsage[place[bound]].argvIndex = ++next;
    CORE_CHECK(next <= 2); /* one id, or two bounds */
    info->idxNum = wanted | timed;
    rows = wanted & FROM_EQUAL ? 1 : wanted ? rows / 2 : rows;
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = (double)rows * 2 + 10;
    if (wanted & FROM_EQUAL)
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    info->orderByConsumed =
        info->nOrderBy == 1 && info->aOrderBy[0].iColumn <= 0 && !info->aOrderBy[0].desc;
    return SQLITE_OK;
}

static int events_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out_cursor)
{
    struct events *events = core_alloc_zero(1, sizeof *events);

    if (!events)
        return SQLITE_NOMEM;
    int code = trace_source_open(((struct trace_table *)table)->unfold, &events->source);
    if (code != SQLITE_OK) {
        free(events);
        return trace_table_failed(table, code);
    }
    *out_cursor = &events->base;
    return SQLITE_OK;
}

static int events_close(sqlite3_vtab_cursor *cursor)
{
    struct events *events = (struct events *)cursor;

    trace_source_close(events->source);
    free(events);
    return SQLITE_OK;
}

static int events_next(sqlite3_vtab_cursor *cursor)
{
    struct events *events = (struct events *)cursor;
    int code =
        events->one ? SQLITE_DONE : trace_source_next(events->source, &events->row, &events->id);

    events->ended = code != SQLITE_ROW;
    if (code == SQLITE_DONE)
        trace_source_rest(events->source);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK
                                                     : trace_table_failed(cursor->pVtab, code);
}

static int events_filter(sqlite3_vtab_cursor *cursor, int plan, const char *text, int count,
                         sqlite3_value **value)
{
    struct events *events = (struct events *)cursor;
    int64_t low = INT64_MIN, high = INT64_MAX;
    int next = 0;

    (void)text;
    events->one = false;
    events->source->timed = (plan & TIMED) != 0;
    for (int bound = FROM_LOW; bound <= FROM_EQUAL; bound *= 2) {
        if (!(plan & bound))
            continue;
        CORE_CHECK(next < count); /* events_plan asked for this bound */
        sqlite3_value *one = value[next++];
        int type = sqlite3_value_type(one);
        if (type == SQLITE_NULL) {
            events->ended = true;
            return SQLITE_OK;
        }
        if (type != SQLITE_INTEGER) /* SQLite itself compares */
            continue;
        if (bound & (FROM_LOW | FROM_EQUAL))
            low = sqlite3_value_int64(one);
        if (bound & (FROM_HIGH | FROM_EQUAL))
            high = sqlite3_value_int64(one);
    }
    if (low != high) {
        trace_source_seek(events->source, low, high);
        return events_next(cursor);
    }
    events->source->timed = false; /* later lookups use the source as well */
    int code = trace_source_get(events->source, low, &events->row);
    trace_source_rest(events->source);
    events->id = low;
    events->one = true;
    events->ended = code != SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK
                                                     : trace_table_failed(cursor->pVtab, code);
}

static int events_eof(sqlite3_vtab_cursor *cursor)
{
    return ((struct events *)cursor)->ended;
}

static int events_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out_id)
{
    *out_id = ((struct events *)cursor)->id;
    return SQLITE_OK;
}

static int events_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    const struct events *events = (struct events *)cursor;
    const struct trace_row *row = &events->row;
    const int64_t value[] = {events->id,    row->shape,  row->request, row->enter,
                             row->duration, row->repeat, row->tag};
    CORE_CHECK(column >= 0 && (size_t)column < sizeof value / sizeof *value);
    bool none = column == 3                 ? row->summed
                : column == 4               ? row->summed || row->duration < 0
                : column == 2 || column > 4 ? !value[column]
                                            : false;

    if (!none)
        sqlite3_result_int64(context, value[column]);
    return SQLITE_OK;
}

static const sqlite3_module event_module = {.xCreate = events_connect,
                                            .xConnect = events_connect,
                                            .xBestIndex = events_plan,
                                            .xDisconnect = trace_table_disconnect,
                                            .xDestroy = trace_table_disconnect,
                                            .xOpen = events_open,
                                            .xClose = events_close,
                                            .xFilter = events_filter,
                                            .xNext = events_next,
                                            .xEof = events_eof,
                                            .xColumn = events_column,
                                            .xRowid = events_rowid};

/* --- opening ---------------------------------------------------------------------------------- */

static int any_row(const struct trace_unfold *unfold, const char *text, bool *out_any)
{
    sqlite3_stmt *stmt = NULL;
    int code = trace_unfold_prepare(unfold, text, &stmt);

    if (code == SQLITE_OK)
        code = trace_unfold_step(stmt);
    sqlite3_finalize(stmt);
    *out_any = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int unfold_run(const struct trace_unfold *unfold, const char *text)
{
    return core_fault() ? SQLITE_NOMEM : sqlite3_exec(unfold->db, text, NULL, NULL, NULL);
}

static int module_make(struct trace_unfold *unfold, const char *name, const sqlite3_module *module)
{
    return core_fault() ? SQLITE_NOMEM
                        : sqlite3_create_module_v2(unfold->db, name, module, unfold, NULL);
}

/* Makes a virtual table for each table that has parts; the others serve as they are. */
static int tables_make(struct trace_unfold *unfold)
{
    bool parts = false, sums = false, messages = false;
    int code = any_row(unfold, "SELECT 1 FROM main.event_part LIMIT 1", &parts);

    if (code == SQLITE_OK)
        code = any_row(unfold, "SELECT 1 FROM main.event_sum LIMIT 1", &sums);
    if (code == SQLITE_OK)
        code = any_row(unfold, "SELECT 1 FROM main.message_part LIMIT 1", &messages);
    if (code == SQLITE_OK)
        code = unfold_run(unfold, "PRAGMA temp_store=MEMORY");
    if (code == SQLITE_OK)
        code = module_make(unfold, "crosswait_event", &event_module);
    if (code == SQLITE_OK)
        code = module_make(unfold, "crosswait_message", &trace_message_module);
    if (code == SQLITE_OK && (parts || sums))
        code = unfold_run(unfold, "CREATE VIRTUAL TABLE temp.event_row USING crosswait_event");
    if (code == SQLITE_OK && messages)
        code = unfold_run(unfold, "CREATE VIRTUAL TABLE temp.message_row USING crosswait_message");
    if (code == SQLITE_OK)
        code = unfold_run(
            unfold,
            sums ? "CREATE VIRTUAL TABLE temp.message_timed USING crosswait_message; "
                   "CREATE VIRTUAL TABLE temp.message_summed USING crosswait_message"
                 : "CREATE TEMP VIEW message_timed AS SELECT * FROM message_row; CREATE TEMP VIEW "
                   "message_summed AS SELECT *, 1 AS messages FROM message_row WHERE 0");
    return code;
}

enum core_status trace_unfold_open(struct trace *trace)
{
    struct trace_unfold *unfold = core_alloc_zero(1, sizeof *unfold);

    if (!unfold)
        return core_report(CORE_NO_MEMORY, "cannot read the trace '%s': out of memory",
                           trace->path);
    trace->unfold = unfold;
    unfold->db = trace->db;
    unfold->path = trace->path;
    unfold->file_bytes = trace->file_bytes;
    int code = core_fault()
                   ? SQLITE_NOMEM
                   : sqlite3_create_function_v2(trace->db, "crosswait_take", 7,
                                                SQLITE_UTF8 | SQLITE_DIRECTONLY, &unfold->batch,
                                                trace_row_take, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = tables_make(unfold);
    return code == SQLITE_OK ? CORE_OK : trace_failed(trace, code);
}

enum core_status trace_source_failed(const struct trace *trace, int code)
{
    return code == NONSENSE ? trace_damaged(trace, "an event is invalid")
                            : trace_failed(trace, code);
}

void trace_unfold_keep(struct trace_unfold *unfold, const struct trace_shapes *shapes)
{
    CORE_CHECK(!unfold->shapes || !shapes);
    unfold->shapes = shapes;
}

void trace_unfold_free(struct trace_unfold *unfold)
{
    if (!unfold)
        return;
    free(unfold->loop);
    free(unfold->call);
    free(unfold);
}
