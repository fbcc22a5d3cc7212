/* Reads back the findings of an exploration of the program (explore/), which `run` leaves in the
 * trace, so that every later reader of the trace sees them. */
#include <jansson.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/kept.h"

struct reading {
    struct trace *trace;
    struct finding_list *list;
};

/* Reads one finding. A window conflict comes from an exploration if it has a schedule. */
static enum core_status read_one(const struct trace_finding *kept, void *context)
{
    static const enum rule_id rules[] = {RULE_BEHAVIOUR, RULE_RACE, RULE_RMA};
    const struct reading *reading = context;
    enum core_status status = CORE_OK;

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        json_t *object = NULL;
        if (!strcmp(kept->rule, rule_table[rules[i]].id) && kept->json)
            object = json_loads(kept->json, 0, NULL);
        bool is = rules[i] != RULE_RMA || json_object_get(object, "schedule");
        if (json_is_object(object) && is && status == CORE_OK)
            status = kept_finding_add(reading->trace, object, rules[i], reading->list);
        json_decref(object);
    }
    return status;
}

enum core_status check_explore(const struct check_input *input, struct finding_list *list)
{
    struct reading reading = {input->trace, list};

    return trace_findings_each(input->trace, read_one, &reading);
}
