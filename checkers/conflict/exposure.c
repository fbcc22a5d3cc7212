/* Sorts locks and posts of a part of a window by window, rank, target and call. The posts of a part
 * follow each other. Those that end before a lock begins come first, those that begin after its end
 * come last: only the first post after the former needs a look. */
#include "checkers/conflict/exposure.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/work.h"

enum { EXPOSURE_POSTED = -2 }; /* takes the place of a target */

static enum core_status span_begin(struct exposures *exposures, const struct trace_event *event,
                                   int32_t target, struct exposure_how how, bool post)
{
    struct exposure_key key = {event->win, post ? EXPOSURE_POSTED : target};
    struct exposure_span span = {event->win, event->rank,   target,       event->seq,
                                 UINT64_MAX, how.exclusive, how.unchecked};
    struct exposure_open *open;
    enum core_status status = core_table_put(&exposures->open, &key, "locks of windows", &open);

    if (status != CORE_OK)
        return status;
    status = post ? CORE_ARRAY_PUSH(exposures->post, exposures->post_count, exposures->post_room,
                                    "posts of windows", span)
                  : CORE_ARRAY_PUSH(exposures->lock, exposures->lock_count, exposures->lock_room,
                                    "locks of windows", span);
    if (status == CORE_OK)
        open->index = post ? exposures->post_count : exposures->lock_count;
    return status;
}

static void span_end(struct exposures *exposures, const struct trace_event *event, int32_t target,
                     bool post)
{
    struct exposure_key key = {event->win, post ? EXPOSURE_POSTED : target};
    struct exposure_open *open = core_table_find(&exposures->open, &key);

    if (!open || !open->index)
        return;
    CORE_CHECK(open->index <= (post ? exposures->post_count : exposures->lock_count));
    struct exposure_span *span = &(post ? exposures->post : exposures->lock)[open->index - 1];
    CORE_CHECK(span->rank == event->rank && span->from <= event->seq);
    span->to = event->seq;
    open->index = 0;
}

/* Keeps the rank's first lock or MPI_Win_sync: values read from then on may tell it what another
 * rank has done. */
static enum core_status passive_keep(struct exposures *exposures, const struct trace_event *event)
{
    uint64_t rank = event->rank;
    struct exposure_passive *passive;
    enum core_status status =
        core_table_put(&exposures->passive, &rank, "locks of windows", &passive);

    if (status == CORE_OK && !passive->seq)
        passive->seq = event->seq;
    return status;
}

enum core_status exposures_follow(struct exposures *exposures, const struct trace_event *event,
                                  int32_t target, struct exposure_how how)
{
    enum core_status status = CORE_OK;

    if (event->error)
        return CORE_OK;
    switch (event->verb) {
    case VERB_LOCK:
        status = passive_keep(exposures, event);
        if (status == CORE_OK && (target >= 0 || event->peer < 0))
            status = span_begin(exposures, event, target, how, false);
        break;
    case VERB_UNLOCK:
        span_end(exposures, event, target, false);
        break;
    case VERB_POST:
        status = span_begin(exposures, event, (int32_t)event->rank, how, true);
        break;
    case VERB_WAIT_EPOCH:
    case VERB_TEST_EPOCH:
        if (how.ended)
            span_end(exposures, event, (int32_t)event->rank, true);
        break;
    case VERB_SYNC_MEMORY:
        status = passive_keep(exposures, event);
        break;
    default:
        break;
    }
    return status;
}

void exposures_done(struct exposures *exposures)
{
    free(exposures->post);
    free(exposures->lock);
    core_table_done(&exposures->open);
    core_table_done(&exposures->passive);
}

