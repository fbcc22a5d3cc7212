/* See memory.h. A block of at least BLOCK_SPARSE bytes is mapped between inaccessible pages, so
 * that a buffer of elements far apart costs only the pages that hold elements, and no shadow memory
 * of the address sanitizer. The memory of a world is limited; exceeding the limit is a finding.
 * When all ranks have returned, a block is lost if it cannot be reached from what they keep.
 *
 * State: the blocks of the running world, the sparse ones among them, and their bytes; what the
 * previous world lost.
 * Invariants: 1. A sparse block ends, except for its alignment, where the inaccessible page begins;
 * the bytes between are FILL until a write passes the block's end. 2. A sparse block is in their
 * table exactly while it is mapped. 3. `live` has every block that a rank allocated and that was
 * not freed. */
#include "fuzz/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "core/array.h"
#include "core/check.h"
#include "core/table.h"
#include "world/world.h"

enum { SPARSE_MAX = 1024, PAGE = 4096, ALIGN = 16, FILL = 0x5a, PLACES_MAX = 4 };
enum { UNWRITTEN = 0xbe, UNWRITTEN_MAX = 1 << 16 };
static const size_t BLOCK_SPARSE = (size_t)64 << 20, HELD_MAX = (size_t)2 << 30,
                    HELD_SPARSE_MAX = (size_t)256 << 30;

static struct sparse {
    char *map, *data;
    size_t map_bytes, bytes;
} sparse[SPARSE_MAX];
static int sparse_count;
static size_t held_bytes, sparse_bytes;

struct block {
    void *data;
    size_t bytes;
    const void *site; /* where the program allocated it */
    memory_release_fn release;
    int rank;
};
static struct core_table live = CORE_TABLE(struct block, data);
static pthread_mutex_t live_mutex = PTHREAD_MUTEX_INITIALIZER; /* a rank may have threads */

static struct lost {
    struct block first;
    long count;
    const void *site[PLACES_MAX]; /* distinct ones */
    int site_count;
} lost;

static void memory_hold(size_t *held, size_t bytes, size_t most)
{
    if (world_rank() < 0)
        return;
    *held += bytes;
    if (*held > most)
        world_give_up(WORLD_RULE_MEMORY, "rank %d asks for %zu bytes; the ranks hold %zu MiB then",
                      world_rank(), bytes, *held >> 20);
}

static void memory_unhold(size_t *held, size_t bytes)
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
    memory_hold(&sparse_bytes, bytes, HELD_SPARSE_MAX);
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

/* Checks the bytes between the block's end and the inaccessible page, which the program must not
 * write. */
static void slack_check(const struct sparse *block)
{
    const char *end = block->map + block->map_bytes - PAGE;
    for (const char *at = block->data + block->bytes; at < end; at++)
        if (*at != FILL && world_rank() >= 0)
            world_note(WORLD_RULE_OVERRUN, "rank %d wrote behind the end of a block of %zu bytes",
                       world_rank(), block->bytes);
}

static void sparse_free(struct sparse *block)
{
    CORE_CHECK(block >= sparse && block < sparse + sparse_count); /* invariant 2 */
    munmap(block->map, block->map_bytes);
    memory_unhold(&sparse_bytes, block->bytes);
    *block = sparse[--sparse_count];
}

/* --- what is allocated ------------------------------------------------------------------------ */

void *memory_note(void *data, size_t bytes, memory_release_fn release, const void *site)
{
    struct block *block;
    int rank = world_rank();
    if (!data || rank < 0)
        return data;
    pthread_mutex_lock(&live_mutex);
    if (core_table_put(&live, &data, "blocks", &block) == CORE_OK)
        *block = (struct block){data, bytes, site, release, rank};
    pthread_mutex_unlock(&live_mutex);
    return data;
}

void memory_forget(void *data)
{
    pthread_mutex_lock(&live_mutex);
    struct block *block = core_table_find(&live, &data);
    if (block)
        core_table_remove(&live, block);
    pthread_mutex_unlock(&live_mutex);
}

