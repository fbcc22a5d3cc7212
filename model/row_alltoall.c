/* All-to-all personalised: m words for each pair. */
#include "model/row.h"

static void cost_alltoall_ring(const struct model_case *of, struct model_cost *out)
{
    model_wide P = of->ranks;
    model_cost_set(out, of->ranks - 1, of->words * (P * (P - 1) / 2), 0);
}

static void build_ring(struct generate *g)
{
    for (uint32_t i = 1; i < g->P; i++)
        generate_exchange(g, (g->rank + 1) % g->P, g->words * (g->P - i),
                          (g->rank + g->P - 1) % g->P, g->words * (g->P - i));
}

static void cost_alltoall_mesh(const struct model_case *of, struct model_cost *out)
{
    uint64_t q = model_side(of->ranks);
    model_cost_set(out, 2 * (q - 1), (model_wide)of->words * of->ranks * (q - 1), 0);
}

static void build_mesh(struct generate *g)
{
    uint32_t q = generate_side(g);
    for (uint32_t i = 1; i < q; i++)
        generate_exchange(g, generate_along_row(q, g->rank, 1), g->words * q * (q - i),
                          generate_along_row(q, g->rank, -1), g->words * q * (q - i));
    for (uint32_t i = 1; i < q; i++)
        generate_exchange(g, generate_along_column(q, g->rank, 1), g->words * q * (q - i),
                          generate_along_column(q, g->rank, -1), g->words * q * (q - i));
}

static void cost_alltoall_hypercube(const struct model_case *of, struct model_cost *out)
{
    model_wide d = model_clg(of->ranks);
    model_cost_set(out, (uint64_t)d,
                   of->ranks > 1 ? of->words * (model_wide)(of->ranks / 2) * d : 0, 0);
}

static void build_hypercube(struct generate *g)
{
    for (uint32_t bit = 1; bit < g->P; bit *= 2)
        generate_exchange(g, g->rank ^ bit, g->words * (g->P / 2), g->rank ^ bit,
                          g->words * (g->P / 2));
}

static void build_pairwise_xor(struct generate *g)
{
    for (uint32_t i = 1; i < g->P; i++)
        generate_exchange(g, g->rank ^ i, g->words, g->rank ^ i, g->words);
}

/* --- the rows --------------------------------------------------------------------------------- */

static const struct model_reason why_ring = {
    .rounds = "the farthest block needs P-1 hops",
    .words = "a round moves on what has not arrived: m(P-1), m(P-2), ... m words",
    .operations = "nothing is combined"};
static const struct model_reason why_mesh = {
    .rounds = "q-1 rounds along the rows, then q-1 along the columns",
    .words = "each direction: m*q(q-1), m*q(q-2), ... m*q words, m*P(q-1)/2",
    .operations = "nothing is combined"};
static const struct model_reason why_hypercube = {
    .rounds = "each dimension is crossed once",
    .words = "each round sends the half of all blocks that belongs across: m*P/2",
    .operations = "nothing is combined"};
static const struct model_reason why_pairwise_xor = {
    .rounds = "a rank has P-1 partners, one in each round",
    .words = "each round exchanges one block: m words",
    .operations = "nothing is combined"};

static const struct model_row row[] = {
    {.id = "alltoall.ring",
     .collective = "alltoall",
     .about = "blocks go around the ring, and each rank takes out its own",
     .source = "primitives by topology",
     .why = &why_ring,
     .rounds = "= P-1",
     .words = "= m*P(P-1)/2",
     .operations = "= 0",
     .holds_on = REPLAY_RING,
     .cost = cost_alltoall_ring,
     .build = build_ring},
    {.id = "alltoall.mesh",
     .collective = "alltoall",
     .about = "around the rows to the right column, then around the columns",
     .source = "primitives by topology",
     .why = &why_mesh,
     .rounds = "= 2(q-1)",
     .words = "= m*P*(q-1)",
     .operations = "= 0",
     .holds_on = REPLAY_MESH,
     .domain = MODEL_DOMAIN_SQUARE,
     .cost = cost_alltoall_mesh,
     .build = build_mesh},
    {.id = "alltoall.hypercube",
     .collective = "alltoall",
     .about = "each dimension exchanges the blocks that belong across it",
     .source = "primitives by topology",
     .why = &why_hypercube,
     .rounds = "= d",
     .words = "= (m*P/2)*d",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = cost_alltoall_hypercube,
     .build = build_hypercube},
    {.id = "alltoall.pairwise_xor",
     .collective = "alltoall",
     .about = "in round i rank r exchanges with rank r XOR i",
     .source = "primitives by topology (optimal)",
     .why = &why_pairwise_xor,
     .rounds = "= P-1",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .hazard = "with E-cube routing no link is shared",
     .domain = MODEL_DOMAIN_POWER,
     .cost = model_cost_linear_blocks,
     .build = build_pairwise_xor},
};

const struct model_family model_family_alltoall = {
    .collective = "alltoall",
    .bound = {.rounds = 1, .block_times = 1, .crossing = MODEL_CROSS_PAIRS, .both_ways = 1},
    .row = row,
    .row_count = sizeof row / sizeof *row,
};
