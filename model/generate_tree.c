/* Rows in which one rank's data reaches all others, or all others' reach it. */
#include "model/generate_build.h"

static uint32_t virtual(const struct generate *g, uint32_t root)
{
    return (g->rank + g->P - root) % g->P;
}

static uint32_t actual(const struct generate *g, uint32_t root, uint32_t v)
{
    return (uint32_t)(((uint64_t)v + root) % g->P);
}

static uint32_t lowest_bit(uint32_t value)
{
    return value & (0 - value);
}

/* The first distance at which virtual rank v sends in a binomial tree that serves the far half
 * first. */
static uint32_t first_mask(const struct generate *g, uint32_t v)
{
    uint32_t clg = generate_clg(g->P);
    return v ? lowest_bit(v) / 2 : clg ? 1u << (clg - 1) : 0;
}

/* Ranks under v, itself included. */
static uint32_t subtree(const struct generate *g, uint32_t v)
{
    uint32_t room = v ? lowest_bit(v) : g->P;
    return room < g->P - v ? room : g->P - v;
}

/* --- broadcast -------------------------------------------------------------------------------- */

void generate_bcast_linear_row(struct generate *g)
{
    if (g->rank != g->root) {
        generate_recv(g, g->root, g->words);
    } else {
        for (uint32_t v = 1; v < g->P; v++)
            generate_send(g, actual(g, g->root, v), g->words);
    }
    generate_step(g);
}

void generate_bcast_binomial(struct generate *g, uint32_t root, uint64_t words)
{
    uint32_t v = virtual(g, root);
    if (v) {
        generate_recv(g, actual(g, root, v - lowest_bit(v)), words);
        generate_step(g);
    }
    for (uint32_t mask = first_mask(g, v); mask; mask /= 2)
        if (v + mask < g->P) {
            generate_send(g, actual(g, root, v + mask), words);
            generate_step(g);
        }
}

void generate_bcast_binomial_row(struct generate *g)
{
    generate_bcast_binomial(g, g->root, g->words);
}

/* The bits of a virtual rank (rank XOR root) in the order in which their dimensions are served. */
struct order {
    uint32_t bit[32];
    uint32_t count;
};

static struct order order_falling(const struct generate *g)
{
    struct order order = {.count = generate_clg(g->P)};
    for (uint32_t i = 0; i < order.count; i++)
        order.bit[i] = 1u << (order.count - 1 - i);
    return order;
}

/* A mesh of s^dim ranks, s a power of two: along the row first (the low bits), then the next
 * dimension; far half first in each. dim is the smallest divisor of lg P above 1. */
static struct order order_mesh(const struct generate *g)
{
    struct order order = {.count = generate_clg(g->P)};
    uint32_t dim = 2, at = 0;
    while (dim < order.count && order.count % dim)
        dim++;
    if (dim > order.count)
        dim = order.count ? order.count : 1;
    uint32_t width = order.count / dim;
    for (uint32_t d = 0; d < dim; d++)
        for (uint32_t i = width; i-- > 0;)
            order.bit[at++] = 1u << (d * width + i);
    return order;
}

/* The step in which v is reached: its last bit in the order; -1 for the root. */
static int reached(const struct order *order, uint32_t v)
{
    int at = -1;
    for (uint32_t i = 0; i < order->count; i++)
        if (v & order->bit[i])
            at = (int)i;
    return at;
}

static void bcast_ordered(struct generate *g, const struct order *order)
{
    int at = reached(order, g->rank ^ g->root);
    if (at >= 0) {
        generate_recv(g, g->rank ^ order->bit[at], g->words);
        generate_step(g);
    }
    for (uint32_t i = (uint32_t)(at + 1); i < order->count; i++) {
        generate_send(g, g->rank ^ order->bit[i], g->words);
        generate_step(g);
    }
}

static void reduce_ordered(struct generate *g, const struct order *order)
{
    int at = reached(order, g->rank ^ g->root);
    for (uint32_t i = order->count; i-- > (uint32_t)(at + 1);) {
        generate_recv(g, g->rank ^ order->bit[i], g->words);
        generate_step(g);
        generate_combine(g, g->words);
    }
    if (at >= 0) {
        generate_send(g, g->rank ^ order->bit[at], g->words);
        generate_step(g);
    }
}

void generate_bcast_xor_row(struct generate *g)
{
    struct order order = order_falling(g);
    bcast_ordered(g, &order);
}

void generate_bcast_mesh_row(struct generate *g)
{
    struct order order = order_mesh(g);
    bcast_ordered(g, &order);
}

/* v holds the data for v .. v + k^j - 1 once its lowest digit but zero, at place j, has been
 * served. */
