/* MPI's matching in one hash table of rings, and a list for each destination of entries with a
 * wildcard. The invariants are in the header. The idea: an exact key (destination, context, source,
 * tag) has a ring of messages and a ring of receives, each in order of posting, so that the usual
 * post is one lookup. */
#include "core/matching/queue.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"
#include "core/work.h"

#define A_MATCHING "the matching of messages" /* completes "out of memory for ..." */

#define RECEIVE MATCHING_RECEIVE
#define FREE UINT32_MAX

_Static_assert(sizeof(struct matching_entry) == 32, "most of the engine's memory is entries");
_Static_assert(FREE &RECEIVE, "no destination of a message is FREE");

static bool match_same(const struct matching_key *a, const struct matching_key *b)
{
    return a->to == b->to && a->from == b->from && a->tag == b->tag && a->comm == b->comm;
}

/* Returns the place that holds the last entry of the key's ring (a bucket or a chain); *place is 0
 * if there is no ring. */
static uint32_t *ring_find(const struct matching *match, const struct matching_key *key)
{
    CORE_CHECK_HOT((key->to & ~RECEIVE) < match->ranks);
    uint32_t *place = &match->bucket[matching_bucket(match, key)];
    while (*place && !match_same(&match->entry[*place].key, key))
        place = &match->entry[*place].chain;
    return place;
}

static enum core_status no_memory(void)
{
    return core_report(CORE_NO_MEMORY, "out of memory for matching messages");
}

enum core_status matching_init(struct matching *match, uint32_t ranks, bool wild, bool deferred)
{
    CORE_CHECK(ranks > 0 && ranks < RECEIVE); /* the highest bit of a destination marks receives */
    struct matching made = {
        .ranks = ranks, .wild = wild || deferred, .deferred = deferred, .bucket_bits = 6};
    made.bucket = calloc((size_t)1 << made.bucket_bits, sizeof *made.bucket);
    if (made.wild)
        made.queue = calloc(ranks, sizeof *made.queue);
    if (!made.bucket || (made.wild && !made.queue)) {
        matching_done(&made);
        return no_memory();
    }
    *match = made;
    return CORE_OK;
}

void matching_done(struct matching *match)
{
    if (!match)
        return;
    free(match->entry);
    free(match->link);
    free(match->bucket);
    free(match->queue);
    free(match->channel);
    free(match->channel_bucket);
    *match = (struct matching){0};
}

void matching_reset(struct matching *match)
{
    for (uint32_t i = 1; i <= match->entry_top && match->used; i++) {
        struct matching_key *key = &match->entry[i].key;
        if (key->to == FREE)
            continue;
        match->bucket[matching_bucket(match, key)] = 0;
        if (match->wild)
            match->queue[key->to & ~RECEIVE] = (struct matching_place){0};
        match->used--;
    }
    CORE_CHECK(match->used == 0);
    if (match->channel_count) {
        CORE_CHECK(match->wild);
        for (uint32_t i = 1; i <= match->channel_count; i++)
            match->queue[match->channel[i].to].channel = 0;
        memset(match->channel_bucket, 0, sizeof *match->channel_bucket << match->channel_bits);
        match->channel_count = 0;
    }
    match->entry_top = match->entry_free = match->order = 0;
    match->failed = false;
}

/* Grows the entries by half, not to the double: they are most of the engine's memory. They are
 * counted from 1 and define the room, so they grow last. */
static bool entries_grow(struct matching *match)
{
    uint64_t need = match->entry_room ? match->entry_room + match->entry_room / 2 : 64;
    if (need >= RECEIVE ||
        (match->wild && CORE_ARRAY_FIT(match->link, match->link_room, need, A_MATCHING)) ||
        CORE_ARRAY_FIT(match->entry, match->entry_room, need, A_MATCHING))
        return false;
    CORE_CHECK(!match->wild || match->link_room >= match->entry_room);
    return true;
}

static uint32_t channel_bucket_of(const struct matching *match, uint32_t to, uint32_t comm,
                                  int32_t from)
{
    uint32_t h = to * 0x9E3779B1u ^ (comm + 1) * 0x85EBCA77u;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    return ((h ^ h >> 13) + (uint32_t)from) & ((1u << match->channel_bits) - 1);
}

