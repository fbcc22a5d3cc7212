/* Builds what several families of rows share: trees and rings of messages, and formulas. */
#include "model/row.h"

/* --- trees ------------------------------------------------------------------------------------ */

uint32_t generate_virtual(const struct generate *g, uint32_t root)
{
    return (g->rank + g->P - root) % g->P;
}

uint32_t generate_actual(const struct generate *g, uint32_t root, uint32_t v)
{
    return (uint32_t)(((uint64_t)v + root) % g->P);
}

static uint32_t lowest_bit(uint32_t value)
{
    return value & (0 - value);
}

/* Returns the first distance at which virtual rank v sends in a binomial tree that serves the far
 * half first. */
static uint32_t first_mask(const struct generate *g, uint32_t v)
{
    uint32_t clg = model_clg(g->P);
    return v ? lowest_bit(v) / 2 : clg ? 1u << (clg - 1) : 0;
}

/* Returns the number of ranks in the subtree of v, itself included. */
static uint32_t row_subtree(const struct generate *g, uint32_t v)
{
    uint32_t room = v ? lowest_bit(v) : g->P;
    return room < g->P - v ? room : g->P - v;
}

void generate_linear_from_root(struct generate *g)
{
    if (g->rank != g->root) {
        generate_recv(g, g->root, g->words);
    } else {
        for (uint32_t v = 1; v < g->P; v++)
            generate_send(g, generate_actual(g, g->root, v), g->words);
    }
    generate_step(g);
}

void generate_bcast_binomial(struct generate *g, uint32_t root, uint64_t words)
{
    uint32_t v = generate_virtual(g, root);
    if (v) {
        generate_recv(g, generate_actual(g, root, v - lowest_bit(v)), words);
        generate_step(g);
    }
    for (uint32_t mask = first_mask(g, v); mask; mask /= 2)
        if (v + mask < g->P) {
            generate_send(g, generate_actual(g, root, v + mask), words);
            generate_step(g);
        }
}

struct generate_order generate_order_falling(const struct generate *g)
{
    struct generate_order order = {.count = model_clg(g->P)};
    for (uint32_t i = 0; i < order.count; i++)
        order.bit[i] = 1u << (order.count - 1 - i);
    return order;
}

/* Returns the order for a mesh of s^dim ranks, s a power of two: first along the row (the low
 * bits), then the next dimension; in each the far half first. dim is the smallest divisor of lg P
 * above 1. */
