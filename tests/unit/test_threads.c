/* Tests ranks on which several threads make calls: compares random programs with a naive engine
 * that follows the rules, and runs small programs by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "replay/search/explore.h"
#include "replay/logical/run.h"

static struct replay_program program;

static void add_when(uint32_t rank, uint32_t thread, uint64_t enter, uint64_t leave,
                     struct replay_op op)
{
    op.matched = REPLAY_ANY;
    assert_int_equal(
        replay_program_add_when(&program, rank, &op, &(struct replay_when){enter, leave, thread}),
        CORE_OK);
}

static struct replay_result run(const char *text)
{
    struct replay_policy policy;
    struct replay_result result;
    assert_int_equal(replay_program_check(&program), CORE_OK);
    assert_int_equal(replay_policy_parse(text, REPLAY_OFFLINE, &policy), CORE_OK);
    assert_int_equal(replay_run_once(&program, &policy, &result), CORE_OK);
    replay_policy_done(&policy);
    return result;
}

static enum replay_outcome outcome(const char *text)
{
    struct replay_result result = run(text);
    enum replay_outcome outcome = result.outcome;
    replay_result_done(&result);
    return outcome;
}

/* --- random programs against the rules -------------------------------------------------------- */

enum { RANKS = 4, THREADS = 3, OPS = 40, REQUESTS = OPS };

/* What the naive engine knows of an operation. */
struct naive_op {
    bool begun, passed, matched;
};
static struct naive_op naive[RANKS][OPS];
static bool request_done[RANKS][REQUESTS];

static bool is_send(const struct replay_op *op)
{
    return op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND;
}

static bool is_receive(const struct replay_op *op)
{
    return op->kind == REPLAY_RECV || op->kind == REPLAY_IRECV;
}

static void naive_matched(uint32_t rank, uint32_t i)
{
    naive[rank][i].matched = true;
    if (program.rank[rank].op[i].kind == REPLAY_ISEND ||
        program.rank[rank].op[i].kind == REPLAY_IRECV)
        request_done[rank][program.rank[rank].op[i].request] = true;
}

/* Matches all pairs that can be matched now. Each thread of a rank uses its own envelopes, so that
 * operations of one envelope are in order. */
static void naive_match(void)
{
    for (uint32_t to = 0; to < program.rank_count; to++)
        for (uint32_t r = 0; r < program.rank[to].op_count; r++) {
            const struct replay_op *receive = &program.rank[to].op[r];
            if (!is_receive(receive) || !naive[to][r].begun || naive[to][r].matched)
                continue;
            uint32_t from = (uint32_t)receive->peer;
            for (uint32_t s = 0; s < program.rank[from].op_count; s++) {
                const struct replay_op *send = &program.rank[from].op[s];
                if (!is_send(send) || !naive[from][s].begun || naive[from][s].matched ||
                    send->peer != (int32_t)to || send->tag != receive->tag)
                    continue;
                naive_matched(to, r);
                naive_matched(from, s);
                break;
            }
        }
}

static bool naive_may_begin(uint32_t rank, uint32_t i, bool recorded)
{
    const struct replay_rank *r = &program.rank[rank];
    for (uint32_t j = 0; j < r->op_count; j++) {
        if (r->when[j].thread == r->when[i].thread
                ? j < i && !naive[rank][j].passed
                : recorded && r->when[j].leave < r->when[i].enter && !naive[rank][j].passed)
            return false;
    }
    return true;
}

static bool naive_complete(uint32_t rank, uint32_t i, uint64_t eager)
{
    const struct replay_rank *r = &program.rank[rank];
    const struct replay_op *op = &r->op[i];
    switch (op->kind) {
    case REPLAY_SEND:
        return naive[rank][i].matched || op->bytes <= eager;
    case REPLAY_RECV:
        return naive[rank][i].matched;
    case REPLAY_WAIT:
        return request_done[rank][op->request];
    case REPLAY_WAIT_ALL:
        for (uint32_t m = 0; m < r->set[op->request].count; m++)
            if (!request_done[rank][r->member[r->set[op->request].first + m]])
                return false;
        return true;
    case REPLAY_COLL:
        for (uint32_t other = 0; other < program.rank_count; other++) {
            bool came = false;
            for (uint32_t j = 0; j < program.rank[other].op_count; j++)
                came |= program.rank[other].op[j].kind == REPLAY_COLL &&
                        program.rank[other].op[j].tag == op->tag && naive[other][j].begun;
            if (!came)
                return false;
        }
        return true;
    default:
        return true;
    }
}

