/* Makes a trace of the spools of two ranks that communicate, and reads it by cursors and SQL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "core/array.h"
#include "store/store.h"
#include "core/trace/trace.h"
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
    assert_int_equal(
        ask(&trace,
            "SELECT count(*) FROM message WHERE send_id IS NOT NULL AND recv_id IS NOT NULL"),
        4);
    assert_int_equal(
        ask(&trace, "SELECT count(*) FROM message WHERE recv_seq IS NULL AND inner = 1"), 1);
    assert_int_equal(ask(&trace, "SELECT send_seq FROM message WHERE dest = 1 AND recv_seq = 3"),
                     3);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM collective"), 2);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM wait"), 10);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM completion"), 7);
    trace_close(&trace);
}

enum { TAGS = 9000, TAG_STEP = 7, SENDRECV = FINALIZE + 1 };

/* Each message has a tag of its own. The first messages are single, later calls are exchanges,
 * whose receive takes any tag if the number is odd. */
static int32_t tag_of(int rank, int i)
{
    return (i % 3 ? i : -i - 2) * TAG_STEP + rank;
}

static void tags_write(const char *folder, int rank)
{
    struct writer w;
    struct spool_event e;

    writer_open(&w, folder, rank, 2, 0);
    pair_define(&w);
    writer_call(&w, SENDRECV, "MPI_Sendrecv", EVENT_CLASS_SENDRECV, 0, "");
    for (int i = 0; i < TAGS; i++) {
        int32_t tag = tag_of(1 - rank, i);

        if (i < TAGS / 3) {
            e = pair_message(&w, rank ? RECV : SEND, 1 - rank, tag_of(0, i), 1);
            if (rank)
                writer_done(&w, e.seq, 0, 0, 0, tag_of(0, i), 8);
        } else {
            e = pair_message(&w, SENDRECV, 1 - rank, tag_of(rank, i), 1);
            writer_recv_half(&w, e.seq, 1 - rank, i % 2 ? EVENT_ANY : tag, 3, 1);
            writer_done(&w, e.seq, 0, 0, 1 - rank, tag, 8);
        }
        writer_event(&w, e);
    }
    assert_true(writer_close(&w));
}

static void tags_expect(struct trace *trace, uint32_t rank)
{
    struct trace_cursor *cursor;
    struct trace_event e, again;
    bool more;

    assert_int_equal(trace_cursor_open(trace, rank, &cursor), CORE_OK);
    for (int i = 0; i < TAGS; i++) {
        bool alone = i < TAGS / 3;

        assert_int_equal(trace_cursor_next(cursor, &e, &more), CORE_OK);
        assert_true(more);
        assert_int_equal(e.tag, tag_of(alone ? 0 : (int)rank, i));
        assert_int_equal(trace_event_get(trace, rank, e.seq, &again), CORE_OK);
        assert_int_equal(again.tag, e.tag);
        assert_int_equal(again.recv_tag, e.recv_tag);
        if (alone && !rank)
            continue;
        assert_int_equal(e.completion_count, 1);
        assert_int_equal(e.completion[0].tag, tag_of(alone ? 0 : 1 - (int)rank, i));
        if (!alone)
            assert_int_equal(e.recv_tag, i % 2 ? EVENT_ANY : tag_of(1 - (int)rank, i));
    }
    trace_cursor_close(cursor);
}

/* With many shapes, tags are stored with the events: the views and cursors return them as they
 * were, and more tags do not make more shapes and sets of completions. */
static void test_tags(void **state)
{
    char folder[300], path[300];
    struct trace trace;

    (void)state;
    snprintf(folder, sizeof folder, "%s/tags", base);
    snprintf(path, sizeof path, "%s/tags.db", base);
    for (int rank = 0; rank < 2; rank++)
        tags_write(folder, rank);
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    for (uint32_t rank = 0; rank < 2; rank++)
        tags_expect(&trace, rank);
    assert_in_range(ask(&trace, "SELECT (SELECT count(*) FROM shape) + (SELECT count(DISTINCT id) "
                                "FROM completion_set)"),
                    4096, 4200);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM event WHERE tag = -1"), 0);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM event WHERE recv_tag = -1"),
                     2 * (TAGS - TAGS / 3) / 2);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM message m JOIN event s ON s.id = m.send_id "
                                 "JOIN event r ON r.id = m.recv_id JOIN completion c ON c.id = "
                                 "r.id WHERE m.tag = s.tag AND m.tag = c.tag AND (r.recv_tag IS "
                                 "NULL AND r.tag = m.tag OR r.recv_tag IN (m.tag, -1))"),
                     TAGS / 3 + 2 * (TAGS - TAGS / 3));
    trace_close(&trace);
}

