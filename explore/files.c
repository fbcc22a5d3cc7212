/* See the header. */
#include "explore/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 20000, DEPTH_MAX = 2 };

/* Tells whether it is the file that our own output goes to. */
static bool is_ours(const struct stat *file)
{
    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
        struct stat is;
        if (fstat(stream, &is) == 0 && is.st_dev == file->st_dev && is.st_ino == file->st_ino)
            return true;
    }
    return false;
}

static bool is_behind(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* Returns a file below the folder that was written after `since` and is not our own output; NULL if
 * there is none. Every world would write such a file again. */
static char *written_below(const char *folder, struct timespec since, int depth, int *left)
{
    DIR *directory = opendir(folder);
    char *found = NULL;
    for (struct dirent *entry; directory && !found && (entry = readdir(directory)) && (*left)--;) {
        struct stat is;
        char *path = NULL;
        if (entry->d_name[0] == '.' || asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
            continue;
        bool known = lstat(path, &is) == 0;
        if (known && S_ISDIR(is.st_mode) && depth > 0 && !strstr(entry->d_name, ".spool"))
            found = written_below(path, since, depth - 1, left);
        else if (known && S_ISREG(is.st_mode) && is_behind(is.st_mtim, since) &&
                 !strstr(entry->d_name, ".db") && !is_ours(&is))
            found = strdup(entry->d_name);
        free(path);
    }
    if (directory)
        closedir(directory);
    return found;
}

char *explore_file_written(struct timespec since)
{
    int left = FILES_MAX;
    return written_below(".", since, DEPTH_MAX, &left);
}
