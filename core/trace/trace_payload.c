/* Reads the recorded contents of buffers. Holds no state. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"
#include "core/trace/trace_payload.h"

static int64_t event_id(uint32_t rank, uint64_t seq)
{
    CORE_CHECK(seq >> 40 == 0);
    return (int64_t)((uint64_t)rank << 40 | seq);
}

enum core_status trace_digest_get(struct trace *trace, uint32_t rank, uint64_t seq, int at,
                                  int buffer, uint64_t *out_digest, uint64_t *out_bytes)
{
    enum core_status status = trace->shapes ? CORE_OK : trace_shapes_open(trace);

    CORE_CHECK(at == SPOOL_AT_POST || at == SPOOL_AT_DONE); /* trace_applied_each reads
                                                               SPOOL_AT_APPLIED */
    CORE_CHECK(buffer == SPOOL_BUFFER_SEND || buffer == SPOOL_BUFFER_RECV);
    if (status != CORE_OK)
        return status;
    sqlite3_stmt **stmt = &trace->shapes->digest_by_event;
    if (!*stmt)
        status = trace_prepare(
            trace, "SELECT digest, bytes FROM digest WHERE event = ?1 AND at = ?2 AND buffer = ?3",
            stmt);
    if (status != CORE_OK)
        return status;
    sqlite3_bind_int64(*stmt, 1, event_id(rank, seq));
    sqlite3_bind_int(*stmt, 2, at);
    sqlite3_bind_int(*stmt, 3, buffer);
    status = CORE_NOT_FOUND;
    if (sqlite3_step(*stmt) == SQLITE_ROW) {
        *out_digest = (uint64_t)sqlite3_column_int64(*stmt, 0);
        *out_bytes = (uint64_t)sqlite3_column_int64(*stmt, 1);
        status = CORE_OK;
    }
    sqlite3_reset(*stmt);
    return status;
}

enum core_status trace_digest_events(struct trace *trace, uint64_t **out_event, uint32_t *out_count)
{
    uint64_t *event = NULL;
    uint32_t count = 0, room = 0;
    int code = SQLITE_DONE;
    sqlite3_stmt *stmt;
    enum core_status status =
        trace_prepare(trace, "SELECT DISTINCT event FROM digest ORDER BY event", &stmt);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW)
        status = CORE_ARRAY_PUSH(event, count, room, "what was kept of buffers",
                                 (uint64_t)sqlite3_column_int64(stmt, 0));
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(stmt);
    if (status != CORE_OK) {
        free(event);
        return status;
    }
    *out_event = event;
    *out_count = count;
    return CORE_OK;
}

enum core_status trace_payload_get(struct trace *trace, uint32_t rank, uint64_t seq, int at,
                                   int buffer, unsigned char **out_data, uint64_t *out_bytes)
{
    uint64_t digest, whole, have = 0;
    unsigned char *data;
    sqlite3_stmt *stmt;
    enum core_status status = trace_digest_get(trace, rank, seq, at, buffer, &digest, &whole);

    if (status != CORE_OK)
        return status;
    if (whole > trace->file_bytes) /* the recorder cut it short: it cannot be in the file */
        return CORE_NOT_FOUND;
    status = trace_prepare(trace,
                           "SELECT offset, data FROM payload WHERE event = ?1 AND at = ?2 AND "
                           "buffer = ?3 ORDER BY offset",
                           &stmt);
    if (status != CORE_OK)
        return status;
    data = core_alloc(whole);
    if (!data) {
        sqlite3_finalize(stmt);
        return core_report(CORE_NO_MEMORY, "out of memory for a buffer's content");
    }
    sqlite3_bind_int64(stmt, 1, event_id(rank, seq));
    sqlite3_bind_int(stmt, 2, at);
    sqlite3_bind_int(stmt, 3, buffer);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        uint64_t offset = (uint64_t)sqlite3_column_int64(stmt, 0),
                 bytes = (uint64_t)sqlite3_column_bytes(stmt, 1);
        const void *part = sqlite3_column_blob(stmt, 1);
        if (offset != have || bytes > whole - have || (bytes && !part))
            break;
        if (bytes)
            memcpy(data + have, part, bytes);
        have += bytes;
        CORE_CHECK(have <= whole);
    }
    sqlite3_finalize(stmt);
    if (have != whole) {
        free(data);
        return CORE_NOT_FOUND;
    }
    *out_data = data;
    *out_bytes = whole;
    return CORE_OK;
}

enum core_status trace_applied_each(struct trace *trace, uint32_t rank, uint64_t seq,
                                    trace_applied_fn fn, void *context)
{
    struct trace_applied applied = {0};
    int expected = SPOOL_BUFFER_IN;
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(
        trace, "SELECT buffer, digest FROM digest WHERE event = ?1 AND at = ?2 ORDER BY rowid",
        &stmt);

    if (status != CORE_OK)
        return status;
    sqlite3_bind_int64(stmt, 1, event_id(rank, seq));
    sqlite3_bind_int(stmt, 2, SPOOL_AT_APPLIED);
    while (status == CORE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        uint64_t digest = (uint64_t)sqlite3_column_int64(stmt, 1);
        if (sqlite3_column_int(stmt, 0) != expected)
            break; /* the record is incomplete */
        if (expected == SPOOL_BUFFER_IN)
            applied.in = digest;
        else if (expected == SPOOL_BUFFER_INOUT)
            applied.inout = digest;
        else
            applied.out = digest;
        CORE_CHECK(expected <= SPOOL_BUFFER_OUT);
        expected = expected == SPOOL_BUFFER_OUT ? SPOOL_BUFFER_IN : expected + 1;
        if (expected == SPOOL_BUFFER_IN)
            status = fn(&applied, context);
    }
    sqlite3_finalize(stmt);
    return status;
}
