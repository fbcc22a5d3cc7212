/* What memory the buffers of a call are, as a record of the call (SPOOL_MEMORY): from it and the
 * program's debug information the trace says which variable it is, of what type and size
 * (core/store/store_memory.c).
 *
 *  1. A buffer is looked at when its place, size and datatype are first seen at a call site, and
 *     never more than a bounded number of times: in the steady state it costs a comparison.
 *  2. Nothing is read but what the kernel says can be read, the allocator's own words in front of
 *     the program's blocks (heap.h), and frames that the unwinder goes through.
 *  3. Of programs with AddressSanitizer each buffer is asked of it, each time. */
#ifndef INTERPOSE_MISUSE_BOUNDS_H
#define INTERPOSE_MISUSE_BOUNDS_H

#include "interpose/misuse/shadow.h"
#include "interpose/misuse/usage.h"

void bounds_look_slow(struct lane *lane, const struct spool_event *e, void **cfa,
                      const struct usage_buffer *buffer, uint64_t key);
void bounds_ask_sanitizer(struct lane *lane, uint64_t seq, const struct usage_buffer *buffer);

enum { BOUNDS_KNOWN_BITS = 12 };
extern struct bounds {
    bool sanitized;
    uint64_t known[1 << BOUNDS_KNOWN_BITS]; /* what was looked at, as hashes */
} bounds;
void bounds_start(void);

static inline uint64_t bounds_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static inline void bounds_look(struct lane *lane, const struct spool_event *e, void **cfa,
                               const struct usage_buffers *all)
{
    if (UNLIKELY(shadow.memory || shadow.threads))
        shadow_given(lane, e->seq, all, cfa[-1]);
    for (unsigned i = 0; i < all->count; i++) {
        const struct usage_buffer *b = &all->buffer[i];
        uint64_t key = bounds_mix(e->site, b->start);
        key = bounds_mix(key, b->end) + b->of;
        key = bounds_mix(key, (uintptr_t)b->argument);
        if (UNLIKELY(bounds.sanitized))
            bounds_ask_sanitizer(lane, e->seq, b);
        if (UNLIKELY(bounds.known[key >> (64 - BOUNDS_KNOWN_BITS)] != key))
            bounds_look_slow(lane, e, cfa, b, key);
    }
}

#endif
