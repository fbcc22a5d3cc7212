/* See hint_probe_taken.h. */
#include "checkers/hint_probe_taken.h"

#include <inttypes.h>

#include "checkers/rule.h"
#include "core/check.h"
#include "core/trace/describe.h"

struct found {                /* a call that found or received a message */
    struct trace_event event; /* seq 0: none */
    int32_t source, tag;
    uint64_t bytes;
};

static bool is_plain(const struct trace_event *event, enum trait trait)
{
    return !event->parent && trait_in(event->traits, trait) &&
           !trait_in(event->traits, TRAIT_MATCHED);
}

static struct found found_of(const struct trace_event *event)
{
    struct found found = {.event = *event};

    CORE_CHECK(event->completion_count > 0);
    found.event.completion = NULL;
    found.source = event->completion[0].source;
    found.tag = event->completion[0].tag;
    found.bytes = event->completion[0].bytes;
    return found;
}

/* Finds the thread's last probe before its call `failed`, and another thread's receive of such a
 * message since then. */
static enum core_status taken_find(struct trace *trace, const struct trace_event *failed,
                                   struct found *probe, struct found *taken)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more;
    enum core_status status = trace_cursor_open(trace, failed->rank, &cursor);

    if (status != CORE_OK)
        return status;
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        bool done = event.completion_count && event.completion[0].done && !event.pending;
        bool own = event.thread == failed->thread, receives = is_plain(&event, TRAIT_RECEIVES);
        if (own && event.seq < failed->seq && (receives || is_plain(&event, TRAIT_PROBES))) {
            probe->event.seq = taken->event.seq = 0;
            if (done && !receives)
                *probe = found_of(&event);
        }
        if (own || !receives || !done || !probe->event.seq || event.comm != probe->event.comm ||
            event.completion[0].source != probe->source || event.completion[0].tag != probe->tag)
            continue;
        if (!taken->event.seq)
            *taken = found_of(&event);
    }
    trace_cursor_close(cursor);
    return status;
}

enum core_status hint_probe_taken_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                      uint64_t seq)
{
    struct trace_event failed;
    struct found probe = {.source = 0}, taken = {.source = 0};
    char bytes[64], place[2][256];

    CORE_CHECK(rank < trace->rank_count);
    if (trace_event_get(trace, rank, seq, &failed) != CORE_OK || trace->rank[rank].threads < 2 ||
        !is_plain(&failed, TRAIT_RECEIVES))
        return CORE_OK;
    enum core_status status = taken_find(trace, &failed, &probe, &taken);

    if (status != CORE_OK || !probe.event.seq || !taken.event.seq)
        return status;
    finding_fact(finding,
                 "%s at %s had found a message of %s; another thread received a message of that "
                 "source and tag at %s before this one did",
                 trace->call[probe.event.call].name,
                 trace_site_text(trace, probe.event.site, place[0], sizeof place[0]),
                 describe_bytes(probe.bytes, bytes, sizeof bytes),
                 trace_site_text(trace, taken.event.site, place[1], sizeof place[1]));
    finding->remedy = REMEDY_PROBE_MATCHED;
    return CORE_OK;
}
