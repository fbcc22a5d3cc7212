/* Draws rounds: each message is an arrow from its sender's column to its receiver's; a track is a
 * line of arrows of one size. Output: text, SVG, or a page that plays the SVG's rounds.
 *
 * Invariants
 *  1. No two arrows of a track share more than an end. */
#include "cli/model/cmd_model_figure.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/text.h"
#include "figure_page.h"

enum { LEFT = 90, TOP = 40, TRACK = 22, GAP = 10, LINE = 18 };

static const char *const figure_one_way = "#1b6ca8", *const figure_both_ways = "#c8553d";

/* --- the layout ------------------------------------------------------------------------------- */

static int figure_by_size(const void *left, const void *right)
{
    const struct model_arrow *a = left, *b = right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

static int figure_by_track(const void *left, const void *right)
{
    const struct model_arrow *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return a->low < b->low ? -1 : a->low > b->low;
}

/* Merges two messages of one size and round between the same ranks, in opposite directions, into
 * one arrow with two heads. */
static void figure_merge(struct model_figure *figure)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < figure->count; i++) {
        struct model_arrow *last = kept ? &figure->arrow[kept - 1] : NULL, *a = &figure->arrow[i];
        if (last && figure_by_size(last, a) == 0 && !(last->up && a->up) &&
            !(last->down && a->down)) {
            last->up |= a->up;
            last->down |= a->down;
        } else {
            figure->arrow[kept++] = *a;
        }
    }
    figure->count = kept;
}

/* Gives each arrow the first track of its round and size in which it lies behind all others. */
static enum core_status figure_place(struct model_figure *figure)
{
    uint32_t *end = NULL, room = 0, first = 0; /* of the tracks from `first` on */
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < figure->count && status == CORE_OK; i++) {
        struct model_arrow *a = &figure->arrow[i], *before = i ? a - 1 : NULL;
        if (before && (before->round != a->round || before->bytes != a->bytes))
            first = figure->tracks;
        a->track = first;
        while (a->track < figure->tracks && end[a->track] > a->low)
            a->track++;
        if (a->track == figure->tracks) {
            status = CORE_ARRAY_ROOM(end, room, figure->tracks + 1, "the lines of a figure");
            figure->tracks += status == CORE_OK;
        }
        if (status == CORE_OK)
            end[a->track] = a->high;
    }
    free(end);
    return status;
}

enum core_status model_figure_make(const struct model_rounds *rounds, uint32_t ranks,
                                   uint32_t word_bytes, struct model_figure *out)
{
    struct model_figure figure = {.ranks = ranks, .word_bytes = word_bytes, .rounds = rounds};
    uint32_t room = 0;
    enum core_status status =
        CORE_ARRAY_FIT(figure.arrow, room, rounds->count ? rounds->count : 1, "the arrows");

    for (uint32_t i = 0; i < rounds->count && status == CORE_OK; i++) {
        const struct model_message *m = &rounds->message[i];
        bool up = m->to > m->from;
        CORE_CHECK(m->from != m->to && m->from < ranks && m->to < ranks);
        figure.arrow[figure.count++] = (struct model_arrow){.round = m->round,
                                                            .low = up ? m->from : m->to,
                                                            .high = up ? m->to : m->from,
                                                            .up = up,
                                                            .down = !up,
                                                            .bytes = m->bytes};
    }
    if (status == CORE_OK) {
        qsort(figure.arrow, figure.count, sizeof *figure.arrow, figure_by_size);
        figure_merge(&figure);
        status = figure_place(&figure);
    }
    if (status != CORE_OK) {
        model_figure_done(&figure);
        return status;
    }
    qsort(figure.arrow, figure.count, sizeof *figure.arrow, figure_by_track);
    for (uint32_t i = 1; i < figure.count; i++) /* invariant 1 */
        CORE_CHECK(figure.arrow[i].track != figure.arrow[i - 1].track ||
                   figure.arrow[i].low >= figure.arrow[i - 1].high);
    *out = figure;
    return CORE_OK;
}

void model_figure_done(struct model_figure *figure)
{
    free(figure->arrow);
    *figure = (struct model_figure){0};
}

static void figure_words(const struct model_figure *figure, uint64_t bytes, char text[32])
{
    uint64_t words = bytes / figure->word_bytes;
    snprintf(text, 32, "%llu word%s", (unsigned long long)words, words == 1 ? "" : "s");
}

/* --- as text ---------------------------------------------------------------------------------- */

enum { TEXT_ROOM = 4 * MODEL_FIGURE_TEXT_RANKS_MAX };

