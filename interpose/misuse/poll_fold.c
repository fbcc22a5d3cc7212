/* Folds polls: tests and probes that find nothing, and MPI_Wtime. A program that waits by polling
 * makes millions of them a second, and all tell the same: so they are folded (core/spool/spool.h,
 * invariant 10). A poll that found nothing is kept in the header's page, which outlives the process
 * like everything committed; equal polls that follow raise its count. Any other record of the lane
 * writes the polls out first.
 *
 * Such a loop may also contain calls that change nothing: MPI_Comm_rank, MPI_Win_sync, a probe that
 * finds a message and leaves it. They are recorded like any other, but if one comes again with the
 * same outcome, and the lane recorded only such calls and polls since, it is folded like a poll.
 *
 *  1. lane->poll_count equals header->poll_count; polls in the header have ascending numbers, above
 *     all that the lane committed before.
 *  2. A folded call gives its number back before it returns, unless another thread has taken the
 *     next one.
 *  3. A call is either in flight (depth) or counted, never both: a rank killed in between loses the
 *     one call that it was in.
 *  4. lane->steady are the calls of that kind that the lane recorded last, without others in
 *     between, as long as writer.events equals lane->steady_events.
 *  5. A call that is folded leaves nothing but its count on record. */
#include "interpose/recorder.h"
#include "interpose/live_order.h"

static bool poll_fold_same(const struct spool_event *a, const struct spool_event *b)
{
    return a->head.a == b->head.a && a->site == b->site && a->comm == b->comm &&
           a->request == b->request && a->peer == b->peer && a->tag == b->tag &&
           a->count == b->count && a->type == b->type;
}

bool recorder_poll_expect(struct lane *lane, const struct spool_event *e, uint64_t key)
{
    struct spool_header *header = lane->writer.header;
    uint32_t at = lane->poll_count;
    while (at && !(lane->poll_key[at - 1] == key && poll_fold_same(&header->poll[at - 1].event, e)))
        at--;
    header->poll_again = at;
    return at != 0;
}

static void number_back(uint64_t seq)
{
    uint64_t last = seq;
    if (!recorder.threads)
        recorder.seq = seq - 1;
    else if (!__atomic_compare_exchange_n(&recorder.seq, &last, seq - 1, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED))
        return;
    atomic_store_explicit(recorder.seq_shared, seq - 1, memory_order_relaxed);
}

static void poll_fold_left(struct lane *lane, const struct spool_event *e, enum recorder_step step)
{
    lane->poll_left = e->t_leave;
    recorder_relook(lane, e->t_leave);
    recorder_count(lane, step);
    lane->depth--;
    atomic_store_explicit(&lane->writer.header->depth, lane->depth, memory_order_release);
    recorder_thread.current = NULL;
    recorder_thread.ready = lane;
}

static uint64_t steady_hash(const struct spool_event *e, uint64_t key, uint64_t value)
{
    const uint64_t part[] = {(uint64_t)e->head.a << 32 | e->site,
                             (uint64_t)e->comm << 32 | e->request,
                             (uint64_t)(uint32_t)e->peer << 32 | (uint32_t)e->tag,
                             (uint64_t)(uint32_t)e->count << 32 | e->type,
                             key,
                             value};
    uint64_t hash = 0;
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        hash = (hash ^ hash >> 29 ^ part[i]) * 0x9E3779B97F4A7C15u;
    return hash;
}

/* Tells whether the call comes again; if not, remembers it. */
static bool poll_fold_steady(struct lane *lane, uint64_t hash)
{
    if (lane->writer.events != lane->steady_events)
        lane->steady_count = 0; /* invariant 4 */
    for (unsigned i = 0; i < lane->steady_count; i++)
        if (lane->steady[i] == hash)
            return true;
    if (lane->steady_count == SPOOL_POLLS_MAX)
        lane->steady_count = 0;
    lane->steady[lane->steady_count++] = hash;
    return false;
}

/* Tells whether the outcome may be folded. A schedule counts the calls that make a decision, so
 * with a schedule only polls that found nothing are folded. */
