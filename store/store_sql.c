/* The SQLite side of writing a trace. The file is written under another name, without a journal, as
 * one transaction: it is either finished and renamed, or removed. Relies on
 * core/trace/trace_schema.sql for the tables.
 *
 * Invariants
 *  1. The number of values of each row of `insert_text` equals the columns of its table (checked
 *     when it is prepared).
 *  2. Rows are inserted in the order in which they were put, except in tables that have a batch and
 *     also get single rows.
 *  3. Until store_sql_finish succeeds, the file under the trace's own name stays as it was. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/file.h"
#include "store/store_part.h"
#include "core/trace/trace.h"

enum { BATCH_ROWS = 32 };

static const struct {
    const char *table;
    int columns;
    bool batch;
} insert_text[STORE_TABLE_COUNT] = {
    [STORE_META] = {"meta", 2},
    [STORE_RANK] = {"rank", 12},
    [STORE_CALL] = {"call", 7},
    [STORE_SITE] = {"site", 12},
    [STORE_COMM] = {"comm", 8},
    [STORE_COMM_MEMBER] = {"comm_member", 4},
    [STORE_HINT] = {"hint", 4},
    [STORE_GRP] = {"grp", 2},
    [STORE_GRP_MEMBER] = {"grp_member", 3},
    [STORE_WIN_PART] = {"win_part", 3},
    [STORE_WIN] = {"win", 5},
    [STORE_DATATYPE] = {"datatype", 8},
    [STORE_OP] = {"op", 4},
    [STORE_SHAPE] = {"shape", 24, true},
    [STORE_EVENT] = {"event_row", 7, true},
    [STORE_EVENT_PART] = {"event_part", 11},
    [STORE_EVENT_SUM] = {"event_sum", 8},
    [STORE_EVENT_SUM_CALL] = {"event_sum_call", 7},
    [STORE_SLOW_ROUND] = {"slow_round", 5},
    [STORE_LOOP] = {"loop", 3},
    [STORE_LOOP_CALL] = {"loop_call", 6},
    [STORE_COMPLETION] = {"completion_set", 11, true},
    [STORE_ARG] = {"arg_set", 5},
    [STORE_DIGEST] = {"digest", 5},
    [STORE_PAYLOAD] = {"payload", 5},
    [STORE_STACK] = {"stack", 3},
    [STORE_CHANNEL] = {"channel", 5},
    [STORE_MESSAGE] = {"message_row", 6, true},
    [STORE_MESSAGE_PART] = {"message_part", 10},
    [STORE_MISUSE] = {"misuse", 17},
    [STORE_ENDED] = {"ended", 2},
    [STORE_PROOF] = {"proof", 18},
    [STORE_PROOF_RANK] = {"proof_rank", 11},
    [STORE_PROOF_CHANNEL] = {"proof_channel", 6},
    [STORE_PROOF_MEMBER] = {"proof_member", 4},
    [STORE_UNRECEIVED] = {"unreceived", 5},
    [STORE_RANK_SPAN] = {"rank_span", 3},
    [STORE_EXIT_CAUSE] = {"exit_cause", 15},
    [STORE_EXIT_CAUSE_FRAME] = {"exit_cause_frame", 3},
};

static enum core_status sql_failed(struct store_sql *sql, int code)
{
    int error = sql->db ? sqlite3_system_errno(sql->db) : errno;

    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return core_report(CORE_NO_MEMORY, "cannot write the trace '%s': out of memory", sql->path);
    case SQLITE_FULL:
        return core_report(
            CORE_FULL,
            "cannot write the trace '%s': no space left; free some and run 'crosswait recover'",
            sql->path);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return core_report(CORE_IO, "cannot create '%s': %s", sql->partial,
                           error ? strerror(error) : "not permitted");
    default:
        return core_report(CORE_IO, "cannot write the trace '%s': %s", sql->path,
                           sql->db ? sqlite3_errmsg(sql->db) : sqlite3_errstr(code));
    }
}

enum core_status store_sql_run(struct store_sql *sql, const char *text)
{
    int code = core_fault() ? SQLITE_IOERR : sqlite3_exec(sql->db, text, NULL, NULL, NULL);

    return code == SQLITE_OK ? CORE_OK : sql_failed(sql, code);
}

static enum core_status insert_prepare(struct store_sql *sql, int table, int rows,
                                       sqlite3_stmt **out_insert)
{
    char text[64 + BATCH_ROWS * 64];
    int used =
        snprintf(text, sizeof text, "INSERT OR IGNORE INTO %s VALUES ", insert_text[table].table);

    for (int row = 0; row < rows; row++)
        for (int i = 0; i < insert_text[table].columns; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s?%s",
                             i     ? ","
                             : row ? ",("
                                   : "(",
                             i + 1 == insert_text[table].columns ? ")" : "");
    CORE_CHECK(used < (int)sizeof text);
    CORE_CHECK(insert_text[table].table && insert_text[table].columns > 0);
    int code = core_fault() ? SQLITE_NOMEM
                            : sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT,
                                                 out_insert, NULL);
    if (code != SQLITE_OK)
        return sql_failed(sql, code);
    CORE_CHECK(sqlite3_bind_parameter_count(*out_insert) ==
               rows * insert_text[table].columns); /* invariant 1 */
    return CORE_OK;
}