/* If messages may overtake each other, by the sender's or the receiver's hint, the sizes of
 * received messages identify them; messages of one size stay in order. */
static void overtaken_write(const char *folder, int rank, int hinted)
{
    static const int sent[] = {1, 2, 3, 2, 5}, got[] = {2, 3, 2, 1, 5};
    struct writer w;
    struct spool_event e;

    writer_open(&w, folder, rank, 2, 0);
    pair_define(&w);
    if (rank == hinted) {
        struct spool_def_hint *hint =
            writer_add(&w, SPOOL_DEF_HINT, sizeof *hint, MATCHING_HINT_OVERTAKING, 1);
        hint->seq = hint->comm = 1;
    }
    for (int i = 0; i < 5; i++) {
        e = pair_message(&w, rank ? RECV : SEND, 1 - rank, 7, rank ? 5 : sent[i]);
        if (rank)
            writer_done(&w, e.seq, 0, 0, 0, 7, (uint64_t)got[i] * 8);
        writer_event(&w, e);
    }
    assert_true(writer_close(&w));
}

static void test_overtaken(void **state)
{
    (void)state;
    for (int hinted = -1; hinted < 2; hinted++) {
        char folder[300], path[300];
        struct trace trace;

        snprintf(folder, sizeof folder, "%s/overtaken%d", base, hinted);
        snprintf(path, sizeof path, "%s/overtaken%d.db", base, hinted);
        for (int rank = 0; rank < 2; rank++)
            overtaken_write(folder, rank, hinted);
        assert_int_equal(store_write(folder, path, NULL), CORE_OK);
        assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
        assert_int_equal(trace.comm[trace.comm_count - 1].overtaking, hinted >= 0);
        assert_int_equal(
            ask(&trace, "SELECT sum(send_seq * 10 * recv_seq * recv_seq) FROM message"),
            hinted < 0 ? 10 * (1 + 8 + 27 + 64 + 125) : 10 * (2 + 12 + 36 + 16 + 125));
        trace_close(&trace);
    }
}

/* A rank keeps only the newest records, with its definitions in a lane of their own. */
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
    assert_int_equal(
        ask(&trace,
            "SELECT count(*) FROM message WHERE send_seq IS NOT NULL AND recv_seq IS NOT NULL"),
        0);
    assert_non_null(strstr(trace_meta(&trace, "notes"), "be paired"));
    trace_close(&trace);
}

/* Three threads used one lane one after the other, besides the first thread's lane: each has a
 * number of its own. */
static void test_threads(void **state)
{
    char folder[300], path[300];
    struct trace trace;
    struct writer w;

    (void)state;
    snprintf(folder, sizeof folder, "%s/threads", base);
    snprintf(path, sizeof path, "%s/threads.db", base);
    writer_open(&w, folder, 0, 1, 0);
    pair_define(&w);
    for (int i = 0; i < 2; i++)
        writer_event(&w, pair_message(&w, SEND, 0, 1, 1));
    assert_true(writer_close(&w));
    uint64_t seq = w.seq, now = w.now;
    writer_open(&w, folder, 0, 1, 1);
    w.seq = seq;
    w.now = now;
    for (int i = 0; i < 3; i++) {
        if (i)
            writer_add(&w, SPOOL_THREAD, sizeof(struct spool_head), 0, 0);
        for (int k = 0; k < 2; k++)
            writer_event(&w, pair_message(&w, SEND, 0, 1, 1));
    }
    assert_true(writer_close(&w));
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(trace.rank[0].threads, 4);
    assert_int_equal(ask(&trace, "SELECT count(DISTINCT thread) FROM event"), 4);
    for (int i = 0; i < 4; i++) {
        char sql[100];
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM event WHERE thread = %d AND seq IN (%d, %d)", i, 2 * i + 1,
                 2 * i + 2);
        assert_int_equal(ask(&trace, sql), 2);
    }
    trace_close(&trace);
}

