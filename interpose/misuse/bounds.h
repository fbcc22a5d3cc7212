/* Records the memory of a call's buffers (SPOOL_MEMORY). From these records and the program's debug
 * information the trace finds the variable, its type and its size (store/store_memory.c).
 *
 *  1. A buffer is examined when its place, size and datatype first occur at a call site, and at
 *     most a bounded number of times: in the steady state it costs one comparison.
 *  2. Only readable memory (as the kernel says), the allocator's own words in front of the
 *     program's blocks (heap.h), and frames that the unwinder passes are read.
 *  3. In programs with AddressSanitizer each buffer is checked with it, each time. */
#ifndef INTERPOSE_MISUSE_BOUNDS_H
#define INTERPOSE_MISUSE_BOUNDS_H

#include "interpose/misuse/shadow.h"
#include "interpose/misuse/usage.h"

/* Examines an array argument that a call reads or writes: counts, handles, statuses. */
void bounds_array_slow(struct lane *lane, const struct spool_event *e, void **cfa,
                       struct usage_buffer *array, uint64_t key);

/* Examines an argument that is an int: a variable of the caller may have more. number: of the
 * argument, from 1. */
void bounds_number_slow(struct lane *lane, const struct spool_event *e, void **cfa,
                        const char *argument, unsigned number, int32_t value);

/* Examines the places to which calls of one site returned a request or a status each, one behind
 * the other: the elements of an array. */
void bounds_slot_slow(struct lane *lane, const struct spool_event *e, void **cfa,
                      const char *argument, uintptr_t at, uint32_t bytes);

enum { BOUNDS_KNOWN_BITS = 12, BOUNDS_LAST = 64 };
extern struct bounds {
    struct bounds_number { /* the last number of each call site */
        uint32_t site;
        int32_t value;
    } number[BOUNDS_LAST];
    struct bounds_slots { /* the places that each site filled one behind the other */
        uintptr_t start, end;
        const char *argument;
        void **cfa;
        uint32_t site;
    } slots[BOUNDS_LAST];
    bool sanitized;
    struct bounds_last { /* the examined buffers of each site's last call */
        uintptr_t start, end;
        const char *argument;
        uint32_t of, site;
    } last[BOUNDS_LAST];
    uint64_t known[1 << BOUNDS_KNOWN_BITS]; /* hashes of examined buffers */
} bounds;
void bounds_start(void);

/* Hashes a buffer at a site. The multiplications are independent of each other, so they run in
 * parallel. */
static inline uint64_t bounds_key(uint32_t site, const struct usage_buffer *b)
{
    uint64_t key = site * 0xD6E8FEB86659FD93u + b->start * 0x9E3779B97F4A7C15u +
                   b->end * 0xC2B2AE3D27D4EB4Fu + b->of * 0x165667B19E3779F9u +
                   (uintptr_t)b->argument * 0xFF51AFD7ED558CCDu;
    return (key ^ key >> 29) * 0x9E3779B97F4A7C15u;
}

/* Examines the buffer `first` and those after it. */
void bounds_look_keys(struct lane *lane, const struct spool_event *e, void **cfa,
                      const struct usage_buffers *all, unsigned first);

static inline struct bounds_last *bounds_last(uint32_t site, unsigned buffer)
{
    return &bounds.last[(2 * site + buffer) % BOUNDS_LAST];
}

static inline void bounds_look(struct lane *lane, const struct spool_event *e, void **cfa,
                               const struct usage_buffers *all)
{
    if (UNLIKELY(shadow.memory || shadow.threads))
        shadow_given(lane, e->seq, all, cfa[-1]);
    for (unsigned i = 0; i < all->count; i++) {
        const struct usage_buffer *b = &all->buffer[i];
        const struct bounds_last *last = bounds_last(e->site, i);
        if (UNLIKELY(last->start != b->start || last->end != b->end || last->of != b->of ||
                     last->argument != b->argument || last->site != e->site || bounds.sanitized)) {
            bounds_look_keys(lane, e, cfa, all, i);
            return;
        }
    }
}

static inline void bounds_number(struct lane *lane, const struct spool_event *e, void **cfa,
                                 const char *argument, unsigned number, int64_t value)
{
    const struct bounds_number *last = &bounds.number[e->site % BOUNDS_LAST];
    if (UNLIKELY((last->value != value || last->site != e->site) && value >= 0 &&
                 value <= INT32_MAX))
        bounds_number_slow(lane, e, cfa, argument, number, (int32_t)value);
}

static inline void bounds_slot(struct lane *lane, const struct spool_event *e, void **cfa,
                               const char *argument, const void *at, uint32_t bytes)
{
    const struct bounds_slots *slots = &bounds.slots[e->site % BOUNDS_LAST];
    if (UNLIKELY(recorder.buffers) && at &&
        (slots->end != (uintptr_t)at + bytes || slots->site != e->site))
        bounds_slot_slow(lane, e, cfa, argument, (uintptr_t)at, bytes);
}

/* Examines an array of `count` elements of `bytes` bytes. */
static inline void bounds_array(struct lane *lane, const struct spool_event *e, void **cfa,
                                const char *argument, const void *at, int64_t count, size_t bytes,
                                enum usage_access access)
{
    if (LIKELY(!recorder.buffers) || !at || count <= 0)
        return;
    struct usage_buffer array = {.argument = argument,
                                 .start = (uintptr_t)at,
                                 .end = (uintptr_t)at + (uint64_t)count * bytes,
                                 .at = at,
                                 .count = count * (int64_t)bytes,
                                 .access = access};
    uint64_t key = bounds_key(e->site, &array);
    if (UNLIKELY(bounds.known[key >> (64 - BOUNDS_KNOWN_BITS)] != key))
        bounds_array_slow(lane, e, cfa, &array, key);
}

#endif
