/* Finds the critical path of a recorded run, backwards from the rank that ends last, over the
 * waits, and what the ranks on it did (why.h). */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/table.h"
#include "reports/why.h"

/* Returns the rank's last wait that ends before t; NULL: none. */
static const struct why_wait *wait_before(const struct why_waits *waits, uint32_t rank, uint64_t t)
{
    const struct why_wait *wait = waits->wait;
    uint32_t behind =
        CORE_ARRAY_FIND(at, 0, waits->count,
                        wait[at].rank < rank || (wait[at].rank == rank && wait[at].end_ns < t));

    return behind && wait[behind - 1].rank == rank ? &wait[behind - 1] : NULL;
}

static void segments_turn(struct why *why)
{
    for (uint32_t i = 0; i < why->segment_count / 2; i++) {
        struct why_segment *a = &why->segment[i], *b = &why->segment[why->segment_count - 1 - i],
                           other = *a;
        *a = *b;
        *b = other;
    }
    for (uint32_t i = 1; i < why->segment_count; i++) /* why.h invariant 1 */
        CORE_CHECK(why->segment[i - 1].end_ns == why->segment[i].start_ns);
}

static enum core_status why_path_walk(const struct why_waits *waits, struct why *why)
{
    uint32_t rank = why->end;
    uint64_t t = why->rank[rank].end_ns;
    enum core_status status = CORE_OK;

    for (bool more = true; more && status == CORE_OK;) {
        const struct why_wait *wait = wait_before(waits, rank, t);
        uint64_t start = wait ? wait->end_ns : why->rank[rank].begin_ns;
        more = wait != NULL;
        if (start > t) /* the recorded begin is later: clocks of threads differ */
            start = t;
        status = CORE_ARRAY_PUSH(why->segment, why->segment_count, why->segment_room,
                                 "the critical path", (struct why_segment){rank, start, t});
        why->rank[rank].path_ns += t - start;
        why->path_ns += t - start;
        t = start;
        rank = wait ? wait->by : rank;
    }
    segments_turn(why);
    return status;
}

/* --- parts of the path ------------------------------------------------------------------------ */

struct part {
    struct {
        uint64_t rank, inside;
        int64_t call, site;
    } key;
    uint64_t ns;
};
struct parting {
    const struct why_segment *segment; /* by rank, then start */
    uint32_t count, at;
    struct core_table parts;
    uint32_t rank;
    uint64_t done_ns; /* of the rank: everything before was counted */
    struct why *why;
};

static uint64_t why_path_overlap(const struct why_segment *segment, uint64_t from, uint64_t to)
{
    uint64_t start = segment->start_ns > from ? segment->start_ns : from,
             end = segment->end_ns < to ? segment->end_ns : to;

    return end > start ? end - start : 0;
}

/* Returns how much of the rank's [from, to) is on the path. */
static uint64_t on_path(struct parting *p, uint32_t rank, uint64_t from, uint64_t to)
{
    uint64_t ns = 0;

    while (p->at < p->count &&
           (p->segment[p->at].rank < rank ||
            (p->segment[p->at].rank == rank && p->segment[p->at].end_ns <= from)))
        p->at++;
    for (uint32_t i = p->at;
         i < p->count && p->segment[i].rank == rank && p->segment[i].start_ns < to; i++)
        ns += why_path_overlap(&p->segment[i], from, to);
    return ns;
}

static enum core_status part_add(struct parting *p, const struct why_event *event, bool inside,
                                 uint64_t from, uint64_t to)
{
    struct part key = {{event->rank, inside, event->in.call, event->in.site}, 0}, *part;
    uint64_t ns = from < to ? on_path(p, event->rank, from, to) : 0;

    if (!ns)
        return CORE_OK;
    enum core_status status = core_table_put(&p->parts, &key.key, "the critical path", &part);
    if (status == CORE_OK)
        part->ns += ns;
    return status;
}

static enum core_status event_part(const struct why_event *event, void *context)
{
    struct parting *p = context;

    if (event->rank != p->rank) {
        p->rank = event->rank;
        p->done_ns = 0;
    }
    enum core_status status = part_add(p, event, false, p->done_ns, event->start_ns);
    if (event->start_ns > p->done_ns)
        p->done_ns = event->start_ns;
    if (status == CORE_OK && event->sum && event->end_ns > p->done_ns) {
        uint64_t ns = on_path(p, event->rank, p->done_ns, event->end_ns);
        CORE_CHECK(p->why->path_ns >= ns); /* on_path counts no part of a segment twice */
        p->why->path_ns -= ns;
        p->why->rank[event->rank].path_ns -= ns;
    } else if (status == CORE_OK) {
        status = part_add(p, event, true, p->done_ns, event->end_ns);
    }
    if (event->end_ns > p->done_ns)
        p->done_ns = event->end_ns;
    return status;
}

static int segment_compare(const void *a, const void *b)
{
    const struct why_segment *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int part_compare(const void *a, const void *b)
{
    const struct why_part *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->at.site != y->at.site)
        return x->at.site < y->at.site ? -1 : 1;
    return (x->at.call > y->at.call) - (x->at.call < y->at.call);
}

static enum core_status parts_gather(struct trace *trace, struct why *why)
{
    struct why_segment *segment = NULL;
    struct parting p = {.parts = CORE_TABLE(struct part, key), .rank = UINT32_MAX, .why = why};
    enum core_status status = CORE_ARRAY_NEW(segment, why->segment_count + 1, "the critical path");

    if (status == CORE_OK) {
        memcpy(segment, why->segment, why->segment_count * sizeof *segment);
        qsort(segment, why->segment_count, sizeof *segment, segment_compare);
        p.segment = segment;
        p.count = why->segment_count;
        status = why_events_each(trace, event_part, &p);
    }
    for (uint32_t i = 0; i < p.parts.count && status == CORE_OK; i++) {
        const struct part *part = core_table_at(&p.parts, i);
        struct why_part made = {.rank = (uint32_t)part->key.rank,
                                .at = {(int32_t)part->key.call, (int32_t)part->key.site},
                                .inside = part->key.inside != 0,
                                .ns = part->ns};
        status =
            CORE_ARRAY_PUSH(why->part, why->part_count, why->part_room, "the critical path", made);
    }
    if (why->part_count)
        qsort(why->part, why->part_count, sizeof *why->part, part_compare);
    core_table_done(&p.parts);
    free(segment);
    return status;
}

enum core_status why_path_gather(struct trace *trace, const struct why_waits *waits,
                                 struct why *why)
{
    enum core_status status = why_path_walk(waits, why);

    return status == CORE_OK ? parts_gather(trace, why) : status;
}
