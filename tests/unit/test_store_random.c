/* Compares traces with a naive model: plays random jobs step by step, writes each rank's spool like
 * the recorder, and compares the cursors' events and messages with those played, field by field.
 * Then stores the same jobs while each place that can fail fails in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "core/fault.h"
#include "core/random.h"
#include "store/store.h"
#include "core/trace/trace.h"
#include "tests/unit/spool_writer.h"

enum { RANKS = 5, LANES = 3, EVENTS = 400, OPEN_MAX = 12, QUEUE = 400, JOBS = 30 };
enum {
    SEND = 1,
    SSEND,
    ISEND,
    RECV,
    IRECV,
    WAIT,
    WAITALL,
    WAITANY,
    SENDRECV,
    REDUCE,
    ALLTOALLV,
    INNER_SEND,
    INNER_RECV,
    DUP
};

struct expected { /* of one event, with names in place of ids */
    bool there;
    unsigned call;
    uint64_t parent, request, enter, leave, site;
    int comm; /* 0 none, 1 world, 2 split */
    int32_t peer, tag, count, root, lane;
    int64_t bytes;
    int type;
    bool recv_half, pending, list;
    int32_t leg_peer, leg_tag;
    int64_t leg_bytes;
    struct trace_completion done[OPEN_MAX];
    uint32_t done_count;
};
struct posted { /* an open request */
    uint32_t id;
    bool receive;
    int32_t source, tag; /* what the receive matched */
    int64_t bytes;
};
struct message {
    int comm, source, dest, tag, inner;
    uint64_t send, receive; /* seq; 0: not received */
    int64_t bytes;
};
struct player { /* a rank */
    struct writer lane[LANES];
    uint64_t seq;
    uint32_t request;
    struct expected event[EVENTS + 1];
    struct posted open[OPEN_MAX];
    uint32_t open_count;
    uint32_t id[8]; /* random local ids: 0, 1 types; 2 op; 3 split communicator; 4 site base */
};
struct job {
    struct core_random random;
    int ranks, lanes;
    struct player *rank;
    uint64_t now;
    struct message message[RANKS * EVENTS];
    uint32_t message_count;
    char folder[320];
};

static char base[256];
static const int64_t size_of[2] = {4, 24};

static uint32_t below(struct job *job, uint32_t bound)
{
    return (uint32_t)core_random_below(&job->random, bound);
}

/* --- playing a job ---------------------------------------------------------------------------- */

static void lane_define(struct job *job, int r, struct writer *w)
{
    static const struct {
        unsigned id, class, mode;
        const char *name, *names;
    } call[] = {
        {SEND, EVENT_CLASS_SEND, EVENT_MODE_STANDARD, "MPI_Send", ""},
        {SSEND, EVENT_CLASS_SEND, EVENT_MODE_SYNCHRONOUS, "MPI_Ssend", ""},
        {ISEND, EVENT_CLASS_ISEND, EVENT_MODE_STANDARD, "MPI_Isend", ""},
        {RECV, EVENT_CLASS_RECV, 0, "MPI_Recv", ""},
        {IRECV, EVENT_CLASS_IRECV, 0, "MPI_Irecv", ""},
        {WAIT, EVENT_CLASS_WAIT, 0, "MPI_Wait", ""},
        {WAITALL, EVENT_CLASS_WAITALL, 0, "MPI_Waitall", ""},
        {WAITANY, EVENT_CLASS_WAITANY, 0, "MPI_Waitany", ""},
        {SENDRECV, EVENT_CLASS_SENDRECV, EVENT_MODE_STANDARD, "MPI_Sendrecv", ""},
        {REDUCE, EVENT_CLASS_COLL, 0, "MPI_Reduce", ""},
        {ALLTOALLV, EVENT_CLASS_COLL, 0, "MPI_Alltoallv", ""},
        {INNER_SEND, EVENT_CLASS_SEND, EVENT_MODE_STANDARD, "pml_send", ""},
        {INNER_RECV, EVENT_CLASS_RECV, 0, "pml_recv", ""},
        {DUP, EVENT_CLASS_COMM_CREATE, 0, "MPI_Comm_dup", "first,second"},
    };
    struct player *p = &job->rank[r];
    int32_t member[RANKS];

    for (size_t i = 0; i < sizeof call / sizeof *call; i++)
        writer_call(w, call[i].id + (unsigned)r * 16, call[i].name, call[i].class, call[i].mode,
                    call[i].names);
    writer_world(w);
    for (int i = 0; i < job->ranks; i++)
        member[i] = job->ranks - 1 - i; /* the second communicator has the ranks reversed */
    writer_comm(w, p->id[3], 77, member, (uint32_t)job->ranks, job->ranks - 1 - r, "reversed");
    writer_type(w, p->id[0], "MPI_INT", size_of[0]);
    writer_type(w, p->id[1], "triple", size_of[1]);
    writer_op(w, p->id[2], "MPI_SUM");
    writer_module(w, 5, "/no/such/program");
    for (unsigned i = 0; i < 4; i++)
        writer_site(w, p->id[4] + i, 5, 0x1000 + i);
}

