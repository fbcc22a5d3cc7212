/* Loads how the job was ended from its tables (core/trace/ending.h), and checks them: ranks exist
 * in the trace, texts are known, spans ascend. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/spool/spool_read.h"
#include "core/trace/trace_part.h"

static enum core_status trace_ending_damaged(const struct trace *trace)
{
    return trace_damaged(trace, "the record of how the job was ended is invalid");
}

static const char *text_at(sqlite3_stmt *stmt, int column)
{
    const unsigned char *text = sqlite3_column_text(stmt, column);

    return text ? (const char *)text : "";
}

/* rank_count: of the job whose ranks they are. */
static enum core_status spans_get(const struct trace *trace, sqlite3_stmt *spans, int64_t id,
                                  int64_t rank_count, struct ending *ending)
{
    enum core_status status = CORE_OK;
    int code = SQLITE_DONE;

    sqlite3_reset(spans);
    sqlite3_bind_int64(spans, 1, id);
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(spans)) == SQLITE_ROW) {
        int64_t first = sqlite3_column_int64(spans, 0), last = sqlite3_column_int64(spans, 1);

        if (first < 0 || last >= rank_count || last < first)
            return trace_ending_damaged(trace);
        status = ending_span_add(ending, (struct ending_span){(uint32_t)first, (uint32_t)last});
        if (status == CORE_BAD_FORMAT)
            status = trace_ending_damaged(trace);
    }
    return status != CORE_OK || code == SQLITE_DONE ? status : trace_failed(trace, code);
}

static enum core_status wait_get(const struct trace *trace, sqlite3_stmt *row, sqlite3_stmt *spans,
                                 struct ending *ending)
{
    struct ending_wait wait = {.need = ending_need_find(text_at(row, 5)),
                               .object = ending_object_find(text_at(row, 6)),
                               .global = (uint64_t)sqlite3_column_int64(row, 7),
                               .wildcard = sqlite3_column_int64(row, 9) != 0,
                               .ended = sqlite3_column_int64(row, 10) != 0,
                               .number = (uint64_t)sqlite3_column_int64(row, 14),
                               .rivals = (uint64_t)sqlite3_column_int64(row, 15)};
    enum core_status status;

    if (sqlite3_column_type(row, 13) != SQLITE_NULL)
        wait.basis = ending_basis_find(text_at(row, 13));
    if (sqlite3_column_type(row, 16) != SQLITE_NULL)
        wait.job = ending_job_find(text_at(row, 16));

    if (wait.need == ENDING_NEED_COUNT || wait.job == ENDING_JOB_COUNT ||
        wait.basis == ENDING_BASIS_COUNT || wait.object == ENDING_OBJECT_COUNT ||
        !trace_column(row, 8, EVENT_NONE, &wait.tag))
        return trace_ending_damaged(trace);
    status = ending_wait_add(ending, &wait, NULL, 0);
    return status != CORE_OK
               ? status
               : spans_get(trace, spans, sqlite3_column_int64(row, 11),
                           wait.job == ENDING_JOB_OWN ? trace->rank_count : SPOOL_RANKS_MAX,
                           ending);
}

static enum core_status call_get(const struct trace *trace, sqlite3_stmt *row,
                                 struct ending *ending)
{
    struct ending_call call = {.rank = (uint32_t)sqlite3_column_int64(row, 1),
                               .seq = (uint64_t)sqlite3_column_int64(row, 2),
                               .role = ending_role_find(text_at(row, 4)),
                               .still_ms = (uint64_t)sqlite3_column_int64(row, 12)};
    int64_t rank = sqlite3_column_int64(row, 1);

    if (rank < 0 || rank >= trace->rank_count || call.role == ENDING_ROLE_COUNT)
        return trace_ending_damaged(trace);
    snprintf(call.call, sizeof call.call, "%s", text_at(row, 3));
    return ending_call_add(ending, &call);
}

static enum core_status rows_get(const struct trace *trace, struct ending *ending)
{
    sqlite3_stmt *row = NULL, *spans = NULL;
    int64_t entry = 0;
    int code = SQLITE_DONE;
    enum core_status status =
        trace_prepare(trace,
                      "SELECT entry, rank, seq, call, role, need, object, global, tag, wildcard, "
                      "ended, ranks, still_ms, basis, number, rivals, job FROM proof ORDER BY id",
                      &row);

    if (status == CORE_OK)
        status = trace_prepare(
            trace, "SELECT first, last FROM rank_span WHERE id = ?1 ORDER BY first", &spans);
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(row)) == SQLITE_ROW) {
        if (!entry || sqlite3_column_int64(row, 0) != entry)
            status = call_get(trace, row, ending);
        entry = sqlite3_column_int64(row, 0);
        if (status == CORE_OK && sqlite3_column_type(row, 5) != SQLITE_NULL)
            status = wait_get(trace, row, spans, ending);
        if (status == CORE_OK && ending->span_count > trace->file_bytes)
            status = trace_ending_damaged(trace);
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(row);
    sqlite3_finalize(spans);
    return status;
}

/* --- the evidence of a proof ------------------------------------------------------------------ */

