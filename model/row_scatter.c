/* Scatter and gather: one rank has, or comes to have, a block of m words of each. */
#include "model/row.h"

static void build_scatter_linear(struct generate *g)
{
    generate_linear_from_root(g); /* the same messages, each a block of its own */
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

static const struct model_row scatter_row[] = {
    {.id = "scatter.linear",
     .collective = "scatter",
     .source = "L0 sec. 36",
     .rounds = "= P-1",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .root_any = 1,
     .cost = model_cost_linear_blocks,
     .build = build_scatter_linear},
    {.id = "scatter.binomial",
     .collective = "scatter",
     .source = "L0 sec. 38, L3",
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
     .source = "dual of scatter.linear",
     .rounds = "= P-1",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .root_any = 1,
     .cost = model_cost_linear_blocks,
     .build = build_gather_linear},
    {.id = "gather.binomial",
     .collective = "gather",
     .source = "dual of scatter.binomial",
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
