/* Time limits: the timer of the process's computing (SIGPROF) beside the alarm (SIGALRM).
 *
 * Invariants
 *  1. `computed` counts seconds of computing, and `rang` libFuzzer's alarms, since the input
 *     started; each alarm is -timeout / 2 + 1 s after the one before it. */
#include "fuzz/time_limit.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { CLOCK_FACTOR = 3, AGAIN_MOST = 10 };

static volatile sig_atomic_t computed, rang;
static int input_seconds;
static struct sigaction libfuzzer_alarm;

static void on_second(int number)
{
    (void)number;
    computed++;
}

static void on_alarm(int number, siginfo_t *info, void *context)
{
    if (++rang < 2 * CLOCK_FACTOR && computed + 1 < input_seconds)
        return;
    if (libfuzzer_alarm.sa_flags & SA_SIGINFO)
        libfuzzer_alarm.sa_sigaction(number, info, context);
    else
        libfuzzer_alarm.sa_handler(number);
}

int time_limit_seconds(int usual)
{
    const char *given = getenv("CROSSWAIT_FUZZ_SECONDS");
    int seconds = given ? atoi(given) : 0;
    return seconds > 0 ? seconds : usual;
}

int time_limit_seconds_again(void)
{
    int seconds = time_limit_seconds(AGAIN_MOST);
    return seconds < AGAIN_MOST / 2 ? 2 * seconds : AGAIN_MOST;
}

void time_limit_once(int ms, void (*handler)(int))
{
    struct itimerval time = {{0, 0}, {ms / 1000, ms % 1000 * 1000}};

    signal(SIGPROF, handler);
    signal(SIGALRM, handler);
    setitimer(ITIMER_PROF, &time, NULL);
    alarm(((unsigned)ms + 999) / 1000 * CLOCK_FACTOR);
}

void time_limit_inputs(int seconds)
{
    struct sigaction second = {.sa_handler = on_second, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction alarm = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct itimerval time = {.it_value.tv_sec = 1, .it_interval.tv_sec = 1};

    sigaction(SIGALRM, NULL, &libfuzzer_alarm);
    if (!(libfuzzer_alarm.sa_flags & SA_SIGINFO) &&
        (libfuzzer_alarm.sa_handler == SIG_DFL || libfuzzer_alarm.sa_handler == SIG_IGN))
        return;
    input_seconds = seconds;
    sigaction(SIGPROF, &second, NULL);
    sigaction(SIGALRM, &alarm, NULL);
    setitimer(ITIMER_PROF, &time, NULL);
}

void time_limit_input_starts(void)
{
    computed = rang = 0;
}
