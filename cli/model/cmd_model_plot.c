/* crosswait model --plot: draws cost against size on logarithmic axes, one curve for each
 * algorithm, the cheapest in bold, and marks the sizes at which it changes. Plain SVG without
 * external resources. */
#include "cli/model/cmd_model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "core/output.h"

enum {
    WIDTH = 1000,
    HEIGHT = 620,
    LEFT = 90,
    RIGHT = 330,
    TOP = 60,
    BOTTOM = 70,
    POINTS = 160,
    LABEL_GAP = 17
};

static const char *const color[] = {"#1b6ca8", "#c8553d", "#2a8c55", "#8a4fb0", "#b8860b",
                                    "#0f8b8d", "#d1478c", "#5c6b73", "#6a994e", "#7f5539"};
enum { COLORS = sizeof color / sizeof *color };

struct frame { /* decades shown */
    double x_low, x_high, y_low, y_high;
};

static double x_of(const struct frame *frame, double words)
{
    return LEFT +
           (log10(words) - frame->x_low) / (frame->x_high - frame->x_low) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct frame *frame, double seconds)
{
    return HEIGHT - BOTTOM -
           (log10(seconds) - frame->y_low) / (frame->y_high - frame->y_low) *
               (HEIGHT - TOP - BOTTOM);
}

static double bound_time(const struct model_ask *ask, const struct model_ranking *ranking,
                         double words)
{
    struct model_ratio ratio = model_bound_words(&ranking->bound);
    double start = ask->alpha * (double)ranking->bound.rounds;
    double flow = ask->beta * model_value(ratio) / (double)ask->ranks * words;
    return start > flow ? start : flow;
}

static struct frame frame_of(const struct model_ask *ask, const struct model_ranking *ranking)
{
    double low = ask->words_low ? (double)ask->words_low : 1, high = (double)ask->words_high;
    struct frame frame = {.y_low = 1e300, .y_high = -1e300};
    if (high < low * 10)
        high = low * 10;
    frame.x_low = log10(low);
    frame.x_high = log10(high);
    for (int i = 0; i < ranking->count; i++) {
        double least = model_curve_time(&ranking->curve[i], low),
               most = model_curve_time(&ranking->curve[i], high);
        if (least > 0 && log10(least) < frame.y_low)
            frame.y_low = log10(least);
        if (most > 0 && log10(most) > frame.y_high)
            frame.y_high = log10(most);
    }
    double bound = bound_time(ask, ranking, low);
    if (bound > 0 && log10(bound) < frame.y_low)
        frame.y_low = log10(bound);
    if (frame.y_low > frame.y_high) /* all costs are zero */
        frame.y_low = frame.y_high = -6;
    frame.y_low = floor(frame.y_low);
    frame.y_high = ceil(frame.y_high);
    if (frame.y_high <= frame.y_low)
        frame.y_high = frame.y_low + 1;
    return frame;
}

static void cmd_model_plot_text(FILE *out, double x, double y, const char *anchor, int size,
                                const char *fill, const char *words)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">", x,
            y, anchor, size, fill);
    core_text_xml(words, out);
    fputs("</text>\n", out);
}

static void cmd_model_plot_rule(FILE *out, double x1, double y1, double x2, double y2,
                                const char *style)
{
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
            style);
}

static void cmd_model_plot_axes(FILE *out, const struct frame *frame, const char *size_name)
{
    char label[32];
    int step = frame->x_high - frame->x_low > 12 ? 2 : 1;
    for (int d = (int)ceil(frame->x_low - 1e-9); d <= frame->x_high + 1e-9; d += step) {
        double x = x_of(frame, pow(10, d));
        cmd_model_plot_rule(out, x, TOP, x, HEIGHT - BOTTOM, "stroke=\"#e3e3e3\"");
        if (d >= 4)
            snprintf(label, sizeof label, "1e%d", d);
        else
            snprintf(label, sizeof label, "%.0f", pow(10, d));
        cmd_model_plot_text(out, x, HEIGHT - BOTTOM + 18, "middle", 12, "#333", label);
    }
    for (int d = (int)frame->y_low; d <= frame->y_high; d++) {
        double y = y_of(frame, pow(10, d));
        cmd_model_plot_rule(out, LEFT, y, WIDTH - RIGHT, y, "stroke=\"#e3e3e3\"");
        cmd_model_plot_text(out, LEFT - 8, y + 4, "end", 12, "#333",
                            model_seconds(pow(10, d), label));
    }
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
            LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    cmd_model_plot_text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", 13, "#222",
                        size_name);
    fprintf(out, "<g transform=\"rotate(-90 %d %d)\">", LEFT - 66, (TOP + HEIGHT - BOTTOM) / 2);
    cmd_model_plot_text(out, LEFT - 66, (TOP + HEIGHT - BOTTOM) / 2, "middle", 13, "#222",
                        "time on the model's machine, logarithmic");
    fputs("</g>\n", out);
}

