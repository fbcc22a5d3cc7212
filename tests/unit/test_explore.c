/* Compares exploration with brute force on random small programs, and with known answers. An
 * argument sets the number of random programs. */
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

static uint64_t programs = 200;
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

static struct replay_exploration explore(bool sends, bool no_reduction, bool keep_going,
                                         uint64_t runs, const char *policy)
{
    struct replay_explore_options options = {
        .sends = sends, .no_reduction = no_reduction, .keep_going = keep_going, .runs_max = runs};
    struct replay_exploration result;
    assert_int_equal(replay_policy_parse(policy, REPLAY_OFFLINE, &options.policy), CORE_OK);
    assert_int_equal(replay_program_check(&program), CORE_OK);
    assert_int_equal(replay_explore(&program, &options, &result), CORE_OK);
    replay_policy_done(&options.policy);
    return result;
}

static void assert_witness(const struct replay_exploration *found, const char *wanted)
{
    char *text = replay_policy_text(found->witness);
    assert_string_equal(text, wanted);
    free(text);
}

static void assert_same_witness(const struct replay_exploration *a,
                                const struct replay_exploration *b)
{
    char *text = replay_policy_text(b->witness);
    assert_witness(a, text);
    free(text);
}

/* The witness must do what it says. */
static void check_witness(const struct replay_exploration *found)
{
    struct replay_result result;
    assert_non_null(found->witness);
    assert_int_equal(replay_run_once(&program, found->witness, &result), CORE_OK);
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    replay_result_done(&result);
}

static void random_program(struct core_random *random)
{
    uint32_t ranks = 2 + (uint32_t)core_random_below(random, 3);
    make(ranks);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        int32_t request = 0, waited = 0, message = 1000;
        uint32_t length = 1 + (uint32_t)core_random_below(random, 4);
        for (uint32_t i = 0; i < length; i++) {
            int peer = (int)core_random_below(random, ranks),
                tag = (int)core_random_below(random, 2);
            bool any = core_random_below(random, 2), any_tag = core_random_below(random, 4) == 0;
            switch (core_random_below(random, 6)) {
            case 0:
                add(rank, REPLAY_SEND, peer, tag, 8, 0);
                break;
            case 1:
                add(rank, REPLAY_ISEND, peer, tag, 8, request++);
                break;
            case 2:
            case 3:
                add(rank, REPLAY_RECV, any ? REPLAY_ANY : peer, any_tag ? REPLAY_ANY : tag, 8, 0);
                break;
            case 4:
                add(rank, REPLAY_IRECV, any ? REPLAY_ANY : peer, any_tag ? REPLAY_ANY : tag, 8,
                    request++);
                break;
            default:
                if (waited < request)
                    add(rank, REPLAY_WAIT, 0, 0, 0, waited++);
                else if (core_random_below(random, 2)) { /* a receive of the probed message */
                    struct replay_op *op;
                    add(rank, REPLAY_PROBE, REPLAY_ANY, tag, 0, 0);
                    add(rank, REPLAY_RECV, peer, any_tag ? REPLAY_ANY : tag, 8, 0);
                    op = program.rank[rank].op + program.rank[rank].op_count;
                    op[-1].flags = op[-2].flags = REPLAY_FLAG_PROBED;
                } else {
                    add(rank, REPLAY_MPROBE, any ? REPLAY_ANY : peer, tag, 0, message);
                    add(rank, REPLAY_MRECV, 0, 0, 8, message++);
                }
            }
        }
        for (; waited < request; waited++)
            if (core_random_below(random, 2) && program.rank[rank].op_count)
                add(rank, REPLAY_WAIT, 0, 0, 0, waited);
    }
}

