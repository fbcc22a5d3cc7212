/* model invariant 5. Compares the drawn rounds with the formulas of every row: there are R rounds,
 * their largest messages sum up to W, and no message is missing; supersteps are compared with the
 * rows that have such costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "model/model.h"
#include "model/rounds.h"
#include "model/row.h"

static unsigned long case_count;

static void draw(const struct model_row *row, const struct model_case *of,
                 const struct replay_topology *topology, struct model_rounds *out)
{
    struct model_generate_request request = {row->id,  of->ranks, of->root, of->parameter,
                                             of->back, of->words, 8};
    struct replay_timed_options options = replay_timed_defaults();
    struct replay_measure got;
    struct replay_program program;

    assert_int_equal(model_generate(&request, &program), CORE_OK);
    options.port = of->port;
    options.topology = topology;
    assert_int_equal(model_rounds(&program, &options, out), CORE_OK);
    assert_int_equal(replay_timed_measure(&program, &options, &got), CORE_OK);
    assert_int_equal(out->count, got.messages);
    if (of->port != REPLAY_PORT_BSP)
        assert_int_equal(out->rounds, got.rounds);
    uint64_t volume = 0;
    for (size_t i = 0; i < out->count; i++)
        volume += out->message[i].bytes;
    assert_int_equal(volume, got.volume_bytes);
    replay_program_done(&program);
}

static void check(const struct model_row *row, const struct model_case *of)
{
    struct replay_topology topology;
    struct model_rounds drawn;
    struct model_cost cost;

    assert_int_equal(model_row_cost(row, of, &cost), CORE_OK);
    assert_int_equal(model_row_topology(row, of->ranks, &topology), CORE_OK);
    draw(row, of, &topology, &drawn);
    case_count++;
    bool rounds = cost.rounds_relation == MODEL_EQUAL ? drawn.rounds == cost.rounds
                                                      : drawn.rounds <= cost.rounds;
    bool words = cost.words_relation == MODEL_EQUAL
                     ? (model_wide)drawn.bytes * cost.words.den == cost.words.num * 8
                     : drawn.bytes <= cost.words_most * 8;
    if (!rounds || !words || drawn.bytes % 8)
        fail_msg("%s P=%u root=%u words=%llu parameter=%u: drawn are %llu rounds (row %llu) and "
                 "%g words (row %g)",
                 row->id, of->ranks, of->root, (unsigned long long)of->words, of->parameter,
                 (unsigned long long)drawn.rounds, (unsigned long long)cost.rounds,
                 (double)drawn.bytes / 8, model_value(cost.words));
    model_rounds_done(&drawn);
}

static void test_rounds_are_the_rows(void **state)
{
    const struct model_row *row;
    (void)state;
    for (size_t i = 0; (row = model_row_at(i)); i++)
        for (uint32_t P = 1; P <= 36; P++) {
            if (!model_domain_holds(row->domain, P))
                continue;
            const uint64_t words[] = {0, 1, 101, 21ull * P};
            for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
                struct model_case of = {.ranks = P,
                                        .root = row->root_any ? P - 1 : 0,
                                        .words = words[w],
                                        .parameter = row->parameter == MODEL_PARAMETER_ARITY ? 3
                                                     : row->parameter == MODEL_PARAMETER_DISTANCE
                                                         ? P / 3
                                                         : 0};
                check(row, &of);
            }
        }
    printf("%lu cases\n", case_count);
    assert_true(case_count > 3000);
}

static void test_supersteps_are_the_rows(void **state)
{
    const struct model_row *row;
    unsigned stated = 0;
    (void)state;
    for (size_t i = 0; (row = model_row_at(i)); i++)
        for (uint32_t P = 2; P <= 30; P++) {
            struct model_case of = {.ranks = P,
                                    .words = 21,
                                    .port = REPLAY_PORT_BSP,
                                    .parameter = row->parameter == MODEL_PARAMETER_ARITY ? 3 : 0};
            struct model_supersteps steps;
            struct model_rounds drawn;
            if (!row->supersteps)
                continue;
            stated++;
            row->supersteps(&of, &steps);
            draw(row, &of, NULL, &drawn);
            assert_int_equal(drawn.rounds, steps.count);
            for (uint64_t r = 0; r < drawn.rounds; r++)
                assert_true(drawn.most[r] <= steps.words * 8);
            if (P == 3 || P == 9 || P == 27 || row->parameter == MODEL_PARAMETER_NONE)
                assert_int_equal(drawn.bytes, steps.count * steps.words * 8);
            model_rounds_done(&drawn);
        }
    assert_int_equal(stated, 2 * 29);
}

/* Compares a broadcast on 8 ranks, distances P/2, P/4, ..., with a figure made by hand. */
static void test_binomial_by_hand(void **state)
{
    static const struct model_message expected[] = {{1, 0, 4, 64}, {2, 0, 2, 64}, {2, 4, 6, 64},
                                                    {3, 0, 1, 64}, {3, 2, 3, 64}, {3, 4, 5, 64},
                                                    {3, 6, 7, 64}};
    struct model_case of = {.ranks = 8, .words = 8};
    struct model_rounds drawn;
    (void)state;
    draw(model_row_find("bcast.binomial"), &of, NULL, &drawn);
    assert_int_equal(drawn.count, 7);
    for (size_t i = 0; i < drawn.count; i++) {
        assert_int_equal(drawn.message[i].round, expected[i].round);
        assert_int_equal(drawn.message[i].from, expected[i].from);
        assert_int_equal(drawn.message[i].to, expected[i].to);
        assert_int_equal(drawn.message[i].bytes, expected[i].bytes);
    }
    model_rounds_done(&drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds_are_the_rows),
        cmocka_unit_test(test_supersteps_are_the_rows),
        cmocka_unit_test(test_binomial_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
