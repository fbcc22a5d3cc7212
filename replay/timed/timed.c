/* Runs the timed clock: entry, loop over instants, supersteps, results. */
#include "replay/timed/timed_state.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/pages.h"

static const uint64_t ticks_max = 1ull << 62; /* limit of a run's serial time */

struct replay_timed_options replay_timed_defaults(void)
{
    return (struct replay_timed_options){
        .alpha_ps = 1000000, .beta_ps = 1000, .tau_ps = 1, .word_bytes = 8, .eager_bytes = -1};
}

enum core_status timed_numbers_add(struct timed_engine *e, struct timed_numbers *n, uint32_t value)
{
    if (__builtin_expect(n->count == n->room, 0)) {
        uint32_t room = n->room;
        if (timed_failed(e, CORE_ARRAY_ROOM(n->at, n->room, n->count + 1, "the timed clock")))
            return e->status;
        e->extra_bytes += (n->room - room) * sizeof *n->at;
    }
    n->at[n->count++] = value;
    return CORE_OK;
}

/* Returns beta * bytes / word, rounded up. */
uint64_t timed_words_ticks(const struct timed_engine *e, uint64_t bytes)
{
    unsigned __int128 product = (unsigned __int128)e->beta * bytes;
    return (uint64_t)((product + e->options.word_bytes - 1) / e->options.word_bytes);
}

/* Returns the time of the program if it did everything one after the other, in picoseconds. No run
 * lasts longer: at any moment at least one message moves at its full share. */