static double cmd_model_plot_point(const struct frame *frame, int i)
{
    return pow(10, frame->x_low + (frame->x_high - frame->x_low) * i / POINTS);
}

static void cmd_model_plot_curve(FILE *out, const struct frame *frame, const struct model_curve *of,
                                 const char *stroke)
{
    int started = 0;
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"", stroke);
    for (int i = 0; i <= POINTS; i++) {
        double words = cmd_model_plot_point(frame, i), time = model_curve_time(of, words);
        if (time <= 0)
            continue;
        fprintf(out, "%s%.1f,%.1f", started ? " " : "", x_of(frame, words), y_of(frame, time));
        started = 1;
    }
    fputs("\"/>\n", out);
}

/* Draws the lower envelope, bold and pale under the curves. */
static void cmd_model_plot_envelope(FILE *out, const struct frame *frame,
                                    const struct model_ranking *ranking)
{
    int started = 0;
    fputs("<polyline fill=\"none\" stroke=\"#ffd166\" stroke-width=\"7\" stroke-linejoin=\"round\" "
          "points=\"",
          out);
    for (int i = 0; i <= POINTS; i++) {
        double words = cmd_model_plot_point(frame, i), least = 1e300;
        for (int c = 0; c < ranking->count; c++) {
            double time = model_curve_time(&ranking->curve[c], words);
            least = time < least ? time : least;
        }
        if (least <= 0)
            continue;
        fprintf(out, "%s%.1f,%.1f", started ? " " : "", x_of(frame, words), y_of(frame, least));
        started = 1;
    }
    fputs("\"/>\n", out);
}

static void lower_bound(FILE *out, const struct frame *frame, const struct model_ask *ask,
                        const struct model_ranking *ranking)
{
    int started = 0;
    fputs("<polyline fill=\"none\" stroke=\"#999\" stroke-width=\"1.4\" stroke-dasharray=\"2 4\" "
          "points=\"",
          out);
    for (int i = 0; i <= POINTS; i++) {
        double words = cmd_model_plot_point(frame, i), time = bound_time(ask, ranking, words);
        if (time <= 0 || log10(time) < frame->y_low)
            continue;
        fprintf(out, "%s%.1f,%.1f", started ? " " : "", x_of(frame, words), y_of(frame, time));
        started = 1;
    }
    fputs("\"/>\n", out);
}

static void cmd_model_plot_crossings(FILE *out, const struct frame *frame,
                                     const struct model_ranking *ranking)
{
    for (int i = 0; i < ranking->crossing_count; i++) {
        const struct model_crossing *crossing = &ranking->crossing[i];
        double time = model_curve_time(&ranking->curve[crossing->to], crossing->words);
        if (crossing->words <= 0 || time <= 0 || log10(crossing->words) < frame->x_low)
            continue;
        double x = x_of(frame, crossing->words), y = y_of(frame, time);
        char label[48];
        cmd_model_plot_rule(out, x, y, x, HEIGHT - BOTTOM,
                            "stroke=\"#555\" stroke-dasharray=\"4 3\"");
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"#fff\" stroke=\"#222\" "
                "stroke-width=\"1.6\"/>\n",
                x, y);
        snprintf(label, sizeof label, crossing->words < 100 ? "%.4g" : "%.0f", crossing->words);
        cmd_model_plot_text(out, x, HEIGHT - BOTTOM + 34 + 13 * (i % 2), "middle", 12, "#000",
                            label);
    }
}

