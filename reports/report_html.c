/* Writes the report as one page that needs nothing but a browser: verdict, findings with who waits
 * for whom, timeline, events, messages, totals. The findings are plain HTML, readable and printable
 * without scripts; html/page.js draws the timeline from the data of html/timeline.c. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/text.h"
#include "core/trace/describe.h"
#include "reports/block.h"
#include "reports/html/finding.h"
#include "reports/html/page.h"
#include "reports/html/plot.h"
#include "reports/html/ring.h"
#include "reports/html/timeline.h"
#include "reports/report.h"

enum { ROWS_SHOWN_MAX = 200, BARS_SHOWN_MAX = 32 };

/* Notes how many of the rows the table does not show. */
static void rows_left_out(uint32_t rows, FILE *file)
{
    if (rows > ROWS_SHOWN_MAX)
        fprintf(file, "<p class=\"soft\">And %" PRIu32 " more rows.</p>\n", rows - ROWS_SHOWN_MAX);
}

/* --- text ------------------------------------------------------------------------------------- */

static const char *report_html_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* --- findings --------------------------------------------------------------------------------- */

static enum core_status finding_article(const struct report_facts *facts,
                                        const struct report_entry *entry, FILE *file)
{
    struct block block = {0};
    char follows[160], ended[160];
    const char *more[3] = {NULL};
    int count = 0;
    enum core_status status = block_make(facts->trace, facts->source, entry->finding, &block);

    if (entry->cause) {
        snprintf(follows, sizeof follows, "it follows from the %s of rule %s above",
                 finding_severity_text(entry->cause->severity), entry->cause->rule->id);
        more[count++] = follows;
    }
    more[count] = report_ended(facts, entry, ended, sizeof ended);
    if (status == CORE_OK)
        status = html_finding_write(entry->finding, &block, more, file);
    block_done(&block);
    return status;
}

/* --- the job ---------------------------------------------------------------------------------- */

static void job_head(const struct report_facts *facts, FILE *file)
{
    char verdict[REPORT_VERDICT_MAX], bytes[64], calls[32], messages[32], line[256];
    const char *class = !facts->findings                          ? ""
                        : finding_list_fails(facts->findings)     ? "bad"
                        : finding_list_undecided(facts->findings) ? "open"
                                                                  : "good";

    report_verdict(facts, verdict, sizeof verdict);
    fprintf(file, "<h1 class=\"%s\">%s</h1>\n<dl>\n", class,
            facts->findings ? verdict : "what was recorded");
    if (facts->command)
        html_pair_write("command", facts->command, file);
    html_pair_write("trace", facts->trace->path, file);
    if (facts->findings && facts->findings->orders.tried) {
        const struct orders *orders = &facts->findings->orders;
        html_pair_write(orders->extent == ORDERS_ALL      ? "orders tried, all there are"
                        : orders->extent == ORDERS_STATES ? "orders tried, the others by states"
                                                          : "orders tried, not all",
                        describe_number(orders->tried, calls, sizeof calls), file);
    }
    snprintf(line, sizeof line, "%" PRIu32 " rank%s on %" PRIu32 " host%s",
             facts->trace->rank_count, report_html_plural(facts->trace->rank_count), facts->hosts,
             report_html_plural(facts->hosts));
    html_pair_write("job", line, file);
    if (facts->exit_code >= 0) {
        snprintf(line, sizeof line, "%" PRId64, facts->exit_code);
        html_pair_write("exit status", line, file);
    }
    if (facts->library)
        html_pair_write("library", facts->library, file);
    int used = snprintf(line, sizeof line, "%s call%s",
                        describe_number(facts->events, calls, sizeof calls),
                        report_html_plural(facts->events));
    if (facts->messages)
        used += snprintf(line + used, sizeof line - (size_t)used, ", %s message%s of %s",
                         describe_number(facts->messages, messages, sizeof messages),
                         report_html_plural(facts->messages),
                         describe_bytes(facts->message_bytes, bytes, sizeof bytes));
    if (facts->inner_events)
        snprintf(line + used, sizeof line - (size_t)used, "; %s more event%s inside the library",
                 describe_number(facts->inner_events, calls, sizeof calls),
                 report_html_plural(facts->inner_events));
    html_pair_write("recorded", line, file);
    if (facts->lost)
        html_pair_write("lost", report_lost(facts, line, sizeof line), file);
    if (facts->unread)
        html_pair_write("unread", report_unread(facts, line, sizeof line), file);
    if (facts->ended)
        html_pair_write("ended by crosswait", facts->ended, file);
    fprintf(file, "</dl>\n");
}

