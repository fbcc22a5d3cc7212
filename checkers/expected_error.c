/* Recognises errors that a program provokes on purpose. Holds no state. */
#include "checkers/expected_error.h"

#include <string.h>

#include "core/check.h"
#include "program/result_use_x86.h"

/* Calls to look through: for any question; for one about this error. */
enum { NEXT_MAX = 16, ASKED_MAX = 256 };

/* Tells whether the rank asked what an error means: right after the call, or soon after for this
 * error class. */
static bool expected_error_asked(struct trace *trace, const struct trace_event *event)
{
    struct trace_event next;
    bool passed = false; /* saw another call of the thread */

    CORE_CHECK(event->error);
    for (uint64_t seq = event->seq + 1; seq <= event->seq + ASKED_MAX; seq++) {
        if (trace_event_get(trace, event->rank, seq, &next) != CORE_OK)
            return false;
        if (next.parent || next.thread != event->thread)
            continue;
        if (next.verb == VERB_EXPLAIN_ERROR) {
            int64_t code = trace_arg_value(trace, &next, "errorcode", 0);
            if ((!passed && seq <= event->seq + NEXT_MAX) ||
                trace_arg_value(trace, &next, "errorclass", code) == event->error)
                return true;
        }
        passed = true;
    }
    return false;
}

static bool sets_handlers(const struct trace *trace)
{
    bool sets = false;

    for (uint32_t i = 0; i < trace->call_count; i++)
        sets |= trace->call[i].verb == VERB_SET_ERRHANDLER;
    return sets;
}

/* Tells whether MPI called an error handler of the program: the communicator, window or file has
 * one, or inherited one. */
static bool expected_error_handled(struct trace *trace, const struct trace_event *event)
{
    struct trace_cursor *cursor;
    struct trace_event set;
    bool more = true, own = false, own_here = false, here = false;

    if (!sets_handlers(trace) || trace_cursor_open(trace, event->rank, &cursor) != CORE_OK)
        return false;
    trace_cursor_only(cursor, TRAIT_BIT(ANY_TIME));
    while (trace_cursor_next(cursor, &set, &more) == CORE_OK && more && set.seq < event->seq) {
        if (set.verb != VERB_SET_ERRHANDLER || set.error)
            continue;
        CORE_CHECK(set.rank == event->rank);
        bool one = trace_arg_value(trace, &set, "errhandler", 0) != 0;
        own |= one;
        if (set.comm == event->comm && set.win == event->win) {
            here = true;
            own_here = one;
        }
    }
    trace_cursor_close(cursor);
    return here ? own_here : own;
}

/* Tells whether the program looks at the value that the call returns. */
static bool expected_error_seen(const struct trace *trace, const struct trace_event *event)
{
    return event->site >= 0 && (uint32_t)event->site < trace->site_count &&
           trace->site[event->site].returned == RESULT_USE_READ;
}

bool expected_error_on_purpose(struct trace *trace, const struct trace_event *event)
{
    CORE_CHECK(event->rank < trace->rank_count);
    const char *exit_code = trace_meta(trace, "exit_code");
    if (!event->error || (exit_code && strcmp(exit_code, "0")))
        return false;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        if (trace->rank[rank].state != EVENT_RANK_FINISHED || trace->rank[rank].code)
            return false;
    return expected_error_seen(trace, event) || expected_error_asked(trace, event) ||
           expected_error_handled(trace, event);
}

void expected_error_note(struct finding *finding)
{
    finding->severity = FINDING_NOTE;
    finding_fact(finding, "the program checks what the call returned, or has an error handler of "
                          "its own, and continued: the error may be intended");
}
