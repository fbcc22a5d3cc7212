/* See the header. */
#include "explore/store.h"

#include <string.h>

#include "core/check.h"

static bool is_change(const struct world_decision *d)
{
    return d->reason == REPLAY_REASON_OTHER && !replay_turn_is_file(d->number) && !d->reads &&
           d->low < d->high;
}

static bool could_be(const struct world_decisions *told, const struct world_decision *d,
                     int32_t answer)
{
    CORE_CHECK(d->option_first + d->option_count <= told->option_count);
    for (uint32_t i = 0; i < d->option_count; i++)
        if (told->option[d->option_first + i].answer == answer)
            return true;
    return false;
}

/* `b` comes behind `a`. */
static bool store_meets(const struct world_decisions *told, const struct world_decision *a,
                        const struct world_decision *b, int rank_count)
{
    return a->rank == b->rank && a->touch != b->touch &&
           a->number / REPLAY_TURN_OBJECT == b->number / REPLAY_TURN_OBJECT && a->low < b->high &&
           b->low < a->high && a->answer % rank_count != b->answer % rank_count &&
           could_be(told, a, b->answer);
}

static const struct world_decision *store_met(const struct world_decisions *told, uint32_t place,
                                              int rank_count)
{
    const struct world_decision *a = &told->decision[place];
    if (!is_change(a) || a->option_count < 2)
        return NULL;
    for (uint32_t i = place + 1; i < told->decision_count; i++)
        if (is_change(&told->decision[i]) && store_meets(told, a, &told->decision[i], rank_count))
            return &told->decision[i];
    return NULL;
}

bool explore_store_find(const struct world_decisions *told, int rank_count,
                        struct explore_store *out_store)
{
    CORE_CHECK(rank_count > 0);
    for (uint32_t i = 0; told->touched && i < told->decision_count; i++) {
        const struct world_decision *a = &told->decision[i], *b = store_met(told, i, rank_count);
        if (!b)
            continue;
        const struct world_decision *own = a->touch ? a : b, *other = a->touch ? b : a;
        out_store->is = true;
        out_store->owner = own->rank;
        out_store->other = other->answer % rank_count;
        memcpy(out_store->call, other->call, sizeof out_store->call);
        out_store->behind_site = own->behind_site;
        out_store->own_site = own->site;
        out_store->other_site = other->site;
        return true;
    }
    return false;
}
