/* Writes the report for a terminal: a block per finding in the style of compilers, where the ranks
 * were if the job did not end well, and the verdict; with `verbose` all further facts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/text.h"
#include "core/trace/describe.h"
#include "reports/block.h"
#include "reports/report.h"

enum {
    PARTS_SHOWN_MAX = 8, /* per place, unless verbose; further ranks are named together */
    TOTALS_SHOWN_MAX = 12,
    IDLE_SHOWN_MAX = 3
};

static const char *report_text_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_head(const struct report_facts *facts, FILE *file)
{
    char bytes[64], calls[32], messages[32], lost[512];

    fprintf(file, "trace     %s\n", facts->trace->path);
    if (facts->command)
        fprintf(file, "command   %s\n", facts->command);
    fprintf(file, "job       %" PRIu32 " rank%s on %" PRIu32 " host%s", facts->trace->rank_count,
            report_text_plural(facts->trace->rank_count), facts->hosts,
            report_text_plural(facts->hosts));
    if (facts->exit_code >= 0)
        fprintf(file, ", exit status %" PRId64, facts->exit_code);
    fprintf(file, "\nrecorded  %s call%s, %s message%s, %s",
            describe_number(facts->events, calls, sizeof calls), report_text_plural(facts->events),
            describe_number(facts->messages, messages, sizeof messages),
            report_text_plural(facts->messages),
            describe_bytes(facts->message_bytes, bytes, sizeof bytes));
    if (facts->inner_events)
        fprintf(file, "; %s more event%s inside the library",
                describe_number(facts->inner_events, calls, sizeof calls),
                report_text_plural(facts->inner_events));
    fprintf(file, "\n");
    if (facts->findings && facts->findings->verified)
        fprintf(file, "verified  %s result%s of collectives\n",
                describe_number(facts->findings->verified, calls, sizeof calls),
                report_text_plural(facts->findings->verified));
    if (facts->lost)
        fprintf(file, "lost      %s\n", report_lost(facts, lost, sizeof lost));
    if (facts->unread)
        fprintf(file, "unread    %s\n", report_unread(facts, lost, sizeof lost));
    if (facts->ended)
        fprintf(file, "ended by  crosswait: %s\n", facts->ended);
    fputc('\n', file);
}

/* --- colours ---------------------------------------------------------------------------------- */

enum paint { PLAIN, BOLD, RED, YELLOW, GREEN, BLUE };

static const char *report_text_paint(struct report_style style, enum paint paint)
{
    static const char *const code[] = {
        [PLAIN] = "\33[0m",     [BOLD] = "\33[1m",     [RED] = "\33[1;31m",
        [YELLOW] = "\33[1;33m", [GREEN] = "\33[1;32m", [BLUE] = "\33[1;34m",
    };

    return style.colour ? code[paint] : "";
}

static enum paint severity_paint(enum finding_severity severity)
{
    return severity == FINDING_ERROR ? RED : severity == FINDING_WARNING ? YELLOW : GREEN;
}

/* --- a finding -------------------------------------------------------------------------------- */

struct screen { /* settings with which a block is printed */
    FILE *file;
    struct report_style style;
    int margin;       /* columns of line numbers */
    int where, ranks; /* columns for its places */
};

static void margin_print(const struct screen *s, const char *number, const char *sign)
{
    fprintf(s->file, "%s%*s %s%s", report_text_paint(s->style, BLUE), s->margin, number, sign,
            report_text_paint(s->style, PLAIN));
}

static void report_text_spaces(FILE *file, uint32_t count)
{
    fprintf(file, "%*s", (int)count, "");
}

static struct screen screen_of(const struct block *block, struct report_style style, FILE *file)
{
    struct screen s = {.file = file, .style = style, .margin = 2};