static void naive_run(uint64_t eager, bool recorded)
{
    bool changed = true;
    memset(naive, 0, sizeof naive);
    memset(request_done, 0, sizeof request_done);
    while (changed) {
        changed = false;
        for (uint32_t rank = 0; rank < program.rank_count; rank++)
            for (uint32_t i = 0; i < program.rank[rank].op_count; i++) {
                struct naive_op *op = &naive[rank][i];
                if (!op->begun && naive_may_begin(rank, i, recorded)) {
                    op->begun = changed = true;
                    if (program.rank[rank].op[i].kind == REPLAY_ISEND &&
                        program.rank[rank].op[i].bytes <= eager)
                        request_done[rank][program.rank[rank].op[i].request] = true;
                    naive_match();
                }
                if (op->begun && !op->passed && naive_complete(rank, i, eager))
                    op->passed = changed = true;
            }
    }
}

struct sketch { /* a thread's operations before they are put in the order of the rank */
    struct replay_op op[OPS];
    uint32_t count, at;
};
static struct sketch sketch[RANKS][THREADS];

static void sketch_add(uint32_t rank, uint32_t thread, struct replay_op op)
{
    struct sketch *s = &sketch[rank][thread];
    if (s->count < OPS / THREADS - 1)
        s->op[s->count++] = op;
}

/* Makes messages between random threads, each pair of threads with its own tag; then swaps some of
 * the operations. Another thread may wait for a request. */
static void make_random(struct core_random *random)
{
    uint32_t ranks = 2 + core_random_below(random, RANKS - 1), threads[RANKS],
             messages = core_random_below(random, 12), colls = 0;
    int32_t request[RANKS] = {0};

    memset(sketch, 0, sizeof sketch);
    for (uint32_t rank = 0; rank < ranks; rank++)
        threads[rank] = 1 + core_random_below(random, THREADS);
    for (uint32_t m = 0; m < messages; m++) {
        uint32_t from = core_random_below(random, ranks), to = core_random_below(random, ranks);
        uint32_t sender = core_random_below(random, threads[from]),
                 receiver = core_random_below(random, threads[to]);
        int32_t tag = (int32_t)(sender * THREADS + receiver);
        struct replay_op send = {.kind = REPLAY_SEND,
                                 .peer = (int32_t)to,
                                 .tag = tag,
                                 .bytes = core_random_below(random, 3) * 10};
        struct replay_op receive = {
            .kind = REPLAY_RECV, .peer = (int32_t)from, .tag = tag, .bytes = 100};
        if (core_random_below(random, 8) == 0 && colls < 3) {
            for (uint32_t rank = 0; rank < ranks; rank++)
                sketch_add(rank, core_random_below(random, threads[rank]),
                           (struct replay_op){.kind = REPLAY_COLL,
                                              .tag = (int32_t)colls,
                                              .peer = REPLAY_PROC_NULL});
            colls++;
        }
        sketch_add(from, sender, send);
        sketch_add(to, receiver, receive);
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t t = 0; t < threads[rank]; t++)
            for (uint32_t i = 0; i + 1 < sketch[rank][t].count; i++)
                if (core_random_below(random, 6) == 0) {
                    struct replay_op swap = sketch[rank][t].op[i];
                    sketch[rank][t].op[i] = sketch[rank][t].op[i + 1];
                    sketch[rank][t].op[i + 1] = swap;
                }
    assert_int_equal(replay_program_init(&program, ranks), CORE_OK);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        int32_t open[REQUESTS];
        uint32_t opened = 0, left;
        uint64_t now = 0, idle[THREADS] = {0};
        do {
            left = 0;
            for (uint32_t t = 0; t < threads[rank]; t++)
                left += sketch[rank][t].count - sketch[rank][t].at;
            if (!left)
                break;
            uint32_t t = core_random_below(random, threads[rank]);
            struct sketch *s = &sketch[rank][t];
            now += 10;
            uint64_t enter = now > idle[t] ? now : idle[t],
                     leave = enter + core_random_below(random, 40);
            if (s->at == s->count)
                continue;
            now = enter;
            idle[t] = leave;
            struct replay_op op = s->op[s->at++];
            if (op.kind <= REPLAY_RECV && op.kind != REPLAY_ISEND &&
                core_random_below(random, 3) == 0) {
                op.kind = op.kind == REPLAY_SEND ? REPLAY_ISEND : REPLAY_IRECV;
                op.request = open[opened++] = request[rank]++;
            }
            add_when(rank, t, enter, leave, op);
            if (opened && core_random_below(random, 2) == 0) {
                uint32_t waiter =
                    core_random_below(random, 4) ? t : core_random_below(random, threads[rank]);
                now += 10;
                enter = now > idle[waiter] ? now : idle[waiter];
                idle[waiter] = enter + core_random_below(random, 40);
                now = enter;
                if (core_random_below(random, 2))
                    add_when(rank, waiter, enter, idle[waiter],
                             (struct replay_op){.kind = REPLAY_WAIT, .request = open[--opened]});
                else {
                    int32_t set;
                    assert_int_equal(replay_program_set(&program, rank, open, opened, -1, &set),
                                     CORE_OK);
                    add_when(rank, waiter, enter, idle[waiter],
                             (struct replay_op){.kind = REPLAY_WAIT_ALL, .request = set});
                    opened = 0;
                }
            }
        } while (left);
        assert_true(program.rank[rank].op_count <= OPS);
    }
}