/* Returns 0 if there is none. */
static uint32_t channel_find(const struct matching *match, uint32_t to, uint32_t comm, int32_t from)
{
    if (!match->channel_count)
        return 0;
    uint32_t at = match->channel_bucket[channel_bucket_of(match, to, comm, from)];
    while (at && (match->channel[at].to != to || match->channel[at].comm != comm ||
                  match->channel[at].from != from))
        at = match->channel[at].chain;
    return at;
}

/* Makes room for one more channel. */
static bool channels_grow(struct matching *match)
{
    CORE_CHECK(match->wild);
    if (match->channel_count + 1 >= RECEIVE ||
        CORE_ARRAY_ROOM(match->channel, match->channel_room, (uint64_t)match->channel_count + 2,
                        A_MATCHING))
        return false;
    if (match->channel_bucket && match->channel_count < 1u << match->channel_bits)
        return true;
    uint32_t bits = match->channel_bucket ? match->channel_bits + 1 : 4;
    uint32_t *larger = calloc((size_t)1 << bits, sizeof *larger);
    if (!larger)
        return false;
    free(match->channel_bucket);
    match->channel_bucket = larger;
    match->channel_bits = bits;
    for (uint32_t i = 1; i <= match->channel_count; i++) {
        struct matching_channel *channel = &match->channel[i];
        uint32_t *bucket =
            &larger[channel_bucket_of(match, channel->to, channel->comm, channel->from)];
        channel->chain = *bucket;
        *bucket = i;
    }
    return true;
}

/* Returns the channel of a message, which it creates if necessary; 0: out of memory. */
static uint32_t channel_of(struct matching *match, const struct matching_key *key)
{
    uint32_t at = channel_find(match, key->to, key->comm, key->from);
    if (at)
        return at;
    if (!channels_grow(match)) {
        match->failed = true;
        return 0;
    }
    CORE_CHECK(match->channel_count + 1 < match->channel_room); /* channels count from 1 */
    at = ++match->channel_count;
    uint32_t *bucket =
        &match->channel_bucket[channel_bucket_of(match, key->to, key->comm, key->from)];
    match->channel[at] = (struct matching_channel){.to = key->to,
                                                   .comm = key->comm,
                                                   .from = key->from,
                                                   .chain = *bucket,
                                                   .after = match->queue[key->to].channel};
    *bucket = at;
    match->queue[key->to].channel = at;
    return at;
}

static void channel_push(struct matching *match, uint32_t at, uint32_t channel_at)
{
    struct matching_channel *channel = &match->channel[channel_at];
    struct matching_link *link = &match->link[at];
    link->channel = channel_at;
    CORE_CHECK(!channel->last ||
               !match->link[channel->last].channel_after); /* queue.h invariant 2 */
    link->channel_before = channel->last;
    link->channel_after = 0;
    if (channel->last)
        match->link[channel->last].channel_after = at;
    else
        channel->first = at;
    channel->last = at;
}

static void channel_pull(struct matching *match, uint32_t at)
{
    struct matching_link *link = &match->link[at];
    struct matching_channel *channel = &match->channel[link->channel];
    CORE_CHECK_HOT(channel->to == match->entry[at].key.to &&
                   channel->from == match->entry[at].key.from);
    CORE_CHECK_HOT(channel->first && channel->last);
    if (link->channel_before)
        match->link[link->channel_before].channel_after = link->channel_after;
    else
        channel->first = link->channel_after;
    if (link->channel_after)
        match->link[link->channel_after].channel_before = link->channel_before;
    else
        channel->last = link->channel_before;
}

/* Grows the buckets, to a quarter of an entry for each bucket on average: each wrong entry on the
 * way costs a wait for memory, and a bucket is only an eighth of an entry. */
