/* See memory.h. A block of BLOCK_SPARSE bytes and more is mapped, between pages that nobody may
 * touch, so that a buffer of elements that lie far apart costs the pages that hold elements, and no
 * shadow of the address sanitizer. What a world holds in all is limited: beyond is a finding.
 *
 * State: the sparse blocks, and what the world that runs holds.
 * Invariants: 1. A sparse block ends, but for its alignment, where the forbidden page begins; the
 * bytes between are FILL until somebody writes past the block. 2. A block is in the table exactly
 * while it is mapped. */
#include "fuzz/memory.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/check.h"
#include "world/world.h"

enum { SPARSE_MAX = 1024, PAGE = 4096, ALIGN = 16, FILL = 0x5a };
static const size_t BLOCK_SPARSE = (size_t)64 << 20, HELD_MAX = (size_t)2 << 30,
                    HELD_SPARSE_MAX = (size_t)256 << 30;

static struct sparse {
    char *map, *data;
    size_t map_bytes, bytes;
} sparse[SPARSE_MAX];
static int sparse_count;
static size_t held_bytes, sparse_bytes;
static long blocks;

size_t memory_left(void)
{
    return sparse_bytes;
}

long memory_blocks(void)
{
    return blocks;
}

static void hold(size_t *held, size_t bytes, size_t most)
{
    if (world_rank() < 0)
        return;
    *held += bytes;
    if (*held > most)
        world_give_up("memory", "rank %d asks for %zu bytes; the ranks hold %zu MiB then",
                      world_rank(), bytes, *held >> 20);
}

static void release(size_t *held, size_t bytes)
{
    *held = *held > bytes ? *held - bytes : 0;
}

static struct sparse *sparse_find(const void *block)
{
    for (int i = 0; i < sparse_count; i++)
        if (sparse[i].data == block)
            return &sparse[i];
    return NULL;
}

static void *sparse_new(size_t bytes)
{
    size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
    if (bytes > HELD_SPARSE_MAX || sparse_count == SPARSE_MAX)
        return NULL;
    hold(&sparse_bytes, bytes, HELD_SPARSE_MAX);
    struct sparse *made = &sparse[sparse_count];
    made->map_bytes = pages + 2 * PAGE;
    made->map =
        mmap(NULL, made->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made->map == MAP_FAILED)
        return NULL;
    if (mprotect(made->map + PAGE, pages, PROT_READ | PROT_WRITE) != 0) {
        munmap(made->map, made->map_bytes);
        return NULL;
    }
    made->bytes = bytes;
    made->data = made->map + PAGE + (pages - bytes) / ALIGN * ALIGN;
    CORE_CHECK(made->map + PAGE + pages - (made->data + bytes) < ALIGN); /* invariant 1 */
    sparse_count++;
    memset(made->data + bytes, FILL, (size_t)(made->map + PAGE + pages - (made->data + bytes)));
    return made->data;
}

/* What lies between the block's last byte and the forbidden page is nobody's. */
static void slack_check(const struct sparse *block)
{
    const char *end = block->map + block->map_bytes - PAGE;
    for (const char *at = block->data + block->bytes; at < end; at++)
        if (*at != FILL && world_rank() >= 0)
            world_note("overrun", "rank %d wrote behind the end of a block of %zu bytes",
                       world_rank(), block->bytes);
}

static void sparse_free(struct sparse *block)
{
    CORE_CHECK(block >= sparse && block < sparse + sparse_count); /* invariant 2 */
    munmap(block->map, block->map_bytes);
    release(&sparse_bytes, block->bytes);
    *block = sparse[--sparse_count];
}

/* Global variables begin anew in every world: nobody knows what an earlier one mapped. */
void memory_world_starts(void)
{
    while (sparse_count > 0)
        sparse_free(&sparse[sparse_count - 1]);
    held_bytes = sparse_bytes = 0;
    blocks = 0;
}

void *crosswait_malloc(size_t bytes)
{
    if (bytes >= BLOCK_SPARSE)
        return sparse_new(bytes);
    hold(&held_bytes, bytes, HELD_MAX);
    blocks++;
    return malloc(bytes);
}