static void job_begin(struct job *job, uint64_t seed, const char *folder)
{
    memset(job, 0, sizeof *job);
    core_random_init(&job->random, seed);
    job->ranks = 1 + (int)below(job, RANKS);
    job->lanes = 1 + (int)below(job, LANES);
    job->rank = calloc((size_t)job->ranks, sizeof *job->rank);
    job->now = 5000000;
    snprintf(job->folder, sizeof job->folder, "%s", folder);
    for (int r = 0; r < job->ranks; r++) {
        struct player *p = &job->rank[r];
        for (int i = 0; i < 5; i++)
            p->id[i] = 3 + (uint32_t)i * 10 + below(job, 9);
        for (int l = 0; l < job->lanes; l++) {
            writer_open(&p->lane[l], folder, r, job->ranks, (unsigned)l);
            p->lane[l].kept = below(job, 3) ? below(job, 60000) : 0;
            if (l == 0)
                lane_define(job, r, &p->lane[l]);
        }
    }
}

struct call { /* a call in progress */
    struct spool_event e;
    struct writer *w;
    struct expected *x;
    struct player *p;
};

static int32_t to_comm(const struct job *job, int comm, int32_t world)
{
    return comm == 2 ? job->ranks - 1 - world : world;
}

static struct call call_begin(struct job *job, int r, unsigned id, struct writer *w)
{
    struct player *p = &job->rank[r];
    struct call c = {.p = p, .w = w};

    c.e = (struct spool_event){
        .head = {.kind = SPOOL_EVENT, .words = 8, .a = (uint16_t)(id + (unsigned)r * 16)},
        .peer = EVENT_NONE,
        .tag = EVENT_NONE,
        .count = EVENT_NONE};
    c.e.seq = ++p->seq;
    c.e.t_enter = job->now += 1 + below(job, 1000);
    c.e.site = below(job, 5) ? p->id[4] + below(job, 4) : 0;
    c.x = &p->event[c.e.seq];
    *c.x = (struct expected){.there = true,
                             .call = id,
                             .enter = c.e.t_enter,
                             .peer = EVENT_NONE,
                             .tag = EVENT_NONE,
                             .count = EVENT_NONE,
                             .root = EVENT_NONE,
                             .lane = (int32_t)w->header.lane,
                             .site = c.e.site ? 0x1000 + c.e.site - p->id[4] : 0,
                             .type = -1,
                             .leg_peer = EVENT_NONE,
                             .leg_tag = EVENT_NONE};
    return c;
}

static void call_end(struct job *job, struct call *c)
{
    c->x->leave = c->e.t_leave = job->now += 1 + below(job, 1000);
    memcpy(writer_add(c->w, SPOOL_EVENT, sizeof c->e, c->e.head.a, 0), &c->e, sizeof c->e);
}

static void call_data(struct job *job, struct call *c, int comm, int32_t peer, int32_t tag,
                      int type, int32_t count)
{
    (void)job;
    c->e.comm = comm == 1 ? 1 : c->p->id[3];
    c->e.peer = c->x->peer = peer;
    c->e.tag = c->x->tag = tag;
    c->e.type = c->p->id[type];
    c->e.count = c->x->count = count;
    c->x->comm = comm;
    c->x->type = type;
    c->x->bytes = count * size_of[type];
}

