#include "checkers/conflict/rma_conflict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/conflict/layout.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "core/work.h"

enum { COMPARED_MAX = 20000000, CONFLICTS_MAX = 10000 };

static const char *const kind_names[] = {"reads", "writes", "accumulates to",
                                         "swaps", "reads",  "writes"};
_Static_assert(sizeof kind_names / sizeof *kind_names == STORE + 1, "a name per kind of access");

struct said { /* conflicts between the same two places are one finding */
    struct said_side {
        int32_t call, site;
        enum access_kind kind;
    } side[2];
    bool unsure;
    uint32_t finding; /* index in the list */
    uint64_t count;
    bool *told; /* two flags per rank: the finding has a call of it at that place */
};
struct conflicts {
    const struct check_input *input;
    struct finding_list *list;
    struct rma_accesses *all;
    struct said *said;
    uint32_t said_count, most; /* findings so far, and their limit */
    const struct order *order, *apart;
    bool *unsure; /* by window: a conflict that something unrecorded may order was reported; only
                     the first is */
    enum core_status status;
};

/* Keeps the first failure; tells whether there was none so far. */
static bool rma_conflict_good(struct conflicts *c, enum core_status status)
{
    if (c->status == CORE_OK)
        c->status = status;
    return status == CORE_OK;
}

/* Returns the address of the accessed window at its target; 0: unknown. */
static int64_t base_of(const struct rma_accesses *all, const struct access *access)
{
    CORE_CHECK((uint32_t)access->win < all->window_room);
    return all->window[access->win].part[access->target].base;
}

/* Tells whether the access surely touched bytes of *shared. A watchpoint shows only that some bytes
 * of the access were touched, so all of them must be in *shared. */
static bool rma_conflict_touches(const struct access *access, int64_t base,
                                 const struct layout_span *shared)
{
    return !access->itself || access->changed ||
           (shared->low <= base + access->low && shared->high >= base + access->high);
}

/* Tells whether the bytes meet, not only the spans; *out: the first common bytes. */
static bool bytes_meet(const struct conflicts *c, const struct access *a, const struct access *b,
                       struct layout_span *out)
{
    const struct access *both[2] = {a, b};
    struct layout side[2];

    for (int i = 0; i < 2; i++) {
        const struct access *x = both[i];
        const struct trace_datatype *type =
            x->datatype >= 0 ? &c->input->trace->datatype[x->datatype] : NULL;
        int64_t base = a->win == b->win ? 0 : base_of(c->all, x);
        side[i] = (struct layout){
            .at = base + x->at,
            .count = x->count,
            .type = type && type->segment && !layout_is_dense(c->input->trace, type) ? type : NULL,
            .span = {base + x->low, base + x->high}};
    }
    if (!layout_meet(c->input->trace, &side[0], &side[1], out) ||
        !rma_conflict_touches(a, side[0].span.low - a->low, out) ||
        !rma_conflict_touches(b, side[1].span.low - b->low, out))
        return false;
    int64_t base = a->win == b->win ? 0 : base_of(c->all, a);
    out->low -= base;
    out->high -= base;
    return true;
}

static void say_place(struct finding *finding, const struct trace *trace,
                      const struct access *access)
{
    char who[48];
    snprintf(who, sizeof who, "rank %" PRIu32 " did that", access->origin);
    finding_place(finding, trace, who, access->site);
    if (access->itself && access->kind == LOAD)
        finding_of_load(finding, trace, access->site);
}

/* Tells whether the rank may know by then, itself or through another, what an atomic operation
 * read. */
static bool may_know(const struct conflicts *c, const struct access *access)
{
    for (uint32_t rank = 0; rank < c->input->trace->rank_count; rank++) {
        uint64_t since = c->all->fetched[rank];
        if (since && (rank == access->origin
                          ? since < access->seq
                          : order_before(c->order, rank, since, access->origin, access->seq)))
            return true;
    }
    return false;
}

/* Tells whether atomic operations, on any window, may order the two: the later access may depend on
 * a value that was read, which the rank has once the read completed. MPI_Compare_and_swap beside
 * other accumulates may order them too: programs build locks from it, and MPI does not name its
 * operation. */
static bool atomics_between(const struct conflicts *c, const struct access *a,
                            const struct access *b)
{
    bool swapped =
        (a->kind == SWAP && b->kind == ACCUMULATE) || (a->kind == ACCUMULATE && b->kind == SWAP);

    return swapped || may_know(c, a) || may_know(c, b);
}

