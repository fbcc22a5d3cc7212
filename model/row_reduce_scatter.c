/* Reduce-scatter, or all-to-all reduction: each rank gets its combined block of m words. */
#include "model/row.h"

static void cost_ring_blocks_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)(of->ranks - 1) * of->words;
    model_cost_set(out, of->ranks - 1, all, all);
}

static void build_ring(struct generate *g)
{
    for (uint32_t i = 1; i < g->P; i++) {
        generate_exchange(g, (g->rank + 1) % g->P, g->words, (g->rank + g->P - 1) % g->P, g->words);
        generate_combine(g, g->words);
    }
}

static void cost_mesh_blocks_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)(of->ranks - 1) * of->words;
    model_cost_set(out, 2ull * (model_side(of->ranks) - 1), all, all);
}

static void build_mesh(struct generate *g)
{
    uint32_t q = generate_side(g);
    generate_column_ring(g, q, g->words * q, 1);
    generate_row_ring(g, q, g->words, 1);
}

static void cost_tree_blocks_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)(of->ranks - 1) * of->words;
    model_cost_set(out, model_clg(of->ranks), all, all);
}

static void build_hypercube(struct generate *g)
{
    for (uint32_t bit = g->P / 2; bit; bit /= 2) {
        generate_exchange(g, g->rank ^ bit, g->words * bit, g->rank ^ bit, g->words * bit);
        generate_combine(g, g->words * bit);
    }
}

/* --- the rows --------------------------------------------------------------------------------- */

static const struct model_reason why_ring = {
    .rounds = "each partial block makes P-1 hops to its owner",
    .words = "each hop is one block: m words, P-1 times",
    .operations = "each rank combines m words after each hop"};
static const struct model_reason why_mesh = {
    .rounds = "q-1 rounds along the columns, then q-1 along the rows",
    .words = "m*q(q-1) along the columns; m(q-1) along the rows: m(q*q-1)",
    .operations = "as many as words come in"};
static const struct model_reason why_hypercube = {
    .rounds = "each dimension is crossed once, and halves what a rank keeps",
    .words = "messages of mP/2, mP/4, ..., m words: m(P-1) in all",
    .operations = "as many as words come in"};

static const struct model_row row[] = {
    {.id = "reduce_scatter.ring",
     .collective = "reduce_scatter",
     .about = "partial blocks go around the ring and are combined on the way",
     .source = "the alpha-beta model (bucket); basic operations; primitives by topology",
     .why = &why_ring,
     .rounds = "= P-1",
     .words = "= m(P-1)",
     .operations = "= m(P-1)",
     .holds_on = REPLAY_RING,
     .cost = cost_ring_blocks_reduced,
     .build = build_ring},
    {.id = "reduce_scatter.mesh",
     .collective = "reduce_scatter",
     .about = "around the columns with a row's blocks, then around the rows",
     .source = "dual of allgather.mesh",
     .why = &why_mesh,
     .rounds = "= 2(q-1)",
     .words = "= m(P-1)",
     .operations = "= m(P-1)",
     .holds_on = REPLAY_MESH,
     .domain = MODEL_DOMAIN_SQUARE,
     .cost = cost_mesh_blocks_reduced,
     .build = build_mesh},
    {.id = "reduce_scatter.hypercube",
     .collective = "reduce_scatter",
     .about = "each dimension exchanges the half that the other side keeps",
     .source = "primitives by topology",
     .why = &why_hypercube,
     .rounds = "= d",
     .words = "= m(P-1)",
     .operations = "= m(P-1)",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = cost_tree_blocks_reduced,
     .build = build_hypercube},
};

const struct model_family model_family_reduce_scatter = {
    .collective = "reduce_scatter",
    .bound = {.rounds = 1,
              .block_times = 1,
              .combines_blocks = 1,
              .crossing = MODEL_CROSS_LARGER_HALF,
              .both_ways = 1},
    .row = row,
    .row_count = sizeof row / sizeof *row,
};
