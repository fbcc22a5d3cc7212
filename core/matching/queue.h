/* MPI's matching: which receive takes which message, for each communicator context. Messages of one
 * pair do not overtake each other; a message goes to the earliest posted receive that accepts it; a
 * receive takes the earliest message that it accepts. Constant time in the usual case (an exact
 * receive, or a wildcard whose first message in the queue fits).
 *
 * The caller names its sends and receives by numbers of its own (`who`), which have no meaning
 * here.
 *
 * Two ways to treat MPI_ANY_SOURCE:
 *   at once   the receive takes the first message that has come, as a real library does
 *   deferred  it takes none by itself: the caller asks for the candidates (the first fitting
 *             message of every source) when it likes, and gives it one. Messages that a waiting
 *             wildcard accepts are kept from receives posted after it, as MPI demands.
 *
 * Invariants
 *  1. No posted receive and no kept message match each other, except through a deferred wildcard.
 *  2. The receives and the messages of one key (destination, context, source, tag) are in the order
 *     in which they came.
 *  3. A message that a deferred wildcard accepts is never given to a receive posted after it while
 *     the wildcard waits. */
#ifndef CORE_MATCHING_QUEUE_H
#define CORE_MATCHING_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

enum {
    MATCHING_NONE = 0
}; /* no entry; entries count from 1. ANY is that of program.h, and so is PROC_NULL, which never
      occurs here */

struct matching_key {
    uint32_t to;   /* destination, below the `ranks` given to init */
    uint32_t comm; /* context */
    int32_t from;  /* source; receives: or -1, any */
    int32_t tag;   /* receives: or -1, any */
};

struct matching_entry { /* private; a posted receive, or a message that no receive has taken */
    struct matching_key
        key;        /* to: its highest bit says that it is a receive; read by matching_get */
    uint64_t who;   /* the caller's number */
    uint32_t next;  /* in its key's ring, in which the last one's next is the first */
    uint32_t chain; /* links the last entries of keys in one bucket */
};
struct matching_link {      /* private; only in wild mode */
    uint32_t before, after; /* in the destination's list of messages, of receives with a wildcard,
                               or of exact receives */
    uint32_t order;         /* of posting */
    uint32_t channel, channel_before,
        channel_after; /* messages: among those of the same source and context, in order;
                          receives with a wildcard: among the first of each key */
};
struct matching_channel { /* private; only in wild mode: messages from one source to one
                             destination in one context */
    uint32_t to, comm;
    int32_t from;
    uint32_t first, last;
    uint32_t chain; /* in its bucket */
    uint32_t after; /* next of the destination */
};

struct matching { /* fields are private */
    struct matching_entry *entry;
    struct matching_link *link;
    uint32_t *bucket;
    struct matching_place {
        uint32_t message_first, message_last, wild_first, wild_last;
        uint32_t key_first, key_last;     /* the first wildcard of each key */
        uint32_t exact_first, exact_last; /* receives without wildcards */
        uint32_t plain;                   /* waiting receives that name their source */
        uint32_t channel;
    } * queue;
    struct matching_channel *channel;
    uint32_t *channel_bucket, channel_bits, channel_count, channel_room;
    uint32_t ranks, entry_room, link_room, entry_top, entry_free, bucket_bits, used, order;
    bool wild, deferred;
    bool failed; /* out of memory: posts return MATCHING_NONE and do nothing */
};

struct matching_pair {
    struct matching_key message; /* exact */
    uint64_t receive, send;      /* who */
};

/* Initializes the queues. wild: receives with wildcards, or probes, are allowed (otherwise an
 * assertion refuses them, which saves memory and time). deferred: see above; implies wild. */
enum core_status matching_init(struct matching *match, uint32_t ranks, bool wild, bool deferred);
void matching_done(struct matching *match);
/* Empties it and keeps the memory. Takes time in proportion to the entries left. */
void matching_reset(struct matching *match);

/* Prefetches what a post with this key needs. far: some posts ahead; otherwise one of the next few.
 * Changes nothing. */
static inline void matching_prepare(const struct matching *match, const struct matching_key *key,
                                    bool far);

/* Posts a message. True: *out_receive is the `who` of the receive that took it. Otherwise the
 * message is kept; in wild mode *out_entry names it. */
bool matching_send(struct matching *match, const struct matching_key *key, uint64_t who,
                   uint64_t *out_receive, uint32_t *out_entry);
/* Posts a receive. True: *out_from and *out_send are source and `who` of the message that it took.
 * Otherwise it waits. */
bool matching_receive(struct matching *match, const struct matching_key *key, uint64_t who,
                      int32_t *out_from, uint64_t *out_send, uint32_t *out_entry);

