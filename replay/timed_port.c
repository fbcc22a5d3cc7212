/* Who starts when. All messages that became ready at one instant are known before any of them starts; then, in turn:
 * senders parked at a port that has become free, in the order they parked; senders with something new or a free port,
 * each with its oldest message that can start; receivers still free, with the oldest message to them that can start. */
#include "replay/timed_state.h"

void timed_port_ready(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];

    if ((m->flags & MESSAGE_SELF) || e->options.port == REPLAY_PORT_MULTI || e->options.port == REPLAY_PORT_BSP ||
        e->options.half_duplex) {
        timed_numbers_add(e, &e->fresh, id);
        return;
    }
    struct timed_rank *r = &e->rank[m->src];
    m->queue_next = NONE;
    if (r->fresh)
        e->message[r->fresh_tail].queue_next = id;
    else
        r->fresh = id;
    r->fresh_tail = id;
    if (!(r->flags & RANK_DIRTY)) {
        r->flags |= RANK_DIRTY;
        timed_numbers_add(e, &e->dirty_sender, (uint32_t)m->src);
    }
}

static void begin(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];

    if (m->flags & MESSAGE_SELF) {
        timed_queue_push(&e->queue, e->now, id, EVENT_END);
        return;
    }
    e->messages++;
    e->volume += m->bytes;
    if (e->shared)
        timed_link_begin(e, id);
    else
        timed_queue_push(&e->queue, e->now + timed_duration(e, m), id, EVENT_END);
}

/* --- single port -------------------------------------------------------------------------------------------- */

static void unpark(struct timed_engine *e, uint32_t sender)
{
    struct timed_rank *s = &e->rank[sender], *r = &e->rank[s->park_at];
    if (!(s->flags & RANK_PARKED))
        return;
    if (s->park_prev)
        e->rank[s->park_prev - 1].park_next = s->park_next;
    else
        r->parked = s->park_next;
    if (s->park_next)
        e->rank[s->park_next - 1].park_prev = s->park_prev;
    else
        r->parked_tail = s->park_prev;
    s->flags &= ~(uint32_t)RANK_PARKED;
}

static void park(struct timed_engine *e, uint32_t sender, uint32_t at)
{
    struct timed_rank *s = &e->rank[sender], *r = &e->rank[at];
    if (s->flags & RANK_PARKED) {
        if (s->park_at == at)
            return;
        unpark(e, sender);
    }
    s->park_at = at;
    s->park_next = NONE;
    s->park_prev = r->parked_tail;
    if (r->parked_tail)
        e->rank[r->parked_tail - 1].park_next = sender + 1;
    else
        r->parked = sender + 1;
    r->parked_tail = sender + 1;
    s->flags |= RANK_PARKED;
}

static void queue_add(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];
    struct timed_rank *s = &e->rank[m->src], *r = &e->rank[m->dst];

    m->queue_next = NONE;
    m->queue_prev = s->queue_tail;
    if (s->queue_tail)
        e->message[s->queue_tail].queue_next = id;
    else
        s->queue = id;
    s->queue_tail = id;
    m->await_next = NONE;
    m->await_prev = r->await_tail;
    if (r->await_tail)
        e->message[r->await_tail].await_next = id;
    else
        r->await = id;
    r->await_tail = id;
    m->flags |= MESSAGE_QUEUED;
}

static void queue_remove(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];
    struct timed_rank *s = &e->rank[m->src], *r = &e->rank[m->dst];

    if (m->queue_prev)
        e->message[m->queue_prev].queue_next = m->queue_next;
    else
        s->queue = m->queue_next;
    if (m->queue_next)
        e->message[m->queue_next].queue_prev = m->queue_prev;
    else
        s->queue_tail = m->queue_prev;
    if (m->await_prev)
        e->message[m->await_prev].await_next = m->await_next;
    else
        r->await = m->await_next;
    if (m->await_next)
        e->message[m->await_next].await_prev = m->await_prev;
    else
        r->await_tail = m->await_prev;
    m->flags &= ~(uint32_t)MESSAGE_QUEUED;
}

static void start(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];
    if (m->flags & MESSAGE_QUEUED)
        queue_remove(e, id);
    unpark(e, (uint32_t)m->src);
    e->rank[m->src].flags |= RANK_SEND_BUSY;
    e->rank[m->dst].flags |= RANK_RECV_BUSY;
    begin(e, id);
}

/* Sorts a list linked by queue_next by the order of its sends: merges the ascending runs it finds, pairwise, so a list
 * of two runs, as ranks that start together leave it, is one merge. */
static uint32_t merge(struct timed_engine *e, uint32_t a, uint32_t b)
{
    uint32_t head = NONE, *link = &head;
    while (a && b) {
        uint32_t *from = e->message[b].send_op < e->message[a].send_op ? &b : &a;
        *link = *from;
        link = &e->message[*from].queue_next;
        *from = *link;
    }
    *link = a ? a : b;
    return head;
}

static uint32_t cut_run(struct timed_engine *e, uint32_t *list)
{
    uint32_t head = *list, at = head;
    while (e->message[at].queue_next && e->message[e->message[at].queue_next].send_op >= e->message[at].send_op)
        at = e->message[at].queue_next;
    *list = e->message[at].queue_next;
    e->message[at].queue_next = NONE;
    return head;
}

static uint32_t sorted(struct timed_engine *e, uint32_t list)
{
    uint32_t run[33] = {0}; /* run[i] holds 2^i runs merged, or nothing */
    while (list) {
        uint32_t merged = cut_run(e, &list);
        unsigned level = 0;
        for (; run[level] && level < 32; level++) {
            merged = merge(e, run[level], merged);
            run[level] = NONE;
        }
        run[level] = merged;
    }
    uint32_t all = NONE;
    for (unsigned level = 0; level < 33; level++)
        if (run[level])
            all = merge(e, run[level], all);
    return all;
}

