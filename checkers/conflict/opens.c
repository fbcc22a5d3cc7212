/* Finds openings of one file (opens.h). */
#include "checkers/conflict/opens.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

#define OPENINGS "openings of files" /* out of memory for ... */

enum core_status opens_add(struct opens *opens, struct trace *trace,
                           const struct trace_event *event)
{
    char name[4096];
    enum core_status status =
        CORE_ARRAY_ROOM(opens->opening, opens->room, (uint64_t)opens->count + 1, OPENINGS);

    if (status != CORE_OK)
        return status;
    trace_arg_text(trace, event, name, sizeof name);
    struct opening opening = {.named = trace_named(trace, event),
                              .name = strdup(name),
                              .seq = event->seq,
                              .close_seq = UINT64_MAX,
                              .since = event->t_leave,
                              .until = UINT64_MAX,
                              .file = event->win,
                              .rank = event->rank,
                              .one = opens->count};
    if (!opening.name)
        return core_report(CORE_NO_MEMORY, "out of memory for " OPENINGS);
    opens->opening[opens->count++] = opening;
    return CORE_OK;
}

void opens_closing(struct opens *opens, uint32_t index, const struct trace_event *event)
{
    CORE_CHECK(index < opens->count);
    CORE_CHECK(opens->opening[index].rank == event->rank);
    opens->opening[index].close_seq = event->seq;
    opens->opening[index].until = event->t_enter;
}

/* --- which are one ---------------------------------------------------------------------------- */

static uint32_t one_of(struct opens *opens, uint32_t at)
{
    while (opens->opening[at].one != at)
        at = opens->opening[at].one = opens->opening[opens->opening[at].one].one;
    return at;
}

static void opens_unite_pair(struct opens *opens, uint32_t a, uint32_t b)
{
    uint32_t x = one_of(opens, a), y = one_of(opens, b);

    opens->opening[x > y ? x : y].one = x < y ? x : y;
}

static int order_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int order_indices(const struct opening *a, const struct opening *b)
{
    return order_numbers(a->rank, b->rank) ? order_numbers(a->rank, b->rank)
                                           : (a->seq > b->seq) - (a->seq < b->seq);
}

static int by_file(const void *x, const void *y)
{
    const struct opening *a = *(struct opening *const *)x, *b = *(struct opening *const *)y;

    return a->file != b->file ? order_numbers(a->file, b->file) : order_indices(a, b);
}

static int by_place(const void *x, const void *y)
{
    const struct opening *a = *(struct opening *const *)x, *b = *(struct opening *const *)y;

    return a->named.place != b->named.place ? order_numbers(a->named.place, b->named.place)
                                            : order_indices(a, b);
}

static int by_name(const void *x, const void *y)
{
    const struct opening *a = *(struct opening *const *)x, *b = *(struct opening *const *)y;
    int order = strcmp(a->name, b->name);

    return order ? order : order_indices(a, b);
}

static int by_inode(const void *x, const void *y)
{
    const struct opening *a = *(struct opening *const *)x, *b = *(struct opening *const *)y;
    int64_t machine[] = {a->named.place >> EVENT_PLACE_MACHINE_SHIFT,
                         b->named.place >> EVENT_PLACE_MACHINE_SHIFT};

    if (machine[0] != machine[1])
        return order_numbers(machine[0], machine[1]);
    if (a->named.device != b->named.device)
        return order_numbers(a->named.device, b->named.device);
    if (a->named.inode != b->named.inode)
        return order_numbers(a->named.inode, b->named.inode);
    return a->since != b->since ? (a->since > b->since) - (a->since < b->since)
                                : order_indices(a, b);
}

/* Compares names if the trace has no paths. Relative names count for one rank only: ranks may have
 * different working directories. */
static bool same_name(const struct trace *trace, const struct opening *a, const struct opening *b)
{
    const char *x = trace->rank[a->rank].host, *y = trace->rank[b->rank].host;

    return !a->named.place && !b->named.place && *a->name && strcmp(a->name, b->name) == 0 &&
           (a->rank == b->rank || (a->name[0] == '/' && x && y && strcmp(x, y) == 0));
}

enum core_status opens_unite(struct opens *opens, const struct trace *trace)
{
    static int (*const order[])(const void *, const void *) = {by_file, by_place, by_name,
                                                               by_inode};
    struct opening **sorted;
    enum core_status status = CORE_ARRAY_NEW(sorted, opens->count, OPENINGS);

    for (uint32_t i = 0; status == CORE_OK && i < opens->count; i++)
        sorted[i] = &opens->opening[i];
    for (size_t k = 0; status == CORE_OK && k < sizeof order / sizeof *order; k++) {
        struct opening *last =
            NULL; /* of openings with the same number, the one that is open longest */
        qsort(sorted, opens->count, sizeof *sorted, order[k]);
        for (uint32_t i = 0; i < opens->count; i++) {
            struct opening *at = sorted[i];
            bool meets = last && trace_named_same(&last->named, &at->named);
            bool one =
                last &&
                (order[k] == by_file
                     ? last->file == at->file && !trace_named_differ(&last->named, &at->named)
                 : order[k] == by_place ? at->named.place && last->named.place == at->named.place
                 : order[k] == by_name  ? same_name(trace, last, at)
                                        : meets && at->since < last->until);
            if (one)
                opens_unite_pair(opens, (uint32_t)(last - opens->opening),
                                 (uint32_t)(at - opens->opening));
            if (order[k] != by_inode || !meets || at->until > last->until)
                last = at;
        }
    }
    free(sorted);
    for (uint32_t i = 0; status == CORE_OK && i < opens->count; i++)
        opens->opening[i].one = one_of(opens, i);
    return status;
}

/* --- what is deleted -------------------------------------------------------------------------- */

static bool takes_part(const struct opens *opens, int32_t file, uint32_t rank)
{
    for (uint32_t i = 0; i < opens->count; i++)
        if (opens->opening[i].file == file && opens->opening[i].rank == rank)
            return true;
    return false;
}

const struct opening *opens_deleted(const struct opens *opens, struct trace *trace,
                                    const struct trace_event *event)
{
    struct trace_named named = trace_named(trace, event);

    for (uint32_t i = 0; i < opens->count; i++) {
        const struct opening *at = &opens->opening[i];
        bool own = at->rank == event->rank;
        bool open = own ? at->seq < event->seq && event->seq < at->close_seq
                        : at->since < event->t_enter && event->t_leave < at->until;
        if (open && !event->pending && trace_named_same(&at->named, &named) &&
            (own || !takes_part(opens, at->file, event->rank)))
            return at;
    }
    return NULL;
}

void opens_done(struct opens *opens)
{
    for (uint32_t i = 0; i < opens->count; i++)
        free(opens->opening[i].name);
    free(opens->opening);
}
