/* The report as one page that needs nothing but a browser: verdict, findings with who waits for
 * whom, timeline, events, messages, totals. What was found is in the page itself and can be read
 * and printed without scripts; the timeline is drawn by html/page.js from a stream of numbers.
 *
 * The stream, in base64: unsigned numbers of seven bits a byte, the lowest first, the eighth bit
 * set where more follow; signed ones as 2n or -2n-1. For each lane (a thread of a rank) and event:
 * shape, steps of seq, signed nanoseconds since the event before it, 0 or its stay + 1 (0: did not
 * return), how many equal polls more it stands for. Then for each message, by the time it was sent:
 * source, destination, nanoseconds since the one before it, signed nanoseconds until it was
 * received, bytes, 1 if the library sent it. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/text.h"
#include "core/trace/describe.h"
#include "report_page.h"
#include "reports/block.h"
#include "reports/messages.h"
#include "reports/report.h"

enum {
    RING_MAX = 24,
    ROWS_SHOWN_MAX = 200,
    EVENTS_LINKED_MAX = 4096, /* of a finding */
    SEGMENTS_MAX = 50000,     /* of the critical path */
    EVENTS_MAX = 5000000,
    LINE_BYTES = 76
};

/* --- text ------------------------------------------------------------------------------------- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void pair(const char *name, const char *value, FILE *file)
{
    fprintf(file, "<dt>%s</dt><dd>", name);
    core_text_xml(value, file);
    fprintf(file, "</dd>\n");
}

/* Into a <script>: "<" must not stand there. */
static void script_json(json_t *object, FILE *file)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII);

    for (const char *at = text ? text : "null"; *at; at++) {
        if (*at == '<')
            fputs("\\u003c", file);
        else
            fputc(*at, file);
    }
    free(text);
}

/* --- what was found --------------------------------------------------------------------------- */

static void ring_edge(double from, double to, bool any, double radius, FILE *file)
{
    const double node = 19;
    double x0 = radius * sin(from), y0 = -radius * cos(from), x1 = radius * sin(to),
           y1 = -radius * cos(to);
    double length = hypot(x1 - x0, y1 - y0);

    if (length < 1)
        return;
    double ux = (x1 - x0) / length, uy = (y1 - y0) / length;
    /* Two ranks that wait for each other have two arrows: each bends to its right. */
    double bend = length * .12, mx = (x0 + x1) / 2 - uy * bend, my = (y0 + y1) / 2 + ux * bend;
    double ex = x1 - mx, ey = y1 - my, arrival = hypot(ex, ey), tx = x1 - ex / arrival * node,
           ty = y1 - ey / arrival * node;
    double sx = mx - x0, sy = my - y0, departure = hypot(sx, sy);

    fprintf(file, "<path class=\"edge%s\" d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>",
            any ? " any" : "", x0 + sx / departure * node, y0 + sy / departure * node, mx, my, tx,
            ty);
    fprintf(file, "<path class=\"head\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n", tx, ty,
            tx - ex / arrival * 8 - ey / arrival * 4, ty - ey / arrival * 8 + ex / arrival * 4,
            tx - ex / arrival * 8 + ey / arrival * 4, ty - ey / arrival * 8 - ex / arrival * 4);
}

struct ring { /* the ranks drawn for a finding: those listed, then those only waited for */
    uint32_t rank[RING_MAX];
    bool core[RING_MAX];
    uint32_t count;
};

static uint32_t ring_place(struct ring *ring, uint32_t rank, bool core)
{
    for (uint32_t i = 0; i < ring->count; i++)
        if (ring->rank[i] == rank)
            return i;
    if (ring->count == RING_MAX)
        return RING_MAX;
    ring->rank[ring->count] = rank;
    ring->core[ring->count] = core;
    return ring->count++;
}

static void ring_place_all(struct ring *ring, const struct finding_await *await)
{
    for (uint32_t rank = await->first; rank <= await->last && ring->count < RING_MAX; rank++)
        ring_place(ring, rank, false);
}