static void last_row(const struct report_last *last, FILE *file)
{
    const char *detail = last->detail && *last->detail ? last->detail : NULL;

    fprintf(file, "<tr><td>");
    html_ranks_write(last->ranks, file);
    fprintf(file, "</td><td>%s", event_rank_state_text(last->state));
    if (detail) {
        fprintf(file, "<span class=\"soft\"> ");
        core_text_xml(detail, file);
        fprintf(file, "</span>");
    }
    fprintf(file, "</td><td>%s</td><td class=\"call\">%s</td><td class=\"mono\">",
            !last->call     ? ""
            : last->pending ? "in"
                            : "outside of MPI, after",
            last->call ? last->call : "");
    core_text_xml(last->where, file);
    fprintf(file, "</td><td class=\"number\">");
    if (last->call)
        fprintf(file, "%.3f s", (double)last->since_first_ns / 1e9);
    fprintf(file, "</td></tr>\n");
}

/* Writes the ranks' last calls; ranks that ended alike share a row. */
static void last_table(const struct report_facts *facts, FILE *file)
{
    static const char *const head[] = {"",  "state", "", "call", "place", "#since, after the start",
                                       NULL};

    if (!facts->last_count)
        return;
    fprintf(file, "<h2>Where the ranks were when the job ended</h2>\n");
    html_table_begin(head, file);
    for (uint32_t i = 0; i < facts->last_count; i++)
        last_row(&facts->last[i], file);
    html_table_end(file);
}

static void call_link(const struct report_facts *facts, struct why_call call, FILE *file)
{
    char place[512];

    fprintf(file, "<span class=\"call\">%s</span> <span class=\"mono\">",
            call.call >= 0 ? facts->trace->call[call.call].name : "a call");
    core_text_xml(trace_site_text(facts->trace, call.site, place, sizeof place), file);
    fprintf(file, "</span>");
}

static double report_html_share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void growth_list(const struct report_facts *facts, FILE *file)
{
    for (uint32_t i = 0; i < facts->why.growth_count; i++) {
        char *text = NULL;
        size_t bytes;
        FILE *words = open_memstream(&text, &bytes);
        if (!words)
            return;
        report_why_growth(facts, &facts->why.growth[i], words);
        fclose(words);
        fprintf(file, "<p>");
        core_text_xml(text, file);
        fprintf(file, ".</p>\n");
        free(text);
    }
}

static int by_waiting(const void *a, const void *b)
{
    const struct why_rank *const *x = a, *const *y = b;

    if ((*x)->waited_ns != (*y)->waited_ns)
        return (*x)->waited_ns < (*y)->waited_ns ? 1 : -1;
    return (*x > *y) - (*x < *y);
}

/* Draws the shares of a rank's time: work, MPI, waiting. */
static void bar_row(uint32_t rank, const struct why_rank *of, uint64_t longest_ns, FILE *file)
{
    char time[3][32];
    uint64_t all = of->end_ns - of->begin_ns, in_mpi = of->mpi_ns < all ? of->mpi_ns : all,
             waited = of->waited_ns < in_mpi ? of->waited_ns : in_mpi;
    const uint64_t part[3] = {all - in_mpi, in_mpi - waited, waited};
    static const char *const name[3] = {"work", "mpi", "wait"};

    fprintf(file, "<tr><td>rank %" PRIu32 "</td><td class=\"bar\"><div>", rank);
    for (int i = 0; i < 3; i++)
        fprintf(file, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", name[i],
                report_html_share(part[i], longest_ns));
    fputs("</div></td>", file);
    for (int i = 0; i < 3; i++)
        fprintf(file, "<td class=\"number\">%s</td>",
                report_why_time(part[i], time[i], sizeof time[i]));
    fputs("</tr>\n", file);
}

/* Draws a bar per rank. Of very many ranks it draws those that wait least and most, since the rank
 * that delays others waits least. */
