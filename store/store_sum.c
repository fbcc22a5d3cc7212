/* Sums up the times of a loop's rounds. It keeps the times of the first rounds, and of rounds that
 * last far longer than most, with their neighbours. For the others the trace has, per call of the
 * loop, their number, sum, minimum, maximum, and a histogram by powers of two (event_sum of
 * core/trace/trace_schema.sql).
 *
 * Consecutive rounds are a block, and a row of event_sum. A block ends where times are kept.
 * Following blocks of one loop are a group, with one sum for each call; a group has at most a
 * fraction of all rounds so far, so the number of rows grows with the logarithm of the loop's
 * length.
 *
 * core/spool/spool_slow.h tells which rounds are slow, and how many each rank of a large job keeps,
 * which also has fewer groups.
 *
 * Invariants
 *  1. of[i] sums up the calls at place i of store_fold.c's loop, in the open group.
 *  2. The calls of a block have consecutive numbers, and none is stored elsewhere.
 *  3. A block is open only in an open group. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/spool/spool_slow.h"
#include "store/store_part.h"

enum {
    BLOCK_CALLS = 1 << 30,
    LOG_LETTERS = 16 /* for one in JSON: a comma, "63":, at most 2^30 */
};

struct sum_call {
    uint64_t calls;
    int64_t total, least, most;
    uint64_t log[SPOOL_LOGS];
};
struct store_sum {
    uint32_t calls;  /* per round */
    uint64_t before; /* rounds whose times were kept before */
    struct spool_slow slow;
    struct { /* the open block */
        bool open;
        struct store_fold_place place;
        uint64_t seq, rounds, rounds_max;
        int64_t enter, leave;
    } block;
    struct { /* the open group */
        bool open;
        int64_t event; /* its first block's */
        int64_t loop;
        uint32_t calls;              /* of the loop */
        uint64_t rounds, rounds_max; /* rounds: of the blocks before the open one */
    } group;
    struct store_sum_row *row; /* by number */
    uint32_t *place;           /* place in the loop of each call, in the lane's order */
    struct sum_call *of;
    uint32_t row_room, place_room, of_room;
};

struct store_sum *store_sum_new(void)
{
    return core_alloc_zero(1, sizeof(struct store_sum));
}

void store_sum_done(struct store_sum *sum)
{
    if (!sum)
        return;
    free(sum->row);
    free(sum->place);
    free(sum->of);
    free(sum);
}

uint64_t store_sum_rounds_max(int32_t ranks, uint32_t calls)
{
    uint64_t share = spool_slow_share(ranks);

    return share == 1 ? 0 : spool_slow_kept(share, calls);
}

enum core_status store_sum_begin(struct store_sum *sum, uint32_t calls, int32_t ranks,
                                 uint64_t rounds)
{
    enum core_status status = CORE_ARRAY_ROOM(sum->row, sum->row_room, calls, "the trace");

    CORE_CHECK(!sum->group.open && calls > 0);
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(sum->place, sum->place_room, calls, "the trace");
    sum->calls = calls;
    spool_slow_begin(&sum->slow, spool_slow_share(ranks));
    sum->before = sum->slow.share == 1 ? 0 : rounds;
    return status;
}

/* --- which are slow --------------------------------------------------------------------------- */

bool store_sum_slow(struct store_sum *sum, int64_t duration)
{
    return spool_slow_round(&sum->slow, duration);
}

bool store_sum_keeps(const struct store_sum *sum)
{
    return sum->before + sum->slow.rounds <= spool_slow_kept(sum->slow.share, sum->calls);
}

