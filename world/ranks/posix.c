/* Files that ranks use without MPI, through the C library. The order of such uses is no decision;
 * so the world reports two uses of one file by different ranks if one of them changes the file and
 * no order by MPI lies between them. A use lasts until the rank has closed the file.
 *
 * Each rank counts the uses that it has ended. The count travels with the rank's causes
 * (world_causes.files), so an ended use came before another rank's call if the causes of that rank
 * include its number. Files are distinguished by name, and by inode if they have several names. The
 * list of the names in a folder counts as a file that a rank reads if it lists the folder, and that
 * each rank changes which makes or removes a name there; two changes need no order.
 *
 * Invariants: 1. Only the thread that holds `lock` touches the table in the region. 2. The causes
 * grow only in the thread of the rank that is scheduled; uses by others have no order. */
#undef _FORTIFY_SOURCE
#include "world/ranks/ranks.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/random.h"
#include "world/exchange/explore.h"

enum { NUMBERS_MAX = 1024, WITHOUT_ORDER = UINT32_MAX };

static uint32_t ended;               /* uses that this rank has ended */
static uint32_t use_of[NUMBERS_MAX]; /* by file number: its place in the table + 1; 0: none */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

bool rank_is_theirs(const void *caller)
{
    const char *back = caller;
    return back < __ehdr_start || back >= etext;
}

/* Tells whether the code that called is the program's, in a rank of a world whose order counts. */
static bool posix_counts(const void *caller)
{
    return rank_own >= 0 && rank_is_theirs(caller) && WORLD->explore &&
           rank_region->rank_count > 1 && !rank_region->states.wanted &&
           rank_region->rank[rank_own].pid == getpid(); /* not in a child of the rank */
}
#define COUNTS posix_counts(__builtin_return_address(0))
/* Before a call that would change the file; follow: a link's own file. */
#define CHANGES(folder, path, follow)                    \
    do {                                                 \
        if (rank_is_theirs(__builtin_return_address(0))) \
            rank_file_changes(folder, path, follow);     \
    } while (0)

static bool has_order(void)
{
    CORE_CHECK(rank_own >= 0);
    return world_process_is_main() && !world_process_several && WORLD->fiber &&
           WORLD->fiber->rank->rank == rank_own && !rank_region->rank[rank_own].left;
}

/* --- names ------------------------------------------------------------------------------------ */

struct named {
    uint64_t identity; /* 0: its use does not count */
    bool list;         /* the list of a folder's names: reading it, or changing it */
    char path[PATH_MAX + NAME_MAX + 2];
};

/* Tells whether programs only read what has that name, or use it as a cache or as a sum. */
static bool is_left_out(const char *path)
{
    static const char *const folders[] = {"/usr/", "/lib", "/etc/", "/proc/", "/sys/", "/dev/"};
    const char *end = strrchr(path, '.');
    CORE_CHECK(*path);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return strncmp(path, "/dev/shm/", 9) != 0;
    const char *cache = strstr(path, "/__pycache__");
    return (cache && strchr("/", cache[strlen("/__pycache__")])) || (end && !strcmp(end, ".gcda"));
}

static void identity_set(struct named *n)
{
    uint64_t hash = 1;
    CORE_CHECK(n->path[0]);
    for (const char *at = n->path; *at; at++)
        hash = core_random_mix(hash ^ (uint8_t)*at);
    n->identity = is_left_out(n->path) ? 0 : hash ? hash : 1;
}

static bool path_of(int file, struct named *out)
{
    char link[48];
    CORE_CHECK(file >= 0);
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t bytes = readlink(link, out->path, PATH_MAX);
    out->path[bytes > 0 ? bytes : 0] = 0;
    return bytes > 0;
}

