/* Tests the logical engine on small handwritten programs: each policy's verdict, and the ranks that
 * it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/logical/run.h"

static struct replay_program program;

static void make(uint32_t ranks)
{
    assert_int_equal(replay_program_init(&program, ranks), CORE_OK);
}

static void add(uint32_t rank, enum replay_op_kind kind, int peer, int tag, uint64_t bytes,
                int request)
{
    struct replay_op op = {.kind = (uint8_t)kind,
                           .peer = peer,
                           .tag = tag,
                           .bytes = bytes,
                           .request = request,
                           .matched = REPLAY_ANY};
    assert_int_equal(replay_program_add(&program, rank, &op), CORE_OK);
}

static struct replay_op *last(uint32_t rank)
{
    return &program.rank[rank].op[program.rank[rank].op_count - 1];
}

static void add_wait(uint32_t rank, enum replay_op_kind kind, const int32_t *request,
                     uint32_t count, int chosen)
{
    int32_t set;
    assert_int_equal(replay_program_set(&program, rank, request, count, chosen, &set), CORE_OK);
    add(rank, kind, 0, 0, 0, set);
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

static void done(void)
{
    replay_program_done(&program);
}

/* --- buffering -------------------------------------------------------------------------------- */

static void quiz(uint32_t ranks, uint64_t bytes)
{
    make(ranks);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        add(rank, REPLAY_ISEND, (int)((rank + 1) % ranks), 7, bytes, 0);
        add(rank, REPLAY_WAIT, 0, 0, 0, 0);
        add(rank, REPLAY_IRECV, (int)((rank + ranks - 1) % ranks), 7, bytes, 1);
        add(rank, REPLAY_WAIT, 0, 0, 0, 1);
    }
}

static void test_quiz(void **state)
{
    (void)state;
    for (uint32_t ranks = 2; ranks <= 8; ranks++) {
        quiz(ranks, 100);
        struct replay_result result = run("buffering=rendezvous");
        assert_int_equal(result.outcome, REPLAY_DEADLOCK);
        assert_int_equal(result.waitfor.core_count, ranks);
        assert_int_equal(result.waitfor.blocked[0].op, 1);
        assert_int_equal(result.waitfor.blocked[0].count, 1);
        assert_int_equal(result.waitfor.peer[result.waitfor.clause[0].first], 1);
        assert_int_equal(result.waitfor.clause[0].op, 0);
        assert_false(result.assumed);
        replay_result_done(&result);
        assert_int_equal(outcome("buffering=eager"), REPLAY_FINISHED);
        assert_int_equal(outcome("buffering=eager:99"), REPLAY_DEADLOCK);
        assert_int_equal(outcome("buffering=eager:100"), REPLAY_FINISHED);
        assert_int_equal(outcome("buffering=credits:0"), REPLAY_DEADLOCK);
        assert_int_equal(outcome("buffering=credits:1"), REPLAY_FINISHED);
        assert_int_equal(outcome("buffering=pool:99"), REPLAY_DEADLOCK);
        assert_int_equal(outcome("buffering=pool:100"), REPLAY_FINISHED);
        assert_int_equal(outcome("buffering=random:0"), REPLAY_DEADLOCK);
        assert_int_equal(outcome("buffering=random:100"), REPLAY_FINISHED);
        assert_int_equal(outcome("buffering=list:0.1"),
                         REPLAY_FINISHED); /* one buffered send breaks the ring */
        result = run("buffering=eager");
        assert_int_equal(result.held_bytes_max, 100);
        assert_int_equal(result.messages, ranks);
        assert_int_equal(result.ops, 4 * ranks);
        replay_result_done(&result);
        done();
    }
}