/* Polls: one was folded and written; one was written when the rank was killed, and is also in the
 * header; two are only in the header; and the rank was in another round of the last. */
static void test_polls(void **state)
{
    const int32_t list[2] = {7, 8};
    char folder[300], path[300];
    struct spool_event e[4];
    struct trace trace;
    struct writer w;

    (void)state;
    snprintf(folder, sizeof folder, "%s/polls", base);
    snprintf(path, sizeof path, "%s/polls.db", base);
    writer_open(&w, folder, 0, 1, 0);
    pair_define(&w);
    writer_call(&w, 20, "MPI_Testall", EVENT_CLASS_TESTALL, 0, "flag");
    for (int i = 0; i < 4; i++) {
        e[i] = writer_enter(&w, 20);
        writer_list(&w, e[i].seq, SPOOL_LIST_REQUESTS, 1, list, 2);
        e[i].count = 2;
        e[i].t_leave = e[i].t_enter + 1000;
        if (i < 2) {
            struct spool_repeat *repeat = writer_add(&w, SPOOL_REPEAT, sizeof *repeat, 0, 0);
            repeat->seq = e[i].seq;
            repeat->calls = 10;
            writer_event(&w, e[i]);
        }
    }
    w.header.poll_count = 3;
    for (int i = 0; i < 3; i++) {
        w.header.poll[i].event = e[i + 1];
        w.header.poll[i].calls = 10 + (uint64_t)i;
    }
    w.header.poll_again = 3;
    w.header.state = SPOOL_STATE_RUNNING;
    writer_pending(&w, (struct spool_event){.head = e[3].head,
                                            .seq = 5,
                                            .t_enter = w.now,
                                            .peer = EVENT_NONE,
                                            .tag = EVENT_NONE,
                                            .count = 2});
    assert_true(writer_close(&w));
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(trace.rank[0].events, 5);
    assert_int_equal(ask(&trace, "SELECT sum(repeat) FROM event"), 10 + 10 + 11 + 12 + 1);
    assert_int_equal(ask(&trace, "SELECT folded FROM rank"), 39);
    assert_int_equal(
        ask(&trace, "SELECT count(*) FROM event WHERE t_leave - t_enter = 1000 AND seq > 2"), 2);
    assert_int_equal(
        ask(&trace, "SELECT count(*) FROM event WHERE t_leave IS NULL AND seq = 5 AND repeat = 1"),
        1);
    assert_int_equal(
        ask(&trace, "SELECT count(*) FROM completion WHERE done = 0 AND request IN (7, 8)"), 10);
    trace_close(&trace);
}

/* MPI_Waitany for one request after the other: the members that wait take a row, not one each, and
 * readers get all of them. */
static void test_one_by_one(void **state)
{
    enum { REQUESTS = 700 };
    int32_t list[REQUESTS];
    char folder[300], path[300];
    struct trace_cursor *cursor;
    struct trace_event event;
    struct trace trace;
    struct writer w;
    bool more;

    (void)state;
    snprintf(folder, sizeof folder, "%s/waits", base);
    snprintf(path, sizeof path, "%s/waits.db", base);
    writer_open(&w, folder, 0, 1, 0);
    pair_define(&w);
    writer_call(&w, 20, "MPI_Waitany", EVENT_CLASS_WAITANY, 0, "index");
    for (int i = 0; i < REQUESTS; i++)
        list[i] = 100 + i;
    for (int i = 0; i < REQUESTS; i++) {
        int at = (i * 3) % REQUESTS; /* every third one, then those between */
        struct spool_event e = writer_enter(&w, 20);
        writer_list(&w, e.seq, SPOOL_LIST_REQUESTS, 1, list, REQUESTS);
        writer_done(&w, e.seq, (unsigned)at, (uint32_t)list[at], 0, 1, 4);
        writer_event(&w, e);
        list[at] = 0;
    }
    assert_true(writer_close(&w));
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_in_range(ask(&trace, "SELECT count(*) FROM completion_set"), REQUESTS,
                    REQUESTS * REQUESTS / 4);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM completion"), REQUESTS * (REQUESTS + 1) / 2);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM completion WHERE request <> idx + 100"), 0);
    assert_int_equal(ask(&trace, "SELECT count(DISTINCT request) FROM completion WHERE done"),
                     REQUESTS);
    assert_int_equal(trace_cursor_open(&trace, 0, &cursor), CORE_OK);
    for (int i = 0; i < REQUESTS; i++) {
        assert_int_equal(trace_cursor_next(cursor, &event, &more), CORE_OK);
        assert_int_equal(event.completion_count, REQUESTS - i);
        for (uint32_t k = 0; k < event.completion_count; k++) {
            assert_int_equal(event.completion[k].request, event.completion[k].index + 100);
            assert_int_equal(event.completion[k].done,
                             (int)event.completion[k].index == i * 3 % REQUESTS);
        }
    }
    trace_cursor_close(cursor);
    trace_close(&trace);
}

