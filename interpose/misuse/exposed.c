/* Follows the memory that this process exposes in windows (inflight.h): calls that access it, and
 * the first bytes of its content, remembered when a call leaves and compared when the next one
 * enters. */
#include <string.h>

#include "program/memory.h"
#include "interpose/misuse/inflight.h"
#include "interpose/misuse/watchpoint.h"

enum { EXPOSED_MAX = 8, CONTENT_BYTES = 1024, RUNS_MAX = 16, SAID_MAX = 400 };
static struct exposed {
    MPI_Win win;
    uintptr_t start, end;
    uint32_t grain; /* bytes that accesses treat as one unit: a power of two */
    uint64_t seq;
    char content[CONTENT_BYTES];
    int stores, touches; /* watchpoints; -1: none */
} exposed[EXPOSED_MAX];
uint32_t exposed_count;
static uint32_t said;

static void exposed_say(struct lane *lane, uint64_t seq, const struct exposed *w, uintptr_t low,
                        uintptr_t high, uint32_t site, enum misuse_kind how)
{
    if (said++ < SAID_MAX)
        usage_say(lane, seq, how, NULL, w->seq, .site = (int32_t)site,
                  .value = {(int64_t)(low - w->start), (int64_t)(high - w->start)});
}

/* Reports an access, with the values that describe a datatype with gaps. */
static void say_touch(struct lane *lane, uint64_t seq, const struct exposed *w, uintptr_t low,
                      uintptr_t high, const struct usage_buffer *b)
{
    if (said++ < SAID_MAX)
        usage_say(lane, seq, b->access == USAGE_WRITE ? MISUSE_WINDOW_WRITTEN : MISUSE_WINDOW_READ,
                  NULL, w->seq,
                  .value = {(int64_t)(low - w->start), (int64_t)(high - w->start),
                            (int64_t)((uintptr_t)b->at - w->start), b->count, b->type});
}

static uint32_t watched_bytes(const struct exposed *w)
{
    return w->end - w->start < CONTENT_BYTES ? (uint32_t)(w->end - w->start) : CONTENT_BYTES;
}

static bool content_of(const struct exposed *w, char *out)
{
    const void *at = (const void *)w->start;
    uint32_t bytes = watched_bytes(w);
    if (w->stores >= 0 || w->touches >= 0)
        return memory_copy(out, at, bytes);
    bool readable = memory_readable(at, bytes);
    if (readable)
        memcpy(out, at, bytes);
    return readable;
}

/* Returns the unit of accesses: an access next to the element under a watchpoint must not hit
 * it. */
static uint32_t grain_of(int unit)
{
    return unit == 2 || unit == 4 || unit == 8 ? (uint32_t)unit : 1;
}

void usage_window(struct lane *lane, MPI_Win win, const void *base, MPI_Aint bytes, int unit,
                  uint64_t seq)
{
    (void)lane;
    if (!recorder.buffers || !base || bytes <= 0 || exposed_count == EXPOSED_MAX ||
        UNLIKELY(recorder.partial))
        return;
    struct exposed *w = &exposed[exposed_count++];
    w->win = win;
    w->start = (uintptr_t)base;
    w->end = w->start + (uintptr_t)bytes;
    w->seq = seq;
    w->grain = grain_of(unit);
    w->stores = w->touches = -1;
    if (!content_of(w, w->content)) {
        exposed_count--;
        return;
    }
    uint64_t watched = (uint64_t)bytes < w->grain ? (uint64_t)bytes : w->grain;
    w->stores = watch_set(w->start, watched, WATCH_STORES);
    w->touches = w->stores < 0 ? -1 : watch_set(w->start, watched, WATCH_LOADS_AND_STORES);
    usage_look_on();
}

static void forget_window(struct exposed *w)
{
    if (w->stores >= 0)
        watch_clear(w->stores);
    if (w->touches >= 0)
        watch_clear(w->touches);
    *w = exposed[--exposed_count];
}

void usage_window_gone(struct lane *lane, const void *win)
{
    (void)lane;
    for (uint32_t i = exposed_count; i-- > 0;)
        if (HANDLE(exposed[i].win) == win)
            forget_window(&exposed[i]);
    usage_look_on();
}

void exposed_touch(struct lane *lane, uint64_t seq, const struct usage_buffer *b)
{
    for (uint32_t i = 0; i < exposed_count; i++) {
        const struct exposed *w = &exposed[i];
        uintptr_t low = b->start > w->start ? b->start : w->start,
                  high = b->end < w->end ? b->end : w->end;
        if (low < high)
            say_touch(lane, seq, w, low, high, b);
    }
}

/* Reads the window's watchpoints. Returns how many bytes from its start are known to have been
 * stored to. */
static unsigned look_at_points(struct lane *lane, uint64_t seq, const struct exposed *w)
{
    const void *stored = w->stores < 0 ? NULL : watch_hit(w->stores),
               *touched = w->touches < 0 ? NULL : watch_hit(w->touches);
    if (!stored && !touched)
        return 0;
    unsigned bytes = watch_bytes(stored ? w->stores : w->touches);
    exposed_say(lane, seq, w, w->start, w->start + bytes,
                recorder_site_of(lane, stored ? stored : touched),
                stored ? MISUSE_WINDOW_STORED : MISUSE_WINDOW_LOADED);
    return stored ? bytes : 0;
}

/* Returns the end of the element at byte `at`. */
static uint32_t grain_end(const struct exposed *w, uint32_t at, uint32_t bytes)
{
    uint32_t end = at - at % w->grain + w->grain;
    return end < bytes ? end : bytes;
}

/* Reports the elements that changed, from byte `low` on, one run at a time: elements between two
 * runs may not have been stored to. */
static void look_at_content(struct lane *lane, uint64_t seq, const struct exposed *w,
                            const char *now, uint32_t low)
{
    uint32_t bytes = watched_bytes(w), end = low, at = low, runs = 0;
    while (at < bytes && runs < RUNS_MAX) {
        uint32_t next = grain_end(w, at, bytes);
        bool same = !memcmp(now + at, w->content + at, next - at);
        if (!same)
            end = next;
        if (same || next == bytes) {
            if (low < end) {
                exposed_say(lane, seq, w, w->start + low, w->start + end, 0, MISUSE_WINDOW_CHANGED);
                runs++;
            }
            low = end = next;
        }
        at = next;
    }
}

void exposed_look(struct lane *lane, uint64_t seq, bool compare)
{
    for (uint32_t i = 0; i < exposed_count; i++) {
        const struct exposed *w = &exposed[i];
        char now[CONTENT_BYTES];
        uint32_t low = look_at_points(lane, seq, w), bytes = watched_bytes(w);
        if (compare && content_of(w, now) && memcmp(now + low, w->content + low, bytes - low))
            look_at_content(lane, seq, w, now, low);
    }
}

uint64_t exposed_bytes(void)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < exposed_count; i++)
        bytes += watched_bytes(&exposed[i]);
    return bytes;
}

void exposed_remember(void)
{
    for (uint32_t i = 0; i < exposed_count; i++)
        if (!content_of(&exposed[i], exposed[i].content))
            forget_window(&exposed[i--]); /* unmapped: nothing to compare any more */
}
