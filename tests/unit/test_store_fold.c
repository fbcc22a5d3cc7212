/* Tests loops in traces (store/store_fold.c, core/trace/trace_unfold.c): stores random programs of
 * nested loops, with calls in between and long calls, with folded loops and with a row for each
 * call; readers must find the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "core/fault.h"
#include "core/random.h"
#include "core/trace/trace.h"
#include "core/trace/trace_message.h"
#include "store/store.h"
#include "tests/unit/spool_writer.h"

enum {
    PROGRAMS = 12,
    STEPS_MAX = 24,
    EVENTS_MAX = 3000,
    REQUESTS_MAX = 64,
    SMALL_ROUNDS = 500,
    ISEND = 1,
    IRECV,
    WAITALL,
    SEND,
    RECV,
    BARRIER,
    IPROBE,
    INNER_SEND
};

static char base[200];

/* --- programs --------------------------------------------------------------------------------- */

struct step { /* of a program: a call, or the head of a loop over the steps after it */
    unsigned call;
    int tag, loops, steps; /* loops: 0 for a call; steps: number of steps in the loop */
};
struct program {
    struct step step[STEPS_MAX];
    int count, odd; /* one call of so many is followed by an additional call */
};

static int below(struct core_random *random, int bound)
{
    return (int)core_random_below(random, (uint64_t)bound);
}

static struct program program_new(uint64_t seed)
{
    static const unsigned kind[] = {ISEND, ISEND, WAITALL, SEND, RECV, BARRIER, IPROBE};
    static const int rounds[] = {2, 3, 7, 20, 90, 400};
    struct program program = {0};
    struct core_random random;
    int depth_left[3] = {0}, depth = 0;

    core_random_init(&random, seed);
    program.odd = seed % 3 ? below(&random, 400) + 20 : 0;
    for (program.count = 0; program.count < 4 + below(&random, STEPS_MAX - 4); program.count++) {
        struct step *step = &program.step[program.count];
        while (depth && depth_left[depth - 1] == 0)
            depth--;
        if (depth < 3 && below(&random, 3) == 0) {
            step->loops = rounds[below(&random, 6)];
            step->steps = 1 + below(&random, depth ? depth_left[depth - 1] + 1 : 12);
            if (depth && step->steps > depth_left[depth - 1] - 1)
                step->steps = depth_left[depth - 1] - 1;
            if (step->steps < 1)
                step->loops = 0;
        }
        if (depth)
            depth_left[depth - 1]--;
        if (step->loops) {
            depth_left[depth++] = step->steps;
        } else {
            step->call = kind[below(&random, 7)];
            step->tag = below(&random, 3);
        }
    }
    return program;
}

struct rank {
    struct writer *w;
    struct core_random chance, times;
    const struct program *program;
    int32_t pending[REQUESTS_MAX];
    int32_t tag[REQUESTS_MAX]; /* of receives; EVENT_NONE: it sends */
    uint32_t pending_count, request;
    int left, right;
};

static struct spool_event enter(struct rank *rank, unsigned call, int peer, int tag)
{
    struct spool_event e = writer_enter(rank->w, call);

    e.comm = 1;
    e.peer = peer;
    e.tag = tag;
    e.type = peer == EVENT_NONE ? 0 : 3;
    e.count = peer == EVENT_NONE ? EVENT_NONE : 4;
    e.site = call;
    rank->w->now += (uint64_t)below(&rank->times, 300);
    if (below(&rank->times, 150) == 0)
        rank->w->now += (uint64_t)below(&rank->times, 1 << below(&rank->times, 31));
    return e;
}

static void wait_all(struct rank *rank)
{
    struct spool_event e = enter(rank, WAITALL, EVENT_NONE, EVENT_NONE);

    if (rank->pending_count)
        writer_list(rank->w, e.seq, SPOOL_LIST_REQUESTS, 1, rank->pending, rank->pending_count);
    for (uint32_t i = 0; i < rank->pending_count; i++)
        writer_done(rank->w, e.seq, i, (uint32_t)rank->pending[i],
                    rank->tag[i] == EVENT_NONE ? EVENT_NONE : rank->left, rank->tag[i],
                    rank->tag[i] == EVENT_NONE ? 0 : 16);
    writer_event(rank->w, e);
    rank->pending_count = 0;
}

