/* See spool_loop.h. */
#include "core/spool/spool_loop.h"

/* Returns the words of an item's steps. */
static uint32_t steps_words(const struct spool_head *record)
{
    const struct spool_list *list = (const void *)record;

    switch (record->kind) {
    case SPOOL_EVENT:
    case SPOOL_DONE:
    case SPOOL_RECV_HALF:
        return 1;
    case SPOOL_ARGS:
        return record->a;
    case SPOOL_LIST:
        return record->b == 4 ? (list->count + 1) / 2 : list->count;
    default:
        return 0;
    }
}

void spool_loop_open(struct spool_loop *loop, uint32_t count)
{
    CORE_CHECK_HOT(count > 0 && count <= SPOOL_LOOP_ITEMS_MAX);
    loop->state = SPOOL_LOOP_TAKES;
    loop->bounded = false;
    loop->count = count;
    loop->next = loop->words = loop->due = 0;
}

static void item_take(struct spool_loop *loop, const struct spool_head *record)
{
    uint32_t steps = steps_words(record), words = record->words;

    if (steps + words > SPOOL_LOOP_WORDS_MAX - loop->words) {
        spool_loop_end(loop);
        return;
    }
    loop->item[loop->next] = loop->words;
    memcpy(&loop->word[loop->words], record, words * 8ul);
    memset(&loop->word[loop->words + words], 0, steps * 8ul);
    loop->words += words + steps;
    loop->bounded = loop->bounded || record->kind == SPOOL_EVENT;
    CORE_CHECK_HOT(loop->words <= SPOOL_LOOP_WORDS_MAX);
}

/* --- likeness and steps of items -------------------------------------------------------------- */

