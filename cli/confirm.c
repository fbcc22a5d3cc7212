/* Forces the schedule of a finding on the real job (launch/force.h), and marks the finding by the
 * result. */
#include "cli/confirm.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "checkers/check.h"
#include "cli/explored.h"
#include "core/progress.h"
#include "core/text.h"
#include "explore/schedule_export.h"
#include "launch/force.h"

/* ASKED_S: how long a rank may wait for an answer that the schedule names. */
enum { SECONDS_MIN = 1, ASKED_S = 5 };

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Silences the job, which has printed its output once; saved[] gets the means to restore our own
 * output. */
static bool confirm_silence(int saved[2])
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

static void confirm_restore(const int saved[2])
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
    enum { OF_SIGNALS = 128 }; /* higher exit statuses are a shell's for signals */

    if (!live->ranks)
        finding_fact(finding,
                     "not confirmed: run again under this schedule, the command started no "
                     "MPI job");
    else if (live->ranks != ranks)
        finding_fact(finding,
                     "not confirmed: run again under this schedule, the command started an MPI job "
                     "of %" PRIu32 " rank%s",
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

static void confirm_mark(struct finding *finding, const struct force_result *live, double budget_s,
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
            finding_fact(finding, "not confirmed: run again under this schedule, the job made "
                                  "other calls than recorded, and its stop proves nothing");
        else
            finding_fact(finding,
                         "not confirmed: run again under this schedule, the job neither ended nor "
                         "was proven to hang within %.0f "
                         "seconds (--confirm=SECONDS)",
                         budget_s);
        break;
    case FORCE_UNTURNED:
        finding->confirmed = FINDING_UNPROVEN;
        finding_fact(finding, "not confirmed: run again, the job did not follow this schedule");
        break;
    }
}

/* --- where it hung ---------------------------------------------------------------------------- */

struct rerun {
    struct force_result live;
    bool elsewhere;           /* it hung, but not in all calls of the finding */
    struct finding_list hung; /* if elsewhere: the hang */
    bool made;                /* it finished, but its record shows the finding's wrong call */
    const struct finding_list *list; /* if the finding is a world's: all findings */
    uint32_t same; /* id of the confirmed deadlock of the record in which it hung, too; 0: none */
};

static bool is_same_call(struct trace *recorded, const struct trace_event *a, struct trace *again,
                         const struct trace_event *b, bool arguments)
{
    char here[512], there[512];

    return !strcmp(recorded->call[a->call].name, again->call[b->call].name) &&
           !strcmp(trace_site_text(recorded, a->site, here, sizeof here),
                   trace_site_text(again, b->site, there, sizeof there)) &&
           (!arguments || (a->peer == b->peer && a->tag == b->tag));
}

/* Tells whether the launcher ended a rank of the rerun in this call. */
static bool stood_in(struct trace *recorded, const struct finding_call *call, struct trace *again,
                     const struct ending *ending, bool arguments)
{
    struct trace_event event, other;

    if (trace_event_get(recorded, call->rank, call->seq, &event) != CORE_OK)
        return false;
    for (uint32_t i = 0; i < ending->call_count; i++)
        if (ending->call[i].rank == call->rank && ending->call[i].seq &&
            trace_event_get(again, call->rank, ending->call[i].seq, &other) == CORE_OK &&
            is_same_call(recorded, &event, again, &other, arguments))
            return true;
    return false;
}

/* Tells whether the call waits only for its own rank, that is, for another thread after which it
 * would begin. */
static bool is_behind_thread(const struct finding_call *call)
{
    for (uint32_t i = 0; i < call->await_count; i++)
        if (call->await[i].first != call->rank || call->await[i].last != call->rank)
            return false;
    return call->await_count > 0;
}

/* Tells whether the rerun hung in each call of the finding that ranks had begun. A world's finding
 * identifies its calls only by their places. */
static bool stood_in_all(struct trace *recorded, const struct finding *finding, struct trace *again,
                         const struct ending *ending, bool of_world)
{
    for (uint32_t i = 0; i < finding->call_count; i++) {
        const struct finding_call *call = &finding->call[i];
        if (call->core && !call->leads && call->seq && !is_behind_thread(call) &&
            !stood_in(recorded, call, again, ending, !of_world))
            return false;
    }
    return true;
}

static bool waits_on_rank(const struct finding *finding, uint32_t rank)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        if (finding->call[i].rank == rank && !finding->call[i].leads)
            return true;
    return false;
}

