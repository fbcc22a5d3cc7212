/* See the header. All files of a job are in a folder, which is emptied before each job. */
#include "cli/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/folder.h"
#include "core/array.h"
#include "core/file.h"
#include "core/trace/describe.h"
#include "explore/failure.h"
#include "explore/reexec.h"
#include "launch/force.h"
#include "launch/launch.h"
#include "core/decision/order_log.h"

#define A_JOB "a job"

struct jobs {
    const struct explore_command *command;
    double world_s;
    volatile int *stop; /* the signal that asks for the end; 0: none */
    char **argv;        /* NULL: the command as typed */
    struct folder folder;
    struct trace trace; /* of the last job */
    bool traced;
    struct explore_mirror mirror;
    unsigned lacks; /* EXPLORE_LACKS_ */
    struct world_rank_outcome *rank;
    char **text; /* by rank: standard output, standard error */
    char **why;  /* by rank: arguments of its call; NULL */
};

static char *file_read(const char *folder, const char *name, size_t *out_bytes)
{
    char path[PATH_MAX + 300], *text = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r"), *copy = open_memstream(&text, &bytes);
    for (int c; file && copy && (c = getc(file)) != EOF;)
        putc(c, copy);
    if (file)
        fclose(file);
    if (copy && fclose(copy) != 0) {
        free(text);
        text = NULL;
    }
    *out_bytes = text ? bytes : 0;
    return text;
}

/* --- one job ---------------------------------------------------------------------------------- */

static void last_done(struct jobs *jobs)
{
    explore_mirror_done(&jobs->mirror);
    if (jobs->traced)
        trace_close(&jobs->trace);
    jobs->traced = false;
    for (int i = 0; jobs->text && i < 2 * jobs->command->rank_count; i++) {
        free(jobs->text[i]);
        jobs->text[i] = NULL;
    }
    for (int r = 0; jobs->why && r < jobs->command->rank_count; r++) {
        free(jobs->why[r]);
        jobs->why[r] = NULL;
    }
}

/* Redirects our own streams, which the launcher and the job inherit, for the duration of a job. */
static bool streams_to(const char *path, int saved[2])
{
    int file = core_file_create(path, O_WRONLY | O_APPEND);
    fflush(NULL);
    saved[0] = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    saved[1] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    bool done = file >= 0 && saved[0] >= 0 && saved[1] >= 0 && dup2(file, STDOUT_FILENO) >= 0 &&
                dup2(file, STDERR_FILENO) >= 0;
    if (file >= 0)
        close(file);
    return done;
}

static void streams_back(const int saved[2])
{
    fflush(NULL);
    for (int i = 0; i < 2; i++)
        if (saved[i] >= 0) {
            dup2(saved[i], i ? STDERR_FILENO : STDOUT_FILENO);
            close(saved[i]);
        }
}

static enum core_status jobs_launch(struct jobs *jobs, const struct replay_policy *policy,
                                    double budget_s, struct launch_result *out_launched)
{
    char trace[PATH_MAX + 20], log[PATH_MAX + 20], *text;
    struct launch_options options = {.command = jobs->argv ? jobs->argv : jobs->command->typed,
                                     .output = trace,
                                     .watch = true,
                                     .ours = true,
                                     .threads = true,
                                     .budget_s = budget_s};
    int saved[2];
    snprintf(trace, sizeof trace, "%s/job.db", jobs->folder.path);
    snprintf(log, sizeof log, "%s/log", jobs->folder.path);
    enum core_status status = force_policy_text(NULL, policy, &text);
    if (status != CORE_OK)
        return status;
    launch_variable_set(&options, "CROSSWAIT_POLICY", text);
    launch_variable_set(&options, "CROSSWAIT_OUTPUT", jobs->folder.path);
    launch_variable_set(&options, ORDER_LOG_VARIABLE, jobs->folder.path);
    /* Puts Open MPI's own files into the folder, so that they go with it even if mpirun is
     * killed. */
    static const char *const place[] = {
        "OMPI_MCA_orte_tmpdir_base", "OMPI_MCA_btl_vader_backing_directory",
        "OMPI_MCA_osc_sm_backing_directory", "PRTE_MCA_prte_tmpdir_base", /* of version 5 */
        "OMPI_MCA_btl_sm_backing_directory"};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        launch_variable_set(&options, place[i], jobs->folder.path);
    char *why = NULL;
    bool silent = streams_to(log, saved);
    core_report_keep(&why);
    if (silent)
        status = launch_job(&options, out_launched);
    core_report_hook(NULL, NULL);
    streams_back(saved);
    if (!silent)
        status = core_report(CORE_IO, "cannot write '%s'", log);
    else if (status != CORE_OK && out_launched->end != LAUNCH_END_BUDGET)
        core_report(status, "%s", why ? why : "a job could not be watched");
    free(why);
    free(text);
    return status;
}

