/* Stores the rounds of a spool's loop (core/spool/spool_loop.h) without storing each call. It
 * stores two rounds call by call and watches them: the row of each call, and the sends and receives
 * that it began or completed. If the second round repeats the first, by the loop's steps, all later
 * rounds do: of these it reads only the times, and keeps them or sums them up (store_sum.c).
 *
 * This holds if nothing is under way after a round: then the effect of a round follows from its
 * calls alone, which by the spool are equal but for their steps. So it applies only if
 *     no request is active after the watched rounds, and only persistent ones are known, which an
 *     earlier call made: one that a round makes and the next one starts has another id each round
 *     the requests that a call names all have the same step, or none
 *     nothing else counts up (tags, further arguments)
 *     the rank has one thread
 *
 * Invariants
 *  1. call[i].row is the call's row in the last round; the numbers of its messages are relative to
 *     the row's.
 *  2. watched is the number of calls watched in sequence without a break. */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/progress.h"
#include "core/fault.h"
#include "core/array.h"
#include "core/spool/spool_loop.h"
#include "store/store_part.h"

enum {
    MESSAGES_MAX = 256, /* per call */
    ROUNDS_WATCHED = 2,
    SEQ_STEP_MAX = 1 << 20, /* from round to round: more means damage */
    TRIES_AFTER_MAX = 64    /* rounds */
};

struct loop_message { /* compared as bytes up to `queue`: no padding */
    struct store_side side;
    int64_t order, seq; /* relative to the call's number */
    int64_t bytes;
    uint32_t receives, queue;
    struct store_match_run run;
};
struct loop_row {
    struct store_row row;
    int64_t step; /* of the request, from round to round */
    uint32_t item;
    uint32_t message, message_count; /* range in the messages of the round */
};
struct store_loop {
    uint64_t number; /* of the reader's loop; 0: none */
    uint32_t lane;   /* number of the thread */
    bool refused;    /* the shortcut does not apply */
    uint32_t calls;  /* per round */
    uint32_t call_room;
    struct loop_row *call;
    uint32_t next;                  /* the call to watch next */
    uint64_t watched;               /* invariant 2 */
    uint64_t tries_at, tries_after; /* calls watched; the interval doubles after each vain try */
    struct loop_message *message;
    uint32_t message_count, message_room;
    struct loop_message now[MESSAGES_MAX]; /* of the call being stored */
    uint32_t now_count;
    bool watches, odd; /* odd: it did something that cannot be repeated */
    struct store_row row;
    struct spool_times *time; /* of a round */
    struct store_call_time *now_time, *held_time;
    struct store_sum_row *sum_row;
    uint32_t time_room, now_time_room, held_time_room, sum_row_room;
    uint64_t passed;  /* summed rounds that call[].row and the messages do not include yet */
    bool holds, kept; /* a round is held back; the last one's times were kept for its slowness */
    int64_t end, own_end; /* end of the last round, and of the application's last call, in ns */
    struct store_sum *sum;
};

/* --- what loops may be taken so --------------------------------------------------------------- */

/* Fills in the calls of a new loop. */
static enum core_status loop_met(struct store_loop *loop, struct spool_reader *reader,
                                 struct spool_loop *spool, int32_t ranks, uint64_t rounds)
{
    enum core_status status;

    CORE_CHECK(spool->state == SPOOL_LOOP_GOES);
    loop->number = reader->loops;
    loop->refused = false;
    loop->calls = loop->next = loop->message_count = 0;
    loop->watched = 0;
    for (uint32_t i = 0; i < spool->count; i++) {
        uint32_t step;
        if (spool_loop_record(spool, i)->kind != SPOOL_EVENT)
            continue;
        if (!spool_loop_event_step(spool, i, &step)) {
            loop->refused = true;
            return CORE_OK;
        }
        status = CORE_ARRAY_PUSH(loop->call, loop->calls, loop->call_room, "the trace",
                                 (struct loop_row){.step = (int32_t)step, .item = i});
        if (status != CORE_OK)
            return status;
    }
    CORE_CHECK(loop->calls > 0); /* spool_loop.h invariant 3 */
    loop->refused = !spool->seq_step || spool->seq_step > SEQ_STEP_MAX;
    status = CORE_ARRAY_ROOM(loop->time, loop->time_room, loop->calls, "the trace");
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(loop->now_time, loop->now_time_room, loop->calls, "the trace");
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(loop->held_time, loop->held_time_room, loop->calls, "the trace");
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(loop->sum_row, loop->sum_row_room, loop->calls, "the trace");
    return status == CORE_OK ? store_sum_begin(loop->sum, loop->calls, ranks, rounds) : status;
}

