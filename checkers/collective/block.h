/* Compares the blocks that the members of a collective call exchange: the block that one member
 * sends must equal the block that the other receives. */
#ifndef CHECKERS_COLLECTIVE_BLOCK_H
#define CHECKERS_COLLECTIVE_BLOCK_H

#include "checkers/collective/graph.h"
#include "core/trace/collective.h"
#include "core/trace/trace.h"

/* A pair of members whose blocks differ; a is NULL: no such pair. */
struct block_pair {
    const struct collective_part *a, *b; /* a sends, b receives */
    const char *sent, *received;         /* the basic types that differ; NULL: the sizes differ */
    int64_t out, in;                     /* bytes */
};

/* Finds the first pair of members whose blocks differ, and the first whose basic types differ in
 * name (types.h). graph: of a neighbourhood collective, else NULL. Several edges between two
 * members are compared in sum. Unknown blocks (in place, lists that were not kept) differ from
 * none. */
enum core_status block_compare(struct trace *trace, const struct collective_list *list,
                               const struct collective *collective, const struct graph *graph,
                               struct block_pair *out_differ, struct block_pair *out_named);

#endif
