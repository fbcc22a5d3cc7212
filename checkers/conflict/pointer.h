/* Finds where accesses through the shared pointer of a file lie. Each access advances the pointer
 * by its own bytes. So an access begins at or after the sum of those that surely come before it,
 * and not after the sum of those that may. The accesses of all ranks between two calls that set the
 * pointer (opening, a view, MPI_File_seek_shared) are judged together. */
#ifndef CHECKERS_CONFLICT_POINTER_H
#define CHECKERS_CONFLICT_POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "checkers/conflict/order.h"

struct pointer_access {
    int32_t file;
    uint32_t rank, epoch; /* epoch: how often the pointer was set before */
    uint32_t turn; /* number of the ordered access (MPI_File_write_ordered...) within its rank and
                      epoch, from 1; 0: not an ordered access */
    uint64_t seq;
    int64_t from, bytes; /* from: position that the pointer was set to; -1: unknown */
    uint32_t access;     /* for the caller */
    /* Results of pointer_place: the first and last byte at which the access may begin; equal if
     * only one is possible; -1: unknown. */
    int64_t low, high;
    bool gaps; /* between low and high there may be bytes that it cannot cover */
};

/* Places the accesses, given in any order; sorts the list. */
void pointer_place(struct pointer_access *list, uint32_t count, const struct order *order);

#endif
