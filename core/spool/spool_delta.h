/* Delta compression of records: the calls of a loop differ only in number, times and request. An
 * event, completion or list of requests that resembles an earlier one of its lane is written as a
 * difference (SPOOL_EVENT_AGAIN, _DONE_AGAIN, _LIST_AGAIN of spool.h), in 16 and 8 bytes instead of
 * 64, 40 and 32. Writer and reader both keep the earlier records; spool_reader_next returns whole
 * records. A longer list that equals an earlier one (counts of a collective, blocks of a datatype)
 * is written as a reference to it (SPOOL_LIST_SAME).
 *
 *  1. The slots follow from the lane's records before the position alone: each whole event,
 *     completion and short enough list fills its slot, each difference changes the slot that it
 *     names. The writer uses only slots that it has filled since it last forgot them, which it does
 *     at each place where a reader may begin (SPOOL_FLAG_LAST).
 *  2. A record whose differences do not fit is written whole. */
#ifndef CORE_SPOOL_SPOOL_DELTA_H
#define CORE_SPOOL_SPOOL_DELTA_H

#include <stddef.h>
#include <string.h>

#include "core/check.h"
#include "core/spool/spool.h"
#include "core/spool/spool_loop.h"

enum {
    SPOOL_DELTA_EVENT_BITS = 7,
    SPOOL_DELTA_DONE_BITS = 7,
    SPOOL_DELTA_LIST_BITS = 3,
    SPOOL_DELTA_EVENTS = 1 << SPOOL_DELTA_EVENT_BITS,
    SPOOL_DELTA_DONES = 1 << SPOOL_DELTA_DONE_BITS,
    SPOOL_DELTA_VALUES_MAX = 1 << SPOOL_DELTA_LIST_BITS,
    SPOOL_DELTA_SAME_BITS = 4,
    SPOOL_DELTA_SAMES = 1 << SPOOL_DELTA_SAME_BITS,
    SPOOL_DELTA_SAME_MIN = 32, /* bytes of the values */
    SPOOL_DELTA_SAME_MAX = 4096
};

struct spool_delta_same {
    struct spool_list record;
    unsigned char value[SPOOL_DELTA_SAME_MAX];
};

struct spool_delta_list { /* the last whole list of this length */
    struct spool_list record;
    uint32_t value[SPOOL_DELTA_VALUES_MAX];
};

struct spool_delta { /* zeroed: empty; head.kind of a slot is 0 until it is filled */
    uint64_t seq;    /* of the last record here */
    uint64_t t;      /* time when the last event left */
    /* Readers only: */
    uint64_t left_out; /* bytes of the lane that sums stand for, less their own (spool_sum.h) */
    bool in_ring;      /* records were read that were in the ring only, */
    uint64_t ring_position, ring_t;     /* the first of them at this position, after this time, */
    uint64_t ring_left_out, ring_calls; /* with this left_out; so many of them SPOOL_NEXT */
    struct spool_event event[SPOOL_DELTA_EVENTS];
    struct spool_done done[SPOOL_DELTA_DONES];
    struct spool_delta_list list[SPOOL_DELTA_VALUES_MAX]; /* by count - 1 */
    bool filled[SPOOL_DELTA_SAMES];
    /* Large and seldom used: unfilled entries are never touched. */
    struct spool_delta_same same[SPOOL_DELTA_SAMES];
    struct spool_loop loop;
};

static inline size_t spool_delta_list_bytes(const struct spool_list *l)
{
    return (size_t)l->count * l->head.b;
}

static inline void spool_delta_forget(struct spool_delta *again)
{
    memset(again, 0, offsetof(struct spool_delta, same));
    spool_loop_end(&again->loop);
}

/* Copies the filled parts only. */
static inline void spool_delta_copy(struct spool_delta *to, const struct spool_delta *from)
{
    memcpy(to, from, offsetof(struct spool_delta, same));
    for (unsigned i = 0; i < SPOOL_DELTA_SAMES; i++) {
        const struct spool_list *record = &from->same[i].record;
        if (!from->filled[i])
            continue;
        CORE_CHECK(spool_delta_list_bytes(record) <= SPOOL_DELTA_SAME_MAX);
        memcpy(&to->same[i], record, sizeof *record + spool_delta_list_bytes(record));
    }
    spool_loop_copy(&to->loop, &from->loop);
}

