/* Follows buffers that MPI owns: finds overlaps, and stores of the program (usage.h).
 *
 * A send buffer is hashed when it is handed to MPI and when its request completes: only the program
 * could write to it in between. The library writes a receive buffer, but, on one machine and for
 * eager messages, only inside MPI calls of its own process: so its content is compared from one
 * call's end to the next call's beginning. Loads leave no trace there; a few buffers at a time have
 * a watchpoint on their first bytes (watchpoint.h), which also sees loads.
 *
 *  1. A buffer is in `in_flight` from the call that hands it to MPI until the call that takes it
 *     back; for a persistent request from each start on; for a blocking call, if several threads
 *     make calls, during the call.
 *  2. If completions are filtered out, no buffer is in flight.
 *  3. Comparing contents takes a credit of bytes, and then at most one byte in
 *     RECORDER_CREDIT_TICKS: a mistake in a loop shows in its first rounds, and later rounds cost
 *     no more than their recording.
 *  4. Each buffer in flight lies within the bounds of its kind, in_flight_bounds, so that thousands
 *     of accesses in one epoch are not compared with each buffer in flight.
 *  5. Memory that the program owns is read only if it is readable (memory.h): a buffer that is no
 *     longer mapped must not end the job. Memory that may have a watchpoint is read through the
 *     kernel, so that the recorder's own read does not trigger it. The library would crash on an
 *     unmapped large buffer that it reads or fills later: so a few of these are checked when a call
 *     enters. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "interpose/misuse/heap.h"
#include "interpose/misuse/inflight.h"
#include "interpose/misuse/payload.h"
#include "interpose/misuse/shadow.h"
#include "interpose/misuse/watchpoint.h"

enum {
    IN_FLIGHT_MAX = 1024,
    PARTS_HASHED = 64, /* for a datatype with gaps */
    SPARE_SHARE = 16,  /* share of the credit for the part of one send buffer beyond HASHED_BYTES */
    EAGER_BYTES = 4096,
    WATCHED_MAX = 16,
    HEAP_COST = 512 << 10, /* of finding a block of the heap; paid as time: 12 ms */
    PARTITIONS_MAX = 64,   /* of a receive; others are followed as a whole until they complete */
    LARGE_BYTES = 128 << 10
};

struct usage_in_flight usage_in_flight;
struct recorder_look recorder_look;

struct flight {
    struct usage_buffer buffer;
    uint64_t seq, hash;
    uint32_t hashed; /* bytes from buffer.start; 0: its content is unknown. With gaps: the cost */
    int target;
    MPI_Win win;  /* NULL: belongs to a request */
    bool watched; /* its content is compared around each call */
    bool large;   /* calls check on entry whether it is still mapped */
    bool held;    /* one block of the heap held it when it was handed to MPI (heap.h) */
    bool gaps;    /* the parts of its datatype are hashed, not the bytes from its start */
    void **frame; /* it lies above: the frame of the call that handed it to MPI. NULL: not there */
    int point;    /* a watchpoint (watchpoint.h); -1: none */
    int reading;  /* slot in reads.c; -1: none */
    void *fiber;  /* shadow.h; NULL: none */
};
static uint32_t
    in_flight_request[IN_FLIGHT_MAX]; /* apart from the rest: looked through all the time */
static struct flight in_flight[IN_FLIGHT_MAX];
static struct usage_bounds { /* may be too wide after a buffer has come back, until no buffer is in
                                flight */
    uintptr_t start, end;
} in_flight_bounds[2];      /* by enum usage_access */
static struct restartable { /* buffers of persistent requests */
    uint32_t request;
    int partitions; /* of a partitioned request; else 0 */
    bool receives;
    int64_t stride;
    struct usage_buffers all;
} * restartable;
static uint32_t restartable_room;
static uint32_t *restartable_at; /* by request, open addressing: its index plus one; twice as many
                                    slots as entries */
static bool relooked;
struct recorder_credit usage_credit = {.most = 1 << 20, .left = 1 << 20}; /* bytes */
static struct recorder_credit heap_credit = {.most = HEAP_COST * 64, .left = HEAP_COST * 64};
static uint32_t large_count, point_count; /* buffers in flight that are large, and that have a
                                             watchpoint */

