/* Explains on a terminal why the job took so long: one sentence, and one table of who makes whom
 * wait. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "core/trace/describe.h"
#include "reports/report.h"
#include "reports/why.h"

enum {
    ROWS_SHOWN_MAX = 10,
    ONE_RANK_PERCENT = 10, /* of a row's waiting: least share of a rank that stands out */
    BLAMED_PERCENT = 67,   /* share from which a rank is named as the one waited for */
    WAITED_PERCENT = 20    /* share of all time above which the verdict mentions waiting, */
};
static const uint64_t elapsed_ns_min = 1000000000; /* if the ranks ran so long after MPI_Init */

const char *report_why_kind(enum why_kind kind)
{
    static const char *const text[] = {[WHY_LATE_SENDER] = "late sender",
                                       [WHY_LATE_RECEIVER] = "late receiver",
                                       [WHY_COLLECTIVE] = "at a collective"};
    _Static_assert(sizeof text / sizeof *text == WHY_KIND_COUNT, "words per kind");

    return text[kind];
}

const char *report_why_time(uint64_t ns, char *buffer, size_t buffer_bytes)
{
    char number[32];

    if (ns >= 1000 * UINT64_C(1000000000))
        snprintf(buffer, buffer_bytes, "%s s",
                 describe_number(ns / 1000000000, number, sizeof number));
    else if (ns >= 1000000000)
        snprintf(buffer, buffer_bytes, "%.2f s", (double)ns / 1e9);
    else if (ns >= 1000000)
        snprintf(buffer, buffer_bytes, "%.1f ms", (double)ns / 1e6);
    else
        snprintf(buffer, buffer_bytes, "%.1f us", (double)ns / 1e3);
    return buffer;
}

static unsigned report_why_percent(uint64_t part, uint64_t whole)
{
    return whole ? (unsigned)(100.0 * (double)part / (double)whole + 0.5) : 0;
}

bool report_why_one(const struct why_row *row)
{
    return report_why_percent(row->by_ns, row->ns) >= ONE_RANK_PERCENT;
}

static const char *name_of(const struct trace *trace, struct why_call call)
{
    return call.call >= 0 ? trace->call[call.call].name : "a call";
}

/* Writes "MPI_Recv at slow.c:14". */
static void call_write(const struct report_facts *facts, struct why_call call, FILE *file)
{
    char *place = source_place(facts->source, facts->trace, call.site);

    fputs(name_of(facts->trace, call), file);
    if (place)
        fprintf(file, " at %s", place);
    free(place);
}

/* Writes " (in work)". */
static void function_write(const struct trace *trace, struct why_call call, FILE *file)
{
    const struct trace_site *site =
        call.site > 0 && (uint32_t)call.site < trace->site_count ? &trace->site[call.site] : NULL;

    if (site && site->function)
        fprintf(file, " (in %s)", site->function);
}

static uint64_t waited_of(const struct why *why)
{
    uint64_t waited = 0;

    for (int kind = 0; kind < WHY_KIND_COUNT; kind++)
        waited += why->waited_ns[kind];
    return waited;
}

static void culprit_write(const struct report_facts *facts, const struct why *why, uint32_t culprit,
                          const struct why_part *part, FILE *file)
{
    uint64_t work = 0;

    for (uint32_t i = 0; i < why->part_count; i++)
        if (why->part[i].rank == culprit && !why->part[i].inside)
            work += why->part[i].ns;
    fprintf(file,
            "rank %" PRIu32 " holds the others up: %u %% of the critical path is its own work",
            culprit, report_why_percent(work, why->path_ns));
    if (part) {
        fprintf(file, part->ns * 10 >= work * 9 ? " before " : ", most of it before ");
        call_write(facts, part->at, file);
        function_write(facts->trace, part->at, file);
    }
}

