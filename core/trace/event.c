/* Text forms of the trace's vocabulary. */
#include "core/trace/event.h"

#include <string.h>

static const char *const class_text[] = {
#define X(name, text) text,
    EVENT_CLASSES(X)
#undef X
};

static const char *const rank_state_text[] = {
    [EVENT_RANK_MISSING] = "missing",   [EVENT_RANK_RUNNING] = "unknown",
    [EVENT_RANK_FINISHED] = "finished", [EVENT_RANK_EXITED] = "exited",
    [EVENT_RANK_ABORTED] = "aborted",   [EVENT_RANK_CRASHED] = "crashed",
    [EVENT_RANK_KILLED] = "killed",     [EVENT_RANK_ENDED] = "ended",
};
_Static_assert(sizeof rank_state_text / sizeof *rank_state_text == EVENT_RANK_STATE_COUNT,
               "a text per state");

static int event_find(const char *const *table, int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (strcmp(table[i], text) == 0)
            return i;
    return count;
}

const char *event_class_text(enum event_class class)
{
    return (unsigned)class < EVENT_CLASS_COUNT ? class_text[class] : NULL;
}

enum event_class event_class_find(const char *text)
{
    return (enum event_class)event_find(class_text, EVENT_CLASS_COUNT, text);
}

const char *event_error_text(int32_t error)
{
    switch (error) {
#define X(name, number) \
    case number:        \
        return "MPI_ERR_" #name;
        EVENT_ERRORS(X)
#undef X
    default:
        return NULL;
    }
}

bool event_refused(enum event_class class, int32_t error, uint32_t completions)
{
    switch (class) {
    case EVENT_CLASS_INIT:
    case EVENT_CLASS_FINALIZE:
    case EVENT_CLASS_ABORT:
    case EVENT_CLASS_WAIT:
    case EVENT_CLASS_WAITALL:
    case EVENT_CLASS_WAITANY:
    case EVENT_CLASS_WAITSOME:
    case EVENT_CLASS_TEST:
    case EVENT_CLASS_TESTALL:
    case EVENT_CLASS_TESTANY:
    case EVENT_CLASS_TESTSOME:
    case EVENT_CLASS_REQUEST_STATUS:
    case EVENT_CLASS_FILE:
    case EVENT_CLASS_FILE_COLL:
        return false;
    case EVENT_CLASS_START: /* its completions are the requests that it starts */
        return error != 0;
    default:
        return error != 0 && completions == 0;
    }
}

const char *event_rank_state_text(enum event_rank_state state)
{
    return (unsigned)state < EVENT_RANK_STATE_COUNT ? rank_state_text[state] : NULL;
}

enum event_rank_state event_rank_state_find(const char *text)
{
    return (enum event_rank_state)event_find(rank_state_text, EVENT_RANK_STATE_COUNT, text);
}
