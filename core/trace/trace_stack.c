/* Reads the call stacks of calls (table stack). */
#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"

enum core_status trace_made_in(struct trace *trace, const char *function, trace_made_in_fn fn,
                               void *context)
{
    sqlite3_stmt *row;
    enum core_status status =
        trace_prepare(trace,
                      "SELECT DISTINCT t.event FROM stack t JOIN site s ON s.id = t.site WHERE "
                      "s.function = ?1 ORDER BY t.event",
                      &row);
    int code = SQLITE_DONE;

    if (status != CORE_OK)
        return status;
    sqlite3_bind_text(row, 1, function, -1, SQLITE_TRANSIENT);
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(row)) == SQLITE_ROW) {
        const int64_t id = sqlite3_column_int64(row, 0);

        if (id < 0 || id >> 40 >= trace->rank_count)
            status = trace_damaged(trace, "the stack of a call is invalid");
        else
            status = fn((uint32_t)(id >> 40), (uint64_t)id & ((UINT64_C(1) << 40) - 1), context);
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(row);
    return status;
}
