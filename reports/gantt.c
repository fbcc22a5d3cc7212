/* Draws gantt.h's diagram: the events of each rank become cells, cells bars, equal ranks rows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/text.h"
#include "reports/gantt.h"
#include "reports/rows.h"

enum {
    CALLS_OF_CELL_MAX = 8, /* that are told apart; others only count as time in MPI */
    LABEL_MAX = 24,        /* characters that name a row's ranks */
    CELL_PIXELS = 16,      /* on a page of usual width */
    LETTER_PIXELS = 7,
    ENDS_LOOKED_AT_MAX = 64 /* events of a rank among which MPI_Init or MPI_Finalize is */
};

struct cell { /* of the rank that is being read */
    uint64_t ns;
    struct {
        int32_t bar;
        uint64_t ns;
    } call[CALLS_OF_CELL_MAX];
    uint32_t count;
};

/* Each cell is 0 for no call, else 1 + twice the call's id, and 1 more if it did not return. */
struct lane {
    int32_t bar[GANTT_CELLS];
};

struct gantt_row { /* ranks with the same bars: a run of gantt.order */
    uint32_t first, count;
    bool drawn;
};

struct gantt {
    const struct report_facts *facts;
    const struct report_shapes *shapes;
    struct cell cell[GANTT_CELLS]; /* of rank `at` */
    uint32_t at, ranks;
    struct lane *lane;     /* by rank */
    bool *named;           /* by rank: a finding has a call of it */
    uint32_t *order;       /* ranks, those with the same bars beside each other */
    struct gantt_row *row; /* by their first rank */
    uint32_t row_count;
    uint64_t begin_ns, span_ns, cell_ns;
};

/* --- cells ------------------------------------------------------------------------------------ */

static void cell_add(struct cell *cell, int32_t bar, uint64_t ns)
{
    uint32_t at = 0;

    cell->ns += ns;
    while (at < cell->count && cell->call[at].bar != bar)
        at++;
    if (at == CALLS_OF_CELL_MAX)
        return;
    if (at == cell->count)
        cell->call[cell->count++].bar = bar;
    cell->call[at].ns += ns;
}

/* Adds ns of the time between two points to the cells between them, evenly. */
static void cells_add(struct gantt *g, int32_t bar, uint64_t from, uint64_t to, uint64_t ns)
{
    uint64_t first = from / g->cell_ns, last = to / g->cell_ns;

    for (uint64_t at = first; at <= last && at < GANTT_CELLS; at++) {
        uint64_t low = at == first ? from : at * g->cell_ns;
        uint64_t high = at == last ? to : (at + 1) * g->cell_ns;
        double share = to > from ? (double)(high - low) / (double)(to - from) : 0;
        cell_add(&g->cell[at], bar, (uint64_t)((double)ns * share));
    }
}

static int32_t cell_bar(const struct cell *cell, uint64_t cell_ns)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < cell->count; i++)
        if (cell->call[i].ns > cell->call[most].ns)
            most = i;
    return cell->count && cell->ns * 2 >= cell_ns ? cell->call[most].bar : 0;
}

static void gantt_sum_add(struct gantt *g, const struct trace_sum *sum, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < sum->call_count; i++) {
        if (sum->call[i].shape >= g->shapes->count)
            continue;
        const struct report_shape *shape = &g->shapes->shape[sum->call[i].shape];
        if (shape->known && !shape->inner)
            cells_add(g, 2 * shape->call + 1, from, to, sum->call[i].total);
    }
}

static void gantt_rank_end(struct gantt *g)
{
    for (uint32_t i = 0; i < GANTT_CELLS; i++)
        g->lane[g->at].bar[i] = cell_bar(&g->cell[i], g->cell_ns);
    memset(g->cell, 0, sizeof g->cell);
}

static enum core_status gantt_event(const struct report_row *row, void *context)
{
    struct gantt *g = context;
    const struct report_shape *shape = &g->shapes->shape[row->shape];
    uint64_t end = g->begin_ns + g->span_ns, from = row->start, to = row->pending ? end : row->end;

    enum verb verb = g->facts->trace->call[shape->call].verb;
    bool ends = !row->pending && (verb == VERB_INIT || verb == VERB_FINALIZE);

