/* Draws cost against size; both axes are logarithmic. */
#include "reports/html/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/trace/describe.h"

enum { WIDTH = 420, HEIGHT = 240, LEFT = 64, RIGHT = 16, TOP = 28, BOTTOM = 40 };
enum curve { ENGINE, ROW, BOUND, CURVES };

struct plot {
    const struct report_cost **cost; /* of one call and number of ranks, by size */
    uint32_t count;
    double x0, x1, y0, y1; /* logarithms */
};

static uint64_t value_of(const struct report_cost *cost, enum curve curve)
{
    return curve == ENGINE ? cost->engine_ps : curve == ROW ? cost->row_ps : cost->bound_ps;
}

static double x_of(const struct plot *plot, uint64_t bytes)
{
    double at = (log10((double)(bytes ? bytes : 1)) - plot->x0) / (plot->x1 - plot->x0);

    return LEFT + at * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct plot *plot, uint64_t ps)
{
    return HEIGHT - BOTTOM -
           (log10((double)ps) - plot->y0) / (plot->y1 - plot->y0) * (HEIGHT - TOP - BOTTOM);
}

/* Extends the axes to whole powers of ten around all points; false: there is nothing to draw. */
static bool plot_scale(struct plot *plot)
{
    uint64_t least = UINT64_MAX, most = 0, first = plot->cost[0]->bytes,
             last = plot->cost[plot->count - 1]->bytes;

    for (uint32_t i = 0; i < plot->count; i++)
        for (int curve = 0; curve < CURVES; curve++) {
            uint64_t ps = value_of(plot->cost[i], (enum curve)curve);
            least = ps && ps < least ? ps : least;
            most = ps > most ? ps : most;
        }
    if (first == last || !most)
        return false;
    plot->x0 = floor(log10((double)(first ? first : 1)));
    plot->x1 = ceil(log10((double)last));
    plot->y0 = floor(log10((double)least));
    plot->y1 = ceil(log10((double)most) + 1e-9);
    return plot->x1 > plot->x0 && plot->y1 > plot->y0;
}

static void axes_draw(const struct plot *plot, FILE *file)
{
    char text[64];

    for (double at = plot->x0; at <= plot->x1; at++) {
        double x = x_of(plot, (uint64_t)pow(10, at));
        fprintf(file,
                "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%s</text>\n",
                x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 14,
                describe_bytes((uint64_t)pow(10, at), text, sizeof text));
    }
    for (double at = plot->y0; at <= plot->y1; at++) {
        double y = y_of(plot, (uint64_t)pow(10, at));
        fprintf(file,
                "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%g us</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4, pow(10, at - 6));
    }
}

static void curve_draw(const struct plot *plot, enum curve curve, FILE *file)
{
    static const char *const class[] = {"engine", "row", "bound"};
    bool drawn = false;

    fprintf(file, "<path class=\"%s\" d=\"", class[curve]);
    for (uint32_t i = 0; i < plot->count; i++) {
        uint64_t ps = value_of(plot->cost[i], curve);
        if (ps)
            fprintf(file, "%c%.1f %.1f", drawn ? 'L' : 'M', x_of(plot, plot->cost[i]->bytes),
                    y_of(plot, ps));
        drawn |= ps != 0;
    }
    fprintf(file, "\"/>\n");
    for (uint32_t i = 0; i < plot->count && curve == ENGINE; i++)
        if (plot->cost[i]->engine_ps)
            fprintf(file,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%" PRIu64
                    " bytes: %.2f us, at least %.2f us</title></circle>\n",
                    x_of(plot, plot->cost[i]->bytes), y_of(plot, plot->cost[i]->engine_ps),
                    plot->cost[i]->bytes, (double)plot->cost[i]->engine_ps / 1e6,
                    (double)plot->cost[i]->bound_ps / 1e6);
}

static void plot_draw(const struct plot *plot, FILE *file)
{
    fprintf(file,
            "<svg class=\"plot\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"cost against size\">\n<text class=\"title\" x=\"%d\" y=\"16\">%s on "
            "%" PRIu32 " ranks</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, plot->cost[0]->call, plot->cost[0]->ranks);
    axes_draw(plot, file);
    for (int curve = CURVES; curve-- > 0;)
        curve_draw(plot, (enum curve)curve, file);
    fprintf(file, "</svg>\n");
}

static int by_call_and_size(const void *a, const void *b)
{
    const struct report_cost *x = *(const struct report_cost *const *)a,
                             *y = *(const struct report_cost *const *)b;
    int order = strcmp(x->call, y->call);

    if (order)
        return order;
    if (x->ranks != y->ranks)
        return x->ranks < y->ranks ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->engine_ps > y->engine_ps) - (x->engine_ps < y->engine_ps);
}

enum core_status html_plot_costs(const struct report_facts *facts, FILE *file)
{
    const struct report_cost **cost = NULL;
    enum core_status status = CORE_ARRAY_NEW(cost, facts->cost_count, "the plots");
    bool any = false;

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < facts->cost_count; i++)
        cost[i] = &facts->cost[i];
    if (facts->cost_count)
        qsort(cost, facts->cost_count, sizeof *cost, by_call_and_size);
    for (uint32_t i = 0; i < facts->cost_count;) {
        struct plot plot = {.cost = &cost[i]};
        while (i + plot.count < facts->cost_count &&
               !strcmp(cost[i + plot.count]->call, cost[i]->call) &&
               cost[i + plot.count]->ranks == cost[i]->ranks)
            plot.count++;
        if (plot_scale(&plot)) {
            if (!any)
                fprintf(file, "<p class=\"soft\">Cost against size, on the model's machine: points "
                              "are what was measured, the thin line is the row of the model, the "
                              "dashed one what no algorithm can beat.</p>\n<div class=\"who\">\n");
            any = true;
            plot_draw(&plot, file);
        }
        i += plot.count;
    }
    if (any)
        fprintf(file, "</div>\n");
    free(cost);
    return CORE_OK;
}