static void call_done(struct call *c, uint32_t index, uint32_t request, int32_t source, int32_t tag,
                      int64_t bytes)
{
    writer_done(c->w, c->e.seq, index, request, source, tag, (uint64_t)bytes);
    c->x->done[c->x->done_count++] =
        (struct trace_completion){.index = index,
                                  .request = request,
                                  .done = true,
                                  .source = source,
                                  .tag = source == EVENT_NONE ? EVENT_NONE : tag,
                                  .bytes = source == EVENT_NONE ? 0 : (uint64_t)bytes};
}

static struct message *message_add(struct job *job, int comm, int source, int dest, int tag,
                                   uint64_t send, int64_t bytes, int inner)
{
    struct message *m = &job->message[job->message_count++];

    *m = (struct message){comm, source, dest, tag, inner, send, 0, bytes};
    return m;
}

/* Returns the oldest message to r in flight on a random communicator, from a random rank, with a
 * random tag: a receive may take it. */
static struct message *message_pick(struct job *job, int r)
{
    struct message *candidate[QUEUE];
    uint32_t count = 0;

    for (uint32_t i = 0; i < job->message_count && count < QUEUE; i++) {
        struct message *m = &job->message[i];
        bool first = m->dest == r && !m->receive && !m->inner;
        for (uint32_t k = 0; first && k < count; k++)
            first = candidate[k]->comm != m->comm || candidate[k]->source != m->source ||
                    candidate[k]->tag != m->tag;
        if (first)
            candidate[count++] = m;
    }
    return count ? candidate[below(job, count)] : NULL;
}

static void play_send(struct job *job, int r, struct writer *w)
{
    int dest = (int)below(job, (uint32_t)job->ranks), comm = 1 + (int)below(job, 2),
        type = (int)below(job, 2);
    int32_t count = (int32_t)below(job, 20), tag = (int32_t)below(job, 3);
    bool immediate = below(job, 2) && job->rank[r].open_count < OPEN_MAX;
    struct call c = call_begin(job, r, immediate ? ISEND : SEND + below(job, 2), w);

    call_data(job, &c, comm, to_comm(job, comm, dest), tag, type, count);
    message_add(job, comm, r, dest, tag, c.e.seq, count * size_of[type], 0);
    if (immediate) {
        c.e.request = ++c.p->request;
        c.x->request = c.e.request;
        c.p->open[c.p->open_count++] = (struct posted){.id = c.e.request};
    }
    call_end(job, &c);
}

static void play_receive(struct job *job, int r, struct writer *w)
{
    struct message *m = message_pick(job, r);
    bool immediate = below(job, 2) && job->rank[r].open_count < OPEN_MAX;

    if (!m)
        return;
    struct call c = call_begin(job, r, immediate ? IRECV : RECV, w);
    int32_t source = to_comm(job, m->comm, m->source);
    call_data(job, &c, m->comm, below(job, 2) ? source : EVENT_ANY,
              below(job, 2) ? m->tag : EVENT_ANY, 1, 1000);
    m->receive = c.e.seq;
    if (immediate) {
        c.e.request = ++c.p->request;
        c.x->request = c.e.request;
        c.p->open[c.p->open_count++] = (struct posted){c.e.request, true, source, m->tag, m->bytes};
    } else {
        call_done(&c, 0, 0, source, m->tag, m->bytes);
    }
    call_end(job, &c);
}

static void play_sendrecv(struct job *job, int r, struct writer *w)
{
    struct message *m = message_pick(job, r);

    if (!m)
        return;
    struct call c = call_begin(job, r, SENDRECV, w);
    int comm = m->comm, dest = (int)below(job, (uint32_t)job->ranks);
    call_data(job, &c, comm, to_comm(job, comm, dest), 2, 0, 3);
    writer_recv_half(w, c.e.seq, EVENT_ANY, m->tag, c.p->id[1], 1000);
    c.x->recv_half = true;
    c.x->leg_peer = EVENT_ANY;
    c.x->leg_tag = m->tag;
    c.x->leg_bytes = 24000;
    m->receive = c.e.seq;
    call_done(&c, 0, 0, to_comm(job, comm, m->source), m->tag, m->bytes);
    message_add(job, comm, r, dest, 2, c.e.seq, 12, 0);
    call_end(job, &c);
}