    for (uint32_t i = 0; i < block->count; i++) {
        const struct block_place *place = &block->place[i];
        int where = place->where ? (int)strlen(place->where) : 0,
            digits = snprintf(NULL, 0, "%d", place->line);
        if (place->source.text && digits > s.margin)
            s.margin = digits;
        if (where > s.where)
            s.where = where;
        if ((int)strlen(place->ranks) > s.ranks)
            s.ranks = (int)strlen(place->ranks);
    }
    return s;
}

static void print_parts(const struct screen *s, const struct block_place *place, uint32_t column)
{
    uint32_t shown = place->part_count;

    if (!s->style.verbose && shown > PARTS_SHOWN_MAX)
        shown = PARTS_SHOWN_MAX;
    for (uint32_t i = 0; i < shown; i++) {
        if (!*place->part[i].says)
            continue;
        margin_print(s, "", "|");
        report_text_spaces(s->file, column);
        fprintf(s->file, "%s: %s\n", place->part[i].ranks, place->part[i].says);
    }
    if (shown < place->part_count) {
        margin_print(s, "", "|");
        report_text_spaces(s->file, column);
        fprintf(s->file, "and %" PRIu32 " more, each with its own (--verbose shows them)\n",
                place->part_count - shown);
    }
}

static void print_source(const struct screen *s, const struct block_place *place, enum paint colour)
{
    const struct source_line *line = &place->source;
    char number[16];
    uint32_t indent = 5;

    snprintf(number, sizeof number, "%d", place->line);
    margin_print(s, number, "|");
    report_text_spaces(s->file, indent);
    fprintf(s->file, "%s\n", line->text);
    margin_print(s, "", "|");
    report_text_spaces(s->file, indent + line->mark);
    fputs(report_text_paint(s->style, colour), s->file);
    for (uint32_t i = 0; i < line->size; i++)
        fputc('^', s->file);
    fprintf(s->file, "%s%s", *place->says ? " " : "", place->says);
    if (!line->named && place->name && !strchr(place->name, ' ')) /* functions only, not "a load" */
        fprintf(s->file, "%s%s", *place->says ? ", in " : " in ", place->name);
    fprintf(s->file, "%s\n", report_text_paint(s->style, PLAIN));
    print_parts(s, place, indent + line->mark + (line->named ? line->size + 1 : 0));
}

static void print_bare(const struct screen *s, const struct block_place *place)
{
    margin_print(s, "", "|");
    fprintf(s->file, "  %s", place->name);
    fprintf(s->file, "%s%s\n", *place->says ? ": " : "", place->says);
    print_parts(s, place, 4);
}

static void print_place(const struct screen *s, const struct block_place *place, bool first,
                        enum paint colour)
{
    FILE *file = s->file;

    fprintf(file, "%s%*s%s ", report_text_paint(s->style, BLUE), s->margin + 2, "-->",
            report_text_paint(s->style, PLAIN));
    if (place->name)
        fprintf(file, "%-*s   %s", s->where, place->where ? place->where : "?", place->ranks);
    else
        fprintf(file, "%s, in no recorded call", place->ranks);
    if (place->stack) {
        report_text_spaces(file, (uint32_t)(s->ranks - (int)strlen(place->ranks)));
        fprintf(file, "   in %s", place->stack);
    }
    fprintf(file, "%s\n", place->core ? "" : "   (not to blame: waits for the others)");
    if (!place->name)
        return;
    if (first && place->source.text) {
        margin_print(s, "", "|");
        fputc('\n', file);
    }
    if (place->source.text)
        print_source(s, place, colour);
    else
        print_bare(s, place);
}

/* Some texts of MPI_Error_string have several lines. */
static void print_line(const struct screen *s, const char *what, const char *text)
{
    int bytes = (int)strcspn(text, "\n");

    margin_print(s, "", "=");
    fprintf(s->file, " %s%s%s%s%.*s\n", report_text_paint(s->style, BOLD), what ? what : "",
            what ? ": " : "", report_text_paint(s->style, PLAIN), bytes, text);
    for (text += bytes; *text; text += bytes) {
        bytes = (int)strcspn(++text, "\n");
        margin_print(s, "", " ");
        fprintf(s->file, "   %.*s\n", bytes, text);
    }
}

