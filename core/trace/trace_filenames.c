/* Reads which files calls name (trace.h). */
#include <string.h>

#include "core/check.h"
#include "core/trace/trace.h"

struct text {
    char *text;
    size_t room;
    bool found;
};

static enum core_status take_text(const char *name, uint32_t index, int64_t value, const char *text,
                                  void *context)
{
    struct text *out = context;

    CORE_CHECK(out->room > 0);
    (void)name;
    (void)index;
    (void)value;
    if (text && strlen(text) < out->room) {
        memcpy(out->text, text, strlen(text) + 1);
        out->found = true;
    }
    return CORE_OK;
}

bool trace_arg_text(struct trace *trace, const struct trace_event *event, char *text,
                    size_t text_bytes)
{
    struct text out = {text, text_bytes, false};

    CORE_CHECK(text && text_bytes > 0);
    *text = '\0';
    return trace_args_each(trace, event, take_text, &out) == CORE_OK && out.found;
}

struct trace_named trace_named(struct trace *trace, const struct trace_event *event)
{
    CORE_CHECK(event->verb == VERB_OPEN_FILE || event->verb == VERB_DELETE_FILE);
    return (struct trace_named){trace_arg_value(trace, event, "place", 0),
                                trace_arg_value(trace, event, "device", 0),
                                trace_arg_value(trace, event, "inode", 0)};
}

/* Tells whether both are known and on the same machine. */
static bool trace_filenames_near(const struct trace_named *a, const struct trace_named *b)
{
    return a->place && b->place &&
           a->place >> EVENT_PLACE_MACHINE_SHIFT == b->place >> EVENT_PLACE_MACHINE_SHIFT;
}

bool trace_named_differ(const struct trace_named *a, const struct trace_named *b)
{
    return trace_filenames_near(a, b) && a->place != b->place && !trace_named_same(a, b);
}

bool trace_named_same(const struct trace_named *a, const struct trace_named *b)
{
    return trace_filenames_near(a, b) && a->inode && a->inode == b->inode && a->device == b->device;
}
