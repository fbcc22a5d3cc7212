/* The meaning of a collective as data: which blocks are where in a rank's two buffers before and
 * after the call, and whose values they hold. These blocks drive the rest of a call (filling,
 * arguments, comparing), for every kind. */
#ifndef FUZZ_SCENARIO_SHAPE_H
#define FUZZ_SCENARIO_SHAPE_H

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/elements.h"
#include "fuzz/scenario/scenario.h"

/* The datatypes and the operation of a scenario, on one rank. */
struct shape_types {
    enum scenario_type type, type_send;
    MPI_Datatype mpi_type, mpi_type_send;
    MPI_Op op;
};

enum { SHAPE_REDUCED = -1, SHAPE_NOBODY = -2 };

struct shape_block {
    enum scenario_type type;
    ptrdiff_t at; /* bytes from the buffer's address */
    long count;   /* elements */
    int source;   /* member whose values they are; SHAPE_REDUCED: those of members first to last,
                     combined; SHAPE_NOBODY: nothing arrives here */
    int first, last;
    int mark; /* which of that member's values */
};

/* An allocator for memory that only the harness reads. */
struct shape_memory {
    void *(*take)(size_t bytes); /* never NULL */
    void (*give)(void *block, size_t bytes);
};

struct shape_side {
    bool given; /* the buffer exists */
    struct shape_block *block;
    int block_count, block_room;
    int *counts, *places; /* arguments of v- and w-forms; else NULL */
    MPI_Datatype *types;
    MPI_Aint *addresses;
    ptrdiff_t low, high; /* what the blocks cover */
};

struct shape {
    /* Set by the caller. */
    const struct shape_memory *memory;
    const struct collective *collective;
    const struct scenario *s; /* adapted to the collective */
    const struct shape_types *types;
    MPI_Comm comm;
    int rank, size; /* in the caller's own group */
    int other_size; /* size of an intercommunicator's other group; 0: none */
    /* Members are the ranks of both groups, those of the first group first; without an
     * intercommunicator they are the ranks. */
    int member, root;             /* the caller's and the root's number as members */
    int peers_first, peers_count; /* the members that it exchanges data with */
    int call;
    int count;                 /* of `type`: elements that each peer sends */
    int count_own, count_send; /* of `type` and of `type_send`: what the caller sends */
    /* Set by shape_make. */
    struct shape_side send, recv;
    struct shape_block *initial; /* of the receive buffer before the call */
    int initial_count, initial_room;
    struct shape_block unspecified; /* elements of the receive buffer that MPI leaves undefined */
    struct collective_arguments arguments; /* without the addresses of the buffers */
    bool in_place;                         /* the send buffer (scatter: the receive buffer) is */
};

/* The neighbours of a rank in a graph; the message from the k-th one is the mark-th message of that
 * neighbour. MPI_PROC_NULL at the end of a grid. */
struct shape_neighbours {
    int in_count, out_count;
    int in[SCENARIO_RANKS_MAX], in_mark[SCENARIO_RANKS_MAX], out[SCENARIO_RANKS_MAX];
};
bool shape_is_neighbour(int kind);
bool shape_has_blocks_of_sizes(int kind);
/* Returns how many lists of so many sizes have that sum, at most SHAPE_LISTS_MAX. */
enum { SHAPE_LISTS_MAX = 1 << 20 };
long shape_lists(int sizes, int sum);
void shape_neighbours(const struct scenario *scenario, MPI_Comm comm, int rank, int size,
                      struct shape_neighbours *out);

void shape_make(struct shape *shape);
void shape_free(struct shape *shape);

#endif