static int span_compare(const void *a, const void *b)
{
    const struct exposure_span *x = a, *y = b;

    if (x->win != y->win)
        return x->win < y->win ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

void exposures_sort(struct exposures *exposures)
{
    if (exposures->post_count)
        qsort(exposures->post, exposures->post_count, sizeof *exposures->post, span_compare);
    if (exposures->lock_count)
        qsort(exposures->lock, exposures->lock_count, sizeof *exposures->lock, span_compare);
}

/* Returns how many spans sort before the key. */
static uint32_t spans_before(const struct exposure_span *span, uint32_t count,
                             const struct exposure_span *key)
{
    return CORE_ARRAY_FIND(at, 0, count, span_compare(&span[at], key) < 0);
}

static bool exposure_holds(const struct exposures *exposures, const struct exposure_span *key,
                           bool exclusive)
{
    uint32_t before = spans_before(exposures->lock, exposures->lock_count, key);
    const struct exposure_span *last = before ? &exposures->lock[before - 1] : NULL;

    return last && last->win == key->win && last->rank == key->rank &&
           last->target == key->target && (last->exclusive || !exclusive) && key->from <= last->to;
}

bool exposures_holds(const struct exposures *exposures, int32_t win, uint32_t rank, uint64_t seq,
                     bool exclusive)
{
    const struct exposure_span own = {.win = win,
                                      .rank = rank,
                                      .target = (int32_t)rank,
                                      .from = seq},
                               all = {.win = win, .rank = rank, .target = -1, .from = seq};

    return exposure_holds(exposures, &own, exclusive) || exposure_holds(exposures, &all, exclusive);
}

/* Returns the index of the first post of the next rank or window, after that of post `first`. */
static uint32_t rank_end(const struct exposures *exposures, uint32_t first)
{
    const struct exposure_span *post = &exposures->post[first],
                               next = {.win = post->win, .rank = post->rank + 1, .target = -1};

    return spans_before(exposures->post, exposures->post_count, &next);
}

static bool exposure_learns(const struct exposures *exposures, uint32_t rank, uint64_t before)
{
    uint64_t key = rank;
    const struct exposure_passive *passive = core_table_find(&exposures->passive, &key);

    return passive && passive->seq < before;
}

/* --- what is reported ------------------------------------------------------------------------- */

/* Reports a lock of another rank's window while it is posted. */
static void posted_say(struct finding_dedup *dedup, const struct exposure_span *lock,
                       const struct exposure_span *post, const char *call)
{
    struct finding *finding = finding_dedup_add(dedup, FINDING_ERROR, lock->rank, lock->from);

    CORE_CHECK(lock->win == post->win);
    if (!finding)
        return;
    finding_title(finding,
                  "%s: the window of rank %" PRIu32 " is posted: it must not be locked between "
                  "its MPI_Win_post and its MPI_Win_wait (rank %" PRIu32 ")",
                  call, post->rank, lock->rank);
    finding_call_add(finding, dedup->input->trace, post->rank, post->from);
}

/* Reports a lock of another rank that excludes a lock with MPI_MODE_NOCHECK. */
static void unchecked_say(struct finding_dedup *dedup, const struct exposure_span *lock,
                          const struct exposure_span *other, const char *call)
{
    struct finding *finding = finding_dedup_add(dedup, FINDING_ERROR, lock->rank, lock->from);

    CORE_CHECK(lock->win == other->win);
    if (!finding)
        return;
    finding->remedy = REMEDY_ASSERT;
    finding_title(finding,
                  "%s: it asserts MPI_MODE_NOCHECK, but nothing orders it and the lock of rank "
                  "%" PRIu32 ", which excludes it (rank %" PRIu32 ")",
                  call, other->rank, lock->rank);
    finding_core_add(finding, dedup->input->trace, other->rank, other->from);
}

struct telling {
    struct finding_dedup *dedup;
    void (*say)(struct finding_dedup *dedup, const struct exposure_span *lock,
                const struct exposure_span *other, const char *call);
    int32_t said; /* the last window of which it was reported; -1: none. Locks are sorted by it */
};

static void exposure_tell(struct telling *telling, const struct exposure_span *lock,
                          const struct exposure_span *other)
{
    struct trace *trace = telling->dedup->input->trace;
    struct trace_event event;
    enum core_status status;

    if (telling->said == lock->win)
        return;
    status = trace_event_get(trace, lock->rank, lock->from, &event);
    if (telling->dedup->status == CORE_OK)
        telling->dedup->status = status;
    if (status != CORE_OK)
        return;
    telling->said = lock->win;
    telling->say(telling->dedup, lock, other, trace->call[event.call].name);
}

/* Compares a lock with the posts [low, end) of one rank. */
static void lock_compare(const struct exposures *exposures, const struct order *order,
                         const struct exposure_span *lock, uint32_t low, uint32_t end,
                         struct telling *telling)
{
    const struct exposure_span *all = exposures->post;

    /* the first post that is not over when the lock begins */
    low = CORE_ARRAY_FIND(
        at, low, end,
        (core_work(1), order_before(order, all[at].rank, all[at].to, lock->rank, lock->from)));
    if (low == end)
        return;
    const struct exposure_span *post = &exposures->post[low];
    if (order_before(order, lock->rank, lock->to, post->rank, post->from))
        return;
    bool certain = order_before(order, post->rank, post->from, lock->rank, lock->from) &&
                   order_before(order, lock->rank, lock->from, post->rank, post->to);
    if (certain || (!exposure_learns(exposures, post->rank, post->from) &&
                    !exposure_learns(exposures, lock->rank, lock->from)))
        exposure_tell(telling, lock, post);
}

void exposures_compare(struct exposures *exposures, const struct order *order,
                       struct finding_dedup *dedup)
{
    struct telling telling = {dedup, posted_say, -1};

    if (!exposures->post_count || !exposures->lock_count)
        return;
    for (uint32_t i = 0; i < exposures->lock_count; i++) {
        const struct exposure_span *lock = &exposures->lock[i];
        struct exposure_span from = {
            .win = lock->win, .rank = lock->target < 0 ? 0 : (uint32_t)lock->target, .target = -1};
        uint32_t low = spans_before(exposures->post, exposures->post_count, &from);
        for (uint32_t end; low < exposures->post_count && exposures->post[low].win == lock->win;
             low = end) {
            end = rank_end(exposures, low);
            if (lock->target >= 0 && exposures->post[low].rank != (uint32_t)lock->target)
                break;
            if (lock->target < 0 || exposures->post[low].rank != lock->rank)
                lock_compare(exposures, order, lock, low, end, &telling);
        }
    }
}

/* Compares the lock with the locks of `rank` on the target (-1: on all ranks). */
static void unchecked_compare(const struct exposures *exposures, const struct order *order,
                              const struct exposure_span *lock, uint32_t rank, int32_t target,
                              struct telling *telling)
{
    CORE_CHECK(lock->unchecked && rank != lock->rank);
    const struct exposure_span *all = exposures->lock;
    struct exposure_span key = {.win = lock->win, .rank = rank, .target = target},
                         end = {.win = lock->win, .rank = rank, .target = target + 1};
    uint32_t low = spans_before(all, exposures->lock_count, &key),
             high = spans_before(all, exposures->lock_count, &end);

    low = CORE_ARRAY_FIND(
        at, low, high,
        (core_work(1), order_before(order, all[at].rank, all[at].to, lock->rank, lock->from)));
    if (low == high)
        return;
    const struct exposure_span *other = &all[low];
    CORE_CHECK(other->rank == rank && other->win == lock->win);
    if ((lock->exclusive || other->exclusive) &&
        !order_before(order, lock->rank, lock->to, other->rank, other->from) &&
        !exposure_learns(exposures, other->rank, other->from) &&
        !exposure_learns(exposures, lock->rank, lock->from))
        exposure_tell(telling, lock, other);
}

void exposures_compare_unchecked(const struct exposures *exposures, const struct order *order,
                                 struct finding_dedup *dedup)
{
    struct telling telling = {dedup, unchecked_say, -1};
    uint32_t count = exposures->lock_count;
    int32_t ranks = 0; /* one more than the highest rank that locked or was locked */

    for (uint32_t i = 0; i < count; i++) {
        const struct exposure_span *lock = &exposures->lock[i];
        int32_t high = (int32_t)lock->rank > lock->target ? (int32_t)lock->rank : lock->target;
        ranks = high >= ranks ? high + 1 : ranks;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct exposure_span *lock = &exposures->lock[i];
        int32_t first = lock->target < 0 ? 0 : lock->target,
                end = lock->target < 0 ? ranks : lock->target + 1;
        for (int32_t rank = 0; lock->unchecked && rank < ranks; rank++) {
            if ((uint32_t)rank == lock->rank)
                continue;
            unchecked_compare(exposures, order, lock, (uint32_t)rank, -1, &telling);
            for (int32_t target = first; target < end; target++)
                unchecked_compare(exposures, order, lock, (uint32_t)rank, target, &telling);
        }
    }
}
