/* See run.h. Each library runs the job once. Only if something differs it runs again, with its
 * output discarded, to see what repeats. */
#include "cli/libraries/run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "checkers/check.h"
#include "cli/folder.h"
#include "cli/libraries/capture.h"
#include "cli/libraries/clock.h"
#include "cli/libraries/compare.h"
#include "core/array.h"
#include "core/text.h"
#include "reports/identity.h"

#define THE_LIBRARIES "the MPI libraries"

struct session {
    const struct launch_options *launch;
    struct judge_options *judge;
    struct library_list libraries;
    struct comparison comparison; /* one member per library */
    struct folder folder;
    double confirm_s; /* seconds left for confirming */
    int interrupted;  /* by this signal */
    bool trouble, explored, compared;
    struct judge_series series;
};

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* --- one run ---------------------------------------------------------------------------------- */

/* Runs the job and makes its outcome, in the library's environment. pass: passes its output on. */
static enum core_status member_launch(struct session *session, struct member *member,
                                      const char *output, bool pass, struct launch_result *result)
{
    struct launch_options options = *session->launch;
    struct capture capture = {0};
    struct trace trace = {0};
    enum core_status status = capture_begin(pass, &capture);

    if (status != CORE_OK)
        return status;
    options.command = member->fit.command;
    options.output = output;
    options.ours |= !pass;
    status = launch_job(&options, result);
    session->trouble |= pass && status != CORE_OK && result->started;
    status = capture_end(&capture);
    if (status == CORE_OK && result->trace_count)
        status = trace_open(result->trace[0], TRACE_READ, &trace);
    if (status == CORE_OK) {
        char *text = capture.text[0];
        capture.text[0] = NULL; /* now owned by the outcome */
        status = outcome_make(result, result->trace_count ? &trace : NULL, member->library->title,
                              text, capture.text[1], &member->run[member->runs]);
        member->runs += status == CORE_OK;
    }
    if (result->end == LAUNCH_END_SIGNAL && launch_interrupted_by(result))
        session->interrupted = launch_interrupted_by(result);
    trace_close(&trace);
    capture_done(&capture);
    return status;
}

/* --- the report ------------------------------------------------------------------------------- */

static bool findings_alike(struct judged *a, struct judged *b)
{
    bool alike = a->list.count == b->list.count;

    for (uint32_t i = 0; i < a->list.count && alike; i++) {
        const struct finding *x = &a->list.finding[i], *y = &b->list.finding[i];
        char *p = identity_text(&a->trace, x), *q = identity_text(&b->trace, y);
        alike = p && q && !strcmp(p, q) && x->severity == y->severity &&
                !strcmp(finding_says(x), finding_says(y));
        free(p);
        free(q);
    }
    return alike;
}

/* Returns an earlier library with the same findings; NULL: none. */
static const struct member *alike_before(const struct session *session, struct member *member)
{
    for (struct member *other = session->comparison.member; other < member; other++)
        if (member->judged_count == 1 && other->judged_count == 1 &&
            findings_alike(&other->judged[0], &member->judged[0]))
            return other;
    return NULL;
}

static enum core_status member_report(struct session *session, struct member *member,
                                      struct judged *judged)
{
    const struct judge_options *judge = session->judge;
    const struct member *before;
    enum core_status status = judge_gather(judged, judge, stdout);

    if (status != CORE_OK)
        return status;
    if (judged == &member->judged[0])
        report_verdict(&judged->facts, member->verdict, sizeof member->verdict);
    before = alike_before(session, member);
    if (judge->quiet)
        return CORE_OK;
    if (before && !judge->verbose && !judge->check_none)
        printf("crosswait: the findings are those of %s\n", before->library->title);
    else
        status = judge_print(judged, judge, stdout);
    if (status == CORE_OK && judged->explored)
        printf("%s\n", judged->explored);
    return status;
}

/* Judges the traces of a library. Explores the program only once, as worlds have a library of their
 * own. */