/* --- watching --------------------------------------------------------------------------------- */

enum core_status store_loop_begin(struct store *store, const struct store_rank *rank,
                                  struct store_lane *lane)
{
    struct spool_loop *spool = spool_reader_loop(&lane->reader);
    struct store_loop *loop = store->loop;
    enum core_status status = CORE_OK;

    if (!loop)
        return CORE_OK;
    loop->watches = false;
    loop->now_count = 0;
    if (!spool || rank->lane_count != 1) {
        loop->watched = 0;
        return CORE_OK;
    }
    if (loop->number != lane->reader.loops || loop->lane != lane->number)
        status = loop_met(loop, &lane->reader, spool, store->world_size, store_fold_rounds(store));
    loop->lane = lane->number;
    if (loop->refused || status != CORE_OK)
        return status;
    if (!loop->watched || loop->call[loop->next].item != lane->reader.item) {
        loop->watched = loop->message_count = 0;
        loop->tries_at = loop->tries_after = ROUNDS_WATCHED * (uint64_t)loop->calls;
        for (loop->next = 0; loop->call[loop->next].item != lane->reader.item; loop->next++)
            CORE_CHECK(loop->next + 1 < loop->calls); /* each event of the loop is counted */
    }
    CORE_CHECK(loop->next < loop->calls); /* invariant 2 */
    loop->watches = true;
    loop->odd = false;
    loop->row.seq = 0;
    return CORE_OK;
}

void store_loop_row(struct store *store, const struct store_row *row)
{
    if (store->loop && store->loop->watches)
        store->loop->row = *row;
}

void store_loop_message(struct store *store, bool receives, const struct store_side *side,
                        uint64_t order, uint64_t seq, int64_t bytes)
{
    struct store_loop *loop = store->loop;

    if (!loop || !loop->watches)
        return;
    if (loop->now_count == MESSAGES_MAX) {
        loop->odd = true;
        return;
    }
    struct loop_message *message = &loop->now[loop->now_count++];
    memset(message, 0, sizeof *message);
    message->side.comm = side->comm;
    message->side.source = side->source;
    message->side.dest = side->dest;
    message->side.tag = side->tag;
    message->side.inner = side->inner;
    message->side.pair = side->pair;
    message->order = (int64_t)order;
    message->seq = (int64_t)seq;
    message->bytes = bytes;
    message->receives = receives;
}

void store_loop_odd(struct store *store)
{
    if (store->loop)
        store->loop->odd = true;
}

static bool messages_again(const struct loop_message *kept, const struct loop_message *now,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(&kept[i], &now[i], offsetof(struct loop_message, queue)) != 0)
            return false;
    return true;
}

/* Tells whether the call equals that of the round before, one round further. */
static bool call_again(const struct store_loop *loop, const struct loop_row *kept,
                       const struct spool_loop *spool)
{
    const struct store_row *was = &kept->row, *row = &loop->row;
    int64_t step = was->request == STORE_NULL ? 0 : kept->step;

    CORE_CHECK(was->seq > 0); /* it was watched in the last round */
    return row->seq == was->seq + spool->seq_step && row->shape == was->shape &&
           row->request == was->request + step && row->calls == was->calls &&
           row->tag == was->tag && row->inner == was->inner &&
           loop->now_count == kept->message_count &&
           messages_again(loop->message + kept->message, loop->now, loop->now_count);
}

/* Handles a call that was just stored. */
static enum core_status call_watched(struct store *store, const struct spool_loop *spool)
{
    struct store_loop *loop = store->loop;
    struct loop_row *kept = &loop->call[loop->next];
    enum core_status status = CORE_OK;

