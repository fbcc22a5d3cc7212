/* Pairs collective calls: two passes over each rank's events, one to count, one to fill. */
#include "core/trace/collective.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"

struct pairing {
    struct trace *trace;
    uint64_t *most;   /* per communicator: most collective calls that a member made */
    uint32_t *first;  /* per communicator: index of its first collective */
    uint64_t *number; /* per communicator: calls of the current rank so far */
    int32_t *place;   /* per communicator: the current rank's index among the members, -1 none */
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

/* Counts a rank's calls when list is NULL, otherwise fills its parts. */
static enum core_status pass(struct pairing *pairing, uint32_t rank, struct collective_list *list)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(pairing->trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, TRAIT_BIT(COLLECTIVE));
    find_places(pairing, rank);
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        bool refused;
        if (event.parent || !is_collective(&event) || event.comm < 0 ||
            (uint32_t)event.comm >= pairing->trace->comm_count)
            continue;
        if ((status = trace_event_refused(pairing->trace, &event, &refused)) != CORE_OK)
            break;
        if (refused)
            continue;
        uint64_t number = ++pairing->number[event.comm];
        if (!list) {
            if (number > pairing->most[event.comm])
                pairing->most[event.comm] = number;
            continue;
        }
        struct collective *collective = &list->collective[pairing->first[event.comm] + number - 1];
        if (pairing->place[event.comm] < 0)
            continue;
        CORE_CHECK(number <= pairing->most[event.comm]); /* both passes see the same calls */
        CORE_CHECK(collective->comm == event.comm);
        CORE_CHECK(collective->number == number);
        CORE_CHECK((uint32_t)pairing->place[event.comm] < collective->count);
        struct collective_part *part =
            &list->part[collective->first + (uint32_t)pairing->place[event.comm]];
        CORE_CHECK(!part->present);
        CORE_CHECK(part->rank == rank);
        part->present = true;
        part->event = event;
        part->event.completion = NULL;
        part->event.completion_count = 0;
        collective->present++;
        CORE_CHECK(collective->present <= collective->count);
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
    for (uint32_t rank = 0; rank < trace->rank_count && status == CORE_OK; rank++)
        status = pass(&pairing, rank, NULL);
    if (status == CORE_OK)
        status = lay_out(&pairing, &list);
    for (uint32_t rank = 0; rank < trace->rank_count && list.count && status == CORE_OK; rank++)
        status = pass(&pairing, rank, &list);
    free(pairing.most);
    free(pairing.first);
    free(pairing.number);
    free(pairing.place);
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
