/* See trial.h.
 *
 * State: the number of trials, the time that one may take, and whether this process is a trial. */
#include "fuzz/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/harness.h"
#include "fuzz/time_limit.h"

enum { TRIAL_MS = 30, TIMEOUT_TRIALS = 100 };
enum { TRIAL_CRASHED = 4 }; /* exit status */

struct trial_answer {
    uint64_t messages;
    enum world_rule rule;
};

int trials, trial_ms;
static bool is_trial;

/* AddressSanitizer calls this when it found an error, before it reports it. Nobody reads the report
 * of a trial, and starting a symbolizer for it takes longer than the trial. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    if (is_trial)
        _exit(TRIAL_CRASHED);
}

static void trial_child(const struct collective *collective, struct scenario *scenario,
                        bool look_for_leaks, int out)
{
    static struct world_outcome outcome;
    int null = open("/dev/null", O_WRONLY);
    is_trial = true;
    dup2(null, 1);
    dup2(null, 2);
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    time_limit_once(trial_ms, SIG_DFL);
    if (!harness_run(collective, scenario, NULL, &outcome))
        _exit(0);
    struct trial_answer answer = {outcome.message_count, outcome.finding[0].rule};
    if (!outcome.finding_count && look_for_leaks && harness_leaks())
        answer.rule = WORLD_RULE_LEAKED_MEMORY;
    else if (!outcome.finding_count)
        _exit(0);
    if (write(out, &answer, sizeof answer) != sizeof answer)
        _exit(3);
    _exit(0);
}

/* Returns the milliseconds that the processes of trials have computed. */
static long trial_computed(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

static enum world_rule trial_start(const struct collective *collective,
                                   const struct scenario *scenario, bool look_for_leaks,
                                   uint64_t *out_messages)
{
    int fds[2], status;
    struct scenario copy = *scenario;
    struct trial_answer answer = {0};
    *out_messages = 0;
    if (pipe(fds))
        return WORLD_RULE_NONE;
    pid_t child = fork();
    if (child < 0) {
        close(fds[0]);
        close(fds[1]);
        return WORLD_RULE_NONE;
    }
    if (child == 0)
        trial_child(collective, &copy, look_for_leaks, fds[1]);
    close(fds[1]);
    bool answered = read(fds[0], &answer, sizeof answer) == sizeof answer; /* at once: a pipe */
    close(fds[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (answered) {
        *out_messages = answer.messages;
        return answer.rule;
    }
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF)) {
        trials += TIMEOUT_TRIALS;
        return WORLD_RULE_TIMEOUT;
    }
    return WIFSIGNALED(status) || WEXITSTATUS(status) ? WORLD_RULE_CRASH : WORLD_RULE_NONE;
}

enum world_rule trial_run(const struct collective *collective, const struct scenario *scenario,
                          bool look_for_leaks, uint64_t *out_messages)
{
    long before = trial_computed();
    enum world_rule rule = trial_start(collective, scenario, look_for_leaks, out_messages);
    if (rule != WORLD_RULE_TIMEOUT)
        trials += 1 + (int)((trial_computed() - before) / TRIAL_MS);
    return rule;
}
