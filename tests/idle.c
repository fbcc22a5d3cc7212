/* Preloaded into the jobs of tests whose head says `# idle`: a rank that waits sleeps between two
 * looks, instead of burning what the other tests could use. Open MPI calls sched_yield when it
 * found nothing (mpi_yield_when_idle), MPICH asks UCX. Ranks that get on poll as they would
 * without; other programs, and our own worlds, are let alone.
 *
 * Looks in vain that follow each other take a microsecond of computing each: with more in between,
 * the rank did something. Time on the clock tells nothing where there are more ranks than cores. */
#include <dlfcn.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    IDLE_AFTER_NS = 1000000, /* of looking in vain */
    IDLE_GAP_NS = 20000,
    IDLE_SLEEP_NS = 200000, /* at first; longer the longer it waits */
    IDLE_SLEEP_MAX_NS = 2000000
};

static int64_t computed_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* After a look in vain. */
static void idle(void)
{
    static _Thread_local int64_t since, last, sleep;
    int64_t now = computed_ns();

    if (now - last > IDLE_GAP_NS) {
        since = now;
        sleep = IDLE_SLEEP_NS;
    }
    last = now;
    if (now - since > IDLE_AFTER_NS) {
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = sleep}, NULL);
        sleep += sleep < IDLE_SLEEP_MAX_NS ? sleep / 8 : 0;
        last = computed_ns();
    } else {
        syscall(SYS_sched_yield);
    }
}

int sched_yield(void);
int sched_yield(void)
{
    static int openmpi = -1;

    if (openmpi < 0)
        openmpi = dlsym(RTLD_DEFAULT, "opal_progress") != NULL;
    if (!openmpi)
        return (int)syscall(SYS_sched_yield);
    idle();
    return 0;
}

unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    unsigned found;

    if (!progress) { /* a program may have loaded it for itself alone */
        void *ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);

        *(void **)&progress = dlsym(ucx ? ucx : RTLD_NEXT, "ucp_worker_progress");
    }
    found = progress(worker);
    if (!found)
        idle();
    return found;
}
