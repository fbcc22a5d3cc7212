/* Writes code quality for GitLab: an array with an object per finding, which merge requests show at
 * its line. GitLab recognises known findings by fingerprint, and shows only one of each
 * fingerprint. Other readers of the format (Jenkins) also need type and categories. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/text.h"
#include "reports/annotation.h"
#include "reports/identity.h"
#include "reports/report.h"

static const char *severity_of(enum finding_severity severity)
{
    return severity == FINDING_ERROR ? "critical" : severity == FINDING_WARNING ? "major" : "info";
}

static json_t *report_gitlab_string(const char *text)
{
    char *copy = core_text_utf8(text);
    json_t *value = copy ? json_string(copy) : NULL;

    free(copy);
    return value;
}

struct mark {
    char text[IDENTITY_MARK_BYTES];
};

/* Computes a finding's fingerprint from its identity, the number of equal ones before it, and the
 * number of its trace among those of the same program. */
static enum core_status mark_make(const struct report_facts *facts, const struct finding *finding,
                                  struct mark *mark)
{
    char *identity = identity_text(facts->trace, finding), *text = NULL;
    const char *program = facts->program ? facts->program : "";

    if (!identity || asprintf(&text, "%s\n%s\n%s\n%" PRIu32 "\n%" PRIu32, identity, facts->category,
                              program, facts->trace->rank_count, facts->number) < 0) {
        free(identity);
        return core_report(CORE_NO_MEMORY, "out of memory for the report");
    }
    identity_mark(finding->rule->id, text, mark->text);
    free(identity);
    free(text);
    return CORE_OK;
}

static uint32_t report_gitlab_alike(const struct mark *mark, uint32_t count)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found += !memcmp(mark[i].text, mark[count].text, IDENTITY_MARK_BYTES);
    return found;
}

static char *description_of(const struct report_facts *facts, const struct finding *finding)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    fprintf(file, "%s (%s)", finding_says(finding), facts->subject);
    for (uint32_t i = 0; i < finding->fact_count; i++)
        fprintf(file, "; %s", finding->fact[i]);
    return core_text_close(file, &text);
}

static json_t *object_of(const struct report_facts *facts, const struct annotation *a,
                         const char *fingerprint)
{
    char *description = description_of(facts, a->finding), *check = NULL;

    if (asprintf(&check, "crosswait.%s", a->finding->rule->id) < 0)
        check = NULL;
    json_t *object =
        json_pack("{s:s, s:o, s:s, s:[s], s:s, s:s, s:{s:o, s:{s:i}}}", "type", "issue",
                  "description", report_gitlab_string(description ? description : ""), "check_name",
                  check ? check : "", "categories", "Bug Risk", "fingerprint", fingerprint,
                  "severity", severity_of(a->finding->severity), "location", "path",
                  report_gitlab_string(a->path), "lines", "begin", a->at.line);
    free(description);
    free(check);
    return object;
}

static enum core_status write_one(const struct report_facts *facts, const struct finding *finding,
                                  const char *fingerprint, bool first, FILE *file)
{
    struct annotation a;
    enum core_status status = annotation_make(facts, finding, &a);

    if (status != CORE_OK)
        return status;
    json_t *object = object_of(facts, &a, fingerprint);
    fputs(first ? "\n" : ",\n", file);
    if (!object)
        status = core_report(CORE_NO_MEMORY, "out of memory for the report");
    else if (json_dumpf(object, file, JSON_PRESERVE_ORDER) != 0)
        status = report_unwritten(facts);
    json_decref(object);
    annotation_done(&a);
    return status;
}

enum core_status report_gitlab(const struct report_facts *facts, FILE *file)
{
    uint32_t count = facts->findings ? facts->findings->count : 0, written = 0;
    struct mark *mark = NULL;
    enum core_status status = CORE_ARRAY_NEW(mark, count + 1, "the report");

    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        const struct finding *finding = &facts->findings->finding[i];
        char fingerprint[IDENTITY_MARK_BYTES + 16];
        if (!finding_is_of_program(finding))
            continue;
        status = mark_make(facts, finding, &mark[written]);
        snprintf(fingerprint, sizeof fingerprint, "%s:%" PRIu32, mark[written].text,
                 status == CORE_OK ? report_gitlab_alike(mark, written) + 1 : 0);
        if (status == CORE_OK)
            status = write_one(facts, finding, fingerprint, written++ == 0, file);
    }
    free(mark);
    return status == CORE_OK && ferror(file) ? report_unwritten(facts) : status;
}
