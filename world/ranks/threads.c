/* Threads of a rank that call MPI, as MPI_THREAD_MULTIPLE and, one at a time, MPI_THREAD_SERIALIZED
 * allow. Each is a fiber of its own, and one runs at a time: it computes until its next MPI call,
 * or until it waits for another thread; then one of the threads that have reached a call runs. So
 * they do the same in each world of the same choices, and which of two calls comes first is a
 * choice (world/exchange/explore_access.h).
 *
 * A thread is seen to wait for another if it is in a futex that only threads of this process can
 * access, and each of these is known or waits as well. A thread that computes, or waits for
 * something else, is awaited until it has computed for GIVE_UP_TICKS or waited for GIVE_UP_NS; then
 * the others run without it, and the world reports that there may be more, or that its end is
 * uncertain. Which thread gets a mutex first is no choice: if a thread waits for a mutex that a
 * thread in MPI holds, there may be more, too. At a lower level threads run as they like, and a
 * call of any but the main one ends its process.
 *
 * Invariants: 1. `away` is true if some thread of this process is outside of MPI and none inside
 * runs; only then are threads outside and not at rest. 2. Only phase_end changes thread[i].where
 * from COME. 3. While `away`, only phase_end allocates shared memory, under the gate, as this
 * process is the running one then (ranks.h invariant 1). */
#include "world/ranks/ranks.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/c11_threads.h"
#include "world/exchange/explore.h"

enum { THREADS_MAX = 4096, REST_NS = 200000, HOST_STACK_BYTES = 1 << 20 };
static const uint64_t GIVE_UP_NS = 2000000000, GIVE_UP_AGAIN_NS = 20000000;
enum { GIVE_UP_TICKS = 100 }; /* of processor time, 10 ms each */

enum where { AWAY, COME, INSIDE, ENDED, GONE };

struct thread {
    _Atomic int where;
    pid_t id;
    pthread_t self;
    uint32_t depth; /* nested calls of MPI */
    struct world_fiber *fiber;
    const struct world_causes *begun; /* causes of its creator at that time */
    uint32_t joined_by;               /* the thread that joined it, + 1 */
    bool free;    /* INSIDE, but asleep, or in a call that MPI allows to any thread */
    bool cancels; /* it was cancellable as it is noted here, when it came to MPI or to sleep */
    int cancellable;
    bool given_up;
    uint64_t switches;   /* times it had gone to rest when it was given up */
    uint64_t ticks;      /* processor time when it was first awaited */
    unsigned long futex; /* the futex of its last wait, in memory of this process alone */
};

bool world_process_watched, world_process_several;
int rank_level = MPI_THREAD_SINGLE;

static struct thread thread[THREADS_MAX]; /* [0]: first thread of the process */
static _Atomic uint32_t thread_count = 1;
static _Atomic uint32_t host_count;
static _Atomic bool away;
static _Atomic uint32_t gate;
static struct world_fiber *leaver; /* the last thread that left MPI */
static __thread struct thread *own;
static uint64_t waited_since; /* since when threads that are not at rest are awaited; 0: not yet */
static bool strangers_given_up;

/* --- who is there ----------------------------------------------------------------------------- */

static bool gate_take(void)
{
    uint32_t open = 0;
    return atomic_compare_exchange_strong(&gate, &open, 1);
}

static struct thread *threads_mine(void)
{
    if (own)
        return own;
    if (world_process_is_main())
        return own = &thread[0];
    rank_region->rank[rank_own].loose = true; /* its start was not seen */
    for (;;)
        pause();
}

static void go_away(void)
{
    CORE_CHECK(!away && own->fiber && own->where == INSIDE); /* invariant 1 */
    leaver = own->fiber;
    waited_since = 0;
    own->where = AWAY;
    away = true;
}

/* Tells whether this thread runs MPI's own background work. */
static bool is_host(void)
{
    return rank_slot > THREADS_MAX;
}

bool rank_threads_inside(void)
{
    return !world_process_several || is_host() || (own && own->depth > 0);
}

static bool calls_are_scheduled(void)
{
    CORE_CHECK(rank_level >= MPI_THREAD_SINGLE && rank_level <= MPI_THREAD_MULTIPLE);
    return rank_level >= MPI_THREAD_SERIALIZED;
}

