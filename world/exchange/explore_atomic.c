/* See the header. Holds no state. */
#include "world/exchange/explore_atomic.h"

size_t world_atomic_bytes(const struct world_rma *rma)
{
    const struct ompi_datatype_t *type = rma->target_type;
    size_t least = 0;
    if (!world_rma_ordered(rma))
        return 0;
    if (type->pair)
        return (size_t)type_extent(rma->target_type);
    for (size_t i = 0; i < type->run_count; i++)
        if (!least || type->run[i].size < least)
            least = type->run[i].size;
    return least;
}

bool world_atomic_torn(const struct world_decider *a, const struct world_decider *b)
{
    CORE_CHECK(a->kind == EXPLORE_TURN && b->kind == EXPLORE_TURN && a->part == b->part);
    CORE_CHECK(a->element && b->element); /* both accumulate */
    size_t least = a->element < b->element ? a->element : b->element;
    const uint8_t *low = a->low > b->low ? a->low : b->low;
    const uint8_t *high = a->high < b->high ? a->high : b->high;
    return a->by != b->by && low < high && (size_t)(high - low) > least;
}

bool world_atomic_ordered(const struct ompi_win_t *win)
{
    static const char *const orders[] = {"raw", "war", "waw"}; /* of two reads nobody sees it */
    bool ordered = true;
    for (const struct world_info_entry *e = win->info; e; e = e->next)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            if (!strcmp(e->key, "accumulate_ordering"))
                ordered &= strstr(e->value, orders[i]) != NULL;
    return ordered;
}
