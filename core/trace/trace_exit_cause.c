/* Loads how ranks ended from the tables (core/trace/exit_cause.h), and checks their values. */
#include <string.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"

static int64_t number_or(sqlite3_stmt *row, int column, int64_t none)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? none
                                                           : sqlite3_column_int64(row, column);
}

/* Reads one row. Returns false if it makes no sense. */
static bool exit_cause_get(const struct trace *trace, sqlite3_stmt *row, struct exit_cause *cause)
{
    const char *kind = (const char *)sqlite3_column_text(row, 1);
    int64_t rank = sqlite3_column_int64(row, 0);

    *cause = (struct exit_cause){
        .kind = exit_cause_kind_find(kind ? kind : ""),
        .first = sqlite3_column_int64(row, 2) != 0,
        .after = sqlite3_column_int64(row, 3) != 0,
        .at_ns = number_or(row, 4, INT64_MIN),
        .seq = (uint64_t)number_or(row, 5, 0),
        .inside = sqlite3_column_int64(row, 6) != 0,
        .code = number_or(row, 7, INT64_MIN),
        .detail = number_or(row, 8, INT64_MIN),
        .has_address = sqlite3_column_type(row, 9) != SQLITE_NULL,
        .address = (uint64_t)sqlite3_column_int64(row, 9),
        .buffer_seq = (uint64_t)number_or(row, 10, 0),
        .buffer = {[EXIT_CAUSE_BUFFER_SEND] = (uint64_t)number_or(row, 11, 0),
                   [EXIT_CAUSE_BUFFER_RECV] = (uint64_t)number_or(row, 12, 0)},
        .text = (const char *)sqlite3_column_text(row, 13),
        .elsewhere = sqlite3_column_int64(row, 14) != 0,
    };
    if (rank < 0 || rank >= trace->rank_count || cause->kind == EXIT_CAUSE_KIND_COUNT)
        return false;
    cause->rank = (uint32_t)rank;
    return true;
}

static enum core_status frames_get(const struct trace *trace, sqlite3_stmt *frames,
                                   struct exit_cause *cause)
{
    int code = SQLITE_DONE;

    sqlite3_reset(frames);
    sqlite3_bind_int64(frames, 1, cause->rank);
    while (cause->frame_count < EXIT_CAUSE_FRAMES_MAX &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(frames)) == SQLITE_ROW) {
        int64_t site = sqlite3_column_int64(frames, 0);

        if (site < 1 || site >= trace->site_count)
            return trace_damaged(trace, "the causes of ranks' ends are invalid");
        cause->frame[cause->frame_count++] = (int32_t)site;
    }
    CORE_CHECK(cause->frame_count <= EXIT_CAUSE_FRAMES_MAX);
    return code == SQLITE_DONE || code == SQLITE_ROW ? CORE_OK : trace_failed(trace, code);
}

enum core_status trace_exit_causes_each(struct trace *trace, trace_exit_cause_fn fn, void *context)
{
    sqlite3_stmt *row = NULL, *frames = NULL;
    uint32_t next = 0; /* the lowest rank that may follow */
    int code = SQLITE_DONE;
    enum core_status status = trace_prepare(
        trace,
        "SELECT rank, kind, first, after, t, seq, inside, code, detail, address, "
        "buffer_seq, send_buffer, recv_buffer, text, elsewhere FROM exit_cause ORDER BY rank",
        &row);

    if (status == CORE_OK)
        status = trace_prepare(
            trace, "SELECT site FROM exit_cause_frame WHERE rank = ?1 ORDER BY depth", &frames);
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(row)) == SQLITE_ROW) {
        struct exit_cause cause;

        status = exit_cause_get(trace, row, &cause) && cause.rank >= next
                     ? frames_get(trace, frames, &cause)
                     : trace_damaged(trace, "the causes of ranks' ends are invalid");
        if (status == CORE_OK)
            status = fn(&cause, context);
        next = cause.rank + 1;
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(row);
    sqlite3_finalize(frames);
    return status;
}
