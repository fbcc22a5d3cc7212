/* The block of the heap that an address lies in, from the allocator's own records. */
#ifndef INTERPOSE_MISUSE_HEAP_H
#define INTERPOSE_MISUSE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap_block {
    uintptr_t start, end; /* what the program may use: what it asked for, rounded up */
    bool freed;           /* for certain; of small blocks it is not known */
};
/* False: it is no block, or not known to be one. Takes a microsecond where what ends at `last`
 * fits, and a nanosecond or a few for each block of the heap where it does not. */
bool heap_block_find(uintptr_t at, uintptr_t last, struct heap_block *out_block);

#endif
