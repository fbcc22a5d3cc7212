/* Matches messages on the timed clock. core/matching/queue.h matches programs with wildcards or
 * probes. For programs without, a table here holds all unmatched operations under (receiver,
 * sender, communicator, tag): a key's entries are all sends or all receives, and a bucket is a
 * chain in post order, so the first with the key is the oldest (M2 and M3 of
 * core/matching/matching.h). The entries are the message records themselves. With queue.h the
 * programs of `make bench-timed` took 1.3 to 3 times as long (all-to-all of 1,024 ranks 3.0,
 * broadcast to 1,000,000 ranks 2.8, dissemination 1.6), and a broadcast 121 bytes an operation
 * instead of 63 (the bar is 64). tests/unit/test_matching.c gives both the same operations. */
#include "replay/timed/timed_state.h"

#include "core/check.h"
#include "core/pages.h"
#include "core/random.h"
#include "core/work.h"

enum { SLOTS_FIRST = 1024 };
_Static_assert((SLOTS_FIRST & (SLOTS_FIRST - 1)) == 0, "slot_mask is one less than the count");
_Static_assert(REPLAY_SEND < REPLAY_IRECV && REPLAY_ISEND < REPLAY_IRECV &&
                   REPLAY_RECV < REPLAY_IRECV && REPLAY_IRECV == 3,
               "the four kinds that make messages come first");

enum core_status timed_match_init(struct timed_engine *e)
{
    uint64_t count = 1;
    for (uint32_t r = 0; r < e->program->rank_count; r++) {
        const struct replay_rank *rank = &e->program->rank[r];
        for (uint32_t i = 0; i < rank->op_count; i++) {
            const struct replay_op *op = &rank->op[i];
            if (op->kind <= REPLAY_IRECV)
                count++;
            if ((op->kind == REPLAY_RECV || op->kind == REPLAY_IRECV) &&
                (op->peer == REPLAY_ANY || op->tag == REPLAY_ANY))
                e->any_wild = 1;
            if (op->kind == REPLAY_PROBE || op->kind == REPLAY_IPROBE || op->kind == REPLAY_MPROBE)
                e->any_wild = 1;
            e->any_held |= op->kind == REPLAY_MPROBE;
            e->any_detach |= op->kind == REPLAY_DETACH;
        }
    }
    if (count > UINT32_MAX)
        return core_report(CORE_LIMIT, "program too long: more than %u messages", UINT32_MAX);
    /* Reserves memory for the worst case; only as much as messages are outstanding at once is
     * touched. */
    e->message_room = count * sizeof *e->message;
    e->message = core_pages_new(e->message_room);
    if (!e->message)
        return core_report(CORE_NO_MEMORY, "out of memory for %llu messages",
                           (unsigned long long)count);
    e->message_used = 1;
    e->slot_mask = SLOTS_FIRST - 1;
    while (e->slot_mask < e->program->rank_count) /* each rank may well post something */
        e->slot_mask = e->slot_mask * 2 + 1;
    e->slot = core_pages_new((e->slot_mask + 1) * sizeof *e->slot);
    if (!e->slot)
        return core_report(CORE_NO_MEMORY, "out of memory for the matching table");
    if (!e->any_wild)
        return CORE_OK;
    return matching_init(&e->matching, e->program->rank_count, true, false);
}

void timed_match_done(struct timed_engine *e)
{
    core_pages_done(e->message, e->message_room);
    core_pages_done(e->slot, (e->slot_mask + 1) * sizeof *e->slot);
    matching_done(&e->matching);
    e->message = NULL;
    e->slot = NULL;
}

static uint32_t message_new(struct timed_engine *e)
{
    uint32_t id = e->message_free;
    if (id)
        e->message_free = e->message[id].chain;
    else
        id = e->message_used++;
    CORE_CHECK_HOT((id + UINT64_C(1)) * sizeof *e->message <= e->message_room);
    return id;
}

void timed_message_free(struct timed_engine *e, uint32_t id)
{
    CORE_CHECK(id && id < e->message_used && id != e->message_free); /* timed_state.h invariant 1 */
    e->message[id].chain = e->message_free;
    e->message_free = id;
}

