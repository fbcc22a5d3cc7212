/* crosswait run: records, checks and reports in one command: the main job. The job's own output
 * comes first and unchanged; crosswait's follows on standard output. */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/inside.h"
#include "cli/judge.h"
#include "cli/libraries/run.h"
#include "launch/launch.h"
#include "cli/options.h"
#include "cli/record_options.h"

enum {
    OPTION_BUDGET = RECORD_JOB_COUNT,
    OPTION_ONLY,
    OPTION_IGNORE,
    OPTION_CONFIRM,
    OPTION_QUIET,
    OPTION_MPI,
    OPTION_FILE,
    OPTION_STYLE = OPTION_FILE + JUDGE_FILE_COUNT,
    OPTION_LIBRARY = OPTION_STYLE + JUDGE_STYLE_COUNT
};

enum {
    CONFIRM_SECONDS = 30 /* default of --confirm */
};

static const struct options_spec spec[] = {
    RECORD_JOB_SPECS,
    {"budget", 0, "SECONDS", "end the job after SECONDS, whatever it does"},
    {"only", 0, "NAME,...",
     "run only these checkers or rules; 'crosswait check --list' lists them"},
    {"ignore", 0, "NAME,...", "leave out the findings of these, e.g. type"},
    {"confirm", 0, "SECONDS",
     "explore other orders, and run the job again to confirm unproven findings, for at most "
     "SECONDS in all (default 30; 0: neither)"},
    {"quiet", 'q', NULL, "print no report; only write the files that other options name"},
    {"mpi", 0, "LIBRARIES",
     "run the job with several MPI libraries and compare: all (those in the PATH and in "
     "CROSSWAIT_MPI), or their folders: DIR,DIR"},
    JUDGE_FILE_SPECS,
    JUDGE_STYLE_SPECS,
    RECORD_OPTION_SPECS,
    {0},
};

static void cmd_run_values(const char *option)
{
    judge_values(option);
    record_option_values(option);
}

static const struct options_command command = {
    .name = "run",
    .usage = "crosswait run [-o T.db] [options] [--] CMD...",
    .about = "Runs CMD, e.g. 'mpirun -n 4 ./app', records it, checks what it did and what it "
             "relied on, and prints a report. crosswait leaves the job's own output as it is; the "
             "report follows it on standard output.",
    .spec = spec,
    .more =
        "Exit status: 0 clean, 1 findings, 2 usage, 3 trace or tool trouble, 4 the job itself "
        "failed and no finding says "
        "why, 5 budget spent without a verdict, 128 + N the job was interrupted by signal N (130: "
        "Ctrl-C) and nothing was found.",
    .flags = OPTIONS_STOP,
    .example =
        "crosswait run -- mpirun -n 4 ./app\n"
        "crosswait run -q --junit=app.xml --sarif=app.sarif --html=app.html -- mpirun -n 4 ./app\n"
        "crosswait run --why -- mpirun -n 4 ./app",
    .values = cmd_run_values,
};

struct run_outcome {
    bool budget, trouble;
    uint32_t findings; /* traces that have some */
};

/* Judges one trace. Reports on further jobs of the command are numbered like their traces,
 * F-2.html, F-3.html..., unless their format holds several. */
static void trace_judge(const char *path, uint32_t number, struct judge_options *judge,
                        struct run_outcome *outcome)
{
    static struct judge_names names;
    char name[16];

    snprintf(name, sizeof name, "%" PRIu32, number);
    judge_outputs_name(judge, number > 1 ? name : NULL, &names);
    int code = judge_trace(path, judge, stdout);
    judge_outputs_restore(judge, &names);
    switch (code) {
    case CLI_CLEAN:
        break;
    case CLI_FINDINGS:
        outcome->findings++;
        break;
    case CLI_BUDGET:
        outcome->budget = true;
        break;
    default:
        outcome->trouble = true;
    }
}

/* Adds the findings of the jobs that crosswaits inside of the command recorded to the files of this
 * one. They have printed and confirmed these. */
static void inside_judge(const struct inside *inside, uint32_t number, struct judge_options *judge,
                         struct run_outcome *outcome)
{
    const bool quiet = judge->quiet;
    const uint32_t own = outcome->findings;

    judge->recall = judge->quiet = true;
    judge->check = (struct check_options){.seed = judge->check.seed,
                                          .budget_schedules = judge->check.budget_schedules};
    judge->explore = (struct explored_options){0};
    judge->confirm = (struct confirm_options){0};
    for (uint32_t i = 0; i < inside->count; i++)
        trace_judge(inside->trace[i], number + i + 1, judge, outcome);
    judge->quiet = quiet;
    if (inside->count && judge->output_count && !quiet)
        printf("crosswait: the files also have the reports on %" PRIu32
               " job%s that the command recorded itself, %" PRIu32 " of them with findings\n",
               inside->count, inside->count == 1 ? "" : "s", outcome->findings - own);
}

