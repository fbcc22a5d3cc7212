/* Folds the loops of a rank: if the last calls repeat, round after round, their rows become a
 * `loop` and parts of it (core/trace/trace_schema.sql). All information of the rows is kept,
 * including times; the rest repeats from round to round and is stored once. Rounds whose times
 * store_sum.c sums up have no rows; this file only finds their place in the loop.
 *
 * A call's code is what a round repeats: its shape, the distance of its request from that of the
 * last call with a request, the number of polls that it represents, its tag. If a call's code
 * differs from the one a period ago, the fold searches for a new period: back to where the last 32,
 * 8 or 1 calls had the same codes. After a round has come three times, it is the loop's round, from
 * the next call on. A call that is not the loop's next call keeps its own row, and the loop
 * continues after it. If calls are skipped again and again in a stretch that repeats, the stretch
 * is the new loop: e.g. in the first rounds the insides of collectives were recorded.
 *
 * Rows outside of a loop wait until it is known whether a loop begins with them: if so, they join
 * its first part.
 *
 * In a job of many ranks, each keeps the times of few rounds. The rounds behind these that come
 * call by call, before the recorder knew the loop, make a spare part: its calls join the sums if
 * the next rounds are summed up, otherwise they become parts.
 *
 * E.g. Irecv Isend Waitall, Irecv Isend Waitall...: period 3. After the 32nd call that equals the
 * one a period before, the last 35 calls wait, and 33 of them are the first 11 rounds of the first
 * part.
 *
 * Invariants
 *  1. Each row goes to exactly one of event_row and event_part, and parts unfold to the rows that
 *     were put: a call joins a part only if what the loop predicts for it equals its row.
 *  2. part.row[0, part.count) have consecutive numbers.
 *  3. Between ranks no state is left.
 *  4. The rows that wait are the last ones that were put, and none waits while a part has calls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/random.h"
#include "core/trace/trace.h"
#include "store/store_part.h"

enum {
    HISTORY = 1 << 13,        /* codes remembered */
    PERIOD_MAX = HISTORY / 2, /* calls per round */
    ROUNDS_MIN = 2,           /* rounds that equal the one before, */
    RUN_MIN = 32,             /* and calls that do, to make a loop */
    PLACE_BITS = 12,          /* for contexts of each length */
    WAITS_MAX = 1 << 9,       /* rows outside of a loop that are not written yet */
    PART_CALLS = 120,         /* five parts fill a page, or four with long times */
    PART_MIN = 8,             /* fewer calls make no part */
    SPARE_CALLS = 512,
    PART_SETTLED = 64, /* from this many calls on, a longer call gets its own row */
    NEAR = 16,         /* calls of a loop that may be skipped, */
    MISSES_MAX = 64,   /* and foreign calls in a row, before the loop ends */
    CONTEXTS = 3,
    WORTH = 4 /* one call in so many must be in a loop, or no loops are kept */
};
_Static_assert((int)PART_CALLS <= (int)TRACE_PART_CALLS_MAX, "readers take no more");
#define REQUEST_MAX (INT64_C(1) << 40) /* prevents overflow of sums */
#define HASH_FACTOR 0x9E3779B97F4A7C15u

static const uint32_t context_calls[CONTEXTS] = {32, 8, 1}; /* powers of two */

struct code {
    int64_t request; /* relative to the call before; STORE_NULL: none */
    int64_t calls, tag;
    uint32_t shape;
};
struct loop_call {   /* hashed as bytes: no padding */
    int64_t request; /* relative to the round's; STORE_NULL: none */
    int64_t calls, tag, shape;
};
struct store_fold {
    struct code code[HISTORY]; /* by call number modulo HISTORY */
    uint64_t hash[HISTORY];
    uint64_t place[CONTEXTS][1 << PLACE_BITS]; /* number + 1 of the last call with this context */
    uint64_t context[CONTEXTS];                /* contexts of the last calls */
    uint64_t count;                            /* codes so far */
    uint64_t period, run; /* the last `run` codes equal those a period before; period 0: none */
    int64_t request;      /* of the last call with a request */
    struct {
        struct loop_call call[PERIOD_MAX];
        uint32_t calls;                 /* per round; 0: there is no loop */
        uint32_t next;                  /* index of the next call */
        uint32_t misses;                /* foreign calls in a row */
        uint64_t skipped;               /* count when calls were last skipped; 0: never */
        uint32_t id;                    /* 0: not written yet */
        uint64_t calls_kept, calls_max; /* in parts so far; then parts are spare. 0: never */
        uint64_t start;                 /* number of the first call of its first round */
        int64_t step;                   /* increment from round to round */
    } loop;
    struct {
        struct store_row row[SPARE_CALLS];
        bool spare;
        uint32_t count, first; /* first: index in the loop of row[0] */
        int64_t request;       /* of the round in which the part begins, */
        bool known;            /* if a call has shown it */
        int enter_bytes, duration_bytes;
        uint64_t enter_end, duration_end; /* upper limits of what they can hold */
        int64_t rounds;                   /* rounds that ended in it */
    } part;
    bool in_rounds; /* the row is of a loop of the recorder */
    struct {        /* calls in the loop whose times the recorder summed up */
        uint64_t calls, seq;
        uint32_t first;  /* index in the loop of the first of them */
        int64_t request; /* of the round in which they begin, if a call has shown it */
        bool known;
        int64_t rounds; /* that ended in it */
        int64_t enter, leave;
    } untimed;
    struct store_row waits[WAITS_MAX]; /* invariant 4; by their count modulo WAITS_MAX */
    uint64_t waits_from, waits_end;
    struct store_intern content; /* loops of all ranks */
    int64_t calls, rows;         /* in parts, and in rows of their own */
    int64_t passed;              /* in no row: their times are summed up */
    int64_t calls_of, rows_of;   /* in parts or no row, and in rows, before the rank's first call */
};

