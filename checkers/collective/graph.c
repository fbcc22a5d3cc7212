/* All edges as those they start from tell them, and as those they lead to do: sorted, the two lists
 * are the same. */
#include "checkers/collective/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

enum { EDGES_MAX = 1 << 24 };

struct edge { /* ranks of the communicator */
    int32_t from, to;
    int64_t weight;
    bool weighted;
};
struct edges {
    struct edge *edge;
    uint32_t count, room;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

static enum core_status add(struct edges *edges, struct edge edge)
{
    return CORE_ARRAY_PUSH(edges->edge, edges->count, edges->room, "the edges of a graph", edge);
}

/* One member's neighbours on one side. *out_whole = false: they are not all known. */
static enum core_status add_side(struct trace *trace, const struct trace_event *event, uint32_t me,
                                 uint32_t members, bool out, struct edges *edges, bool *out_whole)
{
    CORE_CHECK(me < members);
    int64_t *degree = NULL, *neighbour = NULL, *weight = NULL;
    uint32_t degrees = 0, count = 0, weights = 0;
    enum core_status status = trace_arg_get(trace, event->rank, event->seq,
                                            out ? "outdegree" : "indegree", &degree, &degrees);

    if (status == CORE_OK)
        status = trace_arg_get(trace, event->rank, event->seq, out ? "arg5" : "arg2", &neighbour,
                               &count); /* destinations, sources */
    if (status == CORE_OK)
        status =
            trace_arg_get(trace, event->rank, event->seq, out ? "arg6" : "arg3", &weight, &weights);
    *out_whole &= degrees && degree[0] == count && count < EDGES_MAX - edges->count;
    for (uint32_t i = 0; i < count && *out_whole && status == CORE_OK; i++) {
        int32_t other = neighbour[i] >= 0 && neighbour[i] < members ? (int32_t)neighbour[i] : -1;
        bool weighted = weights == count;
        *out_whole &= other >= 0;
        status = add(edges, (struct edge){out ? (int32_t)me : other, out ? other : (int32_t)me,
                                          weighted ? weight[i] : 0, weighted});
    }
    free(degree);
    free(neighbour);
    free(weight);
    return status;
}

/* What MPI_Graph_create was told, if that made the communicator: the same list for both ends. */
static enum core_status add_graph(struct trace *trace, const struct collective_list *list,
                                  int32_t comm, struct edges *edges, bool *out_whole)
{
    const struct trace_event *made = NULL;
    int64_t *index = NULL, *target = NULL;
    uint32_t nodes = 0, targets = 0;
    enum core_status status;

    for (uint64_t i = 0; i < list->part_count && !made; i++) {
        const struct trace_event *event = &list->part[i].event;
        if (list->part[i].present && event->request == (uint64_t)comm && !event->error &&
            event->verb == VERB_GRAPH_CREATE)
            made = event;
    }
    *out_whole = false;
    if (!made)
        return CORE_OK;
    status = trace_arg_get(trace, made->rank, made->seq, "arg2", &index, &nodes);
    if (status == CORE_OK)
        status = trace_arg_get(trace, made->rank, made->seq, "arg3", &target, &targets);
    *out_whole = nodes && (int32_t)nodes == trace->comm[comm].size && index[nodes - 1] == targets &&
                 targets < EDGES_MAX;
    for (uint32_t node = 0, i = 0; node < nodes && *out_whole && status == CORE_OK; node++)
        for (; i < index[node] && i < targets && status == CORE_OK; i++) {
            *out_whole &= target[i] >= 0 && target[i] < nodes;
            status = add(edges, (struct edge){.from = (int32_t)node, .to = (int32_t)target[i]});
        }
    free(index);
    free(target);
    return status;
}

static uint32_t run_of(const struct edges *edges, uint32_t at, const struct edge *as)
{
    uint32_t count = 0;

    CORE_CHECK(at <= edges->count);
    while (at + count < edges->count && edges->edge[at + count].from == as->from &&
           edges->edge[at + count].to == as->to)
        count++;
    return count;
}

/* Says how the two lists differ first; NULL if they do not. Sorted by both ends, then weight. */
static const struct edge *first_difference(const struct edges *out, const struct edges *in,
                                           char *what, size_t what_bytes)
{
    for (uint32_t i = 0, k = 0; i < out->count || k < in->count;) {
        const struct edge *a = i < out->count ? &out->edge[i] : NULL,
                          *b = k < in->count ? &in->edge[k] : NULL;
        struct edge ends = a ? *a : *b;
        if (a && b && (b->from < a->from || (b->from == a->from && b->to < a->to)))
            ends = *b;
        uint32_t told = run_of(out, i, &ends), known = run_of(in, k, &ends);
        CORE_CHECK(told + known > 0); /* the lower ends are those of one of them, so it goes on */
        if (told != known) {
            snprintf(what, what_bytes,
                     "different edges (from its rank %" PRId32 " to its rank %" PRId32 ": %" PRIu32
                     " as destination, %" PRIu32 " as source)",
                     ends.from, ends.to, told, known);
            return a && a->from == ends.from && a->to == ends.to ? a : b;
        }
        for (uint32_t n = 0; n < told; n++)
            if (a[n].weighted && b[n].weighted && a[n].weight != b[n].weight) {
                snprintf(what, what_bytes,
                         "different weights (of the edge from its rank %" PRId32
                         " to its rank %" PRId32 ": %" PRId64 " and %" PRId64 ")",
                         ends.from, ends.to, a[n].weight, b[n].weight);
                return a;
            }
        i += told;
        k += known;
    }
    CORE_CHECK(out->count == in->count); /* run by run */
    return NULL;
}

enum core_status graph_compare(struct trace *trace, const struct collective_list *list,
                               const struct collective *collective,
                               const struct collective_part **out_a,
                               const struct collective_part **out_b, char *out_what,
                               size_t what_bytes)
{
    const struct collective_part *part = &list->part[collective->first];
    struct edges out = {0}, in = {0};
    enum core_status status = CORE_OK;
    bool whole = collective->present == collective->count && !trace->comm[collective->comm].inter;
    const struct trace_event *call = whole && collective->count ? &part[0].event : NULL;
    bool neighbor = call && trait_in(call->traits, TRAIT_NEIGHBOR);

    *out_a = *out_b = NULL;
    if (neighbor) {
        status = trace->comm[collective->comm].topology == 2
                     ? add_graph(trace, list, collective->comm, &out, &whole)
                     : CORE_OK;
    } else if (call && call->verb == VERB_DIST_GRAPH_CREATE_ADJACENT) {
        for (uint32_t i = 0; i < collective->count && whole && status == CORE_OK; i++) {
            status = add_side(trace, &part[i].event, i, collective->count, true, &out, &whole);
            if (status == CORE_OK)
                status = add_side(trace, &part[i].event, i, collective->count, false, &in, &whole);
        }
    }
    if (status == CORE_OK && whole && neighbor)
        for (uint32_t i = 0; i < out.count && status == CORE_OK; i++)
            status = add(&in, (struct edge){.from = out.edge[i].to, .to = out.edge[i].from});
    if (status == CORE_OK && whole && out.count)
        qsort(out.edge, out.count, sizeof *out.edge, compare_edges);
    if (status == CORE_OK && whole && in.count)
        qsort(in.edge, in.count, sizeof *in.edge, compare_edges);
    const struct edge *edge =
        status == CORE_OK && whole ? first_difference(&out, &in, out_what, what_bytes) : NULL;
    if (edge) {
        CORE_CHECK(edge->from >= 0 && (uint32_t)edge->from < collective->count);
        CORE_CHECK(edge->to >= 0 && (uint32_t)edge->to < collective->count);
        *out_a = &part[edge->from];
        *out_b = &part[edge->to];
    }
    free(out.edge);
    free(in.edge);
    return status;
}
