/* See lib_threads.h. */
#include "interpose/lib_threads.h"
#include "interpose/recorder.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
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
    unsigned long faults; /* page faults without disk access */
};

static struct {
    struct thread thread[THREADS_MAX];
    uint32_t count;
    bool known;
} before;

static int32_t own[SPOOL_OWN_MAX];
static uint64_t unhandled, own_signals;
static bool watched; /* recorder_watch_signals clears handled signals in own_signals */

enum look { THREAD_UNKNOWN, THREAD_GONE, THREAD_LIBRARY, THREAD_THERE };

/* Tells whether the name is that of UCX 1.18's thread, which UCX starts while it is loaded. It ends
 * soon, even inside MPI_Init, and starts no other thread. */
static bool is_of_ucx(const char *name)
{
    void *ucx = strncmp(name, "(fuse)", 6) ? NULL : dlopen("libucs.so.0", RTLD_LAZY | RTLD_NOLOAD);

    if (ucx)
        dlclose(ucx);
    return ucx != NULL;
}

/* Examines a thread of the process. An exiting thread runs no more code of the process, but is
 * listed for a moment, even if it was joined. */
static enum look thread_look(int32_t tid, unsigned long *out_faults)
{
    enum { EXITING = 4 }; /* the kernel's PF_EXITING */
    unsigned flags;
    char path[64], text[1024];
    const char *at;
    int fd;
    ssize_t bytes;

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    bytes = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    bool gone = bytes < 0 && (errno == ENOENT || errno == ESRCH);
    if (fd >= 0)
        close(fd);
    if (bytes <= 0)
        return gone ? THREAD_GONE : THREAD_UNKNOWN;
    text[bytes] = 0;
    at = strrchr(text, ')'); /* the name may hold anything */
    if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %u %lu", &flags, out_faults) != 2)
        return THREAD_UNKNOWN;
    if (flags & EXITING)
        return THREAD_GONE;
    return is_of_ucx(strchr(text, '(')) ? THREAD_LIBRARY : THREAD_THERE;
}

/* Lists the threads of the process. Returns false if they are unknown or too many. */
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

/* Returns the signals that have no handler. */
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
    uint32_t count;

    unhandled = signals_unhandled();
    before.count = 0;
    before.known = threads_list(list, &count);
    for (uint32_t t = 0; t < count && before.known; t++) {
        struct thread *thread = &before.thread[before.count];
        enum look look = thread_look(list[t], &thread->faults);

        thread->tid = list[t];
        before.known = look != THREAD_UNKNOWN;
        before.count += look == THREAD_THERE;
    }
}

static bool was_before(int32_t tid)
{
    for (uint32_t t = 0; t < before.count; t++)
        if (before.thread[t].tid == tid)
            return true;
    return false;
}

/* Tells whether no other thread started one: that would write to the new thread's stack, new
 * memory, and so cause page faults. */
static bool others_started_none(void)
{
    int32_t me = (int32_t)syscall(SYS_gettid);
    unsigned long faults;

    for (uint32_t t = 0; t < before.count; t++)
        if (before.thread[t].tid != me &&
            (thread_look(before.thread[t].tid, &faults) != THREAD_THERE ||
             faults != before.thread[t].faults))
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
        own_signals = 0; /* other threads may have set handlers */
        return;
    }
    for (uint32_t t = 0; t < count; t++)
        if (!was_before(list[t]) && found < SPOOL_OWN_MAX)
            own[found++] = list[t];
}

void lib_threads_tell(struct spool_header *header)
{
    static bool reported;

    memcpy(header->own, own, sizeof own);
    if (reported)
        return;
    reported = true;
    header->own_signals = ~0ull;
    if (watched && recorder_watch_signals(&header->own_signals))
        header->flags |= SPOOL_FLAG_HANDLERS;
    __atomic_and_fetch(&header->own_signals, own_signals, __ATOMIC_SEQ_CST);
}