/* From a rank to those that it waits for, where both are drawn. */
static void ring_edges(struct ring *ring, uint32_t rank, const struct finding_await *await,
                       double step, double radius, FILE *file)
{
    uint32_t from = RING_MAX;

    for (uint32_t i = 0; i < ring->count; i++)
        if (ring->rank[i] == rank)
            from = i;
    for (uint32_t to = 0; to < ring->count && from < RING_MAX; to++)
        if (ring->rank[to] >= await->first && ring->rank[to] <= await->last)
            ring_edge(from * step, to * step, await->any, radius, file);
}

static void ring_draw(const struct finding *finding, FILE *file)
{
    struct ring ring = {.count = 0};
    bool waits = false;

    for (uint32_t i = 0; i < finding->call_count; i++) {
        ring_place(&ring, finding->call[i].rank, finding->call[i].core);
        waits |= finding->call[i].await_count > 0;
    }
    for (uint32_t i = 0; i < finding->call_count; i++)
        for (uint32_t j = 0; j < finding->call[i].await_count; j++)
            ring_place_all(&ring, &finding->call[i].await[j]);
    if (!waits)
        return;
    double radius = ring.count < 2 ? 0 : fmax(46, ring.count * 9.5), side = 2 * (radius + 30),
           step = 2 * 3.14159265358979 / ring.count;
    fprintf(file,
            "<svg class=\"ring\" width=\"%.0f\" height=\"%.0f\" viewBox=\"%.0f %.0f %.0f %.0f\" "
            "role=\"img\" aria-label=\"who waits for whom\">\n",
            side, side, -side / 2, -side / 2, side, side);
    for (uint32_t i = 0; i < finding->call_count; i++)
        for (uint32_t j = 0; j < finding->call[i].await_count; j++)
            ring_edges(&ring, finding->call[i].rank, &finding->call[i].await[j], step, radius,
                       file);
    for (uint32_t i = 0; i < ring.count; i++)
        fprintf(file,
                "<circle%s cx=\"%.1f\" cy=\"%.1f\" r=\"18\"/><text x=\"%.1f\" y=\"%.1f\">%" PRIu32
                "</text>\n",
                ring.core[i] ? " class=\"core\"" : "", radius * sin(i * step),
                -radius * cos(i * step), radius * sin(i * step), -radius * cos(i * step),
                ring.rank[i]);
    fprintf(file, "</svg>\n");
}

static void source_show(const struct block_place *place, FILE *file)
{
    const struct source_line *line = &place->source;

    if (!line->text)
        return;
    fprintf(file, "<pre class=\"source\"><span class=\"soft\">%d</span>  ", place->line);
    core_text_xml(line->text, file);
    fprintf(file, "\n%*s<b>", snprintf(NULL, 0, "%d", place->line) + 2 + (int)line->mark, "");
    for (uint32_t i = 0; i < line->size; i++)
        fputc('^', file);
    fprintf(file, "</b></pre>");
}

/* A click on it shows the call on the timeline. */
static void event_link(const struct block_place *place, FILE *file)
{
    if (place->seq)
        fprintf(file,
                "<br><a class=\"event\" href=\"#call-%" PRIu32 "-%" PRIu64 "\">on the timeline</a>",
                place->rank, place->seq);
}

static void place_row(const struct block_place *place, FILE *file)
{
    fprintf(file, "<tr%s><td>%s", place->core ? "" : " class=\"behind\"", place->ranks);
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
        fprintf(file, "<br>%s: ", place->part[i].ranks);
        core_text_xml(place->part[i].says, file);
    }
    fprintf(file, "</div></td></tr>\n");
}

/* Ranks that do the same are one row. */
static enum core_status places_table(const struct report_facts *facts,
                                     const struct finding *finding, FILE *file)
{
    struct block block = {0};
    enum core_status status = block_make(facts->trace, facts->source, finding, &block);

    if (status == CORE_OK && block.count) {
        fprintf(file, "<div class=\"wide\"><table class=\"places\">\n");
        for (uint32_t i = 0; i < block.count; i++)
            place_row(&block.place[i], file);
        fprintf(file, "</table></div>\n");
    }
    block_done(&block);
    return status;
}

