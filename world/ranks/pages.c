/* See the header.
 *
 * The kernel tells which pages were written since it was last asked, by the asynchronous write
 * protection of userfaultfd and the PAGEMAP_SCAN call (Linux 6.7). A page that was written once is
 * likely to be written again, so it is then not protected again, but compared with the shadow each
 * time: it is hot. On a kernel without these calls all pages are hot. The kernel is asked when a
 * rank has stopped, before its hash. From then until the program runs again, only this library's
 * code runs; it writes to its own data, for which the kernel is asked again, and to thread-local
 * variables, whose pages are hot from the start.
 *
 * Invariants: 1. A page that is neither hot nor dropped is the same in memory and shadow. 2. sum[p]
 * is the sum of the shadow's segments of page p, without what rank_left_out has; `all` is the sum
 * of these. 3. All of this file's data that changes is in struct rank_pages. */
#include "world/ranks/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PAGE = RANK_PAGE, MAPS_BYTES = 1 << 16, WRITTEN_MAX = 64 };
static const size_t memory_most = (size_t)32 << 20; /* beyond that a fork costs less */
#define PAGES_MAX (((size_t)32 << 20) / RANK_PAGE)

struct rank_pages {
    struct rank_range range[RANK_RANGES_MAX], own, library;
    uint32_t first[RANK_RANGES_MAX]; /* number of the range's first page */
    int range_count;
    uintptr_t rseq_from, rseq_to; /* the kernel's, at any time */
    int faults, pagemap;          /* files; -1: the kernel does not tell what was written */
    bool failed, asked;           /* asked: the program has not run since the kernel was asked */
    struct rank_omitted left_out;
    struct rank_sum all, sum[PAGES_MAX];
    uint32_t hot[PAGES_MAX], dropped[PAGES_MAX], hot_count, dropped_count;
    bool is_hot[PAGES_MAX], is_dropped[PAGES_MAX], is_summed[PAGES_MAX];
    uint8_t shadow[];
};

/* --- sums ------------------------------------------------------------------------------------- */

/* Sorts the few ranges without the C library's sort, which may allocate. */
void rank_omitted_sort(struct rank_omitted *omitted)
{
    struct rank_range *range = omitted->range;
    CORE_CHECK(omitted->count >= 0 && omitted->count <= RANK_OMITTED_MAX);
    for (int i = 1; i < omitted->count; i++)
        for (int k = i; k > 0 && range[k].from < range[k - 1].from; k--) {
            const struct rank_range swap = range[k];
            range[k] = range[k - 1];
            range[k - 1] = swap;
        }
}

/* A segment's place and size count. */
static struct rank_sum segment_sum(uintptr_t from, const void *memory, size_t bytes)
{
    const XXH128_hash_t hash = XXH3_128bits_withSeed(memory, bytes, core_random_mix(from));
    return (struct rank_sum){{hash.low64, hash.high64}};
}

/* Sums up the segments of a part of one page, whose contents are at `memory`. */
static struct rank_sum part_sum(uintptr_t from, uintptr_t to, const uint8_t *memory,
                                const struct rank_omitted *omitted, size_t *bytes)
{
    const uintptr_t begin = from;
    struct rank_sum sum = {{0}};
    CORE_CHECK(from < to && from / PAGE == (to - 1) / PAGE);
    for (int i = 0; i <= omitted->count && from < to; i++) {
        const struct rank_range *out = &omitted->range[i];
        const bool is_last = i == omitted->count;
        if (!is_last && out->to <= from)
            continue;
        const uintptr_t end = is_last || out->from > to ? to : out->from;
        if (end > from) {
            rank_sum_add(&sum, segment_sum(from, memory + (from - begin), end - from));
            *bytes += end - from;
        }
        from = is_last || out->from >= to ? to : out->to;
    }
    return sum;
}