/* Tells whether the same ranks wait in a deadlock and in a world's finding, and whether these waits
 * are alike in all behaviours that showed the latter: it does not tell apart waits at one place
 * with different arguments, of which there are none if the call has an event (cli/explored.c). */
static bool same_ranks_wait(const struct finding *deadlock, const struct finding *met)
{
    bool same = true;
    for (uint32_t i = 0; i < deadlock->call_count && same; i++)
        same = waits_on_rank(met, deadlock->call[i].rank);
    for (uint32_t i = 0; i < met->call_count && same; i++)
        same = met->call[i].leads ||
               ((met->once || met->call[i].seq) && waits_on_rank(deadlock, met->call[i].rank));
    return same;
}

/* Tells whether the rerun hung in the very calls of the record's finding: at the same places, with
 * the same arguments, and as the same calls of their ranks. */
static bool stood_as_recorded(struct trace *recorded, const struct finding *finding,
                              struct trace *again, const struct ending *ending)
{
    bool all = finding->call_count > 0;
    for (uint32_t i = 0; i < finding->call_count && all; i++) {
        const struct finding_call *call = &finding->call[i];
        bool numbered = false;
        for (uint32_t k = 0; k < ending->call_count && call->seq; k++)
            numbered |= ending->call[k].rank == call->rank && ending->call[k].seq == call->seq;
        all = numbered && stood_in(recorded, call, again, ending, true);
    }
    return all;
}

/* Returns the id of the confirmed deadlock of the record in which the rerun of the world's finding
 * hung; 0: none. */
static uint32_t deadlock_same(struct trace *recorded, const struct finding_list *list,
                              const struct finding *met, struct trace *again,
                              const struct ending *ending)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct finding *finding = &list->finding[i];
        if (finding->rule == &rule_table[RULE_DEADLOCK] && finding->assumed &&
            finding->confirmed == FINDING_CONFIRMED && same_ranks_wait(finding, met) &&
            stood_as_recorded(recorded, finding, again, ending))
            return finding->id;
    }
    return 0;
}

static enum core_status hang_look(struct trace *recorded, const struct finding *finding,
                                  bool of_world, struct rerun *rerun)
{
    struct trace again;
    struct ending ending = {0};
    enum core_status status = trace_open(rerun->live.trace, TRACE_READ, &again);

    if (status != CORE_OK)
        return status;
    status = trace_ending_get(&again, &ending);
    if (status == CORE_OK && ending.call_count)
        rerun->elsewhere = !stood_in_all(recorded, finding, &again, &ending, of_world);
    if (status == CORE_OK && rerun->elsewhere)
        status = check_proof(&again, &rerun->hung);
    else if (status == CORE_OK && of_world)
        rerun->same = deadlock_same(recorded, rerun->list, finding, &again, &ending);
    ending_done(&ending);
    trace_close(&again);
    return status;
}

/* --- a rerun that finished -------------------------------------------------------------------- */

/* Tells whether the findings share a call. A world's finding identifies it by name and place. */
static bool is_about(const struct finding *finding, const struct finding *other)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        for (uint32_t k = 0; k < other->call_count; k++) {
            const struct finding_call *a = &finding->call[i], *b = &other->call[k];
            size_t name = a->call && b->call ? strcspn(a->call, "(") : 0;
            if (name && a->rank == b->rank && a->site && b->site && !strcmp(a->site, b->site) &&
                name == strcspn(b->call, "(") && !strncmp(a->call, b->call, name))
                return true;
        }
    return false;
}

/* Checks the record of a rerun that finished. A library need not notice a wrong call: so the end
 * refutes nothing if the rerun's own record shows the wrong call. */
static enum core_status made_look(const struct finding *finding, struct rerun *rerun)
{
    static const struct check_options how = {
        .only = "argument,collective,file,lifecycle,message,request,rma",
        .seed = CHECK_SEED_DEFAULT,
        .budget_schedules = CHECK_BUDGET_DEFAULT};
    struct trace again;
    struct finding_list list = {0};
    enum core_status status = trace_open(rerun->live.trace, TRACE_READ, &again);

    if (status != CORE_OK)
        return status;
    status = check_all(&again, &how, &list);
    for (uint32_t i = 0; i < list.count && status == CORE_OK; i++)
        rerun->made |=
            list.finding[i].severity == FINDING_ERROR && is_about(finding, &list.finding[i]);
    finding_list_done(&list);
    trace_close(&again);
    return status;
}

static void rerun_done(struct rerun *rerun)
{
    force_result_done(&rerun->live);
    finding_list_done(&rerun->hung);
}