/* --- finding the period ----------------------------------------------------------------------- */

static bool code_equal(const struct code *a, const struct code *b)
{
    return a->shape == b->shape && a->request == b->request && a->calls == b->calls &&
           a->tag == b->tag;
}

static uint64_t code_hash(const struct code *code)
{
    return core_random_mix(((uint64_t)code->request + (uint64_t)code->shape * HASH_FACTOR) ^
                           ((uint64_t)code->calls * HASH_FACTOR + (uint64_t)code->tag));
}

static const struct code *code_at(const struct store_fold *fold, uint64_t number)
{
    CORE_CHECK(number < fold->count && fold->count - number <= HISTORY);
    return &fold->code[number % HISTORY];
}

static uint64_t *place_of(struct store_fold *fold, int context)
{
    CORE_CHECK(context >= 0 && context < CONTEXTS);
    return &fold->place[context][fold->context[context] * HASH_FACTOR >> (64 - PLACE_BITS)];
}

/* Updates the contexts. A context is the sum of the last calls' hashes, each times a power of
 * HASH_FACTOR. */
static void contexts_move(struct store_fold *fold, uint64_t hash)
{
    CORE_CHECK(fold->count > 0); /* the call is counted */
    for (int i = 0; i < CONTEXTS; i++) {
        uint64_t gone = 0, power = HASH_FACTOR;
        for (uint32_t calls = context_calls[i]; calls > 1; calls /= 2)
            power *= power;
        if (fold->count > context_calls[i])
            gone = fold->hash[(fold->count - 1 - context_calls[i]) % HISTORY];
        fold->context[i] = fold->context[i] * HASH_FACTOR + hash - gone * power;
    }
}

/* Searches for a new period: the last call differs from the one a period ago. */
static void period_find(struct store_fold *fold)
{
    uint64_t last = fold->count - 1;

    fold->run = 0;
    for (int i = 0; i < CONTEXTS; i++) {
        uint64_t place = *place_of(fold, i);
        if (!place || last - (place - 1) > PERIOD_MAX ||
            !code_equal(code_at(fold, place - 1), code_at(fold, last)))
            continue;
        fold->period = last - (place - 1);
        for (fold->run = 1; fold->run < RUN_MIN && fold->run + fold->period <= last; fold->run++)
            if (!code_equal(code_at(fold, last - fold->run),
                            code_at(fold, last - fold->run - fold->period)))
                break;
        CORE_CHECK(fold->period > 0 && fold->period <= PERIOD_MAX);
        return;
    }
}

static void code_add(struct store_fold *fold, const struct store_row *row)
{
    struct code code = {.shape = row->shape, .calls = row->calls, .tag = row->tag};
    uint64_t hash;

    CORE_CHECK(row->shape > 0); /* store_intern.c invariant 1 */
    code.request = row->request == STORE_NULL ? STORE_NULL : row->request - fold->request;
    if (row->request != STORE_NULL)
        fold->request = row->request;
    hash = code_hash(&code);
    fold->code[fold->count % HISTORY] = code;
    fold->hash[fold->count % HISTORY] = hash;
    fold->count++;
    contexts_move(fold, hash);
    if (fold->period && fold->period < fold->count &&
        code_equal(&code, code_at(fold, fold->count - 1 - fold->period)))
        fold->run++;
    else
        period_find(fold);
    for (int i = 0; i < CONTEXTS; i++)
        *place_of(fold, i) = fold->count;
}

/* --- the loop --------------------------------------------------------------------------------- */

static bool loop_is_found(const struct store_fold *fold)
{
    CORE_CHECK(fold->period <= PERIOD_MAX);
    return fold->run >= RUN_MIN && fold->run >= ROUNDS_MIN * fold->period;
}

/* Returns how far the last call is from the first call of the loop's first round. The first calls
 * may have requests at other distances from those of the calls before. */
