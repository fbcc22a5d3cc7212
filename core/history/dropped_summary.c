/* Writes and reads the base: what is outstanding after the records of one rank so far, as records
 * (SPOOL_BASE) from which a reader starts if the records themselves were dropped. The rank writes
 * it from its own history as it runs, and a reader takes it into another history; both follow
 * records with the same functions, so the history is the same as if nothing had been dropped.
 * Definitions are not part of it, as they are never dropped.
 *
 * Invariant: a base holds everything, or says that it does not. A base may contain anything: the
 * reader checks it against what a history can be; otherwise the history is unclear. */
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/history/history.h"
#include "core/spool/spool_read.h"
#include "core/trace/misuse.h"

_Static_assert((int)SPOOL_BASE_RECENT == (int)HISTORY_RECENT, "they are kept by number");

enum { MIXED = 1, BUFFERED = 2, IN_POST = 1, IN_START = 2 };
enum { UNEVEN = 1, SPACE_MIXED = 2, SPACE_FAILED = 4 };

/* --- making ----------------------------------------------------------------------------------- */

struct room {
    unsigned char *at;
    size_t used, bytes;
    bool full;
};

/* Adds a record of so many bytes with its head. NULL: there is no room. */
static void *room_take(struct room *room, enum spool_base_part part, unsigned b, size_t bytes)
{
    struct spool_head head = {SPOOL_BASE, (uint16_t)(bytes / 8), (uint16_t)part, (uint16_t)b};
    void *at = room->at + room->used;

    CORE_CHECK(bytes % 8 == 0);
    CORE_CHECK(room->used <= room->bytes);
    room->full |= bytes > room->bytes - room->used || bytes / 8 > SPOOL_RECORD_WORDS_MAX;
    if (room->full)
        return NULL;
    memset(at, 0, bytes);
    memcpy(at, &head, sizeof head);
    room->used += bytes;
    return at;
}

static void put_channel(struct room *room, const struct history_channel *c)
{
    struct spool_base_channel *r = room_take(
        room, SPOOL_BASE_CHANNEL, (c->mixed ? MIXED : 0) | (c->buffered ? BUFFERED : 0), sizeof *r);

    if (r)
        *r = (struct spool_base_channel){r->head,    c->key.global, c->key.source, c->key.dest,
                                         c->key.tag, c->lane,       c->sent,       c->received};
}

static void put_request(struct room *room, const struct request *q)
{
    unsigned flags = (q->persistent ? SPOOL_BASE_PERSISTENT : 0) |
                     (q->active ? SPOOL_BASE_ACTIVE : 0) | (q->armed ? SPOOL_BASE_ARMED : 0) |
                     (q->cancelled ? SPOOL_BASE_CANCELLED : 0) |
                     (q->matched ? SPOOL_BASE_MATCHED : 0) | (q->inside ? SPOOL_BASE_INSIDE : 0);
    struct spool_base_request *r = room_take(room, SPOOL_BASE_REQUEST, flags, sizeof *r);

    if (r)
        *r = (struct spool_base_request){.head = r->head,
                                         .id = q->id,
                                         .made = q->made,
                                         .begun = q->begun,
                                         .turn = q->turn,
                                         .t_enter = q->t_enter,
                                         .t_leave = q->t_leave,
                                         .bytes = q->bytes,
                                         .comm = q->comm,
                                         .win = q->win,
                                         .peer = q->peer,
                                         .tag = q->tag,
                                         .own = {q->own[0], q->own[1], q->own[2]},
                                         .pair = q->pair,
                                         .kind = q->kind,
                                         .mode = q->mode,
                                         .rounds = q->rounds};
}

static void put_pairs(struct room *room, const struct request_pairs *pairs)
{
    struct spool_base_pairs *r = room_take(room, SPOOL_BASE_PAIRS, 0, sizeof *r);

    if (r)
        *r = (struct spool_base_pairs){r->head,
                                       pairs->key.comm,
                                       pairs->key.peer,
                                       pairs->key.tag,
                                       pairs->key.kind,
                                       pairs->count,
                                       0};
}