struct rank_sum rank_segments_sum(uintptr_t from, uintptr_t to, const struct rank_omitted *omitted,
                                  size_t *bytes)
{
    struct rank_sum sum = {{0}};
    CORE_CHECK(from <= to);
    while (from < to) {
        const uintptr_t page_end = from / PAGE * PAGE + PAGE, end = page_end < to ? page_end : to;
        rank_sum_add(&sum, part_sum(from, end, (const uint8_t *)from, omitted, bytes));
        from = end;
    }
    return sum;
}

/* --- ranges ----------------------------------------------------------------------------------- */

size_t rank_pages_bytes(void)
{
    return sizeof(struct rank_pages) + memory_most;
}

static bool range_add(struct rank_pages *p, uintptr_t from, uintptr_t to, size_t *bytes)
{
    CORE_CHECK(from < to && from % PAGE == 0 && to % PAGE == 0);
    CORE_CHECK(to <= p->own.from || from >= p->own.to); /* invariant 3 */
    const size_t before = *bytes;
    *bytes += to - from;
    if (p->range_count == RANK_RANGES_MAX || *bytes > memory_most)
        return false;
    p->first[p->range_count] = (uint32_t)(before / PAGE);
    p->range[p->range_count++] = (struct rank_range){from, to};
    return true;
}

extern char __start_rank_scratch[] __attribute__((visibility("hidden")));
extern char __stop_rank_scratch[] __attribute__((visibility("hidden")));

/* Adds a mapping without the pages that have nothing but scratch memory. */
static bool mapping_add(struct rank_pages *p, uintptr_t from, uintptr_t to, size_t *bytes)
{
    const uintptr_t scratch = ((uintptr_t)__start_rank_scratch + PAGE - 1) / PAGE * PAGE;
    const uintptr_t scratch_end = (uintptr_t)__stop_rank_scratch / PAGE * PAGE;
    CORE_CHECK(scratch < scratch_end);
    if (to <= scratch || from >= scratch_end)
        return range_add(p, from, to, bytes);
    return (from >= scratch || range_add(p, from, scratch, bytes)) &&
           (to <= scratch_end || range_add(p, scratch_end, to, bytes));
}

/* Finds the private writable mappings; false: they are too many, or too large. */
static bool ranges_find(struct rank_pages *p)
{
    static char text[MAPS_BYTES] RANK_SCRATCH;
    const size_t bytes = rank_maps_read(text, sizeof text - 1);
    size_t memory = 0;
    text[bytes] = 0;
    for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *next;
        const uintptr_t from = strtoull(line, &next, 16), to = strtoull(next + 1, &next, 16);
        const bool own = from <= p->own.from && to > p->own.from;
        if (next[2] == 'w' && next[4] == 'p' && !own && !mapping_add(p, from, to, &memory))
            return false;
    }
    return bytes > 0;
}

