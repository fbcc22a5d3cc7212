/* See the header. The layout of a finding in each format is in reports/. */
#include "explore/output.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/text.h"
#include "core/trace/describe.h"
#include "explore/findings.h"
#include "explore/summary.h"
#include "reports/block.h"
#include "reports/html/finding.h"
#include "reports/html/page.h"
#include "reports/identity.h"
#include "reports/junit.h"
#include "reports/report.h"
#include "reports/sarif.h"

enum { EXPLORE_RULES = 3 };
static const enum rule_id explore_rule[EXPLORE_RULES] = {RULE_BEHAVIOUR, RULE_RACE, RULE_RMA};

static enum core_status text_finding(const struct finding *finding, struct source *source,
                                     bool help, struct report_style style, FILE *file)
{
    static const char *const none[] = {NULL};
    struct block block = {0};
    enum core_status status = block_make(NULL, source, finding, &block);
    if (status == CORE_OK)
        report_text_shown(finding, &block, none, help, style, file);
    block_done(&block);
    return status;
}

/* Tells whether the finding is the first of its rule, which alone prints the remedy. */
static bool is_first(const struct finding_list *list, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (list->finding[i].rule == list->finding[index].rule)
            return false;
    return true;
}

static enum core_status output_finished(FILE *file)
{
    return ferror(file) ? core_report(CORE_IO, "cannot write the report") : CORE_OK;
}

enum core_status explore_output_text(const struct explore_result *result, FILE *file)
{
    char *summary = explore_summary(result->search);
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < result->findings->count && status == CORE_OK; i++)
        status = text_finding(&result->findings->finding[i], result->source,
                              is_first(result->findings, i), result->style, file);
    if (result->sent)
        fprintf(file, "crosswait: %s (--compare=messages distinguishes them)\n", result->sent);
    if (!result->search->complete && *result->search->states_why)
        fprintf(file, "crosswait: not decided by states: %s\n", result->search->states_why);
    fprintf(file, "crosswait: %s\n", summary ? summary : "");
    free(summary);
    return status == CORE_OK ? output_finished(file) : status;
}

/* --- HTML ------------------------------------------------------------------------------------- */

static void html_count(const char *name, uint64_t count, FILE *file)
{
    char number[32];
    html_pair_write(name, describe_number(count, number, sizeof number), file);
}

static void html_head(const struct explore_result *result, FILE *file)
{
    const struct explore_search *s = result->search;
    char *summary = explore_summary(s);
    html_page_begin(result->command, file);
    fprintf(file, "<h1 class=\"%s\">",
            finding_list_fails(result->findings) ? "bad"
            : s->complete                        ? "good"
                                                 : "open");
    core_text_xml(summary ? summary : "", file);
    fprintf(file, "</h1>\n<dl>\n");
    free(summary);
    html_pair_write("crosswait explore", result->command, file);
    html_count("worlds run", s->worlds, file);
    if (s->sampled)
        html_count("of them sampled", s->sampled, file);
    if (s->states)
        html_count("states", s->states, file);
    if (!s->complete && *s->states_why)
        html_pair_write("not decided by states", s->states_why, file);
    if (result->sent)
        html_pair_write("though", result->sent, file);
    fprintf(file, "</dl>\n");
}

static enum core_status html_finding(const struct finding *finding, struct source *source,
                                     FILE *file)
{
    static const char *const none[] = {NULL};
    struct block block = {0};
    enum core_status status = block_make(NULL, source, finding, &block);
    if (status == CORE_OK)
        status = html_finding_write(finding, &block, none, file);
    block_done(&block);
    return status;
}

enum core_status explore_output_html(const struct explore_result *result, FILE *file)
{
    uint32_t count = result->findings->count;
    enum core_status status = CORE_OK;
    html_head(result, file);
    if (count)
        fprintf(file, "<h2>Findings</h2>\n");
    for (uint32_t i = 0; i < count && i < HTML_FINDINGS_MAX && status == CORE_OK; i++)
        status = html_finding(&result->findings->finding[i], result->source, file);
    if (count > HTML_FINDINGS_MAX)
        fprintf(file, "<p>%" PRIu32 " more findings are in the text report and in JSON.</p>\n",
                count - HTML_FINDINGS_MAX);
    html_page_end(file);
    return status == CORE_OK ? output_finished(file) : status;
}

/* --- for machines ----------------------------------------------------------------------------- */