/* Expects the same blocked operations. Returns their number. */
static uint32_t compare(const struct replay_result *result)
{
    uint32_t blocked = 0, found = 0, passed = 0;
    for (uint32_t rank = 0; rank < program.rank_count; rank++)
        for (uint32_t i = 0; i < program.rank[rank].op_count; i++) {
            bool first = !naive[rank][i].passed;
            passed += naive[rank][i].passed;
            for (uint32_t j = 0; j < i && first; j++)
                first = program.rank[rank].when[j].thread != program.rank[rank].when[i].thread ||
                        naive[rank][j].passed;
            if (!first)
                continue;
            blocked++;
            for (uint32_t b = 0; b < result->waitfor.blocked_count; b++)
                found +=
                    result->waitfor.blocked[b].rank == rank && result->waitfor.blocked[b].op == i;
        }
    assert_int_equal(found, blocked);
    assert_int_equal(result->waitfor.blocked_count, blocked);
    assert_int_equal(result->outcome, blocked ? REPLAY_DEADLOCK : REPLAY_FINISHED);
    assert_int_equal(result->ops, passed);
    assert_int_equal(result->waitfor.core_count > 0, blocked > 0);
    for (uint32_t c = 0; c < result->waitfor.clause_count; c++)
        for (uint32_t p = 0; p < result->waitfor.clause[c].count; p++)
            assert_true(result->waitfor.peer[result->waitfor.clause[c].first + p] <
                        program.rank_count);
    return blocked;
}

static void test_against_naive(void **state)
{
    static const char *const buffering[] = {"rendezvous", "eager", "eager:10"};
    static const uint64_t eager[] = {0, 1000, 10};
    static const char *const more[] = {"", " delay=uniform:1",
                                       " delay=slow-rank:1 threads=recorded", " threads=recorded"};
    uint32_t deadlocks[2] = {0}, finished[2] = {0}, only_recorded = 0, threaded = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        struct core_random random;
        core_random_init(&random, seed);
        make_random(&random);
        for (uint32_t rank = 0; rank < program.rank_count; rank++)
            for (uint32_t i = 0; i < program.rank[rank].op_count;
                 i++) /* nothing of 0 bytes is buffered without eager */
                program.rank[rank].op[i].bytes += is_send(&program.rank[rank].op[i]);
        for (uint32_t b = 0; b < 3; b++) {
            bool free_ends = false;
            for (uint32_t m = 0; m < 4; m++) {
                char text[100];
                bool recorded = m >= 2;
                snprintf(text, sizeof text, "buffering=%s%s", buffering[b], more[m]);
                naive_run(b == 2 ? 10 : eager[b], recorded);
                struct replay_result result = run(text);
                bool deadlock = compare(&result) > 0;
                deadlocks[recorded] += deadlock;
                finished[recorded] += !deadlock;
                if (m == 0)
                    free_ends = !deadlock;
                else if (!recorded)
                    assert_int_equal(free_ends, !deadlock);
                else if (deadlock && free_ends)
                    only_recorded++;
                else /* less order never harms */
                    assert_true(free_ends || deadlock);
                threaded += result.assumed;
                replay_result_done(&result);
            }
        }
        replay_program_done(&program);
    }
    /* all kinds of ends were met */
    assert_true(deadlocks[0] > 1000 && deadlocks[1] > 1000 && finished[0] > 1000 &&
                finished[1] > 1000 && only_recorded > 100 && threaded > 100);
}