static inline void look_on(void)
{
    bool always = point_count || exposed_count || large_count;
    recorder_look.enter = always || relooked;
    recorder_look.leave = always || usage_in_flight.watched;
    if (always)
        recorder_look.from = 0;
}

void usage_look_on(void)
{
    look_on();
}

static inline void inflight_lock(void)
{
    if (UNLIKELY(recorder.threads))
        recorder_lock();
}

static inline void inflight_unlock(void)
{
    if (UNLIKELY(recorder.threads))
        recorder_unlock();
}

/* --- overlaps --------------------------------------------------------------------------------- */

static inline bool spans_meet(const struct usage_buffer *a, const struct usage_buffer *b)
{
    return a->start < b->end && b->start < a->end &&
           (a->access == USAGE_WRITE || b->access == USAGE_WRITE);
}

static inline bool is_within(const struct usage_buffer *b, const struct usage_bounds *bounds)
{
    return b->start < bounds->end && bounds->start < b->end;
}

/* Tells whether the buffer may overlap one in flight: it reaches into their bounds (invariant
 * 4). */
static inline bool may_meet(const struct usage_buffer *b)
{
    return is_within(b, &in_flight_bounds[USAGE_WRITE]) ||
           (b->access == USAGE_WRITE && is_within(b, &in_flight_bounds[USAGE_READ]));
}