static enum core_status table_prepare(struct store_sql *sql, int table)
{
    struct store_batch *batch = &sql->batch[table];
    enum core_status status = insert_prepare(sql, table, 1, &sql->insert[table]);

    if (status != CORE_OK || !insert_text[table].batch)
        return status;
    batch->value =
        core_alloc((size_t)(BATCH_ROWS * insert_text[table].columns) * sizeof *batch->value);
    if (!batch->value)
        return sql_failed(sql, SQLITE_NOMEM);
    return insert_prepare(sql, table, BATCH_ROWS, &batch->insert);
}

enum core_status store_sql_open(struct store_sql *sql, const char *path, const char *schema)
{
    char versions[128];
    enum core_status status;
    int code, fd;

    memset(sql, 0, sizeof *sql);
    sql->path = path;
    CORE_CHECK(path && schema);
    sql->partial = core_alloc(strlen(path) + sizeof ".partial");
    if (!sql->partial)
        return core_report(CORE_NO_MEMORY, "cannot write the trace '%s': out of memory", path);
    sprintf(sql->partial, "%s.partial", path);
    /* Creates the file before SQLite, which would say only "unable to open". A leftover of a killed
     * writer is useless. */
    fd = core_file_create_new(sql->partial, O_WRONLY);
    if (fd < 0) {
        status = core_report(errno == ENOSPC || errno == EDQUOT ? CORE_FULL : CORE_IO,
                             "cannot create '%s': %s", sql->partial, strerror(errno));
        free(sql->partial);
        sql->partial = NULL;
        return status;
    }
    close(fd);
    code = core_fault()
               ? SQLITE_CANTOPEN
               : sqlite3_open_v2(sql->partial, &sql->db,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX,
                                 NULL);
    if (code != SQLITE_OK) {
        status = sql_failed(sql, code);
        goto undo;
    }
    sqlite3_extended_result_codes(sql->db, 1);
    snprintf(versions, sizeof versions, "PRAGMA application_id=%d; PRAGMA user_version=%d;",
             TRACE_APPLICATION_ID, TRACE_SCHEMA_VERSION);
    status = store_sql_run(
        sql, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
             "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-4000; PRAGMA temp_store=MEMORY;");
    if (status == CORE_OK)
        status = store_sql_run(sql, versions);
    if (status == CORE_OK)
        status = store_sql_run(sql, "BEGIN");
    if (status == CORE_OK)
        status = store_sql_run(sql, schema);
    for (int table = 0; status == CORE_OK && table < STORE_TABLE_COUNT; table++)
        status = table_prepare(sql, table);
    if (status == CORE_OK)
        return CORE_OK;
undo:
    store_sql_abandon(sql);
    return status;
}

static int sql_close(struct store_sql *sql)
{
    for (int table = 0; table < STORE_TABLE_COUNT; table++) {
        sqlite3_finalize(sql->insert[table]);
        sqlite3_finalize(sql->batch[table].insert);
        free(sql->batch[table].value);
        sql->insert[table] = sql->batch[table].insert = NULL;
        sql->batch[table].value = NULL;
    }
    int code = sqlite3_close(sql->db);
    sql->db = NULL;
    return code;
}

void store_sql_abandon(struct store_sql *sql)
{
    sql_close(sql);
    if (sql->partial)
        unlink(sql->partial);
    free(sql->partial);
    sql->partial = NULL;
}

static enum core_status insert_step(struct store_sql *sql, sqlite3_stmt *insert)
{
    int code = core_fault() ? SQLITE_FULL : sqlite3_step(insert);

    if (__builtin_expect(code != SQLITE_DONE, 0)) {
        enum core_status status = sql_failed(sql, code);
        sqlite3_reset(insert);
        return status;
    }
    sqlite3_reset(insert);
    return CORE_OK;
}

