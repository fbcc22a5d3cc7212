/* Asks MemorySanitizer, and informs ThreadSanitizer, about buffers in programs that use them. Their
 * functions are looked up in the process; nothing is linked.
 *
 *  1. MemorySanitizer is asked for each send buffer whether all of it was ever written, and
 *     informed that each receive buffer is now written: code that it does not see has filled it.
 *  2. ThreadSanitizer is informed of an access to a buffer by a fiber, from the call that hands it
 *     to MPI until the call that takes it back. The access is ordered after the first call and
 *     before the second, and concurrent to everything in between: any access to the buffer
 *     meanwhile, on any thread, is a race with it.
 *  3. Both are reported only if ThreadSanitizer ignores the accesses of libraries that it does not
 *     see (TSAN_OPTIONS=ignore_noninstrumented_modules=1): otherwise it would report the MPI
 *     library's own accesses as races. */
#ifndef INTERPOSE_MISUSE_SHADOW_H
#define INTERPOSE_MISUSE_SHADOW_H

#include "interpose/misuse/usage.h"

extern struct shadow {
    bool memory, threads; /* the sanitizers of the program */
} shadow;
void shadow_start(void);

/* Called before a call with these buffers; from: its return address. */
void shadow_given(struct lane *lane, uint64_t seq, const struct usage_buffers *all,
                  const void *from);
void shadow_filled(const struct usage_buffer *buffer);
/* Returns the fiber that accesses the buffer; NULL: none. */
void *shadow_begin(const struct usage_buffer *buffer);
void shadow_end(void *fiber);

#endif
