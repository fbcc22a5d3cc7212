/* One rank's part of a scenario. See execute.h. The reference is a definition, one item at a time;
 * it communicates nothing. */
#include "fuzz/scenario/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/scenario/elements.h"

/* FAR_ELEMENTS, a GiB each: beyond what 32 bits count, and no more for a copy to allocate. */
enum { TRAFFIC_TAG = 4711, MARGIN = 64, FAR_ELEMENTS = 6 };

struct run { /* of one rank, for one call */
    const struct collective *collective;
    const struct scenario *s;
    const struct execute_environment *env;
    MPI_Comm comm, world;
    int rank, size, call;
    enum scenario_type type, type_send;
    MPI_Datatype mpi_type, mpi_type_send;
    MPI_Op op;
    int count, count_send;
    struct element_buffer send, recv, expected;
    int *counts, *places, *counts_send, *places_send; /* v forms */
};

static bool reduces(enum collective_kind kind)
{
    return kind == collective_kind_reduce || kind == collective_kind_allreduce ||
           kind == collective_kind_scan || kind == collective_kind_reduce_scatter;
}

static bool has_blocks_of_sizes(enum collective_kind kind)
{
    return kind == collective_kind_allgatherv || kind == collective_kind_alltoallv ||
           kind == collective_kind_reduce_scatter;
}

static bool one_type(enum collective_kind kind) /* the same on both sides */
{
    return reduces(kind) || has_blocks_of_sizes(kind) || kind == collective_kind_shift ||
           kind == collective_kind_neighbor_alltoall;
}

/* --- what the scenario means for this collective ---------------------------------------------- */

int execute_world_size(const struct scenario *s)
{
    return s->ranks + (s->comm == COMM_PART ? 2 : 0);
}

bool execute_adapt(const struct collective *c, struct scenario *s)
{
    scenario_normalise(s);
    while (s->ranks > 1 && !collective_domain_holds(c, s->ranks))
        s->ranks--;
    if (!collective_domain_holds(c, s->ranks))
        return false;
    s->root = c->root_zero_only ? 0 : s->root % s->ranks;
    if (s->slow >= s->ranks)
        s->slow = s->ranks - 1;
    if (reduces(c->kind))
        s->type = s->type_send = scenario_op_type(s->op);
    if (one_type(c->kind))
        s->type_send = s->type;
    bool far_here = (c->kind == collective_kind_scatter && s->type_send == TYPE_FAR) ||
                    (c->kind == collective_kind_gather && s->type == TYPE_FAR);
    while (far_here && s->ranks * s->count > FAR_ELEMENTS)
        s->count > 2 ? s->count = 2 : s->count > 1 ? s->count-- : s->ranks--;
    if (!far_here || s->ranks > 8 || s->in_place) {
        s->type = s->type == TYPE_FAR ? TYPE_INT : s->type;
        s->type_send = s->type_send == TYPE_FAR ? TYPE_INT : s->type_send;
    } else if (c->kind == collective_kind_scatter) {
        s->type = TYPE_INT;
    } else {
        s->type_send = TYPE_INT;
    }
    if (c->kind == collective_kind_alltoallv || c->kind == collective_kind_neighbor_alltoall ||
        c->kind == collective_kind_bcast || c->kind == collective_kind_bcast_k ||
        c->kind == collective_kind_barrier)
        s->in_place = false;
    scenario_normalise(s);
    return true;
}

void execute_describe_call(const struct collective *c, const struct scenario *s, char *text,
                           size_t room)
{
    static const char *const types[] = {"int",         "pair",   "strided",        "reversed",
                                        "far",         "double", "strided double", "mixed",
                                        "mixed apart", "byte"};
    static const char *const ops[] = {"sum",
                                      "sum",
                                      "maximum",
                                      "a commutative operation",
                                      "an operation that does not commute",
                                      "an operation that does not commute",
                                      "an operation that does not commute",
                                      "sum that rounds"};
    size_t used = (size_t)snprintf(text, room, "%s: %s on %d ranks", c->name,
                                   collective_kind_name(c->kind), s->ranks);
    if (c->kind != collective_kind_barrier && used < room)
        used += (size_t)snprintf(text + used, room - used, ", root %d, count %d of %s to %s%s",
                                 s->root, s->count, types[s->type_send], types[s->type],
                                 s->in_place ? ", in place" : "");
    if (reduces(c->kind) && used < room)
        snprintf(text + used, room - used, ", %s", ops[s->op]);
}

