/* Buffers that MPI owns: what overlaps them, and whether the program wrote to them (usage.h).
 *
 * A send buffer is hashed when it is handed over and when its request completes: nobody but the
 * program writes to it in between. A receive buffer is written by the library, but, on one machine
 * and for what fits an eager message, only inside MPI calls of its own process: so its content is
 * compared from one call's end to the next one's beginning. Loads leave no trace there; a few
 * buffers at a time have a watchpoint on their first bytes (watch.h), which sees loads too.
 *
 * What is read from a file may come at any moment, from another thread: but to each byte once. One
 * that changes twice was stored to by the program.
 *
 *  1. A buffer is in `in_flight` from the call that hands it over until the call that takes it
 * back, of a persistent request from each start on; of a blocking call, where several threads make
 *     calls, as long as that lasts.
 *  2. Where completions are not all seen (filters), nothing flies.
 *  3. Looking at contents takes a credit of bytes, and then no more than a byte in
 *     RECORDER_CREDIT_TICKS: a mistake in a loop shows in its first rounds, and the loops of a
 *     simulation cost what recording them costs.
 *  4. Memory that the program owns is looked at only where it can be read (memory.h): a buffer that
 *     is no longer mapped must not end the job. Where a watchpoint may be on it, it is read through
 *     the kernel: our own reading must not spring it. The library, which reads or fills a large
 *     buffer later, would end the job: so a few of those are looked for when a call is entered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "interpose/misuse/payload.h"
#include "interpose/misuse/shadow.h"
#include "interpose/misuse/usage.h"
#include "interpose/misuse/watchpoint.h"

enum {
    IN_FLIGHT_MAX = 1024,
    HASHED_BYTES = 1024,
    EAGER_BYTES = 4096,
    WATCHED_MAX = 16,
    PIECES_MAX = 4096,
    HASH_LEAST = 1024,
    PARTITIONS_MAX = 64, /* of a receive; of others nothing is known before they are complete */
    LARGE_BYTES = 128 << 10
};

struct usage_in_flight usage_in_flight;
struct recorder_look recorder_look;

struct flight {
    struct usage_buffer buffer;
    uint64_t seq, hash;
    uint32_t hashed; /* bytes from buffer.start; 0: its content is not known */
    int target;
    MPI_Win win;  /* NULL: a request's */
    bool watched; /* its content is looked at around each call */
    bool large;   /* whether it is still mapped is looked at when a call is entered */
    int point;    /* a watchpoint (watch.h); -1 none */
    int reading;  /* -1 none */
    void *fiber;  /* shadow.h; NULL none */
};
static uint32_t
    in_flight_request[IN_FLIGHT_MAX]; /* apart from the rest: looked through all the time */
static struct flight in_flight[IN_FLIGHT_MAX];
static struct restartable { /* buffers of persistent requests */
    uint32_t request;
    int partitions; /* of a partitioned one; else 0 */
    bool receives;
    int64_t stride;
    struct usage_buffers all;
} * restartable;
static uint32_t restartable_room;
static struct reading { /* what a read from a file fills: as it was before, and when last seen */
    bool used, stored_to;
    char before[HASHED_BYTES], last[HASHED_BYTES];
} reading[WATCHED_MAX];
static struct { /* by the call that is being made */
    uint64_t seq;
    uint32_t bytes;
    char content[HASHED_BYTES];
} before_read;
static bool relooked;
static struct recorder_credit credit = {.most = 1 << 20, .left = 1 << 20}; /* bytes */
static uint32_t large_count, point_count; /* flights that are large, and that have a watchpoint */

/* This process's windows: what touches them, and the beginnings of what they hold when a call is
 * left. */
enum { WINDOWS_MAX = 8, WINDOW_BYTES = 1024, WINDOW_SAID_MAX = 200 };
static struct window {
    MPI_Win win;
    uintptr_t start, end;
    uint64_t seq;
    char content[WINDOW_BYTES];
    int stores, touches; /* watchpoints; -1 none */
} window[WINDOWS_MAX];
static uint32_t window_count, window_said;

static inline void look_on(void)
{
    bool always = point_count || window_count || large_count;
    recorder_look.enter = always || relooked;
    recorder_look.leave = always || usage_in_flight.watched;
    if (always)
        recorder_look.from = 0;
}

static void say_window(struct lane *lane, uint64_t seq, const struct window *w, uintptr_t low,
                       uintptr_t high, uint32_t site, enum misuse_kind how)
{
    if (window_said++ < WINDOW_SAID_MAX)
        usage_say(lane, seq, how, NULL, w->seq, .site = (int32_t)site,
                  .value = {(int64_t)(low - w->start), (int64_t)(high - w->start)});
}

static uint32_t watched_bytes(const struct window *w)
{
    return w->end - w->start < WINDOW_BYTES ? (uint32_t)(w->end - w->start) : WINDOW_BYTES;
}