struct label {
    double y;
    int curve; /* -1: the bound */
};

static int by_y(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    return x->y < y->y ? -1 : x->y > y->y;
}

/* Writes names at the curves' ends, moved apart if they would overlap. */
static void cmd_model_plot_labels(FILE *out, const struct frame *frame, const struct model_ask *ask,
                                  const struct model_ranking *ranking)
{
    struct label label[MODEL_CURVES_MAX + 1];
    int count = ranking->count;
    double end = pow(10, frame->x_high);
    for (int i = 0; i <= count; i++) {
        double time =
            i < count ? model_curve_time(&ranking->curve[i], end) : bound_time(ask, ranking, end);
        label[i] = (struct label){time > 0 && log10(time) >= frame->y_low ? y_of(frame, time)
                                                                          : HEIGHT - BOTTOM,
                                  i < count ? i : -1};
    }
    qsort(label, (size_t)count + 1, sizeof *label, by_y);
    double floor_y = HEIGHT - 8, at = TOP;
    double shown[MODEL_CURVES_MAX + 1];
    for (int i = 0; i <= count; i++)
        shown[i] = at = label[i].y > at + LABEL_GAP || i == 0 ? label[i].y : at + LABEL_GAP;
    for (int i = count; i >= 0; i--) {
        if (shown[i] > floor_y)
            shown[i] = floor_y;
        floor_y = shown[i] - LABEL_GAP;
    }
    for (int i = 0; i <= count; i++) {
        int c = label[i].curve;
        const char *fill = c < 0 ? "#777" : color[c % COLORS];
        char name[128];
        int others = 0;
        for (const char *s = c < 0 ? "" : ranking->curve[c].also; *s; s++)
            others += *s == ',';
        if (c < 0)
            snprintf(name, sizeof name, "lower bound");
        else if (ranking->curve[c].also[0])
            snprintf(name, sizeof name, "%s (and %d more)", ranking->curve[c].name, others + 1);
        else
            snprintf(name, sizeof name, "%s", ranking->curve[c].name);
        fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" points=\"%d,%.1f %d,%.1f\"/>\n", fill,
                WIDTH - RIGHT, label[i].y, WIDTH - RIGHT + 14, shown[i]);
        cmd_model_plot_text(out, WIDTH - RIGHT + 18, shown[i] + 4, "start", 12, fill, name);
    }
}

static void cmd_model_plot_draw(FILE *out, const struct model_ask *ask,
                                const struct model_ranking *ranking)
{
    struct frame frame = frame_of(ask, ranking);
    char title[400], network[REPLAY_TEXT_MAX], a[32], b[32];

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" "
            "font-family=\"sans-serif\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    snprintf(title, sizeof title, "%s on %lld ranks", ask->collective, (long long)ask->ranks);
    cmd_model_plot_text(out, LEFT, 24, "start", 17, "#111", title);
    snprintf(title, sizeof title, "alpha %s, beta %s per word, network %s",
             model_seconds(ask->alpha, a), model_seconds(ask->beta, b),
             ask->has_topology ? replay_topology_text(&ask->topology, network)
                               : "as each row asks for");
    cmd_model_plot_text(out, LEFT + 210, 24, "start", 13, "#444", title);
    cmd_model_plot_axes(out, &frame,
                        *model_words_name(ask->collective) == 'n'
                            ? "size n: words in the vector, logarithmic"
                            : "size m: words in a block, logarithmic");
    cmd_model_plot_envelope(out, &frame, ranking);
    for (int i = 0; i < ranking->count; i++)
        cmd_model_plot_curve(out, &frame, &ranking->curve[i], color[i % COLORS]);
    lower_bound(out, &frame, ask, ranking);
    cmd_model_plot_crossings(out, &frame, ranking);
    cmd_model_plot_labels(out, &frame, ask, ranking);
    fputs("</svg>\n", out);
}

enum core_status model_plot(const struct model_ask *ask, const struct model_ranking *ranking,
                            const char *path)
{
    FILE *out = core_output_open(path);
    if (!out)
        return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
    cmd_model_plot_draw(out, ask, ranking);
    int failed = ferror(out);
    if (fclose(out) != 0 || failed)
        return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
    return CORE_OK;
}