static void print_sentence(const struct report_facts *facts, FILE *file)
{
    const struct why *why = &facts->why;
    const struct why_part *part = NULL;
    uint32_t culprit = why_culprit(why, &part);
    uint64_t waited = waited_of(why);

    if (facts->reason == ENDING_DEADLOCK)
        fputs("before the job hung, ", file);
    if (why->timed_ns < why->elapsed_ns)
        fprintf(file, "in the %.1f %% of the time of which each call's is known, ",
                100.0 * (double)why->timed_ns / (double)why->elapsed_ns);
    if (culprit != UINT32_MAX) {
        culprit_write(facts, why, culprit, part, file);
    } else if (why->ranks > 1 && waited * 20 >= why->timed_ns && why->row_count) {
        fprintf(file, "the ranks wait for each other %u %% of their time, most of it in ",
                report_why_percent(waited, why->timed_ns));
        call_write(facts, why->row[0].in, file);
        if (report_why_percent(why->row[0].by_ns, why->row[0].ns) >= BLAMED_PERCENT)
            fprintf(file, ", for rank %" PRIu32, why->row[0].by);
        else
            fprintf(file, "; no single rank is to blame");
    } else if (why->timed_ns == why->elapsed_ns && why->mpi_ns * 2 >= why->elapsed_ns &&
               why->place_count) {
        fprintf(file, "%u %% of all time is spent inside MPI, most of it in ",
                report_why_percent(why->mpi_ns, why->elapsed_ns));
        call_write(facts, why->place[0].in, file);
        fprintf(file, ", but little of it waiting for another rank");
    } else {
        fprintf(file, "no rank holds the others up: %u %% of all time is waiting",
                report_why_percent(waited, why->timed_ns));
        if (why->timed_ns == why->elapsed_ns)
            fprintf(file, ", %u %% is spent inside MPI",
                    report_why_percent(why->mpi_ns, why->elapsed_ns));
    }
}

char *report_why_sentence_text(const struct report_facts *facts)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    print_sentence(facts, file);
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}

void report_why_line(const struct report_facts *facts, FILE *file)
{
    const struct why *why = &facts->why;
    const struct why_part *part = NULL;
    uint64_t waited = waited_of(why);
    unsigned percent = report_why_percent(waited, why->timed_ns),
             timed = report_why_percent(why->timed_ns, why->elapsed_ns);

    if (percent <= WAITED_PERCENT || !why->row_count ||
        why->elapsed_ns / why->ranks < elapsed_ns_min)
        return;
    uint32_t culprit = why_culprit(why, &part);
    fprintf(file, "waiting:  %u %% of the ranks' time%s, ", percent,
            facts->reason == ENDING_DEADLOCK ? " before the job hung" : "");
    if (why->timed_ns < why->elapsed_ns)
        fprintf(file, "in the %u %% of it that is known call by call, ", timed);
    if (culprit != UINT32_MAX && part) {
        fprintf(file, "for rank %" PRIu32 ", which works before ", culprit);
        call_write(facts, part->at, file);
    } else {
        fputs("most of it in ", file);
        call_write(facts, why->row[0].in, file);
    }
    fputs("; more: crosswait report --why ", file);
    core_text_shell(facts->trace->path, file);
    fputc('\n', file);
}

static void print_work(const struct why *why, FILE *file)
{
    char most[32], mean[32], elapsed[32], early[32], messages[32];

    if (!why->ranks || !why->elapsed_ns)
        return;
    fprintf(file, "work of a rank, outside of MPI: %s on average, %s at most",
            report_why_time(why->work_mean_ns, mean, sizeof mean),
            report_why_time(why->work_max_ns, most, sizeof most));
    if (why->timed_ns == why->elapsed_ns) /* otherwise it is known only in parts */
        fprintf(file, "; the critical path is %s",
                report_why_time(why->path_ns, elapsed, sizeof elapsed));
    if (why->early)
        fprintf(file,
                why->timed_ns < why->elapsed_ns
                    ? "; %s of %s messages whose times are known were sent before their receive "
                      "was posted"
                    : "; %s of %s messages were sent before their receive was posted",
                describe_number(why->early, early, sizeof early),
                describe_number(why->messages, messages, sizeof messages));
    fputc('\n', file);
}

static void print_row(const struct report_facts *facts, const struct why_row *row, FILE *file)
{
    const struct why *why = &facts->why;
    char time[32];

    fprintf(file, "  %10s %4u %%  %-15s ", report_why_time(row->ns, time, sizeof time),
            report_why_percent(row->ns, why->timed_ns), report_why_kind(row->kind));
    fprintf(file, "%s in ", row->ranks ? row->ranks : "");
    call_write(facts, row->in, file);
    if (!report_why_one(row))
        fprintf(file, ", for many ranks");
    else
        fprintf(file, ", for rank %" PRIu32, row->by);
    if (report_why_one(row) && report_why_percent(row->by_ns, row->ns) < 95)
        fprintf(file, " (%u %%) and others", report_why_percent(row->by_ns, row->ns));
    if (row->until.site != row->in.site || row->until.call != row->in.call) {
        fprintf(file, ", which came late to ");
        call_write(facts, row->until, file);
    }
    fputc('\n', file);
}

