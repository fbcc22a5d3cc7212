/* Compares all edges as their sources declare them with all edges as their destinations do: sorted,
 * the two lists must be equal. */
#include "checkers/collective/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

enum { EDGES_MAX = 1 << 24, DIMS_MAX = 32 };

static int compare_edges(const void *a, const void *b)
{
    const struct graph_edge *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

static void graph_sort(struct graph_edges *edges)
{
    if (edges->count)
        qsort(edges->edge, edges->count, sizeof *edges->edge, compare_edges);
}

static enum core_status graph_add(struct graph_edges *edges, struct graph_edge edge)
{
    return CORE_ARRAY_PUSH(edges->edge, edges->count, edges->room, "the edges of a graph", edge);
}

/* Loads a list argument of the call; *out_count: its length. */
static enum core_status list_of(struct trace *trace, const struct trace_event *event,
                                const char *name, int64_t **out, uint32_t *out_count)
{
    *out = NULL;
    *out_count = 0;
    return trace_arg_get(trace, event->rank, event->seq, name, out, out_count);
}

/* --- MPI_Dist_graph_create_adjacent, MPI_Dist_graph_create ------------------------------------ */

/* Adds one member's neighbours on one side. */
static enum core_status add_side(struct trace *trace, const struct trace_event *event, uint32_t me,
                                 uint32_t members, bool out, struct graph *graph)
{
    CORE_CHECK(me < members);
    struct graph_edges *edges = out ? &graph->out : &graph->in;
    int64_t *degree = NULL, *neighbour = NULL, *weight = NULL;
    uint32_t degrees = 0, count = 0, weights = 0;
    enum core_status status =
        list_of(trace, event, out ? "outdegree" : "indegree", &degree, &degrees);

    if (status == CORE_OK) /* destinations, sources */
        status = list_of(trace, event, out ? "destinations" : "sources", &neighbour, &count);
    if (status == CORE_OK)
        status = list_of(trace, event, out ? "destweights" : "sourceweights", &weight, &weights);
    graph->whole &= degrees && degree[0] == count && count < EDGES_MAX - edges->count;
    for (uint32_t i = 0; i < count && graph->whole && status == CORE_OK; i++) {
        int32_t other = neighbour[i] >= 0 && neighbour[i] < members ? (int32_t)neighbour[i] : -1;
        bool weighted = weights == count;
        graph->whole &= other >= 0;
        status = graph_add(edges,
                           (struct graph_edge){out ? (int32_t)me : other, out ? other : (int32_t)me,
                                               i, weighted, weighted ? weight[i] : 0});
    }
    free(degree);
    free(neighbour);
    free(weight);
    return status;
}

/* Adds edges that one member declares between any members (MPI_Dist_graph_create). */
static enum core_status add_edges_of(struct trace *trace, const struct trace_event *event,
                                     uint32_t members, struct graph *graph)
{
    int64_t *source, *degree, *target;
    uint32_t sources, degrees, targets, at = 0;
    enum core_status status = list_of(trace, event, "nodes", &source, &sources);

    degree = target = NULL;
    if (status == CORE_OK)
        status = list_of(trace, event, "degrees", &degree, &degrees);
    if (status == CORE_OK)
        status = list_of(trace, event, "targets", &target, &targets);
    graph->whole &= status == CORE_OK && sources == degrees;
    for (uint32_t i = 0; graph->whole && i < sources; i++)
        for (int64_t k = 0; k < degree[i] && graph->whole && status == CORE_OK; k++, at++) {
            graph->whole = at < targets && graph->out.count < EDGES_MAX && target[at] >= 0 &&
                           target[at] < members && source[i] >= 0 && source[i] < members;
            if (!graph->whole)
                break;
            struct graph_edge edge = {.from = (int32_t)source[i], .to = (int32_t)target[at]};
            status = graph_add(&graph->out, edge);
            if (status == CORE_OK)
                status = graph_add(&graph->in, edge);
        }
    graph->whole &= status == CORE_OK && at == targets;
    free(source);
    free(degree);
    free(target);
    return status;
}

static enum core_status add_members(struct trace *trace, const struct collective_list *list,
                                    const struct collective *made, struct graph *graph)
{
    const struct collective_part *part = &list->part[made->first];
    enum core_status status = CORE_OK;

    graph->whole = made->present == made->count && !trace->comm[made->comm].inter;
    graph->placed = graph->whole && part->event.verb == VERB_DIST_GRAPH_CREATE_ADJACENT;
    for (uint32_t i = 0; i < made->count && graph->whole && status == CORE_OK; i++) {
        const struct trace_event *event = &part[i].event;
        if (!graph->placed) {
            status = add_edges_of(trace, event, made->count, graph);
            continue;
        }
        status = add_side(trace, event, i, made->count, true, graph);
        if (status == CORE_OK)
            status = add_side(trace, event, i, made->count, false, graph);
    }
    return status;
}

/* --- MPI_Graph_create ------------------------------------------------------------------------- */

/* Adds the edges of MPI_Graph_create. Its one list holds for both ends. */
static enum core_status add_graph(struct trace *trace, const struct trace_event *made, int32_t comm,
                                  struct graph *graph)
{
    int64_t *index, *target = NULL;
    uint32_t nodes, targets = 0;
    enum core_status status = list_of(trace, made, "index", &index, &nodes);

    if (status == CORE_OK)
        status = list_of(trace, made, "edges", &target, &targets);
    graph->placed = graph->whole = status == CORE_OK && nodes &&
                                   (int32_t)nodes == trace->comm[comm].size &&
                                   index[nodes - 1] == targets && targets < EDGES_MAX;
    for (uint32_t node = 0, i = 0; node < nodes && graph->whole && status == CORE_OK; node++) {
        uint32_t first = i;
        for (; i < index[node] && i < targets && status == CORE_OK; i++) {
            graph->whole &= target[i] >= 0 && target[i] < nodes;
            struct graph_edge edge = {(int32_t)node, (int32_t)target[i], i - first, false, 0};
            status = graph_add(&graph->out, edge);
            edge.from = edge.to;
            edge.to = (int32_t)node;
            if (status == CORE_OK)
                status = graph_add(&graph->in, edge);
        }
    }
    free(index);
    free(target);
    return status;
}

/* --- MPI_Cart_create, MPI_Cart_sub ------------------------------------------------------------ */

struct cart {
    uint32_t dims;
    int64_t extent[DIMS_MAX], periodic[DIMS_MAX];
};

static enum core_status load_cart(struct trace *trace, const struct trace_event *made,
                                  struct cart *cart, bool *out_whole)
{
    int64_t *extent, *periodic = NULL;
    uint32_t extents, periods = 0;
    enum core_status status = list_of(trace, made, "dims", &extent, &extents);

    if (status == CORE_OK)
        status = list_of(trace, made, "periods", &periodic, &periods);
    *out_whole = status == CORE_OK && extents == periods && extents <= DIMS_MAX;
    for (uint32_t i = 0; *out_whole && i < extents; i++) {
        cart->extent[i] = extent[i];
        cart->periodic[i] = periodic[i];
        cart->dims = i + 1;
    }
    free(extent);
    free(periodic);
    return status;
}

static enum core_status keep_dims(struct trace *trace, const struct trace_event *made,
                                  struct cart *cart, bool *out_whole)
{
    int64_t *remain;
    uint32_t count, kept = 0;
    enum core_status status = list_of(trace, made, "remain_dims", &remain, &count);

    *out_whole = status == CORE_OK && count == cart->dims;
    for (uint32_t i = 0; *out_whole && i < count; i++)
        if (remain[i]) {
            cart->extent[kept] = cart->extent[i];
            cart->periodic[kept++] = cart->periodic[i];
        }
    CORE_CHECK(kept <= cart->dims);
    cart->dims = kept;
    free(remain);
    return status;
}

/* Adds the neighbours in each dimension of a grid: the lower one, then the upper one. Ranks are in
 * row-major order. */
static enum core_status add_cart(const struct cart *cart, int32_t size, struct graph *graph)
{
    enum core_status status = CORE_OK;
    int64_t all = 1;

    for (uint32_t i = 0; i < cart->dims && all > 0 && all <= size; i++)
        all *= cart->extent[i];
    graph->placed = graph->whole = all == size && size < EDGES_MAX / (2 * DIMS_MAX);
    for (int32_t me = 0; graph->whole && me < size; me++) {
        int64_t stride = size;
        for (uint32_t place = 0; place < 2 * cart->dims && status == CORE_OK; place++) {
            int64_t extent = cart->extent[place / 2];
            stride = place % 2 ? stride : stride / extent;
            int64_t at = me / stride % extent, to = at + (place % 2 ? 1 : -1);
            if ((to < 0 || to >= extent) && !cart->periodic[place / 2])
                continue;
            to = (to + extent) % extent;
            int32_t other = (int32_t)(me + (to - at) * stride);
            CORE_CHECK(other >= 0 && other < size);
            status = graph_add(&graph->out, (struct graph_edge){me, other, place, false, 0});
            if (status == CORE_OK)
                status = graph_add(&graph->in, (struct graph_edge){other, me, place, false, 0});
        }
    }
    return status;
}

/* --- any -------------------------------------------------------------------------------------- */

static const struct collective *graph_maker(const struct collective_list *list, int32_t comm,
                                            const struct trace_event **out_event)
{
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < list->collective[i].count; k++) {
            const struct collective_part *part = &list->part[list->collective[i].first + k];
            const struct trace_event *event = &part->event;
            bool makes = event->verb == VERB_CART_CREATE || event->verb == VERB_CART_SUB ||
                         event->verb == VERB_GRAPH_CREATE || event->verb == VERB_COMM_DUP ||
                         event->verb == VERB_DIST_GRAPH_CREATE ||
                         event->verb == VERB_DIST_GRAPH_CREATE_ADJACENT;
            if (part->present && makes && event->request == (uint64_t)comm && !event->error &&
                event->comm != comm && !trait_in(event->traits, TRAIT_MAKES_REQUEST)) {
                *out_event = event;
                return &list->collective[i];
            }
        }
    return NULL;
}

