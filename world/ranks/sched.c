/* Schedules ranks: one process of a world runs, the others wait on their own futex. The futex holds
 * the thread of the process that runs (world_fiber.slot + 1). */
#include "world/ranks/ranks.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The task that a process runs for another one before it waits again. */
static struct {
    void (*run)(void *argument);
    void *argument;
    int from;
    uint32_t from_slot;
} call WORLD_SHARED;

enum { ANY_THREAD = UINT32_MAX };

__thread uint32_t rank_slot;

/* Clears the task: the previous world may have ended during one, by a crash or at its time limit.
 */
void rank_sched_begin(void)
{
    call.run = NULL;
}

static void sched_put(int rank, uint32_t whose)
{
    _Atomic uint32_t *scheduled = &rank_region->rank[rank].scheduled;
    CORE_CHECK(whose > 0 && rank <= (int)rank_region->rank_count);
    CORE_CHECK(*scheduled == 0); /* ranks.h invariant 1 */
    *scheduled = whose;
    syscall(SYS_futex, scheduled, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void rank_sched_give(const struct world_fiber *to)
{
    sched_put(to->rank->rank, to->slot + 1);
}

void rank_sched_return(void)
{
    sched_put((int)rank_region->rank_count, 1);
}

/* Takes the turn, unless this version was taken back and is still about to end. */
static bool sched_take(_Atomic uint32_t *scheduled, uint32_t whose)
{
    if (rank_region->states.depth && !rank_version_is_last())
        return false;
    return atomic_compare_exchange_strong(scheduled, &whose, 0);
}

void rank_sched_wait(void)
{
    CORE_CHECK(rank_own >= 0);
    _Atomic uint32_t *scheduled = &rank_region->rank[rank_own].scheduled;
    for (;;) {
        uint32_t seen;
        while (seen = *scheduled,
               !sched_take(scheduled, rank_slot + 1) && !sched_take(scheduled, ANY_THREAD))
            if (seen == *scheduled)
                rank_threads_rest(scheduled, seen);
        if (!call.run) {
            if (rank_region->states.depth && !rank_version_goes_on())
                continue;
            rank_region->rank[rank_own].ran = true;
            rank_region->states.run_count[rank_own]++;
            return;
        }
        call.run(call.argument);
        call.run = NULL;
        sched_put(call.from, call.from_slot + 1);
    }
}

/* Does nothing: threads of a rank that do not call MPI are unrestricted. */
void world_thread_check(void)
{
}

void world_thread_leave(void)
{
}

void world_process_at(struct world_rank *rank, void (*run)(void *argument), void *argument)
{
    if (rank->rank == rank_own) {
        run(argument);
        return;
    }
    if (rank_region->rank[rank->rank].left) {
        world_found(WORLD_RULE_ERROR, rank_own,
                    "%s accesses the memory of rank %d, which has ended", WORLD->fiber->call,
                    rank->rank);
        world_stop();
    }
    CORE_CHECK((uint8_t *)argument > (uint8_t *)rank_region &&
               (uint8_t *)argument < (uint8_t *)rank_region + rank_region->bytes);
    CORE_CHECK(!call.run); /* ranks.h invariants 3 and 1: no other rank asks */
    call.run = run;
    call.argument = argument;
    call.from = rank_own;
    call.from_slot = rank_slot;
    sched_put(rank->rank, ANY_THREAD);
    rank_sched_wait();
}

uint64_t rank_now_ms(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool rank_sched_back(uint64_t until_ms)
{
    static const struct timespec often = {.tv_nsec = 50000000};
    _Atomic uint32_t *scheduled = &rank_region->rank[rank_region->rank_count].scheduled;
    CORE_CHECK(rank_own < 0); /* the searcher is no rank */
    while (!atomic_exchange(scheduled, 0)) {
        if (rank_region->states.stop || rank_now_ms() > until_ms)
            return false;
        syscall(SYS_futex, scheduled, FUTEX_WAIT, 0, &often, NULL, 0);
    }
    return true;
}

bool rank_sched_ask(int rank, void (*run)(void *argument), uint64_t until_ms)
{
    CORE_CHECK(!call.run && rank_own < 0); /* ranks.h invariant 3 */
    call.run = run;
    call.argument = NULL;
    call.from = (int)rank_region->rank_count;
    call.from_slot = 0;
    sched_put(rank, ANY_THREAD);
    return rank_sched_back(until_ms);
}

void rank_over(void)
{
    rank_region->rank[rank_own].stopped = true;
    rank_region->over = 1;
    for (;;)
        syscall(SYS_exit_group, 1);
}

static int programs_errno; /* waiting changes errno, which the program must not see */

int rank_errno(void)
{
    return programs_errno;
}

struct world_fiber *world_process_switch(struct world_fiber *from, struct world_fiber *to)
{
    const int error = programs_errno = errno;
    if (rank_own < 0)
        rank_refuse("%s", WORLD->outcome->finding_count ? WORLD->outcome->finding[0].text
                                                        : "it uses MPI before MPI_Init");
    if (!to)
        rank_over();
    CORE_CHECK(from->rank->rank == rank_own); /* ranks.h invariant 2 */
    CORE_CHECK(rank_threads_inside());        /* threads.c invariant 1 */
    if (to->rank->rank != rank_own || to->slot != rank_slot) {
        if (UNLIKELY(to == WORLD->searcher)) /* the searcher would ask for it next */
            rank_memory_take(NULL);
        rank_sched_give(to);
        rank_sched_wait();
    }
    CORE_CHECK(WORLD->fiber->rank->rank == rank_own); /* ranks.h invariant 1 */
    errno = error;
    return WORLD->fiber;
}

/* --- stacks of helper fibers ------------------------------------------------------------------ */

struct free_stack { /* stored at the lowest byte of an unused stack */
    struct free_stack *next;
};
static struct free_stack *free_stacks;
enum { GUARD_BYTES = 4096 };

uint8_t *world_process_stack(size_t bytes)
{
    if (free_stacks) {
        uint8_t *stack = (uint8_t *)free_stacks;
        free_stacks = free_stacks->next;
        return stack;
    }
    uint8_t *area = mmap(NULL, GUARD_BYTES + bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED || mprotect(area + GUARD_BYTES, bytes, PROT_READ | PROT_WRITE) != 0) {
        world_found(WORLD_RULE_LIMIT, rank_own, "no memory for another fiber");
        world_stop();
    }
    CORE_CHECK((uintptr_t)(area + GUARD_BYTES) % 4096 == 0);
    return area + GUARD_BYTES;
}

/* Frees the stack on which the helper still runs; its next user begins after the helper is gone. */
void world_process_stack_ended(uint8_t *stack)
{
    struct free_stack *given = (struct free_stack *)stack;
    given->next = free_stacks;
    free_stacks = given;
}

/* --- the end of a rank ------------------------------------------------------------------------ */

/* Runs at exit, after all that the program does there. */
void rank_leave(int status, void *unused)
{
    (void)unused;
    if (world_process_early)
        world_process_begin(); /* it ends without a call that would have forked the ranks */
    struct region_rank *own = rank_own >= 0 ? &rank_region->rank[rank_own] : NULL;
    if (!own || own->pid != getpid() || own->left || WORLD->fiber->rank->rank != rank_own)
        return;
    world_process_guard_end();
    rank_threads_leave();
    rank_outside_tell();
    struct world_rank *me = ME;
    world_rank_leave(me, status);
    me->leaving = true;
    while (me->helper_count > 0)
        world_fiber_block();
    rank_version_leaves();
    me->fiber->live = false;
    struct timespec computed;
    if (syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &computed) == 0)
        own->computed_ns = (uint64_t)computed.tv_sec * 1000000000 + (uint64_t)computed.tv_nsec;
    own->left = true;
    const struct world_fiber *next = world_fiber_next();
    if (next)
        rank_sched_give(next);
    else if (WORLD->live_count > 0)
        rank_region->over = 1;
}

/* Tells whether a rank that called MPI_Finalize ends the process without the functions that run at
 * exit. That is no failure. */
static bool leaves_at_once(const void *caller)
{
    CORE_CHECK(caller);
    return rank_own >= 0 && rank_is_theirs(caller) && world_process_is_main() &&
           WORLD->fiber->rank->rank == rank_own && world_rank_ended(ME);
}

void _exit(int status)
{
    if (leaves_at_once(__builtin_return_address(0)))
        rank_leave(status, NULL);
    for (;;)
        syscall(SYS_exit_group, status);
}

void _Exit(int status) __attribute__((alias("_exit")));

void quick_exit(int status)
{
    RANK_REAL(quick_exit)
    if (leaves_at_once(__builtin_return_address(0)))
        rank_leave(status, NULL);
    real(status);
    CORE_CHECK(false); /* it does not return */
}

/* --- other programs in the rank's process ----------------------------------------------------- */

/* A rank that called MPI_Finalize may go on as another program, which leaves MPI alone. */
static void becomes_other(const void *caller)
{
    CORE_CHECK(caller);
    if (leaves_at_once(caller))
        rank_leave(0, NULL);
}
#define OTHER becomes_other(__builtin_return_address(0));

int execve(const char *path, char *const argv[], char *const environment[])
{
    RANK_REAL(execve)
    CORE_CHECK(real != execve);
    OTHER
    return real(path, argv, environment);
}

int execvpe(const char *name, char *const argv[], char *const environment[])
{
    RANK_REAL(execvpe)
    OTHER
    return real(name, argv, environment);
}

int fexecve(int file, char *const argv[], char *const environment[])
{
    RANK_REAL(fexecve)
    OTHER
    return real(file, argv, environment);
}

int execv(const char *path, char *const argv[])
{
    RANK_REAL(execv)
    CORE_CHECK(real != execv);
    OTHER
    return real(path, argv);
}

int execvp(const char *name, char *const argv[])
{
    RANK_REAL(execvp)
    CORE_CHECK(real != execvp);
    OTHER
    return real(name, argv);
}

/* Gathers arguments up to a null pointer, and passes them, with what follows it, to `call`. */
#define GATHERED(first, call)                                 \
    va_list rest;                                             \
    size_t count = 1;                                         \
    OTHER                                                     \
    va_start(rest, first);                                    \
    for (; va_arg(rest, char *); count++)                     \
        ;                                                     \
    va_end(rest);                                             \
    char **argv = calloc(count + 1, sizeof *argv);            \
    if (!argv)                                                \
        return -1; /* errno says why */                       \
    argv[0] = (char *)(uintptr_t)first;                       \
    va_start(rest, first);                                    \
    for (size_t i = 1; (argv[i] = va_arg(rest, char *)); i++) \
        ;                                                     \
    const int code = call;                                    \
    va_end(rest);                                             \
    free(argv);                                               \
    return code;

int execl(const char *path, const char *first, ...)
{
    RANK_REAL(execv)
    GATHERED(first, real(path, argv))
}

int execlp(const char *name, const char *first, ...)
{
    RANK_REAL(execvp)
    GATHERED(first, real(name, argv))
}

int execle(const char *path, const char *first, ...)
{
    RANK_REAL(execve)
    GATHERED(first, real(path, argv, va_arg(rest, char **)))
}
