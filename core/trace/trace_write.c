/* Adds runs and findings to a trace. Holds no state. */
#include <inttypes.h>
#include <string.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"

static enum core_status statement_run(struct trace *trace, sqlite3_stmt *stmt)
{
    int code = core_fault() ? SQLITE_FULL : sqlite3_step(stmt);

    sqlite3_finalize(stmt);
    return code == SQLITE_DONE ? CORE_OK : trace_failed(trace, code);
}

enum core_status trace_batch_begin(struct trace *trace)
{
    CORE_CHECK(!trace->holds); /* trace_hold forbids writes */
    int code =
        core_fault() ? SQLITE_NOMEM : sqlite3_exec(trace->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

    return code == SQLITE_OK ? CORE_OK : trace_failed(trace, code);
}

enum core_status trace_batch_end(struct trace *trace, enum core_status status)
{
    int code = status != CORE_OK ? SQLITE_OK
               : core_fault()    ? SQLITE_FULL
                                 : sqlite3_exec(trace->db, "COMMIT", NULL, NULL, NULL);

    if (status == CORE_OK && code == SQLITE_OK)
        return CORE_OK;
    if (status == CORE_OK)
        status = trace_failed(trace, code);
    sqlite3_exec(trace->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

enum core_status trace_meta_put(struct trace *trace, const char *key, const char *value)
{
    sqlite3_stmt *stmt;
    enum core_status status =
        trace_prepare(trace,
                      value ? "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)"
                            : "DELETE FROM meta WHERE key = ?1",
                      &stmt);

    if (status != CORE_OK)
        return status;
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    if (value)
        sqlite3_bind_text(stmt, 2, value, -1, SQLITE_STATIC);
    return statement_run(trace, stmt);
}

enum core_status trace_finding_put(struct trace *trace, const struct trace_finding *finding)
{
    const char *text[] = {finding->checker,  finding->rule,   finding->class,
                          finding->severity, finding->title,  finding->ranks,
                          finding->schedule, finding->repeat, finding->json};
    sqlite3_stmt *stmt;
    enum core_status status =
        trace_prepare(trace,
                      "INSERT OR REPLACE INTO finding (id, confirmed, checker, rule, class, "
                      "severity, title, ranks, schedule, repeat, json) "
                      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                      &stmt);

    if (status != CORE_OK)
        return status;
    CORE_CHECK(finding->id >= 1);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        CORE_CHECK(text[i] || i == 6 || i == 7); /* trace_findings_each needs these texts */
    sqlite3_bind_int64(stmt, 1, finding->id);
    sqlite3_bind_int(stmt, 2, finding->confirmed);
    for (int i = 0; i < (int)(sizeof text / sizeof *text); i++)
        sqlite3_bind_text(stmt, i + 3, text[i], -1, SQLITE_STATIC);
    return statement_run(trace, stmt);
}

enum core_status trace_finding_confirm(struct trace *trace, int64_t id, bool confirmed)
{
    sqlite3_stmt *stmt;
    enum core_status status =
        trace_prepare(trace, "UPDATE finding SET confirmed = ?1 WHERE id = ?2", &stmt);

    if (status != CORE_OK)
        return status;
    sqlite3_bind_int(stmt, 1, confirmed ? 1 : 2);
    sqlite3_bind_int64(stmt, 2, id);
    return statement_run(trace, stmt);
}

enum core_status trace_findings_clear(struct trace *trace)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(trace, "DELETE FROM finding", &stmt);

    return status != CORE_OK ? status : statement_run(trace, stmt);
}

enum core_status trace_run_add(struct trace *trace, const char *policy, uint64_t seed,
                               const char *verdict, const char *detail)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(
        trace, "INSERT INTO run (policy, seed, verdict, detail) VALUES (?1, ?2, ?3, ?4)", &stmt);

    if (status != CORE_OK)
        return status;
    sqlite3_bind_text(stmt, 1, policy, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 2, (int64_t)seed);
    sqlite3_bind_text(stmt, 3, verdict, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 4, detail, -1, SQLITE_STATIC);
    return statement_run(trace, stmt);
}

enum core_status trace_findings_each(struct trace *trace, trace_finding_fn fn, void *context)
{
    sqlite3_stmt *stmt;
    int code = SQLITE_DONE;
    enum core_status status =
        trace_prepare(trace,
                      "SELECT id, confirmed, checker, rule, class, severity, title, ranks, "
                      "schedule, repeat, json FROM finding ORDER BY id",
                      &stmt);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *text[9];
        bool whole = true;
        for (int i = 0; i < 9; i++)
            text[i] = (const char *)sqlite3_column_text(stmt, i + 2);
        for (int i = 0; i < 9; i++)
            whole &= text[i] || i == 6 || i == 7;
        status = whole ? fn(&(struct trace_finding){.id = sqlite3_column_int64(stmt, 0),
                                                    .confirmed = sqlite3_column_int(stmt, 1),
                                                    .checker = text[0],
                                                    .rule = text[1],
                                                    .class = text[2],
                                                    .severity = text[3],
                                                    .title = text[4],
                                                    .ranks = text[5],
                                                    .schedule = text[6],
                                                    .repeat = text[7],
                                                    .json = text[8]},
                            context)
                       : trace_damaged(trace, "a finding is not whole");
    }
    sqlite3_finalize(stmt);
    return status != CORE_OK || code == SQLITE_DONE ? status : trace_failed(trace, code);
}
