/* Writes GitHub workflow commands, which a step prints: each finding becomes an annotation at its
 * line in the pull request. GitHub shows ten per step and severity, so they come in the order of
 * the text. "%" and line ends are escaped in data, ":" and "," in properties as well. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "reports/annotation.h"
#include "reports/report.h"

enum { PARTS_SAID_MAX = 4 };

static const char *command_of(enum finding_severity severity)
{
    return severity == FINDING_ERROR ? "error" : severity == FINDING_WARNING ? "warning" : "notice";
}

static void report_github_escaped(const char *text, const char *more, FILE *file)
{
    char *copy = core_text_utf8(text);

    for (const char *at = copy; at && *at; at++)
        if (*at == '%' || *at == '\r' || *at == '\n' || strchr(more, *at))
            fprintf(file, "%%%02X", (unsigned)*at);
        else
            fputc(*at, file);
    free(copy);
}

static void report_github_property(const char *text, FILE *file)
{
    report_github_escaped(text, ":,", file);
}

static void report_github_data(const char *text, FILE *file)
{
    report_github_escaped(text, "", file);
}

static void line_of(const char *what, const char *text, FILE *file)
{
    fputs("%0A", file);
    report_github_data(what, file);
    report_github_data(text, file);
}

static void places_write(const struct block *block, FILE *file)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct block_place *place = &block->place[i];
        char *says = block_place_text(place, PARTS_SAID_MAX);
        line_of(place->where ? place->where : "?", "", file);
        if (says)
            line_of("    ", says, file);
        free(says);
    }
}

static enum core_status report_github_annotate(const struct report_facts *facts,
                                               const struct finding *finding, FILE *file)
{
    struct annotation a;
    enum core_status status = annotation_make(facts, finding, &a);

    if (status != CORE_OK)
        return status;
    fprintf(file, "::%s file=", command_of(finding->severity));
    report_github_property(a.path, file);
    fprintf(file, ",line=%d", a.at.line);
    if (a.at.column)
        fprintf(file, ",col=%" PRIu32 ",endColumn=%" PRIu32, a.at.column, a.at.end);
    fputs(",title=", file);
    report_github_property(finding->rule->id, file);
    fputs(" (", file);
    report_github_property(facts->subject, file);
    fputs(")::", file);
    report_github_data(finding_says(finding), file);
    places_write(&a.block, file);
    for (uint32_t i = 0; i < finding->fact_count; i++)
        line_of("= ", finding->fact[i], file);
    if (finding->severity != FINDING_NOTE && finding_help(finding))
        line_of("= help: ", finding_help(finding), file);
    if (finding->repeat)
        line_of("= again: ", finding->repeat, file);
    fputc('\n', file);
    annotation_done(&a);
    return CORE_OK;
}

enum core_status report_github(const struct report_facts *facts, FILE *file)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; facts->findings && i < facts->findings->count && status == CORE_OK; i++)
        if (finding_is_of_program(facts->entry[i].finding))
            status = report_github_annotate(facts, facts->entry[i].finding, file);
    return status == CORE_OK && ferror(file) ? report_unwritten(facts) : status;
}