static enum core_status member_judge(struct session *session, struct member *member,
                                     const struct launch_result *result, double job_s)
{
    struct judge_options *judge = session->judge;
    enum core_status status = CORE_ARRAY_NEW(member->judged, result->trace_count, THE_LIBRARIES);

    for (uint32_t i = 0; i < result->trace_count && status == CORE_OK; i++) {
        judge->confirm.command = member->fit.command;
        judge->confirm.budget_s = session->confirm_s;
        judge_job(judge, result, job_s);
        if (session->explored)
            judge->explore.command = NULL;
        session->explored |= judge->explore.command != NULL;
        double started_s = seconds_now();
        status = judge_begin(result->trace[i], judge, stdout, &member->judged[i]);
        member->judged_count++;
        session->confirm_s -= seconds_now() - started_s;
        session->confirm_s = session->confirm_s > 0 ? session->confirm_s : 0;
        if (status == CORE_OK)
            status = member_report(session, member, &member->judged[i]);
    }
    return status;
}

static enum core_status member_run(struct session *session, struct member *member)
{
    struct launch_result result = {0};
    double started_s = seconds_now();

    if (!session->judge->quiet) {
        printf("crosswait: with %s (%s)\n", member->library->title, member->library->launcher);
        fflush(stdout);
    }
    judge_path_named(session->launch->output, member->library->name, member->trace);
    explore_files_look(&session->judge->explore.files);
    fit_enter(&member->fit);
    enum core_status status = member_launch(session, member, member->trace, true, &result);
    if (status == CORE_OK && member->run[0].end < OUTCOME_UNSTARTED)
        status = member_judge(session, member, &result, seconds_now() - started_s);
    fit_leave(&member->fit);
    fflush(stdout);
    launch_verdict_report(&result);
    launch_result_done(&result);
    return status;
}

/* --- repeating -------------------------------------------------------------------------------- */

static enum core_status members_repeat(struct session *session)
{
    const struct comparison *comparison = &session->comparison;
    enum core_status status = CORE_OK;
    uint32_t runs = compare_runs(comparison);

    for (uint32_t i = 0; i < comparison->count; i++) {
        struct member *member = &comparison->member[i];
        while (status == CORE_OK && member_counts(member) && member->runs < runs &&
               !session->interrupted) {
            struct launch_result result = {0};
            char output[PATH_MAX + 64];
            snprintf(output, sizeof output, "%s/again-%" PRIu32 ".db", member->folder,
                     member->runs);
            fit_enter(&member->fit);
            status = member_launch(session, member, output, false, &result);
            fit_leave(&member->fit);
            if (member->runs == 2 && result.trace_count)
                snprintf(member->again, sizeof member->again, "%s", result.trace[0]);
            launch_result_done(&result);
        }
    }
    return status;
}

/* --- the table, and differences --------------------------------------------------------------- */

static void table_print(const struct session *session)
{
    const struct comparison *comparison = &session->comparison;
    int width[3] = {(int)strlen("library"), (int)strlen("ending"), (int)strlen("findings")};

    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct member *member = &comparison->member[i];
        const char *text[] = {member->library->title,
                              member->runs ? outcome_end_text(member->run[0].end) : "",
                              member->verdict};
        for (int j = 0; j < 3 && member->runs; j++)
            width[j] = (int)strlen(text[j]) > width[j] ? (int)strlen(text[j]) : width[j];
    }
    printf("%-*s  %-*s  exit  %-*s  trace\n", width[0], "library", width[1], "ending", width[2],
           "findings");
    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct member *member = &comparison->member[i];
        if (member->runs && member->run[0].end < OUTCOME_UNSTARTED)
            printf("%-*s  %-*s  %4d  %-*s  %s\n", width[0], member->library->title, width[1],
                   outcome_end_text(member->run[0].end), member->run[0].status, width[2],
                   member->verdict, member->trace);
    }
}

