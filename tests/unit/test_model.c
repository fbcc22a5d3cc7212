/* Generates every row of the model and measures it on the timed clock: R, W and C must equal its
 * formulas for all P from 1 to 64 in its domain, all roots for small P, on the full network and on
 * the network of the row; and no row may beat a bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "model/bound.h"
#include "model/model.h"
#include "model/row.h"

static unsigned long case_count;

/* model invariant 1. A row is complete: it has a formula, a generator, and a collective with a
 * bound. */
static void test_rows_are_whole(void **state)
{
    const struct model_row *row;
    const char *before = "";
    size_t i;
    (void)state;
    for (i = 0; (row = model_row_at(i)); i++) {
        struct model_case of = {.ranks = 1};
        struct model_bound bound;
        assert_non_null(row->cost);
        assert_non_null(row->build);
        assert_non_null(row->source);
        assert_non_null(row->about);
        assert_true(row->why && row->why->rounds && row->why->words && row->why->operations);
        assert_ptr_equal(model_row_find(row->id), row); /* no id twice */
        assert_int_equal(strncmp(row->id, row->collective, strlen(row->collective)), 0);
        assert_int_equal(row->id[strlen(row->collective)], '.');
        assert_int_equal(model_bound(row->collective, &of, NULL, &bound), CORE_OK);
        const struct model_family *family = model_family_find(row->collective);
        assert_non_null(family);
        assert_true(row >= family->row && row < family->row + family->row_count);
        assert_true(row > family->row || strcmp(before, row->collective) != 0);
        before = row->collective;
    }
    assert_int_equal(i, 47);
    assert_null(model_row_find("bcast"));
    assert_null(model_family_find("bcast.linear"));
}

static void measure(const struct model_row *row, const struct model_case *of,
                    const struct replay_topology *topology, struct replay_measure *out)
{
    struct model_generate_request request = {row->id,  of->ranks, of->root, of->parameter,
                                             of->back, of->words, 8};
    struct replay_timed_options options = replay_timed_defaults();
    struct replay_program program;
    assert_int_equal(model_generate(&request, &program), CORE_OK);
    assert_int_equal(replay_program_check(&program), CORE_OK);
    options.topology = topology;
    options.port = of->port;
    options.half_duplex = of->half_duplex;
    assert_int_equal(replay_timed_measure(&program, &options, out), CORE_OK);
    replay_program_done(&program);
}

/* model invariants 2 and 3 */
static void check_case(const struct model_row *row, const struct model_case *of,
                       const struct replay_topology *topology)
{
    struct model_cost cost;
    struct replay_measure got;
    struct model_bound bound;

    assert_int_equal(model_row_cost(row, of, &cost), CORE_OK);
    measure(row, of, topology, &got);
    case_count++;
    if (got.blocked_count || got.words_bytes % 8 ||
        !model_keeps(&cost, got.rounds, got.words_bytes / 8, got.operations))
        fail_msg("%s P=%u root=%u words=%llu parameter=%u on %s: R %llu (row %llu), W %llu (row "
                 "%g), C %llu (row %g), "
                 "blocked %u",
                 row->id, of->ranks, of->root, (unsigned long long)of->words, of->parameter,
                 topology ? replay_topology_kind_name(topology->kind) : "full",
                 (unsigned long long)got.rounds, (unsigned long long)cost.rounds,
                 (unsigned long long)got.words_bytes / 8, model_value(cost.words),
                 (unsigned long long)got.operations, model_value(cost.operations),
                 got.blocked_count);
    assert_int_equal(model_bound(row->collective, of, topology, &bound), CORE_OK);
    struct model_ratio words = model_bound_words(&bound);
    if (got.rounds < bound.rounds || got.words_bytes / 8 * words.den < words.num ||
        got.operations * bound.operations.den < bound.operations.num)
        fail_msg("%s P=%u beats a lower bound on %s: R %llu (%llu) W %llu (%g) C %llu (%g)",
                 row->id, of->ranks, topology ? replay_topology_kind_name(topology->kind) : "full",
                 (unsigned long long)got.rounds, (unsigned long long)bound.rounds,
                 (unsigned long long)got.words_bytes / 8, model_value(words),
                 (unsigned long long)got.operations, model_value(bound.operations));
}

