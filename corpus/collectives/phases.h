/* Steps that several collectives share: passing round a ring, halving and doubling on a hypercube,
 * and the state of a reduction tree.
 *
 * A buffer is divided into pieces: piece i holds the elements start[i] to start[i+1] - 1, so start
 * has one entry more than there are pieces. Pieces may be empty; ranks send empty messages too, as
 * the receiver expects them.
 */
#ifndef CORPUS_COLLECTIVES_PHASES_H
#define CORPUS_COLLECTIVES_PHASES_H

#include "corpus/collectives/collective.h"

/* Members 0..size-1 of a ring; member i is rank first + i * stride of the communicator. */
struct ring {
    int size, me;
    int first, stride;
    MPI_Comm comm;
};

static inline int ring_rank(const struct ring *ring, int member)
{
    return ring->first + (member % ring->size + ring->size) % ring->size * ring->stride;
}

/* All ranks of the communicator, in order. */
struct ring ring_of_all(MPI_Comm comm);

/* Return the starts of the pieces; the caller frees them; NULL without memory. pieces_even divides
 * n elements so that sizes differ by at most one. */
MPI_Aint *pieces_even(MPI_Aint n, int pieces);
/* pieces_same makes pieces of n elements each. */
MPI_Aint *pieces_same(MPI_Aint n, int pieces);

/* Gives all pieces to all members: member i starts with piece i at its place in the buffer. size-1
 * steps. */
int ring_allgather(const struct ring *ring, void *buffer, const MPI_Aint *start, MPI_Datatype type);

/* Combines piece i over all members into piece i of member i, in size-1 steps; overwrites the rest
 * of the buffer. The ring combines in cyclic order. If the operation does not commute, members send
 * the pieces directly to their owners, in as many steps and words, and the owners combine them in
 * rank order. */
int ring_reduce_scatter(const struct ring *ring, void *buffer, const MPI_Aint *start,
                        MPI_Datatype type, MPI_Op op);

/* Sends a piece of n elements from each member to each. Store and forward, size-1 steps; the
 * message is one piece shorter in each step. */
int ring_alltoall(const struct ring *ring, const void *from, void *to, MPI_Aint n,
                  MPI_Datatype type);

/* Returns the place of a rank's piece on a hypercube of 2^d ranks: the bits of the rank in reverse
 * order. The nearest dimension goes first, which keeps rank order; with these places the pieces
 * that a rank keeps at each step are still adjacent. */
int cube_place(int rank, int size);
int cube_reduce_scatter(MPI_Comm comm, void *buffer, const MPI_Aint *start, MPI_Datatype type,
                        MPI_Op op);
int cube_allgather(MPI_Comm comm, void *buffer, const MPI_Aint *start, MPI_Datatype type);

/* The state of a rank in a reduction: what it has combined so far. */
struct reduction {
    struct temporary mine, theirs;
    int count, rank;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm;
};

/* Copies the rank's own operand, from recvbuf if sendbuf is MPI_IN_PLACE. The caller must call
 * reduction_done even after a failure. */
int reduction_start(struct reduction *r, const void *sendbuf, const void *recvbuf, int count,
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm);
/* Send the combined value to the partner, or receive the partner's and combine both in rank order,
 * which is right if each side covers consecutive ranks. */
int reduction_send(struct reduction *r, int partner);
int reduction_receive(struct reduction *r, int partner);
int reduction_result(struct reduction *r, void *recvbuf);
void reduction_done(struct reduction *r);

#endif