static bool bytes_same(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

static bool done_like(const struct spool_done *kept, const struct spool_done *done)
{
    return bytes_same(&kept->head, &done->head, sizeof done->head) && kept->index == done->index &&
           kept->source == done->source && kept->bytes == done->bytes;
}

static bool half_like(const struct spool_recv_half *kept, const struct spool_recv_half *half)
{
    return kept->peer == half->peer && kept->type == half->type && kept->count == half->count;
}

/* Compares all fields except numbers, requests, tags and values. Ignores a list's words, which a
 * written record may leave out. */
static bool item_like(const struct spool_head *kept, const struct spool_head *record)
{
    const struct spool_list *a = (const void *)kept, *b = (const void *)record;

    if (kept->kind != record->kind || kept->a != record->a || kept->b != record->b)
        return false;
    switch (record->kind) {
    case SPOOL_EVENT:
        return spool_loop_event_like((const void *)kept, (const void *)record);
    case SPOOL_DONE:
        return done_like((const void *)kept, (const void *)record);
    case SPOOL_RECV_HALF:
        return half_like((const void *)kept, (const void *)record);
    case SPOOL_LIST:
        return a->argument == b->argument && a->total == b->total && a->first == b->first &&
               a->count == b->count;
    case SPOOL_ARGS:
        return true; /* head.a, compared above, is their number */
    case SPOOL_REPEAT:
        return ((const struct spool_repeat *)(const void *)kept)->calls ==
               ((const struct spool_repeat *)(const void *)record)->calls;
    default:
        return false;
    }
}

static struct spool_loop_step step_of(const struct spool_head *record)
{
    const struct spool_event *event = (const void *)record;
    const struct spool_done *done = (const void *)record;
    const struct spool_recv_half *half = (const void *)record;

    switch (record->kind) {
    case SPOOL_EVENT:
        return (struct spool_loop_step){event->request, (uint32_t)event->tag};
    case SPOOL_DONE:
        return (struct spool_loop_step){done->request, (uint32_t)done->tag};
    default:
        CORE_CHECK_HOT(record->kind == SPOOL_RECV_HALF);
        return (struct spool_loop_step){0, (uint32_t)half->tag};
    }
}

static void step_put(struct spool_head *record, struct spool_loop_step value)
{
    struct spool_event *event = (void *)record;
    struct spool_done *done = (void *)record;
    struct spool_recv_half *half = (void *)record;

    switch (record->kind) {
    case SPOOL_EVENT:
        event->request = value.request;
        event->tag = (int32_t)value.tag;
        return;
    case SPOOL_DONE:
        done->request = value.request;
        done->tag = (int32_t)value.tag;
        return;
    default:
        CORE_CHECK_HOT(record->kind == SPOOL_RECV_HALF);
        half->tag = (int32_t)value.tag;
    }
}

/* Finds the values of a list or of arguments: returns their number, their size and address. */
static uint32_t values_of(struct spool_head *record, uint32_t *out_bytes, void **out_value)
{
    struct spool_list *list = (void *)record;

    if (record->kind == SPOOL_ARGS) {
        *out_bytes = 8;
        *out_value = (struct spool_args *)(void *)record + 1;
        return record->a;
    }
    *out_bytes = record->b;
    *out_value = list + 1;
    return record->kind == SPOOL_LIST ? list->count : 0;
}

/* value[i] += times * step[i], wrapping. */
static void values_add(void *value, const void *step, uint32_t count, uint32_t bytes,
                       uint64_t times)
{
    uint64_t *wide = value;
    uint32_t *small = value;
    const uint64_t *wide_step = step;
    const uint32_t *small_step = step;

    for (uint32_t i = 0; i < count; i++)
        if (bytes == 8)
            wide[i] += times * wide_step[i];
        else
            small[i] += (uint32_t)times * small_step[i];
}

/* step[i] = to[i] - from[i] */
static void values_learn(void *step, const void *to, const void *from, uint32_t count,
                         uint32_t bytes)
{
    memcpy(step, to, (size_t)count * bytes);
    values_add(step, from, count, bytes, UINT64_MAX);
}

static bool values_are(const void *kept, const void *step, const void *value, uint32_t count,
                       uint32_t bytes)
{
    const uint64_t *wide = kept, *wide_step = step, *wide_value = value;
    const uint32_t *small = kept, *small_step = step, *small_value = value;

    for (uint32_t i = 0; i < count; i++)
        if (bytes == 8 ? wide[i] + wide_step[i] != wide_value[i]
                       : small[i] + small_step[i] != small_value[i])
            return false;
    return true;
}

static bool has_values(uint16_t kind)
{
    return kind == SPOOL_LIST || kind == SPOOL_ARGS;
}

static bool has_step(uint16_t kind)
{
    return kind == SPOOL_EVENT || kind == SPOOL_DONE || kind == SPOOL_RECV_HALF;
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* Learns the item's steps. Returns false if it does not resemble that of the stored round. */
static bool item_learn(struct spool_loop *loop, const struct spool_head *record)
{
    struct spool_head *kept = spool_loop_record(loop, loop->next);
    uint64_t seq = *((const uint64_t *)(const void *)record + 1),
             seq_step = seq - *spool_loop_seq(kept);

    if (kept->words != record->words || !item_like(kept, record) ||
        (loop->next && seq_step != loop->seq_step))
        return false;
    loop->seq_step = seq_step;
    if (has_step(record->kind)) {
        struct spool_loop_step to = step_of(record), from = step_of(kept);
        *(struct spool_loop_step *)spool_loop_steps(kept) =
            (struct spool_loop_step){to.request - from.request, to.tag - from.tag};
    } else if (has_values(record->kind)) {
        void *value;
        uint32_t bytes, count = values_of(kept, &bytes, &value);
        values_learn(spool_loop_steps(kept), record + ((char *)value - (char *)kept) / 8, value,
                     count, bytes);
    }
    memcpy(kept, record, record->words * 8ul);
    return true;
}

void spool_loop_feed(struct spool_loop *loop, const struct spool_head *record)
{
    CORE_CHECK_HOT(spool_loop_is_item(record->kind));
    CORE_CHECK_HOT(loop->state == SPOOL_LOOP_NONE || loop->next < loop->count);
    if (loop->state == SPOOL_LOOP_NONE)
        return;
    if (loop->state == SPOOL_LOOP_TAKES)
        item_take(loop, record);
    else if (loop->state == SPOOL_LOOP_GOES || !item_learn(loop, record))
        spool_loop_end(loop);
    if (loop->state == SPOOL_LOOP_NONE || ++loop->next < loop->count)
        return;
    loop->next = 0;
    loop->state++;
    if (!loop->bounded)
        spool_loop_end(loop);
}

static void item_advance(struct spool_loop *loop, struct spool_head *kept, uint64_t rounds)
{
    *spool_loop_seq(kept) += rounds * loop->seq_step;
    if (has_step(kept->kind)) {
        const struct spool_loop_step *step = spool_loop_steps(kept);
        struct spool_loop_step now = step_of(kept);
        now.request += (uint32_t)rounds * step->request;
        now.tag += (uint32_t)rounds * step->tag;
        step_put(kept, now);
    } else if (has_values(kept->kind)) {
        void *value;
        uint32_t bytes, count = values_of(kept, &bytes, &value);
        values_add(value, spool_loop_steps(kept), count, bytes, rounds);
    }
}

struct spool_head *spool_loop_advance(struct spool_loop *loop)
{
    struct spool_head *kept = spool_loop_record(loop, loop->next);

    CORE_CHECK_HOT(loop->state == SPOOL_LOOP_GOES); /* invariant 2 */
    item_advance(loop, kept, 1);
    loop->next = spool_loop_after(loop, loop->next);
    return kept;
}

bool spool_loop_part_comes(struct spool_loop *loop, const struct spool_head *record,
                           const void *values)
{
    struct spool_head *kept = spool_loop_record(loop, loop->next);
    uint64_t seq = *((const uint64_t *)(const void *)record + 1);

    CORE_CHECK_HOT(loop->state == SPOOL_LOOP_GOES);
    if (seq != *spool_loop_seq(kept) + loop->seq_step || !item_like(kept, record))
        return false;
    if (record->kind == SPOOL_RECV_HALF) {
        const struct spool_loop_step *step = spool_loop_steps(kept);
        if (step_of(record).tag != step_of(kept).tag + step->tag)
            return false;
    } else if (has_values(record->kind)) {
        void *value;
        uint32_t bytes, count = values_of(kept, &bytes, &value);
        if (!values_are(value, spool_loop_steps(kept), values, count, bytes))
            return false;
    }
    spool_loop_advance(loop);
    return true;
}

void spool_loop_advance_rounds(struct spool_loop *loop, uint64_t rounds)
{
    CORE_CHECK_HOT(loop->state == SPOOL_LOOP_GOES);
    for (uint32_t i = 0; i < loop->count; i++)
        item_advance(loop, spool_loop_record(loop, i), rounds);
}

void spool_loop_copy(struct spool_loop *to, const struct spool_loop *from)
{
    memcpy(to, from, offsetof(struct spool_loop, item));
    if (from->state == SPOOL_LOOP_NONE)
        return;
    uint32_t items = from->state == SPOOL_LOOP_TAKES ? from->next : from->count;
    CORE_CHECK_HOT(items <= SPOOL_LOOP_ITEMS_MAX && from->words <= SPOOL_LOOP_WORDS_MAX);
    memcpy(to->item, from->item, items * sizeof *to->item);
    memcpy(to->word, from->word, from->words * sizeof *to->word);
}

/* --- what counts up --------------------------------------------------------------------------- */

/* Finds the common step of all requests of a list; false: they differ. Members without a request
 * are 0. */
static bool list_step(const struct spool_list *list, const void *steps, uint32_t *out_step,
                      bool *out_any)
{
    const uint32_t *value = (const void *)(list + 1), *step = steps;

    CORE_CHECK(list->head.b == sizeof *value); /* is_requests */
    *out_any = false;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!value[i] && step[i])
            return false;
        if (!value[i])
            continue;
        if (*out_any && step[i] != *out_step)
            return false;
        *out_step = step[i];
        *out_any = true;
    }
    return true;
}

