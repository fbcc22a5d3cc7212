/* Steps that several collectives are made of: passing round a ring, halving and doubling on a
 * hypercube, and the state that a reduction tree carries.
 *
 * A buffer is divided into pieces: piece i holds the elements start[i] to start[i+1] - 1, and start
 * has one entry more than there are pieces. Pieces may be empty; an empty message is sent all the
 * same, as its partner expects it.
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

/* start[i] = i * n / pieces, cut so that the sizes differ by at most one; the caller frees it. NULL
 * without memory. */
MPI_Aint *pieces_even(MPI_Aint n, int pieces);
/* Pieces of the same size n. */
MPI_Aint *pieces_same(MPI_Aint n, int pieces);

/* Each member owns piece `me` at its place in the buffer; at the end all have all pieces. size-1
 * steps. */
int ring_allgather(const struct ring *ring, void *buffer, const MPI_Aint *start, MPI_Datatype type);

/* Each member has all pieces; at the end its own piece holds the combination over all members.
 * size-1 steps. The rest of the buffer is overwritten. The ring combines in cyclic order; when the
 * operation does not commute, the pieces go straight to their owners instead, in as many steps and
 * words, and are combined in rank order. */
int ring_reduce_scatter(const struct ring *ring, void *buffer, const MPI_Aint *start,
                        MPI_Datatype type, MPI_Op op);

/* Each member has a piece of n elements for each; at the end it has one from each. Store and
 * forward, size-1 steps, the message one piece shorter each time. */
int ring_alltoall(const struct ring *ring, const void *from, void *to, MPI_Aint n,
                  MPI_Datatype type);

/* Hypercube of 2^d ranks: the piece of rank r lies at place cube_place(r), its bits read backwards,
 * so that the pieces a rank keeps at each step lie side by side although the nearest dimension goes
 * first, which keeps rank order. */
int cube_place(int rank, int size);
int cube_reduce_scatter(MPI_Comm comm, void *buffer, const MPI_Aint *start, MPI_Datatype type,
                        MPI_Op op);
int cube_allgather(MPI_Comm comm, void *buffer, const MPI_Aint *start, MPI_Datatype type);

/* A reduction on its way to the root: what this rank has combined so far. */
struct reduction {
    struct temporary mine, theirs;
    int count, rank;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm;
};

/* Takes the rank's own operand, from recvbuf when sendbuf is MPI_IN_PLACE. reduction_done is due
 * even if it fails. */
int reduction_start(struct reduction *r, const void *sendbuf, const void *recvbuf, int count,
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm);
/* Sends what was combined to the partner, or receives the partner's and combines the two in rank
 * order: right when each side stands for consecutive ranks. */
int reduction_send(struct reduction *r, int partner);
int reduction_receive(struct reduction *r, int partner);
int reduction_result(struct reduction *r, void *recvbuf);
void reduction_done(struct reduction *r);

#endif