static bool may_fold(const struct poll_outcome *outcome)
{
    return outcome->how == POLL_NOTHING ||
           (outcome->how == POLL_STEADY && LIKELY(!recorder.perturb && !turns.on));
}

bool recorder_poll_again(struct lane *lane, struct spool_event *e, void **cfa, uint64_t key,
                         struct poll_outcome outcome, enum recorder_step step)
{
    struct spool_header *header = lane->writer.header;
    uint32_t at = header->poll_again;
    bool fold = may_fold(&outcome), soon = e->t_enter - lane->poll_left < recorder.poll_gap;
    if (LIKELY(fold && at && soon && lane->poll_outcome[at - 1] == outcome.value &&
               lane->poll_from == spool_mark(&lane->writer))) { /* invariant 5 */
        struct spool_poll *poll = &header->poll[at - 1];
        uint64_t seq = e->seq;
        poll->event.t_leave = e->t_leave;
        poll_fold_left(lane, e, step);
        atomic_store_explicit(&poll->calls,
                              atomic_load_explicit(&poll->calls, memory_order_relaxed) + 1,
                              memory_order_release);
        atomic_store_explicit(&header->polled,
                              atomic_load_explicit(&header->polled, memory_order_relaxed) + 1,
                              memory_order_relaxed);
        number_back(seq);
        return true;
    }
    lane->poll_kept = fold && (outcome.how == POLL_NOTHING ||
                               poll_fold_steady(lane, steady_hash(e, key, outcome.value)));
    if (lane->poll_count &&
        (!lane->poll_kept || at || lane->poll_count == SPOOL_POLLS_MAX || !soon))
        recorder_polls_write(lane);
    header->poll_again = 0;
    if (fold && outcome.how == POLL_STEADY && !lane->poll_kept)
        lane->steady_events = lane->writer.events + 1; /* this call included */
    if (UNLIKELY(recorder.stack))
        recorder_stack(lane, e->seq, cfa);
    return false;
}

void recorder_poll_leave(struct lane *lane, struct spool_event *e, uint64_t key, int error,
                         enum recorder_step step, struct poll_outcome outcome)
{
    struct spool_header *header = lane->writer.header;
    if (!lane->poll_kept || atomic_load_explicit(&header->stopped, memory_order_relaxed)) {
        recorder_leave(lane, e, error, step);
        return;
    }
    spool_commit(&lane->writer);
    e->head.b = 0;
    lane->poll_key[lane->poll_count] = key;
    lane->poll_outcome[lane->poll_count] = outcome.value;
    header->poll[lane->poll_count].event = *e;
    atomic_store_explicit(&header->poll[lane->poll_count].calls, 1, memory_order_relaxed);
    atomic_store_explicit(&header->poll_count, ++lane->poll_count, memory_order_release);
    poll_fold_left(lane, e, step);
}

/* Writes the polls in ascending order, so that a rank that is killed in the middle has each either
 * here or there (core/spool/spool.h, invariant 10). */
void recorder_polls_write(struct lane *lane)
{
    struct spool_header *header = lane->writer.header;
    uint32_t count = lane->poll_count;
    bool only = lane->steady_events == lane->writer.events; /* invariant 4 */
    for (uint32_t i = 0; i < count; i++) {
        const struct spool_event *e = &header->poll[i].event;
        uint64_t calls = header->poll[i].calls;
        const struct spool_repeat repeat = {{SPOOL_REPEAT, sizeof repeat / 8, 0, 0}, e->seq, calls};
        if ((calls > 1 && !spool_put_part(&lane->writer, &repeat.head)) ||
            !spool_put_event(&lane->writer, e)) {
            recorder_lost(lane, calls);
            continue;
        }
        lane->writer.events++;
    }
    spool_commit(&lane->writer);
    if (only)
        lane->steady_events = lane->writer.events;
    header->poll_again = 0;
    lane->poll_count = 0;
    atomic_store_explicit(&header->poll_count, 0, memory_order_release);
}