static void named_by_number(int file, struct named *out)
{
    struct stat is;
    CORE_CHECK(file >= 0);
    out->identity = 0;
    out->list = false;
    if (syscall(SYS_fstat, file, &is) != 0 || !path_of(file, out) ||
        (!S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode)))
        return;
    identity_set(out);
    if (out->identity && S_ISREG(is.st_mode) && is.st_nlink > 1)
        out->identity = core_random_mix(core_random_mix(is.st_ino) ^ is.st_dev) | 1;
}

/* Names by its folder what need not exist. */
static void named_in_folder(int folder, const char *path, struct named *out)
{
    char parent[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    CORE_CHECK(out->identity == 0); /* it does not count unless its folder exists */
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof parent || strlen(last) > NAME_MAX)
        return;
    if (slash)
        *(char *)mempcpy(parent, path, length) = 0;
    long file = syscall(SYS_openat, folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return; /* the folder is missing, too */
    if (path_of((int)file, out)) {
        size_t bytes = strlen(out->path);
        CORE_CHECK(bytes + 1 + strlen(last) < sizeof out->path);
        snprintf(out->path + bytes, sizeof out->path - bytes, "/%s", last);
        identity_set(out);
    }
    syscall(SYS_close, file);
}

static void named_by_path(int folder, const char *path, struct named *out)
{
    const int error = errno;
    CORE_CHECK(rank_own >= 0);
    out->identity = 0;
    out->list = false;
    long file = path ? syscall(SYS_openat, folder, path, O_PATH | O_CLOEXEC) : -1;
    if (file >= 0) {
        named_by_number((int)file, out);
        syscall(SYS_close, file);
    } else if (path && errno == ENOENT)
        named_in_folder(folder, path, out);
    errno = error;
}

/* --- uses ------------------------------------------------------------------------------------- */

static void posix_lock(void)
{
    CORE_CHECK(rank_region && rank_own >= 0);
    while (atomic_exchange(&rank_region->files.lock, 1))
        ;
}

static void posix_unlock(void)
{
    CORE_CHECK(rank_region->files.lock == 1); /* invariant 1 */
    rank_region->files.lock = 0;
}

/* Reports that this rank and the other one use the file without an order. */
static void race_note(int other, const struct named *n)
{
    struct world_file_race *race = &rank_region->files.race;
    const char *slash = strrchr(n->path, '/');
    CORE_CHECK(other >= 0 && other != rank_own);
    if (race->found)
        return;
    race->found = true;
    race->rank[0] = other < rank_own ? other : rank_own;
    race->rank[1] = other < rank_own ? rank_own : other;
    snprintf(race->name, sizeof race->name, "%.*s", (int)sizeof race->name - 1,
             slash ? slash + 1 : n->path);
}

static bool is_before(const struct region_file *use, const struct world_causes *causes)
{
    CORE_CHECK(use->rank < WORLD->rank_count);
    return !use->open && causes && causes->files && causes->files[use->rank] >= use->ended;
}

/* Begins a use; returns its place in the table + 1, or 0. */
static uint32_t use_begin(const struct named *n, bool writes)
{
    const struct world_causes *causes = has_order() ? WORLD->fiber->causes : NULL;
    uint32_t found = 0;
    CORE_CHECK(rank_own >= 0);
    if (!n->identity)
        return 0;
    posix_lock();
    for (uint64_t at = n->identity, tried = 0;; at++, tried++) {
        struct region_file *use = &rank_region->files.use[at % REGION_FILES_MAX];
        if (tried == REGION_FILES_MAX / 2 || (!use->identity && found))
            break;
        if (!use->identity) {
            *use =
                (struct region_file){.identity = n->identity, .rank = rank_own, .writes = writes};
            rank_region->files.used = true;
        }
        if (use->identity != n->identity)
            continue;
        if (use->rank == rank_own && use->writes == writes)
            found = (uint32_t)(use - rank_region->files.use) + 1;
        else if (use->rank != rank_own &&
                 (n->list ? writes != use->writes : writes || use->writes) &&
                 !is_before(use, causes))
            race_note(use->rank, n);
    }
    if (found)
        rank_region->files.use[found - 1].open++;
    else
        rank_region->files.full = true;
    posix_unlock();
    return found;
}

static void use_end(uint32_t found)
{
    uint32_t number = WITHOUT_ORDER;
    CORE_CHECK(found <= REGION_FILES_MAX);
    if (!found)
        return;
    if (has_order()) {
        number = ++ended;
        CORE_CHECK(number < WITHOUT_ORDER && ME->rank == rank_own); /* invariant 2 */
        WORLD->fiber->causes = world_causes_ended(WORLD->fiber->causes, rank_own, number);
    }
    posix_lock();
    struct region_file *use = &rank_region->files.use[found - 1];
    CORE_CHECK(use->rank == rank_own && use->open > 0);
    use->open--;
    if (number > use->ended)
        use->ended = number;
    posix_unlock();
}

/* Notes a use that is over when the call returns. */
static void posix_used(const struct named *n, bool writes)
{
    const int error = errno;
    CORE_CHECK(rank_own >= 0);
    use_end(use_begin(n, writes));
    errno = error;
}

/* Notes that the list of the folder was read, or changed. */
static void list_used(const struct named *folder, bool changes)
{
    enum { LIST = 0x6c697374 };
    struct named list = *folder;
    CORE_CHECK(folder->path[0] || !folder->identity);
    if (!list.identity)
        return;
    identity_set(&list);
    list.identity = list.identity ? core_random_mix(list.identity ^ LIST) | 1 : 0;
    list.list = true;
    posix_used(&list, changes);
}

/* Notes that the name was made or removed, which changes the list of its folder. */
static void name_used(const struct named *n)
{
    struct named folder = *n;
    char *slash = strrchr(folder.path, '/');
    CORE_CHECK(rank_own >= 0);
    posix_used(n, true);
    if (!slash || !n->identity)
        return;
    slash[slash == folder.path] = 0; /* the root keeps its slash */
    list_used(&folder, true);
}

static void used_path(int folder, const char *path, bool writes)
{
    struct named n;
    CORE_CHECK(rank_own >= 0);
    named_by_path(folder, path, &n);
    posix_used(&n, writes);
}

enum opens { OPENS_TO_READ, OPENS_TO_WRITE, OPENS_NEW };

/* Notes what opening gave. */
static void posix_opened(int file, int folder, const char *path, enum opens how)
{
    const int error = errno;
    struct named n;
    if (file >= 0) {
        named_by_number(file, &n);
        if (how == OPENS_NEW)
            name_used(&n);
        uint32_t use = use_begin(&n, how != OPENS_TO_READ);
        if (use && file < NUMBERS_MAX)
            use_of[file] = use; /* else it lasts to the end */
    } else
        used_path(folder, path, false);
    errno = error;
}

static uint32_t posix_closing(int file)
{
    const bool known = file >= 0 && file < NUMBERS_MAX;
    const uint32_t use = known ? use_of[file] : 0;
    CORE_CHECK(use <= REGION_FILES_MAX);
    if (known)
        use_of[file] = 0;
    return use;
}

static void posix_closed(uint32_t use)
{
    const int error = errno;
    CORE_CHECK(use <= REGION_FILES_MAX);
    use_end(use);
    errno = error;
}

/* Notes what a file is that is no regular one: random numbers, or a named pipe. */
static void special_note(const char *path, int file, const void *caller)
{
    const int error = errno;
    struct stat is;
    if (path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random")))
        rank_chance_drawn(caller);
    else if (file >= 0 && rank_is_theirs(caller) && syscall(SYS_fstat, file, &is) == 0 &&
             S_ISFIFO(is.st_mode))
        rank_outside_note(WORLD_OUTSIDE_QUEUES);
    errno = error;
}
#define SPECIAL(path, file) special_note(path, file, __builtin_return_address(0));

static enum opens opens_by(int flags)
{
    if (flags & O_CREAT)
        return OPENS_NEW;
    return (flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC ? OPENS_TO_WRITE : OPENS_TO_READ;
}

static enum opens opens_as(const char *mode)
{
    CORE_CHECK(mode);
    return strpbrk(mode, "wa") ? OPENS_NEW : strchr(mode, '+') ? OPENS_TO_WRITE : OPENS_TO_READ;
}

/* --- the C library's functions ---------------------------------------------------------------- */

#define MODE_OF(flags, mode)                                   \
    mode_t mode = 0;                                           \
    if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) { \
        va_list rest;                                          \
        va_start(rest, flags);                                 \
        mode = va_arg(rest, mode_t);                           \
        va_end(rest);                                          \
    }

int open(const char *path, int flags, ...)
{
    RANK_REAL(open)
    MODE_OF(flags, mode)
    if (opens_by(flags) != OPENS_TO_READ)
        CHANGES(AT_FDCWD, path, !(flags & O_NOFOLLOW));
    int file = real(path, flags, mode);
    SPECIAL(path, file)
    if (COUNTS)
        posix_opened(file, AT_FDCWD, path, opens_by(flags));
    return file;
}

int openat(int folder, const char *path, int flags, ...)
{
    RANK_REAL(openat)
    MODE_OF(flags, mode)
    if (opens_by(flags) != OPENS_TO_READ)
        CHANGES(folder, path, !(flags & O_NOFOLLOW));
    int file = real(folder, path, flags, mode);
    SPECIAL(path, file)
    if (COUNTS)
        posix_opened(file, folder, path, opens_by(flags));
    return file;
}

int creat(const char *path, mode_t mode)
{
    RANK_REAL(creat)
    CHANGES(AT_FDCWD, path, true);
    int file = real(path, mode);
    if (COUNTS)
        posix_opened(file, AT_FDCWD, path, OPENS_NEW);
    return file;
}

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    RANK_REAL(open)
    if (opens_by(flags) != OPENS_TO_READ)
        CHANGES(AT_FDCWD, path, !(flags & O_NOFOLLOW));
    int file = real(path, flags);
    SPECIAL(path, file)
    if (COUNTS)
        posix_opened(file, AT_FDCWD, path, opens_by(flags));
    return file;
}

int __openat_2(int folder, const char *path, int flags);
int __openat_2(int folder, const char *path, int flags)
{
    RANK_REAL(openat)
    if (opens_by(flags) != OPENS_TO_READ)
        CHANGES(folder, path, !(flags & O_NOFOLLOW));
    int file = real(folder, path, flags);
    SPECIAL(path, file)
    if (COUNTS)
        posix_opened(file, folder, path, opens_by(flags));
    return file;
}

FILE *fopen(const char *path, const char *mode)
{
    RANK_REAL(fopen)
    if (opens_as(mode) != OPENS_TO_READ)
        CHANGES(AT_FDCWD, path, true);
    FILE *file = real(path, mode);
    SPECIAL(path, file ? fileno(file) : -1)
    if (COUNTS)
        posix_opened(file ? fileno(file) : -1, AT_FDCWD, path, opens_as(mode));
    return file;
}

FILE *freopen(const char *path, const char *mode, FILE *stream)
{
    RANK_REAL(freopen)
    const bool tell = COUNTS;
    const uint32_t use = tell ? posix_closing(fileno(stream)) : 0;
    if (opens_as(mode) != OPENS_TO_READ)
        CHANGES(AT_FDCWD, path, true);
    FILE *file = real(path, mode, stream);
    if (tell) {
        posix_closed(use);
        posix_opened(file ? fileno(file) : -1, AT_FDCWD, path, opens_as(mode));
    }
    return file;
}

int fclose(FILE *stream)
{
    RANK_REAL(fclose)
    const uint32_t use = COUNTS ? posix_closing(fileno(stream)) : 0;
    int code = real(stream);
    posix_closed(use);
    return code;
}

/* A program may close all numbers that it does not use. */
int close(int file)
{
    if (rank_file_is_ours(file) && rank_is_theirs(__builtin_return_address(0))) {
        errno = EBADF;
        return -1;
    }
    const uint32_t use = COUNTS ? posix_closing(file) : 0;
    RANK_REAL(close)
    int code = real(file);
    posix_closed(use);
    return code;
}

/* The uses of a file that has several numbers last to the end. */
int dup(int file)
{
    RANK_REAL(dup)
    if (COUNTS)
        posix_closing(file);
    return real(file);
}

int dup2(int file, int to)
{
    RANK_REAL(dup2)
    const bool tell = COUNTS && file != to;
    const uint32_t use = tell ? posix_closing(to) : 0;
    if (tell)
        posix_closing(file);
    int made = real(file, to);
    posix_closed(use);
    return made;
}

/* A removal that fails counts as a change, too: the job, or an earlier world, may have removed the
 * file already. */
int unlink(const char *path)
{
    RANK_REAL(unlink)
    struct named n;
    const bool tell = COUNTS;
    if (tell)
        named_by_path(AT_FDCWD, path, &n);
    CHANGES(AT_FDCWD, path, false);
    int code = real(path);
    if (tell)
        name_used(&n);
    return code;
}

int unlinkat(int folder, const char *path, int flags)
{
    RANK_REAL(unlinkat)
    struct named n;
    const bool tell = COUNTS;
    if (tell)
        named_by_path(folder, path, &n);
    CHANGES(folder, path, false);
    int code = real(folder, path, flags);
    if (tell)
        name_used(&n);
    return code;
}

int remove(const char *path)
{
    RANK_REAL(remove)
    struct named n;
    const bool tell = COUNTS;
    if (tell)
        named_by_path(AT_FDCWD, path, &n);
    CHANGES(AT_FDCWD, path, false);
    int code = real(path);
    if (tell)
        name_used(&n);
    return code;
}

static void posix_renamed(const struct named *from, int folder, const char *to)
{
    struct named n;
    CORE_CHECK(from != &n);
    name_used(from);
    named_by_path(folder, to, &n);
    name_used(&n);
}

int rename(const char *from, const char *to)
{
    RANK_REAL(rename)
    struct named n;
    const bool tell = COUNTS;
    if (tell)
        named_by_path(AT_FDCWD, from, &n);
    CHANGES(AT_FDCWD, from, false);
    CHANGES(AT_FDCWD, to, false);
    int code = real(from, to);
    if (code != 0)
        rank_file_crosses(AT_FDCWD, from, AT_FDCWD, to);
    if (tell)
        posix_renamed(&n, AT_FDCWD, to);
    return code;
}

int renameat(int folder, const char *from, int other, const char *to)
{
    RANK_REAL(renameat)
    struct named n;
    const bool tell = COUNTS;
    if (tell)
        named_by_path(folder, from, &n);
    CHANGES(folder, from, false);
    CHANGES(other, to, false);
    int code = real(folder, from, other, to);
    if (code != 0)
        rank_file_crosses(folder, from, other, to);
    if (tell)
        posix_renamed(&n, other, to);
    return code;
}

int truncate(const char *path, off_t bytes)
{
    RANK_REAL(truncate)
    CHANGES(AT_FDCWD, path, true);
    int code = real(path, bytes);
    if (COUNTS)
        used_path(AT_FDCWD, path, code == 0);
    return code;
}

int chmod(const char *path, mode_t mode)
{
    RANK_REAL(chmod)
    CHANGES(AT_FDCWD, path, true);
    int code = real(path, mode);
    if (COUNTS)
        used_path(AT_FDCWD, path, true);
    return code;
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags)
{
    RANK_REAL(utimensat)
    int code = real(folder, path, times, flags);
    if (COUNTS)
        used_path(folder, path, true);
    return code;
}

int access(const char *path, int mode)
{
    RANK_REAL(access)
    int code = real(path, mode);
    if (COUNTS)
        used_path(AT_FDCWD, path, false);
    return code;
}

int faccessat(int folder, const char *path, int mode, int flags)
{
    RANK_REAL(faccessat)
    int code = real(folder, path, mode, flags);
    if (COUNTS)
        used_path(folder, path, false);
    return code;
}

int statx(int folder, const char *restrict path, int flags, unsigned mask,
          struct statx *restrict out)
{
    int code = (int)syscall(SYS_statx, folder, path, flags, mask, out);
    if (COUNTS && *path)
        used_path(folder, path, false);
    return code;
}

/* Older C libraries do not have these functions: their headers call others. */
int stat(const char *path, struct stat *out)
{
    int code = (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0);
    if (COUNTS)
        used_path(AT_FDCWD, path, false);
    return code;
}

int lstat(const char *path, struct stat *out)
{
    int code = (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
    if (COUNTS)
        used_path(AT_FDCWD, path, false);
    return code;
}

int fstatat(int folder, const char *path, struct stat *out, int flags)
{
    int code = (int)syscall(SYS_newfstatat, folder, path, out, flags);
    if (COUNTS && !(flags & AT_EMPTY_PATH))
        used_path(folder, path, false);
    return code;
}

/* Notes that the name was made or removed. A call that fails counts, too: another rank may have
 * been first. */
static void posix_made(int folder, const char *path, bool changes)
{
    const int error = errno;
    struct named n = {0};
    char name[PATH_MAX];
    CORE_CHECK(rank_own >= 0);
    size_t length = strnlen(path, sizeof name);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0 || length == sizeof name)
        return;
    *(char *)mempcpy(name, path, length) = 0;
    named_in_folder(folder, name, &n);
    if (changes)
        name_used(&n);
    else
        posix_used(&n, false);
    errno = error;
}

int mkdir(const char *path, mode_t mode)
{
    RANK_REAL(mkdir)
    CHANGES(AT_FDCWD, path, false);
    int code = real(path, mode);
    if (COUNTS)
        posix_made(AT_FDCWD, path, true);
    return code;
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    RANK_REAL(mkdirat)
    CHANGES(folder, path, false);
    int code = real(folder, path, mode);
    if (COUNTS)
        posix_made(folder, path, true);
    return code;
}

int rmdir(const char *path)
{
    RANK_REAL(rmdir)
    CHANGES(AT_FDCWD, path, false);
    int code = real(path);
    if (COUNTS)
        posix_made(AT_FDCWD, path, true);
    return code;
}

int link(const char *from, const char *to)
{
    RANK_REAL(link)
    CHANGES(AT_FDCWD, to, false);
    int code = real(from, to);
    if (code != 0)
        rank_file_crosses(AT_FDCWD, from, AT_FDCWD, to);
    if (COUNTS)
        posix_made(AT_FDCWD, to, true);
    return code;
}

int linkat(int folder, const char *from, int other, const char *to, int flags)
{
    RANK_REAL(linkat)
    CHANGES(other, to, false);
    int code = real(folder, from, other, to, flags);
    if (code != 0)
        rank_file_crosses(folder, from, other, to);
    if (COUNTS)
        posix_made(other, to, true);
    return code;
}

int symlink(const char *text, const char *path)
{
    RANK_REAL(symlink)
    CHANGES(AT_FDCWD, path, false);
    int code = real(text, path);
    if (COUNTS)
        posix_made(AT_FDCWD, path, true);
    return code;
}

int symlinkat(const char *text, int folder, const char *path)
{
    RANK_REAL(symlinkat)
    CHANGES(folder, path, false);
    int code = real(text, folder, path);
    if (COUNTS)
        posix_made(folder, path, true);
    return code;
}

ssize_t readlink(const char *restrict path, char *restrict out, size_t bytes)
{
    RANK_REAL(readlink)
    ssize_t code = real(path, out, bytes);
    if (COUNTS)
        posix_made(AT_FDCWD, path, false);
    return code;
}

int flock(int file, int operation)
{
    RANK_REAL(flock)
    int code = real(file, operation);
    struct named n;
    if (COUNTS && file >= 0 && !(operation & LOCK_UN)) {
        const int error = errno;
        CORE_CHECK(operation & (LOCK_SH | LOCK_EX) || code < 0);
        named_by_number(file, &n);
        posix_used(&n, operation & LOCK_EX);
        errno = error;
    }
    return code;
}

/* --- lists of folders ------------------------------------------------------------------------- */

/* Notes that the program lists a folder. Python lists folders to find modules; so what a script
 * lists does not count. */
static void posix_listed(int folder, const char *path, const void *caller)
{
    const int error = errno;
    struct named n = {0};
    if (!posix_counts(caller) || rank_is_interpreter(caller))
        return;
    if (path)
        named_by_path(folder, path, &n);
    else
        named_by_number(folder, &n);
    posix_used(&n, false);
    list_used(&n, false);
    errno = error;
}
#define LISTED(folder, path) posix_listed(folder, path, __builtin_return_address(0));

DIR *opendir(const char *path)
{
    RANK_REAL(opendir)
    CORE_CHECK(real != opendir);
    LISTED(AT_FDCWD, path)
    return real(path);
}

DIR *fdopendir(int file)
{
    RANK_REAL(fdopendir)
    CORE_CHECK(real != fdopendir);
    LISTED(file, NULL)
    return real(file);
}

int scandir(const char *restrict path, struct dirent ***restrict out,
            int (*chosen)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **))
{
    RANK_REAL(scandir)
    CORE_CHECK(real != scandir);
    LISTED(AT_FDCWD, path)
    return real(path, out, chosen, order);
}