/* Tells whether the finding is only one sentence of its cause, as consequences are without
 * --verbose. */
static bool is_told_above(const struct report_entry *entry, struct report_style style)
{
    return entry->cause && !style.verbose && !finding_is_faint(entry->finding);
}

/* Tells whether the entry is the first with its remedy, which is printed once. */
static bool is_first(const struct report_facts *facts, const struct report_entry *entry,
                     struct report_style style)
{
    for (const struct report_entry *e = facts->entry; e < entry; e++)
        if (finding_help(e->finding) == finding_help(entry->finding) &&
            e->finding->severity != FINDING_NOTE && !is_told_above(e, style))
            return false;
    return true;
}

/* Prints the rest of a finding: its facts, further sentences, the remedy. */
static void print_lines(const struct screen *s, const struct finding *finding,
                        const char *const *more, bool help)
{
    bool refuted = finding_is_refuted(finding); /* then only the last fact, that it was examined,
                                                   counts */

    for (uint32_t i = refuted && finding->fact_count ? finding->fact_count - 1 : 0;
         i < finding->fact_count; i++)
        print_line(s, NULL, finding->fact[i]);
    for (; *more; more++)
        print_line(s, NULL, *more);
    if (finding->severity != FINDING_NOTE && finding_help(finding) && help)
        print_line(s, "help", finding_help(finding));
    if (finding->repeat)
        print_line(s, "again", finding->repeat);
}

void report_text_shown(const struct finding *finding, const struct block *block,
                       const char *const *more, bool help, struct report_style style, FILE *file)
{
    enum paint colour = severity_paint(finding->severity);
    struct screen s = screen_of(block, style, file);

    fprintf(file, "%s%s[%s]%s%s: %s%s\n", report_text_paint(style, colour),
            finding_severity_text(finding->severity), finding->rule->id,
            report_text_paint(style, PLAIN), report_text_paint(style, BOLD), finding_says(finding),
            report_text_paint(style, PLAIN));
    for (uint32_t i = 0; i < block->count; i++)
        print_place(&s, &block->place[i], i == 0, colour);
    print_lines(&s, finding, more, help);
    fputc('\n', file);
}

/* Further sentences on a finding: owned, NULL-terminated. */
struct more {
    char **text;
    uint32_t count, room;
};

static void more_done(struct more *more)
{
    for (uint32_t i = 0; i < more->count; i++)
        free(more->text[i]);
    free(more->text);
}

static enum core_status more_add(struct more *more, char *text)
{
    enum core_status status =
        CORE_ARRAY_ROOM(more->text, more->room, (uint64_t)more->count + 2, "the report");

    if (status != CORE_OK) {
        free(text);
        return status;
    }
    if (text)
        more->text[more->count++] = text;
    more->text[more->count] = NULL;
    return CORE_OK;
}

/* Returns "the error[collective] above" or "error[deadlock]", with text before and behind. */
static char *report_text_sentence(const char *before, const struct finding *finding,
                                  const char *behind, const char *says)
{
    char *text = NULL;

    if (asprintf(&text, "%s%s[%s]%s%s", before, finding_severity_text(finding->severity),
                 finding->rule->id, behind, says) < 0)
        return NULL;
    return text;
}

static enum core_status more_gather(const struct report_facts *facts,
                                    const struct report_entry *entry, struct report_style style,
                                    struct more *more)
{
    char ended[160];
    enum core_status status = more_add(more, NULL);