static void posted_done(struct call *c, uint32_t index, const struct posted *o)
{
    call_done(c, index, o->id, o->receive ? o->source : EVENT_NONE,
              o->receive ? o->tag : EVENT_NONE, o->receive ? o->bytes : 0);
}

static void play_wait(struct job *job, int r, struct writer *w, unsigned how)
{
    struct player *p = &job->rank[r];
    int32_t list[OPEN_MAX + 1];
    uint32_t count = p->open_count;

    if (!count)
        return;
    struct call c = call_begin(job, r, how, w);
    uint32_t chosen = below(job, count);
    if (how == WAIT) {
        c.e.request = p->open[chosen].id;
        c.x->request = c.e.request;
        posted_done(&c, 0, &p->open[chosen]);
        p->open[chosen] = p->open[--p->open_count];
    } else {
        for (uint32_t i = 0; i < count; i++)
            list[i] = (int32_t)p->open[i].id;
        list[count] = 0; /* a null request at the end */
        writer_list(w, c.e.seq, SPOOL_LIST_REQUESTS, 1, list, count + 1);
        c.x->list = true;
        for (uint32_t i = 0; i < count; i++)
            if (how == WAITALL || i == chosen)
                posted_done(&c, i, &p->open[i]);
            else
                c.x->done[c.x->done_count++] = (struct trace_completion){
                    .index = i, .request = p->open[i].id, .source = EVENT_NONE, .tag = EVENT_NONE};
        if (how == WAITALL)
            p->open_count = 0;
        else
            p->open[chosen] = p->open[--p->open_count];
    }
    call_end(job, &c);
}

/* Plays a reduction with an inner message of the library, which an inner call of the same rank
 * receives at once. */
static void play_collective(struct job *job, int r, struct writer *w)
{
    struct call c = call_begin(job, r, below(job, 2) ? REDUCE : ALLTOALLV, w);

    call_data(job, &c, 1, EVENT_NONE, EVENT_NONE, 0, 2);
    if (c.x->call == REDUCE) {
        c.e.peer = c.x->root = 0;
        c.e.tag = (int32_t)c.p->id[2];
    } else {
        int32_t counts[3] = {1, 2, 3};
        c.e.count = c.x->count = EVENT_NONE;
        c.x->bytes = 24;
        writer_list(w, c.e.seq, SPOOL_LIST_SEND_COUNTS, 1, counts, 3);
    }
    for (unsigned i = 0; i < 2; i++) {
        struct call in = call_begin(job, r, i ? INNER_RECV : INNER_SEND, w);
        call_data(job, &in, 1, r, -12, 0, 2);
        in.e.parent = (uint32_t)(in.e.seq - c.e.seq);
        in.x->parent = c.e.seq;
        if (i) {
            call_done(&in, 0, 0, r, -12, 8);
            job->message[job->message_count - 1].receive = in.e.seq;
        } else {
            message_add(job, 1, r, r, -12, in.e.seq, 8, 1);
        }
        call_end(job, &in);
    }
    call_end(job, &c);
}

static void play_dup(struct job *job, int r, struct writer *w)
{
    struct call c = call_begin(job, r, DUP, w);
    int64_t args[2] = {11, -5};

    c.e.comm = 1;
    c.x->comm = 1;
    writer_args(w, c.e.seq, args, 2);
    call_end(job, &c);
}

