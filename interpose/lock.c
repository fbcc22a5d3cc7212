/* See lock.h. */
#include "interpose/lock.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 100 }; /* most locks are released within so many rounds */

typedef void (*note_fn)(const char *file, int line);

static struct {
    bool on;
    note_fn sync_begin, sync_end, access_begin, access_end;
} tool;
static __thread unsigned hidden_depth __attribute__((tls_model("initial-exec")));

static void lock_futex(struct lock *lock, int operation, uint32_t value)
{
    int saved = errno;
    syscall(SYS_futex, &lock->state, operation, value, NULL, NULL, 0);
    errno = saved;
}

/* Spins only briefly: with more threads than cores the holder may not be running, and long spinning
 * would keep it from running. */
void lock_wait(struct lock *lock)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == LOCK_FREE && lock_try(lock))
            return;
#if defined __x86_64__
        __builtin_ia32_pause();
#endif
    }
    /* More threads may wait, so a thread that has waited marks the lock as waited for. */
    while (atomic_exchange_explicit(&lock->state, LOCK_WAITED, memory_order_acquire) != LOCK_FREE)
        lock_futex(lock, FUTEX_WAIT, LOCK_WAITED);
}

void lock_wake(struct lock *lock)
{
    lock_futex(lock, FUTEX_WAKE, 1);
}

/* --- what ThreadSanitizer does not see -------------------------------------------------------- */

static note_fn lock_find_entry(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    note_fn function;
    memcpy(&function, &found, sizeof function);
    return function;
}

void hidden_start(void)
{
    tool.sync_begin = lock_find_entry("AnnotateIgnoreSyncBegin");
    tool.sync_end = lock_find_entry("AnnotateIgnoreSyncEnd");
    tool.access_begin = lock_find_entry("AnnotateIgnoreReadsBegin"); /* and writes */
    tool.access_end = lock_find_entry("AnnotateIgnoreReadsEnd");
    tool.on = dlsym(RTLD_DEFAULT, "__tsan_init") && tool.sync_begin && tool.sync_end &&
              tool.access_begin && tool.access_end;
}

static void lock_hide(void)
{
    tool.sync_begin(__FILE__, __LINE__);
    tool.access_begin(__FILE__, __LINE__);
}

static void lock_show(void)
{
    tool.access_end(__FILE__, __LINE__);
    tool.sync_end(__FILE__, __LINE__);
}

void hidden_begin(void)
{
    if (tool.on && !hidden_depth++)
        lock_hide();
}

void hidden_end(void)
{
    if (hidden_depth && !--hidden_depth)
        lock_show();
}

void hidden_sleep(uint64_t ns)
{
    const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    int saved = errno;
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
    errno = saved;
}

unsigned hidden_pause(void)
{
    unsigned depth = hidden_depth;
    if (depth)
        lock_show();
    hidden_depth = 0;
    return depth;
}

void hidden_resume(unsigned depth)
{
    if (depth)
        lock_hide();
    hidden_depth = depth;
}
