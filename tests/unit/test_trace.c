/* Opens hostile or damaged traces: they must give a sentence and a status, never a crash, a hang or
 * an id out of range. Sound ones are read unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "core/trace/describe.h"
#include "core/random.h"
#include "store/store.h"
#include "core/trace/trace.h"
#include "tests/unit/spool_pair.h"

static char base[256], good[300], other[300];
static char said[1100];

static void hear(enum core_status status, const char *message, void *context)
{
    (void)status, (void)context;
    snprintf(said, sizeof said, "%s", message);
}

static void file_copy(const char *from, const char *to)
{
    static char block[1 << 16];
    FILE *in = fopen(from, "rb"), *out;
    size_t bytes;

    unlink(to); /* some file systems flush a file that is rewritten in place */
    out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    while ((bytes = fread(block, 1, sizeof block, in)))
        assert_int_equal(fwrite(block, 1, bytes, out), bytes);
    fclose(in);
    fclose(out);
}

static enum core_status exit_cause_look(const struct exit_cause *exit_cause, void *context)
{
    (void)context;
    assert_true(exit_cause->kind < EXIT_CAUSE_KIND_COUNT);
    return CORE_OK;
}

static enum core_status misuse_look(uint32_t rank, uint64_t seq, const struct misuse *misuse,
                                    void *context)
{
    (void)context;
    assert_true(seq >> 40 == 0);
    assert_true(rank < 1 << 21 && misuse->kind < MISUSE_KIND_COUNT);
    return CORE_OK;
}

/* Reads everything like a reader, and uses each id. */
static enum core_status read_all(const char *path, uint64_t *out_events)
{
    struct trace trace;
    enum core_status status = trace_open(path, TRACE_READ, &trace);
    char text[512];

    *out_events = 0;
    if (status)
        return status;
    for (uint32_t r = 0; !status && r < trace.rank_count; r++) {
        struct trace_cursor *cursor;
        struct trace_event e;
        bool more = true;
        status = trace_cursor_open(&trace, r, &cursor);
        if (status)
            break;
        while (!(status = trace_cursor_next(cursor, &e, &more)) && more) {
            ++*out_events;
            describe_call(&trace, &e, text, sizeof text);
            trace_site_text(&trace, e.site, text, sizeof text);
            trace_comm_world(&trace, e.comm, (int32_t)r, e.peer);
            if (e.datatype >= 0)
                assert_true(trace.datatype[e.datatype].size >= 0);
        }
        trace_cursor_close(cursor);
    }
    trace_meta(&trace, "notes");
    if (!status)
        status = trace_exit_causes_each(&trace, exit_cause_look, NULL);
    if (!status)
        status = trace_misuse_each(&trace, misuse_look, NULL);
    if (!status) {
        struct ending ending;
        status = trace_ending_get(&trace, &ending);
        if (!status)
            ending_done(&ending);
    }
    trace_close(&trace);
    return status;
}