    CORE_CHECK(loop->next < loop->calls && loop->now_count <= MESSAGES_MAX);
    for (uint32_t i = 0; i < loop->now_count; i++) { /* invariant 1 */
        loop->now[i].order -= (int64_t)loop->row.seq;
        loop->now[i].seq -= (int64_t)loop->row.seq;
    }
    if (loop->odd || !loop->row.seq) {
        loop->refused = true;
        return CORE_OK;
    }
    if (loop->watched >= loop->calls) {
        if (!call_again(loop, kept, spool)) {
            loop->refused = true;
            return CORE_OK;
        }
    } else {
        kept->message = loop->message_count;
        kept->message_count = loop->now_count;
        for (uint32_t i = 0; status == CORE_OK && i < loop->now_count; i++)
            status = CORE_ARRAY_PUSH(loop->message, loop->message_count, loop->message_room,
                                     "the trace", loop->now[i]);
    }
    kept->row = loop->row;
    loop->watched++;
    loop->next = loop->next + 1 < loop->calls ? loop->next + 1 : 0;
    return status;
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* round: seq of the last call before the round that ends now. */
static bool nothing_is_under_way(const struct store_rank *rank, const struct store_lane *lane,
                                 uint64_t round)
{
    for (uint32_t i = 0; i < requests_count(&rank->requests); i++) {
        const struct request *request = requests_at(&rank->requests, i);
        if (!request->persistent || request->active || request->armed || request->made > round)
            return false;
    }
    return lane->gathers == (lane->parts ? 1 : 0);
}

/* Returns how many rounds fit before numbers would be damaged. */
static uint64_t rounds_most(const struct store_loop *loop, uint64_t seq_step)
{
    uint64_t last = 0, end = (uint64_t)1 << STORE_SEQ_BITS;

    for (uint32_t i = 0; i < loop->calls; i++)
        last = loop->call[i].row.seq > last ? loop->call[i].row.seq : last;
    CORE_CHECK(last < end); /* store_lane_next drops others */
    return (end - 1 - last) / seq_step;
}

static enum core_status messages_take(struct store *store, const struct loop_row *call,
                                      uint64_t seq_step)
{
    struct loop_message *message = store->loop->message + call->message;
    const struct store_row *row = &call->row;
    enum core_status status = CORE_OK;

    CORE_CHECK(call->message + call->message_count <= store->loop->message_count);

    for (uint32_t i = 0; status == CORE_OK && i < call->message_count; i++, message++) {
        struct store_match_run *run = &message->run;
        if (!message->queue)
            status = store_match_queue(store, &message->side, &message->queue);
        if (status != CORE_OK)
            return status;
        run->order = row->seq + (uint64_t)message->order;
        run->seq = row->seq + (uint64_t)message->seq;
        run->step = seq_step;
        run->bytes = message->bytes;
        status = store->gaps_known
                     ? store_match_add(store, message->queue, message->receives, run->order,
                                       run->seq, run->bytes,
                                       row->t_enter + (message->receives ? row->duration : 0))
                     : store_match_again(store, message->queue, message->receives, run);
    }
    return status;
}

/* Computes the rows so many rounds later, and, if `messages` is set, the round's messages. time: of
 * the round; NULL if nobody asks for it. */
static enum core_status rows_go_on(struct store *store, struct store_lane *lane,
                                   const struct store_call_time *time, uint64_t seq_step,
                                   uint64_t rounds, bool messages)
{
    struct store_loop *loop = store->loop;
    enum core_status status = CORE_OK;

    CORE_CHECK(rounds == 1 || !messages);
    CORE_CHECK(time || !messages || !store->gaps_known); /* messages_take reads it there */
    for (uint32_t i = 0, at = loop->next; status == CORE_OK && i < loop->calls; i++) {
        struct loop_row *call = &loop->call[at];
        struct store_row *row = &call->row;
        row->seq += rounds * seq_step;
        row->request += row->request == STORE_NULL ? 0 : (int64_t)rounds * call->step;
        if (time) {
            row->t_enter = time[i].enter;
            row->duration = time[i].leave - time[i].enter;
        }
        if (messages)
            status = messages_take(store, call, seq_step);
        lane->last_seq = row->seq;
        if (!row->inner)
            lane->last_own = row->seq;
        CORE_CHECK(row->duration >= 0); /* it had returned */
        at = at + 1 < loop->calls ? at + 1 : 0;
    }
    return status;
}

static enum core_status rows_put(struct store *store, struct store_rank *rank)
{
    struct store_loop *loop = store->loop;
    enum core_status status = CORE_OK;

