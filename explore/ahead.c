/* See the header. */
#include "explore/ahead.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"

uint64_t explore_answer_hash(const struct explore_answer *answer)
{
    return core_random_mix(core_random_mix((uint64_t)answer->rank << 32 | answer->number) ^
                           (uint32_t)answer->answer);
}

static uint64_t entry_hash(const struct explore_answer *answer)
{
    return core_random_mix(explore_answer_hash(answer) + answer->serves);
}

static int by_name(const void *a, const void *b)
{
    const struct explore_answer *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void explore_answers_sort(struct explore_answer *answer, uint32_t count)
{
    qsort(answer, count, sizeof *answer, by_name);
}

/* --- lists that begin alike ------------------------------------------------------------------- */

enum core_status explore_stem_new(struct explore_list *list, struct explore_stem **out_stem)
{
    struct explore_stem *stem = NULL;
    uint64_t *before = NULL;
    enum core_status status = CORE_ARRAY_NEW(stem, 1, "the schedules to explore");

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(before, (size_t)list->count + 1, "the schedules to explore");
    if (status != CORE_OK) {
        free(stem);
        explore_list_done(list);
        return status;
    }
    for (uint32_t i = 0; i < list->count; i++)
        before[i + 1] = before[i] + entry_hash(&list->answer[i]);
    *stem = (struct explore_stem){.list = *list, .before = before, .holders = 1};
    *list = (struct explore_list){0};
    *out_stem = stem;
    return CORE_OK;
}

void explore_stem_drop(struct explore_stem *stem)
{
    if (!stem || --stem->holders)
        return;
    explore_list_done(&stem->list);
    free(stem->before);
    free(stem);
}

enum core_status explore_item_list(const struct explore_item *item, struct explore_list *out_list)
{
    struct explore_list list = {0};
    const uint32_t kept = item->kept, own = item->own.count;
    enum core_status status =
        CORE_ARRAY_ROOM(list.answer, list.room, (uint64_t)kept + own, "a schedule");

    CORE_CHECK(!kept || (item->stem && kept <= item->stem->list.count));
    if (status != CORE_OK)
        return status;
    if (kept)
        memcpy(list.answer, item->stem->list.answer, kept * sizeof *list.answer);
    if (own)
        memcpy(list.answer + kept, item->own.answer, own * sizeof *list.answer);
    list.count = kept + own;
    *out_list = list;
    return CORE_OK;
}

void explore_item_done(struct explore_item *item)
{
    explore_stem_drop(item->stem);
    explore_list_done(&item->own);
    *item = (struct explore_item){0};
}

uint64_t explore_item_name(const struct explore_item *item)
{
    const struct explore_list *own = &item->own;
    uint64_t sum = item->kept ? item->stem->before[item->kept] : 0, last = 0;

    for (uint32_t i = 0; i < own->count; i++)
        sum += entry_hash(&own->answer[i]);
    if (own->count)
        last = explore_answer_hash(&own->answer[own->count - 1]);
    else if (item->kept)
        last = explore_answer_hash(&item->stem->list.answer[item->kept - 1]);
    return core_random_mix(core_random_mix(sum) + last);
}

/* --- the heap --------------------------------------------------------------------------------- */

static bool ahead_before(const struct explore_item *a, const struct explore_item *b)
{
    return a->changes != b->changes ? a->changes < b->changes : a->hash < b->hash;
}

enum core_status explore_heap_push(struct explore_search *s, struct explore_item item)
{
    enum core_status status =
        CORE_ARRAY_PUSH(s->heap, s->heap_count, s->heap_room, "the schedules to explore", item);
    if (status != CORE_OK)
        return status;
    for (uint32_t at = s->heap_count - 1; at; at = (at - 1) / 2) {
        if (!ahead_before(&s->heap[at], &s->heap[(at - 1) / 2]))
            break;
        struct explore_item swap = s->heap[at];
        s->heap[at] = s->heap[(at - 1) / 2];
        s->heap[(at - 1) / 2] = swap;
    }
    return CORE_OK;
}

struct explore_item explore_heap_pop(struct explore_search *s)
{
    struct explore_item first = s->heap[0];
    s->heap[0] = s->heap[--s->heap_count];
    for (uint32_t at = 0;;) {
        uint32_t least = at, left = 2 * at + 1;
        for (uint32_t child = left; child <= left + 1 && child < s->heap_count; child++)
            if (ahead_before(&s->heap[child], &s->heap[least]))
                least = child;
        if (least == at)
            return first;
        struct explore_item swap = s->heap[at];
        s->heap[at] = s->heap[least];
        s->heap[least] = swap;
        at = least;
    }
}

enum core_status explore_ahead(struct explore_search *s, struct explore_item *item)
{
    struct known *known = NULL;
    uint32_t count = s->known.count;
    enum core_status status = CORE_OK;

    item->hash = explore_item_name(item);
    if (s->heap_count >= EXPLORE_AHEAD_MAX)
        s->limited = true;
    else
        status = core_table_put(&s->known, &item->hash, "the schedules to explore", &known);
    if (known && s->known.count > count) { /* invariant 2 */
        status = explore_heap_push(s, *item);
        if (status == CORE_OK)
            return status;
    }
    explore_item_done(item);
    return status;
}
