/* Compares the launcher's proof with a naive search. Random programs run in a naive library, which
 * knows what the spools lack: which receive took which message, which messages have arrived or were
 * delivered. Then all ranks block, or some compute. The proof's claim must hold whatever the other
 * ranks do next: the search tries a few messages and receives of any kind in a row. If all ranks
 * are stuck and were idle for long, nearly all such jobs must be proven.
 *
 * In half of the jobs some ranks have two threads, each of which acts like a rank; the spools have
 * no order for calls that they make at the same time. */
#include "core/random.h"
#include "tests/unit/proof_job.h"

enum { RANKS = 4, TAGS = 2, OBJECTS = 96, REQUESTS = 24, LIST = 4, STEPS = 60 };
enum { ACTORS = 2 * RANKS }; /* threads: the first of each rank, then those that are second */
enum { NODES_MAX = 20000, MOVES_MAX = 3 };
enum { ANY = EVENT_ANY };

struct message {
    int8_t source, dest, tag;
    bool eager, arrived, carried;
    int16_t receive; /* that took it; -1 none */
};
struct receive {
    int8_t dest;
    int32_t source, tag;
    int16_t message; /* -1 none */
};
struct handle {
    bool active, send;
    int16_t object;
};
struct call { /* that a thread is in */
    enum event_class class;
    int16_t send, receive; /* objects of its own; -1 none */
    uint32_t list[LIST], count;
};
struct member { /* a thread */
    struct handle handle[REQUESTS];
    uint32_t handles;
    bool is, inside, computes;
    struct call call;
};
struct world {
    struct message message[OBJECTS];
    struct receive receive[OBJECTS];
    uint32_t messages, receives, size, actors;
    struct member actor[ACTORS];
};

static struct core_random chance;

static uint32_t below(uint32_t n)
{
    return (uint32_t)core_random_below(&chance, n);
}

static uint32_t rank_of(const struct world *w, uint32_t actor)
{
    return actor % w->size;
}

/* Returns the lane of its spool. */
static uint32_t lane_of(const struct world *w, uint32_t actor)
{
    return actor < w->size ? actor : RANKS_MAX + actor - w->size;
}

static uint32_t id_of(const struct world *w, uint32_t actor, uint32_t handle)
{
    return handle + 1 + (actor < w->size ? 0 : REQUESTS);
}

static bool computes(const struct world *w, int8_t rank)
{
    return w->actor[rank].computes || w->actor[(uint32_t)rank + w->size].computes;
}

/* --- the naive library ------------------------------------------------------------------------ */

static bool is_fit(const struct message *m, const struct receive *r)
{
    return m->dest == r->dest && (r->source == ANY || r->source == m->source) &&
           (r->tag == ANY || r->tag == m->tag);
}

static void match(struct world *w, uint32_t m, uint32_t r)
{
    w->message[m].receive = (int16_t)r;
    w->receive[r].message = (int16_t)m;
}

/* Posts a receive. `arrived` does not give the order of arrival: messages of one pair of ranks
 * arrive by their numbers, others in any order; so lower numbers count as first. */
static uint32_t receive_post(struct world *w, uint32_t dest, int32_t source, int32_t tag)
{
    uint32_t r = w->receives++;

    w->receive[r] = (struct receive){(int8_t)dest, source, tag, -1};
    for (uint32_t m = 0; m < w->messages && w->receive[r].message < 0; m++)
        if (w->message[m].arrived && w->message[m].receive < 0 &&
            is_fit(&w->message[m], &w->receive[r]))
            match(w, m, r);
    return r;
}

static bool may_arrive(const struct world *w, uint32_t m)
{
    for (uint32_t i = 0; i < m; i++)
        if (!w->message[i].arrived && w->message[i].source == w->message[m].source &&
            w->message[i].dest == w->message[m].dest)
            return false;
    return !w->message[m].arrived;
}