static bool has_title(const struct finding_list *list, const char *title)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->finding[i].title && !strcmp(list->finding[i].title, title))
            return true;
    return false;
}

/* Adds the hang to the list as a finding, unless it is there; the finding at the index stays
 * unproven. Its calls become the similar calls of the record. */
static enum core_status elsewhere_add(struct trace *trace, struct rerun *rerun,
                                      struct finding_list *list, uint32_t index, bool kept)
{
    struct finding *hang = rerun->hung.count ? &rerun->hung.finding[0] : NULL;
    const char *command = trace_meta(trace, "command");
    char *json = NULL;
    enum core_status status = CORE_OK;

    list->finding[index].confirmed = FINDING_UNPROVEN;
    finding_fact(&list->finding[index],
                 "not confirmed: run again under this schedule, the job hung elsewhere%s%s",
                 hang ? ": " : "", hang ? finding_says(hang) : "");
    if (!hang || has_title(list, finding_says(hang)))
        return CORE_OK;
    for (uint32_t i = 0; i < hang->call_count; i++)
        hang->call[i].seq = explored_event_like(trace, &hang->call[i]);
    while (hang->fact_count) /* the launcher did not end the recorded job there */
        free(hang->fact[--hang->fact_count]);
    finding_fact(hang, "this happened when the job was run again under the schedule '%s'",
                 list->finding[index].schedule);
    free(hang->schedule);
    hang->schedule = strdup(list->finding[index].schedule);
    char *path = core_text_shell_quoted(trace->path);
    finding_repeat(hang, "crosswait replay --live %s --policy='%s' -- %s", path ? path : "",
                   list->finding[index].schedule, command ? command : "CMD...");
    free(path);
    hang->id = list->count + 1;
    json = finding_json(hang);
    status = json ? finding_list_read(list, json) : CORE_NO_MEMORY;
    free(json);
    if (status == CORE_OK && kept)
        status = check_keep_one(trace, &list->finding[list->count - 1]);
    return status;
}

/* --- the rerun -------------------------------------------------------------------------------- */

/* Runs the job itself, under a live policy. */
static enum core_status confirm_force(struct trace *trace, const struct confirm_options *options,
                                      const struct replay_policy *policy, double budget_s,
                                      const struct finding *finding, bool of_world,
                                      struct rerun *out)
{
    char *output = NULL;
    int saved[2];
    enum core_status status = CORE_UNSUPPORTED;

    if (asprintf(&output, "%s.confirm", trace->path) < 0)
        return core_report(CORE_NO_MEMORY, "out of memory for confirming a finding");
    if (confirm_silence(saved)) {
        FILE *terminal = isatty(saved[1]) ? fdopen(dup(saved[1]), "w") : NULL,
             *before = core_progress_show(terminal);
        core_progress_begin("trying a finding in the real job", (uint64_t)(budget_s * 1000));
        status =
            force_run(of_world ? NULL : trace, trace->rank_count, policy, options->command, output,
                      budget_s, options->stall_s + (of_world ? ASKED_S : 0), &out->live);
        core_progress_end();
        core_progress_show(before);
        if (terminal)
            fclose(terminal);
    }
    confirm_restore(saved);
    if (status == CORE_OK && out->live.outcome == FORCE_HUNG && out->live.trace)
        status = hang_look(trace, finding, of_world, out);
    if (status == CORE_OK && of_world && out->live.outcome == FORCE_ENDED && out->live.trace)
        status = made_look(finding, out);
    unlink(output);
    free(output);
    return status;
}

static enum core_status confirm_one(struct trace *trace, const struct confirm_options *options,
                                    double budget_s, bool kept, struct finding_list *list,
                                    uint32_t index)
{
    struct finding *finding = &list->finding[index];
    struct replay_policy policy;
    struct rerun rerun = {0};
    enum core_status status = replay_policy_parse(finding->schedule, REPLAY_OFFLINE, &policy);

    if (status != CORE_OK)
        return status;
    enum core_status forced =
        confirm_force(trace, options, &policy, budget_s, finding, false, &rerun);
    if (forced != CORE_OK)
        finding_fact(finding, "not confirmed: the schedule could not be forced in the real job");
    else if (rerun.elsewhere)
        status = elsewhere_add(trace, &rerun, list, index, kept);
    else
        confirm_mark(finding, &rerun.live, budget_s, trace->rank_count);
    rerun_done(&rerun);
    replay_policy_done(&policy);
    return status;
}

/* --- failures of worlds ----------------------------------------------------------------------- */