    if (status == CORE_OK && entry->cause)
        status = more_add(more,
                          report_text_sentence("it follows from the ", entry->cause, " above", ""));
    for (const struct report_entry *e = entry + 1; e <= entry + entry->follows && status == CORE_OK;
         e++)
        if (is_told_above(e, style) && e->finding->severity != FINDING_NOTE)
            status = more_add(
                more, report_text_sentence("", e->finding, " follows: ", finding_says(e->finding)));
    if (status == CORE_OK && report_ended(facts, entry, ended, sizeof ended))
        status = more_add(more, strdup(ended));
    return status;
}

enum core_status report_text_finding(const struct report_facts *facts,
                                     const struct report_entry *entry, struct report_style style,
                                     FILE *file)
{
    const struct finding *finding = entry->finding;
    struct block block = {0};
    struct more more = {0};
    enum core_status status = more_gather(facts, entry, style, &more);

    if (status == CORE_OK && !finding_is_refuted(finding))
        status = block_make(facts->trace, facts->source, finding, &block);
    if (status == CORE_OK)
        report_text_shown(finding, &block, (const char *const *)more.text,
                          is_first(facts, entry, style), style, file);
    block_done(&block);
    more_done(&more);
    return status;
}

/* --- the end of a job that did not end well --------------------------------------------------- */

static uint64_t report_text_milliseconds(uint64_t ns)
{
    return (ns + 500000) / 1000000;
}

static void print_state(const struct report_last *last, FILE *file)
{
    const char *detail = last->detail && *last->detail ? last->detail : NULL;
    uint64_t first_ms = report_text_milliseconds(last->since_first_ns),
             last_ms = report_text_milliseconds(last->since_last_ns);

    switch (last->state) {
    case EVENT_RANK_FINISHED:
        fputs("finished", file);
        return;
    case EVENT_RANK_MISSING: /* it has no call */
        fprintf(file, "left no record%s%s%s", detail ? " (" : "", detail ? detail : "",
                detail ? ")" : "");
        return;
    case EVENT_RANK_ENDED: /* ended from outside: its last place matters */
    case EVENT_RANK_RUNNING:
        break;
    default:
        fprintf(file, "%s%s%s%s, ", event_rank_state_text(last->state), detail ? " (" : "",
                detail ? detail : "", detail ? ")" : "");
    }
    if (!last->call)
        fputs("made no call", file);
    else
        fprintf(file, "%s %s at %s, since %.3f", last->pending ? "in" : "outside of MPI, after",
                last->call, last->where ? last->where : "?", (double)first_ms / 1e3);
    if (last->call && last_ms != first_ms)
        fprintf(file, " to %.3f", (double)last_ms / 1e3);
    if (last->call)
        fputs(" s after the start", file);
}

/* Tells whether the first finding says why the job was ended, and where the ranks were. */
static bool ending_told(const struct report_facts *facts)
{
    if (!facts->findings || !facts->findings->count)
        return false;
    return facts->reason == ENDING_DEADLOCK
               ? facts->entry[0].ended
               : facts->entry[0].finding->rule == &rule_table[RULE_HANG];
}

static void print_last(const struct report_facts *facts, FILE *file)
{
    int width = 0;

    if (!facts->last_count)
        return;
    if (facts->ended && !ending_told(facts))
        fprintf(file, "%s\n", facts->ended);
    if (facts->waiting)
        fprintf(file, "the job is still running; at the time of the snapshot, %s\n",
                facts->waiting);
    fprintf(file, "where the ranks were %s:\n",
            facts->waiting ? "at that moment" : "when the job ended");
    for (uint32_t i = 0; i < facts->last_count; i++)
        if ((int)strlen(facts->last[i].ranks) > width)
            width = (int)strlen(facts->last[i].ranks);
    for (uint32_t i = 0; i < facts->last_count; i++) {
        fprintf(file, "  %-*s  ", width, facts->last[i].ranks);
        print_state(&facts->last[i], file);
        fputc('\n', file);
    }
    fputc('\n', file);
}

/* --- further facts ---------------------------------------------------------------------------- */

