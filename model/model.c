/* The table of the model and what evaluates it. Formulas are functions, named by what they compute,
 * so that rows that cost the same share one; the text beside them is what people read. The unit
 * test measures every row on the timed clock. */
#include "model/model.h"

#include <string.h>

#include "core/check.h"

uint32_t model_clg(uint32_t ranks)
{
    uint32_t clg = 0;
    while ((1ull << clg) < ranks)
        clg++;
    return clg;
}

static uint32_t side(uint32_t ranks)
{
    uint32_t q = 0;
    while (q * q < ranks)
        q++;
    return q;
}

static int is_power(uint32_t ranks)
{
    return (ranks & (ranks - 1)) == 0;
}

static void set(struct model_cost *out, uint64_t rounds, model_wide words, model_wide operations)
{
    out->rounds = rounds;
    out->words = (struct model_ratio){words, 1};
    out->operations = (struct model_ratio){operations, 1};
    out->words_most = words;
    out->operations_most = operations;
}

/* times * n (P - 1) / P words, and n (P - 1) / P operations when combined. */
static void set_cut(struct model_cost *out, const struct model_case *of, uint64_t rounds,
                    uint32_t times, int combined)
{
    model_wide n = of->words, P = of->ranks, whole = (n + P - 1) / P * (P - 1);
    set(out, rounds, 0, 0);
    out->words = (struct model_ratio){times * n * (P - 1), of->ranks};
    out->words_most = times * whole;
    if (combined) {
        out->operations = (struct model_ratio){n * (P - 1), of->ranks};
        out->operations_most = whole;
    }
    if (of->words % of->ranks)
        out->words_relation = out->operations_relation = MODEL_AT_MOST;
}

static void at_most(struct model_cost *out)
{
    out->rounds_relation = out->words_relation = out->operations_relation = MODEL_AT_MOST;
}

/* --- one rank to or from all ------------------------------------------------------------------ */

static void linear_vector(const struct model_case *of, struct model_cost *out)
{
    set(out, of->ranks - 1, (model_wide)(of->ranks - 1) * of->words, 0);
}

static void linear_vector_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)(of->ranks - 1) * of->words;
    set(out, of->ranks - 1, all, all);
}

static void tree_vector(const struct model_case *of, struct model_cost *out)
{
    set(out, model_clg(of->ranks), (model_wide)model_clg(of->ranks) * of->words, 0);
}

static void tree_vector_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)model_clg(of->ranks) * of->words;
    set(out, model_clg(of->ranks), all, all);
}

static void kary(const struct model_case *of, struct model_cost *out)
{
    uint64_t k = of->parameter, r = 0, reach = 1;
    for (; reach < of->ranks; reach *= k)
        r++;
    uint64_t rounds = (k - 1) * r;
    set(out, rounds, (model_wide)rounds * of->words, 0);
    if (reach != of->ranks)
        at_most(out);
}

static void two_phase(const struct model_case *of, struct model_cost *out)
{
    set_cut(out, of, 2ull * (of->ranks - 1), 2, 0);
}

static void scatter_allgather(const struct model_case *of, struct model_cost *out)
{
    set_cut(out, of, model_clg(of->ranks) + of->ranks - 1, 2, 0);
}

static void linear_blocks(const struct model_case *of, struct model_cost *out)
{
    set(out, of->ranks - 1, (model_wide)(of->ranks - 1) * of->words, 0);
}

static void tree_blocks(const struct model_case *of, struct model_cost *out)
{
    set(out, model_clg(of->ranks), (model_wide)(of->ranks - 1) * of->words, 0);
}

static void tree_blocks_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)(of->ranks - 1) * of->words;
    set(out, model_clg(of->ranks), all, all);
}

/* --- all to all ------------------------------------------------------------------------------- */

static void gather_bcast(const struct model_case *of, struct model_cost *out)
{
    model_wide m = of->words, P = of->ranks;
    set(out, 2 * model_clg(of->ranks), m * (P - 1) + m * P * model_clg(of->ranks), 0);
}

