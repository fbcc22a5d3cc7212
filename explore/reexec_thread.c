/* See the header. Operations are in the order in which their calls began, which is how calls are
 * numbered. */
#include "explore/reexec_thread.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"

#define A_THREAD "the threads of a job"

enum { NOBODY = UINT32_MAX };

struct reading {
    const struct replay_rank *rank;
    uint32_t number; /* the rank's number */
    const struct reexec_log *turns;
    struct reexec_rank_threads *out;
    uint32_t *known;   /* by thread of the trace: its number in schedules, or NOBODY */
    uint32_t traced;   /* number of threads in the trace */
    uint32_t *request; /* by request: its first operation, + 1 */
};

#define EACH_ROW(row, reading, KIND)                                          \
    for (const struct order_log_row *row = (reading)->turns->row;             \
         row && row < (reading)->turns->row + (reading)->turns->count; row++) \
        if (row->rank == (reading)->number && row->kind == (KIND))

static uint32_t thread_of(const struct reading *reading, uint32_t op)
{
    return reading->rank->when ? reading->rank->when[op].thread : 0;
}

/* Returns the first operation after that call. */
static uint32_t op_behind(const struct reading *reading, uint64_t seq)
{
    return CORE_ARRAY_FIND(at, 0, reading->rank->op_count, reading->rank->op[at].event <= seq);
}

/* --- which they are --------------------------------------------------------------------------- */

static void call_of(struct reading *reading, uint64_t seq, uint32_t number)
{
    uint32_t op = seq ? op_behind(reading, seq - 1) : reading->rank->op_count;
    if (op < reading->rank->op_count && reading->rank->op[op].event == seq)
        reading->known[thread_of(reading, op)] = number;
}

static void numbers_read(struct reading *reading)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < reading->traced; i++)
        reading->known[i] = reading->rank->when ? (uint32_t)NOBODY : 0;
    EACH_ROW(row, reading, ORDER_LOG_THREAD_CALLS)
    call_of(reading, row->seq, row->number);
    EACH_ROW(row, reading, ORDER_LOG_DONE)
    if (reexec_turn_is_thread(row->number))
        call_of(reading, row->seq, (uint32_t)row->answer);
    EACH_ROW(row, reading, ORDER_LOG_THREAD_MADE)
    highest = row->number > highest ? row->number : highest;
    for (uint32_t i = 0; i < reading->rank->op_count; i++) {
        uint32_t *known = &reading->known[thread_of(reading, i)];
        if (*known != (uint32_t)NOBODY)
            continue;
        reading->out->unknown = true;
        *known = ++highest;
    }
}

static uint32_t place_of(const struct reading *reading, uint32_t number)
{
    for (uint32_t i = 0; i < reading->out->count; i++)
        if (reading->out->thread[i].number == number)
            return i;
    return NOBODY;
}

static enum core_status threads_make(struct reading *reading)
{
    struct reexec_rank_threads *out = reading->out;
    enum core_status status =
        CORE_ARRAY_PUSH(out->thread, out->count, out->room, A_THREAD, (struct reexec_thread){0});
    for (uint32_t i = 0; i < reading->rank->op_count && status == CORE_OK; i++) {
        uint32_t number = reading->known[thread_of(reading, i)], place = place_of(reading, number);
        if (place == (uint32_t)NOBODY) {
            place = out->count;
            status = CORE_ARRAY_PUSH(out->thread, out->count, out->room, A_THREAD,
                                     (struct reexec_thread){.number = number});
        }
        struct reexec_thread *thread = status == CORE_OK ? &out->thread[place] : NULL;
        if (thread)
            status = CORE_ARRAY_PUSH(thread->op, thread->op_count, thread->op_room, A_THREAD, i);
        if (thread && out->count > 1)
            out->unknown |= thread->op_count > DECISION_THREAD_NUMBERS;
    }
    return status;
}

/* --- behind what they come -------------------------------------------------------------------- */

/* Finds the thread's creator in schedules. Creators that make no call are skipped: their own
 * creator takes their place. */
static void maker_read(struct reading *reading, struct reexec_thread *thread)
{
    uint32_t number = thread->number, place = NOBODY;
    bool found = true;
    for (uint32_t tries = 0; found && place == (uint32_t)NOBODY && tries < reading->turns->count;
         tries++) {
        found = false;
        EACH_ROW(row, reading, ORDER_LOG_THREAD_MADE)
        if (row->number == number && !found) {
            found = true;
            thread->made = row->seq;
            place = place_of(reading, (uint32_t)row->answer);
            number = (uint32_t)row->answer;
        }
    }
    reading->out->unknown |= place == (uint32_t)NOBODY;
    thread->maker = place == (uint32_t)NOBODY ? 0 : place;
}