int nftw(const char *path, int (*visit)(const char *, const struct stat *, int, struct FTW *),
         int depth, int flags)
{
    RANK_REAL(nftw)
    CORE_CHECK(real != nftw);
    LISTED(AT_FDCWD, path)
    return real(path, visit, depth, flags);
}

/* Lists the folder before the first part of the pattern with a special character. */
int glob(const char *restrict pattern, int flags, int (*failed)(const char *, int),
         glob_t *restrict out)
{
    RANK_REAL(glob)
    char path[PATH_MAX] = ".";
    size_t length = strcspn(pattern, "*?[{~");
    while (length > 0 && pattern[length - 1] != '/')
        length--;
    if (length > 0 && length < sizeof path)
        *(char *)mempcpy(path, pattern, length) = 0;
    LISTED(AT_FDCWD, path)
    return real(pattern, flags, failed, out);
}

#define SAME(name) __attribute__((alias(#name)))
int open64(const char *path, int flags, ...) SAME(open);
int openat64(int folder, const char *path, int flags, ...) SAME(openat);
int creat64(const char *path, mode_t mode) SAME(creat);
int __open64_2(const char *path, int flags) SAME(__open_2);
int __openat64_2(int folder, const char *path, int flags) SAME(__openat_2);
FILE *fopen64(const char *path, const char *mode) SAME(fopen);
FILE *freopen64(const char *path, const char *mode, FILE *stream) SAME(freopen);
int truncate64(const char *path, off_t bytes) SAME(truncate);
int stat64(const char *restrict path, struct stat64 *restrict out) SAME(stat);
int lstat64(const char *restrict path, struct stat64 *restrict out) SAME(lstat);
int fstatat64(int folder, const char *restrict path, struct stat64 *restrict out, int flags)
    SAME(fstatat);
int scandir64(const char *restrict path, struct dirent64 ***restrict out,
              int (*chosen)(const struct dirent64 *),
              int (*order)(const struct dirent64 **, const struct dirent64 **)) SAME(scandir);
int nftw64(const char *path, int (*visit)(const char *, const struct stat64 *, int, struct FTW *),
           int depth, int flags) SAME(nftw);
int glob64(const char *restrict pattern, int flags, int (*failed)(const char *, int),
           glob64_t *restrict out) SAME(glob);
