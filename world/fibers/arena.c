/* Allocates memory of one world from chunks, which are kept for the next world.
 *
 * Invariants: 1. chunks before `current` are full, those after it are empty. 2. Nothing is freed
 * before the world ends.
 * 3. No world holds more than its budget; what exceeds it is a finding, not a crash. */
#include "world/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    CHUNK_BYTES = 1 << 18,
    ALIGN = 16,
    PAGE = 4096,
    KEPT_BYTES_MAX = 64 << 20,
    ZEROED_BYTES = 512
};
_Static_assert(CHUNK_BYTES % ALIGN == 0 && (ALIGN & (ALIGN - 1)) == 0,
               "a chunk is cut without rest");

struct chunk {
    struct chunk *next;
    size_t bytes;
    _Alignas(ALIGN) uint8_t data[];
};

static struct chunk *first WORLD_SHARED, *current WORLD_SHARED;
static uint8_t *at WORLD_SHARED, *end WORLD_SHARED;
static size_t used_bytes WORLD_SHARED; /* in chunks before the current one */

static void arena_enter(struct chunk *chunk)
{
    CORE_CHECK((uintptr_t)chunk->data % ALIGN == 0 && chunk->bytes % ALIGN == 0);
    current = chunk;
    at = chunk->data;
    end = chunk->data + chunk->bytes;
}

/* Returns a chunk. Processes have one, which all of them have mapped; before ranks exist a process
 * has its own. */
static struct chunk *chunk_new(size_t bytes)
{
    struct chunk *made;
    if (WORLD_PROCESSES && !world_process_alone) {
        made = world_process_memory(&bytes);
        bytes -= sizeof *made;
    } else {
        made = malloc(sizeof *made + bytes);
    }
    if (made)
        made->bytes = bytes;
    return made;
}

static void *arena_grow(size_t bytes)
{
    size_t limit =
        WORLD->options->memory_bytes_max ? WORLD->options->memory_bytes_max : (size_t)1 << 30;
    if (current)
        used_bytes += current->bytes;
    bool whole = WORLD_PROCESSES && current && !world_process_alone; /* there is no other chunk */
    if (whole || bytes > limit || used_bytes > limit - bytes) {
        world_found(WORLD_RULE_LIMIT, ME ? ME->rank : -1,
                    "the world's messages, windows and handles need more than %zu bytes", limit);
        world_stop();
    }
    CORE_CHECK(used_bytes + bytes <= limit); /* invariant 3 */
    CORE_CHECK(bytes % ALIGN == 0);
    struct chunk *next = current ? current->next : first;
    if (!next || next->bytes < bytes) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        struct chunk *chunk = chunk_new(size);
        if (!chunk) {
            world_found(WORLD_RULE_LIMIT, ME ? ME->rank : -1, "out of memory");
            world_stop();
        }
        chunk->next = next;
        if (current)
            current->next = chunk;
        else
            first = chunk;
        next = chunk;
    }
    arena_enter(next);
    void *result = at;
    at += bytes;
    CORE_CHECK(at <= end); /* invariant 1: the new chunk was empty and large enough */
    return result;
}

void *world_alloc(size_t bytes)
{
    size_t rounded = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (UNLIKELY((size_t)(end - at) < bytes || !at)) /* the rest is a multiple of ALIGN as well */
        return arena_grow(rounded < bytes ? ~(size_t)(ALIGN - 1) : rounded);
    void *result = at;
    at += rounded;
    CORE_CHECK_HOT((uintptr_t)result % ALIGN == 0 && at <= end);
    return result;
}

typedef uint64_t pair __attribute__((vector_size(ALIGN), may_alias));

/* Zeroes small blocks a few words at a time, as a sanitizer's memset checks memory that is our own.
 */
void *world_zalloc(size_t bytes)
{
    pair *made = world_alloc(bytes);
    if (bytes > ZEROED_BYTES)
        return memset(made, 0, bytes);
    CORE_CHECK_HOT((uintptr_t)made % ALIGN == 0);
    const pair zero = {0};
    size_t pairs = (bytes + ALIGN - 1) / ALIGN, i = 0;
    for (; i + 4 <= pairs; i += 4) {
        made[i] = made[i + 1] = made[i + 2] = made[i + 3] = zero;
        __asm__ volatile("" ::: "memory"); /* prevents a memset */
    }
    for (; i < pairs; i++) {
        made[i] = zero;
        __asm__ volatile("" ::: "memory");
    }
    return made;
}

char *world_text(const char *format, ...)
{
    char text[WORLD_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return world_strdup(text);
}

char *world_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(world_alloc(bytes), text, bytes);
}

void world_arena_forget(void)
{
    first = current = NULL;
    at = end = NULL;
    used_bytes = 0;
}

