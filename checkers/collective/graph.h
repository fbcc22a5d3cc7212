/* The edges of topologies: each has two ends, and both must know of it. */
#ifndef CHECKERS_COLLECTIVE_GRAPH_H
#define CHECKERS_COLLECTIVE_GRAPH_H

#include "core/trace/collective.h"
#include "core/trace/trace.h"

struct graph_edge { /* ranks of the communicator */
    int32_t from, to;
    uint32_t place; /* among the neighbours of the end that tells it */
    bool weighted;
    int64_t weight;
};
struct graph_edges { /* by both ends, then weight */
    struct graph_edge *edge;
    uint32_t count, room;
};
struct graph {
    struct graph_edges out, in; /* as those they start from tell them, and those they lead to */
    bool whole;                 /* else not all is known */
    bool placed;                /* the places are known too */
};

/* The topology of a communicator, by the call that made it or what it is a copy of. */
enum core_status graph_load(struct trace *trace, const struct collective_list *list, int32_t comm,
                            struct graph *out);
void graph_done(struct graph *graph);
/* How many edges from `at` on have the ends of `as`. */
uint32_t graph_run(const struct graph_edges *edges, uint32_t at, const struct graph_edge *as);

/* For MPI_Dist_graph_create_adjacent, and neighbourhood collectives on `graph` (NULL: of another
 * call): the first pair of members that tell the edges between them differently; *out_what says
 * how, *out_a is NULL if none does. Lists that were not kept differ from nothing. */
enum core_status graph_compare(struct trace *trace, const struct collective_list *list,
                               const struct collective *collective, const struct graph *graph,
                               const struct collective_part **out_a,
                               const struct collective_part **out_b, char *out_what,
                               size_t what_bytes);

#endif