static void check_both(const struct model_row *row, struct model_case *of)
{
    struct replay_topology topology;
    assert_int_equal(model_row_topology(row, of->ranks, &topology), CORE_OK);
    if (strcmp(row->id, "allgather.tree") == 0) {
        check_case(row, of, &topology);
        of->port = REPLAY_PORT_MULTI;
        check_case(row, of, &topology);
        of->port = REPLAY_PORT_SINGLE;
        return;
    }
    check_case(row, of, NULL);
    if (topology.kind == REPLAY_FULL)
        return;
    check_case(row, of, &topology);
    if (strcmp(row->id, "allgather.line") == 0) {
        of->half_duplex = 1;
        check_case(row, of, &topology);
        of->half_duplex = 0;
    }
}

static void each_parameter(const struct model_row *row, struct model_case *of)
{
    enum model_parameter parameter = row->parameter;
    uint32_t first = parameter == MODEL_PARAMETER_ARITY ? 2 : 0, P = of->ranks;
    uint32_t last = parameter == MODEL_PARAMETER_NONE    ? 0
                    : parameter == MODEL_PARAMETER_ARITY ? 5
                                                         : P - 1;
    for (of->parameter = first; of->parameter <= last; of->parameter++) {
        if (parameter == MODEL_PARAMETER_DISTANCE && P > 20 && of->parameter % 7 > 1)
            continue;
        check_both(row, of);
        if (strcmp(row->id, "shift.hypercube") == 0) {
            of->back = 1;
            check_both(row, of);
            of->back = 0;
        }
    }
}

static void test_measured_equals_the_row(void **state)
{
    const struct model_row *row;
    (void)state;
    case_count = 0;
    for (size_t i = 0; (row = model_row_at(i)); i++) {
        for (uint32_t P = 1; P <= 64; P++) {
            if (!model_domain_holds(row->domain, P))
                continue;
            const uint64_t words[] = {0, 1, P - 1, P, 101, 3ull * P * 7};
            for (size_t w = P > 16 ? 4 : 0; w < sizeof words / sizeof *words; w++) {
                uint32_t roots = row->root_any ? (P <= 8 ? P : 1) : 1;
                for (uint32_t root = 0; root < roots; root++) {
                    struct model_case of = {.ranks = P,
                                            .root = P > 8 && row->root_any ? P - 1 : root,
                                            .words = words[w]};
                    each_parameter(row, &of);
                }
            }
        }
    }
    printf("%lu cases\n", case_count);
    assert_true(case_count > 5000);
}

/* Tests a few larger numbers of ranks: powers of two and squares, 256 and 1,024. */
static void test_large_rows(void **state)
{
    static const char *const id[] = {"bcast.binomial",
                                     "reduce.mesh",
                                     "scatter.binomial",
                                     "allgather.hypercube.pack",
                                     "allgather.mesh",
                                     "reduce_scatter.hypercube",
                                     "allreduce.recursive_doubling",
                                     "allreduce.reduce_scatter_allgather",
                                     "alltoall.mesh",
                                     "alltoall.hypercube",
                                     "scan.hypercube"};
    (void)state;
    for (size_t i = 0; i < sizeof id / sizeof *id; i++)
        for (uint32_t P = 256; P <= 1024; P *= 4) {
            struct model_case of = {.ranks = P, .words = 1024};
            check_both(model_row_find(id[i]), &of);
        }
}

static void test_shift_mesh_takes_its_steps(void **state)
{
    (void)state;
    for (uint32_t q = 1; q <= 6; q++)
        for (uint32_t s = 0; s < q * q; s++) {
            struct model_case of = {.ranks = q * q, .parameter = s, .words = 5};
            struct replay_measure got;
            measure(model_row_find("shift.mesh"), &of, NULL, &got);
            assert_true(got.rounds <= model_shift_mesh_steps(q, s));
            assert_true(model_shift_mesh_steps(q, s) <= q + 1);
            assert_int_equal(got.words_bytes, got.rounds * 5 * 8);
        }
}

/* Follows the program of a shift message by message: rank r's block must end on the right rank.
 */