/* Makes as many receives as messages, in any order: most programs finish, in several ways. */
static void balanced_program(struct core_random *random)
{
    uint32_t ranks = 3 + (uint32_t)core_random_below(random, 2),
             messages = 2 + (uint32_t)core_random_below(random, 4);
    int32_t request[4] = {0};
    make(ranks);
    for (uint32_t i = 0; i < messages; i++) {
        uint32_t to = (uint32_t)core_random_below(random, 2), from;
        do
            from = (uint32_t)core_random_below(random, ranks);
        while (from == to);
        bool any = core_random_below(random, 3), now = core_random_below(random, 2);
        int tag = (int)core_random_below(random, 2);
        if (core_random_below(random, 2))
            add(from, REPLAY_SEND, (int)to, tag, 8, 0);
        else
            add(from, REPLAY_ISEND, (int)to, tag, 8, request[from]++);
        if (now)
            add(to, REPLAY_RECV, any ? REPLAY_ANY : (int)from, tag, 8, 0);
        else
            add(to, REPLAY_IRECV, any ? REPLAY_ANY : (int)from,
                core_random_below(random, 2) ? tag : REPLAY_ANY, 8, request[to]++);
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (int32_t i = 0; i < request[rank]; i++)
            add(rank, REPLAY_WAIT, 0, 0, 0, i);
}

static uint64_t runs_with, runs_without, deadlocks, nontrivial;

static void print_program(bool sends, const char *policy)
{
    print_message("sends %d, policy '%s'\n", sends, policy);
    for (uint32_t rank = 0; rank < program.rank_count; rank++)
        for (uint32_t i = 0; i < program.rank[rank].op_count; i++) {
            const struct replay_op *op = &program.rank[rank].op[i];
            print_message("%u.%u %s peer %d tag %d request %d\n", rank, i,
                          replay_op_kind_text(op->kind), op->peer, op->tag, op->request);
        }
}

static void compare(bool sends, const char *policy)
{
    struct replay_exploration brute = explore(sends, true, true, 30000, policy);
    struct replay_exploration quick = explore(sends, false, true, 30000, policy);
    if (brute.rest == SEARCH_REST_NONE) {
        assert_int_equal(quick.rest, SEARCH_REST_NONE);
        if (brute.outcome_hash != quick.outcome_hash)
            print_program(sends, policy);
        assert_int_equal(brute.outcomes, quick.outcomes);
        assert_int_equal(brute.outcome_hash, quick.outcome_hash);
        assert_int_equal(brute.verdict, quick.verdict);
        assert_true(quick.runs + quick.pruned <= brute.runs);
        runs_with += quick.runs + quick.pruned;
        runs_without += brute.runs;
        deadlocks += quick.verdict == REPLAY_VERDICT_DEADLOCK;
        nontrivial += quick.outcomes > 1;
        if (quick.verdict == REPLAY_VERDICT_DEADLOCK)
            check_witness(&quick);
    }
    replay_exploration_done(&brute);
    replay_exploration_done(&quick);
}

/* A large program has many orders: the budget limits operations, too. */
static void test_budget(void **state)
{
    enum { SENDERS = 3, MESSAGES = 10000, RUNS = 1000 };
    (void)state;
    make(SENDERS + 1);
    for (uint32_t rank = 1; rank <= SENDERS; rank++)
        for (int i = 0; i < MESSAGES; i++) {
            add(rank, REPLAY_SEND, 0, 0, 8, 0);
            add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
        }
    struct replay_exploration found = explore(false, false, false, RUNS, "buffering=eager");
    assert_int_equal(found.verdict, REPLAY_VERDICT_NOT_FOUND);
    assert_true(found.runs >= 1 && found.sampled >= 1);
    assert_true((found.runs + found.sampled) * 2 * SENDERS * MESSAGES <
                UINT64_C(2) * RUNS * REPLAY_EXPLORE_OPS);
    replay_exploration_done(&found);
    replay_program_done(&program);
}

/* With more decisions than a path may have, exploration does not fail, but claims nothing about all
 * orders. */
static void test_too_deep(void **state)
{
    enum { SENDERS = 2, MESSAGES = 540000 };
    (void)state;
    make(SENDERS + 1);
    for (uint32_t rank = 1; rank <= SENDERS; rank++)
        for (int i = 0; i < MESSAGES; i++) {
            add(rank, REPLAY_SEND, 0, 0, 8, 0);
            add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
        }
    struct replay_exploration found = explore(false, false, false, 100, "buffering=eager");
    assert_int_equal(found.verdict, REPLAY_VERDICT_NOT_FOUND);
    assert_int_not_equal(found.rest, SEARCH_REST_NONE);
    replay_exploration_done(&found);
    replay_program_done(&program);
}

/* search/explore.c invariant 2 */
static void test_against_brute_force(void **state)
{
    struct core_random random;
    (void)state;
    core_random_init(&random, 11);
    for (uint64_t i = 0; i < programs; i++) {
        if (i % 2)
            random_program(&random);
        else
            balanced_program(&random);
        compare(false, "buffering=rendezvous");
        compare(false, "buffering=eager");
        compare(true, "");
        replay_program_done(&program);
    }
    print_message("schedules: %llu without reduction, %llu with; %llu deadlocks, %llu with several "
                  "outcomes\n",
                  (unsigned long long)runs_without, (unsigned long long)runs_with,
                  (unsigned long long)deadlocks, (unsigned long long)nontrivial);
    assert_true(runs_with * 2 < runs_without);
    assert_true(deadlocks > programs / 4 && nontrivial > programs / 10);
}

/* Rank 0 receives from any source, then from 1: one order of two deadlocks. */
static void test_wildcard(void **state)
{
    (void)state;
    make(3);
    add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
    program.rank[0].op[0].matched = 2;
    add(0, REPLAY_RECV, 1, 0, 8, 0);
    add(1, REPLAY_SEND, 0, 0, 8, 0);
    add(2, REPLAY_SEND, 0, 0, 8, 0);
    struct replay_exploration found = explore(false, false, true, 0, "");
    assert_int_equal(found.verdict, REPLAY_VERDICT_DEADLOCK);
    assert_int_equal(found.rest, SEARCH_REST_NONE);
    assert_true(found.assumed);
    assert_int_equal(found.runs, 2);
    assert_int_equal(found.deadlocks, 1);
    assert_int_equal(found.forced, 1);
    assert_witness(&found, "buffering=rendezvous order=list:0.1=1");
    check_witness(&found);
    replay_exploration_done(&found);
    program.rank[0].op[1].peer = REPLAY_ANY;
    found = explore(false, false, true, 0, "");
    assert_int_equal(found.verdict, REPLAY_VERDICT_NONE);
    assert_int_equal(found.runs, 2);
    replay_exploration_done(&found);
    replay_program_done(&program);
}

/* A ring in which every rank sends before it receives: all sends must wait for it to hang; the
 * shrunk witness names exactly them. */
static void test_shrink(void **state)
{
    (void)state;
    make(4);
    for (uint32_t rank = 0; rank < 4; rank++) {
        int32_t before[2] = {0, 1}, set;
        add(rank, REPLAY_ISEND, (int)(rank + 1) % 4, 1, 8, 0); /* harmless */
        add(rank, REPLAY_IRECV, (int)(rank + 3) % 4, 1, 8, 1);
        assert_int_equal(replay_program_set(&program, rank, before, 2, -1, &set), CORE_OK);
        add(rank, REPLAY_WAIT_ALL, 0, 0, 0, set);
        add(rank, REPLAY_SEND, (int)(rank + 1) % 4, 0, 8, 0);
        add(rank, REPLAY_RECV, (int)(rank + 3) % 4, 0, 8, 0);
    }
    struct replay_exploration found = explore(true, false, false, 0, "");
    assert_int_equal(found.verdict, REPLAY_VERDICT_DEADLOCK);
    assert_false(found.assumed);
    assert_int_equal(found.unbuffered, 4);
    assert_witness(&found, "buffering=list:0.4,1.4,2.4,3.4");
    assert_int_equal(found.result.waitfor.core_count, 4);
    replay_exploration_done(&found);
    replay_program_done(&program);
}

/* More buffering can cause a deadlock: rank 0's first receive takes 2's message only if 1's send
 * does not block 1, which then lets 2 go. */
static void test_buffering_creates_deadlock(void **state)
{
    (void)state;
    make(3);
    add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
    program.rank[0].op[0].matched = 1;
    add(0, REPLAY_RECV, 2, 0, 8, 0);
    add(1, REPLAY_SEND, 0, 0, 8, 0);
    add(1, REPLAY_SEND, 2, 0, 8, 0);
    add(2, REPLAY_RECV, 1, 0, 8, 0);
    add(2, REPLAY_SEND, 0, 0, 8, 0);
    struct replay_exploration found = explore(false, false, true, 0, "buffering=rendezvous");
    assert_int_equal(found.verdict, REPLAY_VERDICT_NONE);
    replay_exploration_done(&found);
    found = explore(false, false, true, 0, "buffering=eager");
    assert_int_equal(found.verdict, REPLAY_VERDICT_DEADLOCK);
    replay_exploration_done(&found);
    found = explore(true, false, true, 0, "");
    assert_int_equal(found.verdict, REPLAY_VERDICT_DEADLOCK);
    check_witness(&found);
    replay_exploration_done(&found);
    replay_program_done(&program);
}

/* A master receives a message of each of n workers: exploration needs one schedule for each order,
 * and no more. */
static void test_reduction(void **state)
{
    (void)state;
    make(10); /* pairs: each even rank receives one message from any source, but only its neighbour
                 sends one */
    for (uint32_t rank = 0; rank < 10; rank++)
        if (rank % 2)
            add(rank, REPLAY_SEND, (int)rank - 1, 0, 8, 0);
        else
            add(rank, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
    struct replay_exploration found = explore(false, false, true, 0, "");
    assert_int_equal(found.runs + found.pruned, 1);
    replay_exploration_done(&found);
    found = explore(false, true, true, 0, "");
    assert_int_equal(found.runs, 120);
    assert_int_equal(found.outcomes, 1);
    replay_exploration_done(&found);
    replay_program_done(&program);
    make(5); /* 4 workers, 4 receives: 4! orders */
    for (uint32_t rank = 1; rank < 5; rank++) {
        add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
        add(rank, REPLAY_SEND, 0, 0, 8, 0);
    }
    found = explore(false, false, true, 0, "");
    assert_int_equal(found.runs, 24);
    assert_int_equal(found.outcomes, 24);
    replay_exploration_done(&found);
    found =
        explore(false, false, true, 10, ""); /* the budget ends: samples, and no claim for others */
    assert_int_equal(found.verdict, REPLAY_VERDICT_NOT_FOUND);
    assert_int_not_equal(found.rest, SEARCH_REST_NONE);
    assert_true(found.sampled > 0);
    replay_exploration_done(&found);
    replay_program_done(&program);
}

static void test_shards(void **state)
{
    (void)state;
    make(9);
    for (uint32_t rank = 1; rank < 9; rank++) {
        if (rank <= 6)
            add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
        add(rank, REPLAY_SEND, 0, 0, 8, 0);
    }
    for (uint32_t rank = 7; rank < 9; rank++)
        add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
    struct replay_exploration whole = explore(false, false, true, 1000000, "");
    uint64_t runs = 0, hash = 0;
    for (uint64_t shard = 0; shard < 3; shard++) {
        struct replay_explore_options options = {
            .keep_going = true, .runs_max = 1000000, .shard = shard, .shard_count = 3};
        struct replay_exploration part;
        assert_int_equal(replay_policy_parse("", REPLAY_OFFLINE, &options.policy), CORE_OK);
        assert_int_equal(replay_explore(&program, &options, &part), CORE_OK);
        runs += part.runs;
        hash += part.outcome_hash;
        assert_true(part.runs < whole.runs);
        replay_exploration_done(&part);
    }
    assert_int_equal(runs, whole.runs);
    assert_int_equal(hash, whole.outcome_hash);
    replay_exploration_done(&whole);
    replay_program_done(&program);
}

/* Shares that are explored one by one, written, read and merged in any order give the answer of the
 * whole. */
static void explore_shares(uint32_t first, struct replay_exploration *out_sum)
{
    struct replay_exploration part, sum = {0};
    for (uint32_t i = 0; i < REPLAY_EXPLORE_SHARES; i++) {
        struct replay_explore_options options = {.runs_max = 1000000,
                                                 .shard = (first + i * 5) % REPLAY_EXPLORE_SHARES,
                                                 .shard_count = REPLAY_EXPLORE_SHARES};
        assert_int_equal(replay_policy_parse("", REPLAY_OFFLINE, &options.policy), CORE_OK);
        assert_int_equal(replay_explore(&program, &options, &part), CORE_OK);
        FILE *file = tmpfile();
        assert_int_equal(replay_exploration_write(&part, file), CORE_OK);
        replay_exploration_done(&part);
        rewind(file);
        assert_int_equal(replay_exploration_read(file, &part), CORE_OK);
        fclose(file);
        assert_int_equal(replay_exploration_merge(&sum, &part), CORE_OK);
    }
    assert_int_equal(replay_exploration_finish(&program, &sum), CORE_OK);
    *out_sum = sum;
}

static void test_shares(void **state)
{
    (void)state;
    for (int hangs = 0; hangs < 2; hangs++) {
        make(9);
        for (uint32_t rank = 1; rank < 9; rank++)
            add(rank, REPLAY_SEND, 0, 0, 8, 0);
        for (int i = 0; i < 8; i++)
            add(0, REPLAY_RECV, hangs && i == 7 ? 8 : REPLAY_ANY, 0, 8, 0);
        struct replay_exploration whole = explore(false, false, false, 1000000, ""), sum, other;
        explore_shares(0, &sum);
        explore_shares(3, &other);
        assert_int_equal(sum.verdict, whole.verdict);
        assert_int_equal(sum.verdict, hangs ? REPLAY_VERDICT_DEADLOCK : REPLAY_VERDICT_NONE);
        assert_int_equal(sum.runs, other.runs);
        assert_int_equal(sum.outcome_hash, other.outcome_hash);
        if (hangs) {
            assert_same_witness(&sum, &whole);
            assert_same_witness(&other, &whole);
            assert_int_equal(sum.result.outcome, REPLAY_DEADLOCK);
        } else {
            assert_int_equal(sum.runs, whole.runs);
            assert_int_equal(sum.outcome_hash, whole.outcome_hash);
            assert_int_equal(sum.rest, SEARCH_REST_NONE);
        }
        replay_exploration_done(&whole);
        replay_exploration_done(&sum);
        replay_exploration_done(&other);
        replay_program_done(&program);
    }
}

static void test_unknown(void **state)
{
    (void)state;
    make(2);
    add(0, REPLAY_RECV, REPLAY_ANY, 0, 8, 0);
    program.rank[1].end = REPLAY_END_UNKNOWN;
    struct replay_exploration found = explore(true, false, false, 0, "");
    assert_int_equal(found.verdict, REPLAY_VERDICT_CANNOT_SAY);
    assert_non_null(found.reason);
    replay_exploration_done(&found);
    replay_program_done(&program);
}

/* Rank 0 receives the message that a probe of any source found, then one from rank 2, or from rank
 * 1: the first case deadlocks if the probe finds the message of rank 2. A receive that happens to
 * name the same source does not depend on the probe. */
static void test_probed(void **state)
{
    (void)state;
    for (int follows = 0; follows < 2; follows++)
        for (int second = 1; second <= 2; second++) {
            make(3);
            add(0, REPLAY_PROBE, REPLAY_ANY, REPLAY_ANY, 0, 0);
            program.rank[0].op[0].matched = 1;
            add(0, REPLAY_RECV, 1, 5, 8, 0);
            if (follows)
                program.rank[0].op[0].flags = program.rank[0].op[1].flags = REPLAY_FLAG_PROBED;
            add(0, REPLAY_RECV, second, 4 + second, 8, 0);
            add(1, REPLAY_SEND, 0, 5, 8, 0);
            if (second == 1)
                add(1, REPLAY_SEND, 0, 5, 8, 0);
            add(2, REPLAY_SEND, 0, 6, 8, 0);
            struct replay_exploration found = explore(false, false, false, 0, "buffering=eager");
            assert_int_equal(found.verdict, follows && second == 2 ? REPLAY_VERDICT_DEADLOCK
                                                                   : REPLAY_VERDICT_NONE);
            if (follows && second == 2) {
                assert_true(found.assumed);
                assert_int_equal(found.forced, 1);
                check_witness(&found);
            }
            replay_exploration_done(&found);
            replay_program_done(&program);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wildcard),
        cmocka_unit_test(test_probed),
        cmocka_unit_test(test_shrink),
        cmocka_unit_test(test_buffering_creates_deadlock),
        cmocka_unit_test(test_reduction),
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_against_brute_force),
    };
    if (argc > 1)
        programs = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