static void barrier(struct rank *rank)
{
    struct spool_event e = enter(rank, BARRIER, EVENT_NONE, EVENT_NONE);

    for (int i = 0; i < 2; i++) {
        struct spool_event in = enter(rank, INNER_SEND, rank->right, -12 - i);
        in.parent = (uint32_t)(in.seq - e.seq);
        writer_event(rank->w, in);
    }
    writer_event(rank->w, e);
}

static void request(struct rank *rank, unsigned call, int tag)
{
    struct spool_event e = enter(rank, call, call == ISEND ? rank->right : rank->left, tag);

    e.request = ++rank->request;
    rank->tag[rank->pending_count] = call == ISEND ? EVENT_NONE : tag;
    rank->pending[rank->pending_count++] = (int32_t)e.request;
    writer_event(rank->w, e);
}

static void call_write(struct rank *rank, const struct step *step)
{
    struct spool_event e;

    if (step->call == WAITALL) {
        wait_all(rank);
    } else if (step->call == ISEND) {
        if (rank->pending_count + 2 > REQUESTS_MAX)
            wait_all(rank);
        request(rank, IRECV, step->tag);
        request(rank, ISEND, step->tag);
    } else if (step->call == BARRIER) {
        barrier(rank);
    } else if (step->call == IPROBE) {
        e = enter(rank, IPROBE, rank->left, step->tag);
        struct spool_repeat *repeat = writer_add(rank->w, SPOOL_REPEAT, sizeof *repeat, 0, 0);
        repeat->seq = e.seq;
        repeat->calls = below(&rank->times, 5) ? 2 : 3;
        writer_event(rank->w, e);
    } else {
        if (step->call == SEND) /* and others receive what nobody sent */
            writer_event(rank->w, enter(rank, SEND, rank->right, step->tag));
        e = enter(rank, RECV, rank->left, step->tag);
        writer_done(rank->w, e.seq, 0, 0, rank->left, step->tag, 16);
        writer_event(rank->w, e);
    }
    if (rank->program->odd && below(&rank->chance, rank->program->odd) == 0) {
        e = enter(rank, SEND, rank->right, below(&rank->chance, 5));
        e.count = below(&rank->chance, 9);
        writer_event(rank->w, e);
    }
}

static void steps_write(struct rank *rank, int first, int end)
{
    for (int i = first; i < end && rank->w->seq < EVENTS_MAX; i++) {
        const struct step *step = &rank->program->step[i];
        if (!step->loops) {
            call_write(rank, step);
            continue;
        }
        int last = i + 1 + step->steps < end ? i + 1 + step->steps : end;
        for (int n = 0; n < step->loops && rank->w->seq < EVENTS_MAX; n++)
            steps_write(rank, i + 1, last);
        i = last - 1;
    }
}

static void job_write(const char *folder, uint64_t seed)
{
    struct program program = program_new(seed);
    int ranks = 2 + (int)(seed % 2);

    for (int r = 0; r < ranks; r++) {
        struct writer w;
        struct rank rank = {.w = &w,
                            .program = &program,
                            .left = (r + ranks - 1) % ranks,
                            .right = (r + 1) % ranks};
        core_random_init(&rank.chance, seed);
        core_random_init(&rank.times, seed * 100 + (uint64_t)r);
        writer_open(&w, folder, r, ranks, 0);
        writer_call(&w, ISEND, "MPI_Isend", EVENT_CLASS_ISEND, 0, "");
        writer_call(&w, IRECV, "MPI_Irecv", EVENT_CLASS_IRECV, 0, "");
        writer_call(&w, WAITALL, "MPI_Waitall", EVENT_CLASS_WAITALL, 0, "");
        writer_call(&w, SEND, "MPI_Send", EVENT_CLASS_SEND, 0, "");
        writer_call(&w, RECV, "MPI_Recv", EVENT_CLASS_RECV, 0, "");
        writer_call(&w, BARRIER, "MPI_Barrier", EVENT_CLASS_COLL, 0, "");
        writer_call(&w, IPROBE, "MPI_Iprobe", EVENT_CLASS_IPROBE, 0, "");
        writer_call(&w, INNER_SEND, "inner_send", EVENT_CLASS_SEND, 0, "");
        writer_world(&w);
        writer_type(&w, 3, "MPI_INT", 4);
        steps_write(&rank, 0, program.count);
        w.kept = (seed % 5) * 1000;
        assert_true(writer_close(&w));
    }
}