static void central(const struct model_case *of, struct model_cost *out)
{
    model_wide m = of->words, P = of->ranks;
    set(out, 2ull * (of->ranks - 1), m * (P - 1) + m * P * (P - 1), 0);
}

/* k levels: up go subtrees of 1, 3, ... ranks, down the whole; with a single port each level serves
 * two children in turn. */
static void complete_tree(const struct model_case *of, struct model_cost *out)
{
    model_wide m = of->words, P = of->ranks, k = model_clg(of->ranks + 1);
    uint32_t turns = of->port == REPLAY_PORT_MULTI ? 1 : 2;
    set(out, turns * 2 * ((uint64_t)k - 1), turns * (m * (P - k) + m * P * (k - 1)), 0);
}

static void line(const struct model_case *of, struct model_cost *out)
{
    uint32_t turns = of->half_duplex ? 2 : 1;
    set(out, (uint64_t)turns * (of->ranks - 1), (model_wide)turns * (of->ranks - 1) * of->words, 0);
}

static void mesh_blocks(const struct model_case *of, struct model_cost *out)
{
    set(out, 2ull * (side(of->ranks) - 1), (model_wide)(of->ranks - 1) * of->words, 0);
}

static void mesh_blocks_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)(of->ranks - 1) * of->words;
    set(out, 2ull * (side(of->ranks) - 1), all, all);
}

static void naive(const struct model_case *of, struct model_cost *out)
{
    uint64_t rounds = (uint64_t)of->ranks * model_clg(of->ranks);
    set(out, rounds, (model_wide)rounds * of->words, 0);
    at_most(out);
    out->operations_relation = MODEL_EQUAL;
}

static void ring_blocks_reduced(const struct model_case *of, struct model_cost *out)
{
    model_wide all = (model_wide)(of->ranks - 1) * of->words;
    set(out, of->ranks - 1, all, all);
}

static void reduce_bcast(const struct model_case *of, struct model_cost *out)
{
    model_wide clg = model_clg(of->ranks);
    set(out, 2 * (uint64_t)clg, 2 * clg * of->words, clg * of->words);
}

static void recursive_doubling(const struct model_case *of, struct model_cost *out)
{
    model_wide clg = model_clg(of->ranks);
    if (is_power(of->ranks)) {
        set(out, (uint64_t)clg, clg * of->words, clg * of->words);
        return;
    }
    set(out, (uint64_t)clg + 2, (clg + 2) * of->words, (clg + 2) * of->words);
    at_most(out);
}

static void ring_vector(const struct model_case *of, struct model_cost *out)
{
    set_cut(out, of, 2ull * (of->ranks - 1), 2, 1);
}

static void halving(const struct model_case *of, struct model_cost *out)
{
    set_cut(out, of, 2 * model_clg(of->ranks), 2, 1);
}

static void barrier(const struct model_case *of, struct model_cost *out)
{
    struct model_case empty = *of;
    empty.words = 0;
    recursive_doubling(&empty, out);
}

/* Every step combines into the total and, on the upper side, into the result too. */
static void scan(const struct model_case *of, struct model_cost *out)
{
    model_wide d = model_clg(of->ranks);
    set(out, (uint64_t)d, d * of->words, 2 * d * of->words);
}

static void alltoall_ring(const struct model_case *of, struct model_cost *out)
{
    model_wide P = of->ranks;
    set(out, of->ranks - 1, of->words * (P * (P - 1) / 2), 0);
}

static void alltoall_mesh(const struct model_case *of, struct model_cost *out)
{
    uint64_t q = side(of->ranks);
    set(out, 2 * (q - 1), (model_wide)of->words * of->ranks * (q - 1), 0);
}