enum core_status store_put(struct store_sql *sql, enum store_table table, const char *letters, ...)
{
    sqlite3_stmt *insert = sql->insert[table];
    int code = SQLITE_OK, column = 0;
    va_list values;

    CORE_CHECK(table < STORE_TABLE_COUNT);
    CORE_CHECK((int)strlen(letters) == insert_text[table].columns);
    CORE_CHECK(insert); /* between store_sql_open and store_sql_finish */
    va_start(values, letters);
    for (const char *at = letters; *at && code == SQLITE_OK; at++) {
        column++;
        if (*at == 'i') {
            int64_t value = va_arg(values, int64_t);
            code = value == STORE_NULL ? sqlite3_bind_null(insert, column)
                                       : sqlite3_bind_int64(insert, column, value);
        } else if (*at == 't') {
            code =
                sqlite3_bind_text(insert, column, va_arg(values, const char *), -1, SQLITE_STATIC);
        } else {
            CORE_CHECK(*at == 'b');
            const void *data = va_arg(values, const void *);
            size_t bytes = va_arg(values, size_t);
            code = data ? sqlite3_bind_blob64(insert, column, data, bytes, SQLITE_STATIC)
                        : sqlite3_bind_null(insert, column);
        }
    }
    va_end(values);
    return code == SQLITE_OK ? insert_step(sql, insert) : sql_failed(sql, code);
}

static enum core_status integers_bind(struct store_sql *sql, sqlite3_stmt *insert,
                                      const int64_t *value, int count)
{
    for (int i = 0; i < count; i++) {
        int code = value[i] == STORE_NULL ? sqlite3_bind_null(insert, i + 1)
                                          : sqlite3_bind_int64(insert, i + 1, value[i]);
        if (__builtin_expect(code != SQLITE_OK, 0))
            return sql_failed(sql, code);
    }
    return CORE_OK;
}

static enum core_status integers_insert(struct store_sql *sql, sqlite3_stmt *insert,
                                        const int64_t *value, int count)
{
    enum core_status status = integers_bind(sql, insert, value, count);

    return status != CORE_OK ? status : insert_step(sql, insert);
}

/* Inserts the rows of an incomplete batch one by one. */
static enum core_status batch_flush(struct store_sql *sql, int table)
{
    struct store_batch *batch = &sql->batch[table];
    int columns = insert_text[table].columns;
    enum core_status status = CORE_OK;

    CORE_CHECK(batch->rows < BATCH_ROWS);          /* invariant 2 */
    CORE_CHECK(!batch->rows || batch->value != 0); /* only tables with a batch keep rows back */
    for (int row = 0; status == CORE_OK && row < batch->rows; row++)
        status = integers_insert(sql, sql->insert[table], batch->value + row * columns, columns);
    batch->rows = 0;
    return status;
}

enum core_status store_put_integers(struct store_sql *sql, enum store_table table,
                                    const int64_t *value, int count)
{
    struct store_batch *batch = &sql->batch[table];

    CORE_CHECK(count == insert_text[table].columns);
    CORE_CHECK(batch->rows >= 0 && batch->rows < BATCH_ROWS); /* invariant 2: a full one is put */
    if (!batch->value)
        return integers_insert(sql, sql->insert[table], value, count);
    memcpy(batch->value + batch->rows * count, value, (size_t)count * sizeof *value);
    if (++batch->rows < BATCH_ROWS)
        return CORE_OK;
    batch->rows = 0;
    return integers_insert(sql, batch->insert, batch->value, BATCH_ROWS * count);
}

enum core_status store_sql_finish(struct store_sql *sql)
{
    enum core_status status = CORE_OK;

    for (int table = 0; status == CORE_OK && table < STORE_TABLE_COUNT; table++)
        status = batch_flush(sql, table);
    for (int table = 0; status == CORE_OK && table < STORE_TABLE_COUNT; table++)
        CORE_CHECK(sql->batch[table].rows == 0); /* no row is left */
    if (status == CORE_OK)
        status = store_sql_run(sql, "COMMIT");
    if (status == CORE_OK) {
        int code = sql_close(sql);
        if (code != SQLITE_OK)
            status = sql_failed(sql, code);
    }
    CORE_CHECK(status != CORE_OK || !sql->db); /* invariant 3: closed before the rename */
    if (status == CORE_OK && (core_fault() || rename(sql->partial, sql->path) != 0))
        status = core_report(CORE_IO, "cannot rename '%s' to '%s': %s", sql->partial, sql->path,
                             strerror(errno));
    if (status != CORE_OK) {
        store_sql_abandon(sql);
        return status;
    }
    free(sql->partial);
    sql->partial = NULL;
    return CORE_OK;
}