static void buckets_grow(struct matching *match)
{
    CORE_CHECK(match->bucket_bits < 31);
    uint32_t bits = match->bucket_bits + 1;
    uint32_t *old = match->bucket, count = 1u << match->bucket_bits;
    uint32_t *larger = calloc((size_t)1 << bits, sizeof *larger);
    if (!larger)
        return; /* slower but correct */
    match->bucket = larger;
    match->bucket_bits = bits;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t at = old[i], next; at; at = next) {
            uint32_t *place = &match->bucket[matching_bucket(match, &match->entry[at].key)];
            next = match->entry[at].chain;
            match->entry[at].chain = *place;
            *place = at;
        }
    free(old);
}

static uint32_t entry_new(struct matching *match, const struct matching_key *key, uint32_t kind,
                          uint64_t who)
{
    uint32_t at = match->entry_free;
    CORE_CHECK_HOT(!at || match->entry[at].key.to == FREE);
    if (at)
        match->entry_free = match->entry[at].next;
    else if (match->entry_top + 1 < match->entry_room || entries_grow(match))
        at = ++match->entry_top;
    else {
        match->failed = true;
        return MATCHING_NONE;
    }
    CORE_CHECK_HOT(at <= match->entry_top && at < match->entry_room);
    struct matching_entry *entry = &match->entry[at];
    entry->key = *key;
    entry->key.to |= kind;
    entry->who = who;
    if (match->wild)
        match->link[at].order = match->order;
    match->used++;
    return at;
}

static void entry_free(struct matching *match, uint32_t at)
{
    CORE_CHECK_HOT(match->entry[at].key.to != FREE);
    CORE_CHECK_HOT(match->used > 0);
    match->entry[at].key.to = FREE;
    match->entry[at].next = match->entry_free;
    match->entry_free = at;
    match->used--;
}

static void ring_push(struct matching *match, uint32_t at)
{
    struct matching_entry *entry = &match->entry[at];
    if (4 * (uint64_t)match->used > 1u << match->bucket_bits && match->bucket_bits < 30)
        buckets_grow(match);
    uint32_t *place = ring_find(match, &entry->key);
    if (*place) {
        struct matching_entry *last = &match->entry[*place];
        CORE_CHECK_HOT(!match->wild || match->link[*place].order < match->link[at].order);
        entry->next = last->next; /* queue.h invariant 2: at the end */
        entry->chain = last->chain;
        last->next = at;
    } else {
        entry->next = at;
        entry->chain = 0;
    }
    *place = at;
}

/* Removes `at` from the ring whose last entry is at *place. */
static void ring_pull(struct matching *match, uint32_t *place, uint32_t at)
{
    uint32_t before = *place;
    CORE_CHECK_HOT(before && match_same(&match->entry[before].key, &match->entry[at].key));
    while (match->entry[before].next != at) {
        before = match->entry[before].next;
        CORE_CHECK(before != *place);
    }
    if (before == at) {
        *place = match->entry[at].chain;
        return;
    }
    match->entry[before].next = match->entry[at].next;
    if (*place == at) {
        match->entry[before].chain = match->entry[at].chain;
        *place = before;
    }
}

static bool is_wild(const struct matching_key *key)
{
    return key->from < 0 || key->tag < 0;
}

static void list_push(struct matching *match, uint32_t at, uint32_t *first, uint32_t *last)
{
    CORE_CHECK(!*last || !match->link[*last].after); /* queue.h invariant 2: at the end */
    match->link[at].before = *last;
    match->link[at].after = 0;
    if (*last)
        match->link[*last].after = at;
    else
        *first = at;
    *last = at;
}

static void list_pull(struct matching *match, uint32_t at, uint32_t *first, uint32_t *last)
{
    struct matching_link *link = &match->link[at];
    CORE_CHECK_HOT(*first && *last);
    if (link->before)
        match->link[link->before].after = link->after;
    else
        *first = link->after;
    if (link->after)
        match->link[link->after].before = link->before;
    else
        *last = link->before;
}

/* Links the first receives of each key in post order: receives of one key accept the same messages,
 * so only the first one can get a message. */
