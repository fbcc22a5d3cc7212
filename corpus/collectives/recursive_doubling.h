/* Selects the ranks that take part in recursive doubling if P is no power of two, for allreduce and
 * barrier.
 *
 * Let 2^d be the largest power of two up to P. Each even rank of the first 2 * (P - 2^d) sends its
 * operand to its odd neighbour first and gets the result from it at the end. The others are
 * numbered 0..2^d-1 in rank order.
 */
#ifndef CORPUS_COLLECTIVES_RECURSIVE_DOUBLING_H
#define CORPUS_COLLECTIVES_RECURSIVE_DOUBLING_H

struct doubling {
    int core, extra; /* 2^d, and P - 2^d */
    int id;          /* this rank's number in the core; -1 if its neighbour acts for it */
};

static inline struct doubling doubling_of(int rank, int size)
{
    struct doubling d = {.core = 1};
    while (d.core <= size / 2)
        d.core *= 2;
    d.extra = size - d.core;
    d.id = rank >= 2 * d.extra ? rank - d.extra : rank % 2 ? rank / 2 : -1;
    return d;
}

static inline int doubling_rank(const struct doubling *d, int id)
{
    return id < d->extra ? 2 * id + 1 : id + d->extra;
}

#endif