static void arrive(struct world *w, uint32_t m)
{
    w->message[m].arrived = true;
    for (uint32_t r = 0; r < w->receives; r++)
        if (w->receive[r].message < 0 && is_fit(&w->message[m], &w->receive[r])) {
            match(w, m, r);
            return;
        }
}

static uint32_t message_post(struct world *w, uint32_t source, uint32_t dest, uint32_t tag,
                             bool eager)
{
    w->message[w->messages] =
        (struct message){(int8_t)source, (int8_t)dest, (int8_t)tag, eager, false, eager, -1};
    return w->messages++;
}

static bool is_sent(const struct world *w, int16_t m)
{
    return w->message[m].eager || (w->message[m].receive >= 0 && w->message[m].carried);
}

static bool is_received(const struct world *w, int16_t r)
{
    int16_t m = w->receive[r].message;

    return m >= 0 && w->message[m].carried;
}

static bool is_handle_done(const struct world *w, const struct handle *h)
{
    return h->send ? is_sent(w, h->object) : is_received(w, h->object);
}

static bool is_call_done(const struct world *w, const struct member *rank)
{
    const struct call *c = &rank->call;
    uint32_t done = 0;

    if ((c->send >= 0 && !is_sent(w, c->send)) || (c->receive >= 0 && !is_received(w, c->receive)))
        return false;
    for (uint32_t i = 0; i < c->count; i++)
        done += is_handle_done(w, &rank->handle[c->list[i]]);
    return c->class == EVENT_CLASS_WAITANY ? done > 0 : done == c->count;
}

/* --- writing spools --------------------------------------------------------------------------- */

/* Writes the status of handle h, or of the call's own receive (h NULL), for the next event. */
static void say_done(const struct world *w, uint32_t actor, const struct handle *h, uint32_t id,
                     uint32_t index, int16_t receive)
{
    struct spool_done done = {.seq = lane[lane_of(w, actor)].seq + 1,
                              .index = index,
                              .request = id,
                              .source = EVENT_NONE,
                              .tag = EVENT_NONE};
    int16_t r = h ? h->object : receive;

    if (!h || !h->send) {
        done.source = w->message[w->receive[r].message].source;
        done.tag = w->message[w->receive[r].message].tag;
    }
    put(lane_of(w, actor), SPOOL_DONE, 0, 0, &done, sizeof done, NULL, 0);
}

static void say_list(const struct world *w, uint32_t actor, const struct call *c)
{
    const uint32_t to = lane_of(w, actor);
    struct spool_list list = {.seq = lane[to].seq + 1, .total = c->count, .count = c->count};
    uint32_t id[LIST];

    for (uint32_t i = 0; i < c->count; i++)
        id[i] = id_of(w, actor, c->list[i]);
    put(to, SPOOL_LIST, SPOOL_LIST_REQUESTS, 4, &list, sizeof list, id, c->count * sizeof *id);
}

static void say_leg(const struct world *w, uint32_t actor, const struct receive *r)
{
    const uint32_t to = lane_of(w, actor);
    struct spool_recv_half recv_half = {
        .seq = lane[to].seq + 1, .peer = r->source, .tag = r->tag, .count = 1};

    put(to, SPOOL_RECV_HALF, 0, 0, &recv_half, sizeof recv_half, NULL, 0);
}

static bool is_listed(const struct call *c)
{
    return c->class == EVENT_CLASS_WAITALL || c->class == EVENT_CLASS_WAITANY;
}

static void peer_of_call(const struct world *w, const struct call *c, int32_t *peer, int32_t *tag)
{
    *peer = c->send >= 0      ? w->message[c->send].dest
            : c->receive >= 0 ? w->receive[c->receive].source
                              : EVENT_NONE;
    *tag = c->send >= 0      ? w->message[c->send].tag
           : c->receive >= 0 ? w->receive[c->receive].tag
                             : EVENT_NONE;
}

