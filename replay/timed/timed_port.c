/* Decides which message starts when. All messages that became ready at one instant are known before
 * any of them starts. Then start, in this order: senders blocked at a port that has become free, in
 * the order they blocked; senders with something new or a free port, each with its oldest message
 * that can start; receivers still free, with the oldest message to them that can start. */
#include "core/array.h"
#include "core/check.h"
#include "replay/timed/timed_state.h"

#define WAITING "messages that wait for a port" /* out of memory for ... */

static void out_of_memory(struct timed_engine *e)
{
    if (e->status == CORE_OK)
        e->status = core_report(CORE_NO_MEMORY, "out of memory for messages that wait for a port");
}

static int timed_port_make(struct timed_engine *e)
{
    if (!e->port) {
        e->port = core_alloc_zero(e->program->rank_count, sizeof *e->port);
        if (!e->port)
            out_of_memory(e);
        else
            e->extra_bytes += e->program->rank_count * sizeof *e->port;
    }
    return e->port != NULL;
}

static void queue_push(struct timed_engine *e, uint32_t sender, uint32_t id)
{
    if (!timed_port_make(e))
        return;
    struct timed_port *r = &e->port[sender];
    if (r->queue_first == r->queue_count)
        r->queue_first = r->queue_fresh = r->queue_count = 0;
    CORE_CHECK_HOT(e->message[id].src == (int32_t)sender);
    CORE_CHECK_HOT(r->queue_first <= r->queue_fresh && r->queue_fresh <= r->queue_count);
    uint32_t room = r->queue_room;
    if (timed_failed(e, CORE_ARRAY_ROOM(r->queue, r->queue_room, r->queue_count + 1, WAITING)))
        return;
    e->extra_bytes += (r->queue_room - room) * sizeof *r->queue;
    r->queue[r->queue_count++] =
        (struct timed_ready){e->message[id].send_op, id, e->message[id].dst};
    e->rank[sender].flags |= RANK_QUEUED;
}

void timed_port_done(struct timed_engine *e)
{
    for (uint32_t r = 0; e->port && r < e->program->rank_count; r++) {
        free(e->port[r].queue);
        free(e->port[r].await);
    }
    free(e->merge);
}

void timed_port_ready(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];

    if ((m->flags & MESSAGE_SELF) || e->options.port == REPLAY_PORT_MULTI ||
        e->options.port == REPLAY_PORT_BSP || e->options.half_duplex) {
        timed_numbers_add(e, &e->fresh, id);
        return;
    }
    struct timed_rank *r = &e->rank[m->src];
    if (!r->fresh && !(r->flags & RANK_QUEUED)) {
        r->fresh = id;
    } else {
        if (r->fresh)
            queue_push(e, (uint32_t)m->src, r->fresh);
        r->fresh = NONE;
        queue_push(e, (uint32_t)m->src, id);
    }
    if (!(r->flags & RANK_DIRTY)) {
        r->flags |= RANK_DIRTY;
        timed_numbers_add(e, &e->dirty_sender, (uint32_t)m->src);
    }
}

static void timed_port_begin(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];

    if (m->flags & MESSAGE_SELF) {
        timed_queue_push(&e->queue, e->now, id, e->shared ? EVENT_FLOW : EVENT_END);
        return;
    }
    e->messages++;
    e->volume += m->bytes;
    if (e->shared)
        timed_link_begin(e, id);
    else
        timed_queue_push(&e->queue, e->now + timed_duration(e, m), id, EVENT_END);
}

/* --- single port ------------------------------------------------------------------------------ */

static void unblock_rank(struct timed_engine *e, uint32_t sender)
{
    if (!(e->rank[sender].flags & RANK_BLOCKED_ON_PORT))
        return;
    struct timed_port *s = &e->port[sender], *r = &e->port[s->blocked_at];
    CORE_CHECK_HOT(r->blocked && r->blocked_tail); /* it is in that list */
    if (s->blocked_prev)
        e->port[s->blocked_prev - 1].blocked_next = s->blocked_next;
    else
        r->blocked = s->blocked_next;
    if (s->blocked_next)
        e->port[s->blocked_next - 1].blocked_prev = s->blocked_prev;
    else
        r->blocked_tail = s->blocked_prev;
    e->rank[sender].flags &= ~(uint32_t)RANK_BLOCKED_ON_PORT;
}

