/* The report for a terminal: what ran, what became of each rank, what was found, and the command
 * that shows it again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/trace/describe.h"
#include "reports/report.h"

enum { CALLS_SHOWN_MAX = 16, RANKS_SHOWN_MAX = 16, TOTALS_SHOWN_MAX = 12 };

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_head(const struct report_facts *facts, FILE *file)
{
    char bytes[64];

    fprintf(file, "trace     %s\n", facts->trace->path);
    if (facts->command)
        fprintf(file, "command   %s\n", facts->command);
    fprintf(file, "job       %" PRIu32 " rank%s on %" PRIu32 " host%s", facts->trace->rank_count,
            plural(facts->trace->rank_count), facts->hosts, plural(facts->hosts));
    if (facts->exit_code >= 0)
        fprintf(file, ", exit status %" PRId64, facts->exit_code);
    fprintf(file, "\nrecorded  %" PRIu64 " call%s, %" PRIu64 " message%s, %s", facts->events,
            plural(facts->events), facts->messages, plural(facts->messages),
            describe_bytes(facts->message_bytes, bytes, sizeof bytes));
    if (facts->inner_events)
        fprintf(file, "; %" PRIu64 " more event%s inside the library", facts->inner_events,
                plural(facts->inner_events));
    fprintf(file, "\n");
    if (facts->lost)
        fprintf(file, "lost      %" PRIu64 " event%s could not be recorded\n", facts->lost,
                plural(facts->lost));
    if (facts->ended)
        fprintf(file, "ended by  crosswait: %s\n", facts->ended);
}

/* The ranks that had no line of their own. */
static void print_rest(const uint32_t *rank, uint32_t count, FILE *file)
{
    if (!count)
        return;
    fputs("... and ", file);
    wording_ranks(file, rank, count, " and ");
    fputc('\n', file);
}

/* Ranks that finished in order need no line. */
static void print_ranks(const struct report_facts *facts, FILE *file)
{
    uint32_t *rest = malloc((facts->trace->rank_count + 1) * sizeof *rest), left = 0;
    uint32_t unusual = 0;

    for (uint32_t i = 0; i < facts->trace->rank_count; i++) {
        const struct trace_rank *rank = &facts->trace->rank[i];
        if (rank->state == EVENT_RANK_FINISHED && !rank->cut && !rank->lost)
            continue;
        if (unusual++ == 0)
            fprintf(file, "\n");
        if (unusual > RANKS_SHOWN_MAX) {
            if (rest)
                rest[left++] = i;
            continue;
        }
        fprintf(file, "rank %" PRIu32 "    %s", i, event_rank_state_text(rank->state));
        if (rank->detail && *rank->detail)
            fprintf(file, ": %s", rank->detail);
        fprintf(file, "; %" PRIu64 " events recorded%s", rank->events,
                rank->cut ? ", up to its end" : "");
        if (rank->lost)
            fprintf(file, ", %" PRIu64 " lost", rank->lost);
        fprintf(file, "\n");
    }
    print_rest(rest, left, file);
    free(rest);
}

static void print_group(const struct finding_group *group, FILE *file)
{
    const struct finding_call *call = group->call;

    fprintf(file, "  %-8s  %s", group->ranks ? group->ranks : "",
            call->call ? call->call : "in no recorded call");
    if (call->site)
        fprintf(file, " at %s", call->site);
    fprintf(file, "\n");
    if (call->subject)
        fprintf(file, "            of %s at %s\n", call->subject,
                call->subject_site ? call->subject_site : "?");
    if (call->waits_for)
        fprintf(file, "            waits for %s\n", call->waits_for);
    if (call->note)
        fprintf(file, "            %s\n", call->note);
}

/* Ranks that do the same are one entry. */
static void print_calls(const struct finding *finding, bool core, FILE *file)
{
    struct finding_group group[CALLS_SHOWN_MAX];
    char *rest;
    uint32_t count = finding_groups(finding, core, CALLS_SHOWN_MAX, group, &rest);

    if (count && !core)
        fprintf(file, "  waiting for them, not to blame:\n");
    for (uint32_t i = 0; i < count; i++) {
        print_group(&group[i], file);
        free(group[i].ranks);
    }
    if (rest)
        fprintf(file, "  ... and %s\n", rest);
    free(rest);
}

void report_text_finding(const struct finding *finding, FILE *file)
{
    bool refuted =
        finding->confirmed == FINDING_REFUTED; /* that it was looked at is all that matters */

    fprintf(file, "\n%s  %s: %s\n", finding_severity_text(finding->severity), finding->rule->id,
            finding->title);
    if (!refuted) {
        print_calls(finding, true, file);
        print_calls(finding, false, file);
    }
    for (uint32_t i = refuted && finding->fact_count ? finding->fact_count - 1 : 0;
         i < finding->fact_count; i++)
        fprintf(file, "  - %s\n", finding->fact[i]);
    if (finding->schedule)
        fprintf(file, "  schedule  %s\n", finding->schedule);
    if (finding->repeat)
        fprintf(file, "  again     %s\n", finding->repeat);
}

