/* Fuzzes all code that reads a trace: opening it, its events, every checker with a small budget,
 * the facts of a report and each rendering of them. Random bytes rarely get past SQLite, so most
 * mutations change one value of one row. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check.h"
#include "core/check.h"
#include "core/random.h"
#include "core/trace/trace.h"
#include "fuzz/parser/parser.h"
#include "reports/report.h"

enum { EVENTS_MAX = 1 << 16, SCHEDULES = 20 };

static void read_events(struct trace *trace)
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        struct trace_cursor *cursor;
        struct trace_event event;
        bool more = true;
        if (trace_cursor_open(trace, rank, &cursor) != CORE_OK)
            continue;
        for (int i = 0; i < EVENTS_MAX && more; i++)
            if (trace_cursor_next(cursor, &event, &more) != CORE_OK)
                break;
        trace_cursor_close(cursor);
    }
}

static void render_all(const struct report_facts *facts)
{
    char *text = NULL;
    size_t length;
    for (const struct report_format *format = report_table; format->name; format++) {
        FILE *file = open_memstream(&text, &length);
        CORE_CHECK(file);
        format->render(facts, file);
        fclose(file);
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace trace;
    struct report_facts facts;
    struct finding_list list = {0};
    struct check_options options = {.claims = "MPI_Bcast=bcast.binomial",
                                    .seed = CHECK_SEED_DEFAULT,
                                    .budget_schedules = SCHEDULES};
    char path[256];
    parser_quiet();
    snprintf(path, sizeof path, "%s/trace.db", parser_folder());
    parser_write("trace.db", data, size, 0);
    memset(&trace, 0, sizeof trace);
    if (trace_open(path, TRACE_READ, &trace) != CORE_OK)
        return 0;
    read_events(&trace);
    check_all(&trace, &options, &list);
    if (report_facts_gather(&trace, &list, REPORT_ALL, &facts) == CORE_OK) {
        render_all(&facts);
        report_facts_done(&facts);
    }
    finding_list_done(&list);
    trace_close(&trace);
    return 0;
}

/* --- mutation: one value of one row ----------------------------------------------------------- */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

static void parser_trace_ask(sqlite3 *db, const char *sql, char answer[128])
{
    sqlite3_stmt *statement;
    answer[0] = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        snprintf(answer, 128, "%.127s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
}

static void change_row(sqlite3 *db, struct core_random *random)
{
    static const char *const becomes[] = {"NULL",
                                          "0",
                                          "1",
                                          "2",
                                          "-1",
                                          "-2",
                                          "7",
                                          "300",
                                          "65536",
                                          "1048577",
                                          "2147483647",
                                          "-2147483648",
                                          "4294967296",
                                          "1099511627775",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "'x'",
                                          "''",
                                          "'%s%n\"<&'",
                                          "x'00ff00ff00ff'",
                                          "zeroblob(96)",
                                          "1e300"};
    char sql[1024], table[128], column[128], key[128], value[512];
    unsigned pick = (unsigned)core_random_below(random, 1 << 20);
    snprintf(sql, sizeof sql,
             "SELECT name FROM sqlite_master WHERE type='table' ORDER BY name LIMIT 1 OFFSET %u %% "
             "(SELECT count(*) FROM sqlite_master WHERE type='table')",
             pick);
    parser_trace_ask(db, sql, table);
    snprintf(sql, sizeof sql,
             "SELECT name FROM pragma_table_info('%s') LIMIT 1 OFFSET %u %% (SELECT count(*) FROM "
             "pragma_table_info('%s'))",
             table, pick / 64, table);
    parser_trace_ask(db, sql, column);
    snprintf(sql, sizeof sql, "SELECT name FROM pragma_table_info('%s') WHERE cid = 0", table);
    parser_trace_ask(db, sql, key);
    if (!column[0] || !key[0])
        return;
    snprintf(value, sizeof value, "%s", becomes[pick / 4096 % (sizeof becomes / sizeof *becomes)]);
    uint64_t how = core_random_below(random, 8);
    if (how < 2) /* close to the old value */
        snprintf(value, sizeof value, "\"%s\" %s", column, how ? "+ 1" : "- 1");
    else if (how < 4) /* the value of another row */
        snprintf(value, sizeof value, "(SELECT \"%s\" FROM \"%s\" LIMIT 1 OFFSET %u)", column,
                 table, pick % 32);
    if (core_random_below(random, 12) == 0)
        snprintf(sql, sizeof sql, "DELETE FROM \"%s\" WHERE \"%s\" = ", table, key);
    else
        snprintf(sql, sizeof sql, "UPDATE OR REPLACE \"%s\" SET \"%s\" = %s WHERE \"%s\" = ", table,
                 column, value, key);
    size_t used = strlen(sql);
    snprintf(
        sql + used, sizeof sql - used,
        "(SELECT \"%s\" FROM \"%s\" LIMIT 1 OFFSET %u %% max(1, (SELECT count(*) FROM \"%s\")))",
        key, table, (unsigned)core_random_below(random, 1 << 16), table);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static size_t read_back(const char *path, uint8_t *data, size_t max_size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    size_t got = fread(data, 1, max_size, file);
    bool whole = fgetc(file) == EOF;
    fclose(file);
    return whole ? got : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct core_random random;
    sqlite3 *db;
    char path[256];
    core_random_init(&random, seed);
    if (LLVMFuzzerMutate && core_random_below(&random, 10) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    snprintf(path, sizeof path, "%s/mutant.db", parser_folder());
    parser_write("mutant.db", data, size, 0);
    size_t made = 0;
    if (sqlite3_open(path, &db) == SQLITE_OK) {
        sqlite3_exec(
            db,
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA ignore_check_constraints=1",
            NULL, NULL, NULL);
        for (uint64_t changes = 1 + core_random_below(&random, 3); changes; changes--)
            change_row(db, &random);
    }
    sqlite3_close(db);
    made = read_back(path, data, max_size);
    return made ? made : size;
}