/* Tells whether the rank may have waited for what the other one wrote, and stored only then. It can
 * do so while the other side holds a lock, with MPI_Win_sync before the store. */
static bool may_have_waited(const struct conflicts *c, const struct access *own,
                            const struct access *other)
{
    CORE_CHECK(own->origin < c->input->trace->rank_count);
    uint64_t since = c->all->looked[own->origin];

    return own->itself && other->passive && since && since <= own->seq;
}

/* Tells whether a flag may order the two: the first rank sets it after its access, and the second
 * waits for it. Both have called MPI_Win_sync, the second before its access. */
static bool flag_orders(const struct conflicts *c, const struct access *first,
                        const struct access *second)
{
    CORE_CHECK(first->origin < c->input->trace->rank_count);
    CORE_CHECK(second->origin < c->input->trace->rank_count);
    uint64_t set = c->all->looked[first->origin], seen = c->all->looked[second->origin];

    return first->end != UINT64_MAX && set && seen && seen < second->seq;
}

static bool flag_between(const struct conflicts *c, const struct access *a, const struct access *b)
{
    return c->all->shared && a->passive && b->passive && a->origin != b->origin &&
           (flag_orders(c, a, b) || flag_orders(c, b, a));
}

/* Tells whether only the unknown order of a rank's threads is missing. An access by the program
 * itself is known from the next call, which another thread may have made. */
static bool threads_between(const struct conflicts *c, const struct access *a,
                            const struct access *b)
{
    CORE_CHECK(a->target == b->target); /* access_may_meet */
    return a->itself || b->itself || access_ordered(c->order, a, b);
}

/* Tells whether anything orders the two. */
static bool is_ordered(const struct conflicts *c, const struct access *a, const struct access *b)
{
    return access_ordered(a->itself || b->itself ? c->order : c->apart, a, b);
}

/* Names the ranks of which several threads made calls. */
static void say_threads(const struct conflicts *c, struct finding *finding)
{
    const struct trace *trace = c->input->trace;
    uint32_t count = 0, last = 0;

    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        if (trace->rank[rank].threads > 1) {
            count++;
            last = rank;
        }
    CORE_CHECK(count); /* notes->threads */
    if (count == 1)
        finding_fact(
            finding,
            "this holds unless something outside of MPI orders the threads of rank %" PRIu32, last);
    else
        finding_fact(finding,
                     "this holds unless something outside of MPI orders the threads of a rank");
}

static struct said_side side_of(const struct conflicts *c, const struct access *access)
{
    struct said_side side = {-1, access->site, (enum access_kind)access->kind};
    struct trace_event event;

    if (trace_event_get(c->input->trace, access->origin, access->seq, &event) == CORE_OK) {
        side.call = event.call;
        side.site = access->itself ? access->site : event.site;
    }
    return side;
}

static bool same_side(const struct said_side *a, const struct said_side *b)
{
    return a->call == b->call && a->site == b->site && a->kind == b->kind;
}

/* Finds a reported conflict between the same two places; *out_swapped: in the reverse order. */
static struct said *said_find(struct conflicts *c, const struct said *of, bool *out_swapped)
{
    for (uint32_t i = 0; i < c->said_count; i++) {
        struct said *said = &c->said[i];
        bool same =
            same_side(&said->side[0], &of->side[0]) && same_side(&said->side[1], &of->side[1]);

        *out_swapped = !same;
        if (said->unsure == of->unsure && (same || (same_side(&said->side[0], &of->side[1]) &&
                                                    same_side(&said->side[1], &of->side[0]))))
            return said;
    }
    return NULL;
}

/* Adds the rank's call to the finding, unless the finding has a call of the rank at that place. */
static void said_call(struct conflicts *c, struct said *said, int side, const struct access *access)
{
    CORE_CHECK(access->origin < c->input->trace->rank_count);
    bool *told = &said->told[2 * (size_t)access->origin + (side != 0)];

    if (*told)
        return;
    struct finding_call *call = finding_core_add(&c->list->finding[said->finding], c->input->trace,
                                                 access->origin, access->seq);
    if (call && access->itself) {
        char place[512];
        bool known = access->site >= 0 && (uint32_t)access->site < c->input->trace->site_count;
        call->found = true;
        call->found_site =
            known ? strdup(trace_site_text(c->input->trace, access->site, place, sizeof place))
                  : NULL;
    }
    *told = true;
}

