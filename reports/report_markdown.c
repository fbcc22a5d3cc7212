/* Writes a summary for the page of a GitHub job (GITHUB_STEP_SUMMARY): the verdict, a table of
 * findings, the timeline, and each finding as on a terminal. GitHub accepts a megabyte per step, so
 * the summary ends after a whole finding and says how many are left out.
 *
 * The job's own words are escaped, or inside a fence that is longer than any fence in them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "reports/annotation.h"
#include "reports/gantt.h"
#include "reports/report.h"

enum { ROWS_MAX = 100, SCREENS_BYTES_MAX = 400000 };

/* Writes text so that it is safe between the bars of a table. */
static void report_markdown_escaped(const char *text, FILE *file)
{
    char *copy = core_text_utf8(text);

    for (const char *at = copy; at && *at; at++)
        if (*at == '<' || *at == '>' || *at == '&')
            fprintf(file, "&#%d;", *at);
        else if (strchr("\\`*_[]|~#", *at))
            fprintf(file, "\\%c", *at);
        else
            fputc((unsigned char)*at < ' ' ? ' ' : *at, file);
    free(copy);
}

static uint32_t longest_fence(const char *text)
{
    uint32_t longest = 0, run = 0;

    for (; *text; text++) {
        run = *text == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void report_markdown_fenced(const char *text, FILE *file)
{
    char *copy = core_text_utf8(text);
    uint32_t fence = copy ? longest_fence(copy) + 1 : 0;

    fence = fence < 3 ? 3 : fence;
    for (int i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < fence; k++)
            fputc('`', file);
        fputs(i == 0 ? "text\n" : "\n", file);
        if (i == 0)
            fprintf(file, "%s\n", copy ? copy : "");
    }
    free(copy);
}

static bool is_shown(const struct report_entry *entry)
{
    return finding_is_of_program(entry->finding);
}

static enum core_status row_write(const struct report_facts *facts, const struct finding *finding,
                                  FILE *file)
{
    struct annotation a;
    enum core_status status = annotation_make(facts, finding, &a);

    if (status != CORE_OK)
        return status;
    fprintf(file, "| %s | %s | ", finding_severity_text(finding->severity), finding->rule->id);
    report_markdown_escaped(finding_says(finding), file);
    fputs(" | ", file);
    report_markdown_escaped(a.path, file);
    fprintf(file, ":%d | ", a.at.line);
    report_markdown_escaped(a.block.count ? a.block.place[0].ranks : "", file);
    fputs(" |\n", file);
    annotation_done(&a);
    return CORE_OK;
}

static enum core_status table_write(const struct report_facts *facts, FILE *file)
{
    enum core_status status = CORE_OK;
    uint32_t shown = 0, left_out = 0;

    for (uint32_t i = 0; i < facts->findings->count && status == CORE_OK; i++) {
        if (!is_shown(&facts->entry[i]))
            continue;
        if (shown == ROWS_MAX) {
            left_out++;
            continue;
        }
        if (shown++ == 0)
            fputs("\n| | rule | what | where | ranks |\n|---|---|---|---|---|\n", file);
        status = row_write(facts, facts->entry[i].finding, file);
    }
    if (left_out)
        fprintf(file, "\n%" PRIu32 " more findings are in the other reports.\n", left_out);
    return status;
}

static enum core_status screen_write(const struct report_facts *facts,
                                     const struct report_entry *entry, FILE *file)
{
    char *text = NULL;
    size_t bytes;
    FILE *screen = open_memstream(&text, &bytes);
    enum core_status status =
        screen ? report_text_finding(facts, entry, (struct report_style){0}, screen)
               : core_report(CORE_NO_MEMORY, "out of memory for the report");

    if (!core_text_close(screen, &text) && status == CORE_OK)
        status = core_report(CORE_NO_MEMORY, "out of memory for the report");
    while (text && bytes && text[bytes - 1] == '\n')
        text[--bytes] = 0;
    if (status == CORE_OK) {
        fputs("\n<details><summary>", file);
        fprintf(file, "%s[%s]: ", finding_severity_text(entry->finding->severity),
                entry->finding->rule->id);
        core_text_xml(finding_says(entry->finding), file);
        fputs("</summary>\n\n", file);
        report_markdown_fenced(text, file);
        fputs("\n</details>\n", file);
    }
    free(text);
    return status;
}

static enum core_status screens_write(const struct report_facts *facts, FILE *file)
{
    enum core_status status = CORE_OK;
    long begin = ftell(file);

    for (uint32_t i = 0; i < facts->findings->count && status == CORE_OK; i++) {
        if (begin >= 0 && ftell(file) - begin > SCREENS_BYTES_MAX)
            return fputs("\nThe other reports have the rest.\n", file) == EOF ? CORE_IO : CORE_OK;
        if (is_shown(&facts->entry[i]))
            status = screen_write(facts, &facts->entry[i], file);
    }
    return status;
}

enum core_status report_markdown(const struct report_facts *facts, FILE *file)
{
    char verdict[REPORT_VERDICT_MAX];
    enum core_status status = CORE_OK;

    fputs("### ", file);
    report_markdown_escaped(facts->subject, file);
    if (facts->findings) {
        fputs(": ", file);
        report_markdown_escaped(report_verdict(facts, verdict, sizeof verdict), file);
    }
    fputs("\n\n", file);
    fprintf(file, "%" PRIu64 " calls, %" PRIu64 " messages were recorded", facts->events,
            facts->messages);
    if (facts->command) {
        fputs(" of ", file);
        report_markdown_escaped(facts->command, file);
    }
    fputs(".\n", file);
    if (facts->ended) {
        fputc('\n', file);
        report_markdown_escaped(facts->ended, file);
        fputs(".\n", file);
    }
    if (facts->findings)
        status = table_write(facts, file);
    if (status == CORE_OK)
        status = gantt_write(facts, file);
    if (facts->findings && status == CORE_OK)
        status = screens_write(facts, file);
    return status == CORE_OK && ferror(file) ? report_unwritten(facts) : status;
}