static bool same_order(const struct trace_comm *a, const struct trace_comm *b)
{
    return a->size == b->size && a->member && b->member &&
           !memcmp(a->member, b->member, (size_t)a->size * sizeof *a->member);
}

enum core_status graph_load(struct trace *trace, const struct collective_list *list, int32_t comm,
                            struct graph *out)
{
    enum { MAKERS_MAX = 64 };
    const struct trace_event *made[MAKERS_MAX] = {NULL}, *last;
    const struct collective *call = NULL;
    struct cart cart = {0};
    enum core_status status = CORE_OK;
    uint32_t makers = 0;

    *out = (struct graph){.whole = false};
    for (int32_t at = comm; makers < MAKERS_MAX; at = made[makers++]->comm) {
        call = graph_maker(list, at, &made[makers]);
        if (!call || (made[makers]->verb != VERB_COMM_DUP && made[makers]->verb != VERB_CART_SUB)) {
            makers += call != NULL;
            break;
        }
    }
    last = call ? made[makers - 1] : NULL;
    if (!last)
        return CORE_OK;
    bool whole = true;
    if (last->verb == VERB_CART_CREATE) {
        status = load_cart(trace, last, &cart, &whole);
        for (uint32_t i = makers - 1; i-- > 0 && whole && status == CORE_OK;)
            if (made[i]->verb == VERB_CART_SUB)
                status = keep_dims(trace, made[i], &cart, &whole);
        if (status == CORE_OK && whole)
            status = add_cart(&cart, trace->comm[comm].size, out);
    } else if (last->verb == VERB_GRAPH_CREATE) {
        status = add_graph(trace, last, comm, out);
    } else if (last->verb != VERB_COMM_DUP && last->verb != VERB_CART_SUB &&
               same_order(&trace->comm[comm], &trace->comm[last->comm])) {
        out->adjacent = last->verb == VERB_DIST_GRAPH_CREATE_ADJACENT;
        status = add_members(trace, list, call, out);
    }
    CORE_CHECK(!out->whole || out->out.count + out->in.count <= 2 * (uint32_t)EDGES_MAX);
    graph_sort(&out->out);
    graph_sort(&out->in);
    return status;
}