/* Names the rank of the access, and its thread if the other access is by another thread of the
 * rank. */
static const char *who_says(const struct conflicts *c, const struct access *access,
                            const struct access *other, char *text, size_t room)
{
    struct trace_event own, theirs;

    CORE_CHECK(access->origin < c->input->trace->rank_count);
    if (access->origin == other->origin &&
        trace_event_get(c->input->trace, access->origin, access->seq, &own) == CORE_OK &&
        trace_event_get(c->input->trace, other->origin, other->seq, &theirs) == CORE_OK &&
        own.thread != theirs.thread)
        snprintf(text, room, "thread %" PRId32 " of rank %" PRIu32, own.thread, access->origin);
    else
        snprintf(text, room, "rank %" PRIu32, access->origin);
    return text;
}

/* Describes the first conflict found between two places. */
static void tell_first(struct conflicts *c, struct finding *finding, const struct access *a,
                       const struct access *b, const struct layout_span *bytes, bool atomics,
                       bool flag)
{
    const struct trace *trace = c->input->trace;

    CORE_CHECK(a->target == b->target); /* access_may_meet */
    CORE_CHECK(a->kind <= STORE && b->kind <= STORE);
    char who[2][48];
    finding_title(finding,
                  "conflicting accesses to bytes %" PRId64 " to %" PRId64 " of rank %" PRIu32
                  "'s window: %s %s them, %s %s them%s, and no synchronisation %s the two",
                  bytes->low, bytes->high - 1, a->target, who_says(c, b, a, who[0], sizeof who[0]),
                  kind_names[b->kind], who_says(c, a, b, who[1], sizeof who[1]),
                  kind_names[a->kind], a->itself || b->itself ? " itself" : "",
                  atomics || flag ? "is known to order" : "orders");
    say_place(finding, trace, a);
    say_place(finding, trace, b);
    const char *first, *second;
    if (access_differs(trace, a, b, &second, &first))
        finding_fact(finding,
                     "accumulates of %s at byte %" PRId64 " and of %s at byte %" PRId64
                     " do not have the same elements there: MPI orders and defines accumulates to "
                     "one place only of one basic datatype",
                     first, b->at, second, a->at);
    if (a->passive && b->passive && a->origin != b->origin && !(a->exclusive && b->exclusive)) {
        finding_fact(finding, "MPI_LOCK_SHARED and MPI_Win_lock_all let ranks access the window at "
                              "the same time");
        finding->remedy = REMEDY_LOCKED_SHARED;
    }
    if (a->win != b->win)
        finding_fact(finding, "the two windows overlap in memory; the bytes are counted in the "
                              "window of the later call");
    if (atomics)
        finding_fact(finding,
                     "%s is also used with atomic operations; a lock made of them would order the "
                     "two, but crosswait cannot see it: it does not record what they fetch",
                     c->all->window[a->win].atomics ? "the window" : "another window");
    if (flag)
        finding_fact(finding,
                     "ranks share memory (MPI_Win_allocate_shared), and both have called "
                     "MPI_Win_sync; a flag there would order the two, but crosswait cannot see it");
}

/* Reports a conflict of two accesses; false: the limit of findings is reached. lock: atomic
 * operations do not order the two (put_finds). */