static enum core_status finding_article(const struct report_facts *facts,
                                        const struct report_entry *entry, FILE *file)
{
    const struct finding *finding = entry->finding;
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
    ring_draw(finding, file);
    enum core_status status = places_table(facts, finding, file);
    fprintf(file, "</div>\n");
    if (finding->fact_count || entry->cause) {
        fprintf(file, "<ul>\n");
        if (entry->cause)
            fprintf(file, "<li>it follows from the %s of rule %s above</li>\n",
                    finding_severity_text(entry->cause->severity), entry->cause->rule->id);
        for (uint32_t i = 0; i < finding->fact_count; i++) {
            fprintf(file, "<li>");
            core_text_xml(finding->fact[i], file);
            fprintf(file, "</li>\n");
        }
        fprintf(file, "</ul>\n");
    }
    fprintf(file, "<dl>");
    if (finding->rule->help && finding->severity != FINDING_NOTE)
        pair("help", finding->rule->help, file);
    if (finding->schedule)
        pair("schedule", finding->schedule, file);
    if (finding->repeat) {
        fprintf(file, "<dt>again</dt><dd><code>");
        core_text_xml(finding->repeat, file);
        fprintf(file, "</code></dd>\n");
    }
    fprintf(file, "</dl></article>\n");
    return status;
}

/* --- the job ---------------------------------------------------------------------------------- */

static void job_head(const struct report_facts *facts, FILE *file)
{
    char verdict[128], bytes[64], line[256];
    const char *class = !facts->findings                          ? ""
                        : finding_list_fails(facts->findings)     ? "bad"
                        : finding_list_undecided(facts->findings) ? "open"
                                                                  : "good";

    report_verdict(facts, verdict, sizeof verdict);
    fprintf(file, "<h1 class=\"%s\">%s</h1>\n<dl>\n", class,
            facts->findings ? verdict : "what was recorded");
    if (facts->command)
        pair("command", facts->command, file);
    pair("trace", facts->trace->path, file);
    snprintf(line, sizeof line, "%" PRIu32 " rank%s on %" PRIu32 " host%s",
             facts->trace->rank_count, plural(facts->trace->rank_count), facts->hosts,
             plural(facts->hosts));
    pair("job", line, file);
    if (facts->exit_code >= 0) {
        snprintf(line, sizeof line, "%" PRId64, facts->exit_code);
        pair("exit status", line, file);
    }
    if (facts->library)
        pair("library", facts->library, file);
    int used =
        snprintf(line, sizeof line, "%" PRIu64 " call%s, %" PRIu64 " message%s, %s", facts->events,
                 plural(facts->events), facts->messages, plural(facts->messages),
                 describe_bytes(facts->message_bytes, bytes, sizeof bytes));
    if (facts->inner_events)
        snprintf(line + used, sizeof line - (size_t)used,
                 "; %" PRIu64 " more event%s inside the library", facts->inner_events,
                 plural(facts->inner_events));
    pair("recorded", line, file);
    if (facts->lost) {
        snprintf(line, sizeof line, "%" PRIu64 " events could not be recorded", facts->lost);
        pair("lost", line, file);
    }
    if (facts->ended)
        pair("ended by crosswait", facts->ended, file);
    fprintf(file, "</dl>\n");
}

static void last_row(const struct report_last *last, FILE *file)
{
    const char *detail = last->detail && *last->detail ? last->detail : NULL;

    fprintf(file, "<tr><td>%s</td><td>%s", last->ranks, event_rank_state_text(last->state));
    if (detail) {
        fprintf(file, "<span class=\"soft\"> ");
        core_text_xml(detail, file);
        fprintf(file, "</span>");
    }
    fprintf(file, "</td><td>%s</td><td class=\"call\">%s</td><td class=\"mono\">",
            !last->call     ? ""
            : last->pending ? "in"
                            : "outside of MPI, behind",
            last->call ? last->call : "");
    core_text_xml(last->where, file);
    fprintf(file, "</td><td class=\"number\">");
    if (last->call)
        fprintf(file, "%.3f s", (double)last->since_first_ns / 1e9);
    fprintf(file, "</td></tr>\n");
}

