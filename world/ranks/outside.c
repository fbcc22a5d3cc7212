/* Signals and data that reach a rank at times which no decision determines: signals of a timer with
 * a handler, signals that another rank or a child sends, data in sockets, and what ranks exchange
 * by named pipes, semaphores and message queues. The world notes that a rank uses these. Signals
 * that end the rank (alarm() as a time limit) or that it sends to itself are none of them. */
#include "world/ranks/ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALS_MAX = 64 };

static enum world_outside uses; /* even before the world began */
static uint64_t timers;         /* a bit for each signal of which a timer was set */

static bool has_handler(int number)
{
    struct sigaction action;
    CORE_CHECK(number > 0 && number <= SIGNALS_MAX);
    return sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
           action.sa_handler != SIG_IGN;
}

void rank_outside_tell(void)
{
    for (int number = 1; number <= SIGNALS_MAX; number++)
        if (timers >> (number - 1) & 1 && has_handler(number))
            uses = WORLD_OUTSIDE_SIGNALS;
    CORE_CHECK(uses < WORLD_OUTSIDE_COUNT);
    if (rank_own < 0)
        return;
    CORE_CHECK(rank_region && rank_own < (int)rank_region->rank_count);
    if (uses) /* else a child of the rank may have noted something */
        rank_region->rank[rank_own].outside = uses;
    rank_chance_tell();
}

void rank_outside_note(enum world_outside use)
{
    CORE_CHECK(use > WORLD_OUTSIDE_NONE && use < WORLD_OUTSIDE_COUNT);
    uses = use;
    rank_outside_tell();
}

/* A process of a world learns its rank when it begins, so a program that asks for it behind
 * MPI_Init begins its ranks then. */
static const char *environment_get(const char *name, const void *caller)
{
    static const char *const numbers[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
                                          "PMI_RANK", "MPI_LOCALRANKID", "PMIX_RANK"};
    const size_t bytes = strlen(name);
    bool is = false;
    CORE_CHECK(!rank_region || rank_own < (int)rank_region->rank_count);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !is && rank_own < 0; i++)
        is = !strcmp(name, numbers[i]);
    if (is && rank_region && rank_is_theirs(caller)) {
        if (world_process_early) {
            world_process_begin();
        } else {
            rank_region->number_read = true;
            rank_outside_note(WORLD_OUTSIDE_NUMBER);
        }
    }
    for (char **at = environ; at && *at; at++)
        if (!strncmp(*at, name, bytes) && (*at)[bytes] == '=')
            return *at + bytes + 1;
    return NULL;
}

char *getenv(const char *name)
{
    return (char *)(uintptr_t)environment_get(name, __builtin_return_address(0));
}

char *secure_getenv(const char *name)
{
    return (char *)(uintptr_t)environment_get(name, __builtin_return_address(0));
}

static void timer_note(int number, bool set)
{
    CORE_CHECK(!uses || uses < WORLD_OUTSIDE_COUNT);
    if (set && number > 0 && number <= SIGNALS_MAX)
        timers |= (uint64_t)1 << (number - 1);
    rank_outside_tell();
}

/* Tells whether a signal to that process, or group if it is not positive, reaches another rank. */
static bool is_other_rank(pid_t to)
{
    bool other = to <= 0;
    CORE_CHECK(rank_region && rank_own < (int)rank_region->rank_count);
    for (int r = 0; r < (int)rank_region->rank_count; r++)
        other |= rank_region->rank[r].pid == to && to != getpid();
    return other;
}

static void sent_note(pid_t to, int number, const void *caller)
{
    if (number != 0 && rank_own >= 0 && rank_is_theirs(caller) && is_other_rank(to))
        rank_outside_note(WORLD_OUTSIDE_SIGNALS);
}

static void socket_note(const void *caller)
{
    CORE_CHECK(caller);
    if (rank_is_theirs(caller))
        rank_outside_note(WORLD_OUTSIDE_SOCKETS);
}

unsigned alarm(unsigned seconds)
{
    RANK_REAL(alarm)
    CORE_CHECK(real != alarm);
    timer_note(SIGALRM, seconds > 0);
    return real(seconds);
}