static uint64_t loop_length(const struct store_fold *fold)
{
    uint64_t first = fold->count - fold->run - fold->period;

    CORE_CHECK(fold->run + fold->period <= fold->count);
    for (; first && fold->count - (first - 1) <= HISTORY; first--) {
        const struct code *a = code_at(fold, first - 1),
                          *b = code_at(fold, first - 1 + fold->period);
        if (a->shape != b->shape || a->calls != b->calls || a->tag != b->tag)
            break;
    }
    return fold->count - 1 - first;
}

/* Makes the last round, which the call seq ended, the loop's; its first call is next. */
static void loop_begin(struct store_fold *fold, uint64_t seq, int32_t ranks)
{
    uint64_t length = loop_length(fold);
    int64_t request = 0;

    CORE_CHECK(fold->period > 0 && fold->period <= PERIOD_MAX);
    CORE_CHECK(!fold->part.count); /* it belongs to the last loop */
    fold->loop.calls = (uint32_t)fold->period;
    fold->loop.next = fold->loop.misses = fold->loop.id = 0;
    fold->loop.skipped = 0;
    fold->loop.calls_kept = 0;
    fold->loop.calls_max = store_sum_rounds_max(ranks, fold->loop.calls) * fold->loop.calls;
    fold->loop.start = seq > length ? seq - length : 1;
    for (uint32_t i = 0; i < fold->loop.calls; i++) {
        const struct code *code = code_at(fold, fold->count - fold->period + i);
        if (code->request != STORE_NULL)
            request += code->request;
        fold->loop.call[i] =
            (struct loop_call){.request = code->request == STORE_NULL ? STORE_NULL : request,
                               .calls = code->calls,
                               .tag = code->tag,
                               .shape = code->shape};
    }
    fold->loop.step = request;
}

static uint32_t loop_after(const struct store_fold *fold, uint32_t index)
{
    CORE_CHECK(index < fold->loop.calls);
    return index + 1 < fold->loop.calls ? index + 1 : 0;
}

static bool call_is(const struct loop_call *call, const struct store_row *row)
{
    return call->shape == row->shape && call->calls == row->calls && call->tag == row->tag &&
           (call->request == STORE_NULL) == (row->request == STORE_NULL);
}

/* Returns the index of the call among the loop's next calls; loop.calls: it is none of them. */
static uint32_t loop_find(const struct store_fold *fold, const struct store_row *row)
{
    uint32_t at = fold->loop.next;

    CORE_CHECK(at < fold->loop.calls);
    for (uint32_t i = 0; i < NEAR && i < fold->loop.calls; i++, at = loop_after(fold, at))
        if (call_is(&fold->loop.call[at], row))
            return at;
    return fold->loop.calls;
}

static enum core_status loop_write(struct store *store, struct store_fold *fold)
{
    int64_t row[3] = {0, fold->loop.calls, fold->loop.step};
    size_t bytes = fold->loop.calls * sizeof *fold->loop.call;
    enum core_status status;
    uint32_t id;
    bool is_new;

    CORE_CHECK(fold->loop.calls > 0 && fold->loop.calls <= PERIOD_MAX);
    if (fold->loop.id)
        return CORE_OK;
    /* the step follows from the calls unless the round's last call precedes its first */
    status = CORE_ARRAY_ROOM_ZERO(store->scratch, store->scratch_room, bytes + sizeof row[2],
                                  "the trace");
    if (status != CORE_OK)
        return status;
    memcpy(store->scratch, fold->loop.call, bytes);
    memcpy(store->scratch + bytes, &row[2], sizeof row[2]);
    status = store_intern(&fold->content, store->scratch, bytes + sizeof row[2], &id, &is_new);
    row[0] = id;
    if (status == CORE_OK && is_new)
        status = store_put_integers(&store->sql, STORE_LOOP, row, 3);
    for (uint32_t i = 0; status == CORE_OK && is_new && i < fold->loop.calls; i++) {
        const struct loop_call *call = &fold->loop.call[i];
        int64_t value[6] = {id, i, call->shape, call->request, call->calls, call->tag};
        status = store_put_integers(&store->sql, STORE_LOOP_CALL, value, 6);
    }
    if (status == CORE_OK)
        fold->loop.id = id;
    return status;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* Returns the bytes for the decimal digits of the value; 0: more than a part has room for. */
int store_digits_bytes(int64_t value)
{
    int bytes = 1;

    for (int64_t end = 100; value >= end; end *= 100)
        if (++bytes > TRACE_TIME_BYTES_MAX)
            return 0;
    return value < 0 ? 0 : bytes;
}

/* Returns the least value that does not fit into so many bytes. */
static uint64_t digits_end(int bytes)
{
    uint64_t end = 1;

    CORE_CHECK(bytes > 0 && bytes <= TRACE_TIME_BYTES_MAX);
    while (bytes--)
        end *= 100;
    return end;
}

void store_digits_put(unsigned char *out, int bytes, int64_t number)
{
    uint64_t value = (uint64_t)number;

    CORE_CHECK(number >= 0 && bytes > 0);
    for (int i = bytes - 1; i >= 0; i--, value /= 100) {
        unsigned two = (unsigned)(value % 100);
        out[i] = (unsigned char)(two + two / 10 * 6); /* BCD: tens times 16 */
    }
    CORE_CHECK(!value); /* store_digits_bytes ensured it */
}

static enum core_status event_put(struct store *store, int64_t rank, const struct store_row *row)
{
    if (store->fold)
        store->fold->rows++;
    return store_calls_put(store, (int32_t)rank, row);
}

/* Writes the calls [from, from + count) of the part as a row. */
static enum core_status part_write(struct store *store, int64_t rank, uint32_t from, uint32_t count)
{
    struct store_fold *fold = store->fold;
    unsigned char times[PART_CALLS * 2 * TRACE_TIME_BYTES_MAX];
    const struct store_row *row = &fold->part.row[from];
    uint32_t first = fold->part.first + from;
    int64_t span = 0, longest = 0;
    enum core_status status = loop_write(store, fold);

