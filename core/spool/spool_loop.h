/* Loops of a lane. If the same items (events, completions, lists, further arguments) come round
 * after round, the writer announces it (SPOOL_LOOP), and from then on writes only the times of each
 * call (SPOOL_NEXT). Writer and reader both keep the round; spool_reader_next returns whole
 * records.
 *
 *     SPOOL_LOOP n       the next n items are a round
 *     n items, whole     they are stored (SPOOL_LOOP_TAKES)
 *     n items, whole     each resembles that of the stored round, and differs in number, request,
 *                        tag and values by its step, which is learnt (SPOOL_LOOP_LEARNS)
 *     SPOOL_NEXT ...     the following items, up to the next event, have come, each advanced by its
 *                        step from the round before (SPOOL_LOOP_GOES)
 *     SPOOL_NEXT_PARTS   so many items have come, none of which is an event
 *
 * An item that is written whole while the loop goes ends the loop, as does an item that differs
 * while the loop is learnt. Records of other kinds do not affect the loop.
 *
 *  1. The state follows from the lane's records before the position alone (spool_delta.h, invariant
 *     1): writer and reader pass each item that is written whole to spool_loop_feed, and each
 *     SPOOL_LOOP to spool_loop_open. A loop does not change the slots of spool_delta.h, but its
 *     `seq` and `t`.
 *  2. While it goes, item[next] is due, and every item's record holds the last item in its place.
 *  3. A round that goes has an event. */
#ifndef CORE_SPOOL_SPOOL_LOOP_H
#define CORE_SPOOL_SPOOL_LOOP_H

#include <stddef.h>
#include <string.h>

#include "core/check.h"
#include "core/spool/spool.h"

enum spool_loop_state { SPOOL_LOOP_NONE, SPOOL_LOOP_TAKES, SPOOL_LOOP_LEARNS, SPOOL_LOOP_GOES };
enum {
    SPOOL_LOOP_ITEMS_MAX = 1 << 12,
    SPOOL_LOOP_WORDS_MAX = 1 << 15 /* of the items' records and steps */
};

struct spool_loop {
    uint8_t state; /* enum spool_loop_state */
    bool bounded;  /* an event was stored (invariant 3) */
    uint32_t count, next;
    uint32_t words;    /* words in use */
    uint32_t due;      /* reader: items still to return; writer: items that came and are not on
                          record */
    uint64_t seq_step; /* difference between rounds */
    /* Large and seldom used: unused entries are never touched. */
    uint32_t item[SPOOL_LOOP_ITEMS_MAX]; /* index in word of its record, which its steps follow */
    uint64_t word[SPOOL_LOOP_WORDS_MAX];
};

/* Bytes at the end of a struct with a loop that need no zeroing. */
enum { SPOOL_LOOP_LARGE = sizeof(struct spool_loop) - offsetof(struct spool_loop, item) };

struct spool_loop_step { /* of an event, a completion or a receive side */
    uint32_t request, tag;
};

/* Checks that each kind of item has its number at the same place. */
#define SPOOL_LOOP_SEQ(type) \
    _Static_assert(offsetof(struct type, seq) == sizeof(struct spool_head), "an item's seq")
SPOOL_LOOP_SEQ(spool_event);
SPOOL_LOOP_SEQ(spool_done);
SPOOL_LOOP_SEQ(spool_list);
SPOOL_LOOP_SEQ(spool_args);
SPOOL_LOOP_SEQ(spool_recv_half);
SPOOL_LOOP_SEQ(spool_repeat);
#undef SPOOL_LOOP_SEQ

static inline bool spool_loop_is_item(uint16_t kind)
{
    return kind == SPOOL_EVENT || kind == SPOOL_DONE || kind == SPOOL_LIST ||
           kind == SPOOL_RECV_HALF || kind == SPOOL_ARGS || kind == SPOOL_REPEAT;
}

static inline struct spool_head *spool_loop_record(struct spool_loop *loop, uint32_t index)
{
    CORE_CHECK_HOT(index < loop->count);
    return (void *)&loop->word[loop->item[index]];
}

static inline void *spool_loop_steps(struct spool_head *record)
{
    return (uint64_t *)(void *)record + record->words;
}

static inline uint64_t *spool_loop_seq(struct spool_head *record)
{
    return (uint64_t *)(void *)record + 1;
}

static inline uint32_t spool_loop_after(const struct spool_loop *loop, uint32_t index)
{
    return index + 1 < loop->count ? index + 1 : 0;
}