static void key_link(struct matching *match, uint32_t at, uint32_t before, uint32_t after)
{
    struct matching_place *queue = &match->queue[match->entry[at].key.to & ~RECEIVE];

    CORE_CHECK_HOT(!before || match->link[before].order < match->link[at].order);
    CORE_CHECK_HOT(!after || match->link[at].order < match->link[after].order);
    match->link[at].channel_before = before;
    match->link[at].channel_after = after;
    *(before ? &match->link[before].channel_after : &queue->key_first) = at;
    *(after ? &match->link[after].channel_before : &queue->key_last) = at;
}

static void wild_push(struct matching *match, uint32_t at)
{
    struct matching_place *queue = &match->queue[match->entry[at].key.to & ~RECEIVE];

    list_push(match, at, &queue->wild_first, &queue->wild_last);
    ring_push(match, at);
    if (match->entry[at].next == at)
        key_link(match, at, queue->key_last, 0);
}

static void wild_pull(struct matching *match, uint32_t at)
{
    struct matching_place *queue = &match->queue[match->entry[at].key.to & ~RECEIVE];
    uint32_t *place = ring_find(match, &match->entry[at].key);
    uint32_t next = match->entry[at].next, before = match->link[at].channel_before,
             after = match->link[at].channel_after;
    bool first = match->entry[*place].next == at, alone = next == at;

    list_pull(match, at, &queue->wild_first, &queue->wild_last);
    ring_pull(match, place, at);
    if (!first)
        return;
    *(before ? &match->link[before].channel_after : &queue->key_first) = after;
    *(after ? &match->link[after].channel_before : &queue->key_last) = before;
    for (; !alone && after && match->link[after].order < match->link[next].order; core_work(1)) {
        before = after;
        after = match->link[after].channel_after;
    }
    if (!alone)
        key_link(match, next, before, after);
}

/* channel: of a message, in wild mode. */
static void match_keep(struct matching *match, uint32_t at, uint32_t channel)
{
    const struct matching_key *key = &match->entry[at].key;
    bool receive = key->to & RECEIVE, wild = receive && is_wild(key);

    CORE_CHECK_HOT(receive || channel || !match->wild);
    if (match->wild) {
        struct matching_place *queue = &match->queue[key->to & ~RECEIVE];
        if (wild)
            wild_push(match, at);
        else if (receive)
            list_push(match, at, &queue->exact_first, &queue->exact_last);
        else {
            list_push(match, at, &queue->message_first, &queue->message_last);
            channel_push(match, at, channel);
        }
        queue->plain += receive && key->from >= 0;
    }
    if (!wild)
        ring_push(match, at);
}

void matching_remove(struct matching *match, uint32_t at)
{
    const struct matching_key *key = &match->entry[at].key;
    bool receive = key->to & RECEIVE, wild = receive && is_wild(key);

    CORE_CHECK(at && at <= match->entry_top && key->to != FREE);
    if (match->wild) {
        struct matching_place *queue = &match->queue[key->to & ~RECEIVE];
        if (wild)
            wild_pull(match, at);
        else if (receive)
            list_pull(match, at, &queue->exact_first, &queue->exact_last);
        else {
            list_pull(match, at, &queue->message_first, &queue->message_last);
            channel_pull(match, at);
        }
        CORE_CHECK_HOT(!receive || key->from < 0 || queue->plain > 0);
        queue->plain -= receive && key->from >= 0;
    }
    if (!wild)
        ring_pull(match, ring_find(match, key), at);
    entry_free(match, at);
}

static bool match_accepts(const struct matching_key *receive, const struct matching_key *message)
{
    return matching_fits((struct matching_envelope){receive->comm, receive->from, receive->tag},
                         (struct matching_envelope){message->comm, message->from, message->tag});
}

/* Returns the first receive of a key with the message's destination if it was posted before
 * `other`; otherwise `other`. */
static uint32_t earlier_receive(const struct matching *match, struct matching_key key,
                                uint32_t other)
{
    key.to |= RECEIVE;
    uint32_t last = *ring_find(match, &key);
    uint32_t at = last ? match->entry[last].next : MATCHING_NONE;

    core_work(1);
    return at && (!other || match->link[at].order < match->link[other].order) ? at : other;
}

/* Returns the first receive with a wildcard that accepts the message and was posted before `order`.
 */