/* --- the outcome ------------------------------------------------------------------------------ */

static void jobs_found(struct world_outcome *outcome, enum world_rule rule, int rank,
                       const char *text)
{
    if (outcome->finding_count == WORLD_FINDINGS_MAX)
        return;
    struct world_finding *finding = &outcome->finding[outcome->finding_count++];
    finding->rule = rule;
    finding->rank = rank;
    snprintf(finding->text, sizeof finding->text, "%s", text);
}

/* Notes that the rank is in that call of the trace. */
static void jobs_stands(struct jobs *jobs, uint32_t r, const struct trace_event *event)
{
    char arguments[256];
    free(jobs->why[r]);
    describe_arguments(&jobs->trace, event, arguments, sizeof arguments);
    jobs->why[r] = strdup(arguments);
    jobs->rank[r].call = jobs->trace.call[event->call].name;
    jobs->rank[r].why = jobs->why[r];
    jobs->rank[r].site = event->site > 0 ? (uint64_t)event->site : 0;
}

/* Finds the rank's last call, if there is one; with several threads, one that did not return. */
static bool last_of(struct jobs *jobs, uint32_t rank, struct trace_event *out_event)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more, any = false;
    if (trace_cursor_open(&jobs->trace, rank, &cursor) != CORE_OK)
        return false;
    while (trace_cursor_next(cursor, &event, &more) == CORE_OK && more)
        if (!event.parent && (event.pending || !any || !out_event->pending)) {
            any = true;
            *out_event = event;
        }
    trace_cursor_close(cursor);
    return any;
}

/* Finds the call in which MPI ended the rank because of an error. Returns false if another cause
 * ended it. */
static bool error_of(struct jobs *jobs, uint32_t rank, char *text, size_t room)
{
    struct trace_event event;
    if (!last_of(jobs, rank, &event) || (!event.pending && !event.error))
        return false;
    jobs_stands(jobs, rank, &event);
    snprintf(text, room, "rank %u ends with an error in %s", rank,
             jobs->trace.call[event.call].name ? jobs->trace.call[event.call].name : "MPI");
    return true;
}

static void rank_end(struct jobs *jobs, uint32_t r, struct world_outcome *outcome)
{
    const struct trace_rank *known = &jobs->trace.rank[r];
    struct world_rank_outcome *rank = &jobs->rank[r];
    struct trace_event event;
    char text[WORLD_TEXT_MAX];
    switch (known->state) {
    case EVENT_RANK_FINISHED:
    case EVENT_RANK_EXITED:
        rank->end = WORLD_RANK_EXITED;
        rank->exit_status = (int)known->code;
        if (known->state == EVENT_RANK_EXITED && error_of(jobs, r, text, sizeof text)) {
            jobs_found(outcome, WORLD_RULE_ERROR, (int)r, text);
        } else if (known->code) {
            snprintf(text, sizeof text, "rank %u ended with status %d", r, rank->exit_status);
            jobs_found(outcome, WORLD_RULE_EXIT_STATUS, (int)r, text);
        }
        break;
    case EVENT_RANK_ABORTED:
        rank->end = WORLD_RANK_ABORTED;
        rank->abort_code = (int)known->code;
        snprintf(text, sizeof text, "rank %u calls MPI_Abort with code %d", r, rank->abort_code);
        jobs_found(outcome, WORLD_RULE_ABORT, (int)r, text);
        if (last_of(jobs, r, &event))
            jobs_stands(jobs, r, &event);
        break;
    case EVENT_RANK_CRASHED:
        rank->end = WORLD_RANK_KILLED;
        rank->signal = (int)known->code;
        snprintf(text, sizeof text, "rank %u is ended by signal %d (%s)", r, rank->signal,
                 strsignal(rank->signal));
        jobs_found(outcome, WORLD_RULE_CRASH, (int)r, text);
        break;
    default:
        rank->end = WORLD_RANK_STOPPED;
    }
}

/* Returns the first rank that waits forever for anything but other ranks' MPI_Finalize. */
static int stuck_of(const struct ending *ending)
{
    int first = ending->call_count ? (int)ending->call[0].rank : -1;
    for (uint32_t i = 0; i < ending->call_count; i++) {
        const struct ending_call *call = &ending->call[i];
        if (call->count && ending->wait[call->first].object != ENDING_OBJECT_FINALIZE)
            return (int)call->rank;
    }
    return first;
}