void execute_describe(const struct collective *c, const struct scenario *s, char *text, size_t room)
{
    static const char *const buffering[] = {[REPLAY_RENDEZVOUS] = "no send buffered",
                                            [REPLAY_EAGER] = "all sends buffered",
                                            [REPLAY_EAGER_BYTES] = "small sends buffered",
                                            [REPLAY_RANDOM] = "some sends buffered",
                                            [REPLAY_CREDITS] =
                                                "few sends buffered at each receiver",
                                            [REPLAY_POOL] = "few bytes buffered at each receiver"};
    int from, to;
    execute_describe_call(c, s, text, room);
    size_t used = strlen(text);
    used += (size_t)snprintf(
        text + used, room - used, ", %s%s%s%s", buffering[s->buffering],
        s->shuffle ? ", shuffled" : "", s->slow >= 0 ? ", one slow rank" : "",
        s->delays == REPLAY_DELAY_NONE || s->delays == REPLAY_DELAY_SLOW_LINK ? "" : ", delays");
    if (used < room && scenario_slow_link(s, execute_world_size(s), &from, &to))
        snprintf(text + used, room - used, ", slow from rank %d to %d", from, to);
}

static MPI_Comm grid_make(const struct scenario *s, MPI_Comm comm)
{
    int dims[3] = {0, 0, 0},
        periods[3] = {s->periods & 1, s->periods >> 1 & 1, s->periods >> 2 & 1};
    MPI_Comm grid;
    int size;
    MPI_Comm_size(comm, &size);
    MPI_Dims_create(size, s->dims, dims);
    MPI_Cart_create(comm, s->dims, dims, periods, 0, &grid);
    return grid;
}

static MPI_Comm comm_make(const struct scenario *s, MPI_Comm world)
{
    MPI_Comm comm = world;
    int rank;
    MPI_Comm_rank(world, &rank);
    switch (s->comm) {
    case COMM_DUP:
        MPI_Comm_dup(world, &comm);
        break;
    case COMM_BACKWARDS:
        MPI_Comm_split(world, 0, -rank, &comm);
        break;
    case COMM_PART: /* the first two of the world stay outside */
        MPI_Comm_split(world, rank < 2 ? MPI_UNDEFINED : 0, rank, &comm);
        break;
    case COMM_GRID:
        comm = grid_make(s, world);
        break;
    default:
        break;
    }
    return comm;
}

/* --- values ----------------------------------------------------------------------------------- */

/* What rank `source` has at item i of its block for `block` in call `call`. */
static uint32_t value(int call, int source, int block, long i)
{
    uint32_t x = (uint32_t)call * 15485863u + (uint32_t)source * 7919u + (uint32_t)block * 104729u +
                 (uint32_t)i * 31u + 5u;
    return (x ^ x >> 7) % 100003u;
}

static double rounded(int call, int source, long i)
{
    return value(call, source, 0, i) / 3.0 * (source % 2 ? 1e-7 : 1e7);
}

static void put_items(const struct run *r, enum scenario_type type, struct element_buffer *buffer,
                      long first_element, long elements, int source, int block)
{
    const struct element_layout *layout = element_layout(type);
    for (long i = 0; i < elements * layout->items; i++)
        element_put(layout, buffer->data, first_element * layout->items + i,
                    value(r->call, source, block, i));
}

/* The combination over ranks 0 to last of their blocks for `block`. */
static void put_reduced(const struct run *r, long first_element, long elements, int last, int block)
{
    const struct element_layout *layout = element_layout(r->type);
    int items = layout->items;
    for (long e = 0; e < elements; e++) {
        uint32_t sum[ELEMENT_ITEMS_MAX], left[ELEMENT_ITEMS_MAX];
        for (int source = last; source >= 0; source--) {
            for (int i = 0; i < items; i++)
                (source == last ? sum : left)[i] = value(r->call, source, block, e * items + i);
            if (source < last)
                element_op_apply(r->s->op, left, sum);
        }
        if (r->s->op == OP_SUM_DOUBLE) { /* does not wrap */
            double whole = 0;
            for (int source = 0; source <= last; source++)
                whole += value(r->call, source, block, e);
            memcpy(r->expected.data + (first_element + e) * 8, &whole, sizeof whole);
            continue;
        }
        for (int i = 0; i < items; i++)
            element_put(layout, r->expected.data, (first_element + e) * items + i, sum[i]);
    }
}

