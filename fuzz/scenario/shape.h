/* The meaning of a collective, as data: which blocks lie where in a rank's two buffers before and
 * after the call, and whose values they hold. Everything else about a call (filling, arguments,
 * comparing) goes by these blocks, whatever the kind. */
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
    int source;   /* which member's values; SHAPE_REDUCED: those of members first to last, combined;
                     SHAPE_NOBODY: nothing comes here */
    int first, last;
    int mark; /* which of that member's values */
};

/* Where memory comes from that only the harness reads. */
struct shape_memory {
    void *(*take)(size_t bytes); /* never NULL */
    void (*give)(void *block, size_t bytes);
};

struct shape_side {
    bool given; /* the buffer is there */
    struct shape_block *block;
    int block_count, block_room;
    int *counts, *places; /* arguments of v- and w-forms; NULL where there are none */
    MPI_Datatype *types;
    MPI_Aint *addresses;
    ptrdiff_t low, high; /* what the blocks cover */
};

struct shape {
    /* Given by the caller. */
    const struct shape_memory *memory;
    const struct collective *collective;
    const struct scenario *s; /* adapted to it */
    const struct shape_types *types;
    MPI_Comm comm;
    int rank, size; /* in the caller's own group */
    int other_size; /* of the other group of an intercommunicator; 0: there is none */
    /* Members are the ranks of both groups, those of the first one first; without an
     * intercommunicator they are the ranks. */
    int member, root;             /* the caller and the root among them */
    int peers_first, peers_count; /* the members that it exchanges data with */
    int call;
    int count;                 /* of `type`: what each peer sends */
    int count_own, count_send; /* of `type` and of `type_send`: what the caller sends */
    /* Made by shape_make. */
    struct shape_side send, recv;
    struct shape_block *initial; /* of the receive buffer, before the call */
    int initial_count, initial_room;
    struct shape_block unspecified; /* elements of the receive buffer that MPI leaves undefined */
    struct collective_arguments arguments; /* but for the addresses of the buffers */
    bool in_place;                         /* the send buffer (scatter: the receive buffer) is */
};

/* The neighbours of a rank in a graph; that of the message from the k-th is the mark-th of that
 * one's own. MPI_PROC_NULL where a grid ends. */
struct shape_neighbours {
    int in_count, out_count;
    int in[SCENARIO_RANKS_MAX], in_mark[SCENARIO_RANKS_MAX], out[SCENARIO_RANKS_MAX];
};
bool shape_is_neighbour(int kind);
bool shape_has_blocks_of_sizes(int kind);
/* How many lists of so many sizes have that sum, at most SHAPE_LISTS_MAX. */
enum { SHAPE_LISTS_MAX = 1 << 20 };
long shape_lists(int sizes, int sum);
void shape_neighbours(const struct scenario *scenario, MPI_Comm comm, int rank, int size,
                      struct shape_neighbours *out);

void shape_make(struct shape *shape);
void shape_free(struct shape *shape);

#endif
