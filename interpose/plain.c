/* Without the launcher: MPI_Finalize turns the spools into the trace, by running `crosswait recover`. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpose/life.h"

extern char **environ;

const char *life_out(void)
{
    const char *out = getenv("CROSSWAIT_OUT");
    return out && out[0] ? out : "crosswait.db";
}

/* The command that was installed with this library: beside it, or in ../bin. */
static bool find_command(char *path)
{
    static const char *const places[] = {"crosswait", "../bin/crosswait", "../../bin/crosswait"};
    Dl_info info;
    char own[PATH_MAX];
    if (!dladdr((void *)find_command, &info) || !realpath(info.dli_fname, own))
        return false;
    *strrchr(own, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(path, PATH_MAX, "%s/%s", own, places[i]) < PATH_MAX && access(path, X_OK) == 0)
            return true;
    return false;
}

/* The environment without what would load this library, or make the command take itself for a rank. */
static char **plain_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "PMIX_", 5) != 0 &&
            strncmp(environ[i], "OMPI_", 5) != 0)
            copy[kept++] = environ[i];
    return copy;
}

static bool run_recover(const char *command, const char *folder, const char *out)
{
    char *arguments[] = {(char *)command, "recover", "--quiet", "--remove", "-o", (char *)out, (char *)folder, NULL};
    char **environment = plain_environment();
    pid_t child;
    int status = 0;
    bool good = environment && posix_spawn(&child, command, NULL, NULL, arguments, environment) == 0;
    free(environment);
    if (!good)
        return false;
    pid_t waited;
    while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    /* An application that ignores or reaps its children leaves us no status: then the trace itself tells. */
    return waited == child ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : access(out, R_OK) == 0;
}

void life_make_trace(const char *folder)
{
    REAL(Barrier)(recorder_handle.comm_world);
    if (recorder.world_rank == 0) {
        char command[PATH_MAX], text[PATH_MAX + 200];
        if (!find_command(command) || !run_recover(command, folder, life_out())) {
            snprintf(text, sizeof text, "the trace '%.200s' is not written; try: crosswait recover -o '%.200s' '%.300s'", life_out(),
                     life_out(), folder);
            recorder_warn(text);
        }
    }
    REAL(Barrier)(recorder_handle.comm_world);
}