/* Calls were left out on both ranks: the store pairs queues that are consistent, and no others. Tag
 * 1 is consistent; tag 2 has other sizes; tag 3 arrives before its send; tag 4 lacks a receive. */
static void test_gaps(void **state)
{
    static const int count[][2] = {{1, 1}, {2, 2}, {3, 4}, {5, 5}, {6, 6}, {6, 0}};
    static const int tag[] = {1, 1, 2, 3, 4, 4};
    char folder[300], path[300];
    struct spool_event e;
    struct trace trace;
    struct writer w;

    (void)state;
    snprintf(folder, sizeof folder, "%s/gaps", base);
    snprintf(path, sizeof path, "%s/gaps.db", base);
    for (int rank = 0; rank < 2; rank++) {
        writer_open(&w, folder, rank, 2, 0);
        pair_define(&w);
        w.header.lost = 7;
        for (int i = 0; i < 6; i++) {
            if (!count[i][rank])
                continue;
            w.now = w.header.start_ticks + 10000 + (uint64_t)(i * 1000) +
                    (rank == 1 && tag[i] != 3 ? 500 : 0) + (rank == 0 && tag[i] == 3 ? 500 : 0);
            e = pair_message(&w, rank ? RECV : SEND, !rank, tag[i], count[i][rank]);
            if (rank)
                writer_done(&w, e.seq, 0, 0, 0, tag[i], (uint64_t)count[i][1] * 8);
            writer_event(&w, e);
        }
        assert_true(writer_close(&w));
    }
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    for (int i = 1; i <= 4; i++) {
        char question[200];
        snprintf(question, sizeof question,
                 "SELECT count(*) FROM message WHERE tag = %d AND send_seq AND recv_seq", i);
        assert_int_equal(ask(&trace, question), i == 1 ? 2 : 0);
    }
    assert_int_equal(ask(&trace, "SELECT count(*) FROM message"), 2 + 2 + 2 + 3);
    assert_non_null(strstr(trace_meta(&trace, "notes"), "be paired"));
    trace_close(&trace);
}

/* --- clocks ----------------------------------------------------------------------------------- */

static void clock_add(struct writer *w, int end, uint64_t ticks, uint64_t realtime)
{
    struct spool_clock *c = writer_add(w, SPOOL_CLOCK, sizeof *c, (unsigned)end, 0);

    c->ticks = ticks;
    c->realtime_ns = realtime;
}

/* Two hosts: the clock of the second is 5 s ahead, and 1 ms more after 10 s; its counter runs at 2
 * GHz, but its header says 2.001 GHz. */