static bool values_stay(const void *steps, size_t bytes)
{
    const unsigned char *byte = steps;

    for (size_t i = 0; i < bytes; i++)
        if (byte[i])
            return false;
    return true;
}

/* Tells whether arguments are the same in each round, or are requests that all have this step. */
static bool args_stay(struct spool_head *record, uint32_t step)
{
    const uint64_t *steps = spool_loop_steps(record), *value;
    void *at;
    uint32_t bytes, count = values_of(record, &bytes, &at);

    if (!(record->b & SPOOL_ARGS_REQUESTS))
        return values_stay(steps, (size_t)count * bytes);
    value = at;
    for (uint32_t i = 0; i < count; i++)
        if (steps[i] != (value[i] ? step : 0))
            return false;
    return true;
}

static bool is_requests(const struct spool_head *record)
{
    return record->kind == SPOOL_LIST && record->a == SPOOL_LIST_REQUESTS && record->b == 4;
}

/* Tells whether a part of a call is the same in each round, except for requests, whose step must be
 * `step`. */
static bool part_stays(struct spool_head *record, uint32_t step)
{
    const struct spool_list *list = (const void *)record;
    const struct spool_loop_step *steps = spool_loop_steps(record);
    uint32_t listed;
    bool any;

    CORE_CHECK(record->kind != SPOOL_EVENT); /* event_step handles events */
    switch (record->kind) {
    case SPOOL_DONE:
        return !steps->tag &&
               (((const struct spool_done *)(const void *)record)->request ? steps->request == step
                                                                           : !steps->request);
    case SPOOL_RECV_HALF:
        return !steps->tag;
    case SPOOL_ARGS:
        return args_stay(record, step);
    case SPOOL_LIST:
        if (!is_requests(record))
            return values_stay(steps, (size_t)list->count * record->b);
        return list_step(list, steps, &listed, &any) && (!any || listed == step);
    default:
        return record->kind == SPOOL_REPEAT;
    }
}

bool spool_loop_event_step(struct spool_loop *loop, uint32_t at, uint32_t *out_step)
{
    struct spool_head *event = spool_loop_record(loop, at);
    const struct spool_loop_step *own = spool_loop_steps(event);
    uint64_t seq = *spool_loop_seq(event);
    bool any = false;

    CORE_CHECK(event->kind == SPOOL_EVENT);
    if (own->tag)
        return false;
    *out_step = own->request;
    if (!((const struct spool_event *)(const void *)event)->request && own->request)
        return false;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < loop->count; i++) {
            struct spool_head *part = spool_loop_record(loop, i);
            uint64_t of = *spool_loop_seq(part);
            if (part->kind == SPOOL_EVENT ||
                (of != seq && of + loop->seq_step != seq && of != seq + loop->seq_step))
                continue;
            if (pass == 0 && is_requests(part) && !any &&
                !list_step((const void *)part, spool_loop_steps(part), out_step, &any))
                return false;
            if (pass == 1 && !part_stays(part, *out_step))
                return false;
        }
    return true;
}
