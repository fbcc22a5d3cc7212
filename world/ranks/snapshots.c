/* Snapshots of a rank's memory, so that one process can go back to earlier states of the rank. The
 * search by states uses them instead of versions (versions.c) where a rank goes back often, as a
 * fork and its page faults cost more than comparing the rank's pages.
 *
 * A snapshot consists of the registers that a call preserves, the modes of floating-point numbers,
 * and all private writable memory: the program's, the C library's, this library's. `shadow` has the
 * memory of the last snapshot; for each earlier one there are the pages that differed from the next
 * one. Going back to a snapshot copies pages that differ, on a stack of its own, and continues
 * where the snapshot was taken.
 *
 * State of the rank that the kernel keeps is not restored, so it may not change from the first
 * snapshot on (rank_kernel_freeze). The stack may grow without a call; a snapshot taken there is
 * refused.
 *
 * Invariants: 1. All of this file's data that changes is in the store, which no snapshot has.
 * 2. snapshot[i].depth < snapshot[i + 1].depth. 3. Pages from page[snapshot[i + 1].page] up to
 * those of the next one turn the memory of snapshot i + 1 into that of snapshot i. */
#include "world/ranks/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)

extern char __start_rank_scratch[] __attribute__((visibility("hidden")));
extern char __stop_rank_scratch[] __attribute__((visibility("hidden")));

enum {
    PAGE = 4096,
    RANGES_MAX = 256,
    SNAPSHOTS_MAX = 1 << 14,
    MAPS_BYTES = 1 << 16,
    STACK_BYTES = 1 << 16
};
static const size_t memory_most = (size_t)32 << 20; /* beyond that a fork costs less */
#define PAGES_MAX ((size_t)1 << 19)

/* The registers that a call preserves, where it returns to, and the modes of floating point. */
struct context {
    uintptr_t kept[6], sp, ip;
    uint32_t vector, environment[8];
};

struct snapshot {
    struct context context;
    uint32_t depth, page;
};

struct page {
    uint8_t *at;
    uint8_t was[PAGE];
};

static struct store {
    size_t bytes;
    uintptr_t rseq_from, rseq_to; /* the kernel's, at any time */
    struct rank_range range[RANGES_MAX];
    int range_count;
    uint32_t snapshot_count, page_count;
    bool full;
    struct snapshot snapshot[SNAPSHOTS_MAX];
    uint8_t stack[STACK_BYTES] __attribute__((aligned(64)));
    uint8_t *shadow;
    struct page *page;
} * store;

/* Returns 0; returns 1 when the context is loaded. */
int rank_context_save(struct context *out) __attribute__((returns_twice, visibility("hidden")));
_Noreturn void rank_context_load(const struct context *from) __attribute__((visibility("hidden")));
/* Calls the function, which does not return, on that stack. */
_Noreturn void rank_context_call(void *stack, void (*run)(void))
    __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".globl rank_context_save\n.hidden rank_context_save\n"
        ".type rank_context_save,@function\n"
        "rank_context_save:\n"
        "    movq %rbx, 0(%rdi)\n"
        "    movq %rbp, 8(%rdi)\n"
        "    movq %r12, 16(%rdi)\n"
        "    movq %r13, 24(%rdi)\n"
        "    movq %r14, 32(%rdi)\n"
        "    movq %r15, 40(%rdi)\n"
        "    leaq 8(%rsp), %rdx\n"
        "    movq %rdx, 48(%rdi)\n"
        "    movq (%rsp), %rdx\n"
        "    movq %rdx, 56(%rdi)\n"
        "    stmxcsr 64(%rdi)\n"
        "    fnstenv 68(%rdi)\n"
        "    fldenv 68(%rdi)\n"
        "    xorl %eax, %eax\n"
        "    ret\n"
        ".size rank_context_save, .-rank_context_save\n"
        ".globl rank_context_load\n.hidden rank_context_load\n"
        ".type rank_context_load,@function\n"
        "rank_context_load:\n"
        "    movq 0(%rdi), %rbx\n"
        "    movq 8(%rdi), %rbp\n"
        "    movq 16(%rdi), %r12\n"
        "    movq 24(%rdi), %r13\n"
        "    movq 32(%rdi), %r14\n"
        "    movq 40(%rdi), %r15\n"
        "    movq 48(%rdi), %rsp\n"
        "    ldmxcsr 64(%rdi)\n"
        "    fldenv 68(%rdi)\n"
        "    movl $1, %eax\n"
        "    jmpq *56(%rdi)\n"
        ".size rank_context_load, .-rank_context_load\n"
        ".globl rank_context_call\n.hidden rank_context_call\n"
        ".type rank_context_call,@function\n"
        "rank_context_call:\n"
        "    movq %rdi, %rsp\n"
        "    xorl %ebp, %ebp\n"
        "    callq *%rsi\n"
        "    ud2\n"
        ".size rank_context_call, .-rank_context_call\n");
