/* Spools to a trace: two ranks that talk, read back through cursors and SQL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "core/store.h"
#include "core/trace.h"
#include "tests/unit/spool_pair.h"

static char base[256];

static int64_t ask(struct trace *trace, const char *question)
{
    sqlite3_stmt *stmt;
    int64_t answer;

    assert_int_equal(sqlite3_prepare_v2(trace->db, question, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    answer = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return answer;
}

static void test_pair(void **state)
{
    char folder[300], path[300];
    struct trace trace;
    struct trace_cursor *cursor;
    struct trace_event e;
    bool more;

    (void)state;
    snprintf(folder, sizeof folder, "%s/pair", base);
    snprintf(path, sizeof path, "%s/pair.db", base);
    assert_true(pair_write(folder));
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(trace.rank_count, 2);
    assert_int_equal(trace.rank[1].state, EVENT_RANK_FINISHED);
    assert_int_equal(trace.rank[0].events, 8);

    assert_int_equal(trace_cursor_open(&trace, 0, &cursor), CORE_OK);
    for (uint64_t seq = 1;; seq++) {
        assert_int_equal(trace_cursor_next(cursor, &e, &more), CORE_OK);
        if (!more) {
            assert_int_equal(seq, 9);
            break;
        }
        assert_int_equal(e.seq, seq);
        if (seq == 2) {
            assert_string_equal(trace.call[e.call].name, "MPI_Isend");
            assert_int_equal(e.peer, 1);
            assert_int_equal(e.tag, 7);
            assert_int_equal(e.bytes, 88);
            assert_int_equal(e.request, 101);
            assert_false(e.pending);
            assert_int_equal(e.t_leave - e.t_enter, 50);
        } else if (seq == 4) {
            assert_int_equal(e.request, 0);
            assert_int_equal(e.completion_count, 3);
            assert_int_equal(e.completion[2].request, 102);
            assert_true(e.completion[2].done);
        } else if (seq == 5) {
            assert_int_equal(e.completion_count, 1);
            assert_int_equal(e.completion[0].source, 1);
            assert_int_equal(e.completion[0].tag, 9);
            assert_int_equal(e.completion[0].bytes, 16);
        } else if (seq == 6) {
            assert_int_equal(e.tag, EVENT_NONE);
            assert_string_equal(trace.op_name[e.op], "MPI_SUM");
        } else if (seq == 7) {
            assert_int_equal(e.parent, 6);
        }
    }
    trace_cursor_close(cursor);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM message WHERE inner = 0"), 4);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM message WHERE send_id IS NOT NULL AND recv_id IS NOT NULL"), 4);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM message WHERE recv_seq IS NULL AND inner = 1"), 1);
    assert_int_equal(ask(&trace, "SELECT send_seq FROM message WHERE dest = 1 AND recv_seq = 3"), 3);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM collective"), 2);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM wait"), 10);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM completion"), 7);
    trace_close(&trace);
}

/* A rank that kept only the newest records, its definitions in a lane of their own. */
static void test_last(void **state)
{
    char folder[300], path[300];
    struct spool_event e;
    struct trace trace;
    struct writer w;

    (void)state;
    snprintf(folder, sizeof folder, "%s/last", base);
    snprintf(path, sizeof path, "%s/last.db", base);
    writer_open(&w, folder, 0, 1, 9);
    pair_define(&w);
    assert_true(writer_close(&w));
    writer_open(&w, folder, 0, 1, 0);
    w.header.flags = SPOOL_FLAG_LAST;
    for (int i = 0; i < 3000; i++) {
        e = pair_message(&w, SEND, 0, 1, 1);
        writer_event(&w, e);
        e = pair_message(&w, RECV, 0, 1, 1);
        writer_done(&w, e.seq, 0, 0, 0, 1, 8);
        writer_event(&w, e);
    }
    w.kept = (64 + 64 + 40) * 50 - 64; /* the oldest is a receive: its send is gone */
    assert_true(writer_close(&w));
    snprintf(folder + strlen(folder), 20, "/0.0.spool");
    assert_int_equal(unlink(folder), 0);
    snprintf(folder, sizeof folder, "%s/last", base);
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(trace.rank[0].events, 99);
    assert_false(trace.rank[0].cut);
    assert_int_equal(ask(&trace, "SELECT min(seq) FROM event"), 5902);
    assert_int_equal(ask(&trace, "SELECT max(seq) FROM event"), 6000);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM message"), 99);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM message WHERE send_seq IS NOT NULL AND recv_seq IS NOT NULL"), 0);
    assert_non_null(strstr(trace_meta(&trace, "notes"), "not paired"));
    trace_close(&trace);
}

static int setup(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(base, sizeof base, "%s/store.XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(base) ? 0 : -1;
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
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_last),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