static unsigned __int128 serial_time(const struct timed_engine *e)
{
    const struct replay_timed_options *o = &e->options;
    unsigned __int128 alpha = o->alpha_ps, sum = 0;
    if (e->topology.kind == REPLAY_PIPELINE)
        alpha += (unsigned __int128)o->beta_ps * e->topology.ranks;
    for (uint32_t r = 0; r < e->program->rank_count; r++) {
        const struct replay_rank *rank = &e->program->rank[r];
        for (uint32_t i = 0; i < rank->op_count; i++) {
            const struct replay_op *op = &rank->op[i];
            switch (op->kind) {
            case REPLAY_SEND:
            case REPLAY_ISEND:
                sum += alpha + (unsigned __int128)o->beta_ps * op->bytes / o->word_bytes + 1;
                break;
            case REPLAY_COMPUTE:
                sum += o->ignore_compute ? 0 : op->bytes;
                break;
            case REPLAY_COMBINE:
                sum += (unsigned __int128)o->tau_ps * op->bytes;
                break;
            case REPLAY_COLL:
            case REPLAY_ICOLL:
                sum += o->coll_cost
                           ? o->coll_cost(o->coll_context, (enum replay_coll_shape)op->mode,
                                          e->program->comm[op->comm].count, op->bytes)
                           : alpha * 32 +
                                 (unsigned __int128)o->beta_ps * op->bytes / o->word_bytes + 1;
                break;
            default:
                break;
            }
        }
    }
    return sum;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static enum core_status choose_scale(struct timed_engine *e)
{
    static const uint8_t factor[] = {2, 3,  2,  5, 2, 7, 3,  2, 11, 13, 2, 5, 3,
                                     2, 17, 19, 2, 3, 2, 23, 2, 3,  5,  7, 2, 2};
    struct replay_timed_options *o = &e->options;
    unsigned __int128 serial = serial_time(e);
    uint64_t whole =
        o->word_bytes / (o->beta_ps ? common_divisor(o->beta_ps, o->word_bytes) : o->word_bytes);

    if (serial >= ticks_max)
        return core_report(
            CORE_LIMIT, "the program is too long for the timed clock: its serial time exceeds 2^62 "
                        "picoseconds; take smaller alpha, beta or sizes");
    e->scale = serial * whole < ticks_max ? whole : 1;
    for (size_t i = 0; e->shared && i < sizeof factor; i++)
        if (serial * e->scale * factor[i] < ticks_max)
            e->scale *= factor[i];
    CORE_CHECK(e->scale > 0 && serial * e->scale < ticks_max);
    e->alpha = o->alpha_ps * e->scale;
    e->beta = o->beta_ps * e->scale;
    e->tau = o->tau_ps * e->scale;
    e->byte_exact = e->beta % o->word_bytes == 0;
    e->byte_ticks = e->byte_exact ? e->beta / o->word_bytes : 0;
    return CORE_OK;
}

static enum core_status check_options(const struct replay_program *program,
                                      const struct replay_timed_options *o)
{
    const uint64_t most = 1ull << 56;
    if (o->word_bytes == 0)
        return core_report(CORE_BAD_INPUT, "a word of 0 bytes is impossible; the nearest is 1");
    if (o->alpha_ps > most || o->beta_ps > most || o->tau_ps > most)
        return core_report(CORE_LIMIT,
                           "alpha, beta and tau are limited to 2^56 picoseconds (20 hours)");
    if (o->topology && o->topology->ranks != program->rank_count)
        return core_report(CORE_BAD_INPUT, "a network of %u ranks for a program of %u",
                           o->topology->ranks, program->rank_count);
    if (o->half_duplex && o->routing == REPLAY_ROUTING_BEST)
        return core_report(CORE_UNSUPPORTED, "half duplex with routing best: take routing fixed");
    for (uint32_t i = 0; i < o->route_count; i++)
        for (uint32_t n = 0; n < o->route[i].count; n++)
            if (!o->topology || o->route[i].node[n] >= o->topology->nodes)
                return core_report(CORE_BAD_INPUT,
                                   "a forced route over a node that does not exist");
    return CORE_OK;
}

void timed_column_make(struct timed_engine *e, enum timed_column column)
{
    e->column[column] = core_alloc_zero(e->program->rank_count, sizeof *e->column[column]);
    if (!e->column[column] && e->status == CORE_OK)
        e->status =
            core_report(CORE_NO_MEMORY, "out of memory for %u ranks", e->program->rank_count);
    e->extra_bytes += e->program->rank_count * sizeof *e->column[column];
}

/* Counts the requests of all ranks, and makes room for awaited sets. Refuses more than struct
 * timed_rank has bits for. */
static enum core_status waits_fit(struct timed_engine *e, uint64_t *out_requests)
{
    uint64_t requests = 0, sets = 0;

    for (uint32_t i = 0; i < e->program->rank_count; i++) {
        const struct replay_rank *rank = &e->program->rank[i];
        requests += (uint64_t)rank->request_count;
        sets += rank->set_count;
        for (uint32_t s = 0; rank->member_count > RANK_PENDING_MAX && s < rank->set_count; s++)
            if (rank->set[s].count > RANK_PENDING_MAX)
                return core_report(CORE_LIMIT,
                                   "rank %u waits for %u requests at once; the timed clock takes "
                                   "at most %d",
                                   i, rank->set[s].count, RANK_PENDING_MAX);
    }
    if (requests > UINT32_MAX)
        return core_report(CORE_LIMIT, "program too long: more than %u requests", UINT32_MAX);
    if (sets && !(e->sets = core_alloc_zero(e->program->rank_count, sizeof *e->sets)))
        return core_report(CORE_NO_MEMORY, "out of memory for %u ranks", e->program->rank_count);
    *out_requests = requests;
    return CORE_OK;
}

static enum core_status engine_init(struct timed_engine *e)
{
    uint32_t ranks = e->program->rank_count;
    uint64_t requests = 0;
    enum core_status status = choose_scale(e);

    if (status == CORE_OK)
        status = timed_match_init(e);
    if (status == CORE_OK && e->shared)
        status = timed_link_init(e);
    if (status != CORE_OK)
        return status;
    status = waits_fit(e, &requests);
    if (status == CORE_OK && e->sets)
        e->extra_bytes += ranks * sizeof *e->sets;
    if (status != CORE_OK)
        return status;
    e->rank = core_pages_new(ranks * sizeof *e->rank);
    e->request = core_alloc_zero(requests + 1, 1);
    if (!e->rank || !e->request)
        return core_report(CORE_NO_MEMORY, "out of memory for %u ranks", ranks);
    if (e->any_held && !(e->held = core_alloc_zero(requests + 1, sizeof *e->held)))
        return core_report(CORE_NO_MEMORY, "out of memory for %llu requests",
                           (unsigned long long)requests);
    if (e->any_detach && !(e->buffered = core_alloc_zero(ranks, sizeof *e->buffered)))
        return core_report(CORE_NO_MEMORY, "out of memory for %u ranks", ranks);
    if (e->options.want_path) {
        e->cause = core_alloc_zero(ranks, sizeof *e->cause);
        e->side = core_alloc_zero(e->message_room / sizeof *e->message, sizeof *e->side);
        if (!e->cause || !e->side)
            return core_report(CORE_NO_MEMORY, "out of memory for the critical path");
    }
    if (e->options.port == REPLAY_PORT_BSP) {
        e->local = core_alloc_zero((size_t)ranks * 3, sizeof *e->local);
        if (!e->local)
            return core_report(CORE_NO_MEMORY, "out of memory for %u ranks", ranks);
        e->words_in = e->local + ranks;
        e->words_out = e->words_in + ranks;
    }
    e->extra_bytes += requests + ranks * sizeof *e->rank;
    uint64_t requests_all = requests;
    requests = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        const struct replay_rank *from = &e->program->rank[r];
        e->rank[r] = (struct timed_rank){
            .op = from->op, .left = from->op_count, .request = (uint32_t)requests};
        if (e->sets)
            e->sets[r] = (struct timed_sets){.set = from->set, .member = from->member};
        requests += (uint64_t)from->request_count;
    }
    CORE_CHECK(requests == requests_all); /* requests are contiguous, rank after rank */
    e->starting = ranks;
    return e->status;
}

