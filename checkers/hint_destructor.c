/* See hint_destructor.h. */
#include "checkers/hint_destructor.h"

#include <inttypes.h>

#include "core/check.h"

struct destructor {
    struct trace *trace;
    struct finding_list *list;
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
    const struct destructor *destructor = context;
    struct trace_event event;

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
    struct destructor destructor = {trace, list};
    enum core_status status = trace_misuse_each(trace, destructor_unwinding, &destructor);

    return status == CORE_OK && finding_list_fails(list)
               ? trace_made_in(trace, "__del__", destructor_python, &destructor)
               : status;
}
