/* Rows in which all ranks send to all: allgather, reduce-scatter, allreduce, barrier, scan,
 * all-to-all, shifts. */
#include "model/generate_build.h"

static uint32_t side(const struct generate *g)
{
    uint32_t q = 0;
    while (q * q < g->P)
        q++;
    return q;
}

/* The rank `by` places further along the row (or column) of a q x q mesh with wrap-around. */
static uint32_t along_row(uint32_t q, uint32_t rank, int64_t by)
{
    return rank / q * q + (uint32_t)((rank % q + q + by % q) % q);
}

static uint32_t along_column(uint32_t q, uint32_t rank, int64_t by)
{
    return (uint32_t)((rank / q + q + by % q) % q) * q + rank % q;
}

/* --- allgather -------------------------------------------------------------------------------- */

void generate_allgather_gather_bcast_row(struct generate *g)
{
    generate_gather_binomial(g, 0);
    generate_bcast_binomial(g, 0, g->words * g->P);
}

void generate_allgather_central_row(struct generate *g)
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

/* The subtree under heap index v of a complete tree of P nodes, v counting from 1. */
static uint64_t heap_size(uint32_t v, uint32_t P)
{
    uint64_t size = 0;
    for (uint64_t level = v, width = 1; level <= P; level *= 2, width *= 2)
        size += width;
    return size;
}

void generate_allgather_tree_row(struct generate *g)
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

void generate_allgather_ring_row(struct generate *g)
{
    for (uint32_t i = 1; i < g->P; i++)
        generate_exchange(g, (g->rank + 1) % g->P, g->words, (g->rank + g->P - 1) % g->P, g->words);
}

void generate_allgather_hypercube_row(struct generate *g)
{
    for (uint32_t bit = 1; bit < g->P; bit *= 2)
        generate_exchange(g, g->rank ^ bit, g->words * bit, g->rank ^ bit, g->words * bit);
}

static void row_ring(struct generate *g, uint32_t q, uint64_t words, int combine)
{
    for (uint32_t i = 1; i < q; i++) {
        generate_exchange(g, along_row(q, g->rank, 1), words, along_row(q, g->rank, -1), words);
        if (combine)
            generate_combine(g, words);
    }
}

static void column_ring(struct generate *g, uint32_t q, uint64_t words, int combine)
{
    for (uint32_t i = 1; i < q; i++) {
        generate_exchange(g, along_column(q, g->rank, 1), words, along_column(q, g->rank, -1),
                          words);
        if (combine)
            generate_combine(g, words);
    }
}

void generate_allgather_mesh_row(struct generate *g)
{
    uint32_t q = side(g);
    row_ring(g, q, g->words, 0);
    column_ring(g, q, g->words * q, 0);
}

void generate_allgather_naive_row(struct generate *g)
{
    for (uint32_t root = 0; root < g->P; root++)
        generate_bcast_binomial(g, root, g->words);
}

/* --- reduce-scatter and allreduce ------------------------------------------------------------- */

void generate_reduce_scatter_ring_row(struct generate *g)
{
    for (uint32_t i = 1; i < g->P; i++) {
        generate_exchange(g, (g->rank + 1) % g->P, g->words, (g->rank + g->P - 1) % g->P, g->words);
        generate_combine(g, g->words);
    }
}

void generate_reduce_scatter_mesh_row(struct generate *g)
{
    uint32_t q = side(g);
    column_ring(g, q, g->words * q, 1);
    row_ring(g, q, g->words, 1);
}

void generate_reduce_scatter_hypercube_row(struct generate *g)
{
    for (uint32_t bit = g->P / 2; bit; bit /= 2) {
        generate_exchange(g, g->rank ^ bit, g->words * bit, g->rank ^ bit, g->words * bit);
        generate_combine(g, g->words * bit);
    }
}

void generate_allreduce_reduce_bcast_row(struct generate *g)
{
    generate_reduce_binomial(g, 0, g->words);
    generate_bcast_binomial(g, 0, g->words);
}

/* General P: the ranks beyond the largest power of two first give theirs to a partner, and are told
 * at the end. */
static void recursive_doubling(struct generate *g, uint64_t words)
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

void generate_allreduce_recursive_doubling_row(struct generate *g)
{
    recursive_doubling(g, g->words);
}

void generate_barrier_allreduce_row(struct generate *g)
{
    recursive_doubling(g, 0);
}

void generate_allreduce_ring_row(struct generate *g)
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

/* Halving: each step sends the half of the present range that the partner keeps; doubling: the way
 * back. */
void generate_allreduce_halving_row(struct generate *g)
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

/* Each step combines what came into the running total, and into the result where it came from a
 * lower rank. */
void generate_scan_hypercube_row(struct generate *g)
{
    for (uint32_t bit = 1; bit < g->P; bit *= 2) {
        generate_exchange(g, g->rank ^ bit, g->words, g->rank ^ bit, g->words);
        generate_combine(g, g->words);
        if (g->rank & bit)
            generate_combine(g, g->words);
    }
}

/* --- all-to-all personalised ------------------------------------------------------------------ */

void generate_alltoall_ring_row(struct generate *g)
{
    for (uint32_t i = 1; i < g->P; i++)
        generate_exchange(g, (g->rank + 1) % g->P, g->words * (g->P - i),
                          (g->rank + g->P - 1) % g->P, g->words * (g->P - i));
}

