/* Writes the comparison of two runs as a page: what the text says, in tables. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "reports/diff.h"
#include "reports/html/page.h"

enum { ROWS_SHOWN_MAX = 500 };

static void diff_cell(const char *text, FILE *file)
{
    fprintf(file, "<td>");
    core_text_xml(text ? text : "", file);
    fprintf(file, "</td>");
}

static void number_cell(const char *text, const char *class, FILE *file)
{
    fprintf(file, "<td class=\"number%s\">%s</td>", class, text);
}

/* Writes the values before and after, and the change, marked as more or less. */
static void value_cells(uint64_t before, uint64_t after, bool time, FILE *file)
{
    char a[64], b[64], text[64];

    bool none = !before && !after;

    number_cell(none ? "" : diff_value(before, time, a, sizeof a), "", file);
    number_cell(none ? "" : diff_value(after, time, b, sizeof b), "", file);
    number_cell(diff_change(before, after, text, sizeof text),
                after > before   ? " more"
                : after < before ? " less"
                                 : "",
                file);
}

static void table_begin(const char *title, const char *const *head, FILE *file)
{
    fprintf(file, "<h2>%s</h2>\n", title);
    html_table_begin(head, file);
}

static void totals_table(const struct diff *diff, FILE *file)
{
    static const char *const head[] = {"", "#before", "#after", "#change", NULL};

    table_begin("The whole job", head, file);
    for (int total = 0; total < DIFF_TOTAL_COUNT; total++) {
        uint64_t before = diff->total[0][total], after = diff->total[1][total];
        if (!before && !after)
            continue;
        fprintf(file, "<tr>");
        diff_cell(total == DIFF_WORDS ? "words in bytes" : diff_total_text((enum diff_total)total),
                  file);
        value_cells(before, after, total == DIFF_WAITING, file);
        fprintf(file, "</tr>\n");
    }
    html_table_end(file);
}

static void row_cells(const struct diff_row *row, FILE *file)
{
    static const int first[] = {[DIFF_PLACE] = 0, [DIFF_COLLECTIVE] = 1, [DIFF_WAIT] = 0},
                     last[] = {[DIFF_PLACE] = 1, [DIFF_COLLECTIVE] = 2, [DIFF_WAIT] = 0};

    for (int v = first[row->section]; v <= last[row->section]; v++) {
        uint64_t value[2];
        for (int side = 0; side < 2; side++)
            value[side] = row->value[side][v] / (v ? diff_calls(row, side) : 1);
        value_cells(value[0], value[1], row->section == DIFF_WAIT, file);
    }
    for (int side = 0; row->section == DIFF_COLLECTIVE && side < 2; side++)
        diff_cell(!row->in[side]         ? ""
                  : row->algorithm[side] ? row->algorithm[side]
                                         : "none of the model",
                  file);
}

static void rows_table(const struct diff *diff, enum diff_section section, FILE *file)
{
    static const char *const title[] = {[DIFF_PLACE] = "Calls whose number or bytes changed",
                                        [DIFF_COLLECTIVE] = "Collectives that cost something else",
                                        [DIFF_WAIT] = "Waiting that changed"};
    static const char *const head[][12] = {
        [DIFF_PLACE] = {"", "#calls before", "#after", "#change", "#bytes before", "#after",
                        "#change"},
        [DIFF_COLLECTIVE] = {"", "#rounds before", "#after", "#change",
                             "#bytes sent by a rank, before", "#after", "#change",
                             "algorithm before", "after"},
        [DIFF_WAIT] = {"", "#before", "#after", "#change"}};
    uint32_t shown = 0;

    for (uint32_t i = 0; i < diff->row_count; i++) {
        const struct diff_row *row = &diff->row[i];
        if (row->section != section || !diff_worth(diff, row))
            continue;
        if (!shown++)
            table_begin(title[section], head[section], file);
        if (shown > ROWS_SHOWN_MAX)
            continue;
        fprintf(file, "<tr>");
        diff_cell(row->what, file);
        row_cells(row, file);
        fprintf(file, "</tr>\n");
    }
    if (shown)
        html_table_end(file);
    if (shown > ROWS_SHOWN_MAX)
        fprintf(file, "<p class=\"soft\">And %" PRIu32 " more, which JSON has.</p>\n",
                shown - ROWS_SHOWN_MAX);
}