    if (shape->inner || ends || to <= g->begin_ns || from >= end)
        return CORE_OK;
    if (row->rank != g->at)
        gantt_rank_end(g);
    g->at = row->rank;
    from = from > g->begin_ns ? from - g->begin_ns : 0;
    to = (to < end ? to : end) - g->begin_ns;
    if (row->sum)
        gantt_sum_add(g, row->sum, from, to);
    else
        cells_add(g, 2 * shape->call + 1 + row->pending, from, to, to - from);
    return CORE_OK;
}

/* Looks for a call of the verb among the first events of a rank, or among the last ones. */
static enum core_status call_find(const struct gantt *g, uint32_t rank, enum verb verb, bool last,
                                  struct trace_event *out_event)
{
    struct trace *trace = g->facts->trace;
    uint64_t events = trace->rank[rank].events;

    for (uint64_t i = 0; i < events && i < ENDS_LOOKED_AT_MAX; i++) {
        enum core_status status =
            trace_event_get(trace, rank, last ? events - i : i + 1, out_event);
        if (status != CORE_OK || out_event->verb == verb)
            return status;
    }
    return CORE_NOT_FOUND;
}

/* From when the first rank came out of MPI_Init to when the last one called MPI_Finalize: what
 * both take says nothing of the program. */
static enum core_status span_narrow(const struct gantt *g, uint64_t *begin_ns, uint64_t *end_ns)
{
    uint64_t first_ns = UINT64_MAX, last_ns = 0;

    for (uint32_t rank = 0; rank < g->ranks; rank++) {
        struct trace_event event;
        enum core_status status = call_find(g, rank, VERB_INIT, false, &event);
        if (status == CORE_OK && !event.pending && event.t_leave < first_ns)
            first_ns = event.t_leave;
        if (status == CORE_OK || status == CORE_NOT_FOUND)
            status = call_find(g, rank, VERB_FINALIZE, true, &event);
        if (status != CORE_OK && status != CORE_NOT_FOUND)
            return status;
        if (status == CORE_NOT_FOUND || event.pending)
            last_ns = UINT64_MAX;
        else if (event.t_enter > last_ns)
            last_ns = event.t_enter;
    }
    if (first_ns < *end_ns)
        *begin_ns = first_ns;
    if (last_ns < *end_ns && last_ns > *begin_ns)
        *end_ns = last_ns;
    return CORE_OK;
}

/* A hang's calls reach to when crosswait ended the job; of other calls that did not return nobody
 * knows how long they took. */
static enum core_status gantt_span(struct gantt *g)
{
    const struct report_facts *facts = g->facts;
    uint64_t end_ns = facts->end_ns, hung_ns = facts->still_ms * 1000000;
    bool hung = false;

    g->begin_ns = end_ns - facts->span_ns;
    enum core_status status = span_narrow(g, &g->begin_ns, &end_ns);
    for (uint32_t i = 0; i < facts->last_count; i++)
        hung |= facts->last[i].pending;
    g->span_ns = end_ns - g->begin_ns;
    g->span_ns += hung && !hung_ns ? g->span_ns / 16 : hung_ns;
    g->cell_ns = (g->span_ns + GANTT_CELLS - 1) / GANTT_CELLS;
    return status;
}

/* --- bars and rows ---------------------------------------------------------------------------- */

/* The end of the bar, or of the gap, that begins there. */
static uint32_t bar_end(const struct lane *lane, uint32_t at)
{
    uint32_t end = at + 1;

    while (end < GANTT_CELLS && lane->bar[end] == lane->bar[at])
        end++;
    return end;
}

static bool lane_is_empty(const struct lane *lane)
{
    return !lane->bar[0] && bar_end(lane, 0) == GANTT_CELLS;
}

/* Leaves out bars of fewer cells; those of calls that did not return stay. */
static void bars_drop(struct gantt *g, uint32_t cells)
{
    for (uint32_t r = 0; r < g->ranks; r++) {
        struct lane *lane = &g->lane[r];
        for (uint32_t at = 0, end; at < GANTT_CELLS; at = end) {
            end = bar_end(lane, at);
            if (lane->bar[at] % 2 && end - at < cells)
                memset(&lane->bar[at], 0, (end - at) * sizeof lane->bar[at]);
        }
    }
}

static void ranks_name(struct gantt *g)
{
    const struct finding_list *list = g->facts->findings;

    for (uint32_t i = 0; list && i < list->count; i++)
        for (uint32_t k = 0; k < list->finding[i].call_count; k++)
            if (list->finding[i].call[k].rank < g->ranks)
                g->named[list->finding[i].call[k].rank] = true;
}

