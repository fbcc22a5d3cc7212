/* Spools to a trace: two ranks that talk, read back through cursors and SQL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "core/store.h"
#include "core/trace.h"
#include "tests/unit/spool_writer.h"

enum { SEND = 1, RECV, ISEND, IRECV, WAITALL, ALLREDUCE, FINALIZE };

static char base[256];

static void define(struct writer *w)
{
    writer_call(w, SEND, "MPI_Send", EVENT_CLASS_SEND, EVENT_MODE_STANDARD, "");
    writer_call(w, RECV, "MPI_Recv", EVENT_CLASS_RECV, 0, "");
    writer_call(w, ISEND, "MPI_Isend", EVENT_CLASS_ISEND, EVENT_MODE_STANDARD, "");
    writer_call(w, IRECV, "MPI_Irecv", EVENT_CLASS_IRECV, 0, "");
    writer_call(w, WAITALL, "MPI_Waitall", EVENT_CLASS_WAITALL, 0, "");
    writer_call(w, ALLREDUCE, "MPI_Allreduce", EVENT_CLASS_COLL, 0, "");
    writer_call(w, FINALIZE, "MPI_Finalize", EVENT_CLASS_FINALIZE, 0, "");
    writer_world(w);
    writer_type(w, 3, "MPI_DOUBLE", 8);
    writer_op(w, 2, "MPI_SUM");
}

static struct spool_event message(struct writer *w, unsigned call, int peer, int tag, int count)
{
    struct spool_event e = writer_enter(w, call);

    e.comm = 1;
    e.peer = peer;
    e.tag = tag;
    e.type = 3;
    e.count = count;
    return e;
}

/* Rank 0 sends 3 messages and receives one by a wildcard, rank 1 the other way round; both call Allreduce, with an inner send from 0. */
static void pair_write(const char *folder)
{
    struct writer w;
    struct spool_event e;

    for (int rank = 0; rank < 2; rank++) {
        writer_open(&w, folder, rank, 2, 0);
        define(&w);
        w.kept = rank ? 512 : 0;
        if (rank == 0) {
            for (int i = 0; i < 3; i++) {
                e = message(&w, ISEND, 1, 7, 10 + i);
                e.request = (uint32_t)(100 + i);
                writer_event(&w, e);
            }
            int32_t list[3] = {100, 101, 102};
            e = writer_enter(&w, WAITALL);
            writer_list(&w, e.seq, SPOOL_LIST_REQUESTS, 1, list, 3);
            for (uint32_t i = 0; i < 3; i++)
                writer_done(&w, e.seq, i, 100 + i, EVENT_NONE, EVENT_NONE, 0);
            writer_event(&w, e);
            e = message(&w, RECV, EVENT_ANY, EVENT_ANY, 100);
            writer_done(&w, e.seq, 0, 0, 1, 9, 16);
            writer_event(&w, e);
        } else {
            for (int i = 0; i < 3; i++) {
                e = message(&w, RECV, i == 1 ? EVENT_ANY : 0, 7, 100);
                writer_done(&w, e.seq, 0, 0, 0, 7, (uint64_t)(10 + i) * 8);
                writer_event(&w, e);
            }
            e = message(&w, SEND, 0, 9, 2);
            writer_event(&w, e);
        }
        e = writer_enter(&w, ALLREDUCE);
        e.comm = 1;
        e.type = 3;
        e.count = 4;
        e.tag = 2;
        if (rank == 0) {
            struct spool_event in = message(&w, SEND, 1, -12, 4);
            in.parent = (uint32_t)(in.seq - e.seq);
            writer_event(&w, in);
        }
        writer_event(&w, e);
        writer_event(&w, writer_enter(&w, FINALIZE));
        assert_true(writer_close(&w));
    }
}

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
    pair_write(folder);
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
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
