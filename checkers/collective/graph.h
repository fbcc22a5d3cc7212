/* Holds the edges of topologies. An edge has two ends, and the ranks at both must declare it. */
#ifndef CHECKERS_COLLECTIVE_GRAPH_H
#define CHECKERS_COLLECTIVE_GRAPH_H

#include "core/trace/collective.h"
#include "core/trace/trace.h"

struct graph_edge { /* ends: ranks of the communicator */
    int32_t from, to;
    uint32_t place; /* among the neighbours of the rank that declares the edge */
    bool weighted;
    int64_t weight;
};
struct graph_edges { /* ascending by both ends, then weight */
    struct graph_edge *edge;
    uint32_t count, room;
};
struct graph {
    struct graph_edges out, in; /* as the sources declare them, as the destinations do */
    bool whole;                 /* all edges are known */
    bool placed;                /* the places are known too */
    bool adjacent; /* each member declared its own: graph_compare looks at the call that
                      made them */
};

/* Loads the topology of a communicator from the call that made it, or that made the communicator of
 * which it is a copy. */
enum core_status graph_load(struct trace *trace, const struct collective_list *list, int32_t comm,
                            struct graph *out);
void graph_done(struct graph *graph);
/* Counts the edges from index `at` on that have the ends of `as`. */
uint32_t graph_run(const struct graph_edges *edges, uint32_t at, const struct graph_edge *as);

/* Finds the first pair of members that declare the edges between them differently, in
 * MPI_Dist_graph_create_adjacent or a neighbourhood collective on `graph` (NULL for other calls).
 * *out_what says how they differ; *out_a is NULL if none do. Lists that were not kept differ from
 * none. */
enum core_status graph_compare(struct trace *trace, const struct collective_list *list,
                               const struct collective *collective, const struct graph *graph,
                               const struct collective_part **out_a,
                               const struct collective_part **out_b, char *out_what,
                               size_t what_bytes);

#endif
