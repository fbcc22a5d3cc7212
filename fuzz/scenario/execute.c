/* One rank's part of a scenario. See execute.h. The reference computes the definition, one item at
 * a time, without communication. */
#include "fuzz/scenario/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/scenario/communicators.h"
#include "fuzz/scenario/elements.h"

/* FAR_ELEMENTS, a GiB each: more than 32 bits can count, but few enough for a copy to allocate. */
enum { TRAFFIC_TAG = 4711, FAR_ELEMENTS = 6, MANY_ELEMENTS = 3, STARTS = 2, LAST_TURN = 1000 };

/* One rank's part of one call, from its buffers to their comparison. */
struct call {
    const struct execute_environment *env;
    struct shape shape;
    int number; /* of the call in the scenario */
    int turn;   /* position of the rank in the order of arrival */
    int group;  /* of an intercommunicator, 0 or 1 */
    bool part;  /* only some ranks call */
    struct element_buffer send, recv;
    uint64_t sent; /* checksum of the send buffer before the call */
    MPI_Request request, traffic;
    void *state;
    bool done, refused;
    int token[2];
};

static bool may_be_far(int kind)
{
    return !collective_reduces(kind) && !shape_is_neighbour(kind) &&
           kind != collective_kind_alltoallw && kind != collective_kind_custom;
}

/* Tells whether both sides must have the same type. */
static bool one_type(int kind)
{
    return collective_reduces(kind) || kind == collective_kind_shift;
}

static bool has_in_place(int kind)
{
    return kind != collective_kind_bcast && kind != collective_kind_bcast_k &&
           kind != collective_kind_barrier && kind != collective_kind_custom &&
           !shape_is_neighbour(kind);
}

/* --- what the scenario means for this collective ---------------------------------------------- */

int execute_world_size(const struct scenario *s)
{
    return s->ranks + (s->comm == COMM_PART ? 2 : 0);
}

/* Adapts elements far apart: only where their number is small, and on one side if the other has
 * few, as places and counts from a caller are ints. */
static void adapt_far(const struct collective *c, struct scenario *s)
{
    bool huge = scenario_type_huge(s->type);
    int most = FAR_ELEMENTS;
    if (!scenario_type_large(s->type) && !scenario_type_large(s->type_send))
        return;
    if (collective_reduces(c->kind)) {
        s->in_place = false;
    } else if (!may_be_far(c->kind) || s->in_place) {
        s->type = scenario_type_large(s->type) ? TYPE_INT : s->type;
        s->type_send = scenario_type_large(s->type_send) ? TYPE_INT : s->type_send;
        return;
    }
    if (huge) /* so that none is pending after a refused one */
        s->flight = 1;
    if (s->type == TYPE_MANY && shape_has_blocks_of_sizes(c->kind)) {
        most = MANY_ELEMENTS;
        s->sizes = SIZES_EVEN;
        s->places = PLACES_PACKED;
        s->blocks = 0;
    }
    if (s->type == TYPE_MANY && s->count > MANY_ELEMENTS) /* a count is an int */
        s->count = MANY_ELEMENTS;
    while (s->ranks * s->count > most)
        s->count > 2 ? s->count = 2 : s->count > 1 ? s->count-- : s->ranks--;
    while (s->ranks > 1 && !collective_domain_holds(c, s->ranks))
        s->ranks--;
    s->root %= s->ranks;
    if (s->slow >= s->ranks)
        s->slow = s->ranks - 1;
    bool scatters = c->kind == collective_kind_scatter || c->kind == collective_kind_scatterv;
    bool sends_all = scatters || c->kind == collective_kind_alltoall ||
                     c->kind == collective_kind_alltoallv || c->kind == collective_kind_bcast ||
                     c->kind == collective_kind_bcast_k;
    if (one_type(c->kind) || huge)
        return;
    if (sends_all && s->type_send == TYPE_FAR)
        s->type = s->type == TYPE_FAR ? TYPE_FAR : TYPE_INT;
    else
        s->type_send = TYPE_INT;
    if (scatters && s->type == TYPE_FAR)
        s->type = TYPE_INT;
}

/* Adapts the groups of an intercommunicator, if the collective supports one; false if there are too
 * few ranks. */
