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

FILE *core_output_open(const char *path)
{
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
