/* The writer's side of loops (spool_loop.h): detects that a lane's items repeat, and from then on
 * writes only the differences.
 *
 * An item's code hashes the fields that do not change from round to round and are cheap to read. If
 * an item's code differs from the code one period earlier, the writer looks for a new period: back
 * to the place where the last items had the same codes. A loop begins once the codes have repeated
 * for a round and RUN_MIN items; the next two rounds show whether they really form a loop.
 *
 * Looking costs about twenty instructions an item; if it finds nothing, it pauses most of the time
 * (spool_seek_turn).
 *
 *  1. While a loop goes, loop.due items have come without a record: the next record for them is an
 *     event's or spool_tell_parts's, or they are written whole (loop_break).
 *  2. The writer's loop is the same as a reader's at `position`. */
#include "core/spool/spool_write.h"

enum {
    RUN_MIN = 256,     /* a shorter loop is part of the loop around it */
    CONTEXT_SHIFT = 8, /* eight items form a context */
    TURNS = 24,        /* turns of half a ring each; */
    TURNS_LOOKS = 3,   /* in so many of them the writer looks for loops, */
    FOLDED_MIN = 1024  /* unless it folded so many calls in the last one */
};
_Static_assert(SPOOL_LOOP_ITEMS_MAX + RUN_MIN < SPOOL_SEEK_CODES, "a period's codes are there");
#define HASH_FACTOR 0x9E3779B97F4A7C15u
#define HASH_OTHER 0xC2B2AE3D27D4EB4Fu

/* --- looking for the period ------------------------------------------------------------------- */

static uint32_t code_of(const struct spool_head *record, uint64_t seq_step)
{
    const struct spool_event *e = (const void *)record;
    const struct spool_done *d = (const void *)record;
    uint64_t hash =
        ((uint64_t)record->kind << 48 ^ (uint64_t)record->a << 16 ^ record->b ^ seq_step << 20) *
        HASH_FACTOR;

    if (record->kind == SPOOL_EVENT)
        hash ^= ((uint64_t)e->site << 32 ^ (uint32_t)e->peer ^ (uint64_t)(uint32_t)e->count << 16) *
                HASH_OTHER;
    else if (record->kind == SPOOL_DONE)
        hash ^= ((uint64_t)d->index << 32 ^ (uint32_t)d->source ^ d->bytes << 16) * HASH_OTHER;
    return (uint32_t)(hash >> 32);
}

static void seek_forget(struct spool_seek *seek)
{
    memset(seek->place, 0, sizeof seek->place);
    seek->period = seek->run = 0;
    seek->context = 0;
}

/* Looks for a new period, because the last item's code differs from that one period earlier. place:
 * earlier place of its context. */
static void period_find(struct spool_seek *seek, uint64_t last, uint32_t place)
{
    uint32_t period = (uint32_t)last + 1 - place;

    seek->run = 0;
    seek->period = 0;
    if (!place || period > SPOOL_LOOP_ITEMS_MAX ||
        seek->code[(last - period) % SPOOL_SEEK_CODES] != seek->code[last % SPOOL_SEEK_CODES])
        return;
    seek->period = period;
    seek->run = 1;
}

static void seek_add(struct spool_seek *seek, const struct spool_head *record)
{
    uint64_t seq = ((const struct spool_done *)(const void *)record)->seq, at = seek->count++;
    uint32_t code = code_of(record, seq - seek->seq);

    seek->seq = seq;
    seek->code[at % SPOOL_SEEK_CODES] = code;
    seek->context = (seek->context << CONTEXT_SHIFT) + code * HASH_FACTOR;
    uint32_t *place = &seek->place[seek->context * HASH_OTHER >> (64 - SPOOL_SEEK_PLACE_BITS)];
    if (seek->period && seek->code[(at - seek->period) % SPOOL_SEEK_CODES] == code)
        seek->run++;
    else
        period_find(seek, at, *place);
    *place = (uint32_t)at + 1;
}

static void loop_begin(struct spool_writer *writer)
{
    struct spool_seek *seek = &writer->seek;
    uint32_t count = seek->period;
    struct spool_head *record = spool_reserve(writer, 1);

    seek_forget(seek);
    if (!record)
        return;
    *record = (struct spool_head){SPOOL_LOOP, 1, (uint16_t)count, 0};
    spool_loop_open(&writer->again.loop, count);
    writer->watched = true; /* until the loop ends, whatever the turn (invariant 2) */
}

void spool_seek_turn(struct spool_writer *writer)
{
    struct spool_seek *seek = &writer->seek;
    bool was = writer->watched;

    if (seek->off)
        return;
    seek->turn = writer->again.loop.state != SPOOL_LOOP_NONE || seek->folded >= FOLDED_MIN
                     ? 0
                     : (seek->turn + 1) % TURNS;
    seek->folded = 0;
    writer->watched = seek->turn < TURNS_LOOKS;
    if (writer->watched && !was)
        seek_forget(seek);
}

/* --- items ------------------------------------------------------------------------------------ */

static const void *values_of(const struct spool_head *record)
{
    return record->kind == SPOOL_LIST
               ? (const void *)((const struct spool_list *)(const void *)record + 1)
               : (const void *)((const struct spool_args *)(const void *)record + 1);
}