static void alltoall_hypercube(const struct model_case *of, struct model_cost *out)
{
    model_wide d = model_clg(of->ranks);
    set(out, (uint64_t)d, of->ranks > 1 ? of->words * (model_wide)(of->ranks / 2) * d : 0, 0);
}

static void shift_ring(const struct model_case *of, struct model_cost *out)
{
    uint64_t s = of->parameter, rounds = s < of->ranks - s ? s : of->ranks - s;
    set(out, rounds, (model_wide)rounds * of->words, 0);
}

static void shift_at_most(const struct model_case *of, struct model_cost *out, uint64_t rounds)
{
    set(out, rounds, (model_wide)rounds * of->words, 0);
    at_most(out);
    out->operations_relation = MODEL_EQUAL;
}

static void shift_mesh(const struct model_case *of, struct model_cost *out)
{
    shift_at_most(of, out, side(of->ranks) + 1ull);
}

static void shift_hypercube(const struct model_case *of, struct model_cost *out)
{
    shift_at_most(of, out, (of->back ? 1 : 2) * (uint64_t)model_clg(of->ranks));
}

/* --- the table -------------------------------------------------------------------------------- */

#define FULL REPLAY_FULL
#define LINE REPLAY_LINE
#define RING REPLAY_RING
#define MESH REPLAY_MESH
#define TORUS REPLAY_TORUS
#define CUBE REPLAY_HYPERCUBE
#define TREE REPLAY_TREE
#define COMPLETE REPLAY_COMPLETE_TREE

