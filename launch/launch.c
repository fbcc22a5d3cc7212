/* Runs a recorded job: prepare, start, watch, end, write the trace. Relies on launch_inside.h.
 *
 * The command stays in the launcher's process group, so the terminal, Ctrl-C and a CI runner's kill
 * of the whole group reach it as without a launcher. The launcher passes on signals that are sent
 * to it alone. It is the subreaper of all that the command starts. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checkers/wording.h"
#include "core/progress.h"
#include "launch/launch_inside.h"

/* --- start ------------------------------------------------------------------------------------ */

/* Raises the limit on descriptors: the launcher holds files and processes of many ranks open. The
 * command keeps the old limit. */
static struct rlimit descriptors_raise(void)
{
    struct rlimit before = {0}, more;

    getrlimit(RLIMIT_NOFILE, &before);
    more = before;
    more.rlim_cur = more.rlim_max;
    setrlimit(RLIMIT_NOFILE, &more);
    return before;
}

static enum core_status command_start(struct launch *launch)
{
    char *const *command = launch->options->command;
    struct sigaction default_action = {.sa_handler = SIG_DFL}, child_action;
    struct rlimit descriptors;
    int pipe_fd[2];
    int error = 0;
    pid_t parent = getpid();
    enum core_status status = launch_end_begin(launch);

    if (status != CORE_OK)
        return status;
    if (pipe2(pipe_fd, O_CLOEXEC) < 0)
        return core_report(CORE_IO, "cannot start '%s': %s", command[0], strerror(errno));
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    descriptors = descriptors_raise();
    sigaction(SIGCHLD, &default_action, &child_action); /* our parent may have ignored it, and then
                                                           we could not wait for any child */
    launch->child = fork();
    if (launch->child == 0) {
        sigaction(SIGCHLD, &child_action, NULL);
        sigprocmask(SIG_SETMASK, &launch->signal_before, NULL);
        setrlimit(RLIMIT_NOFILE, &descriptors);
        if (launch->options->ours)
            prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (launch->options->ours && getppid() != parent)
            _exit(127);
        launch_env_child(launch);
        execvp(command[0], command);
        error = errno;
        (void)!write(pipe_fd[1], &error, sizeof error);
        _exit(127);
    }
    close(pipe_fd[1]);
    if (launch->child < 0) {
        close(pipe_fd[0]);
        return core_report(CORE_IO, "cannot start '%s': %s", command[0], strerror(errno));
    }
    if (read(pipe_fd[0], &error, sizeof error) == (ssize_t)sizeof error) {
        close(pipe_fd[0]);
        waitpid(launch->child, NULL, 0);
        launch->result->status = error == ENOENT ? 127 : 126;
        return core_report(CORE_NOT_FOUND, "cannot start '%s': %s", command[0],
                           error == ENOENT && !strchr(command[0], '/')
                               ? "no such program on the PATH"
                               : strerror(error));
    }
    close(pipe_fd[0]);
    launch_signal_command(launch);
    launch->result->started = true;
    return CORE_OK;
}

/* --- watch ------------------------------------------------------------------------------------ */

static void children_reap(struct launch *launch)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        launch_watch_reaped(launch, pid, status);
        if (pid != launch->child)
            continue;
        launch->child_gone = true;
        launch->child_gone_ns = launch_now_ns();
        launch->child_status = status;
    }
}

static bool older_than(uint64_t since_ns, uint64_t ms)
{
    return launch_now_ns() - since_ns > ms * 1000000u;
}

/* Sleeps until a child, a rank or a signal has news, or the tick is over. */
static void sleep_tick(struct launch *launch, int tick_ms)
{
    static struct pollfd fds[4096];
    uint32_t room = sizeof fds / sizeof *fds, count = 2;
    uint64_t before_ns;

    count += launch_relay_poll(launch, fds + count, room - count);
    count += launch_watch_poll(launch, fds + count, room - count);

    fds[0] = (struct pollfd){.fd = launch->signal_fd, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = launch->notify_fd, .events = POLLIN}; /* poll skips -1 */
    before_ns = launch_now_ns();
    poll(fds, count, launch->soon ? LAUNCH_SOON_MS : tick_ms);
    if (older_than(before_ns, (uint64_t)tick_ms + LAUNCH_KEPT_MS))
        launch_proof_again(launch);
}