useconds_t ualarm(useconds_t us, useconds_t interval)
{
    RANK_REAL(ualarm)
    timer_note(SIGALRM, us > 0);
    return real(us, interval);
}

int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
              struct itimerval *restrict before)
{
    RANK_REAL(setitimer)
    CORE_CHECK(SIGALRM <= SIGNALS_MAX && SIGVTALRM <= SIGNALS_MAX && SIGPROF <= SIGNALS_MAX);
    timer_note(which == ITIMER_REAL      ? SIGALRM
               : which == ITIMER_VIRTUAL ? SIGVTALRM
                                         : SIGPROF,
               value && (value->it_value.tv_sec || value->it_value.tv_usec));
    return real(which, value, before);
}

/* A thread that the timer starts comes at any time as well. */
int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict out)
{
    RANK_REAL(timer_create)
    if (event && event->sigev_notify == SIGEV_THREAD)
        rank_outside_note(WORLD_OUTSIDE_SIGNALS);
    if (!event || event->sigev_notify != SIGEV_NONE)
        timer_note(event ? event->sigev_signo : SIGALRM, true);
    return real(clock, event, out);
}

int timerfd_create(clockid_t clock, int flags)
{
    RANK_REAL(timerfd_create)
    CORE_CHECK(real != timerfd_create);
    if (rank_is_theirs(__builtin_return_address(0)))
        rank_outside_note(WORLD_OUTSIDE_SIGNALS);
    return real(clock, flags);
}

int kill(pid_t to, int number)
{
    RANK_REAL(kill)
    sent_note(to, number, __builtin_return_address(0));
    return real(to, number);
}

int killpg(pid_t group, int number)
{
    RANK_REAL(killpg)
    sent_note(-group, number, __builtin_return_address(0));
    return real(group, number);
}

int sigqueue(pid_t to, int number, const union sigval value)
{
    RANK_REAL(sigqueue)
    sent_note(to, number, __builtin_return_address(0));
    return real(to, number, value);
}

int connect(int file, const struct sockaddr *address, socklen_t bytes)
{
    RANK_REAL(connect)
    socket_note(__builtin_return_address(0));
    return real(file, address, bytes);
}

int accept(int file, struct sockaddr *restrict address, socklen_t *restrict bytes)
{
    RANK_REAL(accept)
    socket_note(__builtin_return_address(0));
    return real(file, address, bytes);
}

int accept4(int file, struct sockaddr *restrict address, socklen_t *restrict bytes, int flags)
{
    RANK_REAL(accept4)
    socket_note(__builtin_return_address(0));
    return real(file, address, bytes, flags);
}

ssize_t sendto(int file, const void *data, size_t bytes, int flags, const struct sockaddr *to,
               socklen_t to_bytes)
{
    RANK_REAL(sendto)
    if (to)
        socket_note(__builtin_return_address(0));
    return real(file, data, bytes, flags, to, to_bytes);
}

/* Notes the use of what is named outside of MPI. Variadic arguments are those that flags ask for.
 */
static void queue_note(const void *caller)
{
    CORE_CHECK(caller);
    if (rank_is_theirs(caller))
        rank_outside_note(WORLD_OUTSIDE_QUEUES);
}
#define NOTED queue_note(__builtin_return_address(0));

sem_t *sem_open(const char *name, int flags, ...)
{
    RANK_REAL(sem_open)
    va_list rest;
    NOTED
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    const unsigned value = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return real(name, flags, mode, value);
}

mqd_t mq_open(const char *name, int flags, ...)
{
    RANK_REAL(mq_open)
    va_list rest;
    NOTED
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    struct mq_attr *attributes = flags & O_CREAT ? va_arg(rest, struct mq_attr *) : NULL;
    va_end(rest);
    return real(name, flags, mode, attributes);
}

int semget(key_t key, int count, int flags)
{
    RANK_REAL(semget)
    CORE_CHECK(real != semget);
    NOTED
    return real(key, count, flags);
}

int msgget(key_t key, int flags)
{
    RANK_REAL(msgget)
    CORE_CHECK(real != msgget);
    NOTED
    return real(key, flags);
}

int mkfifo(const char *path, mode_t mode)
{
    RANK_REAL(mkfifo)
    CORE_CHECK(real != mkfifo);
    NOTED
    return real(path, mode);
}