    CORE_CHECK(count >= PART_MIN && count <= PART_CALLS && from + count <= fold->part.count);
    fold->calls += count;
    for (uint32_t i = 0; i < count; i++) {
        CORE_CHECK(row[i].seq == row[0].seq + i); /* invariant 2 */
        span = row[i].t_enter - row[0].t_enter > span ? row[i].t_enter - row[0].t_enter : span;
        longest = row[i].duration > longest ? row[i].duration : longest;
    }
    int enter = store_digits_bytes(span), duration = store_digits_bytes(longest);
    for (uint32_t i = 0; i < count; i++) {
        store_digits_put(times + i * (unsigned)enter, enter, row[i].t_enter - row[0].t_enter);
        store_digits_put(times + count * (unsigned)enter + i * (unsigned)duration, duration,
                         row[i].duration);
    }
    return status != CORE_OK
               ? status
               : store_put(&store->sql, STORE_EVENT_PART, "iiiiiiiibii",
                           rank << STORE_SEQ_BITS | (int64_t)row[0].seq, (int64_t)fold->loop.id,
                           (int64_t)(first % fold->loop.calls), (int64_t)count,
                           fold->part.request +
                               (int64_t)(first / fold->loop.calls) * fold->loop.step,
                           row[0].t_enter, (int64_t)enter, (int64_t)duration, (const void *)times,
                           (size_t)count * (unsigned)(enter + duration), STORE_NULL, STORE_NULL);
}

/* Adds the whole rounds at the start of a spare part to the sums. */
static enum core_status spare_sum(struct store *store, int32_t rank, uint32_t *out_summed)
{
    struct store_fold *fold = store->fold;
    uint32_t calls = fold->part.count - fold->part.count % fold->loop.calls;
    enum core_status status = calls ? loop_write(store, fold) : CORE_OK;
    struct store_fold_place place = {.loop = fold->loop.id,
                                     .request = fold->part.request,
                                     .first = fold->part.first,
                                     .calls = fold->loop.calls};

    CORE_CHECK(fold->part.spare);
    CORE_CHECK(fold->loop.calls_kept >= fold->loop.calls_max); /* the rank keeps enough */
    *out_summed = calls;
    return status != CORE_OK || !calls ? status
                                       : store_sum_rows(store, rank, &place, fold->part.row, calls);
}

/* Writes the part's calls, as parts if there are enough of them; sums: those of a spare part are
 * summed up. */
static enum core_status part_end(struct store *store, int64_t rank, bool sums)
{
    struct store_fold *fold = store->fold;
    uint32_t at = 0, count;
    enum core_status status = CORE_OK;

