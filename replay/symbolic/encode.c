/* Encodes operations, collectives, waits, buffers and the question. encode.h says what is free and
 * what the clauses mean. */
#include "replay/symbolic/encode.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "replay/symbolic/encode_state.h"

static const char what[] = "a formula";

void list_add(struct encoder *e, struct list *list, uint32_t node)
{
    if (e->circuit->status == CORE_OK)
        e->circuit->status = CORE_ARRAY_PUSH(list->node, list->count, list->room, what, node);
}

uint32_t encode_reached(const struct encoder *e, uint32_t rank, uint32_t op)
{
    CORE_CHECK(op <= e->program->rank[rank].op_count);
    return e->encoding->reached[e->encoding->base[rank] + op];
}

/* --- how far ---------------------------------------------------------------------------------- */

static bool is_run_op(const struct encoder *e, uint32_t rank, uint32_t op)
{
    uint32_t run = e->run_at[e->encoding->base[rank] + op];
    if (!run)
        return false;
    const struct matches_run *r = &e->matches->run[run - 1];
    return matches_run_has(r, &e->program->rank[rank], op);
}

/* Tells whether the operation may make a rank wait. */
static bool may_hold(const struct encoder *e, uint32_t rank, uint32_t op)
{
    const struct replay_op *o = &e->program->rank[rank].op[op];

    if (matches_is_quiet(&e->program->rank[rank], o))
        return false;
    switch ((enum replay_op_kind)o->kind) {
    case REPLAY_SEND:
        return o->mode != REPLAY_TOKEN && o->mode != REPLAY_BUFFERED;
    case REPLAY_RECV:
    case REPLAY_PROBE:
    case REPLAY_IPROBE:
    case REPLAY_MPROBE: {
        uint32_t run = e->run_at[e->encoding->base[rank] + op];
        if (!run || !is_run_op(e, rank, op)) /* a probe's message, which is there */
            return false;
        const struct matches_run *r = &e->matches->run[run - 1];
        return !r->certain || op == r->last;
    }
    case REPLAY_WAIT:
    case REPLAY_WAIT_ALL:
    case REPLAY_WAIT_ANY:
    case REPLAY_WAIT_SOME:
    case REPLAY_TEST:
    case REPLAY_COLL:
    case REPLAY_DETACH:
        return true;
    default:
        return false;
    }
}

static void place_ranks(struct encoder *e)
{
    struct encoding *encoding = e->encoding;

    for (uint32_t rank = 0; rank < e->program->rank_count; rank++) {
        uint32_t *reached = encoding->reached + encoding->base[rank], count;
        count = e->program->rank[rank].op_count;
        reached[0] = CIRCUIT_TRUE;
        for (uint32_t i = 0; i < count; i++)
            reached[i + 1] =
                may_hold(e, rank, i) ? circuit_new(e->circuit, CIRCUIT_OPEN) : reached[i];
        encoding->end[rank] = reached[count];
    }
}

/* --- collectives ------------------------------------------------------------------------------ */

/* Returns a node: members [from, to) have all entered. */
static uint32_t encode_entered(struct encoder *e, uint32_t comm, uint32_t first, uint32_t end,
                               uint32_t from, uint32_t to, bool prefix)
{
    e->list.count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct matches_entry *entry = &e->colls.entry[i];
        uint32_t member = replay_comm_index(&e->program->comm[comm], entry->rank);
        bool counts =
            !prefix || e->program->rank[entry->rank].op[entry->op].mode == REPLAY_COLL_PREFIX;
        if (member >= from && member < to && counts)
            list_add(e, &e->list, encode_reached(e, entry->rank, entry->op));
    }
    return e->list.count < to - from ? CIRCUIT_FALSE
                                     : circuit_and(e->circuit, e->list.node, e->list.count);
}