static uint32_t match_claim(const struct matching *match, const struct matching_key *message,
                            uint32_t order)
{
    uint32_t to = message->to & ~RECEIVE, at = match->queue[to].wild_first;

    if (!at || match->link[at].order >= order)
        return MATCHING_NONE;
    CORE_CHECK_HOT(!match->link[at].after ||
                   match->link[at].order < match->link[match->link[at].after].order);
    if (!match_accepts(&match->entry[at].key, message)) { /* the three keys that accept it */
        struct matching_key key = {.to = to, .comm = message->comm, .from = -1, .tag = -1};
        if (!match->link[at].after)
            return MATCHING_NONE;
        at = earlier_receive(match, key, MATCHING_NONE);
        key.tag = message->tag;
        at = earlier_receive(match, key, at);
        key.from = message->from;
        key.tag = -1;
        at = earlier_receive(match, key, at);
    }
    return at && match->link[at].order < order ? at : MATCHING_NONE;
}

/* Returns the first message of a channel that the key accepts. */
static uint32_t first_of_channel(const struct matching *match, const struct matching_key *key,
                                 uint32_t channel)
{
    uint32_t first = match->channel[channel].first;
    struct matching_key message = *key;

    core_work(1);
    if (!first || match_accepts(key, &match->entry[first].key))
        return first;
    CORE_CHECK_HOT(key->tag >= 0);
    message.to &= ~RECEIVE;
    message.from = match->channel[channel].from;
    uint32_t last = *ring_find(match, &message);
    return last ? match->entry[last].next : MATCHING_NONE;
}

/* Returns the earliest kept message that the key accepts, from one source if key->from names it. */
static uint32_t first_message(const struct matching *match, const struct matching_key *key)
{
    uint32_t to = key->to & ~RECEIVE;
    if (!is_wild(key)) {
        struct matching_key message = *key;
        message.to = to;
        uint32_t last = *ring_find(match, &message);
        CORE_CHECK_HOT(!last || match_accepts(key, &match->entry[match->entry[last].next].key));
        return last ? match->entry[last].next : MATCHING_NONE;
    }
    if (key->from >= 0) { /* any tag: the first of its channel */
        uint32_t channel = channel_find(match, to, key->comm, key->from);
        return channel ? match->channel[channel].first : MATCHING_NONE;
    }
    uint32_t found = match->queue[to].message_first;
    if (!found || match_accepts(key, &match->entry[found].key))
        return found;
    found = MATCHING_NONE;
    for (uint32_t c = match->queue[to].channel; c; c = match->channel[c].after) {
        uint32_t at = match->channel[c].comm == key->comm ? first_of_channel(match, key, c) : 0;
        if (at && (!found || match->link[at].order < match->link[found].order))
            found = at;
    }
    return found;
}

/* Returns the receive that gets a message by the rules alone: the earliest posted one that accepts
 * it. */
static uint32_t first_receive(const struct matching *match, const struct matching_key *message)
{
    struct matching_key key = *message;
    key.to |= RECEIVE;
    uint32_t *place = ring_find(match, &key);
    uint32_t exact = *place ? match->entry[*place].next : MATCHING_NONE;
    if (!match->wild)
        return exact;
    uint32_t wild = match_claim(match, message, exact ? match->link[exact].order : UINT32_MAX);
    CORE_CHECK_HOT(!wild || !exact || match->link[wild].order < match->link[exact].order);
    return wild ? wild : exact; /* queue.h invariant 3 */
}

bool matching_posted(const struct matching *match, const struct matching_key *message)
{
    return first_receive(match, message) != MATCHING_NONE;
}

/* Tells whether the next message surely goes to the receive: it names its source, and takes no
 * earlier message from there. */
static bool match_certain(const struct matching *match, uint32_t receive)
{
    const struct matching_key *key = &match->entry[receive].key;
    if (!match->deferred)
        return true;
    if (key->from < 0)
        return false;
    /* An earlier message with the same tag has the same claim; for any tag, search. */
    return key->tag >= 0 || first_message(match, key) == MATCHING_NONE;
}