static bool should_end(struct launch *launch, uint64_t started_ns)
{
    struct launch_result *result = launch->result;

    core_progress_tell((launch_now_ns() - started_ns) / 1000000);
    if (launch->options->budget_s > 0 &&
        older_than(started_ns, (uint64_t)(launch->options->budget_s * 1000))) {
        result->end = LAUNCH_END_BUDGET;
        result->ending.reason = ENDING_BUDGET;
        result->ending.limit_ms = (uint64_t)(launch->options->budget_s * 1000);
        launch_quiet_seen(launch);
        return true;
    }
    if (launch->options->watch)
        launch_proof_crashed(launch);
    if (launch->options->watch && launch_proof_try(launch)) {
        result->end = LAUNCH_END_DEADLOCK;
        return true;
    }
    if (launch->options->stall_s > 0 && launch->world_count &&
        older_than(launch_watch_called(launch), (uint64_t)(launch->options->stall_s * 1000))) {
        result->end = LAUNCH_END_BUDGET;
        result->stalled = true;
        result->ending.reason = ENDING_STALL;
        result->ending.limit_ms = (uint64_t)(launch->options->stall_s * 1000);
        launch_quiet_seen(launch);
        return true;
    }
    return false;
}

/* Sends TERM to all processes, so that the starter of the ranks can clean up (mpirun does so in 20
 * ms if the ranks end too, else in a second or two), then KILL to those left. No process of the job
 * survives. */
static void job_end(struct launch *launch)
{
    bool term = true;
    uint64_t killed_ns = 0;

    launch->end_ns = launch_now_ns();
    launch_stack_note(launch);
    launch_leftover_note(launch);
    launch_end_signal(launch, SIGTERM, true);
    launch_relay_signal(launch, SIGTERM);
    for (;;) {
        sleep_tick(launch, 10);
        launch_relay_serve(launch);
        launch_signal_pass(launch);
        children_reap(launch);
        launch_watch_scan(launch);
        if (launch_end_signal(launch, 0, true) + launch_relay_signal(launch, 0) == 0)
            break;
        if (older_than(launch->end_ns, LAUNCH_TERM_GRACE_MS) ||
            (launch->result->end == LAUNCH_END_DEADLOCK &&
             older_than(launch->end_ns, LAUNCH_TERM_SHORT_MS) &&
             older_than(launch->last_progress_ns, LAUNCH_KILL_MS)))
            term = false;
        if (!term && (!killed_ns || older_than(killed_ns, 50))) {
            killed_ns = launch_now_ns();
            launch_end_signal(launch, SIGKILL, true);
            launch_relay_signal(launch, SIGKILL);
        }
        if (older_than(launch->end_ns, 10000)) {
            core_report(CORE_IO,
                        "some processes of the job did not end within 10 seconds, although they "
                        "were sent SIGKILL");
            break;
        }
    }
    children_reap(launch);
}

/* Tells whether the finished command may have left an mpirun in the background, or a shell that is
 * about to become one. */
static bool may_start_ranks(struct launch *launch)
{
    return launch_end_has_starter(launch) || (!older_than(launch->child_gone_ns, LAUNCH_EXEC_MS) &&
                                              launch_end_signal(launch, 0, false));
}

/* Tells whether the starter does not notice that its ranks are dead: mpirun may block itself while
 * it ends, as PMIx does now and then. */
static bool starter_is_stuck(struct launch *launch, uint32_t alive)
{
    if (launch->child_gone || alive || !launch->world_count || !launch_end_starter_stuck(launch)) {
        launch->stuck_ns = 0;
        return false;
    }
    if (!launch->stuck_ns)
        launch->stuck_ns = launch_now_ns();
    if (!older_than(launch->stuck_ns, LAUNCH_STARTER_MS))
        return false;
    core_report(CORE_OK, "'%s' still ran %d seconds after all ranks had died, and was ended",
                launch->options->command[0], LAUNCH_STARTER_MS / 1000);
    return launch->stuck = true;
}