static void test_clocks(void **state)
{
    static const uint64_t start = 1700000000000000000u;
    char folder[300], path[300];
    struct spool_event e;
    struct trace trace;
    struct writer w;

    (void)state;
    snprintf(folder, sizeof folder, "%s/clocks", base);
    snprintf(path, sizeof path, "%s/clocks.db", base);
    for (int rank = 0; rank < 4; rank++) {
        writer_open(&w, folder, rank, 4, 0);
        pair_define(&w);
        bool second = rank % 2;
        if (second) {
            strcpy(w.header.machine.name, "host1");
            w.header.tick_hz = 2001000000;
            w.header.start_ticks = 1000000000;
            w.header.start_realtime_ns = start + 5000000000u + 2000;
            /* rank 3 read its clock 300 us later than rank 1, and 1 ms wrong: rank 1's reading
             * counts for the host */
            if (rank == 3) {
                w.header.start_ticks += 600000;
                w.header.start_realtime_ns += 300000 + 1000000;
            }
            clock_add(&w, 0, w.header.start_ticks, w.header.start_realtime_ns);
            w.header.compared[0] = (struct spool_compared){5000000000, 1000, start + 5000002000u};
            w.header.compared[1] = (struct spool_compared){5001000000, 1000, start + 15000002000u};
            w.now = 1000000000 + 2000000000u - 100; /* enters 1 s after the host's start */
        } else {
            w.now = 1000000 + 1000000000 - 100;
        }
        e = pair_message(&w, SEND, 0, 1, 1);
        writer_event(&w, e);
        if (second)
            clock_add(&w, 1, 1000000000 + 20000000000, start + 5000000000u + 2000 + 10000000000u);
        assert_true(writer_close(&w));
    }
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(ask(&trace, "SELECT t_enter FROM event WHERE rank = 0"), 1000000000);
    assert_int_equal(ask(&trace, "SELECT t_enter FROM event WHERE rank = 2"), 1000000000);
    assert_int_equal(ask(&trace, "SELECT abs(t_enter - 999902000) <= 1 FROM event WHERE rank = 1"),
                     1);
    assert_int_equal(ask(&trace, "SELECT abs(t_enter - 999902000) <= 1 FROM event WHERE rank = 3"),
                     1);
    assert_int_equal(
        ask(&trace, "SELECT t_leave - t_enter BETWEEN 24 AND 25 FROM event WHERE rank = 3"), 1);
    assert_int_equal(ask(&trace, "SELECT offset_ns FROM rank WHERE rank = 1"), 5000000000);
    assert_int_equal(ask(&trace, "SELECT offset_ns FROM rank WHERE rank = 0"), 0);
    assert_string_equal(trace_meta(&trace, "hosts"), "host0,host1");
    trace_close(&trace);
}

/* --- ends ------------------------------------------------------------------------------------- */

static const struct end_case {
    enum spool_state spool;
    int code;
    enum event_rank_state told; /* EVENT_RANK_STATE_COUNT: unknown */
    enum event_rank_state want;
    const char *detail;
} end_case[] = {
    {SPOOL_STATE_FINALIZED, 0, EVENT_RANK_STATE_COUNT, EVENT_RANK_FINISHED, NULL},
    {SPOOL_STATE_FINALIZED, 0, EVENT_RANK_CRASHED, EVENT_RANK_FINISHED, "after MPI_Finalize: told"},
    {SPOOL_STATE_FINALIZED, 0, EVENT_RANK_FINISHED, EVENT_RANK_FINISHED, NULL},
    {SPOOL_STATE_FINALIZED, 11, EVENT_RANK_STATE_COUNT, EVENT_RANK_FINISHED,
     "after MPI_Finalize: signal 11 (Segmentation fault)"},
    {SPOOL_STATE_RUNNING, 0, EVENT_RANK_STATE_COUNT, EVENT_RANK_RUNNING, "not known"},
    {SPOOL_STATE_RUNNING, 0, EVENT_RANK_KILLED, EVENT_RANK_KILLED, "told"},
    {SPOOL_STATE_RUNNING, 0, EVENT_RANK_ENDED, EVENT_RANK_ENDED, "told"},
    {SPOOL_STATE_RUNNING, 0, EVENT_RANK_MISSING, EVENT_RANK_RUNNING, "told"},
    {SPOOL_STATE_EXITED, 3, EVENT_RANK_STATE_COUNT, EVENT_RANK_EXITED, "without MPI_Finalize"},
    {SPOOL_STATE_EXITED, 4, EVENT_RANK_CRASHED, EVENT_RANK_EXITED, "told"},
    {SPOOL_STATE_EXITED, -1, EVENT_RANK_CRASHED, EVENT_RANK_EXITED,
     "told, when its MPI library ended it for an error"},
    {SPOOL_STATE_ABORTED, 7, EVENT_RANK_STATE_COUNT, EVENT_RANK_ABORTED, "MPI_Abort with code 7"},
    {SPOOL_STATE_ABORTED, 7, EVENT_RANK_KILLED, EVENT_RANK_ABORTED, "told"},
    {SPOOL_STATE_SIGNALLED, 11, EVENT_RANK_STATE_COUNT, EVENT_RANK_CRASHED,
     "signal 11 (Segmentation fault)"},
    {SPOOL_STATE_SIGNALLED, 11, EVENT_RANK_ENDED, EVENT_RANK_CRASHED, "told"},
    {SPOOL_STATE_SIGNALLED, 15, EVENT_RANK_STATE_COUNT, EVENT_RANK_KILLED,
     "signal 15 (Terminated)"},
    {SPOOL_STATE_SIGNALLED, 15, EVENT_RANK_ENDED, EVENT_RANK_ENDED, "told"},
    {SPOOL_STATE_SIGNALLED, 2000000000, EVENT_RANK_STATE_COUNT, EVENT_RANK_KILLED, "unknown"},
};
enum { END_CASES = sizeof end_case / sizeof *end_case };