/* Draws one track: `o-->o` is a message to the right, `o<->o` an exchange. */
static uint32_t figure_text_track(const struct model_figure *figure, uint32_t i, uint32_t step,
                                  char line[TEXT_ROOM + 1])
{
    uint32_t track = figure->arrow[i].track;

    memset(line, ' ', TEXT_ROOM);
    line[TEXT_ROOM] = 0;
    for (; i < figure->count && figure->arrow[i].track == track; i++) {
        const struct model_arrow *a = &figure->arrow[i];
        uint32_t from = a->low * step, to = a->high * step;
        CORE_CHECK(to < TEXT_ROOM);
        memset(line + from + 1, '-', to - from - 1);
        line[from] = line[to] = 'o';
        if (a->up)
            line[to - 1] = '>';
        if (a->down)
            line[from + 1] = '<';
    }
    return i;
}

/* Returns the end of the round of arrow i. */
static uint32_t figure_round_end(const struct model_figure *figure, uint32_t i)
{
    uint32_t round = figure->arrow[i].round;
    while (i < figure->count && figure->arrow[i].round == round)
        i++;
    return i;
}

/* Tells whether two consecutive rounds have the same arrows. */
static bool figure_repeats(const struct model_figure *figure, uint32_t first, uint32_t second)
{
    uint32_t count = second - first;
    if (second >= figure->count || figure_round_end(figure, second) - second != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct model_arrow *a = &figure->arrow[first + i], *b = &figure->arrow[second + i];
        if (a->low != b->low || a->high != b->high || a->up != b->up || a->down != b->down ||
            a->bytes != b->bytes)
            return false;
    }
    return true;
}

static void figure_text_round(const struct model_figure *figure, uint32_t i, uint32_t end,
                              uint32_t step, FILE *out)
{
    char line[TEXT_ROOM + 1], words[32], name[16];

    snprintf(name, sizeof name, "round %u", figure->arrow[i].round);
    while (i < end) {
        figure_words(figure, figure->arrow[i].bytes, words);
        i = figure_text_track(figure, i, step, line);
        line[(figure->ranks - 1) * step + 1] = 0;
        fprintf(out, "  %-10s%s  %s\n", name, line, words);
        name[0] = 0;
    }
}

void model_figure_text(const struct model_figure *figure, FILE *out)
{
    uint32_t step = figure->ranks <= 14 ? 4 : 3, end;

    CORE_CHECK(figure->ranks <= MODEL_FIGURE_TEXT_RANKS_MAX);
    fprintf(out, "  %-10s", "rank");
    for (uint32_t r = 0; r < figure->ranks; r++)
        fprintf(out, "%*s%u", r ? (int)step - (r > 10 ? 2 : 1) : 0, "", r);
    fputc('\n', out);
    for (uint32_t i = 0; i < figure->count; i = end) {
        uint32_t round = figure->arrow[i].round, last = round, first = i;
        end = figure_round_end(figure, i);
        figure_text_round(figure, i, end, step, out);
        while (figure_repeats(figure, first, end)) {
            first = end;
            last = figure->arrow[first].round;
            end = figure_round_end(figure, first);
        }
        if (last == round + 1)
            fprintf(out, "  round %u  as round %u\n", last, round);
        else if (last > round)
            fprintf(out, "  rounds %u to %u  as round %u\n", round + 1, last, round);
    }
}

/* --- as SVG ----------------------------------------------------------------------------------- */

static void figure_svg_text(FILE *out, int x, int y, const char *style, const char *words)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\" %s>", x, y, style);
    core_text_xml(words, out);
    fputs("</text>\n", out);
}

static void figure_svg_open(int width, int height, FILE *out)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 "
            "%d %d\" font-family=\"sans-serif\">\n<rect width=\"%d\" height=\"%d\" "
            "fill=\"#fff\"/>\n<defs>\n",
            width, height, width, height, width, height);
    for (int i = 0; i < 2; i++)
        fprintf(out,
                "<marker id=\"%s\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" "
                "markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0,0 L10,5 L0,10 z\" "
                "fill=\"%s\"/></marker>\n",
                i ? "both" : "one", i ? figure_both_ways : figure_one_way);
    fputs("</defs>\n", out);
}

static void figure_svg_arrow(const struct model_arrow *a, int step, int y, FILE *out)
{
    int low = LEFT + step * (int)a->low + 5, high = LEFT + step * (int)a->high - 5;
    bool both = a->up && a->down;
    const char *kind = both ? "both" : "one";
    fprintf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"",
            low, y, high, y, both ? figure_both_ways : figure_one_way);
    if (a->up)
        fprintf(out, " marker-end=\"url(#%s)\"", kind);
    if (a->down)
        fprintf(out, " marker-start=\"url(#%s)\"", kind);
    fputs("/>\n", out);
}

/* Draws the band of one round: its name, its tracks, and their sizes. Returns where the next band
 * begins. */
