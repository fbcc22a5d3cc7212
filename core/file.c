/* Files and folders of crosswait's own. */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int core_file_create(const char *path, int flags)
{
    return open(path, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

int core_file_create_new(const char *path, int flags)
{
    if (unlink(path) < 0 && errno != ENOENT)
        return -1;
    return open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool core_folder_make(const char *path)
{
    struct stat status;

    if (mkdir(path, S_IRWXU) == 0)
        return true;
    if (errno != EEXIST || lstat(path, &status) < 0)
        return false;
    errno = EEXIST;
    return S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

bool core_program_file(char *path, size_t room)
{
    ssize_t bytes = readlink("/proc/self/exe", path, room);
    bool known = bytes > 0 && (size_t)bytes < room;

    path[known ? bytes : 0] = '\0';
    return known;
}

bool core_program_folder(char *path, size_t room)
{
    char *slash = core_program_file(path, room) ? strrchr(path, '/') : NULL;

    if (slash)
        *slash = '\0';
    return slash != NULL;
}
