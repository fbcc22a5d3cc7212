/* See heap.h. Works only for glibc's allocator, in whose main heap the blocks lie one behind the
 * other, each with its size in front: walking them finds the block around any address, without any
 * work when memory is allocated. A preloaded malloc would know the requested size, which is at most
 * 15 bytes less, but would stand between a sanitizer's malloc and the program, and slow each
 * allocation.
 *
 *  1. Only memory below the address is read. The program's block that holds the address keeps all
 *     of it mapped, as the heap shrinks at its end only. Another thread may change sizes meanwhile:
 *     if a buffer does not fit, the block must be found twice.
 *  2. If a size makes no sense, this is no heap of glibc's, and nothing is reported.
 *  3. A buffer is judged too long only by a walk from the heap's start, never by a walk from an
 *     earlier block's place. */
#include "interpose/misuse/heap.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/array.h"
#include "program/memory.h"
#include "interpose/recorder.h"

enum {
    IN_USE_BEFORE = 1, /* flags in a size: the block before it is in use; */
    MAPPED = 2,        /* it is a mapping of its own; */
    OTHER_ARENA = 4,   /* it is not of the main heap */
    FLAGS = 7,
    ALIGN = 16,
    LEAST = 32,
    PAGE = 4096,
    BLOCKS_MAX = 1 << 19,
    STEP = 256, /* blocks */
    STEPS_KEPT = BLOCKS_MAX / STEP
};

struct header {
    uint64_t before; /* size of the block before, if that is free; else data of the program */
    uint64_t size;
};

static const struct header *header_at(uintptr_t at)
{
    return (const struct header *)at;
}

/* Tells whether the function is a stub: an executable with fixed addresses that takes malloc's
 * address contains a stub of it. Then only a block's size in front tells whether malloc is
 * glibc's. */
static bool is_stub(void *function)
{
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    return dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
           symbol->st_shndx == SHN_UNDEF;
}

static bool gives_blocks(void)
{
    enum { TRIED = 2, ASKED = LEAST - sizeof(uint64_t) };
    void *volatile block[TRIED];
    bool all = true;
    for (int i = 0; i < TRIED; i++) {
        uintptr_t at = (uintptr_t)(block[i] = malloc(ASKED));
        uint64_t size = at ? header_at(at - sizeof(struct header))->size : 0;
        all = all && at % ALIGN == 0 && !(size & MAPPED) &&
              ((size & ~(uint64_t)FLAGS) == LEAST || (size & ~(uint64_t)FLAGS) == LEAST + ALIGN);
    }
    for (int i = 0; i < TRIED; i++)
        free(block[i]);
    return all;
}

/* Tells whether the program's malloc is glibc's. */
static bool is_known(void)
{
    static int known; /* 0: not checked yet; 1: yes; -1: no */
    if (!known) {
        void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD),
             *own = libc ? dlsym(libc, "malloc") : NULL, *used = dlsym(RTLD_DEFAULT, "malloc");
        known =
            sizeof(size_t) == 8 && own && used && (own == used || (is_stub(used) && gives_blocks()))
                ? 1
                : -1;
        if (libc)
            dlclose(libc);
    }
    return known > 0;
}

void heap_start(void)
{
    (void)is_known();
}

/* Headers from the last walk through the whole heap, ascending. Some may be no headers any more: a
 * walk from them can only show that a buffer fits (invariant 3). */
static struct {
    uintptr_t at[STEPS_KEPT];
    unsigned count;
} steps;

/* Returns the header of the block that holds the address, at most `most` blocks from `block` on; 0:
 * none. */
static uintptr_t heap_walk(uintptr_t block, uintptr_t at, uintptr_t end, bool keep, unsigned most)
{
    for (unsigned i = 0; i < most && block <= at; i++) {
        uint64_t size = header_at(block)->size, bytes = size & ~(uint64_t)FLAGS;
        if ((size & (MAPPED | OTHER_ARENA)) || bytes % ALIGN || bytes < LEAST ||
            bytes > end - block)
            return 0;
        if (keep && i % STEP == 0) {
            steps.at[i / STEP] = block;
            steps.count = i / STEP + 1;
        }
        if (at < block + bytes + sizeof(uint64_t))
            return at >= block + sizeof(struct header) ? block : 0;
        block += bytes;
    }
    return 0;
}