struct generate_order generate_order_mesh(const struct generate *g)
{
    struct generate_order order = {.count = model_clg(g->P)};
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

/* Returns the step that reaches v, which is that of its last bit in the order; -1 for the root. */
static int row_reached(const struct generate_order *order, uint32_t v)
{
    int at = -1;
    for (uint32_t i = 0; i < order->count; i++)
        if (v & order->bit[i])
            at = (int)i;
    return at;
}

void generate_bcast_ordered(struct generate *g, const struct generate_order *order)
{
    int at = row_reached(order, g->rank ^ g->root);
    if (at >= 0) {
        generate_recv(g, g->rank ^ order->bit[at], g->words);
        generate_step(g);
    }
    for (uint32_t i = (uint32_t)(at + 1); i < order->count; i++) {
        generate_send(g, g->rank ^ order->bit[i], g->words);
        generate_step(g);
    }
}

void generate_reduce_ordered(struct generate *g, const struct generate_order *order)
{
    int at = row_reached(order, g->rank ^ g->root);
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

void generate_reduce_binomial(struct generate *g, uint32_t root, uint64_t words)
{
    uint32_t v = generate_virtual(g, root), end = first_mask(g, v);
    for (uint32_t mask = 1; mask <= end && mask; mask *= 2)
        if (v + mask < g->P) {
            generate_recv(g, generate_actual(g, root, v + mask), words);
            generate_step(g);
            generate_combine(g, words);
        }
    if (v) {
        generate_send(g, generate_actual(g, root, v - lowest_bit(v)), words);
        generate_step(g);
    }
}

static uint64_t subtree_words(const struct generate *g, uint32_t v, int vector)
{
    return vector ? generate_blocks(g, v, row_subtree(g, v)) : g->words * row_subtree(g, v);
}

void generate_scatter_binomial(struct generate *g, uint32_t root, int vector)
{
    uint32_t v = generate_virtual(g, root);
    if (v) {
        generate_recv(g, generate_actual(g, root, v - lowest_bit(v)), subtree_words(g, v, vector));
        generate_step(g);
    }
    for (uint32_t mask = first_mask(g, v); mask; mask /= 2)
        if (v + mask < g->P) {
            generate_send(g, generate_actual(g, root, v + mask),
                          subtree_words(g, v + mask, vector));
            generate_step(g);
        }
}

void generate_gather_binomial(struct generate *g, uint32_t root)
{
    uint32_t v = generate_virtual(g, root), end = first_mask(g, v);
    for (uint32_t mask = 1; mask <= end && mask; mask *= 2)
        if (v + mask < g->P) {
            generate_recv(g, generate_actual(g, root, v + mask), subtree_words(g, v + mask, 0));
            generate_step(g);
        }
    if (v) {
        generate_send(g, generate_actual(g, root, v - lowest_bit(v)), subtree_words(g, v, 0));
        generate_step(g);
    }
}

/* --- meshes ----------------------------------------------------------------------------------- */

uint32_t generate_side(const struct generate *g)
{
    uint32_t q = 0;
    while (q * q < g->P)
        q++;
    return q;
}

/* Returns the rank `by` places further along the row (or column) of a q x q mesh with wrap-around.
 */
uint32_t generate_along_row(uint32_t q, uint32_t rank, int64_t by)
{
    return rank / q * q + (uint32_t)((rank % q + q + by % q) % q);
}

uint32_t generate_along_column(uint32_t q, uint32_t rank, int64_t by)
{
    return (uint32_t)((rank / q + q + by % q) % q) * q + rank % q;
}

void generate_row_ring(struct generate *g, uint32_t q, uint64_t words, int combine)
{
    for (uint32_t i = 1; i < q; i++) {
        generate_exchange(g, generate_along_row(q, g->rank, 1), words,
                          generate_along_row(q, g->rank, -1), words);
        if (combine)
            generate_combine(g, words);
    }
}

void generate_column_ring(struct generate *g, uint32_t q, uint64_t words, int combine)
{
    for (uint32_t i = 1; i < q; i++) {
        generate_exchange(g, generate_along_column(q, g->rank, 1), words,
                          generate_along_column(q, g->rank, -1), words);
        if (combine)
            generate_combine(g, words);
    }
}

/* --- formulas --------------------------------------------------------------------------------- */

void model_cost_set(struct model_cost *out, uint64_t rounds, model_wide words,
                    model_wide operations)
{
    out->rounds = rounds;
    out->words = (struct model_ratio){words, 1};
    out->operations = (struct model_ratio){operations, 1};
    out->words_most = words;
    out->operations_most = operations;
}

/* Sets the cost to times * n (P - 1) / P words, and n (P - 1) / P operations if combined. */
void model_cost_cut(struct model_cost *out, const struct model_case *of, uint64_t rounds,
                    uint32_t times, int combined)
{
    model_wide n = of->words, P = of->ranks, whole = (n + P - 1) / P * (P - 1);
    model_cost_set(out, rounds, 0, 0);
    out->words = (struct model_ratio){times * n * (P - 1), of->ranks};
    out->words_most = times * whole;
    if (combined) {
        out->operations = (struct model_ratio){n * (P - 1), of->ranks};
        out->operations_most = whole;
    }
    if (of->words % of->ranks)
        out->words_relation = out->operations_relation = MODEL_AT_MOST;
}

void model_cost_at_most(struct model_cost *out)
{
    out->rounds_relation = out->words_relation = out->operations_relation = MODEL_AT_MOST;
}

void model_cost_linear_blocks(const struct model_case *of, struct model_cost *out)
{
    model_cost_set(out, of->ranks - 1, (model_wide)(of->ranks - 1) * of->words, 0);
}

void model_cost_tree_blocks(const struct model_case *of, struct model_cost *out)
{
    model_cost_set(out, model_clg(of->ranks), (model_wide)(of->ranks - 1) * of->words, 0);
}