static void put_epochs(struct room *room, const struct history *history,
                       const struct history_space *space)
{
    const struct history_epochs *e = space->epochs;

    for (uint32_t i = 0; e && i < history->rank_count; i++) {
        unsigned in = (e->in_post[i] ? IN_POST : 0) | (e->in_start[i] ? IN_START : 0);
        struct spool_base_epoch *r;

        if (!in && !e->posted[i] && !e->started[i] && !e->completed[i])
            continue;
        if ((r = room_take(room, SPOOL_BASE_EPOCH, in, sizeof *r)))
            *r = (struct spool_base_epoch){r->head,       space->key.id,   (int32_t)i, e->posted[i],
                                           e->started[i], e->completed[i], 0};
    }
}

/* Writes the recent collectives of which something is known. */
static void put_blocks(struct room *room, const struct history_space *s)
{
    for (uint32_t i = 0; i < HISTORY_RECENT; i++) {
        const struct history_coll *coll = &s->recent[i];
        struct spool_base_blocks *r;

        if (!coll->sides ||
            !(r = room_take(room, SPOOL_BASE_BLOCKS, i + coll->sides * HISTORY_RECENT, sizeof *r)))
            continue;
        *r = (struct spool_base_blocks){.head = r->head,
                                        .kind = s->key.kind,
                                        .id = s->key.id,
                                        .side = {coll->side[0], coll->side[1]}};
    }
}

static void put_space(struct room *room, const struct history *history,
                      const struct history_space *s)
{
    struct spool_base_space *r;

    if (s->entered || s->uneven || s->refused || s->mixed) {
        r = room_take(room, SPOOL_BASE_SPACE,
                      (s->uneven || s->refused ? UNEVEN : 0) | (s->mixed ? SPACE_MIXED : 0) |
                          (s->failed ? SPACE_FAILED : 0),
                      sizeof *r);
        if (!r)
            return;
        *r = (struct spool_base_space){.head = r->head,
                                       .kind = s->key.kind,
                                       .id = s->key.id,
                                       .lane = s->lane,
                                       .entered = s->entered};
        for (uint32_t i = 0; i < HISTORY_RECENT; i++) {
            r->recent[i].root = s->recent[i].root;
            r->recent[i].bytes = s->recent[i].bytes;
            r->recent[i].carried = s->recent[i].carried;
            r->recent[i].call = s->recent[i].call;
            r->recent[i].needs_all = s->recent[i].needs_all;
        }
        put_blocks(room, s);
    }
    put_epochs(room, history, s);
}

static void put_lock(struct room *room, const struct history_lock *lock)
{
    struct spool_base_lock *r = room_take(room, SPOOL_BASE_LOCK, lock->exclusive, sizeof *r);

    if (r)
        *r = (struct spool_base_lock){r->head,         lock->win,         lock->target,
                                      lock->op_target, lock->sure_target, 0};
}

/* Adds room for a record of so many bytes, with its head, inside a base record. */
static void *put_inner(struct room *room, uint16_t kind, uint16_t a, uint16_t b, size_t bytes)
{
    size_t whole = (bytes + 7) / 8 * 8;
    unsigned char *at = room_take(room, SPOOL_BASE_RECORD, 0, sizeof(struct spool_head) + whole);
    struct spool_head head = {kind, (uint16_t)(whole / 8), a, b};

    CORE_CHECK(kind < SPOOL_EVENT_AGAIN);
    if (!at)
        return NULL;
    memcpy(at + sizeof head, &head, sizeof head);
    return at + sizeof head;
}

/* Writes the sizes of a collective. */
static void put_sizes(struct room *room, const struct history_lane *kept)
{
    static const uint16_t role[HISTORY_PARTS] = {[HISTORY_SEND_COUNTS] = SPOOL_LIST_SEND_COUNTS,
                                                 [HISTORY_SEND_TYPES] = SPOOL_LIST_SEND_TYPES,
                                                 [HISTORY_RECV_COUNTS] = SPOOL_LIST_RECV_COUNTS,
                                                 [HISTORY_RECV_TYPES] = SPOOL_LIST_RECV_TYPES};

    for (uint32_t i = 0; i < HISTORY_PARTS; i++) {
        const struct history_part *part = &kept->part[i];
        size_t bytes = (size_t)part->count * sizeof *part->value;
        struct spool_list *r =
            part->seq ? put_inner(room, SPOOL_LIST, role[i], sizeof *part->value, sizeof *r + bytes)
                      : NULL;

        CORE_CHECK(part->count <= part->room);
        if (!r)
            continue;
        r->seq = part->seq;
        r->total = r->count = part->count;
        memcpy(r + 1, part->value, bytes);
    }
}

