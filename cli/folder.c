/* See the header. The guard makes the folder itself, so that a process to remove it always exists,
 * and sends its name over a socket. When the owner has ended, the guard also waits for the
 * processes that the owner started, which may still make files there, or the folder again. */
#include "cli/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "crosswait-explore-"
#define OWNED "owned" /* a file in the folder, locked as long as its owner lives */

/* Limits the wait for processes that the owner started. */
enum { JOB_MS = 20000 };

static void folder_is_empty(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    struct stat found;
    char path[PATH_MAX];
    while (dir && (entry = readdir(dir))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
            !strcmp(entry->d_name, OWNED) ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            continue;
        if (lstat(path, &found) == 0 && S_ISDIR(found.st_mode)) {
            folder_is_empty(path);
            rmdir(path);
        } else {
            unlink(path);
        }
    }
    if (dir)
        closedir(dir);
}

void folder_empty(const struct folder *folder)
{
    folder_is_empty(folder->path);
}

/* Locks a file of the folder; -1: it does not exist (create: cannot be made), or its owner
 * lives. */
static int lock_file(const char *folder, const char *name, int create)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | create, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Makes the lock file. It gets its name only when it is locked: otherwise another process could
 * consider the folder abandoned. */
static int folder_own(const char *folder)
{
    char path[PATH_MAX + 16], named[PATH_MAX + 16];
    int fd = lock_file(folder, "owning", O_CREAT);
    snprintf(path, sizeof path, "%s/owning", folder);
    snprintf(named, sizeof named, "%s/" OWNED, folder);
    if (fd >= 0 && rename(path, named) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Removes the folder. Returns false if something is left. */
static bool folder_removed(const char *folder)
{
    char path[PATH_MAX + 16];
    folder_is_empty(folder);
    snprintf(path, sizeof path, "%s/" OWNED, folder);
    unlink(path);
    return rmdir(folder) == 0 || errno == ENOENT;
}

/* Removes folders whose guard was killed as well: nobody holds their locks. */
static void remove_of_dead(const char *where)
{
    DIR *dir = opendir(where);
    struct dirent *entry;
    struct stat found;
    char path[PATH_MAX];
    while (dir && (entry = readdir(dir))) {
        int fd = -1;
        if (strncmp(entry->d_name, FOLDER, sizeof FOLDER - 1) == 0 &&
            snprintf(path, sizeof path, "%s/%s", where, entry->d_name) < (int)sizeof path &&
            lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid())
            fd = lock_file(path, OWNED, 0);
        if (fd < 0)
            continue;
        folder_removed(path);
        close(fd);
    }
    if (dir)
        closedir(dir);
}

/* --- the guard -------------------------------------------------------------------------------- */

enum { OWNER_FD = STDERR_FILENO + 1, JOB_FD };

/* Closes everything that is not the guard's, and leaves the terminal's process group. */
static void guard_alone(int owner_fd, int job_fd)
{
    int null = open("/dev/null", O_RDWR), high = JOB_FD + 1;
    setpgid(0, 0);
    signal(SIGHUP, SIG_IGN);
    for (int i = 0; i <= STDERR_FILENO; i++)
        dup2(null, i);
    owner_fd = fcntl(owner_fd, F_DUPFD, high);
    job_fd = fcntl(job_fd, F_DUPFD, high);
    dup2(owner_fd, OWNER_FD);
    dup2(job_fd, JOB_FD);
    close_range((unsigned int)high, ~0u, 0);
}

static void guard_await(int fd, int limit_ms)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    while (poll(&end, 1, limit_ms) < 0 && errno == EINTR)
        ;
}

static _Noreturn void guard_run(int owner_fd, int job_fd, const char *where)
{
    char path[PATH_MAX];
    guard_alone(owner_fd, job_fd);
    snprintf(path, sizeof path, "%s/" FOLDER "XXXXXX", where);
    if (!mkdtemp(path))
        _exit(errno ? errno : EIO);
    if (write(OWNER_FD, path, strlen(path)) > 0)
        guard_await(OWNER_FD, -1);
    if (access(path, F_OK) == 0) /* otherwise the owner has removed it */
        guard_await(JOB_FD, JOB_MS);
    folder_removed(path);
    _exit(0);
}

static int guard_wait(struct folder *folder)
{
    int status = 0;
    close(folder->owner_fd);
    close(folder->job_fd);
    while (waitpid(folder->guard, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static enum core_status guard_start(const char *where, struct folder *folder)
{
    int owner[2], job[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, owner) != 0)
        return core_report(CORE_IO, "no socket: %s", strerror(errno));
    if (pipe2(job, 0) != 0) {
        close(owner[0]);
        close(owner[1]);
        return core_report(CORE_IO, "no pipe: %s", strerror(errno));
    }
    fflush(NULL);
    folder->guard = fork();
    if (folder->guard == 0) {
        close(owner[0]);
        close(job[1]);
        guard_run(owner[1], job[0], where);
    }
    close(owner[1]);
    close(job[0]);
    folder->owner_fd = owner[0];
    folder->job_fd = job[1];
    if (folder->guard > 0)
        return CORE_OK;
    close(owner[0]);
    close(job[1]);
    return core_report(CORE_IO, "no process to keep a folder: %s", strerror(errno));
}

enum core_status folder_make(struct folder *out_folder)
{
    const char *where = getenv("TMPDIR");
    struct folder made = {.owned = -1};
    ssize_t bytes;

    where = where && *where == '/' ? where : "/tmp";
    remove_of_dead(where);
    enum core_status status = guard_start(where, &made);
    if (status != CORE_OK)
        return status;
    while ((bytes = read(made.owner_fd, made.path, sizeof made.path - 1)) < 0 && errno == EINTR)
        ;
    if (bytes <= 0)
        return core_report(CORE_IO, "cannot make a folder in '%s': %s", where,
                           strerror(guard_wait(&made)));
    made.owned = folder_own(made.path);
    *out_folder = made;
    return CORE_OK;
}

void folder_done(struct folder *folder)
{
    if (!*folder->path)
        return;
    folder_removed(folder->path);
    if (folder->owned >= 0)
        close(folder->owned);
    guard_wait(folder);
    *folder = (struct folder){.owned = -1};
}
