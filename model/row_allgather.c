/* Allgather, or all-to-all broadcast: every rank's block of m words reaches all. */
#include "model/row.h"

static void cost_gather_bcast(const struct model_case *of, struct model_cost *out)
{
    model_wide m = of->words, P = of->ranks;
    model_cost_set(out, 2 * model_clg(of->ranks), m * (P - 1) + m * P * model_clg(of->ranks), 0);
}

static void build_gather_bcast(struct generate *g)
{
    generate_gather_binomial(g, 0);
    generate_bcast_binomial(g, 0, g->words * g->P);
}

static void cost_central(const struct model_case *of, struct model_cost *out)
{
    model_wide m = of->words, P = of->ranks;
    model_cost_set(out, 2ull * (of->ranks - 1), m * (P - 1) + m * P * (P - 1), 0);
}

static void build_central(struct generate *g)
{
    for (int out = 0; out < 2; out++) {
        uint64_t words = out ? g->words * g->P : g->words;
        for (uint32_t r = 1; g->rank == 0 && r < g->P; r++) {
            if (out)
                generate_send(g, r, words);
            else
                generate_recv(g, r, words);
        }
        if (g->rank && out)
            generate_recv(g, 0, words);
        else if (g->rank)
            generate_send(g, 0, words);
        generate_step(g);
    }
}

/* k levels: up go subtrees of 1, 3, ... ranks, down the whole; with a single port each level serves
 * two children in turn. */
static void cost_complete_tree(const struct model_case *of, struct model_cost *out)
{
    model_wide m = of->words, P = of->ranks, k = model_clg(of->ranks + 1);
    uint32_t turns = of->port == REPLAY_PORT_MULTI ? 1 : 2;
    model_cost_set(out, turns * 2 * ((uint64_t)k - 1), turns * (m * (P - k) + m * P * (k - 1)), 0);
}

/* The subtree under heap index v of a complete tree of P nodes, v counting from 1. */
static uint64_t heap_size(uint32_t v, uint32_t P)
{
    uint64_t size = 0;
    for (uint64_t level = v, width = 1; level <= P; level *= 2, width *= 2)
        size += width;
    return size;
}

static void build_tree(struct generate *g)
{
    uint32_t v = g->rank + 1, left = 2 * v, parent = v / 2;
    if (left <= g->P) {
        generate_recv(g, left - 1, g->words * heap_size(left, g->P));
        generate_recv(g, left, g->words * heap_size(left, g->P));
        generate_step(g);
    }
    if (parent) {
        generate_send(g, parent - 1, g->words * heap_size(v, g->P));
        generate_step(g);
        generate_recv(g, parent - 1, g->words * g->P);
        generate_step(g);
    }
    if (left <= g->P) {
        generate_send(g, left - 1, g->words * g->P);
        generate_send(g, left, g->words * g->P);
        generate_step(g);
    }
}

static void build_ring(struct generate *g)
{
    for (uint32_t i = 1; i < g->P; i++)
        generate_exchange(g, (g->rank + 1) % g->P, g->words, (g->rank + g->P - 1) % g->P, g->words);
}

static void build_hypercube(struct generate *g)
{
    for (uint32_t bit = 1; bit < g->P; bit *= 2)
        generate_exchange(g, g->rank ^ bit, g->words * bit, g->rank ^ bit, g->words * bit);
}

static void cost_mesh_blocks(const struct model_case *of, struct model_cost *out)
{
    model_cost_set(out, 2ull * (model_side(of->ranks) - 1), (model_wide)(of->ranks - 1) * of->words,
                   0);
}

static void build_mesh(struct generate *g)
{
    uint32_t q = generate_side(g);
    generate_row_ring(g, q, g->words, 0);
    generate_column_ring(g, q, g->words * q, 0);
}

static void cost_line(const struct model_case *of, struct model_cost *out)
{
    uint32_t turns = of->half_duplex ? 2 : 1;
    model_cost_set(out, (uint64_t)turns * (of->ranks - 1),
                   (model_wide)turns * (of->ranks - 1) * of->words, 0);
}