static const struct model_row row[] = {
    {"bcast.linear", "bcast", "L0, L3 naive; L4 alg. 2", "= P-1", "= (P-1)n", "= 0", FULL,
     "bsp: one superstep of max(L, g(P-1)n)", linear_vector},
    {"bcast.binomial", "bcast", "L1, L3, L4 alg. 1", "= clg", "= n*clg", "= 0", FULL,
     "on a ring too when P = 2^d and the far half is served first", tree_vector},
    {"bcast.hypercube", "bcast", "L1 Alg 4.1, L3", "= d", "= n*d", "= 0", CUBE, NULL, tree_vector},
    {"bcast.hypercube_any", "bcast", "L1 Alg 4.2, L3", "= d", "= n*d", "= 0", CUBE,
     "virtual id = rank XOR root", tree_vector},
    {"bcast.ring", "bcast", "L1 fig 4.2", "= lg P", "= n*lg P", "= 0", RING,
     "distances P/2, P/4, ...", tree_vector},
    {"bcast.mesh", "bcast", "L1 fig 4.5, L3", "= dim*lg s", "= n*dim*lg s", "= 0", MESH,
     "row, then columns", tree_vector},
    {"bcast.tree", "bcast", "L1 fig 4.7", "= lg P", "= n*lg P", "= 0", TREE, NULL, tree_vector},
    {"bcast.kary", "bcast", "L4 alg. 3", "= (k-1)r, P = k^r", "= n*R", "= 0", FULL,
     "bsp: r supersteps of max(L, g(k-1)n); other P: at most", kary},
    {"bcast.two_phase", "bcast", "L4 alg. 4", "= 2(P-1)", "= 2(P-1)n/P", "= 0", FULL,
     "meant for n > P", two_phase},
    {"bcast.scatter_allgather", "bcast", "L0 sec. 45", "= clg + P-1", "= 2n(P-1)/P", "= 0", FULL,
     "bandwidth optimal", scatter_allgather},
    {"reduce.binomial", "reduce", "L0 sec. 23-25", "= clg", "= n*clg", "= n*clg", FULL,
     "without the patch PARTNER < P wrong or hung unless P = 2^d", tree_vector_reduced},
    {"reduce.hypercube", "reduce", "L1, L3", "= d", "= n*d", "= n*d", CUBE, NULL,
     tree_vector_reduced},
    {"reduce.ring", "reduce", "L1", "= lg P", "= n*lg P", "= n*lg P", RING, NULL,
     tree_vector_reduced},
    {"reduce.mesh", "reduce", "L1", "= dim*lg s", "= n*dim*lg s", "= n*dim*lg s", MESH, NULL,
     tree_vector_reduced},
    {"reduce.tree", "reduce", "L1", "= lg P", "= n*lg P", "= n*lg P", TREE, NULL,
     tree_vector_reduced},
    {"reduce.linear", "reduce", "L0", "= P-1", "= (P-1)n", "= (P-1)n", FULL, NULL,
     linear_vector_reduced},
    {"scatter.linear", "scatter", "L0 sec. 36", "= P-1", "= m(P-1)", "= 0", FULL, NULL,
     linear_blocks},
    {"scatter.binomial", "scatter", "L0 sec. 38, L3", "= clg", "= m(P-1)", "= 0", FULL, NULL,
     tree_blocks},
    {"gather.linear", "gather", "dual of scatter.linear", "= P-1", "= m(P-1)", "= 0", FULL, NULL,
     linear_blocks},
    {"gather.binomial", "gather", "dual of scatter.binomial", "= clg", "= m(P-1)", "= 0", FULL,
     NULL, tree_blocks},
    {"allgather.gather_bcast", "allgather", "L0 sec. 31", "= 2*clg", "= m(P-1) + mP*clg", "= 0",
     FULL, NULL, gather_bcast},
    {"allgather.central", "allgather", "L2", "= 2(P-1)", "= m(P-1) + mP(P-1)", "= 0", FULL, NULL,
     central},
    {"allgather.tree", "allgather", "L2", "multi: = 2(lg(P+1)-1); single: twice that",
     "multi: = m(P-k) + mP(k-1), P = 2^k-1; single: twice that", "= 0", COMPLETE, NULL,
     complete_tree},
    {"allgather.ring", "allgather", "L0 bucket, L1 Alg 4.4, L2 ring pass", "= P-1", "= m(P-1)",
     "= 0", RING, "as printed (send, then receive) it deadlocks when sends do not buffer",
     linear_blocks},
    {"allgather.hypercube.vector", "allgather", "L2", "= d", "= m(P-1)", "= 0", CUBE,
     "as printed the same hazard", tree_blocks},
    {"allgather.hypercube.pack", "allgather", "L2", "= d", "= m(P-1)", "= 0", CUBE, NULL,
     tree_blocks},
    {"allgather.hypercube.sort", "allgather", "L2", "= d", "= m(P-1)", "= 0", CUBE, NULL,
     tree_blocks},
    {"allgather.hypercube.prebuilt", "allgather", "L2", "= d", "= m(P-1)", "= 0", CUBE, NULL,
     tree_blocks},
    {"allgather.mesh", "allgather", "L1, L3, L4", "= 2(q-1)", "= m(P-1)", "= 0", MESH,
     "phase 2 moves m*q words", mesh_blocks},
    {"allgather.line", "allgather", "L3", "= P-1; half duplex = 2(P-1)",
     "= m(P-1); half duplex twice that", "= 0", LINE, NULL, line},
    {"allgather.naive", "allgather", "L1", "<= P*clg", "<= P*clg*m", "= 0", FULL,
     "P broadcasts in turn overlap", naive},
    {"reduce_scatter.ring", "reduce_scatter", "L0 bucket, L1, L3", "= P-1", "= m(P-1)", "= m(P-1)",
     RING, NULL, ring_blocks_reduced},
    {"reduce_scatter.mesh", "reduce_scatter", "dual of allgather.mesh", "= 2(q-1)", "= m(P-1)",
     "= m(P-1)", MESH, NULL, mesh_blocks_reduced},
    {"reduce_scatter.hypercube", "reduce_scatter", "L3", "= d", "= m(P-1)", "= m(P-1)", CUBE, NULL,
     tree_blocks_reduced},
    {"allreduce.reduce_bcast", "allreduce", "L3", "= 2*clg", "= 2n*clg", "= n*clg", FULL, NULL,
     reduce_bcast},
    {"allreduce.recursive_doubling", "allreduce", "L3", "= d; other P: <= clg+2",
     "= n*d; other P: <= n(clg+2)", "= n*d; other P: <= n(clg+2)", CUBE,
     "messages combine, they do not accumulate", recursive_doubling},
    {"allreduce.ring", "allreduce", "L0 sec. 46-47", "= 2(P-1)", "= 2n(P-1)/P", "= n(P-1)/P", RING,
     "reduce-scatter, then allgather", ring_vector},
    {"allreduce.reduce_scatter_allgather", "allreduce", "L0, L3", "= 2d", "= 2n(P-1)/P",
     "= n(P-1)/P", CUBE, "halving, then doubling", halving},
    {"barrier.allreduce", "barrier", "L3", "= d; other P: <= clg+2", "= 0", "= 0", CUBE,
     "no rank leaves before the last has come", barrier},
    {"scan.hypercube", "scan", "L3", "= d", "= m*d", "= 2m*d", CUBE,
     "<3,1,4,0,2> gives <3,4,8,8,10>", scan},
    {"alltoall.ring", "alltoall", "L3", "= P-1", "= m*P(P-1)/2", "= 0", RING, NULL, alltoall_ring},
    {"alltoall.mesh", "alltoall", "L3", "= 2(q-1)", "= m*P*(q-1)", "= 0", MESH, NULL,
     alltoall_mesh},
    {"alltoall.hypercube", "alltoall", "L3", "= d", "= (m*P/2)*d", "= 0", CUBE, NULL,
     alltoall_hypercube},
    {"alltoall.pairwise_xor", "alltoall", "L3 optimal", "= P-1", "= m(P-1)", "= 0", CUBE,
     "with E-cube routing no link is shared", linear_blocks},
    {"shift.ring", "shift", "L3, L0 sec. 21", "= min(s, P-s)", "= m*R", "= 0", RING, NULL,
     shift_ring},
    {"shift.mesh", "shift", "L3", "<= q+1", "= m*R", "= 0", TORUS, NULL, shift_mesh},
    {"shift.hypercube", "shift", "L3", "<= 2*lg P; with steps back <= lg P", "= m*R", "= 0", CUBE,
     "ring embedded by reflected Gray code", shift_hypercube},
};