static void jobs_ends(struct jobs *jobs, const struct launch_result *launched,
                      struct world_outcome *outcome)
{
    const struct ending *ending = &launched->ending;
    outcome->finding_count = 0;
    outcome->finished = launched->end == LAUNCH_END_OWN && launched->status == 0;
    for (uint32_t r = 0; r < jobs->trace.rank_count; r++) {
        rank_end(jobs, r, outcome);
        outcome->finished &= jobs->trace.rank[r].state == EVENT_RANK_FINISHED;
    }
    /* The launcher ends the other ranks with the first one that fails: their outcome is unknown. */
    jobs->mirror.decisions.early |=
        launched->end != LAUNCH_END_DEADLOCK && explore_failure_of(outcome) != NULL;
    for (uint32_t i = 0; launched->end == LAUNCH_END_DEADLOCK && i < ending->call_count; i++) {
        struct trace_event event;
        const struct ending_call *call = &ending->call[i];
        if (call->role == ENDING_CORE && call->seq && call->rank < jobs->trace.rank_count &&
            trace_event_get(&jobs->trace, call->rank, call->seq, &event) == CORE_OK)
            jobs_stands(jobs, call->rank, &event);
    }
    if (launched->end == LAUNCH_END_DEADLOCK)
        jobs_found(outcome, WORLD_RULE_DEADLOCK, stuck_of(ending),
                   launched->verdict ? launched->verdict : "the job waits for ever");
    else if (launched->end == LAUNCH_END_BUDGET)
        jobs_found(outcome, WORLD_RULE_TIME, -1,
                   launched->verdict ? launched->verdict : "the time limit was reached");
}

static enum core_status jobs_outputs(struct jobs *jobs)
{
    for (int i = 0; i < 2 * jobs->command->rank_count; i++) {
        char name[32];
        size_t bytes;
        snprintf(name, sizeof name, "%d.%s", i / 2, i % 2 ? "err" : "out");
        jobs->text[i] = file_read(jobs->folder.path, name, &bytes);
        if (!jobs->text[i])
            return core_report(CORE_NO_MEMORY, "out of memory for the output of ranks");
        struct world_rank_outcome *rank = &jobs->rank[i / 2];
        *(i % 2 ? &rank->errors : &rank->output) = jobs->text[i];
        *(i % 2 ? &rank->errors_bytes : &rank->output_bytes) = bytes;
    }
    return CORE_OK;
}

/* Reports why the command started no job: the first line of its output that is not crosswait's. */
static enum core_status no_job(const struct jobs *jobs)
{
    size_t bytes;
    char *log = file_read(jobs->folder.path, "log", &bytes);
    const char *line = "";
    for (const char *at = log ? log : ""; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        at += strspn(at, " \t-\n");
        if (strncmp(at, "crosswait: ", 11)) {
            line = at;
            break;
        }
        line = at + 11;
    }
    enum core_status status =
        core_report(CORE_BAD_INPUT, "the command started no MPI job with %d ranks: %.*s",
                    jobs->command->rank_count, (int)strcspn(line, "\n"), line);
    free(log);
    return status;
}

static enum core_status jobs_look(struct jobs *jobs, const struct replay_policy *policy,
                                  const struct launch_result *launched)
{
    if (!launched->trace_count)
        return no_job(jobs);
    enum core_status status = trace_open(launched->trace[0], TRACE_READ, &jobs->trace);
    if (status != CORE_OK)
        return status;
    jobs->traced = true;
    if (jobs->trace.rank_count != (uint32_t)jobs->command->rank_count)
        return no_job(jobs);
    char turns[PATH_MAX + 20];
    snprintf(turns, sizeof turns, "%s/" ORDER_LOG_FILE, jobs->folder.path);
    status = explore_mirror_run(&jobs->trace, policy, turns, &jobs->mirror);
    if (status == CORE_OK)
        jobs->lacks |= (jobs->mirror.windows ? EXPLORE_LACKS_WINDOWS : 0) |
                       (jobs->mirror.persistent ? EXPLORE_LACKS_PERSISTENT : 0) |
                       (jobs->mirror.threads ? EXPLORE_LACKS_THREADS : 0);
    if (status == CORE_OK)
        status = jobs_outputs(jobs);
    if (status == CORE_OK)
        jobs_ends(jobs, launched, &jobs->mirror.outcome);
    return status;
}

/* Marks the outcome as unknown. */
static void look_away(struct jobs *jobs)
{
    explore_mirror_done(&jobs->mirror);
    jobs->mirror.decisions.unfinished = true;
    jobs->mirror.outcome.decisions = &jobs->mirror.decisions;
}

