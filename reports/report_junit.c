/* Writes JUnit XML, for the test tab of a CI system: a test case for the job and one for each rule,
 * with the same names in every run. A rule fails if it has findings, with a failure for each; notes
 * do not fail. What only the real job can decide is skipped, with the reason. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "reports/junit.h"
#include "reports/report.h"

static void add_job(const struct report_facts *facts, struct junit *junit)
{
    struct junit_case job = {.name = "crosswait.job", .seconds = (double)facts->span_ns / 1e9};
    char message[64];

    if (facts->exit_code <= 0) {
        junit_case_add(junit, &job, JUNIT_PASSED, NULL, 0);
        return;
    }
    snprintf(message, sizeof message, "the job ended with status %" PRId64, facts->exit_code);
    junit_case_add(junit, &job, JUNIT_FAILED,
                   &(struct junit_why){.type = "job", .message = message, .text = facts->ended}, 1);
}

static enum junit_outcome outcome_of(const struct finding *finding)
{
    return finding->severity != FINDING_NOTE ? JUNIT_FAILED
           : finding->undecided              ? JUNIT_SKIPPED
                                             : JUNIT_PASSED;
}

/* Returns the outcome of a rule's case: failed if a finding fails, else skipped if only the real
 * job can decide one, else passed. */
static enum junit_outcome outcome_worst(const struct report_facts *facts, const struct rule *rule)
{
    enum junit_outcome worst = JUNIT_PASSED;

    for (uint32_t i = 0; i < facts->findings->count; i++) {
        const struct finding *finding = &facts->findings->finding[i];
        enum junit_outcome one = finding->rule == rule ? outcome_of(finding) : JUNIT_PASSED;
        if (one == JUNIT_FAILED || (one == JUNIT_SKIPPED && worst == JUNIT_PASSED))
            worst = one;
    }
    return worst;
}

static enum core_status why_make(const struct report_facts *facts, const struct report_entry *entry,
                                 struct junit_why *out)
{
    size_t bytes;
    struct junit_why why = {.type = finding_severity_text(entry->finding->severity),
                            .message = finding_says(entry->finding)};
    FILE *file = open_memstream(&why.text, &bytes);
    enum core_status status =
        file ? report_text_finding(facts, entry, (struct report_style){0}, file) : CORE_OK;

    if (!file || (fclose(file) != 0 && status == CORE_OK))
        status = core_report(CORE_NO_MEMORY, "out of memory for the JUnit report");
    if (status == CORE_OK)
        *out = why;
    else
        free(why.text);
    return status;
}

/* Says why the rule is undecided where nothing was found; NULL: it passes. No trace decides what
 * other behaviours do, so that these rules pass only if all were run. */
static const char *why_open(const struct report_facts *facts, const struct rule *rule)
{
    const struct orders *orders = &facts->findings->orders;

    if (rule != &rule_table[RULE_BEHAVIOUR] && rule != &rule_table[RULE_RACE])
        return NULL;
    if (orders->tried)
        return orders->extent == ORDERS_ALL ? NULL : "not all behaviours were run";
    return orders->extent == ORDERS_ONE ? "the recorded run leaves no choice to explore"
                                        : "the program was not explored";
}

static enum core_status add_rule(const struct report_facts *facts, const struct rule *rule,
                                 struct junit *junit)
{
    char name[64];
    struct junit_case of = {.name = name};
    struct junit_why *why = NULL;
    uint32_t count = 0;
    enum junit_outcome outcome = outcome_worst(facts, rule);
    enum core_status status = CORE_ARRAY_NEW(why, facts->findings->count + 1, "the JUnit report");

    snprintf(name, sizeof name, "crosswait.%s", rule->id);
    for (uint32_t i = 0; i < facts->findings->count && status == CORE_OK; i++) {
        const struct finding *finding = facts->entry[i].finding;
        if (finding->rule != rule || outcome_of(finding) != outcome)
            continue;
        status = why_make(facts, &facts->entry[i], &why[count]);
        count += status == CORE_OK;
    }
    const struct junit_why open = {.message = why_open(facts, rule)};
    if (status == CORE_OK && outcome == JUNIT_PASSED && open.message && !count)
        junit_case_add(junit, &of, JUNIT_SKIPPED, &open, 1);
    else if (status == CORE_OK)
        junit_case_add(junit, &of, outcome, why, count);
    for (uint32_t i = 0; i < count; i++)
        free(why[i].text);
    free(why);
    return status;
}

/* Begins the suite "crosswait app, 8 ranks", whose name is the same in every run. */
static struct junit *suite_new(const struct report_facts *facts)
{
    const char *slash = facts->program ? strrchr(facts->program, '/') : NULL,
               *name = slash ? slash + 1 : facts->program;
    const uint32_t ranks = facts->trace->rank_count;
    char number[16], *suite = NULL;

    snprintf(number, sizeof number, " (%" PRIu32 ")", facts->number);
    if (asprintf(&suite, "crosswait %s%s%" PRIu32 " rank%s%s", name ? name : "", name ? ", " : "",
                 ranks, ranks == 1 ? "" : "s", facts->number > 1 ? number : "") < 0) {
        core_report(CORE_NO_MEMORY, "out of memory for the JUnit report");
        return NULL;
    }
    struct junit *junit = junit_new(suite);
    free(suite);
    return junit;
}

enum core_status report_junit(const struct report_facts *facts, FILE *file)
{
    struct junit *junit = suite_new(facts);
    enum core_status status = CORE_OK;

    if (!junit)
        return CORE_NO_MEMORY;
    junit_property_add(junit, "trace", facts->trace->path);
    if (facts->command)
        junit_property_add(junit, "command", facts->command);
    if (facts->findings) {
        const struct orders *orders = &facts->findings->orders;
        char text[REPORT_VERDICT_MAX];
        snprintf(text, sizeof text, "%" PRIu64, orders_behaviours(orders));
        junit_property_add(junit, "run.explored.behaviours", text);
        junit_property_add(junit, "run.explored.complete",
                           orders->extent == ORDERS_ALL || orders->extent == ORDERS_ONE ? "true"
                                                                                        : "false");
        junit_property_add(junit, "verdict", report_verdict(facts, text, sizeof text));
    }
    add_job(facts, junit);
    for (int i = 0; facts->findings && i < RULE_COUNT && status == CORE_OK; i++)
        status = add_rule(facts, &rule_table[i], junit);
    if (status == CORE_OK)
        status = junit_suite_write(junit, file);
    junit_free(junit);
    return status;
}