static bool adapt_groups(const struct collective *c, struct scenario *s)
{
    if (c->communicators == COLLECTIVE_INTRA || s->ranks < 2) {
        s->first_group = 0;
        return c->communicators != COLLECTIVE_INTER;
    }
    if (s->first_group >= s->ranks)
        s->first_group = 1 + s->first_group % (s->ranks - 1);
    if (s->first_group == 0 && c->communicators == COLLECTIVE_INTER)
        s->first_group = s->ranks / 2;
    if (s->first_group > 0) {
        s->in_place = false;
        if (s->also == ALSO_HALVES) /* a half may contain only one group */
            s->also = ALSO_DUP;
    }
    return true;
}

bool execute_adapt(const struct collective *c, struct scenario *s)
{
    scenario_normalise(s);
    if (c->communicators == COLLECTIVE_INTER && s->ranks < 2)
        s->ranks = 2;
    while (s->ranks > 1 && !collective_domain_holds(c, s->ranks))
        s->ranks--;
    if (!collective_domain_holds(c, s->ranks))
        return false;
    s->root = c->root_zero_only ? 0 : s->root % s->ranks;
    if (s->slow >= s->ranks)
        s->slow = s->ranks - 1;
    if (c->root_zero_only)
        s->root_step = s->root_bend = 0;
    s->graph = shape_is_neighbour(c->kind) &&
               (c->topology == COLLECTIVE_GRAPH || (s->graph && c->topology != COLLECTIVE_GRID));
    if (collective_reduces(c->kind))
        s->type = s->type_send = scenario_op_type(s->op);
    if (c->kind == collective_kind_custom)
        s->type = s->type_send = TYPE_INT;
    if (one_type(c->kind))
        s->type_send = s->type;
    adapt_far(c, s);
    if (!adapt_groups(c, s))
        return false;
    s->in_place &= has_in_place(c->kind) && !c->no_in_place;
    bool halves = s->ranks > 1 && !shape_is_neighbour(c->kind) &&
                  collective_domain_holds(c, s->ranks / 2) &&
                  collective_domain_holds(c, (s->ranks + 1) / 2);
    if (s->also != ALSO_NONE &&
        (shape_is_neighbour(c->kind) || (s->also == ALSO_HALVES && !halves)))
        s->also = ALSO_DUP;
    scenario_normalise(s);
    return true;
}

bool execute_adapt_other(const struct collective *other, const struct scenario *s,
                         struct scenario *out)
{
    *out = *s;
    return execute_adapt(other, out) && out->ranks == s->ranks && out->also == s->also &&
           out->first_group == s->first_group &&
           (out->graph == s->graph || !shape_is_neighbour(other->kind));
}

bool execute_is_rooted(int kind)
{
    return kind == collective_kind_bcast || kind == collective_kind_bcast_k ||
           kind == collective_kind_reduce || kind == collective_kind_scatter ||
           kind == collective_kind_scatterv || kind == collective_kind_gather ||
           kind == collective_kind_gatherv;
}