/* Lists the ranks that are still in the call. */
static void print_pending(const struct report_facts *facts, const struct report_call_total *total,
                          FILE *file)
{
    bool told = false;

    for (uint32_t i = 0; i < facts->last_count; i++) {
        const struct report_last *last = &facts->last[i];

        if (!last->pending || !last->call || strcmp(last->call, total->name) != 0)
            continue;
        fprintf(file, "%s%s", told ? "; " : "   did not return: ", last->ranks);
        told = true;
    }
    if (!told) {
        char count[32];

        fprintf(file, "   %s did not return", describe_number(total->pending, count, sizeof count));
    }
}

static void print_totals(const struct report_facts *facts, FILE *file)
{
    char count[32], bytes[64], time[32];

    if (!facts->total_count)
        return;
    fprintf(file, "%-28s %12s %12s %24s\n", "call", "count", "time inside", "volume");
    for (uint32_t i = 0; i < facts->total_count && i < TOTALS_SHOWN_MAX; i++) {
        const struct report_call_total *total = &facts->total[i];
        fprintf(file, "%-28s %12s %12s", total->name,
                describe_number(total->count, count, sizeof count),
                total->count > total->pending ? report_why_time(total->time_ns, time, sizeof time)
                                              : "");
        if (total->bytes || total->pending)
            fprintf(file, " %24s",
                    total->bytes ? describe_bytes(total->bytes, bytes, sizeof bytes) : "");
        if (total->pending)
            print_pending(facts, total, file);
        fprintf(file, "\n");
    }
    if (facts->total_count > TOTALS_SHOWN_MAX)
        fprintf(file, "... and %" PRIu32 " more functions\n",
                facts->total_count - TOTALS_SHOWN_MAX);
    fputc('\n', file);
}

static void print_ratio(FILE *file, uint64_t part, uint64_t whole)
{
    if (whole)
        fprintf(file, " %5.0f%%", 100.0 * (double)part / (double)whole);
    else
        fprintf(file, " %6s", "-");
}

/* Prints R rounds, W bytes and T = alpha R + beta W, each beside the lower bound of all algorithms,
 * and C, the operations of the row. */
static void print_costs(const struct report_facts *facts, FILE *file)
{
    char place[256];

    if (!facts->cost_count)
        return;
    fprintf(file,
            "collectives inside the library, on the model's machine (a message costs 1 us and "
            "1 ns a word of 8 bytes; in brackets the least that any algorithm needs; best: "
            "the least time as a share of this one)\n");
    fprintf(file, "%-25s %5s %13s %7s %11s %25s %9s %9s %9s %6s  %s\n", "call", "ranks", "bytes",
            "calls", "rounds", "bytes of a rank", "adds", "time us", "model us", "best",
            "algorithm; slowest recorded");
    for (uint32_t i = 0; i < facts->cost_count && i < TOTALS_SHOWN_MAX; i++) {
        const struct report_cost *cost = &facts->cost[i];
        char rounds[48], words[64];
        char number[4][32];
        snprintf(rounds, sizeof rounds, "%" PRIu64 " (%" PRIu64 ")", cost->rounds,
                 cost->bound_rounds);
        snprintf(words, sizeof words, "%s (%s)",
                 describe_number(cost->words_bytes, number[0], sizeof number[0]),
                 describe_number(cost->bound_bytes, number[1], sizeof number[1]));
        fprintf(file, "%-25s %5" PRIu32 " %13s %7s %11s %25s %9s %9.2f ", cost->call, cost->ranks,
                describe_number(cost->bytes, number[0], sizeof number[0]),
                describe_number(cost->calls, number[1], sizeof number[1]), rounds, words,
                describe_number(cost->row_operations, number[2], sizeof number[2]),
                (double)cost->engine_ps / 1e6);
        if (cost->row_ps)
            fprintf(file, "%9.2f", (double)cost->row_ps / 1e6);
        else
            fprintf(file, "%9s", "-");
        print_ratio(file, cost->bound_ps, cost->engine_ps);
        fprintf(file, "  %s", cost->row ? cost->row : "none of the model");
        if (cost->rows > 1)
            fprintf(file, " (or %" PRIu32 " more)", cost->rows - 1);
        fprintf(file, "; %.3f ms at %s\n", (double)cost->recorded_ns / 1e6,
                trace_site_text(facts->trace, cost->site, place, sizeof place));
    }
    if (facts->cost_count > TOTALS_SHOWN_MAX)
        fprintf(file, "... and %" PRIu32 " more kinds\n", facts->cost_count - TOTALS_SHOWN_MAX);
    if (facts->cost_unmeasured)
        fprintf(file,
                "%" PRIu64
                " collective%s could not be measured: not all messages inside were recorded\n",
                facts->cost_unmeasured, report_text_plural(facts->cost_unmeasured));
    fputc('\n', file);
}