static bool job_play(struct job *job)
{
    int steps = 20 + (int)below(job, 300);
    bool ok = true;

    for (int i = 0; i < steps; i++) {
        int r = (int)below(job, (uint32_t)job->ranks);
        struct writer *w = &job->rank[r].lane[below(job, (uint32_t)job->lanes)];
        if (job->rank[r].seq + 4 > EVENTS)
            continue;
        switch (below(job, 10)) {
        case 0:
        case 1:
        case 2:
            play_send(job, r, w);
            break;
        case 3:
        case 4:
            play_receive(job, r, w);
            break;
        case 5:
            play_wait(job, r, w, WAIT);
            break;
        case 6:
            play_wait(job, r, w, below(job, 2) ? WAITALL : WAITANY);
            break;
        case 7:
            play_sendrecv(job, r, w);
            break;
        case 8:
            play_collective(job, r, w);
            break;
        default:
            play_dup(job, r, w);
        }
    }
    for (int r = 0; r < job->ranks; r++) {
        struct player *p = &job->rank[r];
        play_wait(job, r, &p->lane[0], WAITALL);
        if (below(job, 2)) { /* it hangs in a synchronous send to itself */
            struct call c = call_begin(job, r, SSEND, &p->lane[0]);
            call_data(job, &c, 1, r, 2, 0, 1);
            message_add(job, 1, r, r, 2, c.e.seq, 4, 0);
            c.x->pending = true;
            writer_pending(&p->lane[0], c.e);
        }
        for (int l = 0; l < job->lanes; l++)
            ok = writer_close(&p->lane[l]) && ok;
    }
    return ok;
}

/* --- comparing -------------------------------------------------------------------------------- */

static void event_compare(const struct trace *trace, const struct job *job,
                          const struct trace_event *e)
{
    static const char *const name[] = {
        "",           "MPI_Send",      "MPI_Ssend",   "MPI_Isend",   "MPI_Recv",
        "MPI_Irecv",  "MPI_Wait",      "MPI_Waitall", "MPI_Waitany", "MPI_Sendrecv",
        "MPI_Reduce", "MPI_Alltoallv", "pml_send",    "pml_recv",    "MPI_Comm_dup"};
    const struct expected *x = &job->rank[e->rank].event[e->seq];
    static const uint64_t start = 1000000;

    assert_true(x->there);
    assert_string_equal(trace->call[e->call].name, name[x->call]);
    assert_int_equal(e->parent, x->parent);
    assert_int_equal(e->request, x->request);
    assert_int_equal(e->t_enter, x->enter - start);
    assert_int_equal(e->pending, x->pending);
    if (!x->pending)
        assert_int_equal(e->t_leave, x->leave - start);
    assert_int_equal(e->peer, x->peer);
    assert_int_equal(e->tag, x->tag);
    assert_int_equal(e->count, x->count);
    assert_int_equal(e->root, x->root);
    assert_int_equal(e->bytes, x->bytes);
    assert_int_equal(e->thread, x->lane);
    if (x->comm)
        assert_string_equal(trace->comm[e->comm].name,
                            x->comm == 1 ? "MPI_COMM_WORLD" : "reversed");
    else
        assert_int_equal(e->comm, -1);
    if (x->type >= 0)
        assert_string_equal(trace->datatype[e->datatype].name, x->type ? "triple" : "MPI_INT");
    else
        assert_int_equal(e->datatype, -1);
    if (x->site)
        assert_int_equal(trace->site[e->site].address, x->site);
    else
        assert_int_equal(e->site, 0);
    if (x->call == REDUCE)
        assert_string_equal(trace->op_name[e->op], "MPI_SUM");
    assert_int_equal(e->has_recv_half, x->recv_half);
    if (x->recv_half) {
        assert_int_equal(e->recv_peer, x->leg_peer);
        assert_int_equal(e->recv_tag, x->leg_tag);
        assert_int_equal(e->recv_bytes, x->leg_bytes);
    }
    assert_int_equal(e->completion_count, x->done_count);
    for (uint32_t i = 0; i < x->done_count; i++) {
        assert_int_equal(e->completion[i].index, x->done[i].index);
        assert_int_equal(e->completion[i].request, x->done[i].request);
        assert_int_equal(e->completion[i].done, x->done[i].done);
        assert_int_equal(e->completion[i].source, x->done[i].source);
        assert_int_equal(e->completion[i].tag, x->done[i].tag);
        assert_int_equal(e->completion[i].bytes, x->done[i].bytes);
    }
}