static enum core_status rank_bars(const struct why *why, FILE *file)
{
    static const char *const head[] = {"", "", "#work", "#in MPI", "#waiting", NULL};
    const struct why_rank **order = NULL;
    uint32_t count = 0;
    uint64_t longest = 0;
    enum core_status status = CORE_ARRAY_NEW(order, why->ranks ? why->ranks : 1, "the ranks' bars");

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < why->ranks; i++)
        if (why->rank[i].seen && why->rank[i].end_ns > why->rank[i].begin_ns) {
            uint64_t all = why->rank[i].end_ns - why->rank[i].begin_ns;
            order[count++] = &why->rank[i];
            longest = all > longest ? all : longest;
        }
    if (count > BARS_SHOWN_MAX)
        qsort(order, count, sizeof *order, by_waiting);
    if (count) {
        fputs("<p class=\"soft bars\"><i class=\"work\"></i> works <i class=\"mpi\"></i> is in "
              "MPI <i class=\"wait\"></i> waits for others</p>\n",
              file);
        html_table_begin(head, file);
    }
    for (uint32_t i = 0; i < count; i++)
        if (count <= BARS_SHOWN_MAX || i < BARS_SHOWN_MAX / 2 || i >= count - BARS_SHOWN_MAX / 2)
            bar_row((uint32_t)(order[i] - why->rank), order[i], longest, file);
    if (count)
        html_table_end(file);
    if (count > BARS_SHOWN_MAX)
        fprintf(file,
                "<p class=\"soft\">The %d ranks that wait most and the %d that wait least, of "
                "%" PRIu32 ".</p>\n",
                BARS_SHOWN_MAX / 2, BARS_SHOWN_MAX / 2, count);
    free(order);
    return CORE_OK;
}

/* Writes who makes whom wait, in the job's own time. */
static enum core_status why_section(const struct report_facts *facts, FILE *file)
{
    static const char *const head[] = {"#waited",    "#of all time",       "",  "ranks", "in",
                                       "mostly for", "which came late to", NULL};
    const struct why *why = &facts->why;
    char time[32], *sentence = report_why_sentence_text(facts);

    fprintf(file, "<h2 id=\"why\">Who made whom wait</h2>\n<p>");
    core_text_xml(sentence, file);
    fprintf(file, ".</p>\n");
    free(sentence);
    growth_list(facts, file);
    if (!why->row_count)
        return CORE_OK;
    html_table_begin(head, file);
    for (uint32_t i = 0; i < why->row_count && i < ROWS_SHOWN_MAX; i++) {
        const struct why_row *row = &why->row[i];
        fprintf(file,
                "<tr><td class=\"number\">%s</td><td class=\"number\">%.1f %%</td><td>%s</td>"
                "<td>",
                report_why_time(row->ns, time, sizeof time),
                report_html_share(row->ns, why->timed_ns), report_why_kind(row->kind));
        html_ranks_write(row->ranks ? row->ranks : "", file);
        fprintf(file, "</td><td>");
        call_link(facts, row->in, file);
        if (report_why_one(row))
            fprintf(file, "</td><td>rank %" PRIu32 " (%.0f %%)</td><td>", row->by,
                    report_html_share(row->by_ns, row->ns));
        else
            fprintf(file, "</td><td>many ranks</td><td>");
        call_link(facts, row->until, file);
        fprintf(file, "</td></tr>\n");
    }
    html_table_end(file);
    rows_left_out(why->row_count, file);
    return rank_bars(why, file);
}

/* Writes "<td>4,096</td>", or an empty cell for 0. */
static void number_cell(uint64_t number, FILE *file)
{
    char text[32];

    fprintf(file, "<td class=\"number\">%s</td>",
            number ? describe_number(number, text, sizeof text) : "");
}

static void totals_table(const struct report_facts *facts, FILE *file)
{
    const char *head[6] = {"call", "#count", "#time inside"};
    bool pending = false, volume = false;
    int columns = 3;
    char time[32];

    for (uint32_t i = 0; i < facts->total_count; i++) {
        pending |= facts->total[i].pending != 0;
        volume |= facts->total[i].bytes != 0;
    }
    if (volume)
        head[columns++] = "#bytes";
    if (pending)
        head[columns++] = "#did not return";
    fprintf(file, "<h2>Calls</h2>\n");
    html_table_begin(head, file);
    for (uint32_t i = 0; i < facts->total_count; i++) {
        const struct report_call_total *total = &facts->total[i];

        fprintf(file, "<tr><td class=\"call\">%s</td>", total->name);
        number_cell(total->count, file);
        fprintf(file, "<td class=\"number\">%s</td>",
                total->count > total->pending ? report_why_time(total->time_ns, time, sizeof time)
                                              : "");
        if (volume)
            number_cell(total->bytes, file);
        if (pending)
            number_cell(total->pending, file);
        fprintf(file, "</tr>\n");
    }
    html_table_end(file);
}