static const char *time_text(uint64_t ps, char *buffer, size_t buffer_bytes)
{
    return report_why_time(ps / 1000, buffer, buffer_bytes);
}

/* Prints the non-zero causes: "late sender 3.0 us, busy port 1.0 us". */
static void print_idle(FILE *file, const uint64_t *ps)
{
    char time[32];
    bool first = true;

    for (int cause = 0; cause < REPORT_IDLE_COUNT; cause++) {
        if (!ps[cause])
            continue;
        fprintf(file, "%s%s %s", first ? "" : ", ", report_idle_text((enum report_idle_cause)cause),
                time_text(ps[cause], time, sizeof time));
        first = false;
    }
}

static void print_time(const struct report_facts *facts, FILE *file)
{
    const struct report_time *time = &facts->time;
    char length[32];

    if (!time->known)
        return;
    fputs("on the model's machine the job ", file);
    report_time_path(time, file);
    fputc('\n', file);
    if (time->idle_count) {
        fprintf(file, "  idle, all ranks: ");
        print_idle(file, time->ps);
        fputc('\n', file);
    }
    for (uint32_t i = 0; i < time->idle_count && i < IDLE_SHOWN_MAX; i++) {
        fprintf(file, "  rank %-6" PRIu32 " ", time->idle[i].rank);
        print_idle(file, time->idle[i].ps);
        fprintf(file, ", of %s\n", time_text(time->idle[i].finish_ps, length, sizeof length));
    }
    if (time->idle_ranks > IDLE_SHOWN_MAX)
        fprintf(file, "  and %" PRIu32 " more ranks, which idle less\n",
                time->idle_ranks - IDLE_SHOWN_MAX);
    fputc('\n', file);
}

/* Asks for debug information if a finding is at a place of the program that has no line. */
static void print_without_lines(const struct report_facts *facts, FILE *file)
{
    const char *slash = facts->program ? strrchr(facts->program, '/') : NULL;
    const char *program = slash ? slash + 1 : facts->program;
    const struct trace *trace = facts->trace;

    for (uint32_t i = 0; program && facts->findings && i < facts->findings->count; i++) {
        const struct finding *finding = &facts->findings->finding[i];
        struct trace_event event;
        if (!finding_is_of_program(finding) || !finding->call_count || !finding->call[0].seq ||
            trace_event_get(facts->trace, finding->call[0].rank, finding->call[0].seq, &event) !=
                CORE_OK ||
            event.site <= 0 || (uint32_t)event.site >= trace->site_count)
            continue;
        const struct trace_site *site = &trace->site[event.site];
        const char *module = site->module ? strrchr(site->module, '/') : NULL;
        if (site->line || !site->module || strcmp(module ? module + 1 : site->module, program) != 0)
            continue;
        fprintf(file, "places: compile '%s' with -g, and findings name source lines\n", program);
        return;
    }
}

