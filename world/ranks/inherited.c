/* Files that the program opened for writing, pipes and event counters that it made, before its
 * ranks were forked. Under mpirun each rank made its own; so each rank of a world gets its own,
 * with the same numbers, positions and unread data. What cannot be copied stays shared, and the
 * rank reports it. */
#include "world/ranks/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NUMBERS_MAX = RANK_FILES_ASKED, MADE_MAX = NUMBERS_MAX, COPIED_MAX = 16 << 20 };

enum kind { KIND_NONE, KIND_WRITTEN, KIND_PIPE, KIND_EVENT, KIND_OTHER };

static struct made {
    int number;
    enum kind kind;
    int flags;
    uint64_t inode;
    char path[SCRATCH_PATH]; /* of a file that is written; "": too long */
} made[MADE_MAX];
static int made_count;
static bool open_at_start[NUMBERS_MAX], others;

static void numbers_ask(bool out_open[NUMBERS_MAX])
{
    static struct pollfd file[NUMBERS_MAX];
    const struct timespec none = {0};
    for (int i = 0; i < NUMBERS_MAX; i++)
        file[i] = (struct pollfd){.fd = i};
    if (ppoll(file, NUMBERS_MAX, &none, NULL) < 0)
        return;
    for (int i = 0; i < NUMBERS_MAX; i++)
        out_open[i] = !(file[i].revents & POLLNVAL);
}

void rank_inherited_start(void)
{
    CORE_CHECK(rank_own < 0);
    numbers_ask(open_at_start);
}

static enum kind kind_of(int number, const struct stat *is, int flags)
{
    char path[32], name[64] = "";
    CORE_CHECK(number >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    if (readlink(path, name, sizeof name - 1) < 0)
        return KIND_NONE;
    if (S_ISREG(is->st_mode))
        return (flags & O_ACCMODE) == O_RDONLY || flags & O_PATH ? KIND_NONE : KIND_WRITTEN;
    if (S_ISFIFO(is->st_mode))
        return strncmp(name, "pipe:", 5) ? KIND_NONE : KIND_PIPE;
    return !strcmp(name, "anon_inode:[eventfd]")                              ? KIND_EVENT
           : S_ISSOCK(is->st_mode) || !strcmp(name, "anon_inode:[eventpoll]") ? KIND_OTHER
                                                                              : KIND_NONE;
}

static void path_note(struct made *m)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", m->number);
    ssize_t bytes = readlink(link, m->path, sizeof m->path);
    m->path[bytes > 0 && (size_t)bytes < sizeof m->path ? bytes : 0] = 0;
}

void rank_inherited_find(void)
{
    static bool now[NUMBERS_MAX];
    numbers_ask(now);
    for (int i = 3; i < NUMBERS_MAX; i++) {
        struct stat is;
        const int flags = now[i] && !open_at_start[i] ? fcntl(i, F_GETFL) : -1;
        if (flags < 0 || fstat(i, &is) != 0)
            continue;
        const enum kind kind = kind_of(i, &is, flags);
        if (kind == KIND_NONE)
            continue;
        others |= kind == KIND_OTHER;
        if (kind == KIND_OTHER)
            continue;
        struct made *m = &made[made_count++];
        m->number = i, m->kind = kind, m->flags = flags, m->inode = is.st_ino;
        if (kind == KIND_WRITTEN)
            path_note(m);
    }
    CORE_CHECK(made_count <= MADE_MAX);
}

/* Puts `file` in the place of a number, and closes it. */
static void number_take(const struct made *m, int file)
{
    const int of_number = fcntl(m->number, F_GETFD);
    CORE_CHECK(file >= 0 && file != m->number);
    dup3(file, m->number, of_number & FD_CLOEXEC ? O_CLOEXEC : 0);
    fcntl(m->number, F_SETFL, m->flags);
}

/* Returns a copy of a file that has no name any more; -1: it is too large. */
static int unnamed_copy(int number, off_t bytes)
{
    off_t from = 0;
    const int file = bytes <= COPIED_MAX ? memfd_create("copy", MFD_CLOEXEC) : -1;
    while (file >= 0 && from < bytes)
        if (sendfile(file, number, &from, (size_t)(bytes - from)) <= 0)
            break;
    return file;
}

/* Opens the file by its name, so that what is written belongs to the world, not to what was there
 * before all worlds. Returns -1 if the name now means another file. */