void *crosswait_calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all) || all >= BLOCK_SPARSE)
        return __builtin_mul_overflow(count, bytes, &all) ? NULL : sparse_new(all);
    hold(&held_bytes, all, HELD_MAX);
    blocks++;
    return calloc(count, bytes);
}

void crosswait_free(void *block)
{
    struct sparse *mapped = sparse_count ? sparse_find(block) : NULL;
    if (mapped) {
        slack_check(mapped);
        sparse_free(mapped);
        return;
    }
    if (block) {
        release(&held_bytes, malloc_usable_size(block));
        blocks--;
    }
    free(block);
}

void *crosswait_realloc(void *block, size_t bytes)
{
    struct sparse *mapped = sparse_count ? sparse_find(block) : NULL;
    if (!mapped && bytes < BLOCK_SPARSE) {
        if (block)
            release(&held_bytes, malloc_usable_size(block));
        blocks += !block;
        hold(&held_bytes, bytes, HELD_MAX);
        return realloc(block, bytes);
    }
    size_t old = mapped ? mapped->bytes : block ? malloc_usable_size(block) : 0;
    void *made = crosswait_malloc(bytes);
    if (made && block) {
        memcpy(made, block, old < bytes ? old : bytes);
        crosswait_free(block);
    }
    return made;
}

void *__asan_memset(void *at, int value, uintptr_t bytes) __attribute__((weak));

/* Zeroes in a sparse block cost nothing. */
void *crosswait___asan_memset(void *at, int value, uintptr_t bytes)
{
    for (int i = 0; bytes >= BLOCK_SPARSE && value == 0 && i < sparse_count; i++) {
        char *low = sparse[i].data, *high = low + sparse[i].bytes, *begin = at;
        if (begin < low || begin + bytes > high)
            continue;
        char *first = (char *)(((uintptr_t)begin + PAGE - 1) / PAGE * PAGE),
             *last = (char *)((uintptr_t)(begin + bytes) / PAGE * PAGE);
        memset(begin, 0, (size_t)(first - begin));
        madvise(first, (size_t)(last - first), MADV_DONTNEED);
        memset(last, 0, (size_t)(begin + bytes - last));
        return at;
    }
    return __asan_memset ? __asan_memset(at, value, bytes) : memset(at, value, bytes);
}

void *__asan_memcpy(void *to, const void *from, uintptr_t bytes) __attribute__((weak));
void *__asan_memmove(void *to, const void *from, uintptr_t bytes) __attribute__((weak));

/* What is large costs what of it was written. */
void *crosswait___asan_memcpy(void *to, const void *from, uintptr_t bytes)
{
    if (bytes < WORLD_LARGE)
        return __asan_memcpy ? __asan_memcpy(to, from, bytes) : memcpy(to, from, bytes);
    world_move(to, from, bytes);
    return to;
}

void *crosswait___asan_memmove(void *to, const void *from, uintptr_t bytes)
{
    if (bytes < WORLD_LARGE)
        return __asan_memmove ? __asan_memmove(to, from, bytes) : memmove(to, from, bytes);
    world_move(to, from, bytes);
    return to;
}

/* --- the undefined-behaviour sanitizer -------------------------------------------------------- */

bool memory_notes;

void __ubsan_handle_pointer_overflow(void *place, uintptr_t base, uintptr_t result)
    __attribute__((weak));

struct source_place { /* how the sanitizer's data begin */
    const char *file;
    uint32_t line, column;
};

void crosswait___ubsan_handle_pointer_overflow(void *place, uintptr_t base, uintptr_t result)
{
    const struct source_place *at = place;
    if (base || result) {
        if (__ubsan_handle_pointer_overflow)
            __ubsan_handle_pointer_overflow(place, base, result);
        return;
    }
    if (memory_notes)
        fprintf(stderr, "note: %s:%u: an offset of zero from a null pointer\n", at->file, at->line);
}
