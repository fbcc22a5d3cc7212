/* Prepares the start: where the trace goes, whether the folder can hold a recording, and the
 * environment of the command. Relies on launch_inside.h; it changes the environment in the child
 * only. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/launch_inside.h"
#include "launch/relay/relay.h"
#include "core/check.h"
#include "core/file.h"
#include "core/text.h"

enum {
    LAUNCH_ROOM_BYTES = 4 * 1024 * 1024, /* free space without which a recording makes no sense */
    TRIES_MAX = 100 /* attempts to get a folder that others want at the same time */
};

void launch_variable_set(struct launch_options *options, const char *name, const char *value)
{
    CORE_CHECK(options->variable_count < LAUNCH_VARIABLES_MAX);
    options->variable[options->variable_count++] = (struct launch_variable){name, value};
}

/* Finds the output's absolute path. Its folder must exist. */
static enum core_status find_output(struct launch *launch)
{
    const char *output = launch->options->output;
    const char *slash = strrchr(output, '/');
    const char *name = slash ? slash + 1 : output;
    char folder[PATH_MAX];
    char *absolute;
    struct stat st;
    int bytes;

    bytes = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - output) + 1 : 1,
                     slash ? output : ".");
    if (!*name || bytes >= (int)sizeof folder)
        return core_report(CORE_BAD_INPUT, "'%s' cannot be the name of a trace file", output);
    absolute = realpath(folder, NULL);
    if (!absolute)
        return core_report(CORE_IO,
                           "cannot write a trace to '%s': %s; choose another folder with -o",
                           folder, strerror(errno));
    bytes = asprintf(&launch->output, "%s/%s", strcmp(absolute, "/") ? absolute : "", name);
    free(absolute);
    if (bytes < 0 || asprintf(&launch->spool, "%s.spool", launch->output) < 0)
        return core_report(CORE_NO_MEMORY, "out of memory");
    if (!stat(launch->output, &st) && S_ISDIR(st.st_mode))
        return core_report(CORE_BAD_INPUT, "cannot write the trace: '%s' is a folder", output);
    return CORE_OK;
}

/* Locks the spool folder, as every process does that records into it. False: another process holds
 * the lock. */
