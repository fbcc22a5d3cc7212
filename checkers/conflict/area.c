/* Areas of windows: see area.h. */
#include "checkers/conflict/area.h"

#include <stdlib.h>

#include "core/check.h"
#include "core/work.h"

static int64_t end_of(const struct area_part *part)
{
    int64_t end;

    if (part->bytes < 0 || __builtin_add_overflow(part->base, part->bytes, &end))
        return part->base;
    return end;
}

/* Sorts by address; unknown addresses come last. */
static int part_compare(const void *a, const void *b)
{
    const struct area_part *x = a, *y = b;

    if (!x->base != !y->base)
        return !x->base - !y->base;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    if (end_of(x) != end_of(y))
        return end_of(x) < end_of(y) ? -1 : 1;
    return (x->win > y->win) - (x->win < y->win);
}

/* Gives the parts [first, end) the number of one area: each overlaps an earlier one of them. */
static void area_name(struct area_part *first, const struct area_part *end)
{
    int32_t area = first < end ? first->win : 0;

    for (const struct area_part *part = first; part < end; part++)
        area = part->win < area ? part->win : area;
    for (struct area_part *part = first; part < end; part++)
        part->area = area;
}

void area_find(struct area_part *part, uint32_t count)
{
    uint32_t first = 0, known;
    int64_t end = 0;

    if (count)
        qsort(part, count, sizeof *part, part_compare);
    core_work(count);
    for (known = 0; known < count && part[known].base; known++) {
        CORE_CHECK(!known || part[known - 1].base <= part[known].base);
        if (known && part[known].base >= end) {
            area_name(part + first, part + known);
            first = known;
        }
        if (known == first || end_of(&part[known]) > end)
            end = end_of(&part[known]);
    }
    area_name(part + first, part + known);
    for (uint32_t i = known; i < count; i++)
        part[i].area = part[i].win;
}