void graph_done(struct graph *graph)
{
    free(graph->out.edge);
    free(graph->in.edge);
    *graph = (struct graph){.whole = false};
}

uint32_t graph_run(const struct graph_edges *edges, uint32_t at, const struct graph_edge *as)
{
    uint32_t count = 0;

    CORE_CHECK(at <= edges->count);
    while (at + count < edges->count && edges->edge[at + count].from == as->from &&
           edges->edge[at + count].to == as->to)
        count++;
    return count;
}

/* Finds the first difference of the two lists and describes it; NULL: they are equal. */
static const struct graph_edge *first_difference(const struct graph *graph, char *what,
                                                 size_t what_bytes)
{
    const struct graph_edges *out = &graph->out, *in = &graph->in;

    for (uint32_t i = 0, k = 0; i < out->count || k < in->count;) {
        const struct graph_edge *a = i < out->count ? &out->edge[i] : NULL,
                                *b = k < in->count ? &in->edge[k] : NULL;
        struct graph_edge ends = a ? *a : *b;
        if (a && b && (b->from < a->from || (b->from == a->from && b->to < a->to)))
            ends = *b;
        uint32_t told = graph_run(out, i, &ends), known = graph_run(in, k, &ends);
        CORE_CHECK(told + known > 0); /* `ends` is from one of the lists, so the loop advances */
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
    CORE_CHECK(out->count == in->count); /* each run was as long in both */
    return NULL;
}

enum core_status graph_compare(struct trace *trace, const struct collective_list *list,
                               const struct collective *collective, const struct graph *graph,
                               const struct collective_part **out_a,
                               const struct collective_part **out_b, char *out_what,
                               size_t what_bytes)
{
    const struct collective_part *part = &list->part[collective->first];
    struct graph made = {.whole = false};
    enum core_status status = CORE_OK;

    *out_a = *out_b = NULL;
    if (collective->present < collective->count || !collective->count || (graph && graph->adjacent))
        return CORE_OK;
    if (!graph && part->event.verb == VERB_DIST_GRAPH_CREATE_ADJACENT) {
        status = add_members(trace, list, collective, &made);
        graph_sort(&made.out);
        graph_sort(&made.in);
        graph = &made;
    }
    const struct graph_edge *edge = status == CORE_OK && graph && graph->whole
                                        ? first_difference(graph, out_what, what_bytes)
                                        : NULL;
    if (edge) {
        CORE_CHECK(edge->from >= 0 && (uint32_t)edge->from < collective->count);
        CORE_CHECK(edge->to >= 0 && (uint32_t)edge->to < collective->count);
        *out_a = &part[edge->from];
        *out_b = &part[edge->to];
    }
    graph_done(&made);
    return status;
}