/* Prints the libraries that are not in the table, and the reasons. */
static void others_print(const struct session *session)
{
    const struct comparison *comparison = &session->comparison;

    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct member *member = &comparison->member[i];
        const struct outcome *run = &member->run[0];
        if (member->fit.reason)
            printf("not run with %s: %s\n", member->library->title, member->fit.reason);
        else if (!member->runs)
            printf("not run with %s: interrupted before\n", member->library->title);
        else if (run->end == OUTCOME_OTHER)
            printf("not run with %s: the program loaded %s\n", member->library->title, run->said);
        else if (run->end == OUTCOME_UNSTARTED)
            printf("not run with %s: it started no MPI job, exit status %d%s%s\n",
                   member->library->title, run->status, run->said && *run->said ? ": " : "",
                   run->said ? run->said : "");
    }
}

static enum core_status differences_print(const struct judged *judged)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < judged->list.count && status == CORE_OK; i++) {
        const struct report_entry *entry = &judged->facts.entry[i];
        if (entry->finding->rule == &rule_table[RULE_LIBRARY])
            status = report_text_finding(&judged->facts, entry, judged->facts.style, stdout);
    }
    return status;
}

static uint32_t members_count(const struct session *session)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < session->comparison.count; i++)
        count += member_counts(&session->comparison.member[i]);
    return count;
}

static void verdict_print(const struct session *session)
{
    uint32_t count = members_count(session), differences = compare_warnings(&session->comparison);

    if (count < 2)
        printf("verdict: not compared: fewer than two MPI libraries ran the job\n");
    else if (differences)
        printf("verdict: %" PRIu32 " difference%s between %" PRIu32 " MPI libraries\n", differences,
               differences == 1 ? "" : "s", count);
    else
        printf("verdict: no difference between %" PRIu32 " MPI libraries\n", count);
}

/* Writes a library's reports, with the differences, to files. */
static enum core_status member_write(struct session *session, struct member *member)
{
    static struct judge_names names;
    struct judge_options *judge = session->judge;
    const char *category = judge->category;
    enum core_status status = CORE_OK;
    char own[LIBRARY_WORDS * 2];

    snprintf(own, sizeof own, "%s-%s", category ? category : "crosswait", member->library->name);
    judge->category = own;
    judge_outputs_name(judge, member->library->name, &names);
    for (uint32_t i = 0; i < member->judged_count && status == CORE_OK; i++) {
        struct judged *judged = &member->judged[i];
        status = judge_gather(judged, judge, stdout);
        if (status == CORE_OK && judged->kept)
            status = check_keep(&judged->trace, &judge->check, judged->checked, &judged->list);
        if (status == CORE_OK)
            status = judge_write(judged, judge);
    }
    judge_outputs_restore(judge, &names);
    judge->category = category;
    return status;
}

static enum core_status session_tell(struct session *session)
{
    struct comparison *comparison = &session->comparison;
    bool wanted[RULE_COUNT];
    enum core_status status =
        check_names_parse(session->judge->check.only, session->judge->check.ignore, wanted);

    session->compared = status == CORE_OK && wanted[RULE_LIBRARY] && !session->judge->check_none;
    if (session->compared) {
        if (members_count(session) > 1 && !session->interrupted)
            status = members_repeat(session);
        if (status == CORE_OK && !session->interrupted)
            status = compare_add(comparison);
    }
    if (status == CORE_OK)
        status = judge_files_open(session->judge);
    for (uint32_t i = 0; i < comparison->count && status == CORE_OK; i++)
        status = member_write(session, &comparison->member[i]);
    if (!session->judge->quiet && status == CORE_OK) {
        printf("\n");
        table_print(session);
        others_print(session);
        for (uint32_t i = 0; i < comparison->count && status == CORE_OK; i++)
            for (uint32_t j = 0; j < comparison->member[i].judged_count && status == CORE_OK; j++)
                status = differences_print(&comparison->member[i].judged[j]);
        if (session->compared)
            verdict_print(session);
    }
    enum core_status closed = judge_files_close(session->judge);
    return status == CORE_OK ? closed : status;
}