/* Notes how many rows of at least 1 % are left out. */
static void print_rest(uint32_t rest, FILE *file)
{
    if (rest)
        fprintf(file, "  ... and %" PRIu32 " more of at least 1 %%\n", rest);
}

static void print_places(const struct report_facts *facts, FILE *file)
{
    const struct why *why = &facts->why;
    char time[32], calls[32];
    uint32_t rest = 0;

    if (!why->place_count || report_why_percent(why->place[0].ns, why->elapsed_ns) < 1)
        return;
    fprintf(file, "time inside MPI, all ranks:\n");
    for (uint32_t i = 0; i < why->place_count; i++) {
        const struct why_place *place = &why->place[i];
        if (report_why_percent(place->ns, why->elapsed_ns) < 1)
            break;
        if (i >= ROWS_SHOWN_MAX) {
            rest++;
            continue;
        }
        fprintf(file, "  %10s %4u %%  %s call%s of ", report_why_time(place->ns, time, sizeof time),
                report_why_percent(place->ns, why->elapsed_ns),
                describe_number(place->calls, calls, sizeof calls), place->calls == 1 ? "" : "s");
        call_write(facts, place->in, file);
        fputc('\n', file);
    }
    print_rest(rest, file);
}

void report_why_growth(const struct report_facts *facts, const struct why_growth *growth,
                       FILE *file)
{
    char first[64], last[64];

    fprintf(file,
            growth->ahead ? "unexpected messages pile up: those of " : "messages grow: those of ");
    call_write(facts, growth->at, file);
    if (growth->ahead)
        fprintf(file,
                " were sent %s before their receive was posted in the first quarter of them, "
                "%s in the last",
                report_why_time(growth->first, first, sizeof first),
                report_why_time(growth->last, last, sizeof last));
    else
        fprintf(file, " had %s each in the first quarter of them, %s in the last",
                describe_bytes(growth->first, first, sizeof first),
                describe_bytes(growth->last, last, sizeof last));
}

static void print_slow(const struct report_facts *facts, const struct why_slow *slow, FILE *file)
{
    char number[32], took[32], usual[32];

    fprintf(file,
            "a slow round: round %s of a loop of rank %" PRIu32
            " took %s, and half of those before it less than %s; most of it up to the end of ",
            describe_number(slow->number, number, sizeof number), slow->rank,
            report_why_time(slow->ns, took, sizeof took),
            report_why_time(slow->usual_ns, usual, sizeof usual));
    call_write(facts, slow->at, file);
    fputc('\n', file);
}

static void print_summed(const struct report_facts *facts, FILE *file)
{
    char calls[32];

    if (facts->trace->summed)
        fprintf(file,
                "of %s calls in loops only sums of the times are known, not who waited for whom; "
                "record with --times=all for those of each\n",
                describe_number(facts->trace->summed, calls, sizeof calls));
}

void report_why_print(const struct report_facts *facts, FILE *file)
{
    const struct why *why = &facts->why;
    uint32_t told = 0, rest = 0;

    fprintf(file, "why it took so long: ");
    print_sentence(facts, file);
    fputc('\n', file);
    print_work(why, file);
    for (uint32_t i = 0; i < why->row_count; i++) {
        if (report_why_percent(why->row[i].ns, why->timed_ns) < 1)
            continue;
        if (told == ROWS_SHOWN_MAX) {
            rest++;
            continue;
        }
        if (!told)
            fprintf(file, why->timed_ns < why->elapsed_ns
                              ? "waiting, of the time of all ranks of which each call's is known:\n"
                              : "waiting, of the time of all ranks:\n");
        print_row(facts, &why->row[i], file);
        told++;
    }
    print_rest(rest, file);
    print_places(facts, file);
    for (uint32_t i = 0; i < why->growth_count; i++) {
        report_why_growth(facts, &why->growth[i], file);
        fputc('\n', file);
    }
    for (uint32_t i = 0; i < why->slow_count; i++)
        print_slow(facts, &why->slow[i], file);
    print_summed(facts, file);
    fputc('\n', file);
}

enum core_status report_why(const struct report_facts *facts, FILE *file)
{
    report_why_print(facts, file);
    return ferror(file) ? report_unwritten(facts) : CORE_OK;
}