static void engine_done(struct timed_engine *e)
{
    timed_match_done(e);
    timed_port_done(e);
    timed_link_done(e);
    timed_collectives_done(e);
    timed_queue_done(&e->queue);
    core_pages_done(e->rank, e->program->rank_count * sizeof *e->rank);
    free(e->sets);
    free(e->port);
    for (int i = 0; i < REPLAY_TIMED_COLUMNS; i++)
        free(e->column[i]);
    free(e->request);
    free(e->held);
    free(e->buffered);
    timed_lock_done(e);
    free(e->run.at);
    free(e->dirty_sender.at);
    free(e->dirty_receiver.at);
    free(e->fresh.at);
    free(e->waiting.at);
    free(e->local);
    free(e->record);
    free(e->cause);
    free(e->side);
}

static void message_ended(struct timed_engine *e, uint32_t id, uint64_t started)
{
    struct timed_message *m = &e->message[id];
    CORE_CHECK_HOT(id && id < e->message_used); /* timed_state.h invariant 1 */
    CORE_CHECK_HOT(!(m->flags & (MESSAGE_RECV | MESSAGE_ARRIVED)));
    CORE_CHECK_HOT(!(m->flags & MESSAGE_BUFFERED) || e->buffered[m->src] > 0);
    uint32_t cause = e->cause ? timed_path_message(e, id, started) : 0;
    if (e->options.message && !(m->flags & MESSAGE_SELF))
        e->options.message(e->options.message_context,
                           &(struct replay_timed_step){.start_ps = timed_ps(e, started),
                                                       .end_ps = timed_ps(e, e->now),
                                                       .amount = m->bytes,
                                                       .rank = m->src,
                                                       .peer = m->dst,
                                                       .op = m->send_op,
                                                       .kind = REPLAY_STEP_MESSAGE});

    timed_port_ended(e, m);
    timed_rank_complete(e, (uint32_t)m->src, m->send_request, cause, m, started);
    m->send_request = NO_SIDE;
    if (m->flags & MESSAGE_BUFFERED && --e->buffered[m->src] == 0 &&
        e->rank[m->src].flags & RANK_PROBING && e->rank[m->src].op->kind == REPLAY_DETACH) {
        e->rank[m->src].flags &= ~(uint32_t)(RANK_PROBING | RANK_BLOCKED);
        timed_column_add(e, COLUMN_TRANSFER, (uint32_t)m->src, e->now - e->rank[m->src].blocked_at);
        timed_numbers_add(e, &e->run, (uint32_t)m->src);
    }
    if (m->flags &
        (MESSAGE_SEND | MESSAGE_HELD)) { /* eager, and no rank has posted the receive yet */
        m->flags |= MESSAGE_ARRIVED;
        return;
    }
    timed_rank_complete(e, (uint32_t)m->dst, m->recv_request, cause, m, started);
    timed_message_free(e, id);
}