/* Returns the earliest kept message that a receive with this key would take now, MATCHING_NONE if
 * there is none. Changes nothing. */
uint32_t matching_probe(const struct matching *match, const struct matching_key *key);
/* Returns its key and who; true if it is a receive. */
bool matching_get(const struct matching *match, uint32_t entry, struct matching_key *out_key,
                  uint64_t *out_who);

/* Tells whether a waiting receive accepts the message, even if it is undecided which message it
 * takes. */
bool matching_posted(const struct matching *match, const struct matching_key *message);

/* Removes an entry (cancel, matched probe). In deferred mode call matching_settle afterwards. */
void matching_remove(struct matching *match, uint32_t entry);

/* Deferred mode. Returns, in post order, the waiting receives with MPI_ANY_SOURCE of a destination,
 * only the first one of each key: the first after `after` (MATCHING_NONE: the very first). The list
 * also has receives with only a tag wildcard; skip those by key.from. */
uint32_t matching_wild(const struct matching *match, uint32_t to, uint32_t after);
/* Return the first message, or waiting receive, with exactly this key, and the next one after
 * another; MATCHING_NONE: no more. */
uint32_t matching_first(const struct matching *match, const struct matching_key *key,
                        bool is_receive);
uint32_t matching_after(const struct matching *match, const struct matching_key *key,
                        bool is_receive, uint32_t after);
/* Tells whether receive `a` was posted before `b`. */
bool matching_is_before(const struct matching *match, uint32_t a, uint32_t b);
/* Finds the candidates of a waiting receive: of every source, the first fitting message that no
 * earlier receive claims, in a repeatable order. Writes at most `room` and returns their number. */
uint32_t matching_candidates(struct matching *match, uint32_t receive, uint32_t *out_message,
                             uint32_t room);
/* The same pairs from the side of the messages, for many receives that wait for few messages: tells
 * whether the destination has fewer messages than such receives; returns its messages in post
 * order, the first after `after`; returns the one receive that a message is a candidate of,
 * MATCHING_NONE if none; and tells which pair comes first if receives are visited in post order. */
struct matching_offer {
    uint32_t receive, message;
};
bool matching_few_messages(const struct matching *match, uint32_t to);
uint32_t matching_message(const struct matching *match, uint32_t to, uint32_t after);
uint32_t matching_taker(const struct matching *match, uint32_t message);
bool matching_offered_before(const struct matching *match, const struct matching_offer *a,
                             const struct matching_offer *b);
/* Returns the candidate from one source, MATCHING_NONE if it has none now. */
uint32_t matching_candidate(const struct matching *match, uint32_t receive, int32_t from);
/* Gives a waiting wildcard one of its candidates and removes both. Call matching_settle afterwards.
 */
void matching_take(struct matching *match, uint32_t receive, uint32_t message);
/* Removes a pair at destination `to` that matches without any choice, after an entry was removed,
 * and returns it. False: there is none. Call until false. */
bool matching_settle(struct matching *match, uint32_t to, struct matching_pair *out_pair);

/* Returns the entry with this key and who; MATCHING_NONE if it was taken. */
uint32_t matching_find(const struct matching *match, const struct matching_key *key,
                       bool is_receive, uint64_t who);

/* Iterates over all entries in a repeatable order: returns the next one after `after` (start with
 * MATCHING_NONE). */
uint32_t matching_next(const struct matching *match, uint32_t after, bool *out_is_receive);
uint32_t matching_count(const struct matching *match);
/* Returns the size of its memory. */
size_t matching_bytes(const struct matching *match);

/* --- below: private --------------------------------------------------------------------------- */

#define MATCHING_RECEIVE 0x80000000u

/* Messages and receives with the same key share a bucket, so a post searches only one. */
static inline uint32_t matching_bucket(const struct matching *match, const struct matching_key *key)
{
    uint32_t h = (key->to & ~MATCHING_RECEIVE) * 0x9E3779B1u ^ (key->comm + 1) * 0x85EBCA77u ^
                 (uint32_t)key->tag * 0xC2B2AE3Du;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    /* The source is added, not mixed in, so that receives posted for consecutive sources are
     * adjacent. */
    return (h + (uint32_t)key->from) & ((1u << match->bucket_bits) - 1);
}

static inline void matching_prepare(const struct matching *match, const struct matching_key *key,
                                    bool far)
{
    const uint32_t *bucket = &match->bucket[matching_bucket(match, key)];
    if (far)
        __builtin_prefetch(bucket, 1);
    else if (*bucket)
        __builtin_prefetch(&match->entry[*bucket], 1);
}

#endif
