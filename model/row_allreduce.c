/* Allreduce, barrier and prefix sum. */
#include "model/row.h"

static void cost_reduce_bcast(const struct model_case *of, struct model_cost *out)
{
    model_wide clg = model_clg(of->ranks);
    model_cost_set(out, 2 * (uint64_t)clg, 2 * clg * of->words, clg * of->words);
}

static void build_allreduce_reduce_bcast(struct generate *g)
{
    generate_reduce_binomial(g, 0, g->words);
    generate_bcast_binomial(g, 0, g->words);
}

static void cost_recursive_doubling(const struct model_case *of, struct model_cost *out)
{
    model_wide clg = model_clg(of->ranks);
    if (model_is_power(of->ranks)) {
        model_cost_set(out, (uint64_t)clg, clg * of->words, clg * of->words);
        return;
    }
    model_cost_set(out, (uint64_t)clg + 2, (clg + 2) * of->words, (clg + 2) * of->words);
    model_cost_at_most(out);
}

/* Handles general P: the ranks beyond the largest power of two first send their data to a partner,
 * and get the result at the end. */
static void build_doubling(struct generate *g, uint64_t words)
{
    uint32_t core = 1;
    while (core * 2 <= g->P)
        core *= 2;
    uint32_t extra = g->P - core;
    if (g->rank >= core) {
        generate_send(g, g->rank - core, words);
        generate_step(g);
        generate_recv(g, g->rank - core, words);
        generate_step(g);
        return;
    }
    if (g->rank < extra) {
        generate_recv(g, g->rank + core, words);
        generate_step(g);
        generate_combine(g, words);
    }
    for (uint32_t bit = 1; bit < core; bit *= 2) {
        generate_exchange(g, g->rank ^ bit, words, g->rank ^ bit, words);
        generate_combine(g, words);
    }
    if (g->rank < extra) {
        generate_send(g, g->rank + core, words);
        generate_step(g);
    }
}

static void build_allreduce_recursive_doubling(struct generate *g)
{
    build_doubling(g, g->words);
}

static void cost_ring_vector(const struct model_case *of, struct model_cost *out)
{
    model_cost_cut(out, of, 2ull * (of->ranks - 1), 2, 1);
}

static void build_allreduce_ring(struct generate *g)
{
    uint32_t P = g->P, right = (g->rank + 1) % P, left = (g->rank + P - 1) % P;
    for (uint32_t i = 0; i + 1 < P; i++) {
        uint64_t in = generate_blocks(g, g->rank + 2 * P - i - 1, 1);
        generate_exchange(g, right, generate_blocks(g, g->rank + P - i, 1), left, in);
        generate_combine(g, in);
    }
    for (uint32_t i = 0; i + 1 < P; i++)
        generate_exchange(g, right, generate_blocks(g, g->rank + 1 + P - i, 1), left,
                          generate_blocks(g, g->rank + P - i, 1));
}

static void cost_halving(const struct model_case *of, struct model_cost *out)
{
    model_cost_cut(out, of, 2 * model_clg(of->ranks), 2, 1);
}

/* Emits halving, where each step sends the half of the present range that the partner keeps, and
 * then doubling, the reverse. */
static void build_allreduce_halving(struct generate *g)
{
    for (uint32_t bit = g->P / 2; bit; bit /= 2) {
        uint32_t mine = g->rank & ~(bit - 1), theirs = mine ^ bit;
        generate_exchange(g, g->rank ^ bit, generate_blocks(g, theirs, bit), g->rank ^ bit,
                          generate_blocks(g, mine, bit));
        generate_combine(g, generate_blocks(g, mine, bit));
    }
    for (uint32_t bit = 1; bit < g->P; bit *= 2) {
        uint32_t mine = g->rank & ~(bit - 1), theirs = mine ^ bit;
        generate_exchange(g, g->rank ^ bit, generate_blocks(g, mine, bit), g->rank ^ bit,
                          generate_blocks(g, theirs, bit));
    }
}

static void cost_barrier(const struct model_case *of, struct model_cost *out)
{
    struct model_case empty = *of;
    empty.words = 0;
    cost_recursive_doubling(&empty, out);
}

static void build_barrier_allreduce(struct generate *g)
{
    build_doubling(g, 0);
}

/* Costs a scan: every step combines into the total and, on the upper side, also into the result. */
static void cost_scan(const struct model_case *of, struct model_cost *out)
{
    model_wide d = model_clg(of->ranks);
    model_cost_set(out, (uint64_t)d, d * of->words, 2 * d * of->words);
}

/* Emits a scan: each step combines the received data into the running total, and into the result if
 * it came from a lower rank. */
static void build_scan_hypercube(struct generate *g)
{
    for (uint32_t bit = 1; bit < g->P; bit *= 2) {
        generate_exchange(g, g->rank ^ bit, g->words, g->rank ^ bit, g->words);
        generate_combine(g, g->words);
        if (g->rank & bit)
            generate_combine(g, g->words);
    }
}

/* --- the rows --------------------------------------------------------------------------------- */

static const struct model_reason why_reduce_bcast = {
    .rounds = "clg rounds reduce, and clg rounds broadcast",
    .words = "each round sends the whole vector: n words, 2*clg times",
    .operations = "only the first clg rounds combine: n words each"};