/* Ranks that ended alike are one row. */
static void last_table(const struct report_facts *facts, FILE *file)
{
    if (!facts->last_count)
        return;
    fprintf(file,
            "<h2>Where the ranks were when the job ended</h2>\n<div class=\"wide\"><table><tr>"
            "<th></th><th>state</th><th></th><th>call</th><th>place</th><th "
            "class=\"number\">since</th></tr>\n");
    for (uint32_t i = 0; i < facts->last_count; i++)
        last_row(&facts->last[i], file);
    fprintf(file, "</table></div>\n");
}

static void call_link(const struct report_facts *facts, struct why_call call, FILE *file)
{
    char place[512];

    fprintf(file, "<span class=\"call\">%s</span> <span class=\"mono\">",
            call.call >= 0 ? facts->trace->call[call.call].name : "a call");
    core_text_xml(trace_site_text(facts->trace, call.site, place, sizeof place), file);
    fprintf(file, "</span>");
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Who makes whom wait, in the job's own time. */
static void why_section(const struct report_facts *facts, FILE *file)
{
    const struct why *why = &facts->why;
    char time[32];
    char *sentence = NULL;
    size_t bytes;
    FILE *words = open_memstream(&sentence, &bytes);

    if (words) {
        report_why_sentence(facts, words);
        fclose(words);
    }
    fprintf(file, "<h2 id=\"why\">Who made whom wait</h2>\n<p>");
    core_text_xml(sentence, file);
    fprintf(file, ".</p>\n");
    free(sentence);
    if (!why->row_count)
        return;
    fprintf(file, "<div class=\"wide\"><table><tr><th class=\"number\">waited</th><th "
                  "class=\"number\">of all time</th><th></th><th>ranks</th><th>in</th><th>mostly "
                  "for</th><th>on its way to</th></tr>\n");
    for (uint32_t i = 0; i < why->row_count && i < ROWS_SHOWN_MAX; i++) {
        const struct why_row *row = &why->row[i];
        fprintf(file,
                "<tr><td class=\"number\">%s</td><td class=\"number\">%.1f %%</td><td>%s</td>"
                "<td>%s</td><td>",
                report_why_time(row->ns, time, sizeof time), share(row->ns, why->elapsed_ns),
                report_why_kind(row->kind), row->ranks ? row->ranks : "");
        call_link(facts, row->in, file);
        fprintf(file, "</td><td>rank %" PRIu32 " (%.0f %%)</td><td>", row->by,
                share(row->by_ns, row->ns));
        call_link(facts, row->until, file);
        fprintf(file, "</td></tr>\n");
    }
    fprintf(file, "</table></div>\n");
}

static void totals_table(const struct report_facts *facts, FILE *file)
{
    bool pending = false;

    for (uint32_t i = 0; i < facts->total_count; i++)
        pending |= facts->total[i].pending != 0;
    fprintf(file,
            "<h2>Calls</h2>\n<table><tr><th>call</th><th class=\"number\">count</th><th "
            "class=\"number\">time ms</th><th class=\"number\">bytes</th>%s</tr>\n",
            pending ? "<th class=\"number\">did not return</th>" : "");
    for (uint32_t i = 0; i < facts->total_count; i++) {
        const struct report_call_total *total = &facts->total[i];
        fprintf(file,
                "<tr><td class=\"call\">%s</td><td class=\"number\">%" PRIu64
                "</td><td class=\"number\">%.3f</td><td class=\"number\">",
                total->name, total->count, (double)total->time_ns / 1e6);
        if (total->bytes)
            fprintf(file, "%" PRIu64, total->bytes);
        if (total->pending)
            fprintf(file, "</td><td class=\"number\">%" PRIu64, total->pending);
        fprintf(file, "</td></tr>\n");
    }
    fprintf(file, "</table>\n");
}

static void cost_table(const struct report_facts *facts, FILE *file)
{
    char place[256];

    if (!facts->cost_count)
        return;
    fprintf(file,
            "<h2>Collectives against the model</h2>\n<p class=\"soft\">alpha 1 us, beta 1 ns a "
            "word of 8 bytes, single port; in brackets the bound "
            "that no algorithm can beat</p>\n<div class=\"wide\"><table><tr><th>call</th><th "
            "class=\"number\">ranks</th><th class=\"number\">bytes</th>"
            "<th class=\"number\">calls</th><th class=\"number\">rounds</th><th "
            "class=\"number\">bytes sent by a rank</th><th class=\"number\">engine us</th>"
            "<th class=\"number\">row us</th><th "
            "class=\"number\">efficiency</th><th>algorithm</th><th>slowest recorded</th></tr>\n");
    for (uint32_t i = 0; i < facts->cost_count && i < ROWS_SHOWN_MAX; i++) {
        const struct report_cost *cost = &facts->cost[i];
        fprintf(file,
                "<tr><td class=\"call\">%s</td><td class=\"number\">%" PRIu32
                "</td><td class=\"number\">%" PRIu64 "</td><td class=\"number\">%" PRIu64
                "</td><td class=\"number\">%" PRIu64 " (%" PRIu64
                ")</td><td class=\"number\">%" PRIu64 " (%" PRIu64
                ")</td><td class=\"number\">%.2f</td>",
                cost->call, cost->ranks, cost->bytes, cost->calls, cost->rounds, cost->bound_rounds,
                cost->words_bytes, cost->bound_bytes, (double)cost->engine_ps / 1e6);
        if (cost->row_ps)
            fprintf(file, "<td class=\"number\">%.2f</td>", (double)cost->row_ps / 1e6);
        else
            fprintf(file, "<td></td>");
        if (cost->engine_ps)
            fprintf(file, "<td class=\"number\">%.0f %%</td>",
                    100.0 * (double)cost->bound_ps / (double)cost->engine_ps);
        else
            fprintf(file, "<td></td>");
        fprintf(file, "<td>%s", cost->row ? cost->row : "none of the model");
        if (cost->rows > 1)
            fprintf(file, " (or %" PRIu32 " more)", cost->rows - 1);
        fprintf(file, "</td><td>%.3f ms at ", (double)cost->recorded_ns / 1e6);
        core_text_xml(trace_site_text(facts->trace, cost->site, place, sizeof place), file);
        fprintf(file, "</td></tr>\n");
    }
    fprintf(file, "</table></div>\n");
}

static void time_table(const struct report_time *time, FILE *file)
{
    if (!time->known)
        return;
    fprintf(file,
            "<h2>Time on the model's machine</h2>\n<p>%.3f us, ended by rank %" PRIu32
            "; critical path: %" PRIu64 " steps, %" PRIu64 " alphas, %" PRIu64
            " bytes, %.3f us of computing.</p>\n<table><tr><th>idle, us</th><th "
            "class=\"number\">late sender</th><th class=\"number\">late receiver</th>"
            "<th class=\"number\">port</th><th class=\"number\">link</th><th "
            "class=\"number\">finished at</th></tr>\n",
            (double)time->makespan_ps / 1e6, time->path_end, time->path_steps, time->path_alphas,
            time->path_bytes, (double)time->path_compute_ps / 1e6);
    fprintf(file,
            "<tr><td>all ranks</td><td class=\"number\">%.3f</td><td class=\"number\">%.3f</td><td "
            "class=\"number\">%.3f</td><td class=\"number\">%.3f</td>"
            "<td></td></tr>\n",
            (double)time->late_sender_ps / 1e6, (double)time->late_receiver_ps / 1e6,
            (double)time->port_ps / 1e6, (double)time->link_ps / 1e6);
    for (uint32_t i = 0; i < time->idle_count; i++) {
        const struct report_idle *idle = &time->idle[i];
        fprintf(file,
                "<tr><td>rank %" PRIu32 "</td><td class=\"number\">%.3f</td><td "
                "class=\"number\">%.3f</td><td class=\"number\">%.3f</td>"
                "<td class=\"number\">%.3f</td><td class=\"number\">%.3f</td></tr>\n",
                idle->rank, (double)idle->late_sender_ps / 1e6,
                (double)idle->late_receiver_ps / 1e6, (double)idle->port_ps / 1e6,
                (double)idle->link_ps / 1e6, (double)idle->finish_ps / 1e6);
    }
    fprintf(file, "</table>\n");
}

/* --- the timeline's data ---------------------------------------------------------------------- */

struct stream { /* numbers on their way into base64 */
    FILE *file;
    uint8_t rest[3];
    uint32_t rest_count, column;
};

static void stream_flush(struct stream *stream)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *b = stream->rest;

    if (!stream->rest_count)
        return;
    for (uint32_t i = stream->rest_count; i < 3; i++)
        stream->rest[i] = 0;
    fputc(digit[b[0] >> 2], stream->file);
    fputc(digit[(b[0] & 3) << 4 | b[1] >> 4], stream->file);
    fputc(stream->rest_count > 1 ? digit[(b[1] & 15) << 2 | b[2] >> 6] : '=', stream->file);
    fputc(stream->rest_count > 2 ? digit[b[2] & 63] : '=', stream->file);
    stream->rest_count = 0;
    if ((stream->column += 4) >= LINE_BYTES) {
        fputc('\n', stream->file);
        stream->column = 0;
    }
}

