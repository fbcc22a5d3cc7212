/* See core/spool/spool_sum.h. */
#include "core/spool/spool_sum.h"

#include <string.h>

#include "core/spool/spool_write.h"

enum {
    OPEN_MAX = 256,     /* requests under way in a round */
    ROUNDS_MIN = 32,    /* kept at the start in any case */
    TAIL_PART = 8,      /* at most one in so many bytes of the ring stays there */
    WORTH = 2,          /* a sum takes at most one in so many bytes of its span */
    STEPS_MAX = 1 << 20 /* to look at requests */
};

/* --- the record ------------------------------------------------------------------------------- */

static size_t times_bytes(const struct spool_sum_times *times)
{
    return sizeof *times + ((size_t)times->logs * sizeof(uint16_t) + 7) / 8 * 8;
}

const struct spool_sum_times *spool_sum_times_next(const struct spool_sum_times *times,
                                                   const void *end)
{
    const char *at = (const void *)times;
    size_t left = (size_t)((const char *)end - at);

    if (left < sizeof *times || left < times_bytes(times))
        return NULL;
    return (const void *)(at + times_bytes(times));
}

bool spool_sum_fits(const struct spool_sum *sum)
{
    const uint64_t *end = (const uint64_t *)(const void *)sum + sum->head.words;
    const struct spool_sum_times *times = (const void *)(sum + 1);

    if (!sum->head.a || sum->head.a > SPOOL_SUM_CALLS_MAX || !sum->rounds || sum->span % 8 ||
        sum->span < sum->head.words * 8ul || sum->rounds > UINT16_MAX || sum->span >> 40 ||
        sum->lasted >> 62 || sum->enter > sum->lasted)
        return false;
    for (uint32_t i = 0; i <= sum->head.a; i++) {
        const struct spool_sum_times *next = spool_sum_times_next(times, end);
        uint64_t rounds = 0;
        if (!next || times->log + times->logs > SPOOL_LOGS || times->least > times->most ||
            times->most > times->total || times->total >> 62)
            return false;
        for (uint32_t k = 0; k < times->logs; k++)
            rounds += ((const uint16_t *)(const void *)(times + 1))[k];
        if (rounds != sum->rounds)
            return false;
        times = next;
    }
    return (const void *)times == (const void *)end;
}

/* --- which loops ------------------------------------------------------------------------------ */

struct open_requests {
    uint32_t id[OPEN_MAX];
    uint32_t count;
    bool many; /* more than OPEN_MAX, or too many steps to look at them */
    uint32_t steps;
};

static void request_opens(struct open_requests *open, uint32_t id)
{
    CORE_CHECK_HOT(open->count <= OPEN_MAX);
    if (!id)
        return;
    for (uint32_t i = 0; i < open->count; i++, open->steps++)
        if (open->id[i] == id)
            return;
    open->many = open->many || open->count == OPEN_MAX || open->steps > STEPS_MAX;
    if (!open->many)
        open->id[open->count++] = id;
}

static void request_closes(struct open_requests *open, uint32_t id)
{
    CORE_CHECK_HOT(open->count <= OPEN_MAX);
    for (uint32_t i = 0; i < open->count; i++, open->steps++)
        if (open->id[i] == id) {
            open->id[i] = open->id[--open->count];
            return;
        }
}

/* Handles the requests of an item, `rounds` rounds later. A call that completes one of its requests
 * begins none; other calls may begin those that they name. */
static void item_requests(struct open_requests *open, const struct spool_loop *loop,
                          struct spool_head *record, uint32_t rounds, uint64_t *completing)
{
    uint64_t seq = *spool_loop_seq(record) + (int32_t)rounds * loop->seq_step;
    const struct spool_loop_step *step = spool_loop_steps(record);
    const struct spool_list *list = (const void *)record;
    const uint32_t *steps = (const void *)step, *value = (const void *)(list + 1);

