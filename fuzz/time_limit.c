/* Time limits: a timer of the process's computing time (SIGPROF) next to the alarm (SIGALRM). Time
 * in which the process could compute, but other processes had the processor, does not count: Linux
 * reports it.
 *
 * Invariants
 *  1. `computed` counts quarters of a second of computing since the input started; `rang` counts
 *     libFuzzer's alarms, unless the process waited for the processor most of the time before one;
 *     each alarm is -timeout / 2 + 1 s after the previous one. */
#include "fuzz/time_limit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { CLOCK_FACTOR = 3, AGAIN_MOST = 10, TICKS = 4 /* a second */ };

static volatile sig_atomic_t computed, rang;
static int input_seconds;
static struct sigaction libfuzzer_alarm;
static void (*once_handler)(int);
static unsigned once_seconds;
static uint64_t waited_ns; /* time spent waiting for the processor when the last alarm was set */

/* Returns how long this process has waited for the processor; 0 if unknown. Safe in a signal
 * handler. */
static uint64_t time_limit_waited(void)
{
    char text[96];
    uint64_t number[2] = {0, 0};
    int file = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC), which = 0;
    ssize_t got = file < 0 ? 0 : read(file, text, sizeof text);
    if (file >= 0)
        close(file);
    for (ssize_t i = 0; i < got && which < 2; i++)
        if (text[i] >= '0' && text[i] <= '9')
            number[which] = number[which] * 10 + (uint64_t)(text[i] - '0');
        else
            which++;
    return number[1];
}

/* Tells whether the process waited for most of the seconds since the last alarm was set. */
static bool has_waited(unsigned seconds)
{
    uint64_t before = waited_ns;
    waited_ns = time_limit_waited();
    return waited_ns - before > (uint64_t)seconds * 500000000;
}

static void on_tick(int number)
{
    (void)number;
    computed++;
}

static void on_alarm(int number, siginfo_t *info, void *context)
{
    rang += !has_waited((unsigned)input_seconds / 2 + 1);
    if (rang < 2 * CLOCK_FACTOR && computed + 1 < TICKS * input_seconds)
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

static void on_alarm_once(int number)
{
    if (has_waited(once_seconds)) {
        alarm(once_seconds);
        return;
    }
    signal(number, once_handler);
    raise(number);
}

void time_limit_once(int ms, void (*handler)(int))
{
    struct itimerval time = {{0, 0}, {ms / 1000, ms % 1000 * 1000}};

    once_handler = handler;
    once_seconds = ((unsigned)ms + 999) / 1000 * CLOCK_FACTOR;
    waited_ns = time_limit_waited();
    signal(SIGPROF, handler);
    signal(SIGALRM, on_alarm_once);
    setitimer(ITIMER_PROF, &time, NULL);
    alarm(once_seconds);
}

void time_limit_inputs(int seconds)
{
    struct sigaction tick = {.sa_handler = on_tick, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction alarm = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct itimerval time = {.it_value.tv_usec = 1000000 / TICKS,
                             .it_interval.tv_usec = 1000000 / TICKS};

    sigaction(SIGALRM, NULL, &libfuzzer_alarm);
    if (!(libfuzzer_alarm.sa_flags & SA_SIGINFO) &&
        (libfuzzer_alarm.sa_handler == SIG_DFL || libfuzzer_alarm.sa_handler == SIG_IGN))
        return;
    input_seconds = seconds;
    waited_ns = time_limit_waited();
    sigaction(SIGPROF, &tick, NULL);
    sigaction(SIGALRM, &alarm, NULL);
    setitimer(ITIMER_PROF, &time, NULL);
}

void time_limit_input_starts(void)
{
    computed = rang = 0;
}