const struct model_row *model_rows(size_t *out_count)
{
    *out_count = sizeof row / sizeof *row;
    return row;
}

const struct model_row *model_row_find(const char *id)
{
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcmp(row[i].id, id) == 0)
            return &row[i];
    return NULL;
}

enum core_status model_row_cost(const struct model_row *of_row, const struct model_case *of,
                                struct model_cost *out)
{
    struct replay_generate_request request = {.id = of_row->id,
                                              .ranks = of->ranks,
                                              .root = of->root,
                                              .parameter = of->parameter,
                                              .words = of->words,
                                              .word_bytes = 1};
    if (request.words > (1ull << 40))
        return core_report(CORE_LIMIT, "%s of %llu words: at most 2^40", of_row->id,
                           (unsigned long long)of->words);
    request.words = 0; /* the generator's limit on bytes is not the formula's */
    enum core_status status = replay_generate_check(&request);
    if (status != CORE_OK)
        return status;
    struct model_cost cost = {0};
    of_row->cost(of, &cost);
    *out = cost;
    return CORE_OK;
}

/* A mesh of s^dim ranks as the generator of bcast.mesh cuts it: dim the smallest divisor of lg P
 * above 1. */
static enum core_status power_mesh(uint32_t ranks, struct replay_topology *out)
{
    uint32_t lg = model_clg(ranks), dim = 2, size[REPLAY_DIMS_MAX];
    while (dim < lg && lg % dim)
        dim++;
    if (dim > lg)
        dim = lg ? lg : 1;
    for (uint32_t i = 0; i < dim; i++)
        size[i] = 1u << lg / dim;
    return replay_topology_grid(REPLAY_MESH, size, dim, out);
}

