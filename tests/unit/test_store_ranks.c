/* Traces of jobs whose ranks do the same: what they share is stored once, so that a trace hardly
 * grows with the number of ranks, and all views and cursors show each rank's own peers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/random.h"
#include "core/spool/spool_write.h"
#include "core/trace/trace.h"
#include "store/store.h"
#include "tests/unit/meaning.h"

enum { BARRIER = 1, ISEND, IRECV, WAITALL, RECV };
enum { ROUNDS = 1100, RING = 1 << 14, RANKS_MAX = 64 };

static char base[256], path[300];

static struct rank {
    struct spool_writer writer;
    struct core_random random;
    uint64_t seq, now;
    uint32_t request;
    int32_t number, ranks;
} job;

static void define_call(unsigned id, const char *name, unsigned class)
{
    size_t bytes = strlen(name);
    uint32_t words = (uint32_t)(sizeof(struct spool_def_call) + bytes + 7) / 8;
    struct spool_def_call *def = spool_reserve(&job.writer, words);
    const struct call_meaning *meaning = meaning_of(name, class);

    assert_non_null(def);
    memset(def, 0, words * 8ul);
    *def = (struct spool_def_call){
        .head = {SPOOL_DEF_CALL, (uint16_t)words, (uint16_t)id, (uint16_t) class},
        .name_bytes = (uint16_t)bytes,
        .verb = meaning->verb,
        .traits = meaning->traits};
    memcpy(def + 1, name, bytes);
}

static void define(void)
{
    uint32_t words = (uint32_t)(sizeof(struct spool_def_comm) / 8) + (uint32_t)job.ranks / 2;
    struct spool_def_comm *comm = spool_reserve(&job.writer, words);

    assert_non_null(comm);
    *comm = (struct spool_def_comm){.head = {SPOOL_DEF_COMM, (uint16_t)words, SPOOL_COMM_INTRA, 0},
                                    .global = 77,
                                    .id = 1,
                                    .size = (uint32_t)job.ranks,
                                    .count = (uint32_t)job.ranks};
    for (int32_t i = 0; i < job.ranks; i++)
        ((int32_t *)(comm + 1))[i] = i;
    define_call(BARRIER, "MPI_Barrier", EVENT_CLASS_COLL);
    define_call(ISEND, "MPI_Isend", EVENT_CLASS_ISEND);
    define_call(IRECV, "MPI_Irecv", EVENT_CLASS_IRECV);
    define_call(WAITALL, "MPI_Waitall", EVENT_CLASS_WAITALL);
    define_call(RECV, "MPI_Recv", EVENT_CLASS_RECV);
    spool_commit(&job.writer);
}

static struct spool_event enter(unsigned call, int32_t peer)
{
    return (struct spool_event){.head = {SPOOL_EVENT, 8, (uint16_t)call, 0},
                                .seq = ++job.seq,
                                .t_enter = job.now += 100 + core_random_below(&job.random, 200),
                                .site = call,
                                .comm = 1,
                                .peer = peer,
                                .tag = 5,
                                .type = call == BARRIER || call == WAITALL ? 0 : 3,
                                .count = 1,
                                .request = call == ISEND || call == IRECV ? ++job.request : 0};
}

static void leave(struct spool_event event)
{
    event.t_leave = job.now +=
        100 + core_random_below(&job.random, event.head.a == WAITALL ? 90000 : 300);
    assert_true(spool_put_event(&job.writer, &event));
    spool_commit(&job.writer);
}

static void put_done(uint64_t seq, uint32_t index, uint32_t request, int32_t source)
{
    struct spool_done done = {.head = {SPOOL_DONE, 5, 0, 0},
                              .seq = seq,
                              .index = index,
                              .request = request,
                              .source = source,
                              .tag = source < 0 ? 0 : 5,
                              .bytes = source < 0 ? 0 : 4};

    assert_true(spool_put_done(&job.writer, &done));
}

static void wait_both(int32_t source)
{
    struct spool_event event = enter(WAITALL, EVENT_NONE);
    uint32_t value[2] = {job.request - 1, job.request};
    struct spool_list list = {.head = {SPOOL_LIST, 5, SPOOL_LIST_REQUESTS, 4},
                              .seq = event.seq,
                              .argument = 1,
                              .total = 2,
                              .count = 2};

    assert_true(spool_put_list(&job.writer, &list, value));
    put_done(event.seq, 0, value[0], source);
    put_done(event.seq, 1, value[1], EVENT_NONE);
    leave(event);
}

/* All ranks send to the next one and receive from the one before, round after round. At the end all
 * others send to rank 0. */