static void cost_row(const struct report_facts *facts, const struct report_cost *cost, bool model,
                     FILE *file)
{
    char place[256], number[2][32], time[32];

    fprintf(file, "<tr><td class=\"call\">%s</td><td class=\"number\">%" PRIu32 "</td>", cost->call,
            cost->ranks);
    number_cell(cost->bytes, file);
    number_cell(cost->calls, file);
    fprintf(file, "<td class=\"number\">%" PRIu64 " (%" PRIu64 ")</td>", cost->rounds,
            cost->bound_rounds);
    fprintf(file, "<td class=\"number\">%s (%s)</td><td class=\"number\">%.2f</td>",
            describe_number(cost->words_bytes, number[0], sizeof number[0]),
            describe_number(cost->bound_bytes, number[1], sizeof number[1]),
            (double)cost->engine_ps / 1e6);
    if (model && cost->row_ps)
        fprintf(file, "<td class=\"number\">%.2f</td>", (double)cost->row_ps / 1e6);
    else if (model)
        fprintf(file, "<td></td>");
    if (cost->engine_ps)
        fprintf(file, "<td class=\"number\">%.0f %%</td>",
                100.0 * (double)cost->bound_ps / (double)cost->engine_ps);
    else
        fprintf(file, "<td></td>");
    fprintf(file, "<td>%s", cost->row ? cost->row : "none of the model");
    if (cost->rows > 1)
        fprintf(file, " (or %" PRIu32 " more)", cost->rows - 1);
    fprintf(file, "</td><td>%s at ", report_why_time(cost->recorded_ns, time, sizeof time));
    core_text_xml(trace_site_text(facts->trace, cost->site, place, sizeof place), file);
    fprintf(file, "</td></tr>\n");
}

static void cost_table(const struct report_facts *facts, FILE *file)
{
    const char *head[HTML_COLUMNS_MAX] = {
        "call", "#ranks", "#bytes", "#calls", "#rounds", "#bytes sent by a rank", "#time us"};
    bool model = false;
    int columns = 7;

    if (!facts->cost_count)
        return;
    for (uint32_t i = 0; i < facts->cost_count && i < ROWS_SHOWN_MAX; i++)
        model |= facts->cost[i].row_ps != 0;
    fprintf(file,
            "<h2>Collectives against the model</h2>\n<p class=\"soft\">alpha 1 us, beta 1 ns a "
            "word of 8 bytes, single port; in brackets the bound "
            "that no algorithm can beat</p>\n");
    if (model)
        head[columns++] = "#model us";
    head[columns++] = "#efficiency";
    head[columns++] = "algorithm";
    head[columns++] = "slowest recorded";
    html_table_begin(head, file);
    for (uint32_t i = 0; i < facts->cost_count && i < ROWS_SHOWN_MAX; i++)
        cost_row(facts, &facts->cost[i], model, file);
    html_table_end(file);
    rows_left_out(facts->cost_count, file);
}

/* Lists the causes that occur. */
static void idle_row(const struct report_time *time, const uint64_t *ps, uint64_t finish_ps,
                     FILE *file)
{
    char text[32];

    for (int cause = 0; cause < REPORT_IDLE_COUNT; cause++)
        if (time->ps[cause])
            fprintf(file, "<td class=\"number\">%s</td>",
                    ps[cause] ? report_why_time(ps[cause] / 1000, text, sizeof text) : "");
    fprintf(file, "<td class=\"number\">%s</td></tr>\n",
            finish_ps ? report_why_time(finish_ps / 1000, text, sizeof text) : "");
}

static void idle_table(const struct report_time *time, FILE *file)
{
    const char *head[REPORT_IDLE_COUNT + 3] = {"idle"};
    char name[REPORT_IDLE_COUNT][64];
    int columns = 1;

    for (int cause = 0; cause < REPORT_IDLE_COUNT; cause++)
        if (time->ps[cause]) {
            snprintf(name[cause], sizeof name[cause], "#%s",
                     report_idle_text((enum report_idle_cause)cause));
            head[columns++] = name[cause];
        }
    head[columns++] = "#finished at";
    html_table_begin(head, file);
    fprintf(file, "<tr><td>all ranks</td>");
    idle_row(time, time->ps, 0, file);
    for (uint32_t i = 0; i < time->idle_count; i++) {
        fprintf(file, "<tr><td>rank %" PRIu32 "</td>", time->idle[i].rank);
        idle_row(time, time->idle[i].ps, time->idle[i].finish_ps, file);
    }
    html_table_end(file);
    if (time->idle_ranks > time->idle_count)
        fprintf(file, "<p class=\"soft\">And %" PRIu32 " more ranks, which idle less.</p>\n",
                time->idle_ranks - time->idle_count);
}