static void timed_event_one(struct timed_engine *e, const struct timed_event *event)
{
    uint32_t id = event->id;
    switch (event->what & 3) {
    case EVENT_END:
        if (!e->shared) {
            message_ended(e, id, e->now - timed_duration(e, &e->message[id]));
        } else if ((id = timed_link_current(e, id, event->what)) != NONE) {
            uint64_t started = timed_link_started(e, id);
            timed_link_ended(e, id);
            message_ended(e, id, started);
        }
        break;
    case EVENT_RESUME:
        CORE_CHECK(e->rank[id].flags & RANK_BLOCKED); /* timed_state.h invariant 2 */
        e->rank[id].flags &= ~(uint32_t)RANK_BLOCKED;
        timed_numbers_add(e, &e->run, id);
        break;
    case EVENT_FLOW:
        if (e->message[id].flags & MESSAGE_SELF)
            message_ended(e, id, e->now);
        else
            timed_link_flow(e, id);
        break;
    default:
        timed_collective_event(e, id);
        break;
    }
}

/* --- reading ahead ---------------------------------------------------------------------------- */

enum {
    NEXT_OPS = 3,       /* per rank */
    FAR_SLOTS = 1 << 16 /* smaller tables fit into the caches */
};

static inline uint32_t run_at(const struct timed_engine *e, size_t i)
{
    return i < e->starting ? (uint32_t)i : e->run.at[i - e->starting];
}

/* Returns the set for which a rank will wait within its next operations; NULL: none. */
static const struct replay_set *next_set(const struct timed_engine *e, uint32_t rank)
{
    const struct timed_rank *r = &e->rank[rank];
    for (uint32_t i = 0; e->sets && i < NEXT_OPS && i < r->left; i++)
        if (r->op[i].kind == REPLAY_WAIT_ALL)
            return &e->sets[rank].set[r->op[i].request];
    return NULL;
}

/* Prefetches what the ranks of run[i, end) will read, for all at once, in the order of the pointers
 * that lead there. */
static void read_ahead(const struct timed_engine *e, size_t i, size_t end)
{
    const struct replay_set *set[TIMED_AHEAD];
    uint32_t rank[TIMED_AHEAD], count = (uint32_t)(end - i);

    for (uint32_t k = 0; k < count; k++) {
        rank[k] = run_at(e, i + k);
        timed_touch(&e->rank[rank[k]]);
        timed_touch(&e->program->rank[rank[k]]);
    }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t o = 0; o < NEXT_OPS && o < e->rank[rank[k]].left; o++)
            timed_touch(&e->rank[rank[k]].op[o]);
    for (uint32_t k = 0; k < count; k++)
        if ((set[k] = next_set(e, rank[k])))
            timed_touch(set[k]);
    for (uint32_t k = 0; k < count; k++)
        if (set[k] && set[k]->count)
            timed_touch(&e->sets[rank[k]].member[set[k]->first]);
    for (uint32_t k = 0; k < count; k++)
        if (set[k] && set[k]->count)
            timed_touch(
                timed_request(e, &e->rank[rank[k]], e->sets[rank[k]].member[set[k]->first]));
    for (int near = 0; e->slot_mask >= FAR_SLOTS && near < 2; near++)
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t o = 0; o < NEXT_OPS && o < e->rank[rank[k]].left; o++)
                timed_match_ahead(e, rank[k], &e->rank[rank[k]].op[o], near);
}

