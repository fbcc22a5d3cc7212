/* See shares.h. Locks are flock()s, which the system lifts when their process dies. */
#include "core/file.h"
#include "launch/shares.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/random.h"
#include "core/output.h"

/* A launcher kills what is left of its job when the first process ends with a status other than 0,
 * so the one who speaks goes last, but waits no longer than this, in hundredths of a second: some
 * may have died. */
enum { LEAVE_TRIES = 300, SHARE_PATH = PATH_MAX + 80 };

static bool shares_number(const char *name, int *out_value)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return false;
    *out_value = atoi(text);
    return true;
}

bool shares_job(int *out_rank, int *out_size)
{
    static const char *const pair[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"PMI_RANK", "PMI_SIZE"},
                                          {"SLURM_PROCID", "SLURM_NTASKS"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        if (shares_number(pair[i][0], out_rank) && shares_number(pair[i][1], out_size))
            return true;
    return false;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 1;
    for (; *text; text++)
        hash = core_random_mix(hash ^ (unsigned char)*text);
    return hash;
}

static void share_path(char *path, size_t room, const char *folder, uint64_t key, uint64_t share,
                       const char *end)
{
    snprintf(path, room, "%s/%016" PRIx64 ".%" PRIu64 ".%s", folder, key, share, end);
}

static bool shares_load(const char *path, struct replay_exploration *out_part)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool good = replay_exploration_read(file, out_part) == CORE_OK;
    fclose(file);
    return good;
}

static enum core_status shares_save(const char *path, const struct replay_exploration *part)
{
    char partial[SHARE_PATH + 16];
    snprintf(partial, sizeof partial, "%s.partial", path);
    FILE *file = core_output_open(partial);
    if (!file)
        return core_report(CORE_IO, "cannot write '%s': %s", partial, strerror(errno));
    bool good = replay_exploration_write(part, file) == CORE_OK;
    good = fclose(file) == 0 && good && rename(partial, path) == 0;
    return good ? CORE_OK : core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
}

/* Opens and locks; -1 when it could not be had. */
static int shares_lock(const char *path, bool wait)
{
    int fd = core_file_create(path, O_RDWR);
    while (fd >= 0 && flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        close(fd);
        return -1;
    }
    return fd;
}

/* Explores one share unless it is explored, or another process is at it (and wait is false). */
static enum core_status work_on(const struct replay_program *program,
                                const struct replay_explore_options *options, const char *folder,
                                uint64_t key, uint64_t share, bool wait)
{
    char path[SHARE_PATH], result[SHARE_PATH];
    struct replay_exploration part;
    struct replay_explore_options own = *options;

    share_path(result, sizeof result, folder, key, share, "done");
    if (access(result, F_OK) == 0)
        return CORE_OK;
    share_path(path, sizeof path, folder, key, share, "lock");
    int fd = shares_lock(path, wait);
    if (fd < 0)
        return wait ? core_report(CORE_IO, "cannot lock '%s': %s", path, strerror(errno)) : CORE_OK;
    enum core_status status = CORE_OK;
    if (access(result, F_OK) != 0) {
        own.shard = share;
        own.shard_count = REPLAY_EXPLORE_SHARES;
        own.runs_max = options->runs_max / REPLAY_EXPLORE_SHARES + 1;
        status = replay_explore(program, &own, &part);
        if (status == CORE_OK) {
            status = shares_save(result, &part);
            replay_exploration_done(&part);
        }
    }
    close(fd);
    return status;
}

static enum core_status shares_gather(const struct replay_program *program, const char *folder,
                                      uint64_t key, struct replay_exploration *out_sum)
{
    struct replay_exploration sum = {0}, part;
    char path[SHARE_PATH];
    enum core_status status = CORE_OK;

    for (uint64_t share = 0; share < REPLAY_EXPLORE_SHARES && status == CORE_OK; share++) {
        share_path(path, sizeof path, folder, key, share, "done");
        if (shares_load(path, &part))
            status = replay_exploration_merge(&sum, &part);
        else
            status =
                core_report(CORE_BAD_FORMAT,
                            "'%s' is not what it should be; remove the folder '%s' and start again",
                            path, folder);
    }
    if (status == CORE_OK)
        status = replay_exploration_finish(program, &sum);
    if (status != CORE_OK) {
        replay_exploration_done(&sum);
        return status;
    }
    *out_sum = sum;
    return CORE_OK;
}

