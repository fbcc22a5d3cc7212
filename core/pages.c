/* See pages.h. */
#include "core/pages.h"

#include <stddef.h>
#include <sys/mman.h>

#include "core/check.h"
#include "core/fault.h"

void *core_pages_new(uint64_t bytes)
{
    void *pages = core_fault() || bytes == 0 || bytes > PTRDIFF_MAX
                      ? MAP_FAILED
                      : mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (pages == MAP_FAILED)
        return NULL;
    if (bytes >= CORE_PAGES_LARGE)
        madvise(pages, bytes, MADV_HUGEPAGE);
    return pages;
}

void core_pages_done(void *pages, uint64_t bytes)
{
    if (pages)
        CORE_CHECK(munmap(pages, bytes) == 0);
}