static void grounds_make(struct ending *ending)
{
    for (uint32_t i = 0; i < ENDING_STANDING_COUNT; i++) {
        struct ending_rank rank = {i,
                                   (enum ending_standing)i,
                                   9 + i,
                                   1 + i,
                                   {1, 2, 3, 4, 5, 6, (enum ending_look)(i % ENDING_LOOK_COUNT)}};
        struct ending_channel channel = {UINT64_MAX - i, (int32_t)i, 1, -1 + (int32_t)i, 5, i};
        struct ending_member member = {(enum ending_object)(i % ENDING_OBJECT_COUNT), i, i, 7};

        assert_int_equal(
            CORE_ARRAY_PUSH(ending->rank, ending->rank_count, ending->rank_room, "t", rank),
            CORE_OK);
        assert_int_equal(CORE_ARRAY_PUSH(ending->channel, ending->channel_count,
                                         ending->channel_room, "t", channel),
                         CORE_OK);
        assert_int_equal(
            CORE_ARRAY_PUSH(ending->member, ending->member_count, ending->member_room, "t", member),
            CORE_OK);
    }
}

static void grounds_expect(const struct ending *got, const struct ending *want)
{
    assert_int_equal(got->rank_count, want->rank_count);
    assert_int_equal(got->channel_count, want->channel_count);
    assert_int_equal(got->member_count, want->member_count);
    for (uint32_t i = 0; i < want->rank_count; i++) {
        const struct ending_rank *a = &got->rank[i], *b = &want->rank[i];

        assert_true(a->rank == b->rank && a->standing == b->standing && a->seq == b->seq &&
                    a->threads == b->threads);
        assert_memory_equal(&a->stand, &b->stand, 6 * sizeof(uint64_t));
        assert_int_equal(a->stand.look, b->stand.look);
    }
    for (uint32_t i = 0; i < want->channel_count; i++) {
        const struct ending_channel *a = &got->channel[i], *b = &want->channel[i];

        assert_true(a->global == b->global && a->source == b->source && a->dest == b->dest &&
                    a->tag == b->tag && a->sent == b->sent && a->received == b->received);
    }
    for (uint32_t i = 0; i < want->member_count; i++) {
        const struct ending_member *a = &got->member[i], *b = &want->member[i];

        assert_true(a->object == b->object && a->global == b->global && a->rank == b->rank &&
                    a->entered == b->entered);
    }
}

