/* Compares the parts of the members as lists: what each sends to each member, and what it receives
 * from each. */
#include "checkers/collective/block.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/collective/types.h"
#include "core/array.h"
#include "core/check.h"

enum { MEMBERS_MAX = 256 };

enum shape { NONE, ONE, ROOT_ONE, ROOT_LIST, ALL_ONE, ALL_LIST };
static const struct {
    const char *name;
    enum shape sends, receives; /* ONE: to or from the root; ROOT_: only the root, to or from each
                                   member; ALL_: each member, to or from each */
} rows[] = {
    {"Gather", ONE, ROOT_ONE},
    {"Gatherv", ONE, ROOT_LIST},
    {"Scatter", ROOT_ONE, ONE},
    {"Scatterv", ROOT_LIST, ONE},
    {"Allgather", ALL_ONE, ALL_ONE},
    {"Allgatherv", ALL_ONE, ALL_LIST},
    {"Alltoall", ALL_ONE, ALL_ONE},
    {"Alltoallv", ALL_LIST, ALL_LIST},
    {"Alltoallw", ALL_LIST, ALL_LIST},
    {"Neighbor_allgather", ALL_ONE, ALL_ONE},
    {"Neighbor_allgatherv", ALL_ONE, ALL_LIST},
    {"Neighbor_alltoall", ALL_ONE, ALL_ONE},
    {"Neighbor_alltoallv", ALL_LIST, ALL_LIST},
    {"Neighbor_alltoallw", ALL_LIST, ALL_LIST},
};

struct block {
    int64_t count; /* EVENT_NONE: unknown */
    int32_t datatype;
};
struct member { /* lists are NULL if one block serves for all members */
    const struct collective_part *part;
    struct block one[2]; /* [0] sent, [1] received */
    int64_t *count[2], *type[2];
    uint32_t n[2], types[2];
};

/* Returns the row of "Gatherv" for MPI_Gatherv, MPI_Igatherv and MPIX_Gatherv_init. */
static int row_of(const char *name)
{
    const char *at = strchr(name, '_');

    if (!at)
        return -1;
    at += at[1] == 'I' ? 2 : 1;
    size_t length = strlen(at);
    if (length > 5 && !strcmp(at + length - 5, "_init"))
        length -= 5;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == length && !strncmp(rows[i].name + 1, at + 1, length - 1) &&
            (at[0] | 32) == (rows[i].name[0] | 32))
            return (int)i;
    return -1;
}

static enum core_status load_list(struct trace *trace, struct member *member, int side,
                                  enum shape shape)
{
    static const char *const counts[] = {"sendcounts", "recvcounts"}, *const types[] = {
                                                                          "sendtypes", "recvtypes"};
    const struct trace_event *event = &member->part->event;
    enum core_status status = CORE_OK;

    CORE_CHECK(member->part->present);
    CORE_CHECK(!member->count[side]); /* loaded once per side */
    if (side == 0)
        member->one[0] = (struct block){event->count, event->datatype};
    else
        member->one[1] = event->has_recv_half
                             ? (struct block){event->recv_count, event->recv_datatype}
                             : (struct block){EVENT_NONE, -1};
    if (shape != ROOT_LIST && shape != ALL_LIST)
        return CORE_OK;
    status = trace_arg_get(trace, event->rank, event->seq, counts[side], &member->count[side],
                           &member->n[side]);
    if (status == CORE_OK && trait_in(event->traits, TRAIT_PER_TYPE))
        status = trace_arg_get(trace, event->rank, event->seq, types[side], &member->type[side],
                               &member->types[side]);
    member->one[side].count = EVENT_NONE;
    return status;
}

static struct block block_of(const struct member *member, int side, uint32_t with, enum shape shape)
{
    CORE_CHECK(side == 0 || side == 1);
    if (shape != ROOT_LIST && shape != ALL_LIST)
        return member->one[side];
    struct block block = {with < member->n[side] ? member->count[side][with] : EVENT_NONE,
                          member->one[side].datatype};
    if (member->types[side])
        block.datatype = with < member->types[side] ? (int32_t)member->type[side][with] : -1;
    return block;
}

static enum types_difference block_differ(const struct trace *trace, struct block sent,
                                          struct block received, struct block_pair *pair)
{
    if (sent.count == EVENT_NONE || received.count == EVENT_NONE || sent.count < 0 ||
        received.count < 0 || sent.datatype < 0 || received.datatype < 0 ||
        (uint32_t)sent.datatype >= trace->datatype_count ||
        (uint32_t)received.datatype >= trace->datatype_count)
        return TYPES_ALIKE;
    pair->out = sent.count * trace->datatype[sent.datatype].size;
    pair->in = received.count * trace->datatype[received.datatype].size;
    return pair->out != pair->in
               ? TYPES_DIFFER
               : types_compare(trace, sent.datatype, sent.count, received.datatype, received.count,
                               &pair->sent, &pair->received);
}

/* Tells whether a member sends to (or receives from) another one. In an intercommunicator the root
 * is the process that passes MPI_ROOT. */
static bool sends_to(enum shape shape, const struct collective_part *me, uint32_t my_place,
                     const struct collective_part *to, uint32_t its_place, bool inter)
{
    uint32_t root = (uint32_t)me->event.root;

    if (shape == ONE)
        return inter ? to->event.root == EVENT_ROOT : its_place == root;
    if (shape == ROOT_ONE || shape == ROOT_LIST)
        return inter ? me->event.root == EVENT_ROOT : my_place == root;
    return shape != NONE;
}