static enum core_status jobs_run(void *context, const struct replay_policy *policy, double left_s,
                                 struct world_process_outcome *out_outcome)
{
    struct jobs *jobs = context;
    struct launch_result launched = {0};
    bool less = left_s > 0 && left_s < jobs->world_s;
    enum core_status status = CORE_OK;
    last_done(jobs);
    folder_empty(&jobs->folder);
    memset(jobs->rank, 0, (size_t)jobs->command->rank_count * sizeof *jobs->rank);
    if (!*jobs->stop)
        status = jobs_launch(jobs, policy, less ? left_s : jobs->world_s, &launched);
    if (launched.end == LAUNCH_END_SIGNAL)
        *jobs->stop = launched.signal;
    bool over = launched.end == LAUNCH_END_BUDGET;
    if (*jobs->stop || (over && (less || status != CORE_OK || !launched.trace_count))) {
        status = CORE_OK; /* an interrupted job need not leave anything */
        look_away(jobs);
    } else if (status == CORE_OK)
        status = jobs_look(jobs, policy, &launched);
    jobs->mirror.decisions.unfinished |= over;
    jobs->mirror.decisions.overdue = over && !less;
    launch_result_done(&launched);
    if (status != CORE_OK)
        return status;
    *out_outcome = (struct world_process_outcome){.world = jobs->mirror.outcome,
                                                  .rank = jobs->rank,
                                                  .event = jobs->mirror.event,
                                                  .event_count = jobs->mirror.event_count};
    return CORE_OK;
}

/* Finds a site in the trace of the last job. */
static bool jobs_place(void *context, uint64_t number, struct site_place *out_place)
{
    const struct jobs *jobs = context;
    if (!jobs->traced || !number || number >= jobs->trace.site_count)
        return false;
    const struct trace_site *site = &jobs->trace.site[number];
    *out_place = (struct site_place){.line = site->line};
    snprintf(out_place->file, sizeof out_place->file, "%s", site->file ? site->file : "");
    snprintf(out_place->path, sizeof out_place->path, "%s", site->path ? site->path : "");
    return *out_place->file && site->line;
}

static unsigned jobs_lacks(void *context)
{
    return ((const struct jobs *)context)->lacks;
}

/* --- all jobs --------------------------------------------------------------------------------- */

/* Makes mpirun -n N PROGRAM... */
static enum core_status command_make(struct jobs *jobs)
{
    const struct explore_command *command = jobs->command;
    size_t words = 0;
    while (command->argv[words])
        words++;
    enum core_status status = CORE_ARRAY_NEW(jobs->argv, words + 4, A_JOB);
    if (status != CORE_OK)
        return status;
    jobs->argv[0] = strdup("mpirun");
    jobs->argv[1] = strdup("-n");
    if (asprintf(&jobs->argv[2], "%d", command->rank_count) < 0)
        jobs->argv[2] = NULL;
    memcpy(jobs->argv + 3, command->argv, words * sizeof *jobs->argv);
    return jobs->argv[0] && jobs->argv[1] && jobs->argv[2]
               ? CORE_OK
               : core_report(CORE_NO_MEMORY, "out of memory for a command");
}

enum core_status jobs_new(const struct explore_command *command, double world_s, volatile int *stop,
                          struct jobs **out_jobs)
{
    struct jobs *jobs = NULL;
    uint64_t ranks = (uint64_t)command->rank_count;
    enum core_status status = CORE_ARRAY_NEW(jobs, 1, A_JOB);
    if (status != CORE_OK)
        return status;
    *jobs = (struct jobs){.command = command, .world_s = world_s, .stop = stop};
    status = command->typed ? CORE_OK : command_make(jobs);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(jobs->rank, ranks, A_JOB);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(jobs->text, 2 * ranks, A_JOB);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(jobs->why, ranks, A_JOB);
    if (status == CORE_OK)
        status = folder_make(&jobs->folder);
    if (status != CORE_OK)
        jobs_free(jobs);
    else
        *out_jobs = jobs;
    return status;
}

void jobs_free(struct jobs *jobs)
{
    if (!jobs)
        return;
    last_done(jobs);
    folder_done(&jobs->folder);
    for (int i = 0; jobs->argv && i < 3; i++)
        free(jobs->argv[i]);
    free(jobs->argv);
    free(jobs->rank);
    free(jobs->text);
    free(jobs->why);
    free(jobs);
}

struct explore_runner jobs_runner(struct jobs *jobs)
{
    return (struct explore_runner){.words = "--world=mpirun ",
                                   .chance = true,
                                   .run = jobs_run,
                                   .place = jobs_place,
                                   .lacks = jobs_lacks,
                                   .context = jobs};
}