static void time_section(const struct report_time *time, FILE *file)
{
    if (!time->known)
        return;
    fprintf(file, "<h2>Time on the model's machine</h2>\n<p>The job ");
    report_time_path(time, file);
    fprintf(file, ".</p>\n");
    if (time->idle_count)
        idle_table(time, file);
}

/* --- the page --------------------------------------------------------------------------------- */

static const char timeline_html[] =
    "<h2 id=\"timeline\">Timeline</h2>\n<div class=\"tools\"><button "
    "id=\"closer\">zoom in</button><button "
    "id=\"farther\">zoom out</button><button id=\"fit\">all</button>"
    "<label><input type=\"checkbox\" id=\"arrows\" checked> messages</label><span "
    "id=\"arrows_state\" class=\"soft\"></span>"
    "<label><input type=\"checkbox\" id=\"path\" checked> critical path</label>"
    "<input id=\"find\" type=\"search\" placeholder=\"find calls, places\" aria-label=\"find calls "
    "and places; Enter: the next one\">"
    "<span id=\"legend\"></span></div>\n"
    "<div id=\"lanes\" tabindex=\"0\"><canvas id=\"canvas\" role=\"img\" "
    "aria-label=\"the calls of each rank by time; the list of events has them as "
    "text\"></canvas><div "
    "id=\"space\"></div></div>\n"
    "<p class=\"soft\">Drag to move; Ctrl and wheel, two fingers or a double click to zoom in. "
    "A click shows the call in the list, or opens ranks that behave alike. Keys: + - 0, left and "
    "right; n and p for the next and previous call, o opens it; up and down, once the timeline has "
    "the focus, for another rank. Red: did not return. "
    "<span id=\"bundled\"></span> "
    "<span id=\"tied\"></span></p>\n"
    "<div id=\"tip\"></div>\n"
    "<h2>Events</h2>\n<div class=\"tools\"><label>of <select "
    "id=\"choice\"></select></label><span id=\"folded\" class=\"soft\">\u25b8, or the key o, "
    "opens what the library does inside of a call, and shows its messages on the "
    "timeline.</span></div>\n"
    "<div id=\"list\" tabindex=\"0\"><div id=\"rows\"></div><div id=\"list_space\"></div></div>\n"
    "<h2>Messages</h2>\n<div class=\"tools\"><span class=\"soft\">From the rank on the left to the "
    "rank on top, bytes; the stronger the colour, the more.</span><label><input type=\"checkbox\" "
    "id=\"matrix_inner\"> "
    "with those of the library</label><span class=\"soft\" id=\"matrix_state\"></span></div>\n"
    "<canvas id=\"matrix\" role=\"img\" aria-label=\"bytes from rank to rank\" width=\"1\" "
    "height=\"1\"></canvas>\n";

enum core_status report_html(const struct report_facts *facts, FILE *file)
{
    uint32_t shown = facts->findings ? facts->findings->count : 0;

    if (shown > HTML_FINDINGS_MAX)
        shown = HTML_FINDINGS_MAX;
    html_page_begin(facts->command ? facts->command : facts->trace->path, file);
    job_head(facts, file);
    if (facts->findings && facts->findings->count)
        fprintf(file, "<h2>Findings</h2>\n");
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < shown && status == CORE_OK; i++)
        status = finding_article(facts, &facts->entry[i], file);
    if (facts->findings && facts->findings->count > shown)
        fprintf(file, "<p>%" PRIu32 " more findings are in the text report and in JSON.</p>\n",
                facts->findings->count - shown);
    if (facts->proof.count) {
        fprintf(file, "<h2>Who waited for whom when the job was ended</h2>\n");
        status = status == CORE_OK ? html_ring_draw(&facts->proof.finding[0], file) : status;
    }
    last_table(facts, file);
    status = status == CORE_OK ? why_section(facts, file) : status;
    fputs(timeline_html, file);
    totals_table(facts, file);
    cost_table(facts, file);
    if (status == CORE_OK)
        status = html_plot_costs(facts, file);
    time_section(&facts->time, file);
    if (status == CORE_OK)
        status = html_timeline_write(facts, file);
    html_page_script(file);
    html_page_end(file);
    return status == CORE_OK && ferror(file) ? report_unwritten(facts) : status;
}
