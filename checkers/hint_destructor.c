/* See hint_destructor.h. */
#include "checkers/hint_destructor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"

struct caught { /* a call after an exception that the program caught */
    uint64_t seq;
    uint32_t rank;
    char type[128]; /* of the exception; "": unknown */
};
struct destructor {
    struct trace *trace;
    struct finding_list *list;
    struct caught *caught;
    uint32_t caught_count, caught_room;
};

static bool has_call(const struct finding *finding, uint32_t rank, uint64_t seq)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        if (finding->call[i].core && finding->call[i].rank == rank && finding->call[i].seq == seq)
            return true;
    return false;
}

static enum core_status destructor_unwinding(uint32_t rank, uint64_t seq,
                                             const struct misuse *misuse, void *context)
{
    struct destructor *destructor = context;
    struct trace_event event;

    if (misuse->kind == MISUSE_CAUGHT) {
        struct caught caught = {.seq = seq, .rank = rank};
        snprintf(caught.type, sizeof caught.type, "%s", misuse->name[1] ? misuse->name[1] : "");
        return CORE_ARRAY_PUSH(destructor->caught, destructor->caught_count,
                               destructor->caught_room, "caught exceptions", caught);
    }
    if (misuse->kind != MISUSE_UNWINDING ||
        trace_event_get(destructor->trace, rank, seq, &event) != CORE_OK)
        return CORE_OK;
    for (uint32_t i = 0; i < destructor->list->count; i++) {
        struct finding *finding = &destructor->list->finding[i];

        CORE_CHECK(finding->rule);
        if (finding->severity == FINDING_ERROR && has_call(finding, rank, seq))
            finding_fact(finding,
                         "rank %" PRIu32
                         " calls %s in a destructor that a thrown C++ exception runs: the "
                         "exception is printed only after the destructor returns",
                         rank, destructor->trace->call[event.call].name);
    }
    return CORE_OK;
}

static const struct caught *caught_before(const struct destructor *destructor,
                                          const struct finding_call *call)
{
    for (uint32_t i = 0; call->core && i < destructor->caught_count; i++)
        if (destructor->caught[i].rank == call->rank && destructor->caught[i].seq == call->seq)
            return &destructor->caught[i];
    return NULL;
}

/* Adds which ranks, but not all of them, caught an exception before their call: what it skipped
 * can be what the others wait for. */
static void caught_add(const struct destructor *destructor, struct finding *finding)
{
    uint32_t core = 0, after = 0;

    for (uint32_t i = 0; i < finding->call_count; i++) {
        core += finding->call[i].core;
        after += caught_before(destructor, &finding->call[i]) != NULL;
    }
    for (uint32_t i = 0; after && after < core && i < finding->call_count; i++) {
        const struct finding_call *call = &finding->call[i];
        const struct caught *caught = caught_before(destructor, call);
        struct trace_event event;
        if (!caught || trace_event_get(destructor->trace, call->rank, call->seq, &event) != CORE_OK)
            continue;
        finding_fact(finding,
                     "rank %" PRIu32 " caught a C++ exception%s%s%s after its last collective call "
                     "and before this %s: calls between throw and catch are skipped",
                     call->rank, *caught->type ? " (" : "", caught->type, *caught->type ? ")" : "",
                     destructor->trace->call[event.call].name);
    }
}

/* Handles a call that Python's destructor of an object made. */
static enum core_status destructor_python(uint32_t rank, uint64_t seq, void *context)
{
    const struct destructor *destructor = context;

    for (uint32_t i = 0; i < destructor->list->count; i++) {
        struct finding *finding = &destructor->list->finding[i];

        if (finding->severity == FINDING_ERROR && has_call(finding, rank, seq))
            finding_fact(finding,
                         "rank %" PRIu32
                         " makes the call in __del__, which Python runs once the last reference is "
                         "gone, or its garbage collector finds the object, so at different times "
                         "on each rank; free the object by a call",
                         rank);
    }
    return CORE_OK;
}

enum core_status hint_destructor_add(struct trace *trace, struct finding_list *list)
{
    struct destructor destructor = {.trace = trace, .list = list};
    enum core_status status = trace_misuse_each(trace, destructor_unwinding, &destructor);

    for (uint32_t i = 0; status == CORE_OK && destructor.caught_count && i < list->count; i++)
        if (list->finding[i].severity == FINDING_ERROR)
            caught_add(&destructor, &list->finding[i]);
    free(destructor.caught);
    return status == CORE_OK && finding_list_fails(list)
               ? trace_made_in(trace, "__del__", destructor_python, &destructor)
               : status;
}