/* Elements of the block from one rank to another. */
static int block_size(const struct scenario *s, int from, int to)
{
    uint32_t hash =
        ((uint32_t)from * 73u + (uint32_t)to * 151u + s->sizes_seed * 7u + 1u) * 2654435761u >> 16;
    switch (s->sizes) {
    case SIZES_UNEVEN:
        return s->count ? (int)(hash % (uint32_t)(2 * s->count)) : 0;
    case SIZES_MANY_ZERO:
        return hash % 4 ? 0 : s->count;
    case SIZES_ONE:
        return (int)(s->sizes_seed % (unsigned)s->ranks) == to ? s->count : 0;
    default:
        return s->count;
    }
}

/* --- buffers for each kind -------------------------------------------------------------------- */

static struct element_buffer room(const struct run *r, enum scenario_type type, long elements)
{
    return element_buffer_new(element_layout(type), elements, r->env->margins ? MARGIN : 0);
}

static void prepare_bcast(struct run *r, struct collective_arguments *a)
{
    bool other_side = r->rank % 2 == 0; /* neighbours describe the message differently */
    enum scenario_type type = other_side ? r->type_send : r->type;
    a->recvcount = other_side ? r->count_send : r->count;
    a->recvtype = other_side ? r->mpi_type_send : r->mpi_type;
    r->recv = room(r, type, a->recvcount);
    if (r->rank == r->s->root)
        put_items(r, type, &r->recv, 0, a->recvcount, r->s->root, 0);
    r->expected = element_buffer_copy(&r->recv);
    put_items(r, type, &r->expected, 0, a->recvcount, r->s->root, 0);
    a->recvbuf = r->recv.data;
}

static void prepare_rooted(struct run *r, struct collective_arguments *a, bool scatter)
{
    bool at_root = r->rank == r->s->root;
    long sends = !scatter ? 1 : at_root ? r->size : 0, recvs = scatter ? 1 : at_root ? r->size : 0;
    r->send = room(r, r->type_send, sends * r->count_send);
    r->recv = room(r, r->type, recvs * r->count);
    for (int b = 0; b < sends; b++)
        put_items(r, r->type_send, &r->send, (long)b * r->count_send, r->count_send, r->rank,
                  scatter ? b : 0);
    a->sendbuf = sends ? r->send.data : NULL;
    a->recvbuf = recvs ? r->recv.data : NULL;
    if (r->s->in_place && at_root && scatter) {
        a->recvbuf = MPI_IN_PLACE;
    } else if (r->s->in_place && at_root) {
        put_items(r, r->type, &r->recv, (long)r->rank * r->count, r->count, r->rank, 0);
        a->sendbuf = MPI_IN_PLACE;
    }
    r->expected = element_buffer_copy(&r->recv);
    for (int b = 0; b < recvs && a->recvbuf != MPI_IN_PLACE && r->expected.memory; b++)
        put_items(r, r->type, &r->expected, (long)b * r->count, r->count, scatter ? r->s->root : b,
                  scatter ? r->rank : 0);
}

static void prepare_all(struct run *r, struct collective_arguments *a, bool alltoall)
{
    r->send = room(r, r->type_send, (long)(alltoall ? r->size : 1) * r->count_send);
    r->recv = room(r, r->type, (long)r->size * r->count);
    for (int b = 0; b < (alltoall ? r->size : 1); b++)
        put_items(r, r->type_send, &r->send, (long)b * r->count_send, r->count_send, r->rank,
                  alltoall ? b : 0);
    a->sendbuf = r->send.data;
    a->recvbuf = r->recv.data;
    for (int b = 0; r->s->in_place && b < r->size; b++)
        if (alltoall || b == r->rank)
            put_items(r, r->type, &r->recv, (long)b * r->count, r->count, r->rank,
                      alltoall ? b : 0);
    if (r->s->in_place)
        a->sendbuf = MPI_IN_PLACE;
    r->expected = element_buffer_copy(&r->recv);
    for (int b = 0; b < r->size; b++)
        put_items(r, r->type, &r->expected, (long)b * r->count, r->count, b,
                  alltoall ? r->rank : 0);
}