/* Makes an ending with a call for each role and a wait of each kind; the trace must return it. */
static void ending_make(struct ending *ending)
{
    static const uint32_t ranks[] = {4, 2, 3, 3, 0};

    grounds_make(ending);

    for (int role = 0; role < ENDING_ROLE_COUNT; role++) {
        struct ending_call call = {.rank = (uint32_t)role,
                                   .role = (enum ending_role)role,
                                   .seq = role == ENDING_OUTSIDE ? 0 : 7 + (uint64_t)role,
                                   .still_ms = role > ENDING_BEHIND ? 1500 : 0};

        snprintf(call.call, sizeof call.call, "%s", role == ENDING_OUTSIDE ? "" : "MPI_Recv");
        assert_int_equal(ending_call_add(ending, &call), CORE_OK);
        for (int need = 0; role == ENDING_BEHIND && need < ENDING_NEED_COUNT; need++) {
            struct ending_wait wait = {.need = (enum ending_need)need,
                                       .object = (enum ending_object)(need % ENDING_OBJECT_COUNT),
                                       .tag = need == 0   ? EVENT_ANY
                                              : need == 1 ? EVENT_NONE
                                                          : need,
                                       .wildcard = need == 2,
                                       .ended = need == 3,
                                       .basis = (enum ending_basis)(need % ENDING_BASIS_COUNT),
                                       .number = need % ENDING_BASIS_COUNT ? 3 : 0,
                                       .rivals = need % ENDING_BASIS_COUNT ? 2 : 0};

            wait.global = wait.object == ENDING_OBJECT_NONE || wait.object == ENDING_OBJECT_FINALIZE
                              ? 0
                              : UINT64_MAX - (uint64_t)need;
            assert_int_equal(ending_wait_add(ending, &wait, ranks, need == 4 ? 0 : 5), CORE_OK);
        }
    }
    assert_int_equal(ending->span_count, 2 * (ENDING_NEED_COUNT - 1)); /* 0, 2 to 4 */
    assert_int_equal(ending->span[1].first, 2);
    assert_int_equal(ending->span[1].last, 4);
}

static void ending_expect(const struct trace *trace, const struct ending *want)
{
    struct ending got;

    assert_int_equal(trace_ending_get(trace, &got), CORE_OK);
    assert_int_equal(got.reason, want->reason);
    assert_int_equal(got.call_count, want->call_count);
    for (uint32_t i = 0; i < want->call_count; i++) {
        const struct ending_call *a = &got.call[i], *b = &want->call[i];

        assert_true(a->rank == b->rank && a->seq == b->seq && a->role == b->role &&
                    a->still_ms == b->still_ms && a->count == b->count && a->first == b->first);
        assert_string_equal(a->call, b->call);
    }
    assert_int_equal(got.wait_count, want->wait_count);
    for (uint32_t i = 0; i < want->wait_count; i++) {
        const struct ending_wait *a = &got.wait[i], *b = &want->wait[i];

        assert_true(a->need == b->need && a->object == b->object && a->global == b->global &&
                    a->tag == b->tag && a->wildcard == b->wildcard && a->ended == b->ended &&
                    a->first == b->first && a->count == b->count && a->basis == b->basis &&
                    a->number == b->number && a->rivals == b->rivals);
    }
    grounds_expect(&got, want);
    assert_int_equal(got.span_count, want->span_count);
    assert_memory_equal(got.span, want->span, want->span_count * sizeof *want->span);
    ending_done(&got);
}

