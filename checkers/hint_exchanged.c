/* See hint_exchanged.h. */
#include "checkers/hint_exchanged.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "program/source_mention.h"

static enum core_status hint_exchanged_keep(uint32_t rank, uint64_t seq,
                                            const struct misuse *misuse, void *context)
{
    struct hint_exchanged *all = context;
    struct hint_exchanged_call call = {.rank = rank, .seq = seq};

    if (misuse->kind != MISUSE_SWAPPED)
        return CORE_OK;
    for (int i = 0; i < 2; i++)
        snprintf(call.name[i], sizeof call.name[i], "%s", misuse->name[i] ? misuse->name[i] : "");
    return CORE_ARRAY_PUSH(all->call, all->count, all->room, "exchanged arguments", call);
}

enum core_status hint_exchanged_read(struct trace *trace, struct hint_exchanged *out)
{
    *out = (struct hint_exchanged){.count = 0};
    return trace_misuse_each(trace, hint_exchanged_keep, out);
}

void hint_exchanged_done(struct hint_exchanged *exchanged)
{
    free(exchanged->call);
}

bool hint_exchanged_covers(const struct hint_exchanged *exchanged, uint32_t rank, uint64_t seq,
                           const struct misuse *misuse)
{
    if (!misuse->name[0] || misuse->kind == MISUSE_SWAPPED)
        return false;
    for (uint32_t i = 0; i < exchanged->count; i++) {
        const struct hint_exchanged_call *call = &exchanged->call[i];
        if (call->rank == rank && call->seq == seq &&
            (!strcmp(call->name[0], misuse->name[0]) || !strcmp(call->name[1], misuse->name[0])))
            return true;
    }
    return false;
}

/* Adds the call of the source with the two arguments, numbers from 1, exchanged. */
static void exchange_write(const struct trace *trace, struct finding *finding,
                           const struct trace_event *event, unsigned first, unsigned second)
{
    const struct trace_site *site = event->site > 0 && (uint32_t)event->site < trace->site_count
                                        ? &trace->site[event->site]
                                        : NULL;
    char *line = site && site->path ? source_mention_line(site->path, site->line) : NULL,
         *call = line ? source_mention_exchange(line, trace->call[event->call].name, first, second)
                      : NULL;

    CORE_CHECK(first > 0 && second > 0); /* numbers of arguments */
    finding->remedy = REMEDY_EXCHANGE;
    if (call)
        finding_fact(finding, "write %s", call);
    free(call);
    free(line);
}

/* Finds the first send or receive of rank `its` that fits the event if its rank and tag are
 * exchanged. *out_fit: seq 0: none. */
static enum core_status find_fit(struct trace *trace, uint32_t its, const struct trace_event *event,
                                 struct trace_event *out_fit)
{
    const bool receives = trait_in(event->traits, TRAIT_RECEIVES);
    struct trace_cursor *cursor;
    struct trace_event other;
    bool more;
    enum core_status status = trace_cursor_open(trace, its, &cursor);

    CORE_CHECK(its < trace->rank_count);
    out_fit->seq = 0;
    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, receives ? TRAIT_BIT(SENDS) : TRAIT_BIT(RECEIVES));
    while (!out_fit->seq && (status = trace_cursor_next(cursor, &other, &more)) == CORE_OK && more)
        if (!other.parent && other.comm == event->comm && other.tag == event->peer &&
            other.peer >= 0 &&
            trace_comm_world(trace, other.comm, (int32_t)its, other.peer) == (int32_t)event->rank)
            *out_fit = other;
    trace_cursor_close(cursor);
    return status;
}

enum core_status hint_exchanged_add(struct trace *trace, struct finding *finding,
                                    const struct trace_event *event, const struct misuse *misuse)
{
    const bool sends = trait_in(event->traits, TRAIT_SENDS),
               receives = trait_in(event->traits, TRAIT_RECEIVES);
    CORE_CHECK(event->rank < trace->rank_count);
    struct trace_event fit;
    char place[256];

    if (misuse->kind == MISUSE_SWAPPED)
        exchange_write(trace, finding, event, (unsigned)misuse->value[2],
                       (unsigned)misuse->value[3]);
    if (misuse->kind != MISUSE_PEER_RANGE || sends == receives || event->tag < 0 ||
        event->comm < 0 || (uint32_t)event->comm >= trace->comm_count)
        return CORE_OK;
    int32_t its = trace_comm_world(trace, event->comm, (int32_t)event->rank, event->tag);
    if (its < 0 || (uint32_t)its >= trace->rank_count)
        return CORE_OK;
    enum core_status status = find_fit(trace, (uint32_t)its, event, &fit);
    if (status != CORE_OK || !fit.seq)
        return status;
    finding->remedy = REMEDY_EXCHANGE;
    finding_fact(finding,
                 "'%s' and 'tag' are exchanged: rank %" PRId32 " %s with tag %" PRId32
                 " (%s at %s)",
                 misuse->name[0] ? misuse->name[0] : "the rank", its,
                 receives ? "sends to this rank" : "receives from this rank", fit.tag,
                 trace->call[fit.call].name, trace_site_text(trace, fit.site, place, sizeof place));
    enum { RANK = 4, TAG = 5 }; /* of the sends and receives of one buffer */
    exchange_write(trace, finding, event, RANK, TAG);
    return CORE_OK;
}
