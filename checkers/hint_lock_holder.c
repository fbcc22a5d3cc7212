/* See hint_lock_holder.h. */
#include "checkers/hint_lock_holder.h"

#include <inttypes.h>

#include "core/check.h"

enum { HOLDERS_MAX = 4 /* limits the holders that are named */ };

struct held { /* a lock that the rank holds at the end of its record; seq 0: none */
    uint64_t seq;
    int32_t site, call;
};

/* Tells whether two calls lock the same target; MPI_Win_lock_all has no peer and locks all. */
static bool is_same_target(int32_t a, int32_t b)
{
    return a == b || a < 0 || b < 0;
}

/* Finds the last lock on the window and target that the rank took and did not release. */
static enum core_status lock_held(struct trace *trace, uint32_t rank,
                                  const struct trace_event *waits, struct held *out)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more;
    enum core_status status = trace_cursor_open(trace, rank, &cursor);

    CORE_CHECK(rank < trace->rank_count);
    CORE_CHECK(waits->win >= 0);
    *out = (struct held){.seq = 0};
    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, TRAIT_BIT(WINDOW));
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        if (event.parent || event.error || event.win != waits->win ||
            !is_same_target(event.peer, waits->peer))
            continue;
        if (event.class == EVENT_CLASS_RMA_LOCK && !event.pending)
            *out = (struct held){event.seq, event.site, event.call};
        else if (event.class == EVENT_CLASS_RMA_UNLOCK)
            out->seq = 0;
    }
    trace_cursor_close(cursor);
    return status;
}

/* Names one of the ranks that the call waits for, if it holds the lock. */
static enum core_status holder_tell(struct trace *trace, struct finding *finding, uint32_t rank,
                                    const struct trace_event *waits, uint32_t *told)
{
    struct held held;
    char place[256];
    enum core_status status = lock_held(trace, rank, waits, &held);

    if (status != CORE_OK || !held.seq)
        return status;
    finding_fact(finding,
                 "rank %" PRIu32 " holds the lock: it called %s at %s, and no MPI_Win_unlock after "
                 "that",
                 rank, trace->call[held.call].name,
                 trace_site_text(trace, held.site, place, sizeof place));
    ++*told;
    return CORE_OK;
}

static bool holder_is_told(const uint32_t *rank, uint32_t count, uint32_t wanted)
{
    for (uint32_t i = 0; i < count; i++)
        if (rank[i] == wanted)
            return true;
    return false;
}

/* Tells whether the rank, in the core, waits for a lock itself. */
static bool waits_for_lock(const struct ending *ending, uint32_t rank)
{
    for (uint32_t c = 0; c < ending->call_count; c++) {
        const struct ending_call *call = &ending->call[c];

        for (uint32_t w = call->first;
             call->role == ENDING_CORE && call->rank == rank && w < call->first + call->count; w++)
            if (ending->wait[w].need == ENDING_NEED_LOCK)
                return true;
    }
    return false;
}

enum core_status hint_lock_holder_add(struct trace *trace, struct finding *finding,
                                      const struct ending *ending)
{
    uint32_t told = 0, asked = 0, rank[HOLDERS_MAX];
    enum core_status status = CORE_OK;
    bool all_wait = true;

    for (uint32_t c = 0; c < ending->call_count; c++) {
        const struct ending_call *call = &ending->call[c];
        struct trace_event waits;

        if (call->role != ENDING_CORE ||
            trace_event_get(trace, call->rank, call->seq, &waits) != CORE_OK || waits.win < 0)
            continue;
        for (uint32_t w = call->first; w < call->first + call->count; w++) {
            const struct ending_wait *wait = &ending->wait[w];

            CORE_CHECK(w < ending->wait_count);
            for (uint32_t s = wait->first; s < wait->first + wait->count; s++)
                for (uint32_t r = ending->span[s].first;
                     wait->need == ENDING_NEED_LOCK && wait->job == ENDING_JOB_OWN &&
                     r <= ending->span[s].last && asked < HOLDERS_MAX && status == CORE_OK;
                     r++) {
                    if (r == call->rank || holder_is_told(rank, asked, r))
                        continue;
                    rank[asked++] = r;
                    all_wait &= waits_for_lock(ending, r);
                    status = holder_tell(trace, finding, r, &waits, &told);
                }
        }
    }
    CORE_CHECK(told <= asked);
    if (told && finding->remedy != REMEDY_UNLOCK_FIRST)
        finding->remedy = all_wait ? REMEDY_UNLOCK : REMEDY_RELEASE;
    return status;
}