static void test_modes(void **state)
{
    (void)state;
    quiz(2, 100);
    program.rank[0].op[0].mode = program.rank[1].op[0].mode = REPLAY_SYNCHRONOUS;
    assert_int_equal(outcome("buffering=eager"), REPLAY_DEADLOCK);
    program.rank[0].op[0].mode = REPLAY_BUFFERED;
    struct replay_result result = run("buffering=rendezvous");
    assert_int_equal(result.outcome, REPLAY_FINISHED);
    assert_int_equal(result.error_count, 1); /* nothing attached */
    assert_int_equal(result.error[0].kind, REPLAY_ERROR_BUFFER);
    assert_int_equal(result.error[0].bytes, 100);
    replay_result_done(&result);
    done();

    make(2); /* the buffer is used twice: detach waits */
    add(0, REPLAY_ATTACH, 0, 0, 100, 0);
    add(0, REPLAY_SEND, 1, 0, 60, 0);
    last(0)->mode = REPLAY_BUFFERED;
    add(0, REPLAY_DETACH, 0, 0, 0, 0);
    add(0, REPLAY_SEND, 1, 1, 1, 0);
    add(1, REPLAY_RECV, 0, 1, 1, 0);
    add(1, REPLAY_RECV, 0, 0, 60, 0);
    result = run("buffering=eager");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_int_equal(result.waitfor.core_count, 2);
    assert_int_equal(result.error_count, 0);
    replay_result_done(&result);
    done();

    make(2);
    add(0, REPLAY_SEND, 1, 0, 8, 0);
    last(0)->mode = REPLAY_READY;
    add(1, REPLAY_RECV, 0, 0, 4, 0);
    result = run("buffering=rendezvous");
    assert_int_equal(result.outcome, REPLAY_FINISHED);
    assert_int_equal(result.error_count, 2);
    assert_int_equal(result.error[0].kind, REPLAY_ERROR_READY);
    assert_int_equal(result.error[1].kind, REPLAY_ERROR_TRUNCATED);
    replay_result_done(&result);
    done();

    make(2); /* posted before, by anybody's account, for a message from anybody */
    add(0, REPLAY_RECV, 1, 0, 8, 0);
    add(0, REPLAY_SEND, 1, 1, 8, 0);
    last(0)->mode = REPLAY_READY;
    add(1, REPLAY_IRECV, REPLAY_ANY, 1, 8, 0);
    add(1, REPLAY_SEND, 0, 0, 8, 0);
    add(1, REPLAY_WAIT, 0, 0, 0, 0);
    result = run("buffering=rendezvous");
    assert_int_equal(result.outcome, REPLAY_FINISHED);
    assert_int_equal(result.error_count, 0);
    replay_result_done(&result);
    done();
}

/* --- the graph -------------------------------------------------------------------------------- */

/* reports invariant 4 */
static void test_core_and_behind(void **state)
{
    (void)state;
    make(6); /* 1 and 2 hold each other; 0, 3 wait for them; 4 waits for 5, which has ended */
    add(0, REPLAY_RECV, 1, 0, 8, 0);
    add(1, REPLAY_RECV, 2, 0, 8, 0);
    add(2, REPLAY_RECV, 1, 0, 8, 0);
    add(3, REPLAY_RECV, 0, 0, 8, 0);
    struct replay_result result = run("");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_int_equal(result.waitfor.core_count, 2);
    assert_int_equal(result.waitfor.behind_count, 2);
    assert_int_equal(result.waitfor.blocked[1].standing, REPLAY_IN_CORE);
    assert_int_equal(result.waitfor.blocked[2].standing, REPLAY_IN_CORE);
    replay_result_done(&result);
    add(4, REPLAY_RECV, 5, 0, 8, 0);
    result = run("");
    assert_int_equal(result.waitfor.cores, 2);
    assert_int_equal(result.waitfor.core_count, 3);
    assert_int_equal(result.waitfor.blocked[4].core,
                     1); /* a rank that waits for one that has ended is the smallest set */
    assert_int_equal(result.waitfor.blocked[1].core, 2); /* and explains nothing of these */
    assert_int_equal(result.waitfor.blocked[2].core, 2);
    assert_int_equal(result.waitfor.behind_count, 2);
    replay_result_done(&result);
    done();
}

