/* Keeps worlds from changing files that stay: those outside of the folders that are isolated
 * (processes/scratch.h), such as the results that the job has written. A call that would change one
 * ends the world before it does, or, before the ranks begin, the program.
 *
 * Devices, /proc, /sys, counts of coverage and Python's caches are left alone, as are files that
 * worlds make in /tmp where it cannot be isolated. Not seen are files that a child process or a
 * system call made directly changes. */
#undef _FORTIFY_SOURCE
#include "world/ranks/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINKS_MAX = 8, REAL_PATH_MAX = PATH_MAX + NAME_MAX + 2 };

struct change {
    bool made;               /* the file does not exist */
    struct timespec changed; /* if it exists: the last time */
    off_t bytes;             /* of a regular file that exists */
    char path[REAL_PATH_MAX];
};

static bool path_of_number(int file, char *out)
{
    char link[48];
    CORE_CHECK(file >= 0);
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t bytes = readlink(link, out, PATH_MAX);
    out[bytes > 0 ? bytes : 0] = 0;
    return bytes > 0;
}

/* Finds the full path of a name that its folder lacks. */
static bool path_of_new(int folder, const char *name, char *out)
{
    char parent[PATH_MAX] = ".";
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    const size_t length = slash ? (size_t)(slash - name) + 1 : 0;
    if (length >= sizeof parent || strlen(last) > NAME_MAX)
        return false;
    if (slash)
        *(char *)mempcpy(parent, name, length) = 0;
    long file = syscall(SYS_openat, folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const bool known = file >= 0 && syscall(SYS_faccessat, (int)file, ".", W_OK) == 0 &&
                       path_of_number((int)file, out);
    CORE_CHECK(!known || strlen(out) + strlen(last) + 1 < REAL_PATH_MAX);
    if (known)
        strcat(strcat(out, "/"), last);
    if (file >= 0)
        syscall(SYS_close, (int)file);
    return known;
}

/* Finds the full path of the file or folder that a call would change; false: it would fail, or
 * changes a device. */
static bool change_find(int folder, const char *name, bool follow, struct change *out)
{
    char target[PATH_MAX], text[PATH_MAX];
    struct stat is;
    for (int links = 0; links < LINKS_MAX && *name; links++) {
        long file =
            syscall(SYS_openat, folder, name, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
        if (file >= 0) {
            const bool known =
                syscall(SYS_fstat, (int)file, &is) == 0 &&
                (S_ISREG(is.st_mode) || S_ISDIR(is.st_mode) || S_ISLNK(is.st_mode)) &&
                path_of_number((int)file, out->path);
            syscall(SYS_close, (int)file);
            out->made = false;
            out->changed = is.st_ctim;
            out->bytes = S_ISREG(is.st_mode) ? is.st_size : 0;
            return known && (!follow || syscall(SYS_faccessat, folder, name, W_OK) == 0);
        }
        ssize_t bytes = errno == ENOENT && follow
                            ? syscall(SYS_readlinkat, folder, name, text, sizeof text - 1)
                            : -1;
        out->made = true;
        out->bytes = 0;
        if (bytes <= 0)
            return path_of_new(folder, name, out->path);
        text[bytes] = 0; /* the link's file does not exist yet */
        const char *slash = *text == '/' ? NULL : strrchr(name, '/');
        int used = snprintf(target, sizeof target, "%.*s%s", slash ? (int)(slash - name) + 1 : 0,
                            name, text);
        if (used < 0 || (size_t)used >= sizeof target)
            return false;
        name = memcpy(text, target, (size_t)used + 1);
    }
    return false;
}

static bool is_within(const char *path, const char *folder)
{
    const size_t bytes = strlen(folder);
    return !strncmp(path, folder, bytes) && (!path[bytes] || path[bytes] == '/');
}

/* Returns the isolated folder that holds the file; -1: none. */
static int place_of(const struct scratch *s, const char *path)
{
    CORE_CHECK(s->count <= SCRATCH_PLACES);
    for (uint32_t i = 0; i < s->count; i++)
        if (is_within(path, s->place[i]))
            return (int)i;
    return -1;
}

/* Tells whether it is a temporary file that a world has made, or makes. */
static bool is_temporary(const struct scratch *s, const struct change *change)
{
    const char *temporary = getenv("TMPDIR");
    CORE_CHECK(*change->path == '/');
    return (is_within(change->path, "/tmp") ||
            (temporary && *temporary && is_within(change->path, temporary))) &&
           (change->made || change->changed.tv_sec > s->since.tv_sec ||
            (change->changed.tv_sec == s->since.tv_sec &&
             change->changed.tv_nsec >= s->since.tv_nsec));
}

/* Tells whether changes of that file are dropped with the world, or mean nothing. */
static bool is_isolated(const struct scratch *s, const char *path)
{
    static const char *const left_out[] = {"/dev/", "/proc/", "/sys/"};
    const char *end = strrchr(path, '.');
    CORE_CHECK(*path == '/' && s->count <= SCRATCH_PLACES);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (!strncmp(path, left_out[i], strlen(left_out[i])) && !is_within(path, "/dev/shm"))
            return true;
    if (place_of(s, path) >= 0)
        return true;
    return strstr(path, "/__pycache__") || (end && !strcmp(end, ".gcda"));
}

/* Tells whether the memory for files has room for a copy of the file, which the kernel makes before
 * the program changes it. */
static bool has_room(const struct scratch *s, const struct change *change)
{
    CORE_CHECK(change->bytes >= 0);
    return change->bytes <= SCRATCH_SMALL || (uint64_t)change->bytes <= scratch_room(s);
}

/* Ends the process before it makes the change. */
static _Noreturn void change_refuse(const struct change *change)
{
    if (rank_own < 0)
        rank_refuse("it changes '%.200s', a file that worlds cannot isolate", change->path);
    snprintf(rank_region->real_file, sizeof rank_region->real_file, "%.*s",
             (int)sizeof rank_region->real_file - 1, change->path);
    for (;;)
        syscall(SYS_exit_group, 1);
}

void rank_file_changes(int folder, const char *name, bool follow)
{
    static struct change change RANK_SCRATCH;
    const int error = errno;
    const struct scratch *s = rank_region ? &rank_region->scratch : NULL;
    if (!name || !s || (!s->count && !s->strict) || rank_region->states.depth ||
        (rank_own >= 0 && rank_region->rank[rank_own].pid != getpid()) ||
        !change_find(folder, name, follow, &change) || *change.path != '/' ||
        (is_isolated(s, change.path) && (!follow || has_room(s, &change))) ||
        is_temporary(s, &change)) {
        errno = error;
        return;
    }
    if (rank_own < 0 && scratch_grow(&rank_region->scratch, change.path, false)) {
        errno = error;
        return;
    }
    change_refuse(&change);
}

void rank_file_crosses(int folder, const char *from, int other, const char *to)
{
    static struct change old RANK_SCRATCH, fresh RANK_SCRATCH;
    const int error = errno;
    const struct scratch *s = rank_region ? &rank_region->scratch : NULL;
    if (error == EXDEV && s && s->count && change_find(folder, from, false, &old) &&
        change_find(other, to, false, &fresh)) {
        const int of_old = place_of(s, old.path), of_fresh = place_of(s, fresh.path);
        if (of_old >= 0 && of_fresh >= 0 && of_old != of_fresh &&
            s->device[of_old] == s->device[of_fresh])
            change_refuse(&fresh);
    }
    errno = error;
}

void world_process_changes(const char *file)
{
    CORE_CHECK(file);
    rank_file_changes(AT_FDCWD, file, true);
}