static void test_ends(void **state)
{
    struct store_rank_end end[END_CASES + 1];
    struct ending ending = {.reason = ENDING_DEADLOCK};
    struct store_options options = {
        .command = "mpirun ./a \"b c\"", .exit_code = 5, .end = end, .ending = &ending};
    char folder[300], path[300];
    struct trace trace;
    struct writer w;

    (void)state;
    snprintf(folder, sizeof folder, "%s/ends", base);
    snprintf(path, sizeof path, "%s/ends.db", base);
    ending_make(&ending);
    for (int r = 0; r < END_CASES; r++) { /* and one more rank, which is missing */
        writer_open(&w, folder, r, END_CASES + 1, 0);
        w.header.state = end_case[r].spool;
        w.header.code = end_case[r].code;
        w.header.end.kind = EXIT_CAUSE_ERROR;
        w.header.end.realtime_ns = end_case[r].code == -1; /* as errors that are fatal leave it */
        if (r == 3) {
            w.header.stopped = 28;
            strcpy(w.header.note, "no space left");
            w.header.lost = 12;
        }
        assert_true(writer_close(&w));
        if (end_case[r].told != EVENT_RANK_STATE_COUNT)
            end[options.end_count++] = (struct store_rank_end){
                .rank = r, .state = end_case[r].told, .code = 77, .detail = "told"};
    }
    end[options.end_count++] = (struct store_rank_end){
        .rank = END_CASES, .state = EVENT_RANK_KILLED, .code = 9, .detail = "never started"};
    assert_int_equal(store_write(folder, path, &options), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(trace.rank_count, END_CASES + 1);
    for (int r = 0; r < END_CASES; r++) {
        assert_int_equal(trace.rank[r].state, end_case[r].want);
        assert_int_equal(trace.rank[r].detail != NULL, end_case[r].detail != NULL);
        if (end_case[r].detail)
            assert_non_null(strstr(trace.rank[r].detail, end_case[r].detail));
    }
    assert_true(trace.rank[3].cut);
    assert_int_equal(trace.rank[3].lost, 12);
    assert_non_null(strstr(trace_meta(&trace, "notes"), "no space left"));
    assert_int_equal(trace.rank[END_CASES].state, EVENT_RANK_MISSING);
    assert_string_equal(trace.rank[END_CASES].detail, "never started");
    assert_string_equal(trace_meta(&trace, "command"), options.command);
    assert_string_equal(trace_meta(&trace, "exit_code"), "5");
    ending_expect(&trace, &ending);
    ending_done(&ending);
    assert_string_equal(trace_meta(&trace, "lost"), "12");
    assert_null(trace_meta(&trace, "no such key"));
    trace_close(&trace);
}

/* --- intercommunicators ----------------------------------------------------------------------- */

static void inter_comm(struct writer *w, const int32_t *member, uint32_t size, uint32_t remote_size)
{
    struct spool_def_comm *def = writer_add(
        w, SPOOL_DEF_COMM, sizeof *def + (size + remote_size + 1) / 2 * 8, SPOOL_COMM_INTER, 0);

    def->global = 99;
    def->id = 7;
    def->size = size;
    def->remote_size = remote_size;
    def->count = size + remote_size;
    memcpy(def + 1, member, (size + remote_size) * 4);
}

/* {1, 2} communicate with {0}; the side with the smallest world rank is first, whether rank 0 is
 * read first or last. */
static void test_inter(void **state)
{
    static const int32_t one[] = {0, 2, 1}, two[] = {2, 1, 0};
    char folder[300], path[300];
    struct spool_event e;
    struct trace trace;
    struct writer w;

    (void)state;
    snprintf(folder, sizeof folder, "%s/inter", base);
    snprintf(path, sizeof path, "%s/inter.db", base);
    for (int r = 0; r < 3; r++) {
        writer_open(&w, folder, r, 3, 0);
        pair_define(&w);
        inter_comm(&w, r ? two : one, r ? 2 : 1, r ? 1 : 2);
        for (int peer = 0; peer < (r ? 1 : 2); peer++) {
            e = pair_message(&w, r ? RECV : SEND, peer, 4, 5);
            e.comm = 7;
            if (r)
                writer_done(&w, e.seq, 0, 0, 0, 4, 40);
            writer_event(&w, e);
        }
        assert_true(writer_close(&w));
    }
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(ask(&trace, "SELECT count(*) FROM message WHERE send_seq AND recv_seq"), 2);
    assert_int_equal(ask(&trace, "SELECT send_seq FROM message WHERE dest = 2"),
                     1); /* it is rank 0 of its group */
    int32_t id = (int32_t)ask(&trace, "SELECT id FROM comm WHERE kind = 'inter'");
    assert_true(trace.comm[id].inter);
    assert_int_equal(trace.comm[id].size, 1);
    assert_int_equal(trace.comm[id].member[0], 0);
    assert_int_equal(trace_comm_world(&trace, id, 0, 0), 2);
    assert_int_equal(trace_comm_world(&trace, id, 0, 1), 1);
    assert_int_equal(trace_comm_world(&trace, id, 1, 0), 0);
    assert_int_equal(trace_comm_world(&trace, id, 1, 1), EVENT_NONE);
    assert_int_equal(trace_comm_world(&trace, id, 1, EVENT_ROOT), EVENT_ROOT);
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
        cmocka_unit_test(test_pair),   cmocka_unit_test(test_tags),
        cmocka_unit_test(test_last),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_polls),  cmocka_unit_test(test_one_by_one),
        cmocka_unit_test(test_gaps),   cmocka_unit_test(test_overtaken),
        cmocka_unit_test(test_clocks), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_inter),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