static int *places_make(const int *counts, int size, bool backwards, int *out_total)
{
    int *places = malloc((size_t)size * sizeof *places), total = 0;
    for (int i = 0; i < size; i++) {
        int b = backwards ? size - 1 - i : i;
        places[b] = total;
        total += counts[b];
    }
    *out_total = total;
    return places;
}

static void prepare_allgatherv(struct run *r, struct collective_arguments *a)
{
    int total;
    r->counts = malloc((size_t)r->size * sizeof *r->counts);
    for (int b = 0; b < r->size; b++)
        r->counts[b] = block_size(r->s, 0, b);
    r->places = places_make(r->counts, r->size, r->s->sizes_seed & 1, &total);
    r->send = room(r, r->type, r->counts[r->rank]);
    r->recv = room(r, r->type, total);
    put_items(r, r->type, &r->send, 0, r->counts[r->rank], r->rank, 0);
    a->sendbuf = r->send.data;
    if (r->s->in_place) {
        put_items(r, r->type, &r->recv, r->places[r->rank], r->counts[r->rank], r->rank, 0);
        a->sendbuf = MPI_IN_PLACE;
    }
    r->expected = element_buffer_copy(&r->recv);
    for (int b = 0; b < r->size; b++)
        put_items(r, r->type, &r->expected, r->places[b], r->counts[b], b, 0);
    a->sendcount = r->counts[r->rank];
    a->recvbuf = r->recv.data;
    a->recvcounts = r->counts;
    a->rdispls = r->places;
}

static void prepare_alltoallv(struct run *r, struct collective_arguments *a)
{
    int sends, recvs;
    r->counts = malloc((size_t)r->size * sizeof *r->counts);
    r->counts_send = malloc((size_t)r->size * sizeof *r->counts_send);
    for (int b = 0; b < r->size; b++) {
        r->counts[b] = block_size(r->s, b, r->rank);
        r->counts_send[b] = block_size(r->s, r->rank, b);
    }
    r->places = places_make(r->counts, r->size, r->s->sizes_seed & 1, &recvs);
    r->places_send = places_make(r->counts_send, r->size, r->s->sizes_seed & 2, &sends);
    r->send = room(r, r->type, sends);
    r->recv = room(r, r->type, recvs);
    r->expected = element_buffer_copy(&r->recv);
    for (int b = 0; b < r->size; b++) {
        put_items(r, r->type, &r->send, r->places_send[b], r->counts_send[b], r->rank, b);
        put_items(r, r->type, &r->expected, r->places[b], r->counts[b], b, r->rank);
    }
    a->sendbuf = r->send.data;
    a->recvbuf = r->recv.data;
    a->sendcounts = r->counts_send;
    a->sdispls = r->places_send;
    a->recvcounts = r->counts;
    a->rdispls = r->places;
}

static void prepare_reduction(struct run *r, struct collective_arguments *a)
{
    enum collective_kind kind = r->collective->kind;
    bool has_result = kind != collective_kind_reduce || r->rank == r->s->root;
    r->send = room(r, r->type, r->count);
    r->recv = room(r, r->type, r->count);
    bool in_place = r->s->in_place && has_result;
    struct element_buffer *own = in_place ? &r->recv : &r->send;
    put_items(r, r->type, own, 0, r->count, r->rank, 0);
    for (long i = 0; r->s->op == OP_SUM_ROUNDED && i < r->count; i++) {
        double x = rounded(r->call, r->rank, i);
        memcpy(own->data + i * 8, &x, sizeof x);
    }
    a->sendbuf = in_place ? MPI_IN_PLACE : r->send.data;
    a->recvbuf = has_result ? r->recv.data : NULL;
    r->expected = element_buffer_copy(&r->recv);
    if (has_result && r->s->op != OP_SUM_ROUNDED)
        put_reduced(r, 0, r->count, kind == collective_kind_scan ? r->rank : r->size - 1, 0);
}

