/* Tests the buffer need on programs with known answers, and against runs with every threshold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "replay/search/need.h"

static struct replay_program program;

static void add(uint32_t rank, enum replay_op_kind kind, int peer, uint64_t bytes)
{
    struct replay_op op = {
        .kind = (uint8_t)kind, .peer = peer, .bytes = bytes, .matched = REPLAY_ANY};
    assert_int_equal(replay_program_add(&program, rank, &op), CORE_OK);
}

static void expect_equal(const struct replay_need *a, const struct replay_need *b)
{
    assert_int_equal(a->step_count, b->step_count);
    for (uint32_t i = 0; i < a->step_count; i++) {
        assert_int_equal(a->step[i].outcome, b->step[i].outcome);
        assert_int_equal(a->step[i].bytes, b->step[i].bytes);
    }
    assert_memory_equal(a->held_bytes, b->held_bytes, a->rank_count * sizeof *a->held_bytes);
    assert_memory_equal(a->held_count, b->held_count, a->rank_count * sizeof *a->held_count);
    assert_int_equal(a->runs, b->runs);
    assert_int_equal(a->blame_count, b->blame_count);
    assert_int_equal(a->pool_bytes, b->pool_bytes);
    assert_int_equal(a->credits, b->credits);
}

/* Runs one world and compares its result. */
static void expect_world(const char *text, const struct replay_result *result)
{
    struct replay_policy policy;
    struct replay_result alone;

    assert_int_equal(replay_policy_parse(text, REPLAY_OFFLINE, &policy), CORE_OK);
    assert_int_equal(replay_run_once(&program, &policy, &alone), CORE_OK);
    assert_int_equal(alone.outcome, result->outcome);
    assert_int_equal(alone.messages, result->messages);
    assert_int_equal(alone.assumed, result->assumed);
    assert_int_equal(alone.held_bytes_max, result->held_bytes_max);
    assert_int_equal(alone.leftover_count, result->leftover_count);
    assert_int_equal(alone.error_count, result->error_count);
    assert_int_equal(alone.waitfor.blocked_count, result->waitfor.blocked_count);
    replay_result_done(&alone);
    replay_policy_done(&policy);
}

/* Finds the need; it must be the same if the caller has already run both worlds. */
static struct replay_need find(void)
{
    struct replay_worlds worlds;
    struct replay_need need, again;

    assert_int_equal(replay_program_check(&program), CORE_OK);
    assert_int_equal(replay_worlds_run(&program, NULL, &worlds), CORE_OK);
    expect_world("buffering=rendezvous", &worlds.unbuffered);
    expect_world("buffering=eager", &worlds.buffered);
    assert_int_equal(replay_need_find(&program, NULL, NULL, &need), CORE_OK);
    assert_int_equal(replay_need_find(&program, NULL, &worlds, &again), CORE_OK);
    expect_equal(&need, &again);
    replay_need_done(&again);
    replay_worlds_done(&worlds);
    return need;
}

/* Both ranks send before they receive; the sizes differ: buffering one of the sends suffices. */
static void test_quiz(void **state)
{
    (void)state;
    assert_int_equal(replay_program_init(&program, 2), CORE_OK);
    add(0, REPLAY_SEND, 1, 1000);
    add(0, REPLAY_RECV, 1, 1000);
    add(1, REPLAY_SEND, 0, 10);
    add(1, REPLAY_RECV, 0, 1000);
    struct replay_need need = find();
    assert_true(need.exact && need.ever && !need.always);
    assert_int_equal(need.safe_bytes, 10);
    assert_int_equal(need.step_count, 2);
    assert_true(need.step[0].rendezvous);
    assert_int_equal(need.step[0].outcome, REPLAY_DEADLOCK);
    assert_int_equal(need.step[1].bytes, 10);
    assert_int_equal(need.held_bytes[1], 1000);
    assert_int_equal(need.blame_count, 1);
    assert_true(need.blame_minimal);
    assert_int_equal(need.credits, 1);
    assert_int_equal(need.pool_bytes, 10);
    replay_need_done(&need);
    replay_program_done(&program);
}

static void test_never_and_always(void **state)
{
    (void)state;
    assert_int_equal(replay_program_init(&program, 2), CORE_OK);
    add(0, REPLAY_RECV, 1, 8);
    add(0, REPLAY_SEND, 1, 8);
    add(1, REPLAY_RECV, 0, 8);
    add(1, REPLAY_SEND, 0, 8);
    struct replay_need need = find();
    assert_false(need.ever || need.always);
    assert_int_equal(need.step_count, 1);
    assert_int_equal(need.blame_count, 0);
    replay_need_done(&need);
    program.rank[0].op[0].kind = REPLAY_SEND;
    program.rank[0].op[1].kind = REPLAY_RECV;
    need = find();
    assert_true(need.always && need.ever);
    assert_int_equal(need.safe_bytes, 0);
    replay_need_done(&need);
    replay_program_done(&program);
}