static void follow_shift(const char *id, uint32_t P, uint32_t s, int back)
{
    struct model_generate_request request = {id, P, 0, s, back, 1, 8};
    struct replay_program program;
    uint32_t holds[64], comes[64], at[64] = {0};
    assert_int_equal(model_generate(&request, &program), CORE_OK);
    for (uint32_t r = 0; r < P; r++)
        holds[r] = r;
    for (uint32_t moving = 1;
         moving;) { /* one exchange of each rank whose partner has reached the same exchange */
        moving = 0;
        memcpy(comes, holds, sizeof comes);
        uint32_t ready[64] = {0};
        for (uint32_t r = 0; r < P; r++) {
            const struct replay_op *op = program.rank[r].op;
            if (at[r] + 3 > program.rank[r].op_count)
                continue;
            assert_int_equal(op[at[r]].kind, REPLAY_IRECV);
            ready[r] = 1;
        }
        for (int changed = 1; changed;) { /* both partners must have reached it too */
            changed = 0;
            for (uint32_t r = 0; r < P; r++) {
                if (!ready[r])
                    continue;
                uint32_t from = (uint32_t)program.rank[r].op[at[r]].peer;
                uint32_t to = (uint32_t)program.rank[r].op[at[r] + 1].peer;
                if (ready[from] && (uint32_t)program.rank[from].op[at[from] + 1].peer == r &&
                    ready[to] && (uint32_t)program.rank[to].op[at[to]].peer == r)
                    continue;
                ready[r] = 0;
                changed = 1;
            }
        }
        for (uint32_t r = 0; r < P; r++)
            if (ready[r]) {
                comes[r] = holds[program.rank[r].op[at[r]].peer];
                moving = 1;
            }
        for (uint32_t r = 0; r < P; r++)
            at[r] += ready[r] ? 3 : 0;
        memcpy(holds, comes, sizeof holds);
    }
    int cube = strcmp(id, "shift.hypercube") == 0;
    for (uint32_t r = 0; r < P; r++) {
        uint32_t from = cube ? model_gray((model_gray_position(r) + P - s) % P) : (r + P - s) % P;
        assert_int_equal(at[r], program.rank[r].op_count);
        if (holds[r] != from)
            fail_msg("%s P=%u s=%u: rank %u holds %u, not %u", id, P, s, r, holds[r], from);
    }
    replay_program_done(&program);
}

static void test_shifts_bring_the_right_block(void **state)
{
    (void)state;
    for (uint32_t P = 1; P <= 36; P++)
        for (uint32_t s = 0; s < P; s++) {
            follow_shift("shift.ring", P, s, 0);
            if (model_domain_holds(MODEL_DOMAIN_SQUARE, P))
                follow_shift("shift.mesh", P, s, 0);
            if (model_domain_holds(MODEL_DOMAIN_POWER, P)) {
                follow_shift("shift.hypercube", P, s, 0);
                follow_shift("shift.hypercube", P, s, 1);
            }
        }
}

static void test_pairwise_xor_shares_no_link(void **state)
{
    (void)state;
    for (uint32_t P = 2; P <= 64; P *= 2) {
        struct model_generate_request request = {"alltoall.pairwise_xor", P, 0, 0, 0, 10, 8};
        struct replay_timed_options options = replay_timed_defaults();
        struct replay_timed_result result;
        struct replay_topology cube;
        struct replay_program program;
        assert_int_equal(model_generate(&request, &program), CORE_OK);
        replay_topology_make(REPLAY_HYPERCUBE, P, &cube);
        options.topology = &cube;
        assert_int_equal(replay_timed_run(&program, &options, &result), CORE_OK);
        assert_true(result.link_count > 0);
        for (uint64_t i = 0; i < result.link_count; i++)
            assert_int_equal(result.link[i].shared_max, 1);
        replay_timed_done(&result);
        replay_topology_make(
            REPLAY_RING, P, &cube); /* and on a ring they do share, so that the check can find it */
        uint32_t most = 0;
        assert_int_equal(replay_timed_run(&program, &options, &result), CORE_OK);
        for (uint64_t i = 0; i < result.link_count; i++)
            most = result.link[i].shared_max > most ? result.link[i].shared_max : most;
        assert_true(P <= 4 || most > 1);
        replay_timed_done(&result);
        replay_program_done(&program);
    }
}

