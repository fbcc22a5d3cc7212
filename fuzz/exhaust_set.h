/* The set of scenarios that `--exhaustive` verifies, and so the exact meaning of "verified".
 *
 * For a collective c and P ranks it is the union of at most three products of axes. An axis is a
 * key of a scenario with a list of values; a key without an axis keeps its default
 * (scenario_default).
 *
 *   calls     count in 0..3; type, type-send in {int, strided} or, for reductions, op in {sum-int,
 *             affine-int}; root, root-step, root-bend in 0..P-1; in-place; first-group; sizes,
 *             sizes-seed and places of v-forms; dims, periods, graph of neighbours; parameter; slow
 *             (barriers); flight, tested (nonblocking); communicator in {world, backwards}; calls
 *             in 1..3; late; waiting in {for-data, for-all} of what calls MPI's own collectives or
 *             makes or frees communicators (world_coll_waits); low-tags of what asks for an
 * attribute. Call k has the root (root + k root-step + k(k-1)/2 root-bend) mod P: with two calls
 * this is every pair of roots, with three every three of them. All calls have one count and one
 * type. types one call: count in 0..3; type, type-send in one of each way to make a datatype
 * (EXHAUST_TYPES) or, for reductions, every op but one; root; in-place; first-group; parameter;
 * graph of neighbours. sizes     v-forms, one call: every list of block sizes whose sum is at most
 * count: 9; all-to-all, a size for each pair: 6 on 2 ranks or fewer, 4 on 3 ranks, 3 on 4 ranks.
 *
 * Left out of a product are scenarios
 *  1. that the collective's row does not allow (domain, root 0 only, no in place, communicators);
 *  2. whose elements of one side do not fill the other side (an odd count of int to strided);
 *  3. that repeat another one of the product: a seed that nothing uses, a root-step with one call,
 *     a root-bend with two;
 *  4. that the options --only and --without exclude;
 *  5. with elements far apart, or of gigabytes (scenario_type_large);
 *  6. that an earlier product has.
 *
 * Each scenario has one set of values for the elements (sent, or filled into memory): nothing is
 * claimed for other values if a collective looks at them. Buffers that MPI does not access, such as
 * the receive buffer of a rank that is not the root, have no elements; every other rank gives null,
 * and no datatype, for what MPI ignores.
 *
 * tests/fuzz/exhaustive_set.py counts the same sets with its own loops and compares the calls. */
#ifndef FUZZ_EXHAUST_SET_H
#define FUZZ_EXHAUST_SET_H

#include <stdio.h>

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/scenario.h"

enum {
    EXHAUST_RANKS_MAX = 4,
    EXHAUST_PRODUCTS = 5, /* all-to-all has three products of sizes, by P */
    EXHAUST_AXES_MAX = 24,
    EXHAUST_VALUES_MAX = 1024, /* of a key, from -1 on */
    EXHAUST_TYPES = TYPE_EMPTY /* the last */
};

/* Values from `low` on, `step` apart. */
struct exhaust_axis {
    const char *key;
    int low, step, count;
    const char *all; /* all values in words, if they depend on P; NULL: a list of them */
};
struct exhaust_axes {
    struct exhaust_axis axis[EXHAUST_AXES_MAX];
    int count;
};

/* The values that occurred in the scenarios of one product. */
struct exhaust_taken {
    struct exhaust_taken_key {
        const char *key, *all;                /* constant: the same address in parent and child */
        uint8_t at_ranks[EXHAUST_VALUES_MAX]; /* value + 1 -> bit P - 1 */
        int count[EXHAUST_RANKS_MAX];         /* of the axis */
    } key[EXHAUST_AXES_MAX];
    int count;
    uint8_t ranks; /* bit P - 1 */
};

/* Makes the products for so many ranks; a product that does not exist for them is empty. */
void exhaust_set_products(const struct collective *collective, int ranks,
                          struct exhaust_axes out[EXHAUST_PRODUCTS]);
/* Goes to the next places on the axes, with the last axis fastest; false after the last ones. */
bool exhaust_set_next(const struct exhaust_axes *axes, int at[EXHAUST_AXES_MAX]);
/* Makes the scenario at these places; false if it is left out. */
bool exhaust_set_make(const struct collective *collective, int ranks,
                      const struct exhaust_axes *axes, const int at[EXHAUST_AXES_MAX],
                      struct scenario *out);
/* Tells whether one of the first `products` contains the scenario. */
bool exhaust_set_has(const struct exhaust_axes *product, int products,
                     const struct scenario *scenario);
void exhaust_set_note(struct exhaust_taken *taken, int ranks, const struct exhaust_axes *axes,
                      const int at[EXHAUST_AXES_MAX]);
/* Prints one line for each product: "  for all P in 1..3, count in 0..3, root in 0..P-1, ...". */
void exhaust_set_print(const struct exhaust_taken taken[EXHAUST_PRODUCTS], FILE *out);

#endif