static void cost_naive(const struct model_case *of, struct model_cost *out)
{
    uint64_t rounds = (uint64_t)of->ranks * model_clg(of->ranks);
    model_cost_set(out, rounds, (model_wide)rounds * of->words, 0);
    model_cost_at_most(out);
    out->operations_relation = MODEL_EQUAL;
}

static void build_naive(struct generate *g)
{
    for (uint32_t root = 0; root < g->P; root++)
        generate_bcast_binomial(g, root, g->words);
}

/* --- the rows --------------------------------------------------------------------------------- */

static const struct model_row row[] = {
    {.id = "allgather.gather_bcast",
     .collective = "allgather",
     .source = "L0 sec. 31",
     .rounds = "= 2*clg",
     .words = "= m(P-1) + mP*clg",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .cost = cost_gather_bcast,
     .build = build_gather_bcast},
    {.id = "allgather.central",
     .collective = "allgather",
     .source = "L2",
     .rounds = "= 2(P-1)",
     .words = "= m(P-1) + mP(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .cost = cost_central,
     .build = build_central},
    {.id = "allgather.tree",
     .collective = "allgather",
     .source = "L2",
     .rounds = "multi: = 2(lg(P+1)-1); single: twice that",
     .words = "multi: = m(P-k) + mP(k-1), P = 2^k-1; single: twice that",
     .operations = "= 0",
     .holds_on = REPLAY_COMPLETE_TREE,
     .domain = MODEL_DOMAIN_COMPLETE,
     .cost = cost_complete_tree,
     .build = build_tree},
    {.id = "allgather.ring",
     .collective = "allgather",
     .source = "L0 bucket, L1 Alg 4.4, L2 ring pass",
     .rounds = "= P-1",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_RING,
     .hazard = "as printed (send, then receive) it deadlocks when sends do not buffer",
     .cost = model_cost_linear_blocks,
     .build = build_ring},
    {.id = "allgather.hypercube.vector",
     .collective = "allgather",
     .source = "L2",
     .rounds = "= d",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .hazard = "as printed the same hazard",
     .domain = MODEL_DOMAIN_POWER,
     .cost = model_cost_tree_blocks,
     .build = build_hypercube},
    {.id = "allgather.hypercube.pack",
     .collective = "allgather",
     .source = "L2",
     .rounds = "= d",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = model_cost_tree_blocks,
     .build = build_hypercube},
    {.id = "allgather.hypercube.sort",
     .collective = "allgather",
     .source = "L2",
     .rounds = "= d",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = model_cost_tree_blocks,
     .build = build_hypercube},
    {.id = "allgather.hypercube.prebuilt",
     .collective = "allgather",
     .source = "L2",
     .rounds = "= d",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = model_cost_tree_blocks,
     .build = build_hypercube},
    {.id = "allgather.mesh",
     .collective = "allgather",
     .source = "L1, L3, L4",
     .rounds = "= 2(q-1)",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_MESH,
     .hazard = "phase 2 moves m*q words",
     .domain = MODEL_DOMAIN_SQUARE,
     .cost = cost_mesh_blocks,
     .build = build_mesh},
    {.id = "allgather.line",
     .collective = "allgather",
     .source = "L3",
     .rounds = "= P-1; half duplex = 2(P-1)",
     .words = "= m(P-1); half duplex twice that",
     .operations = "= 0",
     .holds_on = REPLAY_LINE,
     .cost = cost_line,
     .build = build_ring},
    {.id = "allgather.naive",
     .collective = "allgather",
     .source = "L1",
     .rounds = "<= P*clg",
     .words = "<= P*clg*m",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .hazard = "P broadcasts in turn overlap",
     .cost = cost_naive,
     .build = build_naive},
};

const struct model_family model_family_allgather = {
    .collective = "allgather",
    .bound = {.rounds = 1, .block_times = 1, .crossing = MODEL_CROSS_LARGER_HALF, .both_ways = 1},
    .row = row,
    .row_count = sizeof row / sizeof *row,
};