static void findings_list(const struct diff *diff, bool gone, FILE *file)
{
    bool any = false;

    for (uint32_t i = 0; i < diff->finding_count; i++) {
        const struct finding *finding = diff->finding[i].entry->finding;
        const char *severity = finding_severity_text(finding->severity);
        if (diff->finding[i].gone != gone)
            continue;
        if (!any)
            fprintf(file, "<h2>%s</h2>\n", gone ? "Findings that are gone" : "New findings");
        any = true;
        fprintf(file, "<article class=\"%s\"><h3><span class=\"badge\">%s</span>%s: ", severity,
                severity, finding->rule->id);
        core_text_xml(finding_says(finding), file);
        fprintf(file, "</h3></article>\n");
    }
}

static enum core_status parts_table(const struct diff_part *part, uint32_t count, const char *title,
                                    const char *what, FILE *file)
{
    const char *head[] = {"", what, "before", "after", NULL};
    enum core_status status = CORE_OK;
    uint32_t told = 0;

    if (!count)
        return CORE_OK;
    table_begin(title, head, file);
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        char *ranks;
        status = diff_part_ranks(part, count, i, &ranks);
        if (!ranks)
            continue;
        if (told++ >= ROWS_SHOWN_MAX) {
            free(ranks);
            continue;
        }
        fprintf(file, "<tr><td>%s</td><td>%" PRIu64 "</td>", ranks, part[i].number);
        diff_cell(part[i].what[0] ? part[i].what[0] : "none", file);
        diff_cell(part[i].what[1] ? part[i].what[1] : "no more", file);
        fprintf(file, "</tr>\n");
        free(ranks);
    }
    html_table_end(file);
    if (told > ROWS_SHOWN_MAX)
        fprintf(file, "<p class=\"soft\">And %" PRIu32 " more, which JSON has.</p>\n",
                told - ROWS_SHOWN_MAX);
    return status;
}

static void head_write(const struct diff *diff, const char *failed, FILE *file)
{
    fprintf(file, "<h1 class=\"%s\">%s</h1>\n<dl><dt>before</dt><dd>", failed ? "bad" : "",
            failed ? "a limit is passed" : "two runs compared");
    core_text_xml(diff->side[0]->trace->path, file);
    fprintf(file, "</dd><dt>after</dt><dd>");
    core_text_xml(diff->side[1]->trace->path, file);
    fprintf(file, "</dd></dl>\n");
    for (int side = 0; side < 2; side++) {
        char *scope = diff_scope(diff, side);
        if (scope)
            fprintf(file, "<p>%s</p>\n", scope); /* names of MPI's functions and numbers only */
        free(scope);
    }
    for (const char *line = failed; line && *line;) {
        size_t bytes = strcspn(line, "\n");
        char text[1024];
        snprintf(text, sizeof text, "%.*s", (int)(bytes < sizeof text ? bytes : sizeof text - 1),
                 line);
        fprintf(file, "<p class=\"failed\">");
        core_text_xml(text, file);
        fprintf(file, "</p>\n");
        line += bytes + (line[bytes] == '\n');
    }
}

enum core_status diff_html(const struct diff *diff, const char *failed, FILE *file)
{
    uint32_t before = diff->side[0]->trace->rank_count, after = diff->side[1]->trace->rank_count;

    html_page_begin("two runs compared", file);
    head_write(diff, failed, file);
    findings_list(diff, false, file);
    findings_list(diff, true, file);
    totals_table(diff, file);
    rows_table(diff, DIFF_COLLECTIVE, file);
    rows_table(diff, DIFF_WAIT, file);
    rows_table(diff, DIFF_PLACE, file);
    if (before != after)
        fprintf(file,
                "<p>%" PRIu32 " ranks before, %" PRIu32
                " after: the calls of single ranks are not compared.</p>\n",
                before, after);
    enum core_status status = parts_table(diff->sequence, diff->sequence_count,
                                          "Ranks that make other calls", "from call", file);
    if (status == CORE_OK)
        status = parts_table(diff->order, diff->order_count, "Messages in another order",
                             "from receive", file);
    html_page_end(file);
    return status;
}
