/* Finds which operation certainly comes after which, in every order and every buffering: by program
 * order, by collectives that wait for all members, and by messages that a certain run takes. The
 * ranks walk along their operations, each with a vector clock; nothing else makes them wait.
 *
 * Invariants
 *  1. clock[send][rank] operations of that rank are passed in every execution in which the message
 *     was sent. UINT32_MAX: it never is.
 *  2. The entry of a rank's clock for itself is its present operation. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "replay/symbolic/matches.h"

static const char what[] = "an order of messages";

enum { ORDER_CLOCKS_MAX = 1 << 26 };

struct going { /* state of the walk */
    const struct replay_program *program;
    const struct matches *matches;
    const struct matches_colls *colls;
    const uint32_t *run_at; /* by operation of all ranks: its run plus 1 */
    uint64_t *base;         /* by rank: its first operation */
    bool synchronising, strict;
    uint32_t ranks;
    uint32_t *clock;     /* by rank, then by rank */
    uint32_t *send_at;   /* by operation: its send plus 1 */
    bool *posted;        /* by send */
    bool *joined;        /* by run */
    uint32_t *coll_came; /* by first entry of a collective: number of ranks that have entered */
    uint32_t **coll_clock;
    uint32_t *maker, *maker_base; /* by rank and request */
    uint32_t *at;
    struct order *order;
};

static void order_join(uint32_t *clock, const uint32_t *other, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
}

static uint32_t *clock_of(const struct going *g, uint32_t rank)
{
    return g->clock + (uint64_t)rank * g->ranks;
}

/* Tells whether all messages of a certain run have been sent; the receiver then comes after them.
 */
static bool join_run(struct going *g, uint32_t rank, uint32_t run_index)
{
    const struct matches_run *run = &g->matches->run[run_index];
    if (!run->certain || run->looks || g->joined[run_index])
        return true;
    if (run->candidates < run->count)
        return false;
    for (uint32_t i = 0; i < run->candidates; i++)
        if (!g->posted[g->matches->candidate[run->candidate + i]])
            return false;
    for (uint32_t i = 0; i < run->candidates; i++) {
        uint32_t send = g->matches->candidate[run->candidate + i];
        order_join(clock_of(g, rank), g->order->clock + (uint64_t)send * g->ranks, g->ranks);
    }
    g->joined[run_index] = true;
    return true;
}

static uint32_t order_members(const struct going *g, uint32_t comm)
{
    const struct replay_comm *c = &g->program->comm[comm];
    return c->member ? c->count : g->ranks;
}

static bool holds_all(const struct going *g, const struct replay_op *op)
{
    bool local = op->flags & REPLAY_FLAG_LOCAL;
    return g->synchronising
               ? g->strict || !local
               : op->mode == REPLAY_COLL_ALL_TO_ALL && !g->program->comm[op->comm].remote;
}

static bool join_coll(struct going *g, uint32_t rank, const struct replay_op *op)
{
    uint32_t first, end;
    if (!holds_all(g, op))
        return true;
    matches_colls_find(g->colls, op->comm, (uint32_t)op->tag, &first, &end);
    if (g->coll_came[first] < order_members(g, op->comm))
        return false;
    order_join(clock_of(g, rank), g->coll_clock[first], g->ranks);
    return true;
}

static enum core_status enter_coll(struct going *g, uint32_t rank, const struct replay_op *op)
{
    uint32_t first, end;
    matches_colls_find(g->colls, op->comm, (uint32_t)op->tag, &first, &end);
    if (!g->coll_clock[first]) {
        enum core_status status = CORE_ARRAY_NEW(g->coll_clock[first], g->ranks, what);
        if (status != CORE_OK)
            return status;
    }
    g->coll_came[first]++;
    order_join(g->coll_clock[first], clock_of(g, rank), g->ranks);
    return CORE_OK;
}

static bool join_request(struct going *g, uint32_t rank, int32_t request)
{
    uint32_t op = g->maker[g->maker_base[rank] + (uint32_t)request];
    if (!op)
        return true;
    const struct replay_op *made = &g->program->rank[rank].op[op - 1];
    uint32_t run = g->run_at[g->base[rank] + op - 1];
    if (made->kind == REPLAY_ICOLL)
        return join_coll(g, rank, made);
    return made->kind != REPLAY_IRECV || !run || join_run(g, rank, run - 1);
}

/* Tells whether the rank can pass the operation. */
static bool order_passes(struct going *g, uint32_t rank, uint32_t index)
{
    const struct replay_rank *program = &g->program->rank[rank];
    const struct replay_op *op = &program->op[index];
    uint32_t run = g->run_at[g->base[rank] + index];

    switch ((enum replay_op_kind)op->kind) {
    case REPLAY_RECV:
    case REPLAY_PROBE:
    case REPLAY_IPROBE:
    case REPLAY_MPROBE:
        return !run || join_run(g, rank, run - 1);
    case REPLAY_WAIT:
        return join_request(g, rank, op->request);
    case REPLAY_TEST:
        if (!(op->flags & REPLAY_FLAG_DONE))
            return true;
        /* fall through */
    case REPLAY_WAIT_ALL: {
        const struct replay_set *set = &program->set[op->request];
        for (uint32_t i = 0; i < set->count; i++)
            if (!join_request(g, rank, program->member[set->first + i]))
                return false;
        return true;
    }
    case REPLAY_COLL:
        return join_coll(g, rank, op);
    default:
        return true;
    }
}