/* The check finds broken rows: a broadcast that sends too many words, one that takes too many
 * rounds, one on a network where its messages share links. */
static void test_a_broken_row_is_found(void **state)
{
    struct model_case of = {.ranks = 16, .words = 64};
    struct model_cost cost;
    struct replay_measure got;
    struct replay_topology ring;
    (void)state;
    assert_int_equal(model_row_cost(model_row_find("bcast.scatter_allgather"), &of, &cost),
                     CORE_OK);
    measure(model_row_find("bcast.scatter_allgather"), &of, NULL, &got);
    assert_true(model_keeps(&cost, got.rounds, got.words_bytes / 8, got.operations));
    assert_false(model_keeps(&cost, got.rounds, got.words_bytes / 8 + 1, got.operations));
    assert_false(model_keeps(&cost, got.rounds + 1, got.words_bytes / 8, got.operations));
    assert_false(model_keeps(&cost, got.rounds, got.words_bytes / 8, got.operations + 1));
    measure(model_row_find("bcast.linear"), &of, NULL, &got);
    assert_false(model_keeps(&cost, got.rounds, got.words_bytes / 8, got.operations));
    replay_topology_make(REPLAY_RING, 16, &ring);
    assert_int_equal(model_row_cost(model_row_find("allgather.hypercube.pack"), &of, &cost),
                     CORE_OK);
    measure(model_row_find("allgather.hypercube.pack"), &of, &ring, &got);
    assert_false(model_keeps(&cost, got.rounds, got.words_bytes / 8, got.operations));
}

static void test_bsp_costs(void **state)
{
    (void)state; /* kary: r supersteps of max(L, g (k - 1) n); linear: one of max(L, g (P - 1) n) */
    for (uint32_t k = 2; k <= 4; k++) {
        struct model_generate_request request = {"bcast.kary", k * k * k, 0, k, 0, 5000, 8};
        struct replay_timed_options options = replay_timed_defaults();
        struct replay_timed_result result;
        struct replay_program program;
        assert_int_equal(model_generate(&request, &program), CORE_OK);
        options.port = REPLAY_PORT_BSP;
        assert_int_equal(replay_timed_run(&program, &options, &result), CORE_OK);
        assert_int_equal(result.superstep_count, 3);
        assert_int_equal(result.makespan_ps, 3ull * (k - 1) * 5000 * 1000);
        replay_timed_done(&result);
        replay_program_done(&program);
        request.id = "bcast.linear";
        request.parameter = 0;
        assert_int_equal(model_generate(&request, &program), CORE_OK);
        assert_int_equal(replay_timed_run(&program, &options, &result), CORE_OK);
        assert_int_equal(result.superstep_count, 1);
        assert_int_equal(result.makespan_ps, (k * k * k - 1) * 5000ull * 1000);
        replay_timed_done(&result);
        replay_program_done(&program);
    }
}

static int named(const char *collective, uint32_t P, uint64_t words, uint64_t R, uint64_t W,
                 const char *id)
{
    struct model_query query = {.collective = collective,
                                .ranks = P,
                                .words = words,
                                .unit = 1,
                                .rounds = R,
                                .measured_words = W};
    struct model_match match[16];
    size_t count = model_match(&query, match, 16);
    for (size_t i = 0; i < count && i < 16; i++)
        if (strcmp(match[i].row->id, id) == 0)
            return 1 + match[i].exact;
    return 0;
}

static void test_matcher_names_the_algorithm(void **state)
{
    (void)state;
    assert_int_equal(named("bcast", 8, 800, 3, 2400, "bcast.binomial"), 2);
    assert_int_equal(named("bcast", 8, 800, 3, 2401, "bcast.binomial"), 0);
    assert_int_equal(named("bcast", 8, 800, 10, 1400, "bcast.scatter_allgather"), 2);
    assert_int_equal(named("bcast", 8, 800, 7, 5600, "bcast.linear"), 2);
    assert_int_equal(named("bcast", 9, 800, 4, 3200, "bcast.kary"), 2);
    assert_int_equal(named("allreduce", 6, 100, 10, 170, "allreduce.ring"),
                     1); /* blocks of 17 and 16 */
    assert_int_equal(named("allreduce", 8, 100, 3, 300, "allreduce.recursive_doubling"), 2);
    assert_int_equal(named("allgather", 7, 11, 6, 66, "allgather.ring"), 2);
    assert_int_equal(named("allgather", 7, 11, 6, 66, "allgather.hypercube.pack"), 0);
    assert_int_equal(named("alltoall", 8, 4, 3, 48, "alltoall.hypercube"), 2);
}