static void stream_number(struct stream *stream, uint64_t value)
{
    do {
        stream->rest[stream->rest_count++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
        if (stream->rest_count == 3)
            stream_flush(stream);
        value >>= 7;
    } while (value);
}

static void stream_signed(struct stream *stream, int64_t value)
{
    stream_number(stream, value < 0 ? ((uint64_t) - (value + 1) << 1) + 1 : (uint64_t)value << 1);
}

struct timeline {
    const struct report_facts *facts;
    struct stream stream;
    json_t *shapes, *lanes;
    uint32_t *shape_number; /* by the trace's id: 1 + number on the page; 0 not met */
    uint32_t shape_room;
    uint64_t t_before, messages;
    bool inner;
};

/* Events of a lane, in order; a lane longer than its share of the page keeps its last ones. */
static const char lanes_sql[] = "SELECT e.id >> 40, s.thread, count(*) FROM event_row e JOIN shape "
                                "s ON s.id = e.shape GROUP BY 1, 2 ORDER BY 1, 2";
static const char events_sql[] =
    "SELECT e.id & 1099511627775, e.shape, e.t_enter, e.duration, ifnull(e.repeat, 1) FROM "
    "event_row e JOIN shape s ON s.id = e.shape "
    "WHERE e.id >= ?1 << 40 AND e.id < (?1 + 1) << 40 AND s.thread = ?2 ORDER BY e.id LIMIT -1 "
    "OFFSET ?3";

/* What an event looks like: its shape's, with the arguments of the first one met. */
static enum core_status shape_get(struct timeline *line, uint32_t rank, uint64_t seq, int64_t id,
                                  uint32_t *out_number)
{
    struct trace *trace = line->facts->trace;
    struct trace_event event;
    char text[512], place[512];

    if (id < 0 || (uint64_t)id > trace->file_bytes)
        return core_report(CORE_BAD_FORMAT, "the trace '%s' is damaged: an event without a shape",
                           trace->path);
    enum core_status status = CORE_ARRAY_ROOM_ZERO(line->shape_number, line->shape_room,
                                                   (uint64_t)id + 1, "the timeline's shapes");
    if (status != CORE_OK)
        return status;
    if (!line->shape_number[id]) {
        status = trace_event_get(trace, rank, seq, &event);
        if (status != CORE_OK)
            return status;
        if (!trait_in(event.traits, TRAIT_MAKES_COMM) ||
            trait_in(event.traits, TRAIT_MAKES_REQUEST))
            event.request = 0; /* differs from event to event */
        json_array_append_new(
            line->shapes,
            json_pack("[s, s, s, s, i]", trace->call[event.call].name,
                      event_class_text(event.class),
                      describe_call(trace, &event, text, sizeof text),
                      event.site > 0 ? trace_site_text(trace, event.site, place, sizeof place) : "",
                      event.parent ? 1 : 0));
        line->shape_number[id] = (uint32_t)json_array_size(line->shapes);
        line->inner |= event.parent != 0;
    }
    *out_number = line->shape_number[id] - 1;
    return CORE_OK;
}

static enum core_status sql_failed(struct trace *trace)
{
    return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                       sqlite3_errmsg(trace->db));
}

