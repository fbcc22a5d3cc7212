/* JUnit XML, for the test tab of a CI system: a test case for the job and one for each rule, whose
 * names are the same in every run. A rule fails where there are findings of it; notes do not fail;
 * what only the real job can tell is skipped, with the reason. */
#include <inttypes.h>
#include <stdlib.h>

#include "reports/junit.h"
#include "reports/report.h"

static void add_job(const struct report_facts *facts, struct junit *junit)
{
    char message[64];

    if (facts->exit_code <= 0) {
        junit_case_add(junit, "crosswait.job", JUNIT_PASSED, NULL, NULL);
        return;
    }
    snprintf(message, sizeof message, "the job ended with status %" PRId64, facts->exit_code);
    junit_case_add(junit, "crosswait.job", JUNIT_FAILED, message, facts->ended);
}

static bool fails(const struct finding *finding)
{
    return finding->severity != FINDING_NOTE;
}

/* What is said in one line: of the findings that decide, the first, and how many more there are. */
static void message_of(const struct finding_list *list, const struct rule *rule,
                       enum junit_outcome outcome, FILE *file)
{
    const struct finding *first = NULL;
    uint32_t more = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct finding *finding = &list->finding[i];
        if (finding->rule != rule ||
            !(outcome == JUNIT_FAILED ? fails(finding) : finding->undecided))
            continue;
        if (first)
            more++;
        else
            first = finding;
    }
    if (first)
        fputs(first->title ? first->title : rule->says, file);
    if (more)
        fprintf(file, " (and %" PRIu32 " more)", more);
}

static enum core_status add_rule(const struct report_facts *facts, const struct rule *rule,
                                 struct junit *junit)
{
    const struct finding_list *list = facts->findings;
    char *text = NULL, *message = NULL, name[64];
    size_t text_bytes, message_bytes;
    FILE *body = open_memstream(&text, &text_bytes),
         *line = open_memstream(&message, &message_bytes);
    enum junit_outcome outcome = JUNIT_PASSED;
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; body && i < list->count && status == CORE_OK; i++) {
        const struct finding *finding = facts->entry[i].finding;
        if (finding->rule != rule)
            continue;
        if (fails(finding))
            outcome = JUNIT_FAILED;
        else if (finding->undecided && outcome == JUNIT_PASSED)
            outcome = JUNIT_SKIPPED;
        status = report_text_finding(facts, &facts->entry[i], (struct report_style){0}, body);
    }
    if (line && outcome != JUNIT_PASSED)
        message_of(list, rule, outcome, line);
    if ((body && fclose(body) != 0) | (line && fclose(line) != 0) | !body | !line)
        status = status != CORE_OK
                     ? status
                     : core_report(CORE_NO_MEMORY, "out of memory for the JUnit report");
    snprintf(name, sizeof name, "crosswait.%s", rule->id);
    if (status == CORE_OK)
        junit_case_add(junit, name, outcome, message, *text ? text : NULL);
    free(text);
    free(message);
    return status;
}

enum core_status report_junit(const struct report_facts *facts, FILE *file)
{
    struct junit *junit = junit_new("crosswait");
    enum core_status status = CORE_OK;

    if (!junit)
        return CORE_NO_MEMORY;
    junit_property_add(junit, "trace", facts->trace->path);
    if (facts->command)
        junit_property_add(junit, "command", facts->command);
    add_job(facts, junit);
    for (int i = 0; facts->findings && i < RULE_COUNT && status == CORE_OK; i++)
        status = add_rule(facts, &rule_table[i], junit);
    if (status == CORE_OK)
        status = junit_write(junit, file);
    junit_free(junit);
    return status;
}
