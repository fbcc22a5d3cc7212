/* Pairs collective calls in two passes over each rank's events: the first counts, the second fills.
 * If MPI refused calls, an earlier pass notes all calls, to find which refused calls the others
 * met.
 *
 * Invariant: 1. All passes see the same calls. */
#include "core/trace/collective.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/trace/collective_met.h"
#include "core/trace/trace_part.h"

struct pairing {
    struct trace *trace;
    struct collective_refused_list refused;
    uint32_t refused_next; /* index of the current rank's next refused call in this pass */
    uint64_t *most;        /* per communicator: most collective calls that a member made */
    uint32_t *first;       /* per communicator: index of its first collective */
    uint64_t *number;      /* per communicator: calls of the current rank so far */
    int32_t *place; /* per communicator: the current rank's index among the members, -1 none */
};

/* Tells which calls count in the order of a communicator's collectives. Windows and files have
 * orders of their own, in which their creation does not count. */
static bool is_collective(const struct trace_event *event)
{
    if (!trait_in(event->traits, TRAIT_COLLECTIVE))
        return false;
    return trait_in(event->traits, TRAIT_WINDOW) ? trait_in(event->traits, TRAIT_MAKES_WIN)
           : trait_in(event->traits, TRAIT_FILE) ? trait_in(event->traits, TRAIT_MAKES_FILE)
                                                 : event->verb != VERB_FINALIZE;
}

static uint32_t member_count(const struct trace_comm *comm)
{
    return (uint32_t)comm->size + (comm->inter ? (uint32_t)comm->remote_size : 0);
}

static int32_t member_rank(const struct trace_comm *comm, uint32_t index)
{
    CORE_CHECK(index < member_count(comm));
    if (index < (uint32_t)comm->size)
        return comm->member ? comm->member[index] : (int32_t)index;
    return comm->remote ? comm->remote[index - (uint32_t)comm->size] : -1;
}

static void find_places(struct pairing *pairing, uint32_t rank)
{
    for (uint32_t c = 0; c < pairing->trace->comm_count; c++) {
        const struct trace_comm *comm = &pairing->trace->comm[c];
        pairing->place[c] = -1;
        pairing->number[c] = 0;
        for (uint32_t i = 0; i < member_count(comm) && pairing->place[c] < 0; i++)
            if (member_rank(comm, i) == (int32_t)rank)
                pairing->place[c] = (int32_t)i;
    }
}

static enum core_status rank_open(struct pairing *pairing, uint32_t rank,
                                  struct trace_cursor **out_cursor)
{
    enum core_status status = trace_cursor_open(pairing->trace, rank, out_cursor);

    if (status != CORE_OK)
        return status;
    trace_cursor_only(*out_cursor, TRAIT_BIT(COLLECTIVE));
    find_places(pairing, rank);
    return CORE_OK;
}

/* Returns the rank's next collective call on a communicator. */
static enum core_status call_next(struct trace *trace, struct trace_cursor *cursor,
                                  struct trace_event *event, bool *out_refused, bool *out_more)
{
    enum core_status status;

    while ((status = trace_cursor_next(cursor, event, out_more)) == CORE_OK && *out_more)
        if (!event->parent && is_collective(event) && event->comm >= 0 &&
            (uint32_t)event->comm < trace->comm_count)
            return trace_event_refused(trace, event, out_refused);
    return status;
}

/* Tells whether the call counts: MPI did not refuse it, or the others met it. */
static bool collective_counts(struct pairing *pairing, const struct trace_event *event,
                              bool refused)
{
    if (!refused || pairing->place[event->comm] < 0)
        return !refused;
    CORE_CHECK(pairing->refused_next < pairing->refused.count);
    const struct collective_refused *call = &pairing->refused.refused[pairing->refused_next++];
    CORE_CHECK(call->rank == event->rank && call->seq == event->seq); /* invariant 1 */
    return call->met;
}

