/* Checks the memory that windows expose (usage.h): it must be mapped when it is given to MPI, and
 * when it is taken back. Memory that MPI allocates for a window is not checked. */
#include <stdlib.h>

#include "interpose/misuse/heap.h"
#include "interpose/misuse/usage.h"

enum { REGIONS_MAX = 4096, LOOKS_FIRST = 8, WINDOWS_TOLD_APART = 256 };

static struct region {
    const void *win; /* NULL: memory from MPI_Alloc_mem; or usage_buffers */
    uintptr_t start, end;
    uint64_t seq;         /* of the call that gave it to MPI */
    uintptr_t stack;      /* end of the stack in whose frames it then lay; 0: none */
    enum usage_region is; /* what MPI was given it for */
    bool in_one_block;    /* one block of the heap held it whole when MPI was given it */
    bool reported;
} * region;
static uint32_t region_count, region_room;
const char usage_buffers;
static bool region_missed; /* some regions had no room: an unknown one may be one of these */
static _Atomic unsigned synchronized[WINDOWS_TOLD_APART]; /* number of synchronizations, by a hash
                                                             of the window */

void usage_region(struct lane *lane, uint64_t seq, MPI_Win win, const void *base, MPI_Aint bytes)
{
    uintptr_t start = (uintptr_t)base, end = start + (uintptr_t)bytes;
    uint64_t other = 0;

    if (bytes <= 0)
        return;
    if (!memory_mapped(base, (uint64_t)bytes))
        usage_say(lane, seq, MISUSE_WINDOW_NO_MEMORY, "base", 0, .value = {bytes});
    recorder_lock();
    for (uint32_t i = 0; i < region_count; i++)
        if (region[i].win == HANDLE(win) && region[i].start < end && start < region[i].end)
            other = region[i].seq;
    recorder_unlock();
    if (other)
        usage_say(lane, seq, MISUSE_REGION_TWICE, "base", other);
}

/* Returns the end of the stack in whose live frames the memory lies; 0: none. */
static uintptr_t stack_of(uintptr_t start, uintptr_t end, void **cfa)
{
    uintptr_t stack_end = 0;

    return memory_stack((uintptr_t)cfa, &stack_end) && start >= (uintptr_t)cfa && end <= stack_end
               ? stack_end
               : 0;
}

void usage_region_made(const void *win, const void *base, MPI_Aint bytes, uint64_t seq,
                       enum usage_region is, void **cfa)
{
    const uintptr_t start = (uintptr_t)base, end = start + (uintptr_t)bytes;

    if (bytes <= 0)
        return;
    recorder_lock();
    const bool in_one_block = heap_holds(start, end);
    if (region_count == region_room && region_room < REGIONS_MAX) {
        uint32_t room = region_room ? region_room * 2 : 16;
        struct region *fresh = realloc(region, room * sizeof *fresh);
        region = fresh ? fresh : region;
        region_room = fresh ? room : region_room;
    }
    if (region_count < region_room)
        region[region_count++] = (struct region){.win = win,
                                                 .start = start,
                                                 .end = end,
                                                 .seq = seq,
                                                 .stack = stack_of(start, end, cfa),
                                                 .is = is,
                                                 .in_one_block = in_one_block};
    else
        region_missed = true;
    recorder_unlock();
}

bool usage_region_find(uintptr_t at, uint64_t *out_start, uint64_t *out_end)
{
    bool found = false;

    recorder_lock();
    for (uint32_t i = region_count; i-- > 0 && !found;)
        if (!region[i].win && at >= region[i].start && at < region[i].end) {
            *out_start = region[i].start;
            *out_end = region[i].end;
            found = true;
        }
    recorder_unlock();
    return found;
}

/* Tells whether the function has returned whose variable the memory is: the memory begins below
 * the frames of the stack on which the call is made. */
static bool has_returned(const struct region *r, void **cfa)
{
    uintptr_t stack_end;

    return r->stack && memory_stack((uintptr_t)cfa, &stack_end) && stack_end == r->stack &&
           r->start < (uintptr_t)cfa;
}

/* Reports memory that is no longer valid. */
static void region_look(struct lane *lane, uint64_t seq, struct region *r, void **cfa)
{
    static const enum misuse_kind kinds[][3] = {
        [USAGE_REGION_WINDOW] = {MISUSE_WINDOW_RETURNED, MISUSE_WINDOW_FREED,
                                 MISUSE_WINDOW_UNMAPPED},
        [USAGE_REGION_ATTACHED] = {MISUSE_REGION_RETURNED, MISUSE_REGION_FREED,
                                   MISUSE_REGION_UNMAPPED},
        [USAGE_REGION_BUFFER] = {MISUSE_ATTACHED_RETURNED, MISUSE_ATTACHED_FREED,
                                 MISUSE_ATTACHED_UNMAPPED},
    };

    if (r->reported)
        return;
    r->reported = true;
    if (has_returned(r, cfa))
        usage_say(lane, seq, kinds[r->is][0], NULL, r->seq);
    else if (memory_mapped((const void *)r->start, 1) &&
             heap_was_freed(r->start, r->end, r->in_one_block))
        usage_say(lane, seq, kinds[r->is][1], NULL, r->seq);
    else if (!memory_mapped((const void *)r->start, r->end - r->start))
        usage_say(lane, seq, kinds[r->is][2], NULL, r->seq);
    else
        r->reported = false;
}

/* Checks the window's memory at the first calls that synchronize it, then ever more rarely. */
void usage_regions_synchronized(struct lane *lane, uint64_t seq, const void *win, void **cfa)
{
    unsigned looks =
        1 + atomic_fetch_add_explicit(&synchronized[((uintptr_t)win >> 6) % WINDOWS_TOLD_APART], 1,
                                      memory_order_relaxed);

    if (looks > LOOKS_FIRST && looks & (looks - 1))
        return;
    recorder_lock();
    for (uint32_t i = 0; i < region_count; i++)
        if (region[i].win == win)
            region_look(lane, seq, &region[i], cfa);
    recorder_unlock();
}

bool usage_region_look(struct lane *lane, uint64_t seq, const void *win, const void *base,
                       void **cfa)
{
    bool found = false;

    recorder_lock();
    bool all_known = !region_missed;
    for (uint32_t i = 0; i < region_count && !found; i++)
        if (region[i].win == win && region[i].start == (uintptr_t)base) {
            found = true;
            region_look(lane, seq, &region[i], cfa);
        }
    recorder_unlock();
    return found || !all_known;
}

void usage_region_detaching(struct lane *lane, uint64_t seq, MPI_Win win, const void *base,
                            void **cfa)
{
    if (!usage_region_look(lane, seq, HANDLE(win), base, cfa) && !recorder.partial)
        usage_say(lane, seq, MISUSE_REGION_UNKNOWN, "base", 0);
}

void usage_region_gone(const void *win, const void *base)
{
    recorder_lock();
    for (uint32_t i = region_count; i-- > 0;)
        if (region[i].win == win && region[i].start == (uintptr_t)base) {
            region[i] = region[--region_count];
            break;
        }
    recorder_unlock();
}

void usage_regions_freeing(struct lane *lane, uint64_t seq, const void *win, void **cfa)
{
    recorder_lock();
    for (uint32_t i = 0; i < region_count; i++)
        if (region[i].win == win)
            region_look(lane, seq, &region[i], cfa);
    recorder_unlock();
}

void usage_regions_gone(const void *win)
{
    recorder_lock();
    for (uint32_t i = region_count; i-- > 0;)
        if (region[i].win == win)
            region[i] = region[--region_count];
    recorder_unlock();
}