static enum core_status order_arrive(struct going *g, uint32_t rank, uint32_t index)
{
    const struct replay_op *op = &g->program->rank[rank].op[index];
    uint32_t send = g->send_at[g->base[rank] + index];

    clock_of(g, rank)[rank] = index; /* invariant 2 */
    if (op->kind == REPLAY_COLL || op->kind == REPLAY_ICOLL)
        return enter_coll(g, rank, op);
    if (!send)
        return CORE_OK;
    memcpy(g->order->clock + (uint64_t)(send - 1) * g->ranks, clock_of(g, rank),
           g->ranks * sizeof *g->clock);
    g->posted[send - 1] = true;
    return CORE_OK;
}

static enum core_status order_go(struct going *g)
{
    bool moved = true;

    for (uint32_t rank = 0; rank < g->ranks; rank++) {
        enum core_status status =
            g->program->rank[rank].op_count ? order_arrive(g, rank, 0) : CORE_OK;
        if (status != CORE_OK)
            return status;
    }
    while (moved) {
        moved = false;
        for (uint32_t rank = 0; rank < g->ranks; rank++) {
            uint32_t count = g->program->rank[rank].op_count;
            while (g->at[rank] < count && order_passes(g, rank, g->at[rank])) {
                moved = true;
                if (++g->at[rank] == count)
                    break;
                enum core_status status = order_arrive(g, rank, g->at[rank]);
                if (status != CORE_OK)
                    return status;
            }
        }
    }
    return CORE_OK;
}

static enum core_status order_prepare(struct going *g)
{
    uint64_t ops = 0, requests = 0;
    enum core_status status = CORE_ARRAY_NEW(g->base, (uint64_t)g->ranks + 1, what);

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->maker_base, (uint64_t)g->ranks + 1, what);
    if (status != CORE_OK)
        return status;
    for (uint32_t rank = 0; rank < g->ranks; rank++) {
        g->base[rank] = ops;
        g->maker_base[rank] = (uint32_t)requests;
        ops += g->program->rank[rank].op_count;
        requests += (uint32_t)g->program->rank[rank].request_count;
    }
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->clock, (uint64_t)g->ranks * g->ranks, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->send_at, ops, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->posted, g->matches->send_count, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->joined, g->matches->run_count, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->coll_came, g->colls->count, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->coll_clock, g->colls->count, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->maker, requests, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->at, g->ranks, what);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(g->order->clock, (uint64_t)g->matches->send_count * g->ranks, what);
    return status;
}

static void note_makers(struct going *g)
{
    for (uint32_t i = 0; i < g->matches->send_count; i++) {
        const struct matches_send *send = &g->matches->send[i];
        g->send_at[g->base[send->rank] + send->op] = i + 1;
    }
    for (uint32_t rank = 0; rank < g->ranks; rank++)
        for (uint32_t i = 0; i < g->program->rank[rank].op_count; i++) {
            const struct replay_op *op = &g->program->rank[rank].op[i];
            if (op->kind == REPLAY_IRECV || op->kind == REPLAY_ICOLL)
                g->maker[g->maker_base[rank] + (uint32_t)op->request] = i + 1;
        }
    memset(g->order->clock, 0xff,
           (uint64_t)g->matches->send_count * g->ranks * sizeof *g->order->clock);
}

enum core_status order_find(const struct replay_program *program, const struct matches *matches,
                            const struct matches_colls *colls, enum replay_coll coll,
                            const uint32_t *run_at, struct order *out_order)
{
    struct order order = {.ranks = program->rank_count};
    struct going g = {.program = program,
                      .matches = matches,
                      .colls = colls,
                      .run_at = run_at,
                      .synchronising = coll != REPLAY_RELAXED,
                      .strict = coll == REPLAY_STRICT,
                      .ranks = program->rank_count,
                      .order = &order};

    *out_order = order;
    if ((uint64_t)matches->send_count * program->rank_count > ORDER_CLOCKS_MAX ||
        (uint64_t)program->rank_count * program->rank_count > ORDER_CLOCKS_MAX)
        return CORE_OK;
    enum core_status status = order_prepare(&g);
    if (status == CORE_OK) {
        note_makers(&g);
        status = order_go(&g);
    }
    for (uint32_t i = 0; g.coll_clock && i < colls->count; i++)
        free(g.coll_clock[i]);
    free(g.base);
    free(g.clock);
    free(g.send_at);
    free(g.posted);
    free(g.joined);
    free(g.coll_came);
    free(g.coll_clock);
    free(g.maker);
    free(g.maker_base);
    free(g.at);
    if (status == CORE_OK)
        *out_order = order;
    else
        free(order.clock);
    return status;
}