/* --- slots ------------------------------------------------------------------------------------ */

/* Returns the slot of an event. Adjacent calls of a program get different slots, as do adjacent
 * entries of a list of requests. */
static inline unsigned spool_delta_event_slot(const struct spool_event *e)
{
    uint32_t rest =
        (uint32_t)e->peer * 0x9E3779B1u + (uint32_t)e->tag * 0x85EBCA6Bu + e->head.a * 0xC2B2AE35u;
    return (e->site + (rest >> (32 - SPOOL_DELTA_EVENT_BITS))) % SPOOL_DELTA_EVENTS;
}

static inline unsigned spool_delta_done_slot(const struct spool_done *d)
{
    uint32_t rest = (uint32_t)d->source * 0x9E3779B1u + (uint32_t)d->tag * 0x85EBCA6Bu;
    return (d->index + (rest >> (32 - SPOOL_DELTA_DONE_BITS))) % SPOOL_DELTA_DONES;
}

/* Returns the slot of a list that can be written as a difference; else SPOOL_DELTA_VALUES_MAX. */
static inline unsigned spool_delta_list_slot(const struct spool_list *l)
{
    bool fits = l->head.a == SPOOL_LIST_REQUESTS && l->head.b == 4 && l->first == 0 &&
                l->count == l->total && l->count - 1 < SPOOL_DELTA_VALUES_MAX;
    return fits ? l->count - 1 : SPOOL_DELTA_VALUES_MAX;
}

/* Returns the slot of a longer list; SPOOL_DELTA_SAMES if its size is unsuitable. Values from its
 * middle and its end give alternating lists different slots. */
static inline unsigned spool_delta_same_slot(const struct spool_list *l, const void *value)
{
    size_t bytes = spool_delta_list_bytes(l);
    uint32_t sample[2];
    if (bytes < SPOOL_DELTA_SAME_MIN || bytes > SPOOL_DELTA_SAME_MAX)
        return SPOOL_DELTA_SAMES;
    memcpy(&sample[0], (const char *)value + bytes / 8 * 4, 4);
    memcpy(&sample[1], (const char *)value + bytes - 4, 4);
    return ((l->argument ^ l->first << 4 ^ (uint32_t)l->head.a << 8) * 0x9E3779B1u +
            (sample[0] ^ l->count << 16) * 0x85EBCA6Bu + sample[1] * 0xC2B2AE35u) >>
           (32 - SPOOL_DELTA_SAME_BITS);
}

/* --- whole records ---------------------------------------------------------------------------- */

static inline void spool_delta_event(struct spool_delta *again, const struct spool_event *e)
{
    again->event[spool_delta_event_slot(e)] = *e;
    again->seq = e->seq;
    again->t = e->t_leave;
}

static inline void spool_delta_done(struct spool_delta *again, const struct spool_done *d)
{
    again->done[spool_delta_done_slot(d)] = *d;
    again->seq = d->seq;
}

static inline void spool_delta_list(struct spool_delta *again, const struct spool_list *l,
                                    const void *value)
{
    unsigned slot = spool_delta_list_slot(l), same;
    if (slot == SPOOL_DELTA_VALUES_MAX) {
        if ((same = spool_delta_same_slot(l, value)) == SPOOL_DELTA_SAMES)
            return;
        again->filled[same] = true;
        again->same[same].record = *l;
        memcpy(again->same[same].value, value, spool_delta_list_bytes(l));
        again->seq = l->seq;
        return;
    }
    again->list[slot].record = *l;
    memcpy(again->list[slot].value, value, l->count * sizeof(uint32_t));
    again->seq = l->seq;
}

/* --- differences ------------------------------------------------------------------------------ */

/* Packs a slot, and the distance from the last number, into 16 bits. Returns 0 if the distance
 * fits. */
static inline uint64_t spool_delta_pack(unsigned slot, unsigned bits, uint64_t seq, uint64_t last,
                                        uint16_t *out_packed)
{
    uint64_t step = seq - last + (1ul << (15 - bits));
    *out_packed = (uint16_t)(step << bits | slot);
    return step >> (16 - bits);
}