/* Makes `other`: the good trace, changed by this SQL. */
static void tamper(const char *sql)
{
    sqlite3 *db;

    file_copy(good, other);
    assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY", NULL, NULL, NULL);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void expect_refused(const char *sql, enum core_status status, const char *sentence)
{
    uint64_t events;

    tamper(sql);
    said[0] = 0;
    enum core_status got = read_all(other, &events);
    if (got != status || !strstr(said, sentence))
        fail_msg("%s: status %d, said '%s'", sql, got, said);
}

static void test_good(void **state)
{
    uint64_t events;

    (void)state;
    assert_int_equal(read_all(good, &events), CORE_OK);
    assert_int_equal(events, 14);
}

/* Counts the events of rank r whose calls have one of the traits, by the cursor or by a look at
 * all.
 */
static uint32_t events_with(struct trace *trace, uint32_t r, uint64_t traits, bool only,
                            uint64_t *out_seqs)
{
    struct trace_cursor *cursor;
    struct trace_event e;
    bool more = true;
    uint32_t count = 0;

    assert_int_equal(trace_cursor_open(trace, r, &cursor), CORE_OK);
    if (only)
        trace_cursor_only(cursor, traits);
    *out_seqs = 0;
    while (!trace_cursor_next(cursor, &e, &more) && more)
        if (only || e.traits & traits) {
            count++;
            *out_seqs = *out_seqs * 31 + e.seq;
        }
    trace_cursor_close(cursor);
    return count;
}

/* Returns a hash of an event. */
static uint64_t event_sum(const struct trace_event *e)
{
    const uint64_t part[] = {e->seq,
                             e->parent,
                             e->request,
                             e->t_enter,
                             e->t_leave,
                             e->repeat,
                             (uint64_t)e->pending,
                             (uint64_t)e->call,
                             (uint64_t)e->peer,
                             (uint64_t)e->tag};
    uint64_t sum = 0;

    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        sum = sum * 1000003 + part[i];
    for (uint32_t i = 0; i < e->completion_count; i++)
        sum = sum * 1000003 + e->completion[i].request;
    return sum;
}

static uint64_t rank_sum(struct trace *trace, uint32_t r)
{
    struct trace_cursor *cursor;
    struct trace_event e;
    uint64_t sum = 0;
    bool more = true;

    assert_int_equal(trace_cursor_open(trace, r, &cursor), CORE_OK);
    while (!trace_cursor_next(cursor, &e, &more) && more)
        sum = sum * 31 + event_sum(&e);
    trace_cursor_close(cursor);
    return sum;
}

/* The first cursor reads from SQLite, the second from the kept rows; single events likewise. A
 * cursor that is closed before its end keeps nothing. */
static void expect_rows_are_kept(const char *path)
{
    struct trace trace;

    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    for (uint32_t r = 0; r < trace.rank_count; r++) {
        struct trace_event first, e;
        struct trace_cursor *cursor, *early;
        bool more;
        assert_int_equal(trace_cursor_open(&trace, r, &cursor), CORE_OK);
        assert_int_equal(trace_cursor_next(cursor, &first, &more), CORE_OK);
        trace_cursor_close(cursor);
        assert_int_equal(trace_event_get(&trace, r, first.seq, &first), CORE_OK);
        assert_int_equal(trace_cursor_open(&trace, r, &early), CORE_OK);
        uint64_t sum = rank_sum(&trace, r);
        assert_true(sum != 0 && rank_sum(&trace, r) == sum);
        while (!trace_cursor_next(early, &e, &more) && more) /* it began before rows were kept */
            continue;
        trace_cursor_close(early);
        assert_true(rank_sum(&trace, r) == sum);
        assert_int_equal(trace_event_get(&trace, r, first.seq, &e), CORE_OK);
        assert_true(event_sum(&e) == event_sum(&first));
        assert_int_equal(trace_event_get(&trace, r, 1 << 30, &e), CORE_NOT_FOUND);
    }
    trace_close(&trace);
}

/* Calls of many seconds, polls that were folded, requests of large numbers and calls that did not
 * return are kept as they are, like all others (core/trace/trace_row.c invariant 1). */
static void test_rows_are_kept(void **state)
{
    static const char *const odd[] = {
        "duration = 4294967294",
        "duration = 4294967295",
        "duration = 4294967296",
        "duration = 99000000000",
        "duration = NULL",
        "repeat = 70000",
        "request = 4294967295",
        "request = 4294967296",
        "request = NULL",
        "request = 1 << 45",
        "repeat = 2, request = 7",
        "repeat = 1",
        "tag = 7",
        "tag = 7, repeat = 2",
    };

    (void)state;
    expect_rows_are_kept(good);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int every = 1; every <= 3; every++) {
            char sql[128];
            snprintf(sql, sizeof sql, "UPDATE event_row SET %s WHERE id %% %d = 0", odd[i], every);
            tamper(sql);
            expect_rows_are_kept(other);
        }
}

/* However many cursors read at once, and whatever the limit: the same events, and no more rows are
 * held than that (core/trace/trace_cursor.c invariant 4). */
static void test_rows_kept_have_a_limit(void **state)
{
    (void)state;
    for (uint32_t limit = 0; limit < 12; limit++) {
        struct trace_cursor *cursor[2][2];
        struct trace_event e;
        struct trace trace;
        uint64_t count = 0, expected = 0;
        bool more[4] = {true, true, true, true};
        assert_int_equal(trace_open(good, TRACE_READ, &trace), CORE_OK);
        assert_true(trace.rank_count >= 2);
        trace.rows_kept_max = limit;
        for (int i = 0; i < 4; i++)
            assert_int_equal(trace_cursor_open(&trace, i / 2, &cursor[i / 2][i % 2]), CORE_OK);
        while (more[0] || more[1] || more[2] || more[3]) /* one event of each in turn */
            for (int i = 0; i < 4; i++) {
                if (more[i])
                    assert_int_equal(trace_cursor_next(cursor[i / 2][i % 2], &e, &more[i]),
                                     CORE_OK);
                count += more[i];
            }
        for (int i = 0; i < 4; i++)
            trace_cursor_close(cursor[i / 2][i % 2]);
        for (uint32_t r = 0; r < 2; r++) {
            struct trace_cursor *again;
            bool next = true;
            assert_int_equal(trace_cursor_open(&trace, r, &again), CORE_OK);
            while (!trace_cursor_next(again, &e, &next) && next)
                expected += 2;
            trace_cursor_close(again);
        }
        assert_int_equal(count, expected);
        trace_close(&trace);
    }
}

