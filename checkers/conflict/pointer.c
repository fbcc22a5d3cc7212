/* See pointer.h. */
#include "checkers/conflict/pointer.h"

#include <stdlib.h>

#include "core/check.h"

enum { TOGETHER_MAX = 2048 }; /* limits the comparison of all pairs */

static int by_epoch(const void *a, const void *b)
{
    const struct pointer_access *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->epoch != y->epoch)
        return x->epoch < y->epoch ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Tells whether a moves the pointer before b in every run. */
static bool pointer_precedes(const struct order *order, const struct pointer_access *a,
                             const struct pointer_access *b)
{
    if (a->rank == b->rank)
        return a->seq < b->seq;
    if (a->turn && b->turn)
        return a->turn != b->turn ? a->turn < b->turn : a->rank < b->rank;
    return order_before(order, a->rank, a->seq, b->rank, b->seq);
}

static void pointer_place_one(struct pointer_access *one, const struct pointer_access *all,
                              uint32_t count, const struct order *order)
{
    int64_t low = one->from, high = one->from;

    CORE_CHECK(one >= all && one < all + count);
    for (uint32_t i = 0; i < count; i++) {
        const struct pointer_access *other = &all[i];
        bool sure = other != one && pointer_precedes(order, other, one);

        if (other->from != one->from || other->bytes < 0 || low > INT64_MAX / 4 ||
            high > INT64_MAX / 4)
            return; /* ranks disagree, or it is beyond any disk */
        if (other == one || pointer_precedes(order, one, other))
            continue;
        high += other->bytes;
        low += sure ? other->bytes : 0;
        one->gaps |= !sure && other->bytes > one->bytes;
    }
    one->low = low;
    one->high = high;
    CORE_CHECK(one->low <= one->high);
}

void pointer_place(struct pointer_access *list, uint32_t count, const struct order *order)
{
    if (count)
        qsort(list, count, sizeof *list, by_epoch);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i;
             end < count && list[end].file == list[i].file && list[end].epoch == list[i].epoch;
             end++) {
            list[end].low = list[end].high = -1;
            list[end].gaps = false;
        }
        for (uint32_t at = i; at < end && end - i <= TOGETHER_MAX; at++)
            if (list[at].from >= 0)
                pointer_place_one(&list[at], &list[i], end - i, order);
    }
}