static bool content_of(const struct window *w, char *out)
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

void usage_window(struct lane *lane, MPI_Win win, const void *base, MPI_Aint bytes, uint64_t seq)
{
    (void)lane;
    if (!recorder.buffers || !base || bytes <= 0 || window_count == WINDOWS_MAX ||
        UNLIKELY(recorder.filter))
        return;
    struct window *w = &window[window_count++];
    w->win = win;
    w->start = (uintptr_t)base;
    w->end = w->start + (uintptr_t)bytes;
    w->seq = seq;
    w->stores = w->touches = -1;
    if (!content_of(w, w->content)) {
        window_count--;
        return;
    }
    w->stores = watch_set(w->start, (uint64_t)bytes, WATCH_STORES);
    w->touches = w->stores < 0 ? -1 : watch_set(w->start, (uint64_t)bytes, WATCH_LOADS_AND_STORES);
    look_on();
}

static void forget_window(struct window *w)
{
    if (w->stores >= 0)
        watch_clear(w->stores);
    if (w->touches >= 0)
        watch_clear(w->touches);
    *w = window[--window_count];
}

void usage_window_gone(struct lane *lane, const void *win)
{
    (void)lane;
    for (uint32_t i = window_count; i-- > 0;)
        if (HANDLE(window[i].win) == win)
            forget_window(&window[i]);
    look_on();
}

static void touch_windows(struct lane *lane, uint64_t seq, const struct usage_buffer *b)
{
    for (uint32_t i = 0; i < window_count; i++) {
        const struct window *w = &window[i];
        uintptr_t low = b->start > w->start ? b->start : w->start,
                  high = b->end < w->end ? b->end : w->end;
        if (low < high)
            say_window(lane, seq, w, low, high, 0,
                       b->access == USAGE_WRITE ? MISUSE_WINDOW_WRITTEN : MISUSE_WINDOW_READ);
    }
}

/* What its watchpoints saw. Returns how many bytes from its start on are known to have been stored
 * to. */
static unsigned look_at_points(struct lane *lane, uint64_t seq, const struct window *w)
{
    const void *stored = w->stores < 0 ? NULL : watch_hit(w->stores),
               *touched = w->touches < 0 ? NULL : watch_hit(w->touches);
    if (!stored && !touched)
        return 0;
    unsigned bytes = watch_bytes(stored ? w->stores : w->touches);
    say_window(lane, seq, w, w->start, w->start + bytes,
               recorder_site_of(lane, stored ? stored : touched),
               stored ? MISUSE_WINDOW_STORED : MISUSE_WINDOW_LOADED);
    return stored ? bytes : 0;
}

static void look_at_windows(struct lane *lane, uint64_t seq)
{
    for (uint32_t i = 0; i < window_count; i++) {
        const struct window *w = &window[i];
        char now[WINDOW_BYTES];
        uint32_t low = look_at_points(lane, seq, w), high = watched_bytes(w);
        if (!relooked || !content_of(w, now) || !memcmp(now + low, w->content + low, high - low))
            continue;
        while (now[low] == w->content[low])
            low++;
        while (now[high - 1] == w->content[high - 1])
            high--;
        say_window(lane, seq, w, w->start + low, w->start + high, 0, MISUSE_WINDOW_CHANGED);
    }
}

/* --- spans ------------------------------------------------------------------------------------ */

/* False: nothing is touched. */
static inline bool span(const void *at, int64_t count, const struct datatype_span *s,
                        uintptr_t *out_start, uintptr_t *out_end)
{
    if (count <= 0 || s->high <= s->low)
        return false;
    int64_t last = (count - 1) * s->extent, low = last < 0 ? s->low + last : s->low,
            high = last < 0 ? s->high : s->high + last;
    *out_start = (uintptr_t)at + (uintptr_t)low;
    *out_end = (uintptr_t)at + (uintptr_t)high;
    return true;
}

static bool in_place(struct lane *lane, uint64_t seq, const char *argument, const void *at,
                     enum usage_place place)
{
    bool is = at == MPI_IN_PLACE || (at && at == recorder_handle.in_place);
    if (UNLIKELY(is) && place == USAGE_NOT_IN_PLACE)
        usage_say(lane, seq, MISUSE_IN_PLACE, argument, 0);
    return is;
}

/* Whether it is one to be looked at. */
static inline bool is_buffer(struct lane *lane, uint64_t seq, const struct usage_buffer *buffer,
                             const struct datatype_span *s)
{
    if (UNLIKELY(buffer->start < 4096)) {
        bool sent = buffer->access == USAGE_READ;
        usage_say(lane, seq,
                  buffer->at ? (sent ? MISUSE_ADDRESS_SENT : MISUSE_ADDRESS_RECEIVED)
                             : (sent ? MISUSE_NULL_SENT : MISUSE_NULL_RECEIVED),
                  buffer->argument, 0);
        return false;
    }
    if (UNLIKELY(s->overlaps) && buffer->access == USAGE_WRITE && buffer->type)
        usage_say(lane, seq, MISUSE_TYPE_OVERLAPS, buffer->argument, 0);
    return true;
}