void generate_bcast_kary_row(struct generate *g)
{
    uint64_t k = g->parameter, place = 1;
    uint32_t v = virtual(g, g->root);
    if (v) {
        while (v / place % k == 0)
            place *= k;
        generate_recv(g, actual(g, g->root, (uint32_t)(v - v / place % k * place)), g->words);
        generate_step(g);
    } else {
        while (place < g->P)
            place *= k;
    }
    while ((place /= k) > 0) {
        for (uint64_t c = 1; c < k && v + c * place < g->P; c++)
            generate_send(g, actual(g, g->root, (uint32_t)(v + c * place)), g->words);
        generate_step(g);
    }
}

void generate_bcast_two_phase_row(struct generate *g)
{
    uint32_t v = virtual(g, g->root);
    if (v)
        generate_recv(g, g->root, generate_blocks(g, v, 1));
    else
        for (uint32_t to = 1; to < g->P; to++)
            generate_send(g, actual(g, g->root, to), generate_blocks(g, to, 1));
    generate_step(g);
    for (uint32_t i = 1; i < g->P; i++)
        generate_exchange(g, actual(g, g->root, v + i), generate_blocks(g, v, 1),
                          actual(g, g->root, v + g->P - i), generate_blocks(g, v + g->P - i, 1));
}

void generate_bcast_scatter_allgather_row(struct generate *g)
{
    uint32_t v = virtual(g, g->root), P = g->P;
    generate_scatter_binomial(g, g->root, 1);
    for (uint32_t i = 0; i + 1 < P; i++)
        generate_exchange(g, actual(g, g->root, v + 1), generate_blocks(g, v + P - i, 1),
                          actual(g, g->root, v + P - 1), generate_blocks(g, v + P - i - 1, 1));
}

/* --- reduction -------------------------------------------------------------------------------- */

void generate_reduce_binomial(struct generate *g, uint32_t root, uint64_t words)
{
    uint32_t v = virtual(g, root), end = first_mask(g, v);
    for (uint32_t mask = 1; mask <= end && mask; mask *= 2)
        if (v + mask < g->P) {
            generate_recv(g, actual(g, root, v + mask), words);
            generate_step(g);
            generate_combine(g, words);
        }
    if (v) {
        generate_send(g, actual(g, root, v - lowest_bit(v)), words);
        generate_step(g);
    }
}

void generate_reduce_binomial_row(struct generate *g)
{
    generate_reduce_binomial(g, g->root, g->words);
}

void generate_reduce_xor_row(struct generate *g)
{
    struct order order = order_falling(g);
    reduce_ordered(g, &order);
}

void generate_reduce_mesh_row(struct generate *g)
{
    struct order order = order_mesh(g);
    reduce_ordered(g, &order);
}

void generate_reduce_linear_row(struct generate *g)
{
    if (g->rank != g->root) {
        generate_send(g, g->root, g->words);
        generate_step(g);
        return;
    }
    for (uint32_t v = 1; v < g->P; v++)
        generate_recv(g, actual(g, g->root, v), g->words);
    generate_step(g);
    if (g->P > 1)
        generate_combine(g, g->words * (g->P - 1));
}

/* --- scatter and gather ----------------------------------------------------------------------- */

static uint64_t subtree_words(const struct generate *g, uint32_t v, int vector)
{
    return vector ? generate_blocks(g, v, subtree(g, v)) : g->words * subtree(g, v);
}

void generate_scatter_binomial(struct generate *g, uint32_t root, int vector)
{
    uint32_t v = virtual(g, root);
    if (v) {
        generate_recv(g, actual(g, root, v - lowest_bit(v)), subtree_words(g, v, vector));
        generate_step(g);
    }
    for (uint32_t mask = first_mask(g, v); mask; mask /= 2)
        if (v + mask < g->P) {
            generate_send(g, actual(g, root, v + mask), subtree_words(g, v + mask, vector));
            generate_step(g);
        }
}

void generate_gather_binomial(struct generate *g, uint32_t root)
{
    uint32_t v = virtual(g, root), end = first_mask(g, v);
    for (uint32_t mask = 1; mask <= end && mask; mask *= 2)
        if (v + mask < g->P) {
            generate_recv(g, actual(g, root, v + mask), subtree_words(g, v + mask, 0));
            generate_step(g);
        }
    if (v) {
        generate_send(g, actual(g, root, v - lowest_bit(v)), subtree_words(g, v, 0));
        generate_step(g);
    }
}

void generate_scatter_binomial_row(struct generate *g)
{
    generate_scatter_binomial(g, g->root, 0);
}

void generate_gather_binomial_row(struct generate *g)
{
    generate_gather_binomial(g, g->root);
}

void generate_scatter_linear_row(struct generate *g)
{
    generate_bcast_linear_row(g); /* the same messages, each a block of its own */
}

void generate_gather_linear_row(struct generate *g)
{
    if (g->rank != g->root)
        generate_send(g, g->root, g->words);
    else
        for (uint32_t v = 1; v < g->P; v++)
            generate_recv(g, actual(g, g->root, v), g->words);
    generate_step(g);
}
