/* Compares the formula with the engine's exhaustive search on random small programs: the answers
 * must be equal, and each schedule that the formula finds must run. An argument sets the number of
 * programs. */
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
#include "replay/symbolic/refute.h"
#include "replay/symbolic/symbolic.h"

static uint64_t programs = 600, first_program;
static struct replay_program program;

static struct replay_op *add(uint32_t rank, enum replay_op_kind kind, int peer, int tag,
                             int request)
{
    struct replay_op op = {.kind = (uint8_t)kind,
                           .peer = peer,
                           .tag = tag,
                           .bytes = 8,
                           .request = request,
                           .matched = REPLAY_ANY};
    assert_int_equal(replay_program_add(&program, rank, &op), CORE_OK);
    return &program.rank[rank].op[program.rank[rank].op_count - 1];
}

static void add_set(uint32_t rank, enum replay_op_kind kind, int32_t from, int32_t end)
{
    int32_t member[8], set;
    for (int32_t i = from; i < end; i++)
        member[i - from] = i;
    assert_int_equal(replay_program_set(&program, rank, member, (uint32_t)(end - from), -1, &set),
                     CORE_OK);
    add(rank, kind, 0, 0, set);
}

static uint64_t below(struct core_random *random, uint64_t n)
{
    return core_random_below(random, n);
}

/* Adds a wait of a random kind for requests [*waited, made). */
static void random_wait(struct core_random *random, uint32_t rank, int32_t *waited, int32_t made)
{
    int32_t end = *waited + 1 + (int32_t)below(random, (uint64_t)(made - *waited));
    switch (below(random, 5)) {
    case 0:
        add_set(rank, REPLAY_WAIT_ANY, *waited, end);
        break; /* they can be waited for again */
    case 1:
        add_set(rank, REPLAY_WAIT_SOME, *waited, end);
        *waited += below(random, 2);
        break;
    case 2:
        add_set(rank, REPLAY_TEST, *waited, end);
        program.rank[rank].op[program.rank[rank].op_count - 1].flags =
            below(random, 2) ? REPLAY_FLAG_DONE : 0;
        break;
    case 3:
        add_set(rank, REPLAY_WAIT_ALL, *waited, end);
        *waited = end;
        break;
    default:
        add(rank, REPLAY_WAIT, 0, 0, (*waited)++);
    }
}

static void random_op(struct core_random *random, uint32_t rank, int32_t *request, int32_t *waited,
                      int32_t *message)
{
    uint32_t ranks = program.rank_count;
    int peer = (int)below(random, ranks), tag = (int)below(random, 2);
    bool any = below(random, 2), any_tag = below(random, 4) == 0;
    switch (below(random, 8)) {
    case 0:
        add(rank, REPLAY_SEND, peer, tag, 0)->mode =
            below(random, 5) ? REPLAY_STANDARD : REPLAY_SYNCHRONOUS;
        break;
    case 1:
        add(rank, REPLAY_ISEND, peer, tag, (*request)++)->mode =
            below(random, 6) ? REPLAY_STANDARD : REPLAY_TOKEN;
        break;
    case 2:
    case 3:
        add(rank, REPLAY_RECV, any ? REPLAY_ANY : peer, any_tag ? REPLAY_ANY : tag, 0);
        break;
    case 4:
        add(rank, REPLAY_IRECV, any ? REPLAY_ANY : peer, any_tag ? REPLAY_ANY : tag, (*request)++);
        break;
    case 5:
        if (below(random, 2)) /* a receive of what a probe found */ {
            add(rank, REPLAY_PROBE, REPLAY_ANY, any_tag ? REPLAY_ANY : tag, 0)->flags =
                REPLAY_FLAG_PROBED;
            add(rank, REPLAY_RECV, peer, any_tag && any ? REPLAY_ANY : tag, 0)->flags =
                REPLAY_FLAG_PROBED;
        } else
            add(rank, REPLAY_PROBE, any ? REPLAY_ANY : peer, any_tag ? REPLAY_ANY : tag, 0);
        break;
    case 6:
        add(rank, REPLAY_MPROBE, any ? REPLAY_ANY : peer, tag, *message);
        if (below(random, 4))
            add(rank, REPLAY_MRECV, 0, 0, *message);
        (*message)++;
        break;
    default:
        if (*waited < *request)
            random_wait(random, rank, waited, *request);
    }
}