/* --- by hand ---------------------------------------------------------------------------------- */

/* Two ranks, two threads each: thread t exchanges with thread t of the other rank, sending first;
 * crossed: thread 1 receives first. */
static void make_pairs(bool crossed)
{
    assert_int_equal(replay_program_init(&program, 2), CORE_OK);
    for (uint32_t rank = 0; rank < 2; rank++)
        for (uint32_t t = 0; t < 2; t++) {
            struct replay_op send = {
                .kind = REPLAY_SEND, .peer = 1 - (int32_t)rank, .tag = (int32_t)t, .bytes = 8};
            struct replay_op receive = {
                .kind = REPLAY_RECV, .peer = 1 - (int32_t)rank, .tag = (int32_t)t, .bytes = 8};
            bool receives_first = crossed && t == 1 && rank == 1;
            add_when(rank, t, 10 * t, 10 * t + 1, receives_first ? receive : send);
            add_when(rank, t, 10 * t + 5, 10 * t + 6, receives_first ? send : receive);
        }
}

static void test_pairs(void **state)
{
    (void)state;
    make_pairs(false);
    struct replay_result result = run("buffering=rendezvous");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_false(result.assumed);
    assert_int_equal(result.waitfor.cores, 2); /* each pair of threads holds itself */
    assert_int_equal(result.waitfor.core_count, 4);
    assert_int_equal(result.waitfor.blocked[0].core, result.waitfor.blocked[2].core);
    assert_int_not_equal(result.waitfor.blocked[0].core, result.waitfor.blocked[1].core);
    replay_result_done(&result);
    assert_int_equal(outcome("buffering=eager"), REPLAY_FINISHED);
    assert_int_equal(outcome("buffering=only:0.1"),
                     REPLAY_DEADLOCK); /* one pair is free, the other is not */
    assert_int_equal(outcome("buffering=only:0.1,0.3"), REPLAY_FINISHED);
    replay_program_done(&program);
    make_pairs(true);
    result = run("buffering=rendezvous");
    assert_int_equal(result.waitfor.blocked_count, 2);
    assert_int_equal(result.waitfor.core_count, 2);
    replay_result_done(&result);
    replay_program_done(&program);
}

/* On both ranks one thread sends and the other receives, at the same time or one after the other.
 */
static void make_duplex(bool one_after_the_other)
{
    assert_int_equal(replay_program_init(&program, 2), CORE_OK);
    for (uint32_t rank = 0; rank < 2; rank++) {
        add_when(rank, 0, 0, one_after_the_other ? 5 : 20,
                 (struct replay_op){.kind = REPLAY_SEND, .peer = 1 - (int32_t)rank, .bytes = 8});
        add_when(rank, 1, 10, 30,
                 (struct replay_op){.kind = REPLAY_RECV, .peer = 1 - (int32_t)rank, .bytes = 8});
    }
}

