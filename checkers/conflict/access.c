/* See access.h. Accesses of one kind by one rank form a line: they complete in the order in which
 * the rank made them. So the accesses ordered before another one are a prefix of the line, those
 * ordered after it a suffix, and binary search finds the unordered ones between. A sweep over the
 * bytes of each target keeps in each line the accesses that cover its position.
 *
 * Invariants
 *  1. line->at[0, count) are in the order of their calls; unless jumbled, of their ends too. */
#include "checkers/conflict/access.h"

#include <stdlib.h>
#include <string.h>

#include "checkers/collective/types.h"
#include "core/array.h"
#include "core/check.h"
#include "core/work.h"

enum { LINES_MAX = 256 };

static const char *operation_of(const struct trace *trace, const struct access *access)
{
    const char *name = access->op >= 0 && (uint32_t)access->op < trace->op_count
                           ? trace->op_name[access->op]
                           : NULL;
    return access->kind == SWAP ? "MPI_REPLACE" : name ? name : "";
}

bool access_writes(const struct trace *trace, const struct access *access)
{
    return access->kind != GET && access->kind != LOAD &&
           !(access->kind == ACCUMULATE && !strcmp(operation_of(trace, access), "MPI_NO_OP"));
}

/* Tells whether a is a load that may poll: while the other side holds a lock, a program may wait
 * for a value to change, and then the value orders the two. */
static bool access_polls(const struct access *a, const struct access *b)
{
    return a->itself && a->kind == LOAD && b->passive;
}

static bool is_known(const struct trace *trace, int32_t datatype)
{
    return datatype >= 0 && (uint32_t)datatype < trace->datatype_count;
}

/* Tells whether the element types are equal; unknown types count as equal. */
static bool same_elements(const struct trace *trace, const struct access *a, const struct access *b)
{
    const char *x, *y;

    return !is_known(trace, a->datatype) || !is_known(trace, b->datatype) ||
           types_compare(trace, a->datatype, 1, b->datatype, 1, &x, &y) != TYPES_DIFFER;
}

/* Returns the basic datatype of all elements; -1: several, or unknown. */
static int32_t basic_of(const struct trace *trace, int32_t datatype)
{
    int32_t basic = -1;

    if (!is_known(trace, datatype))
        return -1;
    const struct trace_datatype *type = &trace->datatype[datatype];
    for (uint32_t i = 0; type->segment && i < type->segment_count; i++) {
        if (i && (int32_t)type->segment[i].basic != basic)
            return -1;
        basic = (int32_t)type->segment[i].basic;
    }
    return is_known(trace, basic) ? basic : -1;
}

/* Returns the offset of the first element modulo the element size, which is also that of all others
 * in a dense type; 0: unknown. */
static int64_t phase_of(const struct trace *trace, const struct access *access)
{
    int32_t basic = basic_of(trace, access->datatype);
    const struct trace_datatype *type =
        is_known(trace, access->datatype) ? &trace->datatype[access->datatype] : NULL;

    if (basic < 0 || trace->datatype[basic].size <= 0 || type->size != type->extent ||
        trace->datatype[basic].size != trace->datatype[basic].extent)
        return 0;
    int64_t phase = access->place % trace->datatype[basic].size;
    CORE_CHECK(phase > -trace->datatype[basic].size);
    return phase < 0 ? phase + trace->datatype[basic].size : phase;
}

/* Tells whether the elements of the two never coincide, in type or alignment. MPI leaves such
 * accumulates undefined, whoever makes them. */
static bool elements_differ(const struct trace *trace, const struct access *a,
                            const struct access *b)
{
    int32_t x = basic_of(trace, a->datatype), y = basic_of(trace, b->datatype);
    const char *name, *other;

    if (x < 0 || y < 0)
        return false;
    return types_compare(trace, x, 1, y, 1, &name, &other) == TYPES_DIFFER ||
           (a->datatype == b->datatype && phase_of(trace, a) != phase_of(trace, b));
}

/* Tells whether two accumulates are atomic with respect to each other: both have one operation and
 * datatype, or one only reads (the info key accumulate_ops, by default same_op_no_op); or both have
 * one origin, whose accumulates to one place MPI applies in program order (the info key
 * accumulate_ordering, by default all). */
static bool access_atomic(const struct trace *trace, const struct access *a, const struct access *b)
{
    if ((a->kind != ACCUMULATE && a->kind != SWAP) || (b->kind != ACCUMULATE && b->kind != SWAP))
        return false;
    if (elements_differ(trace, a, b))
        return false;
    const char *x = operation_of(trace, a), *y = operation_of(trace, b);
    return a->origin == b->origin || strcmp(x, "MPI_NO_OP") == 0 || strcmp(y, "MPI_NO_OP") == 0 ||
           (strcmp(x, y) == 0 && same_elements(trace, a, b));
}