/* Returns how many bytes two buffers share, if one of them is written. */
static inline uint64_t inflight_meet(const struct usage_buffer *a, const struct usage_buffer *b)
{
    return spans_meet(a, b) ? spans_overlap(a, b) : 0;
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
    for (uint32_t i = 0, count = may_meet(b) ? usage_in_flight.count : 0; i < count; i++) {
        const struct usage_buffer *other = &in_flight[i].buffer;
        uint64_t bytes = inflight_meet(b, other);
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

/* Returns how many bytes of a send buffer to hash: a kilobyte, or more if most of the credit is
 * left. */
static uint32_t sent_bytes(uintptr_t bytes)
{
    const int64_t spare = usage_credit.left / SPARE_SHARE;
    const uintptr_t most = spare > HASHED_BYTES ? (uintptr_t)spare : HASHED_BYTES;
    return (uint32_t)(bytes < most ? bytes : most);
}

static void take_off(uint64_t seq, uint32_t request, MPI_Win win, int target,
                     const struct usage_buffer *buffer);

static __attribute__((noinline)) void compare_all(struct lane *lane, uint64_t seq,
                                                  const struct usage_buffers *all, bool held)
{
    for (unsigned i = 0; i < all->count; i++)
        for (unsigned k = 0; k < i; k++) {
            uint64_t bytes = inflight_meet(&all->buffer[i], &all->buffer[k]);
            if (UNLIKELY(bytes))
                say_overlap(lane, seq, MISUSE_BUFFERS_OVERLAP, &all->buffer[i], &all->buffer[k], 0,
                            bytes);
        }
    for (unsigned i = 0; UNLIKELY(exposed_count) && i < all->count; i++)
        exposed_touch(lane, seq, &all->buffer[i]);
    if (LIKELY(!usage_in_flight.count && !held))
        return;
    inflight_lock();
    for (unsigned i = 0; i < all->count; i++)
        compare_one(lane, seq, &all->buffer[i]);
    for (unsigned i = 0; held && i < all->count; i++)
        take_off(seq, 0, recorder_handle.win_null, 0, &all->buffer[i]);
    inflight_unlock();
}

void usage_compare(struct lane *lane, uint64_t seq, const struct usage_buffers *all, bool held)
{
    const struct usage_buffer *b = &all->buffer[0];
    held &= recorder.threads || shadow.threads;
    if (UNLIKELY(all->count != 1 || exposed_count || recorder.threads || held)) {
        compare_all(lane, seq, all, held);
        return;
    }
    for (uint32_t i = 0, count = usage_in_flight.count && may_meet(b) ? usage_in_flight.count : 0;
         i < count; i++)
        if (UNLIKELY(spans_meet(b, &in_flight[i].buffer))) {
            compare_all(lane, seq, all, held);
            return;
        }
}

/* --- flights ---------------------------------------------------------------------------------- */

static bool stored_to(const struct flight *f)
{
    return reads_stored_to(f->reading, (const void *)f->buffer.start, f->hashed);
}

/* Tells whether one block of the heap holds the buffer, as long as there is credit: finding a block
 * can take as long as walking through the whole heap. */
static bool is_held(const struct usage_buffer *b)
{
    return b->start >= memory_heap_start() && b->end <= memory_heap_end() &&
           recorder_may_spend(&heap_credit, HEAP_COST) && heap_holds(b->start, b->end);
}

static bool was_freed(const struct flight *f)
{
    return f->held && heap_was_freed(f->buffer.start, f->buffer.end, true);
}

/* Tells whether the function has returned whose variable the buffer is: it lay in live frames of
 * this stack when it was handed to MPI, and begins below them now. */
static bool has_returned(const struct flight *f)
{
    void **now = recorder_thread.cfa;
    uintptr_t then_end, now_end;

    return UNLIKELY(f->frame && now && f->frame < now && f->buffer.start < (uintptr_t)now) &&
           memory_stack((uintptr_t)f->frame, &then_end) && memory_stack((uintptr_t)now, &now_end) &&
           then_end == now_end;
}

/* Reports that the program wrote to a buffer, or that its memory is no longer the buffer's. */
static void say_changed(struct lane *lane, uint64_t seq, const struct flight *f, bool readable)
{
    enum { WRITTEN, UNMAPPED, FREED, RETURNED };
    static const enum misuse_kind kinds[][4] = {
        {MISUSE_SEND_WRITTEN, MISUSE_SEND_UNMAPPED, MISUSE_SEND_FREED, MISUSE_SEND_RETURNED},
        {MISUSE_RECEIVE_WRITTEN, MISUSE_RECEIVE_UNMAPPED, MISUSE_RECEIVE_FREED,
         MISUSE_RECEIVE_RETURNED},
        {MISUSE_ARRAY_WRITTEN, MISUSE_ARRAY_UNMAPPED, MISUSE_ARRAY_FREED, MISUSE_ARRAY_RETURNED},
    };
    int what = f->buffer.array ? 2 : f->buffer.access == USAGE_WRITE;

    usage_say(lane, seq,
              kinds[what][!readable         ? UNMAPPED
                          : has_returned(f) ? RETURNED
                          : was_freed(f)    ? FREED
                                            : WRITTEN],
              f->buffer.argument, f->seq);
}

/* Hashes the parts of a datatype with gaps, in order, up to HASHED_BYTES. Returns 0 if one is
 * unreadable. */
static uint64_t hash_parts(const struct usage_buffer *b, const struct datatype_span *s)
{
    uint64_t hash = 1, left = HASHED_BYTES, parts = PARTS_HASHED;

    for (int64_t i = 0; i < b->count && left && parts; i++)
        for (uint32_t k = 0; k < s->parts && left && parts; k++, parts--) {
            const char *at = (const char *)b->at + i * s->extent + s->part[k][0];
            uint64_t bytes = (uint64_t)(s->part[k][1] - s->part[k][0]);
            bytes = bytes < left ? bytes : left;
            if (!memory_readable_now(at, bytes))
                return 0;
            hash = XXH3_64bits_withSeed(at, bytes, hash);
            left -= bytes;
        }
    return hash | 1;
}

/* Tells whether the parts hold only data: not so for the gap inside MPI_DOUBLE_INT. */
static bool parts_are_data(const struct datatype_span *s)
{
    int64_t bytes = 0;

    for (uint32_t k = 0; s->part && k < s->parts; k++)
        bytes += s->part[k][1] - s->part[k][0];
    return s->part && bytes == s->size && s->parts <= PARTS_HASHED;
}

/* Returns the hash of a buffer's content; 0: unreadable. */
static uint64_t hash_of(const struct flight *f)
{
    if (UNLIKELY(f->gaps))
        return hash_parts(&f->buffer, datatypes_span(f->buffer.type));
    const void *at = (const void *)f->buffer.start;
    char copy[HASHED_BYTES];
    bool readable = f->point >= 0                    ? memory_copy(copy, at, f->hashed)
                    : f->buffer.access == USAGE_READ ? memory_readable_now(at, f->hashed)
                                                     : memory_readable(at, f->hashed);
    return readable ? XXH3_64bits(f->point >= 0 ? copy : at, f->hashed) | 1 : 0;
}

/* Tells whether usage_in_flight.watched counts the buffer: searches end after so many. */
static inline bool is_watched(const struct flight *f)
{
    return f->watched || f->point >= 0;
}

static void inflight_unwatch(struct flight *f)
{
    usage_in_flight.watched -= is_watched(f);
    f->watched = false;
    if (f->reading >= 0)
        reads_forget(f->reading);
    f->reading = -1;
    if (f->point >= 0) {
        watch_clear(f->point);
        point_count--;
    }
    f->point = -1;
}

/* Copies word by word: wider loads would wait for all earlier stores (spool_delta_event_like). */
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
    to->array = from->array;
    to->any_time = from->any_time;
}

static void count_unread(uint64_t seq)
{
    struct lane *lane = recorder_thread.current ? recorder_thread.current : recorder_thread.ready;

    if (lane && lane != recorder_nobody)
        recorder_unread(lane, seq);
}

/* Does the work of take_off() for a buffer whose datatype has gaps. */
static void take_gaps(struct flight *f, const struct datatype_span *s)
{
    const int64_t parts = f->buffer.count * s->parts;
    const uint32_t cost = (uint32_t)(parts < PARTS_HASHED ? parts : PARTS_HASHED) * HASH_LEAST;

    if (f->buffer.access == USAGE_READ) {
        f->gaps = recorder_may_spend(&usage_credit, 2 * cost);
        f->hash = f->gaps ? hash_parts(&f->buffer, s) : 0;
        if (UNLIKELY(f->gaps && !f->hash))
            count_unread(f->seq);
    } else if (usage_in_flight.watched < WATCHED_MAX && !recorder.crowd && !recorder.several &&
               !f->buffer.any_time && f->buffer.count * s->size <= EAGER_BYTES) {
        f->gaps = f->watched = true;
        f->hashed = cost;
        usage_in_flight.watched++;
        look_on();
    }
}

static void bounds_widen(const struct usage_buffer *b)
{
    struct usage_bounds *bounds = &in_flight_bounds[b->access];
    const struct usage_bounds none = {.start = UINTPTR_MAX, .end = 0};

    if (!usage_in_flight.count)
        in_flight_bounds[USAGE_READ] = in_flight_bounds[USAGE_WRITE] = none;
    bounds->start = b->start < bounds->start ? b->start : bounds->start;
    bounds->end = b->end > bounds->end ? b->end : bounds->end;
}

static void take_off(uint64_t seq, uint32_t request, MPI_Win win, int target,
                     const struct usage_buffer *buffer)
{
    if (usage_in_flight.count == IN_FLIGHT_MAX || UNLIKELY(recorder.partial))
        return;
    bounds_widen(buffer);
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
    f->watched = f->large = f->gaps = false;
    f->held = is_held(buffer);
    f->frame = buffer->start >= (uintptr_t)recorder_thread.cfa ? recorder_thread.cfa : NULL;
    f->point = f->reading = -1;
    f->fiber = NULL;
    if (UNLIKELY(shadow.threads))
        f->fiber = shadow_begin(buffer);
    if (buffer->end - buffer->start >= LARGE_BYTES && large_count < WATCHED_MAX &&
        !recorder.crowd && (request || win != recorder_handle.win_null) &&
        memory_readable_now((const void *)buffer->start, 1)) {
        f->large = true;
        large_count++;
        look_on();
    }
    bool whole = !buffer->type || (s && s->whole);
    uintptr_t bytes = buffer->end - buffer->start;
    if (buffer->access == USAGE_WRITE && !request && win == recorder_handle.win_null)
        return; /* during a blocking call this thread makes no other call that could look at it */
    if (!whole) {
        if (s && parts_are_data(s))
            take_gaps(f, s);
        return;
    }
    const uint32_t most = buffer->any_time ? (uint32_t)READ_BYTES : (uint32_t)HASHED_BYTES,
                   hashed = (uint32_t)(bytes < most ? bytes : most);
    if (buffer->access == USAGE_READ) {
        const uint32_t sent = sent_bytes(bytes);
        f->hashed = recorder_may_spend(&usage_credit, 2 * (sent + HASH_LEAST)) ? sent : 0;
        f->hash = f->hashed ? hash_of(f) : 0;
        if (UNLIKELY(f->hashed && !f->hash))
            count_unread(seq);
    } else if (usage_in_flight.watched < WATCHED_MAX && !recorder.crowd) {
        f->point = watch_set(buffer->start, bytes, WATCH_LOADS_AND_STORES);
        point_count += f->point >= 0;
        if (buffer->any_time)
            f->reading = reads_follow(seq);
        f->watched = buffer->any_time ? f->reading >= 0 : bytes <= EAGER_BYTES && !recorder.several;
        f->hashed = f->watched ? hashed : 0;
        usage_in_flight.watched += is_watched(f);
        look_on();
    }
}

static void inflight_land(struct lane *lane, uint64_t seq, uint32_t at, bool judge)
{
    struct flight *f = &in_flight[at];
    uint64_t now = judge && f->hash && f->buffer.access == USAGE_READ ? hash_of(f) : f->hash;
    bool stored = UNLIKELY(f->reading >= 0) && judge && stored_to(f);
    if (now != f->hash || stored || (judge && (has_returned(f) || (f->held && was_freed(f)))))
        say_changed(lane, seq, f, now || !f->hash);
    if (UNLIKELY(f->fiber != NULL))
        shadow_end(f->fiber);
    if (UNLIKELY(shadow.memory) && judge)
        shadow_filled(&f->buffer);
    inflight_unwatch(f);
    large_count -= f->large;
    look_on();
    uint32_t last = --usage_in_flight.count;
    if (at != last) {
        in_flight[at] = in_flight[last];
        in_flight_request[at] = in_flight_request[last];
    }
}

/* --- persistent requests ---------------------------------------------------------------------- */

static uint32_t restartable_slot(uint32_t request)
{
    const uint32_t mask = 2 * restartable_room - 1;
    uint32_t slot = request * 0x9E3779B1u & mask;

    while (restartable_at[slot] && restartable[restartable_at[slot] - 1].request != request)
        slot = (slot + 1) & mask;
    return slot;
}

static struct restartable *find_restartable(uint32_t request)
{
    uint32_t at = request && restartable_room ? restartable_at[restartable_slot(request)] : 0;

    return at ? &restartable[at - 1] : NULL;
}

static bool restartable_grow(void)
{
    enum { FIRST = 16 };
    uint32_t room = restartable_room ? restartable_room * 2 : FIRST;
    struct restartable *fresh = realloc(restartable, room * sizeof *fresh);

    restartable = fresh ? fresh : restartable;
    uint32_t *at = fresh ? calloc((size_t)room * 2, sizeof *at) : NULL;
    if (!at)
        return false;
    free(restartable_at);
    restartable_at = at;
    restartable_room = room;
    for (uint32_t i = 0; i < usage_in_flight.restartable; i++)
        restartable_at[restartable_slot(restartable[i].request)] = i + 1;
    return true;
}

static void restartable_add(const struct restartable *added)
{
    if (usage_in_flight.restartable == restartable_room && !restartable_grow())
        return;
    restartable[usage_in_flight.restartable++] = *added;
    restartable_at[restartable_slot(added->request)] = usage_in_flight.restartable;
}

/* Empties the slot, and moves entries behind it up. */
static void restartable_remove(uint32_t request)
{
    const uint32_t mask = 2 * restartable_room - 1, slot = restartable_slot(request),
                   at = restartable_at[slot], last = usage_in_flight.restartable;
    uint32_t empty = slot;

    restartable_at[restartable_slot(restartable[last - 1].request)] = at;
    restartable_at[slot] = 0;
    restartable[at - 1] = restartable[last - 1];
    usage_in_flight.restartable--;
    for (uint32_t from = (slot + 1) & mask; restartable_at[from]; from = (from + 1) & mask) {
        uint32_t home = restartable[restartable_at[from] - 1].request * 0x9E3779B1u & mask;
        if (((from - home) & mask) >= ((from - empty) & mask)) {
            restartable_at[empty] = restartable_at[from];
            restartable_at[from] = 0;
            empty = from;
        }
    }
}

void usage_begin(struct lane *lane, uint64_t seq, uint32_t request, const struct usage_buffers *all,
                 bool persistent)
{
    (void)lane;
    if (!request || !all->count)
        return;
    inflight_lock();
    if (persistent) {
        const struct restartable added = {.request = request, .all = *all};
        restartable_add(&added);
    } else {
        for (unsigned i = 0; i < all->count; i++)
            take_off(seq, request, recorder_handle.win_null, 0, &all->buffer[i]);
    }
    inflight_unlock();
}

void usage_begin_window(struct lane *lane, uint64_t seq, MPI_Win win, int target, uint32_t request,
                        const struct usage_buffers *all)
{
    (void)lane;
    inflight_lock();
    for (unsigned i = 0; i < all->count; i++)
        take_off(seq, request, win, target, &all->buffer[i]);
    inflight_unlock();
}

void usage_partitioned(uint32_t request, int partitions, int64_t stride, bool receives)
{
    inflight_lock();
    struct restartable *of = find_restartable(request);
    if (of && of->all.count == 1 && partitions > 0) {
        of->partitions = partitions;
        of->receives = receives;
        of->stride = stride;
    }
    inflight_unlock();
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
    inflight_lock();
    const struct restartable *of = find_restartable(request);
    if (of && of->partitions)
        partition_off(lane, seq, of, partition);
    inflight_unlock();
}

static void inflight_land(struct lane *lane, uint64_t seq, uint32_t at, bool judge);

void usage_arrived(struct lane *lane, uint64_t seq, uint32_t request, int partition)
{
    inflight_lock();
    const struct restartable *of = find_restartable(request);
    bool known = of && of->partitions > partition && partition >= 0;
    uintptr_t start = known ? partition_of(of, partition).start : 0;
    for (uint32_t i = usage_in_flight.count; known && i-- > 0;)
        if (in_flight_request[i] == request && in_flight[i].buffer.start == start)
            inflight_land(lane, seq, i, true);
    inflight_unlock();
}

void usage_started(struct lane *lane, uint64_t seq, uint32_t request)
{
    if (!usage_in_flight.restartable || !request)
        return;
    inflight_lock();
    const struct restartable *of = find_restartable(request);
    bool parts = of && of->partitions;
    for (int k = 0; parts && of->receives && of->partitions <= PARTITIONS_MAX && k < of->partitions;
         k++)
        partition_off(lane, seq, of, k);
    for (unsigned k = 0; of && !parts && k < of->all.count; k++)
        compare_one(lane, seq, &of->all.buffer[k]);
    for (unsigned k = 0; of && !parts && k < of->all.count; k++)
        take_off(seq, request, recorder_handle.win_null, 0, &of->all.buffer[k]);
    inflight_unlock();
}

void usage_completed_slow(struct lane *lane, uint64_t seq, uint32_t request, bool keep)
{
    if (!request)
        return;
    inflight_lock();
    for (uint32_t i = usage_in_flight.count; i-- > 0;)
        if (in_flight_request[i] == request)
            inflight_land(lane, seq, i, true);
    if (!keep && find_restartable(request))
        restartable_remove(request);
    inflight_unlock();
}

void usage_split_ending(struct lane *lane, uint64_t seq, uint32_t file, const void *at,
                        const char *argument)
{
    inflight_lock();
    uint32_t i = 0;
    while (i < usage_in_flight.count && in_flight_request[i] != usage_split(file))
        i++;
    if (i < usage_in_flight.count && in_flight[i].buffer.at && in_flight[i].buffer.at != at)
        usage_say(lane, seq, MISUSE_SPLIT_OTHER, argument, in_flight[i].seq);
    inflight_unlock();
}

void usage_completed_call(struct lane *lane, uint64_t seq)
{
    if (!usage_in_flight.count)
        return;
    inflight_lock();
    for (uint32_t i = usage_in_flight.count; i-- > 0;)
        if (!in_flight_request[i] && in_flight[i].win == recorder_handle.win_null &&
            in_flight[i].seq == seq)
            inflight_land(lane, seq, i, true);
    inflight_unlock();
}

void usage_completed_window(struct lane *lane, uint64_t seq, MPI_Win win, int target)
{
    if (!usage_in_flight.count)
        return;
    inflight_lock();
    for (uint32_t i = usage_in_flight.count; i-- > 0;)
        if (in_flight[i].win == win && (target < 0 || in_flight[i].target == target))
            inflight_land(lane, seq, i, true);
    inflight_unlock();
}

void usage_blurred(void)
{
    inflight_lock();
    for (uint32_t i = usage_in_flight.count; i-- > 0;)
        if (in_flight[i].win == recorder_handle.win_null)
            inflight_land(NULL, 0, i, false);
    inflight_unlock();
}

/* --- receive buffers between calls ------------------------------------------------------------ */

static void look_for_large(struct lane *lane, uint64_t seq)
{
    if (!large_count || !recorder_may_spend(&usage_credit, (uint64_t)large_count * HASH_LEAST))
        return;
    for (uint32_t i = 0; i < usage_in_flight.count; i++) {
        struct flight *f = &in_flight[i];
        if (!f->large || memory_readable_now((const void *)f->buffer.start, 1))
            continue;
        say_changed(lane, seq, f, false);
        f->large = false;
        f->hash = 0;
        large_count--;
    }
}

void usage_look_slow(struct lane *lane, uint64_t seq)
{
    if (recorder.crowd)
        return;
    inflight_lock();
    look_for_large(lane, seq);
    if (!recorder.threads)
        exposed_look(lane, seq, relooked);
    for (uint32_t i = 0, left = usage_in_flight.watched; left && i < usage_in_flight.count; i++) {
        struct flight *f = &in_flight[i];
        if (!is_watched(f))
            continue;
        left--;
        const void *hit = f->point < 0 ? NULL : watch_hit(f->point);
        uint64_t now = relooked && f->watched && f->hash ? hash_of(f) : 0;
        bool changed = f->reading >= 0 ? stored_to(f) : now && now != f->hash;
        if (!hit && !changed)
            continue;
        if (has_returned(f) || (changed && was_freed(f)))
            say_changed(lane, seq, f, true);
        else
            usage_say(lane, seq, changed ? MISUSE_RECEIVE_WRITTEN : MISUSE_RECEIVE_ACCESSED,
                      f->buffer.argument, f->seq,
                      .site = hit ? (int32_t)recorder_site_of(lane, hit) : 0);
        f->held = false;
        f->frame = NULL;
        inflight_unwatch(f);
    }
    relooked = false;
    look_on();
    inflight_unlock();
}

/* Suspends checks until the credit may have grown, unless a watchpoint must be told which accesses
 * are the library's. */
static void look_when_earned(uint64_t now, uint64_t cost)
{
    if (point_count || exposed_count || large_count)
        return;
    recorder_look.from = now + cost * RECORDER_CREDIT_TICKS;
    usage_credit.rest = 0;
}

static void inflight_relook(uint64_t now)
{
    uint64_t bytes = 0;
    if (point_count || exposed_count)
        watch_leave();
    for (uint32_t i = 0, left = usage_in_flight.watched; left && i < usage_in_flight.count; i++) {
        left -= is_watched(&in_flight[i]);
        bytes += in_flight[i].watched ? in_flight[i].hashed + HASH_LEAST : 0;
    }
    bytes += recorder.threads ? 0 : exposed_bytes();
    if (!recorder_may_spend(&usage_credit, 2 * bytes)) { /* now, and when the next call enters */
        look_when_earned(now, 2 * bytes);
        return;
    }
    for (uint32_t i = 0, left = usage_in_flight.watched; left && i < usage_in_flight.count; i++) {
        left -= is_watched(&in_flight[i]);
        if (in_flight[i].reading >= 0)
            stored_to(&in_flight[i]);
        else if (in_flight[i].watched)
            in_flight[i].hash = hash_of(&in_flight[i]);
    }
    if (!recorder.threads)
        exposed_remember();
    relooked = true;
    look_on();
}

void usage_relook_slow(struct lane *lane, uint64_t now)
{
    (void)lane;
    if (recorder.crowd)
        return;
    inflight_lock();
    inflight_relook(now);
    inflight_unlock();
}