static void run_ranks(struct timed_engine *e)
{
    size_t ahead = 0;
    for (size_t i = 0; i < e->starting + e->run.count; i++) {
        size_t count = e->starting + e->run.count;
        if (i == ahead) {
            ahead = count - i < TIMED_AHEAD ? count : i + TIMED_AHEAD;
            read_ahead(e, i, ahead);
        }
        timed_rank_run(e, run_at(e, i));
    }
    e->starting = 0;
    e->run.count = 0;
}

/* Prefetches what the message ends among the events [i, end) will read. */
static void read_events(const struct timed_engine *e, uint32_t i, uint32_t end)
{
    const struct timed_event *event = e->queue.bucket[0].event;

    if (e->shared) /* then ends are of flows */
        return;
    for (uint32_t k = i; k < end; k++)
        if ((event[k].what & 3) == EVENT_END)
            timed_touch(&e->message[event[k].id]);
    for (uint32_t k = i; k < end; k++)
        if ((event[k].what & 3) == EVENT_END) {
            timed_touch(&e->rank[e->message[event[k].id].src]);
            timed_touch(&e->rank[e->message[event[k].id].dst]);
        }
}

/* Handles all present events of this instant; events that these cause at the same instant belong to
 * the next round. */
static void take_instant(struct timed_engine *e)
{
    struct timed_bucket *bucket = &e->queue.bucket[0];
    uint32_t count = bucket->count;
    e->now = e->queue.last;
    for (uint32_t i = 0; i < count; i++) {
        if (i % TIMED_AHEAD == 0)
            read_events(e, i, count - i < TIMED_AHEAD ? count : i + TIMED_AHEAD);
        struct timed_event taken = bucket->event[i]; /* the bucket may move */
        timed_event_one(e, &taken);
    }
    if (bucket->count > count)
        memmove(bucket->event, bucket->event + count,
                (bucket->count - count) * sizeof *bucket->event);
    bucket->count -= count;
    if (e->shared)
        timed_link_update(e);
}

static void run_clock(struct timed_engine *e)
{
    while (e->status == CORE_OK && !e->queue.failed) {
        run_ranks(e);
        timed_port_start(e);
        if (e->queue.bucket[0].count == 0 && !timed_queue_advance(&e->queue))
            return;
        CORE_CHECK_HOT(e->queue.last >= e->now); /* time never runs backwards */
        take_instant(e);
    }
}

/* Ends a superstep: local work, then all matched messages at once. Returns 0 if nothing moved. */
static int timed_superstep(struct timed_engine *e)
{
    uint64_t work = 0, most = 0, moved = 0;

    for (uint32_t r = 0; r < e->program->rank_count; r++) {
        work = e->local[r] > work ? e->local[r] : work;
        e->local[r] = e->words_in[r] = e->words_out[r] = 0;
    }
    for (size_t i = 0; i < e->fresh.count; i++) {
        const struct timed_message *m = &e->message[e->fresh.at[i]];
        if (m->flags & MESSAGE_SELF)
            continue;
        uint64_t in = e->words_in[m->dst] += m->bytes, out = e->words_out[m->src] += m->bytes;
        most = in > most ? in : most;
        most = out > most ? out : most;
        moved++;
        e->messages++;
        e->volume += m->bytes;
    }
    uint64_t move = e->byte_exact ? most * e->byte_ticks : timed_words_ticks(e, most);
    e->now += work;
    uint64_t started = e->now;
    if (moved) {
        e->superstep_count++;
        e->now += move > e->alpha ? move : e->alpha;
    }
    size_t count = e->fresh.count;
    for (size_t i = 0; i < count; i++)
        message_ended(e, e->fresh.at[i], started);
    CORE_CHECK(e->fresh.count == count); /* ranks post nothing before they run */
    e->fresh.count = 0;
    return count != 0;
}

