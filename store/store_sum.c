/* Sums up the times of a loop's rounds. It keeps the times of the first rounds, and of rounds that
 * last far longer than most, with their neighbours. For the others the trace has, per call of the
 * loop, their number, sum, minimum, maximum, and a histogram by powers of two (event_sum of
 * core/trace/trace_schema.sql).
 *
 * The usual duration is the smallest power of two that exceeds half of the rounds. A round is slow
 * if it lasts eight times as long, up to a few per block; or four times as long and longer than all
 * rounds before it (in large jobs twice as long), so the slowest one is always kept (or one that
 * lasted half as long).
 *
 * Consecutive rounds are a block, and a row of event_sum. A block ends where times are kept.
 * Following blocks of one loop are a group, with one sum for each call; a group has at most a
 * fraction of all rounds so far, so the number of rows grows with the logarithm of the loop's
 * length.
 *
 * All ranks of a job together keep about as much as RANKS_FULL ranks: of a job with `share` times
 * as many ranks, each rank keeps one in `share` of the first rounds, of the slow rounds and of the
 * groups. What each rank has of its own in any case takes about the space of ROUNDS_OWN rounds, so
 * it keeps as many fewer.
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
#include "store/store_part.h"

enum {
    RANKS_FULL = 4,
    ROUNDS_KEPT = 1000,   /* at the start of a loop, */
    CALLS_KEPT = 1 << 16, /* but at most so many calls, */
    ROUNDS_KNOWN = 32,    /* and at least so many rounds, which the usual duration needs; */
    ROUNDS_OWN = 48,      /* in large jobs so many fewer, */
    ROUNDS_LEAST = 8,     /* but at least so many */
    SLOW_TIMES = 8,       /* times the usual duration */
    SLOWEST_TIMES = 4,
    SLOW_MAX = 3,           /* in as many rounds as a block may have */
    BLOCK_ROUNDS = 1 << 10, /* at least */
    BLOCK_SHARE = 16,       /* and one in so many of all rounds */
    BLOCK_CALLS = 1 << 30,
    LOGS = 64,
    LOG_LETTERS = 16 /* for one in JSON: a comma, "63":, at most 2^30 */
};