/* Returns the range that has the address; -1: none has it. */
static int range_of(const struct rank_pages *p, uintptr_t at)
{
    int low = 0, high = p->range_count; /* the maps are sorted */
    while (low < high) {
        const int middle = (low + high) / 2;
        if (at >= p->range[middle].to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->range_count && at >= p->range[low].from ? low : -1;
}

bool rank_pages_have(const struct rank_pages *p, uintptr_t at)
{
    return range_of(p, at) >= 0;
}

/* Returns where the page is in memory. */
static uint8_t *memory_of(const struct rank_pages *p, uint32_t page)
{
    int low = 0, high = p->range_count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (page < p->first[middle])
            high = middle - 1;
        else
            low = middle;
    }
    CORE_CHECK(p->range_count > 0 && page >= p->first[low]);
    return (uint8_t *)p->range[low].from + (size_t)(page - p->first[low]) * PAGE;
}

static uint32_t page_of(const struct rank_pages *p, int range, uintptr_t at)
{
    CORE_CHECK(at >= p->range[range].from && at < p->range[range].to);
    return p->first[range] + (uint32_t)((at - p->range[range].from) / PAGE);
}

static uint8_t *shadow_of(struct rank_pages *p, uint32_t page)
{
    CORE_CHECK(page < PAGES_MAX);
    return p->shadow + (size_t)page * PAGE;
}

/* --- what was written ------------------------------------------------------------------------- */

/* The kernel's interface, which older headers lack. */
struct region_written {
    uint64_t from, to, categories;
};
struct scan {
    uint64_t size, flags, from, to, end, region, region_count, pages_max, inverted, mask, any, back;
};
_Static_assert(RANK_PAGES_SCAN == _IOWR('f', 16, struct scan), "the kernel's layout");
enum { SCAN_PROTECTS = 1, SCAN_WATCHED = 1, SCAN_WRITTEN = 2 };
enum { ASYNC = 1 << 15, UNPOPULATED = 1 << 13 };

static void hot_add(struct rank_pages *p, uint32_t page)
{
    CORE_CHECK(page < PAGES_MAX && p->hot_count <= PAGES_MAX);
    if (p->is_hot[page])
        return;
    p->is_hot[page] = true;
    p->hot[p->hot_count++] = page;
}

static void hot_all(struct rank_pages *p)
{
    CORE_CHECK(p->pagemap < 0);
    for (int i = 0; i < p->range_count; i++)
        for (uintptr_t at = p->range[i].from; at < p->range[i].to; at += PAGE)
            hot_add(p, page_of(p, i, at));
}

/* Moves the file's number up, where it does not take one that the program would get. */
static int file_move(int file)
{
    const int moved = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, RANK_FILES_ASKED);
    if (moved >= 0)
        close(file);
    return moved >= 0 ? moved : file;
}