static void rank_write(int32_t number, int32_t ranks)
{
    int32_t next = (number + 1) % ranks, last = (number + ranks - 1) % ranks;
    int error;

    memset(&job, 0, sizeof job);
    job.number = number;
    job.ranks = ranks;
    job.now = UINT64_C(1) << 40;
    core_random_init(&job.random, (uint64_t)number + 1);
    assert_int_equal(spool_writer_open(&job.writer, base, number, 0, RING, &error), CORE_OK);
    memcpy(job.writer.header->magic, SPOOL_MAGIC, sizeof SPOOL_MAGIC);
    job.writer.header->world_size = ranks;
    job.writer.header->tick_hz = 1000000000;
    define();
    for (int i = 0; i < 4; i++)
        leave(enter(BARRIER, EVENT_NONE));
    for (int i = 0; i < ROUNDS; i++) {
        leave(enter(IRECV, last));
        leave(enter(ISEND, next));
        wait_both(last);
    }
    for (int i = 0; i < 3; i++)
        leave(enter(BARRIER, EVENT_NONE));
    if (number) {
        leave(enter(ISEND, 0));
        struct spool_event event = enter(BARRIER, EVENT_NONE);
        leave(event);
    }
    for (int32_t i = 1; !number && i < ranks; i++) {
        struct spool_event event = enter(RECV, i);
        put_done(event.seq, 0, 0, i);
        leave(event);
    }
    spool_writer_close(&job.writer);
}

