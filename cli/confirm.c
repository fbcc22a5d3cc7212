/* Forces the schedule of a finding in the real job (launch/force.h) and believes what happens. */
#include "cli/confirm.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "checkers/check.h"
#include "core/progress.h"
#include "explore/live.h"
#include "launch/force.h"

/* ASKED_S: so long a rank may wait for an answer that the schedule names. */
enum { SECONDS_MIN = 1, ASKED_S = 5 };

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The job has printed what it prints once; saved[] takes what restores our own output. */
static bool silence(int saved[2])
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    fflush(NULL);
    saved[0] = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    saved[1] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    bool done = null >= 0 && saved[0] >= 0 && saved[1] >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
                dup2(null, STDERR_FILENO) >= 0;
    if (null >= 0)
        close(null);
    return done;
}

static void restore(const int saved[2])
{
    fflush(NULL);
    for (int i = 0; i < 2; i++)
        if (saved[i] >= 0) {
            dup2(saved[i], i ? STDERR_FILENO : STDOUT_FILENO);
            close(saved[i]);
        }
}

static void mark_failed(struct finding *finding, const struct force_result *live, uint32_t ranks)
{
    enum { OF_SIGNALS = 128 }; /* exit statuses above are a shell's for signals */

    if (!live->ranks)
        finding_fact(finding, "not confirmed: when the command was run again under this schedule, "
                              "no MPI job came of it");
    else if (live->ranks != ranks)
        finding_fact(finding,
                     "not confirmed: when the command was run again under this schedule, an MPI "
                     "job of %" PRIu32 " rank%s came of it",
                     live->ranks, live->ranks == 1 ? "" : "s");
    else if (live->status > OF_SIGNALS)
        finding_fact(finding,
                     "not confirmed: run again under this schedule, the job was ended by signal %d",
                     live->status - OF_SIGNALS);
    else if (live->status)
        finding_fact(
            finding,
            "not confirmed: run again under this schedule, the job ended with exit status %d",
            live->status);
    else
        finding_fact(finding, "not confirmed: run again under this schedule, not all ranks of the "
                              "job finished");
}

static void mark(struct finding *finding, const struct force_result *live, double budget_s,
                 uint32_t ranks)
{
    switch (live->outcome) {
    case FORCE_HUNG:
    case FORCE_ENDED:
        finding_confirm(finding, live->outcome == FORCE_HUNG ? FINDING_CONFIRMED : FINDING_REFUTED);
        break;
    case FORCE_FAILED:
        finding->confirmed = FINDING_UNPROVEN;
        mark_failed(finding, live, ranks);
        break;
    case FORCE_BUDGET:
        finding->confirmed = FINDING_UNPROVEN;
        if (live->stalled)
            finding_fact(finding, "not confirmed: run again under this schedule, the job went "
                                  "another way than recorded, and came to a stop "
                                  "that proves nothing");
        else
            finding_fact(finding,
                         "not confirmed: run again under this schedule, the job neither ended nor "
                         "was proven to hang within %.0f "
                         "seconds (--confirm=SECONDS)",
                         budget_s);
        break;
    case FORCE_UNTURNED:
        finding->confirmed = FINDING_UNPROVEN;
        finding_fact(finding, "not confirmed: run again, the job did not keep this schedule");
        break;
    }
}

/* The job itself, under a policy that it can be given. */
static enum core_status force(struct trace *trace, const struct confirm_options *options,
                              const struct replay_policy *policy, double budget_s, bool of_world,
                              struct force_result *out_live)
{
    char *output = NULL;
    int saved[2];
    enum core_status status = CORE_UNSUPPORTED;

    if (asprintf(&output, "%s.confirm", trace->path) < 0)
        return core_report(CORE_NO_MEMORY, "out of memory for confirming a finding");
    if (silence(saved)) {
        FILE *terminal = isatty(saved[1]) ? fdopen(dup(saved[1]), "w") : NULL,
             *before = core_progress_show(terminal);
        core_progress_begin("trying a finding in the real job", (uint64_t)(budget_s * 1000));
        status = force_run(of_world ? NULL : trace, trace->rank_count, policy, options->command,
                           output, budget_s, options->stall_s + (of_world ? ASKED_S : 0), out_live);
        core_progress_end();
        core_progress_show(before);
        if (terminal)
            fclose(terminal);
    }
    restore(saved);
    unlink(output);
    free(output);
    return status;
}

