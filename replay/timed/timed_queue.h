/* A radix heap: a priority queue for keys that never fall below the last one taken, as simulated
 * time does. Pushing is constant; an entry moves at most once per bit of the key, in practice once
 * or twice. Equal keys leave in the order in which they came (invariant 1: an entry is in the
 * bucket of the highest bit in which its key differs from `last`; so equal keys are always in one
 * bucket, and every move keeps their order). */
#ifndef REPLAY_TIMED_TIMED_QUEUE_H
#define REPLAY_TIMED_TIMED_QUEUE_H

#include <stdint.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"

struct timed_event {
    uint64_t key;
    uint32_t id;
    uint32_t what; /* for the caller */
};

struct timed_bucket {
    struct timed_event *event;
    uint32_t count, room;
};

struct timed_queue {
    struct timed_bucket bucket[65];
    uint64_t last;
    uint64_t used;  /* bit b - 1: bucket b is not empty, b >= 1 */
    uint64_t bytes; /* held by all buckets */
    int failed;     /* out of memory: an event was dropped, so the run must end */
};

static inline int timed_queue_slow(struct timed_queue *queue, struct timed_bucket *bucket)
{
    uint32_t room = bucket->room;
    if (CORE_ARRAY_ROOM(bucket->event, bucket->room, bucket->count + 1, "events")) {
        queue->failed = 1;
        return 0;
    }
    queue->bytes += (bucket->room - room) * sizeof *bucket->event;
    return 1;
}

static inline void timed_queue_push(struct timed_queue *queue, uint64_t key, uint32_t id,
                                    uint32_t what)
{
    CORE_CHECK(key >= queue->last);
    uint64_t differ = key ^ queue->last;
    unsigned index = differ ? 64u - (unsigned)__builtin_clzll(differ) : 0;
    struct timed_bucket *bucket = &queue->bucket[index];
    if (__builtin_expect(bucket->count == bucket->room, 0) && !timed_queue_slow(queue, bucket))
        return;
    bucket->event[bucket->count++] = (struct timed_event){key, id, what};
    if (index)
        queue->used |= 1ull << (index - 1);
}

/* Advances the time to the next key: then bucket 0 holds its events. Returns 0 if there is none.
 * Bucket 0 must be empty. */
static inline int timed_queue_advance(struct timed_queue *queue)
{
    CORE_CHECK_HOT(queue->bucket[0].count == 0);
    if (!queue->used)
        return 0;
    unsigned index = 1u + (unsigned)__builtin_ctzll(queue->used);
    struct timed_bucket *bucket = &queue->bucket[index];
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < bucket->count; i++) {
        if (bucket->event[i].key < least)
            least = bucket->event[i].key;
        if (bucket->event[i].key > most)
            most = bucket->event[i].key;
    }
    CORE_CHECK_HOT(bucket->count > 0 && least > queue->last);
    queue->last = least;
    queue->used &= queue->used - 1;
    if (least == most) { /* one instant: nothing to sort, and no second copy */
        struct timed_bucket empty = queue->bucket[0];
        queue->bucket[0] = *bucket;
        *bucket = empty;
        return 1;
    }
    uint32_t count = bucket->count;
    bucket->count = 0;
    for (uint32_t i = 0; i < count; i++) /* always into lower buckets */
        timed_queue_push(queue, bucket->event[i].key, bucket->event[i].id, bucket->event[i].what);
    return 1;
}

static inline void timed_queue_done(struct timed_queue *queue)
{
    for (unsigned i = 0; i < 65; i++)
        free(queue->bucket[i].event);
}

#endif