    for (uint32_t i = 0, at = loop->next; status == CORE_OK && i < loop->calls; i++) {
        status = store_event_row(store, rank, &loop->call[at].row);
        at = at + 1 < loop->calls ? at + 1 : 0;
    }
    return status;
}

/* Stores a round with the times of each call. */
static enum core_status round_put(struct store *store, struct store_rank *rank,
                                  struct store_lane *lane, const struct store_call_time *time,
                                  uint64_t seq_step)
{
    enum core_status status = store_sum_close(store, rank->rank, store->loop->sum);

    if (status == CORE_OK)
        status = rows_go_on(store, lane, time, seq_step, 1, true);
    return status == CORE_OK ? rows_put(store, rank) : status;
}

/* Adds the messages of so many rounds. Returns false, and adds none, if one of them does not extend
 * the run that its queue ends in. */
static bool messages_grow(struct store *store, uint64_t rounds)
{
    struct store_loop *loop = store->loop;

    for (uint32_t i = 0; i < loop->message_count; i++)
        if (!store_match_run_grows(store, loop->message[i].queue, loop->message[i].receives,
                                   &loop->message[i].run, rounds))
            return false;
    for (uint32_t i = 0; i < loop->message_count; i++)
        store_match_run_grow(store, &loop->message[i].run, rounds);
    return true;
}

static void sum_rows(struct store_loop *loop)
{
    CORE_CHECK(loop->calls <= loop->sum_row_room);
    for (uint32_t i = 0, at = loop->next; i < loop->calls; i++) {
        loop->sum_row[i] = (struct store_sum_row){&loop->call[at].row, loop->call[at].step, i};
        at = at + 1 < loop->calls ? at + 1 : 0;
    }
}

/* Advances rows and messages by the rounds that were summed up. */
static enum core_status rounds_pass(struct store *store, struct store_rank *rank,
                                    struct store_lane *lane, uint64_t seq_step)
{
    struct store_loop *loop = store->loop;
    uint64_t rounds = loop->passed;
    enum core_status status = CORE_OK;

    if (!rounds)
        return CORE_OK;
    loop->passed = 0;
    uint64_t left = rounds;
    for (; status == CORE_OK && left && !messages_grow(store, left); left--)
        status = rows_go_on(store, lane, NULL, seq_step, 1, true);
    if (status == CORE_OK && left)
        status = rows_go_on(store, lane, NULL, seq_step, left, false);
    sum_rows(loop);
    store_sum_passed(store, rank, loop->sum, loop->sum_row, rounds);
    return status;
}

static enum core_status round_sum(struct store *store, struct store_rank *rank,
                                  struct store_lane *lane, const struct store_call_time *time,
                                  uint64_t seq_step)
{
    struct store_loop *loop = store->loop;
    bool taken = false;

    if (store_sum_goes(loop->sum)) {
        loop->passed++;
        return store_sum_go_on(store, rank->rank, loop->sum, time);
    }
    enum core_status status = rounds_pass(store, rank, lane, seq_step);
    if (status == CORE_OK)
        status = rows_go_on(store, lane, time, seq_step, 1, true);
    sum_rows(loop);
    if (status == CORE_OK)
        status = store_sum_add(store, rank, loop->sum, loop->sum_row, time, &taken);
    return status == CORE_OK && !taken ? rows_put(store, rank) : status;
}

/* Reads the times of a round. Returns whether the application made none of its calls inside another
 * one. */
static bool times_take(struct store_loop *loop, const struct store_clock *clock)
{
    bool apart = true;

    CORE_CHECK(loop->calls <= loop->time_room && loop->calls <= loop->now_time_room);
    for (uint32_t i = 0, at = loop->next; i < loop->calls; i++) {
        int64_t enter = store_clock_ns(clock, loop->time[i].enter),
                leave = store_clock_ns(clock, loop->time[i].leave);
        leave = leave > enter ? leave : enter;
        loop->now_time[i] = (struct store_call_time){enter, leave};
        if (!loop->call[at].row.inner) {
            apart = apart && enter >= loop->own_end;
            loop->own_end = leave;
        }
        at = at + 1 < loop->calls ? at + 1 : 0;
    }
    return apart;
}

/* Writes a row for the slow round that was read, by its longest call. */
static enum core_status slow_put(struct store *store, const struct store_rank *rank,
                                 uint64_t seq_step, int64_t duration)
{
    struct store_loop *loop = store->loop;
    uint64_t seq = 0, ahead = loop->holds ? 2 * seq_step : seq_step;
    int64_t most = -1, end = loop->end;

    CORE_CHECK(loop->calls <= loop->now_time_room);
    for (uint32_t i = 0, at = loop->next; i < loop->calls; i++) {
        int64_t took = loop->now_time[i].leave - end;
        end = loop->now_time[i].leave;
        if (took > most) {
            most = took;
            seq = loop->call[at].row.seq + ahead;
        }
        at = at + 1 < loop->calls ? at + 1 : 0;
    }
    return store_sum_slow_put(store, rank->rank, loop->sum, seq, duration);
}

static enum core_status held_put(struct store *store, struct store_rank *rank,
                                 struct store_lane *lane, uint64_t seq_step)
{
    bool holds = store->loop->holds;