static void job_watch(struct launch *launch)
{
    uint64_t started_ns = launch_now_ns();

    launch->last_progress_ns = started_ns;
    for (;;) {
        uint32_t alive;

        sleep_tick(launch, LAUNCH_TICK_MS);
        launch_relay_serve(launch);
        launch_watch_scan(launch);
        launch_signal_pass(launch);
        if (launch->snapshot)
            launch_trace_snapshot(launch);
        if (launch->options->ours && launch->signal_passed) {
            job_end(launch);
            break;
        }
        children_reap(launch);
        alive = launch_watch_alive(launch);
        if (launch->child_gone && !alive && !may_start_ranks(launch))
            break;
        if (launch->child_gone && launch->child_status &&
            older_than(launch->child_gone_ns, LAUNCH_ORPHAN_GRACE_MS) &&
            (WIFSIGNALED(launch->child_status) || !launch_end_has_starter(launch))) {
            core_report(CORE_OK, "%u rank%s still ran %d seconds after '%s' had died, and %s ended",
                        alive, alive == 1 ? "" : "s", LAUNCH_ORPHAN_GRACE_MS / 1000,
                        launch->options->command[0], alive == 1 ? "was" : "were");
            job_end(launch);
            break;
        }
        if (starter_is_stuck(launch, alive)) {
            job_end(launch);
            break;
        }
        if (should_end(launch, started_ns)) {
            launch->result->verdict = wording_ending(&launch->result->ending);
            job_end(launch);
            break;
        }
        if (launch->options->watch)
            launch_quiet_look(launch);
    }
    launch->all_gone_ns = launch_now_ns();
    launch_relay_finish(launch);
    launch_watch_scan(launch);
    if (!launch_watch_alive(launch))
        launch_leftover_remove(launch);
}

/* --- all of it -------------------------------------------------------------------------------- */

enum core_status launch_job(const struct launch_options *options, struct launch_result *out_result)
{
    struct launch launch = {.options = options,
                            .result = out_result,
                            .signal_fd = -1,
                            .notify_fd = -1,
                            .witness_fd = -1,
                            .lock_fd = -1};
    enum core_status status;

    memset(out_result, 0, sizeof *out_result);
    out_result->verdict_ms = -1;
    core_machine_here(&launch.machine);
    status = launch_env_prepare(&launch);
    if (status != CORE_OK)
        goto free_paths;
    status = launch_signal_take(&launch);
    if (status != CORE_OK) {
        launch_env_undo(&launch);
        goto free_paths;
    }
    launch_watch_start(&launch);
    status = command_start(&launch);
    if (status != CORE_OK)
        goto give_signals_back;
    job_watch(&launch);
    out_result->status =
        launch.stuck ? launch_watch_status(&launch) : launch_status_as_shell(launch.child_status);
    if (launch.end_ns && !launch.stuck &&
        !out_result->status) /* some starters report success after SIGTERM */
        out_result->status = 128 + SIGTERM;
    else if (!out_result->status && launch.signal_passed && launch_watch_killed(&launch))
        out_result->status = 128 + launch.signal_passed;
    if (out_result->end == LAUNCH_END_OWN && launch.signal_passed)
        out_result->end = LAUNCH_END_SIGNAL;
    if (out_result->end == LAUNCH_END_SIGNAL)
        out_result->signal = launch.signal_passed;
    if (out_result->end == LAUNCH_END_DEADLOCK)
        out_result->verdict_ms = (int64_t)(launch.all_gone_ns - launch.last_progress_ns) / 1000000;
    if (out_result->verdict_ms > 0)
        out_result->ending.limit_ms = (uint64_t)out_result->verdict_ms;
    status = launch_trace_write(&launch);

give_signals_back:
    launch_env_undo(&launch);
    launch_signal_give_back(&launch); /* one received by now may end us: nothing is left undone */
free_paths:
    launch_relay_close(&launch);
    launch_watch_done(&launch);
    launch_leftover_done(&launch);
    if (launch.lock_fd >= 0)
        close(launch.lock_fd);
    free(launch.output);
    free(launch.spool);
    free(launch.library);
    free(launch.other);
    return status;
}

int launch_interrupted_by(const struct launch_result *result)
{
    bool ends = result->signal == SIGINT || result->signal == SIGTERM || result->signal == SIGHUP ||
                result->signal == SIGQUIT;

    return ends && result->status ? result->signal : 0;
}

void launch_verdict_report(const struct launch_result *result)
{
    if (result->verdict && result->end == LAUNCH_END_DEADLOCK)
        core_report(CORE_OK, "%s; the job was ended %.1f seconds after its last progress",
                    result->verdict, (double)result->verdict_ms / 1000);
    else if (result->verdict)
        core_report(CORE_OK, "%s", result->verdict);
}

void launch_result_done(struct launch_result *result)
{
    for (uint32_t i = 0; i < result->trace_count; i++)
        free(result->trace[i]);
    free(result->trace);
    free(result->verdict);
    ending_done(&result->ending);
    memset(result, 0, sizeof *result);
}
