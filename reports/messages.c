/* Reads messages from the trace's own tables. The call that completed a receive is the first one
 * behind it that completes its request. */
#include "reports/messages.h"

#include <sqlite3.h>

static const char completions[] = /* columns with types: otherwise the index is not used */
    "CREATE TEMP TABLE completed (rank INTEGER, request INTEGER, id INTEGER); INSERT INTO "
    "temp.completed SELECT e.id >> 40, e.request + d.request_ahead, e.id FROM event_row e "
    "JOIN shape s ON s.id = e.shape JOIN completion_set d ON d.id = s.completions WHERE d.done AND "
    "d.request_ahead IS NOT NULL AND e.t_enter IS NOT NULL; "
    "CREATE INDEX temp.completed_by_request ON completed (rank, request, id)";
#define MESSAGES(count, table)                                                                  \
    "SELECT c.source, c.dest, ss.thread, rs.thread, m.tag, m.bytes, c.inner, s.t_enter, "       \
    "r.t_enter, "                                                                               \
    "r.t_enter + r.duration, s.id, r.id, " count " FROM " table " m "                           \
    "JOIN channel c ON c.id = m.channel JOIN event_row s ON s.id = (c.source << 40) + m.send "  \
    "JOIN "                                                                                     \
    "shape ss ON ss.id = s.shape "                                                              \
    "JOIN event_row p ON p.id = (c.dest << 40) + m.receive "                                    \
    "JOIN event_row r ON r.id = ifnull((SELECT id FROM temp.completed d WHERE d.rank = c.dest " \
    "AND "                                                                                      \
    "d.request = p.request AND d.id > p.id "                                                    \
    "ORDER BY d.id LIMIT 1), p.id) JOIN shape rs ON rs.id = r.shape WHERE (r.duration IS NOT "  \
    "NULL "                                                                                     \
    "OR r.t_enter IS NULL)"
static const char timed[] = MESSAGES("1", "message_timed") " ORDER BY s.t_enter, s.id";
static const char summed[] = MESSAGES("m.messages", "message_summed");

static struct report_message message_of(sqlite3_stmt *row, bool is_summed)
{
    struct report_message message = {.source = (uint32_t)sqlite3_column_int64(row, 0),
                                     .dest = (uint32_t)sqlite3_column_int64(row, 1),
                                     .source_thread = sqlite3_column_int(row, 2),
                                     .dest_thread = sqlite3_column_int(row, 3),
                                     .tag = sqlite3_column_int(row, 4),
                                     .bytes = (uint64_t)sqlite3_column_int64(row, 5),
                                     .inner = sqlite3_column_int(row, 6) != 0,
                                     .t_send = (uint64_t)sqlite3_column_int64(row, 7),
                                     .t_enter = (uint64_t)sqlite3_column_int64(row, 8),
                                     .t_leave = (uint64_t)sqlite3_column_int64(row, 9),
                                     .send_id = (uint64_t)sqlite3_column_int64(row, 10),
                                     .completed_id = (uint64_t)sqlite3_column_int64(row, 11),
                                     .messages = (uint64_t)sqlite3_column_int64(row, 12),
                                     .summed = is_summed};
    return message;
}

static int messages_take(struct trace *trace, const char *sql, bool is_summed, report_message_fn fn,
                         void *context)
{
    sqlite3_stmt *row = NULL;
    int code = sqlite3_prepare_v2(trace->db, sql, -1, &row, NULL);

    while (code == SQLITE_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
        struct report_message message = message_of(row, is_summed);
        code = SQLITE_OK;
        if (message.source < trace->rank_count && message.dest < trace->rank_count)
            fn(&message, context);
    }
    sqlite3_finalize(row);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

enum core_status report_messages_each(struct trace *trace, report_message_fn fn, void *context)
{
    int code = sqlite3_exec(trace->db, completions, NULL, NULL, NULL);

    if (code == SQLITE_OK)
        code = messages_take(trace, timed, false, fn, context);
    if (code == SQLITE_OK)
        code = messages_take(trace, summed, true, fn, context);
    enum core_status status = code == SQLITE_OK
                                  ? CORE_OK
                                  : core_report(CORE_BAD_FORMAT, "cannot read '%s': %s",
                                                trace->path, sqlite3_errmsg(trace->db));
    sqlite3_exec(trace->db, "DROP TABLE IF EXISTS temp.completed", NULL, NULL, NULL);
    return status;
}