static void swallow(enum core_status status, const char *text, void *context)
{
    (void)status;
    snprintf(context, 256, "%s", text);
}

static void test_outside_the_domain_is_refused(void **state)
{
    static const struct {
        const char *id;
        struct model_case of;
        enum core_status status;
        const char *says;
    } scene[] = {
        {"bcast.hypercube", {.ranks = 6}, CORE_BAD_INPUT, "nearest is 4"},
        {"bcast.hypercube", {.ranks = 8, .root = 3}, CORE_BAD_INPUT, "nearest possible root is 0"},
        {"bcast.binomial", {.ranks = 8, .root = 8}, CORE_BAD_INPUT, "nearest possible root is 7"},
        {"allgather.mesh", {.ranks = 7}, CORE_BAD_INPUT, "nearest is 9"},
        {"allgather.tree", {.ranks = 8}, CORE_BAD_INPUT, "nearest is 7"},
        {"bcast.kary", {.ranks = 8, .parameter = 1}, CORE_BAD_INPUT, "at least 2"},
        {"shift.ring", {.ranks = 8, .parameter = 8}, CORE_BAD_INPUT, "nearest is 7"},
        {"bcast.binomial", {.ranks = 0}, CORE_BAD_INPUT, "from 1 to"},
        {"bcast.binomial", {.ranks = 8, .words = (1ull << 40) + 1}, CORE_LIMIT, "at most 2^40"},
    };
    char message[256];
    struct model_cost cost;
    (void)state;
    core_report_hook(swallow, message);
    for (size_t i = 0; i < sizeof scene / sizeof *scene; i++) {
        message[0] = 0;
        assert_int_equal(model_row_cost(model_row_find(scene[i].id), &scene[i].of, &cost),
                         scene[i].status);
        if (!strstr(message, scene[i].says))
            fail_msg("'%s' does not say '%s'", message, scene[i].says);
    }
    core_report_hook(NULL, NULL);
}

static void test_programs_too_long_are_foreseen(void **state)
{
    struct model_generate_request request = {"alltoall.pairwise_xor", 1u << 20, 0, 0, 0, 1, 8};
    struct replay_program program;
    char message[256] = "";
    (void)state;
    core_report_hook(swallow, message);
    assert_int_equal(model_generate(&request, &program), CORE_LIMIT);
    core_report_hook(NULL, NULL);
    assert_non_null(strstr(message, "take fewer ranks"));
    request.id = "bcast.linear"; /* one long rank does not make a long program */
    assert_int_equal(model_generate(&request, &program), CORE_OK);
    replay_program_done(&program);
}

static void test_huge_sizes_do_not_overflow(void **state)
{
    struct model_case of = {.ranks = 1u << 20, .words = 1ull << 40};
    struct model_cost cost;
    (void)state;
    assert_int_equal(model_row_cost(model_row_find("alltoall.ring"), &of, &cost), CORE_OK);
    model_wide P = of.ranks;
    assert_true(cost.words.num == (P * (P - 1) / 2) << 40);
    assert_int_equal(model_row_cost(model_row_find("bcast.two_phase"), &of, &cost), CORE_OK);
    assert_true(cost.words.num / cost.words.den == 2 * (P - 1) << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_whole),
        cmocka_unit_test(test_measured_equals_the_row),
        cmocka_unit_test(test_large_rows),
        cmocka_unit_test(test_shift_mesh_takes_its_steps),
        cmocka_unit_test(test_shifts_bring_the_right_block),
        cmocka_unit_test(test_pairwise_xor_shares_no_link),
        cmocka_unit_test(test_a_broken_row_is_found),
        cmocka_unit_test(test_bsp_costs),
        cmocka_unit_test(test_matcher_names_the_algorithm),
        cmocka_unit_test(test_outside_the_domain_is_refused),
        cmocka_unit_test(test_programs_too_long_are_foreseen),
        cmocka_unit_test(test_huge_sizes_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