/* Tells whether an entry of that kind waits under the key. */
static bool has_ring(const struct matching *match, const struct matching_key *key, uint32_t kind)
{
    struct matching_key of_kind = *key;
    of_kind.to |= kind;
    return *ring_find(match, &of_kind) != MATCHING_NONE;
}

/* The usual case, without wildcards and with one lookup: removes the first entry of the other kind
 * from its ring, or adds a new entry to the ring of its own kind. Returns the removed entry, which
 * is free, but whose fields can still be read. */
static uint32_t post_exact(struct matching *match, const struct matching_key *key, uint32_t other,
                           uint32_t own, uint64_t who)
{
    if (4 * (uint64_t)match->used > 1u << match->bucket_bits && match->bucket_bits < 30)
        buckets_grow(match);
    uint32_t *bucket = &match->bucket[matching_bucket(match, key)], *own_place = NULL;
    uint32_t other_to = key->to | other, own_to = key->to | own;

    for (uint32_t *place = bucket; *place; place = &match->entry[*place].chain) {
        struct matching_entry *last = &match->entry[*place];
        if (last->key.from != key->from || last->key.tag != key->tag || last->key.comm != key->comm)
            continue;
        if (last->key.to == other_to) {
            uint32_t first = last->next;
            CORE_CHECK_HOT(match->entry[first].key.to == other_to);
            if (first == *place)
                *place = last->chain;
            else
                last->next = match->entry[first].next;
            entry_free(match, first);
            return first;
        }
        if (last->key.to ==
            own_to) { /* then there is none of the other kind: queue.h invariant 1 */
            CORE_CHECK_HOT(!has_ring(match, key, other));
            own_place = place;
            break;
        }
    }
    size_t offset =
        own_place && own_place != bucket ? (size_t)((char *)own_place - (char *)match->entry) : 0;
    uint32_t at = entry_new(match, key, own, who); /* may move the entries */
    if (!at)
        return MATCHING_NONE;
    struct matching_entry *entry = &match->entry[at];
    if (own_place) {
        own_place = offset ? (uint32_t *)((char *)match->entry + offset) : own_place;
        struct matching_entry *last = &match->entry[*own_place];
        entry->next = last->next;
        entry->chain = last->chain;
        last->next = at;
        *own_place = at;
    } else {
        entry->next = at;
        entry->chain = *bucket;
        *bucket = at;
    }
    return MATCHING_NONE;
}

bool matching_send(struct matching *match, const struct matching_key *key, uint64_t who,
                   uint64_t *out_receive, uint32_t *out_entry)
{
    CORE_CHECK(key->to < match->ranks && key->from >= 0 && key->tag >= 0);
    *out_entry = MATCHING_NONE;
    if (!match->wild) {
        uint32_t first = post_exact(match, key, RECEIVE, 0, who);
        if (first)
            *out_receive = match->entry[first].who;
        return first != MATCHING_NONE;
    }
    match->order++;
    uint32_t receive = first_receive(match, key);
    if (receive && match_certain(match, receive)) {
        *out_receive = match->entry[receive].who;
        matching_remove(match, receive);
        return true;
    }
    uint32_t channel = channel_of(match, key),
             at = channel ? entry_new(match, key, 0, who) : MATCHING_NONE;
    if (at)
        match_keep(match, at, channel);
    *out_entry = at;
    return false;
}

bool matching_receive(struct matching *match, const struct matching_key *key, uint64_t who,
                      int32_t *out_from, uint64_t *out_send, uint32_t *out_entry)
{
    CORE_CHECK(key->to < match->ranks && (match->wild || !is_wild(key)));
    match->order++;
    *out_entry = MATCHING_NONE;
    if (!match->wild) {
        uint32_t first = post_exact(match, key, 0, RECEIVE, who);
        if (first) {
            *out_from = key->from;
            *out_send = match->entry[first].who;
        }
        return first != MATCHING_NONE;
    }
    uint32_t message = match->deferred && key->from < 0 ? MATCHING_NONE : first_message(match, key);
    if (message &&
        !(match->deferred && match_claim(match, &match->entry[message].key, match->order))) {
        *out_from = match->entry[message].key.from;
        *out_send = match->entry[message].who;
        matching_remove(match, message);
        return true;
    }
    uint32_t at = entry_new(match, key, RECEIVE, who);
    if (at)
        match_keep(match, at, 0);
    *out_entry = at;
    return false;
}