static enum core_status lane_events(struct timeline *line, sqlite3_stmt *row, uint32_t rank,
                                    int32_t thread, uint64_t skipped)
{
    enum core_status status = CORE_OK;
    uint64_t seq_before = 0;
    int64_t t_before = 0;

    sqlite3_bind_int64(row, 1, rank);
    sqlite3_bind_int64(row, 2, thread);
    sqlite3_bind_int64(row, 3, (int64_t)skipped);
    while (status == CORE_OK && sqlite3_step(row) == SQLITE_ROW) {
        uint64_t seq = (uint64_t)sqlite3_column_int64(row, 0);
        int64_t t_enter = sqlite3_column_int64(row, 2), stay = sqlite3_column_int64(row, 3),
                repeat = sqlite3_column_int64(row, 4);
        uint32_t shape = 0;
        status = shape_get(line, rank, seq, sqlite3_column_int64(row, 1), &shape);
        stream_number(&line->stream, shape);
        stream_number(&line->stream, seq - seq_before);
        stream_signed(&line->stream, t_enter - t_before);
        stream_number(&line->stream, sqlite3_column_type(row, 3) == SQLITE_NULL
                                         ? 0
                                         : (uint64_t)(stay > 0 ? stay : 0) + 1);
        stream_number(&line->stream, repeat > 1 ? (uint64_t)repeat - 1 : 0);
        seq_before = seq;
        t_before = t_enter;
    }
    sqlite3_reset(row);
    return status;
}

