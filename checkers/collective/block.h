/* Blocks that the members of a collective call give each other: the block that one sends and the
 * block that the other receives must be equal. */
#ifndef CHECKERS_COLLECTIVE_BLOCK_H
#define CHECKERS_COLLECTIVE_BLOCK_H

#include "checkers/collective/graph.h"
#include "core/trace/collective.h"
#include "core/trace/trace.h"

/* A pair of members whose blocks differ; a NULL: there is none. */
struct block_pair {
    const struct collective_part *a, *b; /* a sends, b receives */
    const char *sent, *received;         /* the basic types that differ; NULL: the sizes do */
    int64_t out, in;                     /* bytes */
};

/* The first pair of members whose blocks differ, and the first in which basic types differ in name
 * (types.h); graph: of a neighbourhood collective, else NULL. Several edges between two members are
 * compared in sum. What is not known (in place, lists that were not kept) differs from nothing. */
enum core_status block_compare(struct trace *trace, const struct collective_list *list,
                               const struct collective *collective, const struct graph *graph,
                               struct block_pair *out_differ, struct block_pair *out_named);

#endif
