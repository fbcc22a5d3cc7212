/* See sibling.h. */
#include "checkers/collective/sibling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"

enum { CALLS_MAX = 200 }; /* of a finding: compares each call with each */

struct made { /* a call, by its function and its place */
    int32_t call, site;
};

/* Reads the calls of a finding. False: one of them is not in the trace, or has no place. */
static bool calls_read(struct trace *trace, const struct finding *finding, struct made *out)
{
    CORE_CHECK(finding->call_count <= CALLS_MAX);
    for (uint32_t i = 0; i < finding->call_count; i++) {
        struct trace_event event;
        if (trace_event_get(trace, finding->call[i].rank, finding->call[i].seq, &event) !=
                CORE_OK ||
            event.site <= 0)
            return false;
        out[i] = (struct made){event.call, event.site};
    }
    return finding->call_count > 0;
}

static bool is_same_made(const struct trace *trace, struct made a, struct made b)
{
    const struct trace_site *x = &trace->site[a.site], *y = &trace->site[b.site];

    return a.call == b.call && (a.site == b.site || (x->file && y->file && x->line == y->line &&
                                                     !strcmp(x->file, y->file)));
}

/* Tells whether each call of `a` is also made in `b`, at the same place. */
static bool has_calls(const struct trace *trace, const struct made *a, uint32_t a_count,
                      const struct made *b, uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count; i++) {
        uint32_t k = 0;
        while (k < b_count && !is_same_made(trace, a[i], b[k]))
            k++;
        if (k == b_count)
            return false;
    }
    return true;
}

static bool is_same_calls(struct trace *trace, const struct finding *a, const struct finding *b)
{
    struct made x[CALLS_MAX], y[CALLS_MAX];

    return a->call_count <= CALLS_MAX && b->call_count <= CALLS_MAX && calls_read(trace, a, x) &&
           calls_read(trace, b, y) && has_calls(trace, x, a->call_count, y, b->call_count) &&
           has_calls(trace, y, b->call_count, x, a->call_count);
}

/* Tells whether one call of the program made both communicators, or both have the same name. */
static bool is_same_maker(const struct trace *trace, int32_t a, int32_t b)
{
    struct trace_maker x, y;

    if (!trace_comm_maker(trace, a, &x) || !trace_comm_maker(trace, b, &y))
        return false;
    return x.name || y.name ? x.name && y.name && !strcmp(x.name, y.name)
                            : x.call == y.call && x.site == y.site;
}

/* Tells whether the two findings differ only in their ranks: the same collective of communicators
 * that one call made. */
static bool is_sibling(struct trace *trace, const struct finding *a, const struct finding *b)
{
    const struct finding_collective *x = &a->collective, *y = &b->collective;

    return x->mistake && a->rule == b->rule && x->mistake == y->mistake && x->call == y->call &&
           x->number == y->number && x->value[0] == y->value[0] && x->value[1] == y->value[1] &&
           a->severity == b->severity && !a->tried && !b->tried &&
           is_same_maker(trace, x->comm, y->comm) && is_same_calls(trace, a, b);
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

enum core_status sibling_merge(struct trace *trace, struct finding_list *list, uint32_t from)
{
    enum core_status status = CORE_OK;

    CORE_CHECK(from <= list->count);
    for (uint32_t i = from; i < list->count && status == CORE_OK; i++) {
        uint32_t merged = 0, own = list->finding[i].call_count;
        for (uint32_t k = i + 1; k < list->count && status == CORE_OK;) {
            if (!is_sibling(trace, &list->finding[i], &list->finding[k])) {
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
