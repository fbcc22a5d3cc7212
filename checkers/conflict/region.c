/* See region.h. */
#include "checkers/conflict/region.h"

#include <inttypes.h>
#include <stdio.h>
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

/* Limits how many unordered accesses are compared with all others. */
enum { LOOKED_MAX = 1000 };

enum held { HELD_NEVER, HELD_MAYBE, HELD_SURELY };

/* Says how surely a byte is attached, and by which region. */
struct hold {
    enum held held;
    const struct region *region; /* holds the byte at some time */
    bool gone; /* it is detached too early (or may be); false: attached too late */
};

/* Lowers *hold to how surely the byte is attached, if that is less. */
static void hold_byte(const struct regions *regions, int64_t at, const struct access *access,
                      const struct order *order, struct hold *hold)
{
    uint32_t by = access->origin, of = access->target;
    struct hold best = {HELD_NEVER, NULL, false};

    for (uint32_t i = 0; i < regions->count && best.held != HELD_SURELY; i++) {
        const struct region *region = &regions->region[i];

        CORE_CHECK(!region->until || region->since < region->until);
        if (at < region->low || at >= region->high)
            continue;
        bool ended = access->end != UINT64_MAX,
             gone = region->until && order_before(order, of, region->until, by, access->seq),
             late = ended && order_before(order, by, access->end, of, region->since),
             there = order_before(order, of, region->since, by, access->seq),
             stays = !region->until ||
                     (ended && order_before(order, by, access->end, of, region->until));
        enum held held = gone || late ? HELD_NEVER : there && stays ? HELD_SURELY : HELD_MAYBE;
        if (!best.region || held > best.held)
            best = (struct hold){held, region, gone || (!late && there)};
    }
    if (best.held < hold->held)
        *hold = best;
}

/* Tells whether the rank whose call comes second may know, from window memory or another thread,
 * that the first one is done. */
static bool may_know_done(const struct rma_accesses *all, const struct trace *trace,
                          const struct access *access, bool gone)
{
    uint32_t second = gone ? access->target : access->origin;
    bool knows = trace->rank[access->target].threads > 1 ||
                 trace->rank[access->origin].threads > 1 || all->window[access->win].atomics ||
                 all->reads[second];

    for (uint32_t i = 0; i < all->count && !knows; i++) {
        const struct access *other = &all->access[i];

        knows = other->origin == second &&
                (other->itself || other->kind == SWAP || (other->kind == GET && other != access));
    }
    return knows;
}

static void hold_title(char *title, size_t room, const struct hold *hold, uint32_t target,
                       bool unsure)
{
    if (hold->held == HELD_NEVER)
        snprintf(title, room, "rank %" PRIu32 " %s the memory that it accesses", target,
                 hold->gone ? "has detached" : "has not yet attached");
    else
        snprintf(title, room,
                 "rank %" PRIu32 " may %s the memory that it accesses, and no synchronisation %s "
                 "the two",
                 target, hold->gone ? "already have detached" : "not yet have attached",
                 unsure ? "is known to order" : "orders");
}

static enum core_status hold_say(const struct hold *hold, const struct access *access, bool unsure,
                                 struct finding_dedup *dedup)
{
    struct trace *trace = dedup->input->trace;
    struct trace_event event;
    char title[160];
    enum core_status status = trace_event_get(trace, access->origin, access->seq, &event);
    struct finding *finding;

    if (status != CORE_OK)
        return status;
    hold_title(title, sizeof title, hold, access->target, unsure);
    if (!unsure) {
        finding = finding_dedup_wrong(dedup, &event, 0, title);
    } else {
        finding = finding_dedup_add(dedup, FINDING_NOTE, access->origin, access->seq);
        if (finding)
            finding_title(finding, "%s: %s (rank %" PRIu32 ")", trace->call[event.call].name, title,
                          access->origin);
    }
    if (finding) {
        finding->remedy = REMEDY_ATTACH_MEMORY;
        finding_call_add(finding, trace, access->target,
                         hold->gone ? hold->region->until : hold->region->since);
    }
    return CORE_OK;
}

enum core_status regions_compare(struct regions_said *said, const struct regions *regions,
                                 const struct access *access, int64_t base,
                                 const struct rma_accesses *all, const struct order *order,
                                 struct finding_dedup *dedup)
{
    struct hold hold = {HELD_SURELY, NULL, false};
    bool unsure = false;

    CORE_CHECK(access->low < access->high);
    hold_byte(regions, base + access->low, access, order, &hold);
    hold_byte(regions, base + access->high - 1, access, order, &hold);
    if (hold.held == HELD_SURELY || !hold.region)
        return CORE_OK;
    if (hold.held == HELD_MAYBE) {
        if (said->looked == LOOKED_MAX)
            return CORE_OK;
        said->looked++;
        unsure = may_know_done(all, dedup->input->trace, access, hold.gone);
    }
    if (unsure && said->noted)
        return CORE_OK;
    said->noted |= unsure;
    return hold_say(&hold, access, unsure, dedup);
}

void regions_say_outside(const struct regions *regions, const struct trace_event *event,
                         const struct access *access, struct finding_dedup *dedup)
{
    const struct trace *trace = dedup->input->trace;
    struct finding *finding = finding_dedup_add(dedup, FINDING_ERROR, event->rank, event->seq);

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
