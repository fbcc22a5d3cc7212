/* Preloaded into the jobs of tests, except those whose head says `# polls`: a rank that waits
 * sleeps between two polls and leaves the CPU to other ranks and tests. Ranks that make progress
 * poll as without this library; other programs, and our own worlds, do not change.
 *
 * Open MPI's opal_progress shows whether a poll found something: if not, it calls sched_yield
 * (mpi_yield_when_idle). UCX, which MPICH polls, shows the same, but MPICH polls other sources too:
 * there, futile polls are those with little CPU time between them, and many of them make a wait. A
 * rank that computes between two polls does not wait, with either library. The clock is the
 * thread's CPU time, as other clocks mean nothing with more ranks than cores; with Open MPI it is
 * read only before a sleep, as reading it costs more than a poll.
 *
 * The library also removes a race at the end of ranks of Open MPI 4.1: PMIx sends each rank a
 * message in MPI_Init, for which a thread of Open MPI has to call a function. If that thread got no
 * CPU until MPI_Finalize had unloaded the function, one short job in some thousands ended by
 * SIGSEGV. Here PMIx ends only after that thread has done its work. */
#include <dlfcn.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOKS = 8, /* futile polls before the first sleep */
    COMPUTES_NS = 50000,
    UCX_LOOKS_NS = 1000000,
    UCX_COMPUTES_NS = 20000,
    SLEEP_NS = 10000, /* at first; grows while the rank waits */
    SLEEP_MAX_NS = 2000000,
    SLACK_NS = 1000
};

struct wait {
    bool looking, yielded; /* in the current poll */
    unsigned looks;
    int64_t since_ns, last_ns, sleep_ns;
};

static _Thread_local struct wait wait;

static int64_t computed_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void begin(void)
{
    wait.looks = 0;
    wait.sleep_ns = 0;
}

static void sleep_longer(void)
{
    if (!wait.sleep_ns) {
        prctl(PR_SET_TIMERSLACK, SLACK_NS);
        wait.sleep_ns = SLEEP_NS;
    } else if (wait.sleep_ns < SLEEP_MAX_NS) {
        wait.sleep_ns += wait.sleep_ns / 4;
    }
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = wait.sleep_ns}, NULL);
    wait.last_ns = computed_ns();
}

/* Called after a futile poll of Open MPI. */
static void idle(void)
{
    if (++wait.looks > LOOKS && wait.sleep_ns && computed_ns() - wait.last_ns > COMPUTES_NS)
        begin();
    if (wait.looks > LOOKS)
        sleep_longer();
    else
        syscall(SYS_sched_yield);
}

/* Called after a futile poll of UCX. */
static void idle_ucx(void)
{
    int64_t now = computed_ns();

    if (now - wait.last_ns > UCX_COMPUTES_NS) {
        begin();
        wait.since_ns = now;
    }
    wait.last_ns = now;
    if (now - wait.since_ns > UCX_LOOKS_NS)
        sleep_longer();
    else
        syscall(SYS_sched_yield);
}

/* Returns the library's function that this one replaces: the library may have another name in a
 * newer release, and may be loaded for the program alone. */
static void *real(const char *library, const char *newer, const char *name)
{
    void *loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);

    if (!loaded)
        loaded = dlopen(newer, RTLD_LAZY | RTLD_NOLOAD);
    return dlsym(loaded ? loaded : RTLD_NEXT, name);
}

int opal_progress(void);
int opal_progress(void)
{
    static int (*progress)(void);
    int events;

    if (!progress)
        *(void **)&progress = real("libopen-pal.so.40", "libopen-pal.so.80", "opal_progress");
    wait.looking = true;
    wait.yielded = false;
    events = progress();
    wait.looking = false;
    if (!wait.yielded)
        begin();
    return events;
}

int sched_yield(void);
int sched_yield(void)
{
    if (!wait.looking)
        return (int)syscall(SYS_sched_yield);
    wait.yielded = true;
    idle();
    return 0;
}

unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    unsigned found;

    if (!progress)
        *(void **)&progress = real("libucp.so.0", "libucp.so.1", "ucp_worker_progress");
    found = progress(worker);
    if (!found)
        idle_ucx();
    return found;
}

/* --- the end of a rank ------------------------------------------------------------------------ */

struct event;
static struct {
    void *(*thread_init)(const char *name);
    int (*thread_finalize)(const char *name);
    struct event *(*event_new)(void *base, int fd, short what, void (*call)(int, short, void *),
                               void *argument);
    void (*event_active)(struct event *event, int what, short calls);
    void (*event_free)(struct event *event);
} open_mpi;

static bool open_mpi_find(void)
{
    void *pal = dlopen("libopen-pal.so.40", RTLD_LAZY | RTLD_NOLOAD),
         *event = dlopen("libevent_core-2.1.so.7", RTLD_LAZY | RTLD_NOLOAD);

    if (!pal || !event)
        return false;
    *(void **)&open_mpi.thread_init = dlsym(pal, "opal_progress_thread_init");
    *(void **)&open_mpi.thread_finalize = dlsym(pal, "opal_progress_thread_finalize");
    *(void **)&open_mpi.event_new = dlsym(event, "event_new");
    *(void **)&open_mpi.event_active = dlsym(event, "event_active");
    *(void **)&open_mpi.event_free = dlsym(event, "event_free");
    return open_mpi.thread_init && open_mpi.thread_finalize && open_mpi.event_new &&
           open_mpi.event_active && open_mpi.event_free;
}

static void came_here(int fd, short what, void *argument)
{
    (void)fd;
    (void)what;
    sem_post(argument);
}

/* Waits for a new event: events are handled in order, so all earlier ones are done then. */
static void events_await(void)
{
    enum { EVENT_WRITE = 4 };
    void *base = open_mpi.thread_init(NULL);
    sem_t here;

    if (!base)
        return;
    sem_init(&here, 0, 0);
    struct event *last = open_mpi.event_new(base, -1, EVENT_WRITE, came_here, &here);
    if (last) {
        open_mpi.event_active(last, EVENT_WRITE, 1);
        while (sem_wait(&here))
            continue;
        open_mpi.event_free(last);
    }
    sem_destroy(&here);
    open_mpi.thread_finalize(NULL);
}

int PMIx_Finalize(const void *info, size_t count);
int PMIx_Finalize(const void *info, size_t count)
{
    static int (*finalize)(const void *, size_t);

    if (!finalize)
        *(void **)&finalize = real("libpmix.so.2", "libpmix.so.2", "PMIx_Finalize");
    if (open_mpi_find())
        events_await();
    return finalize(info, count);
}