/* Writes the records committed for calls that still run. */
static void put_parts(struct room *room, const struct history_lane *kept)
{
    for (uint32_t i = 0; i < kept->done_count; i++) {
        const struct spool_done *done = &kept->done[i];
        struct spool_done *r = put_inner(room, SPOOL_DONE, done->head.a, done->head.b, sizeof *r);
        if (r) {
            struct spool_head head = r->head;
            *r = *done;
            r->head = head;
        }
    }
    if (kept->recv_half.seq && kept->recv_half.head.words) {
        struct spool_recv_half *r = put_inner(room, SPOOL_RECV_HALF, 0, 0, sizeof *r);
        if (r) {
            struct spool_head head = r->head;
            *r = kept->recv_half;
            r->head = head;
        }
    }
    if (kept->arg_seq) {
        struct spool_args *r = put_inner(room, SPOOL_ARGS, (uint16_t)kept->arg_count, 0,
                                         sizeof *r + kept->arg_count * sizeof *kept->arg);
        if (r) {
            r->seq = kept->arg_seq;
            memcpy(r + 1, kept->arg, kept->arg_count * sizeof *kept->arg);
        }
    }
    if (kept->list_seq) {
        struct spool_list *r = put_inner(room, SPOOL_LIST, SPOOL_LIST_REQUESTS, 4,
                                         sizeof *r + (size_t)kept->list_count * sizeof(uint32_t));
        if (r) {
            uint32_t *value = (uint32_t *)(void *)(r + 1);
            r->seq = kept->list_seq;
            r->total = kept->list_total;
            r->count = kept->list_count;
            for (uint32_t i = 0; i < kept->list_count; i++)
                value[i] = (uint32_t)kept->list[i];
        }
    }
    if (kept->null_seq) {
        struct spool_misuse *r = put_inner(room, SPOOL_MISUSE, MISUSE_NULL_RECEIVED, 0, sizeof *r);
        if (r)
            *r = (struct spool_misuse){.head = r->head, .seq = kept->null_seq};
    }
    put_sizes(room, kept);
}

/* Writes the whole base, as long as there is room. */
static void put_all(struct room *room, const struct history_follower *follower)
{
    const struct history *history = follower->history;
    const struct history_rank *rank = follower->rank;

    for (uint32_t i = 0; i < history->channels.count && !room->full; i++)
        put_channel(room, core_table_at(&history->channels, i));
    for (uint32_t i = 0; i < requests_count(&rank->requests) && !room->full; i++)
        put_request(room, requests_at(&rank->requests, i));
    for (uint32_t i = 0; i < rank->requests.pairs.count && !room->full; i++)
        put_pairs(room, core_table_at(&rank->requests.pairs, i));
    for (uint32_t i = 0; i < rank->spaces.count && !room->full; i++)
        put_space(room, history, core_table_at(&rank->spaces, i));
    for (uint32_t i = 0; i < rank->lock_count && !room->full; i++)
        put_lock(room, &rank->lock[i]);
    put_parts(room, follower->kept);
    room_take(room, SPOOL_BASE_END, 0, sizeof(struct spool_head));
}

size_t history_base_make(const struct history_follower *follower, uint64_t events, void *room,
                         size_t bytes)
{
    struct room left = {.at = room, .bytes = bytes};
    struct spool_base_begin *begin;

    CORE_CHECK(bytes >= HISTORY_BASE_LEAST);
    begin = room_take(&left, SPOOL_BASE_BEGIN, 0, sizeof *begin);
    CORE_CHECK(begin != NULL);
    begin->events = events;
    if (!follower->history->unclear)
        put_all(&left, follower);
    if (left.full || follower->history->unclear) {
        begin->head.b = 1;
        left.used = sizeof *begin;
    }
    CORE_CHECK(left.used <= bytes);
    return left.used;
}

