/* See hint_live_comms.h. */
#include "checkers/hint_live_comms.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/trace/describe.h"

enum { LIVE_LEAST = 100 }; /* per place: libraries have room for 2,000 or more */

struct made {           /* indexed by the communicator's id */
    int32_t site, call; /* call -1: no such communicator */
    bool counted;       /* counted with the first communicator of its place */
};

static bool is_made_alike(const struct made *a, const struct made *b)
{
    return a->call == b->call && a->site == b->site;
}

/* Finds the communicators that the rank had when it made the call. */
static enum core_status made_find(struct trace *trace, uint32_t rank, uint64_t until,
                                  struct made *made)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more;
    enum core_status status = trace_cursor_open(trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, TRAIT_BIT(MAKES_COMM) | TRAIT_BIT(FREES_COMM));
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more &&
           event.seq < until) {
        const bool makes = trait_in(event.traits, TRAIT_MAKES_COMM);
        const int64_t id = makes ? (int64_t)event.request : event.comm;

        if (event.parent || event.error || id < 0 || id >= trace->comm_count)
            continue;
        made[id] = (struct made){event.site, makes ? event.call : -1, false};
    }
    trace_cursor_close(cursor);
    return status;
}

enum core_status hint_live_comms_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                     uint64_t seq)
{
    struct trace_event failed;
    struct made *made;
    uint32_t most = 0, best = 0, all = 0;
    char number[2][32], place[256];

    if (trace_event_get(trace, rank, seq, &failed) != CORE_OK ||
        !trait_in(failed.traits, TRAIT_MAKES_COMM))
        return CORE_OK;
    enum core_status status = CORE_ARRAY_NEW(made, trace->comm_count, "communicators");

    for (uint32_t i = 0; status == CORE_OK && i < trace->comm_count; i++)
        made[i].call = -1;
    if (status == CORE_OK)
        status = made_find(trace, rank, seq, made);
    for (uint32_t i = 0; status == CORE_OK && i < trace->comm_count; i++) {
        uint32_t alike = 0;

        all += made[i].call >= 0;
        if (made[i].call < 0 || made[i].counted)
            continue;
        for (uint32_t k = i; k < trace->comm_count; k++) {
            made[k].counted |= is_made_alike(&made[k], &made[i]);
            alike += is_made_alike(&made[k], &made[i]);
        }
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    CORE_CHECK(most <= all);
    CORE_CHECK(!most || made[best].call >= 0);
    if (most >= LIVE_LEAST)
        finding_fact(finding,
                     "rank %" PRIu32 " had made %s communicators by then and not freed them: %s by "
                     "%s at %s",
                     rank, describe_number(all, number[0], sizeof number[0]),
                     describe_number(most, number[1], sizeof number[1]),
                     trace->call[made[best].call].name,
                     trace_site_text(trace, made[best].site, place, sizeof place));
    free(made);
    return status;
}