static void test_order(void **state)
{
    (void)state;
    make_duplex(false);
    assert_int_equal(outcome("buffering=rendezvous"), REPLAY_FINISHED);
    assert_int_equal(outcome("buffering=rendezvous threads=recorded"), REPLAY_FINISHED);
    replay_program_done(&program);
    make_duplex(true);
    assert_int_equal(outcome("buffering=rendezvous"), REPLAY_FINISHED);
    assert_int_equal(outcome("buffering=eager threads=recorded"), REPLAY_FINISHED);
    struct replay_result result = run("buffering=rendezvous threads=recorded");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_true(result.assumed);
    assert_int_equal(result.waitfor.core_count, 4); /* each send holds the receive of its rank */
    assert_false(result.waitfor.blocked[0].order);
    assert_true(result.waitfor.blocked[1].order);
    assert_int_equal(
        result.waitfor.peer[result.waitfor.clause[result.waitfor.blocked[1].first].first],
        0); /* its own rank */
    replay_result_done(&result);
    replay_program_done(&program);
}

/* Rank 0's first thread waits for ever, its second has ended: it may do more if its record ends
 * early. */
static void test_unknown(void **state)
{
    (void)state;
    assert_int_equal(replay_program_init(&program, 2), CORE_OK);
    add_when(0, 0, 0, 1, (struct replay_op){.kind = REPLAY_COMPUTE});
    add_when(0, 1, 2, UINT64_MAX,
             (struct replay_op){.kind = REPLAY_RECV, .peer = 1, .flags = REPLAY_FLAG_PENDING});
    add_when(1, 0, 0, UINT64_MAX,
             (struct replay_op){.kind = REPLAY_RECV, .peer = 0, .flags = REPLAY_FLAG_PENDING});
    add_when(
        1, 1, 0, UINT64_MAX,
        (struct replay_op){.kind = REPLAY_RECV, .peer = 0, .tag = 1, .flags = REPLAY_FLAG_PENDING});
    assert_int_equal(outcome(""), REPLAY_DEADLOCK);
    program.rank[0].end = REPLAY_END_UNKNOWN;
    assert_int_equal(outcome(""), REPLAY_STALLED);
    assert_int_equal(outcome("threads=recorded"),
                     REPLAY_DEADLOCK); /* it waits for the other thread, outside of MPI */
    program.rank[0].end = REPLAY_END_FINISHED;
    program.rank[1].end = REPLAY_END_UNKNOWN; /* both of its threads are known to wait */
    assert_int_equal(outcome(""), REPLAY_DEADLOCK);
    replay_program_done(&program);
}

/* Two threads receive messages of one envelope: they take them in the recorded order, and a
 * deadlock is assumed. */
static void test_contended(void **state)
{
    (void)state;
    assert_int_equal(replay_program_init(&program, 2), CORE_OK);
    add_when(0, 1, 0, 50, (struct replay_op){.kind = REPLAY_RECV, .peer = 1, .bytes = 8});
    add_when(0, 0, 1, 60, (struct replay_op){.kind = REPLAY_RECV, .peer = 1, .bytes = 8});
    add_when(0, 1, 61, 62,
             (struct replay_op){.kind = REPLAY_SEND, .peer = 1, .tag = 5, .bytes = 8});
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            replay_program_add(&program, 1,
                               &(struct replay_op){.kind = REPLAY_SEND, .peer = 0, .bytes = 8}),
            CORE_OK);
        if (i == 0)
            assert_int_equal(
                replay_program_add(
                    &program, 1,
                    &(struct replay_op){.kind = REPLAY_RECV, .peer = 0, .tag = 5, .bytes = 8}),
                CORE_OK);
    }
    struct replay_result result = run("buffering=rendezvous");
    assert_int_equal(result.outcome, REPLAY_FINISHED); /* the other thread first: stuck */
    assert_true(result.assumed && result.by_threads);
    replay_result_done(&result);
    program.rank[1].op[1].tag = 6;
    result = run("buffering=eager");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_true(result.assumed);
    replay_result_done(&result);
    replay_program_done(&program);
}

/* A thread receives the message that another one probed, or cancels a request of another one: each
 * comes after what it needs. */