/* Fills the beginning of new memory, so that a reader of what nobody wrote gets no zeros. */
static void *memory_unwritten(char *data, size_t from, size_t to)
{
    const size_t end = to < UNWRITTEN_MAX ? to : UNWRITTEN_MAX;
    if (data && from < end)
        memset(data + from, UNWRITTEN, end - from);
    return data;
}

void *memory_allocate(size_t bytes, bool zeroed, const void *site)
{
    if (bytes >= BLOCK_SPARSE) /* mapped pages are zero */
        return memory_note(sparse_new(bytes), bytes, memory_free, site);
    memory_hold(&held_bytes, bytes, HELD_MAX);
    void *data = zeroed ? calloc(1, bytes) : memory_unwritten(malloc(bytes), 0, bytes);
    return memory_note(data, bytes, memory_free, site);
}

void memory_free(void *data)
{
    struct sparse *mapped = sparse_count ? sparse_find(data) : NULL;
    memory_forget(data);
    if (mapped) {
        slack_check(mapped);
        sparse_free(mapped);
        return;
    }
    if (data)
        memory_unhold(&held_bytes, malloc_usable_size(data));
    free(data);
}

void *memory_reallocate(void *data, size_t bytes, const void *site)
{
    struct sparse *mapped = sparse_count ? sparse_find(data) : NULL;
    if (!mapped && bytes < BLOCK_SPARSE) {
        const size_t old = data ? malloc_usable_size(data) : 0;
        memory_unhold(&held_bytes, old);
        memory_hold(&held_bytes, bytes, HELD_MAX);
        memory_forget(data);
        return memory_note(memory_unwritten(realloc(data, bytes), old, bytes), bytes, memory_free,
                           site);
    }
    size_t old = mapped ? mapped->bytes : data ? malloc_usable_size(data) : 0;
    void *made = memory_allocate(bytes, false, site);
    if (made && data) {
        memcpy(made, data, old < bytes ? old : bytes);
        memory_free(data);
    }
    return made;
}

bool memory_zero_sparse(char *begin, size_t bytes)
{
    for (int i = 0; bytes >= BLOCK_SPARSE && i < sparse_count; i++) {
        char *low = sparse[i].data, *high = low + sparse[i].bytes;
        if (begin < low || begin + bytes > high)
            continue;
        char *first = (char *)(((uintptr_t)begin + PAGE - 1) / PAGE * PAGE),
             *last = (char *)((uintptr_t)(begin + bytes) / PAGE * PAGE);
        memset(begin, 0, (size_t)(first - begin));
        madvise(first, (size_t)(last - first), MADV_DONTNEED);
        memset(last, 0, (size_t)(begin + bytes - last));
        return true;
    }
    return false;
}

static void all_free(void)
{
    while (live.count > 0) {
        struct block *last = core_table_at(&live, live.count - 1);
        void *data = last->data;
        last->release(data);
        memory_forget(data); /* otherwise another function freed the block */
    }
    while (sparse_count > 0)
        sparse_free(&sparse[sparse_count - 1]);
    held_bytes = sparse_bytes = 0;
}

pid_t memory_process;

void memory_world_starts(void)
{
    memory_process = getpid();
    all_free(); /* blocks of a world that was given up */
    lost.count = 0;
}

/* --- what is lost ----------------------------------------------------------------------------- */

struct piece { /* memory that may be reached: a block, or an object of MPI */
    uintptr_t begin, end;
    const struct block *block; /* NULL: a handle */
    bool reached;
};

static struct search {
    struct piece *piece;
    uint32_t count, room;
    uint32_t *open; /* reached and not yet searched */
    uint32_t open_count, open_room;
} search;

static int by_address(const void *a, const void *b)
{
    const struct piece *one = a, *other = b;
    return (one->begin > other->begin) - (one->begin < other->begin);
}

static void piece_add(uintptr_t begin, size_t bytes, const struct block *block)
{
    const struct piece piece = {begin, begin + bytes + !bytes, block, false};
    if (CORE_ARRAY_PUSH(search.piece, search.count, search.room, "blocks", piece) != CORE_OK)
        exit(3);
}