static void block_rank(struct timed_engine *e, uint32_t sender, uint32_t at)
{
    struct timed_port *s = &e->port[sender], *r = &e->port[at];
    if (e->rank[sender].flags & RANK_BLOCKED_ON_PORT) {
        if (s->blocked_at == at)
            return;
        unblock_rank(e, sender);
    }
    CORE_CHECK(!(e->rank[sender].flags & RANK_SEND_BUSY) && (e->rank[at].flags & RANK_RECV_BUSY) &&
               s->queue[s->queue_first].dst == (int32_t)at); /* timed_state.h invariant 3 */
    s->blocked_at = at;
    s->blocked_next = NONE;
    s->blocked_prev = r->blocked_tail;
    if (r->blocked_tail)
        e->port[r->blocked_tail - 1].blocked_next = sender + 1;
    else
        r->blocked = sender + 1;
    r->blocked_tail = sender + 1;
    e->rank[sender].flags |= RANK_BLOCKED_ON_PORT;
}

/* Drops entries whose message has left its queue; then allocates more if necessary. */
static void await_room(struct timed_engine *e, uint32_t rank)
{
    struct timed_port *r = &e->port[rank];
    uint32_t kept = 0;
    for (uint32_t i = r->await_first; i < r->await_count; i++) {
        const struct timed_message *m = &e->message[r->await[i]];
        if ((m->flags & MESSAGE_QUEUED) && m->dst == (int32_t)rank)
            r->await[kept++] = r->await[i];
    }
    CORE_CHECK_HOT(kept <= r->await_count);
    r->await_first = 0;
    r->await_count = kept;
    if (kept * 2 <= r->await_room && r->await_room)
        return;
    uint32_t room = r->await_room;
    if (timed_failed(e, CORE_ARRAY_ROOM(r->await, r->await_room, room + 1, WAITING)))
        return;
    e->extra_bytes += (r->await_room - room) * sizeof *r->await;
}

static void await_add(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];
    struct timed_port *r = &e->port[m->dst];
    if (r->await_count == r->await_room)
        await_room(e, (uint32_t)m->dst);
    if (r->await_count < r->await_room)
        r->await[r->await_count++] = id;
    m->flags |= MESSAGE_QUEUED;
    e->rank[m->dst].flags |= RANK_AWAITED;
}

static void timed_port_start_one(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];
    CORE_CHECK_HOT(!(e->rank[m->src].flags & RANK_SEND_BUSY));
    CORE_CHECK_HOT(!(e->rank[m->dst].flags & RANK_RECV_BUSY));
    m->flags &= ~(uint32_t)MESSAGE_QUEUED;
    unblock_rank(e, (uint32_t)m->src);
    e->rank[m->src].flags |= RANK_SEND_BUSY;
    e->rank[m->dst].flags |= RANK_RECV_BUSY;
    timed_port_begin(e, id);
}

/* Starts the queue's entry at `index` and closes the gap. */
static void start_queued(struct timed_engine *e, uint32_t sender, uint32_t index)
{
    struct timed_port *s = &e->port[sender];
    CORE_CHECK_HOT(index >= s->queue_first && index < s->queue_count);
    CORE_CHECK_HOT(e->rank[sender].flags & RANK_QUEUED);
    uint32_t id = s->queue[index].id;
    for (; index > s->queue_first; index--)
        s->queue[index] = s->queue[index - 1];
    s->queue_first++;
    if (s->queue_first == s->queue_count)
        e->rank[sender].flags &= ~(uint32_t)RANK_QUEUED;
    else
        __builtin_prefetch(&e->message[s->queue[s->queue_first].id]);
    timed_port_start_one(e, id);
}

/* Sorts by the order of the sends: merges neighbouring ascending runs until one is left. Ranks that
 * post everything at once leave two runs, which takes one merge. */
