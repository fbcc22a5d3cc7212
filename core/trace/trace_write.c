/* What crosswait adds to a trace: replays that were made, findings of checkers. Holds no state. */
#include <inttypes.h>
#include <string.h>

#include "core/fault.h"
#include "core/trace/trace_part.h"

static enum core_status statement_run(struct trace *trace, sqlite3_stmt *stmt)
{
    int code = core_fault() ? SQLITE_FULL : sqlite3_step(stmt);

    sqlite3_finalize(stmt);
    return code == SQLITE_DONE ? CORE_OK : trace_failed(trace, code);
}

enum core_status trace_finding_add(struct trace *trace, const char *rule, const char *class,
                                   const char *severity, const char *title, const char *ranks,
                                   const char *json, const char *repeat)
{
    const char *value[] = {rule, class, severity, title, ranks, json, repeat};
    sqlite3_stmt *stmt;
    enum core_status status =
        trace_prepare(trace,
                      "INSERT INTO finding (rule, class, severity, title, ranks, json, repeat) "
                      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                      &stmt);

    if (status)
        return status;
    for (int i = 0; i < 7; i++)
        sqlite3_bind_text(stmt, i + 1, value[i], -1, SQLITE_STATIC);
    return statement_run(trace, stmt);
}

enum core_status trace_findings_clear(struct trace *trace)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(trace, "DELETE FROM finding", &stmt);

    return status ? status : statement_run(trace, stmt);
}

enum core_status trace_run_add(struct trace *trace, const char *policy, uint64_t seed,
                               const char *verdict, const char *detail)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(
        trace, "INSERT INTO run (policy, seed, verdict, detail) VALUES (?1, ?2, ?3, ?4)", &stmt);

    if (status)
        return status;
    sqlite3_bind_text(stmt, 1, policy, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 2, (int64_t)seed);
    sqlite3_bind_text(stmt, 3, verdict, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 4, detail, -1, SQLITE_STATIC);
    return statement_run(trace, stmt);
}

enum core_status trace_findings_confirm(struct trace *trace, const char *policy, bool confirmed)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(
        trace, "UPDATE finding SET confirmed = ?1 WHERE instr(repeat, ?2) > 0", &stmt);

    if (status)
        return status;
    sqlite3_bind_int(stmt, 1, confirmed ? 1 : 2);
    sqlite3_bind_text(stmt, 2, policy, -1, SQLITE_STATIC);
    return statement_run(trace, stmt);
}

enum core_status trace_finding_confirmed(struct trace *trace, const char *policy,
                                         int *out_confirmed)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(
        trace,
        "SELECT max(confirmed) FROM finding WHERE instr(repeat, ?1) > 0 AND confirmed IN (1, 2)",
        &stmt);

    if (status != CORE_OK)
        return status;
    sqlite3_bind_text(stmt, 1, policy, -1, SQLITE_STATIC);
    *out_confirmed = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return CORE_OK;
}
