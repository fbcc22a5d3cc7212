/* See region.h. */
#include "checkers/conflict/region.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"

struct attached {
    int64_t low;
    uint32_t last; /* index + 1; 0: none */
};

enum core_status regions_add(struct regions *regions, struct region region)
{
    struct attached *attached;

    CORE_CHECK(region.low <= region.high);
    if (!regions->attached.entry_bytes)
        regions->attached = (struct core_table)CORE_TABLE(struct attached, low);
    enum core_status status =
        core_table_put(&regions->attached, &region.low, "attached memory", &attached);
    if (status != CORE_OK)
        return status;
    region.earlier = attached->last;
    attached->last = regions->count + 1;
    return CORE_ARRAY_PUSH(regions->region, regions->count, regions->room, "attached memory",
                           region);
}

void regions_end(struct regions *regions, int64_t low, uint64_t seq)
{
    struct attached *attached = regions->count ? core_table_find(&regions->attached, &low) : NULL;

    if (!attached || !attached->last)
        return;
    struct region *region = &regions->region[attached->last - 1];
    CORE_CHECK(region->low == low && !region->until);
    region->until = seq;
    attached->last = region->earlier;
}

void regions_done(struct regions *regions)
{
    free(regions->region);
    core_table_done(&regions->attached);
}

bool regions_hold(const struct regions *regions, int64_t at)
{
    bool found = false;

    for (uint32_t i = 0; i < regions->count && !found; i++)
        found = regions->region[i].low <= at && at < regions->region[i].high;
    return found;
}

bool regions_hold_then(const struct regions *regions, int64_t at, const struct access *access,
                       const struct order *order, const struct region **out_other)
{
    for (uint32_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->region[i];

        CORE_CHECK(!region->until || region->since < region->until);
        if (at < region->low || at >= region->high)
            continue;
        if (!(region->until &&
              order_before(order, access->target, region->until, access->origin, access->seq)) &&
            !(access->end != UINT64_MAX &&
              order_before(order, access->origin, access->end, access->target, region->since)))
            return true;
        *out_other = region;
    }
    return false;
}

void regions_say_outside(const struct regions *regions, const struct trace_event *event,
                         const struct access *access, struct finding_dedup *told)
{
    const struct trace *trace = told->input->trace;
    struct finding *finding = finding_dedup_add(told, FINDING_ERROR, event->rank, event->seq);

    CORE_CHECK(access->low < access->high);
    if (!finding)
        return;
    finding->remedy = REMEDY_ATTACH_MEMORY;
    if (!regions->count)
        finding_title(
            finding, "%s: rank %" PRIu32 " has attached no memory to the window (rank %" PRIu32 ")",
            trace->call[event->call].name, access->target, event->rank);
    else
        finding_title(
            finding,
            "%s: the %s of the bytes that it accesses does not lie in memory that rank %" PRIu32
            " attached to the window (rank %" PRIu32 ")",
            trace->call[event->call].name, regions_hold(regions, access->low) ? "last" : "first",
            access->target, event->rank);
}
