/* What the generators of rows build with; inside of replay/generate*.c. A generator is called once
 * per rank and emits that rank's operations in order; messages put since the last generate_step()
 * belong to one step. */
#ifndef MODEL_GENERATE_BUILD_H
#define MODEL_GENERATE_BUILD_H

#include "model/generate.h"

struct generate {
    struct replay_program *program;
    uint32_t P, rank, root, parameter;
    int back;
    uint64_t words;
    uint32_t word_bytes;
    int32_t request; /* next of this rank */
    struct replay_op *step;
    uint32_t step_count, step_room;
    uint64_t op_count;
    enum core_status status; /* first failure; afterwards nothing is emitted */
};

void generate_send(struct generate *g, uint32_t to, uint64_t words);
void generate_recv(struct generate *g, uint32_t from, uint64_t words);
void generate_step(struct generate *g);
void generate_combine(struct generate *g, uint64_t words);
/* One step: both at once. */
void generate_exchange(struct generate *g, uint32_t to, uint64_t words_out, uint32_t from,
                       uint64_t words_in);

/* Rounds a tree needs, and the words of blocks [first, first + count), modulo P, of a vector of n
 * words cut in P. */
uint32_t generate_clg(uint32_t ranks);
uint64_t generate_blocks(const struct generate *g, uint32_t first, uint32_t count);

/* Pieces that rows share (generate_tree.c). `words` in each message; virtual rank 0 is the root. */
void generate_bcast_binomial(struct generate *g, uint32_t root, uint64_t words);
void generate_reduce_binomial(struct generate *g, uint32_t root, uint64_t words);
void generate_scatter_binomial(struct generate *g, uint32_t root,
                               int vector); /* vector: words is n, else m */
void generate_gather_binomial(struct generate *g, uint32_t root);

/* The rows. generate_tree.c: one rank to or from all. */
void generate_bcast_linear_row(struct generate *g);
void generate_bcast_binomial_row(struct generate *g);
void generate_bcast_xor_row(struct generate *g);
void generate_bcast_mesh_row(struct generate *g);
void generate_bcast_kary_row(struct generate *g);
void generate_bcast_two_phase_row(struct generate *g);
void generate_bcast_scatter_allgather_row(struct generate *g);
void generate_reduce_binomial_row(struct generate *g);
void generate_reduce_xor_row(struct generate *g);
void generate_reduce_mesh_row(struct generate *g);
void generate_reduce_linear_row(struct generate *g);
void generate_scatter_linear_row(struct generate *g);
void generate_scatter_binomial_row(struct generate *g);
void generate_gather_linear_row(struct generate *g);
void generate_gather_binomial_row(struct generate *g);
/* generate_all.c: all to all. */
void generate_allgather_gather_bcast_row(struct generate *g);
void generate_allgather_central_row(struct generate *g);
void generate_allgather_tree_row(struct generate *g);
void generate_allgather_ring_row(struct generate *g);
void generate_allgather_hypercube_row(struct generate *g);
void generate_allgather_mesh_row(struct generate *g);
void generate_allgather_naive_row(struct generate *g);
void generate_reduce_scatter_ring_row(struct generate *g);
void generate_reduce_scatter_mesh_row(struct generate *g);
void generate_reduce_scatter_hypercube_row(struct generate *g);
void generate_allreduce_reduce_bcast_row(struct generate *g);
void generate_allreduce_recursive_doubling_row(struct generate *g);
void generate_allreduce_ring_row(struct generate *g);
void generate_allreduce_halving_row(struct generate *g);
void generate_barrier_allreduce_row(struct generate *g);
void generate_scan_hypercube_row(struct generate *g);
void generate_alltoall_ring_row(struct generate *g);
void generate_alltoall_mesh_row(struct generate *g);
void generate_alltoall_hypercube_row(struct generate *g);
void generate_alltoall_pairwise_xor_row(struct generate *g);
void generate_shift_ring_row(struct generate *g);
void generate_shift_mesh_row(struct generate *g);
void generate_shift_hypercube_row(struct generate *g);

#endif