    CORE_CHECK(!holds || store->loop->calls <= store->loop->held_time_room);
    store->loop->holds = false;
    return holds ? round_put(store, rank, lane, store->loop->held_time, seq_step) : CORE_OK;
}

/* Handles one round whose times were read. Holds it back: if the next round is slow, this one's
 * times are kept. */
static enum core_status round_take(struct store *store, struct store_rank *rank,
                                   struct store_lane *lane, uint64_t seq_step)
{
    struct store_loop *loop = store->loop;
    bool apart = times_take(loop, rank->clock);
    int64_t end = loop->now_time[loop->calls - 1].leave,
            duration = end > loop->end ? end - loop->end : 0;
    bool slow = store_sum_slow(loop->sum, duration),
         keeps = slow || loop->kept || !apart || store->gaps_known || store->options->times_all ||
                 store_sum_keeps(loop->sum);
    enum core_status status = CORE_OK;

    CORE_CHECK(rank->lane_count == 1); /* store_loop_begin skips ranks with several lanes */
    if (keeps)
        status = rounds_pass(store, rank, lane, seq_step);
    if (status == CORE_OK && slow && !store_sum_keeps(loop->sum))
        status = slow_put(store, rank, seq_step, duration);
    loop->kept = slow;
    loop->end = end;
    if (status == CORE_OK && keeps)
        status = held_put(store, rank, lane, seq_step);
    if (status == CORE_OK && keeps)
        status = round_put(store, rank, lane, loop->now_time, seq_step);
    if (status == CORE_OK && !keeps) {
        struct store_call_time *time = loop->held_time;
        if (loop->holds)
            status = round_sum(store, rank, lane, time, seq_step);
        loop->held_time = loop->now_time;
        loop->now_time = time;
        loop->holds = true;
    }
    core_progress_at(store->bytes_read + spool_reader_position(&lane->reader));
    return status;
}

/* Advances the rows by a round, and begins a block with it. Returns without *out_taken, and changes
 * nothing, if that is not possible. */
static enum core_status sum_begin(struct store *store, struct store_rank *rank,
                                  struct store_lane *lane, uint64_t seq_step,
                                  const struct spool_sum *sum, int64_t enter, int64_t leave,
                                  bool *out_taken)
{
    struct store_loop *loop = store->loop;
    enum core_status status = rounds_pass(store, rank, lane, seq_step);

    if (status == CORE_OK)
        status = rows_go_on(store, lane, NULL, seq_step, 1, false);
    sum_rows(loop);
    if (status == CORE_OK)
        status =
            store_sum_recorded(store, rank, loop->sum, loop->sum_row, sum, enter, leave, out_taken);
    if (status == CORE_OK && !*out_taken)
        return rows_go_on(store, lane, NULL, seq_step, UINT64_MAX, false);
    for (uint32_t i = 0, at = loop->next; status == CORE_OK && i < loop->calls; i++) {
        status = messages_take(store, &loop->call[at], seq_step);
        at = at + 1 < loop->calls ? at + 1 : 0;
    }
    return status;
}

/* Handles rounds that the recorder summed up, if such come next, at most so many. */
static enum core_status sum_take(struct store *store, struct store_rank *rank,
                                 struct store_lane *lane, uint64_t seq_step, uint64_t most,
                                 uint64_t *out_rounds)
{
    struct store_loop *loop = store->loop;
    const struct spool_sum *sum = spool_reader_sum(&lane->reader, loop->calls);
    enum core_status status = CORE_OK;
    bool taken = false, first;

    if (!sum || sum->rounds > most || store->gaps_known)
        return CORE_OK;
    uint64_t ticks = lane->reader.again.t;
    int64_t enter = store_clock_ns(rank->clock, ticks + sum->enter),
            leave = store_clock_ns(rank->clock, ticks + sum->lasted);
    if (loop->holds) {
        loop->holds = false;
        status = round_sum(store, rank, lane, loop->held_time, seq_step);
    }
    if (status != CORE_OK)
        return status;
    first = !store_sum_goes(loop->sum);
    status = first ? sum_begin(store, rank, lane, seq_step, sum, enter, leave, &taken)
                   : store_sum_recorded(store, rank, loop->sum, NULL, sum, enter, leave, &taken);
    if (status != CORE_OK || !taken)
        return status;
    *out_rounds = sum->rounds;
    loop->passed += sum->rounds - first;
    loop->end = loop->own_end = leave;
    loop->kept = false;
    spool_reader_sum_pass(&lane->reader);
    core_progress_at(store->bytes_read + spool_reader_position(&lane->reader));
    return CORE_OK;
}

/* Reads all rounds that follow. */
static enum core_status rounds_take(struct store *store, struct store_rank *rank,
                                    struct store_lane *lane, uint64_t seq_step,
                                    uint64_t *out_rounds)
{
    struct store_loop *loop = store->loop;
    uint64_t most = rounds_most(loop, seq_step), rounds = 0;
    enum core_status status = CORE_OK;

    loop->end = loop->own_end = store_clock_ns(rank->clock, lane->event.t_leave);
    while (status == CORE_OK && rounds < most) {
        uint64_t summed = 0;
        if (spool_reader_round(&lane->reader, loop->calls, loop->time)) {
            status = round_take(store, rank, lane, seq_step);
            rounds++;
            continue;
        }
        status = sum_take(store, rank, lane, seq_step, most - rounds, &summed);
        rounds += summed;
        if (!summed)
            break;
    }
    if (status == CORE_OK)
        status = rounds_pass(store, rank, lane, seq_step);
    if (status == CORE_OK)
        status = held_put(store, rank, lane, seq_step);
    if (status == CORE_OK)
        status = store_sum_end(store, rank->rank, loop->sum);
    CORE_CHECK(status != CORE_OK || !loop->holds); /* all are stored or summed up */
    *out_rounds = rounds;
    return status;
}

enum core_status store_loop_end(struct store *store, struct store_rank *rank,
                                struct store_lane *lane)
{
    struct store_loop *loop = store->loop;
    struct spool_loop *spool = loop && loop->watches ? spool_reader_loop(&lane->reader) : NULL;
    uint64_t rounds = 0;