static uint32_t coll_relaxed(struct encoder *e, uint32_t rank, const struct replay_op *op,
                             uint32_t first, uint32_t end, uint32_t all)
{
    const struct replay_comm *comm = &e->program->comm[op->comm];
    uint32_t count = comm->member ? comm->count : e->program->rank_count;
    uint32_t mine = replay_comm_index(&e->program->comm[op->comm], rank), needed = CIRCUIT_FALSE;
    bool local = mine < comm->remote;

    switch ((enum replay_coll_shape)op->mode) {
    case REPLAY_COLL_FROM_ROOT:
        if (op->peer < 0 || op->peer == (int32_t)rank)
            return CIRCUIT_TRUE;
        for (uint32_t i = first; i < end; i++) {
            const struct matches_entry *entry = &e->colls.entry[i];
            if (entry->rank == (uint32_t)op->peer &&
                e->program->rank[entry->rank].op[entry->op].peer == op->peer)
                needed = encode_reached(e, entry->rank, entry->op);
        }
        break;
    case REPLAY_COLL_TO_ROOT:
        if (op->peer != (int32_t)rank || op->peer < 0)
            return CIRCUIT_TRUE;
        /* fall through */
    case REPLAY_COLL_ALL_TO_ALL:
        if (comm->remote)
            needed = local ? encode_entered(e, op->comm, first, end, comm->remote, count, false)
                           : encode_entered(e, op->comm, first, end, 0, comm->remote, false);
        break;
    case REPLAY_COLL_PREFIX:
        if (mine != UINT32_MAX)
            needed = encode_entered(e, op->comm, first, end, 0, mine + 1, true);
        break;
    }
    return circuit_or(e->circuit, (uint32_t[]){all, needed}, 2);
}

/* Returns a node: the collective lets the rank pass. */
static uint32_t coll_passes(struct encoder *e, uint32_t rank, const struct replay_op *op)
{
    const struct replay_comm *comm = &e->program->comm[op->comm];
    uint32_t first, end, count = comm->member ? comm->count : e->program->rank_count;
    enum replay_coll coll = e->options->policy.coll;

    if (coll == REPLAY_SYNCHRONISING && op->flags & REPLAY_FLAG_LOCAL)
        return CIRCUIT_TRUE;
    matches_colls_find(&e->colls, op->comm, (uint32_t)op->tag, &first, &end);
    CORE_CHECK(first < end);
    if (!e->coll_all[first])
        e->coll_all[first] = encode_entered(e, op->comm, first, end, 0, count, false) + 1;
    uint32_t all = e->coll_all[first] - 1;
    return coll == REPLAY_RELAXED ? coll_relaxed(e, rank, op, first, end, all) : all;
}

/* --- completion ------------------------------------------------------------------------------- */

static bool fixed_buffer(const struct encoder *e, const struct matches_send *send,
                         uint32_t *out_node)
{
    const struct replay_op *op = &e->program->rank[send->rank].op[send->op];
    const struct replay_send asked = {.bytes = op->bytes,
                                      .rank = send->rank,
                                      .event = replay_op_id(e->program, send->rank, send->op)};

    if (op->mode == REPLAY_SYNCHRONOUS)
        *out_node = CIRCUIT_FALSE;
    else if (op->mode == REPLAY_TOKEN || op->mode == REPLAY_BUFFERED)
        *out_node = CIRCUIT_TRUE;
    else if (e->options->sends)
        return false;
    else
        *out_node =
            replay_policy_buffers(&e->options->policy, &asked, NULL) ? CIRCUIT_TRUE : CIRCUIT_FALSE;
    return true;
}

static void place_buffers(struct encoder *e)
{
    for (uint32_t i = 0; i < e->matches->send_count; i++) {
        uint32_t *node = &e->encoding->buffered[i];
        if (!fixed_buffer(e, &e->matches->send[i], node))
            *node = circuit_new(e->circuit, CIRCUIT_INPUT);
    }
}

static uint32_t send_complete(struct encoder *e, uint32_t send)
{
    return circuit_or(e->circuit, (uint32_t[]){e->encoding->buffered[send], e->delivered[send]}, 2);
}

