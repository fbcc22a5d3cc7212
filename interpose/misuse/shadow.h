/* Asks MemorySanitizer, and tells ThreadSanitizer, about buffers, in programs that have them: their
 * functions are looked up in the process, nothing is linked.
 *
 *  1. MemorySanitizer is asked of each buffer that is sent whether all of it was ever written, and
 *     told of each that was received that it now is: code that it does not see has filled it.
 *  2. ThreadSanitizer is told of an access to a buffer from the call that hands it to MPI until the
 *     call that takes it back, by a fiber, which is ordered behind the one and before the other and
 *     beside all that happens between them. Whoever touches the buffer meanwhile, on whatever
 *     thread, is in a race with it.
 *  3. Both are reported to it only where ThreadSanitizer leaves out the accesses of libraries that
 * it does not see (TSAN_OPTIONS=ignore_noninstrumented_modules=1): else it takes what the MPI
 * library does itself for such a race. */
#ifndef INTERPOSE_MISUSE_SHADOW_H
#define INTERPOSE_MISUSE_SHADOW_H

#include "interpose/misuse/usage.h"

extern struct shadow {
    bool memory, threads; /* the program has the one, or the other */
} shadow;
void shadow_start(void);

/* A call is about to be made with these buffers, from here. */
void shadow_given(struct lane *lane, uint64_t seq, const struct usage_buffers *all,
                  const void *from);
void shadow_filled(const struct usage_buffer *buffer);
/* The fiber that has the buffer; NULL: none. */
void *shadow_begin(const struct usage_buffer *buffer);
void shadow_end(void *fiber);

#endif