void generate_alltoall_mesh_row(struct generate *g)
{
    uint32_t q = side(g);
    for (uint32_t i = 1; i < q; i++)
        generate_exchange(g, along_row(q, g->rank, 1), g->words * q * (q - i),
                          along_row(q, g->rank, -1), g->words * q * (q - i));
    for (uint32_t i = 1; i < q; i++)
        generate_exchange(g, along_column(q, g->rank, 1), g->words * q * (q - i),
                          along_column(q, g->rank, -1), g->words * q * (q - i));
}

void generate_alltoall_hypercube_row(struct generate *g)
{
    for (uint32_t bit = 1; bit < g->P; bit *= 2)
        generate_exchange(g, g->rank ^ bit, g->words * (g->P / 2), g->rank ^ bit,
                          g->words * (g->P / 2));
}

void generate_alltoall_pairwise_xor_row(struct generate *g)
{
    for (uint32_t i = 1; i < g->P; i++)
        generate_exchange(g, g->rank ^ i, g->words, g->rank ^ i, g->words);
}

/* --- permutations ----------------------------------------------------------------------------- */

uint32_t replay_gray(uint32_t position)
{
    return position ^ position >> 1;
}

uint32_t replay_gray_position(uint32_t node)
{
    uint32_t position = node;
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        position ^= position >> shift;
    return position;
}

void generate_shift_ring_row(struct generate *g)
{
    uint32_t s = g->parameter, right = (g->rank + 1) % g->P, left = (g->rank + g->P - 1) % g->P;
    int forward = s <= g->P - s;
    for (uint32_t i = 0; i < (forward ? s : g->P - s); i++)
        generate_exchange(g, forward ? right : left, g->words, forward ? left : right, g->words);
}

/* s = a + q * b: along the row by a or, where that is shorter, back by q - a; then one row further
 * for what crossed the row's end (one back, if it went back); then along the column. */
struct mesh_plan {
    int64_t row, carry, column; /* signed steps; carry: +1, -1 or 0 */
};

static struct mesh_plan mesh_plan(uint32_t q, uint32_t s)
{
    struct mesh_plan plan = {.row = s % q, .column = s / q};
    plan.carry = plan.row ? 1 : 0;
    if (2 * plan.row > (int64_t)q) {
        plan.row -= q;
        plan.carry = -1;
        plan.column++;
    }
    plan.column %= q;
    if (2 * plan.column > (int64_t)q)
        plan.column -= q;
    return plan;
}

static uint64_t length(int64_t way)
{
    return (uint64_t)(way < 0 ? -way : way);
}

uint64_t replay_shift_mesh_steps(uint32_t q, uint32_t distance)
{
    struct mesh_plan plan = mesh_plan(q, distance);
    return length(plan.row) + length(plan.carry) + length(plan.column);
}

void generate_shift_mesh_row(struct generate *g)
{
    uint32_t q = side(g), column = g->rank % q;
    struct mesh_plan plan = mesh_plan(q, g->parameter);
    int64_t right = plan.row < 0 ? -1 : 1, down = plan.column < 0 ? -1 : 1;
    for (uint64_t i = 0; i < length(plan.row); i++)
        generate_exchange(g, along_row(q, g->rank, right), g->words, along_row(q, g->rank, -right),
                          g->words);
    if (plan.carry > 0
            ? column < plan.row
            : plan.carry < 0 && column >= q + plan.row) /* what is here crossed the end */
        generate_exchange(g, along_column(q, g->rank, plan.carry), g->words,
                          along_column(q, g->rank, -plan.carry), g->words);
    for (uint64_t i = 0; i < length(plan.column); i++)
        generate_exchange(g, along_column(q, g->rank, down), g->words,
                          along_column(q, g->rank, -down), g->words);
}

/* A hop flips one bit everywhere or a bit of its own at each node; either way it is a permutation,
 * so each node knows its source: the node whose target it is. The ring position x sits on node
 * G(x); a shift by a power of two flips one bit (by 1) or two: the bit below it first, which all
 * nodes flip, then the one the carry reaches. */
static void shift_by_power(struct generate *g, uint32_t power, int forward)
{
    uint32_t here = g->rank, mask = g->P - 1, low = power / 2;
    uint32_t by = forward ? power : g->P - power;
    if (low) {
        generate_exchange(g, here ^ low, g->words, here ^ low, g->words);
        /* What is here now came from here ^ low, and goes on to where that node's data belong. */
        uint32_t to = replay_gray((replay_gray_position(here ^ low) + by) & mask);
        uint32_t from = replay_gray((replay_gray_position(here) - by) & mask) ^ low;
        if (to != here)
            generate_exchange(g, to, g->words, from, g->words);
        return;
    }
    generate_exchange(g, replay_gray((replay_gray_position(here) + by) & mask), g->words,
                      replay_gray((replay_gray_position(here) - by) & mask), g->words);
}

void generate_shift_hypercube_row(struct generate *g)
{
    uint32_t s = g->parameter, digits = s, back = 0;
    if (g->back) { /* signed digits, no two neighbours both used: s = digits - back */
        uint32_t way = 2 * s > g->P ? g->P - s : s, half = way >> 1, sum = way + half;
        digits = sum & ~half;
        back = half & ~sum;
        if (2 * s > g->P) {
            uint32_t swap = digits;
            digits = back;
            back = swap;
        }
    }
    for (uint32_t power = 1; power && power < g->P; power *= 2)
        if (digits & power || back & power)
            shift_by_power(g, power, (digits & power) != 0);
}