static enum core_status rank_add(const struct trace *trace, sqlite3_stmt *row,
                                 struct ending *ending)
{
    struct ending_rank r = {.rank = (uint32_t)sqlite3_column_int64(row, 0),
                            .standing = ending_standing_find(text_at(row, 1)),
                            .seq = (uint64_t)sqlite3_column_int64(row, 2),
                            .threads = (uint32_t)sqlite3_column_int64(row, 3),
                            .stand = {.look = ending_look_find(text_at(row, 4)),
                                      .still_ms = (uint64_t)sqlite3_column_int64(row, 5),
                                      .still_ms_min = (uint64_t)sqlite3_column_int64(row, 6),
                                      .cpu_ns = (uint64_t)sqlite3_column_int64(row, 7),
                                      .cpu_ns_min = (uint64_t)sqlite3_column_int64(row, 8),
                                      .runs = (uint64_t)sqlite3_column_int64(row, 9),
                                      .runs_min = (uint64_t)sqlite3_column_int64(row, 10)}};

    if (sqlite3_column_int64(row, 0) < 0 || r.rank >= trace->rank_count ||
        r.standing == ENDING_STANDING_COUNT || r.stand.look == ENDING_LOOK_COUNT)
        return trace_ending_damaged(trace);
    return CORE_ARRAY_PUSH(ending->rank, ending->rank_count, ending->rank_room, "a proof", r);
}

static enum core_status channel_add(const struct trace *trace, sqlite3_stmt *row,
                                    struct ending *ending)
{
    struct ending_channel c = {.global = (uint64_t)sqlite3_column_int64(row, 0),
                               .sent = (uint64_t)sqlite3_column_int64(row, 4),
                               .received = (uint64_t)sqlite3_column_int64(row, 5)};

    if (!trace_column(row, 1, EVENT_NONE, &c.source) ||
        !trace_column(row, 2, EVENT_NONE, &c.dest) || !trace_column(row, 3, EVENT_NONE, &c.tag))
        return trace_ending_damaged(trace);
    return CORE_ARRAY_PUSH(ending->channel, ending->channel_count, ending->channel_room, "a proof",
                           c);
}

static enum core_status member_add(const struct trace *trace, sqlite3_stmt *row,
                                   struct ending *ending)
{
    struct ending_member m = {.object = ending_object_find(text_at(row, 0)),
                              .global = (uint64_t)sqlite3_column_int64(row, 1),
                              .rank = (uint32_t)sqlite3_column_int64(row, 2),
                              .entered = (uint64_t)sqlite3_column_int64(row, 3)};

    if (m.object == ENDING_OBJECT_COUNT || m.rank >= trace->rank_count)
        return trace_ending_damaged(trace);
    return CORE_ARRAY_PUSH(ending->member, ending->member_count, ending->member_room, "a proof", m);
}

static enum core_status grounds_get(const struct trace *trace, struct ending *ending)
{
    static const struct {
        const char *query;
        enum core_status (*add)(const struct trace *, sqlite3_stmt *, struct ending *);
    } part[] = {
        {"SELECT rank, standing, seq, threads, look, still_ms, still_ms_min, cpu_ns, "
         "cpu_ns_min, runs, runs_min FROM proof_rank ORDER BY rank",
         rank_add},
        {"SELECT global, source, dest, tag, sent, received FROM proof_channel", channel_add},
        {"SELECT object, global, rank, entered FROM proof_member", member_add}};
    enum core_status status = CORE_OK;

    CORE_CHECK(!ending->rank_count && !ending->channel_count && !ending->member_count);
    for (size_t i = 0; i < sizeof part / sizeof *part && status == CORE_OK; i++) {
        sqlite3_stmt *row;
        int code = SQLITE_DONE;

        status = trace_prepare(trace, part[i].query, &row);
        while (status == CORE_OK &&
               (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(row)) == SQLITE_ROW)
            status = part[i].add(trace, row, ending);
        if (status == CORE_OK && code != SQLITE_DONE)
            status = trace_failed(trace, code);
        sqlite3_finalize(row);
    }
    return status;
}

enum core_status trace_comm_globals(const struct trace *trace, uint64_t **out_global)
{
    uint64_t *global = NULL;
    enum core_status status = CORE_ARRAY_NEW(global, trace->comm_count, "communicators");
    sqlite3_stmt *row = NULL;
    int code = SQLITE_DONE;

    if (status == CORE_OK)
        status = trace_prepare(trace, "SELECT id, global FROM comm", &row);
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(row)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0);

        if (id >= 0 && id < trace->comm_count)
            global[id] = (uint64_t)sqlite3_column_int64(row, 1);
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(row);
    if (status != CORE_OK)
        free(global);
    else
        *out_global = global;
    CORE_CHECK(status != CORE_OK || *out_global || !trace->comm_count);
    return status;
}

enum core_status trace_ending_get(const struct trace *trace, struct ending *out_ending)
{
    struct ending ending = {0};
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(trace, "SELECT reason, limit_ms FROM ended", &stmt);
    int code;

    if (status != CORE_OK)
        return status;
    code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt);
    if (code == SQLITE_ROW) {
        ending.reason = ending_reason_find(text_at(stmt, 0));
        ending.limit_ms = (uint64_t)sqlite3_column_int64(stmt, 1);
        if (ending.reason == ENDING_REASON_COUNT)
            status = trace_ending_damaged(trace);
    } else if (code != SQLITE_DONE) {
        status = trace_failed(trace, code);
    }
    sqlite3_finalize(stmt);
    if (status == CORE_OK && ending.reason != ENDING_NONE)
        status = rows_get(trace, &ending);
    if (status == CORE_OK && ending.reason == ENDING_DEADLOCK)
        status = grounds_get(trace, &ending);
    if (status != CORE_OK)
        ending_done(&ending);
    else
        *out_ending = ending;
    CORE_CHECK(status != CORE_OK || out_ending->reason < ENDING_REASON_COUNT);
    CORE_CHECK(status != CORE_OK || out_ending->reason != ENDING_NONE || !out_ending->call_count);
    return status;
}