static void messages_compare(struct trace *trace, const struct job *job)
{
    sqlite3_stmt *stmt;
    uint32_t found = 0;

    assert_int_equal(
        sqlite3_prepare_v2(
            trace->db,
            "SELECT source, dest, tag, bytes, inner, send_seq, recv_seq, c.name FROM message "
            "JOIN comm c ON c.id = message.comm",
            -1, &stmt, NULL),
        SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        bool same = false;
        for (uint32_t i = 0; i < job->message_count && !same; i++) {
            const struct message *m = &job->message[i];
            same = m->source == sqlite3_column_int64(stmt, 0) &&
                   m->dest == sqlite3_column_int64(stmt, 1) &&
                   m->tag == sqlite3_column_int64(stmt, 2) &&
                   m->bytes == sqlite3_column_int64(stmt, 3) &&
                   m->inner == sqlite3_column_int64(stmt, 4) &&
                   m->send == (uint64_t)sqlite3_column_int64(stmt, 5) &&
                   m->receive == (uint64_t)sqlite3_column_int64(stmt, 6) &&
                   (m->receive != 0) == (sqlite3_column_type(stmt, 6) != SQLITE_NULL) &&
                   !strcmp((const char *)sqlite3_column_text(stmt, 7),
                           m->comm == 1 ? "MPI_COMM_WORLD" : "reversed");
        }
        assert_true(same);
        found++;
    }
    sqlite3_finalize(stmt);
    assert_int_equal(found, job->message_count);
}

static void trace_compare(const char *path, const struct job *job)
{
    struct trace trace;

    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(trace.rank_count, job->ranks);
    for (uint32_t r = 0; r < trace.rank_count; r++) {
        struct trace_cursor *cursor;
        struct trace_event e, again;
        uint64_t seq = 0;
        bool more;
        assert_int_equal(trace_cursor_open(&trace, r, &cursor), CORE_OK);
        while (assert_int_equal(trace_cursor_next(cursor, &e, &more), CORE_OK), more) {
            assert_int_equal(e.rank, r);
            assert_int_equal(e.seq, ++seq);
            event_compare(&trace, job, &e);
            assert_int_equal(trace_event_get(&trace, r, seq, &again), CORE_OK);
            assert_int_equal(again.call, e.call);
            if (job->rank[r].event[seq].call == DUP) {
                int64_t *value;
                uint32_t count;
                assert_int_equal(trace_arg_get(&trace, r, seq, "second", &value, &count), CORE_OK);
                assert_int_equal(count, 1);
                assert_int_equal(value[0], -5);
                free(value);
            }
        }
        assert_int_equal(seq, job->rank[r].seq);
        assert_int_equal(trace.rank[r].events, seq);
        trace_cursor_close(cursor);
    }
    messages_compare(&trace, job);
    trace_close(&trace);
}

static struct job *job_new(uint64_t seed, const char *folder)
{
    struct job *job = malloc(sizeof *job);

    job_begin(job, seed, folder);
    assert_true(job_play(job));
    return job;
}

static void job_free(struct job *job)
{
    char command[400];

    snprintf(command, sizeof command, "rm -rf '%s'", job->folder);
    assert_int_equal(system(command), 0);
    free(job->rank);
    free(job);
}

/* store/store_match.c invariants 1 and 2, store/store_message.c invariants 1 and 2 */
static void test_random(void **state)
{
    char folder[300], path[300];

    (void)state;
    snprintf(folder, sizeof folder, "%s/job", base);
    snprintf(path, sizeof path, "%s/T.db", base);
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        struct job *job = job_new(seed, folder);
        assert_int_equal(store_write(folder, path, NULL), CORE_OK);
        trace_compare(path, job);
        job_free(job);
    }
}

/* --- faults ----------------------------------------------------------------------------------- */

static int reports;

static void report_count(enum core_status status, const char *message, void *context)
{
    (void)status, (void)message, (void)context;
    reports++;
}

/* After a failure: it was reported, there is no file under the trace's name and no partial file,
 * and the spool can still be stored. */