enum core_status explore_output_json(const struct explore_result *result, FILE *file)
{
    const struct explore_search *s = result->search;
    json_t *findings = json_array();
    for (uint32_t i = 0; i < result->findings->count; i++) {
        char *text = finding_json(&result->findings->finding[i]);
        json_array_append_new(findings, text ? json_loads(text, 0, NULL) : json_null());
        free(text);
    }
    char *command = core_text_utf8(result->command);
    json_t *root =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:b, s:o}", "format", "crosswait-explore-1",
                  "command", command ? command : "", "behaviours", (json_int_t)s->behaviours,
                  "worlds", (json_int_t)s->worlds, "sampled", (json_int_t)s->sampled, "outcomes",
                  (json_int_t)s->class_count, "complete", s->complete && !s->unless, "interrupted",
                  s->interrupted, "findings", findings);
    free(command);
    if (root && s->states)
        json_object_set_new(root, "states", json_integer((json_int_t)s->states));
    if (root && s->states)
        json_object_set_new(root, "states_steps", json_integer((json_int_t)s->states_steps));
    if (root && *s->states_why)
        json_object_set_new(root, "states_why", json_string(s->states_why));
    if (root && *s->states_together)
        json_object_set_new(root, "states_together", json_string(s->states_together));
    if (root && result->sent)
        json_object_set_new(root, "sends_differ", json_string(result->sent));
    enum core_status status =
        root && json_dumpf(root, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF
            ? CORE_OK
            : core_report(CORE_IO, "cannot write the report");
    json_decref(root);
    return status;
}

static enum core_status sarif_finding(struct sarif *sarif, const struct finding *f,
                                      struct source *source)
{
    struct block block = {0};
    if (!finding_is_of_program(f)) {
        sarif_note_add(sarif, f->rule->id, finding_says(f));
        return CORE_OK;
    }
    enum core_status status = block_make(NULL, source, f, &block);
    char *identity = identity_text(NULL, f);
    sarif_result_add(sarif, &(struct sarif_result){f->rule->id, finding_severity_text(f->severity),
                                                   finding_says(f), identity ? identity : ""});
    free(identity);
    report_sarif_places(sarif, &block);
    block_done(&block);
    sarif_property_add(sarif, "schedule", f->schedule);
    sarif_property_add(sarif, "repeat", f->repeat);
    return status;
}

enum core_status explore_output_sarif(const struct explore_result *result, FILE *file)
{
    const struct sarif_place fallback = {.path = result->program, .line = 1};
    struct sarif *sarif = sarif_new(&fallback, result->source_root);
    if (!sarif)
        return CORE_NO_MEMORY;
    for (int i = 0; i < EXPLORE_RULES; i++) {
        const struct rule *rule = &rule_table[explore_rule[i]];
        sarif_rule_add(
            sarif, &(struct sarif_rule){rule->id, rule->says, rule->help, rule->class, "check"});
    }
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < result->findings->count && status == CORE_OK; i++)
        status = sarif_finding(sarif, &result->findings->finding[i], result->source);
    if (status == CORE_OK)
        status = sarif_write(sarif, file);
    sarif_free(sarif);
    return status;
}

static enum core_status why_make(const struct finding *finding, struct source *source,
                                 struct junit_why *out)
{
    size_t bytes;
    *out = (struct junit_why){.type = finding_severity_text(finding->severity),
                              .message = finding_says(finding)};
    FILE *body = open_memstream(&out->text, &bytes);
    if (!body)
        return core_report(CORE_NO_MEMORY, "out of memory for the JUnit report");
    enum core_status status =
        text_finding(finding, source, true, (struct report_style){.colour = false}, body);
    if (fclose(body) != 0 && status == CORE_OK)
        status = core_report(CORE_NO_MEMORY, "out of memory for the JUnit report");
    return status;
}

static enum core_status junit_rule(struct junit *junit, const struct explore_result *result,
                                   const struct rule *rule)
{
    struct junit_why *why = NULL;
    uint32_t count = 0;
    char name[64];
    enum core_status status = CORE_ARRAY_NEW(why, result->findings->count + 1, "the JUnit report");
    for (uint32_t i = 0; i < result->findings->count && status == CORE_OK; i++) {
        const struct finding *f = &result->findings->finding[i];
        if (f->rule == rule && f->severity != FINDING_NOTE)
            status = why_make(f, result->source, &why[count++]);
    }
    snprintf(name, sizeof name, "crosswait.%s", rule->id);
    const struct junit_case of = {.name = name};
    const struct junit_why unknown = {.message = "not every behaviour was run"};
    if (status == CORE_OK && !count && !result->search->complete)
        junit_case_add(junit, &of, JUNIT_SKIPPED, &unknown, 1);
    else if (status == CORE_OK)
        junit_case_add(junit, &of, count ? JUNIT_FAILED : JUNIT_PASSED, why, count);
    for (uint32_t i = 0; i < count; i++)
        free(why[i].text);
    free(why);
    return status;
}

enum core_status explore_output_junit(const struct explore_result *result, FILE *file)
{
    struct junit *junit = junit_new("crosswait explore");
    enum core_status status = CORE_OK;
    if (!junit)
        return CORE_NO_MEMORY;
    junit_property_add(junit, "command", result->command);
    for (int i = 0; i < EXPLORE_RULES && status == CORE_OK; i++)
        status = junit_rule(junit, result, &rule_table[explore_rule[i]]);
    if (status == CORE_OK)
        status = junit_write(junit, file);
    junit_free(junit);
    return status;
}