_Static_assert(offsetof(struct context, sp) == 48 && offsetof(struct context, ip) == 56 &&
                   offsetof(struct context, vector) == 64 &&
                   offsetof(struct context, environment) == 68 && sizeof(uint32_t[8]) >= 28,
               "the assembler knows these places");

static bool range_add(uintptr_t from, uintptr_t to, size_t *bytes)
{
    const uintptr_t own = (uintptr_t)store;
    CORE_CHECK(from < to && from % PAGE == 0 && to % PAGE == 0);
    CORE_CHECK(to <= own || from >= own + store->bytes); /* invariant 1 */
    *bytes += to - from;
    if (store->range_count == RANGES_MAX || *bytes > memory_most)
        return false;
    store->range[store->range_count++] = (struct rank_range){from, to};
    return true;
}

/* Adds a mapping without the pages that have nothing but scratch memory. */
static bool mapping_add(uintptr_t from, uintptr_t to, size_t *bytes)
{
    const uintptr_t scratch = ((uintptr_t)__start_rank_scratch + PAGE - 1) / PAGE * PAGE;
    const uintptr_t scratch_end = (uintptr_t)__stop_rank_scratch / PAGE * PAGE;
    CORE_CHECK(scratch < scratch_end);
    if (to <= scratch || from >= scratch_end)
        return range_add(from, to, bytes);
    return (from >= scratch || range_add(from, scratch, bytes)) &&
           (to <= scratch_end || range_add(scratch_end, to, bytes));
}

/* Finds the private writable mappings; false: they are too many, or too large. */
static bool ranges_find(void)
{
    static char text[MAPS_BYTES] RANK_SCRATCH;
    const size_t bytes = rank_maps_read(text, sizeof text - 1);
    size_t memory = 0;
    text[bytes] = 0;
    store->range_count = 0;
    for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *next;
        const uintptr_t from = strtoull(line, &next, 16), to = strtoull(next + 1, &next, 16);
        const bool own = from <= (uintptr_t)store && to > (uintptr_t)store;
        if (next[2] == 'w' && next[4] == 'p' && !own && !mapping_add(from, to, &memory))
            return false;
    }
    return bytes > 0;
}