/* Every round of the ring needs one buffered send; all other sends may block. */
static void test_rounds(void **state)
{
    (void)state;
    assert_int_equal(replay_program_init(&program, 5), CORE_OK);
    for (uint32_t rank = 0; rank < 5; rank++)
        for (int round = 0; round < 4; round++) {
            add(rank, REPLAY_SEND, (int)(rank + 1) % 5, 100 + rank);
            add(rank, REPLAY_RECV, (int)(rank + 4) % 5, 200);
        }
    struct replay_need need = find();
    assert_int_equal(need.safe_bytes, 100); /* rank 0's send, of 100 bytes, breaks the ring */
    assert_int_equal(need.blame_count, 4);
    assert_true(need.blame_minimal);
    assert_int_equal(need.thresholds, 5);
    replay_need_done(&need);
    replay_program_done(&program);
}

/* With a wildcard, more buffering can cause a deadlock: the step function is not monotone. */
static void test_not_monotone(void **state)
{
    (void)state;
    assert_int_equal(replay_program_init(&program, 3), CORE_OK);
    add(0, REPLAY_PROBE, 2, 0); /* 2's message arrives only if 1's send to 0 did not block */
    add(0, REPLAY_RECV, REPLAY_ANY, 8);
    program.rank[0].op[1].matched = 1;
    add(0, REPLAY_RECV, 2, 8);
    add(1, REPLAY_SEND, 0, 8);
    add(1, REPLAY_SEND, 2, 16);
    add(2, REPLAY_RECV, 1, 16);
    add(2, REPLAY_SEND, 0, 8);
    struct replay_need need = find();
    assert_true(need.ever);
    assert_int_equal(need.safe_bytes, 8);
    replay_need_done(&need);
    replay_program_done(&program);
}

static enum replay_outcome at(enum replay_buffering buffering, uint64_t bytes)
{
    struct replay_policy policy;
    struct replay_result result;
    replay_policy_init(&policy);
    policy.buffering = buffering;
    policy.bytes = bytes;
    assert_int_equal(replay_run_once(&program, &policy, &result), CORE_OK);
    enum replay_outcome outcome = result.outcome;
    replay_result_done(&result);
    replay_policy_done(&policy);
    return outcome;
}

/* Bisection must find the same steps as a trial of every size. */
static void test_against_every_size(void **state)
{
    struct core_random random;
    uint32_t interesting = 0;
    (void)state;
    core_random_init(&random, 5);
    for (int i = 0; i < 500; i++) {
        uint32_t ranks = 2 + (uint32_t)core_random_below(&random, 3);
        assert_int_equal(replay_program_init(&program, ranks), CORE_OK);
        for (int message = 0; message < 8; message++) {
            uint32_t from = (uint32_t)core_random_below(&random, ranks),
                     to = (uint32_t)core_random_below(&random, ranks);
            uint64_t bytes = core_random_below(&random, 6) * 8;
            if (core_random_below(&random,
                                  2)) { /* either may come first in the program of a rank */
                add(from, REPLAY_SEND, (int)to, bytes);
                add(to, REPLAY_RECV, (int)from, 48);
            } else {
                add(to, REPLAY_RECV, (int)from, 48);
                add(from, REPLAY_SEND, (int)to, bytes);
            }
        }
        struct replay_need need = find();
        for (uint64_t bytes = 0; bytes <= 48; bytes += 8) {
            enum replay_outcome expected = need.step[0].outcome;
            for (uint32_t k = 0; k < need.step_count; k++)
                if (!need.step[k].rendezvous && need.step[k].bytes <= bytes)
                    expected = need.step[k].outcome;
            assert_int_equal(at(REPLAY_EAGER_BYTES, bytes), expected);
        }
        assert_int_equal(at(REPLAY_RENDEZVOUS, 0), need.step[0].outcome);
        assert_int_equal(at(REPLAY_EAGER, 0), need.step[need.step_count - 1].outcome);
        interesting += need.step_count > 1;
        if (need.step_count > 1) {
            struct replay_policy policy;
            struct replay_result result;
            replay_policy_init(&policy);
            policy.buffering = REPLAY_SEND_ONLY; /* the blamed sends suffice, one fewer does not */
            for (uint32_t without = 0; without <= need.blame_count; without++) {
                policy.send.count = 0;
                for (uint32_t k = 0; k < need.blame_count; k++)
                    if (k != without)
                        replay_policy_add_send(&policy, need.blame[k].rank,
                                               need.blame[k].op + UINT64_C(1));
                assert_int_equal(replay_run_once(&program, &policy, &result), CORE_OK);
                assert_int_equal(result.outcome,
                                 without == need.blame_count ? REPLAY_FINISHED : REPLAY_DEADLOCK);
                replay_result_done(&result);
            }
            replay_policy_done(&policy);
        }
        replay_need_done(&need);
        replay_program_done(&program);
    }
    assert_true(interesting > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiz),
        cmocka_unit_test(test_never_and_always),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_not_monotone),
        cmocka_unit_test(test_against_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
