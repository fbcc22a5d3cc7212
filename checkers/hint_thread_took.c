/* See hint_thread_took.h. */
#include "checkers/hint_thread_took.h"

#include <inttypes.h>

#include "checkers/rule.h"
#include "core/check.h"
#include "core/matching/matching.h"
#include "core/trace/describe.h"

enum { RECEIVES_MAX = 64 }; /* looked through for the one that a failed wait waits for */

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

/* The receiving side of a call. */
struct receiving {
    int32_t peer, tag;
    uint64_t bytes;
};

static struct receiving receiving_of(const struct trace_event *event)
{
    return event->has_recv_half
               ? (struct receiving){event->recv_peer, event->recv_tag, event->recv_bytes}
               : (struct receiving){event->peer, event->tag, event->bytes};
}

/* Finds a receive of another thread, posted while this one was, that takes the same messages and
 * has room for longer ones. */
static enum core_status rival_find(struct trace *trace, const struct trace_event *failed,
                                   struct trace_event *out_rival)
{
    CORE_CHECK(failed->seq);
    const struct receiving mine = receiving_of(failed);
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more;
    enum core_status status = trace_cursor_open(trace, failed->rank, &cursor);

    out_rival->seq = 0;
    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, TRAIT_BIT(RECEIVES));
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        const struct receiving its = receiving_of(&event);
        if (event.thread != failed->thread && is_plain(&event, TRAIT_RECEIVES) &&
            event.comm == failed->comm && its.bytes > mine.bytes &&
            matching_overlaps(its.peer, mine.peer) && matching_overlaps(its.tag, mine.tag) &&
            (event.seq > failed->seq || event.pending || event.request ||
             event.t_leave > failed->t_enter))
            *out_rival = event;
    }
    trace_cursor_close(cursor);
    out_rival->completion = NULL; /* freed with the cursor */
    return status;
}

static bool waits_for(const struct trace_event *wait, uint64_t request)
{
    bool found = request && wait->request == request;

    CORE_CHECK(wait->completion || !wait->completion_count);
    for (uint32_t i = 0; i < wait->completion_count && request && !found; i++)
        found = wait->completion[i].request == request;
    return found;
}

/* Finds the receive that failed: the call itself, or the thread's last receive for which it waits
 * (seq 0: none). */
static enum core_status receive_find(struct trace *trace, uint32_t rank, uint64_t failed,
                                     struct trace_event *out)
{
    struct trace_event own[RECEIVES_MAX], event;
    uint32_t count = 0;
    struct trace_cursor *cursor;
    bool more;
    enum core_status status = trace_cursor_open(trace, rank, &cursor);

    out->seq = 0;
    if (status != CORE_OK)
        return status;
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more &&
           event.seq <= failed) {
        if (is_plain(&event, TRAIT_RECEIVES)) {
            own[count % RECEIVES_MAX] = event;
            own[count++ % RECEIVES_MAX].completion = NULL; /* freed with the cursor */
        }
        if (event.seq == failed)
            break;
    }
    for (uint32_t i = 0; status == CORE_OK && more && i < count && i < RECEIVES_MAX; i++) {
        const struct trace_event *one = &own[(count - 1 - i) % RECEIVES_MAX];
        if (one->thread == event.thread &&
            (one->seq == failed || waits_for(&event, one->request))) {
            *out = *one;
            break;
        }
    }
    trace_cursor_close(cursor);
    return status;
}

static enum core_status rival_say(struct trace *trace, struct finding *finding,
                                  const struct trace_event *failed)
{
    CORE_CHECK(trace->rank[failed->rank].threads > 1);
    struct trace_event rival;
    char bytes[64], place[256];
    enum core_status status = rival_find(trace, failed, &rival);

    if (status != CORE_OK || !rival.seq)
        return status;
    finding_fact(finding,
                 "another thread of rank %" PRIu32 " receives from the same source with the same "
                 "tag, with room for %s (%s at %s): MPI gives a message to the receive that was "
                 "posted first, whichever thread it is meant for",
                 failed->rank, describe_bytes(receiving_of(&rival).bytes, bytes, sizeof bytes),
                 trace->call[rival.call].name,
                 trace_site_text(trace, rival.site, place, sizeof place));
    finding->remedy = REMEDY_THREADS;
    return CORE_OK;
}

enum core_status hint_thread_took_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                      uint64_t seq)
{
    struct trace_event failed;
    struct found probe = {.source = 0}, taken = {.source = 0};
    char bytes[64], place[2][256];

    CORE_CHECK(rank < trace->rank_count);
    if (trace->rank[rank].threads < 2)
        return CORE_OK;
    enum core_status status = receive_find(trace, rank, seq, &failed);
    if (status == CORE_OK && failed.seq == seq)
        status = taken_find(trace, &failed, &probe, &taken);

    if (status != CORE_OK || !failed.seq)
        return status;
    if (!probe.event.seq || !taken.event.seq)
        return rival_say(trace, finding, &failed);
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