/* Hashes so that receives that one rank posts from neighbouring senders get neighbouring slots. */
static uint64_t timed_match_hash(const struct timed_engine *e, int32_t src, int32_t dst,
                                 int32_t tag, uint32_t comm)
{
    uint64_t key = (((uint64_t)comm << 32 | (uint32_t)tag) * 0xd1b54a32d192ed03u + (uint32_t)dst) *
                   0x9e3779b97f4a7c15u;
    return ((key >> 24) + (uint32_t)src) & e->slot_mask;
}

void timed_match_ahead(const struct timed_engine *e, uint32_t rank, const struct replay_op *op,
                       int near)
{
    int send = op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND;
    if (op->kind > REPLAY_IRECV || op->peer < 0)
        return;
    int32_t src = send ? (int32_t)rank : op->peer, dst = send ? op->peer : (int32_t)rank;
    const struct timed_slot *slot = &e->slot[timed_match_hash(e, src, dst, op->tag, op->comm)];
    __builtin_prefetch(near ? (const void *)&e->message[slot->head] : slot);
}

static void slot_append(struct timed_engine *e, struct timed_slot *slot, uint32_t id)
{
    e->message[id].chain = NONE;
    if (slot->head)
        e->message[slot->tail].chain = id;
    else
        slot->head = id;
    slot->tail = id;
}

/* Moves the buckets into a larger table in order, so entries of one key keep their order. */
static void timed_match_grow(struct timed_engine *e)
{
    uint64_t old = e->slot_mask + 1;
    struct timed_slot *from = e->slot, *to = core_pages_new(old * 2 * sizeof *to);
    if (!to)
        return; /* slower, not wrong */
    e->slot = to;
    e->slot_mask = old * 2 - 1;
    for (uint64_t i = 0; i < old; i++)
        for (uint32_t id = from[i].head, next; id; id = next) {
            const struct timed_message *m = &e->message[id];
            next = m->chain;
            slot_append(e, &to[timed_match_hash(e, m->src, m->dst, m->tag, m->comm)], id);
        }
    core_pages_done(from, old * sizeof *from);
}

/* Tells whether the table has an entry of that kind under the message's key. */
static bool key_holds(const struct timed_engine *e, const struct timed_message *m, uint32_t kind)
{
    uint32_t id = e->slot[timed_match_hash(e, m->src, m->dst, m->tag, m->comm)].head;
    for (; id; id = e->message[id].chain) {
        const struct timed_message *other = &e->message[id];
        if (other->src == m->src && other->dst == m->dst && other->tag == m->tag &&
            other->comm == m->comm && other->flags & kind)
            return true;
    }
    return false;
}

static void table_add(struct timed_engine *e, uint32_t id)
{
    const struct timed_message *m = &e->message[id];
    CORE_CHECK_HOT(!key_holds(e, m, m->flags & MESSAGE_SEND ? MESSAGE_RECV : MESSAGE_SEND));
    if (++e->unmatched > e->slot_mask)
        timed_match_grow(e);
    slot_append(e, &e->slot[timed_match_hash(e, m->src, m->dst, m->tag, m->comm)], id);
}

static void chain_remove(struct timed_engine *e, struct timed_slot *slot, uint32_t prev,
                         uint32_t id)
{
    uint32_t next = e->message[id].chain;
    CORE_CHECK_HOT(id == (prev ? e->message[prev].chain : slot->head));
    if (prev)
        e->message[prev].chain = next;
    else
        slot->head = next;
    if (slot->tail == id)
        slot->tail = prev;
    CORE_CHECK(e->unmatched > 0);
    e->unmatched--;
}

/* Returns the oldest entry of one kind under a key, with its predecessor in the chain. */
static uint32_t table_find(struct timed_engine *e, struct timed_slot *slot, uint32_t kind,
                           int32_t src, int32_t dst, int32_t tag, uint32_t comm, uint32_t *out_prev)
{
    uint32_t prev = NONE;
    for (uint32_t id = slot->head; id; prev = id, id = e->message[id].chain) {
        const struct timed_message *m = &e->message[id];
        core_work(1);
        if (m->src == src && m->dst == dst && m->tag == tag && m->comm == comm) {
            *out_prev = prev;
            return m->flags & kind ? id : NONE; /* entries of a key are of one kind */
        }
    }
    return NONE;
}

