/* See kept.h. */
#include "checkers/kept.h"

#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static enum core_status call_read(struct trace *trace, const json_t *object,
                                  struct finding *finding)
{
    json_int_t rank = json_integer_value(json_object_get(object, "rank"));
    json_int_t seq = json_integer_value(json_object_get(object, "seq"));
    const char *call = text_of(object, "call"), *note = text_of(object, "note");

    if (rank < 0 || rank >= (json_int_t)trace->rank_count || !call || seq < 0 || (!note && !seq))
        return CORE_OK;
    if (!note) /* the call is in the trace, with its place */
        return finding_core_add(finding, trace, (uint32_t)rank, (uint64_t)seq) ? CORE_OK
                                                                               : CORE_NO_MEMORY;
    enum core_status status =
        finding_place_add(finding, (uint32_t)rank, call, text_of(object, "site"), NULL, note);
    if (status == CORE_OK)
        finding->call[finding->call_count - 1].seq = (uint64_t)seq;
    return status;
}

enum core_status kept_finding_add(struct trace *trace, const json_t *object, enum rule_id rule,
                                  struct finding_list *list)
{
    const char *severity = text_of(object, "severity"), *title = text_of(object, "title");
    enum finding_severity is = FINDING_NOTE;
    enum core_status status = CORE_OK;

    for (enum finding_severity s = FINDING_NOTE; severity && s <= FINDING_ERROR; s++)
        if (!strcmp(severity, finding_severity_text(s)))
            is = s;
    struct finding *finding = finding_list_add(list, rule, is);
    if (!finding)
        return CORE_NO_MEMORY;
    finding_title(finding, "%s", title ? title : finding->rule->says);
    const json_t *calls = json_object_get(object, "calls"),
                 *facts = json_object_get(object, "facts");
    for (size_t i = 0; i < json_array_size(calls) && status == CORE_OK; i++)
        status = call_read(trace, json_array_get(calls, i), finding);
    for (size_t i = 0; i < json_array_size(facts); i++)
        if (json_is_string(json_array_get(facts, i)))
            finding_fact(finding, "%s", json_string_value(json_array_get(facts, i)));
    if (text_of(object, "schedule"))
        finding->schedule = strdup(text_of(object, "schedule"));
    if (text_of(object, "repeat"))
        finding_repeat(finding, "%s", text_of(object, "repeat"));
    return status;
}