    if (record->kind == SPOOL_DONE) {
        const struct spool_done *done = (const void *)record;
        request_closes(open, done->request + rounds * step->request);
        *completing = seq;
    } else if (record->kind == SPOOL_EVENT) {
        const struct spool_event *event = (const void *)record;
        if (seq != *completing && event->request)
            request_opens(open, event->request + rounds * step->request);
    } else if (record->kind == SPOOL_LIST && record->a == SPOOL_LIST_REQUESTS && record->b == 4) {
        for (uint32_t i = 0; i < list->count; i++)
            request_opens(open, value[i] ? value[i] + rounds * steps[i] : 0);
    }
}

static bool loop_counts_up(struct spool_loop *loop, uint32_t *out_calls)
{
    uint32_t calls = 0, step;

    for (uint32_t i = 0; i < loop->count; i++) {
        struct spool_head *record = spool_loop_record(loop, i);
        if (record->kind == SPOOL_REPEAT)
            return true;
        if (record->kind != SPOOL_EVENT)
            continue;
        if (++calls > SPOOL_SUM_CALLS_MAX || !spool_loop_event_step(loop, i, &step))
            return true;
    }
    *out_calls = calls;
    return loop->seq_step != calls;
}

/* Tells whether the calls of a round that begins after item `last` have consecutive numbers. */
static bool numbers_follow(struct spool_loop *loop, uint32_t last)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (uint32_t i = 0; i < loop->count; i++) {
        struct spool_head *record = spool_loop_record(loop, i);
        if (record->kind != SPOOL_EVENT)
            continue;
        uint64_t seq = *spool_loop_seq(record) - (i >= loop->next ? 0 : loop->seq_step) +
                       (i > last ? 0 : loop->seq_step);
        least = seq < least ? seq : least;
        most = seq > most ? seq : most;
    }
    return most - least < loop->seq_step;
}

/* Tells whether rounds of this loop can be summed up, and finds the number of calls of a round, and
 * the number of the call, in the order of the lane from the loop's first item on, at which a round
 * begins and ends with nothing under way. */
static bool loop_is_summable(struct spool_loop *loop, uint32_t *out_calls, uint32_t *out_first)
{
    struct open_requests open = {.count = 0};
    uint64_t completing = 0;
    uint32_t parts = loop->count; /* of a call whose event is in the next round */

    CORE_CHECK(loop->state == SPOOL_LOOP_GOES);
    if (loop_counts_up(loop, out_calls))
        return false;
    while (spool_loop_record(loop, parts - 1)->kind != SPOOL_EVENT)
        parts--;
    for (uint32_t i = parts; i < loop->count; i++)
        item_requests(&open, loop, spool_loop_record(loop, i), i >= loop->next ? -1u : -2u,
                      &completing);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0, call = 0; i < loop->count && !open.many; i++) {
            struct spool_head *record = spool_loop_record(loop, i);
            item_requests(&open, loop, record, i >= loop->next ? round : round - 1, &completing);
            if (record->kind != SPOOL_EVENT)
                continue;
            call++;
            if (round && !open.count && numbers_follow(loop, i)) {
                *out_first = call % *out_calls;
                return true;
            }
        }
    return false;
}

/* --- the writer's side ------------------------------------------------------------------------ */

void spool_writer_sums(struct spool_writer *writer)
{
    struct spool_summer *summer = &writer->summer;

    CORE_CHECK(!summer->goes && writer->header->tick_hz && writer->header->world_size > 0);
    summer->on = !writer->newest;
    summer->ranks = writer->header->world_size;
    summer->ns_per_tick =
        (uint64_t)(((unsigned __int128)1000000000 << 32) / writer->header->tick_hz);
}

void spool_sum_begin(struct spool_writer *writer)
{
    struct spool_summer *summer = &writer->summer;

    if (!summer->on)
        return;
    summer->goes = true;
    summer->known = summer->in_round = summer->kept = summer->held = false;
    summer->position = writer->position;
    summer->plain = true;
    summer->own_end = 0;
    summer->sum_rounds = 0;
}

void spool_sum_end(struct spool_writer *writer)
{
    writer->summer.goes = false;
}