static void part_fill(struct pairing *pairing, struct collective_list *list,
                      const struct trace_event *event, bool refused)
{
    uint64_t number = pairing->number[event->comm];
    struct collective *collective = &list->collective[pairing->first[event->comm] + number - 1];

    if (pairing->place[event->comm] < 0)
        return;
    CORE_CHECK(number <= pairing->most[event->comm]); /* invariant 1 */
    CORE_CHECK(collective->comm == event->comm);
    CORE_CHECK(collective->number == number);
    CORE_CHECK((uint32_t)pairing->place[event->comm] < collective->count);
    struct collective_part *part =
        &list->part[collective->first + (uint32_t)pairing->place[event->comm]];
    CORE_CHECK(!part->present && !part->refused);
    CORE_CHECK(part->rank == event->rank);
    part->refused = refused;
    part->present = !refused;
    part->event = *event;
    part->event.completion = NULL;
    part->event.completion_count = 0;
    collective->present += part->present;
    CORE_CHECK(collective->present <= collective->count);
}

/* Counts a rank's calls when list is NULL, otherwise fills its parts. */
static enum core_status collective_pass(struct pairing *pairing, uint32_t rank,
                                        struct collective_list *list)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true, refused = false;
    enum core_status status = rank_open(pairing, rank, &cursor);

    if (status != CORE_OK)
        return status;
    while ((status = call_next(pairing->trace, cursor, &event, &refused, &more)) == CORE_OK &&
           more) {
        if (!collective_counts(pairing, &event, refused))
            continue;
        uint64_t number = ++pairing->number[event.comm];
        if (list)
            part_fill(pairing, list, &event, refused);
        else if (number > pairing->most[event.comm])
            pairing->most[event.comm] = number;
    }
    trace_cursor_close(cursor);
    return status;
}

static enum core_status lay_out(struct pairing *pairing, struct collective_list *list)
{
    uint64_t collectives = 0, parts = 0;

    for (uint32_t c = 0; c < pairing->trace->comm_count; c++) {
        pairing->first[c] = (uint32_t)collectives;
        collectives += pairing->most[c];
        parts += pairing->most[c] * member_count(&pairing->trace->comm[c]);
    }
    if (parts > COLLECTIVE_PARTS_MAX)
        return core_report(CORE_LIMIT, "'%s' holds %llu parts of collectives; %d can be checked",
                           pairing->trace->path, (unsigned long long)parts, COLLECTIVE_PARTS_MAX);
    enum core_status status = CORE_ARRAY_NEW(list->collective, collectives + 1, "collectives");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(list->part, parts + 1, "collectives");
    if (status != CORE_OK)
        return status;
    for (uint32_t c = 0; c < pairing->trace->comm_count; c++) {
        const struct trace_comm *comm = &pairing->trace->comm[c];
        for (uint64_t n = 0; n < pairing->most[c]; n++) {
            struct collective *collective = &list->collective[list->count++];
            *collective = (struct collective){.comm = (int32_t)c,
                                              .number = n + 1,
                                              .first = (uint32_t)list->part_count,
                                              .count = member_count(comm)};
            for (uint32_t i = 0; i < collective->count; i++)
                list->part[list->part_count++].rank = (uint32_t)member_rank(comm, i);
        }
    }
    CORE_CHECK(list->count == collectives);
    CORE_CHECK(list->part_count == parts);
    return CORE_OK;
}

enum core_status collective_list_load(struct trace *trace, struct collective_list *out_list)
{
    size_t comms = trace->comm_count + 1;
    struct pairing pairing = {.trace = trace};
    struct collective_list list = {0};
    enum core_status status = trace_hold(trace); /* so that both passes see the same calls */

    if (status != CORE_OK)
        return status;
    status = CORE_ARRAY_NEW(pairing.most, comms, "communicators");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(pairing.first, comms, "communicators");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(pairing.number, comms, "communicators");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(pairing.place, comms, "communicators");
    if (status == CORE_OK)
        status = collective_refused_load(trace, &pairing.refused);
    for (uint32_t rank = 0; rank < trace->rank_count && status == CORE_OK; rank++)
        status = collective_pass(&pairing, rank, NULL);
    if (status == CORE_OK)
        status = lay_out(&pairing, &list);
    pairing.refused_next = 0;
    for (uint32_t rank = 0; rank < trace->rank_count && list.count && status == CORE_OK; rank++)
        status = collective_pass(&pairing, rank, &list);
    free(pairing.most);
    free(pairing.first);
    free(pairing.number);
    free(pairing.place);
    collective_refused_done(&pairing.refused);
    trace_release(trace);
    if (status == CORE_OK)
        *out_list = list;
    else
        collective_list_done(&list);
    return status;
}

void collective_list_done(struct collective_list *list)
{
    free(list->collective);
    free(list->part);
    *list = (struct collective_list){0};
}