static bool put_whole(struct spool_writer *writer, const struct spool_head *record,
                      const void *values)
{
    struct spool_loop *loop = &writer->again.loop;
    const struct spool_head *whole = spool_put_plain(writer, record, values);

    CORE_CHECK_HOT(loop->state != SPOOL_LOOP_GOES);
    if (!whole)
        return false;
    if (loop->state != SPOOL_LOOP_NONE) {
        spool_loop_feed(loop, whole);
        if (loop->state == SPOOL_LOOP_GOES)
            spool_sum_begin(writer);
        return true;
    }
    seek_add(&writer->seek, record);
    if (__builtin_expect(writer->seek.run >= RUN_MIN + writer->seek.period, 0))
        loop_begin(writer);
    return true;
}

/* Ends the loop, because the next item is not the one that is due: writes the items whole that came
 * without a record. */
static void loop_break(struct spool_writer *writer)
{
    struct spool_loop *loop = &writer->again.loop;
    uint32_t due = loop->due, at = (loop->next + loop->count - due) % loop->count;

    CORE_CHECK_HOT(due < loop->count); /* invariant 3 of spool_loop.h: an event resets it */
    spool_loop_end(loop);
    spool_sum_end(writer);
    for (; due; due--, at = spool_loop_after(loop, at)) {
        const struct spool_head *record = spool_loop_record(loop, at);
        spool_put_plain(writer, record, values_of(record));
    }
}

void spool_tell_parts(struct spool_writer *writer)
{
    struct spool_loop *loop = &writer->again.loop;
    struct spool_head *record = spool_reserve(writer, 1);

    CORE_CHECK_HOT(loop->state == SPOOL_LOOP_GOES && loop->due < loop->count);
    if (record)
        *record = (struct spool_head){SPOOL_NEXT_PARTS, 1, (uint16_t)loop->due, 0};
    writer->again.seq =
        *spool_loop_seq(spool_loop_record(loop, loop->next ? loop->next - 1 : loop->count - 1));
    loop->due = 0;
}

/* Writes times that do not fit into one word. */
static bool times_put(struct spool_writer *writer, uint64_t gap, uint64_t lasted)
{
    bool small = !((gap + 0x80000000u) >> 32 | lasted >> 32);
    struct spool_next next = {{SPOOL_NEXT, small ? 2 : 3, 0, 0},
                              (int64_t)(small ? lasted << 32 | (gap & UINT32_MAX) : gap),
                              lasted};
    void *at = spool_reserve(writer, next.head.words);

    if (at)
        memcpy(at, &next, next.head.words * 8ul);
    return at;
}

/* Marks rare steps. They are functions of their own, so that the usual path of a call needs no
 * stack. */
#define APART __attribute__((noinline)) static

static void event_told(struct spool_writer *writer, const struct spool_event *event)
{
    writer->again.loop.due = 0;
    writer->again.seq = event->seq;
    writer->again.t = event->t_leave;
    writer->seek.folded++;
}

APART bool event_tell_long(struct spool_writer *writer, const struct spool_event *event)
{
    uint64_t gap = event->t_enter - writer->again.t, lasted = event->t_leave - event->t_enter;
    struct spool_head *at;

    if ((gap | lasted) >> 16) {
        if (!times_put(writer, gap, lasted))
            return false;
    } else {
        if (!(at = spool_reserve(writer, 1)))
            return false;
        *at = (struct spool_head){SPOOL_NEXT, 1, (uint16_t)gap, (uint16_t)lasted};
    }
    event_told(writer, event);
    return true;
}

/* Writes the event as the next item of the loop. */
static inline bool event_tell(struct spool_writer *writer, const struct spool_event *event)
{
    uint64_t enter = event->t_enter, gap = enter - writer->again.t, lasted = event->t_leave - enter,
             end = writer->position + sizeof(struct spool_head);

    if (__builtin_expect((gap | lasted) >> 16 || end > writer->limit, 0))
        return event_tell_long(writer, event);
    *(struct spool_head *)(void *)(writer->ring + (writer->position & writer->mask)) =
        (struct spool_head){SPOOL_NEXT, 1, (uint16_t)gap, (uint16_t)lasted};
    writer->position = end;
    event_told(writer, event);
    return true;
}

APART bool put_other(struct spool_writer *writer, const struct spool_head *record,
                     const void *values)
{
    if (writer->again.loop.state == SPOOL_LOOP_GOES)
        loop_break(writer);
    return put_whole(writer, record, values);
}

bool spool_watched_event(struct spool_writer *writer, const struct spool_event *event)
{
    struct spool_loop *loop = &writer->again.loop;

    return __builtin_expect(loop->state == SPOOL_LOOP_GOES && spool_loop_event_comes(loop, event),
                            1)
               ? event_tell(writer, event)
               : put_other(writer, &event->head, NULL);
}

bool spool_watched_part(struct spool_writer *writer, const struct spool_head *record,
                        const void *values)
{
    struct spool_loop *loop = &writer->again.loop;

    if (loop->state != SPOOL_LOOP_GOES ||
        !(record->kind == SPOOL_DONE ? spool_loop_done_comes(loop, (const void *)record)
                                     : spool_loop_part_comes(loop, record, values)))
        return put_other(writer, record, values);
    loop->due++;
    return true;
}