/* Derives the exit status. The job's own status counts only where no finding explains it. */
static int exit_of(const struct launch_result *result, uint32_t traces,
                   const struct run_outcome *outcome)
{
    if (outcome->findings || result->end == LAUNCH_END_DEADLOCK)
        return CLI_FINDINGS;
    if (result->end == LAUNCH_END_BUDGET || (result->end == LAUNCH_END_SIGNAL && outcome->budget))
        return CLI_BUDGET;
    if (launch_interrupted_by(result))
        return 128 + launch_interrupted_by(result);
    if (result->status)
        return CLI_JOB;
    if (outcome->trouble || !traces)
        return CLI_TROUBLE;
    return outcome->budget ? CLI_BUDGET : CLI_CLEAN;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int cmd_run_body(struct launch_options *launch, bool named, struct judge_options *judge)
{
    struct run_outcome outcome = {0};
    struct inside inside;
    double started_s = seconds_now();
    struct launch_result result;
    enum core_status status;
    int code;

    explore_files_look(&judge->explore.files);
    inside_begin(&inside);
    launch->inside_fd = inside.fd;
    const char *output = inside_output(&inside, named ? launch->output : NULL);
    launch->output = output ? output : launch->output;
    status = launch_job(launch, &result);
    judge_job(judge, &result, seconds_now() - started_s);
    if (!result.started) {
        code = result.status ? CLI_JOB : cli_exit_of(status);
        launch_result_done(&result);
        inside_done(&inside);
        return code;
    }
    struct judge_series series = {0};
    judge->series = &series;
    judge->announce = true;
    outcome.trouble =
        status != CORE_OK || inside_read(&inside) != CORE_OK || judge_files_open(judge) != CORE_OK;
    for (uint32_t i = 0; i < result.trace_count; i++) {
        if (i && !judge->quiet)
            printf("\n");
        trace_judge(result.trace[i], i + 1, judge, &outcome);
        inside_tell(&inside, result.trace[i]);
    }
    inside_judge(&inside, result.trace_count, judge, &outcome);
    for (uint32_t i = 0; i < inside.count; i++)
        inside_tell(&inside, inside.trace[i]);
    fflush(stdout);
    outcome.trouble |= judge_files_close(judge) != CORE_OK;
    launch_verdict_report(&result);
    if (fflush(stdout) || ferror(stdout)) {
        core_report(CORE_IO, "cannot write the report to standard output");
        outcome.trouble = true;
    }
    code = exit_of(&result, result.trace_count + inside.count, &outcome);
    if (launch_interrupted_by(&result) && result.trace_count && !judge->quiet)
        printf("crosswait: the job was interrupted by SIG%s; the report covers what was recorded "
               "until then\n",
               sigabbrev_np(result.signal));
    else if (code == CLI_JOB && result.trace_count && !judge->quiet)
        printf("crosswait: the job itself failed, with exit status %d\n", result.status);
    launch_result_done(&result);
    inside_done(&inside);
    return code;
}

int cmd_run(int argc, char **argv)
{
    struct launch_options launch = {.output = launch_batch_output(), .watch = true};
    struct judge_options judge;
    struct options o;
    bool wanted[RULE_COUNT];
    const char *libraries = NULL;
    const char *usual = launch.output;
    int which;

    judge_defaults(&judge);
    judge.confirm.budget_s = CONFIRM_SECONDS;
    if (!getenv("CROSSWAIT_BUFFERS"))
        launch_variable_set(&launch, "CROSSWAIT_BUFFERS", "on");
    if (!getenv("CROSSWAIT_PAYLOAD"))
        launch_variable_set(&launch, "CROSSWAIT_PAYLOAD", "sample");
    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0) {
        switch (which) {
        case OPTION_BUDGET:
            if (options_number(&o, &launch.budget_s))
                return CLI_USAGE;
            break;
        case OPTION_ONLY:
            if (check_names_parse(o.value, NULL, wanted) != CORE_OK) /* reported before the job
                                                                        runs */
                return CLI_USAGE;
            judge.check.only = o.value;
            break;
        case OPTION_IGNORE:
            if (check_names_parse(NULL, o.value, wanted) != CORE_OK)
                return CLI_USAGE;
            judge.check.ignore = o.value;
            break;
        case OPTION_CONFIRM:
            if (options_number(&o, &judge.confirm.budget_s))
                return CLI_USAGE;
            break;
        case OPTION_QUIET:
            judge.quiet = true;
            break;
        case OPTION_MPI:
            libraries = o.value;
            break;
        default:
            if (which < RECORD_JOB_COUNT ? record_job_set(&launch, &o, which)
                : which < OPTION_STYLE   ? judge_file_set(&judge, &o, which - OPTION_FILE)
                : which < OPTION_LIBRARY ? judge_style_set(&judge, &o, which - OPTION_STYLE)
                                         : record_option_set(&launch, &o, which - OPTION_LIBRARY))
                return CLI_USAGE;
        }
    }
    if (which != OPTIONS_END)
        return options_exit(which);
    if (!o.rest_count)
        return options_wrong(&o, "no command to run");
    if (launch.budget_s <= 0)
        launch.budget_s = launch_batch_budget();
    launch.command = o.rest;
    judge.confirm.command = o.rest;
    return libraries ? libraries_run(libraries, &launch, &judge)
                     : cmd_run_body(&launch, launch.output != usual, &judge);
}
