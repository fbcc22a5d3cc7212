/* Declares the parts of a file of rows (row_X.c): formulas, generators, and the family that joins
 * them with the bound that no algorithm for the collective can beat.
 *
 * A generator runs once per rank and emits that rank's operations in order. Messages emitted since
 * the last generate_step() belong to one step. */
#ifndef MODEL_ROW_H
#define MODEL_ROW_H

#include "model/bound.h"
#include "model/model.h"

/* --- families --------------------------------------------------------------------------------- */

/* Words that must go from one half to the other, in the direction with more. */
enum model_crossing {
    MODEL_CROSS_NONE,
    MODEL_CROSS_VECTOR,      /* n: broadcast, reduce, allreduce (both ways) */
    MODEL_CROSS_HALF,        /* m floor(P/2): scatter from, gather to, a root in the larger half */
    MODEL_CROSS_LARGER_HALF, /* m ceil(P/2), both ways: every rank needs every block */
    MODEL_CROSS_PAIRS,       /* m floor(P/2) ceil(P/2), both ways */
    MODEL_CROSS_BLOCK        /* m: scan */
};

struct model_family {
    const char *collective;
    struct {
        int rounds;            /* one rank's data must reach, or come from, all others */
        uint32_t vector_times; /* W >= vector_times * n */
        uint32_t block_times;  /* W >= block_times * m (P - 1) */
        uint32_t cut_times;    /* W >= cut_times * n (P - 1) / P */
        int combines_vector;   /* n (P - 1) operations in all, on P ranks */
        int combines_blocks;   /* m P (P - 1) of them */
        enum model_crossing crossing;
        int both_ways;
    } bound;
    const struct model_row *row;
    size_t row_count;
};

extern const struct model_family model_family_bcast;
extern const struct model_family model_family_reduce;
extern const struct model_family model_family_scatter;
extern const struct model_family model_family_gather;
extern const struct model_family model_family_allgather;
extern const struct model_family model_family_reduce_scatter;
extern const struct model_family model_family_allreduce;
extern const struct model_family model_family_barrier;
extern const struct model_family model_family_scan;
extern const struct model_family model_family_alltoall;
extern const struct model_family model_family_shift;

/* Returns NULL for an unknown collective. */
const struct model_family *model_family_find(const char *collective);

/* --- the builder (generate.c) ----------------------------------------------------------------- */

struct generate {
    struct replay_program *program;
    uint32_t P, rank, root, parameter;
    int back;
    uint64_t words;
    uint32_t word_bytes;
    int32_t request; /* next request number of this rank */
    struct replay_op *step;
    uint32_t step_count, step_room;
    uint64_t op_count;
    enum core_status status; /* first failure, after which nothing is emitted */
};

void generate_send(struct generate *g, uint32_t to, uint64_t words);
void generate_recv(struct generate *g, uint32_t from, uint64_t words);
void generate_step(struct generate *g);
void generate_combine(struct generate *g, uint64_t words);
/* Sends and receives in one step. */
void generate_exchange(struct generate *g, uint32_t to, uint64_t words_out, uint32_t from,
                       uint64_t words_in);

/* Returns the words of blocks [first, first + count), modulo P, of a vector of n words cut in P
 * blocks. */
uint64_t generate_blocks(const struct generate *g, uint32_t first, uint32_t count);

/* --- trees (row.c) ---------------------------------------------------------------------------- */

/* Convert to virtual ranks, where 0 is the root, and back. */
uint32_t generate_virtual(const struct generate *g, uint32_t root);
uint32_t generate_actual(const struct generate *g, uint32_t root, uint32_t v);

/* Emits one step in which the root sends `words` to each other rank. */
void generate_linear_from_root(struct generate *g);
/* Emit a binomial tree with `words` in each message. */
void generate_bcast_binomial(struct generate *g, uint32_t root, uint64_t words);
void generate_reduce_binomial(struct generate *g, uint32_t root, uint64_t words);
/* Emit a binomial tree of blocks. vector: `words` is n, else m. */
void generate_scatter_binomial(struct generate *g, uint32_t root, int vector);
void generate_gather_binomial(struct generate *g, uint32_t root);

/* Bits of a virtual rank (rank XOR root), in the order in which their dimensions are served. */
struct generate_order {
    uint32_t bit[32];
    uint32_t count;
};
struct generate_order generate_order_falling(const struct generate *g);
/* Returns the order for a mesh of s^dim ranks, s a power of two: first along the row (the low
 * bits), then the next dimension; in each the far half first. dim is the smallest divisor of lg P
 * above 1. */
struct generate_order generate_order_mesh(const struct generate *g);
void generate_bcast_ordered(struct generate *g, const struct generate_order *order);
void generate_reduce_ordered(struct generate *g, const struct generate_order *order);

/* --- q x q meshes with wrap-around (row.c) ---------------------------------------------------- */

uint32_t generate_side(const struct generate *g);
/* Return the rank `by` places further along the row or the column. */
uint32_t generate_along_row(uint32_t q, uint32_t rank, int64_t by);
uint32_t generate_along_column(uint32_t q, uint32_t rank, int64_t by);
/* Emit q - 1 steps that pass `words` on around the row or the column. */
void generate_row_ring(struct generate *g, uint32_t q, uint64_t words, int combine);
void generate_column_ring(struct generate *g, uint32_t q, uint64_t words, int combine);

/* --- formulas (row.c) ------------------------------------------------------------------------- */

void model_cost_set(struct model_cost *out, uint64_t rounds, model_wide words,
                    model_wide operations);
/* Sets the cost to times * n (P - 1) / P words, and n (P - 1) / P operations if combined. */
void model_cost_cut(struct model_cost *out, const struct model_case *of, uint64_t rounds,
                    uint32_t times, int combined);
void model_cost_at_most(struct model_cost *out);
/* Set the cost to m (P - 1) words, in P - 1 rounds or in clg rounds. */
void model_cost_linear_blocks(const struct model_case *of, struct model_cost *out);
void model_cost_tree_blocks(const struct model_case *of, struct model_cost *out);

/* Returns the square root, rounded up. */
uint32_t model_side(uint32_t ranks);
int model_is_power(uint32_t ranks);

#endif
