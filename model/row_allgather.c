/* Allgather, or all-to-all broadcast: every rank's block of m words reaches all ranks. */
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

/* Costs k levels: subtrees of 1, 3, ... ranks go up, the whole goes down; with a single port each
 * level serves its two children one after the other. */
static void cost_complete_tree(const struct model_case *of, struct model_cost *out)
{
    model_wide m = of->words, P = of->ranks, k = model_clg(of->ranks + 1);
    uint32_t turns = of->port == REPLAY_PORT_MULTI ? 1 : 2;
    model_cost_set(out, turns * 2 * ((uint64_t)k - 1), turns * (m * (P - k) + m * P * (k - 1)), 0);
}

/* Returns the size of the subtree of heap index v, counting from 1, in a complete tree of P nodes.
 */
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

static const struct model_reason why_gather_bcast = {
    .rounds = "clg rounds gather, and clg rounds broadcast",
    .words = "gathering moves m(P-1); each of clg rounds then sends all: m*P",
    .operations = "nothing is combined"};
static const struct model_reason why_central = {
    .rounds = "the centre receives P-1 messages, then sends P-1",
    .words = "it receives m words, then sends all m*P words, P-1 times each",
    .operations = "nothing is combined"};
static const struct model_reason why_tree = {
    .rounds = "k-1 levels up and k-1 down; a single port serves two children singly",
    .words = "up go m, 3m, ... words, m(P-k) in all; down goes all, m*P a level",
    .operations = "nothing is combined"};
static const struct model_reason why_ring = {.rounds = "each block makes P-1 hops to come around",
                                             .words = "each hop is one block: m words, P-1 times",
                                             .operations = "nothing is combined"};
static const struct model_reason why_hypercube = {
    .rounds = "each dimension is crossed once, and doubles what a rank has",
    .words = "messages of m, 2m, 4m, ... words: m(P-1) in all",
    .operations = "nothing is combined"};
static const struct model_reason why_mesh = {
    .rounds = "q-1 rounds along the rows, then q-1 along the columns",
    .words = "m(q-1) along the rows; m*q(q-1) along the columns: m(q*q-1)",
    .operations = "nothing is combined"};
static const struct model_reason why_line = {
    .rounds = "a block needs P-1 hops to the far end; half duplex takes each twice",
    .words = "each hop is one block: m words, P-1 times",
    .operations = "nothing is combined"};
static const struct model_reason why_naive = {
    .rounds = "P broadcasts of clg rounds; those that overlap save some",
    .words = "each message is one block: m words in each round, at most",
    .operations = "nothing is combined"};

static const struct model_row row[] = {
    {.id = "allgather.gather_bcast",
     .collective = "allgather",
     .about = "gather to rank 0, then broadcast the whole",
     .source = "the alpha-beta model (section 31)",
     .why = &why_gather_bcast,
     .rounds = "= 2*clg",
     .words = "= m(P-1) + mP*clg",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .cost = cost_gather_bcast,
     .build = build_gather_bcast},
    {.id = "allgather.central",
     .collective = "allgather",
     .about = "all send to rank 0, which sends the whole to one after the other",
     .source = "allgather in MPI",
     .why = &why_central,
     .rounds = "= 2(P-1)",
     .words = "= m(P-1) + mP(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_FULL,
     .cost = cost_central,
     .build = build_central},
    {.id = "allgather.tree",
     .collective = "allgather",
     .about = "up a complete binary tree with ranks at all nodes, and down again",
     .source = "allgather in MPI",
     .why = &why_tree,
     .rounds = "multi: = 2(lg(P+1)-1); single: twice that",
     .words = "multi: = m(P-k) + mP(k-1), P = 2^k-1; single: twice that",
     .operations = "= 0",
     .holds_on = REPLAY_COMPLETE_TREE,
     .domain = MODEL_DOMAIN_COMPLETE,
     .cost = cost_complete_tree,
     .build = build_tree},
    {.id = "allgather.ring",
     .collective = "allgather",
     .about = "each rank passes on to its right what came from its left",
     .source = "the alpha-beta model (bucket); basic operations (algorithm 4.4); allgather in MPI "
               "(ring pass)",
     .why = &why_ring,
     .rounds = "= P-1",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_RING,
     .hazard = "as printed (send, then receive) it deadlocks when sends do not buffer",
     .cost = model_cost_linear_blocks,
     .build = build_ring},
    {.id = "allgather.hypercube.vector",
     .collective = "allgather",
     .about = "exchange along each dimension, a derived datatype built at each",
     .source = "allgather in MPI",
     .why = &why_hypercube,
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
     .about = "exchange along each dimension, packed and unpacked",
     .source = "allgather in MPI",
     .why = &why_hypercube,
     .rounds = "= d",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = model_cost_tree_blocks,
     .build = build_hypercube},
    {.id = "allgather.hypercube.sort",
     .collective = "allgather",
     .about = "exchange along each dimension, sorted at the end",
     .source = "allgather in MPI",
     .why = &why_hypercube,
     .rounds = "= d",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = model_cost_tree_blocks,
     .build = build_hypercube},
    {.id = "allgather.hypercube.prebuilt",
     .collective = "allgather",
     .about = "exchange along each dimension, datatypes built beforehand",
     .source = "allgather in MPI",
     .why = &why_hypercube,
     .rounds = "= d",
     .words = "= m(P-1)",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .domain = MODEL_DOMAIN_POWER,
     .cost = model_cost_tree_blocks,
     .build = build_hypercube},
    {.id = "allgather.mesh",
     .collective = "allgather",
     .about = "around the rows, then around the columns with a row's blocks",
     .source = "basic operations; primitives by topology; independent broadcast",
     .why = &why_mesh,
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
     .about = "the ring's rounds on a line of ranks",
     .source = "primitives by topology",
     .why = &why_line,
     .rounds = "= P-1; half duplex = 2(P-1)",
     .words = "= m(P-1); half duplex twice that",
     .operations = "= 0",
     .holds_on = REPLAY_LINE,
     .cost = cost_line,
     .build = build_ring},
    {.id = "allgather.naive",
     .collective = "allgather",
     .about = "each rank broadcasts its block, one rank after the other",
     .source = "basic operations",
     .why = &why_naive,
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