static void prepare_reduce_scatter(struct run *r, struct collective_arguments *a)
{
    int total;
    r->counts = malloc((size_t)r->size * sizeof *r->counts);
    for (int b = 0; b < r->size; b++)
        r->counts[b] = block_size(r->s, 0, b);
    r->places = places_make(r->counts, r->size, false, &total);
    r->send = room(r, r->type, total);
    r->recv = room(r, r->type, r->s->in_place ? total : r->counts[r->rank]);
    struct element_buffer *own = r->s->in_place ? &r->recv : &r->send;
    for (int b = 0; b < r->size; b++)
        put_items(r, r->type, own, r->places[b], r->counts[b], r->rank, b);
    a->sendbuf = r->s->in_place ? MPI_IN_PLACE : r->send.data;
    a->recvbuf = r->recv.data;
    a->recvcounts = r->counts;
    a->recvcount = r->counts[r->rank];
    r->expected = element_buffer_copy(&r->recv);
    if (r->s->op != OP_SUM_ROUNDED)
        put_reduced(r, 0, r->counts[r->rank], r->size - 1, r->rank);
}

static void prepare_shift(struct run *r, struct collective_arguments *a)
{
    a->parameter = r->s->parameter % (2 * r->size) - r->size / 2;
    int from = ((r->rank - a->parameter) % r->size + r->size) % r->size;
    r->send = room(r, r->type, r->count);
    r->recv = room(r, r->type, r->count);
    put_items(r, r->type, r->s->in_place ? &r->recv : &r->send, 0, r->count, r->rank, 0);
    r->expected = element_buffer_copy(&r->recv);
    put_items(r, r->type, &r->expected, 0, r->count, from, 0);
    a->sendbuf = r->s->in_place ? MPI_IN_PLACE : r->send.data;
    a->recvbuf = r->recv.data;
}

static void prepare_neighbours(struct run *r, struct collective_arguments *a)
{
    int dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0}, coords[3] = {0, 0, 0}, blocks;
    MPI_Cart_get(r->comm, 3, dims, periods, coords);
    MPI_Cartdim_get(r->comm, &blocks);
    blocks *= 2;
    r->send = room(r, r->type, (long)blocks * r->count);
    r->recv = room(r, r->type, (long)blocks * r->count);
    r->expected = element_buffer_copy(&r->recv);
    for (int b = 0; b < blocks; b++) {
        put_items(r, r->type, &r->send, (long)b * r->count, r->count, r->rank, b);
        /* Block b comes from the neighbour at -1 (even b) or +1 in dimension b / 2, which sent it
         * the other way. */
        int at[3] = {coords[0], coords[1], coords[2]}, d = b / 2, there;
        at[d] += b % 2 ? 1 : -1;
        if (periods[d])
            at[d] = (at[d] + dims[d]) % dims[d];
        if (at[d] < 0 || at[d] >= dims[d])
            continue;
        MPI_Cart_rank(r->comm, at, &there);
        put_items(r, r->type, &r->expected, (long)b * r->count, r->count, there, b ^ 1);
    }
    a->sendbuf = r->send.data;
    a->recvbuf = r->recv.data;
}

static void prepare(struct run *r, struct collective_arguments *a)
{
    switch (r->collective->kind) {
    case collective_kind_bcast_k:
        a->parameter = 2 + r->s->parameter % 7;
        prepare_bcast(r, a);
        break;
    case collective_kind_bcast:
        prepare_bcast(r, a);
        break;
    case collective_kind_scatter:
    case collective_kind_gather:
        prepare_rooted(r, a, r->collective->kind == collective_kind_scatter);
        break;
    case collective_kind_allgather:
    case collective_kind_alltoall:
        prepare_all(r, a, r->collective->kind == collective_kind_alltoall);
        break;
    case collective_kind_allgatherv:
        prepare_allgatherv(r, a);
        break;
    case collective_kind_alltoallv:
        prepare_alltoallv(r, a);
        break;
    case collective_kind_reduce:
    case collective_kind_allreduce:
    case collective_kind_scan:
        prepare_reduction(r, a);
        break;
    case collective_kind_reduce_scatter:
        prepare_reduce_scatter(r, a);
        break;
    case collective_kind_shift:
        prepare_shift(r, a);
        break;
    case collective_kind_neighbor_alltoall:
        prepare_neighbours(r, a);
        break;
    case collective_kind_barrier:
    case COLLECTIVE_KINDS:
        break;
    }
}

