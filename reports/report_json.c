/* The report for scripts: one JSON object, keys in a fixed order. */
#include <jansson.h>
#include <stdlib.h>

#include "reports/report.h"

static void set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, text ? json_string(text) : json_null());
}

static void set_number(json_t *object, const char *key, uint64_t number)
{
    json_object_set_new(object, key, json_integer((json_int_t)number));
}

static json_t *ranks(const struct trace *trace)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < trace->rank_count; i++) {
        const struct trace_rank *rank = &trace->rank[i];
        json_t *object = json_object();
        set_number(object, "rank", i);
        set_text(object, "host", rank->host);
        set_text(object, "state", event_rank_state_text(rank->state));
        set_text(object, "detail", rank->detail);
        json_object_set_new(object, "code", json_integer(rank->code));
        set_number(object, "events", rank->events);
        set_number(object, "lost", rank->lost);
        json_object_set_new(object, "cut", json_boolean(rank->cut));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *totals(const struct report_facts *facts)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < facts->total_count; i++) {
        json_t *object = json_object();
        set_text(object, "call", facts->total[i].name);
        set_number(object, "count", facts->total[i].count);
        set_number(object, "bytes", facts->total[i].bytes);
        set_number(object, "time_ns", facts->total[i].time_ns);
        json_array_append_new(array, object);
    }
    return array;
}

/* Findings have one JSON form, the one kept in the trace: it is parsed back rather than written twice. */
static enum core_status findings(const struct finding_list *list, json_t *array)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        char *text = finding_json(&list->finding[i]);
        json_t *object = text ? json_loads(text, 0, NULL) : NULL;
        free(text);
        if (!object)
            return core_report(CORE_NO_MEMORY, "out of memory for the JSON report");
        json_array_append_new(array, object);
    }
    return CORE_OK;
}

enum core_status report_json(const struct report_facts *facts, FILE *file)
{
    json_t *root = json_object(), *job = json_object(), *found = json_array();
    enum core_status status = findings(facts->findings, found);

    json_object_set_new(root, "format", json_string("crosswait-report-1"));
    set_text(root, "trace", facts->trace->path);
    set_text(job, "command", facts->command);
    json_object_set_new(job, "exit_code", facts->exit_code >= 0 ? json_integer(facts->exit_code) : json_null());
    set_text(job, "library", facts->library);
    set_text(job, "ended_by_crosswait", facts->live_verdict);
    set_number(job, "hosts", facts->hosts);
    set_number(job, "events", facts->events);
    set_number(job, "inner_events", facts->inner_events);
    set_number(job, "lost", facts->lost);
    set_number(job, "messages", facts->messages);
    set_number(job, "message_bytes", facts->message_bytes);
    set_number(job, "span_ns", facts->span_ns);
    json_object_set_new(root, "job", job);
    json_object_set_new(root, "ranks", ranks(facts->trace));
    set_text(root, "verdict", !facts->findings ? NULL : finding_list_fails(facts->findings) ? "findings" : "clean");
    json_object_set_new(root, "findings", found);
    json_object_set_new(root, "calls", totals(facts));
    if (status == CORE_OK && (json_dumpf(root, file, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0 || fputc('\n', file) == EOF))
        status = core_report(CORE_IO, "cannot write the report");
    json_decref(root);
    return status;
}