enum core_status store_sum_slow_put(struct store *store, int32_t rank, const struct store_sum *sum,
                                    uint64_t seq, int64_t duration)
{
    int64_t row[5] = {(int64_t)rank << STORE_SEQ_BITS | (int64_t)seq, 0, 0, duration,
                      sum->slow.usual};
    enum core_status status = store_fold_number(store, seq, &row[1], &row[2]);

    CORE_CHECK(seq >> STORE_SEQ_BITS == 0 &&
               duration >= sum->slow.usual); /* store_sum_slow said so */
    return status != CORE_OK || !row[1] ? status
                                        : store_put_integers(&store->sql, STORE_SLOW_ROUND, row, 5);
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Sorts the calls by number. False: they are not consecutive, or a call represents several. */
static bool rows_order(struct store_sum *sum, const struct store_sum_row *row)
{
    uint64_t least = UINT64_MAX;

    CORE_CHECK(sum->calls <= sum->row_room);
    for (uint32_t i = 0; i < sum->calls; i++)
        least = row[i].row->seq < least ? row[i].row->seq : least;
    for (uint32_t i = 0; i < sum->calls; i++)
        sum->row[i].row = NULL;
    for (uint32_t i = 0; i < sum->calls; i++) {
        uint64_t at = row[i].row->seq - least;
        if (at >= sum->calls || sum->row[at].row || row[i].row->calls != STORE_NULL)
            return false;
        sum->row[at] = (struct store_sum_row){row[i].row, row[i].step, i};
    }
    sum->block.seq = least;
    return true;
}

static void places_find(struct store_sum *sum)
{
    const struct store_fold_place *place = &sum->block.place;

    for (uint32_t i = 0; i < sum->calls; i++) {
        CORE_CHECK(sum->row[i].place < sum->calls);
        sum->place[sum->row[i].place] = (place->first + i) % place->calls;
    }
}

/* Begins a group with the block that begins with the call seq. */
static enum core_status group_open(struct store_sum *sum, int32_t rank, uint64_t seq,
                                   const struct store_fold_place *place)
{
    enum core_status status = CORE_ARRAY_ROOM(sum->of, sum->of_room, place->calls, "the trace");

    CORE_CHECK(!sum->group.open);
    for (uint32_t i = 0; status == CORE_OK && i < place->calls; i++)
        sum->of[i] = (struct sum_call){.least = INT64_MAX};
    sum->group.open = status == CORE_OK;
    sum->group.event = (int64_t)rank << STORE_SEQ_BITS | (int64_t)seq;
    sum->group.loop = place->loop;
    sum->group.calls = place->calls;
    sum->group.rounds = 0;
    sum->group.rounds_max = spool_slow_block(&sum->slow) * sum->slow.share;
    return status;
}

static enum core_status call_write(struct store *store, int64_t event, int64_t index,
                                   const struct sum_call *of)
{
    char logs[SPOOL_LOGS * LOG_LETTERS + 2] = "{";
    size_t at = 1;

    int64_t least = of->least < of->most ? of->least : of->most; /* if another place has its sums */

    CORE_CHECK(of->calls > 0 && of->most <= of->total); /* invariant 1 */
    for (int i = 0; i < SPOOL_LOGS; i++)
        if (of->log[i])
            at += (size_t)snprintf(logs + at, sizeof logs - at, "%s\"%d\":%" PRIu64,
                                   at > 1 ? "," : "", i, of->log[i]);
    logs[at++] = '}';
    CORE_CHECK(at < sizeof logs);
    logs[at] = '\0';
    return store_put(&store->sql, STORE_EVENT_SUM_CALL, "iiiiiit", event, index, (int64_t)of->calls,
                     of->total, least, of->most, logs);
}

/* Writes the sums. */
static enum core_status group_close(struct store *store, struct store_sum *sum)
{
    enum core_status status = CORE_OK;

    CORE_CHECK(!sum->block.open); /* invariant 3 */
    for (uint32_t i = 0; sum->group.open && status == CORE_OK && i < sum->group.calls; i++)
        if (sum->of[i].calls)
            status = call_write(store, sum->group.event, i, &sum->of[i]);
    sum->group.open = false;
    return status;
}

/* Goes on with the open group if it is of that loop, or begins one. */
static enum core_status group_join(struct store *store, int32_t rank, struct store_sum *sum,
                                   uint64_t seq, const struct store_fold_place *place)
{
    enum core_status status = CORE_OK;

    if (sum->group.open && (sum->group.loop != place->loop || sum->group.calls != place->calls))
        status = group_close(store, sum);
    return status == CORE_OK && !sum->group.open ? group_open(sum, rank, seq, place) : status;
}

/* enter: when the round's call that is first in `time` entered, if that is NULL. */
static enum core_status block_open(struct store *store, const struct store_rank *rank,
                                   struct store_sum *sum, const struct store_sum_row *row,
                                   const struct store_call_time *time, int64_t enter)
{
    const struct store_window *window = &rank->window;
    enum core_status status;
    bool fits;

    CORE_CHECK(!sum->block.open);
    if (!rows_order(sum, row) || window->next <= window->last || window->next != sum->block.seq)
        return CORE_OK;
    status = store_fold_sum(store, rank->rank, sum->row, sum->calls, &sum->block.place, &fits);
    if (status != CORE_OK || !fits)
        return status;
    status = group_join(store, rank->rank, sum, sum->block.seq, &sum->block.place);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(sum->group.rounds < sum->group.rounds_max); /* store_sum_close */
    sum->block.rounds = 0;
    sum->block.rounds_max = sum->group.rounds_max - sum->group.rounds;
    if (sum->block.rounds_max > BLOCK_CALLS / sum->calls)
        sum->block.rounds_max = BLOCK_CALLS / sum->calls;
    sum->block.enter = time ? time[sum->row[0].place].enter : enter;
    places_find(sum);
    sum->block.open = true;
    return CORE_OK;
}

static void call_add(struct sum_call *of, int64_t duration)
{
    CORE_CHECK_HOT(duration >= 0);
    of->calls++;
    of->total += duration;
    of->least = duration < of->least ? duration : of->least;
    of->most = duration > of->most ? duration : of->most;
    of->log[spool_slow_log(duration)]++;
}

static enum core_status block_put(struct store *store, struct store_sum *sum, int64_t event,
                                  const struct store_fold_place *place, uint64_t calls,
                                  int64_t enter, int64_t leave)
{
    int64_t row[8] = {event,          place->loop, place->first, (int64_t)calls,
                      place->request, enter,       leave,        sum->group.event};

    CORE_CHECK(sum->group.open); /* invariant 3 */
    CORE_CHECK(calls > 0 && calls <= BLOCK_CALLS);
    store_fold_passed(store, calls);
    return store_put_integers(&store->sql, STORE_EVENT_SUM, row, 8);
}

/* Counts the rows of so many rounds as written, in store_event.c's totals and in the window's
 * position. */
void store_sum_passed(struct store *store, struct store_rank *rank, const struct store_sum *sum,
                      const struct store_sum_row *row, uint64_t rounds)
{
    CORE_CHECK(rank->window.next > rank->window.last); /* none of its rows waits */
    for (uint32_t i = 0; i < sum->calls; i++) {
        store->totals.calls += row[i].row->inner ? 0 : (int64_t)rounds;
        store->totals.inner_events += row[i].row->inner ? (int64_t)rounds : 0;
    }
    rank->events += rounds * sum->calls;
    rank->window.next += rounds * sum->calls;
}

bool store_sum_goes(const struct store_sum *sum)
{
    return sum->block.open;
}

enum core_status store_sum_go_on(struct store *store, int32_t rank, struct store_sum *sum,
                                 const struct store_call_time *time)
{
    int64_t leave = 0;

    CORE_CHECK_HOT(sum->block.open);
    for (uint32_t i = 0; i < sum->calls; i++) {
        CORE_CHECK_HOT(sum->place[i] < sum->block.place.calls);
        call_add(&sum->of[sum->place[i]], time[i].leave - time[i].enter);
        leave = time[i].leave > leave ? time[i].leave : leave;
    }
    sum->block.leave = leave;
    store->totals.end_ns = leave > store->totals.end_ns ? leave : store->totals.end_ns;
    return ++sum->block.rounds < sum->block.rounds_max ? CORE_OK
                                                       : store_sum_close(store, rank, sum);
}

enum core_status store_sum_add(struct store *store, struct store_rank *rank, struct store_sum *sum,
                               const struct store_sum_row *row, const struct store_call_time *time,
                               bool *out_taken)
{
    enum core_status status = block_open(store, rank, sum, row, time, 0);

    *out_taken = status == CORE_OK && sum->block.open;
    if (!*out_taken)
        return status;
    store_sum_passed(store, rank, sum, row, 1);
    return store_sum_go_on(store, rank->rank, sum, time);
}

enum core_status store_sum_close(struct store *store, int32_t rank, struct store_sum *sum)
{
    int64_t event = (int64_t)rank << STORE_SEQ_BITS | (int64_t)sum->block.seq;

    if (!sum->block.open)
        return CORE_OK;
    sum->block.open = false;
    sum->group.rounds += sum->block.rounds;
    enum core_status status =
        block_put(store, sum, event, &sum->block.place, sum->block.rounds * sum->calls,
                  sum->block.enter, sum->block.leave);
    return status == CORE_OK && sum->group.rounds >= sum->group.rounds_max ? group_close(store, sum)
                                                                           : status;
}

enum core_status store_sum_rows(struct store *store, int32_t rank,
                                const struct store_fold_place *place, const struct store_row *row,
                                uint32_t count)
{
    struct store_sum *sum = store_loop_sum(store);
    int64_t leave = 0;
    enum core_status status = group_join(store, rank, sum, row[0].seq, place);

    CORE_CHECK(count > 0 && count % place->calls == 0); /* whole rounds */
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        call_add(&sum->of[(place->first + i) % place->calls], row[i].duration);
        if (row[i].t_enter + row[i].duration > leave)
            leave = row[i].t_enter + row[i].duration;
    }
    return block_put(store, sum, (int64_t)rank << STORE_SEQ_BITS | (int64_t)row[0].seq, place,
                     count, row[0].t_enter, leave);
}

