/* See output.h. */
#include "core/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/check.h"
#include "core/file.h"

/* Overwrites a file in a folder that allows writing to its files but not replacing them. Refuses
 * files of other users (EPERM). */
static int write_over(const char *path)
{
    struct stat about;
    int fd = core_file_create(path, O_WRONLY);

    if (fd < 0 || (fstat(fd, &about) == 0 && about.st_uid == geteuid() && ftruncate(fd, 0) == 0))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

bool core_output_as_is(const char *path)
{
    const char *summary = getenv("GITHUB_STEP_SUMMARY");
    struct stat about;

    CORE_CHECK(path);
    return (summary && !strcmp(path, summary)) || strncmp(path, "/proc/", 6) == 0 ||
           (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0) ||
           (stat(path, &about) == 0 && !S_ISREG(about.st_mode));
}

/* Returns which of our descriptors the path names; -1: none. */
static int descriptor_of(const char *path)
{
    int fd = -1, end = 0;

    if (!strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr"))
        return path[8] == 'o' ? STDOUT_FILENO : STDERR_FILENO;
    if ((sscanf(path, "/dev/fd/%d%n", &fd, &end) == 1 ||
         sscanf(path, "/proc/self/fd/%d%n", &fd, &end) == 1) &&
        !path[end])
        return fd;
    return -1;
}

/* Continues where our own output is: a file opened a second time has a place of its own, at which
 * its text would be overwritten. */
static FILE *output_continue(int fd)
{
    fflush(fd == STDERR_FILENO ? stderr : stdout);
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "w");
    if (copy >= 0 && !file)
        close(copy);
    return file;
}

FILE *core_output_open(const char *path)
{
    int own = descriptor_of(path);

    if (own >= 0)
        return output_continue(own);
    if (core_output_as_is(path))
        return fopen(path, "ae");
    int fd = core_file_create_new(path, O_WRONLY);
    if (fd < 0 && (errno == EACCES || errno == EPERM))
        fd = write_over(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !file)
        close(fd);
    return file;
}
