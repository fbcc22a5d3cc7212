/* Reads the table of misuse that ranks detected (core/trace/misuse.h), and checks its values. */
#include <string.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"

static const char *text_at(sqlite3_stmt *stmt, int column)
{
    return (const char *)sqlite3_column_text(stmt, column);
}

/* Reads one row. Returns false if it makes no sense. */
static bool misuse_get(const struct trace *trace, sqlite3_stmt *row, struct misuse *misuse)
{
    const char *kind = text_at(row, 1), *object = text_at(row, 3);

    *misuse = (struct misuse){.kind = misuse_kind_find(kind ? kind : ""),
                              .other = (uint64_t)sqlite3_column_int64(row, 2),
                              .object = misuse_object_find(object ? object : "")};
    for (int i = 0; i < MISUSE_VALUES; i++)
        misuse->value[i] = sqlite3_column_int64(row, 5 + i);
    for (int i = 0; i < MISUSE_NAMES; i++)
        misuse->name[i] = text_at(row, 10 + i);
    misuse->variable = (struct misuse_variable){text_at(row, 13), text_at(row, 14),
                                                text_at(row, 15), sqlite3_column_int64(row, 16)};
    return misuse->kind < MISUSE_KIND_COUNT && misuse->object < MISUSE_OBJECT_COUNT &&
           trace_column(row, 4, -1, &misuse->site) && misuse->site < (int32_t)trace->site_count;
}

enum core_status trace_misuse_each(struct trace *trace, trace_misuse_fn fn, void *context)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(
        trace,
        "SELECT event, kind, other, object, site, value0, value1, value2, value3, value4, "
        "argument, "
        "name1, name2, variable, variable_type, file, line FROM misuse ORDER BY event, rowid",
        &stmt);
    int code = SQLITE_DONE;
    int64_t last = 0;

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(stmt, 0), rank = id >> 40;
        struct misuse misuse;

        if (id < last || rank >= trace->rank_count || !misuse_get(trace, stmt, &misuse))
            status = trace_damaged(trace, "a record of misuse is invalid");
        else
            status = fn((uint32_t)rank, (uint64_t)id & ((1ull << 40) - 1), &misuse, context);
        last = id;
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(stmt);
    return status;
}

enum core_status trace_received_get(struct trace *trace, uint32_t rank, uint64_t seq,
                                    uint64_t *out_bytes)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(trace,
                                            "SELECT max(m.bytes) FROM message_row m JOIN channel c "
                                            "ON c.id = m.channel WHERE c.dest = ?1 AND "
                                            "m.receive = ?2",
                                            &stmt);

    if (status != CORE_OK)
        return status;
    sqlite3_bind_int64(stmt, 1, rank);
    sqlite3_bind_int64(stmt, 2, (int64_t)seq);
    int code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt);
    if (code != SQLITE_ROW)
        status = trace_failed(trace, code);
    else if (sqlite3_column_type(stmt, 0) != SQLITE_INTEGER)
        status = CORE_NOT_FOUND;
    else
        *out_bytes = (uint64_t)sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return status;
}

/* Tells whether the rank detected a bad argument at this call. */
static enum core_status argument_is_bad(struct trace *trace, const struct trace_event *event,
                                        bool *out_bad)
{
    sqlite3_stmt *stmt;
    enum core_status status =
        trace_prepare(trace, "SELECT kind FROM misuse WHERE event = ?1", &stmt);
    int code = SQLITE_DONE;

    if (status != CORE_OK)
        return status;
    sqlite3_bind_int64(stmt, 1, (int64_t)event->rank << 40 | (int64_t)event->seq);
    while ((code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *text = text_at(stmt, 0);
        enum misuse_kind kind = misuse_kind_find(text ? text : "");

        *out_bad |= kind < MISUSE_KIND_COUNT && misuse_kind_rule(kind) == MISUSE_RULE_ARGUMENT;
    }
    if (code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(stmt);
    return status;
}

enum core_status trace_event_refused(struct trace *trace, const struct trace_event *event,
                                     bool *out_refused)
{
    enum event_rank_state state = trace->rank[event->rank].state;
    bool died =
        state == EVENT_RANK_EXITED || state == EVENT_RANK_ABORTED || state == EVENT_RANK_CRASHED;

    CORE_CHECK(event->rank < trace->rank_count);
    *out_refused = false;
    if (event->pending)
        return died ? argument_is_bad(trace, event, out_refused) : CORE_OK;
    *out_refused = event_refused(event->class, event->error, event->completion_count);
    return CORE_OK;
}