/* --- after the call --------------------------------------------------------------------------- */

static void report_difference(const struct run *r, const struct element_buffer *got,
                              const struct element_buffer *expected)
{
    size_t at = 0;
    while (got->memory[at] == expected->memory[at])
        at++;
    if (at < got->margin || at >= got->size - got->margin) {
        r->env->report("overrun", "rank %d: a byte %s the receive buffer has changed", r->rank,
                       at < got->margin ? "before" : "behind");
        return;
    }
    const struct element_layout *layout = element_layout(
        r->collective->kind <= collective_kind_bcast_k && r->rank % 2 == 0 ? r->type_send
                                                                           : r->type);
    ptrdiff_t offset = (ptrdiff_t)(at - got->margin);
    long element = offset / layout->extent;
    for (int i = 0; i < layout->items; i++) {
        long item = element * layout->items + i;
        uint32_t is = element_get(layout, got->data, item),
                 should = element_get(layout, expected->data, item);
        if (is != should) {
            r->env->report("wrong-result", "rank %d, call %d: item %d of element %ld is %u, not %u",
                           r->rank, r->call + 1, i, element, is, should);
            return;
        }
    }
    r->env->report("overrun",
                   "rank %d: byte %td of the receive buffer belongs to no element and has changed",
                   r->rank, offset);
}

static void check_rounded(const struct run *r)
{
    enum collective_kind kind = r->collective->kind;
    if ((kind == collective_kind_reduce && r->rank != r->s->root) ||
        kind == collective_kind_reduce_scatter)
        return;
    uint64_t checksum = 14695981039346656037u;
    for (long i = 0; i < r->count; i++) {
        double got, exact = 0, size = 0;
        memcpy(&got, r->recv.data + i * 8, sizeof got);
        for (int source = 0; source <= (kind == collective_kind_scan ? r->rank : r->size - 1);
             source++) {
            exact += rounded(r->call, source, i);
            size += rounded(r->call, source, i);
        }
        double error = got > exact ? got - exact : exact - got;
        if (!(error <= size * 1e-12)) {
            r->env->report("wrong-result",
                           "rank %d, call %d: element %ld is %.17g, not about %.17g", r->rank,
                           r->call + 1, i, got, exact);
            return;
        }
        uint64_t bits;
        memcpy(&bits, &got, sizeof bits);
        checksum = (checksum ^ bits) * 1099511628211u;
    }
    if (kind == collective_kind_allreduce)
        r->env->result(r->call, r->rank, checksum);
}

/* In place, what lies behind a rank's own block after a reduce-scatter is nobody's business. */
static size_t compared_bytes(const struct run *r)
{
    if (!r->s->in_place || r->collective->kind != collective_kind_reduce_scatter)
        return r->recv.size;
    size_t bytes =
        r->recv.margin + (size_t)r->counts[r->rank] * (size_t)element_layout(r->type)->extent;
    return bytes < r->recv.size ? bytes : r->recv.size;
}

static void check_result(const struct run *r, const struct element_buffer *send_before)
{
    if (r->recv.mapped) { /* far apart: look at the elements only */
        const struct element_layout *layout = element_layout(r->type);
        for (int b = 0; b < r->size; b++)
            for (long i = 0; i < r->count; i++)
                if (element_get(layout, r->recv.data, (long)b * r->count + i) !=
                    value(r->call, b, 0, i)) {
                    r->env->report("wrong-result", "rank %d: element %ld of block %d", r->rank, i,
                                   b);
                    return;
                }
    } else if (reduces(r->collective->kind) && r->s->op == OP_SUM_ROUNDED) {
        check_rounded(r);
    } else if (r->recv.memory && memcmp(r->recv.memory, r->expected.memory, compared_bytes(r))) {
        report_difference(r, &r->recv, &r->expected);
    }
    if (r->send.memory && !r->send.mapped &&
        memcmp(r->send.memory, send_before->memory, r->send.size))
        r->env->report("wrong-result", "rank %d, call %d: the send buffer has changed", r->rank,
                       r->call + 1);
}