static void run_supersteps(struct timed_engine *e)
{
    while (e->status == CORE_OK && !e->queue.failed) {
        run_ranks(e);
        int moved = timed_superstep(e);
        if (!moved && e->queue.bucket[0].count == 0 && !timed_queue_advance(&e->queue))
            return;
        while (e->queue.bucket[0].count ||
               (e->queue.used && moved)) { /* collectives that end in this superstep */
            if (e->queue.bucket[0].count == 0) {
                struct timed_queue *q = &e->queue;
                uint64_t before = e->now;
                if (!timed_queue_advance(q))
                    break;
                if (q->last > before)
                    moved = 0; /* not yet due: it ends this superstep too, later */
            }
            uint64_t now = e->now;
            take_instant(e);
            if (e->now < now)
                e->now = now;
        }
    }
}

static void rank_result(struct timed_engine *e, uint32_t r, struct replay_timed_result *result)
{
    const struct timed_rank *rank = &e->rank[r];
    int ended = (rank->flags & RANK_ENDED) != 0;

    CORE_CHECK(ended != ((rank->flags & RANK_BLOCKED) != 0)); /* timed_state.h invariant 2 */
    e->column[COLUMN_FINISH][r] = rank->blocked_at;
    if (rank->blocked_at > result->ticks)
        result->ticks = rank->blocked_at;
    for (int i = 0; i < REPLAY_TIMED_COLUMNS; i++)
        if (e->column[i])
            e->column[i][r] = timed_ps(e, e->column[i][r]);
    result->op[r] = (uint32_t)(rank->op - e->program->rank[r].op) -
                    (ended || rank->flags & RANK_PROBING ? 0 : 1);
    CORE_CHECK(result->op[r] <= e->program->rank[r].op_count);
    result->blocked_count += !ended;
}

static enum core_status timed_results(struct timed_engine *e, struct replay_timed_result *out)
{
    uint32_t ranks = e->program->rank_count;
    struct replay_timed_result result = {.rank_count = ranks,
                                         .scale = e->scale,
                                         .messages = e->messages,
                                         .volume_bytes = e->volume,
                                         .superstep_count = e->superstep_count};
    enum core_status status = CORE_OK;

    if (e->shared)
        status = timed_link_result(e, &result);
    if (status == CORE_OK)
        status = timed_path_result(e, &result);
    if (status != CORE_OK) {
        replay_timed_done(&result);
        return status;
    }
    uint64_t matching =
        e->message_used * (sizeof *e->message + (e->shared ? sizeof(uint32_t) : 0)) +
        (e->slot_mask + 1) * sizeof *e->slot + matching_bytes(&e->matching);
    uint64_t more =
        ranks * (sizeof *result.op + sizeof **result.column); /* when the messages are freed */
    result.peak_bytes = e->extra_bytes + e->queue.bytes + (matching > more ? matching : more);
    timed_match_done(e);
    result.op = core_alloc(ranks * sizeof *result.op);
    if (!result.op || !(e->column[COLUMN_FINISH] = core_alloc(ranks * sizeof **result.column))) {
        replay_timed_done(&result);
        return core_report(CORE_NO_MEMORY, "out of memory for %u ranks", ranks);
    }
    for (uint32_t r = 0; r < ranks; r++)
        rank_result(e, r, &result);
    CORE_CHECK(result.blocked_count <= ranks);
    CORE_CHECK(e->options.port == REPLAY_PORT_BSP || result.ticks <= e->now);
    result.makespan_ps = timed_ps(e, result.ticks);
    memcpy(result.column, e->column, sizeof result.column);
    memset(e->column, 0, sizeof e->column);
    *out = result;
    return CORE_OK;
}