/* Writes that the call returns. */
static void call_return(struct world *w, uint32_t me)
{
    struct member *rank = &w->actor[me];
    const struct call *c = &rank->call;
    int32_t peer, tag;

    peer_of_call(w, c, &peer, &tag);
    if (is_listed(c))
        say_list(w, me, c);
    if (c->class == EVENT_CLASS_SENDRECV)
        say_leg(w, me, &w->receive[c->receive]);
    if (c->receive >= 0)
        say_done(w, me, NULL, 0, 0, c->receive);
    for (uint32_t i = 0; i < c->count; i++) {
        struct handle *h = &rank->handle[c->list[i]];

        if (!is_handle_done(w, h))
            continue;
        say_done(w, me, h, id_of(w, me, c->list[i]), i, 0);
        h->active = false;
        if (c->class == EVENT_CLASS_WAITANY)
            break;
    }
    did(lane_of(w, me), c->class, peer, tag,
        c->class == EVENT_CLASS_WAIT ? id_of(w, me, c->list[0]) : 0);
    rank->inside = false;
}

/* Writes that the call does not return. */
static void call_stays(const struct world *w, uint32_t me)
{
    const struct call *c = &w->actor[me].call;
    int32_t peer, tag;

    peer_of_call(w, c, &peer, &tag);
    if (is_listed(c))
        say_list(w, me, c);
    if (c->class == EVENT_CLASS_SENDRECV)
        say_leg(w, me, &w->receive[c->receive]);
    inside(lane_of(w, me), c->class, peer, tag,
           c->class == EVENT_CLASS_WAIT ? id_of(w, me, c->list[0]) : 0);
}

/* --- random programs -------------------------------------------------------------------------- */

static uint32_t other_than(const struct world *w, uint32_t me)
{
    return (rank_of(w, me) + 1 + below(w->size - 1)) % w->size;
}

static int32_t any_or(uint32_t value)
{
    return below(3) ? (int32_t)value : ANY;
}

static void handle_make(struct world *w, uint32_t me, bool send)
{
    struct member *rank = &w->actor[me];
    uint32_t peer = other_than(w, me), tag = below(TAGS);
    uint32_t id = rank->handles++;

    if (send) {
        rank->handle[id] = (struct handle){
            true, true, (int16_t)message_post(w, rank_of(w, me), peer, tag, below(2))};
        did(lane_of(w, me), EVENT_CLASS_ISEND, (int32_t)peer, (int32_t)tag, id_of(w, me, id));
        return;
    }
    int32_t source = any_or(peer), with = any_or(tag);
    rank->handle[id] =
        (struct handle){true, false, (int16_t)receive_post(w, rank_of(w, me), source, with)};
    did(lane_of(w, me), EVENT_CLASS_IRECV, source, with, id_of(w, me, id));
}

static void wait_begin(struct world *w, uint32_t me)
{
    struct member *rank = &w->actor[me];
    struct call c = {.send = -1, .receive = -1};

    for (uint32_t i = 0; i < rank->handles && c.count < LIST; i++)
        if (rank->handle[i].active && below(3))
            c.list[c.count++] = i;
    if (!c.count)
        return;
    c.class =
        c.count > 1 ? (below(3) ? EVENT_CLASS_WAITALL : EVENT_CLASS_WAITANY) : EVENT_CLASS_WAIT;
    rank->call = c;
    rank->inside = true;
}

static void step(struct world *w, uint32_t me)
{
    struct member *rank = &w->actor[me];
    uint32_t what = below(10), peer = other_than(w, me), tag = below(TAGS);
    struct call c = {.send = -1, .receive = -1};

    if (w->messages + 1 >= OBJECTS || w->receives + 1 >= OBJECTS || rank->handles + 1 >= REQUESTS) {
        rank->computes = true;
        return;
    }
    if (what < 4) {
        handle_make(w, me, what & 1);
        return;
    }
    if (what < 7) {
        wait_begin(w, me);
        return;
    }
    if (what != 8)
        c.send = (int16_t)message_post(w, rank_of(w, me), peer, tag, !below(3));
    if (what != 7) {
        int32_t source = any_or(other_than(w, me)), with = any_or(below(TAGS));
        c.receive = (int16_t)receive_post(w, rank_of(w, me), source, with);
    }
    c.class = what == 7 ? EVENT_CLASS_SEND : what == 8 ? EVENT_CLASS_RECV : EVENT_CLASS_SENDRECV;
    rank->call = c;
    rank->inside = true;
}