static void random_program(struct core_random *random)
{
    uint32_t ranks = 2 + (uint32_t)below(random, 3);
    assert_int_equal(replay_program_init(&program, ranks), CORE_OK);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        int32_t request = 0, waited = 0, message = 1000;
        uint32_t length = 1 + (uint32_t)below(random, 4);
        for (uint32_t i = 0; i < length; i++)
            random_op(random, rank, &request, &waited, &message);
        for (; waited < request; waited++)
            if (below(random, 2))
                add(rank, REPLAY_WAIT, 0, 0, waited);
    }
}

/* Makes as many receives as messages, in any order, with collectives between them: most programs
 * finish, in several ways. */
static void balanced_program(struct core_random *random)
{
    uint32_t ranks = 3 + (uint32_t)below(random, 2), messages = 2 + (uint32_t)below(random, 4);
    int32_t request[4] = {0}, waited[4] = {0}, number = 0;
    assert_int_equal(replay_program_init(&program, ranks), CORE_OK);
    for (uint32_t i = 0; i < messages; i++) {
        uint32_t to = (uint32_t)below(random, 2), from;
        do
            from = (uint32_t)below(random, ranks);
        while (from == to);
        bool any = below(random, 3), now = below(random, 2);
        int tag = (int)below(random, 2);
        if (below(random, 2))
            add(from, REPLAY_SEND, (int)to, tag, 0);
        else
            add(from, REPLAY_ISEND, (int)to, tag, request[from]++);
        if (now && below(random, 5) == 0)
            add(to, REPLAY_PROBE, any ? REPLAY_ANY : (int)from, tag, 0);
        if (now)
            add(to, REPLAY_RECV, any ? REPLAY_ANY : (int)from, tag, 0);
        else
            add(to, REPLAY_IRECV, any ? REPLAY_ANY : (int)from, below(random, 2) ? tag : REPLAY_ANY,
                request[to]++);
        if (below(random, 3) == 0 && waited[to] < request[to])
            add(to, REPLAY_WAIT, 0, 0, waited[to]++);
        if (below(random, 4) == 0) {
            uint8_t shape = (uint8_t)below(random, 4);
            int root = (int)below(random, ranks);
            for (uint32_t rank = 0; rank < ranks; rank++)
                add(rank, REPLAY_COLL, shape == 1 || shape == 2 ? root : REPLAY_ANY, number, 0)
                    ->mode = shape;
            number++;
        }
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (int32_t i = waited[rank]; i < request[rank]; i++)
            add(rank, REPLAY_WAIT, 0, 0, i);
}

static void print_program(const char *policy)
{
    print_message("policy '%s'\n", policy);
    for (uint32_t rank = 0; rank < program.rank_count; rank++)
        for (uint32_t i = 0; i < program.rank[rank].op_count; i++) {
            const struct replay_op *op = &program.rank[rank].op[i];
            print_message("%u.%u %s peer %d tag %d request %d mode %d flags %d\n", rank, i,
                          replay_op_kind_text(op->kind), op->peer, op->tag, op->request, op->mode,
                          op->flags);
        }
}

static void check_witness(const struct replay_exploration *found)
{
    struct replay_result result;
    assert_non_null(found->witness);
    assert_int_equal(replay_run_once(&program, found->witness, &result), CORE_OK);
    assert_int_equal(result.outcome, REPLAY_DEADLOCK);
    replay_result_done(&result);
}

static bool refutes(const char *formula, const char *proof, uint64_t *line)
{
    FILE *file[2] = {tmpfile(), tmpfile()};
    bool refuted;
    fputs(formula, file[0]);
    fputs(proof, file[1]);
    rewind(file[0]);
    rewind(file[1]);
    assert_int_equal(refute_check(file[0], file[1], &refuted, line), CORE_OK);
    fclose(file[0]);
    fclose(file[1]);
    return refuted;
}

/* refute.h invariant 1 */
static void test_refute(void **state)
{
    uint64_t line;
    (void)state;
    assert_true(refutes("p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n", "2 0\n0\n", &line));
    assert_false(refutes("p cnf 2 3\n1 2 0\n-1 2 0\n1 -2 0\n", "2 0\n0\n", &line));
    assert_int_equal(line, 2);
    assert_false(refutes("p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n", "", &line));
    assert_int_equal(line, 0);
    assert_false(refutes("p cnf 3 2\n1 2 3 0\n-1 2 3 0\n", "d 1 2 3 0\n2 0\n0\n", &line));
    assert_true(refutes("p cnf 1 2\n1 0\n-1 0\n", "", &line));
}

/* The checker, which shares nothing with the solver, confirms each decision of the formula.
 */
static void check_proof(struct symbolic_options *options)
{
    struct symbolic_decision decision;
    uint64_t line;
    bool refuted;
    options->formula = tmpfile();
    options->proof = tmpfile();
    assert_int_equal(symbolic_decide(&program, options, &decision), CORE_OK);
    assert_int_equal(decision.verdict, REPLAY_VERDICT_NONE);
    symbolic_decision_done(&decision);
    rewind(options->formula);
    rewind(options->proof);
    assert_int_equal(refute_check(options->formula, options->proof, &refuted, &line), CORE_OK);
    assert_true(refuted);
    fclose(options->formula);
    fclose(options->proof);
}

static uint64_t compared, deadlocks, none, by_formula, excluded, loops;

/* symbolic.c invariants 1, 2; encode.h invariant 1; matches.h invariant 1; order.c invariant 1: a
 * match or a state that is missing gives "none" where the search finds a deadlock. */
static void compare(bool sends, const char *policy)
{
    struct symbolic_options options = {.explore = {.sends = sends, .runs_max = 30000}};
    struct replay_exploration found;
    struct symbolic_decision decision;

    assert_int_equal(replay_policy_parse(policy, REPLAY_OFFLINE, &options.explore.policy), CORE_OK);
    assert_int_equal(replay_program_check(&program), CORE_OK);
    assert_int_equal(replay_explore(&program, &options.explore, &found), CORE_OK);
    assert_int_equal(symbolic_decide(&program, &options, &decision), CORE_OK);
    bool hangs = found.verdict == REPLAY_VERDICT_DEADLOCK;
    if (decision.verdict == REPLAY_VERDICT_CANNOT_SAY) {
        if (!strstr(decision.reason, "behind another receive")) {
            print_program(policy);
            fail_msg("%s", decision.reason);
        }
        excluded++;
    } else if (found.rest == SEARCH_REST_NONE || hangs) {
        if (decision.verdict != found.verdict) {
            print_program(policy);
            fail_msg("search: %s; formula: %s", replay_verdict_text(found.verdict),
                     replay_verdict_text(decision.verdict));
        }
        compared++;
        deadlocks += hangs;
        none += !hangs;
        by_formula += decision.argument == SYMBOLIC_FORMULA;
        loops += decision.loops;
        if (hangs)
            check_witness(&decision.found);
        else if (decision.argument == SYMBOLIC_FORMULA)
            check_proof(&options);
    }
    symbolic_decision_done(&decision);
    replay_exploration_done(&found);
    replay_policy_done(&options.explore.policy);
}

static void test_against_search(void **state)
{
    struct core_random random;
    (void)state;
    for (uint64_t i = first_program; i < first_program + programs; i++) {
        core_random_init(&random, 1000 + i);
        if (i % 2)
            random_program(&random);
        else
            balanced_program(&random);
        compare(true, "");
        compare(true, "coll=relaxed");
        compare(false, i % 4 < 2 ? "buffering=eager" : "buffering=rendezvous coll=relaxed");
        replay_program_done(&program);
    }
    print_message("compared %llu: %llu deadlocks, %llu none; %llu by formula, %llu loops; %llu "
                  "excluded\n",
                  (unsigned long long)compared, (unsigned long long)deadlocks,
                  (unsigned long long)none, (unsigned long long)by_formula,
                  (unsigned long long)loops, (unsigned long long)excluded);
    assert_true(deadlocks > programs / 4 && none > programs / 4 && by_formula > programs / 4);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_refute),
                                              cmocka_unit_test(test_against_search)};
    if (argc > 1)
        programs = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_program = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