enum core_status store_sum_end(struct store *store, int32_t rank, struct store_sum *sum)
{
    enum core_status status = store_sum_close(store, rank, sum);

    return status == CORE_OK ? group_close(store, sum) : status;
}

/* --- rounds that the recorder summed up ------------------------------------------------------- */

static void times_add(struct sum_call *of, const struct spool_sum_times *times, uint64_t mult)
{
    const uint16_t *log = (const void *)(times + 1);
    int64_t least = store_ticks_ns(times->least, mult), most = store_ticks_ns(times->most, mult);

    CORE_CHECK(times->log + times->logs <= SPOOL_LOGS); /* spool_sum_fits */
    of->total += store_ticks_ns(times->total, mult);
    of->least = least < of->least ? least : of->least;
    of->most = most > of->most ? most : of->most;
    for (uint32_t i = 0; i < times->logs; i++)
        of->log[times->log + i] += log[i];
}

/* Returns the sums of whole rounds, which follow those of calls. */
static const struct spool_sum_times *recorded_rounds(const struct spool_sum *recorded)
{
    const uint64_t *end = (const uint64_t *)(const void *)recorded + recorded->head.words;
    const struct spool_sum_times *times = (const void *)(recorded + 1);

    CORE_CHECK(recorded->head.a > 0); /* spool_sum_fits */
    for (uint32_t i = 0; i < recorded->head.a; i++)
        times = spool_sum_times_next(times, end);
    return times;
}

