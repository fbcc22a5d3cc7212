/* Identifies a file by its name, so that two names can be shown to mean one file, or two. Used when
 * files are opened and deleted, which is rare. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/machine.h"
#include "program/memory.h"
#include "core/trace/event.h"
#include "interpose/recorder.h"

enum { MACHINE_MASK = 0x7FFFFFFF };

/* Returns the machine's part of a place: the same file may have other names on other machines. */
static int64_t machine_number(void)
{
    struct core_machine machine;

    core_machine_here(&machine);
    return (int64_t)(XXH64(&machine, sizeof machine, 0) & MACHINE_MASK)
           << EVENT_PLACE_MACHINE_SHIFT;
}

/* Resolves the path without links; for a missing file that of its folder. Empty: unknown. */
static void path_resolve(const char *name, bool there, char path[PATH_MAX])
{
    char folder[PATH_MAX], resolved[PATH_MAX];
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    struct stat about;

    path[0] = '\0';
    if (there) {
        if (!realpath(name, path))
            path[0] = '\0';
        return;
    }
    if (lstat(name, &about) == 0 || errno != ENOENT || strchr(base, ':') || !*base)
        return; /* a dangling link; libraries read the part before a colon as the name of a file
                   system */
    if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - name) + 1 : 1,
                 slash ? name : ".") >= (int)sizeof folder ||
        !realpath(folder, resolved) || strlen(resolved) + strlen(base) + 2 > PATH_MAX)
        return;
    size_t length = strcmp(resolved, "/") ? strlen(resolved) : 0;
    memcpy(path, resolved, length);
    path[length] = '/';
    memcpy(path + length + 1, base, strlen(base) + 1);
}

struct recorder_named recorder_named(const char *program_name)
{
    struct recorder_named named = {0};
    const char *name = memory_text(program_name);
    int error = errno;
    struct stat about;
    char path[PATH_MAX];

    if (!name || strlen(name) >= PATH_MAX)
        return named;
    bool there = stat(name, &about) == 0;
    if (there) {
        named.device = (int64_t)about.st_dev;
        named.inode = (int64_t)about.st_ino;
    }
    path_resolve(name, there, path);
    if (there && about.st_nlink > 1) /* all its names are equivalent */
        snprintf(path, sizeof path, "%lld:%lld", (long long)named.device, (long long)named.inode);
    if (path[0])
        named.place = machine_number() | (int64_t)(uint32_t)XXH64(path, strlen(path), 0);
    errno = error;
    return named;
}