bool access_differs(const struct trace *trace, const struct access *a, const struct access *b,
                    const char **out_a, const char **out_b)
{
    if (a->kind < ACCUMULATE || a->kind > SWAP || b->kind < ACCUMULATE || b->kind > SWAP ||
        !elements_differ(trace, a, b))
        return false;
    CORE_CHECK(basic_of(trace, a->datatype) >= 0 && basic_of(trace, b->datatype) >= 0);
    *out_a = trace->datatype[basic_of(trace, a->datatype)].name;
    *out_b = trace->datatype[basic_of(trace, b->datatype)].name;
    return *out_a && *out_b;
}

bool access_may_meet(const struct trace *trace, const struct access *a, const struct access *b)
{
    CORE_CHECK(a->kind <= STORE);
    CORE_CHECK(b->kind <= STORE);
    if (access_polls(a, b) || access_polls(b, a))
        return false;
    if (a->area != b->area || a->target != b->target || a->from >= b->to || b->from >= a->to ||
        (!access_writes(trace, a) && !access_writes(trace, b)))
        return false;
    if (a->win != b->win && (a->kind >= LOAD || b->kind >= LOAD))
        return false; /* each window lists the target's own accesses */
    return !access_atomic(trace, a, b) &&
           !(a->origin == b->origin && (a->kind == LOAD || a->kind == STORE) &&
             (b->kind == LOAD || b->kind == STORE));
}

/* Tells whether locks keep the two apart: both accesses hold one, and one lock is exclusive. */
static bool locked_apart(const struct access *a, const struct access *b)
{
    return a->win == b->win && a->passive && b->passive && (a->exclusive || b->exclusive);
}

/* Tells whether x is complete before y begins. */
static bool access_before(const struct order *order, const struct access *x, const struct access *y)
{
    bool same = x->origin == y->origin;

    if (locked_apart(x, y))
        return !same || x->end <= y->seq;
    /* a rank's own access happened before it entered the call */
    if (x->end == UINT64_MAX)
        return false;
    return same && !y->itself ? order_within(order, x->origin, x->end, y->origin, y->seq)
                              : order_before(order, x->origin, x->end, y->origin, y->seq);
}

bool access_ordered(const struct order *order, const struct access *a, const struct access *b)
{
    return access_before(order, a, b) || access_before(order, b, a);
}

bool access_explained(const struct trace *trace, const struct order *order,
                      const struct access *all, uint32_t count, const struct access *store)
{
    for (uint32_t i = 0; store->changed && i < count; i++) {
        const struct access *access = &all[i];
        core_work(1);
        if (access->kind != STORE && access_writes(trace, access) && access->area == store->area &&
            access->target == store->target && access->from < store->to &&
            store->from < access->to && !(order && access_ordered(order, access, store)))
            return true;
    }
    return false;
}

/* --- the sweep -------------------------------------------------------------------------------- */

struct line {
    const struct access *like; /* any access of the line */
    uint32_t *at;
    uint32_t count, room;
    int64_t high_min, high_max;
    bool jumbled;
};
struct sweep { /* sweep over one target of one area */
    const struct trace *trace;
    const struct order *order;
    const struct access *access;
    struct line line[LINES_MAX];
    uint32_t line_count;
    bool meet[LINES_MAX][LINES_MAX]; /* by lines: would their accesses conflict on the same bytes */
    int64_t low;                     /* present position */
    enum core_status status;
};

static bool same_threads(const struct order *order, const struct access *a, const struct access *b)
{
    return order_line(order, a->origin, a->seq) == order_line(order, b->origin, b->seq) &&
           order_line(order, a->origin, a->end) == order_line(order, b->origin, b->end);
}

static bool access_alike(const struct sweep *sweep, const struct access *a, const struct access *b)
{
    const struct trace *trace = sweep->trace;
    bool typed = a->kind == ACCUMULATE || a->kind == SWAP;

    return (!typed || (a->datatype == b->datatype && phase_of(trace, a) == phase_of(trace, b))) &&
           a->win == b->win && a->origin == b->origin && a->kind == b->kind && a->op == b->op &&
           same_threads(sweep->order, a, b) && a->exclusive == b->exclusive &&
           a->passive == b->passive && a->itself == b->itself && a->changed == b->changed &&
           !a->request == !b->request;
}

static bool lines_meet(const struct sweep *sweep, const struct access *a, const struct access *b)
{
    struct access x = *a, y = *b;

    x.from = y.from = 0;
    x.to = y.to = 1;
    return access_may_meet(sweep->trace, &x, &y) && (a->origin == b->origin || !locked_apart(a, b));
}

/* Returns the line of the access; NULL: there are too many lines. */
static struct line *line_of(struct sweep *sweep, const struct access *access)
{
    uint32_t at = 0;

    while (at < sweep->line_count && !access_alike(sweep, sweep->line[at].like, access))
        at++;
    CORE_CHECK(at <= LINES_MAX);
    if (at == LINES_MAX)
        return NULL;
    if (at < sweep->line_count)
        return &sweep->line[at];
    sweep->line[at].like = access;
    sweep->line[at].count = 0;
    sweep->line_count++;
    for (uint32_t i = 0; i <= at; i++)
        sweep->meet[at][i] = sweep->meet[i][at] = lines_meet(sweep, access, sweep->line[i].like);
    return &sweep->line[at];
}