static void sort_fresh(struct timed_engine *e, struct timed_ready *at, uint32_t count)
{
    for (;;) {
        uint32_t out = 0, runs = 0, i = 0;
        for (i = 1; i < count && at[i - 1].order <= at[i].order; i++)
            ;
        if (i >= count)
            return;
        if (timed_failed(e, CORE_ARRAY_FIT(e->merge, e->merge_room, count, WAITING)))
            return;
        for (uint32_t a = 0; a < count; runs++) {
            uint32_t b = a + 1, end;
            while (b < count && at[b - 1].order <= at[b].order)
                b++;
            for (end = b < count ? b + 1 : b; end < count && at[end - 1].order <= at[end].order;)
                end++;
            uint32_t x = a, y = b;
            while (x < b && y < end)
                e->merge[out++] = at[y].order < at[x].order ? at[y++] : at[x++];
            while (x < b)
                e->merge[out++] = at[x++];
            while (y < end)
                e->merge[out++] = at[y++];
            a = end;
        }
        for (i = 0; i < count; i++)
            at[i] = e->merge[i];
        if (runs <= 1)
            return;
    }
}

static void take_fresh(struct timed_engine *e, uint32_t sender)
{
    struct timed_port *s = &e->port[sender];
    if (e->rank[sender].fresh) {
        queue_push(e, sender, e->rank[sender].fresh);
        e->rank[sender].fresh = NONE;
    }
    sort_fresh(e, s->queue + s->queue_fresh, s->queue_count - s->queue_fresh);
    for (; s->queue_fresh < s->queue_count; s->queue_fresh++) {
        if (s->queue_fresh + 4 < s->queue_count)
            __builtin_prefetch(&e->message[s->queue[s->queue_fresh + 4].id]);
        await_add(e, s->queue[s->queue_fresh].id);
    }
}

static void serve_sender(struct timed_engine *e, uint32_t sender)
{
    struct timed_rank *s = &e->rank[sender];

    CORE_CHECK_HOT(s->flags & RANK_DIRTY);
    s->flags &= ~(uint32_t)RANK_DIRTY;
    if (s->fresh && !(s->flags & RANK_SEND_BUSY)) { /* usually there is no queue */
        uint32_t id = s->fresh;
        if (!(e->rank[e->message[id].dst].flags & RANK_RECV_BUSY)) {
            s->fresh = NONE;
            timed_port_start_one(e, id);
            return;
        }
    }
    if ((!s->fresh && !(s->flags & RANK_QUEUED)) || !timed_port_make(e))
        return;
    struct timed_port *port = &e->port[sender];
    if (s->fresh || port->queue_fresh < port->queue_count)
        take_fresh(e, sender);
    uint32_t queued = port->queue_count - port->queue_first;
    CORE_CHECK_HOT(!queued == !(s->flags & RANK_QUEUED) || e->status != CORE_OK);
    if (s->flags & RANK_SEND_BUSY || !queued)
        return;
    uint32_t end = queued > REPLAY_TIMED_LOOKAHEAD ? port->queue_first + REPLAY_TIMED_LOOKAHEAD
                                                   : port->queue_count;
    for (uint32_t i = port->queue_first; i < end; i++)
        if (!(e->rank[port->queue[i].dst].flags & RANK_RECV_BUSY)) {
            start_queued(e, sender, i);
            return;
        }
    block_rank(e, sender, (uint32_t)port->queue[port->queue_first].dst);
}