static void print_totals(const struct report_facts *facts, FILE *file)
{
    char bytes[64];

    if (!facts->total_count)
        return;
    fprintf(file, "\n%-28s %10s %12s %20s\n", "call", "count", "time ms", "volume");
    for (uint32_t i = 0; i < facts->total_count && i < TOTALS_SHOWN_MAX; i++) {
        const struct report_call_total *total = &facts->total[i];
        fprintf(file, "%-28s %10" PRIu64 " %12.3f %20s", total->name, total->count,
                (double)total->time_ns / 1e6, describe_bytes(total->bytes, bytes, sizeof bytes));
        if (total->pending)
            fprintf(file, "   %" PRIu64 " did not return", total->pending);
        fprintf(file, "\n");
    }
    if (facts->total_count > TOTALS_SHOWN_MAX)
        fprintf(file, "... and %" PRIu32 " more functions\n",
                facts->total_count - TOTALS_SHOWN_MAX);
}

static void print_ratio(FILE *file, uint64_t part, uint64_t whole)
{
    if (whole)
        fprintf(file, " %5.0f%%", 100.0 * (double)part / (double)whole);
    else
        fprintf(file, " %6s", "-");
}

/* R rounds, W bytes, T = alpha R + beta W, each beside the lower bound that no algorithm can beat;
 * C, the operations of the row. */
static void print_costs(const struct report_facts *facts, FILE *file)
{
    char place[256];

    if (!facts->cost_count)
        return;
    fprintf(file, "\ncollectives inside the library, on the model's machine (alpha 1 us, beta 1 ns "
                  "a word of 8 bytes, single port)\n");
    fprintf(file, "%-25s %5s %10s %6s %11s %21s %7s %9s %9s %6s  %s\n", "call", "ranks", "bytes",
            "calls", "R (bound)", "W bytes (bound)", "C row", "engine us", "row us", "eff.",
            "algorithm; slowest recorded");
    for (uint32_t i = 0; i < facts->cost_count && i < TOTALS_SHOWN_MAX; i++) {
        const struct report_cost *cost = &facts->cost[i];
        char rounds[48], words[64];
        snprintf(rounds, sizeof rounds, "%" PRIu64 " (%" PRIu64 ")", cost->rounds,
                 cost->bound_rounds);
        snprintf(words, sizeof words, "%" PRIu64 " (%" PRIu64 ")", cost->words_bytes,
                 cost->bound_bytes);
        fprintf(file, "%-25s %5" PRIu32 " %10" PRIu64 " %6" PRIu64 " %11s %21s %7" PRIu64 " %9.2f ",
                cost->call, cost->ranks, cost->bytes, cost->calls, rounds, words,
                cost->row_operations, (double)cost->engine_ps / 1e6);
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
                " collective%s could not be measured: what went on inside was not recorded whole\n",
                facts->cost_unmeasured, plural(facts->cost_unmeasured));
}

static void print_time(const struct report_facts *facts, FILE *file)
{
    const struct report_time *time = &facts->time;

    if (!time->known)
        return;
    fprintf(file, "\ntime on the model's machine: %.3f us, ended by rank %" PRIu32 "\n",
            (double)time->makespan_ps / 1e6, time->path_end);
    fprintf(file,
            "  critical path: %" PRIu64 " steps, %" PRIu64 " alphas, %" PRIu64
            " bytes, %.3f us of computing\n",
            time->path_steps, time->path_alphas, time->path_bytes,
            (double)time->path_compute_ps / 1e6);
    fprintf(file,
            "  idle, all ranks: late sender %.3f us, late receiver %.3f us, port %.3f us, link "
            "%.3f us\n",
            (double)time->late_sender_ps / 1e6, (double)time->late_receiver_ps / 1e6,
            (double)time->port_ps / 1e6, (double)time->link_ps / 1e6);
    for (uint32_t i = 0; i < time->idle_count && i < 3; i++) {
        const struct report_idle *idle = &time->idle[i];
        fprintf(file,
                "  rank %-6" PRIu32
                " late sender %.3f us, late receiver %.3f us, port %.3f us, of %.3f us\n",
                idle->rank, (double)idle->late_sender_ps / 1e6,
                (double)idle->late_receiver_ps / 1e6, (double)idle->port_ps / 1e6,
                (double)idle->finish_ps / 1e6);
    }
}

static void print_verdict(const struct report_facts *facts, FILE *file)
{
    char verdict[128];

    if (!facts->findings)
        return;
    fprintf(file, "\nverdict   %s\n", report_verdict(facts, verdict, sizeof verdict));
    if (!finding_list_fails(facts->findings) && finding_list_undecided(facts->findings))
        fprintf(file, "          only the real job can tell: crosswait replay --live '%s' -- %s\n",
                facts->trace->path, facts->command ? facts->command : "CMD...");
}

static void print_findings(const struct report_facts *facts, FILE *file)
{
    for (uint32_t i = 0; facts->findings && i < facts->findings->count; i++)
        report_text_finding(&facts->findings->finding[i], file);
}

static enum core_status written(FILE *file)
{
    return ferror(file) ? core_report(CORE_IO, "cannot write the report") : CORE_OK;
}

enum core_status report_text_findings(const struct report_facts *facts, FILE *file)
{
    print_findings(facts, file);
    print_verdict(facts, file);
    return written(file);
}

enum core_status report_text(const struct report_facts *facts, FILE *file)
{
    print_head(facts, file);
    print_ranks(facts, file);
    print_findings(facts, file);
    print_totals(facts, file);
    print_costs(facts, file);
    print_time(facts, file);
    print_verdict(facts, file);
    return written(file);
}
