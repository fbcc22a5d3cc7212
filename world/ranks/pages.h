/* The pages of a rank's private writable memory, beside a copy of them (the shadow): which pages
 * may differ from it, and a hash of all of them. The search by states uses them in a rank that goes
 * back to earlier states (snapshots.c).
 *
 * The hash of memory is a sum of the hashes of its segments: the parts of each page that are not
 * omitted. So it can be computed from the shadow's hash and the pages that differ, and it is the
 * same in a rank that has no shadow. */
#ifndef WORLD_RANKS_PAGES_H
#define WORLD_RANKS_PAGES_H

#include "world/ranks/ranks.h"

/* Names the calls of pages.c; older headers lack PAGEMAP_SCAN. */
#define RANK_PAGES_SCAN _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, 96)
#define RANK_PAGES_CALLS UFFDIO_API, UFFDIO_REGISTER, RANK_PAGES_SCAN
#define RANK_PAGES_FLAGS (O_CLOEXEC | O_NONBLOCK | 1 /* UFFD_USER_MODE_ONLY */)

enum { RANK_PAGE = 4096, RANK_RANGES_MAX = 256, RANK_OMITTED_MAX = 512 };

struct rank_sum {
    uint64_t half[2];
};
static inline void rank_sum_add(struct rank_sum *sum, struct rank_sum other)
{
    sum->half[0] += other.half[0];
    sum->half[1] += other.half[1];
}
static inline void rank_sum_subtract(struct rank_sum *sum, struct rank_sum other)
{
    sum->half[0] -= other.half[0];
    sum->half[1] -= other.half[1];
}

/* Memory that the hash omits: sorted by where it begins; ranges may overlap. */
struct rank_omitted {
    struct rank_range range[RANK_OMITTED_MAX];
    int count;
};
void rank_omitted_sort(struct rank_omitted *omitted);
/* Sums up the hashes of the segments of [from, to), and counts their bytes. */
struct rank_sum rank_segments_sum(uintptr_t from, uintptr_t to, const struct rank_omitted *omitted,
                                  size_t *bytes);

/* A page's number counts the pages of all ranges. */
struct rank_pages;
size_t rank_pages_bytes(void); /* that struct rank_pages takes, with its shadow */
/* Finds the ranges, which must not change from now on. `own` is omitted: it has the pages' own
 * data, which no snapshot may have. False: there is too much memory. */
bool rank_pages_begin(struct rank_pages *pages, struct rank_range own);
bool rank_pages_have(const struct rank_pages *pages, uintptr_t at);
void rank_pages_run(struct rank_pages *pages); /* the program's code runs from now on */
/* Copies all memory to the shadow. */
void rank_pages_copy(struct rank_pages *pages);

/* Calls `differs` for each page that differs from the shadow, and lets the shadow have it. */
typedef void rank_page_fn(void *context, uint32_t page, const uint8_t *was, struct rank_sum sum);
void rank_pages_take(struct rank_pages *pages, rank_page_fn *differs, void *context);
/* Changes a page of the shadow. */
void rank_pages_put(struct rank_pages *pages, uint32_t page, const uint8_t *was,
                    struct rank_sum sum);
/* Gives the memory what the shadow has. Runs on a stack that is not part of it. */
void rank_pages_restore(struct rank_pages *pages);
/* Sums up the hashes of the memory's segments. */
struct rank_sum rank_pages_sum(struct rank_pages *pages, const struct rank_omitted *omitted);
bool rank_pages_failed(const struct rank_pages *pages); /* they cannot be trusted any more */

/* snapshots.c: the same, of a rank that takes snapshots. */
struct rank_sum rank_snapshots_sum(const struct rank_omitted *omitted);

#endif
