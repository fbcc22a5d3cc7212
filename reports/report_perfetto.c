/* The trace as a timeline, in the Trace Event Format that ui.perfetto.dev and chrome://tracing
 * open: a process a rank, a track a thread, a slice a call with its arguments, messages as arrows
 * from the call that sent to the call that completed the receive. Times are microseconds since the
 * job's start.
 *
 * Slices of one thread nest by themselves: what the library sent lies inside the collective that
 * sent it. */
#include <inttypes.h>
#include <string.h>

#include "core/text.h"
#include "core/trace/describe.h"
#include "reports/messages.h"
#include "reports/report.h"

struct timeline {
    struct trace *trace;
    FILE *file;
    uint64_t end_ns; /* of the record: where calls that did not return are cut */
    bool separated;
    uint64_t arrows;
};

static void microseconds(const char *key, uint64_t ns, FILE *file)
{
    fprintf(file, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

static void begin(struct timeline *line, const char *phase, uint32_t rank, int32_t thread)
{
    fprintf(line->file, "%s\n{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRId32,
            line->separated ? "," : "", phase, rank, thread);
    line->separated = true;
}

static void rank_names(struct timeline *line)
{
    char name[512];

    for (uint32_t i = 0; i < line->trace->rank_count; i++) {
        const struct trace_rank *rank = &line->trace->rank[i];
        snprintf(name, sizeof name, "rank %" PRIu32 " (%s), %s", i, rank->host ? rank->host : "?",
                 event_rank_state_text(rank->state));
        begin(line, "M", i, 0);
        fprintf(line->file, ",\"name\":\"process_name\",\"args\":{\"name\":");
        core_text_json(name, line->file);
        fprintf(line->file, "}}");
        begin(line, "M", i, 0);
        fprintf(line->file,
                ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%" PRIu32 "}}", i);
    }
}

static void slice_head(struct timeline *line, const char *phase, const struct trace_event *event,
                       uint64_t time)
{
    begin(line, phase, event->rank, event->thread);
    fprintf(line->file, ",\"name\":");
    core_text_json(line->trace->call[event->call].name, line->file);
    fprintf(line->file, ",\"cat\":\"%s\"",
            event->repeat > 1 ? "polls"
            : event->parent   ? "library"
                              : "application");
    microseconds("ts", time, line->file);
}

static void slice_args(struct timeline *line, const struct trace_event *event)
{
    char buffer[512];

    fprintf(line->file, ",\"args\":{\"seq\":%" PRIu64 ",\"call\":", event->seq);
    core_text_json(describe_call(line->trace, event, buffer, sizeof buffer), line->file);
    fprintf(line->file, ",\"site\":");
    core_text_json(trace_site_text(line->trace, event->site, buffer, sizeof buffer), line->file);
    if (event->repeat > 1)
        fprintf(line->file, ",\"repeat\":%" PRIu64, event->repeat);
    fprintf(line->file, "%s}}", event->pending ? ",\"returned\":false" : "");
}

/* Polls that went round together lie over each other in time: they have a track of their own. */
static void slice(struct timeline *line, const struct trace_event *event)
{
    uint64_t end = event->pending ? line->end_ns : event->t_leave;

    if (end < event->t_enter)
        end = event->t_enter;
    slice_head(line, event->repeat > 1 ? "b" : "X", event, event->t_enter);
    if (event->repeat > 1)
        fprintf(line->file, ",\"id\":\"%" PRIu32 ".%" PRIu64 "\"", event->rank, event->seq);
    else
        microseconds("dur", end - event->t_enter, line->file);
    slice_args(line, event);
    if (event->repeat > 1) {
        slice_head(line, "e", event, end);
        fprintf(line->file, ",\"id\":\"%" PRIu32 ".%" PRIu64 "\"}", event->rank, event->seq);
    }
}

static enum core_status slices(struct timeline *line, uint32_t rank)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(line->trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more)
        slice(line, &event);
    trace_cursor_close(cursor);
    return status;
}

/* An arrow binds to the slice around its time: it ends in the middle of the call that completed the
 * receive. */
static void arrow(const struct report_message *message, void *context)
{
    struct timeline *line = context;
    uint64_t end = message->t_enter + (message->t_leave - message->t_enter) / 2,
             id = ++line->arrows;

    begin(line, "s", message->source, message->source_thread);
    fprintf(line->file, ",\"id\":%" PRIu64 ",\"name\":\"message\",\"cat\":\"message\"", id);
    microseconds("ts", message->t_send, line->file);
    fprintf(line->file, "}");
    begin(line, "f", message->dest, message->dest_thread);
    fprintf(line->file, ",\"bp\":\"e\",\"id\":%" PRIu64 ",\"name\":\"message\",\"cat\":\"message\"",
            id);
    microseconds("ts", end > message->t_send ? end : message->t_send, line->file);
    fprintf(line->file, ",\"args\":{\"bytes\":%" PRIu64 "}}", message->bytes);
}

enum core_status report_perfetto(const struct report_facts *facts, FILE *file)
{
    struct timeline line = {.trace = facts->trace, .file = file, .end_ns = facts->end_ns};
    enum core_status status = CORE_OK;

    fprintf(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    rank_names(&line);
    for (uint32_t i = 0; i < line.trace->rank_count && status == CORE_OK; i++)
        status = slices(&line, i);
    if (status == CORE_OK)
        status = report_messages_each(line.trace, arrow, &line);
    fprintf(file, "\n]}\n");
    if (status == CORE_OK && ferror(file))
        status = report_unwritten(facts);
    return status;
}