/* Maps the store between two pages that nobody can use, so that it is a mapping of its own. */
static struct store *store_new(void)
{
    const size_t head = (sizeof(struct store) + PAGE - 1) & ~(size_t)(PAGE - 1);
    const size_t bytes = head + memory_most + PAGES_MAX * sizeof(struct page);
    uint8_t *area =
        mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED || mprotect(area + PAGE, bytes, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    struct store *made = (struct store *)(void *)(area + PAGE);
    made->bytes = bytes;
    made->shadow = area + PAGE + head;
    made->page = (struct page *)(void *)(made->shadow + memory_most);
    CORE_CHECK((uintptr_t)made->shadow % PAGE == 0);
    return made;
}

bool rank_snapshots_begin(void)
{
    struct rank_range out[RANK_LEFT_OUT];
    CORE_CHECK(!store && rank_own >= 0);
    store = store_new();
    if (!store)
        return false;
    rank_left_out(out);
    store->rseq_from = out[2].from;
    store->rseq_to = out[2].to;
    return ranges_find() && rank_kernel_freeze();
}

bool rank_snapshots_full(void)
{
    return store && store->full;
}

/* --- pages ------------------------------------------------------------------------------------ */

/* Copies a page into the rank's memory, but not over what the kernel writes at any time. */
static void page_put(uint8_t *to, const uint8_t *from)
{
    const uintptr_t at = (uintptr_t)to;
    CORE_CHECK(at % PAGE == 0);
    if (store->rseq_to <= at || store->rseq_from >= at + PAGE) {
        memcpy(to, from, PAGE);
        return;
    }
    const size_t before = store->rseq_from > at ? store->rseq_from - at : 0;
    const size_t after = store->rseq_to < at + PAGE ? store->rseq_to - at : PAGE;
    memcpy(to, from, before);
    memcpy(to + after, from + after, PAGE - after);
}

/* Copies the memory, and keeps the pages in which the last snapshot differed. */
static void pages_take(bool first)
{
    uint8_t *shadow = store->shadow;
    for (int i = 0; i < store->range_count; i++)
        for (uint8_t *at = (uint8_t *)store->range[i].from; at < (uint8_t *)store->range[i].to;
             at += PAGE, shadow += PAGE) {
            if (memcmp(at, shadow, PAGE) == 0)
                continue;
            if (!first && store->page_count == PAGES_MAX)
                store->full = true; /* rank_snapshots_full tells it */
            else if (!first) {
                struct page *page = &store->page[store->page_count++];
                page->at = at;
                memcpy(page->was, shadow, PAGE);
            }
            memcpy(shadow, at, PAGE);
        }
}

static uint8_t *shadow_of(const uint8_t *page)
{
    uint8_t *shadow = store->shadow;
    int i = 0;
    while ((uintptr_t)page < store->range[i].from || (uintptr_t)page >= store->range[i].to) {
        shadow += store->range[i].to - store->range[i].from;
        i++;
        CORE_CHECK(i < store->range_count);
    }
    return shadow + ((uintptr_t)page - store->range[i].from);
}

/* Restores the memory of the last snapshot. */
static void pages_restore(void)
{
    const uint8_t *shadow = store->shadow;
    for (int i = 0; i < store->range_count; i++)
        for (uint8_t *at = (uint8_t *)store->range[i].from; at < (uint8_t *)store->range[i].to;
             at += PAGE, shadow += PAGE)
            if (memcmp(at, shadow, PAGE) != 0)
                page_put(at, shadow);
}

/* --- snapshots -------------------------------------------------------------------------------- */

/* Tells whether the stack is in a mapping that is copied. */
static bool stack_is_known(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0) - PAGE;
    for (int i = 0; i < store->range_count; i++)
        if (here >= store->range[i].from && here < store->range[i].to)
            return true;
    return false;
}

bool rank_snapshot_take(uint32_t depth)
{
    CORE_CHECK(store && (!store->snapshot_count ||
                         store->snapshot[store->snapshot_count - 1].depth < depth));
    if (store->snapshot_count == SNAPSHOTS_MAX || !stack_is_known()) {
        store->full = true;
        return false;
    }
    struct snapshot *snapshot = &store->snapshot[store->snapshot_count];
    snapshot->depth = depth;
    snapshot->page = store->page_count;
    if (rank_context_save(&snapshot->context))
        return true;
    store->snapshot_count++;
    pages_take(store->snapshot_count == 1);
    return false;
}

/* Runs on the store's stack, as all other memory changes. */
static void snapshot_load(void)
{
    pages_restore();
    rank_context_load(&store->snapshot[store->snapshot_count - 1].context);
}

/* Removes the last snapshot: the shadow gets the memory of the one before. */
static void snapshot_drop(void)
{
    const struct snapshot *last = &store->snapshot[--store->snapshot_count];
    CORE_CHECK(store->snapshot_count > 0 && last->page <= store->page_count);
    while (store->page_count > last->page) { /* invariant 3 */
        const struct page *page = &store->page[--store->page_count];
        memcpy(shadow_of(page->at), page->was, PAGE);
    }
}

void rank_snapshot_return(uint32_t depth)
{
    CORE_CHECK(store && store->snapshot_count > 0 && store->snapshot[0].depth <= depth);
    while (store->snapshot[store->snapshot_count - 1].depth > depth) /* invariant 2 */
        snapshot_drop();
    rank_context_call(store->stack + STACK_BYTES, snapshot_load);
}

uint32_t rank_snapshot_depth(void)
{
    CORE_CHECK(store && store->snapshot_count > 0);
    return store->snapshot[store->snapshot_count - 1].depth;
}

#else

bool rank_snapshots_begin(void)
{
    return false;
}

bool rank_snapshots_full(void)
{
    return false;
}

bool rank_snapshot_take(uint32_t depth)
{
    (void)depth;
    return false;
}

void rank_snapshot_return(uint32_t depth)
{
    (void)depth;
    abort();
}

uint32_t rank_snapshot_depth(void)
{
    return 0;
}

#endif