void world_arena_reset(void)
{
    size_t kept = 0;
    CORE_CHECK(!WORLD->running); /* invariant 2 */
    for (struct chunk **link = &first; *link;) {
        struct chunk *chunk = *link;
        kept += chunk->bytes;
        if (kept > KEPT_BYTES_MAX && !WORLD_PROCESSES) {
            *link = chunk->next;
            free(chunk);
        } else {
            link = &chunk->next;
        }
    }
    used_bytes = 0;
    CORE_CHECK(!first || first->bytes > 0);
    if (first)
        arena_enter(first);
    else
        world_arena_done();
}

void world_arena_used(uint8_t **out_begin, uint8_t **out_end)
{
    *out_begin = current ? current->data : NULL;
    *out_end = at;
}

void world_arena_done(void)
{
    while (first) {
        struct chunk *next = first->next;
        free(first);
        first = next;
    }
    current = NULL;
    at = end = NULL;
    used_bytes = 0;
}

/* --- blocks that come and go ------------------------------------------------------------------ */

struct world_block {
    struct world_block *next;
};
_Static_assert(sizeof(struct world_block) <= ALIGN, "the smallest class holds one");

static int block_class(size_t bytes)
{
    int class = 4; /* holds a pointer, and is aligned */
    while ((size_t)1 << class < bytes)
        class ++;
    CORE_CHECK(class < WORLD_BLOCK_CLASSES);
    return class;
}

void *world_block_reuse(size_t bytes)
{
    int class = block_class(bytes);
    struct world_block *block = WORLD->block[class];
    if (!block)
        return world_alloc((size_t)1 << class);
    CORE_CHECK_HOT((uintptr_t)block % ALIGN == 0);
    WORLD->block[class] = block->next;
    return block;
}

void world_block_return(void *block, size_t bytes)
{
    struct world_block *given = block;
    int class = block_class(bytes);
    CORE_CHECK_HOT((uintptr_t)block % ALIGN == 0 && given != WORLD->block[class]);
    given->next = WORLD->block[class];
    WORLD->block[class] = given;
}

void *world_take(size_t bytes)
{
    return world_block_reuse(bytes);
}

void world_give(void *block, size_t bytes)
{
    world_block_return(block, bytes);
}

/* --- blocks of their own ---------------------------------------------------------------------- */

void *world_heap_alloc(size_t bytes)
{
    size_t limit =
        WORLD->options->memory_bytes_max ? WORLD->options->memory_bytes_max : (size_t)1 << 30;
    struct world_heap *kept = world_alloc(sizeof *kept);
    kept->bytes = bytes;
    kept->mapped = false;
    if (WORLD_PROCESSES) { /* all members access it; its pages hold nothing else (guard.c) */
        uint8_t *room = world_zalloc((bytes + !bytes + 2 * PAGE - 1) / PAGE * PAGE);
        kept->block = room + (PAGE - (uintptr_t)room % PAGE) % PAGE;
    }
    if (!WORLD_PROCESSES)
        kept->block = bytes < limit ? calloc(1, bytes + !bytes) : NULL;
    if (!kept->block) {
        world_found(WORLD_RULE_LIMIT, ME->rank, "%s asks for %zu bytes", WORLD->fiber->call, bytes);
        world_stop();
    }
    CORE_CHECK(WORLD->running); /* world_heap_end will free it */
    kept->next = WORLD->heap;
    WORLD->heap = kept;
    return kept->block;
}

/* Reserves memory that no other block uses; only written pages occupy memory. */
void *world_heap_sparse(size_t bytes)
{
    struct world_heap *kept = world_alloc(sizeof *kept);
    CORE_CHECK(!WORLD_PROCESSES && WORLD->running);
    kept->bytes = bytes;
    kept->mapped = true;
    kept->block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept->block == MAP_FAILED) {
        world_found(WORLD_RULE_LIMIT, ME->rank, "%s asks for %zu bytes", WORLD->fiber->call, bytes);
        world_stop();
    }
    kept->next = WORLD->heap;
    WORLD->heap = kept;
    return kept->block;
}

void world_heap_free(void *block)
{
    for (struct world_heap **link = &WORLD->heap; *link; link = &(*link)->next)
        if ((*link)->block == block) {
            if (!WORLD_PROCESSES)
                free(block);
            *link = (*link)->next;
            return;
        }
    CORE_CHECK(false); /* the block came from world_heap_alloc */
}

void world_heap_end(void)
{
    for (; WORLD->heap; WORLD->heap = WORLD->heap->next)
        if (WORLD->heap->mapped)
            munmap(WORLD->heap->block, WORLD->heap->bytes);
        else if (!WORLD_PROCESSES)
            free(WORLD->heap->block);
}
