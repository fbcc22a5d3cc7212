/* Reads rounds of loops whose calls have no times of their own (event_sum of trace_schema.sql). */
#include <inttypes.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"

enum { SEQ_BITS = 40 };

struct trace_sums {
    struct trace *trace;
    sqlite3_stmt *stmt;
    bool ahead; /* the current row of stmt was not handed out yet */
    bool ended;
    int64_t group;             /* the rows that share their sums, by the id of the first */
    uint64_t before, in_block; /* calls at each place of the loop, in the group's rows before this
                                  one, and in this one */
    struct trace_sum sum;
    struct trace_sum_call *call;
    uint32_t call_count, call_room;
};

enum core_status trace_sums_open(struct trace *trace, struct trace_sums **out_sums)
{
    struct trace_sums *sums = core_alloc_zero(1, sizeof *sums);

    if (!sums)
        return core_report(CORE_NO_MEMORY, "cannot read the trace '%s': out of memory",
                           trace->path);
    sums->trace = trace;
    enum core_status status =
        trace_prepare(trace,
                      "SELECT e.id, e.calls, e.t_enter, e.t_leave, c.shape, t.calls, t.total, "
                      "t.least, t.most, e.sums, l.calls FROM event_sum e CROSS JOIN event_sum_call "
                      "t ON t.event = e.sums CROSS JOIN loop l ON l.id = e.loop CROSS JOIN "
                      "loop_call c ON c.loop = e.loop AND c.idx = t.idx ORDER BY e.id, t.idx",
                      &sums->stmt);
    if (status == CORE_OK)
        *out_sums = sums;
    else
        trace_sums_close(sums);
    return status;
}

void trace_sums_close(struct trace_sums *sums)
{
    if (!sums)
        return;
    sqlite3_finalize(sums->stmt);
    free(sums->call);
    free(sums);
}

static bool sum_is_one(const struct trace_sums *sums, int64_t id)
{
    const struct trace_sum *sum = &sums->sum;

    return id >= 0 && (uint64_t)(id >> SEQ_BITS) < sums->trace->rank_count && sum->calls > 0 &&
           sum->calls <= TRACE_SUM_CALLS_MAX && sum->t_enter <= sum->t_leave &&
           sum->t_leave <= INT64_MAX;
}

/* Goes on to the next row of event_sum. Returns false if it makes no sense. */
static bool group_take(struct trace_sums *sums)
{
    int64_t group = sqlite3_column_int64(sums->stmt, 9),
            calls = sqlite3_column_int64(sums->stmt, 10);

    if (calls < 1 || (int64_t)sums->sum.calls < calls)
        return false;
    sums->before = group == sums->group ? sums->before + sums->in_block : 0;
    sums->group = group;
    sums->in_block = sums->sum.calls / (uint64_t)calls;
    return true;
}

/* Returns the row's share of a sum: in proportion to its calls, so that the shares of all rows add
 * up to the sum. */
static uint64_t share_of(const struct trace_sums *sums, uint64_t total, uint64_t calls)
{
    CORE_CHECK(calls > 0);
    unsigned __int128 behind = (unsigned __int128)total * (sums->before + sums->in_block) / calls,
                      ahead = (unsigned __int128)total * sums->before / calls;

    CORE_CHECK(behind >= ahead);
    return (uint64_t)(behind - ahead);
}

static enum core_status call_take(struct trace_sums *sums)
{
    struct trace_sum_call call = {.shape = (uint32_t)sqlite3_column_int64(sums->stmt, 4),
                                  .calls = (uint64_t)sqlite3_column_int64(sums->stmt, 5),
                                  .total = (uint64_t)sqlite3_column_int64(sums->stmt, 6),
                                  .least = (uint64_t)sqlite3_column_int64(sums->stmt, 7),
                                  .most = (uint64_t)sqlite3_column_int64(sums->stmt, 8)};

    if (call.calls > TRACE_SUM_CALLS_MAX || call.total > INT64_MAX || call.least > call.most ||
        call.most > call.total || call.calls < sums->before + sums->in_block ||
        sqlite3_column_int64(sums->stmt, 4) < 1 ||
        sqlite3_column_int64(sums->stmt, 4) >= TRACE_IDS_MAX)
        return trace_damaged(sums->trace, "a loop is invalid");
    call.total = share_of(sums, call.total, call.calls);
    call.calls = sums->in_block;
    return CORE_ARRAY_PUSH(sums->call, sums->call_count, sums->call_room, sums->trace->path, call);
}

static int row_ahead(struct trace_sums *sums)
{
    int code = SQLITE_ROW;

    CORE_CHECK(!sums->ended || !sums->ahead);
    if (sums->ended) /* another step would restart the query */
        return SQLITE_DONE;
    if (!sums->ahead)
        code = core_fault() ? SQLITE_NOMEM : sqlite3_step(sums->stmt);
    sums->ahead = code == SQLITE_ROW;
    sums->ended = code == SQLITE_DONE;
    return code;
}

enum core_status trace_sums_next(struct trace_sums *sums, const struct trace_sum **out_sum)
{
    enum core_status status = CORE_OK;
    int64_t id = -1;
    int code = SQLITE_DONE;

    *out_sum = NULL;
    sums->call_count = 0;
    while (status == CORE_OK && (code = row_ahead(sums)) == SQLITE_ROW) {
        int64_t now = sqlite3_column_int64(sums->stmt, 0);
        if (id >= 0 && now != id)
            break;
        bool first = id < 0;
        id = now;
        sums->sum = (struct trace_sum){.rank = (uint32_t)(id >> SEQ_BITS),
                                       .seq = (uint64_t)id & ((UINT64_C(1) << SEQ_BITS) - 1),
                                       .calls = (uint64_t)sqlite3_column_int64(sums->stmt, 1),
                                       .t_enter = (uint64_t)sqlite3_column_int64(sums->stmt, 2),
                                       .t_leave = (uint64_t)sqlite3_column_int64(sums->stmt, 3)};
        status = sum_is_one(sums, id) && (!first || group_take(sums))
                     ? call_take(sums)
                     : trace_damaged(sums->trace, "a loop is invalid");
        sums->ahead = false;
    }
    if (status == CORE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
        status = trace_failed(sums->trace, code);
    if (status != CORE_OK || !sums->call_count)
        return status;
    CORE_CHECK(sums->call_count <= sums->call_room);
    sums->sum.call = sums->call;
    sums->sum.call_count = sums->call_count;
    *out_sum = &sums->sum;
    return CORE_OK;
}

enum core_status trace_times_needed(const struct trace *trace, const char *what)
{
    return trace->summed
               ? core_report(
                     CORE_BAD_INPUT,
                     "%s needs the times of each call, but '%s' has only their sums for %" PRIu64
                     " calls in loops; record with --times=all",
                     what, trace->path, trace->summed)
               : CORE_OK;
}