static void handle_add(void *context, const void *begin, size_t bytes)
{
    (void)context;
    piece_add((uintptr_t)begin, bytes, NULL);
}

/* Follows an address to the piece that contains it, as sanitizers do. */
static void address_follow(uintptr_t address)
{
    uint32_t low = CORE_ARRAY_FIND(at, 0, search.count, search.piece[at].end <= address);
    if (low == search.count || address < search.piece[low].begin || search.piece[low].reached)
        return;
    search.piece[low].reached = true;
    if (CORE_ARRAY_PUSH(search.open, search.open_count, search.open_room, "blocks", low) != CORE_OK)
        exit(3);
}

__attribute__((no_sanitize_address)) /* there are red zones between global variables */
static void
range_follow(void *context, const void *begin, size_t bytes)
{
    const size_t word = sizeof(uintptr_t);
    uintptr_t at = ((uintptr_t)begin + word - 1) / word * word, end = (uintptr_t)begin + bytes;
    (void)context;
    for (; at + word <= end; at += word)
        address_follow(*(const uintptr_t *)at);
}

static void pieces_follow(void)
{
    world_kept_ranges(range_follow, NULL);
    while (search.open_count > 0) {
        const struct piece *piece = &search.piece[search.open[--search.open_count]];
        if (!piece->block)
            world_handle_keep((void *)piece->begin, range_follow, NULL);
        else if (piece->block->bytes < BLOCK_SPARSE)
            range_follow(NULL, piece->block->data, piece->block->bytes);
    }
}

static void lost_add(const struct block *block)
{
    int i = 0;
    if (lost.count++ == 0) {
        lost.first = *block;
        lost.site_count = 0;
    }
    while (i < lost.site_count && lost.site[i] != block->site)
        i++;
    if (i == lost.site_count && i < PLACES_MAX)
        lost.site[lost.site_count++] = block->site;
}

static bool is_reached(const struct block *block)
{
    struct piece key = {.begin = (uintptr_t)block->data};
    const struct piece *found = bsearch(&key, search.piece, search.count, sizeof key, by_address);
    CORE_CHECK(found && found->block == block); /* invariant 3, and unique addresses */
    return found->reached;
}

void memory_world_returned(void)
{
    search.count = search.open_count = 0;
    for (uint32_t i = 0; i < live.count; i++) {
        const struct block *block = core_table_at(&live, i);
        piece_add((uintptr_t)block->data, block->bytes, block);
    }
    world_left_handles(handle_add, NULL);
    if (search.count == 0)
        return;
    qsort(search.piece, search.count, sizeof *search.piece, by_address);
    pieces_follow();
    for (uint32_t i = 0; i < live.count; i++)
        if (!is_reached(core_table_at(&live, i)))
            lost_add(core_table_at(&live, i));
    all_free();
}

bool memory_lost(int *out_rank, char *text)
{
    if (!lost.count)
        return false;
    *out_rank = lost.first.rank;
    int n =
        snprintf(text, WORLD_TEXT_MAX,
                 "%zu byte%s that rank %d allocates are never freed, and nothing points to them",
                 lost.first.bytes, lost.first.bytes == 1 ? "" : "s", lost.first.rank);
    if (lost.count > 1)
        snprintf(text + n, WORLD_TEXT_MAX - (size_t)n, "; %ld such blocks in all", lost.count);
    return true;
}

void __sanitizer_symbolize_pc(void *place, const char *format, char *out, size_t room)
    __attribute__((weak));

void memory_lost_places(FILE *out)
{
    char text[512];
    for (int i = 0; lost.count && i < lost.site_count && __sanitizer_symbolize_pc; i++) {
        /* the address of the call, not of the return */
        __sanitizer_symbolize_pc((void *)((uintptr_t)lost.site[i] - 1), "in %f, %s:%l", text,
                                 sizeof text);
        fprintf(out, "allocated %s\n", text);
    }
}