static const struct model_reason why_recursive_doubling = {
    .rounds = "each dimension is crossed once; other P: a round before and after",
    .words = "each round exchanges the whole vector: n words",
    .operations = "each rank combines n words after each exchange"};
static const struct model_reason why_ring = {
    .rounds = "each part makes P-1 hops while it is combined, and P-1 as result",
    .words = "each hop is a P-th part of the vector: n/P words, 2(P-1) times",
    .operations = "each of the first P-1 hops combines n/P words"};
static const struct model_reason why_halving = {
    .rounds = "d rounds halve what a rank combines; d rounds double what it has",
    .words = "n/2, n/4, ... n/P words, and back: 2n(P-1)/P in all",
    .operations = "n/2, n/4, ... n/P words in the first d rounds"};
static const struct model_reason why_barrier = {
    .rounds = "each dimension is crossed once; other P: a round before and after",
    .words = "the messages are empty",
    .operations = "nothing is combined"};
static const struct model_reason why_scan = {
    .rounds = "each dimension is crossed once",
    .words = "each round exchanges one partial sum: m words",
    .operations = "into the total, and on the upper side into the result: 2m a round"};

static const struct model_row allreduce_row[] = {
    {.id = "allreduce.reduce_bcast",
     .collective = "allreduce",
     .about = "reduce to rank 0, then broadcast the result",
     .source = "primitives by topology",
     .why = &why_reduce_bcast,
     .rounds = "= 2*clg",
     .words = "= 2n*clg",
     .operations = "= n*clg",
     .holds_on = REPLAY_FULL,
     .cost = cost_reduce_bcast,
     .build = build_allreduce_reduce_bcast},
    {.id = "allreduce.recursive_doubling",
     .collective = "allreduce",
     .about = "exchange and combine whole vectors along each dimension",
     .source = "primitives by topology",
     .why = &why_recursive_doubling,
     .rounds = "= d; other P: <= clg+2",
     .words = "= n*d; other P: <= n(clg+2)",
     .operations = "= n*d; other P: <= n(clg+2)",
     .holds_on = REPLAY_HYPERCUBE,
     .hazard = "messages combine, they do not accumulate",
     .cost = cost_recursive_doubling,
     .build = build_allreduce_recursive_doubling},
    {.id = "allreduce.ring",
     .collective = "allreduce",
     .about = "reduce-scatter around the ring, then allgather around it",
     .source = "the alpha-beta model (sections 46-47)",
     .why = &why_ring,
     .rounds = "= 2(P-1)",
     .words = "= 2n(P-1)/P",
     .operations = "= n(P-1)/P",
     .holds_on = REPLAY_RING,
     .hazard = "reduce-scatter, then allgather",
     .cost = cost_ring_vector,
     .build = build_allreduce_ring},
    {.id = "allreduce.reduce_scatter_allgather",
     .collective = "allreduce",
     .about = "reduce-scatter by halving, then allgather by doubling",
     .source = "the alpha-beta model; primitives by topology",
     .why = &why_halving,
     .rounds = "= 2d",
     .words = "= 2n(P-1)/P",
     .operations = "= n(P-1)/P",
     .holds_on = REPLAY_HYPERCUBE,
     .hazard = "halving, then doubling",
     .domain = MODEL_DOMAIN_POWER,
     .cost = cost_halving,
     .build = build_allreduce_halving},
};

const struct model_family model_family_allreduce = {
    .collective = "allreduce",
    .bound = {.rounds = 1,
              .cut_times = 2,
              .combines_vector = 1,
              .crossing = MODEL_CROSS_VECTOR,
              .both_ways = 1},
    .row = allreduce_row,
    .row_count = sizeof allreduce_row / sizeof *allreduce_row,
};

static const struct model_row barrier_row[] = {
    {.id = "barrier.allreduce",
     .collective = "barrier",
     .about = "an allreduce of nothing",
     .source = "primitives by topology",
     .why = &why_barrier,
     .rounds = "= d; other P: <= clg+2",
     .words = "= 0",
     .operations = "= 0",
     .holds_on = REPLAY_HYPERCUBE,
     .hazard = "no rank leaves before the last has come",
     .cost = cost_barrier,
     .build = build_barrier_allreduce},
};

const struct model_family model_family_barrier = {
    .collective = "barrier",
    .bound = {.rounds = 1},
    .row = barrier_row,
    .row_count = sizeof barrier_row / sizeof *barrier_row,
};

static const struct model_row scan_row[] = {
    {.id = "scan.hypercube",
     .collective = "scan",
     .about = "exchange partial sums along each dimension, keep those from below",
     .source = "primitives by topology",
     .why = &why_scan,
     .rounds = "= d",
     .words = "= m*d",
     .operations = "= 2m*d",
     .holds_on = REPLAY_HYPERCUBE,
     .hazard = "<3,1,4,0,2> gives <3,4,8,8,10>",
     .domain = MODEL_DOMAIN_POWER,
     .cost = cost_scan,
     .build = build_scan_hypercube},
};

const struct model_family model_family_scan = {
    .collective = "scan",
    .bound = {.rounds = 1, .vector_times = 1, .crossing = MODEL_CROSS_BLOCK},
    .row = scan_row,
    .row_count = sizeof scan_row / sizeof *scan_row,
};