/* --- all of it -------------------------------------------------------------------------------- */

static char *repeat_text(const char *words, char *const *command)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (file) {
        fprintf(file, "crosswait run --mpi=");
        core_text_shell(words, file);
        fprintf(file, " --");
        for (; *command; command++) {
            fputc(' ', file);
            core_text_shell(*command, file);
        }
    }
    return core_text_close(file, &text);
}

static enum core_status member_make(struct session *session, uint32_t i)
{
    struct member *member = &session->comparison.member[i];

    member->library = &session->libraries.library[i];
    snprintf(member->folder, sizeof member->folder, "%s/%" PRIu32, session->folder.path, i);
    if (mkdir(member->folder, 0700) != 0)
        return core_report(CORE_IO, "cannot make '%s'", member->folder);
    session->comparison.count++;
    return fit_make(member->library, &session->libraries, session->launch->command, member->folder,
                    &member->fit);
}

static void session_done(struct session *session)
{
    struct comparison *comparison = &session->comparison;

    for (uint32_t i = 0; i < comparison->count; i++) {
        struct member *member = &comparison->member[i];
        for (uint32_t j = 0; j < member->judged_count; j++)
            judge_end(&member->judged[j]);
        for (uint32_t j = 0; j < member->runs; j++)
            outcome_done(&member->run[j]);
        free(member->judged);
        fit_done(&member->fit);
    }
    free(comparison->member);
    free(comparison->repeat);
    folder_done(&session->folder);
    libraries_done(&session->libraries);
}

static enum core_status session_run(struct session *session, const char *words)
{
    struct comparison *comparison = &session->comparison;
    enum core_status status = libraries_find(words, &session->libraries);

    if (status == CORE_OK)
        status = folder_make(&session->folder);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(comparison->member, session->libraries.count, THE_LIBRARIES);
    comparison->repeat = repeat_text(words, session->launch->command);
    for (uint32_t i = 0; i < session->libraries.count && status == CORE_OK; i++)
        status = member_make(session, i);
    for (uint32_t i = 0; i < comparison->count && status == CORE_OK; i++)
        comparison->clock |= clock_is_read(comparison->member[i].fit.command);
    for (uint32_t i = 0; i < comparison->count && status == CORE_OK && !session->interrupted; i++)
        if (!comparison->member[i].fit.reason)
            status = member_run(session, &comparison->member[i]);
    return status == CORE_OK ? session_tell(session) : status;
}

static int session_exit(const struct session *session)
{
    int code = CLI_CLEAN;
    bool failed = false, budget = members_count(session) < 2;

    for (uint32_t i = 0; i < session->comparison.count; i++) {
        const struct member *member = &session->comparison.member[i];
        for (uint32_t j = 0; j < member->judged_count; j++)
            code = judge_worse(code, judge_exit(&member->judged[j]));
        if (!member->judged_count)
            continue;
        bool ours = member->run[0].end == OUTCOME_BUDGET || member->run[0].end == OUTCOME_STALLED;
        budget |= ours;
        failed |= member->run[0].status && !ours;
    }
    if (code == CLI_FINDINGS)
        return code;
    if (session->interrupted)
        return 128 + session->interrupted;
    if (session->trouble)
        return CLI_TROUBLE;
    return failed ? CLI_JOB : budget ? CLI_BUDGET : code;
}

int libraries_run(const char *words, const struct launch_options *launch,
                  struct judge_options *judge)
{
    struct session session = {
        .launch = launch, .judge = judge, .confirm_s = judge->confirm.budget_s};

    judge->series = &session.series;
    judge->announce = true;
    enum core_status status = session_run(&session, words);
    int code = status == CORE_OK ? session_exit(&session) : cli_exit_of(status);
    if (fflush(stdout) || ferror(stdout)) {
        core_report(CORE_IO, "cannot write the report to standard output");
        code = judge_worse(code, CLI_TROUBLE);
    }
    session_done(&session);
    return code;
}