/* Returns the mark of freed small blocks; 0: this allocator has none. Such blocks keep their flags
 * while a thread's cache holds them, and have a per-process number in their second word until they
 * are allocated again. Finds the number in a freed block of its own. */
static uint64_t cache_mark(void)
{
    enum { WORDS = 4 };
    static uint64_t mark;
    static bool asked;
    if (!asked) {
        void *volatile block[2];
        uint64_t seen[2];
        asked = true;
        for (int i = 0; i < 2; i++) {
            block[i] = calloc(WORDS, sizeof(uint64_t));
            uint64_t *volatile word = block[i];
            free(block[i]);
            seen[i] = word ? *(volatile uint64_t *)(word + 1) : 0;
        }
        mark = seen[0] == seen[1] ? seen[0] : 0;
    }
    return mark;
}

static bool is_cached(uintptr_t start, uintptr_t end)
{
    enum { CACHED_MAX = 1032 };
    return end - start <= CACHED_MAX + sizeof(uint64_t) && cache_mark() &&
           ((const uint64_t *)start)[1] == cache_mark();
}

static bool bounds_of(uintptr_t block, uintptr_t at, uintptr_t end, struct heap_block *out)
{
    uint64_t bytes = block ? header_at(block)->size & ~(uint64_t)FLAGS : 0;
    if (block && block + bytes == end) { /* the last block: never allocated, or freed */
        *out = (struct heap_block){block + sizeof(struct header), end, true};
        return true;
    }
    if (!block || end - block < bytes + sizeof(struct header))
        return false;
    /* Freeing writes the size behind the block. Where it is not there, the program has overwritten
     * the next header. */
    const struct header *next = header_at(block + bytes);
    out->freed = !(next->size & IN_USE_BEFORE) && next->before == bytes;
    out->start = block + sizeof(struct header);
    out->end = block + bytes + (out->freed ? 0 : sizeof(uint64_t));
    out->freed = out->freed || is_cached(out->start, out->end);
    return out->end > at;
}

/* Tells whether a block found from the nearest step on holds the whole buffer. */
static bool fits_from_step(uintptr_t at, uintptr_t last, uintptr_t end, struct heap_block *out)
{
    uint32_t low = CORE_ARRAY_FIND(i, 0, steps.count, steps.at[i] <= at);
    return low && bounds_of(heap_walk(steps.at[low - 1], at, end, false, 2 * STEP), at, end, out) &&
           !out->freed && last <= out->end;
}

static bool find_in_heap(uintptr_t at, uintptr_t last, uintptr_t end, struct heap_block *out)
{
    struct heap_block again;
    if (fits_from_step(at, last, end, out))
        return true;
    if (!bounds_of(heap_walk(memory_heap_start(), at, end, true, BLOCKS_MAX), at, end, out))
        return false;
    if (!out->freed && last <= out->end)
        return true;
    return bounds_of(heap_walk(memory_heap_start(), at, end, false, BLOCKS_MAX), at, end, &again) &&
           out->start == again.start && out->end == again.end &&
           out->freed == again.freed; /* invariant 1 */
}

/* Finds a large block, which is a mapping of its own: its start shows a header. */
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

bool heap_block_find(uintptr_t at, uintptr_t last, struct heap_block *out_block)
{
    struct heap_block block;
    if (!is_known())
        return false;
    recorder_lock();
    uintptr_t end = memory_heap_end();
    bool found = at < memory_heap_start() || at >= end ? find_mapped(at, &block)
                                                       : find_in_heap(at, last, end, &block);
    recorder_unlock();
    if (found)
        *out_block = block;
    return found;
}

bool heap_holds(uintptr_t start, uintptr_t end)
{
    struct heap_block block;

    return heap_block_find(start, end, &block) && !block.freed && end <= block.end;
}

bool heap_was_freed(uintptr_t start, uintptr_t end, bool held)
{
    struct heap_block block;

    return heap_block_find(start, end, &block) && (block.freed || (held && end > block.end));
}