static void test_handed_over(void **state)
{
    (void)state;
    assert_int_equal(replay_program_init(&program, 2), CORE_OK);
    add_when(0, 1, 0, 10, (struct replay_op){.kind = REPLAY_RECV, .peer = 1, .tag = 9, .bytes = 8});
    add_when(0, 1, 20, 21,
             (struct replay_op){.kind = REPLAY_MPROBE, .peer = REPLAY_ANY, .tag = 1, .request = 0});
    add_when(0, 0, 22, 23, (struct replay_op){.kind = REPLAY_MRECV, .request = 0, .bytes = 8});
    add_when(0, 1, 30, 31,
             (struct replay_op){.kind = REPLAY_IRECV, .peer = 1, .tag = 77, .request = 1});
    add_when(0, 0, 32, 33,
             (struct replay_op){.kind = REPLAY_CANCEL, .request = 1, .flags = REPLAY_FLAG_DONE});
    add_when(0, 0, 34, 35, (struct replay_op){.kind = REPLAY_WAIT, .request = 1});
    struct replay_op send = {.kind = REPLAY_SEND, .peer = 0, .tag = 9, .bytes = 8};
    assert_int_equal(replay_program_add(&program, 1, &send), CORE_OK);
    send.tag = 1;
    assert_int_equal(replay_program_add(&program, 1, &send), CORE_OK);
    for (int order = 0; order < 3; order++)
        for (int recorded = 0; recorded < 2; recorded++) {
            char text[100];
            snprintf(text, sizeof text, "buffering=rendezvous order=%s%s",
                     order == 0   ? "recorded"
                     : order == 1 ? "first"
                                  : "random",
                     recorded ? " threads=recorded" : "");
            struct replay_result result = run(text);
            assert_int_equal(result.outcome, REPLAY_FINISHED);
            assert_int_equal(result.messages, 2);
            assert_int_equal(result.leftover_count, 0);
            replay_result_done(&result);
        }
    replay_program_done(&program);
}

/* Wildcards of one thread while another waits: every order is explored. */
static void test_explored(void **state)
{
    struct replay_explore_options options = {0};
    struct replay_exploration exploration;
    (void)state;
    assert_int_equal(replay_program_init(&program, 3), CORE_OK);
    add_when(0, 0, 0, 10,
             (struct replay_op){.kind = REPLAY_RECV, .peer = REPLAY_ANY, .tag = 1, .bytes = 8});
    add_when(0, 1, 1, 30, (struct replay_op){.kind = REPLAY_RECV, .peer = 2, .tag = 2, .bytes = 8});
    add_when(0, 0, 11, 20,
             (struct replay_op){.kind = REPLAY_RECV, .peer = 1, .tag = 1, .bytes = 8});
    program.rank[0].op[0].matched = 2;
    for (uint32_t rank = 1; rank < 3; rank++)
        assert_int_equal(
            replay_program_add(&program, rank,
                               &(struct replay_op){.kind = REPLAY_SEND, .tag = 1, .bytes = 8}),
            CORE_OK);
    assert_int_equal(
        replay_program_add(&program, 2,
                           &(struct replay_op){.kind = REPLAY_SEND, .tag = 2, .bytes = 8}),
        CORE_OK);
    assert_int_equal(outcome("buffering=rendezvous"), REPLAY_FINISHED);
    assert_int_equal(replay_policy_parse("buffering=rendezvous", REPLAY_OFFLINE, &options.policy),
                     CORE_OK);
    options.keep_going = true;
    assert_int_equal(replay_explore(&program, &options, &exploration), CORE_OK);
    assert_int_equal(exploration.verdict,
                     REPLAY_VERDICT_DEADLOCK); /* the wildcard takes what the named receive needs */
    assert_int_equal(exploration.rest, SEARCH_REST_NONE);
    assert_int_equal(exploration.runs, 2);
    replay_exploration_done(&exploration);
    program.rank[0].op[1].peer = 1; /* threads compete: not all orders are tried */
    program.rank[0].op[1].tag = 1;
    assert_int_equal(replay_explore(&program, &options, &exploration), CORE_OK);
    assert_int_not_equal(exploration.rest, SEARCH_REST_NONE);
    replay_exploration_done(&exploration);
    replay_program_done(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),         cmocka_unit_test(test_order),
        cmocka_unit_test(test_unknown),       cmocka_unit_test(test_contended),
        cmocka_unit_test(test_handed_over),   cmocka_unit_test(test_explored),
        cmocka_unit_test(test_against_naive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