/* --- calls that MPI refused ------------------------------------------------------------------- */

/* Tells whether any collective call may count as refused (trace_event_refused): one returned an
 * error, or a rank died. */
static enum core_status any_refused(struct trace *trace, bool *out_any)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(
        trace, "SELECT DISTINCT call FROM shape WHERE error <> 0 AND parent_back IS NULL", &stmt);
    int code = SQLITE_DONE;
    bool any = false;

    if (status != CORE_OK)
        return status;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        any |= trace->rank[rank].state == EVENT_RANK_EXITED ||
               trace->rank[rank].state == EVENT_RANK_ABORTED ||
               trace->rank[rank].state == EVENT_RANK_CRASHED;
    while ((code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t call = sqlite3_column_int64(stmt, 0);
        any |= call >= 0 && call < trace->call_count &&
               trait_in(trace->call[call].traits, TRAIT_COLLECTIVE);
    }
    if (code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(stmt);
    *out_any = any;
    return status;
}

struct noting {
    struct pairing pairing; /* only its `place` is used */
    struct collective_made *made;
    uint32_t count, room;
    uint32_t refused;
};

static enum core_status collective_note(struct noting *noting, uint32_t rank)
{
    struct pairing *pairing = &noting->pairing;
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true, refused = false;
    enum core_status status = rank_open(pairing, rank, &cursor);

    if (status != CORE_OK)
        return status;
    while ((status = call_next(pairing->trace, cursor, &event, &refused, &more)) == CORE_OK &&
           more) {
        if (pairing->place[event.comm] < 0)
            continue;
        noting->refused += refused;
        status = CORE_ARRAY_PUSH(noting->made, noting->count, noting->room, "collective calls",
                                 (struct collective_made){.rank = rank,
                                                          .comm = event.comm,
                                                          .call = event.call,
                                                          .root = event.root,
                                                          .seq = event.seq,
                                                          .refused = refused,
                                                          .over = !event.pending && !event.error});
        if (status != CORE_OK)
            break;
    }
    trace_cursor_close(cursor);
    return status;
}

static int by_rank(const void *a, const void *b)
{
    const struct collective_refused *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static enum core_status refused_take(const struct noting *noting,
                                     struct collective_refused_list *list)
{
    enum core_status status = CORE_ARRAY_NEW(list->refused, noting->refused, "refused calls");

    for (uint32_t i = 0; i < noting->count && status == CORE_OK; i++) {
        const struct collective_made *made = &noting->made[i];
        CORE_CHECK(made->refused || !made->met);
        if (made->refused)
            list->refused[list->count++] =
                (struct collective_refused){.rank = made->rank, .seq = made->seq, .met = made->met};
    }
    CORE_CHECK(status != CORE_OK || list->count == noting->refused);
    if (list->count)
        qsort(list->refused, list->count, sizeof *list->refused, by_rank);
    return status;
}

enum core_status collective_refused_load(struct trace *trace,
                                         struct collective_refused_list *out_list)
{
    size_t comms = trace->comm_count + 1;
    struct noting noting = {.pairing = {.trace = trace}};
    struct collective_refused_list list = {0};
    bool any = false;
    enum core_status status = any_refused(trace, &any);

    if (status == CORE_OK && any)
        status = CORE_ARRAY_NEW(noting.pairing.number, comms, "communicators");
    if (status == CORE_OK && any)
        status = CORE_ARRAY_NEW(noting.pairing.place, comms, "communicators");
    for (uint32_t rank = 0; any && rank < trace->rank_count && status == CORE_OK; rank++)
        status = collective_note(&noting, rank);
    if (status == CORE_OK && noting.refused)
        status = collective_met_settle(noting.made, noting.count);
    if (status == CORE_OK && noting.refused)
        status = refused_take(&noting, &list);
    free(noting.pairing.number);
    free(noting.pairing.place);
    free(noting.made);
    if (status == CORE_OK)
        *out_list = list;
    return status;
}

bool collective_refused_met(const struct collective_refused_list *list, uint32_t rank, uint64_t seq)
{
    const struct collective_refused key = {.rank = rank, .seq = seq};
    const struct collective_refused *call =
        list->count ? bsearch(&key, list->refused, list->count, sizeof key, by_rank) : NULL;

    return call && call->met;
}

void collective_refused_done(struct collective_refused_list *list)
{
    free(list->refused);
    *list = (struct collective_refused_list){0};
}
