/* See flushes.h.
 *
 *   MPI_Put(right); MPI_Win_flush(left); ... MPI_Win_unlock_all
 *
 * The flush completes nothing, and only the unlock completes MPI_Put. A loop that flushes one
 * target after the other is right: then a later flush completes the access. */
#include "checkers/conflict/flushes.h"

#include "core/check.h"

/* Tells whether the call completes the access, or accesses the same target. */
static bool is_about(const struct flushes_access *access, const struct trace_event *event)
{
    return access->win == event->win && (event->peer < 0 || event->peer == access->target);
}

static void flushes_begin(struct flushes *flushes, const struct trace_event *event)
{
    for (uint32_t i = 0; i < flushes->open_count; i++)
        if (is_about(&flushes->open[i], event))
            return;
    CORE_CHECK(flushes->open_count <= FLUSHES_OPEN_MAX);
    if (flushes->open_count == FLUSHES_OPEN_MAX)
        flushes->lost = true;
    else if (event->peer >= 0)
        flushes->open[flushes->open_count++] =
            (struct flushes_access){event->win, event->peer, event->seq};
}

/* Completes the accesses that the call is about. Returns their number. */
static uint32_t flushes_end(struct flushes *flushes, const struct trace_event *event)
{
    uint32_t kept = 0, ended = 0;
    CORE_CHECK(flushes->open_count <= FLUSHES_OPEN_MAX);

    for (uint32_t i = 0; i < flushes->open_count; i++) {
        if (is_about(&flushes->open[i], event))
            ended++;
        else
            flushes->open[kept++] = flushes->open[i];
    }
    flushes->open_count = kept;
    return ended;
}

static void flushes_flush(struct flushes *flushes, const struct trace_event *event)
{
    struct flushes_idle *idle = &flushes->idle;
    bool completes = flushes_end(flushes, event) > 0;
    CORE_CHECK(event->verb == VERB_FLUSH);

    if (idle->flush.seq && is_about(&idle->beside, event))
        idle->flush.seq = 0; /* its access is complete now */
    for (uint32_t i = 0; !completes && !idle->flush.seq && i < flushes->open_count; i++)
        if (flushes->open[i].win == event->win)
            *idle = (struct flushes_idle){*event, flushes->open[i]};
}

static void flushes_unlock(struct flushes *flushes, const struct trace_event *event,
                           struct finding_dedup *dedup)
{
    struct flushes_idle *idle = &flushes->idle;

    CORE_CHECK(event->verb == VERB_UNLOCK);
    (void)flushes_end(flushes, event);
    if (!idle->flush.seq || !is_about(&idle->beside, event))
        return;
    struct finding *finding =
        flushes->lost
            ? NULL
            : finding_dedup_wrong(dedup, &idle->flush, idle->beside.seq,
                                  "it completes nothing: the access that is not complete is at "
                                  "another target, and only the end of the lock completes it");
    if (finding) {
        finding->severity = FINDING_NOTE;
        finding->remedy = REMEDY_FLUSH;
    }
    idle->flush.seq = 0;
}

void flushes_follow(struct flushes *flushes, const struct trace_event *event,
                    struct finding_dedup *dedup)
{
    CORE_CHECK(event->win >= 0);
    if (event->error || event->pending)
        return;
    if (event->verb == VERB_FLUSH)
        flushes_flush(flushes, event);
    else if (event->verb == VERB_UNLOCK)
        flushes_unlock(flushes, event, dedup);
    else if (event->class == EVENT_CLASS_RMA && !event->request)
        flushes_begin(flushes, event);
    else if (event->verb == VERB_FENCE || event->verb == VERB_COMPLETE_EPOCH ||
             event->verb == VERB_WIN_FREE)
        *flushes = (struct flushes){.lost = flushes->lost};
}
