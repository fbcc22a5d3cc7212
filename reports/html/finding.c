/* See finding.h. Holds no state. */
#include "reports/html/finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "reports/html/page.h"
#include "reports/html/ring.h"
#include "reports/html/timeline.h"

enum {
    EVENTS_LINKED_MAX = TIMELINE_LINKED_MAX / HTML_FINDINGS_MAX, /* per finding */
    FACTS_SHOWN_MAX = 8 /* the page folds further ones, e.g. of a race with many outcomes */
};

void html_pair_write(const char *name, const char *value, FILE *file)
{
    fprintf(file, "<dt>%s</dt><dd>", name);
    core_text_xml(value, file);
    fprintf(file, "</dd>\n");
}

/* Writes so many columns of the text as XML. Returns the rest of the text. */
static const char *columns_write(const char *text, uint32_t columns, FILE *file)
{
    size_t bytes = 0;

    while (text[bytes] && (columns || ((unsigned char)text[bytes] & 0xc0) == 0x80))
        columns -= ((unsigned char)text[bytes++] & 0xc0) != 0x80;
    char *part = strndup(text, bytes);
    if (part)
        core_text_xml(part, file);
    free(part);
    return text + bytes;
}

static void source_show(const struct block_place *place, FILE *file)
{
    const struct source_line *line = &place->source;

    if (!line->text)
        return;
    fprintf(file, "<pre class=\"source\"><span class=\"soft\">%d</span>  ", place->line);
    const char *rest = columns_write(line->text, line->mark, file);
    fprintf(file, "<b>");
    rest = columns_write(rest, line->size, file);
    fprintf(file, "</b>");
    core_text_xml(rest, file);
    fprintf(file, "</pre>");
}

/* Writes a link that shows the call on the timeline. */
static void event_link(const struct block_place *place, FILE *file)
{
    if (place->seq)
        fprintf(file,
                "<br><a class=\"event\" href=\"#call-%" PRIu32 "-%" PRIu64 "\">on the timeline</a>",
                place->rank, place->seq);
}

static void place_row(const struct block_place *place, FILE *file)
{
    fprintf(file, "<tr%s><td>", place->core ? "" : " class=\"behind\"");
    html_ranks_write(place->ranks, file);
    event_link(place, file);
    fprintf(file, "</td><td><span class=\"mono\">");
    if (place->name)
        core_text_xml(place->where ? place->where : "?", file);
    else
        fputs("in no recorded call", file);
    if (place->stack) {
        fprintf(file, "</span> <span class=\"soft\">in ");
        core_text_xml(place->stack, file);
    }
    fprintf(file, "</span>");
    source_show(place, file);
    if (place->name)
        fprintf(file, "<div><span class=\"call\">%s</span> ", place->name);
    else
        fprintf(file, "<div>");
    core_text_xml(place->says, file);
    for (uint32_t i = 0; i < place->part_count; i++) {
        if (!*place->part[i].says)
            continue;
        fprintf(file, "<br>");
        html_ranks_write(place->part[i].ranks, file);
        fprintf(file, ": ");
        core_text_xml(place->part[i].says, file);
    }
    fprintf(file, "</div></td></tr>\n");
}

/* Writes the places; ranks that do the same share a row. */
static void places_table(const struct block *block, FILE *file)
{
    if (!block->count)
        return;
    fprintf(file, "<div class=\"wide\"><table class=\"places\">\n");
    for (uint32_t i = 0; i < block->count; i++)
        place_row(&block->place[i], file);
    fprintf(file, "</table></div>\n");
}

static void finding_sentence(const char *text, FILE *file)
{
    fprintf(file, "<li>");
    core_text_xml(text, file);
    fprintf(file, "</li>\n");
}

static void finding_sentences(const struct finding *finding, const char *const *more, FILE *file)
{
    uint32_t count = finding->fact_count,
             shown = count > FACTS_SHOWN_MAX ? FACTS_SHOWN_MAX / 2 : count;

    if (!count && !*more)
        return;
    fprintf(file, "<ul>\n");
    for (uint32_t i = 0; i < shown; i++)
        finding_sentence(finding->fact[i], file);
    for (; *more; more++)
        finding_sentence(*more, file);
    fprintf(file, "</ul>\n");
    if (shown == count)
        return;
    fprintf(file, "<details><summary>%" PRIu32 " more</summary><ul>\n", count - shown);
    for (uint32_t i = shown; i < count; i++)
        finding_sentence(finding->fact[i], file);
    fprintf(file, "</ul></details>\n");
}

enum core_status html_finding_write(const struct finding *finding, const struct block *block,
                                    const char *const *more, FILE *file)
{
    const char *severity = finding_severity_text(finding->severity);

    fprintf(file, "<article id=\"finding-%" PRIu32 "\" class=\"%s\" data-events=\"", finding->id,
            severity);
    for (uint32_t i = 0; i < finding->call_count && i < EVENTS_LINKED_MAX; i++)
        if (finding->call[i].seq)
            fprintf(file, "%s%" PRIu32 ":%" PRIu64, i ? " " : "", finding->call[i].rank,
                    finding->call[i].seq);
    fprintf(file, "\"><h3><span class=\"badge\">%s</span>%s: ", severity, finding->rule->id);
    core_text_xml(finding_says(finding), file);
    fprintf(file, "</h3>\n<div class=\"who\">\n");
    enum core_status status = html_ring_draw(finding, file);
    places_table(block, file);
    fprintf(file, "</div>\n");
    finding_sentences(finding, more, file);
    fprintf(file, "<dl>");
    if (finding_help(finding) && finding->severity != FINDING_NOTE)
        html_pair_write("help", finding_help(finding), file);
    if (finding->schedule)
        html_pair_write("schedule", finding->schedule, file);
    if (finding->repeat) {
        fprintf(file, "<dt>again</dt><dd><code>");
        core_text_xml(finding->repeat, file);
        fprintf(file, "</code></dd>\n");
    }
    fprintf(file, "</dl></article>\n");
    return status;
}
