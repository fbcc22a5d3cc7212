/* See the header. */
#include "world/exchange/explore_some.h"

#include "world/exchange/explore_missed.h"
#include "world/exchange/explore_report.h"

/* Finds the bits of the complete requests that are not certain; returns how many there are. */
static int complete_find(const struct world_decider *d, uint32_t out_bit[EXPLORE_BITS])
{
    int active = 0, complete = 0;
    CORE_CHECK(d->kind == EXPLORE_SOME);
    for (int i = 0; i < d->count && active < EXPLORE_BITS; i++) {
        if (!d->request[i])
            continue;
        if (!(d->certain >> active & 1) && world_decider_complete(d, i))
            out_bit[complete++] = 1u << active;
        active++;
    }
    return complete;
}

static uint32_t bits_join(const uint32_t bit[], int count)
{
    uint32_t all = 0;
    for (int i = 0; i < count; i++)
        all |= bit[i];
    return all;
}

bool world_explore_is_subset(const struct world_decider *d, int32_t answer)
{
    uint32_t bit[EXPLORE_BITS];
    const uint32_t all = d->certain | bits_join(bit, complete_find(d, bit));
    return answer > 0 && !((uint32_t)answer & ~all) && !(d->certain & ~(uint32_t)answer);
}

void world_explore_subsets(const struct world_decider *d)
{
    uint32_t bit[EXPLORE_BITS];
    const int complete = complete_find(d, bit);
    const uint32_t all = d->certain | bits_join(bit, complete);
    const bool many = complete > (WORLD->searcher ? EXPLORE_SUBSETS_STATES : EXPLORE_SUBSETS);
    CORE_CHECK(complete >= 0 && complete <= EXPLORE_BITS);
    if (!all)
        return;
    world_explore_tell((int32_t)all);
    if (many && WORLD->searcher)
        world_explore_limited();
    EXPLORE->report.subsets |= many;
    for (int i = 0; many && i < complete; i++)
        world_explore_tell((int32_t)(d->certain | bit[i]));
    for (uint32_t subset = 0; !many && subset + 1 < 1u << complete; subset++) {
        uint32_t answer = d->certain;
        for (int i = 0; i < complete; i++)
            answer |= subset >> i & 1 ? bit[i] : 0;
        if (answer)
            world_explore_tell((int32_t)answer);
    }
}
