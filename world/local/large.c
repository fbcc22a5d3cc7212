/* Moves gigabytes that are mostly unwritten: such a block costs only its written pages. So counts
 * and displacements beyond 2^31 bytes can be tested in little memory.
 *
 * Relies on /proc/self/pagemap, which tells whether a page holds anything: for ranges if the kernel
 * is new enough, otherwise page by page; if it cannot be read, all bytes are moved. Holds no state.
 */
#include "world/state.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PAGE = 4096, ENTRIES = 8192, RANGES = 256 };
static const uint64_t PRESENT = (uint64_t)1 << 63, SWAPPED = (uint64_t)1 << 62;

/* Declarations of linux/fs.h since 6.7: PAGEMAP_SCAN, struct pm_scan_arg, struct page_region. */
struct range {
    uint64_t begin, end, categories;
};
struct scan {
    uint64_t size, flags, begin, end, walk_end, ranges, range_room, page_max;
    uint64_t inverted, all_of, any_of, returned;
};
enum { SCANNED_PRESENT = 1 << 3, SCANNED_SWAPPED = 1 << 4 };
#define SCAN _IOWR('f', 16, struct scan)

/* A function to call for the parts of a range that are in written pages. */
typedef void (*piece_fn)(uint8_t *at, size_t bytes, void *context);

static void large_piece(uintptr_t page, const void *begin, size_t bytes, piece_fn call,
                        void *context)
{
    uintptr_t low = (uintptr_t)begin, high = low + bytes;
    uintptr_t from = page < low ? low : page, to = page + PAGE > high ? high : page + PAGE;
    call((uint8_t *)from, to - from, context);
}

static bool each_range(int map, const void *begin, size_t bytes, piece_fn call, void *context)
{
    static struct range range[RANGES];
    struct scan scan = {.size = sizeof scan,
                        .walk_end = (uintptr_t)begin / PAGE * PAGE,
                        .end = ((uintptr_t)begin + bytes + PAGE - 1) / PAGE * PAGE,
                        .ranges = (uintptr_t)range,
                        .range_room = RANGES,
                        .any_of = SCANNED_PRESENT | SCANNED_SWAPPED,
                        .returned = SCANNED_PRESENT | SCANNED_SWAPPED};
    while (scan.walk_end < scan.end) {
        scan.begin = scan.walk_end;
        int count = ioctl(map, SCAN, &scan);
        if (count < 0)
            return false;
        for (int i = 0; i < count; i++)
            for (uint64_t page = range[i].begin; page < range[i].end; page += PAGE)
                large_piece(page, begin, bytes, call, context);
    }
    return true;
}

static bool each_page(int map, const void *begin, size_t bytes, piece_fn call, void *context)
{
    static uint64_t entry[ENTRIES];
    uintptr_t low = (uintptr_t)begin, high = low + bytes;
    for (uintptr_t page = low / PAGE; page * PAGE < high; page += ENTRIES) {
        uintptr_t pages = (high - page * PAGE + PAGE - 1) / PAGE;
        size_t wanted = (pages < ENTRIES ? pages : ENTRIES) * sizeof *entry;
        if (pread(map, entry, wanted, (off_t)(page * sizeof *entry)) != (ssize_t)wanted)
            return false;
        for (size_t i = 0; i < wanted / sizeof *entry; i++)
            if (entry[i] & (PRESENT | SWAPPED))
                large_piece((page + i) * PAGE, begin, bytes, call, context);
    }
    return true;
}

static bool each_piece(int map, const void *begin, size_t bytes, piece_fn call, void *context)
{
    return each_range(map, begin, bytes, call, context) ||
           each_page(map, begin, bytes, call, context);
}

static void large_clear(uint8_t *at, size_t bytes, void *context)
{
    (void)context;
    memset(at, 0, bytes);
}

static void move_one(uint8_t *at, size_t bytes, void *context)
{
    const ptrdiff_t *distance = context;
    size_t i = 0;
    while (i < bytes && !at[i])
        i++;
    if (i < bytes) /* the destination has zeroes already */
        memcpy(at + *distance, at, bytes);
}

void world_move(void *to, const void *from, size_t bytes)
{
    const uint8_t *source = from;
    uint8_t *dest = to;
    ptrdiff_t distance = dest - source;
    int map = bytes < WORLD_LARGE || (dest < source + bytes && source < dest + bytes)
                  ? -1
                  : open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (map < 0) {
        memmove(to, from, bytes);
        return;
    }
    /* Moves both ends in any case, so that a sanitizer checks the whole extent. */
    memcpy(dest, source, PAGE);
    memcpy(dest + bytes - PAGE, source + bytes - PAGE, PAGE);
    if (!each_piece(map, to, bytes, large_clear, NULL) ||
        !each_piece(map, from, bytes, move_one, &distance))
        memcpy(to, from, bytes);
    close(map);
}