bool world_process_stray(void)
{
    return world_process_watched && !calls_are_scheduled() && !world_process_is_main();
}

/* Ends the process, as the calling thread may not call MPI. Another process may run, so it only
 * writes what nobody reads before the process has ended. */
static void stray_check(const char *call)
{
    static __thread bool is_main;
    CORE_CHECK(!calls_are_scheduled());
    if (is_main || rank_own < 0 || (is_main = world_process_is_main()))
        return;
    rank_region->rank[rank_own].stray_site = (uintptr_t)world_process_site();
    rank_region->rank[rank_own].stray = call;
    for (;;)
        syscall(SYS_exit_group, 1);
}

/* Ends the world if two threads call MPI at a time. */
static void serial_check(const char *call)
{
    uint32_t inside = 0;
    CORE_CHECK(rank_level == MPI_THREAD_SERIALIZED && own->where == INSIDE);
    for (uint32_t i = 0; i < thread_count; i++)
        inside += thread[i].where == INSIDE && !thread[i].free;
    if (inside == 1)
        return;
    WORLD->fiber->call = call;
    WORLD->fiber->site = world_process_site();
    world_found(WORLD_RULE_THREAD_LEVEL, rank_own,
                "rank %d calls %s while another of its threads calls MPI, which "
                "MPI_THREAD_SERIALIZED forbids",
                rank_own, call);
    world_end_job();
}

bool world_process_thread_lock(const char *call)
{
    if (!calls_are_scheduled() && call)
        stray_check(call);
    if (!calls_are_scheduled() || is_host())
        return false;
    if (threads_mine()->depth++ || !world_process_several)
        return true;
    own->free = !call;
    own->cancels = pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &own->cancellable) == 0;
    own->where = COME;
    rank_sched_wait();
    CORE_CHECK(WORLD->fiber == own->fiber && own->where == INSIDE);
    if (call && rank_level == MPI_THREAD_SERIALIZED)
        serial_check(call);
    return true;
}

void world_process_thread_unlock(void)
{
    CORE_CHECK(calls_are_scheduled() && !is_host());
    CORE_CHECK(threads_mine()->depth > 0);
    if (--own->depth > 0 || !world_process_several)
        return;
    const bool slept = own->free && own->cancels;
    go_away();
    if (!own->cancels)
        return;
    own->cancels = false;
    pthread_setcancelstate(own->cancellable, NULL);
    if (slept)
        pthread_testcancel();
}

/* --- whether they are at rest ----------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now); /* the program's clocks are the world's */
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Reads a file about a thread from /proc; false if there is none. */
static bool threads_told(pid_t id, const char *what, char *text, size_t room)
{
    char name[48];
    snprintf(name, sizeof name, "/proc/self/task/%d/%s", id, what);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? -1 : read(file, text, room - 1);
    if (file >= 0)
        close(file);
    text[bytes > 0 ? bytes : 0] = 0;
    return bytes >= 0;
}

