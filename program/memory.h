/* Tells whether the application's memory is readable. The recorder must not crash a job by reading
 * memory that MPI itself would not touch at that moment (a buffer unmapped before its wait, of a
 * failing call, of a message to MPI_PROC_NULL, on a device). */
#ifndef PROGRAM_MEMORY_H
#define PROGRAM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { MEMORY_TEXT_MAX = 16384 };

/* Called once. Returns false if the kernel cannot tell what is readable: then nothing is. */
bool memory_start(void);
/* Tells whether memory is readable. Takes a few comparisons for the stack above the caller, the
 * heap and the program's own variables, which are never unmapped; 100 ns a page otherwise. */
bool memory_readable(const void *at, uint64_t bytes);
/* Asks the kernel in any case: memory that is never unmapped can still become unreadable
 * (mprotect). */
bool memory_readable_now(const void *at, uint64_t bytes);
/* For long ranges that are read only in part: tells whether the range is mapped, in one system
 * call, and its two ends are readable. Misses a page in between that was made unreadable. */
bool memory_mapped(const void *at, uint64_t bytes);
/* Reads through the kernel, which triggers no watchpoint. Returns false if unreadable. */
bool memory_copy(void *to, const void *from, uint64_t bytes);
/* Copies `bytes` bytes from each of `count` places, at most MEMORY_EACH_MAX, one behind the other;
 * zeros stand for what is unreadable. Few system calls if most places are readable. */
enum { MEMORY_EACH_MAX = 64 };
void memory_copy_each(void *to, const uintptr_t *from, uint32_t count, uint64_t bytes);
/* Returns the text if it is readable up to its end, within MEMORY_TEXT_MAX bytes; else NULL. */
const char *memory_text(const char *text);
/* Bounds of the heap that grows by sbrk; 0: unknown. */
uintptr_t memory_heap_start(void);
uintptr_t memory_heap_end(void);
/* Bounds of the program's own static memory that it can write; 0: none. */
uintptr_t memory_static(uintptr_t *out_end);
/* Finds the end of the thread's stack that holds the frame. Returns false if it is not a stack that
 * the system gave the thread, or is a short one. */
bool memory_stack(uintptr_t frame, uintptr_t *out_end);
/* Tells whether little of a thread's stack is left below the frame: the program and MPI need it. */
bool memory_stack_is_short(uintptr_t frame);

#endif