static void put(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                const struct usage_buffer *buffer, const struct datatype_span *s)
{
    if (is_buffer(lane, seq, buffer, s) && all->count < USAGE_BUFFERS_MAX)
        all->buffer[all->count++] = *buffer;
}

static __attribute__((noinline)) void
put_odd(struct lane *lane, uint64_t seq, struct usage_buffers *all, const struct datatype_span *s)
{
    all->count += is_buffer(lane, seq, &all->buffer[all->count], s);
}

static __attribute__((noinline)) void in_place_odd(struct lane *lane, uint64_t seq,
                                                   const char *argument, enum usage_place place)
{
    in_place(lane, seq, argument, MPI_IN_PLACE, place);
}

static inline void put_one(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                           const char *argument, const void *at, int64_t count, uint32_t type,
                           const struct datatype_span *s, enum usage_access access,
                           enum usage_place place)
{
    uintptr_t start, end;
    if (UNLIKELY(at == MPI_IN_PLACE || (at == recorder_handle.in_place && at))) {
        in_place_odd(lane, seq, argument, place);
        return;
    }
    if (!s || !span(at, count, s, &start, &end) || all->count == USAGE_BUFFERS_MAX)
        return;
    all->buffer[all->count] = (struct usage_buffer){.argument = argument,
                                                    .start = start,
                                                    .end = end,
                                                    .at = at,
                                                    .count = count,
                                                    .type = type,
                                                    .of = type,
                                                    .access = access};
    if (UNLIKELY(start < 4096 || s->overlaps)) {
        put_odd(lane, seq, all, s);
        return;
    }
    all->count++;
}

static __attribute__((noinline)) void put_far(struct lane *lane, uint64_t seq,
                                              struct usage_buffers *all, const char *argument,
                                              const void *at, int64_t count, uint32_t type,
                                              enum usage_access access, enum usage_place place)
{
    put_one(lane, seq, all, argument, at, count, type, datatypes_span(type), access, place);
}

/* Calls nothing, but at its end where something is odd: so no register has to be saved. */
void usage_buffer(struct lane *lane, uint64_t seq, struct usage_buffers *all, const char *argument,
                  const void *at, int64_t count, uint32_t type, enum usage_access access,
                  enum usage_place place)
{
    if (UNLIKELY(type >= DATATYPES_SPANS))
        put_far(lane, seq, all, argument, at, count, type, access, place);
    else
        put_one(lane, seq, all, argument, at, count, type, datatypes_spans[type], access, place);
}

/* Which bytes two blocks share, from the buffer's start. */
static void say_parts(struct lane *lane, uint64_t seq, const char *argument, int64_t size,
                      const int *which, const int *counts, const int *displs)
{
    int64_t low = INT64_MIN, high = INT64_MAX;

    for (int i = 0; i < 2; i++) {
        int64_t from = displs[which[i]], to = from + counts[which[i]];
        low = from > low ? from : low;
        high = to < high ? to : high;
    }
    usage_say(lane, seq, MISUSE_PARTS_OVERLAP, argument, 0,
              .value = {which[0], which[1], low * size, high * size});
}

struct block {
    uintptr_t start, end;
    int64_t count;
};

