/* See sibling.h. */
#include "checkers/collective/sibling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"

static bool is_same_place(const struct finding_call *a, const struct finding_call *b)
{
    size_t name = strcspn(a->call ? a->call : "", "(");

    return a->call && b->call && a->site && b->site && !strcmp(a->site, b->site) &&
           !strncmp(a->call, b->call, name + 1);
}

/* Tells whether each call of `a` is also made in `b`, at the same place. */
static bool has_places(const struct finding *a, const struct finding *b)
{
    for (uint32_t i = 0; i < a->call_count; i++) {
        uint32_t k = 0;
        while (k < b->call_count && !is_same_place(&a->call[i], &b->call[k]))
            k++;
        if (k == b->call_count)
            return false;
    }
    return a->call_count > 0;
}

/* Tells whether the two findings differ only in their ranks: the same collective of communicators
 * that one call made. */
static bool is_sibling(const struct finding *a, const struct finding *b)
{
    enum { CALLS_MAX = 200 }; /* compares each call with each */
    const char *of_a = a->title ? strstr(a->title, " (collective ") : NULL,
               *of_b = b->title ? strstr(b->title, " (collective ") : NULL;

    if (!of_a || !of_b || strcmp(of_a, of_b) != 0 || a->severity != b->severity || a->tried ||
        b->tried || a->call_count > CALLS_MAX || b->call_count > CALLS_MAX)
        return false;
    const char *rank = strstr(a->title, "rank");
    size_t what = rank ? (size_t)(rank - a->title) : 0;
    return rank && !strncmp(a->title, b->title, what) && has_places(a, b) && has_places(b, a);
}

/* Moves the calls of a finding to its sibling, and drops it. */
static enum core_status sibling_take(struct finding_list *list, uint32_t to, uint32_t at)
{
    CORE_CHECK(to < at && at < list->count);
    struct finding *of = &list->finding[to], *from = &list->finding[at];
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < from->call_count && status == CORE_OK; i++) {
        status = CORE_ARRAY_PUSH(of->call, of->call_count, of->call_room, "a finding's calls",
                                 from->call[i]);
        if (status == CORE_OK)
            from->call[i] = (struct finding_call){0};
    }
    if (status == CORE_OK)
        finding_list_drop(list, at);
    return status;
}

static int ranks_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Names the ranks of the calls from index `own` on. */
static enum core_status ranks_say(struct finding *finding, uint32_t own, uint32_t merged)
{
    uint32_t *rank, count = 0;
    enum core_status status = CORE_ARRAY_NEW(rank, finding->call_count, "the ranks of a finding");

    CORE_CHECK(merged > 0 && own < finding->call_count);
    if (status != CORE_OK)
        return status;
    for (uint32_t c = own; c < finding->call_count; c++)
        rank[count++] = finding->call[c].rank;
    qsort(rank, count, sizeof *rank, ranks_compare);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++)
        if (rank[i] != rank[i - 1])
            rank[kept++] = rank[i];
    char *ranks = wording_ranks_text(rank, kept, " and ");
    if (ranks)
        finding_fact(finding, "the same in %" PRIu32 " more communicator%s made there: %s", merged,
                     merged == 1 ? "" : "s", ranks);
    free(ranks);
    free(rank);
    return CORE_OK;
}

enum core_status sibling_merge(struct finding_list *list, uint32_t from)
{
    enum core_status status = CORE_OK;

    CORE_CHECK(from <= list->count);
    for (uint32_t i = from; i < list->count && status == CORE_OK; i++) {
        uint32_t merged = 0, own = list->finding[i].call_count;
        for (uint32_t k = i + 1; k < list->count && status == CORE_OK;) {
            if (!is_sibling(&list->finding[i], &list->finding[k])) {
                k++;
                continue;
            }
            status = sibling_take(list, i, k);
            merged++;
        }
        if (merged && status == CORE_OK)
            status = ranks_say(&list->finding[i], own, merged);
    }
    return status;
}