/* --- programs with wildcards or probes -------------------------------------------------------- */

/* Returns the number that the next message_new will return. */
static uint32_t message_next(const struct timed_engine *e)
{
    return e->message_free ? e->message_free : e->message_used;
}

static bool queue_failed(struct timed_engine *e)
{
    return e->matching.failed &&
           timed_failed(e, core_report(CORE_NO_MEMORY, "out of memory for matching messages"));
}

/* Returns the receive that gets the message; NONE: it waits under the number of the next
 * message_new. */
static uint32_t queue_send(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    const struct matching_key key = {(uint32_t)op->peer, op->comm, (int32_t)rank, op->tag};
    uint64_t receive;
    uint32_t entry;

    if (matching_send(&e->matching, &key, message_next(e), &receive, &entry))
        return (uint32_t)receive;
    queue_failed(e);
    return NONE;
}

static struct matching_key queue_key(uint32_t rank, const struct replay_op *op, int32_t src)
{
    return (struct matching_key){rank, op->comm, src, op->tag};
}

/* Returns the message that the receive gets; NONE: it waits under the number of the next
 * message_new. */
static uint32_t queue_receive(struct timed_engine *e, uint32_t rank, const struct replay_op *op,
                              int32_t src)
{
    const struct matching_key key = queue_key(rank, op, src);
    int32_t from;
    uint64_t send;
    uint32_t entry;

    if (matching_receive(&e->matching, &key, message_next(e), &from, &send, &entry))
        return (uint32_t)send;
    queue_failed(e);
    return NONE;
}

/* Returns the message of an entry. */
static uint32_t queue_message(const struct timed_engine *e, uint32_t entry)
{
    struct matching_key key;
    uint64_t who;

    matching_get(&e->matching, entry, &key, &who);
    return (uint32_t)who;
}

/* Removes an operation that has not matched (M6); returns 0 if it has. */
static int queue_cancel(struct timed_engine *e, const struct matching_key *key, bool send,
                        int32_t request)
{
    for (uint32_t at = matching_first(&e->matching, key, !send); at;
         at = matching_after(&e->matching, key, !send, at)) {
        uint32_t id = queue_message(e, at);
        const struct timed_message *m = &e->message[id];

        if (m->flags & MESSAGE_EAGER || (send ? m->send_request : m->posted_request) != request)
            continue;
        matching_remove(&e->matching, at);
        timed_message_free(e, id);
        return 1;
    }
    return 0;
}

static int timed_match_accepts(int32_t src, int32_t tag, uint32_t comm,
                               const struct timed_message *m)
{
    return matching_fits((struct matching_envelope){comm, src, tag},
                         (struct matching_envelope){m->comm, m->src, m->tag});
}

/* --- operations ------------------------------------------------------------------------------- */

static int is_eager(const struct timed_engine *e, const struct replay_op *op)
{
    if (op->mode == REPLAY_BUFFERED || op->mode == REPLAY_TOKEN)
        return 1;
    return op->mode != REPLAY_SYNCHRONOUS && e->options.eager_bytes >= 0 &&
           op->bytes <= (uint64_t)e->options.eager_bytes;
}

static void wake_prober(struct timed_engine *e, const struct timed_message *m)
{
    struct timed_rank *r = &e->rank[m->dst];
    if (!(r->flags & RANK_PROBING) || r->op->kind == REPLAY_DETACH ||
        !timed_match_accepts(r->op->peer, r->op->tag, r->op->comm, m))
        return;
    timed_column_add(e, COLUMN_LATE_SENDER, (uint32_t)m->dst, e->now - r->blocked_at);
    r->flags &= ~(uint32_t)(RANK_PROBING | RANK_BLOCKED);
    timed_numbers_add(e, &e->run, (uint32_t)m->dst);
}

