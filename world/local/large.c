/* Moving gigabytes that are hardly there: a block whose pages nobody has written costs what its
 * written pages cost. So counts and displacements beyond 2^31 bytes can be tried in little memory.
 *
 * Relies on /proc/self/pagemap, which says of each page whether there is something; where it cannot
 * be read, the bytes are moved one by one. Holds no state. */
#include "world/state.h"

#include <fcntl.h>
#include <unistd.h>

enum { PAGE = 4096, ENTRIES = 8192 };
static const uint64_t PRESENT = (uint64_t)1 << 63, SWAPPED = (uint64_t)1 << 62;

/* Calls for every piece of the range that lies in a page with something in it. */
typedef void (*piece_fn)(uint8_t *at, size_t bytes, void *context);

static bool each_piece(int map, const void *begin, size_t bytes, piece_fn call, void *context)
{
    static uint64_t entry[ENTRIES];
    uintptr_t low = (uintptr_t)begin, high = low + bytes;
    for (uintptr_t page = low / PAGE; page * PAGE < high; page += ENTRIES) {
        uintptr_t pages = (high - page * PAGE + PAGE - 1) / PAGE;
        size_t wanted = (pages < ENTRIES ? pages : ENTRIES) * sizeof *entry;
        if (pread(map, entry, wanted, (off_t)(page * sizeof *entry)) != (ssize_t)wanted)
            return false;
        for (size_t i = 0; i < wanted / sizeof *entry; i++) {
            uintptr_t from = (page + i) * PAGE, to = from + PAGE;
            from = from < low ? low : from;
            to = to > high ? high : to;
            if (entry[i] & (PRESENT | SWAPPED))
                call((uint8_t *)from, to - from, context);
        }
    }
    return true;
}

static void clear(uint8_t *at, size_t bytes, void *context)
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
    if (i < bytes) /* the destination holds zeroes already */
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
    /* Both ends in any case: so a sanitizer sees where the block reaches. */
    memcpy(dest, source, PAGE);
    memcpy(dest + bytes - PAGE, source + bytes - PAGE, PAGE);
    if (!each_piece(map, to, bytes, clear, NULL) ||
        !each_piece(map, from, bytes, move_one, &distance))
        memcpy(to, from, bytes);
    close(map);
}