    if (sums && fold->part.spare)
        status = spare_sum(store, (int32_t)rank, &at);
    fold->loop.calls_kept += fold->part.count - at;
    for (; status == CORE_OK && fold->part.count - at >= PART_MIN; at += count) {
        count = fold->part.count - at < PART_CALLS ? fold->part.count - at : PART_CALLS;
        status = part_write(store, rank, at, count);
    }
    for (; status == CORE_OK && at < fold->part.count; at++)
        status = event_put(store, rank, &fold->part.row[at]);
    fold->part.count = 0;
    fold->part.spare = false;
    return status;
}

/* Returns the request of the round in which the part begins, as the next call implies. */
static int64_t part_request(const struct store_fold *fold, const struct store_row *row)
{
    CORE_CHECK_HOT(!fold->part.count || fold->part.first + fold->part.count ==
                                            fold->loop.next + fold->part.rounds * fold->loop.calls);
    return row->request - fold->loop.call[fold->loop.next].request -
           fold->part.rounds * fold->loop.step;
}

static bool part_begins(struct store_fold *fold, const struct store_row *row)
{
    int bytes = store_digits_bytes(row->duration);

    CORE_CHECK(!fold->part.count);
    if (!bytes)
        return false;
    fold->part.spare =
        !fold->in_rounds && fold->loop.calls_max && fold->loop.calls_kept >= fold->loop.calls_max;
    fold->part.first = fold->loop.next;
    fold->part.rounds = 0;
    fold->part.known = false;
    fold->part.request = 0;
    fold->part.enter_bytes = 1;
    fold->part.duration_bytes = bytes;
    return true;
}

/* Returns how many calls the part may have. */
static uint32_t part_room(const struct store_fold *fold)
{
    uint64_t left = fold->loop.calls_max - fold->loop.calls_kept;

    CORE_CHECK_HOT(fold->loop.calls > 0);
    if (fold->part.spare)
        return SPARE_CALLS;
    return fold->loop.calls_max > fold->loop.calls_kept && left < PART_CALLS ? (uint32_t)left
                                                                             : PART_CALLS;
}

/* Tells whether the next call can follow the part's last one. */
static bool part_takes(const struct store_fold *fold, const struct store_row *row)
{
    const struct store_row *first = &fold->part.row[0];

    CORE_CHECK(fold->part.count > 0);
    return fold->part.count < part_room(fold) && row->seq == first->seq + fold->part.count &&
           store_digits_bytes(row->t_enter - first->t_enter) && store_digits_bytes(row->duration) &&
           (row->request == STORE_NULL || !fold->part.known ||
            part_request(fold, row) == fold->part.request);
}

/* Tells whether the call would make all calls of the part longer. */
static bool part_outlier(const struct store_fold *fold, const struct store_row *row)
{
    return fold->part.count >= PART_SETTLED && !fold->part.spare &&
           store_digits_bytes(row->duration) > fold->part.duration_bytes;
}

static void part_add(struct store_fold *fold, const struct store_row *row)
{
    int enter = store_digits_bytes(row->t_enter - fold->part.row[0].t_enter),
        duration = store_digits_bytes(row->duration);

    CORE_CHECK(fold->part.count < SPARE_CALLS);
    CORE_CHECK(call_is(&fold->loop.call[fold->loop.next], row)); /* invariant 1 */
    if (!fold->part.count)
        enter = 1;
    if (row->request != STORE_NULL && !fold->part.known) {
        fold->part.request = part_request(fold, row);
        fold->part.known = true;
    }
    if (enter > fold->part.enter_bytes)
        fold->part.enter_bytes = enter;
    if (duration > fold->part.duration_bytes)
        fold->part.duration_bytes = duration;
    fold->part.enter_end = digits_end(fold->part.enter_bytes);
    fold->part.duration_end = digits_end(fold->part.duration_bytes);
    fold->part.row[fold->part.count++] = *row;
    fold->loop.next = loop_after(fold, fold->loop.next);
    fold->part.rounds += fold->loop.next == 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Writes the rows that wait, up to the one numbered `end`. */
static enum core_status waits_write(struct store *store, int64_t rank, uint64_t end)
{
    struct store_fold *fold = store->fold;
    enum core_status status = CORE_OK;

    CORE_CHECK(end <= fold->waits_end && fold->waits_end - fold->waits_from <= WAITS_MAX);
    while (status == CORE_OK && fold->waits_from < end)
        status = event_put(store, rank, &fold->waits[fold->waits_from++ % WAITS_MAX]);
    return status;
}

static enum core_status loop_hit(struct store *store, int64_t rank, const struct store_row *row,
                                 uint32_t at)
{
    struct store_fold *fold = store->fold;
    enum core_status status = CORE_OK;

    bool outlier = part_outlier(fold, row);
    if (outlier || at != fold->loop.next || (fold->part.count && !part_takes(fold, row)))
        status = part_end(store, rank, false);
    fold->loop.next = at;
    fold->loop.misses = 0;
    if (status != CORE_OK)
        return status;
    if (outlier || (!fold->part.count && !part_begins(fold, row))) {
        fold->loop.next = loop_after(fold, at);
        return event_put(store, rank, row);
    }
    part_add(fold, row);
    return CORE_OK;
}

/* Returns how many of the last rows that wait are whole rounds of the loop. */
static uint64_t waits_of_loop(const struct store_fold *fold)
{
    uint64_t waits = fold->waits_end - fold->waits_from, rows = 0;

    for (; rows < waits; rows++)
        if (!call_is(&fold->loop.call[fold->loop.calls - 1 - rows % fold->loop.calls],
                     &fold->waits[(fold->waits_end - 1 - rows) % WAITS_MAX]))
            break;
    return rows - rows % fold->loop.calls;
}

/* Begins the loop that was found, with those of its rounds that wait. */
static enum core_status loop_found(struct store *store, int64_t rank, uint64_t seq)
{
    struct store_fold *fold = store->fold;
    enum core_status status;

    loop_begin(fold, seq, store->world_size);
    status = waits_write(store, rank, fold->waits_end - waits_of_loop(fold));
    for (; status == CORE_OK && fold->waits_from < fold->waits_end; fold->waits_from++)
        status = loop_hit(store, rank, &fold->waits[fold->waits_from % WAITS_MAX], fold->loop.next);
    CORE_CHECK(status != CORE_OK || !fold->loop.next); /* whole rounds */
    return status;
}

/* Lets a row wait that is outside of a loop, and looks whether a loop begins with it. */
static enum core_status row_waits(struct store *store, int64_t rank, const struct store_row *row)
{
    struct store_fold *fold = store->fold;
    enum core_status status = CORE_OK;

    CORE_CHECK(!fold->part.count); /* invariant 4 */
    if (fold->waits_end - fold->waits_from == WAITS_MAX)
        status = waits_write(store, rank, fold->waits_from + 1);
    fold->waits[fold->waits_end++ % WAITS_MAX] = *row;
    return status == CORE_OK && loop_is_found(fold) ? loop_found(store, rank, row->seq) : status;
}

/* Handles a call that is not the loop's next one. */
static enum core_status loop_miss(struct store *store, int64_t rank, const struct store_row *row)
{
    struct store_fold *fold = store->fold;
    enum core_status status = part_end(store, rank, false);

    if (++fold->loop.misses > MISSES_MAX)
        fold->loop.calls = 0;
    return status == CORE_OK ? row_waits(store, rank, row) : status;
}

static enum core_status rows_end(struct store *store, int64_t rank, bool sums);

/* Notes whether the call at `at` skips calls of the loop. Tells whether the last calls repeat, and
 * skipped calls before, so that they make another loop. */
static bool loop_is_stale(struct store_fold *fold, uint32_t at)
{
    uint64_t skipped = fold->loop.skipped;

    CORE_CHECK(fold->loop.calls > 0 && skipped <= fold->count);
    if (at == fold->loop.next || at == fold->loop.calls)
        return false;
    fold->loop.skipped = fold->count;
    return skipped && loop_is_found(fold) && fold->count - skipped < fold->run;
}

static enum core_status loop_take(struct store *store, int64_t rank, const struct store_row *row)
{
    struct store_fold *fold = store->fold;
    uint32_t at = loop_find(fold, row);

    if (at == fold->loop.calls)
        return loop_miss(store, rank, row);
    if (loop_is_stale(fold, at)) {
        enum core_status status = rows_end(store, rank, false);
        fold->loop.calls = 0;
        return status == CORE_OK ? row_waits(store, rank, row) : status;
    }
    enum core_status status = waits_write(store, rank, fold->waits_end);
    return status == CORE_OK ? loop_hit(store, rank, row, at) : status;
}

/* --- calls whose times the recorder summed up ------------------------------------------------- */

static enum core_status untimed_end(struct store *store, int64_t rank)
{
    struct store_fold *fold = store->fold;
    const struct store_fold_place place = {.loop = fold->loop.id,
                                           .request = fold->untimed.request,
                                           .first = fold->untimed.first,
                                           .calls = fold->loop.calls};
    uint64_t calls = fold->untimed.calls;

    CORE_CHECK(!calls || fold->loop.id > 0); /* untimed_begin wrote it */
    fold->untimed.calls = 0;
    return calls ? store_sum_untimed_end(store, (int32_t)rank, fold->untimed.seq, &place, calls,
                                         fold->untimed.enter, fold->untimed.leave)
                 : CORE_OK;
}

static enum core_status untimed_begin(struct store *store, int64_t rank,
                                      const struct store_row *row)
{
    struct store_fold *fold = store->fold;
    enum core_status status = rows_end(store, rank, false);

    CORE_CHECK(fold->loop.calls > 0 && !fold->untimed.calls);
    if (status == CORE_OK)
        status = loop_write(store, fold);
    const struct store_fold_place place = {.loop = fold->loop.id, .calls = fold->loop.calls};
    fold->untimed.first = fold->loop.next;
    fold->untimed.seq = row->seq;
    fold->untimed.request = fold->untimed.rounds = 0;
    fold->untimed.known = false;
    fold->untimed.enter = row->t_enter;
    fold->untimed.leave = row->t_enter;
    return status == CORE_OK ? store_sum_untimed_begin(store, (int32_t)rank, row->seq, &place)
                             : status;
}

/* Adds a call to those before it, which it follows in the loop, or to new ones. A call outside of
 * loops gets a row with the times of the rounds that it lies in, and the trace a note. */
static enum core_status untimed_put(struct store *store, int64_t rank, const struct store_row *row)
{
    struct store_fold *fold = store->fold;
    enum core_status status = CORE_OK;

    code_add(fold, row);
    uint32_t at = fold->loop.calls ? loop_find(fold, row) : 0;
    if (at < fold->loop.calls && loop_is_stale(fold, at)) {
        status = rows_end(store, rank, false);
        loop_begin(fold, row->seq, store->world_size);
        at = fold->loop.next = fold->loop.calls - 1; /* the call ends the loop's first round */
    }
    if (status != CORE_OK)
        return status;
    if (at == fold->loop.calls) {
        store_note(store, "rank %" PRId64 ": the times of call %" PRIu64 " are not its own", rank,
                   row->seq);
        status = rows_end(store, rank, false);
        return status == CORE_OK ? event_put(store, rank, row) : status;
    }
    const bool follows = at == fold->loop.next && fold->untimed.calls &&
                         row->seq == fold->untimed.seq + fold->untimed.calls;
    fold->loop.next = at;
    int64_t request = row->request == STORE_NULL
                          ? 0
                          : row->request - fold->loop.call[at].request -
                                (follows ? fold->untimed.rounds : 0) * fold->loop.step;
    bool differs =
        row->request != STORE_NULL && fold->untimed.known && request != fold->untimed.request;
    if (!follows || differs)
        status = untimed_begin(store, rank, row);
    if (status != CORE_OK)
        return status;
    if (row->request != STORE_NULL && !fold->untimed.known) {
        fold->untimed.request = differs ? row->request - fold->loop.call[at].request : request;
        fold->untimed.known = true;
    }
    fold->loop.misses = 0;
    fold->untimed.calls++;
    if (row->t_enter + row->duration > fold->untimed.leave)
        fold->untimed.leave = row->t_enter + row->duration;
    store_sum_untimed_add(store, (int32_t)rank, at, row->times);
    fold->loop.next = loop_after(fold, at);
    fold->untimed.rounds += fold->loop.next == 0;
    return CORE_OK;
}

/* Writes the calls whose times are summed up, the rows that wait, and the part (part_end). */
static enum core_status rows_end(struct store *store, int64_t rank, bool sums)
{
    enum core_status status = untimed_end(store, rank);

    if (status == CORE_OK)
        status = waits_write(store, rank, store->fold->waits_end);
    return status == CORE_OK ? part_end(store, rank, sums) : status;
}

/* Tells whether the row has numbers that no call of a loop has. */
static bool row_is_odd(const struct store_row *row)
{
    return row->duration < 0 || row->t_enter < 0 ||
           (row->request != STORE_NULL && (row->request < 0 || row->request > REQUEST_MAX));
}

enum core_status store_fold_put(struct store *store, int32_t rank, const struct store_row *row)
{
    struct store_fold *fold = store->fold;

    if (!fold)
        return event_put(store, rank, row);
    if (row_is_odd(row)) {
        enum core_status status = rows_end(store, rank, false);
        return status != CORE_OK ? status : event_put(store, rank, row);
    }
    if (row->summed)
        return untimed_put(store, rank, row);
    if (fold->untimed.calls) {
        enum core_status status = untimed_end(store, rank);
        if (status != CORE_OK)
            return status;
    }
    code_add(fold, row);
    return fold->loop.calls ? loop_take(store, rank, row) : row_waits(store, rank, row);
}

/* Tells whether the call can follow the part's last one without needing more bytes. */
static bool part_has_room(const struct store_fold *fold, const struct store_row *row)
{
    const struct store_row *first = &fold->part.row[0];

    return fold->part.count && !fold->part.spare && fold->part.count < part_room(fold) &&
           row->seq == first->seq + fold->part.count &&
           (uint64_t)(row->t_enter - first->t_enter) < fold->part.enter_end &&
           (uint64_t)row->duration < fold->part.duration_end &&
           call_is(&fold->loop.call[fold->loop.next], row) &&
           (row->request == STORE_NULL ||
            (fold->part.known && part_request(fold, row) == fold->part.request));
}

enum core_status store_fold_round(struct store *store, int32_t rank, const struct store_row *row)
{
    struct store_fold *fold = store->fold;
    enum core_status status = CORE_OK;

    if (!fold)
        return event_put(store, rank, row);
    if (fold->untimed.calls)
        status = untimed_end(store, rank);
    if (status == CORE_OK && fold->part.spare)
        status = part_end(store, rank, false);
    if (status == CORE_OK && (row->summed || !fold->loop.calls || !part_has_room(fold, row))) {
        fold->in_rounds = true;
        status = store_fold_put(store, rank, row);
        fold->in_rounds = false;
        return status;
    }
    if (status != CORE_OK)
        return status;
    CORE_CHECK_HOT(part_takes(fold, row) && !part_outlier(fold, row)); /* invariant 1 */
    fold->part.row[fold->part.count++] = *row;
    fold->loop.next = loop_after(fold, fold->loop.next);
    fold->part.rounds += fold->loop.next == 0;
    return CORE_OK;
}

/* --- rounds that are passed over -------------------------------------------------------------- */

/* Returns the request of the round in which the call is the place-th; STORE_NULL: none, or its step
 * differs from the loop's. */
static int64_t place_request(const struct store_fold *fold, const struct store_sum_row *of,
                             uint32_t place, uint32_t calls)
{
    const struct loop_call *call = &fold->loop.call[place % fold->loop.calls];
    int64_t rounds = calls / fold->loop.calls;

    CORE_CHECK(rounds > 0); /* whole rounds */
    return of->row->request == STORE_NULL || of->step != rounds * fold->loop.step
               ? STORE_NULL
               : of->row->request - call->request -
                     (int64_t)(place / fold->loop.calls) * fold->loop.step;
}

enum core_status store_fold_sum(struct store *store, int32_t rank, const struct store_sum_row *row,
                                uint32_t calls, struct store_fold_place *out, bool *out_fits)
{
    struct store_fold *fold = store->fold;
    bool known = false;

    *out_fits = false;
    if (!fold || !fold->loop.calls || calls % fold->loop.calls)
        return CORE_OK;
    *out = (struct store_fold_place){.first = fold->loop.next, .calls = fold->loop.calls};
    for (uint32_t i = 0; i < calls; i++) {
        uint32_t place = fold->loop.next + i;
        int64_t request = place_request(fold, &row[i], place, calls);
        if (!call_is(&fold->loop.call[place % fold->loop.calls], row[i].row) ||
            row_is_odd(row[i].row) || row[i].row->seq != row[0].row->seq + i)
            return CORE_OK;
        if (row[i].row->request == STORE_NULL)
            continue;
        if (request == STORE_NULL || (known && request != out->request))
            return CORE_OK;
        out->request = request;
        known = true;
    }
    enum core_status status = rows_end(store, rank, true);
    if (status == CORE_OK)
        status = loop_write(store, fold);
    out->loop = fold->loop.id;
    *out_fits = status == CORE_OK;
    return status;
}

uint64_t store_fold_rounds(const struct store *store)
{
    const struct store_fold *fold = store->fold;

    return fold && fold->loop.calls ? (fold->loop.calls_kept + fold->part.count) / fold->loop.calls
                                    : 0;
}

void store_fold_passed(struct store *store, uint64_t calls)
{
    CORE_CHECK(store->fold != NULL); /* store_fold_sum allowed it */
    store->fold->passed += (int64_t)calls;
}

enum core_status store_fold_number(struct store *store, uint64_t seq, int64_t *out_loop,
                                   int64_t *out_number)
{
    struct store_fold *fold = store->fold;
    enum core_status status = CORE_OK;

    *out_loop = *out_number = 0;
    if (!fold || !fold->loop.calls || seq < fold->loop.start)
        return CORE_OK;
    CORE_CHECK(fold->loop.start > 0);
    status = loop_write(store, fold);
    *out_loop = fold->loop.id;
    *out_number = (int64_t)((seq - fold->loop.start) / fold->loop.calls) + 1;
    return status;
}

enum core_status store_fold_end(struct store *store, int32_t rank)
{
    struct store_fold *fold = store->fold;
    enum core_status status;

    if (!fold)
        return CORE_OK;
    status = rows_end(store, rank, false);
    CORE_CHECK(status != CORE_OK || /* invariant 3 */
               (!fold->part.count && fold->waits_from == fold->waits_end));
    int64_t in_loops = fold->calls + fold->passed - fold->calls_of,
            rows = fold->rows - fold->rows_of;
    if (status == CORE_OK)
        status = store_calls_end(store, rank, in_loops * WORTH >= in_loops + rows);
    fold->calls_of += in_loops;
    fold->rows_of += rows;
    memset(fold->place, 0, sizeof fold->place);
    memset(fold->context, 0, sizeof fold->context);
    fold->count = fold->period = fold->run = 0;
    fold->request = 0;
    fold->loop.calls = 0;
    return status;
}

/* Unfolds the loops if there are few: these save little, and readers would have to look in two
 * places. */
enum core_status store_fold_finish(struct store *store)
{
    const struct store_fold *fold = store->fold;
    const struct store_match *match = &store->match;
    enum core_status status = CORE_OK;

    if (fold && fold->calls && !fold->passed && fold->calls * WORTH < fold->calls + fold->rows)
        status = store_sql_run(&store->sql,
                               "INSERT OR IGNORE INTO event_row SELECT * FROM event_unfolded UNION "
                               "ALL SELECT * FROM event_listed; DELETE FROM event_part; DELETE "
                               "FROM loop; DELETE FROM loop_call");
    if (status == CORE_OK && match->folded && match->folded * WORTH < match->messages)
        status = store_sql_run(&store->sql, "INSERT OR IGNORE INTO message_row SELECT * FROM "
                                            "message_unfolded; DELETE FROM message_part");
    return status;
}

enum core_status store_fold_begin(struct store *store)
{
    const char *word = getenv("CROSSWAIT_LOOPS");

    if (word && strcmp(word, "off") == 0)
        return CORE_OK;
    store->fold = core_alloc_zero(1, sizeof *store->fold);
    store->calls = store_calls_new();
    return store->fold && store->calls
               ? CORE_OK
               : core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
}

void store_fold_done(struct store *store)
{
    if (store->fold)
        store_intern_done(&store->fold->content);
    free(store->fold);
    free(store->calls);
}
