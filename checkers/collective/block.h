/* What the members of a collective call give each other: the block that one sends and the block
 * that the other receives must be equal. */
#ifndef CHECKERS_COLLECTIVE_BLOCK_H
#define CHECKERS_COLLECTIVE_BLOCK_H

#include "core/trace/collective.h"
#include "core/trace/trace.h"

/* The first pair of members whose blocks differ; *out_what says how, NULL if none does. What is not
 * known (in place, intercommunicators, topologies, lists that were not kept) differs from nothing.
 */
enum core_status block_compare(struct trace *trace, const struct collective_list *list,
                               const struct collective *collective,
                               const struct collective_part **out_a,
                               const struct collective_part **out_b, char *out_what,
                               size_t what_bytes);

#endif