static int named_own(const struct made *m, const struct stat *was, int how)
{
    struct stat is;
    CORE_CHECK(m->kind == KIND_WRITTEN && was->st_nlink > 0);
    if (!*m->path || stat(m->path, &is) != 0 || !S_ISREG(is.st_mode) ||
        is.st_size != was->st_size || is.st_mtim.tv_sec != was->st_mtim.tv_sec ||
        is.st_mtim.tv_nsec != was->st_mtim.tv_nsec)
        return -1;
    return open(m->path, how);
}

static int written_own(const struct made *m)
{
    char path[32];
    struct stat is;
    CORE_CHECK(m->kind == KIND_WRITTEN);
    if (fstat(m->number, &is) != 0)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", m->number);
    const int how = (m->flags & (O_ACCMODE | O_APPEND)) | O_CLOEXEC;
    int file = is.st_nlink ? named_own(m, &is, how) : unnamed_copy(m->number, is.st_size);
    if (file < 0 && is.st_nlink)
        file = open(path, how);
    if (file >= 0)
        lseek(file, lseek(m->number, 0, SEEK_CUR), SEEK_SET);
    return file;
}

static int event_own(const struct made *m)
{
    char path[40], line[128];
    unsigned long long count = 0;
    int semaphore = 0;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", m->number);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "eventfd-count: %llx", &count);
        sscanf(line, "eventfd-semaphore: %d", &semaphore);
    }
    if (file)
        fclose(file);
    CORE_CHECK(m->kind == KIND_EVENT);
    const int event = eventfd(0, EFD_CLOEXEC | (semaphore ? EFD_SEMAPHORE : 0));
    const uint64_t value = count;
    if (event >= 0 && value && write(event, &value, sizeof value) < 0)
        return -1;
    return event;
}

/* Makes a pipe like the one of that inode, if the program has both of its ends. */
static void pipe_own(uint64_t inode)
{
    int fresh[2], unread = 0, ends = 0;
    for (int i = 0; i < made_count; i++)
        if (made[i].kind == KIND_PIPE && made[i].inode == inode)
            ends |= (made[i].flags & O_ACCMODE) == O_RDONLY ? 1 : 2;
    CORE_CHECK(ends);
    if (ends != 3 || pipe2(fresh, O_CLOEXEC) != 0)
        return;
    for (int i = 0; i < made_count; i++) {
        const bool reads = (made[i].flags & O_ACCMODE) == O_RDONLY;
        if (made[i].kind != KIND_PIPE || made[i].inode != inode)
            continue;
        if (reads && ioctl(made[i].number, FIONREAD, &unread) == 0 && unread > 0 &&
            tee(made[i].number, fresh[1], (size_t)unread, 0) < 0)
            break;
        number_take(&made[i], fresh[!reads]);
    }
    close(fresh[0]);
    close(fresh[1]);
}

/* Returns the first number of the same open file; -1: it is the first. */
static int number_same(int at, const int *same)
{
    const pid_t own = (pid_t)syscall(SYS_getpid);
    CORE_CHECK(at < made_count);
    for (int i = 0; i < at; i++)
        if (same[i] < 0 && made[i].kind == made[at].kind && made[i].inode == made[at].inode &&
            syscall(SYS_kcmp, own, own, KCMP_FILE, made[i].number, made[at].number) == 0)
            return i;
    return -1;
}

void rank_inherited_own(void)
{
    static int same[MADE_MAX] RANK_SCRATCH;
    if (others) {
        rank_outside_note(WORLD_OUTSIDE_SOCKETS);
        return; /* it may watch the files by their present identity */
    }
    for (int i = 0; i < made_count; i++)
        same[i] = number_same(i, same);
    for (int i = 0; i < made_count; i++) {
        const struct made *m = &made[i];
        bool first = same[i] < 0;
        for (int k = 0; k < i && m->kind == KIND_PIPE; k++)
            first &= made[k].kind != KIND_PIPE || made[k].inode != m->inode;
        if (m->kind == KIND_PIPE) {
            if (first)
                pipe_own(m->inode);
            continue;
        }
        const int file = !first                    ? dup(made[same[i]].number)
                         : m->kind == KIND_WRITTEN ? written_own(m)
                                                   : event_own(m);
        if (file < 0)
            continue;
        number_take(m, file);
        close(file);
    }
}