static enum core_status confirm_one(struct trace *trace, const struct confirm_options *options,
                                    double budget_s, struct finding *finding)
{
    struct replay_policy policy;
    struct force_result live = {0};
    enum core_status status = replay_policy_parse(finding->schedule, &policy);

    if (status != CORE_OK)
        return status;
    status = force(trace, options, &policy, budget_s, false, &live);
    if (status == CORE_OK)
        mark(finding, &live, budget_s, trace->rank_count);
    else
        finding_fact(finding, "not confirmed: the schedule could not be forced in the real job");
    force_result_done(&live);
    replay_policy_done(&policy);
    return CORE_OK;
}

/* --- what fails in a world -------------------------------------------------------------------- */

/* whole: the library was given every answer that the world had. */
static void mark_world(struct finding *finding, const struct force_result *live, uint32_t ranks,
                       bool whole)
{
    if (live->outcome == FORCE_HUNG)
        finding_confirm(finding, FINDING_CONFIRMED);
    else if (live->outcome == FORCE_FAILED && live->ranks == ranks && live->status)
        finding_confirm(finding, FINDING_FAILS);
    else if (live->outcome == FORCE_ENDED && whole)
        finding_confirm(finding, FINDING_REFUTED);
    else if (live->outcome == FORCE_UNTURNED) {
        finding->confirmed = FINDING_UNPROVEN;
        finding_fact(finding,
                     "run again, the job did not keep this schedule, which proves nothing");
    } else if (live->outcome == FORCE_BUDGET && live->stalled) {
        finding->confirmed = FINDING_UNPROVEN;
        finding_fact(finding, "run again under this schedule, the job came to a stop, too, which "
                              "proves nothing");
    }
}

static enum core_status confirm_world(struct trace *trace, const struct confirm_options *options,
                                      double budget_s, struct finding *finding)
{
    struct explore_command job;
    struct replay_policy policy, chosen;
    struct explore_lived lived;
    struct force_result live = {0};

    enum core_status status = explore_command_read(options->command, true, &job);
    if (status != CORE_OK)
        return status;
    status = replay_policy_read_world(&policy, finding->schedule);
    if (status == CORE_OK)
        status = explore_live(&job, &policy, budget_s, &chosen, &lived);
    replay_policy_done(&policy);
    explore_command_done(&job);
    if (status != CORE_OK)
        return status;
    status = force(trace, options, &chosen, budget_s, true, &live);
    if (status == CORE_OK)
        mark_world(finding, &live, trace->rank_count,
                   !lived.finished && explore_lived_whole(&lived));
    force_result_done(&live);
    replay_policy_done(&chosen);
    return status;
}

static bool is_of_world(const struct finding *finding)
{
    return finding->rule == &rule_table[RULE_BEHAVIOUR] && finding->severity == FINDING_ERROR;
}

enum core_status confirm_findings(struct trace *trace, const struct confirm_options *options,
                                  bool kept, struct finding_list *list)
{
    double started = seconds_now();
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; options->command && i < list->count && status == CORE_OK; i++) {
        struct finding *finding = &list->finding[i];
        double left = options->budget_s - (seconds_now() - started);
        bool of_world = is_of_world(finding);
        if (!(finding->assumed || of_world) || !finding->schedule ||
            finding->confirmed != FINDING_NOT_TRIED)
            continue;
        if (left < SECONDS_MIN) {
            finding_fact(
                finding,
                "not tried in the real job: the time for that was spent (--confirm=SECONDS)");
        } else if (of_world) {
            char *why = NULL; /* what cannot be tried stays as it is */
            core_report_keep(&why);
            confirm_world(trace, options, left, finding);
            core_report_hook(NULL, NULL);
            free(why);
        } else {
            status = confirm_one(trace, options, left, finding);
        }
        if (status == CORE_OK && kept)
            status = check_keep_one(trace, finding);
    }
    return status;
}