static int order_compare(const void *a, const void *b, void *context)
{
    const struct gantt *g = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = memcmp(&g->lane[x], &g->lane[y], sizeof *g->lane);

    return order ? order : (x > y) - (x < y);
}

static int row_compare(const void *a, const void *b, void *context)
{
    const struct gantt *g = context;
    const struct gantt_row *x = a, *y = b;

    return g->order[x->first] < g->order[y->first] ? -1 : 1;
}

static void rows_make(struct gantt *g)
{
    for (uint32_t i = 0; i < g->ranks; i++)
        g->order[i] = i;
    qsort_r(g->order, g->ranks, sizeof *g->order, order_compare, g);
    g->row_count = 0;
    for (uint32_t i = 0; i < g->ranks; i++) {
        if (i == 0 ||
            memcmp(&g->lane[g->order[i]], &g->lane[g->order[i - 1]], sizeof *g->lane) != 0)
            g->row[g->row_count++] = (struct gantt_row){.first = i};
        g->row[g->row_count - 1].count++;
    }
    qsort_r(g->row, g->row_count, sizeof *g->row, row_compare, g);
}

static bool row_is_named(const struct gantt *g, const struct gantt_row *row)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (g->named[g->order[row->first + i]])
            return true;
    return false;
}

/* Draws the rows of findings before others, the first ranks before others. Returns how many ranks
 * are in no row. */
static uint32_t rows_choose(struct gantt *g, uint32_t rows_max)
{
    uint32_t left = g->ranks, drawn = 0;

    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < g->row_count && drawn < rows_max; i++) {
            struct gantt_row *row = &g->row[i];
            if (row->drawn || (pass == 0 && !row_is_named(g, row)))
                continue;
            row->drawn = true;
            left -= row->count;
            drawn++;
        }
    return left;
}

/* --- text ------------------------------------------------------------------------------------- */

struct unit { /* of the axis: Mermaid takes it for milliseconds */
    uint64_t ns;
    const char *axis;
};

/* The axis has more steps than the diagram has cells, and numbers that are short. */
static struct unit unit_of(uint64_t span_ns)
{
    return span_ns >= UINT64_C(10000000000) ? (struct unit){1000000, "%s s"}
           : span_ns >= 50000000            ? (struct unit){1000000, "%Q ms"}
           : span_ns >= 50000               ? (struct unit){1000, "%Q us"}
                                            : (struct unit){1, "%Q ns"};
}

static enum core_status row_label(const struct gantt *g, const struct gantt_row *row, char *label)
{
    char *ranks = wording_ranks_short(&g->order[row->first], row->count);

    if (!ranks)
        return core_report(CORE_NO_MEMORY, "out of memory for the report");
    if (strlen(ranks) < LABEL_MAX)
        snprintf(label, LABEL_MAX, "%s", ranks);
    else
        snprintf(label, LABEL_MAX, "%" PRIu32 " ranks, as %" PRIu32, row->count,
                 g->order[row->first]);
    free(ranks);
    return CORE_OK;
}

/* As much of the call's name as the bar has room for. */
static const char *bar_name(const char *call, uint32_t cells)
{
    size_t room = cells * CELL_PIXELS / LETTER_PIXELS;
    const char *brief = strncmp(call, "MPI_", 4) ? call : call + 4;

    return strlen(call) < room ? call : strlen(brief) < room ? brief : "-";
}

static void gantt_bars_write(const struct gantt *g, const struct lane *lane, struct unit unit,
                             FILE *file)
{
    if (lane_is_empty(lane)) /* Mermaid draws no row without a bar */
        fputs("  outside of MPI :0, 0\n", file);
    for (uint32_t at = 0, end; at < GANTT_CELLS; at = end) {
        int32_t bar = lane->bar[at];
        end = bar_end(lane, at);
        if (bar)
            fprintf(file, "  %s :%s%" PRIu64 ", %" PRIu64 "\n",
                    bar_name(g->facts->trace->call[(bar - 1) / 2].name, end - at),
                    bar % 2 == 0 ? "crit, " : "", at * g->cell_ns / unit.ns,
                    end * g->cell_ns / unit.ns);
    }
}