static inline uint64_t spool_delta_seq(uint16_t packed, unsigned bits, uint64_t last)
{
    return last + (packed >> bits) - (1ul << (16 - bits)) / 2;
}

/* Packs the signed difference of two request ids in the same way. */
static inline uint32_t spool_delta_step(uint32_t id, uint32_t before, uint16_t *out_step)
{
    uint32_t step = id - before;
    *out_step = (uint16_t)step;
    return (step + 0x8000u) >> 16;
}

static inline uint32_t spool_delta_id(uint32_t before, uint16_t step)
{
    return before + (uint32_t)(int32_t)(int16_t)step;
}

/* Tells whether the events agree in the fields that a difference leaves out. Reads fields one by
 * one: a wider load of recent stores would wait until those stores, and all before them, are done,
 * which takes long if the library has written to another rank's memory in between. */
static inline bool spool_delta_event_like(const struct spool_event *like,
                                          const struct spool_event *event)
{
    const volatile struct spool_event *e = event;
    return like->head.kind == SPOOL_EVENT && e->head.a == like->head.a &&
           e->head.b == like->head.b && e->parent == like->parent && e->site == like->site &&
           e->comm == like->comm && e->peer == like->peer && e->tag == like->tag &&
           e->type == like->type && e->count == like->count;
}

/* Makes the difference of an event. Returns false if the event must be written whole. Changes no
 * slot. */
static inline bool spool_delta_event_try(const struct spool_delta *again, unsigned slot,
                                         const struct spool_event *e, struct spool_event_again *out)
{
    const struct spool_event *like = &again->event[slot];
    if (__builtin_expect(!spool_delta_event_like(like, e), 0))
        return false;
    uint64_t lasted = e->t_leave - e->t_enter, gap = e->t_enter - again->t;
    uint16_t packed, request;
    uint64_t beyond = spool_delta_pack(slot, SPOOL_DELTA_EVENT_BITS, e->seq, again->seq, &packed) |
                      spool_delta_step(e->request, like->request, &request);
    *out = (struct spool_event_again){
        {SPOOL_EVENT_AGAIN, sizeof *out / 8, packed, request}, (int32_t)gap, (uint32_t)lasted};
    return !(beyond | lasted >> 32 | (gap + 0x80000000u) >> 32);
}

/* Makes the difference of a completion. Returns false if it must be written whole. Changes no
 * slot. */
static inline bool spool_delta_done_try(const struct spool_delta *again, unsigned slot,
                                        const struct spool_done *d, struct spool_head *out)
{
    const struct spool_done *like = &again->done[slot];
    uint32_t differs = (uint32_t)(like->head.kind ^ d->head.kind) |
                       (uint32_t)(like->head.a ^ d->head.a) | (uint32_t)(like->head.b ^ d->head.b) |
                       (like->index ^ d->index) | (uint32_t)(like->source ^ d->source) |
                       (uint32_t)(like->tag ^ d->tag);
    uint16_t packed, request;
    uint64_t beyond = spool_delta_pack(slot, SPOOL_DELTA_DONE_BITS, d->seq, again->seq, &packed) |
                      spool_delta_step(d->request, like->request, &request);
    *out = (struct spool_head){SPOOL_DONE_AGAIN, sizeof *out / 8, packed, request};
    return !(beyond | differs | (like->bytes ^ d->bytes));
}

/* Makes the difference of a list: all request ids exceed those of the previous list by the same
 * amount. Returns false if the list must be written whole. */
static inline bool spool_delta_list_try(const struct spool_delta *again, const struct spool_list *l,
                                        const uint32_t *value, struct spool_head *out)
{
    unsigned slot = spool_delta_list_slot(l);
    const struct spool_delta_list *like;
    if (slot == SPOOL_DELTA_VALUES_MAX)
        return false;
    like = &again->list[slot];
    if (like->record.head.kind != SPOOL_LIST || like->record.argument != l->argument)
        return false;
    for (uint32_t i = 1; i < l->count; i++)
        if (value[i] - like->value[i] != value[0] - like->value[0])
            return false;
    out->kind = SPOOL_LIST_AGAIN;
    out->words = sizeof *out / 8;
    return !(spool_delta_pack(slot, SPOOL_DELTA_LIST_BITS, l->seq, again->seq, &out->a) |
             spool_delta_step(value[0], like->value[0], &out->b));
}