/* Returns the first message of a channel that a receive with the key would take. Messages of one
 * tag are in a ring: either all or none of them are claimed. */
static uint32_t probe_channel(const struct matching *match, const struct matching_key *key,
                              uint32_t channel)
{
    uint32_t at = first_of_channel(match, key, channel);

    for (; at && match->deferred && match_claim(match, &match->entry[at].key, UINT32_MAX);
         core_work(1))
        at = key->tag >= 0 ? MATCHING_NONE : match->link[at].channel_after;
    return at;
}

uint32_t matching_probe(const struct matching *match, const struct matching_key *key)
{
    uint32_t found = MATCHING_NONE;

    CORE_CHECK(match->wild);
    CORE_CHECK(key->to < match->ranks);
    if (key->from >= 0) {
        uint32_t channel = channel_find(match, key->to, key->comm, key->from);
        return channel ? probe_channel(match, key, channel) : MATCHING_NONE;
    }
    for (uint32_t c = match->queue[key->to].channel; c; c = match->channel[c].after) {
        uint32_t at = match->channel[c].comm == key->comm ? probe_channel(match, key, c) : 0;
        if (at && (!found || match->link[at].order < match->link[found].order))
            found = at;
    }
    return found;
}

bool matching_get(const struct matching *match, uint32_t at, struct matching_key *out_key,
                  uint64_t *out_who)
{
    CORE_CHECK(at && at <= match->entry_top && match->entry[at].key.to != FREE);
    *out_key = match->entry[at].key;
    *out_who = match->entry[at].who;
    bool receive = out_key->to & RECEIVE;
    out_key->to &= ~RECEIVE;
    return receive;
}

uint32_t matching_wild(const struct matching *match, uint32_t to, uint32_t after)
{
    CORE_CHECK_HOT(match->wild && to < match->ranks);
    return after ? match->link[after].channel_after : match->queue[to].key_first;
}

static uint32_t ring_last(const struct matching *match, const struct matching_key *key,
                          bool is_receive)
{
    struct matching_key of_kind = *key;

    CORE_CHECK(key->to < match->ranks);
    if (is_receive)
        of_kind.to |= RECEIVE;
    return *ring_find(match, &of_kind);
}

uint32_t matching_first(const struct matching *match, const struct matching_key *key,
                        bool is_receive)
{
    uint32_t last = ring_last(match, key, is_receive);

    return last ? match->entry[last].next : MATCHING_NONE;
}

uint32_t matching_after(const struct matching *match, const struct matching_key *key,
                        bool is_receive, uint32_t after)
{
    core_work(1);
    return after == ring_last(match, key, is_receive) ? MATCHING_NONE : match->entry[after].next;
}

uint32_t matching_candidates(struct matching *match, uint32_t receive, uint32_t *out_message,
                             uint32_t room)
{
    const struct matching_key *key = &match->entry[receive].key;
    uint32_t count = 0;

    CORE_CHECK(match->deferred);
    CORE_CHECK(key->to & RECEIVE);
    for (uint32_t c = match->queue[key->to & ~RECEIVE].channel; c; c = match->channel[c].after) {
        if (match->channel[c].comm != key->comm ||
            (key->from >= 0 && key->from != match->channel[c].from))
            continue;
        uint32_t at = first_of_channel(match, key, c);
        if (!at || match_claim(match, &match->entry[at].key, match->link[receive].order))
            continue; /* queue.h invariant 3 */
        CORE_CHECK_HOT(match->entry[at].key.from == match->channel[c].from);
        if (count < room)
            out_message[count] = at;
        count++;
    }
    return count;
}

bool matching_few_messages(const struct matching *match, uint32_t to)
{
    uint32_t message = match->queue[to].message_first, wild = match->queue[to].key_first;

    for (; message && wild; core_work(1)) {
        message = match->link[message].after;
        wild = match->link[wild].channel_after;
    }
    return !message && wild;
}