static bool rma_conflict_tell(struct conflicts *c, const struct access *a, const struct access *b,
                              const struct layout_span *bytes, bool lock)
{
    bool waited = may_have_waited(c, a, b) || may_have_waited(c, b, a),
         atomics = !lock && !waited && atomics_between(c, a, b),
         flag = !waited && !atomics && flag_between(c, a, b), swapped = false,
         threads = c->input->notes->threads && threads_between(c, a, b);
    struct said of = {.side = {side_of(c, b), side_of(c, a)},
                      .unsure = waited || atomics || flag || threads},
                *said = said_find(c, &of, &swapped);

    if (said) {
        said_call(c, said, swapped, b);
        said_call(c, said, !swapped, a);
        return ++said->count < CONFLICTS_MAX;
    }
    if (of.unsure && c->unsure[a->win])
        return true;
    c->unsure[a->win] |= of.unsure;
    if (c->said_count == c->most ||
        !rma_conflict_good(c, CORE_ARRAY_NEW(of.told, 2 * (uint64_t)c->input->trace->rank_count,
                                             "the ranks of a finding")))
        return false;
    of.finding = c->list->count;
    of.count = 1;
    said = &c->said[c->said_count++];
    *said = of;
    struct finding *finding =
        finding_list_add(c->list, RULE_RMA, of.unsure ? FINDING_NOTE : FINDING_ERROR);
    if (!rma_conflict_good(c, finding ? CORE_OK : CORE_NO_MEMORY))
        return false;
    finding->effect = FINDING_EFFECT_MEETS;
    said_call(c, said, 0, b);
    said_call(c, said, 1, a);
    tell_first(c, finding, a, b, bytes, atomics, flag);
    if (waited)
        finding_fact(finding, "the rank has called MPI_Win_sync: if it then waited for a value "
                              "that the other rank wrote, that orders the two");
    if (threads)
        say_threads(c, finding);
    if (lock) {
        finding->remedy = REMEDY_OF_RULE;
        finding_fact(finding, "all atomic operations of the run that read access these bytes, so "
                              "no lock orders an MPI_Put to them: to release a lock, use "
                              "MPI_Accumulate with MPI_REPLACE");
    }
    return true;
}

/* --- a lock that MPI_Put releases ------------------------------------------------------------- */

static bool is_at_word(const struct conflicts *c, const struct access *access)
{
    const struct rma_word *word = &c->all->word;
    CORE_CHECK(c->all->word_count);
    return access->win == word->win && access->target == word->target && access->low < word->high &&
           word->low < access->high;
}

static bool is_fetch(const struct trace_event *event)
{
    return event->verb == VERB_COMPARE_AND_SWAP || event->verb == VERB_FETCH_AND_OP ||
           event->verb == VERB_GET_ACCUMULATE;
}

/* Finds an atomic operation of another rank that began after the MPI_Put to the same bytes had
 * begun, and that no call of MPI orders behind it. If all atomic operations that read access these
 * bytes, a rank knows only from such an operation that the MPI_Put is complete, and the first one
 * that could tell conflicts with it. Returns false if there is none. */
static bool put_finds(struct conflicts *c, const struct access *put, uint32_t *budget,
                      const struct access **out_fetch, struct layout_span *out_bytes)
{
    struct trace *trace = c->input->trace;
    struct trace_event begun, event;
    CORE_CHECK(put->kind == PUT);
    if (trace_event_get(trace, put->origin, put->seq, &begun) != CORE_OK || begun.summed)
        return false;
    for (uint32_t i = 0; i < c->all->count && *budget; i++, --*budget) {
        const struct access *fetch = &c->all->access[i];
        if (fetch->origin != put->origin && (fetch->kind == SWAP || fetch->kind == ACCUMULATE) &&
            is_at_word(c, fetch) && !is_ordered(c, put, fetch) &&
            bytes_meet(c, put, fetch, out_bytes) &&
            trace_event_get(trace, fetch->origin, fetch->seq, &event) == CORE_OK && !event.summed &&
            is_fetch(&event) && event.t_enter > begun.t_enter) {
            *out_fetch = fetch;
            return true;
        }
    }
    return false;
}

/* Reports MPI_Put to the word of a lock. Clocks of several machines are not compared. */
static void puts_find(struct conflicts *c)
{
    uint32_t budget = COMPARED_MAX;
    const struct trace *trace = c->input->trace;
    bool one = c->all->word_count && c->all->word_count == c->all->atomic_count;
    for (uint32_t rank = 1; rank < trace->rank_count && one; rank++)
        one = trace->rank[rank].host && trace->rank[0].host &&
              !strcmp(trace->rank[rank].host, trace->rank[0].host);
    for (uint32_t i = 0; i < c->all->count && one && c->status == CORE_OK; i++) {
        const struct access *put = &c->all->access[i], *fetch;
        struct layout_span bytes;
        if (put->kind != PUT || !is_at_word(c, put) || !put_finds(c, put, &budget, &fetch, &bytes))
            continue;
        rma_conflict_tell(c, put, fetch, &bytes, true);
        c->unsure[put->win] = true;
        return;
    }
}