static inline void spool_loop_end(struct spool_loop *loop)
{
    loop->state = SPOOL_LOOP_NONE;
    loop->due = 0;
}

/* Opens a loop that begins with the next item; count is in [1, SPOOL_LOOP_ITEMS_MAX]. */
void spool_loop_open(struct spool_loop *loop, uint32_t count);
/* Feeds an item that is written whole. */
void spool_loop_feed(struct spool_loop *loop, const struct spool_head *record);
/* Tells whether a part (no event, no completion) is the item that is due, and then updates the
 * item's record. values: of lists and arguments. */
bool spool_loop_part_comes(struct spool_loop *loop, const struct spool_head *record,
                           const void *values);
/* Advances the item that is due: updates its record, except an event's times. */
struct spool_head *spool_loop_advance(struct spool_loop *loop);
/* Advances all items by `rounds` whole rounds. */
void spool_loop_advance_rounds(struct spool_loop *loop, uint64_t rounds);
void spool_loop_copy(struct spool_loop *to, const struct spool_loop *from);
/* Finds the common step of the requests of the event at `at`, whose parts are among the items
 * before it. Returns false if they differ, or if anything else of the event counts up. */
bool spool_loop_event_step(struct spool_loop *loop, uint32_t at, uint32_t *out_step);

/* Reads the times of a SPOOL_NEXT of one to three words. */
static inline void spool_next_times(const struct spool_head *head, uint64_t *out_gap,
                                    uint64_t *out_lasted)
{
    const struct spool_next *next = (const void *)head;

    CORE_CHECK_HOT(head->kind == SPOOL_NEXT && head->words > 0);
    if (head->words == 1) {
        *out_gap = head->a;
        *out_lasted = head->b;
    } else if (head->words == 2) {
        *out_gap = (uint64_t)(int64_t)(int32_t)(uint32_t)(uint64_t)next->gap;
        *out_lasted = (uint64_t)next->gap >> 32;
    } else {
        *out_gap = (uint64_t)next->gap;
        *out_lasted = next->lasted;
    }
}

/* Tells whether the events agree in the fields that a loop keeps. Reads fields one by one (see
 * spool_delta_event_like). */
static inline bool spool_loop_event_like(const struct spool_event *kept,
                                         const struct spool_event *event)
{
    const volatile struct spool_event *e = event;
    return kept->head.kind == SPOOL_EVENT && e->head.a == kept->head.a &&
           e->head.b == kept->head.b && e->parent == kept->parent && e->site == kept->site &&
           e->comm == kept->comm && e->peer == kept->peer && e->type == kept->type &&
           e->count == kept->count;
}

/* Tells whether the event is the item that is due, and then updates the item's record, except its
 * times. */
static inline bool spool_loop_event_comes(struct spool_loop *loop, const struct spool_event *event)
{
    struct spool_event *kept = (void *)spool_loop_record(loop, loop->next);
    const volatile struct spool_event *e = event;
    uint64_t seq = e->seq;
    uint32_t request = e->request;
    int32_t tag = e->tag;
    if (!spool_loop_event_like(kept, event))
        return false;
    const struct spool_loop_step *step = spool_loop_steps(&kept->head);
    if (seq != kept->seq + loop->seq_step || request != kept->request + step->request ||
        (uint32_t)tag != (uint32_t)kept->tag + step->tag)
        return false;
    kept->seq = seq;
    kept->request = request;
    kept->tag = tag;
    loop->next = spool_loop_after(loop, loop->next);
    return true;
}

/* Does the same for a completion. */
static inline bool spool_loop_done_comes(struct spool_loop *loop, const struct spool_done *done)
{
    struct spool_done *kept = (void *)spool_loop_record(loop, loop->next);
    const volatile struct spool_head *head = &done->head; /* read as it was written */
    if (kept->head.kind != head->kind || kept->head.a != head->a || kept->head.b != head->b)
        return false;
    const struct spool_loop_step *step = spool_loop_steps(&kept->head);
    uint64_t differs = (done->seq ^ (kept->seq + loop->seq_step)) | (done->bytes ^ kept->bytes) |
                       (done->index ^ kept->index) | (uint32_t)(done->source ^ kept->source) |
                       (done->request ^ (kept->request + step->request)) |
                       ((uint32_t)done->tag ^ ((uint32_t)kept->tag + step->tag));
    if (differs)
        return false;
    kept->seq = done->seq;
    kept->request = done->request;
    kept->tag = done->tag;
    loop->next = spool_loop_after(loop, loop->next);
    return true;
}

#endif
