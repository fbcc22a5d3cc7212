/* Moves large arrays out of memory: from STORE_SPILL_BYTES on the elements are in a mapped file
 * without a name, in the trace's folder. Visited pages are released, so the process holds little of
 * the array. If the file cannot be made, or cannot hold everything, the elements stay in memory: a
 * full disk costs memory, and raises no SIGBUS.
 *
 * Invariants
 *  1. Elements are in the map if there is one, otherwise in memory of malloc.
 *  2. All of the map has room in the file system. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/check.h"
#include "core/fault.h"
#include "store/store_part.h"

enum {
    SPILL_STEP_BYTES = 4 << 20, /* increment of the file's size */
    SPILL_WALK = 1 << 15        /* elements visited between releases */
};

static int file_open(const char *beside)
{
    const char *slash = strrchr(beside, '/');
    char *folder = slash ? strndup(beside, (size_t)(slash - beside) + 1) : strdup(".");
    int fd = folder && !core_fault()
                 ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR)
                 : -1;

    free(folder);
    return fd;
}

/* Makes the file and its map as large as `bytes`; false: impossible. */
static bool map_grow(struct store_spill *spill, uint64_t bytes)
{
    void *map;

    CORE_CHECK(bytes > spill->bytes);
    if (core_fault() || fallocate(spill->fd, 0, (off_t)spill->bytes,
                                  (off_t)(bytes - spill->bytes)) < 0) /* invariant 2 */
        return false;
    map = spill->map ? mremap(spill->map, spill->bytes, bytes, MREMAP_MAYMOVE)
                     : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, spill->fd, 0);
    if (map == MAP_FAILED)
        return false;
    spill->map = map;
    spill->bytes = bytes;
    return true;
}

static void map_done(struct store_spill *spill)
{
    if (spill->map) {
        munmap(spill->map, spill->bytes);
        close(spill->fd);
    }
    *spill = (struct store_spill){.refused = true};
}

/* Moves the elements present so far into the file. */
static bool map_begin(struct store_spill *spill, const char *beside, uint64_t bytes,
                      const void *elements, uint64_t used)
{
    CORE_CHECK(!spill->map && used <= bytes);
    spill->fd = file_open(beside);
    if (spill->fd < 0 || !map_grow(spill, bytes)) {
        if (spill->fd >= 0)
            close(spill->fd);
        spill->refused = true;
        return false;
    }
    if (used)
        memcpy(spill->map, elements, used);
    return true;
}

/* Moves everything back into memory, with room for `bytes`. NULL: out of memory. */
static void *map_leave(struct store_spill *spill, uint64_t bytes)
{
    void *elements = core_alloc_zero(1, bytes);

    if (!elements)
        return NULL;
    memcpy(elements, spill->map, spill->bytes);
    map_done(spill);
    return elements;
}

enum core_status store_spill_room(struct store_spill *spill, const char *beside, void *array,
                                  size_t element_bytes, uint64_t need, uint32_t *room)
{
    uint64_t used = *room * element_bytes,
             bytes = (need * element_bytes / SPILL_STEP_BYTES + 1) * SPILL_STEP_BYTES;
    void *elements;

    if (need <= *room)
        return CORE_OK;
    memcpy(&elements, array, sizeof elements);
    CORE_CHECK(!spill->map || spill->map == elements); /* invariant 1 */
    if (!spill->map) {
        if (spill->refused || need * element_bytes <= STORE_SPILL_BYTES ||
            !map_begin(spill, beside, bytes, elements, used))
            return store_room(array, element_bytes, need, room);
        free(elements);
        elements = spill->map;
    } else {
        elements = map_grow(spill, bytes) ? spill->map : map_leave(spill, bytes);
    }
    if (!elements)
        return core_report(CORE_NO_MEMORY, "out of memory for the trace");
    memcpy(array, &elements, sizeof elements);
    *room = bytes / element_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)(bytes / element_bytes);
    return CORE_OK;
}

void store_spill_walk(struct store_spill *spill, uint32_t count)
{
    spill->walked += count;
    if (!spill->map || spill->walked < SPILL_WALK)
        return;
    spill->walked = 0;
    madvise(spill->map, spill->bytes, MADV_DONTNEED); /* the file keeps the data */
}

void store_spill_done(struct store_spill *spill, void *elements)
{
    CORE_CHECK(!spill->map || spill->map == elements); /* invariant 1 */
    if (!spill->map)
        free(elements);
    map_done(spill);
}