static bool spool_lock(struct launch *launch)
{
    launch->lock_fd = open(launch->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return launch->lock_fd < 0 || flock(launch->lock_fd, LOCK_EX | LOCK_NB) == 0 ||
           errno != EWOULDBLOCK;
}

static void spool_unlock(struct launch *launch)
{
    if (launch->lock_fd >= 0)
        close(launch->lock_fd);
    launch->lock_fd = -1;
}

/* Tells whether the folder of that name is still the one that was opened and locked. A crosswait
 * that started in between may have taken it for a leftover and removed it. */
static bool spool_stands(const struct launch *launch)
{
    struct stat named, opened;

    return !lstat(launch->spool, &named) &&
           (launch->lock_fd < 0 ||
            (!fstat(launch->lock_fd, &opened) && named.st_ino == opened.st_ino &&
             named.st_dev == opened.st_dev));
}

static enum core_status cannot_record(const struct launch *launch, int error)
{
    return core_report(error == ENOSPC || error == EDQUOT ? CORE_FULL : CORE_IO,
                       "cannot record to '%s': %s; choose another folder with -o", launch->output,
                       strerror(error));
}

/* Removes an empty folder of that name: a command that is no MPI program leaves one when its
 * launcher is killed. */
static enum core_status spool_clear(const struct launch *launch)
{
    if (rmdir(launch->spool) == 0 || errno == ENOENT)
        return CORE_OK;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return cannot_record(launch, errno);
    char *folder = core_text_shell_quoted(launch->spool);
    core_report(CORE_IO,
                "'%s' holds the records of an earlier job; remove it, or choose another output "
                "with -o; this makes a trace of it: crosswait recover %s",
                launch->spool, folder ? folder : "");
    free(folder);
    return CORE_IO;
}

/* Creates and locks the spool folder. */
static enum core_status take_spool(struct launch *launch)
{
    enum core_status status = CORE_OK;
    int error = 0;

    for (int tries = 0; tries < TRIES_MAX && status == CORE_OK; tries++) {
        bool made = mkdir(launch->spool, 0700) == 0;

        error = made ? 0 : errno;
        if (!made && error != EEXIST)
            break;
        if (!spool_lock(launch)) {
            spool_unlock(launch);
            return core_report(CORE_IO,
                               "'%s' is in use: another crosswait records there now; choose "
                               "another output with -o",
                               launch->output);
        }
        if (made && spool_stands(launch))
            return CORE_OK;
        if (!made)
            status = spool_clear(launch);
        spool_unlock(launch);
    }
    return status != CORE_OK ? status : cannot_record(launch, error ? error : EEXIST);
}

static enum core_status make_spool(struct launch *launch)
{
    char probe[PATH_MAX];
    enum core_status status = take_spool(launch);
    int fd, error;

    if (status != CORE_OK)
        return status;
    launch->spool_made = true;
    snprintf(probe, sizeof probe, "%s/probe", launch->spool);
    fd = core_file_create(probe, O_WRONLY | O_EXCL);
    if (fd < 0)
        return core_report(CORE_IO, "cannot record to '%s': %s", launch->spool, strerror(errno));
    error = posix_fallocate(fd, 0, LAUNCH_ROOM_BYTES);
    if (error == ENOSPC || error == EDQUOT)
        status = core_report(
            CORE_FULL,
            "cannot record to '%s': less than %d MB free (%s); free some, or choose another folder "
            "with -o",
            launch->output, LAUNCH_ROOM_BYTES >> 20, strerror(error));
    close(fd);
    unlink(probe);
    return status;
}

/* --- remote hosts ----------------------------------------------------------------------------- */

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Tells whether ranks may run on other machines: a batch system or the command names hosts. */
static bool names_hosts(char **command)
{
    char *const *program = launch_library_program(command); /* its arguments follow */
    static const char *const host[] = {"-H",
                                       "-host",
                                       "--host",
                                       "-hosts",
                                       "-hostfile",
                                       "--hostfile",
                                       "-machinefile",
                                       "--machinefile",
                                       "-f",
                                       "-default-hostfile",
                                       "--default-hostfile",
                                       NULL};
    static const char *const manager[] = {"SLURM_JOB_ID",
                                          "PBS_JOBID",
                                          "LSB_JOBID",
                                          "JOB_ID",
                                          "OMPI_MCA_orte_default_hostfile",
                                          "PRTE_MCA_prte_default_hostfile",
                                          "HYDRA_HOST_FILE",
                                          "I_MPI_HYDRA_HOST_FILE"};
    static const char *const starter[] = {"srun", "aprun", "jsrun", "ibrun", "prun", NULL};
    bool hosts = is_one_of(file_of(command[0]), starter); /* the starter itself asks for machines */

    for (size_t i = 0; i < sizeof manager / sizeof *manager; i++)
        hosts |= getenv(manager[i]) != NULL;
    for (char *const *word = command; word < program; word++)
        hosts |= is_one_of(*word, host);
    return hosts;
}

/* Tells whether the command needs mca_base_env_list. Open MPI passes the environment to processes
 * of the same host; to other hosts it passes only what the list names. It refuses to start with
 * both the list and -x. So the list is set for an mpirun that names hosts and has no -x, and for
 * prun, whose ranks an earlier daemon starts. */
static bool wants_env_list(char **command)
{
    static const char *const starter[] = {"mpirun",          "mpiexec", "orterun", "mpirun.openmpi",
                                          "mpiexec.openmpi", "prterun", "prun",    NULL};

    for (int i = 1; command[i]; i++)
        if (!strcmp(command[i], "-x") || strstr(command[i], "mca_base_env_list") ||
            !strcmp(command[i], "-tune") || !strcmp(command[i], "--tune"))
            return false;
    return is_one_of(file_of(command[0]), starter) && names_hosts(command) &&
           !getenv("OMPI_MCA_mca_base_env_list");
}

/* --- all of it -------------------------------------------------------------------------------- */

enum core_status launch_env_prepare(struct launch *launch)
{
    enum core_status status = launch_library_find(launch);

    if (status == CORE_OK)
        status = find_output(launch);
    if (status == CORE_OK)
        status = make_spool(launch);
    if (status == CORE_OK &&
        (launch->options->relay == LAUNCH_RELAY_ON ||
         (launch->options->relay == LAUNCH_RELAY_AUTO && names_hosts(launch->options->command))))
        status = launch_relay_open(launch);
    if (status && launch->spool_made)
        launch_env_undo(launch);
    return status;
}

void launch_env_undo(struct launch *launch)
{
    rmdir(launch->spool); /* succeeds only if empty: the jobs' folders are removed once they are in
                             a trace */
}

static void set_env_list(const struct launch *launch)
{
    char list[2048] = "LD_PRELOAD;CROSSWAIT_SPOOL;" RELAY_PLACE ";" RELAY_SECRET;
    size_t used = strlen(list);

    for (uint32_t i = 0; i < launch->options->variable_count; i++)
        used += (size_t)snprintf(list + used, used < sizeof list ? sizeof list - used : 0, ";%s",
                                 launch->options->variable[i].name);
    if (used < sizeof list)
        setenv("OMPI_MCA_mca_base_env_list", list, 1);
}

/* Puts our library before the other preloaded ones, and leaves out other recorders: that of a
 * crosswait around this one may be of another version, and two would crash the job. */
static char *preload_joined(const struct launch *launch, const char *name, const char *others)
{
    char *joined = NULL, *copy = strdup(others ? others : ""), *rest = NULL;
    size_t bytes;
    FILE *file = copy ? open_memstream(&joined, &bytes) : NULL;

    if (file)
        fprintf(file, "%s%s", name, launch->library);
    for (char *one = file ? strtok_r(copy, ": ", &rest) : NULL; one;
         one = strtok_r(NULL, ": ", &rest))
        if (strncmp(file_of(one), "libcrosswait", strlen("libcrosswait")) != 0)
            fprintf(file, ":%s", one);
    free(copy);
    if (!core_text_close(file, &joined))
        _exit(127);
    return joined;
}

/* Adds our library where the command itself says what its ranks preload (mpirun -x LD_PRELOAD=...,
 * mpiexec -genv LD_PRELOAD ..., env LD_PRELOAD=...), which would override our setting. */
static void join_preloads(const struct launch *launch)
{
    static const char name[] = "LD_PRELOAD=";
    static const char *const takes_two[] = {"-env", "-genv", "--env", NULL};
    char **command = launch->options->command;
    char *const *program = launch_library_program(command); /* or the value for MPICH's -genv */

    for (char **word = command; word < program; word++)
        if (!strncmp(*word, name, sizeof name - 1))
            *word = preload_joined(launch, name, *word + sizeof name - 1);
        else if (is_one_of(*word, takes_two) && word[1] && word[2] &&
                 !strncmp(word[1], name, sizeof name - 2) && !word[1][sizeof name - 2])
            word[2] = preload_joined(launch, "", word[2]);
}

void launch_env_child(const struct launch *launch)
{
    char *joined = preload_joined(launch, "", getenv("LD_PRELOAD"));

    setenv("LD_PRELOAD", joined, 1);
    setenv("CROSSWAIT_SPOOL", launch->spool, 1);
    unsetenv("CROSSWAIT_OUT"); /* the launcher writes the trace */
    for (uint32_t i = 0; i < launch->options->variable_count; i++)
        setenv(launch->options->variable[i].name, launch->options->variable[i].value, 1);
    launch_relay_env(launch);
    if (wants_env_list(launch->options->command))
        set_env_list(launch);
    join_preloads(launch);
    free(joined);
}