/* Removes the first posted receive that fits from the table, for programs without wildcards. */
static uint32_t table_send(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    struct timed_slot *slot =
        &e->slot[timed_match_hash(e, (int32_t)rank, op->peer, op->tag, op->comm)];
    uint32_t prev = NONE, id = table_find(e, slot, MESSAGE_RECV, (int32_t)rank, op->peer, op->tag,
                                          op->comm, &prev);

    if (id)
        chain_remove(e, slot, prev, id);
    return id;
}

void timed_match_send(struct timed_engine *e, uint32_t rank, const struct replay_op *op,
                      int32_t request)
{
    uint32_t id = e->any_wild ? queue_send(e, rank, op) : table_send(e, rank, op);
    struct timed_message *m;

    if (id) {
        m = &e->message[id];
        CORE_CHECK_HOT(m->flags & MESSAGE_RECV);
        m->src = (int32_t)rank;
        m->recv_request = m->posted_request;
        m->recv_op = m->posted_op;
        m->flags = MESSAGE_SENT_LAST | (m->src == m->dst ? MESSAGE_SELF : 0);
    } else {
        id = message_new(e);
        m = &e->message[id];
        m->src = (int32_t)rank;
        m->dst = op->peer;
        m->tag = op->tag;
        m->comm = op->comm;
        m->flags = MESSAGE_SEND | (is_eager(e, op) ? MESSAGE_EAGER : 0) |
                   (m->src == m->dst ? MESSAGE_SELF : 0);
    }
    m->bytes = op->bytes;
    m->send_request = request;
    if (op->mode == REPLAY_BUFFERED || op->mode == REPLAY_TOKEN) {
        m->send_request = NO_SIDE; /* its sender continues at once */
        if (request != WHOLE_OP)
            *timed_request(e, &e->rank[rank], request) |= REQUEST_DONE;
        if (e->buffered && op->mode == REPLAY_BUFFERED) {
            m->flags |= MESSAGE_BUFFERED;
            e->buffered[rank]++;
        }
    }
    m->send_op = timed_op_index(e, rank, op);
    m->ready = e->now;
    if (e->side)
        e->side[id].send = e->cause[rank].rank;
    if (m->flags & MESSAGE_SEND) {
        if (e->any_wild)
            wake_prober(e, m);
        else
            table_add(e, id);
        if (!(m->flags & MESSAGE_EAGER))
            return;
    }
    timed_port_ready(e, id);
}

static int32_t wanted_source(const struct timed_engine *e, const struct replay_op *op)
{
    return e->options.pin_recorded && op->peer == REPLAY_ANY && op->matched >= 0 ? op->matched
                                                                                 : op->peer;
}

static void post_recv(struct timed_engine *e, uint32_t rank, const struct replay_op *op,
                      int32_t src, int32_t request)
{
    uint32_t id = message_new(e);
    struct timed_message *m = &e->message[id];

    m->src = src;
    m->dst = (int32_t)rank;
    m->tag = op->tag;
    m->comm = op->comm;
    m->posted_request = request;
    m->posted_op = timed_op_index(e, rank, op);
    m->flags = MESSAGE_RECV;
    if (e->side)
        e->side[id].recv = e->cause[rank].rank;
    if (!e->any_wild)
        table_add(e, id);
}

/* Removes the first sent message that fits from the table. */
static uint32_t table_receive(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    struct timed_slot *slot =
        &e->slot[timed_match_hash(e, op->peer, (int32_t)rank, op->tag, op->comm)];
    uint32_t prev = NONE, id = table_find(e, slot, MESSAGE_SEND, op->peer, (int32_t)rank, op->tag,
                                          op->comm, &prev);

    if (id)
        chain_remove(e, slot, prev, id);
    return id;
}

