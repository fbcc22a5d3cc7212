/* Finds which other turns could have answered a decision of explore_access.c: turns that conflict
 * with its answer, are decided or asked for later, and did not depend on it. Each is reported once,
 * with the turns that must come before it (its witnesses). */
#include "world/exchange/explore_access_inside.h"

#include "world/exchange/explore_report.h"

/* Returns the causes without this object's turns: turns are counted, so later ones have other
 * numbers once `d` has another answer. */
static struct world_causes alternatives_elsewhere(const struct world_decider *d,
                                                  const struct world_causes *causes)
{
    struct world_causes made = {{0}, NULL};
    world_causes_gather(&made, causes);
    for (const struct world_decider *e = d->part->decided; e; e = e->next)
        if (e->kind == d->kind && e->decided < EXPLORE_TRACKED)
            made.word[e->decided / 64] &= ~((uint64_t)1 << e->decided % 64);
    return made;
}

/* Returns the first turn after `d` among these causes; NULL if there is none. */
static const struct world_decider *alternatives_needed(const struct world_decider *d,
                                                       const struct world_causes *causes)
{
    const struct world_decider *first = NULL;
    for (const struct world_decider *e = d->part->decided; e; e = e->next)
        if (e->kind == d->kind && e->number > d->number && world_causes_has(causes, e->decided) &&
            (!first || e->number < first->number))
            first = e;
    return first;
}

struct world_causes world_alternatives_witnesses(const struct world_decider *d,
                                                 const struct world_decider *asks)
{
    struct world_causes without = world_causes_only(d->decided), room;
    for (const struct world_decider *e = d->part->decided; e; e = e->next)
        if (e->kind == d->kind && e->number > d->number) {
            const struct world_causes only = world_causes_only(e->decided);
            world_causes_gather(&without, &only);
        }
    return alternatives_elsewhere(d, world_causes_ordered(asks->causes, &without, &room));
}

static void alternatives_before(struct world_decider *d, const struct world_decider *asks);

/* Reports turns that conflict with this alternative only, and so were not reported with the others.
 */
static void alternatives_before_too(struct world_decider *d, const struct world_decider *asks)
{
    for (struct world_overlaps e = world_access_decided(asks); world_overlaps_next(&e);)
        if (e.turn->kind == d->kind && e.turn->number > d->number &&
            world_access_conflict(e.turn, asks))
            alternatives_before(d, e.turn);
    for (struct world_overlaps e = world_access_asking(asks); world_overlaps_next(&e);)
        if (e.turn->kind == d->kind && !e.turn->poll && world_access_conflict(e.turn, asks))
            alternatives_before(d, e.turn);
}

/* Reports the turn as an alternative to `d`. */
static void alternatives_instead(struct world_decider *d, const struct world_decider *asks)
{
    CORE_CHECK(asks->part == d->part && asks->kind == d->kind && asks->name >= 0);
    if (world_explore_seen(d, (uint32_t)asks->name))
        return;
    const struct world_causes witnesses = world_alternatives_witnesses(d, asks);
    world_explore_missed(d, asks->name, &witnesses, false);
    alternatives_before_too(d, asks);
}

/* Reports that `asks` could have come before `d`, on which it does not depend. If it depends on
 * another turn, that turn is reported instead, and the world in which it comes first reports the
 * rest; likewise for another turn that its causes merely followed. */
static void alternatives_before(struct world_decider *d, const struct world_decider *asks)
{
    if (world_causes_has(asks->causes, d->decided))
        return;
    while (asks->effect && asks->effect->after &&
           !(asks->effect->after->done && asks->effect->after->turn->place < d->place))
        asks = asks->effect->after->turn; /* it follows an earlier operation of its rank */
    if (world_causes_has(asks->causes, d->decided))
        return;
    const struct world_causes only = world_causes_only(d->decided);
    struct world_causes room;
    const struct world_causes *ordered = world_causes_ordered(asks->causes, &only, &room);
    const struct world_decider *needed = alternatives_needed(d, asks->causes),
                               *came = alternatives_needed(d, ordered);
    alternatives_instead(d, needed ? needed : asks);
    if (came && came != needed)
        alternatives_instead(d, came);
}

void world_alternatives_asking(const struct world_decider *asks)
{
    for (struct world_overlaps d = world_access_decided(asks); world_overlaps_next(&d);) {
        CORE_CHECK(d.turn->seen && d.turn->part == asks->part);
        if (d.turn->kind == asks->kind && world_access_conflict(asks, d.turn))
            alternatives_before(d.turn, asks);
    }
}

void world_alternatives_decided(const struct world_decider *turn)
{
    const struct world_causes own = world_causes_only(turn->decided);
    CORE_CHECK(world_causes_has(turn->behind, turn->decided));
    for (struct world_overlaps e = world_access_decided(turn); world_overlaps_next(&e);) {
        struct world_decider *d = e.turn;
        if (d == turn || d->kind != turn->kind || !world_access_conflict(turn, d) ||
            world_causes_has(turn->causes, d->decided))
            continue;
        const struct world_causes only = world_causes_only(d->decided);
        struct world_causes room;
        const struct world_causes *ordered = world_causes_ordered(&own, &only, &room);
        const struct world_decider *came = alternatives_needed(d, ordered);
        if (came && came != turn)
            alternatives_instead(d, came);
    }
}

void world_alternatives_locked(struct world_decider *d)
{
    CORE_CHECK(d->kind == EXPLORE_LOCK && d->place == d->part->lock_count + 1);
    for (const struct world_decider *asks = d->part->asking; asks; asks = asks->next)
        if (asks->kind == EXPLORE_LOCK && world_access_conflict(d, asks))
            alternatives_before(d, asks);
}
