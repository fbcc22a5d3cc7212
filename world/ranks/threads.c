/* Programs that ask for MPI_THREAD_MULTIPLE: of a rank's threads one is in MPI at a time, and those
 * that come meanwhile wait until its call returns. That is an order that MPI allows, but not each:
 * whoever else calls MPI than the first thread makes the exploration an incomplete one, and where a
 * world stands still while there are such threads, they might have gone on, which is said instead
 * of a deadlock. */
#include "world/ranks/ranks.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

bool world_process_multiple;

/* Of this process. The first thread is the same in every rank, as a fork keeps its address. */
static _Atomic uintptr_t owner;
static _Atomic uint32_t taken; /* a futex */
static uint32_t depth;

void world_process_thread_lock(void)
{
    uintptr_t me = (uintptr_t)pthread_self();
    if (owner == me) {
        depth++;
        return;
    }
    if (rank_own >= 0 && !world_process_is_main())
        rank_region->rank[rank_own].threads = true;
    for (uint32_t none = 0; !__atomic_compare_exchange_n((uint32_t *)&taken, &none, 1, false,
                                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
         none = 0)
        syscall(SYS_futex, &taken, FUTEX_WAIT, 1, NULL, NULL, 0);
    owner = me;
    depth = 1;
}

void world_process_thread_unlock(void)
{
    if (owner != (uintptr_t)pthread_self() || --depth)
        return;
    owner = 0;
    taken = 0;
    syscall(SYS_futex, &taken, FUTEX_WAKE, 1, NULL, NULL, 0);
}

int rank_thread_count(int process)
{
    char text[4096], name[32];
    snprintf(name, sizeof name, "/proc/%d/status", process);
    int file = open(name, O_RDONLY | O_CLOEXEC), count = 1;
    ssize_t bytes = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[bytes > 0 ? bytes : 0] = 0;
    const char *line = strstr(text, "\nThreads:");
    if (line)
        sscanf(line, "\nThreads: %d", &count);
    return count;
}

void rank_threads_note(int process)
{
    if (world_process_multiple && rank_thread_count(process) > 1)
        rank_region->crowded = true;
}