static int compare_blocks(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Blocks with gaps between them: those that lie beside each other are one. Nothing is said of more
 * than there is room for. */
static void put_blocks(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                       const struct usage_buffer *whole, const struct datatype_span *s, int n,
                       const int *counts, const int *displs)
{
    enum { BLOCKS_MAX = 64 };
    struct block block[BLOCKS_MAX];
    unsigned blocks = 0, runs = 0;

    for (int i = 0; i < n; i++) {
        struct block b = {.count = counts[i]};
        if (!span((const char *)whole->at + displs[i] * s->extent, counts[i], s, &b.start, &b.end))
            continue;
        if (blocks == BLOCKS_MAX)
            return;
        block[blocks++] = b;
    }
    qsort(block, blocks, sizeof *block, compare_blocks);
    for (unsigned i = 0; i < blocks; i++) {
        struct block *run = &block[runs ? runs - 1 : 0];
        if (!runs || block[i].start > run->end) {
            block[runs++] = block[i];
            continue;
        }
        run->end = block[i].end > run->end ? block[i].end : run->end;
        run->count += block[i].count;
    }
    for (unsigned i = 0; runs <= USAGE_SIDE_MAX && i < runs; i++) {
        struct usage_buffer buffer = *whole;
        buffer.start = block[i].start;
        buffer.end = block[i].end;
        buffer.count = block[i].count;
        put(lane, seq, all, &buffer, s);
    }
}

void usage_buffer_v(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                    const char *argument, const void *at, int n, const int *counts,
                    const int *displs, uint32_t type, enum usage_access access,
                    enum usage_place place)
{
    const struct datatype_span *s = datatypes_span(type);
    struct usage_buffer buffer = {.argument = argument, .at = at, .of = type, .access = access};
    bool any = false;
    int64_t bytes = 0;
    if (in_place(lane, seq, argument, at, place) || !counts || !displs || !s)
        return;
    for (int i = 0; i < n; i++) {
        uintptr_t start, end;
        if (!span((const char *)at + displs[i] * s->extent, counts[i], s, &start, &end))
            continue;
        buffer.start = !any || start < buffer.start ? start : buffer.start;
        buffer.end = !any || end > buffer.end ? end : buffer.end;
        bytes += counts[i] * s->size;
        buffer.count += counts[i];
        any = true;
        for (int k = 0;
             access == USAGE_WRITE && s->extent == s->size && s->extent > 0 && n <= 512 && k < i;
             k++)
            if (counts[k] > 0 && displs[k] < displs[i] + counts[i] &&
                displs[i] < displs[k] + counts[k]) {
                say_parts(lane, seq, argument, s->size, (const int[]){k, i}, counts, displs);
                return;
            }
    }
    if (!any)
        return;
    if (buffer.start < 4096 || bytes >= (int64_t)(buffer.end - buffer.start))
        put(lane, seq, all, &buffer, s);
    else if (s->whole)
        put_blocks(lane, seq, all, &buffer, s, n, counts, displs);
}

void usage_buffer_w(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                    const char *argument, const void *at, int n, const int *counts,
                    const int *displs, const MPI_Aint *wide, const MPI_Datatype *type,
                    enum usage_access access, enum usage_place place)
{
    unsigned most = all->count + USAGE_SIDE_MAX;

    if (in_place(lane, seq, argument, at, place) || !counts || !type || (!displs && !wide))
        return;
    for (int i = 0; i < n && all->count < most; i++) {
        uint32_t id = counts[i] > 0 ? recorder_type(lane, type[i]) : 0;
        const struct datatype_span *s = id ? datatypes_span(id) : NULL;
        struct usage_buffer buffer = {
            .argument = argument, .count = counts[i], .type = id, .of = id, .access = access};

        int64_t apart = displs ? displs[i] : wide[i];
        if (!at && s && apart + s->low >= 0 && apart + s->low < 4096) {
            usage_pointer_slow(lane, seq, argument);
            return;
        }
        buffer.at = (const char *)at + apart;
        if (s && span(buffer.at, counts[i], s, &buffer.start, &buffer.end))
            put(lane, seq, all, &buffer, s);
    }
}

static inline void lock(void)
{
    if (UNLIKELY(recorder.threads))
        recorder_lock();
}

static inline void unlock(void)
{
    if (UNLIKELY(recorder.threads))
        recorder_unlock();
}

/* --- overlaps --------------------------------------------------------------------------------- */

struct piece {
    uintptr_t start, end;
};

static uint32_t pieces(const struct usage_buffer *b, struct piece *out)
{
    const struct datatype_span *s = b->type ? datatypes_span(b->type) : NULL;
    if (!b->type || (s && s->whole)) {
        out[0] = (struct piece){b->start, b->end};
        return 1;
    }
    if (!s || !s->part || (uint64_t)b->count * s->parts > PIECES_MAX)
        return 0;
    uint32_t n = 0;
    for (int64_t i = 0; i < b->count; i++)
        for (uint32_t k = 0; k < s->parts; k++) {
            uintptr_t at = (uintptr_t)b->at + (uintptr_t)(i * s->extent);
            out[n++] = (struct piece){at + (uintptr_t)s->part[k][0], at + (uintptr_t)s->part[k][1]};
        }
    return n;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* How many bytes are in both. */
static uint64_t overlap_find(const struct usage_buffer *a, const struct usage_buffer *b)
{
    struct piece *p = malloc(2 * PIECES_MAX * sizeof *p);
    uint64_t bytes = 0;
    if (!p)
        return 0;
    uint32_t n = pieces(a, p), m = pieces(b, p + PIECES_MAX);
    qsort(p, n, sizeof *p, compare_pieces);
    qsort(p + PIECES_MAX, m, sizeof *p, compare_pieces);
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        const struct piece *x = &p[i], *y = &p[PIECES_MAX + k];
        uintptr_t low = x->start > y->start ? x->start : y->start,
                  high = x->end < y->end ? x->end : y->end;
        bytes += low < high ? high - low : 0;
        if (x->end < y->end)
            i++;
        else
            k++;
    }
    free(p);
    return bytes;
}

/* The spans meet: do the bytes? The same pairs come round after round, as far apart as ever: what
 * came out is remembered. */
static uint64_t overlap(const struct usage_buffer *a, const struct usage_buffer *b)
{
    static struct answer {
        int64_t apart, count[2];
        uint32_t type[2];
        bool known;
        uint64_t bytes;
    } answers[256];
    int64_t apart = (int64_t)((uintptr_t)a->at - (uintptr_t)b->at);
    if (!a->type || !b->type) /* only the span is known, and that is no distance from `at` */
        return overlap_find(a, b);
    recorder_lock();
    uint64_t key = ((uint64_t)apart * 31 + a->type) * 0x9E3779B97F4A7C15u +
                   ((uint64_t)b->type << 32 ^ (uint64_t)a->count * 7 ^ (uint64_t)b->count);
    struct answer *answer = &answers[key * 0x9E3779B97F4A7C15u >> 56];
    if (!answer->known || answer->apart != apart || answer->type[0] != a->type ||
        answer->type[1] != b->type || answer->count[0] != a->count || answer->count[1] != b->count)
        *answer = (struct answer){
            apart, {a->count, b->count}, {a->type, b->type}, true, overlap_find(a, b)};
    uint64_t bytes = answer->bytes;
    recorder_unlock();
    return bytes;
}

static inline bool spans_meet(const struct usage_buffer *a, const struct usage_buffer *b)
{
    return a->start < b->end && b->start < a->end &&
           (a->access == USAGE_WRITE || b->access == USAGE_WRITE);
}

/* How many bytes of both would be written by one of them. */
static inline uint64_t meet(const struct usage_buffer *a, const struct usage_buffer *b)
{
    return spans_meet(a, b) ? overlap(a, b) : 0;
}

static void say_overlap(struct lane *lane, uint64_t seq, enum misuse_kind kind,
                        const struct usage_buffer *a, const struct usage_buffer *b, uint64_t about,
                        uint64_t bytes)
{
    usage_say(lane, seq, kind, a->argument, about, .name[1] = b->argument,
              .value = {(int64_t)a->start, (int64_t)a->end, (int64_t)b->start, (int64_t)b->end,
                        (int64_t)bytes});
}

static void compare_one(struct lane *lane, uint64_t seq, const struct usage_buffer *b)
{
    for (uint32_t i = 0; i < usage_in_flight.count; i++) {
        const struct usage_buffer *other = &in_flight[i].buffer;
        uint64_t bytes = meet(b, other);
        if (!bytes)
            continue;
        say_overlap(lane, seq,
                    b->access == USAGE_WRITE && other->access == USAGE_WRITE
                        ? MISUSE_BUFFER_BOTH_WRITTEN
                        : MISUSE_BUFFER_OVERLAPS,
                    b, other, in_flight[i].seq, bytes);
        return;
    }
}

static void take_off(uint64_t seq, uint32_t request, MPI_Win win, int target,
                     const struct usage_buffer *buffer);

static __attribute__((noinline)) void compare_all(struct lane *lane, uint64_t seq,
                                                  const struct usage_buffers *all, bool held)
{
    for (unsigned i = 0; i < all->count; i++)
        for (unsigned k = 0; k < i; k++) {
            uint64_t bytes = meet(&all->buffer[i], &all->buffer[k]);
            if (UNLIKELY(bytes))
                say_overlap(lane, seq, MISUSE_BUFFERS_OVERLAP, &all->buffer[i], &all->buffer[k], 0,
                            bytes);
        }
    for (unsigned i = 0; UNLIKELY(window_count) && i < all->count; i++)
        touch_windows(lane, seq, &all->buffer[i]);
    if (LIKELY(!usage_in_flight.count && !held))
        return;
    lock();
    for (unsigned i = 0; i < all->count; i++)
        compare_one(lane, seq, &all->buffer[i]);
    for (unsigned i = 0; held && i < all->count; i++)
        take_off(seq, 0, recorder_handle.win_null, 0, &all->buffer[i]);
    unlock();
}

void usage_compare(struct lane *lane, uint64_t seq, const struct usage_buffers *all, bool held)
{
    const struct usage_buffer *b = &all->buffer[0];
    held &= recorder.threads || shadow.threads;
    if (UNLIKELY(all->count != 1 || window_count || recorder.threads || held)) {
        compare_all(lane, seq, all, held);
        return;
    }
    for (uint32_t i = 0; i < usage_in_flight.count; i++)
        if (UNLIKELY(spans_meet(b, &in_flight[i].buffer))) {
            compare_all(lane, seq, all, held);
            return;
        }
}

/* --- flights ---------------------------------------------------------------------------------- */

void usage_any_time(uint64_t seq, struct usage_buffers *all)
{
    const struct usage_buffer *b = &all->buffer[0];

    if (!all->count)
        return;
    all->buffer[0].any_time = true;
    before_read.seq = 0;
    uint32_t bytes =
        b->end - b->start < HASHED_BYTES ? (uint32_t)(b->end - b->start) : HASHED_BYTES;
    if (recorder.threads || !recorder_may_spend(&credit, 2 * (bytes + HASH_LEAST)) ||
        !memory_copy(before_read.content, (const void *)b->start, bytes))
        return;
    before_read.seq = seq;
    before_read.bytes = bytes;
}

/* Its content is followed from what it was before the call. */
static void read_on(struct flight *f)
{
    if (before_read.seq != f->seq)
        return;
    for (int i = 0; f->reading < 0 && i < WATCHED_MAX; i++)
        if (!reading[i].used)
            f->reading = i;
    if (f->reading < 0)
        return;
    struct reading *r = &reading[f->reading];
    r->used = true;
    r->stored_to = false;
    f->hashed = before_read.bytes;
    memcpy(r->before, before_read.content, f->hashed);
    memcpy(r->last, before_read.content, f->hashed);
}

/* Whether a byte has been seen to change that had changed before. */
static bool stored_to(const struct flight *f)
{
    struct reading *r = &reading[f->reading];
    char now[HASHED_BYTES];

    if (!memory_copy(now, (const void *)f->buffer.start, f->hashed))
        return r->stored_to;
    for (uint32_t i = 0; i < f->hashed; i++)
        r->stored_to |= now[i] != r->last[i] && r->last[i] != r->before[i];
    memcpy(r->last, now, f->hashed);
    return r->stored_to;
}

/* 0: it cannot be read. */
static uint64_t hash_of(const struct flight *f)
{
    const void *at = (const void *)f->buffer.start;
    char copy[HASHED_BYTES];
    bool readable = f->point >= 0                    ? memory_copy(copy, at, f->hashed)
                    : f->buffer.access == USAGE_READ ? memory_readable_now(at, f->hashed)
                                                     : memory_readable(at, f->hashed);
    return readable ? XXH3_64bits(f->point >= 0 ? copy : at, f->hashed) | 1 : 0;
}

static void unwatch(struct flight *f)
{
    usage_in_flight.watched -= f->watched || f->point >= 0;
    f->watched = false;
    if (f->reading >= 0)
        reading[f->reading].used = false;
    f->reading = -1;
    if (f->point >= 0) {
        watch_clear(f->point);
        point_count--;
    }
    f->point = -1;
}

/* Word by word: a copy in wider ones would wait until all that was stored before is done
 * (spool_again_event_like). */
static inline void buffer_copy(struct usage_buffer *to, const volatile struct usage_buffer *from)
{
    to->argument = from->argument;
    to->start = from->start;
    to->end = from->end;
    to->at = from->at;
    to->count = from->count;
    to->type = from->type;
    to->of = from->of;
    to->access = from->access;
    to->any_time = from->any_time;
}

static void take_off(uint64_t seq, uint32_t request, MPI_Win win, int target,
                     const struct usage_buffer *buffer)
{
    if (usage_in_flight.count == IN_FLIGHT_MAX || UNLIKELY(recorder.filter))
        return;
    uint32_t at = usage_in_flight.count++;
    struct flight *f = &in_flight[at];
    const struct datatype_span *s = buffer->type ? datatypes_span(buffer->type) : NULL;
    in_flight_request[at] = request;
    buffer_copy(&f->buffer, buffer);
    f->seq = seq;
    f->hash = 0;
    f->hashed = 0;
    f->target = target;
    f->win = win;
    f->watched = f->large = false;
    f->point = f->reading = -1;
    f->fiber = NULL;
    if (UNLIKELY(shadow.threads))
        f->fiber = shadow_begin(buffer);
    if (buffer->end - buffer->start >= LARGE_BYTES && large_count < WATCHED_MAX &&
        !recorder.threads && memory_readable_now((const void *)buffer->start, 1)) {
        f->large = true;
        large_count++;
        look_on();
    }
    bool whole = !buffer->type || (s && s->whole);
    uintptr_t bytes = buffer->end - buffer->start;
    if (!whole)
        return;
    uint32_t hashed = (uint32_t)(bytes < HASHED_BYTES ? bytes : HASHED_BYTES);
    if (buffer->access == USAGE_READ) {
        f->hashed = recorder_may_spend(&credit, 2 * (hashed + HASH_LEAST)) ? hashed : 0;
        f->hash = f->hashed ? hash_of(f) : 0;
    } else if (usage_in_flight.watched < WATCHED_MAX && !recorder.threads) {
        f->point = watch_set(buffer->start, bytes, WATCH_LOADS_AND_STORES);
        point_count += f->point >= 0;
        if (buffer->any_time)
            read_on(f);
        f->watched = buffer->any_time ? f->reading >= 0 : bytes <= EAGER_BYTES && !recorder.several;
        f->hashed = f->watched ? hashed : 0;
        usage_in_flight.watched += f->watched || f->point >= 0;
        look_on();
    }
}

static void land(struct lane *lane, uint64_t seq, uint32_t at, bool judge)
{
    struct flight *f = &in_flight[at];
    uint64_t now = judge && f->hash && f->buffer.access == USAGE_READ ? hash_of(f) : f->hash;
    if (now != f->hash)
        usage_say(lane, seq, now ? MISUSE_SEND_WRITTEN : MISUSE_SEND_UNMAPPED, f->buffer.argument,
                  f->seq);
    if (UNLIKELY(f->reading >= 0) && judge && stored_to(f))
        usage_say(lane, seq, MISUSE_RECEIVE_WRITTEN, f->buffer.argument, f->seq);
    if (UNLIKELY(f->fiber != NULL))
        shadow_end(f->fiber);
    if (UNLIKELY(shadow.memory) && judge)
        shadow_filled(&f->buffer);
    unwatch(f);
    large_count -= f->large;
    look_on();
    uint32_t last = --usage_in_flight.count;
    if (at != last) {
        in_flight[at] = in_flight[last];
        in_flight_request[at] = in_flight_request[last];
    }
}

void usage_begin(struct lane *lane, uint64_t seq, uint32_t request, const struct usage_buffers *all,
                 bool persistent)
{
    (void)lane;
    if (!request || !all->count)
        return;
    lock();
    if (persistent) {
        if (usage_in_flight.restartable == restartable_room) {
            uint32_t room = restartable_room ? restartable_room * 2 : 16;
            struct restartable *fresh = realloc(restartable, room * sizeof *fresh);
            restartable = fresh ? fresh : restartable;
            restartable_room = fresh ? room : restartable_room;
        }
        if (usage_in_flight.restartable < restartable_room)
            restartable[usage_in_flight.restartable++] =
                (struct restartable){.request = request, .all = *all};
    } else {
        for (unsigned i = 0; i < all->count; i++)
            take_off(seq, request, recorder_handle.win_null, 0, &all->buffer[i]);
    }
    unlock();
}

void usage_begin_window(struct lane *lane, uint64_t seq, MPI_Win win, int target, uint32_t request,
                        const struct usage_buffers *all)
{
    (void)lane;
    lock();
    for (unsigned i = 0; i < all->count; i++)
        take_off(seq, request, win, target, &all->buffer[i]);
    unlock();
}

static struct restartable *find_restartable(uint32_t request)
{
    for (uint32_t i = usage_in_flight.restartable; request && i-- > 0;)
        if (restartable[i].request == request)
            return &restartable[i];
    return NULL;
}

void usage_partitioned(uint32_t request, int partitions, int64_t stride, bool receives)
{
    lock();
    struct restartable *of = find_restartable(request);
    if (of && of->all.count == 1 && partitions > 0) {
        of->partitions = partitions;
        of->receives = receives;
        of->stride = stride;
    }
    unlock();
}

static struct usage_buffer partition_of(const struct restartable *of, int partition)
{
    struct usage_buffer buffer = of->all.buffer[0];
    uintptr_t behind = (uintptr_t)(of->partitions - 1 - partition), before = (uintptr_t)partition;

    buffer.count /= of->partitions;
    buffer.at = (const char *)buffer.at + partition * of->stride;
    buffer.start += before * (uintptr_t)of->stride;
    buffer.end -= behind * (uintptr_t)of->stride;
    return buffer;
}

static void partition_off(struct lane *lane, uint64_t seq, const struct restartable *of,
                          int partition)
{
    struct usage_buffer buffer = partition_of(of, partition);

    compare_one(lane, seq, &buffer);
    take_off(seq, of->request, recorder_handle.win_null, 0, &buffer);
}

void usage_marked(struct lane *lane, uint64_t seq, uint32_t request, int partition)
{
    if (!usage_in_flight.restartable || !recorder.buffers)
        return;
    lock();
    const struct restartable *of = find_restartable(request);
    if (of && of->partitions)
        partition_off(lane, seq, of, partition);
    unlock();
}

static void land(struct lane *lane, uint64_t seq, uint32_t at, bool judge);

void usage_arrived(struct lane *lane, uint64_t seq, uint32_t request, int partition)
{
    lock();
    const struct restartable *of = find_restartable(request);
    bool known = of && of->partitions > partition && partition >= 0;
    uintptr_t start = known ? partition_of(of, partition).start : 0;
    for (uint32_t i = usage_in_flight.count; known && i-- > 0;)
        if (in_flight_request[i] == request && in_flight[i].buffer.start == start)
            land(lane, seq, i, true);
    unlock();
}

void usage_started(struct lane *lane, uint64_t seq, uint32_t request)
{
    if (!usage_in_flight.restartable || !request)
        return;
    lock();
    const struct restartable *of = find_restartable(request);
    bool parts = of && of->partitions;
    for (int k = 0; parts && of->receives && of->partitions <= PARTITIONS_MAX && k < of->partitions;
         k++)
        partition_off(lane, seq, of, k);
    for (unsigned k = 0; of && !parts && k < of->all.count; k++)
        compare_one(lane, seq, &of->all.buffer[k]);
    for (unsigned k = 0; of && !parts && k < of->all.count; k++)
        take_off(seq, request, recorder_handle.win_null, 0, &of->all.buffer[k]);
    unlock();
}

void usage_completed_slow(struct lane *lane, uint64_t seq, uint32_t request, bool keep)
{
    if (!request)
        return;
    lock();
    for (uint32_t i = usage_in_flight.count; i-- > 0;)
        if (in_flight_request[i] == request)
            land(lane, seq, i, true);
    for (uint32_t i = usage_in_flight.restartable; !keep && i-- > 0;)
        if (restartable[i].request == request) {
            restartable[i] = restartable[--usage_in_flight.restartable];
            break;
        }
    unlock();
}

void usage_completed_call(struct lane *lane, uint64_t seq)
{
    if (!usage_in_flight.count)
        return;
    lock();
    for (uint32_t i = usage_in_flight.count; i-- > 0;)
        if (!in_flight_request[i] && in_flight[i].win == recorder_handle.win_null &&
            in_flight[i].seq == seq)
            land(lane, seq, i, true);
    unlock();
}

void usage_completed_window(struct lane *lane, uint64_t seq, MPI_Win win, int target)
{
    if (!usage_in_flight.count)
        return;
    lock();
    for (uint32_t i = usage_in_flight.count; i-- > 0;)
        if (in_flight[i].win == win && (target < 0 || in_flight[i].target == target))
            land(lane, seq, i, true);
    unlock();
}

void usage_blurred(void)
{
    lock();
    for (uint32_t i = usage_in_flight.count; i-- > 0;)
        if (in_flight[i].win == recorder_handle.win_null)
            land(NULL, 0, i, false);
    unlock();
}

/* --- receive buffers between calls ------------------------------------------------------------ */

static void look_for_large(struct lane *lane, uint64_t seq)
{
    if (!large_count || !recorder_may_spend(&credit, (uint64_t)large_count * HASH_LEAST))
        return;
    for (uint32_t i = 0; i < usage_in_flight.count; i++) {
        struct flight *f = &in_flight[i];
        if (!f->large || memory_readable_now((const void *)f->buffer.start, 1))
            continue;
        usage_say(lane, seq,
                  f->buffer.access == USAGE_READ ? MISUSE_SEND_UNMAPPED : MISUSE_RECEIVE_UNMAPPED,
                  f->buffer.argument, f->seq);
        f->large = false;
        f->hash = 0;
        large_count--;
    }
}

void usage_look_slow(struct lane *lane, uint64_t seq)
{
    if (recorder.threads)
        return;
    look_for_large(lane, seq);
    look_at_windows(lane, seq);
    for (uint32_t i = 0; i < usage_in_flight.count; i++) {
        struct flight *f = &in_flight[i];
        const void *hit = f->point < 0 ? NULL : watch_hit(f->point);
        uint64_t now = relooked && f->watched && f->hash ? hash_of(f) : 0;
        bool changed = f->reading >= 0 ? stored_to(f) : now && now != f->hash;
        if (!hit && !changed)
            continue;
        usage_say(lane, seq, changed ? MISUSE_RECEIVE_WRITTEN : MISUSE_RECEIVE_ACCESSED,
                  f->buffer.argument, f->seq,
                  .site = hit ? (int32_t)recorder_site_of(lane, hit) : 0);
        unwatch(f);
    }
    relooked = false;
    look_on();
}

/* Where no watchpoint has to be told what is ours, it is left alone until looking may have been
 * earned. */
static void look_when_earned(uint64_t now, uint64_t cost)
{
    if (point_count || window_count || large_count)
        return;
    recorder_look.from = now + cost * RECORDER_CREDIT_TICKS;
    credit.rest = 0;
}

void usage_relook_slow(struct lane *lane, uint64_t now)
{
    (void)lane;
    uint64_t bytes = 0;
    if (recorder.threads)
        return;
    if (point_count || window_count)
        watch_leave();
    for (uint32_t i = 0; i < usage_in_flight.count; i++)
        bytes += in_flight[i].watched ? in_flight[i].hashed + HASH_LEAST : 0;
    for (uint32_t i = 0; i < window_count; i++)
        bytes += watched_bytes(&window[i]);
    if (!recorder_may_spend(&credit, 2 * bytes)) { /* now, and when the next call is entered */
        look_when_earned(now, 2 * bytes);
        return;
    }
    for (uint32_t i = 0; i < usage_in_flight.count; i++)
        if (in_flight[i].reading >= 0)
            stored_to(&in_flight[i]);
        else if (in_flight[i].watched)
            in_flight[i].hash = hash_of(&in_flight[i]);
    for (uint32_t i = 0; i < window_count; i++)
        if (!content_of(&window[i], window[i].content))
            forget_window(&window[i--]); /* unmapped: nothing to look at any more */
    relooked = true;
    look_on();
}
