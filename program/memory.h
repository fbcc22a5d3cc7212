/* Whether the application's memory can be read. What MPI itself would not touch at that moment (a
 * buffer unmapped before its wait, of a call that fails, of a message to MPI_PROC_NULL, on a
 * device) must not end a job because we look at it. */
#ifndef PROGRAM_MEMORY_H
#define PROGRAM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { MEMORY_TEXT_MAX = 16384 };

/* Once. False: the kernel does not tell what can be read, so that nothing is known to be. */
bool memory_start(void);
/* Takes a few comparisons for the stack above the caller, the heap and the program's own variables,
 * which nobody unmaps; 100 ns a page for the rest. */
bool memory_readable(const void *at, uint64_t bytes);
/* Asks in any case: also what is never unmapped can be made unreadable (mprotect). */
bool memory_readable_now(const void *at, uint64_t bytes);
/* For long ranges of which little is read: whether all of it is mapped, in one system call, and its
 * two ends can be read. A page in between that was made unreadable is not seen. */
bool memory_mapped(const void *at, uint64_t bytes);
/* Reads through the kernel, which no watchpoint sees. False: they cannot be read. */
bool memory_copy(void *to, const void *from, uint64_t bytes);
/* At most MEMORY_TEXT_MAX bytes, all of them readable up to the end. NULL: they are not. */
const char *memory_text(const char *text);
/* Where the heap lies that grows by sbrk; 0: not known. */
uintptr_t memory_heap_start(void);
uintptr_t memory_heap_end(void);
/* The end of the stack that this thread runs on, of which the address is a frame; false: it is no
 * stack that the thread was given. */
bool memory_stack(uintptr_t frame, uintptr_t *out_end);

#endif
