/* See trial.h.
 *
 * State: how many there were, and the time that one may take. */
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

int trials, trial_ms;
const char trial_leaked[] = "leaked-memory", trial_timeout[] = "timeout";

static void trial_child(const struct collective *collective, struct scenario *scenario,
                        bool look_for_leaks, int out)
{
    static struct world_outcome outcome;
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    time_limit_once(trial_ms, SIG_DFL);
    if (!harness_run(collective, scenario, NULL, &outcome))
        _exit(0);
    const char *rule = outcome.finding[0].rule;
    if (!outcome.finding_count && look_for_leaks && harness_leaks())
        rule = trial_leaked;
    else if (!outcome.finding_count)
        _exit(0);
    uint64_t messages = outcome.message_count;
    if (write(out, &messages, sizeof messages) < 0 || write(out, rule, strlen(rule)) < 0)
        _exit(3);
    _exit(0);
}

/* Milliseconds that the processes of trials have computed. */
static long trial_computed(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

static void trial_start(const struct collective *collective, const struct scenario *scenario,
                        bool look_for_leaks, char rule[TRIAL_RULE_MAX], uint64_t *out_messages)
{
    int fds[2], status;
    struct scenario copy = *scenario;
    rule[0] = 0;
    *out_messages = 0;
    if (pipe(fds))
        return;
    pid_t child = fork();
    if (child < 0) {
        close(fds[0]);
        close(fds[1]);
        return;
    }
    if (child == 0)
        trial_child(collective, &copy, look_for_leaks, fds[1]);
    close(fds[1]);
    char answer[sizeof(uint64_t) + TRIAL_RULE_MAX];
    size_t got = 0;
    for (ssize_t n;
         got < sizeof answer - 1 && (n = read(fds[0], answer + got, sizeof answer - 1 - got)) > 0;)
        got += (size_t)n;
    close(fds[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (got > sizeof(uint64_t)) {
        answer[got] = 0;
        memcpy(out_messages, answer, sizeof *out_messages);
        snprintf(rule, TRIAL_RULE_MAX, "%.60s", answer + sizeof(uint64_t));
    } else if (WIFSIGNALED(status) &&
               (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF)) {
        strcpy(rule, trial_timeout);
        trials += TIMEOUT_TRIALS;
    } else if (WIFSIGNALED(status) || WEXITSTATUS(status)) {
        strcpy(rule, "crash");
    }
}

void trial_run(const struct collective *collective, const struct scenario *scenario,
               bool look_for_leaks, char rule[TRIAL_RULE_MAX], uint64_t *out_messages)
{
    long before = trial_computed();
    trial_start(collective, scenario, look_for_leaks, rule, out_messages);
    if (strcmp(rule, trial_timeout))
        trials += 1 + (int)((trial_computed() - before) / TRIAL_MS);
}
