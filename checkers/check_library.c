/* Reads back how the MPI libraries differed with which the job was run (crosswait run --mpi). `run`
 * leaves this in the trace of the library whose run it shows. */
#include <jansson.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/kept.h"

struct reading {
    struct trace *trace;
    struct finding_list *list;
};

static enum core_status read_one(const struct trace_finding *kept, void *context)
{
    const struct reading *reading = context;
    enum core_status status = CORE_OK;
    json_t *object = NULL;

    if (!strcmp(kept->rule, rule_table[RULE_LIBRARY].id) && kept->json)
        object = json_loads(kept->json, 0, NULL);
    if (json_is_object(object))
        status = kept_finding_add(reading->trace, object, RULE_LIBRARY, reading->list);
    json_decref(object);
    return status;
}

enum core_status check_libraries(const struct check_input *input, struct finding_list *list)
{
    struct reading reading = {input->trace, list};

    return trace_findings_each(input->trace, read_one, &reading);
}
