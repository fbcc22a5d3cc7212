/* Scatter and gather: one rank has, or gets, a block of m words of each rank. */
#include "model/row.h"

static void build_scatter_linear(struct generate *g)
{
    generate_linear_from_root(g); /* the same messages, each with its own block */
}

static void build_scatter_binomial(struct generate *g)
{
    generate_scatter_binomial(g, g->root, 0);
}

static void build_gather_linear(struct generate *g)
{
    if (g->rank != g->root)
        generate_send(g, g->root, g->words);
    else
        for (uint32_t v = 1; v < g->P; v++)
            generate_recv(g, generate_actual(g, g->root, v), g->words);
    generate_step(g);
}

static void build_gather_binomial(struct generate *g)
{
    generate_gather_binomial(g, g->root);
}

/* --- the rows --------------------------------------------------------------------------------- */

static const struct model_reason why_scatter_linear = {
    .rounds = "the root sends P-1 blocks, one after the other",
    .words = "the root sends m words, P-1 times",
    .operations = "nothing is combined"};
static const struct model_reason why_scatter_binomial = {
    .rounds = "each round doubles the ranks that have blocks: 2^R >= P",
    .words = "the root parts with all blocks but its own: m words for each of P-1 ranks",
    .operations = "nothing is combined"};
static const struct model_reason why_gather_linear = {
    .rounds = "the root receives P-1 blocks, one after the other",
    .words = "the root receives m words, P-1 times",
    .operations = "nothing is combined"};
static const struct model_reason why_gather_binomial = {
    .rounds = "each round halves the ranks that still have blocks to give",
    .words = "the root receives all blocks but its own: m words from each of P-1 ranks",
    .operations = "nothing is combined"};

static const struct model_row scatter_row[] = {
    {.id = "scatter.linear",
     .collective = "scatter",
     .about = "the root sends its block to one rank after the other",
     .source = "the alpha-beta model (section 36)",
     .why = &why_scatter_linear,
     .rounds = "= P-1",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .root_any = 1,
     .cost = model_cost_linear_blocks,
     .build = build_scatter_linear},
    {.id = "scatter.binomial",
     .collective = "scatter",
     .about = "down a binomial tree: a rank passes on what belongs below",
     .source = "the alpha-beta model (section 38); primitives by topology",
     .why = &why_scatter_binomial,
     .rounds = "= clg",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .root_any = 1,
     .cost = model_cost_tree_blocks,
     .build = build_scatter_binomial},
};

const struct model_family model_family_scatter = {
    .collective = "scatter",
    .bound = {.rounds = 1, .block_times = 1, .crossing = MODEL_CROSS_HALF},
    .row = scatter_row,
    .row_count = sizeof scatter_row / sizeof *scatter_row,
};

static const struct model_row gather_row[] = {
    {.id = "gather.linear",
     .collective = "gather",
     .about = "each rank sends its block to the root",
     .source = "dual of scatter.linear",
     .why = &why_gather_linear,
     .rounds = "= P-1",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .root_any = 1,
     .cost = model_cost_linear_blocks,
     .build = build_gather_linear},
    {.id = "gather.binomial",
     .collective = "gather",
     .about = "up a binomial tree: a rank collects what is below",
     .source = "dual of scatter.binomial",
     .why = &why_gather_binomial,
     .rounds = "= clg",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .root_any = 1,
     .cost = model_cost_tree_blocks,
     .build = build_gather_binomial},
};

const struct model_family model_family_gather = {
    .collective = "gather",
    .bound = {.rounds = 1, .block_times = 1, .crossing = MODEL_CROSS_HALF},
    .row = gather_row,
    .row_count = sizeof gather_row / sizeof *gather_row,
};