/* Makes the reference to an equal list. Returns false if the kept list differs. */
static inline bool spool_delta_same_try(const struct spool_delta *again, const struct spool_list *l,
                                        const void *value, struct spool_list_same *out)
{
    unsigned slot = spool_delta_list_slot(l) == SPOOL_DELTA_VALUES_MAX
                        ? spool_delta_same_slot(l, value)
                        : SPOOL_DELTA_SAMES;
    const struct spool_delta_same *like = &again->same[slot % SPOOL_DELTA_SAMES];
    *out = (struct spool_list_same){{SPOOL_LIST_SAME, sizeof *out / 8, (uint16_t)slot, 0}, l->seq};
    return slot < SPOOL_DELTA_SAMES && again->filled[slot] && like->record.head.a == l->head.a &&
           like->record.head.b == l->head.b && like->record.argument == l->argument &&
           like->record.total == l->total && like->record.first == l->first &&
           like->record.count == l->count &&
           memcmp(like->value, value, spool_delta_list_bytes(l)) == 0;
}

/* --- restoring whole records ------------------------------------------------------------------ */
/* Each returns NULL if the slot that the record refers to is empty. */

static inline const struct spool_event *spool_delta_event_take(struct spool_delta *again,
                                                               const struct spool_event_again *r)
{
    struct spool_event *e = &again->event[r->head.a % SPOOL_DELTA_EVENTS];
    if (!e->head.kind)
        return NULL;
    e->seq = again->seq = spool_delta_seq(r->head.a, SPOOL_DELTA_EVENT_BITS, again->seq);
    e->request = spool_delta_id(e->request, r->head.b);
    e->t_enter = again->t + (uint64_t)(int64_t)r->gap;
    e->t_leave = again->t = e->t_enter + r->lasted;
    return e;
}

static inline const struct spool_done *spool_delta_done_take(struct spool_delta *again,
                                                             const struct spool_head *r)
{
    struct spool_done *d = &again->done[r->a % SPOOL_DELTA_DONES];
    if (!d->head.kind)
        return NULL;
    d->seq = again->seq = spool_delta_seq(r->a, SPOOL_DELTA_DONE_BITS, again->seq);
    d->request = spool_delta_id(d->request, r->b);
    return d;
}

static inline const struct spool_list *spool_delta_list_take(struct spool_delta *again,
                                                             const struct spool_head *r)
{
    struct spool_delta_list *l = &again->list[r->a % SPOOL_DELTA_VALUES_MAX];
    if (!l->record.head.kind)
        return NULL;
    l->record.seq = again->seq = spool_delta_seq(r->a, SPOOL_DELTA_LIST_BITS, again->seq);
    for (uint32_t i = 0; i < l->record.count; i++)
        l->value[i] = spool_delta_id(l->value[i], r->b);
    return &l->record;
}

static inline const struct spool_list *spool_delta_same_take(struct spool_delta *again,
                                                             const struct spool_list_same *r)
{
    unsigned slot = r->head.a % SPOOL_DELTA_SAMES;
    struct spool_delta_same *l = &again->same[slot];
    if (!again->filled[slot])
        return NULL;
    l->record.seq = again->seq = r->seq;
    return &l->record;
}

/* Restores a whole record from its difference, and keeps it for later records that resemble it.
 * Returns NULL if the slot that the record refers to is empty. */
static inline const struct spool_head *spool_delta_whole(struct spool_delta *again,
                                                         const struct spool_head *head)
{
    const void *record = head;

    switch (head->kind) {
    case SPOOL_EVENT:
        spool_delta_event(again, record);
        return head;
    case SPOOL_DONE:
        spool_delta_done(again, record);
        return head;
    case SPOOL_LIST:
        spool_delta_list(again, record, (const struct spool_list *)record + 1);
        return head;
    case SPOOL_EVENT_AGAIN:
        return (const void *)spool_delta_event_take(again, record);
    case SPOOL_DONE_AGAIN:
        return (const void *)spool_delta_done_take(again, record);
    case SPOOL_LIST_AGAIN:
        return (const void *)spool_delta_list_take(again, record);
    case SPOOL_LIST_SAME:
        return (const void *)spool_delta_same_take(again, record);
    default:
        return head;
    }
}

#endif