static uint64_t number_behind(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* Returns how often the thread has gone to rest. */
static uint64_t switches_of(const struct thread *t)
{
    char text[4096];
    threads_told(t->id, "status", text, sizeof text);
    return number_behind(text, "\nvoluntary_ctxt_switches:") +
           number_behind(text, "\nnonvoluntary_ctxt_switches:");
}

/* Returns for how long the thread has computed. */
static uint64_t ticks_of(const struct thread *t)
{
    char text[1024];
    unsigned long user = 0, system = 0;
    threads_told(t->id, "stat", text, sizeof text);
    const char *at = strrchr(text, ')');
    if (at)
        sscanf(at, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &user, &system);
    return user + system;
}

/* Tells whether no other process has the memory at this address. */
static bool address_is_own(unsigned long address)
{
    static char text[16384]; /* under the gate, as any thread may hold the heap now */
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t have = 0;
    ssize_t bytes;
    bool found = false, is = false;
    while (file >= 0 && !found && (bytes = read(file, text + have, sizeof text - 1 - have)) > 0) {
        char *line = text, *end;
        have += (size_t)bytes;
        text[have] = 0;
        for (; !found && (end = strchr(line, '\n')); line = end + 1) {
            unsigned long first, behind;
            char access[8];
            found = sscanf(line, "%lx-%lx %7s", &first, &behind, access) == 3 && first <= address &&
                    address < behind;
            is = found && access[3] == 'p';
        }
        have -= (size_t)(line - text);
        memmove(text, line, have);
    }
    if (file >= 0)
        close(file);
    return is;
}

/* Tells whether the call is a wait that only another thread of this process can end: other
 * processes may wake a waiter in shared memory, and a time limit passes by itself. */
static bool waits_for_thread(struct thread *t, const char *call)
{
    unsigned long at, limit;
    long number;
    if (sscanf(call, "%ld %lx %*x %*x %lx", &number, &at, &limit) != 3 || number != SYS_futex)
        return false;
    if (!limit && t->futex != at && address_is_own(at))
        t->futex = at;
    return !limit && t->futex == at;
}

static bool is_known(pid_t id)
{
    for (uint32_t i = 0; i < thread_count; i++)
        if (thread[i].id == id)
            return true;
    return false;
}

/* Tells whether unknown threads, such as those of the C library, are working: they may wake others
 * when done. */
static bool strangers_work(void)
{
    static char entries[4096]; /* as address_is_own's */
    char text[256];
    bool work = false;
    long bytes;
    int folder, seen = 0;
    for (uint32_t i = 0; i < thread_count; i++)
        seen += thread[i].where != GONE;
    if (strangers_given_up || rank_thread_count(getpid()) <= seen)
        return false;
    folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (folder >= 0 && !work &&
           (bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
        for (long at = 0; at < bytes && !work;) {
            struct dirent64 *entry = (struct dirent64 *)(entries + at);
            pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);
            at += entry->d_reclen;
            work = id && !is_known(id) && threads_told(id, "syscall", text, sizeof text) &&
                   strtol(text, NULL, 10) != SYS_futex;
        }
    if (folder >= 0)
        close(folder);
    return work;
}

static bool is_at_rest(struct thread *t, uint64_t *out_switches)
{
    char text[256];
    *out_switches = 0;
    if (t->where == ENDED) { /* a thread that joins it continues once it is gone */
        if (threads_told(t->id, "syscall", text, sizeof text))
            return false;
        t->where = GONE;
    }
    if (t->where != AWAY)
        return true;
    *out_switches = switches_of(t);
    if (!threads_told(t->id, "syscall", text, sizeof text) || !strncmp(text, "running", 7))
        return false;
    return waits_for_thread(t, text) || (t->given_up && t->switches == *out_switches);
}

/* Tells whether all threads are at rest; looks twice, so that none can have woken another in
 * between. */
static bool all_at_rest(void)
{
    static uint64_t switches[THREADS_MAX] RANK_SCRATCH;
    static int where[THREADS_MAX] RANK_SCRATCH;
    uint32_t count = thread_count;
    uint64_t again;
    CORE_CHECK(gate && count > 1 && count <= THREADS_MAX);
    for (uint32_t i = 0; i < count; i++)
        if (where[i] = thread[i].where, !is_at_rest(&thread[i], &switches[i]))
            return false;
    for (uint32_t i = 0; i < count; i++)
        if ((where[i] == AWAY && (!is_at_rest(&thread[i], &again) || again != switches[i])) ||
            (where[i] == AWAY) != (thread[i].where == AWAY))
            return false;
    return count == thread_count && !strangers_work();
}

/* Tells whether the thread, which is not at rest, must still be awaited. */
static bool is_waited_for(const struct thread *t, uint64_t waited_ns)
{
    char text[256];
    if (t->given_up)
        return waited_ns < GIVE_UP_AGAIN_NS;
    if (!threads_told(t->id, "syscall", text, sizeof text) || !strncmp(text, "running", 7))
        return ticks_of(t) - t->ticks < GIVE_UP_TICKS;
    return waited_ns < GIVE_UP_NS;
}

/* Gives up waiting for the threads that are not at rest. */
static bool give_up(void)
{
    uint64_t now = now_ns(), switches;
    bool begins = !waited_since;
    CORE_CHECK(gate && away);
    if (begins)
        waited_since = now;
    for (uint32_t i = 0; i < thread_count; i++) {
        if (begins)
            thread[i].ticks = ticks_of(&thread[i]);
        if (!is_at_rest(&thread[i], &switches) && is_waited_for(&thread[i], now - waited_since))
            return false;
    }
    if (strangers_work()) {
        if (now - waited_since < GIVE_UP_NS)
            return false;
        strangers_given_up = rank_region->rank[rank_own].loose = true;
    }
    for (uint32_t i = 0; i < thread_count; i++)
        if (!is_at_rest(&thread[i], &switches)) {
            thread[i].given_up = true;
            thread[i].switches = switches;
            rank_region->rank[rank_own].loose = true;
        }
    return true;
}

/* --- who goes on ------------------------------------------------------------------------------ */

/* Lets a thread into MPI. If it was at rest when the leaver left, the leaver woke it, so it
 * inherits the leaver's causes. */
static void come_in(struct thread *t)
{
    struct world_rank *rank = &WORLD->rank[rank_own];
    uint32_t index = (uint32_t)(t - thread);
    CORE_CHECK(gate && WORLD->fiber->rank == rank); /* invariant 3 */
    CORE_CHECK(t->where == COME && index < thread_count);
    if (!t->fiber) {
        t->fiber = world_fiber_thread(rank, index);
        t->fiber->causes = t->begun;
    }
    if (t->fiber != leaver)
        t->fiber->causes = world_causes_join(t->fiber->causes, leaver->causes);
    for (uint32_t i = 0; i < thread_count; i++)
        if (thread[i].joined_by == index + 1 && thread[i].fiber)
            t->fiber->causes = world_causes_join(t->fiber->causes, thread[i].fiber->causes);
    t->given_up = false;
    CORE_CHECK(t->where == COME); /* invariant 2 */
    t->where = INSIDE;
    world_fiber_ready(t->fiber);
}

static void phase_end(void)
{
    CORE_CHECK(away && gate && leaver);
    away = false;
    for (uint32_t i = 0; i < thread_count; i++) {
        if (thread[i].where == COME)
            come_in(&thread[i]);
        else if (thread[i].where == GONE && thread[i].fiber)
            thread[i].fiber->live = false;
    }
    const struct world_fiber *next = world_fiber_next();
    if (!next)
        rank_over();
    rank_sched_give(next);
}

void rank_threads_rest(_Atomic uint32_t *scheduled, uint32_t seen)
{
    static const struct timespec often = {.tv_nsec = REST_NS};
    bool ended = false;
    if (away && gate_take()) {
        ended = away && (all_at_rest() || give_up());
        if (ended)
            phase_end();
        gate = 0;
    }
    if (!ended)
        syscall(SYS_futex, scheduled, FUTEX_WAIT, seen, world_process_several ? &often : NULL, NULL,
                0);
}

void rank_threads_leave(void)
{
    if (!world_process_several)
        return;
    while (!gate_take())
        sched_yield();
    away = false; /* the gate stays closed */
    threads_mine()->depth = 1;
    WORLD->fiber = WORLD->rank[rank_own].fiber;
    WORLD->fiber->slot = rank_slot;
    world_fiber_drop(WORLD->fiber->rank);
}

/* --- their begin and end ---------------------------------------------------------------------- */

struct begun {
    void *(*run)(void *argument);
    void *argument;
    uint32_t slot;
};

typedef int (*create_fn)(pthread_t *out_thread, const pthread_attr_t *attributes,
                         void *(*run)(void *argument), void *argument);

static create_fn real_create(void)
{
    create_fn real;
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &symbol, sizeof real);
    return real;
}

static void thread_ends(void *ended)
{
    CORE_CHECK(ended == own && own->where == AWAY);
    own->where = ENDED;
}

/* Runs a new thread when it is scheduled, as after a call of MPI. */
static void *thread_run(void *argument)
{
    struct begun begun = *(struct begun *)argument;
    CORE_CHECK(begun.slot > 0 && begun.slot < thread_count && rank_own >= 0);
    void *result;
    free(argument);
    rank_slot = begun.slot;
    own = &thread[begun.slot];
    own->id = (pid_t)syscall(SYS_gettid);
    rank_sched_wait();
    go_away();
    pthread_cleanup_push(thread_ends, own);
    result = begun.run(begun.argument);
    pthread_cleanup_pop(1);
    return result;
}

/* Notes that the rank has several threads from now on. */
static void several_begin(void)
{
    CORE_CHECK(!world_process_several && world_process_is_main());
    thread[0].id = getpid();
    thread[0].fiber = leaver = WORLD->rank[rank_own].fiber;
    thread[0].where = thread[0].depth ? INSIDE : AWAY;
    thread[0].self = pthread_self();
    away = thread[0].depth == 0;
    world_process_several = true;
}

int pthread_create(pthread_t *out_thread, const pthread_attr_t *attributes,
                   void *(*run)(void *argument), void *argument)
{
    create_fn real = real_create();
    world_process_guard_end(); /* which of several threads loads or stores is not seen */
    if (rank_own >= 0)
        rank_region->rank[rank_own].several = true;
    world_process_watched = true;
    if (calls_are_scheduled() && world_process_early)
        world_process_begin(); /* fork first, as no thread would survive it */
    if (rank_own < 0 || !calls_are_scheduled() || WORLD->fiber->rank->rank != rank_own)
        return real(out_thread, attributes, run, argument);
    if (!world_process_several)
        several_begin();
    uint32_t slot = thread_count;
    struct begun *begun = slot < THREADS_MAX ? malloc(sizeof *begun) : NULL;
    if (!begun)
        return EAGAIN;
    *begun = (struct begun){run, argument, slot};
    thread[slot].begun = threads_mine()->fiber->causes;
    thread[slot].where = COME;
    thread[slot].free = true; /* until it calls MPI */
    thread_count++;
    int error = real(out_thread, attributes, thread_run, begun);
    if (error) {
        thread_count--;
        free(begun);
        return error;
    }
    thread[slot].self = *out_thread;
    return 0;
}

int pthread_join(pthread_t which, void **out_result)
{
    int (*real)(pthread_t which, void **out_result);
    void *symbol = dlsym(RTLD_NEXT, "pthread_join");
    memcpy(&real, &symbol, sizeof real);
    int error = real(which, out_result);
    for (uint32_t i = 1; !error && world_process_several && i < thread_count; i++)
        if (pthread_equal(thread[i].self, which) && !thread[i].joined_by)
            thread[i].joined_by = rank_slot + 1;
    return error;
}

/* Tells whether a thread in MPI holds the mutex, by the C library's record of its holder. */
static bool is_held_in_mpi(const pthread_mutex_t *mutex)
{
    pid_t holder = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < thread_count; i++)
        if (holder && thread[i].id == holder && &thread[i] != own)
            return thread[i].where == COME || thread[i].where == INSIDE;
    return false;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*real)(pthread_mutex_t * mutex);
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_mutex_lock");
        memcpy(&real, &symbol, sizeof real);
    }
    if (world_process_several && is_held_in_mpi(mutex))
        rank_region->rank[rank_own].contended = true;
    return real(mutex);
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

/* --- what MPI does beside its callers --------------------------------------------------------- */

static void *host_run(void *argument)
{
    struct world_fiber *fiber = argument;
    rank_slot = fiber->slot;
    rank_sched_wait();
    CORE_CHECK(WORLD->fiber == fiber && is_host());
    const struct world_fiber *next = world_fiber_serve(fiber);
    if (!next)
        rank_over();
    rank_sched_give(next);
    return NULL;
}

bool world_process_host(struct world_fiber *fiber)
{
    pthread_attr_t attributes;
    pthread_t host;
    if (!calls_are_scheduled())
        return false;
    fiber->slot = THREADS_MAX + ++host_count;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, HOST_STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = real_create()(&host, &attributes, host_run, fiber);
    pthread_attr_destroy(&attributes);
    if (error) {
        world_found(WORLD_RULE_LIMIT, rank_own, "no thread for another fiber");
        world_stop();
    }
    return true;
}
