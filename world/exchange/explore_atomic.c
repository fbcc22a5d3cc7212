/* See the header. Holds no state. */
#include "world/exchange/explore_atomic.h"

enum { PIECES_MAX = 256 };

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

const struct world_pieces *world_rma_pieces(const struct world_rma *rma)
{
    const struct ompi_datatype_t *type = rma->target_type;
    const size_t count = rma->target_count * type->run_count;
    if (type->pair || count <= 1 || count > PIECES_MAX)
        return NULL;
    struct world_pieces *made = world_alloc(sizeof *made + count * sizeof *made->piece);
    made->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct world_run *run = &type->run[i % type->run_count];
        const uint8_t *low =
            rma->at + (ptrdiff_t)(i / type->run_count) * type_extent(type) + run->disp;
        struct world_piece *last = made->count ? &made->piece[made->count - 1] : NULL;
        if (last && low < last->high)
            return NULL;
        if (last && low == last->high)
            last->high += run->count * run->size;
        else
            made->piece[made->count++] = (struct world_piece){low, low + run->count * run->size};
    }
    CORE_CHECK(made->count > 0 && made->count <= count);
    return made->count > 1 ? made : NULL;
}

static size_t shared_bytes(const struct world_decider *a, const struct world_decider *b)
{
    const struct world_piece all_a = {a->low, a->high}, all_b = {b->low, b->high};
    const struct world_piece *p = a->pieces ? a->pieces->piece : &all_a;
    const struct world_piece *q = b->pieces ? b->pieces->piece : &all_b;
    const struct world_piece *p_end = p + (a->pieces ? a->pieces->count : 1);
    const struct world_piece *q_end = q + (b->pieces ? b->pieces->count : 1);
    size_t bytes = 0;
    while (p < p_end && q < q_end) {
        const uint8_t *low = p->low > q->low ? p->low : q->low;
        const uint8_t *high = p->high < q->high ? p->high : q->high;
        bytes += low < high ? (size_t)(high - low) : 0;
        if (p->high < q->high)
            p++;
        else
            q++;
    }
    return bytes;
}

bool world_atomic_torn(const struct world_decider *a, const struct world_decider *b)
{
    CORE_CHECK(a->kind == EXPLORE_TURN && b->kind == EXPLORE_TURN && a->part == b->part);
    CORE_CHECK(a->element && b->element); /* both accumulate */
    size_t least = a->element < b->element ? a->element : b->element;
    return a->by != b->by && shared_bytes(a, b) > least;
}

bool world_atomic_ordered(const struct ompi_win_t *win)
{
    static const char *const orders[] = {"raw", "war", "waw"}; /* two reads commute */
    bool ordered = true;
    for (const struct world_info_entry *e = win->info; e; e = e->next)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            if (!strcmp(e->key, "accumulate_ordering"))
                ordered &= strstr(e->value, orders[i]) != NULL;
    return ordered;
}
