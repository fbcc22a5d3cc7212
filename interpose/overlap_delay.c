/* See overlap_delay.h. */
#include "interpose/overlap_delay.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interpose/lock.h"

enum { TIMES = 4, MOMENT_NS = 1000000, FIRST_NS = 5000000, THREAD_NS = 100000000 };
static long threads_at_start; /* the library's own */

/* Returns the number of the process's threads; 0: unknown. */
static long threads_now(void)
{
    char text[1024];
    const char *at;
    long threads = 0;
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    if (bytes <= 0)
        return 0;
    text[bytes] = 0;
    at = strrchr(text, ')'); /* the name may contain anything */
    return at && sscanf(at + 1,
                        " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                        "%*d %ld",
                        &threads) == 1
               ? threads
               : 0;
}

void overlap_delay_start(int provided)
{
    threads_at_start = threads_now();
    recorder.linger = recorder.buffers && threads_at_start > 0 && provided >= MPI_THREAD_SERIALIZED;
}

void linger_inside(struct lane *lane, const struct spool_event *e)
{
    uint8_t *times = &lane->lingered[e->site % sizeof lane->lingered];
    const uint32_t moment_ns = *times ? MOMENT_NS : FIRST_NS;

    if (*times == TIMES || lane->lingered_ns >= THREAD_NS || recorder.perturb)
        return;
    ++*times;
    int cancel = recorder_cancel_disable();
    hidden_begin();
    if (threads_now() > threads_at_start) {
        lane->lingered_ns += moment_ns;
        hidden_sleep(moment_ns);
    }
    hidden_end();
    recorder_cancel_restore(cancel);
}