uint64_t shares_job_number(void)
{
    static const char *const name[] = {"PMIX_NAMESPACE", "SLURM_JOB_ID", "PMI_ID"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (getenv(name[i]))
            return hash_text(getenv(name[i]));
    return (uint64_t)getppid();
}

void shares_job_leave(void)
{
    static const char *const before[] = {"OMPI_COMM_WORLD_",
                                         "OMPI_UNIVERSE_SIZE",
                                         "OMPI_MCA_ess",
                                         "OMPI_MCA_orte_",
                                         "OMPI_ARGV",
                                         "OMPI_COMMAND",
                                         "OMPI_APP_CTX_",
                                         "OMPI_FIRST_RANKS",
                                         "OMPI_FILE_",
                                         "OMPI_NUM_APP_CTX",
                                         "PMIX_",
                                         "PMI_",
                                         "ORTE_",
                                         "PRTE_"};
    for (char **at = environ; *at;) {
        bool its = false;
        for (size_t i = 0; i < sizeof before / sizeof *before; i++)
            its |= strncmp(*at, before[i], strlen(before[i])) == 0;
        char name[256];
        size_t bytes = strcspn(*at, "=");
        if (!its || bytes >= sizeof name) {
            at++;
            continue;
        }
        memcpy(name, *at, bytes);
        name[bytes] = 0;
        if (unsetenv(name) != 0) /* moves those behind it up */
            at++;
    }
}

/* Whether the answer has been given: its exit status. */
static bool shares_said(const struct shares *shares, int *out_exit)
{
    FILE *file = fopen(shares->said, "r");
    if (!file)
        return false;
    bool good = fscanf(file, "%d", out_exit) == 1;
    fclose(file);
    return good;
}

/* How many others have left: one letter each, behind the first line. */
static int count_left(const struct shares *shares)
{
    FILE *file = fopen(shares->said, "r");
    int left = 0;
    if (!file)
        return shares->size;
    for (int c; (c = getc(file)) != EOF;)
        left += c == 'x';
    fclose(file);
    return left;
}

static enum core_status open_folder(struct shares *shares, const char *trace_path,
                                    const char *question)
{
    struct stat trace;
    snprintf(shares->folder, sizeof shares->folder, "%s.explore", trace_path);
    if (!core_folder_make(shares->folder))
        return core_report(CORE_IO, "cannot make the folder '%s' that the processes share: %s",
                           shares->folder, strerror(errno));
    if (stat(trace_path, &trace) != 0)
        return core_report(CORE_IO, "cannot look at '%s': %s", trace_path, strerror(errno));
    shares->key = core_random_mix(hash_text(question) ^ (uint64_t)trace.st_ino);
    snprintf(shares->said, sizeof shares->said, "%s/%016" PRIx64 ".%016" PRIx64 ".said",
             shares->folder, shares->key, shares_job_number());
    return CORE_OK;
}

enum core_status shares_explore(struct shares *shares, const struct replay_program *program,
                                const struct replay_explore_options *options,
                                const char *trace_path, const char *question, int rank, int size,
                                struct replay_exploration *out_sum, bool *out_speak, int *out_exit)
{
    int exit_status;
    *out_speak = false;
    shares->size = size;
    enum core_status status = open_folder(shares, trace_path, question);
    for (int wait = 0; wait < 2; wait++) /* first what is free, then what is left: a lock that can
                                            be had then has lost its owner */
        for (uint64_t i = 0;
             i < REPLAY_EXPLORE_SHARES && status == CORE_OK && !shares_said(shares, &exit_status);
             i++)
            status = work_on(program, options, shares->folder, shares->key,
                             (i + (uint64_t)rank * 5) % REPLAY_EXPLORE_SHARES, wait);
    if (status != CORE_OK)
        return status;
    shares->fd = shares_lock(shares->said, true);
    if (shares->fd < 0)
        return core_report(CORE_IO, "cannot lock '%s': %s", shares->said, strerror(errno));
    if (shares_said(shares, out_exit)) {
        if (lseek(shares->fd, 0, SEEK_END) < 0 || write(shares->fd, "x", 1) != 1)
            status = core_report(CORE_IO, "cannot write '%s': %s", shares->said, strerror(errno));
        close(shares->fd);
        return status;
    }
    *out_speak = true;
    return shares_gather(program, shares->folder, shares->key, out_sum);
}

void shares_done(struct shares *shares, int exit_status)
{
    char path[SHARE_PATH];

    dprintf(shares->fd, "%d\n", exit_status);
    close(shares->fd);
    for (int i = 0; i < LEAVE_TRIES && count_left(shares) < shares->size - 1; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    for (uint64_t share = 0; share < REPLAY_EXPLORE_SHARES; share++) {
        share_path(path, sizeof path, shares->folder, shares->key, share, "done");
        unlink(path);
        share_path(path, sizeof path, shares->folder, shares->key, share, "lock");
        unlink(path);
    }
    unlink(shares->said);
    rmdir(shares->folder);
}
