/* Reduction: combines all ranks' vectors of n words at one rank. The duals of the broadcasts. */
#include "model/row.h"

static void cost_tree_vector_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)model_clg(of->ranks) * of->words;
    model_cost_set(out, model_clg(of->ranks), all, all);
}

static void build_binomial(struct generate *g)
{
    generate_reduce_binomial(g, g->root, g->words);
}

static void build_xor(struct generate *g)
{
    struct generate_order order = generate_order_falling(g);
    generate_reduce_ordered(g, &order);
}

static void build_mesh(struct generate *g)
{
    struct generate_order order = generate_order_mesh(g);
    generate_reduce_ordered(g, &order);
}

static void cost_linear_vector_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)(of->ranks - 1) * of->words;
    model_cost_set(out, of->ranks - 1, all, all);
}

static void build_linear(struct generate *g)
{
    if (g->rank != g->root) {
        generate_send(g, g->root, g->words);
        generate_step(g);
        return;
    }
    for (uint32_t v = 1; v < g->P; v++)
        generate_recv(g, generate_actual(g, g->root, v), g->words);
    generate_step(g);
    if (g->P > 1)
        generate_combine(g, g->words * (g->P - 1));
}

/* --- the rows --------------------------------------------------------------------------------- */

static const struct model_reason why_tree_vector_reduced = {
    .rounds = "each round halves the ranks that still have a partial result",
    .words = "each round sends a whole vector: n words, R times",
    .operations = "whoever receives combines n words in each of the R rounds"};
static const struct model_reason why_linear_vector_reduced = {
    .rounds = "the root receives from P-1 ranks, one after the other",
    .words = "each of the P-1 messages is a whole vector",
    .operations = "the root combines n words, P-1 times"};

static const struct model_row row[] = {
    {.id = "reduce.binomial",
     .collective = "reduce",
     .about = "up a binomial tree: the broadcast backwards",
     .source = "the alpha-beta model (sections 23-25)",
     .why = &why_tree_vector_reduced,
     .rounds = "= clg",
     .words = "= n*clg",
     .operations = "= n*clg",
     .holds_on = REPLAY_FULL,
     .hazard = "without the patch PARTNER < P wrong or hung unless P = 2^d",
     .root_any = 1,
     .cost = cost_tree_vector_reduced,
     .build = build_binomial},
    {.id = "reduce.hypercube",
     .collective = "reduce",
     .about = "along the dimensions of a hypercube, towards the root",
     .source = "basic operations; primitives by topology",
     .why = &why_tree_vector_reduced,
     .rounds = "= d",
     .words = "= n*d",
     .operations = "= n*d",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .root_any = 1,
     .cost = cost_tree_vector_reduced,
     .build = build_xor},
    {.id = "reduce.ring",
     .collective = "reduce",
     .about = "recursive halving on a ring",
     .source = "basic operations",
     .why = &why_tree_vector_reduced,
     .rounds = "= lg P",
     .words = "= n*lg P",
     .operations = "= n*lg P",
     .holds_on = REPLAY_RING,
     .domain = MODEL_DOMAIN_POWER,
     .root_any = 1,
     .cost = cost_tree_vector_reduced,
     .build = build_binomial},
    {.id = "reduce.mesh",
     .collective = "reduce",
     .about = "along the columns, then along the root's row",
     .source = "basic operations",
     .why = &why_tree_vector_reduced,
     .rounds = "= dim*lg s",
     .words = "= n*dim*lg s",
     .operations = "= n*dim*lg s",
     .holds_on = REPLAY_MESH,
     .domain = MODEL_DOMAIN_POWER,
     .root_any = 1,
     .cost = cost_tree_vector_reduced,
     .build = build_mesh},
    {.id = "reduce.tree",
     .collective = "reduce",
     .about = "up a balanced tree whose leaves are the ranks",
     .source = "basic operations",
     .why = &why_tree_vector_reduced,
     .rounds = "= lg P",
     .words = "= n*lg P",
     .operations = "= n*lg P",
     .holds_on = REPLAY_TREE,
     .domain = MODEL_DOMAIN_POWER,
     .root_any = 1,
     .cost = cost_tree_vector_reduced,
     .build = build_xor},
    {.id = "reduce.linear",
     .collective = "reduce",
     .about = "each rank sends its vector to the root",
     .source = "the alpha-beta model",
     .why = &why_linear_vector_reduced,
     .rounds = "= P-1",
     .words = "= (P-1)n",
     .operations = "= (P-1)n",
     .holds_on = REPLAY_FULL,
     .root_any = 1,
     .cost = cost_linear_vector_reduced,
     .build = build_linear},
};

const struct model_family model_family_reduce = {
    .collective = "reduce",
    .bound = {.rounds = 1, .vector_times = 1, .combines_vector = 1, .crossing = MODEL_CROSS_VECTOR},
    .row = row,
    .row_count = sizeof row / sizeof *row,
};
