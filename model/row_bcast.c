/* Broadcast: one rank's vector of n words reaches all. */
#include "model/row.h"

static void cost_linear_vector(const struct model_case *of, struct model_cost *out)
{
    model_cost_set(out, of->ranks - 1, (model_wide)(of->ranks - 1) * of->words, 0);
}

static void supersteps_linear(const struct model_case *of, struct model_supersteps *out)
{
    *out = (struct model_supersteps){of->ranks > 1, (uint64_t)(of->ranks - 1) * of->words};
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

/* Returns the levels of a tree in which each rank serves k - 1 others, and in *out_reach the ranks
 * that they reach. */
static uint64_t kary_levels(const struct model_case *of, uint64_t *out_reach)
{
    uint64_t r = 0, reach = 1;
    for (; reach < of->ranks; reach *= of->parameter)
        r++;
    *out_reach = reach;
    return r;
}

static void supersteps_kary(const struct model_case *of, struct model_supersteps *out)
{
    uint64_t reach;
    *out = (struct model_supersteps){kary_levels(of, &reach), (of->parameter - 1ull) * of->words};
}

static void cost_kary(const struct model_case *of, struct model_cost *out)
{
    uint64_t reach, rounds = (of->parameter - 1ull) * kary_levels(of, &reach);
    model_cost_set(out, rounds, (model_wide)rounds * of->words, 0);
    if (reach != of->ranks)
        model_cost_at_most(out);
}

/* Emits a k-ary tree: v holds the data for v .. v + k^j - 1 once its lowest nonzero digit, at place
 * j, has been served. */
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

static const struct model_reason why_linear_vector = {
    .rounds = "the root sends to P-1 ranks, one after the other",
    .words = "each of the P-1 messages is the whole vector",
    .operations = "nothing is combined"};
static const struct model_reason why_tree_vector = {
    .rounds = "each round doubles the ranks that have the vector: 2^R >= P",
    .words = "each round sends the whole vector: n words, R times",
    .operations = "nothing is combined"};
static const struct model_reason why_kary = {
    .rounds = "a rank serves k-1 others singly, and there are r levels",
    .words = "each of the R messages in a row is the whole vector",
    .operations = "nothing is combined"};
static const struct model_reason why_two_phase = {
    .rounds = "the root sends P-1 parts singly; then each rank serves P-1 others",
    .words = "each message is a P-th part of the vector: n/P words, 2(P-1) times",
    .operations = "nothing is combined"};
static const struct model_reason why_scatter_allgather = {
    .rounds = "clg rounds scatter down a tree; P-1 rounds go around the ring",
    .words = "the tree halves its messages: n(P-1)/P; the ring adds n/P each round",
    .operations = "nothing is combined"};

static const struct model_row row[] = {
    {.id = "bcast.linear",
     .collective = "bcast",
     .about = "the root sends its vector to one rank after the other",
     .source = "the alpha-beta model; primitives by topology (naive); independent broadcast "
               "(algorithm 2)",
     .why = &why_linear_vector,
     .rounds = "= P-1",
     .words = "= (P-1)n",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .hazard = "bsp: one superstep of max(alpha, beta(P-1)n)",
     .root_any = 1,
     .cost = cost_linear_vector,
     .build = generate_linear_from_root,
     .supersteps = supersteps_linear},
    {.id = "bcast.binomial",
     .collective = "bcast",
     .about = "down a binomial tree, the far half first",
     .source = "basic operations; primitives by topology; independent broadcast (algorithm 1)",
     .why = &why_tree_vector,
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
     .about = "along the dimensions of a hypercube, the highest first, from rank 0",
     .source = "basic operations (algorithm 4.1); primitives by topology",
     .why = &why_tree_vector,
     .rounds = "= d",
     .words = "= n*d",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = cost_tree_vector,
     .build = build_xor},
    {.id = "bcast.hypercube_any",
     .collective = "bcast",
     .about = "along the dimensions of a hypercube, from any root",
     .source = "basic operations (algorithm 4.2); primitives by topology",
     .why = &why_tree_vector,
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
     .about = "recursive doubling on a ring: distances P/2, P/4, ...",
     .source = "basic operations (figure 4.2)",
     .why = &why_tree_vector,
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
     .about = "recursive doubling along the row, then along the columns",
     .source = "basic operations (figure 4.5); primitives by topology",
     .why = &why_tree_vector,
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
     .about = "down a balanced tree whose leaves are the ranks",
     .source = "basic operations (figure 4.7)",
     .why = &why_tree_vector,
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
     .about = "down a tree in which each rank serves k-1 others at a time",
     .source = "independent broadcast (algorithm 3)",
     .why = &why_kary,
     .rounds = "= (k-1)r, P = k^r",
     .words = "= n*R",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .hazard = "bsp: r supersteps of max(alpha, beta(k-1)n); other P: at most",
     .root_any = 1,
     .parameter = MODEL_PARAMETER_ARITY,
     .cost = cost_kary,
     .build = build_kary,
     .supersteps = supersteps_kary},
    {.id = "bcast.two_phase",
     .collective = "bcast",
     .about = "the root deals out P parts, then all exchange their parts",
     .source = "independent broadcast (algorithm 4)",
     .why = &why_two_phase,
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
     .about = "scatter the parts down a tree, then pass them around a ring",
     .source = "the alpha-beta model (section 45)",
     .why = &why_scatter_allgather,
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