enum core_status store_sum_recorded(struct store *store, struct store_rank *rank,
                                    struct store_sum *sum, const struct store_sum_row *row,
                                    const struct spool_sum *recorded, int64_t enter, int64_t leave,
                                    bool *out_taken)
{
    const uint64_t *end = (const uint64_t *)(const void *)recorded + recorded->head.words;
    const struct spool_sum_times *times = (const void *)(recorded + 1);
    struct sum_call round = {.least = INT64_MAX};
    enum core_status status = CORE_OK;

    CORE_CHECK(recorded->head.a == sum->calls && (row || sum->block.open));
    if (row)
        status = block_open(store, rank, sum, row, NULL, enter);
    *out_taken = status == CORE_OK && sum->block.open;
    if (!*out_taken)
        return status;
    if (row)
        store_sum_passed(store, rank, sum, row, 1);
    for (uint32_t i = 0; i < sum->calls; i++, times = spool_sum_times_next(times, end)) {
        sum->of[sum->place[i]].calls += recorded->rounds;
        times_add(&sum->of[sum->place[i]], times, rank->clock->mult);
    }
    times_add(&round, recorded_rounds(recorded), rank->clock->mult);
    spool_slow_pass(&sum->slow, round.log, round.most);
    sum->block.leave = leave;
    store->totals.end_ns = leave > store->totals.end_ns ? leave : store->totals.end_ns;
    sum->block.rounds += recorded->rounds;
    return sum->block.rounds < sum->block.rounds_max ? CORE_OK
                                                     : store_sum_close(store, rank->rank, sum);
}

enum core_status store_sum_untimed_begin(struct store *store, int32_t rank, uint64_t seq,
                                         const struct store_fold_place *place)
{
    struct store_sum *sum = store_loop_sum(store);

    CORE_CHECK(!sum->group.open); /* store_sum_end closed it */
    if (!sum->slow.share)
        spool_slow_begin(&sum->slow, spool_slow_share(store->world_size));
    return group_open(sum, rank, seq, place);
}

void store_sum_untimed_add(struct store *store, int32_t rank, uint32_t index,
                           const struct spool_sum_times *times)
{
    struct store_sum *sum = store_loop_sum(store);

    CORE_CHECK(sum->group.open && index < sum->group.calls); /* store_sum_untimed_begin */
    sum->of[index].calls++;
    if (times)
        times_add(&sum->of[index], times, store_clock_of(store, rank)->mult);
}

enum core_status store_sum_untimed_end(struct store *store, int32_t rank, uint64_t seq,
                                       const struct store_fold_place *place, uint64_t calls,
                                       int64_t enter, int64_t leave)
{
    struct store_sum *sum = store_loop_sum(store);

    CORE_CHECK(!sum->block.open && calls > 0); /* store_fold.c ended it */
    enum core_status status = block_put(store, sum, (int64_t)rank << STORE_SEQ_BITS | (int64_t)seq,
                                        place, calls, enter, leave);

    return status == CORE_OK ? group_close(store, sum) : status;
}
