/* Where accesses at the shared pointer of a file lie. Each moves the pointer on by its own bytes,
 * so that it begins behind all that come before it for sure, and not behind more than those that
 * may come before it. What ranks do at the pointer between two calls that set it (opening, a view,
 * MPI_File_seek_shared) is judged together. */
#ifndef CHECKERS_CONFLICT_POINTER_H
#define CHECKERS_CONFLICT_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "checkers/conflict/order.h"

struct pointer_access {
    int32_t file;
    uint32_t rank, epoch; /* epoch: how often the pointer was set before */
    uint32_t turn; /* how-many-th in the order of ranks, of the rank and epoch; 0: it is not */
    uint64_t seq;
    int64_t from, bytes; /* from: where the pointer was set to; -1: not known */
    uint32_t access;     /* the caller's */
    /* pointer_place's answer: the first and the last place where it may begin; equal: it does. -1:
     * not known */
    int64_t low, high;
    bool gaps; /* there may be bytes in between that it cannot cover */
};

/* In any order; they are sorted. */
void pointer_place(struct pointer_access *list, uint32_t count, const struct order *order);

#endif