struct sum_call {
    uint64_t calls;
    int64_t total, least, most;
    uint64_t log[LOGS];
};
struct store_sum {
    uint32_t calls;  /* per round */
    uint64_t share;  /* ranks for each of RANKS_FULL */
    uint64_t before; /* rounds whose times were kept before */
    uint64_t rounds;
    uint64_t log[LOGS];      /* rounds by duration, in powers of two */
    int64_t usual;           /* in ns; 0: not yet known */
    uint64_t look_at;        /* next update of `usual` */
    uint64_t slow, clear_at; /* slow rounds, up to the round that sets them to 0 */
    int64_t slowest;
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

static uint64_t share_of(int32_t ranks)
{
    CORE_CHECK(ranks > 0);
    return ((uint64_t)ranks + RANKS_FULL - 1) / RANKS_FULL;
}

/* Returns how many rounds of so many calls each rank keeps. */
static uint64_t rounds_kept(uint64_t share, uint32_t calls)
{
    uint64_t rounds = ROUNDS_KEPT / share, own = share == 1 ? 0 : ROUNDS_OWN,
             most = rounds > own + ROUNDS_LEAST ? rounds - own : ROUNDS_LEAST,
             known = most < ROUNDS_KNOWN ? most : ROUNDS_KNOWN, fit = CALLS_KEPT / share / calls;

    CORE_CHECK(share > 0 && calls > 0);
    return fit > most ? most : fit > known ? fit : known;
}

uint64_t store_sum_rounds_max(int32_t ranks, uint32_t calls)
{
    uint64_t share = share_of(ranks);

    return share == 1 ? 0 : rounds_kept(share, calls);
}

enum core_status store_sum_begin(struct store_sum *sum, uint32_t calls, int32_t ranks,
                                 uint64_t rounds)
{
    enum core_status status = CORE_ARRAY_ROOM(sum->row, sum->row_room, calls, "the trace");

    CORE_CHECK(!sum->group.open && calls > 0);
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(sum->place, sum->place_room, calls, "the trace");
    sum->calls = calls;
    sum->share = share_of(ranks);
    sum->before = sum->share == 1 ? 0 : rounds;
    sum->rounds = 0;
    memset(sum->log, 0, sizeof sum->log);
    sum->usual = sum->slowest = 0;
    sum->slow = 0;
    sum->look_at = sum->clear_at = ROUNDS_KNOWN;
    return status;
}

/* --- which are slow --------------------------------------------------------------------------- */

static int log_of(int64_t ns)
{
    return ns > 1 ? 63 - __builtin_clzll((unsigned long long)ns) : 0;
}

/* Returns how many rounds a block has if the job has RANKS_FULL ranks. */
static uint64_t rounds_of_block(const struct store_sum *sum)
{
    uint64_t part = sum->rounds / BLOCK_SHARE;

    return part > BLOCK_ROUNDS ? part : BLOCK_ROUNDS;
}

/* Returns the end of the power of two that contains the median. */
static int64_t usual_of(const struct store_sum *sum)
{
    uint64_t seen = 0;
    int at = 0;

    CORE_CHECK(sum->rounds > 0); /* there was a round */
    for (; at < LOGS - 2 && (seen += sum->log[at]) * 2 < sum->rounds; at++)
        ;
    return INT64_C(2) << at;
}

/* Returns how many slow rounds are kept at a time. */
static uint64_t slow_max(const struct store_sum *sum)
{
    return sum->share < SLOW_MAX ? SLOW_MAX / sum->share : 1;
}

bool store_sum_slow(struct store_sum *sum, int64_t duration)
{
    int64_t longest = INT64_MAX / SLOW_TIMES, usual = sum->usual < longest ? sum->usual : longest;
    int64_t most = sum->share == 1 ? sum->slowest : sum->slowest * 2;
    bool slowest = duration > most && duration >= usual * SLOWEST_TIMES,
         slow = usual && (slowest || (duration >= usual * SLOW_TIMES && sum->slow < slow_max(sum)));

    sum->rounds++;
    sum->log[log_of(duration)]++;
    sum->slowest = duration > sum->slowest ? duration : sum->slowest;
    sum->slow += slow;
    if (sum->rounds == sum->look_at) {
        sum->usual = usual_of(sum);
        sum->look_at += rounds_of_block(sum);
    }
    if (sum->rounds == sum->clear_at) {
        sum->slow = 0;
        sum->clear_at += rounds_of_block(sum) * sum->share * slow_max(sum) / SLOW_MAX;
    }
    return slow;
}

bool store_sum_keeps(const struct store_sum *sum)
{
    return sum->before + sum->rounds <= rounds_kept(sum->share, sum->calls);
}

enum core_status store_sum_slow_put(struct store *store, int32_t rank, const struct store_sum *sum,
                                    uint64_t seq, int64_t duration)
{
    int64_t row[5] = {(int64_t)rank << STORE_SEQ_BITS | (int64_t)seq, 0, 0, duration, sum->usual};
    enum core_status status = store_fold_number(store, seq, &row[1], &row[2]);

    CORE_CHECK(seq >> STORE_SEQ_BITS == 0 && duration >= sum->usual); /* store_sum_slow said so */
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
    sum->group.rounds_max = rounds_of_block(sum) * sum->share;
    return status;
}

static enum core_status call_write(struct store *store, int64_t event, int64_t index,
                                   const struct sum_call *of)
{
    char logs[LOGS * LOG_LETTERS + 2] = "{";
    size_t at = 1;

    CORE_CHECK(of->calls > 0 && of->least <= of->most && of->most <= of->total); /* invariant 1 */
    for (int i = 0; i < LOGS; i++)
        if (of->log[i])
            at += (size_t)snprintf(logs + at, sizeof logs - at, "%s\"%d\":%" PRIu64,
                                   at > 1 ? "," : "", i, of->log[i]);
    logs[at++] = '}';
    CORE_CHECK(at < sizeof logs);
    logs[at] = '\0';
    return store_put(&store->sql, STORE_EVENT_SUM_CALL, "iiiiiit", event, index, (int64_t)of->calls,
                     of->total, of->least, of->most, logs);
}

/* Writes the sums. */
static enum core_status group_close(struct store *store, struct store_sum *sum)
{
    enum core_status status = CORE_OK;

    CORE_CHECK(!sum->block.open); /* invariant 3 */
    for (uint32_t i = 0; sum->group.open && status == CORE_OK && i < sum->group.calls; i++)
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

static enum core_status block_open(struct store *store, const struct store_rank *rank,
                                   struct store_sum *sum, const struct store_sum_row *row,
                                   const struct store_call_time *time)
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
    sum->block.enter = time[sum->row[0].place].enter;
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
    of->log[log_of(duration)]++;
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
    enum core_status status = block_open(store, rank, sum, row, time);

    *out_taken = status == CORE_OK && sum->block.open;
    if (!*out_taken)
        return status;
    store_sum_passed(store, rank, sum, row, 1);
    return store_sum_go_on(store, rank->rank, sum, time);
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
