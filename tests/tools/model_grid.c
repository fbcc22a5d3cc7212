/* Generates every row of the model over the whole grid and measures it on the timed clock: compares
 * R, W and C with its formulas and with the lower bounds. Relies on checkers/model, checkers/bound,
 * replay/generate and replay/timed.
 *
 * usage: model_grid [ROW]...
 *
 * P = 1 to 64 with every root, then the powers of two and squares up to 1,024 with four roots;
 * words 0, 1, P - 1, P, a prime, and a large number; on the full network and on that of the row.
 * Thinned are: the arities of kary (2 to 5, P) and, above P = 16, the distances of a shift (every
 * seventh, above 64 eight of them). Above P = 64 a program of more than OPS_MANY operations runs
 * only with the prime; above P = 256 one of more than OPS_HUGE is counted as left out. Up to 64,
 * one of more than OPS_SOME runs every root with the prime, and the four roots with all words.
 * Prints `N cases`; exit status 1 if a case differs from its row. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/bound.h"
#include "model/model.h"

enum {
    OPS_SOME = 1000,
    OPS_MANY = 40000,
    OPS_HUGE = 400000,
    FAILURES_SHOWN = 20,
    P_EVERY = 64,
    P_MOST = 1024,
    PRIME = 101,
    ROOTS = 4
};

static struct {
    uint64_t cases, failures, skipped;
    uint64_t ops; /* of the last program of the same row and P, so that large ones are not generated
                     in vain; 0: none yet */
} grid;

static void fail(const struct model_row *row, const struct model_case *of,
                 const struct replay_topology *on, const char *what)
{
    if (grid.failures++ < FAILURES_SHOWN)
        printf("%s P=%u root=%u words=%" PRIu64 " parameter=%u%s on %s: %s\n", row->id, of->ranks,
               of->root, of->words, of->parameter, of->back ? " back" : "",
               on ? replay_topology_kind_name(on->kind) : "full", what);
}

static void compare(const struct model_row *row, const struct model_case *of,
                    const struct replay_topology *on, const struct replay_measure *got)
{
    struct model_cost cost;
    struct model_bound bound;
    char text[200];
    uint64_t words = got->words_bytes / 8;
    if (model_row_cost(row, of, &cost) != CORE_OK ||
        model_bound(row->collective, of, on, &bound) != CORE_OK) {
        fail(row, of, on, "refused");
        return;
    }
    if (got->blocked_count || got->words_bytes % 8 ||
        !model_keeps(&cost, got->rounds, words, got->operations)) {
        snprintf(text, sizeof text,
                 "R %" PRIu64 " (%" PRIu64 ") W %" PRIu64 " (%g) C %" PRIu64 " (%g), %u blocked",
                 got->rounds, cost.rounds, words, model_value(cost.words), got->operations,
                 model_value(cost.operations), got->blocked_count);
        fail(row, of, on, text);
    }
    struct model_ratio least = model_bound_words(&bound);
    if (got->rounds < bound.rounds || words * least.den < least.num ||
        got->operations * bound.operations.den < bound.operations.num)
        fail(row, of, on, "beats a lower bound");
}

static void run_on(const struct model_row *row, const struct model_case *of,
                   const struct replay_program *program, const struct replay_topology *on)
{
    struct replay_timed_options options = replay_timed_defaults();
    struct replay_measure got;
    options.topology = on;
    options.port = of->port;
    options.half_duplex = of->half_duplex;
    grid.cases++;
    if (replay_timed_measure(program, &options, &got) != CORE_OK)
        fail(row, of, on, "could not be measured");
    else
        compare(row, of, on, &got);
}

static int is_run(const struct model_case *of, uint64_t ops)
{
    if (of->words == PRIME)
        return of->ranks <= 256 || ops <= OPS_HUGE;
    if (of->ranks > P_EVERY)
        return ops <= OPS_MANY;
    return ops <= OPS_SOME || of->root < 2 || of->root == of->ranks / 2 ||
           of->root == of->ranks - 1;
}