/* Writes a loop of five calls, with one call in the middle that does not belong to it. */
static void small_write(const char *folder)
{
    for (int r = 0; r < 2; r++) {
        struct program program = {.step = {{.loops = SMALL_ROUNDS / 2, .steps = 3},
                                           {.call = ISEND, .tag = 1},
                                           {.call = ISEND, .tag = 2},
                                           {.call = WAITALL}},
                                  .count = 4};
        struct writer w;
        struct rank rank = {.w = &w, .program = &program, .left = 1 - r, .right = 1 - r};
        core_random_init(&rank.chance, 1);
        core_random_init(&rank.times, (uint64_t)r);
        writer_open(&w, folder, r, 2, 0);
        writer_call(&w, ISEND, "MPI_Isend", EVENT_CLASS_ISEND, 0, "");
        writer_call(&w, IRECV, "MPI_Irecv", EVENT_CLASS_IRECV, 0, "");
        writer_call(&w, WAITALL, "MPI_Waitall", EVENT_CLASS_WAITALL, 0, "");
        writer_call(&w, BARRIER, "MPI_Barrier", EVENT_CLASS_COLL, 0, "");
        writer_world(&w);
        writer_type(&w, 3, "MPI_INT", 4);
        steps_write(&rank, 0, program.count);
        writer_event(&w, enter(&rank, BARRIER, EVENT_NONE, EVENT_NONE));
        steps_write(&rank, 0, program.count);
        assert_true(writer_close(&w));
    }
}

/* Writes rounds of Send, Recv and Barrier; only in the first ones the inside of the barrier. */
static void inside_write(const char *folder)
{
    for (int r = 0; r < 2; r++) {
        struct program program = {
            .step = {{.loops = 40, .steps = 2}, {.call = SEND, .tag = 1}, {.call = BARRIER}},
            .count = 3};
        struct writer w;
        struct rank rank = {.w = &w, .program = &program, .left = 1 - r, .right = 1 - r};
        core_random_init(&rank.chance, 1);
        core_random_init(&rank.times, (uint64_t)r);
        writer_open(&w, folder, r, 2, 0);
        writer_call(&w, SEND, "MPI_Send", EVENT_CLASS_SEND, 0, "");
        writer_call(&w, RECV, "MPI_Recv", EVENT_CLASS_RECV, 0, "");
        writer_call(&w, BARRIER, "MPI_Barrier", EVENT_CLASS_COLL, 0, "");
        writer_call(&w, INNER_SEND, "inner_send", EVENT_CLASS_SEND, 0, "");
        writer_world(&w);
        writer_type(&w, 3, "MPI_INT", 4);
        steps_write(&rank, 0, program.count);
        for (int i = 0; i < SMALL_ROUNDS; i++) {
            call_write(&rank, &program.step[1]);
            writer_event(&w, enter(&rank, BARRIER, EVENT_NONE, EVENT_NONE));
        }
        assert_true(writer_close(&w));
    }
}