static void test_only_some_calls(void **state)
{
    static const uint64_t wanted[] = {TRAIT_BIT(SENDS), TRAIT_BIT(COLLECTIVE),
                                      TRAIT_BIT(SENDS) | TRAIT_BIT(RECEIVES), TRAITS_COMPLETE,
                                      TRAIT_BIT(FREES_INFO)};
    struct trace trace;
    uint32_t found = 0;

    (void)state;
    assert_int_equal(trace_open(good, TRACE_READ, &trace), CORE_OK);
    for (uint32_t r = 0; r < trace.rank_count; r++)
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            uint64_t seqs, all_seqs;
            uint32_t count = events_with(&trace, r, wanted[i], true, &seqs);
            assert_int_equal(count, events_with(&trace, r, wanted[i], false, &all_seqs));
            assert_true(seqs == all_seqs);
            found += count > 0;
        }
    assert_true(found >= 4);
    trace_close(&trace);
}

static void test_tampered(void **state)
{
    static const char *const proof_row[] = {
        "(1, 1, 9, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "NULL)",
        "(1, 1, -1, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "NULL)",
        "(1, 1, 0, 1, 'MPI_Recv', 'odd', NULL, 'message', 'comm', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "NULL)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'odd', 'comm', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "NULL)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'odd', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "NULL)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 9876543210, 0, 0, 1, "
        "'unsent', 0, 0, NULL)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 2, 'unsent', 0, 0, "
        "NULL)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 3, 'unsent', 0, 0, "
        "NULL)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 4, 'unsent', 0, 0, "
        "NULL)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 1, 'odd', 0, 0, "
        "NULL)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "NULL); "
        "INSERT INTO proof_rank VALUES (9, 'still', 1, 1, 'ran', 0, 0, 0, 0, 0, 0)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "NULL); "
        "INSERT INTO proof_rank VALUES (0, 'odd', 1, 1, 'ran', 0, 0, 0, 0, 0, 0)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "NULL); "
        "INSERT INTO proof_channel VALUES (1, 0, 9876543210, 0, 0, 0)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "NULL); "
        "INSERT INTO proof_member VALUES ('odd', 0, 0, 0)",
        "(1, 1, 0, 1, 'MPI_Recv', 'core', NULL, 'message', 'comm', 1, 0, 0, 0, 1, 'unsent', 0, 0, "
        "'odd')",
    };

    (void)state;
    for (int newer = 0; newer < 2; newer++) {
        int version = TRACE_SCHEMA_VERSION + (newer ? 1 : -1);
        char sql[64], sentence[64];
        snprintf(sql, sizeof sql, "PRAGMA user_version = %d", version);
        snprintf(sentence, sizeof sentence, "%s version %d", newer ? "newer" : "older", version);
        expect_refused(sql, CORE_BAD_VERSION, sentence);
    }
    expect_refused("PRAGMA application_id = 1", CORE_BAD_FORMAT, "another program");
    expect_refused("DELETE FROM rank", CORE_BAD_FORMAT, "no ranks");
    expect_refused("DELETE FROM rank WHERE rank = 0", CORE_BAD_FORMAT, "ranks");
    expect_refused("UPDATE rank SET rank = 1000000000000 WHERE rank = 1", CORE_BAD_FORMAT,
                   "out of range");
    expect_refused("UPDATE rank SET state = 'odd'", CORE_BAD_FORMAT, "unknown state");
    expect_refused("UPDATE call SET class = 'odd' WHERE id = 1", CORE_BAD_FORMAT, "unknown kind");
    expect_refused("UPDATE call SET mode = 9 WHERE id = 1", CORE_BAD_FORMAT, "unknown kind");
    expect_refused("UPDATE call SET verb = 'odd' WHERE id = 1", CORE_BAD_FORMAT, "unknown kind");
    expect_refused("UPDATE call SET traits = 'sends,odd' WHERE id = 1", CORE_BAD_FORMAT,
                   "unknown kind");
    expect_refused("UPDATE call SET id = 16000000 WHERE id = 1", CORE_BAD_FORMAT, "out of range");
    expect_refused("UPDATE call SET id = -5 WHERE id = 1", CORE_BAD_FORMAT, "out of range");
    expect_refused("DELETE FROM call WHERE name = 'MPI_Isend'", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE comm SET size = 2000000000", CORE_BAD_FORMAT, "impossible members");
    expect_refused("UPDATE comm SET size = -1", CORE_BAD_FORMAT, "impossible members");
    expect_refused("UPDATE comm SET size = 1", CORE_BAD_FORMAT, "impossible members");
    expect_refused("UPDATE comm_member SET side = 1", CORE_BAD_FORMAT, "impossible members");
    expect_refused("UPDATE comm SET parent = 77", CORE_BAD_FORMAT, "impossible members");
    expect_refused("UPDATE datatype SET size = -8", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE datatype SET map = x'00112233'", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE datatype SET map = zeroblob(16) || x'ffffffffffffffff0000ffffffffffff'",
                   CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET call = 'MPI_Send'", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET comm = 9", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET peer = 99999999999", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET datatype = -3", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET bytes = -1", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET op = 40", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET site = 40", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET parent_back = 1000", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET win = 16777216", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE shape SET win = 2147483647", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE event_row SET shape = 1000", CORE_BAD_FORMAT, "no shape");
    expect_refused("UPDATE event_row SET shape = 0; UPDATE shape SET id = 0 WHERE id = 1",
                   CORE_BAD_FORMAT, "no shape");
    expect_refused(
        "CREATE TABLE twice AS SELECT * FROM exit_cause; DROP TABLE exit_cause; ALTER TABLE twice "
        "RENAME TO exit_cause; INSERT INTO exit_cause (rank, kind, first, after, inside, "
        "elsewhere) VALUES "
        "(0, 'exit', 0, 0, 0, 0), (0, 'exit', 0, 0, 0, 0)",
        CORE_BAD_FORMAT, "causes of ranks' ends");
    expect_refused("INSERT INTO misuse (event, kind, object) VALUES (1099511627777, 'handle-null', "
                   "'comm'), (x'31', 'handle-null', 'comm')",
                   CORE_BAD_FORMAT, "misuse is invalid");
    expect_refused("UPDATE event_row SET t_enter = -1", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE event_row SET duration = -1", CORE_BAD_FORMAT, "invalid");
    expect_refused("UPDATE completion_set SET idx = -1 WHERE idx = 0", CORE_BAD_FORMAT,
                   "completion is invalid");
    expect_refused("UPDATE completion_set SET source = 'me'", CORE_BAD_FORMAT,
                   "completion is invalid");
    expect_refused("INSERT INTO ended VALUES ('odd', 1)", CORE_BAD_FORMAT, "ended is invalid");
    for (size_t i = 0; i < sizeof proof_row / sizeof *proof_row; i++) {
        char sql[400];
        snprintf(sql, sizeof sql,
                 "INSERT INTO ended VALUES ('deadlock', NULL); INSERT INTO rank_span VALUES (1, 0, "
                 "0), (2, 0, 99), (3, 1, 0), (4, 0, 0), (4, 1, 1); INSERT INTO proof VALUES %s",
                 proof_row[i]);
        expect_refused(sql, CORE_BAD_FORMAT, "ended is invalid");
    }
    expect_refused("CREATE TRIGGER t AFTER INSERT ON finding BEGIN SELECT 1; END", CORE_BAD_FORMAT,
                   "tables");
    expect_refused("DROP TABLE event_row; CREATE VIEW event_row AS WITH RECURSIVE c(id) AS (SELECT "
                   "1 UNION ALL SELECT id FROM c) "
                   "SELECT id, 1 AS shape, 1 AS request, 1 AS t_enter, 1 AS duration FROM c",
                   CORE_BAD_FORMAT, "tables");
    expect_refused("DROP TABLE shape; CREATE TABLE shape(id INTEGER PRIMARY KEY)", CORE_BAD_FORMAT,
                   "damaged");
}

/* Sets of texts come first: they are not among the numbers, which are looked up together if there
 * are many. */
static void test_texts_before_numbers(void **state)
{
    int64_t *value;
    uint32_t count;
    struct trace trace;
    sqlite3 *db;

    (void)state;
    file_copy(good, other);
    assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "DELETE FROM arg_set; INSERT INTO arg_set (id, name, idx, value) "
                     "VALUES (1, 'service', 0, 'a'), (1, "
                     "'port', 0, 'b'), (2, 'n', 0, 5), (2, 'port', 0, 'b'), (3, 'n', 0, 6), (3, "
                     "'n', 1, 7); UPDATE shape SET args = 3",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(trace_open(other, TRACE_READ, &trace), CORE_OK);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(trace_arg_get(&trace, 0, 1, "n", &value, &count), CORE_OK);
        assert_int_equal(count, 2);
        assert_int_equal(value[0], 6);
        assert_int_equal(value[1], 7);
        free(value);
    }
    trace_close(&trace);
}

/* Puts values of the widest range everywhere: they are refused, or read within bounds. */
static void test_wild_values(void **state)
{
    static const char *const column[] = {"event_row.request",   "event_row.t_enter",
                                         "event_row.duration",  "event_row.shape",
                                         "event_row.tag",       "shape.call",
                                         "shape.comm",          "shape.win",
                                         "shape.peer",          "shape.near",
                                         "shape.tag",           "shape.datatype",
                                         "shape.count",         "shape.bytes",
                                         "shape.root",          "shape.op",
                                         "shape.site",          "shape.thread",
                                         "shape.error",         "shape.parent_back",
                                         "shape.recv_peer",     "shape.recv_datatype",
                                         "shape.recv_count",    "shape.recv_bytes",
                                         "shape.completions",   "shape.many",
                                         "shape.args",          "completion_set.request_ahead",
                                         "completion_set.near", "completion_set.bytes",
                                         "completion_set.tag",  "rank.code",
                                         "rank.events",         "rank.lost",
                                         "rank.host",           "datatype.extent",
                                         "datatype.name",       "comm.name",
                                         "comm.kind",           "comm.remote_size",
                                         "comm.topology",       "op.name",
                                         "meta.value",          "call.name"};
    static const char *const value[] = {"-1",
                                        "0",
                                        "9223372036854775807",
                                        "-9223372036854775807",
                                        "2147483648",
                                        "1.5",
                                        "'text'",
                                        "x'00ff'",
                                        "NULL",
                                        "-32768",
                                        "zeroblob(100000)"};
    int done = 0;

    (void)state;
    for (size_t c = 0; c < sizeof column / sizeof *column; c++)
        for (size_t v = 0; v < sizeof value / sizeof *value; v++) {
            char sql[256], table[64];
            uint64_t events;
            sqlite3 *db;
            int dot = (int)strcspn(column[c], ".");
            snprintf(table, sizeof table, "%.*s", dot, column[c]);
            snprintf(sql, sizeof sql,
                     "PRAGMA ignore_check_constraints=1; UPDATE OR IGNORE %s SET %s = %s", table,
                     column[c] + dot + 1, value[v]);
            file_copy(good, other);
            assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
            sqlite3_exec(db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY", NULL, NULL,
                         NULL);
            sqlite3_exec(db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY", NULL, NULL,
                         NULL);
            sqlite3_exec(db, sql, NULL, NULL, NULL);
            sqlite3_close(db);
            done += read_all(other, &events) == CORE_OK;
        }
    assert_true(done > 100);
}

static void test_damaged(void **state)
{
    struct core_random random;
    struct stat about;
    int refused = 0;

    (void)state;
    core_random_init(&random, 3);
    assert_int_equal(stat(good, &about), 0);
    for (int i = 0; i < 1500; i++) {
        uint64_t events;
        file_copy(good, other);
        FILE *file = fopen(other, "r+b");
        for (uint64_t k = 1 + core_random_below(&random, 10); k; k--) {
            /* half of the time in what SQLite calls page headers and cells of the schema's and the
             * first tables' pages */
            uint64_t span = core_random_below(&random, 2) ? 4000 : (uint64_t)about.st_size;
            fseek(file, (long)core_random_below(&random, span), SEEK_SET);
            putc((int)core_random_below(&random, 256), file);
        }
        fclose(file);
        refused += read_all(other, &events) != CORE_OK;
    }
    assert_true(refused > 100);
    for (off_t bytes = 0; bytes < about.st_size; bytes += 1111) {
        uint64_t events;
        file_copy(good, other);
        assert_int_equal(truncate(other, bytes), 0);
        assert_int_equal(read_all(other, &events), CORE_BAD_FORMAT);
    }
}

static const struct trace_finding a_finding = {.id = 1,
                                               .checker = "deadlock",
                                               .rule = "deadlock",
                                               .class = "c",
                                               .severity = "note",
                                               .title = "it's \"one\"",
                                               .ranks = "0,1",
                                               .json = "{}"};

static enum core_status finding_look(const struct trace_finding *finding, void *context)
{
    struct trace_finding *seen = context;

    assert_in_range(finding->id, 1, 2);
    seen[finding->id - 1] = *finding;
    return CORE_OK;
}

static void test_findings(void **state)
{
    struct trace_finding finding = a_finding, seen[2] = {0};
    struct trace trace;

    (void)state;
    file_copy(good, other);
    assert_int_equal(trace_open(other, TRACE_WRITE, &trace), CORE_OK);
    assert_int_equal(trace_finding_put(&trace, &finding), CORE_OK);
    assert_int_equal(trace_findings_clear(&trace), CORE_OK);
    finding.id = 2;
    finding.title = "old";
    assert_int_equal(trace_finding_put(&trace, &finding), CORE_OK);
    finding.title = "new";
    assert_int_equal(trace_finding_put(&trace, &finding), CORE_OK);
    assert_int_equal(trace_run_add(&trace, "rendezvous", UINT64_MAX, "deadlock", NULL), CORE_OK);
    trace_close(&trace);
    assert_int_equal(trace_open(other, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(trace_findings_each(&trace, finding_look, seen), CORE_OK);
    assert_int_equal(seen[0].id, 0);
    assert_int_equal(seen[1].id, 2);
    said[0] = 0;
    assert_int_not_equal(trace_finding_put(&trace, &finding), CORE_OK);
    assert_true(said[0] != 0);
    trace_close(&trace);
}

/* The schedule of the first finding is the beginning of the second's: a confirmation of one does
 * not count for the other. */
static void test_findings_are_confirmed_by_id(void **state)
{
    struct trace_finding finding = a_finding, seen[2];
    struct trace trace;

    (void)state;
    for (int first = 0; first < 2; first++) {
        file_copy(good, other);
        assert_int_equal(trace_open(other, TRACE_WRITE, &trace), CORE_OK);
        finding.id = 1;
        finding.schedule = "buffering=eager order=list:0.1=1";
        finding.repeat = "crosswait replay 'T.db' --policy='buffering=eager order=list:0.1=1'";
        assert_int_equal(trace_finding_put(&trace, &finding), CORE_OK);
        finding.id = 2;
        finding.schedule = "buffering=eager order=list:0.1=10";
        finding.repeat = "crosswait replay 'T.db' --policy='buffering=eager order=list:0.1=10'";
        assert_int_equal(trace_finding_put(&trace, &finding), CORE_OK);
        assert_int_equal(trace_finding_confirm(&trace, first + 1, first == 0), CORE_OK);
        assert_int_equal(trace_findings_each(&trace, finding_look, seen), CORE_OK);
        assert_int_equal(seen[first].confirmed, first + 1);
        assert_int_equal(seen[!first].confirmed, 0);
        trace_close(&trace);
    }
}

static int setup(void **state)
{
    const char *tmp = getenv("TMPDIR");
    char folder[300];

    (void)state;
    snprintf(base, sizeof base, "%s/trace.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(base))
        return -1;
    snprintf(folder, sizeof folder, "%s/spool", base);
    snprintf(good, sizeof good, "%s/good.db", base);
    snprintf(other, sizeof other, "%s/other.db", base);
    core_report_hook(hear, NULL);
    return pair_write(folder) && store_write(folder, good, NULL) == CORE_OK ? 0 : -1;
}

static int teardown(void **state)
{
    char command[320];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_rows_are_kept),
        cmocka_unit_test(test_rows_kept_have_a_limit),
        cmocka_unit_test(test_only_some_calls),
        cmocka_unit_test(test_tampered),
        cmocka_unit_test(test_texts_before_numbers),
        cmocka_unit_test(test_wild_values),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_findings_are_confirmed_by_id),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