/* Runs on both networks, and on further ones for which single rows are stated. */
static void run_both(const struct model_row *row, struct model_case of)
{
    struct model_generate_request request = {row->id, of.ranks, of.root, of.parameter,
                                             of.back, of.words, 8};
    struct replay_topology on;
    struct replay_program program;
    if (grid.ops && !is_run(&of, grid.ops)) {
        grid.skipped++;
        return;
    }
    if (model_row_topology(row, of.ranks, &on) != CORE_OK ||
        model_generate(&request, &program) != CORE_OK) {
        fail(row, &of, NULL, "could not be generated");
        return;
    }
    grid.ops = 0;
    for (uint32_t r = 0; r < of.ranks; r++)
        grid.ops += program.rank[r].op_count;
    int runs = is_run(&of, grid.ops);
    int tree = !strcmp(row->id, "allgather.tree"); /* stated only for its own network */
    if (runs && !tree)
        run_on(row, &of, &program, NULL);
    if (runs && (tree || on.kind != REPLAY_FULL))
        run_on(row, &of, &program, &on);
    of.port = tree ? REPLAY_PORT_MULTI : of.port;
    of.half_duplex = !strcmp(row->id, "allgather.line");
    if (runs && (tree || of.half_duplex))
        run_on(row, &of, &program, &on);
    replay_program_done(&program);
    grid.skipped += !runs;
}

static void run_parameters(const struct model_row *row, enum model_parameter kind,
                           struct model_case of)
{
    uint32_t P = of.ranks, first = 0, last = 0, step = 1;
    if (kind == MODEL_PARAMETER_ARITY) {
        first = 2;
        last = P > 5 ? 6 : 5;
    } else if (kind == MODEL_PARAMETER_DISTANCE) {
        last = P - 1;
        step = P <= 16 ? 1 : P <= P_EVERY ? 7 : P / 8 + 1;
    }
    for (uint32_t i = first; i <= last; i += step) {
        of.parameter = kind == MODEL_PARAMETER_ARITY && i == 6 ? P : i;
        run_both(row, of);
        of.back = !strcmp(row->id, "shift.hypercube");
        if (of.back)
            run_both(row, of);
        of.back = 0;
    }
}

static void run_ranks(const struct model_row *row, uint32_t P)
{
    const uint64_t words[] = {0, 1, P - 1, P, PRIME, 1001ull * P};
    const uint32_t spread[ROOTS] = {0, 1, P / 2, P - 1};
    uint32_t roots = !row->root_any ? 1 : P <= P_EVERY ? P : ROOTS;
    grid.ops = 0;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (uint32_t r = 0; r < roots; r++) {
            struct model_case of = {
                .ranks = P, .root = P <= P_EVERY ? r : spread[r], .words = words[w]};
            run_parameters(row, row->parameter, of);
        }
}

static int wanted(uint32_t P)
{
    if (P <= P_EVERY || (P & (P - 1)) == 0)
        return 1;
    for (uint32_t q = 9; q * q <= P; q++)
        if (q * q == P)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    const struct model_row *row;
    for (size_t i = 0; (row = model_row_at(i)); i++) {
        int named = argc < 2;
        for (int a = 1; a < argc; a++)
            named |= !strcmp(argv[a], row->id);
        uint64_t before = grid.cases;
        for (uint32_t P = 1; named && P <= P_MOST; P++)
            if (wanted(P) && model_domain_holds(row->domain, P))
                run_ranks(row, P);
        if (named)
            printf("%s: %" PRIu64 "\n", row->id, grid.cases - before);
        fflush(stdout);
    }
    printf("left out for their size: %" PRIu64 "; failures: %" PRIu64 "\n", grid.skipped,
           grid.failures);
    printf("%" PRIu64 " cases\n", grid.cases);
    return grid.failures || !grid.cases;
}
