/* Loops of a lane: where the same items (events, completions, lists, further arguments) come round
 * after round, the writer says so (SPOOL_LOOP), and from then on writes of each call no more than
 * its times (SPOOL_NEXT). Writer and reader each keep the round; spool_reader_next hands out whole
 * records.
 *
 *     SPOOL_LOOP n       the next n items are a round
 *     n items, whole     they are taken (SPOOL_LOOP_TAKES)
 *     n items, whole     each is like that before, and differs in number, request, tag and values
 *                        by its step, which is learnt (SPOOL_LOOP_LEARNS)
 *     SPOOL_NEXT ...     the items that follow, up to the next event, have come, each by its step
 *                        further than in the round before (SPOOL_LOOP_GOES)
 *     SPOOL_NEXT_PARTS   so many have come, none of which is an event
 *
 * An item that is written whole while the loop goes ends it, as does one that is not alike while it
 * is learnt. Records of other kinds stand beside the loop.
 *
 *  1. The state follows from the lane's records before the position alone (spool_delta.h,
 *     invariant 1): writer and reader pass each item that is written whole to spool_loop_feed, and
 *     each SPOOL_LOOP to spool_loop_open. The slots of spool_delta.h do not change by what a loop
 *     says; its `seq` and `t` do.
 *  2. While it goes, item[next] is due, and every item's record says what came last in its place.
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
    SPOOL_LOOP_WORDS_MAX = 1 << 15 /* of their records and steps */
};

struct spool_loop {
    uint8_t state; /* enum spool_loop_state */
    bool bounded;  /* an event was taken (invariant 3) */
    uint32_t count, next;
    uint32_t words;    /* that are used */
    uint32_t due;      /* reader: items to be handed out; writer: that came and are not on record */
    uint64_t seq_step; /* from round to round */
    /* Large, and seldom used: what is not used is never touched. */
    uint32_t item[SPOOL_LOOP_ITEMS_MAX]; /* where in word its record is, its steps behind it */
    uint64_t word[SPOOL_LOOP_WORDS_MAX];
};

/* A struct that ends in a loop is zeroed up to here: the bytes behind. */
enum { SPOOL_LOOP_LARGE = sizeof(struct spool_loop) - offsetof(struct spool_loop, item) };

struct spool_loop_step { /* of an event, a completion or a receive side */
    uint32_t request, tag;
};

/* Has each item a number at the same place? */
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

/* From the next item on; count is in [1, SPOOL_LOOP_ITEMS_MAX]. */
void spool_loop_open(struct spool_loop *loop, uint32_t count);
/* An item came that is written whole. */
void spool_loop_feed(struct spool_loop *loop, const struct spool_head *record);
/* Whether it is the item that is due, of a kind other than those below: then its record is brought
 * up to date. values: of lists and arguments. */
bool spool_loop_part_comes(struct spool_loop *loop, const struct spool_head *record,
                           const void *values);
/* The item that is due has come: brings its record up to date, but for an event's times. */
struct spool_head *spool_loop_advance(struct spool_loop *loop);
/* The same of so many whole rounds. */
void spool_loop_advance_rounds(struct spool_loop *loop, uint64_t rounds);
void spool_loop_copy(struct spool_loop *to, const struct spool_loop *from);

/* Whether the events are alike in what a loop keeps: fields are read one by one (spool_delta.h). */
static inline bool spool_loop_event_like(const struct spool_event *kept,
                                         const struct spool_event *event)
{
    const volatile struct spool_event *e = event;
    return kept->head.kind == SPOOL_EVENT && e->head.a == kept->head.a &&
           e->head.b == kept->head.b && e->parent == kept->parent && e->site == kept->site &&
           e->comm == kept->comm && e->peer == kept->peer && e->type == kept->type &&
           e->count == kept->count;
}

/* Whether it is the event that is due: then its record is brought up to date, but for its times. */
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

/* The same of a completion. */
static inline bool spool_loop_done_comes(struct spool_loop *loop, const struct spool_done *done)
{
    struct spool_done *kept = (void *)spool_loop_record(loop, loop->next);
    if (memcmp(&kept->head, &done->head, sizeof done->head) != 0)
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