static void print_verdict(const struct report_facts *facts, FILE *file)
{
    char verdict[REPORT_VERDICT_MAX];
    struct report_style style = facts->style;
    enum paint colour = !facts->findings                                                    ? BOLD
                        : finding_list_fails(facts->findings)                               ? RED
                        : facts->findings->spent || finding_list_undecided(facts->findings) ? YELLOW
                                                                                            : GREEN;

    if (!facts->findings)
        return;
    fprintf(file, "%sverdict:%s %s\n", report_text_paint(style, colour),
            report_text_paint(style, PLAIN), report_verdict(facts, verdict, sizeof verdict));
    print_without_lines(facts, file);
    if (!finding_list_fails(facts->findings) && finding_list_undecided(facts->findings)) {
        fputs("only the real job can tell: crosswait replay --live ", file);
        core_text_shell(facts->trace->path, file);
        fprintf(file, " -- %s\n", facts->command ? facts->command : "CMD...");
    }
}

static uint32_t count_faint(const struct report_facts *facts)
{
    uint32_t count = 0;

    for (uint32_t i = 0; facts->findings && i < facts->findings->count; i++)
        count += finding_is_faint(facts->entry[i].finding);
    return count;
}

/* Names the further views that the report offers. */
static void print_recorded(const struct report_facts *facts, FILE *file)
{
    char number[32], bytes[64], lost[512];

    fprintf(file, "recorded: %s call%s of %" PRIu32 " rank%s",
            describe_number(facts->events, number, sizeof number),
            report_text_plural(facts->events), facts->trace->rank_count,
            report_text_plural(facts->trace->rank_count));
    if (facts->messages)
        fprintf(file, ", %s message%s of %s",
                describe_number(facts->messages, number, sizeof number),
                report_text_plural(facts->messages),
                describe_bytes(facts->message_bytes, bytes, sizeof bytes));
    if (facts->findings && facts->findings->verified)
        fprintf(file, ", %s result%s verified",
                describe_number(facts->findings->verified, number, sizeof number),
                report_text_plural(facts->findings->verified));
    if (facts->lost)
        fprintf(file, "; %s", report_lost(facts, lost, sizeof lost));
    if (facts->unread)
        fprintf(file, "; %s", report_unread(facts, lost, sizeof lost));
    uint32_t faint = count_faint(facts);
    if (faint)
        fprintf(file, "; %" PRIu32 " suspected deadlock%s did not occur when the job was run again",
                faint, report_text_plural(faint));
    fprintf(file, "; more: crosswait report --verbose ");
    core_text_shell(facts->trace->path, file);
    fputc('\n', file);
}

static enum core_status print_findings(const struct report_facts *facts, FILE *file)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; facts->findings && i < facts->findings->count && status == CORE_OK; i++)
        if (!is_told_above(&facts->entry[i], facts->style) &&
            (facts->style.verbose || !finding_is_faint(facts->entry[i].finding)))
            status = report_text_finding(facts, &facts->entry[i], facts->style, file);
    return status;
}

static enum core_status report_text_written(const struct report_facts *facts, FILE *file)
{
    return ferror(file) ? report_unwritten(facts) : CORE_OK;
}

enum core_status report_text_findings(const struct report_facts *facts, FILE *file)
{
    enum core_status status = print_findings(facts, file);

    print_verdict(facts, file);
    return status == CORE_OK ? report_text_written(facts, file) : status;
}

enum core_status report_text(const struct report_facts *facts, FILE *file)
{
    if (facts->style.verbose)
        print_head(facts, file);
    enum core_status status = print_findings(facts, file);
    print_last(facts, file);
    if (facts->style.verbose) {
        report_why_print(facts, file);
        print_totals(facts, file);
        print_costs(facts, file);
        print_time(facts, file);
    }
    print_verdict(facts, file);
    if (!facts->style.verbose) {
        report_why_line(facts, file);
        print_recorded(facts, file);
    }
    return status == CORE_OK ? report_text_written(facts, file) : status;
}