static void block_keep(struct block_pair pair, enum types_difference found,
                       struct block_pair *differ, struct block_pair *named)
{
    if (found == TYPES_DIFFER)
        *differ = pair;
    else if (found == TYPES_NAMED && !named->a)
        *named = pair;
}

/* Compares each member with each; in an intercommunicator, with each of the other group. */
static void compare_all(const struct trace *trace, const struct member *member,
                        const struct collective *collective, int row, struct block_pair *out_differ,
                        struct block_pair *out_named)
{
    const struct trace_comm *comm = &trace->comm[collective->comm];
    enum shape sends = rows[row].sends, receives = rows[row].receives;
    uint32_t count = collective->count, local = comm->inter ? (uint32_t)comm->size : 0;

    for (uint32_t i = 0; i < count && !out_differ->a; i++)
        for (uint32_t k = 0; k < count && !out_differ->a; k++) {
            const struct collective_part *a = member[i].part, *b = member[k].part;
            if (!a->present || !b->present || (comm->inter && (i < local) == (k < local)) ||
                !sends_to(sends, a, i, b, k, comm->inter) ||
                !sends_to(receives, b, k, a, i, comm->inter))
                continue;
            struct block_pair pair = {.a = a, .b = b};
            enum types_difference found =
                block_differ(trace, block_of(&member[i], 0, k < local ? k : k - local, sends),
                             block_of(&member[k], 1, i < local ? i : i - local, receives), &pair);
            block_keep(pair, found, out_differ, out_named);
        }
}

/* Sums the bytes of a run of edges on one side; EVENT_NONE: unknown. */
static int64_t run_bytes(const struct trace *trace, const struct member *member, int side,
                         const struct graph_edge *edge, uint32_t count, enum shape shape)
{
    int64_t bytes = 0;

    CORE_CHECK(side == 0 || side == 1);
    for (uint32_t i = 0; i < count; i++) {
        struct block block = block_of(member, side, edge[i].place, shape);
        if (block.count < 0 || block.datatype < 0 ||
            (uint32_t)block.datatype >= trace->datatype_count)
            return EVENT_NONE;
        bytes += block.count * trace->datatype[block.datatype].size;
    }
    return bytes;
}

static void compare_edges(const struct trace *trace, const struct member *member,
                          const struct graph *graph, int row, struct block_pair *out_differ,
                          struct block_pair *out_named)
{
    enum shape sends = rows[row].sends, receives = rows[row].receives;
    uint32_t run = 0, at = 0;

    if (!graph->whole || (!graph->placed && (sends == ALL_LIST || receives == ALL_LIST)))
        return;
    for (uint32_t i = 0; i < graph->out.count && !out_differ->a; i += run, at += run) {
        const struct graph_edge *out = &graph->out.edge[i], *in = &graph->in.edge[at];
        const struct member *from = &member[out->from], *to = &member[out->to];
        struct block_pair pair = {.a = from->part, .b = to->part};
        run = graph_run(&graph->out, i, out);
        if (graph_run(&graph->in, at, out) != run)
            return; /* graph_compare reports this */
        if (!from->part->present || !to->part->present)
            continue;
        if (run == 1 || (sends != ALL_LIST && receives != ALL_LIST)) { /* else which is which? */
            enum types_difference found = block_differ(trace, block_of(from, 0, out->place, sends),
                                                       block_of(to, 1, in->place, receives), &pair);
            block_keep(pair, found, out_differ, out_named);
            continue;
        }
        pair.out = run_bytes(trace, from, 0, out, run, sends);
        pair.in = run_bytes(trace, to, 1, in, run, receives);
        if (pair.out >= 0 && pair.in >= 0 && pair.out != pair.in)
            *out_differ = pair;
    }
}

enum core_status block_compare(struct trace *trace, const struct collective_list *list,
                               const struct collective *collective, const struct graph *graph,
                               struct block_pair *out_differ, struct block_pair *out_named)
{
    const struct collective_part *part = &list->part[collective->first];
    uint32_t count = collective->count;
    struct member *member;
    enum core_status status = CORE_OK;
    int row = -1;

    *out_differ = *out_named = (struct block_pair){.a = NULL};
    for (uint32_t i = 0; i < count && row < 0; i++)
        row = part[i].present ? row_of(trace->call[part[i].event.call].name) : -1;
    if (row < 0 || count > MEMBERS_MAX)
        return CORE_OK;
    CORE_CHECK((size_t)row < sizeof rows / sizeof *rows);
    CORE_CHECK(rows[row].sends != NONE && rows[row].receives != NONE);
    status = CORE_ARRAY_NEW(member, count, "a collective's blocks");
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        member[i].part = &part[i];
        if (!part[i].present)
            continue;
        status = load_list(trace, &member[i], 0, rows[row].sends);
        if (status == CORE_OK)
            status = load_list(trace, &member[i], 1, rows[row].receives);
    }
    if (status == CORE_OK && graph)
        compare_edges(trace, member, graph, row, out_differ, out_named);
    else if (status == CORE_OK)
        compare_all(trace, member, collective, row, out_differ, out_named);
    for (uint32_t i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            free(member[i].count[side]);
            free(member[i].type[side]);
        }
    free(member);
    CORE_CHECK(!out_differ->a || out_differ->b); /* both members are set, or none */
    CORE_CHECK(!out_named->a || (out_named->sent && out_named->received));
    return status;
}