static enum core_status lanes_write(struct timeline *line)
{
    struct trace *trace = line->facts->trace;
    sqlite3_stmt *lane = NULL, *event = NULL;
    enum core_status status = CORE_OK;
    uint64_t all = line->facts->events + line->facts->inner_events;
    char label[64];

    if (sqlite3_prepare_v2(trace->db, lanes_sql, -1, &lane, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(trace->db, events_sql, -1, &event, NULL) != SQLITE_OK)
        status = sql_failed(trace);
    while (status == CORE_OK && sqlite3_step(lane) == SQLITE_ROW) {
        uint32_t rank = (uint32_t)sqlite3_column_int64(lane, 0);
        int32_t thread = sqlite3_column_int(lane, 1);
        uint64_t count = (uint64_t)sqlite3_column_int64(lane, 2),
                 kept = all > EVENTS_MAX ? count * EVENTS_MAX / all : count;
        if (rank >= trace->rank_count) {
            status = core_report(CORE_BAD_FORMAT,
                                 "the trace '%s' is damaged: events of a rank that it has not",
                                 trace->path);
            break;
        }
        snprintf(label, sizeof label,
                 thread ? "rank %" PRIu32 ", thread %" PRId32 : "rank %" PRIu32, rank, thread);
        json_array_append_new(line->lanes, json_pack("[I, i, s, I]", (json_int_t)rank, (int)thread,
                                                     label, (json_int_t)kept));
        status = lane_events(line, event, rank, thread, count - kept);
    }
    sqlite3_finalize(lane);
    sqlite3_finalize(event);
    return status;
}

static void message_write(const struct report_message *message, void *context)
{
    struct timeline *line = context;

    if (line->messages++ >= EVENTS_MAX)
        return;
    stream_number(&line->stream, message->source);
    stream_number(&line->stream, message->dest);
    stream_number(&line->stream, message->t_send - line->t_before);
    stream_signed(&line->stream, (int64_t)message->t_leave - (int64_t)message->t_send);
    stream_number(&line->stream, message->bytes);
    stream_number(&line->stream, message->inner);
    line->t_before = message->t_send;
}

static const char timeline_html[] =
    "<h2 id=\"timeline\">Timeline</h2>\n<div class=\"tools\"><button "
    "id=\"closer\">closer</button><button "
    "id=\"farther\">farther</button><button id=\"fit\">whole</button>"
    "<label><input type=\"checkbox\" id=\"arrows\" checked> messages</label><span "
    "id=\"arrows_state\" class=\"soft\"></span>"
    "<label><input type=\"checkbox\" id=\"path\" checked> critical path</label>"
    "<input id=\"find\" type=\"search\" placeholder=\"find calls, places\" aria-label=\"find calls "
    "and places; Enter: the next one\">"
    "<span id=\"legend\"></span></div>\n"
    "<div id=\"lanes\" tabindex=\"0\"><canvas id=\"canvas\"></canvas><div "
    "id=\"space\"></div></div>\n"
    "<p class=\"soft\">Drag to move, Ctrl and wheel or double click to come closer, keys + - 0 and "
    "arrows; a click shows the call in the list. Red: did not return. <span "
    "id=\"tied\"></span></p>\n"
    "<div id=\"tip\"></div>\n"
    "<h2>Events</h2>\n<div class=\"tools\"><label>of <select "
    "id=\"choice\"></select></label></div>\n"
    "<div id=\"list\" tabindex=\"0\"><div id=\"rows\"></div><div id=\"list_space\"></div></div>\n"
    "<h2>Messages</h2>\n<div class=\"tools\"><span class=\"soft\">From the rank on the left to the "
    "rank on top, bytes; darker: more.</span><label><input type=\"checkbox\" id=\"matrix_inner\"> "
    "with those of the library</label><span class=\"soft\" id=\"matrix_state\"></span></div>\n"
    "<canvas id=\"matrix\" width=\"1\" height=\"1\"></canvas>\n";

/* Rank, from, to, of each segment of the critical path; the last ones where they are many. */
static json_t *path_json(const struct why *why)
{
    json_t *array = json_array();
    uint32_t from = why->segment_count > SEGMENTS_MAX ? why->segment_count - SEGMENTS_MAX : 0;

    for (uint32_t i = from; i < why->segment_count; i++)
        json_array_append_new(array, json_pack("[I, I, I]", (json_int_t)why->segment[i].rank,
                                               (json_int_t)why->segment[i].start_ns,
                                               (json_int_t)why->segment[i].end_ns));
    return array;
}

static enum core_status timeline_write(const struct report_facts *facts, FILE *file)
{
    struct timeline line = {
        .facts = facts, .stream = {.file = file}, .shapes = json_array(), .lanes = json_array()};

