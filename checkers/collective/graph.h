/* The edges of graph topologies: each has two ends, and both must know of it. */
#ifndef CHECKERS_COLLECTIVE_GRAPH_H
#define CHECKERS_COLLECTIVE_GRAPH_H

#include "core/trace/collective.h"
#include "core/trace/trace.h"

/* For MPI_Dist_graph_create_adjacent, and neighbourhood collectives on what MPI_Graph_create made:
 * the first pair of members that tell the edges between them differently; *out_what says how,
 * *out_a is NULL if none does. Lists that were not kept differ from nothing. */
enum core_status graph_compare(struct trace *trace, const struct collective_list *list,
                               const struct collective *collective,
                               const struct collective_part **out_a,
                               const struct collective_part **out_b, char *out_what,
                               size_t what_bytes);

#endif