static void job_remove(const char *folder)
{
    char command[300];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void store(const char *folder, const char *path, bool folds)
{
    assert_int_equal(setenv("CROSSWAIT_LOOPS", folds ? "on" : "off", 1), 0);
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    unsetenv("CROSSWAIT_LOOPS");
}

/* --- comparing -------------------------------------------------------------------------------- */

static int64_t number(sqlite3 *db, const char *question)
{
    sqlite3_stmt *stmt;

    assert_int_equal(sqlite3_prepare_v2(db, question, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int64_t answer = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return answer;
}

/* Compares all rows, in the order in which SQLite returns them. */
static void rows_compare(sqlite3 *a, sqlite3 *b, const char *question)
{
    sqlite3_stmt *stmt[2];
    int step[2];

    assert_int_equal(sqlite3_prepare_v2(a, question, -1, &stmt[0], NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(b, question, -1, &stmt[1], NULL), SQLITE_OK);
    do {
        step[0] = sqlite3_step(stmt[0]);
        step[1] = sqlite3_step(stmt[1]);
        assert_int_equal(step[0], step[1]);
        for (int i = 0; step[0] == SQLITE_ROW && i < sqlite3_column_count(stmt[0]); i++) {
            assert_int_equal(sqlite3_column_type(stmt[0], i), sqlite3_column_type(stmt[1], i));
            assert_int_equal(sqlite3_column_int64(stmt[0], i), sqlite3_column_int64(stmt[1], i));
        }
    } while (step[0] == SQLITE_ROW);
    assert_int_equal(step[0], SQLITE_DONE);
    sqlite3_finalize(stmt[0]);
    sqlite3_finalize(stmt[1]);
}

#define SAME(member) assert_int_equal(a->member, b->member)

static void completion_compare(const struct trace_completion *a, const struct trace_completion *b)
{
    SAME(index);
    SAME(request);
    SAME(done);
    SAME(cancelled);
    SAME(source);
    SAME(tag);
    SAME(bytes);
    SAME(error);
}

static void event_compare(const struct trace_event *a, const struct trace_event *b)
{
    SAME(rank);
    SAME(seq);
    SAME(parent);
    SAME(call);
    SAME(comm);
    SAME(peer);
    SAME(tag);
    SAME(datatype);
    SAME(count);
    SAME(bytes);
    SAME(request);
    SAME(site);
    SAME(thread);
    SAME(error);
    SAME(t_enter);
    SAME(t_leave);
    SAME(pending);
    SAME(repeat);
    SAME(has_recv_half);
    SAME(arg_set);
    SAME(completion_count);
    for (uint32_t i = 0; i < a->completion_count; i++)
        completion_compare(&a->completion[i], &b->completion[i]);
}

static void cursors_compare(struct trace *a, struct trace *b, uint32_t rank)
{
    struct trace_cursor *cursor[2];
    struct trace_event e[2];
    bool more[2];

    assert_int_equal(trace_cursor_open(a, rank, &cursor[0]), CORE_OK);
    assert_int_equal(trace_cursor_open(b, rank, &cursor[1]), CORE_OK);
    do {
        memset(e, 0, sizeof e);
        assert_int_equal(trace_cursor_next(cursor[0], &e[0], &more[0]), CORE_OK);
        assert_int_equal(trace_cursor_next(cursor[1], &e[1], &more[1]), CORE_OK);
        assert_int_equal(more[0], more[1]);
        if (more[0])
            event_compare(&e[0], &e[1]);
    } while (more[0]);
    trace_cursor_close(cursor[0]);
    trace_cursor_close(cursor[1]);
}

/* Compares each event by its number, in no order, and unknown numbers. */
static void lookups_compare(struct trace *a, struct trace *b, uint32_t rank)
{
    for (uint64_t i = 0; i < 700; i++) {
        uint64_t seq = i * 1009 % (EVENTS_MAX + 100);
        struct trace_event e[2];
        memset(e, 0, sizeof e);
        enum core_status status = trace_event_get(a, rank, seq, &e[0]);
        assert_int_equal(trace_event_get(b, rank, seq, &e[1]), status);
        assert_true(status == CORE_OK || status == CORE_NOT_FOUND);
        if (status == CORE_OK)
            event_compare(&e[0], &e[1]);
    }
}

static const char *const questions[] = {
    "SELECT * FROM event ORDER BY id",
    "SELECT * FROM completion ORDER BY id, idx",
    "SELECT * FROM message ORDER BY source, dest, inner, tag, send_seq, recv_seq",
    "SELECT rank, count(*), sum(waited), max(t_leave) FROM wait GROUP BY rank",
    "SELECT * FROM collective ORDER BY id",
    "SELECT * FROM event_each ORDER BY id",
    "SELECT * FROM message_each ORDER BY id",
    "SELECT key, value FROM meta WHERE key <> 'notes' ORDER BY key",
};
/* Queries on the trace's own connection, which returns rows in order without ORDER BY. */
static const char *const own_questions[] = {
    "SELECT id, shape, request, t_enter, duration, repeat, tag FROM event_row",
    "SELECT * FROM event_row WHERE id > (1 << 40) + 700 AND id <= (1 << 40) + 1900",
    "SELECT id FROM event_row WHERE id >= 500 AND id < 501",
    "SELECT * FROM event_row WHERE id = (1 << 40) + 1234",
    "SELECT * FROM event_row WHERE id = NULL OR id = 7.5",
    "SELECT * FROM event_row ORDER BY id DESC",
    "SELECT e.t_enter FROM event_row e WHERE rowid BETWEEN 3 AND 300.5",
    "SELECT id, channel, tag, send, receive, bytes FROM message_row",
    "SELECT m.id, s.t_enter, r.t_enter FROM message_row m JOIN channel c ON c.id = m.channel JOIN "
    "event_row s ON s.id = (c.source << 40) + m.send JOIN event_row r ON r.id = (c.dest << 40) + "
    "m.receive ORDER BY m.id",
};

static void traces_compare(const char *folded, const char *plain)
{
    struct trace a, b;
    sqlite3 *one, *other;

    assert_int_equal(sqlite3_open(folded, &one), SQLITE_OK);
    assert_int_equal(sqlite3_open(plain, &other), SQLITE_OK);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        rows_compare(one, other, questions[i]);
    sqlite3_close(one);
    sqlite3_close(other);
    for (int kept = 0; kept < 2; kept++) {
        assert_int_equal(trace_open(folded, TRACE_READ, &a), CORE_OK);
        assert_int_equal(trace_open(plain, TRACE_READ, &b), CORE_OK);
        assert_int_equal(a.rank_count, b.rank_count);
        if (!kept)
            a.rows_kept_max = b.rows_kept_max = 0;
        for (int times = 0; times < 2; times++) /* those that are read, and those that are kept */
            for (uint32_t rank = 0; rank < a.rank_count; rank++)
                cursors_compare(&a, &b, rank);
        for (uint32_t rank = 0; rank < a.rank_count; rank++)
            lookups_compare(&a, &b, rank);
        for (size_t i = 0; !kept && i < sizeof own_questions / sizeof *own_questions; i++)
            rows_compare(a.db, b.db, own_questions[i]);
        trace_close(&a);
        trace_close(&b);
    }
}

/* --- tests ------------------------------------------------------------------------------------ */

/* store/store_fold.c invariants 1 and 2 */
static void test_same(void **state)
{
    char folder[300], folded[300], plain[300];
    int with_loops = 0, with_messages = 0, with_rows = 0;

    (void)state;
    snprintf(folder, sizeof folder, "%s/job", base);
    snprintf(folded, sizeof folded, "%s/folded.db", base);
    snprintf(plain, sizeof plain, "%s/plain.db", base);
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        sqlite3 *db;
        job_write(folder, seed);
        store(folder, folded, true);
        store(folder, plain, false);
        assert_int_equal(sqlite3_open(plain, &db), SQLITE_OK);
        assert_int_equal(number(db, "SELECT count(*) FROM event_part"), 0);
        assert_int_equal(number(db, "SELECT count(*) FROM message_part"), 0);
        sqlite3_close(db);
        assert_int_equal(sqlite3_open(folded, &db), SQLITE_OK);
        with_loops += number(db, "SELECT count(*) FROM event_part") > 0;
        with_messages += number(db, "SELECT count(*) FROM message_part") > 0;
        with_rows += number(db, "SELECT count(*) FROM event_row") >
                     number(db, "SELECT sum(calls) FROM event_part");
        sqlite3_close(db);
        traces_compare(folded, plain);
        job_remove(folder);
    }
    assert_true(with_loops > PROGRAMS / 2);
    assert_true(with_messages > PROGRAMS / 3);
    assert_true(with_rows > PROGRAMS / 20);
}

/* A few rows precede the recognition of the loop, then parts follow; the call in the middle is a
 * row, and the loop continues after it. */
static void test_small(void **state)
{
    char folder[300], folded[300];
    sqlite3 *db;

    (void)state;
    snprintf(folder, sizeof folder, "%s/small", base);
    snprintf(folded, sizeof folded, "%s/small.db", base);
    small_write(folder);
    store(folder, folded, true);
    assert_int_equal(sqlite3_open(folded, &db), SQLITE_OK);
    assert_int_equal(number(db, "SELECT count(*) FROM event"), 2 * (SMALL_ROUNDS * 5 + 1));
    assert_int_equal(number(db, "SELECT count(*) FROM message"), 2 * SMALL_ROUNDS * 2);
    assert_int_equal(number(db, "SELECT count(*) FROM loop"), 2);
    assert_true(number(db, "SELECT count(*) FROM event_row") < 140);
    assert_true(number(db, "SELECT count(*) FROM message_row") < 8);
    assert_true(number(db, "SELECT count(*) FROM message_part") < 4 * 6);
    sqlite3_close(db);
    job_remove(folder);
}

/* Rounds that skip calls of the loop before them are a loop of their own. */
static void test_skips(void **state)
{
    char folder[300], folded[300], plain[300];
    sqlite3 *db;

    (void)state;
    snprintf(folder, sizeof folder, "%s/inside", base);
    snprintf(folded, sizeof folded, "%s/inside.db", base);
    snprintf(plain, sizeof plain, "%s/inside_plain.db", base);
    inside_write(folder);
    store(folder, folded, true);
    store(folder, plain, false);
    assert_int_equal(sqlite3_open(folded, &db), SQLITE_OK);
    assert_true(number(db, "SELECT count(*) FROM event_row") < 40);
    sqlite3_close(db);
    traces_compare(folded, plain);
    job_remove(folder);
}

static void quiet(enum core_status status, const char *message, void *context)
{
    (void)status, (void)message, (void)context;
}

static bool readable(const char *path)
{
    struct trace trace;
    bool more = true;
    enum core_status status = trace_open(path, TRACE_READ, &trace);

    if (status != CORE_OK)
        return false;
    for (uint32_t rank = 0; status == CORE_OK && rank < trace.rank_count; rank++) {
        struct trace_cursor *cursor;
        struct trace_event e;
        status = trace_cursor_open(&trace, rank, &cursor);
        if (status != CORE_OK)
            break;
        for (more = true; status == CORE_OK && more;)
            status = trace_cursor_next(cursor, &e, &more);
        trace_cursor_close(cursor);
    }
    bool all = sqlite3_exec(trace.db,
                            "SELECT sum(t_enter) FROM event_row; SELECT sum(send) FROM message_row",
                            NULL, NULL, NULL) == SQLITE_OK;
    trace_close(&trace);
    return status == CORE_OK && all;
}

/* core/trace/trace_unfold.c invariants 1 and 2 */
static void test_damaged(void **state)
{
    static const char *const damage[] = {
        "UPDATE event_part SET loop = 0",
        "UPDATE event_part SET loop = 999999",
        "UPDATE event_part SET loop = NULL",
        "UPDATE event_part SET first = -1",
        "UPDATE event_part SET first = 1 << 32",
        "UPDATE event_part SET calls = 0",
        "UPDATE event_part SET calls = 1 << 40",
        "UPDATE event_part SET calls = calls + 1",
        "UPDATE event_part SET enter_bytes = 0",
        "UPDATE event_part SET duration_bytes = 6",
        "UPDATE event_part SET times = x''",
        "UPDATE event_part SET times = NULL || 1",
        "UPDATE event_part SET times = zeroblob(length(times) - 1) || x'0a'",
        "UPDATE event_part SET t_enter = -1",
        "UPDATE event_part SET t_enter = 9223372036854775807",
        "UPDATE event_part SET request = -9223372036854775807 - 1",
        "UPDATE event_part SET request = 9223372036854775807",
        "UPDATE loop SET step = 9223372036854775807",
        "UPDATE loop SET calls = 0",
        "UPDATE loop SET calls = calls + 1",
        "UPDATE loop SET id = id + 1",
        "DELETE FROM loop",
        "DELETE FROM loop_call WHERE idx = 0",
        "UPDATE loop_call SET shape = -1",
        "UPDATE loop_call SET shape = 1 << 33",
        "UPDATE loop_call SET repeat = -1",
        "UPDATE loop_call SET tag = 1 << 40",
        "UPDATE event_part SET id = id - 1 WHERE id = (SELECT max(p.id) FROM event_part p JOIN "
        "event_part q ON q.id + q.calls = p.id)",
        "UPDATE event_part SET id = (1 << 40) - 2 WHERE id = (SELECT max(id) FROM event_part WHERE "
        "id < 1 << 40)",
        "UPDATE message_part SET every = 0",
        "UPDATE message_part SET every = 17",
        "UPDATE message_part SET every = every + 1",
        "UPDATE message_part SET messages = 0",
        "UPDATE message_part SET messages = 1073741825",
        "UPDATE message_part SET send = -1",
        "UPDATE message_part SET receive_step = 9223372036854775807",
        "UPDATE message_part SET id = -id",
    };
    char folder[300], folded[300], command[900];

    (void)state;
    snprintf(folder, sizeof folder, "%s/hurt", base);
    snprintf(folded, sizeof folded, "%s/hurt.db", base);
    small_write(folder);
    core_report_hook(quiet, NULL);
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        sqlite3 *db;
        store(folder, folded, true);
        assert_true(readable(folded));
        assert_int_equal(sqlite3_open(folded, &db), SQLITE_OK);
        assert_true(number(db, "SELECT count(*) FROM event_part") > 2);
        assert_true(number(db, "SELECT count(*) FROM message_part") > 0);
        int code = sqlite3_exec(db, damage[i], NULL, NULL, NULL);
        bool done = code == SQLITE_OK && sqlite3_changes(db) > 0;
        sqlite3_close(db);
        if (done && readable(folded)) {
            snprintf(command, sizeof command, "%s: it was read all the same", damage[i]);
            fail_msg("%s", command);
        }
        if (!done && code != SQLITE_CONSTRAINT)
            fail_msg("%s: %d", damage[i], code);
        unlink(folded);
    }
    core_report_hook(NULL, NULL);
    job_remove(folder);
}

/* Each place that can fail fails in turn: this gives a status, no crash, and no file under the
 * trace's name. */
static void test_faults(void **state)
{
    char folder[300], path[300], plain[300];
    int failed = 0;

    (void)state;
    snprintf(folder, sizeof folder, "%s/faulty", base);
    snprintf(path, sizeof path, "%s/F.db", base);
    snprintf(plain, sizeof plain, "%s/P.db", base);
    small_write(folder);
    store(folder, plain, false);
    core_report_hook(quiet, NULL);
    for (int64_t n = 0;; n += n < 250 ? 1 : 61) {
        core_fault_set(n, n % 2);
        enum core_status status = store_write(folder, path, NULL);
        bool hit = core_fault_places > (uint64_t)n;
        core_fault_set(-1, false);
        if (!hit)
            break;
        failed += status != CORE_OK;
        assert_true(status == CORE_OK || access(path, F_OK) != 0);
        unlink(path);
    }
    assert_true(failed > 100);
    for (int64_t n = 0;; n++) {
        core_fault_set(n, n % 2);
        bool good = readable(path);
        bool hit = core_fault_places > (uint64_t)n;
        core_fault_set(-1, false);
        assert_true(good || hit);
        if (!hit)
            break;
    }
    core_report_hook(NULL, NULL);
    traces_compare(path, plain);
    job_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),   cmocka_unit_test(test_skips),  cmocka_unit_test(test_same),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_faults),
    };
    char command[300];

    snprintf(base, sizeof base, "%s/crosswait-fold-XXXXXX", getenv("TMPDIR") ?: "/tmp");
    assert_non_null(mkdtemp(base));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command) ? 1 : failed;
}