static uint32_t request_complete(struct encoder *e, uint32_t rank, int32_t request)
{
    uint32_t maker = e->maker[e->maker_base[rank] + (uint32_t)request];
    if (!maker)
        return CIRCUIT_FALSE;
    const struct replay_op *op = &e->program->rank[rank].op[maker - 1];
    uint64_t at = e->encoding->base[rank] + maker - 1;
    switch ((enum replay_op_kind)op->kind) {
    case REPLAY_ISEND:
        return op->peer < 0 ? CIRCUIT_TRUE : send_complete(e, e->send_at[at] - 1);
    case REPLAY_IRECV:
        return op->peer == REPLAY_PROC_NULL || !e->run_at[at] ? CIRCUIT_TRUE : e->receive[at];
    case REPLAY_ICOLL:
        return coll_passes(e, rank, op);
    default:
        return CIRCUIT_TRUE;
    }
}

static uint32_t set_complete(struct encoder *e, uint32_t rank, const struct replay_op *op, bool all)
{
    const struct replay_rank *r = &e->program->rank[rank];
    const struct replay_set *set = &r->set[op->request];
    struct list *list = &e->clause;

    list->count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        list_add(e, list, request_complete(e, rank, r->member[set->first + i]));
    if (!set->count)
        return CIRCUIT_TRUE;
    return all ? circuit_and(e->circuit, list->node, list->count)
               : circuit_or(e->circuit, list->node, list->count);
}

/* Returns a node: all buffered messages that the rank sent before the operation have left the
 * buffer. */
static uint32_t buffer_empty(struct encoder *e, uint32_t rank, uint32_t index)
{
    const struct replay_rank *r = &e->program->rank[rank];

    e->list.count = 0;
    for (uint32_t i = index; i-- > 0 && r->op[i].kind != REPLAY_DETACH;)
        if (matches_is_send(&r->op[i]) && r->op[i].mode == REPLAY_BUFFERED &&
            r->op[i].bytes + e->program->buffered_overhead)
            list_add(e, &e->list, e->delivered[e->send_at[e->encoding->base[rank] + i] - 1]);
    return circuit_and(e->circuit, e->list.node, e->list.count);
}

static uint32_t op_complete(struct encoder *e, uint32_t rank, uint32_t index)
{
    const struct replay_op *op = &e->program->rank[rank].op[index];
    uint64_t at = e->encoding->base[rank] + index;

    switch ((enum replay_op_kind)op->kind) {
    case REPLAY_SEND:
        return send_complete(e, e->send_at[at] - 1);
    case REPLAY_WAIT:
        return request_complete(e, rank, op->request);
    case REPLAY_WAIT_ALL:
    case REPLAY_TEST:
        return set_complete(e, rank, op, true);
    case REPLAY_WAIT_ANY:
    case REPLAY_WAIT_SOME:
        return set_complete(e, rank, op, false);
    case REPLAY_COLL:
        return coll_passes(e, rank, op);
    case REPLAY_DETACH:
        return buffer_empty(e, rank, index);
    default:
        return e->receive[at];
    }
}

static void define_ranks(struct encoder *e)
{
    for (uint32_t rank = 0; rank < e->program->rank_count; rank++) {
        const uint32_t *reached = e->encoding->reached + e->encoding->base[rank];
        for (uint32_t i = 0; i < e->program->rank[rank].op_count; i++)
            if (e->circuit->status == CORE_OK && reached[i + 1] != reached[i])
                circuit_define(e->circuit, reached[i + 1], CIRCUIT_AND,
                               (uint32_t[]){reached[i], op_complete(e, rank, i)}, 2);
    }
}