static void returns_make(struct world *w)
{
    for (uint32_t a = 0; a < w->actors; a++)
        if (w->actor[a].inside && is_call_done(w, &w->actor[a]))
            call_return(w, a);
}

static void carry(struct world *w, bool all)
{
    for (uint32_t m = 0; m < w->messages; m++)
        if (w->message[m].receive >= 0 && !w->message[m].carried)
            w->message[m].carried = all || below(2);
}

/* Lets messages arrive in any order that MPI allows; all: all except those from or to a computing
 * rank. */
static void deliver(struct world *w, bool all)
{
    for (uint32_t m = 0; m < w->messages; m++) {
        const struct message *at = &w->message[m];
        bool sure = all && !computes(w, at->source) && !computes(w, at->dest);

        if (may_arrive(w, m) && (sure || !below(4)))
            arrive(w, m);
    }
}

/* Runs until only computing ranks can continue. */
static void settle(struct world *w, uint8_t level)
{
    for (uint32_t turn = 0; turn < 4 * STEPS; turn++) {
        bool moves = false;

        if (level != PROOF_STILL) {
            deliver(w, true);
            carry(w, level == PROOF_IDLE_1MIB || level == PROOF_IDLE_64MIB);
        }
        returns_make(w);
        for (uint32_t a = 0; a < w->actors; a++) {
            if (!w->actor[a].is || w->actor[a].inside || w->actor[a].computes)
                continue;
            moves = true;
            if (turn < STEPS)
                step(w, a);
            else
                w->actor[a].computes = true;
        }
        if (!moves && turn > 8)
            return;
    }
}

static void world_run(struct world *w, uint32_t computing, uint8_t level)
{
    uint32_t steps = below(STEPS);

    memset(w, 0, sizeof *w);
    w->size = 2 + below(RANKS - 1);
    w->actors = 2 * w->size;
    job_start(w->size);
    const bool threads = below(2);
    for (uint32_t a = 0; a < w->actors; a++)
        w->actor[a].is = a < w->size || (threads && below(2));
    for (uint32_t a = w->size; a < w->actors; a++)
        if (w->actor[a].is)
            thread_of(rank_of(w, a));
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t a = below(w->actors);

        if (w->actor[a].is && !w->actor[a].inside && !w->actor[a].computes)
            step(w, a);
        deliver(w, false);
        carry(w, false);
        returns_make(w);
    }
    for (uint32_t i = 0; i < computing; i++) {
        uint32_t a = below(w->actors);
        w->actor[a].computes = w->actor[a].is && !w->actor[a].inside;
    }
    settle(w, level);
    for (uint32_t r = 0; r < w->size; r++)
        standing[r] = computes(w, (int8_t)r) ? PROOF_UNKNOWN : level;
    for (uint32_t a = 0; a < w->actors; a++)
        if (w->actor[a].inside)
            call_stays(w, a);
}

/* --- the naive search ------------------------------------------------------------------------- */

struct search {
    bool claimed[ACTORS];
    uint32_t nodes;
};

static bool is_freed(const struct world *now, struct search *s, uint32_t moves);

/* Tells whether a rank gets free when messages arrive and ranks that can return do anything. */
static bool is_freed_by_time(struct world *w, struct search *s, uint32_t moves)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t m = 0; m < w->messages; m++) {
            if (may_arrive(w, m)) {
                arrive(w, m);
                more = true;
            }
            if (w->message[m].receive >= 0 && !w->message[m].carried)
                w->message[m].carried = more = true;
        }
        for (uint32_t a = 0; a < w->actors; a++)
            if (w->actor[a].inside && is_call_done(w, &w->actor[a])) {
                if (s->claimed[a])
                    return true;
                w->actor[a].inside = false;
                w->actor[a].computes = more = true;
            }
    }
    return is_freed(w, s, moves);
}

