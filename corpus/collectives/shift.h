/* Moves a buffer one hop at a time, for the circular shifts. */
#ifndef CORPUS_COLLECTIVES_SHIFT_H
#define CORPUS_COLLECTIVES_SHIFT_H

#include "corpus/collectives/collective.h"

/* Sends `recvbuf` to `to` and receives the message of `from` into it; `spare` has the same
 * size. */
static inline int shift_hop(void *recvbuf, struct temporary *spare, int count, MPI_Datatype type,
                            int to, int from, MPI_Comm comm)
{
    int error = copy_elements(recvbuf, count, type, spare->data, count, type);
    return error ? error
                 : exchange_elements(spare->data, count, to, recvbuf, count, from, type, comm);
}

/* Returns s mod size, which is never negative. */
static inline int shift_distance(int s, int size)
{
    return (s % size + size) % size;
}

#endif