static int64_t number(sqlite3 *db, const char *question)
{
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, question, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* Each counts errors. `job` is a table of one row, with the number of ranks. */
static const char *const questions[] = {
    "SELECT count(*) FROM event, job WHERE call = 'MPI_Irecv' AND peer <> (rank + n - 1) % n",
    "SELECT count(*) FROM event, job WHERE call = 'MPI_Isend' AND peer <> (rank + 1) % n AND seq < "
    "3300",
    "SELECT count(*) FROM event e, completion c, job WHERE c.id = e.id AND c.idx = 0 AND e.call = "
    "'MPI_Waitall' AND c.source IS NOT (e.rank + n - 1) % n",
    "SELECT count(*) FROM message, job WHERE dest <> (source + 1) % n AND (dest OR send_seq < "
    "3300)",
    "SELECT count(*) - n * 1100 - n + 1 FROM message, job",
    "SELECT (SELECT count(*) FROM event) - (SELECT sum(events) FROM rank)",
    "SELECT (SELECT sum(calls) FROM event_sum) - (SELECT count(*) FROM event WHERE t_enter IS "
    "NULL)",
    "SELECT count(*) FROM (SELECT id, lag(t_leave) OVER (PARTITION BY rank ORDER BY seq) AS "
    "before, "
    "t_enter FROM event WHERE t_enter NOT NULL) WHERE before >= t_enter",
    "SELECT count(*) FROM (SELECT rank, sum(calls) AS calls FROM spent GROUP BY 1) s JOIN rank r "
    "ON "
    "r.rank = s.rank WHERE s.calls <> r.events",
    "SELECT count(*) FROM event_sum_call c JOIN loop_call l ON l.idx = c.idx JOIN event_sum e ON "
    "e.id = c.event AND l.loop = e.loop JOIN loop o ON o.id = e.loop WHERE c.calls <> (SELECT "
    "sum(calls) / o.calls FROM event_sum WHERE sums = c.event)",
};

/* Cursors show what the views show. */
static void cursors_compare(sqlite3 *db, int32_t ranks)
{
    struct trace trace = {0};
    int64_t peers = 0, sources = 0, peer = 0, source = 0;
    bool more = true;

    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    for (uint32_t rank = 0; rank < (uint32_t)ranks; rank++) {
        struct trace_cursor *cursor;
        struct trace_event event;
        assert_int_equal(trace_cursor_open(&trace, rank, &cursor), CORE_OK);
        while (trace_cursor_next(cursor, &event, &more) == CORE_OK && more) {
            peer = event.peer >= 0 ? event.peer : 0;
            peers += (int64_t)(event.seq % 97) * peer;
            for (uint32_t i = 0; i < event.completion_count; i++) {
                source = event.completion[i].source >= 0 ? event.completion[i].source : 0;
                sources += (int64_t)(event.seq % 97) * source;
            }
        }
        trace_cursor_close(cursor);
    }
    trace_close(&trace);
    assert_int_equal(peers, number(db, "SELECT sum(seq % 97 * ifnull(peer, 0)) FROM event"));
    assert_int_equal(sources,
                     number(db, "SELECT sum(seq % 97 * ifnull(source, 0)) FROM completion"));
}

static int64_t trace_check(int32_t ranks)
{
    char text[100];
    sqlite3 *db;

    for (int32_t i = 0; i < ranks; i++)
        rank_write(i, ranks);
    assert_int_equal(store_write(base, path, NULL), CORE_OK);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    snprintf(text, sizeof text, "CREATE TEMP TABLE job AS SELECT %d AS n", (int)ranks);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (number(db, questions[i]))
            fail_msg("%d ranks: %s", (int)ranks, questions[i]);
    assert_true(number(db, "SELECT count(*) FROM event_listed") > 0);
    assert_true(number(db, "SELECT count(*) FROM event_sum") >= (ranks > 4 ? ranks : 0));
    assert_true(number(db, "SELECT count(*) FROM shape") <
                20 + ranks); /* rank 0 receives from all */
    assert_true(number(db, "SELECT count(*) FROM loop") <= 6);
    int64_t bytes = number(db, "SELECT sum(pgsize) FROM dbstat");
    sqlite3_close(db);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    cursors_compare(db, ranks);
    sqlite3_close(db);
    printf("%d ranks: %d KB\n", (int)ranks, (int)(bytes / 1024));
    return bytes;
}

static void ignore(enum core_status status, const char *message, void *context)
{
    (void)status, (void)context;
    assert_true(*message != 0);
}

static enum core_status rank_read(void)
{
    struct trace trace = {0};
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_open(path, TRACE_READ, &trace);

    if (status != CORE_OK)
        return status;
    status = trace_cursor_open(&trace, 1, &cursor);
    assert_int_equal(status, CORE_OK);
    while (status == CORE_OK && more)
        status = trace_cursor_next(cursor, &event, &more);
    trace_cursor_close(cursor);
    trace_close(&trace);
    return status;
}

/* core/trace/trace_unfold.c invariant 2, of lists */
static void test_damaged(void **state)
{
    static const char *const damage[] = {
        "loop = 1",
        "calls = calls + 1",
        "calls = 0",
        "first = 1",
        "shape_bytes = NULL",
        "shape_bytes = 9",
        "request_bytes = 0",
        "request_bytes = 6, enter_bytes = enter_bytes + request_bytes - 6",
        "times = substr(times, 2)",
        "times = CAST(zeroblob(length(times) - 1) || x'0a' AS BLOB)",
        "times = zeroblob(length(times))",
        "request = 9223372036854775807",
        "request = -1000",
    };
    char text[400];

    (void)state;
    trace_check(4);
    core_report_hook(ignore, NULL);
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        sqlite3 *db;
        assert_int_equal(store_write(base, path, NULL), CORE_OK);
        assert_int_equal(rank_read(), CORE_OK);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        snprintf(
            text, sizeof text,
            "UPDATE event_part SET %s WHERE id = (SELECT max(id) FROM event_part WHERE loop IS "
            "NULL AND request NOT NULL AND id >> 40 = 1)",
            damage[i]);
        assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_changes(db), 1);
        sqlite3_close(db);
        if (rank_read() == CORE_OK)
            fail_msg("%s: not noticed", damage[i]);
    }
    core_report_hook(NULL, NULL);
}

/* store/store_list.c invariant 1, store/store_sum.c invariant 2 */
static void test_ranks(void **state)
{
    (void)state;
    int64_t few = trace_check(4), more = trace_check(16), many = trace_check(RANKS_MAX);

    assert_in_range(more, few * 8 / 10, few * 12 / 10);
    assert_in_range(many, few * 8 / 10, few * 12 / 10);
}

static int setup(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(base, sizeof base, "%s/ranks.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(base))
        return -1;
    snprintf(path, sizeof path, "%s/T.db", base);
    return 0;
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_ranks)};

    return cmocka_run_group_tests(tests, setup, teardown);
}