static enum core_status diagram_write(const struct gantt *g, FILE *file)
{
    struct unit unit = unit_of(g->span_ns);
    char label[LABEL_MAX];
    size_t longest = 0;
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < g->row_count && status == CORE_OK; i++) {
        status = g->row[i].drawn ? row_label(g, &g->row[i], label) : CORE_OK;
        if (status == CORE_OK && g->row[i].drawn && strlen(label) > longest)
            longest = strlen(label);
    }
    fprintf(file,
            "---\ndisplayMode: compact\nconfig:\n  gantt:\n    leftPadding: %zu\n---\ngantt\n"
            "  dateFormat x\n  axisFormat %s\n",
            20 + 7 * longest, unit.axis);
    for (uint32_t i = 0; i < g->row_count && status == CORE_OK; i++) {
        const struct gantt_row *row = &g->row[i];
        status = row->drawn ? row_label(g, row, label) : CORE_OK;
        if (status != CORE_OK || !row->drawn)
            continue;
        fprintf(file, "  section %s\n", label);
        gantt_bars_write(g, &g->lane[g->order[row->first]], unit, file);
    }
    return status;
}

/* The diagram, made shorter until it is short enough. *out_cells: bars of fewer are left out;
 * *out_left: ranks that are in no row. NULL and CORE_OK: there is nothing to draw. */
static enum core_status diagram_make(struct gantt *g, char **out_text, uint32_t *out_cells,
                                     uint32_t *out_left)
{
    uint32_t rows_max = GANTT_ROWS_MAX, cells = 1;
    enum core_status status = CORE_OK;

    for (; rows_max > 0 && status == CORE_OK; cells += cells <= GANTT_CELLS) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *file = open_memstream(&text, &bytes);
        rows_make(g);
        *out_left = rows_choose(g, rows_max);
        status = file ? diagram_write(g, file)
                      : core_report(CORE_NO_MEMORY, "out of memory for the report");
        if (!core_text_close(file, &text) && status == CORE_OK)
            status = core_report(CORE_NO_MEMORY, "out of memory for the report");
        if (status == CORE_OK && bytes <= GANTT_BYTES_MAX) {
            *out_text = text;
            *out_cells = cells;
            return CORE_OK;
        }
        free(text);
        rows_max /= cells > GANTT_CELLS ? 2 : 1;
        bars_drop(g, cells + 1);
    }
    return status;
}

static bool gantt_is_empty(const struct gantt *g)
{
    for (uint32_t r = 0; r < g->ranks; r++)
        if (!lane_is_empty(&g->lane[r]))
            return false;
    return true;
}

static enum core_status gantt_show(struct gantt *g, FILE *file)
{
    char *text = NULL, time[32];
    uint32_t cells, left;
    enum core_status status = gantt_is_empty(g) ? CORE_OK : diagram_make(g, &text, &cells, &left);

    if (status != CORE_OK || !text)
        return status;
    CORE_CHECK(strlen(text) <= GANTT_BYTES_MAX); /* gantt.h invariant 1 */
    fprintf(file,
            "\nWhen the ranks were in MPI, from MPI_Init on, in steps of %s (red: the call did not "
            "return)",
            report_why_time(g->cell_ns, time, sizeof time));
    if (cells > 1)
        fprintf(file, "; bars of less than %s are left out",
                report_why_time(cells * g->cell_ns, time, sizeof time));
    if (left)
        fprintf(file, "; %" PRIu32 " more ranks are not drawn", left);
    fprintf(file, ":\n\n```mermaid\n%s```\n", text);
    free(text);
    return CORE_OK;
}

enum core_status gantt_write(const struct report_facts *facts, FILE *file)
{
    struct report_shapes shapes = {0};
    struct gantt g = {.facts = facts, .shapes = &shapes, .ranks = facts->trace->rank_count};
    enum core_status status = CORE_OK;

    status = gantt_span(&g);
    if (status != CORE_OK || !g.ranks || !g.span_ns)
        return status;
    status = CORE_ARRAY_NEW(g.lane, g.ranks, "the report's timeline")
                 ?: CORE_ARRAY_NEW(g.named, g.ranks, "the report's timeline")
                 ?: CORE_ARRAY_NEW(g.order, g.ranks, "the report's timeline")
                 ?: CORE_ARRAY_NEW(g.row, g.ranks, "the report's timeline")
                 ?: report_shapes_read(facts->trace, &shapes)
                 ?: report_rows_each(facts->trace, &shapes, gantt_event, &g);
    if (status == CORE_OK) {
        gantt_rank_end(&g);
        ranks_name(&g);
        status = gantt_show(&g, file);
    }
    report_shapes_done(&shapes);
    free(g.lane);
    free(g.named);
    free(g.order);
    free(g.row);
    return status;
}