void timed_match_recv(struct timed_engine *e, uint32_t rank, const struct replay_op *op,
                      int32_t request)
{
    int32_t src = wanted_source(e, op);
    uint32_t id = e->any_wild ? queue_receive(e, rank, op, src) : table_receive(e, rank, op);

    if (!id) {
        post_recv(e, rank, op, src, request);
        return;
    }
    struct timed_message *m = &e->message[id];
    CORE_CHECK_HOT(m->flags & MESSAGE_SEND && timed_match_accepts(src, op->tag, op->comm, m));
    m->flags &= ~(uint32_t)MESSAGE_SEND;
    m->recv_request = request;
    m->recv_op = timed_op_index(e, rank, op);
    if (e->side)
        e->side[id].recv = e->cause[rank].rank;
    if (m->flags & MESSAGE_ARRIVED) {
        timed_rank_complete(e, rank, request, e->cause ? e->cause[rank].rank : 0, NULL, e->now);
        timed_message_free(e, id);
        return;
    }
    if (m->flags & MESSAGE_EAGER)
        return; /* on its way */
    m->ready = e->now;
    timed_port_ready(e, id);
}

/* Takes the oldest message that a matched probe accepts out of the matching. */
int timed_match_take(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    const struct matching_key key = queue_key(rank, op, wanted_source(e, op));
    uint32_t entry = matching_probe(&e->matching, &key);
    if (!entry)
        return 0;
    uint32_t id = queue_message(e, entry);
    CORE_CHECK(e->held && !e->held[e->rank[rank].request + (uint32_t)op->request]);
    matching_remove(&e->matching, entry);
    e->message[id].flags = (e->message[id].flags & ~(uint32_t)MESSAGE_SEND) | MESSAGE_HELD;
    e->held[e->rank[rank].request + (uint32_t)op->request] = id;
    return 1;
}

/* Posts the receive of a message that a matched probe took. */
void timed_match_held(struct timed_engine *e, uint32_t rank, const struct replay_op *op,
                      int32_t message, int32_t request)
{
    uint32_t id = e->held ? e->held[e->rank[rank].request + (uint32_t)message] : NONE;
    struct timed_message *m = &e->message[id];
    if (!id) { /* MPI_MESSAGE_NO_PROC */
        timed_rank_complete(e, rank, request, e->cause ? e->cause[rank].rank : 0, NULL, e->now);
        return;
    }
    CORE_CHECK(m->flags & MESSAGE_HELD && m->dst == (int32_t)rank);
    e->held[e->rank[rank].request + (uint32_t)message] = NONE;
    m->recv_request = request;
    m->recv_op = timed_op_index(e, rank, op);
    if (e->side)
        e->side[id].recv = e->cause[rank].rank;
    m->flags &= ~(uint32_t)MESSAGE_HELD;
    if (m->flags & MESSAGE_ARRIVED) {
        timed_rank_complete(e, rank, request, e->cause ? e->cause[rank].rank : 0, NULL, e->now);
        timed_message_free(e, id);
    } else if (!(m->flags & MESSAGE_EAGER)) {
        m->ready = e->now;
        timed_port_ready(e, id);
    }
}

int timed_match_probe(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    const struct matching_key key = queue_key(rank, op, wanted_source(e, op));
    return matching_probe(&e->matching, &key) != MATCHING_NONE;
}

/* Removes an operation that has not matched; returns 0 if it has. */
int timed_match_cancel(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    int send = op->kind == REPLAY_ISEND;
    int32_t src = send ? (int32_t)rank : wanted_source(e, op),
            dst = send ? op->peer : (int32_t)rank;

    if (e->any_wild) {
        const struct matching_key key = {(uint32_t)dst, op->comm, src, op->tag};
        return queue_cancel(e, &key, send, op->request);
    }
    struct timed_slot *slot = &e->slot[timed_match_hash(e, src, dst, op->tag, op->comm)];
    uint32_t prev = NONE;
    for (uint32_t id = slot->head; id; prev = id, id = e->message[id].chain) {
        const struct timed_message *m = &e->message[id];
        if (m->src != src || m->dst != dst || m->tag != op->tag || m->comm != op->comm ||
            !(m->flags & (send ? MESSAGE_SEND : MESSAGE_RECV)) || (m->flags & MESSAGE_EAGER) ||
            (send ? m->send_request : m->posted_request) != op->request)
            continue;
        chain_remove(e, slot, prev, id);
        timed_message_free(e, id);
        return 1;
    }
    return 0;
}