/* --- taking ----------------------------------------------------------------------------------- */

static bool is_rank(const struct history *history, int32_t rank)
{
    return rank >= 0 && (uint32_t)rank < history->rank_count;
}

static bool take_channel(struct history_follower *follower, const struct spool_base_channel *r)
{
    struct history_channel_key key = {
        .global = r->global, .source = r->source, .dest = r->dest, .tag = r->tag};
    struct history_channel *c;
    int32_t me = follower->kept->rank;

    if (!is_rank(follower->history, r->source) || !is_rank(follower->history, r->dest) ||
        (r->source != me && r->dest != me) || (r->sent && r->source != me) ||
        (r->received && r->dest != me) ||
        core_table_put(&follower->history->channels, &key, "channels", &c))
        return false;
    if (r->sent)
        c->lane = r->lane;
    c->sent += r->sent; /* the other rank's base has what was received */
    c->received += r->received;
    c->mixed |= (r->head.b & MIXED) != 0;
    c->buffered |= (r->head.b & BUFFERED) != 0;
    return true;
}

static bool take_request(struct history_follower *follower, const struct spool_base_request *r)
{
    unsigned flags = r->head.b;
    struct request *q;

    if (!r->id || r->kind > REQUEST_OTHER || r->mode > EVENT_MODE_READY ||
        (r->kind == REQUEST_MESSAGE &&
         (flags & SPOOL_BASE_PERSISTENT || flags & SPOOL_BASE_ARMED)) ||
        core_table_put(&follower->rank->requests.table, &r->id, "requests", &q))
        return false;
    *q = (struct request){.id = r->id,
                          .made = r->made,
                          .begun = r->begun,
                          .rounds = r->rounds,
                          .turn = r->turn,
                          .t_enter = r->t_enter,
                          .t_leave = r->t_leave,
                          .bytes = r->bytes,
                          .comm = r->comm,
                          .win = r->win,
                          .peer = r->peer,
                          .tag = r->tag,
                          .own = {r->own[0], r->own[1], r->own[2]},
                          .pair = r->pair,
                          .kind = (uint8_t)r->kind,
                          .mode = (uint8_t)r->mode,
                          .persistent = flags & SPOOL_BASE_PERSISTENT,
                          .active = flags & SPOOL_BASE_ACTIVE,
                          .armed = flags & SPOOL_BASE_ARMED,
                          .cancelled = flags & SPOOL_BASE_CANCELLED,
                          .matched = flags & SPOOL_BASE_MATCHED,
                          .inside = flags & SPOOL_BASE_INSIDE};
    return true;
}

static bool take_pairs(struct history_follower *follower, const struct spool_base_pairs *r)
{
    struct request_pairs *pairs,
        like = {.key = {.comm = r->comm, .peer = r->peer, .tag = r->tag, .kind = r->kind}};

    if (core_table_put(&follower->rank->requests.pairs, &like.key, "partitioned requests", &pairs))
        return false;
    pairs->count = r->count;
    return true;
}

static bool take_space(struct history_follower *follower, const struct spool_base_space *r)
{
    struct history_space *s =
        history_space_find(follower->rank, (enum history_space_kind)r->kind, r->id);

    if (!s)
        return false;
    s->entered = r->entered;
    s->lane = r->lane;
    s->uneven |= (r->head.b & UNEVEN) != 0;
    s->mixed |= (r->head.b & SPACE_MIXED) != 0;
    s->failed |= (r->head.b & SPACE_FAILED) != 0;
    for (uint32_t i = 0; i < HISTORY_RECENT; i++)
        s->recent[i] = (struct history_coll){.rounds = REQUEST_ROUNDS_UNTOLD,
                                             .call = r->recent[i].call,
                                             .needs_all = r->recent[i].needs_all != 0,
                                             .root = r->recent[i].root,
                                             .bytes = r->recent[i].bytes,
                                             .carried = r->recent[i].carried};
    for (uint32_t i = 0; i < requests_count(&follower->rank->requests); i++)
        history_count_round(follower, requests_at(&follower->rank->requests, i));
    return true;
}