struct replay_timed_rank replay_timed_rank_at(const struct replay_timed_result *result,
                                              uint32_t rank)
{
    uint64_t part[REPLAY_TIMED_COLUMNS];
    CORE_CHECK(rank < result->rank_count);
    for (int i = 0; i < REPLAY_TIMED_COLUMNS; i++)
        part[i] = result->column[i] ? result->column[i][rank] : 0;
    return (struct replay_timed_rank){.finish_ps = part[COLUMN_FINISH],
                                      .compute_ps = part[COLUMN_COMPUTE],
                                      .transfer_ps = part[COLUMN_TRANSFER],
                                      .late_sender_ps = part[COLUMN_LATE_SENDER],
                                      .late_receiver_ps = part[COLUMN_LATE_RECEIVER],
                                      .port_ps = part[COLUMN_PORT],
                                      .link_ps = part[COLUMN_LINK],
                                      .collective_ps = part[COLUMN_COLLECTIVE],
                                      .op = result->op[rank]};
}

enum core_status replay_timed_run(const struct replay_program *program,
                                  const struct replay_timed_options *options,
                                  struct replay_timed_result *out)
{
    struct timed_engine e = {.program = program,
                             .options = options ? *options : replay_timed_defaults()};
    enum core_status status = check_options(program, &e.options);

    if (status != CORE_OK)
        return status;
    if (e.options.topology)
        e.topology = *e.options.topology;
    else if ((status = replay_topology_make(REPLAY_FULL, program->rank_count, &e.topology)) !=
             CORE_OK)
        return status;
    e.shared = e.options.port != REPLAY_PORT_BSP &&
               (e.topology.kind != REPLAY_FULL || e.options.port == REPLAY_PORT_MULTI ||
                e.options.half_duplex);
    status = engine_init(&e);
    if (status == CORE_OK) {
        if (e.options.port == REPLAY_PORT_BSP)
            run_supersteps(&e);
        else
            run_clock(&e);
        if (e.queue.failed && e.status == CORE_OK)
            e.status = core_report(CORE_NO_MEMORY, "out of memory for events");
        status = e.status == CORE_OK ? timed_results(&e, out) : e.status;
    }
    engine_done(&e);
    return status;
}

void replay_timed_done(struct replay_timed_result *result)
{
    if (!result)
        return;
    for (int i = 0; i < REPLAY_TIMED_COLUMNS; i++)
        free(result->column[i]);
    free(result->op);
    free(result->link);
    free(result->step);
    *result = (struct replay_timed_result){0};
}

static enum core_status measure_one(const struct replay_program *program,
                                    const struct replay_timed_options *options, uint64_t *out_value,
                                    struct replay_measure *measure)
{
    struct replay_timed_result result;
    enum core_status status = replay_timed_run(program, options, &result);
    if (status != CORE_OK)
        return status;
    *out_value = result.ticks / result.scale + (result.ticks % result.scale != 0);
    measure->messages = result.messages;
    measure->volume_bytes = result.volume_bytes;
    measure->blocked_count = result.blocked_count;
    replay_timed_done(&result);
    return CORE_OK;
}

enum core_status replay_timed_measure(const struct replay_program *program,
                                      const struct replay_timed_options *options,
                                      struct replay_measure *out)
{
    struct replay_timed_options o = options ? *options : replay_timed_defaults();
    struct replay_measure measure = {0};
    enum core_status status;

    o.ignore_compute = 1;
    o.want_path = 0;
    o.message = NULL;
    o.word_bytes = 1; /* beta is one tick per byte, so words come out in bytes */
    o.alpha_ps = 1, o.beta_ps = 0, o.tau_ps = 0;
    status = measure_one(program, &o, &measure.rounds, &measure);
    o.alpha_ps = 0, o.beta_ps = 1;
    if (status == CORE_OK)
        status = measure_one(program, &o, &measure.words_bytes, &measure);
    o.beta_ps = 0, o.tau_ps = 1;
    if (status == CORE_OK)
        status = measure_one(program, &o, &measure.operations, &measure);
    if (status == CORE_OK)
        *out = measure;
    return status;
}