uint32_t matching_message(const struct matching *match, uint32_t to, uint32_t after)
{
    CORE_CHECK_HOT(match->wild && to < match->ranks);
    core_work(1);
    return after ? match->link[after].after : match->queue[to].message_first;
}

uint32_t matching_taker(const struct matching *match, uint32_t message)
{
    uint32_t receive = match_claim(match, &match->entry[message].key, UINT32_MAX);

    CORE_CHECK(match->deferred);
    if (!receive || match->entry[receive].key.from >= 0 ||
        first_of_channel(match, &match->entry[receive].key, match->link[message].channel) !=
            message)
        return MATCHING_NONE;
    return receive;
}

bool matching_is_before(const struct matching *match, uint32_t a, uint32_t b)
{
    return match->link[a].order < match->link[b].order;
}

bool matching_offered_before(const struct matching *match, const struct matching_offer *a,
                             const struct matching_offer *b)
{
    if (a->receive != b->receive)
        return matching_is_before(match, a->receive, b->receive);
    return match->link[a->message].channel > match->link[b->message].channel; /* latest first */
}

uint32_t matching_candidate(const struct matching *match, uint32_t receive, int32_t from)
{
    struct matching_key key = match->entry[receive].key;

    CORE_CHECK(match->deferred);
    key.from = from;
    uint32_t message = first_message(match, &key);
    if (message && match_claim(match, &match->entry[message].key, match->link[receive].order))
        return MATCHING_NONE;
    return message;
}

void matching_take(struct matching *match, uint32_t receive, uint32_t message)
{
    CORE_CHECK(match->deferred &&
               match_accepts(&match->entry[receive].key, &match->entry[message].key));
    CORE_CHECK(match->entry[receive].key.to == (match->entry[message].key.to | RECEIVE));
    CORE_CHECK_HOT(!match_claim(match, &match->entry[message].key, match->link[receive].order));
    matching_remove(match, message);
    matching_remove(match, receive);
}

bool matching_settle(struct matching *match, uint32_t to, struct matching_pair *out_pair)
{
    if (!match->deferred || !match->queue[to].plain)
        return false;
    for (int wild = 0; wild < 2; wild++)
        for (uint32_t at = wild ? match->queue[to].key_first : match->queue[to].exact_first; at;
             at = wild ? match->link[at].channel_after : match->link[at].after) {
            const struct matching_key *key = &match->entry[at].key;
            core_work(1);
            uint32_t message = key->from >= 0 ? first_message(match, key) : MATCHING_NONE;
            if (!message || first_receive(match, &match->entry[message].key) != at)
                continue;
            CORE_CHECK_HOT(match_accepts(key, &match->entry[message].key));
            *out_pair = (struct matching_pair){.message = match->entry[message].key,
                                               .receive = match->entry[at].who,
                                               .send = match->entry[message].who};
            matching_remove(match, message);
            matching_remove(match, at);
            return true;
        }
    return false;
}

uint32_t matching_find(const struct matching *match, const struct matching_key *key,
                       bool is_receive, uint64_t who)
{
    CORE_CHECK(match->wild || !is_wild(key));
    uint32_t at = matching_first(match, key, is_receive);
    while (at && match->entry[at].who != who)
        at = matching_after(match, key, is_receive, at);
    return at;
}

uint32_t matching_next(const struct matching *match, uint32_t after, bool *out_is_receive)
{
    CORE_CHECK(after <= match->entry_top);
    for (uint32_t at = after + 1; at <= match->entry_top; at++)
        if (match->entry[at].key.to != FREE) {
            *out_is_receive = match->entry[at].key.to & RECEIVE;
            return at;
        }
    return MATCHING_NONE;
}

uint32_t matching_count(const struct matching *match)
{
    return match->used;
}

size_t matching_bytes(const struct matching *match)
{
    return match->entry_room * sizeof *match->entry + match->link_room * sizeof *match->link +
           match->channel_room * sizeof *match->channel +
           (match->bucket ? sizeof *match->bucket << match->bucket_bits : 0) +
           (match->queue ? match->ranks * sizeof *match->queue : 0);
}
