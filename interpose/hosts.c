/* Jobs on several machines. Nothing here communicates by MPI (interpose invariant 6): ranks that
 * exchange no messages may have no connection, and a library that tries to make one may end the
 * job. With a launcher, the first rank of each other machine starts a relay (launch/relay/relay.h),
 * which copies the records to the launcher, and compares the machines' clocks. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpose/library/library.h"
#include "interpose/life.h"
#include "core/machine.h"
#include "core/spool/relay_place.h"

/* The library's launcher tells each process the number of ranks on its machine, and of the job.
 * Ignores values of another job, which started this one. */
bool hosts_several(void)
{
    const struct library_place place = library_place();
    int local = place.local_size ? atoi(place.local_size) : 0;

    return local > 0 && local < recorder.world_size &&
           (!place.size || atoi(place.size) == recorder.world_size);
}

/* --- the relay -------------------------------------------------------------------------------- */

/* Tells whether this machine is not the launcher's, which the relay's place begins with
 * (core/spool/relay_place.h). */
static bool far_from_launcher(const char **out_place, char here[CORE_MACHINE_TEXT_BYTES])
{
    const char *place = recorder_setting(RELAY_PLACE), *end = place ? strchr(place, ';') : NULL;
    struct core_machine machine;

    *out_place = place;
    if (!end)
        return false;
    core_machine_here(&machine);
    core_machine_text(&machine, here);
    return strlen(here) != (size_t)(end - place) || memcmp(here, place, strlen(here)) != 0;
}

bool hosts_far(void)
{
    char here[CORE_MACHINE_TEXT_BYTES];
    const char *place;

    return far_from_launcher(&place, here);
}

bool hosts_spool(const char *spool, char *text, size_t room)
{
    const char *place, *port;
    char here[CORE_MACHINE_TEXT_BYTES];

    if (!far_from_launcher(&place, here))
        return snprintf(text, room, "%s", spool) < (int)room;
    port = strchr(strchr(place, ';') + 1, ';'); /* the port distinguishes this job from earlier
                                                   ones */
    return port && snprintf(text, room, "%s.%s.%.*s", spool, here, (int)strcspn(port + 1, ";"),
                            port + 1) < (int)room;
}

enum { RELAY_STACK_BYTES = 32 * 1024 };
struct relay_start {
    char *argv[4], *envp[8];
    char *stack[2]; /* the ends of two stacks */
};

static int relay_exec(void *context)
{
    const struct relay_start *start = context;
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->argv[0], start->argv, start->envp);
    _exit(127);
}

/* Runs between the rank and the relay, which loses its parent when this process ends. */
static int relay_detach(void *context)
{
    const struct relay_start *start = context;
    int status = 0;
    pid_t pid = clone(relay_exec, start->stack[1], CLONE_VM | CLONE_VFORK | SIGCHLD, context);

    if (pid < 0)
        _exit(127);
    if (waitpid(pid, &status, WNOHANG) == pid && status)
        _exit(127);
    _exit(0);
}

/* Starts the relay as nobody's child: the program gets no SIGCHLD for it, and its waits do not find
 * it. */
static bool relay_start(struct relay_start *start)
{
    char *stack = malloc(2 * RELAY_STACK_BYTES);
    sigset_t all, before;
    int status = -1;
    pid_t pid;

    if (!stack)
        return false;
    start->stack[0] = stack + RELAY_STACK_BYTES;
    start->stack[1] = stack + 2 * RELAY_STACK_BYTES;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = clone(relay_detach, start->stack[0], CLONE_VM | CLONE_VFORK, start);
    while (pid > 0 && waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stack);
    return pid > 0 && status == 0;
}

void hosts_relay(const char *job_folder)
{
    static const char *const kept[] = {RELAY_PLACE, RELAY_SECRET, "PATH", "HOME",
                                       "LD_LIBRARY_PATH"};
    const char *place, *local = library_place().local_rank;
    char folder[PATH_MAX], executable[PATH_MAX], variable[5][PATH_MAX];
    char here[CORE_MACHINE_TEXT_BYTES];
    struct relay_start start = {.argv = {executable, "relay", folder, NULL}};
    int variables = 0;

    if (!far_from_launcher(&place, here) || (local && atoi(local) != 0))
        return;
    const char *from = strchr(place, ';') + 1;
    snprintf(executable, sizeof executable, "%.*s", (int)strcspn(from, ";"), from);
    snprintf(folder, sizeof folder, "%s", job_folder);
    *strrchr(folder, '/') = '\0'; /* the spool's folder, which holds the job's */
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *value = getenv(kept[i]);

        if (value && snprintf(variable[variables], PATH_MAX, "%s=%s", kept[i], value) < PATH_MAX) {
            start.envp[variables] = variable[variables];
            variables++;
        }
    }
    if (!relay_start(&start)) {
        char text[2 * PATH_MAX + 200];

        snprintf(text, sizeof text,
                 "'%s' cannot be started on this machine: the records of its ranks stay in '%s'",
                 executable, folder);
        recorder_warn(text);
    }
}
