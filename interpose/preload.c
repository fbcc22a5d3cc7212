/* Makes the trace without a launcher: MPI_Finalize turns the spools into the trace by running
 * `crosswait recover`. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "interpose/life.h"

extern char **environ;

const char *life_out(void)
{
    const char *out = recorder_setting("CROSSWAIT_OUT");
    return out && out[0] ? out : "crosswait.db";
}

/* Finds the command that was installed with this library: beside it, or in ../bin. */
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

/* Returns the environment without the variables that would load this library, or make the command
 * look like a rank. */
static char **plain_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ && environ[count]) /* environ is NULL once it was cleared */
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 &&
            strncmp(environ[i], "LD_AUDIT=", 9) != 0 && strncmp(environ[i], "PMIX_", 5) != 0 &&
            strncmp(environ[i], "OMPI_", 5) != 0)
            copy[kept++] = environ[i];
    return copy;
}

static bool run_recover(const char *command, const char *folder, const char *out)
{
    char *arguments[] = {(char *)command, "recover", "-o", (char *)out, (char *)folder, NULL};
    char **environment = plain_environment();
    posix_spawn_file_actions_t actions;
    pid_t child, waited;
    int status = 0;
    if (!environment || posix_spawn_file_actions_init(&actions))
        return false;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY,
                                     0); /* keeps the application's output clean */
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    bool good = posix_spawn(&child, command, &actions, NULL, arguments, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (!good)
        return false;
    while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    /* If the application ignores or reaps its children, no status is left: then the trace's
     * existence tells. */
    return waited == child ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : access(out, R_OK) == 0;
}

/* Removes the files of this job's ranks: R.L.ring, R.L.spool and R.0.address, then the folders if
 * they are empty. */
static void spools_remove(const char *folder)
{
    char path[PATH_MAX + 300];
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        int rank, lane, end = 0;
        if (sscanf(entry->d_name, "%d.%d.%n", &rank, &lane, &end) == 2 && end &&
            (!strcmp(entry->d_name + end, "ring") || !strcmp(entry->d_name + end, "spool") ||
             !strcmp(entry->d_name + end, "address")) &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
    snprintf(path, sizeof path, "%s", folder);
    char *slash = strrchr(path, '/');
    if (slash) {
        *slash = 0;
        rmdir(path);
    }
}

/* Returns the absolute path of the trace of a job whose spools are in T.db.spool/JOB, even if the
 * program changed its working directory. */
static void trace_of(const char *folder, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s", folder);
    char *slash = strrchr(out, '/');
    if (slash && slash - out > 6)
        slash[-6] = 0;
}

static void preload_advise(const char *why, const char *folder)
{
    char trace[PATH_MAX], *text = NULL;

    trace_of(folder, trace);
    char *out = core_text_shell_quoted(trace), *spools = core_text_shell_quoted(folder);
    if (out && spools && asprintf(&text, "%s: crosswait recover -o %s %s", why, out, spools) >= 0)
        recorder_warn(text);
    free(text);
    free(out);
    free(spools);
}

void life_name_spools(const char *folder)
{
    if (recorder.world_rank == 0)
        preload_advise("MPI_Finalize will not write the trace; once all ranks have ended", folder);
}

/* Returns the enum spool_state of a rank; -1: it has no record in the folder. */
static int record_state(const char *folder, int rank)
{
    char path[PATH_MAX + 40];
    struct spool_header header;

    snprintf(path, sizeof path, "%s/%d.0.ring", folder, rank);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool read_whole = fd >= 0 && read(fd, &header, sizeof header) == sizeof header;
    if (fd >= 0)
        close(fd);
    return read_whole ? (int)header.state : -1;
}

enum { AT_WORK = -1 };
/* Waits until all records are closed, and returns how many ranks' records are missing. AT_WORK: a
 * record was not closed in time. */
static int records_missing(const char *folder)
{
    enum { LOOKS = 5000, LOOK_NS = 1000000 };
    int missing = 0, looks = 0;

    for (int rank = 0; rank < recorder.world_size; rank++) {
        int state = record_state(folder, rank);
        for (; state == SPOOL_STATE_RUNNING; state = record_state(folder, rank)) {
            if (looks++ == LOOKS)
                return AT_WORK;
            nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
        }
        missing += state < 0;
    }
    return missing;
}

/* Called after MPI_Finalize returned, when all ranks are in it. The other ranks close their records
 * once it returns there, and a shared file system may show that late. */
void life_make_trace(const char *folder)
{
    char command[PATH_MAX], out[PATH_MAX], text[PATH_MAX + 200];

    if (recorder.world_rank != 0)
        return;
    int missing = records_missing(folder);
    trace_of(folder, out);
    if (missing == AT_WORK) {
        preload_advise("no trace is written: not all ranks have returned from MPI_Finalize; once "
                       "they have ended",
                       folder);
    } else if (missing && hosts_several()) {
        snprintf(text, sizeof text,
                 "no trace is written: the records of %d of %d ranks are in '%.300s' on other "
                 "machines; after they are copied here",
                 missing, recorder.world_size, folder);
        preload_advise(text, folder);
    } else if (find_command(command) && run_recover(command, folder, out)) {
        spools_remove(folder);
    } else {
        snprintf(text, sizeof text, "the trace '%.200s' is not written; try", out);
        preload_advise(text, folder);
    }
}
