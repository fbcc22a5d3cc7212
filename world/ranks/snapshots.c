/* Snapshots of a rank's memory, so that one process can go back to earlier states of the rank. The
 * search by states uses them instead of versions (versions.c) where a rank goes back often, as a
 * fork and its page faults cost more than comparing the rank's pages.
 *
 * A snapshot consists of the registers that a call preserves, the modes of floating-point numbers,
 * and all private writable memory: the program's, the C library's, this library's. The shadow
 * (pages.h) has the memory of the last snapshot; for each earlier one there are the pages that
 * differed from the next one. Going back to a snapshot copies pages that differ, on a stack of its
 * own, and continues where the snapshot was taken.
 *
 * State of the rank that the kernel keeps is not restored, so it may not change from the first
 * snapshot on (rank_kernel_freeze). The stack may grow without a call; a snapshot taken there is
 * refused.
 *
 * Invariants: 1. All of this file's data that changes is in the store, which no snapshot has.
 * 2. snapshot[i].depth < snapshot[i + 1].depth. 3. Pages from page[snapshot[i + 1].page] up to
 * those of the next one turn the memory of snapshot i + 1 into that of snapshot i. */
#include "world/ranks/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)

enum { PAGE = RANK_PAGE, SNAPSHOTS_MAX = 1 << 14, STACK_BYTES = 1 << 16 };
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
    uint32_t page;
    struct rank_sum sum;
    uint8_t was[PAGE];
};

static struct store {
    uint32_t snapshot_count, page_count;
    bool full;
    struct snapshot snapshot[SNAPSHOTS_MAX];
    uint8_t stack[STACK_BYTES] __attribute__((aligned(64)));
    struct rank_pages *pages;
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

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Maps the store, with the pages' data, between two pages that nobody can use, so that it is a
 * mapping of its own. */
static struct store *store_new(struct rank_range *out)
{
    const size_t head = whole_pages(sizeof(struct store)), pages = whole_pages(rank_pages_bytes());
    const size_t bytes = head + pages + whole_pages(PAGES_MAX * sizeof(struct page));
    uint8_t *area =
        mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED || mprotect(area + PAGE, bytes, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    struct store *made = (struct store *)(void *)(area + PAGE);
    made->pages = (struct rank_pages *)(void *)(area + PAGE + head);
    made->page = (struct page *)(void *)(area + PAGE + head + pages);
    *out = (struct rank_range){(uintptr_t)made, (uintptr_t)made + bytes}; /* invariant 1 */
    return made;
}

bool rank_snapshots_begin(void)
{
    struct rank_range own;
    CORE_CHECK(!store && rank_own >= 0);
    store = store_new(&own);
    if (!store || !rank_pages_begin(store->pages, own))
        return false;
    rank_files_freeze();
    return rank_kernel_freeze();
}

bool rank_snapshots_full(void)
{
    return store && (store->full || rank_pages_failed(store->pages));
}

void rank_snapshots_run(void)
{
    CORE_CHECK(store);
    rank_pages_run(store->pages);
}

struct rank_sum rank_snapshots_sum(const struct rank_omitted *omitted)
{
    CORE_CHECK(store && store->snapshot_count > 0); /* the shadow is complete */
    return rank_pages_sum(store->pages, omitted);
}

/* --- snapshots -------------------------------------------------------------------------------- */

/* Tells whether the stack is in a mapping that is copied. */
static bool stack_is_known(void)
{
    return rank_pages_have(store->pages, (uintptr_t)__builtin_frame_address(0) - PAGE);
}

/* Keeps a page that the new snapshot changes. */
static void page_keep(void *unused, uint32_t page, const uint8_t *was, struct rank_sum sum)
{
    (void)unused;
    CORE_CHECK(store->page_count <= PAGES_MAX && store->snapshot_count > 1);
    if (store->page_count == PAGES_MAX) {
        store->full = true; /* rank_snapshots_full tells it */
        return;
    }
    struct page *kept = &store->page[store->page_count++];
    kept->page = page;
    kept->sum = sum;
    memcpy(kept->was, was, PAGE);
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
    if (store->snapshot_count++)
        rank_pages_take(store->pages, page_keep, NULL);
    else
        rank_pages_copy(store->pages);
    return false;
}

/* Runs on the store's stack, as all other memory changes. */
static void snapshot_load(void)
{
    rank_pages_restore(store->pages);
    rank_context_load(&store->snapshot[store->snapshot_count - 1].context);
}

/* Removes the last snapshot: the shadow gets the memory of the one before. */
static void snapshot_drop(void)
{
    const struct snapshot *last = &store->snapshot[--store->snapshot_count];
    CORE_CHECK(store->snapshot_count > 0 && last->page <= store->page_count);
    while (store->page_count > last->page) { /* invariant 3 */
        const struct page *kept = &store->page[--store->page_count];
        rank_pages_put(store->pages, kept->page, kept->was, kept->sum);
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

void rank_snapshots_run(void)
{
}

struct rank_sum rank_snapshots_sum(const struct rank_omitted *omitted)
{
    (void)omitted;
    abort();
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