    fprintf(file, "<script type=\"text/plain\" id=\"stream\">\n");
    enum core_status status = lanes_write(&line);
    if (status == CORE_OK)
        status = report_messages_each(facts->trace, message_write, &line);
    stream_flush(&line.stream);
    fprintf(file, "\n</script>\n<script type=\"application/json\" id=\"head\">");
    json_t *head =
        json_pack("{s:I, s:I, s:I, s:b, s:o, s:o, s:o}", "ranks",
                  (json_int_t)facts->trace->rank_count, "end", (json_int_t)facts->end_ns,
                  "messages", (json_int_t)(line.messages < EVENTS_MAX ? line.messages : EVENTS_MAX),
                  "inner", (int)line.inner, "shapes", line.shapes, "lanes", line.lanes, "path",
                  path_json(&facts->why));
    script_json(head, file);
    json_decref(head);
    fprintf(file, "</script>\n");
    free(line.shape_number);
    return status;
}

enum core_status report_html(const struct report_facts *facts, FILE *file)
{
    fprintf(file, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                  "name=\"viewport\" content=\"width=device-width\">\n<title>crosswait: ");
    core_text_xml(facts->command ? facts->command : facts->trace->path, file);
    fprintf(file, "</title>\n<style>\n%s</style></head><body>\n", page_css);
    job_head(facts, file);
    if (facts->findings && facts->findings->count)
        fprintf(file, "<h2>Findings</h2>\n");
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; facts->findings && i < facts->findings->count && status == CORE_OK; i++)
        status = finding_article(facts, &facts->entry[i], file);
    if (facts->proof.count) {
        fprintf(file, "<h2>Who waited for whom when the job was ended</h2>\n<p>");
        core_text_xml(facts->ended, file);
        fprintf(file, "</p>\n");
        ring_draw(&facts->proof.finding[0], file);
    }
    last_table(facts, file);
    why_section(facts, file);
    fputs(timeline_html, file);
    if (facts->events + facts->inner_events > EVENTS_MAX)
        fprintf(file,
                "<p class=\"soft\">Of %" PRIu64
                " events the last %d are on this page; all are in the trace.</p>\n",
                facts->events + facts->inner_events, EVENTS_MAX);
    totals_table(facts, file);
    cost_table(facts, file);
    time_table(&facts->time, file);
    if (status == CORE_OK)
        status = timeline_write(facts, file);
    fprintf(file, "<script>\n%s</script>\n</body></html>\n", page_js);
    return status == CORE_OK && ferror(file) ? report_unwritten(facts) : status;
}