/* Adds to each finding how many pairs of accesses conflict. */
static void say_counts(struct conflicts *c)
{
    char number[32];

    for (uint32_t i = 0; i < c->said_count; i++) {
        const struct said *said = &c->said[i];
        if (said->count > 1)
            finding_fact(&c->list->finding[said->finding], "%s%s pairs of accesses in all",
                         said->count == CONFLICTS_MAX ? "at least " : "",
                         describe_number(said->count, number, sizeof number));
    }
}

/* Lists the accesses that may conflict, in their order. */
static enum core_status rma_conflict_suspects(struct conflicts *c, uint32_t **out_at,
                                              uint32_t *out_count)
{
    bool *suspect = NULL;
    enum core_status status =
        CORE_ARRAY_NEW(suspect, (uint64_t)c->all->count + 1, "one-sided accesses");

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(*out_at, (uint64_t)c->all->count + 1, "one-sided accesses");
    if (status == CORE_OK)
        status = access_suspects(c->input->trace, c->apart, c->all->access, c->all->count, suspect);
    for (uint32_t i = 0; status == CORE_OK && i < c->all->count; i++)
        if (suspect[i])
            (*out_at)[(*out_count)++] = i;
    CORE_CHECK(*out_count <= c->all->count);
    free(suspect);
    return status;
}

static void areas_find(struct rma_accesses *all, uint32_t target, struct area_part *part)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->window_room; i++)
        if (all->window[i].part)
            part[count++] = all->window[i].part[target];
    area_find(part, count);
    for (uint32_t i = 0; i < count; i++)
        all->window[part[i].win].part[target].area = part[i].area;
}

enum core_status rma_conflict_place(const struct trace *trace, struct rma_accesses *all)
{
    struct area_part *part;
    enum core_status status = CORE_ARRAY_NEW(part, (uint64_t)all->window_room + 1, "windows");

    for (uint32_t target = 0; status == CORE_OK && target < trace->rank_count; target++)
        areas_find(all, target, part);
    free(part);
    for (uint32_t i = 0; status == CORE_OK && i < all->count; i++) {
        struct access *access = &all->access[i];
        access->area = all->window[access->win].part[access->target].area;
        access->from = access->low + base_of(all, access);
        access->to = access->high + base_of(all, access);
        access->place = access->at + base_of(all, access);
        CORE_CHECK(access->from <= access->to);
    }
    return status;
}

static void rma_conflict_compare(struct conflicts *c)
{
    const struct trace *trace = c->input->trace;
    uint32_t *at = NULL, count = 0;
    uint64_t compared = 0;

    if (c->status == CORE_OK)
        c->status = rma_conflict_suspects(c, &at, &count);
    for (uint32_t i = 0; c->status == CORE_OK && i < count && compared < COMPARED_MAX; i++) {
        struct access *a = &c->all->access[at[i]];
        if (access_explained(trace, c->order, c->all->access, c->all->count, a))
            continue;
        for (uint32_t k = 0; k < i && compared < COMPARED_MAX; k++, compared++) {
            struct access *b = &c->all->access[at[k]];
            struct layout_span bytes;
            core_work(1);
            if (!access_may_meet(trace, a, b) ||
                access_explained(trace, c->order, c->all->access, c->all->count, b) ||
                is_ordered(c, a, b) || !bytes_meet(c, a, b, &bytes))
                continue;
            if (!rma_conflict_tell(c, a, b, &bytes, false))
                compared = COMPARED_MAX;
            break;
        }
    }
    free(at);
}

enum core_status rma_conflict_check(const struct check_input *input, const struct order *order,
                                    const struct order *apart, struct rma_accesses *accesses,
                                    uint32_t most, struct finding_list *list)
{
    struct conflicts c = {.input = input,
                          .list = list,
                          .all = accesses,
                          .most = most,
                          .order = order,
                          .apart = apart};

    rma_conflict_good(&c, CORE_ARRAY_NEW(c.said, (uint64_t)most + 1, "one-sided accesses"));
    if (rma_conflict_good(
            &c, CORE_ARRAY_NEW(c.unsure, (uint64_t)accesses->window_room + 1, "windows"))) {
        puts_find(&c);
        rma_conflict_compare(&c);
    }
    say_counts(&c);
    for (uint32_t i = 0; i < c.said_count; i++)
        free(c.said[i].told);
    free(c.said);
    free(c.unsure);
    return c.status;
}