static int64_t ns_of(const struct spool_summer *summer, uint64_t ticks)
{
    if (__builtin_expect(!(ticks >> 31 | summer->ns_per_tick >> 33), 1))
        return (int64_t)(ticks * summer->ns_per_tick >> 32);
    unsigned __int128 ns = (unsigned __int128)ticks * summer->ns_per_tick >> 32;

    return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static void call_add(const struct spool_summer *summer, struct spool_sum_call *of, uint64_t ticks)
{
    of->total += ticks;
    if (__builtin_expect(ticks < of->least, 0))
        of->least = ticks;
    if (__builtin_expect(ticks > of->most, 0))
        of->most = ticks;
    of->log[spool_slow_log(ns_of(summer, ticks))]++;
}

/* --- rounds of small records ------------------------------------------------------------------ */
/* Most rounds have a word for each call, and are not slow. rounds_pass reads them in one go; what
 * they add is added call by call, a batch of consecutive rounds at a time. */

static bool next_is_small(const struct spool_head *head)
{
    static const struct spool_head small = {SPOOL_NEXT, 1, 0, 0};
    uint32_t a, b;

    _Static_assert(offsetof(struct spool_head, a) == sizeof a,
                   "kind and words are compared at once");
    memcpy(&a, head, sizeof a);
    memcpy(&b, &small, sizeof b);
    return a == b;
}

/* Returns the records of a round of small records at a position; NULL: it goes round the ring's
 * end. */
static const struct spool_head *small_at(const struct spool_writer *writer, uint64_t position,
                                         uint64_t bytes)
{
    uint64_t at = position & writer->mask;

    CORE_CHECK_HOT(position % sizeof(struct spool_head) == 0);
    return writer->mask + 1 - at < bytes ? NULL : (const void *)(writer->ring + at);
}

/* Adds up the times of small records. Returns false if one of them is not small. */
static bool small_pass(const struct spool_head *head, uint32_t count, uint64_t *lasted)
{
    uint64_t sum = 0;

    for (const struct spool_head *end = head + count; head < end; head++) {
        if (__builtin_expect(!next_is_small(head), 0))
            return false;
        sum += (uint64_t)head->a + head->b;
    }
    *lasted += sum;
    return true;
}

/* Adds the batch to the sums. */
static void batch_add(struct spool_writer *writer)
{
    struct spool_summer *summer = &writer->summer;
    uint64_t bytes = summer->batch_end - summer->batch_start,
             rounds = bytes / sizeof(struct spool_head) / summer->calls;
    const struct spool_head *head = small_at(writer, summer->batch_start, bytes);

    CORE_CHECK_HOT(head && (!rounds || summer->ns_per_tick >> 33 == 0)); /* round_batch */
    summer->batch_start = summer->batch_end;
    for (uint32_t i = 0; i < summer->calls && rounds; i++) {
        struct spool_sum_call *of = &writer->large.of[i];
        uint64_t total = 0, least = of->least, most = of->most;
        const struct spool_head *call = head + i;
        for (uint64_t left = rounds; left; left--, call += summer->calls) {
            uint64_t ticks = call->b;
            total += ticks;
            least = ticks < least ? ticks : least;
            most = ticks > most ? ticks : most;
            of->log[spool_slow_log((int64_t)(ticks * summer->ns_per_tick >> 32))]++;
        }
        of->total += total;
        of->least = least;
        of->most = most;
    }
}

/* Puts a round into the batch; false: its records are not small. */
static bool round_batch(struct spool_writer *writer, const struct spool_sum_round *round)
{
    struct spool_summer *summer = &writer->summer;

    if (round->end - round->start != summer->calls * sizeof(struct spool_head) ||
        summer->ns_per_tick >> 33)
        return false;
    if (summer->batch_end != round->start ||
        !small_at(writer, summer->batch_start, round->end - summer->batch_start)) {
        batch_add(writer);
        if (!small_at(writer, round->start, round->end - round->start))
            return false;
        summer->batch_start = round->start;
    }
    summer->batch_end = round->end;
    return true;
}

/* --- sums ------------------------------------------------------------------------------------- */

/* Adds the times of a round, whose records are still in the ring. */
static void round_sum(struct spool_writer *writer, const struct spool_sum_round *round)
{
    struct spool_summer *summer = &writer->summer;
    struct spool_sum_call *of = writer->large.of;
    uint64_t gap;

    CORE_CHECK_HOT(!summer->sum_rounds || summer->sum_end == round->start); /* invariant 1 */
    if (!summer->sum_rounds) {
        for (uint32_t i = 0; i <= summer->calls; i++)
            of[i] = (struct spool_sum_call){.least = UINT64_MAX};
        summer->sum_start = round->start;
        summer->sum_enter = round->enter;
        summer->sum_lasted = 0;
        summer->batch_start = summer->batch_end = round->start;
    }
    bool batch = round_batch(writer, round);
    for (uint64_t at = round->start; !batch && at < round->end;) {
        const void *record = writer->ring + (at & writer->mask);
        const struct spool_head *head = record;
        uint64_t lasted = head->b;
        at += head->words * 8ul;
        if (head->kind != SPOOL_NEXT)
            continue;
        if (__builtin_expect(head->words > 1, 0))
            spool_next_times(head, &gap, &lasted);
        call_add(summer, of++, lasted);
    }
    CORE_CHECK_HOT(batch || of == writer->large.of + summer->calls); /* a whole round */
    call_add(summer, &writer->large.of[summer->calls], round->lasted);
    summer->sum_lasted += round->lasted;
    summer->sum_end = round->end;
    summer->sum_rounds++;
}

static struct spool_sum_times *times_put(struct spool_sum_times *at,
                                         const struct spool_sum_call *of)
{
    uint16_t first = 0, end = SPOOL_LOGS;

    CORE_CHECK_HOT(of->least <= of->most); /* it has a round */
    while (!of->log[first])
        first++;
    while (!of->log[end - 1])
        end--;
    *at = (struct spool_sum_times){.total = of->total,
                                   .least = of->least,
                                   .most = of->most,
                                   .log = first,
                                   .logs = (uint16_t)(end - first)};
    memset(at + 1, 0, times_bytes(at) - sizeof *at);
    memcpy(at + 1, &of->log[first], at->logs * sizeof of->log[0]);
    return (void *)((char *)at + times_bytes(at));
}

/* Writes the sum so far, if it saves enough; otherwise its rounds are written as they are. */
static bool sum_write(struct spool_writer *writer)
{
    struct spool_summer *summer = &writer->summer;
    struct spool_summer_large *large = &writer->large;
    struct spool_sum *sum = (void *)large->word;
    struct spool_sum_times *at = (void *)(sum + 1);
    const char *limit =
        (const char *)large->word + sizeof large->word - sizeof *at - SPOOL_LOGS * sizeof(uint16_t);
    uint64_t rounds = summer->sum_rounds, span = summer->sum_end - summer->sum_start;

    if (rounds)
        batch_add(writer);
    summer->sum_rounds = 0;
    for (uint32_t i = 0; rounds && i <= summer->calls; i++) {
        if ((const char *)at > limit)
            return true;
        at = times_put(at, &large->of[i]);
    }
    uint64_t words = (uint64_t)((uint64_t *)(void *)at - large->word);
    if (!rounds || words * 8 * WORTH > span)
        return true;
    *sum = (struct spool_sum){.head = {SPOOL_SUM, (uint16_t)words, (uint16_t)summer->calls, 0},
                              .span = span,
                              .rounds = rounds,
                              .enter = summer->sum_enter,
                              .lasted = summer->sum_lasted};
    CORE_CHECK_HOT(spool_sum_fits(sum));
    return spool_drain_plain(writer, summer->sum_start) &&
           spool_drain_sum(writer, &sum->head, summer->sum_end);
}

/* Handles a whole round: holds it back, and sums up the one before, unless one of the two is to be
 * written as it is. */
static bool round_take(struct spool_writer *writer)
{
    struct spool_summer *summer = &writer->summer;
    const struct spool_sum_round *round = &summer->round[summer->now];
    bool slow = spool_slow_round(&summer->slow, ns_of(summer, round->lasted)),
         keeps =
             slow || summer->kept || !summer->plain || summer->slow.rounds <= summer->rounds_kept;

    summer->kept = slow || !summer->plain;
    if (keeps) {
        summer->held = false;
        return sum_write(writer);
    }
    if (summer->held)
        round_sum(writer, &summer->round[!summer->now]);
    summer->held = true;
    summer->now = !summer->now;
    return true;
}

/* Handles the end of a round, at `position`. */
static bool round_end(struct spool_writer *writer, uint64_t position)
{
    struct spool_summer *summer = &writer->summer;
    struct spool_sum_round *round = &summer->round[summer->now];
    bool good = true;

    summer->next = 0;
    summer->own_end -= (int64_t)round->lasted;
    round->end = position;
    summer->plain = summer->plain && round->lasted >> 40 == 0 && round->enter <= round->lasted;
    if (summer->in_round)
        good = round_take(writer);
    round = &summer->round[summer->now];
    round->start = position;
    round->lasted = 0;
    summer->in_round = summer->plain = true;
    return good;
}

/* Notes whether a call of the application lies in another one. */
static void call_look(struct spool_writer *writer, uint64_t gap, uint64_t lasted)
{
    struct spool_summer *summer = &writer->summer;
    int64_t enter = (int64_t)(summer->round[summer->now].lasted + gap);

    if (!summer->inner) {
        summer->plain = false;
        return;
    }
    if (!writer->large.own[summer->next])
        return;
    summer->plain = summer->plain && enter >= summer->own_end;
    summer->own_end = enter + (int64_t)lasted;
}

/* Tells whether the last round is held, and may join the batch at the end of a sum. */
static bool rounds_may_pass(const struct spool_writer *writer)
{
    const struct spool_summer *summer = &writer->summer;
    const struct spool_sum_round *held = &summer->round[!summer->now];

    return summer->held && summer->sum_rounds && summer->batch_end == held->start &&
           summer->batch_start < summer->batch_end && !summer->inner &&
           held->end - held->start == summer->calls * sizeof(struct spool_head) &&
           small_at(writer, summer->batch_start, held->end - summer->batch_start);
}

/* Returns how many rounds can be read in one go: as far as records are committed, up to the ring's
 * end, and before the next look at which rounds are slow. */
static uint64_t rounds_ahead(const struct spool_writer *writer, uint64_t committed)
{
    const struct spool_summer *summer = &writer->summer;
    const struct spool_slow *slow = &summer->slow;
    uint64_t bytes = committed - summer->position,
             whole = writer->mask + 1 - (summer->position & writer->mask),
             look = slow->look_at < slow->clear_at ? slow->look_at : slow->clear_at;

    CORE_CHECK_HOT(summer->position <= committed);
    bytes = bytes < whole ? bytes : whole;
    uint64_t rounds = bytes / sizeof(struct spool_head) / summer->calls;
    return look <= slow->rounds + 1           ? 0
           : rounds < look - slow->rounds - 1 ? rounds
                                              : look - slow->rounds - 1;
}

/* Passes the rounds that follow, as long as they are small and not slow: sums up the one that is
 * held, and holds the next one. */
static void rounds_pass(struct spool_writer *writer, uint64_t committed)
{
    struct spool_summer *summer = &writer->summer;
    struct spool_slow *slow = &summer->slow;
    struct spool_sum_round held = summer->round[!summer->now];
    struct spool_sum_call *of = &writer->large.of[summer->calls], sum = {.least = UINT64_MAX};
    const uint64_t bytes = summer->calls * sizeof(struct spool_head),
                   most = rounds_ahead(writer, committed);
    const struct spool_head *head = small_at(writer, summer->position, 0);
    int held_log = spool_slow_log(ns_of(summer, held.lasted));
    uint64_t rounds = 0;

    for (; rounds < most; rounds++, head += summer->calls) {
        uint64_t lasted = 0;
        if (!small_pass(head, summer->lead, &lasted))
            break;
        uint64_t enter = lasted + head[summer->lead].a;
        if (!small_pass(head + summer->lead, summer->calls - summer->lead, &lasted))
            break;
        int64_t duration = (int64_t)(lasted * summer->ns_per_tick >> 32);
        if (__builtin_expect(duration > slow->quick, 0))
            break;
        sum.total += held.lasted;
        sum.least = held.lasted < sum.least ? held.lasted : sum.least;
        sum.most = held.lasted > sum.most ? held.lasted : sum.most;
        of->log[held_log]++;
        slow->log[held_log = spool_slow_log(duration)]++;
        held.lasted = lasted;
        held.enter = enter;
    }
    if (!rounds)
        return;
    CORE_CHECK_HOT(summer->position == held.end && summer->sum_end == held.start);
    slow->rounds += rounds;
    of->total += sum.total;
    of->least = sum.least < of->least ? sum.least : of->least;
    of->most = sum.most > of->most ? sum.most : of->most;
    summer->sum_lasted += sum.total;
    summer->sum_rounds += rounds;
    summer->position += rounds * bytes;
    held.end = summer->position;
    held.start = summer->sum_end = summer->batch_end = held.end - bytes;
    summer->round[!summer->now] = held;
    summer->round[summer->now].start = summer->position;
}

/* Reads the committed records of the loop. */
static bool records_take(struct spool_writer *writer, uint64_t committed)
{
    struct spool_summer *summer = &writer->summer;
    struct spool_sum_round *round = &summer->round[summer->now];
    bool good = true;

    while (good && summer->position < committed) {
        const void *at = writer->ring + (summer->position & writer->mask);
        const struct spool_head *head = at;
        uint64_t gap = head->a, lasted = head->b;
        CORE_CHECK_HOT(head->words > 0);
        summer->position += head->words * 8ul;
        if (__builtin_expect(head->kind != SPOOL_NEXT, 0)) {
            summer->plain =
                summer->plain && (head->kind == SPOOL_NEXT_PARTS || head->kind == SPOOL_PAD);
            continue;
        }
        if (__builtin_expect(head->words > 1, 0))
            spool_next_times(head, &gap, &lasted);
        if (__builtin_expect(summer->inner || (int64_t)gap < 0, 0))
            call_look(writer, gap, lasted);
        if (summer->next == summer->lead)
            round->enter = round->lasted + gap;
        round->lasted += gap + lasted;
        if (++summer->next < summer->calls)
            continue;
        good = round_end(writer, summer->position);
        if (good && rounds_may_pass(writer))
            rounds_pass(writer, committed);
        round = &summer->round[summer->now];
    }
    return good;
}

/* Finds out whether the loop may be summed up. */
static void loop_know(struct spool_writer *writer)
{
    struct spool_summer *summer = &writer->summer;
    struct spool_loop *loop = &writer->again.loop;
    uint64_t least = UINT64_MAX;
    uint32_t call = 0, first;

    summer->known = true;
    summer->fits = loop_is_summable(loop, &summer->calls, &first);
    if (!summer->fits)
        return;
    summer->next = first ? summer->calls - first : 0;
    summer->inner = false;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct spool_head *record = spool_loop_record(loop, i);
        const struct spool_event *event = (const void *)record;
        if (record->kind != SPOOL_EVENT)
            continue;
        uint32_t at = (summer->next + call) % summer->calls;
        uint64_t seq = event->seq - (i >= loop->next ? 0 : loop->seq_step) +
                       (call++ >= first ? 0 : loop->seq_step);
        writer->large.own[at] = !event->parent;
        summer->inner = summer->inner || event->parent;
        summer->lead = seq < least ? at : summer->lead;
        least = seq < least ? seq : least;
    }
    spool_slow_begin(&summer->slow, spool_slow_share(summer->ranks));
    summer->rounds_kept = spool_slow_kept(summer->slow.share, summer->calls);
    if (summer->rounds_kept < ROUNDS_MIN)
        summer->rounds_kept = ROUNDS_MIN;
    summer->round[summer->now].lasted = 0;
}

bool spool_sum_drain(struct spool_writer *writer)
{
    struct spool_summer *summer = &writer->summer;
    uint64_t committed = atomic_load(&writer->header->committed);

    CORE_CHECK_HOT(!summer->goes || summer->on);
    if (summer->goes && !summer->known)
        loop_know(writer);
    if (!summer->goes || !summer->fits || summer->position > committed)
        return spool_drain_plain(writer, committed);
    if (!records_take(writer, committed) || !sum_write(writer))
        return false;
    if (committed - atomic_load(&writer->header->drained) <= (writer->mask + 1) / TAIL_PART)
        return true; /* the rounds that go and that are held stay in the ring */
    summer->held = summer->in_round = false;
    return spool_drain_plain(writer, committed);
}