/* Removes accesses that end at or before the position of the sweep. */
static void line_prune(const struct sweep *sweep, struct line *line)
{
    uint32_t kept = 0;

    if (!line->count || line->high_min > sweep->low)
        return;
    line->high_min = INT64_MAX;
    for (uint32_t i = 0; i < line->count && line->high_max > sweep->low; i++) {
        int64_t high = sweep->access[line->at[i]].to;
        core_work(1);
        if (high <= sweep->low)
            continue;
        line->at[kept++] = line->at[i];
        line->high_min = high < line->high_min ? high : line->high_min;
    }
    CORE_CHECK(kept <= line->count);
    CORE_CHECK(line->high_min >= sweep->low); /* the remaining accesses end later */
    line->count = kept;
}

static void line_add(struct sweep *sweep, struct line *line, uint32_t index)
{
    const struct access *access = sweep->access, *new = &access[index];
    uint32_t place = line->count;

    sweep->status = CORE_ARRAY_ROOM(line->at, line->room, line->count + 1, "one-sided accesses");
    if (sweep->status != CORE_OK)
        return;
    if (!line->count) {
        line->high_min = INT64_MAX;
        line->high_max = INT64_MIN;
        line->jumbled = false;
    }
    for (; place && access[line->at[place - 1]].seq > new->seq; core_work(1))
        place--;
    memmove(line->at + place + 1, line->at + place, (line->count - place) * sizeof *line->at);
    line->at[place] = index;
    line->count++;
    CORE_CHECK(!place || access[line->at[place - 1]].seq <= new->seq); /* invariant 1 */
    CORE_CHECK(place + 1 == line->count || access[line->at[place + 1]].seq > new->seq);
    line->jumbled |= (place && access[line->at[place - 1]].end > new->end) ||
                     (place + 1 < line->count && access[line->at[place + 1]].end < new->end);
    line->high_min = new->to < line->high_min ? new->to : line->high_min;
    line->high_max = new->to > line->high_max ? new->to : line->high_max;
}

/* Tells whether an access of the line is unordered with `other`. */
static bool line_conflicts(const struct sweep *sweep, const struct line *line,
                           const struct access *other)
{
    const struct access *access = sweep->access;
    uint32_t low = 0, high = line->count;

    while (!line->jumbled && low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (access_before(sweep->order, &access[line->at[middle]], other))
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low; i < line->count; i++) {
        core_work(1);
        if (!access_ordered(sweep->order, &access[line->at[i]], other))
            return true;
        if (!line->jumbled)
            return false; /* invariant 1: later ones are ordered too */
    }
    return false;
}

/* Adds the access to the sweep. Returns whether it is unordered with one that covers the same
 * bytes, or has too many lines to tell. */
static bool sweep_to(struct sweep *sweep, uint32_t index)
{
    const struct access *access = &sweep->access[index];
    struct line *own = line_of(sweep, access);

    if (!own)
        return true;
    CORE_CHECK(access->from >= sweep->low);
    sweep->low = access->from;
    for (uint32_t i = 0; i < sweep->line_count; i++) {
        line_prune(sweep, &sweep->line[i]);
        if (sweep->meet[own - sweep->line][i] && line_conflicts(sweep, &sweep->line[i], access))
            return true;
    }
    line_add(sweep, own, index);
    return false;
}

/* --- targets ---------------------------------------------------------------------------------- */

struct item {
    int32_t area;
    uint32_t target;
    int64_t low;
    uint32_t index;
};

static int item_compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->area != y->area)
        return x->area < y->area ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool same_target(const struct item *a, const struct item *b)
{
    return a->area == b->area && a->target == b->target;
}

enum core_status access_suspects(const struct trace *trace, const struct order *order,
                                 const struct access *access, uint32_t count, bool *out_suspect)
{
    struct item *item = NULL;
    struct sweep *sweep = NULL;
    enum core_status status = CORE_ARRAY_NEW(item, (uint64_t)count + 1, "one-sided accesses");

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(sweep, 1, "one-sided accesses");
    if (status != CORE_OK) {
        free(item);
        return status;
    }
    *sweep = (struct sweep){.trace = trace, .order = order, .access = access};
    for (uint32_t i = 0; i < count; i++)
        item[i] = (struct item){access[i].area, access[i].target, access[i].from, i};
    qsort(item, count, sizeof *item, item_compare);
    for (uint32_t first = 0, end; first < count && sweep->status == CORE_OK; first = end) {
        bool suspect = false;
        sweep->line_count = 0;
        sweep->low = INT64_MIN;
        for (end = first; end < count && same_target(&item[first], &item[end]); end++)
            if (!suspect && sweep->status == CORE_OK)
                suspect = sweep_to(sweep, item[end].index);
        for (uint32_t i = first; i < end; i++)
            out_suspect[item[i].index] = suspect;
        CORE_CHECK(end > first);
        CORE_CHECK(end == count ||
                   item_compare(&item[first], &item[end]) < 0); /* one target after another */
    }
    status = sweep->status;
    for (uint32_t i = 0; i < LINES_MAX; i++)
        free(sweep->line[i].at);
    free(sweep);
    free(item);
    return status;
}