    if (!spool)
        return CORE_OK;
    enum core_status status = call_watched(store, spool);
    loop->watches = false;
    if (status != CORE_OK || loop->refused || loop->watched < ROUNDS_WATCHED * loop->calls)
        return status;
    if (loop->watched < loop->tries_at && !spool_reader_sum(&lane->reader, loop->calls))
        return CORE_OK;
    CORE_CHECK(loop->row.seq > spool->seq_step);                            /* call_again */
    if (!nothing_is_under_way(rank, lane, loop->row.seq - spool->seq_step)) /* it may be later */
        return CORE_OK;
    status = rounds_take(store, rank, lane, spool->seq_step, &rounds);
    if (rounds)
        spool_reader_rounds_passed(&lane->reader, rounds);
    else if (loop->tries_after < TRIES_AFTER_MAX * (uint64_t)loop->calls)
        loop->tries_after *= 2;
    loop->tries_at = loop->watched + (rounds ? loop->calls : loop->tries_after);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

struct store_sum *store_loop_sum(const struct store *store)
{
    CORE_CHECK(store->loop && store->loop->sum); /* store_loop_rank */
    return store->loop->sum;
}

enum core_status store_loop_rank(struct store *store)
{
    if (!store->loop && (store->loop = core_alloc_zero(1, sizeof *store->loop)))
        store->loop->sum = store_sum_new();
    if (!store->loop || !store->loop->sum)
        return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
    store->loop->number = 0;
    store->loop->watches = false;
    return CORE_OK;
}

void store_loop_done(struct store *store)
{
    if (!store->loop)
        return;
    free(store->loop->call);
    free(store->loop->message);
    free(store->loop->time);
    free(store->loop->now_time);
    free(store->loop->held_time);
    free(store->loop->sum_row);
    store_sum_done(store->loop->sum);
    free(store->loop);
}