static void expect_nothing(const char *path)
{
    char partial[320];

    snprintf(partial, sizeof partial, "%s.partial", path);
    assert_true(reports > 0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_not_equal(access(partial, F_OK), 0);
}

/* A trace that was made despite a fault is complete, or says which ranks lack records.
 */
static void expect_honest(const char *path, const struct job *job)
{
    struct trace trace;
    bool whole = true;

    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    for (uint32_t r = 0; r < trace.rank_count; r++) {
        bool complete = trace.rank[r].events == job->rank[r].seq;
        assert_true(complete || trace.rank[r].cut);
        whole = whole && complete;
    }
    assert_true(whole || trace_meta(&trace, "notes"));
    trace_close(&trace);
    if (whole)
        trace_compare(path, job);
}

static void faults(bool for_good)
{
    char folder[300], path[300];

    snprintf(folder, sizeof folder, "%s/faulty", base);
    snprintf(path, sizeof path, "%s/F.db", base);
    unlink(path);
    struct job *job = job_new(7, folder);
    int failed = 0;
    core_report_hook(report_count, NULL);
    for (int64_t n = 0;; n += n < 300 ? 1 : 37) {
        reports = 0;
        core_fault_set(n, for_good);
        enum core_status status = store_write(folder, path, NULL);
        bool hit = core_fault_places > (uint64_t)n;
        core_fault_set(-1, false);
        if (status) {
            failed++;
            expect_nothing(path);
        } else {
            expect_honest(path, job);
            unlink(path);
            if (!hit)
                break;
        }
    }
    core_report_hook(NULL, NULL);
    assert_true(failed > 100);
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    trace_compare(path, job);
    job_free(job);
}

/* store/store.c invariant 2 */
static void test_fault_once(void **state)
{
    (void)state;
    faults(false);
}

static void test_fault_for_good(void **state)
{
    (void)state;
    faults(true);
}

/* The disk takes only a limited number of bytes. */
static void test_file_limit(void **state)
{
    struct rlimit was, limit;
    char folder[300], path[300];
    int failed = 0;

    (void)state;
    snprintf(folder, sizeof folder, "%s/limited", base);
    snprintf(path, sizeof path, "%s/L.db", base);
    struct job *job = job_new(11, folder);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    core_report_hook(report_count, NULL);
    for (rlim_t bytes = 0;; bytes += 5000) {
        limit = was;
        limit.rlim_cur = bytes;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        reports = 0;
        enum core_status status = store_write(folder, path, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
        if (!status)
            break;
        failed++;
        expect_nothing(path);
    }
    core_report_hook(NULL, NULL);
    assert_true(failed > 3);
    trace_compare(path, job);
    job_free(job);
}

/* Reads while each place fails: this gives a status, never a crash; a success gives the usual data.
 */
static void test_fault_reading(void **state)
{
    char folder[300], path[300];
    bool through = false;

    (void)state;
    snprintf(folder, sizeof folder, "%s/read", base);
    snprintf(path, sizeof path, "%s/R.db", base);
    struct job *job = job_new(5, folder);
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    core_report_hook(report_count, NULL);
    for (int64_t n = 0; !through; n++) {
        struct trace trace;
        struct trace_cursor *cursor = NULL;
        struct trace_event e;
        bool more = true;
        core_fault_set(n, n % 2);
        reports = 0;
        enum core_status status = trace_open(path, TRACE_READ, &trace);
        bool opened = !status;
        if (opened)
            status = trace_cursor_open(&trace, 0, &cursor);
        while (!status && more)
            status = trace_cursor_next(cursor, &e, &more);
        through = core_fault_places <= (uint64_t)n;
        core_fault_set(-1, false);
        assert_true(through ? !status : status && reports > 0);
        trace_cursor_close(cursor);
        if (opened)
            trace_close(&trace);
    }
    core_report_hook(NULL, NULL);
    job_free(job);
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
        cmocka_unit_test(test_random),         cmocka_unit_test(test_fault_once),
        cmocka_unit_test(test_fault_for_good), cmocka_unit_test(test_file_limit),
        cmocka_unit_test(test_fault_reading),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