static void serve_receiver(struct timed_engine *e, uint32_t receiver)
{
    struct timed_port *r = &e->port[receiver];
    int looked = 0;
    if (e->rank[receiver].flags & RANK_RECV_BUSY)
        return;
    for (uint32_t i = r->await_first; i < r->await_count && looked < REPLAY_TIMED_LOOKAHEAD; i++) {
        uint32_t id = r->await[i];
        const struct timed_message *m = &e->message[id];
        if (!(m->flags & MESSAGE_QUEUED) || m->dst != (int32_t)receiver) {
            if (i == r->await_first)
                r->await_first++;
            continue;
        }
        looked++;
        if (e->rank[m->src].flags & RANK_SEND_BUSY)
            continue;
        const struct timed_port *s = &e->port[m->src];
        uint32_t at = s->queue_first;
        while (at < s->queue_count && s->queue[at].id != id)
            at++;
        CORE_CHECK(at < s->queue_count); /* MESSAGE_QUEUED implies it */
        start_queued(e, (uint32_t)m->src, at);
        return;
    }
    if (r->await_first == r->await_count)
        e->rank[receiver].flags &= ~(uint32_t)RANK_AWAITED;
}

/* Prefetches what the next senders will read: their records, messages and destinations. */
static void read_senders(const struct timed_engine *e, size_t i)
{
    const uint32_t *sender = e->dirty_sender.at;
    size_t count = e->dirty_sender.count, end = count - i < TIMED_AHEAD ? count : i + TIMED_AHEAD;

    for (size_t k = i; k < end; k++)
        timed_touch(&e->rank[sender[k]]);
    for (size_t k = i; k < end; k++)
        timed_touch(&e->message[e->rank[sender[k]].fresh]);
    for (size_t k = i; k < end; k++)
        if (e->rank[sender[k]].fresh)
            timed_touch(&e->rank[e->message[e->rank[sender[k]].fresh].dst]);
}

static void start_single(struct timed_engine *e)
{
    for (size_t i = 0; i < e->dirty_receiver.count; i++) {
        uint32_t receiver = e->dirty_receiver.at[i],
                 blocked = e->port[receiver].blocked; /* dirty: messages wait for it */
        if (!(e->rank[receiver].flags & RANK_RECV_BUSY) && blocked)
            start_queued(e, blocked - 1, e->port[blocked - 1].queue_first);
    }
    for (size_t i = 0; i < e->dirty_sender.count; i++) {
        if (i % TIMED_AHEAD == 0)
            read_senders(e, i);
        serve_sender(e, e->dirty_sender.at[i]);
    }
    for (size_t i = 0; i < e->dirty_receiver.count; i++)
        serve_receiver(e, e->dirty_receiver.at[i]);
    e->dirty_sender.count = e->dirty_receiver.count = 0;
}

/* --- the other rules -------------------------------------------------------------------------- */

/* Starts messages in half duplex: goes through one list of all waiting messages, oldest first, and
 * starts each that may. */
static void start_half(struct timed_engine *e)
{
    int ports = e->options.port == REPLAY_PORT_SINGLE;
    size_t kept = 0;

    for (size_t i = 0; i < e->waiting.count; i++) {
        uint32_t id = e->waiting.at[i];
        struct timed_message *m = &e->message[id];
        struct timed_rank *s = &e->rank[m->src], *r = &e->rank[m->dst];
        if ((ports && (s->flags & RANK_SEND_BUSY || r->flags & RANK_RECV_BUSY)) ||
            !timed_link_free(e, id)) {
            e->waiting.at[kept++] = id;
            continue;
        }
        s->flags |= RANK_SEND_BUSY;
        r->flags |= RANK_RECV_BUSY;
        timed_port_begin(e, id);
    }
    e->waiting.count = kept;
}

static const struct timed_engine
    *sorting; /* set for the length of one qsort; the clock has no threads */

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
            timed_port_begin(e, id);
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
    CORE_CHECK_HOT(s->flags & RANK_SEND_BUSY && r->flags & RANK_RECV_BUSY);
    s->flags &= ~(uint32_t)RANK_SEND_BUSY;
    r->flags &= ~(uint32_t)RANK_RECV_BUSY;
    if ((s->flags & (RANK_QUEUED | RANK_DIRTY)) == RANK_QUEUED) {
        s->flags |= RANK_DIRTY;
        timed_numbers_add(e, &e->dirty_sender, (uint32_t)m->src);
    }
    if (r->flags & RANK_AWAITED)
        timed_numbers_add(e, &e->dirty_receiver, (uint32_t)m->dst);
}