static bool is_freed(const struct world *now, struct search *s, uint32_t moves)
{
    if (!moves || s->nodes++ > NODES_MAX)
        return false;
    for (uint32_t r = 0; r < now->size; r++) {
        if (!computes(now, (int8_t)r) || now->messages + 1 >= OBJECTS ||
            now->receives + 1 >= OBJECTS)
            continue;
        for (uint32_t peer = 0; peer < now->size; peer++)
            for (uint32_t tag = 0; tag < TAGS; tag++) {
                struct world sent = *now, received = *now;

                message_post(&sent, r, peer, tag, true);
                receive_post(&received, r, (int32_t)peer, (int32_t)tag);
                if (is_freed_by_time(&sent, s, moves - 1) ||
                    is_freed_by_time(&received, s, moves - 1))
                    return true;
            }
    }
    return false;
}

/* --- tests ------------------------------------------------------------------------------------ */

static bool is_proven(struct search *out_search)
{
    char folder[] = "test_proof.XXXXXX";
    struct proof_prover *prover;
    struct proof_verdict verdict;

    assert_int_equal(proof_prover_new(&prover), CORE_OK);
    assert_non_null(mkdtemp(folder));
    spools_write(folder, false);
    assert_int_equal(proof_prove(prover, folder, standing, rank_count, &verdict), CORE_OK);
    proof_prover_free(prover);
    spools_remove(folder);
    expect_same_dropped(folder, &verdict);
    rmdir(folder);
    *out_search = (struct search){.nodes = 0};
    for (uint32_t i = 0; i < verdict.ending.call_count; i++) {
        const struct ending_call *call = &verdict.ending.call[i];

        assert_int_not_equal(call->seq, 0);
        out_search->claimed[call->rank + (call->seq > SEQ_SECOND ? rank_count : 0)] = true;
    }
    ending_done(&verdict.ending);
    return verdict.proven;
}

static uint32_t jobs = 400; /* or the number on the command line */

static void what_is_proven_holds(void **state)
{
    static const uint8_t levels[] = {PROOF_STILL, PROOF_IDLE, PROOF_IDLE_1MIB, PROOF_IDLE_64MIB};
    uint32_t stuck[2] = {0}, stuck_proven[2] = {0}, partly = 0; /* by whether it has threads */
    static struct world w;

    (void)state;
    for (uint32_t job = 0; job < jobs; job++) {
        struct search search;
        bool all = true, threads = false;

        core_random_init(&chance, job);
        uint8_t level = levels[below(4)];
        world_run(&w, below(4), level);
        bool proven = is_proven(&search);
        for (uint32_t a = 0; a < w.actors; a++)
            all &= w.actor[a].inside || !w.actor[a].is;
        for (uint32_t a = w.size; a < w.actors; a++)
            threads |= w.actor[a].is;
        bool carried = level == PROOF_IDLE_1MIB || level == PROOF_IDLE_64MIB;
        stuck[threads] += all && carried;
        stuck_proven[threads] += all && proven && carried;
        partly += proven && !all;
        struct world now = w;
        if (proven && is_freed_by_time(&now, &search, MOVES_MAX))
            fail_msg("job %u: proven, but it can go on", job);
    }
    print_message("%u of %u jobs that were stuck proven, %u of %u with several threads a rank, and "
                  "%u of which some ranks compute\n",
                  stuck_proven[0], stuck[0], stuck_proven[1], stuck[1], partly);
    assert_true(stuck[0] > jobs / 20 && stuck_proven[0] * 100 > stuck[0] * 95);
    assert_true(stuck[1] > jobs / 20 && stuck_proven[1] * 100 > stuck[1] * 60);
    assert_true(partly > jobs / 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_proven_holds),
    };

    if (argc > 1)
        jobs = (uint32_t)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
