/* What a collective allocates: its object files call these in place of malloc and its kin
 * (program/globals.sh --memory). */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A world starts; what an earlier one left behind counts no more. */
void memory_world_starts(void);
/* How many bytes of large blocks the world that has ended did not free. */
size_t memory_left(void);
/* How many blocks of any size. */
long memory_blocks(void);

void *crosswait_malloc(size_t bytes);
void *crosswait_calloc(size_t count, size_t bytes);
void *crosswait_realloc(void *block, size_t bytes);
void crosswait_free(void *block);
/* memset, as the address sanitizer has it. */
void *crosswait___asan_memset(void *at, int value, uintptr_t bytes);

void *crosswait___asan_memcpy(void *to, const void *from, uintptr_t bytes);
void *crosswait___asan_memmove(void *to, const void *from, uintptr_t bytes);

/* Of the undefined-behaviour sanitizer. An offset of zero from a null pointer, which is what count
 * 0 gives, is a note ("note: FILE:LINE: ..." on standard error with memory_notes), everything else
 * its finding. */
extern bool memory_notes;
void crosswait___ubsan_handle_pointer_overflow(void *place, uintptr_t base, uintptr_t result);

#endif