static void test_any_source(void **state)
{
    (void)state;
    make(3); /* 0 waits for anybody, 1 and 2 for 0 */
    add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
    add(1, REPLAY_RECV, 0, 0, 8, 0);
    add(2, REPLAY_RECV, 0, 0, 8, 0);
    struct replay_result result = run("");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_int_equal(result.waitfor.core_count,
                     3); /* all three are needed: any of them could release 0 */
    assert_true(result.waitfor.clause[result.waitfor.blocked[0].first].any);
    replay_result_done(&result);
    program.rank[2].end =
        REPLAY_END_UNKNOWN; /* its record ends early, but it is known to wait here */
    assert_int_equal(outcome(""), REPLAY_DEADLOCK);
    program.rank[2].op_count = 0;
    assert_int_equal(outcome(""), REPLAY_STALLED);
    done();
    make(3); /* 0 and 1 hold each other; 2, which waits for anybody, could only release itself */
    add(0, REPLAY_RECV, 1, 0, 8, 0);
    add(1, REPLAY_RECV, 0, 0, 8, 0);
    add(2, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
    result = run("");
    assert_int_equal(result.waitfor.cores, 1);
    assert_int_equal(result.waitfor.behind_count, 1);
    replay_result_done(&result);
    done();
}

/* checkers invariant 4 */
static void test_unknown_is_not_blamed(void **state)
{
    (void)state;
    make(4); /* 0 and 1 hold each other whatever 3 did; 2 waits for 3 */
    add(0, REPLAY_RECV, 1, 0, 8, 0);
    add(1, REPLAY_RECV, 0, 0, 8, 0);
    add(2, REPLAY_RECV, 3, 0, 8, 0);
    program.rank[3].end = REPLAY_END_UNKNOWN;
    struct replay_result result = run("");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_int_equal(result.waitfor.core_count, 2);
    assert_int_equal(result.waitfor.maybe_count, 1);
    assert_int_equal(result.waitfor.blocked[2].standing, REPLAY_MAYBE);
    replay_result_done(&result);
    program.rank[0].op_count = program.rank[1].op_count = 0;
    assert_int_equal(outcome(""), REPLAY_STALLED);
    done();
}

/* --- wildcards -------------------------------------------------------------------------------- */

/* Rank 0 receives from any source, then from 1: it finishes if the wildcard took 2's message, and
 * is stuck if it took 1's. */
static void wildcard(int matched)
{
    make(3);
    add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
    last(0)->matched = matched;
    add(0, REPLAY_RECV, 1, 0, 8, 0);
    add(1, REPLAY_SEND, 0, 0, 8, 0);
    add(2, REPLAY_SEND, 0, 0, 8, 0);
}

static void test_wildcard_order(void **state)
{
    (void)state;
    wildcard(2);
    struct replay_result result = run("order=recorded");
    assert_int_equal(result.outcome, REPLAY_FINISHED);
    assert_false(result.assumed);
    replay_result_done(&result);
    result = run("order=list:0.1=1");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_true(
        result.assumed); /* the record says nothing about what rank 0 does after another match */
    assert_int_equal(result.waitfor.core_count, 1);   /* 0 waits for 1, which has ended */
    assert_int_equal(result.waitfor.behind_count, 1); /* 2's send */
    replay_result_done(&result);
    unsigned seen = 0;
    for (int seed = 1; seed <= 20; seed++) {
        char text[64];
        snprintf(text, sizeof text, "order=random seed=%d", seed);
        seen |= 1u << outcome(text);
    }
    assert_int_equal(seen, 1u << REPLAY_FINISHED | 1u << REPLAY_DEADLOCK);
    done();
    wildcard(2);
    program.rank[2].op_count =
        0; /* the recorded source never comes: take what there is, and say so */
    result = run("order=recorded");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_true(result.assumed);
    replay_result_done(&result);
    done();
}

static void test_wait_any(void **state)
{
    (void)state;
    const int32_t both[] = {0, 1}, second[] = {1};
    make(3);
    add(0, REPLAY_IRECV, 1, 0, 8, 0);
    add(0, REPLAY_IRECV, 2, 0, 8, 1);
    add_wait(0, REPLAY_WAIT_ANY, both, 2, 0);
    add(0, REPLAY_SEND, 2, 0, 8, 0);
    add_wait(0, REPLAY_WAIT_ALL, second, 1, -1);
    add(1, REPLAY_SEND, 0, 0, 8, 0);
    add(2, REPLAY_RECV, 0, 0, 8, 0);
    add(2, REPLAY_SEND, 0, 0, 8, 0);
    assert_int_equal(outcome(""), REPLAY_FINISHED);
    assert_int_equal(outcome("order=first"), REPLAY_FINISHED);
    program.rank[1].op_count = 0;
    struct replay_result result = run("");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_int_equal(result.waitfor.blocked[0].count, 1); /* one clause of two ranks */
    assert_int_equal(result.waitfor.clause[0].count, 2);
    replay_result_done(&result);
    add(1, REPLAY_SEND, 0, 0, 8, 0);
    done();
    make(3); /* the recorded member never completes, the other does */
    add(0, REPLAY_IRECV, 1, 0, 8, 0);
    add(0, REPLAY_IRECV, 2, 0, 8, 1);
    add_wait(0, REPLAY_WAIT_ANY, both, 2, 0);
    add(2, REPLAY_SEND, 0, 0, 8, 0);
    result = run("");
    assert_int_equal(result.outcome, REPLAY_FINISHED);
    assert_true(result.assumed);
    assert_int_equal(result.leftover_count, 1);
    assert_false(result.leftover[0].is_send);
    replay_result_done(&result);
    done();
}

static void test_probe(void **state)
{
    (void)state;
    make(2);
    add(0, REPLAY_PROBE, REPLAY_ANY, REPLAY_ANY, 0, 0);
    add(0, REPLAY_RECV, 1, 5, 8, 0);
    add(0, REPLAY_MPROBE, 1, REPLAY_ANY, 0, 0);
    add(0, REPLAY_MRECV, 0, 0, 8, 0);
    add(0, REPLAY_MPROBE, 1, 9, 0, 1);
    add(0, REPLAY_IMRECV, 0, 1, 8, 2);
    add(0, REPLAY_WAIT, 0, 0, 0, 2);
    add(1, REPLAY_SEND, 0, 5, 8, 0);
    add(1, REPLAY_SEND, 0, 6, 8, 0);
    add(1, REPLAY_SEND, 0, 9, 8, 0);
    assert_int_equal(outcome("buffering=rendezvous"), REPLAY_FINISHED);
    assert_int_equal(outcome("buffering=eager order=first"), REPLAY_FINISHED);
    program.rank[0].op[0].tag = 77;
    struct replay_result result = run("buffering=eager");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_int_equal(result.leftover_count, 3);
    assert_true(result.leftover[0].complete);
    replay_result_done(&result);
    done();
}

static void test_cancel(void **state)
{
    (void)state;
    make(2);
    add(0, REPLAY_IRECV, 1, 0, 8, 0);
    add(0, REPLAY_CANCEL, 0, 0, 0, 0);
    last(0)->flags = REPLAY_FLAG_DONE;
    add(0, REPLAY_WAIT, 0, 0, 0, 0);
    assert_int_equal(outcome(""), REPLAY_FINISHED);
    last(0)[-1].flags = 0; /* the recorded cancel did not succeed: the receive must match */
    assert_int_equal(outcome(""), REPLAY_DEADLOCK);
    done();
}

/* --- collectives ------------------------------------------------------------------------------ */

static void coll(uint32_t rank, enum replay_coll_shape shape, int number, int root)
{
    add(rank, REPLAY_COLL, root, number, 8, 0);
    last(rank)->mode = (uint8_t)shape;
}

static void test_collectives(void **state)
{
    (void)state;
    make(3); /* reduce_alone: only rank 0 calls it */
    coll(0, REPLAY_COLL_TO_ROOT, 0, 0);
    struct replay_result result = run("coll=relaxed");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_int_equal(result.waitfor.core_count, 1);
    assert_int_equal(result.waitfor.blocked[0].count, 2);
    replay_result_done(&result);
    done();

    make(2); /* bcast and a message crossed: relies on a root that does not wait */
    coll(0, REPLAY_COLL_FROM_ROOT, 0, 0);
    add(0, REPLAY_SEND, 1, 0, 8, 0);
    add(1, REPLAY_RECV, 0, 0, 8, 0);
    coll(1, REPLAY_COLL_FROM_ROOT, 0, 0);
    assert_int_equal(outcome("coll=relaxed"), REPLAY_FINISHED);
    assert_int_equal(outcome("coll=synchronising"), REPLAY_DEADLOCK);
    done();

    make(3); /* scan: 0 needs nobody, 2 needs all below */
    coll(0, REPLAY_COLL_PREFIX, 0, 0);
    add(0, REPLAY_SEND, 2, 0, 8, 0);
    add(2, REPLAY_RECV, 0, 0, 8, 0);
    add(2, REPLAY_SEND, 1, 0, 8, 0);
    coll(2, REPLAY_COLL_PREFIX, 0, 0);
    add(1, REPLAY_RECV, 2, 0, 8, 0);
    coll(1, REPLAY_COLL_PREFIX, 0, 0);
    assert_int_equal(outcome("coll=relaxed"), REPLAY_FINISHED);
    assert_int_equal(outcome("coll=synchronising"), REPLAY_DEADLOCK);
    done();

    make(2); /* ibarrier, and two communicators in opposite order */
    uint32_t second;
    assert_int_equal(replay_program_comm(&program, (int32_t[]){1, 0}, 2, &second), CORE_OK);
    for (uint32_t rank = 0; rank < 2; rank++)
        for (uint32_t i = 0; i < 2; i++) {
            coll(rank, REPLAY_COLL_ALL_TO_ALL, 0, -1);
            last(rank)->comm = (rank + i) % 2;
        }
    result = run("coll=relaxed");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_int_equal(result.waitfor.core_count, 2);
    replay_result_done(&result);
    program.rank[0].op[0].kind = REPLAY_ICOLL;
    program.rank[0].op[0].request = 0;
    program.rank[0].request_count = 1;
    assert_int_equal(outcome("coll=relaxed"), REPLAY_FINISHED);
    done();
}

static void test_collective_mismatch(void **state)
{
    (void)state;
    make(2);
    coll(0, REPLAY_COLL_FROM_ROOT, 0, 0);
    coll(1, REPLAY_COLL_FROM_ROOT, 0, 1);
    struct replay_result result = run("coll=relaxed");
    assert_int_equal(result.error_count, 1);
    assert_int_equal(result.error[0].kind, REPLAY_ERROR_COLLECTIVE);
    replay_result_done(&result);
    done();
}

static void test_locks(void **state)
{
    (void)state;
    make(3); /* 0 and 1 take the locks of 0 and 2 in opposite order */
    for (uint32_t rank = 0; rank < 2; rank++) {
        for (int i = 0; i < 2; i++) {
            if (i)
                coll(rank, REPLAY_COLL_ALL_TO_ALL, 0, -1); /* both hold their first lock */
            add(rank, REPLAY_LOCK, (rank + (unsigned)i) % 2 ? 2 : 0, 0, 0, 0);
            last(rank)->mode = REPLAY_LOCK_EXCLUSIVE;
        }
        add(rank, REPLAY_UNLOCK, 0, 0, 0, 0);
        add(rank, REPLAY_UNLOCK, 2, 0, 0, 0);
    }
    coll(2, REPLAY_COLL_ALL_TO_ALL, 0, -1);
    struct replay_result result = run("");
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    assert_int_equal(result.waitfor.core_count, 2);
    replay_result_done(&result);
    for (uint32_t rank = 0; rank < 2; rank++)
        for (uint32_t i = 0; i < program.rank[rank].op_count; i++)
            if (program.rank[rank].op[i].kind == REPLAY_LOCK)
                program.rank[rank].op[i].mode = REPLAY_LOCK_SHARED;
    assert_int_equal(outcome(""), REPLAY_FINISHED);
    done();
}

/* A lock of all targets is a shared one: it keeps exclusive ones out, and they keep it out. */
static void test_lock_all(void **state)
{
    (void)state;
    for (int mode = REPLAY_LOCK_SHARED; mode <= REPLAY_LOCK_EXCLUSIVE; mode++)
        for (int all_first = 0; all_first < 2; all_first++) {
            make(3);
            uint32_t first = all_first ? 0 : 1,
                     second = 1 - first; /* first: holds its lock until second has had its own */
            for (uint32_t rank = 0; rank < 3; rank++) {
                if (rank == second)
                    add(rank, REPLAY_RECV, (int)first, 1, 8, 0);
                add(rank, REPLAY_LOCK, rank == 1 ? 2 : REPLAY_ANY, 0, 0, 0);
                last(rank)->mode = (uint8_t)(rank == 1 ? mode : REPLAY_LOCK_SHARED);
                if (rank == first)
                    add(rank, REPLAY_SEND, (int)second, 1, 8, 0);
                if (rank == first)
                    add(rank, REPLAY_RECV, (int)second, 2, 8, 0);
                add(rank, REPLAY_UNLOCK, rank == 1 ? 2 : REPLAY_ANY, 0, 0, 0);
                if (rank == second)
                    add(rank, REPLAY_SEND, (int)first, 2, 8, 0);
            }
            struct replay_result result = run("delay=slow-rank:2");
            assert_int_equal(result.outcome,
                             mode == REPLAY_LOCK_SHARED ? REPLAY_FINISHED : REPLAY_DEADLOCK);
            if (mode == REPLAY_LOCK_EXCLUSIVE) {
                assert_int_equal(result.waitfor.core_count, 2);
                assert_int_equal(result.waitfor.blocked[second].kind, REPLAY_LOCK);
                assert_int_equal(
                    result.waitfor
                        .peer[result.waitfor.clause[result.waitfor.blocked[second].first].first],
                    first);
            }
            replay_result_done(&result);
            assert_int_equal(outcome("coll=relaxed"), REPLAY_FINISHED);
            done();
        }
}

/* logical/run.h invariant 3: any schedule gives a program without wildcards the same end. */
static void test_schedules_agree(void **state)
{
    (void)state;
    make(5);
    for (uint32_t rank = 0; rank < 5; rank++)
        for (int i = 0; i < 20; i++) {
            int32_t pair[] = {2 * i, 2 * i + 1};
            add(rank, REPLAY_IRECV, (int)((rank + 4) % 5), i % 3, 8, 2 * i);
            add(rank, REPLAY_ISEND, (int)((rank + 1) % 5), i % 3, 8, 2 * i + 1);
            add_wait(rank, REPLAY_WAIT_ALL, pair, 2, -1);
        }
    static const char *const text[] = {
        "delay=none",  "delay=uniform:1 seed=3", "delay=slow-rank:2",  "delay=swarm seed=5",
        "order=first", "order=random",           "buffering=random:50"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct replay_result result = run(text[i]);
        assert_int_equal(result.outcome, REPLAY_FINISHED);
        assert_int_equal(result.messages, 100);
        assert_int_equal(result.leftover_count, 0);
        replay_result_done(&result);
    }
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiz),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_core_and_behind),
        cmocka_unit_test(test_any_source),
        cmocka_unit_test(test_unknown_is_not_blamed),
        cmocka_unit_test(test_wildcard_order),
        cmocka_unit_test(test_wait_any),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_collective_mismatch),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_lock_all),
        cmocka_unit_test(test_schedules_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