static void serve_sender(struct timed_engine *e, uint32_t sender)
{
    struct timed_rank *s = &e->rank[sender];
    uint32_t fresh = s->fresh;

    s->flags &= ~(uint32_t)RANK_DIRTY;
    s->fresh = NONE;
    if (fresh && !s->queue && !e->message[fresh].queue_next && !(s->flags & RANK_SEND_BUSY) &&
        !(e->rank[e->message[fresh].dst].flags & RANK_RECV_BUSY)) {
        start(e, fresh); /* the usual case never sees a queue */
        return;
    }
    if (fresh && e->message[fresh].queue_next)
        fresh = sorted(e, fresh);
    for (uint32_t next; fresh; fresh = next) {
        next = e->message[fresh].queue_next;
        queue_add(e, fresh);
    }
    if (s->flags & RANK_SEND_BUSY || !s->queue)
        return;
    uint32_t id = s->queue;
    for (int looked = 0; id && looked < REPLAY_TIMED_LOOKAHEAD; looked++, id = e->message[id].queue_next)
        if (!(e->rank[e->message[id].dst].flags & RANK_RECV_BUSY)) {
            start(e, id);
            return;
        }
    park(e, sender, (uint32_t)e->message[s->queue].dst);
}

static void serve_receiver(struct timed_engine *e, uint32_t receiver)
{
    struct timed_rank *r = &e->rank[receiver];
    uint32_t id = r->await;
    if (r->flags & RANK_RECV_BUSY)
        return;
    for (int looked = 0; id && looked < REPLAY_TIMED_LOOKAHEAD; looked++, id = e->message[id].await_next)
        if (!(e->rank[e->message[id].src].flags & RANK_SEND_BUSY)) {
            start(e, id);
            return;
        }
}

static void start_single(struct timed_engine *e)
{
    for (size_t i = 0; i < e->dirty_receiver.count; i++) {
        struct timed_rank *r = &e->rank[e->dirty_receiver.at[i]];
        if (!(r->flags & RANK_RECV_BUSY) && r->parked)
            start(e, e->rank[r->parked - 1].queue);
    }
    for (size_t i = 0; i < e->dirty_sender.count; i++) {
        if (i + 4 < e->dirty_sender.count) {
            const struct timed_rank *soon = &e->rank[e->dirty_sender.at[i + 4]];
            __builtin_prefetch(&e->message[soon->fresh]);
        }
        serve_sender(e, e->dirty_sender.at[i]);
    }
    for (size_t i = 0; i < e->dirty_receiver.count; i++)
        serve_receiver(e, e->dirty_receiver.at[i]);
    e->dirty_sender.count = e->dirty_receiver.count = 0;
}

/* --- the other rules ---------------------------------------------------------------------------------------- */

/* Half duplex: one list of all that wait, oldest first; whatever may start does. */
static void start_half(struct timed_engine *e)
{
    int ports = e->options.port == REPLAY_PORT_SINGLE;
    size_t kept = 0;

    for (size_t i = 0; i < e->waiting.count; i++) {
        uint32_t id = e->waiting.at[i];
        struct timed_message *m = &e->message[id];
        struct timed_rank *s = &e->rank[m->src], *r = &e->rank[m->dst];
        if ((ports && (s->flags & RANK_SEND_BUSY || r->flags & RANK_RECV_BUSY)) || !timed_link_free(e, id)) {
            e->waiting.at[kept++] = id;
            continue;
        }
        s->flags |= RANK_SEND_BUSY;
        r->flags |= RANK_RECV_BUSY;
        begin(e, id);
    }
    e->waiting.count = kept;
}

static const struct timed_engine *sorting; /* set for the length of one qsort; the clock has no threads */

static int by_send(const void *a, const void *b)
{
    const struct timed_message *x = &sorting->message[*(const uint32_t *)a];
    const struct timed_message *y = &sorting->message[*(const uint32_t *)b];
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return x->send_op < y->send_op ? -1 : x->send_op > y->send_op;
}

static void start_fresh(struct timed_engine *e)
{
    int half = e->options.half_duplex && e->options.port != REPLAY_PORT_BSP;
    if (half && e->fresh.count > 1) {
        sorting = e;
        qsort(e->fresh.at, e->fresh.count, sizeof *e->fresh.at, by_send);
    }
    for (size_t i = 0; i < e->fresh.count; i++) {
        uint32_t id = e->fresh.at[i];
        if (half && !(e->message[id].flags & MESSAGE_SELF))
            timed_numbers_add(e, &e->waiting, id);
        else
            begin(e, id);
    }
    e->fresh.count = 0;
}

void timed_port_start(struct timed_engine *e)
{
    if (e->fresh.count)
        start_fresh(e);
    if (e->waiting.count)
        start_half(e);
    if (e->dirty_sender.count || e->dirty_receiver.count)
        start_single(e);
    if (e->shared)
        timed_link_route(e);
}

void timed_port_ended(struct timed_engine *e, const struct timed_message *m)
{
    struct timed_rank *s = &e->rank[m->src], *r = &e->rank[m->dst];

    if (m->flags & MESSAGE_SELF || e->options.port != REPLAY_PORT_SINGLE)
        return;
    s->flags &= ~(uint32_t)RANK_SEND_BUSY;
    r->flags &= ~(uint32_t)RANK_RECV_BUSY;
    if (s->queue && !(s->flags & RANK_DIRTY)) {
        s->flags |= RANK_DIRTY;
        timed_numbers_add(e, &e->dirty_sender, (uint32_t)m->src);
    }
    if (r->await)
        timed_numbers_add(e, &e->dirty_receiver, (uint32_t)m->dst);
}
