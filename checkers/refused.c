/* Errors that a program asks for. Holds no state. */
#include "checkers/refused.h"

#include "core/check.h"

enum { NEXT_MAX = 16 }; /* calls of other threads and of the library that are passed over */

bool refused_on_purpose(struct trace *trace, const struct trace_event *event)
{
    struct trace_event next;

    CORE_CHECK(event->rank < trace->rank_count);
    if (!event->error)
        return false;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        if (trace->rank[rank].state != EVENT_RANK_FINISHED || trace->rank[rank].code)
            return false;
    for (uint64_t seq = event->seq + 1; seq <= event->seq + NEXT_MAX; seq++) {
        if (trace_event_get(trace, event->rank, seq, &next) != CORE_OK)
            return false;
        if (!next.parent && next.thread == event->thread)
            return next.verb == VERB_EXPLAIN_ERROR;
    }
    return false;
}

void refused_note(struct finding *finding)
{
    finding->severity = FINDING_NOTE;
    finding_fact(finding, "the program asked what the error means, and went on: it may have been "
                          "made on purpose");
}
