/* See heap.h. Of glibc's allocator alone, whose blocks of the main heap lie one behind the other,
 * each with its size in front: going through them finds the block around any address, with nothing
 * to be done when memory is allocated. A preloaded malloc would know the size that was asked for,
 * which is less by 15 bytes at most, but would stand between a sanitizer's malloc and the program,
 * and cost each allocation something.
 *
 *  1. Only memory below the address is read. The program's block that holds it keeps all of it
 *     mapped, as the heap shrinks at its end only. Another thread may change sizes meanwhile: a
 *     block is believed when it is found twice.
 *  2. Where a size makes no sense, this is no heap of glibc's, and nothing is said. */
#include "interpose/misuse/heap.h"

#include <dlfcn.h>
#include <stddef.h>

#include "interpose/misuse/memory.h"

enum {
    IN_USE_BEFORE = 1, /* flags in a size: the block before it is in use; */
    MAPPED = 2,        /* it is a mapping of its own; */
    OTHER_ARENA = 4,   /* it is not of the main heap */
    FLAGS = 7,
    ALIGN = 16,
    LEAST = 32,
    PAGE = 4096,
    BLOCKS_MAX = 1 << 19
};

struct header {
    uint64_t before; /* size of the block before it, where that is free; else the program's */
    uint64_t size;
};

static const struct header *header_at(uintptr_t at)
{
    return (const struct header *)at;
}

/* Whether the program's malloc is glibc's. */
static bool is_known(void)
{
    static int known; /* 0: not yet asked; 1: yes; -1: no */
    if (!known) {
        void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD),
             *own = libc ? dlsym(libc, "malloc") : NULL;
        known = sizeof(size_t) == 8 && own && own == dlsym(RTLD_DEFAULT, "malloc") ? 1 : -1;
        if (libc)
            dlclose(libc);
    }
    return known > 0;
}

/* The header of the block that holds the address; 0: none. */
static uintptr_t walk(uintptr_t at, uintptr_t end)
{
    uintptr_t block = memory_heap_start();
    for (unsigned i = 0; i < BLOCKS_MAX; i++) {
        uint64_t size = header_at(block)->size;
        uint64_t bytes = size & ~(uint64_t)FLAGS;
        if ((size & (MAPPED | OTHER_ARENA)) || bytes % ALIGN || bytes < LEAST ||
            bytes > end - block)
            return 0;
        if (at < block + bytes + sizeof(uint64_t))
            return at >= block + sizeof(struct header) ? block : 0;
        block += bytes;
        if (block > at)
            return 0;
    }
    return 0;
}

static bool find_in_heap(uintptr_t at, uintptr_t end, struct heap_block *out)
{
    uintptr_t block = walk(at, end);
    if (!block)
        return false;
    uint64_t bytes = header_at(block)->size & ~(uint64_t)FLAGS;
    if (end - block < bytes + sizeof(struct header)) /* the last one: what is not yet given out */
        return false;
    out->freed = !(header_at(block + bytes)->size & IN_USE_BEFORE);
    out->start = block + sizeof(struct header);
    out->end = block + bytes + (out->freed ? 0 : sizeof(uint64_t));
    return out->end > at;
}

/* Large blocks are mappings of their own: what lies at the start of one is known by its header. */
static bool find_mapped(uintptr_t at, struct heap_block *out)
{
    const struct header *header = header_at(at - sizeof *header);
    if (at % PAGE != sizeof *header || !memory_readable(header, sizeof *header) || header->before ||
        (header->size & FLAGS) != MAPPED)
        return false;
    uint64_t bytes = header->size & ~(uint64_t)FLAGS;
    if (bytes % PAGE || !bytes || bytes > (uint64_t)1 << 46 || !memory_mapped(header, bytes))
        return false;
    *out = (struct heap_block){at, (uintptr_t)header + bytes, false};
    return true;
}

bool heap_block_find(uintptr_t at, struct heap_block *out_block)
{
    struct heap_block block, again;
    if (!is_known())
        return false;
    uintptr_t end = memory_heap_end();
    if (at < memory_heap_start() || at >= end) {
        if (!find_mapped(at, &block))
            return false;
    } else if (!find_in_heap(at, end, &block) || !find_in_heap(at, end, &again) || /* invariant 1 */
               block.start != again.start || block.end != again.end || block.freed != again.freed) {
        return false;
    }
    *out_block = block;
    return true;
}
