/* SARIF 2.1.0, for code scanning: a rule a checker, a result a finding, at the places of the calls
 * that make it up. Paths are those that the compiler was given, so that a program built inside its
 * repository is annotated there. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check.h"
#include "reports/report.h"

static json_t *text_object(const char *text)
{
    return json_pack("{s:s}", "text", text ? text : "");
}

static json_t *rules(void)
{
    json_t *array = json_array();

    for (const struct checker *checker = check_table; checker->id; checker++)
        json_array_append_new(array, json_pack("{s:s, s:o}", "id", checker->id, "shortDescription",
                                               text_object(checker->proves)));
    return array;
}

/* A place in a source file, or the function or module where nothing more is known. */
static json_t *location(struct trace *trace, const struct finding_call *call)
{
    struct trace_event event;
    const struct trace_site *site = NULL;
    json_t *object = json_object();
    char *message = NULL;

    if (call->seq && trace_event_get(trace, call->rank, call->seq, &event) == CORE_OK &&
        event.site > 0 && (uint32_t)event.site < trace->site_count)
        site = &trace->site[event.site];
    if (site && site->file) {
        const char *path = site->path ? site->path : site->file;
        char *uri = NULL;
        if (asprintf(&uri, "%s%s", path[0] == '/' ? "file://" : "", path) < 0)
            uri = NULL;
        json_object_set_new(object, "physicalLocation",
                            json_pack("{s:{s:s}, s:{s:i}}", "artifactLocation", "uri",
                                      uri ? uri : path, "region", "startLine",
                                      site->line > 0 ? site->line : 1));
        free(uri);
    }
    if (site && (site->function || site->symbol))
        json_object_set_new(object, "logicalLocations",
                            json_pack("[{s:s, s:s}]", "name",
                                      site->function ? site->function : site->symbol, "kind",
                                      "function"));
    if (asprintf(&message, "rank %u: %s%s%s", call->rank,
                 call->call ? call->call : "in no recorded call",
                 call->waits_for ? ", waits for " : "", call->waits_for ? call->waits_for : "") < 0)
        message = NULL;
    json_object_set_new(object, "message", text_object(message));
    free(message);
    return object;
}

/* Code scanning shows one place as the result's own; the others are related to it. */
static json_t *result(struct trace *trace, const struct finding *finding)
{
    json_t *object = json_object(), *own = json_array(), *related = json_array();
    char *message = NULL;
    size_t bytes;
    FILE *text = open_memstream(&message, &bytes);

    if (text) {
        fprintf(text, "%s", finding->title ? finding->title : finding->rule->id);
        for (uint32_t i = 0; i < finding->fact_count; i++)
            fprintf(text, "; %s", finding->fact[i]);
        fclose(text);
    }
    json_object_set_new(object, "ruleId", json_string(finding->rule->id));
    json_object_set_new(object, "level", json_string(finding_severity_text(finding->severity)));
    json_object_set_new(object, "message", text_object(message));
    free(message);
    for (uint32_t i = 0; i < finding->call_count; i++)
        json_array_append_new(json_array_size(own) ? related : own,
                              location(trace, &finding->call[i]));
    for (size_t i = 0; i < json_array_size(related); i++)
        json_object_set_new(json_array_get(related, i), "id", json_integer((json_int_t)i + 1));
    json_object_set_new(object, "locations", own);
    json_object_set_new(object, "relatedLocations", related);
    json_object_set_new(object, "properties",
                        json_pack("{s:s, s:s*, s:s*, s:b, s:s}", "class", finding->rule->class,
                                  "schedule", finding->schedule, "repeat", finding->repeat,
                                  "assumed", (int)finding->assumed, "live",
                                  finding_confirmed_text(finding->confirmed)));
    return object;
}

enum core_status report_sarif(const struct report_facts *facts, FILE *file)
{
    json_t *results = json_array();

    for (uint32_t i = 0; facts->findings && i < facts->findings->count; i++)
        json_array_append_new(results, result(facts->trace, &facts->findings->finding[i]));
    json_t *root =
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:o}}, s:o}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                  "tool", "driver", "name", "crosswait", "rules", rules(), "results", results);
    enum core_status status = CORE_OK;
    if (!root)
        status = core_report(CORE_NO_MEMORY, "out of memory for the SARIF report");
    else if (json_dumpf(root, file, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0 ||
             fputc('\n', file) == EOF)
        status = core_report(CORE_IO, "cannot write the report");
    json_decref(root);
    return status;
}