static bool protection_begin(struct rank_pages *p)
{
    struct uffdio_api api = {.api = UFFD_API, .features = ASYNC | UNPOPULATED};
    p->faults = file_move((int)syscall(SYS_userfaultfd, RANK_PAGES_FLAGS));
    p->pagemap = file_move(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    if (p->faults < 0 || p->pagemap < 0 || ioctl(p->faults, UFFDIO_API, &api) != 0 ||
        (api.features & ASYNC) == 0)
        return false;
    for (int i = 0; i < p->range_count; i++) {
        struct uffdio_register range = {
            .range = {p->range[i].from, p->range[i].to - p->range[i].from},
            .mode = UFFDIO_REGISTER_MODE_WP};
        if (ioctl(p->faults, UFFDIO_REGISTER, &range) != 0)
            return false;
    }
    return true;
}

/* If the stack has grown, it has other pages, too, which snapshots.c notices. */
static void region_heat(struct rank_pages *p, const struct region_written *region)
{
    CORE_CHECK(region->from % PAGE == 0 && region->from < region->to);
    for (uint64_t at = region->from; at < region->to; at += PAGE) {
        const int of = range_of(p, at);
        if (of >= 0)
            hot_add(p, page_of(p, of, at));
    }
}

/* Finds what was written there; with `protects` it is protected again, and not hot. */
static void written_find(struct rank_pages *p, struct rank_range in, bool protects)
{
    struct region_written region[WRITTEN_MAX];
    struct scan scan = {.size = sizeof scan,
                        .flags = protects ? SCAN_PROTECTS : 0,
                        .from = in.from,
                        .to = in.to,
                        .region = (uintptr_t)region,
                        .region_count = WRITTEN_MAX,
                        .mask = SCAN_WATCHED | SCAN_WRITTEN,
                        .back = SCAN_WRITTEN};
    while (p->pagemap >= 0 && scan.from < scan.to) {
        const int count = ioctl(p->pagemap, RANK_PAGES_SCAN, &scan);
        p->failed |= count < 0;
        if (count < 0)
            return;
        for (int i = 0; !protects && i < count; i++)
            region_heat(p, &region[i]);
        scan.from = scan.end;
    }
}

static struct rank_range all_ranges(const struct rank_pages *p)
{
    CORE_CHECK(p->range_count > 0);
    return (struct rank_range){p->range[0].from, p->range[p->range_count - 1].to};
}

/* Finds what was written since the program last ran. */
static void written_since(struct rank_pages *p)
{
    CORE_CHECK(p->library.from < p->library.to);
    written_find(p, p->asked ? p->library : all_ranges(p), false);
    p->asked = true;
}

void rank_pages_run(struct rank_pages *p)
{
    p->asked = false;
}

/* Marks the page of a thread-local variable as hot. */
static void hot_variable(struct rank_pages *p, const void *variable)
{
    const int of = range_of(p, (uintptr_t)variable);
    CORE_CHECK(variable);
    if (of >= 0)
        hot_add(p, page_of(p, of, (uintptr_t)variable));
}

bool rank_pages_begin(struct rank_pages *p, struct rank_range own)
{
    struct rank_range out[RANK_LEFT_OUT];
    CORE_CHECK(!p->range_count && p->own.to == 0); /* a new mapping is zero */
    p->own = own;
    rank_left_out(out);
    p->library = out[0];
    p->rseq_from = out[2].from;
    p->rseq_to = out[2].to;
    for (int i = 0; i < RANK_LEFT_OUT; i++)
        if (out[i].from < out[i].to)
            p->left_out.range[p->left_out.count++] = out[i];
    rank_omitted_sort(&p->left_out);
    if (!ranges_find(p))
        return false;
    hot_variable(p, &errno);
    hot_variable(p, &rank_slot);
    if (protection_begin(p))
        return true;
    close(p->faults); /* which ends all protection */
    close(p->pagemap);
    p->faults = p->pagemap = -1;
    hot_all(p);
    return true;
}

bool rank_pages_failed(const struct rank_pages *p)
{
    return p->failed;
}

/* --- memory and shadow ------------------------------------------------------------------------ */

static struct rank_sum page_sum(const struct rank_pages *p, uint8_t *at, const uint8_t *contents)
{
    size_t bytes = 0;
    CORE_CHECK((uintptr_t)at % PAGE == 0);
    return part_sum((uintptr_t)at, (uintptr_t)at + PAGE, contents, &p->left_out, &bytes);
}

static void shadow_set(struct rank_pages *p, uint32_t page, const uint8_t *from,
                       struct rank_sum sum)
{
    CORE_CHECK(page < PAGES_MAX); /* invariant 2 holds again at the end */
    rank_sum_subtract(&p->all, p->sum[page]);
    rank_sum_add(&p->all, sum);
    p->sum[page] = sum;
    memcpy(shadow_of(p, page), from, PAGE);
}

void rank_pages_copy(struct rank_pages *p)
{
    written_find(p, all_ranges(p), true); /* before it is copied: invariant 1 */
    for (int i = 0; i < p->range_count; i++)
        for (uintptr_t at = p->range[i].from; at < p->range[i].to; at += PAGE) {
            const uint8_t *memory = (const uint8_t *)at;
            const uint32_t page = page_of(p, i, at);
            memcpy(shadow_of(p, page), memory, PAGE);
            p->sum[page] = page_sum(p, (uint8_t *)at, shadow_of(p, page));
            rank_sum_add(&p->all, p->sum[page]);
        }
}

void rank_pages_take(struct rank_pages *p, rank_page_fn *differs, void *context)
{
    CORE_CHECK(!p->dropped_count);
    written_since(p);
    for (uint32_t i = 0; i < p->hot_count; i++) {
        const uint32_t page = p->hot[i];
        uint8_t *memory = memory_of(p, page), *shadow = shadow_of(p, page);
        if (memcmp(memory, shadow, PAGE) == 0)
            continue;
        differs(context, page, shadow, p->sum[page]);
        shadow_set(p, page, memory, page_sum(p, memory, memory));
    }
}

void rank_pages_put(struct rank_pages *p, uint32_t page, const uint8_t *was, struct rank_sum sum)
{
    shadow_set(p, page, was, sum);
    if (!p->is_hot[page] && !p->is_dropped[page]) {
        p->is_dropped[page] = true;
        p->dropped[p->dropped_count++] = page;
    }
}

/* Copies a page into the memory, but not over what the kernel writes at any time. */
static void page_restore(struct rank_pages *p, uint32_t page)
{
    uint8_t *to = memory_of(p, page);
    const uint8_t *from = shadow_of(p, page);
    const uintptr_t at = (uintptr_t)to;
    if (memcmp(to, from, PAGE) == 0)
        return;
    if (p->rseq_to <= at || p->rseq_from >= at + PAGE) {
        memcpy(to, from, PAGE);
        return;
    }
    const size_t before = p->rseq_from > at ? p->rseq_from - at : 0;
    const size_t after = p->rseq_to < at + PAGE ? p->rseq_to - at : PAGE;
    memcpy(to, from, before);
    memcpy(to + after, from + after, PAGE - after);
}

void rank_pages_restore(struct rank_pages *p)
{
    written_since(p);
    for (uint32_t i = 0; i < p->hot_count; i++)
        page_restore(p, p->hot[i]);
    while (p->dropped_count) {
        const uint32_t page = p->dropped[--p->dropped_count];
        p->is_dropped[page] = false;
        page_restore(p, page);
    }
}

/* Corrects the sum for one page, once. */
static void page_correct(struct rank_pages *p, uint32_t page, uintptr_t at,
                         const struct rank_omitted *omitted, struct rank_sum *sum)
{
    size_t bytes = 0;
    CORE_CHECK(at % PAGE == 0 && page < PAGES_MAX);
    if (p->is_summed[page])
        return;
    p->is_summed[page] = true;
    rank_sum_subtract(sum, p->sum[page]);
    rank_sum_add(sum, part_sum(at, at + PAGE, (const uint8_t *)at, omitted, &bytes));
}

static bool is_left_out(const struct rank_pages *p, const struct rank_range *range)
{
    for (int i = 0; i < p->left_out.count; i++)
        if (p->left_out.range[i].from == range->from && p->left_out.range[i].to == range->to)
            return true;
    return false;
}

/* Calls page_correct for all pages that have a part of the range; or only forgets that it did. */
static void range_correct(struct rank_pages *p, const struct rank_range *range,
                          const struct rank_omitted *omitted, struct rank_sum *sum)
{
    CORE_CHECK(range->from <= range->to);
    for (int i = 0; i < p->range_count; i++) {
        const struct rank_range *of = &p->range[i];
        if (range->to <= of->from || range->from >= of->to)
            continue;
        uintptr_t at = range->from > of->from ? range->from / PAGE * PAGE : of->from;
        for (; at < range->to && at < of->to; at += PAGE)
            if (sum)
                page_correct(p, page_of(p, i, at), at, omitted, sum);
            else
                p->is_summed[page_of(p, i, at)] = false;
    }
}

struct rank_sum rank_pages_sum(struct rank_pages *p, const struct rank_omitted *omitted)
{
    CORE_CHECK(!p->dropped_count);
    written_since(p);
    struct rank_sum sum = p->all;
    for (uint32_t i = 0; i < p->hot_count; i++) {
        const uintptr_t at = (uintptr_t)memory_of(p, p->hot[i]);
        if (memcmp((const void *)at, shadow_of(p, p->hot[i]), PAGE) != 0)
            page_correct(p, p->hot[i], at, omitted, &sum);
    }
    for (int i = 0; i < omitted->count; i++)
        if (!is_left_out(p, &omitted->range[i]))
            range_correct(p, &omitted->range[i], omitted, &sum);
    for (uint32_t i = 0; i < p->hot_count; i++)
        p->is_summed[p->hot[i]] = false;
    for (int i = 0; i < omitted->count; i++)
        if (!is_left_out(p, &omitted->range[i]))
            range_correct(p, &omitted->range[i], omitted, NULL);
    return sum;
}