static bool take_blocks(struct history_follower *follower, const struct spool_base_blocks *r)
{
    struct history_space *s =
        history_space_find(follower->rank, (enum history_space_kind)r->kind, r->id);
    struct history_coll *coll = s ? &s->recent[r->head.b % HISTORY_RECENT] : NULL;

    CORE_CHECK(r->head.a == SPOOL_BASE_BLOCKS);
    if (!coll)
        return false;
    coll->sides = (uint8_t)(r->head.b / HISTORY_RECENT);
    coll->side[0] = r->side[0];
    coll->side[1] = r->side[1];
    return true;
}

static bool take_epoch(struct history_follower *follower, const struct spool_base_epoch *r)
{
    struct history_space *s = history_space_find(follower->rank, HISTORY_SPACE_WIN, r->win);
    struct history_epochs *e =
        s && is_rank(follower->history, r->rank) ? history_epochs_of(follower->history, s) : NULL;

    if (!e)
        return false;
    e->posted[r->rank] = r->posted;
    e->started[r->rank] = r->started;
    e->completed[r->rank] = r->completed;
    e->in_post[r->rank] = r->head.b & IN_POST;
    e->in_start[r->rank] = r->head.b & IN_START;
    return true;
}

static bool take_lock(struct history_follower *follower, const struct spool_base_lock *r)
{
    const struct history *history = follower->history;
    struct history_rank *rank = follower->rank;
    const struct history_lock lock = {.win = r->win,
                                      .target = r->target,
                                      .exclusive = r->head.b & 1,
                                      .op_target = r->op_target,
                                      .sure_target = r->sure_target};

    if ((r->target != EVENT_ANY && r->target != EVENT_NONE && !is_rank(history, r->target)) ||
        (r->op_target >= 0 && !is_rank(history, r->op_target)) ||
        (r->sure_target >= 0 && !is_rank(history, r->sure_target)))
        return false;
    return CORE_ARRAY_PUSH(rank->lock, rank->lock_count, rank->lock_room, "locks of windows",
                           lock) == CORE_OK;
}

static bool take_begin(struct history_follower *follower, const struct spool_base_begin *r)
{
    CORE_CHECK(r->head.a == SPOOL_BASE_BEGIN);
    follower->kept->base_events = r->events;
    return !r->head.b;
}

static bool take_part(struct history_follower *follower, const struct spool_head *head)
{
    const void *record = head;

    switch ((enum spool_base_part)head->a) {
    case SPOOL_BASE_CHANNEL:
        return take_channel(follower, record);
    case SPOOL_BASE_REQUEST:
        return take_request(follower, record);
    case SPOOL_BASE_PAIRS:
        return take_pairs(follower, record);
    case SPOOL_BASE_SPACE:
        return take_space(follower, record);
    case SPOOL_BASE_BLOCKS:
        return take_blocks(follower, record);
    case SPOOL_BASE_EPOCH:
        return take_epoch(follower, record);
    case SPOOL_BASE_LOCK:
        return take_lock(follower, record);
    case SPOOL_BASE_RECORD:
        history_take_part(follower, spool_tail(record, sizeof *head));
        return true;
    case SPOOL_BASE_END:
        follower->kept->based = HISTORY_BASE_TAKEN;
        return true;
    default:
        return false; /* a second beginning */
    }
}

void history_base_take(struct history_follower *follower, const struct spool_head *head)
{
    struct history_lane *kept = follower->kept;
    const void *record = head;
    bool taken = true;

    CORE_CHECK(head->kind == SPOOL_BASE);
    follower->rank->frees_active = true; /* the base does not say */
    if (kept->based == HISTORY_BASE_EXPECTED) {
        kept->based = HISTORY_BASE_TAKING;
        taken = head->a == SPOOL_BASE_BEGIN && take_begin(follower, record);
    } else if (kept->based == HISTORY_BASE_TAKING) {
        taken = take_part(follower, head);
    }
    if (!taken) {
        follower->history->unclear = true;
        kept->based = HISTORY_BASE_NONE;
    }
}
