/* Finds the heap block that holds an address, from the allocator's own records. */
#ifndef INTERPOSE_MISUSE_HEAP_H
#define INTERPOSE_MISUSE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap_block {
    uintptr_t start, end; /* the usable bytes: the requested size, rounded up */
    bool freed;           /* certainly freed; for small blocks this is unknown */
};
/* Finds out whether the program's malloc is glibc's, while the program has not spoilt its memory.
 */
void heap_start(void);
/* Finds the block that holds `at`. Returns false if there is none, or it is unknown. Takes a
 * microsecond if the block reaches `last`, else a few nanoseconds for each block of the heap. */
bool heap_block_find(uintptr_t at, uintptr_t last, struct heap_block *out_block);
/* Tells whether one block that is in use holds all of [start, end). */
bool heap_holds(uintptr_t start, uintptr_t end);
/* Tells whether [start, end), mapped memory, was certainly freed. held: heap_holds() was true of it
 * before; then it was freed if its start now lies in a shorter block, since the allocator has given
 * away a part of it. If a new block holds it whole, it looks valid. */
bool heap_was_freed(uintptr_t start, uintptr_t end, bool held);

#endif