/* whole: the library got every answer of the world. */
static void mark_world(struct finding *finding, const struct rerun *rerun, uint32_t ranks,
                       bool whole)
{
    const struct force_result *live = &rerun->live;

    if (rerun->made)
        finding_confirm(finding, FINDING_MADE);
    else if (live->outcome == FORCE_HUNG)
        finding_confirm(finding, FINDING_CONFIRMED);
    else if (live->outcome == FORCE_FAILED && live->ranks == ranks && live->status)
        finding_confirm(finding, FINDING_FAILS);
    else if (live->outcome == FORCE_ENDED && whole)
        finding_confirm(finding, FINDING_REFUTED);
    else if (live->outcome == FORCE_UNTURNED) {
        finding->confirmed = FINDING_UNPROVEN;
        finding_fact(finding,
                     "run again, the job did not follow this schedule, which proves nothing");
    } else if (live->outcome == FORCE_BUDGET && live->stalled) {
        finding->confirmed = FINDING_UNPROVEN;
        finding_fact(finding,
                     "run again under this schedule, the job stopped, too, which proves nothing");
    }
}

/* Adds to the record's deadlock what the exploration knows of it. */
static void deadlock_join(struct finding *recorded, const struct finding *met)
{
    finding_fact(recorded,
                 "the exploration found this hang, too, and the job hung in it again under that "
                 "schedule: %s",
                 met->repeat ? met->repeat : met->schedule);
    for (uint32_t i = 0; i < met->fact_count; i++)
        finding_fact(recorded, "%s", met->fact[i]);
}

/* *out_same: id of the deadlock of the record that it is; 0: none. */
static enum core_status confirm_world(struct trace *trace, const struct confirm_options *options,
                                      double budget_s, bool kept, struct finding_list *list,
                                      uint32_t index, uint32_t *out_same)
{
    struct finding *finding = &list->finding[index];
    struct explore_command job;
    struct replay_policy policy, chosen;
    struct explore_lived lived;
    struct rerun rerun = {.list = list};

    enum core_status status = explore_command_read(options->command, true, &job);
    if (status != CORE_OK)
        return status;
    status = replay_policy_parse(finding->schedule, REPLAY_IN_PROCESS, &policy);
    if (status == CORE_OK) {
        status = schedule_export(&job, &policy, budget_s, &chosen, &lived);
        replay_policy_done(&policy);
    }
    explore_command_done(&job);
    if (status != CORE_OK)
        return status;
    status = confirm_force(trace, options, &chosen, budget_s, finding, true, &rerun);
    if (status == CORE_OK && rerun.elsewhere)
        status = elsewhere_add(trace, &rerun, list, index, kept);
    else if (status == CORE_OK && rerun.same)
        *out_same = rerun.same;
    else if (status == CORE_OK)
        mark_world(finding, &rerun, trace->rank_count,
                   !lived.finished && explore_lived_whole(&lived));
    rerun_done(&rerun);
    replay_policy_done(&chosen);
    return status;
}

static bool is_of_world(const struct finding *finding)
{
    return finding->rule == &rule_table[RULE_BEHAVIOUR] && finding->severity == FINDING_ERROR;
}

enum core_status confirm_findings(struct trace *trace, const struct confirm_options *options,
                                  bool kept, struct finding_list *list, bool *out_merged)
{
    double started = seconds_now();
    enum core_status status = CORE_OK;

    *out_merged = false;
    for (uint32_t i = 0, end = list->count; options->command && i < end && status == CORE_OK; i++) {
        struct finding *finding = &list->finding[i];
        double left = options->budget_s - (seconds_now() - started);
        bool of_world = is_of_world(finding);
        uint32_t same = 0;
        if (!(finding->assumed || of_world) || !finding->schedule ||
            finding->confirmed != FINDING_NOT_TRIED)
            continue;
        if (left < SECONDS_MIN) {
            finding_fact(
                finding,
                "not tried in the real job: the time for that was over (--confirm=SECONDS)");
        } else if (of_world) {
            char *why = NULL; /* a finding that cannot be tried is unchanged */
            core_report_keep(&why);
            confirm_world(trace, options, left, kept, list, i, &same);
            core_report_hook(NULL, NULL);
            free(why);
        } else {
            status = confirm_one(trace, options, left, kept, list, i);
        }
        if (same) {
            deadlock_join(&list->finding[same - 1], &list->finding[i]);
            finding_list_drop(list, i--);
            end--;
            *out_merged = true;
        } else if (status == CORE_OK && kept) {
            status = check_keep_one(trace, &list->finding[i]);
        }
    }
    return status;
}
