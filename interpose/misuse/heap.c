/* See heap.h. Of glibc's allocator alone, whose blocks of the main heap lie one behind the other,
 * each with its size in front: going through them finds the block around any address, with nothing
 * to be done when memory is allocated. A preloaded malloc would know the size that was asked for,
 * which is less by 15 bytes at most, but would stand between a sanitizer's malloc and the program,
 * and cost each allocation something.
 *
 *  1. Only memory below the address is read. The program's block that holds it keeps all of it
 *     mapped, as the heap shrinks at its end only. Another thread may change sizes meanwhile: where
 *     a buffer does not fit, the block is believed when it is found twice.
 *  2. Where a size makes no sense, this is no heap of glibc's, and nothing is said.
 *  3. A buffer is judged too long by blocks that are followed from the heap's start on, never from
 * a place that was a block's before. */
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
    uint64_t before; /* size of the block before it, where that is free; else the program's */
    uint64_t size;
};

static const struct header *header_at(uintptr_t at)
{
    return (const struct header *)at;
}

/* An executable that takes malloc's address, and has fixed addresses itself, has a stub of it that
 * stands for whoever defines it: then a block tells by the size in front of it. */
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

/* Whether the program's malloc is glibc's. */
static bool is_known(void)
{
    static int known; /* 0: not yet asked; 1: yes; -1: no */
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

/* Headers met on the way through the whole heap, ascending. What was a block then may be none now:
 * from them on, a buffer is only found to fit (invariant 3). */
static struct {
    uintptr_t at[STEPS_KEPT];
    unsigned count;
} steps;

/* The header of the block that holds the address, at most so many blocks from one on; 0: none. */
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

/* Small blocks that were freed keep their flags while a thread's cache has them, and are marked by
 * a number that is the process's, where their second word is: that of a block of ours tells it. The
 * mark goes when they are given out again. 0: this allocator leaves none. */
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
    if (block && block + bytes == end) { /* the last: not given out, or given back */
        *out = (struct heap_block){block + sizeof(struct header), end, true};
        return true;
    }
    if (!block || end - block < bytes + sizeof(struct header))
        return false;
    out->freed = !(header_at(block + bytes)->size & IN_USE_BEFORE);
    out->start = block + sizeof(struct header);
    out->end = block + bytes + (out->freed ? 0 : sizeof(uint64_t));
    out->freed = out->freed || is_cached(out->start, out->end);
    return out->end > at;
}

/* From the nearest step on. */
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
