/* Broadcast: one rank's vector of n words reaches all. */
#include "model/row.h"

static void cost_linear_vector(const struct model_case *of, struct model_cost *out)
{
    model_cost_set(out, of->ranks - 1, (model_wide)(of->ranks - 1) * of->words, 0);
}

static void cost_tree_vector(const struct model_case *of, struct model_cost *out)
{
    model_cost_set(out, model_clg(of->ranks), (model_wide)model_clg(of->ranks) * of->words, 0);
}

static void build_binomial(struct generate *g)
{
    generate_bcast_binomial(g, g->root, g->words);
}

static void build_xor(struct generate *g)
{
    struct generate_order order = generate_order_falling(g);
    generate_bcast_ordered(g, &order);
}

static void build_mesh(struct generate *g)
{
    struct generate_order order = generate_order_mesh(g);
    generate_bcast_ordered(g, &order);
}

static void cost_kary(const struct model_case *of, struct model_cost *out)
{
    uint64_t k = of->parameter, r = 0, reach = 1;
    for (; reach < of->ranks; reach *= k)
        r++;
    uint64_t rounds = (k - 1) * r;
    model_cost_set(out, rounds, (model_wide)rounds * of->words, 0);
    if (reach != of->ranks)
        model_cost_at_most(out);
}

/* v holds the data for v .. v + k^j - 1 once its lowest digit but zero, at place j, has been
 * served. */
static void build_kary(struct generate *g)
{
    uint64_t k = g->parameter, place = 1;
    uint32_t v = generate_virtual(g, g->root);
    if (v) {
        while (v / place % k == 0)
            place *= k;
        generate_recv(g, generate_actual(g, g->root, (uint32_t)(v - v / place % k * place)),
                      g->words);
        generate_step(g);
    } else {
        while (place < g->P)
            place *= k;
    }
    while ((place /= k) > 0) {
        for (uint64_t c = 1; c < k && v + c * place < g->P; c++)
            generate_send(g, generate_actual(g, g->root, (uint32_t)(v + c * place)), g->words);
        generate_step(g);
    }
}

static void cost_two_phase(const struct model_case *of, struct model_cost *out)
{
    model_cost_cut(out, of, 2ull * (of->ranks - 1), 2, 0);
}

static void build_two_phase(struct generate *g)
{
    uint32_t v = generate_virtual(g, g->root);
    if (v)
        generate_recv(g, g->root, generate_blocks(g, v, 1));
    else
        for (uint32_t to = 1; to < g->P; to++)
            generate_send(g, generate_actual(g, g->root, to), generate_blocks(g, to, 1));
    generate_step(g);
    for (uint32_t i = 1; i < g->P; i++)
        generate_exchange(g, generate_actual(g, g->root, v + i), generate_blocks(g, v, 1),
                          generate_actual(g, g->root, v + g->P - i),
                          generate_blocks(g, v + g->P - i, 1));
}

static void cost_scatter_allgather(const struct model_case *of, struct model_cost *out)
{
    model_cost_cut(out, of, model_clg(of->ranks) + of->ranks - 1, 2, 0);
}

static void build_scatter_allgather(struct generate *g)
{
    uint32_t v = generate_virtual(g, g->root), P = g->P;
    generate_scatter_binomial(g, g->root, 1);
    for (uint32_t i = 0; i + 1 < P; i++)
        generate_exchange(g, generate_actual(g, g->root, v + 1), generate_blocks(g, v + P - i, 1),
                          generate_actual(g, g->root, v + P - 1),
                          generate_blocks(g, v + P - i - 1, 1));
}

/* --- the rows --------------------------------------------------------------------------------- */

static const struct model_row row[] = {
    {.id = "bcast.linear",
     .collective = "bcast",
     .source = "L0, L3 naive; L4 alg. 2",
     .rounds = "= P-1",
     .words = "= (P-1)n",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .hazard = "bsp: one superstep of max(L, g(P-1)n)",
     .root_any = 1,
     .cost = cost_linear_vector,
     .build = generate_linear_from_root},
    {.id = "bcast.binomial",
     .collective = "bcast",
     .source = "L1, L3, L4 alg. 1",
     .rounds = "= clg",
     .words = "= n*clg",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .hazard = "on a ring too when P = 2^d and the far half is served first",
     .root_any = 1,
     .cost = cost_tree_vector,
     .build = build_binomial},
    {.id = "bcast.hypercube",
     .collective = "bcast",
     .source = "L1 Alg 4.1, L3",
     .rounds = "= d",
     .words = "= n*d",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = cost_tree_vector,
     .build = build_xor},
    {.id = "bcast.hypercube_any",
     .collective = "bcast",
     .source = "L1 Alg 4.2, L3",
     .rounds = "= d",
     .words = "= n*d",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .hazard = "virtual id = rank XOR root",
     .domain = MODEL_DOMAIN_POWER,
     .root_any = 1,
     .cost = cost_tree_vector,
     .build = build_xor},
    {.id = "bcast.ring",
     .collective = "bcast",
     .source = "L1 fig 4.2",
     .rounds = "= lg P",
     .words = "= n*lg P",
     .operations = "= 0",
     .holds_on = REPLAY_RING,
     .hazard = "distances P/2, P/4, ...",
     .domain = MODEL_DOMAIN_POWER,
     .root_any = 1,
     .cost = cost_tree_vector,
     .build = build_binomial},
    {.id = "bcast.mesh",
     .collective = "bcast",
     .source = "L1 fig 4.5, L3",
     .rounds = "= dim*lg s",
     .words = "= n*dim*lg s",
     .operations = "= 0",
     .holds_on = REPLAY_MESH,
     .hazard = "row, then columns",
     .domain = MODEL_DOMAIN_POWER,
     .root_any = 1,
     .cost = cost_tree_vector,
     .build = build_mesh},
    {.id = "bcast.tree",
     .collective = "bcast",
     .source = "L1 fig 4.7",
     .rounds = "= lg P",
     .words = "= n*lg P",
     .operations = "= 0",
     .holds_on = REPLAY_TREE,
     .domain = MODEL_DOMAIN_POWER,
     .root_any = 1,
     .cost = cost_tree_vector,
     .build = build_xor},
    {.id = "bcast.kary",
     .collective = "bcast",
     .source = "L4 alg. 3",
     .rounds = "= (k-1)r, P = k^r",
     .words = "= n*R",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .hazard = "bsp: r supersteps of max(L, g(k-1)n); other P: at most",
     .root_any = 1,
     .parameter = MODEL_PARAMETER_ARITY,
     .cost = cost_kary,
     .build = build_kary},
    {.id = "bcast.two_phase",
     .collective = "bcast",
     .source = "L4 alg. 4",
     .rounds = "= 2(P-1)",
     .words = "= 2(P-1)n/P",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .hazard = "meant for n > P",
     .root_any = 1,
     .cost = cost_two_phase,
     .build = build_two_phase},
    {.id = "bcast.scatter_allgather",
     .collective = "bcast",
     .source = "L0 sec. 45",
     .rounds = "= clg + P-1",
     .words = "= 2n(P-1)/P",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .hazard = "bandwidth optimal",
     .root_any = 1,
     .cost = cost_scatter_allgather,
     .build = build_scatter_allgather},
};

const struct model_family model_family_bcast = {
    .collective = "bcast",
    .bound = {.rounds = 1, .vector_times = 1, .crossing = MODEL_CROSS_VECTOR},
    .row = row,
    .row_count = sizeof row / sizeof *row,
};