static int figure_svg_round(const struct model_figure *figure, uint32_t *i, int step, int width,
                            int y, FILE *out)
{
    uint32_t round = figure->arrow[*i].round, last = *i;
    int right = LEFT + step * (int)(figure->ranks - 1) + 30, tracks;
    char text[48];

    last = figure_round_end(figure, last);
    tracks = (int)(figure->arrow[last - 1].track - figure->arrow[*i].track) + 1;
    fprintf(out, "<g class=\"round\" data-words=\"%llu\">\n",
            (unsigned long long)(figure->rounds->most[round - 1] / figure->word_bytes));
    fprintf(out,
            "<rect x=\"8\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"#4a6fa5\" "
            "fill-opacity=\"%s\"/>\n",
            y, width - 16, tracks * TRACK + GAP - 3, round % 2 ? ".09" : ".04");
    snprintf(text, sizeof text, "round %u", round);
    figure_svg_text(out, 16, y + TRACK - 4, "font-size=\"13\" fill=\"#222\"", text);
    for (uint32_t track = figure->arrow[*i].track; *i < last; track++) {
        y += TRACK;
        figure_words(figure, figure->arrow[*i].bytes, text);
        figure_svg_text(out, right, y - 3, "font-size=\"12\" fill=\"#444\"", text);
        for (; *i < last && figure->arrow[*i].track == track; ++*i)
            figure_svg_arrow(&figure->arrow[*i], step, y - 7, out);
    }
    fputs("</g>\n", out);
    return y + GAP;
}

static void figure_svg_ranks(const struct model_figure *figure, int step, int top, int bottom,
                             FILE *out)
{
    char text[16];
    for (uint32_t r = 0; r < figure->ranks; r++) {
        int x = LEFT + step * (int)r;
        fprintf(out,
                "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#c9ced3\"/>\n<circle "
                "cx=\"%d\" cy=\"%d\" r=\"11\" fill=\"#fff\" stroke=\"#555\"/>\n",
                x, top, x, bottom, x, top);
        snprintf(text, sizeof text, "%u", r);
        figure_svg_text(out, x, top + 4, "text-anchor=\"middle\" font-size=\"12\" fill=\"#222\"",
                        text);
    }
    figure_svg_text(out, 16, top + 4, "font-size=\"13\" fill=\"#222\"", "rank");
}

void model_figure_svg(const struct model_figure *figure, const char *title, const char *const *line,
                      int lines, const char *sum, FILE *out)
{
    int step = figure->ranks <= 8 ? 74 : figure->ranks <= 16 ? 50 : 28;
    int width = LEFT + step * (int)(figure->ranks - 1) + 130, y = TOP, ranks_at;
    size_t longest = strlen(sum) > strlen(title) * 7 / 5 ? strlen(sum) : strlen(title) * 7 / 5;

    CORE_CHECK(figure->ranks <= MODEL_FIGURE_RANKS_MAX);
    for (int i = 0; i < lines; i++)
        longest = strlen(line[i]) > longest ? strlen(line[i]) : longest;
    width = (int)longest * 7 + 32 > width ? (int)longest * 7 + 32 : width;
    ranks_at = TOP + LINE * lines + 24;
    int bands = ranks_at + 22, bottom = bands + (int)figure->tracks * TRACK;
    bottom += (int)figure->rounds->rounds * GAP;
    figure_svg_open(width, bottom + 56, out);
    figure_svg_text(out, 16, 26, "font-size=\"17\" fill=\"#111\"", title);
    for (int i = 0; i < lines; i++, y += LINE)
        figure_svg_text(out, 16, y + 8, "font-size=\"13\" fill=\"#444\"", line[i]);
    y = bands;
    figure_svg_ranks(figure, step, ranks_at, bottom, out);
    for (uint32_t i = 0; i < figure->count;)
        y = figure_svg_round(figure, &i, step, width, y, out);
    CORE_CHECK(y == bottom);
    figure_svg_text(out, 16, bottom + 22, "font-size=\"13\" fill=\"#222\"", sum);
    figure_svg_text(out, 16, bottom + 42, "font-size=\"12\" fill=\"#666\"",
                    "blue: a message; red: an exchange, a message each way");
    fputs("</svg>\n", out);
}

/* --- as a page -------------------------------------------------------------------------------- */

void model_figure_html(const struct model_figure *figure, const char *title,
                       const char *const *line, int lines, const char *sum, FILE *out)
{
    static const char *const button[] = {"first", "back", "step", "play"};

    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
          "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    core_text_xml(title, out);
    fprintf(out, "</title>\n<style>\n%s</style></head><body>\n<nav aria-label=\"rounds\">\n",
            figure_css);
    for (size_t i = 0; i < sizeof button / sizeof *button; i++)
        fprintf(out, "<button type=\"button\">%s</button>\n", button[i]);
    fputs("<input type=\"range\" min=\"0\" value=\"0\" aria-label=\"rounds that ran\">\n"
          "<output></output></nav>\n",
          out);
    model_figure_svg(figure, title, line, lines, sum, out);
    fprintf(out, "<script>\n%s</script>\n</body></html>\n", figure_js);
}
