/* See lib_threads.h. */
#include "interpose/lib_threads.h"
#include "interpose/recorder.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS_MAX = 512 };

struct thread {
    int32_t tid;
    unsigned long faults; /* of its own, without a disk */
};

static struct {
    struct thread thread[THREADS_MAX];
    uint32_t count;
    bool known;
} before;

static int32_t own[SPOOL_OWN_MAX];
static uint64_t unhandled, own_signals;
static bool watched; /* what is in own_signals is so now */

static bool faults_read(int32_t tid, unsigned long *out_faults)
{
    char path[64], text[1024];
    const char *at;
    int fd;
    ssize_t bytes;

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    bytes = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (bytes <= 0)
        return false;
    text[bytes] = 0;
    at = strrchr(text, ')'); /* the name may hold anything */
    return at && sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %lu", out_faults) == 1;
}

/* The threads of the process. false: not known, or too many. */
static bool threads_list(int32_t *list, uint32_t *out_count)
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    uint32_t count = 0;
    bool good = folder != NULL;

    while (folder && (entry = readdir(folder)) && good) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        good = count < THREADS_MAX;
        if (good)
            list[count++] = atoi(entry->d_name);
    }
    if (folder)
        closedir(folder);
    *out_count = count;
    return good;
}

/* Signals for which there is no handler. */
static uint64_t signals_unhandled(void)
{
    uint64_t none = 0;

    for (int signal = 1; signal <= 64; signal++) {
        struct sigaction action;

        if (sigaction(signal, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
            (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN))
            none |= 1ull << (signal - 1);
    }
    return none;
}

void lib_threads_before(void)
{
    static int32_t list[THREADS_MAX];

    unhandled = signals_unhandled();
    before.known = threads_list(list, &before.count);
    for (uint32_t t = 0; t < before.count && before.known; t++) {
        before.thread[t].tid = list[t];
        before.known = faults_read(list[t], &before.thread[t].faults);
    }
}

static bool was_before(int32_t tid)
{
    for (uint32_t t = 0; t < before.count; t++)
        if (before.thread[t].tid == tid)
            return true;
    return false;
}

/* A thread that starts another one writes to the new one's stack, which is new memory. */
static bool others_started_none(void)
{
    int32_t me = (int32_t)syscall(SYS_gettid);
    unsigned long faults;

    for (uint32_t t = 0; t < before.count; t++)
        if (before.thread[t].tid != me &&
            (!faults_read(before.thread[t].tid, &faults) || faults != before.thread[t].faults))
            return false;
    return true;
}

void lib_threads_after(void)
{
    static int32_t list[THREADS_MAX];
    uint32_t count, found = 0;

    own_signals = ~0ull;
    watched = recorder_watch_signals(&own_signals);
    __atomic_and_fetch(&own_signals, unhandled & ~signals_unhandled(), __ATOMIC_SEQ_CST);
    memset(own, 0, sizeof own);
    if (!before.known || !threads_list(list, &count) || !others_started_none()) {
        own_signals = 0; /* they may have been others' */
        return;
    }
    for (uint32_t t = 0; t < count; t++)
        if (!was_before(list[t]) && found < SPOOL_OWN_MAX)
            own[found++] = list[t];
}

void lib_threads_tell(struct spool_header *header)
{
    static bool told;

    memcpy(header->own, own, sizeof own);
    if (told)
        return;
    told = true;
    header->own_signals = ~0ull;
    if (watched && recorder_watch_signals(&header->own_signals))
        header->flags |= SPOOL_FLAG_HANDLERS;
    __atomic_and_fetch(&header->own_signals, own_signals, __ATOMIC_SEQ_CST);
}
