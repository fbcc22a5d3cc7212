/* JUnit XML, for the test tab of a CI system: a test case for the job, one for each checker that
 * found nothing, one for each finding. Notes do not fail; what only the real job can tell is
 * skipped, with the reason. */
#include <inttypes.h>
#include <string.h>

#include "checkers/check.h"
#include "reports/report.h"

/* Text or attribute value. Control characters have no form in XML 1.0. */
static void escaped(const char *text, FILE *file)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(file, "&#%d;", *text);
        else if ((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t')
            fputc(*text, file);
    }
}

static void element(const char *name, const char *message, FILE *file)
{
    fprintf(file, "      <%s message=\"", name);
    escaped(message, file);
    fprintf(file, "\">");
}

static void case_of_finding(const struct finding *finding, FILE *file)
{
    fprintf(file, "    <testcase classname=\"crosswait.%s\" name=\"", finding->rule->id);
    escaped(finding->title ? finding->title : finding->rule->id, file);
    fprintf(file, "\">\n");
    const char *kind = finding->undecided                  ? "skipped"
                       : finding->severity == FINDING_NOTE ? NULL
                                                           : "failure";
    if (kind)
        element(kind, finding->title ? finding->title : finding->rule->id, file);
    else
        fprintf(file, "      <system-out>");
    for (uint32_t i = 0; i < finding->call_count; i++) {
        const struct finding_call *call = &finding->call[i];
        fprintf(file, "rank %" PRIu32 ": ", call->rank);
        escaped(call->call ? call->call : "in no recorded call", file);
        escaped(call->site ? " at " : "", file);
        escaped(call->site ? call->site : "", file);
        escaped(call->waits_for ? ", waits for " : "", file);
        escaped(call->waits_for ? call->waits_for : "", file);
        fputc('\n', file);
    }
    for (uint32_t i = 0; i < finding->fact_count; i++) {
        escaped(finding->fact[i], file);
        fputc('\n', file);
    }
    if (finding->repeat) {
        fprintf(file, "again: ");
        escaped(finding->repeat, file);
        fputc('\n', file);
    }
    fprintf(file, "</%s>\n    </testcase>\n", kind ? kind : "system-out");
}

static bool has_findings(const struct finding_list *list, const char *rule)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->finding[i].rule->id, rule) == 0)
            return true;
    return false;
}

static void case_of_job(const struct report_facts *facts, FILE *file)
{
    char message[64];

    fprintf(file, "    <testcase classname=\"crosswait.job\" name=\"");
    escaped(facts->command ? facts->command : "the job", file);
    fprintf(file, "\">\n");
    if (facts->exit_code > 0) {
        snprintf(message, sizeof message, "the job ended with status %" PRId64, facts->exit_code);
        element("failure", message, file);
        escaped(facts->live_verdict ? facts->live_verdict : "", file);
        fprintf(file, "</failure>\n");
    }
    fprintf(file, "    </testcase>\n");
}

enum core_status report_junit(const struct report_facts *facts, FILE *file)
{
    const struct finding_list none = {0}, *list = facts->findings ? facts->findings : &none;
    uint32_t tests = 1 + list->count, failures = facts->exit_code > 0, skipped = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        failures += list->finding[i].severity != FINDING_NOTE;
        skipped += list->finding[i].undecided;
    }
    for (const struct checker *checker = check_table; facts->findings && checker->id; checker++)
        tests += !has_findings(list, checker->id);
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
            "name=\"crosswait\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" skipped=\"%" PRIu32
            "\" errors=\"0\">\n",
            tests, failures, skipped);
    case_of_job(facts, file);
    for (const struct checker *checker = check_table; facts->findings && checker->id; checker++) {
        if (has_findings(list, checker->id))
            continue;
        fprintf(file, "    <testcase classname=\"crosswait.%s\" name=\"", checker->id);
        escaped(checker->proves, file);
        fprintf(file, "\"/>\n");
    }
    for (uint32_t i = 0; i < list->count; i++)
        case_of_finding(&list->finding[i], file);
    fprintf(file, "  </testsuite>\n</testsuites>\n");
    return ferror(file) ? core_report(CORE_IO, "cannot write the report") : CORE_OK;
}