static enum core_status comes_behind(struct reading *reading, uint32_t op, uint32_t behind)
{
    struct reexec_rank_threads *out = reading->out;
    CORE_CHECK(behind < op && op < reading->rank->op_count);
    if (thread_of(reading, op) == thread_of(reading, behind))
        return CORE_OK;
    return CORE_ARRAY_PUSH(out->order, out->order_count, out->order_room, A_THREAD,
                           (struct reexec_order){op, behind});
}

static enum core_status joins_read(struct reading *reading)
{
    enum core_status status = CORE_OK;
    EACH_ROW(row, reading, ORDER_LOG_THREAD_JOINED)
    {
        uint32_t place = place_of(reading, row->number);
        uint32_t by = place_of(reading, (uint32_t)row->answer);
        if (place == (uint32_t)NOBODY || by == (uint32_t)NOBODY || status != CORE_OK)
            continue;
        const struct reexec_thread *thread = &reading->out->thread[place],
                                   *joins = &reading->out->thread[by];
        uint32_t first = op_behind(reading, row->seq);
        uint32_t at = CORE_ARRAY_FIND(k, 0, joins->op_count, joins->op[k] < first);
        uint32_t last = thread->op_count ? thread->op[thread->op_count - 1] : NOBODY;
        if (at < joins->op_count && last < joins->op[at])
            status = comes_behind(reading, joins->op[at], last);
    }
    return status;
}

static enum core_status reexec_thread_uses(struct reading *reading, uint32_t op, int32_t request)
{
    if (request < 0 || request >= reading->rank->request_count)
        return CORE_OK;
    uint32_t *first = &reading->request[request];
    if (!*first)
        *first = op + 1;
    return *first == op + 1 ? CORE_OK : comes_behind(reading, op, *first - 1);
}

static enum core_status requests_read(struct reading *reading)
{
    const struct replay_rank *rank = reading->rank;
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < rank->op_count && status == CORE_OK; i++) {
        const struct replay_op *op = &rank->op[i];
        bool several = op->kind == REPLAY_WAIT_ALL || op->kind == REPLAY_WAIT_ANY ||
                       op->kind == REPLAY_WAIT_SOME || op->kind == REPLAY_TEST;
        const struct replay_set *set = several ? &rank->set[op->request] : NULL;
        for (uint32_t k = 0; set && k < set->count && status == CORE_OK; k++)
            status = reexec_thread_uses(reading, i, rank->member[set->first + k]);
        if (!several && op->kind == REPLAY_IMRECV)
            status = reexec_thread_uses(reading, i, op->tag);
        if (!several && status == CORE_OK)
            status = reexec_thread_uses(reading, i, op->request);
    }
    return status;
}

static int by_op(const void *a, const void *b)
{
    const struct reexec_order *first = a, *second = b;
    return (first->op > second->op) - (first->op < second->op);
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum core_status read_all(struct reading *reading)
{
    struct reexec_rank_threads *out = reading->out;
    numbers_read(reading);
    enum core_status status = threads_make(reading);
    if (status != CORE_OK || !reading->rank->when)
        return status;
    for (uint32_t i = 1; i < out->count; i++)
        maker_read(reading, &out->thread[i]);
    status = joins_read(reading);
    if (status == CORE_OK)
        status = requests_read(reading);
    if (out->order_count)
        qsort(out->order, out->order_count, sizeof *out->order, by_op);
    return status;
}

enum core_status reexec_threads_read(const struct replay_program *program, uint32_t rank,
                                     const struct reexec_log *turns,
                                     struct reexec_rank_threads *out_threads)
{
    struct reading reading = {
        .rank = &program->rank[rank], .number = rank, .turns = turns, .out = out_threads};
    *out_threads = (struct reexec_rank_threads){0};
    for (uint32_t i = 0; i < reading.rank->op_count; i++)
        if (thread_of(&reading, i) >= reading.traced)
            reading.traced = thread_of(&reading, i) + 1;
    enum core_status status = CORE_ARRAY_NEW(reading.known, reading.traced, A_THREAD);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(reading.request, (uint64_t)reading.rank->request_count, A_THREAD);
    if (status == CORE_OK)
        status = read_all(&reading);
    out_threads->unknown |= reading.rank->when && turns->unknown;
    free(reading.known);
    free(reading.request);
    return status;
}

void reexec_threads_done(struct reexec_rank_threads *threads)
{
    for (uint32_t i = 0; i < threads->count; i++)
        free(threads->thread[i].op);
    free(threads->thread);
    free(threads->order);
    *threads = (struct reexec_rank_threads){0};
}

const struct reexec_thread *reexec_threads_of(const struct reexec_rank_threads *threads,
                                              uint32_t number, uint32_t *out_own)
{
    CORE_CHECK(number > 0 && threads->count > 0);
    const struct decision d = decision_of(0, number, threads->count > 1);
    *out_own = d.index;
    for (uint32_t i = 0; i < threads->count; i++)
        if (threads->count == 1 || threads->thread[i].number == d.thread)
            return &threads->thread[i];
    return NULL;
}