static void one_call(struct run *r)
{
    struct collective_arguments a = {.comm = r->comm,
                                     .sendcount = r->count_send,
                                     .sendtype = r->mpi_type_send,
                                     .recvcount = r->count,
                                     .recvtype = r->mpi_type,
                                     .op = r->op,
                                     .root = r->s->root,
                                     .parameter = r->s->parameter};
    struct element_buffer send_before = {0};
    int token[2] = {r->rank, r->call}, got[2] = {-1, -1};
    MPI_Request request;
    prepare(r, &a);
    if (r->send.memory)
        send_before = element_buffer_copy(&r->send);
    if (r->s->traffic) /* a message of the program's own is under way meanwhile */
        MPI_Isend(token, 2, MPI_INT, (r->rank + 1) % r->size, TRAFFIC_TAG, r->comm, &request);
    if (r->s->slow == r->rank)
        r->env->pause();
    r->env->entered(r->call);
    r->env->calling(1);
    int error = collective_call(r->collective, &a);
    r->env->calling(0);
    if (r->collective->kind == collective_kind_barrier && r->env->missing(r->call))
        r->env->report("early-exit", "rank %d left the barrier before %d of %d ranks had come",
                       r->rank, r->env->missing(r->call), r->size);
    if (error)
        r->env->report("error", "rank %d: the collective returned error %d", r->rank, error);
    else
        check_result(r, &send_before);
    if (r->s->traffic) {
        MPI_Recv(got, 2, MPI_INT, (r->rank - 1 + r->size) % r->size, TRAFFIC_TAG, r->comm,
                 MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (got[0] != (r->rank - 1 + r->size) % r->size || got[1] != r->call)
            r->env->report("cross-talk", "rank %d: a message of the program's own arrived changed",
                           r->rank);
    }
    element_buffer_free(&send_before);
    element_buffer_free(&r->send);
    element_buffer_free(&r->recv);
    element_buffer_free(&r->expected);
    free(r->counts);
    free(r->places);
    free(r->counts_send);
    free(r->places_send);
    r->counts = r->places = r->counts_send = r->places_send = NULL;
    memset(&r->send, 0, sizeof r->send);
    memset(&r->recv, 0, sizeof r->recv);
    memset(&r->expected, 0, sizeof r->expected);
}

static void to_grid(struct run *r)
{
    MPI_Comm grid = grid_make(r->s, r->comm);
    if (r->comm != r->world)
        MPI_Comm_free(&r->comm);
    r->comm = grid;
}

int execute_rank(const struct collective *collective, const struct scenario *s,
                 const struct execute_environment *env)
{
    struct run r = {.collective = collective,
                    .s = s,
                    .env = env,
                    .type = s->type,
                    .world = env->world ? env->world : MPI_COMM_WORLD,
                    .type_send = s->type_send,
                    .count = s->count};
    r.comm = comm_make(s, r.world);
    if (r.comm == MPI_COMM_NULL)
        return 0;
    MPI_Comm_size(r.comm, &r.size);
    if (collective->kind == collective_kind_neighbor_alltoall)
        to_grid(&r);
    MPI_Comm_rank(r.comm, &r.rank);
    r.count_send = s->count * scenario_type_items(s->type) / scenario_type_items(s->type_send);
    r.mpi_type = element_type_new(r.type);
    r.mpi_type_send = element_type_new(r.type_send);
    r.op = reduces(collective->kind) ? element_op_new(s->op) : MPI_SUM;
    for (r.call = 0; r.call < s->calls; r.call++)
        one_call(&r);
    element_op_free(&r.op);
    element_type_free(&r.mpi_type);
    element_type_free(&r.mpi_type_send);
    if (r.comm != r.world)
        MPI_Comm_free(&r.comm);
    return 0;
}