/* Asks for a state in which no rank can proceed and some rank has not finished. */
static void encode_ask(struct encoder *e)
{
    e->list.count = 0;
    for (uint32_t rank = 0; rank < e->program->rank_count; rank++)
        list_add(e, &e->list, e->encoding->end[rank]);
    for (uint32_t i = 0; e->circuit->status == CORE_OK && i < e->list.count; i++)
        e->list.node[i] = (uint32_t)-circuit_literal(e->list.node[i]);
    if (e->circuit->status == CORE_OK)
        circuit_clause(e->circuit, (const int32_t *)e->list.node, e->list.count);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void encode_prepare(struct encoder *e)
{
    uint64_t ops = 0, requests = 0, ranks = e->program->rank_count;
    struct encoding *encoding = e->encoding;
    enum core_status status = e->circuit->status;

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(encoding->base, ranks + 1, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(e->maker_base, ranks + 1, what);
    for (uint32_t rank = 0; status == CORE_OK && rank < ranks; rank++) {
        encoding->base[rank] = ops;
        e->maker_base[rank] = (uint32_t)requests;
        ops += e->program->rank[rank].op_count + UINT64_C(1);
        requests += (uint32_t)e->program->rank[rank].request_count;
    }
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(encoding->reached, ops, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(encoding->end, ranks, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(encoding->buffered, e->matches->send_count, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(e->taken, e->matches->send_count, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(e->delivered, e->matches->send_count, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(e->run_at, ops, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(e->receive, ops, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(e->send_at, ops, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(e->maker, requests, what);
    if (status == CORE_OK)
        status = matches_colls_list(e->program, &e->colls);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(e->coll_all, e->colls.count, what);
    e->circuit->status = status;
}

static void note_ops(struct encoder *e)
{
    const uint64_t *base = e->encoding->base;

    for (uint32_t i = 0; i < e->matches->send_count; i++)
        e->send_at[base[e->matches->send[i].rank] + e->matches->send[i].op] = i + 1;
    for (uint32_t i = 0; i < e->matches->run_count; i++) {
        const struct matches_run *run = &e->matches->run[i];
        for (uint32_t k = run->op; k <= run->last; k++)
            if (matches_run_has(run, &e->program->rank[run->rank], k))
                e->run_at[base[run->rank] + k] = i + 1;
    }
    for (uint32_t rank = 0; rank < e->program->rank_count; rank++)
        for (uint32_t i = 0; i < e->program->rank[rank].op_count; i++) {
            const struct replay_op *op = &e->program->rank[rank].op[i];
            if (op->kind == REPLAY_ISEND || op->kind == REPLAY_IRECV || op->kind == REPLAY_ICOLL ||
                op->kind == REPLAY_IMRECV)
                e->maker[e->maker_base[rank] + (uint32_t)op->request] = i + 1;
        }
}

enum core_status encode(const struct replay_program *program, const struct matches *matches,
                        const struct replay_explore_options *options, bool recorded,
                        struct encoding *out_encoding)
{
    struct encoding encoding = {0};
    struct encoder e = {.program = program,
                        .matches = matches,
                        .options = options,
                        .recorded = recorded,
                        .encoding = &encoding,
                        .circuit = &encoding.circuit};

    circuit_init(&encoding.circuit);
    encode_prepare(&e);
    if (encoding.circuit.status == CORE_OK) {
        note_ops(&e);
        place_ranks(&e);
        place_buffers(&e);
    }
    if (encoding.circuit.status == CORE_OK)
        encode_matches(&e);
    if (encoding.circuit.status == CORE_OK)
        define_ranks(&e);
    if (encoding.circuit.status == CORE_OK)
        encode_ask(&e);
    free(e.taken);
    free(e.delivered);
    free(e.run_at);
    free(e.receive);
    free(e.send_at);
    free(e.maker);
    free(e.maker_base);
    free(e.coll_all);
    free(e.colls.entry);
    free(e.list.node);
    free(e.clause.node);
    enum core_status status = encoding.circuit.status;
    if (status == CORE_OK)
        *out_encoding = encoding;
    else
        encoding_done(&encoding);
    return status;
}

void encoding_done(struct encoding *encoding)
{
    circuit_done(&encoding->circuit);
    free(encoding->match);
    free(encoding->buffered);
    free(encoding->end);
    free(encoding->reached);
    free(encoding->base);
    *encoding = (struct encoding){0};
}