enum core_status model_row_topology(const struct model_row *of, uint32_t ranks,
                                    struct replay_topology *out)
{
    const struct replay_generator *generator = replay_generate_find(of->id);
    CORE_CHECK(generator);
    if (of->holds_on == REPLAY_MESH && generator->domain == REPLAY_DOMAIN_POWER)
        return power_mesh(ranks, out);
    if (of->holds_on == REPLAY_HYPERCUBE && !is_power(ranks))
        return replay_topology_make(REPLAY_FULL, ranks, out);
    return replay_topology_make(of->holds_on, ranks, out);
}

/* --- comparing -------------------------------------------------------------------------------- */

double model_value(struct model_ratio ratio)
{
    return (double)ratio.num / (double)ratio.den;
}

int model_compare(struct model_ratio a, struct model_ratio b)
{
    model_wide x = a.num * b.den, y = b.num * a.den;
    return x < y ? -1 : x > y;
}

static int keeps(struct model_ratio formula, model_wide most, enum model_relation relation,
                 uint64_t measured)
{
    if (relation == MODEL_AT_MOST)
        return measured <= most;
    return formula.num == (model_wide)measured * formula.den;
}

int model_keeps(const struct model_cost *cost, uint64_t rounds, uint64_t words, uint64_t operations)
{
    return keeps((struct model_ratio){cost->rounds, 1}, cost->rounds, cost->rounds_relation,
                 rounds) &&
           keeps(cost->words, cost->words_most, cost->words_relation, words) &&
           keeps(cost->operations, cost->operations_most, cost->operations_relation, operations);
}

/* 2 exact, 1 within the rounding of blocks, 0 not this row. */
static int matches(const struct model_row *of, const struct model_query *query, uint32_t parameter)
{
    struct model_case one = {
        .ranks = query->ranks, .root = query->root, .parameter = parameter, .words = query->words};
    struct model_cost cost = {0};
    model_wide unit = query->unit ? query->unit : 1;

    of->cost(&one, &cost);
    if (cost.rounds_relation != MODEL_EQUAL || cost.rounds != query->rounds)
        return 0;
    if (cost.words.num == (model_wide)query->measured_words * cost.words.den)
        return 2;
    if (cost.words.den == 1)
        return 0;
    /* A vector cut in P blocks of whole units: no block is a unit smaller or larger than its even
     * share. */
    model_wide slack = unit * cost.words.den * cost.rounds,
               measured = (model_wide)query->measured_words * cost.words.den;
    return measured + slack >= cost.words.num && measured <= cost.words.num + slack;
}

static int in_domain(const struct model_row *of, const struct model_query *query,
                     uint32_t parameter)
{
    const struct replay_generator *generator = replay_generate_find(of->id);
    if (generator->parameter == REPLAY_PARAMETER_DISTANCE && parameter >= query->ranks)
        return 0;
    return replay_domain_holds(generator->domain, query->ranks) &&
           (query->root == 0 || generator->root_any);
}

size_t model_match(const struct model_query *query, struct model_match *match, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint32_t first = query->parameter, last = query->parameter;
        if (strcmp(row[i].collective, query->collective) != 0)
            continue;
        if (replay_generate_find(row[i].id)->parameter == REPLAY_PARAMETER_ARITY &&
            query->parameter < 2)
            first = 3, last = 64; /* k = 2 is the binomial tree, k = P the linear row */
        for (uint32_t parameter = first; parameter <= last; parameter++) {
            int quality = first != last && parameter >= query->ranks ? 0
                          : in_domain(&row[i], query, parameter)
                              ? matches(&row[i], query, parameter)
                              : 0;
            if (!quality)
                continue;
            if (count < room)
                match[count] = (struct model_match){&row[i], parameter, quality == 2};
            count++;
        }
    }
    return count;
}