void execute_describe_call(const struct collective *c, const struct scenario *s, char *text,
                           size_t room)
{
    static const char *const types[] = {
        "int",   "pair",     "strided",        "reversed", "data before lb", "data behind lb",
        "far",   "double",   "strided double", "mixed",    "mixed apart",    "byte",
        "a GiB", "no bytes", "2^29 ints"};
    static const char *const ops[] = {"sum",
                                      "sum",
                                      "maximum",
                                      "a commutative operation",
                                      "an operation that does not commute",
                                      "an operation that does not commute",
                                      "an operation that does not commute",
                                      "sum that rounds",
                                      "a commutative operation",
                                      "an operation that does not commute",
                                      "a commutative operation on elements far apart"};
    size_t used =
        (size_t)snprintf(text, room, "%s: %s on %d rank%s", c->name, collective_kind_name(c->kind),
                         s->ranks, s->ranks == 1 ? "" : "s");
    if (s->first_group && used < room)
        used += (size_t)snprintf(text + used, room - used, ", the first %d and the others",
                                 s->first_group);
    if ((execute_is_rooted(c->kind) || c->kind == collective_kind_custom) && used < room)
        used += (size_t)snprintf(text + used, room - used, ", root %d", s->root);
    if (c->kind != collective_kind_barrier && used < room)
        used += (size_t)snprintf(text + used, room - used, ", count %d of %s%s%s%s", s->count,
                                 types[s->type_send], s->type == s->type_send ? "" : " to ",
                                 s->type == s->type_send ? "" : types[s->type],
                                 s->in_place ? ", in place" : "");
    if (collective_reduces(c->kind) && used < room)
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

/* --- values ----------------------------------------------------------------------------------- */

/* Return the first of rank `source`'s values in its block for `block` in call `call`, and the value
 * of item i. */
static inline uint32_t execute_values(int call, int source, int block)
{
    return (uint32_t)call * 15485863u + (uint32_t)source * 7919u + (uint32_t)block * 104729u + 5u;
}

static inline uint32_t value_at(uint32_t first, long i)
{
    uint32_t x = first + (uint32_t)i * 31u;
    return (x ^ x >> 7) % 100003u;
}

static uint32_t execute_value(int call, int source, int block, long i)
{
    return value_at(execute_values(call, source, block), i);
}

static double execute_rounded(int call, int source, long i)
{
    return execute_value(call, source, 0, i) / 3.0 * (source % 2 ? 1e-7 : 1e7);
}

static bool is_rounded(const struct call *c)
{
    return collective_reduces(c->shape.collective->kind) && c->shape.s->op == OP_SUM_ROUNDED;
}

/* Computes the items of element e of a block of combined values. */
static void reduced_values(const struct call *c, const struct shape_block *b, long e,
                           uint32_t sum[ELEMENT_ITEMS_MAX])
{
    int items = element_layout(b->type)->items;
    uint32_t left[ELEMENT_ITEMS_MAX];
    for (int source = b->last; source >= b->first; source--) {
        for (int i = 0; i < items; i++)
            (source == b->last ? sum : left)[i] =
                execute_value(c->shape.call, source, b->mark, e * items + i);
        if (source < b->last)
            element_op_apply(c->shape.s->op, left, sum);
    }
}

static void reduced_put(const struct call *c, const struct shape_block *b, long e, char *data)
{
    const struct element_layout *layout = element_layout(b->type);
    int call = c->shape.call;
    uint32_t sum[ELEMENT_ITEMS_MAX];
    if (c->shape.s->op == OP_SUM_DOUBLE) { /* doubles do not wrap */
        double whole = 0;
        for (int source = b->first; source <= b->last; source++)
            whole += execute_value(call, source, b->mark, e);
        memcpy(data + e * 8, &whole, sizeof whole);
        return;
    }
    reduced_values(c, b, e, sum);
    for (int i = 0; i < layout->items; i++)
        element_put(layout, data + e * layout->extent, i, sum[i]);
}

/* Writes the values of a block to its place relative to `data`. */
static inline void block_put(const struct call *c, const struct shape_block *b, char *data)
{
    const struct element_layout *layout = element_layout(b->type);
    uint32_t first = execute_values(c->shape.call, b->source, b->mark);
    if (b->source == SHAPE_NOBODY || b->count == 0)
        return;
    data += b->at;
    if (b->source == SHAPE_REDUCED) {
        for (long e = 0; e < b->count && !is_rounded(c); e++)
            reduced_put(c, b, e, data);
    } else if (is_rounded(c)) {
        for (long i = 0; i < b->count; i++) {
            double x = execute_rounded(c->shape.call, b->source, i);
            memcpy(data + i * 8, &x, sizeof x);
        }
    } else if (b->type == TYPE_INT) {
        for (long i = 0; i < b->count; i++) {
            uint32_t x = value_at(first, i);
            memcpy(data + i * 4, &x, sizeof x);
        }
    } else {
        for (long e = 0, i = 0; e < b->count; e++, data += layout->extent)
            for (int item = 0; item < layout->items; item++)
                element_put(layout, data, item, value_at(first, i++));
    }
}

/* --- what must have come ---------------------------------------------------------------------- */

/* Returns a copy of the receive buffer as it was before the call. */
static struct element_buffer buffer_before(const struct call *c)
{
    struct element_buffer made = c->recv;
    made.memory = c->shape.memory->take(made.size);
    made.data = made.memory + (c->recv.data - c->recv.memory);
    memset(made.memory, ELEMENT_FILL, made.size);
    for (int b = 0; b < c->shape.initial_count; b++)
        block_put(c, &c->shape.initial[b], made.data);
    return made;
}

static uint64_t execute_checksum(const struct element_buffer *buffer)
{
    uint64_t hash = buffer->size, word;
    size_t at = 0;
    for (; at + sizeof word <= buffer->size; at += sizeof word) {
        memcpy(&word, buffer->memory + at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    for (; at < buffer->size; at++)
        hash = (hash ^ (uint8_t)buffer->memory[at]) * 1099511628211u;
    return hash;
}

/* Writes the result that the user's reference computes from all send buffers. */
static void reference_put(const struct call *c, struct element_buffer *expected)
{
    const struct shape *shape = &c->shape;
    const struct collective *collective = shape->collective;
    const int *sent[SCENARIO_RANKS_MAX];
    for (int rank = 0; rank < shape->size; rank++) {
        long n = collective->sends ? collective->sends(rank, shape->size, shape->count)
                                   : (long)shape->count * shape->size;
        int *made = malloc((size_t)n * sizeof *made + 1);
        struct shape_block block = {TYPE_INT, 0, n, rank, 0, 0, 0};
        if (!made)
            abort();
        block_put(c, &block, (char *)made);
        sent[rank] = made;
    }
    collective->reference(sent, (int *)(void *)expected->data, shape->rank, shape->size,
                          shape->count);
    for (int rank = 0; rank < shape->size; rank++)
        free((int *)(uintptr_t)sent[rank]);
}

static void expected_put(const struct call *c, struct element_buffer *expected)
{
    if (c->shape.collective->kind == collective_kind_custom)
        reference_put(c, expected);
    else
        for (int b = 0; b < c->shape.recv.block_count; b++)
            block_put(c, &c->shape.recv.block[b], expected->data);
}

/* Returns an expected item of a block for which there is no expected buffer. */
static uint32_t expected_item(const struct call *c, const struct shape_block *b, long i)
{
    int items = element_layout(b->type)->items;
    uint32_t sum[ELEMENT_ITEMS_MAX];
    if (b->source != SHAPE_REDUCED)
        return execute_value(c->shape.call, b->source, b->mark, i);
    reduced_values(c, b, i / items, sum);
    return sum[i % items];
}

/* Reports the first wrong item of a block; false if all are right. */
static bool report_item(const struct call *c, const struct shape_block *b, const char *got,
                        const char *expected)
{
    const struct element_layout *layout = element_layout(b->type);
    for (long i = 0; i < b->count * layout->items; i++) {
        uint32_t is = element_get(layout, got + b->at, i),
                 should =
                     expected ? element_get(layout, expected + b->at, i) : expected_item(c, b, i);
        if (is == should)
            continue;
        int item = (int)(i % layout->items), kind = layout->kind[item];
        c->env->report(WORLD_RULE_WRONG_RESULT,
                       "rank %d, call %d: item %d of element %ld is %u, not %u", c->shape.rank,
                       c->number + 1, item, b->at / layout->extent + i / layout->items, is, should);
        if (c->env->wrong && !c->recv.mapped)
            c->env->wrong(c->number,
                          b->at + i / layout->items * layout->extent + layout->place[item],
                          kind == 'd'   ? 8
                          : kind == 'i' ? 4
                                        : 1);
        return true;
    }
    return false;
}

static void report_difference(const struct call *c, const struct element_buffer *got,
                              const struct element_buffer *expected)
{
    size_t at = 0;
    while (got->memory[at] == expected->memory[at])
        at++;
    if (at < got->margin || at >= got->size - got->margin) {
        c->env->report(WORLD_RULE_OVERRUN, "rank %d: a byte %s the receive buffer has changed",
                       c->shape.rank, at < got->margin ? "before" : "behind");
        return;
    }
    for (int b = 0; b < c->shape.recv.block_count; b++)
        if (c->shape.recv.block[b].source != SHAPE_NOBODY &&
            report_item(c, &c->shape.recv.block[b], got->data, expected->data))
            return;
    c->env->report(WORLD_RULE_OVERRUN,
                   "rank %d: byte %td of the receive buffer belongs to no element and has changed",
                   c->shape.rank, got->memory + at - got->data);
}

static void check_rounded(const struct call *c)
{
    const struct shape_block *b = c->shape.recv.block;
    uint64_t checksum = 14695981039346656037u;
    int kind = c->shape.collective->kind;
    if (kind == collective_kind_reduce_scatter || kind == collective_kind_reduce_scatter_block)
        return;
    for (long i = 0; c->shape.recv.block_count && i < b->count; i++) {
        double got, exact = 0;
        memcpy(&got, c->recv.data + i * 8, sizeof got);
        for (int source = b->first; source <= b->last; source++)
            exact += execute_rounded(c->shape.call, source, i);
        double error = got > exact ? got - exact : exact - got;
        if (!(error <= exact * 1e-12)) {
            c->env->report(WORLD_RULE_WRONG_RESULT,
                           "rank %d, call %d: element %ld is %.17g, not about %.17g", c->shape.rank,
                           c->number + 1, i, got, exact);
            return;
        }
        uint64_t bits;
        memcpy(&bits, &got, sizeof bits);
        checksum = (checksum ^ bits) * 1099511628211u;
    }
    if (kind == collective_kind_allreduce && !c->part)
        c->env->result(c->number, c->group, c->shape.rank, checksum);
}

/* Copies the elements that MPI leaves undefined into the expected buffer. */
static void unspecified_take(const struct call *c, struct element_buffer *expected)
{
    const struct shape_block *b = &c->shape.unspecified;
    const struct element_layout *layout = element_layout(b->type);
    for (long i = 0; i < b->count * layout->items; i++) {
        const int item = (int)(i % layout->items), kind = layout->kind[item];
        ptrdiff_t at = b->at + i / layout->items * layout->extent + layout->place[item];
        memcpy(expected->data + at, c->recv.data + at, kind == 'd' ? 8 : kind == 'i' ? 4 : 1);
    }
}

static void check_received(const struct call *c)
{
    if (c->recv.mapped) { /* far apart: compare only the elements */
        for (int b = 0; b < c->shape.recv.block_count; b++)
            if (report_item(c, &c->shape.recv.block[b], c->recv.data, NULL))
                return;
        return;
    }
    if (c->shape.recv.given && is_rounded(c)) {
        check_rounded(c);
        return;
    }
    struct element_buffer expected = buffer_before(c);
    expected_put(c, &expected);
    unspecified_take(c, &expected);
    if (memcmp(c->recv.memory, expected.memory, c->recv.size))
        report_difference(c, &c->recv, &expected);
    c->shape.memory->give(expected.memory, expected.size);
}

static void check_sent(const struct call *c)
{
    if (!c->send.mapped && execute_checksum(&c->send) != c->sent)
        c->env->report(WORLD_RULE_WRONG_RESULT, "rank %d, call %d: the send buffer has changed",
                       c->shape.rank, c->number + 1);
}

static void check_result(const struct call *c)
{
    if (c->recv.memory)
        check_received(c);
    if (c->send.memory)
        check_sent(c);
}

/* --- a call ----------------------------------------------------------------------------------- */

/* Tells whether the two sides have counts and datatypes of their own. */
static bool has_two_sides(int kind)
{
    return !collective_reduces(kind) && kind != collective_kind_barrier &&
           kind != collective_kind_custom && kind != collective_kind_shift;
}

/* Every other rank gives nothing where MPI ignores an argument: null buffers, no datatype. */
static void ignored_clear(struct call *c)
{
    const struct shape *shape = &c->shape;
    const int kind = shape->collective->kind;
    struct collective_arguments *a = &c->shape.arguments;

    if ((shape->member + c->number + (int)shape->s->sizes_seed) % 2 == 0 ||
        kind == collective_kind_custom)
        return;
    if (!shape->send.given && a->sendbuf != MPI_IN_PLACE)
        a->sendbuf = NULL;
    if (!shape->recv.given && a->recvbuf != MPI_IN_PLACE)
        a->recvbuf = NULL;
    if (has_two_sides(kind) && !shape->send.given) {
        a->sendcount = 0;
        a->sendtype = MPI_DATATYPE_NULL;
    }
    if (has_two_sides(kind) && !shape->recv.given) {
        a->recvcount = 0;
        a->recvtype = MPI_DATATYPE_NULL;
    }
}

/* Allocates the buffers. A buffer that MPI does not access, such as the receive buffer of a rank
 * that is not the root, has no elements, so that a write to it is found. */
static void buffers_make(struct call *c)
{
    struct shape *shape = &c->shape;
    size_t margin = c->env->margin;
    bool scatter = shape->collective->kind == collective_kind_scatter ||
                   shape->collective->kind == collective_kind_scatterv;
    if (shape->collective->kind != collective_kind_barrier) {
        c->send = element_buffer_new(shape->send.low, shape->send.high, margin);
        c->recv = element_buffer_new(shape->recv.low, shape->recv.high, margin);
    }
    shape->arguments.sendbuf = c->send.data;
    shape->arguments.recvbuf = c->recv.data;
    if (shape->in_place && scatter)
        shape->arguments.recvbuf = MPI_IN_PLACE;
    else if (shape->in_place)
        shape->arguments.sendbuf = MPI_IN_PLACE;
    ignored_clear(c);
}

static void buffers_fill(struct call *c)
{
    for (int b = 0; b < c->shape.send.block_count; b++)
        block_put(c, &c->shape.send.block[b], c->send.data);
    for (int b = 0; b < c->shape.initial_count; b++)
        block_put(c, &c->shape.initial[b], c->recv.data);
    if (!c->send.mapped)
        c->sent = execute_checksum(&c->send);
}

/* Returns the peer of the extra messages: around a ring; between two groups, the rank of the same
 * number, if both have it. */
static int traffic_peer(const struct call *c, int step)
{
    const struct shape *shape = &c->shape;
    if (shape->other_size)
        return shape->rank < shape->other_size ? shape->rank : MPI_PROC_NULL;
    return (shape->rank + step + shape->size) % shape->size;
}

static void traffic_start(struct call *c)
{
    c->token[0] = c->shape.rank;
    c->token[1] = c->number;
    MPI_Isend(c->token, 2, MPI_INT, traffic_peer(c, 1), TRAFFIC_TAG + c->number, c->shape.comm,
              &c->traffic);
}

static void traffic_end(struct call *c)
{
    int got[2] = {-1, -1}, peer = traffic_peer(c, -1);
    MPI_Recv(got, 2, MPI_INT, peer, TRAFFIC_TAG + c->number, c->shape.comm, MPI_STATUS_IGNORE);
    MPI_Wait(&c->traffic, MPI_STATUS_IGNORE);
    if (peer != MPI_PROC_NULL && (got[0] != peer || got[1] != c->number))
        c->env->report(WORLD_RULE_CROSSING,
                       "rank %d: a message of the program's own arrived changed", c->shape.rank);
}

/* Reports an error, except a refusal of a size that an int cannot count, which MPI_Pack and others
 * cannot express. */
static void report_error(struct call *c, int error)
{
    c->refused |= error && scenario_type_huge(c->shape.s->type);
    if (error && !c->refused)
        c->env->report(WORLD_RULE_ERROR, "rank %d: the collective returned error %d", c->shape.rank,
                       error);
}

/* Checks that no rank left a barrier early; that of an intercommunicator waits only for the other
 * group. */
static void execute_left(const struct call *c)
{
    const struct shape *shape = &c->shape;
    if (shape->collective->kind != collective_kind_barrier || c->part)
        return;
    int group = shape->other_size ? !c->group : 0;
    int missing = c->env->missing(c->number, group, shape->peers_count);
    if (missing)
        c->env->report(WORLD_RULE_EARLY_EXIT,
                       "rank %d left the barrier before %d of %d rank%s%s had come", shape->rank,
                       missing, shape->peers_count, shape->peers_count == 1 ? "" : "s",
                       shape->other_size ? " of the other group" : "");
}

static void call_complete(struct call *c, int error)
{
    c->done = true;
    report_error(c, error);
    execute_left(c);
    if (!error)
        check_result(c);
}

/* Makes the call, or starts it. */
static void call_begin(struct call *c)
{
    const struct collective *collective = c->shape.collective;
    const struct scenario *s = c->shape.s;
    shape_make(&c->shape);
    buffers_make(c);
    buffers_fill(c);
    if (c->env->filled && c->recv.memory)
        c->env->filled(c->number, c->recv.data);
    if (s->traffic) /* a message of the program's own is pending meanwhile */
        traffic_start(c);
    if (s->slow == c->shape.member)
        c->env->pause(LAST_TURN);
    else if (c->turn)
        c->env->pause((unsigned)c->turn);
    c->env->entered(c->number, c->group);
    c->env->calling(collective->form == COLLECTIVE_NONBLOCKING ? 2 : 1);
    int error = collective->form == COLLECTIVE_BLOCKING
                    ? collective_call(collective, &c->shape.arguments)
                    : collective_start(collective, &c->shape.arguments, &c->request, &c->state);
    if (!error && collective->form == COLLECTIVE_PERSISTENT)
        error = MPI_Start(&c->request);
    c->env->calling(0);
    if (collective->form == COLLECTIVE_BLOCKING || error)
        call_complete(c, error);
}

/* Lets others run by a failed poll, for a tag that no rank uses. */
static void execute_compute(const struct call *c)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, TRAFFIC_TAG - 1, c->shape.comm, &flag, MPI_STATUS_IGNORE);
}

/* Tests once whether a nonblocking call is complete. */
static void call_test(struct call *c)
{
    const struct collective *collective = c->shape.collective;
    int done = 0;
    c->env->calling(1);
    int error = collective->form == COLLECTIVE_STATE
                    ? collective->test(c->state, &done)
                    : MPI_Test(&c->request, &done, MPI_STATUS_IGNORE);
    c->env->calling(0);
    if (done || error)
        call_complete(c, error);
    else if (collective->form == COLLECTIVE_STATE)
        execute_compute(c);
}

static void call_wait(struct call *c)
{
    if (c->shape.collective->form == COLLECTIVE_STATE) {
        while (!c->done)
            call_test(c);
        return;
    }
    c->env->calling(1);
    int error = MPI_Wait(&c->request, MPI_STATUS_IGNORE);
    c->env->calling(0);
    call_complete(c, error);
}

static void call_end(struct call *c)
{
    const struct collective *collective = c->shape.collective;
    if (!c->done)
        call_wait(c);
    for (int start = 1; collective->form == COLLECTIVE_PERSISTENT && start < STARTS; start++) {
        c->shape.call += SCENARIO_CALLS_MAX;
        if (c->recv.memory && !c->recv.mapped)
            memset(c->recv.memory, ELEMENT_FILL, c->recv.size);
        buffers_fill(c);
        report_error(c, MPI_Start(&c->request));
        call_wait(c);
    }
    if (collective->form == COLLECTIVE_PERSISTENT && c->request != MPI_REQUEST_NULL)
        MPI_Request_free(&c->request);
    if (c->shape.s->traffic)
        traffic_end(c);
    element_buffer_free(&c->send);
    element_buffer_free(&c->recv);
    shape_free(&c->shape);
}

/* --- all calls of a rank ---------------------------------------------------------------------- */

struct run {
    const struct execute_plan *plan;
    const struct execute_environment *env;
    struct shape_types types[2];
    struct communicators made;
};

static void types_make(const struct collective *collective, const struct scenario *s,
                       struct shape_types *out)
{
    out->type = s->type;
    out->type_send = s->type_send;
    out->mpi_type = element_type_new(s->type, s->sizes_seed);
    out->mpi_type_send = element_type_new(s->type_send, s->sizes_seed);
    out->op = collective_reduces(collective->kind) ? element_op_new(s->op) : MPI_SUM;
}

static void types_free(struct shape_types *types)
{
    element_op_free(&types->op);
    element_type_free(&types->mpi_type);
    element_type_free(&types->mpi_type_send);
}

/* Returns the member's position in an order that the scenario's number defines; 0 is first. */
static int turn_of(const struct scenario *s, int member, int size)
{
    uint32_t seed = s->arrive,
             mine = ((uint32_t)member + 1) * 2654435761u * (seed | 1) ^ seed << 20;
    int turn = 0;
    for (int other = 0; s->arrive && other < size; other++) {
        uint32_t its = ((uint32_t)other + 1) * 2654435761u * (seed | 1) ^ seed << 20;
        turn += its < mine || (its == mine && other < member);
    }
    return turn;
}

static void *heap_take(size_t bytes)
{
    void *made = malloc(bytes + !bytes);
    if (!made)
        abort();
    return made;
}

static void heap_give(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

static const struct shape_memory heap = {heap_take, heap_give};

static const struct collective *collective_of(const struct run *r, int number)
{
    const struct collective *const *of = r->plan->collective;
    return of[number % 2 && of[1]];
}

/* Sets the caller, and the ranks that it exchanges data with. */
static void members_find(const struct scenario *s, int group, struct shape *out)
{
    MPI_Comm_rank(out->comm, &out->rank);
    MPI_Comm_size(out->comm, &out->size);
    out->member = out->rank;
    out->peers_count = out->size;
    if (!s->first_group)
        return;
    MPI_Comm_remote_size(out->comm, &out->other_size);
    out->member += group ? s->first_group : 0;
    out->peers_first = group ? 0 : s->first_group;
    out->peers_count = out->other_size;
}

/* Returns the elements that each rank of a group sends: another number in one direction than in the
 * other, or none, where MPI allows the two to differ. */
static int count_of(const struct scenario *s, int number, const struct collective *collective,
                    int group)
{
    int count = scenario_count(s, number);
    if (!s->first_group || (collective->kind != collective_kind_allgather &&
                            collective->kind != collective_kind_alltoall))
        return count;
    if (s->sizes == SIZES_UNEVEN && group && !scenario_type_large(s->type) &&
        !scenario_type_large(s->type_send))
        return 2 * count;
    return (s->sizes == SIZES_MANY_ZERO && group) || (s->sizes == SIZES_ONE && !group) ? 0 : count;
}

static void call_prepare(const struct run *r, int number, struct call *c)
{
    bool other = number % 2 && r->plan->collective[1], also = (number + 1) / 2 % 2;
    const struct scenario *s = r->plan->scenario[other];
    *c = (struct call){.env = r->env, .number = number, .request = MPI_REQUEST_NULL};
    c->shape.memory = r->env->memory ? r->env->memory : &heap;
    c->part = also && s->also == ALSO_HALVES;
    c->shape.collective = collective_of(r, number);
    c->shape.s = s;
    c->shape.types = &r->types[other];
    c->shape.comm = r->made.comm[also];
    c->shape.call = number;
    members_find(s, r->made.group, &c->shape);
    c->group = r->made.group;
    int members = c->shape.size + c->shape.other_size;
    c->shape.root = scenario_root(s, number, members);
    c->shape.count = count_of(s, number, c->shape.collective, !r->made.group);
    c->shape.count_own = count_of(s, number, c->shape.collective, r->made.group);
    c->shape.count_send =
        c->shape.count_own * scenario_type_items(s->type) / scenario_type_items(s->type_send);
    c->turn = turn_of(s, c->shape.member, members);
}

/* Completes the pending calls: in the order of their start, or by tests in turn, where each rank
 * begins with another call. */
static void calls_end(struct call *calls, int count, bool by_test)
{
    int open = by_test ? count : 0;
    for (int next = count ? calls[0].shape.rank : 0; open > 0; next++) {
        struct call *c = &calls[next % count];
        if (c->done)
            continue;
        call_test(c);
        open -= c->done;
    }
    for (int i = 0; i < count; i++)
        call_end(&calls[i]);
}

/* Makes all calls. A blocking call completes at once; up to `flight` nonblocking calls are pending
 * at a time. No call follows a refused one: other ranks may still be in it, and would mistake the
 * later messages for its own. */
static void calls_make(const struct run *r)
{
    struct call calls[SCENARIO_CALLS_MAX], blocking;
    const struct scenario *s = r->plan->scenario[0];
    int open = 0;
    bool refused = false;
    for (int number = 0; number < s->calls && !refused; number++) {
        bool blocks = collective_of(r, number)->form == COLLECTIVE_BLOCKING;
        struct call *c = blocks ? &blocking : &calls[open++];
        call_prepare(r, number, c);
        call_begin(c);
        if (blocks)
            call_end(c);
        refused = c->refused;
        if (open < s->flight)
            continue;
        calls_end(calls, open, s->tested);
        refused |= c->refused;
        open = 0;
    }
    calls_end(calls, open, s->tested);
}

/* Checks that the calls left the communicators' error handlers as they were. */
static void handlers_check(const struct run *r)
{
    const int changed = communicators_changed(&r->made);
    int rank;

    if (changed < 0)
        return;
    MPI_Comm_rank(r->made.comm[changed], &rank);
    r->env->report(WORLD_RULE_HANDLER,
                   "rank %d: the collective left another error handler on its communicator", rank);
}

int execute_rank(const struct execute_plan *plan, const struct execute_environment *env)
{
    const struct scenario *s = plan->scenario[0];
    MPI_Comm world = env->world ? env->world : MPI_COMM_WORLD;
    bool neighbours = shape_is_neighbour(plan->collective[0]->kind) ||
                      (plan->collective[1] && shape_is_neighbour(plan->collective[1]->kind));
    struct run r = {.plan = plan, .env = env};
    if (!communicators_make(s, world, neighbours, &r.made))
        return 0;
    for (int i = 0; i < 2 && plan->collective[i]; i++)
        types_make(plan->collective[i], plan->scenario[i], &r.types[i]);
    calls_make(&r);
    handlers_check(&r);
    for (int i = 0; i < 2 && plan->collective[i]; i++)
        types_free(&r.types[i]);
    communicators_free(&r.made, world);
    return 0;
}
