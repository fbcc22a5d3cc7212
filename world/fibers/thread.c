/* Threads of the program. A rank is a fiber: only the thread on which all fibers run can call MPI.
 * A thread that only computes is harmless as long as its rank's global variables stay in place: it
 * must end before another rank runs (globals.c). A program that breaks one of these two rules gets
 * a message and is ended, before it damages the world's state.
 *
 * A program without threads pays nothing for this: once a thread is started, the limit of steps is
 * 0, so every call takes the slow path that checks (world_step_limit in world.c). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "world/state.h"

typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __interceptor_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                 void *(*run)(void *), void *argument) __attribute__((weak));

/* Counts the threads that run the program's own code; those of OpenMP wait for work and access
 * nothing meanwhile. */
static _Atomic int alive;

struct body {
    void *(*run)(void *);
    void *argument;
};

static void thread_ended(void *unused)
{
    (void)unused;
    CORE_CHECK(alive > 0);
    alive--;
}

static void *thread_counted(void *argument)
{
    struct body body = *(struct body *)argument;
    void *result;
    free(argument);
    pthread_cleanup_push(thread_ended, NULL);
    result = body.run(body.argument);
    pthread_cleanup_pop(1);
    return result;
}

/* Tells whether the program's code runs in the thread; std::thread starts a function of its
 * library. */
static bool is_of_program(void *(*run)(void *))
{
    void *address;
    Dl_info info, ours;
    memcpy(&address, &run, sizeof address);
    return dladdr(address, &info) && dladdr((void *)&alive, &ours) &&
           (info.dli_fbase == ours.dli_fbase || strstr(info.dli_fname, "/libstdc++."));
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    create_fn create = __interceptor_pthread_create; /* of the address sanitizer */
    if (!create) {
        void *found = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&create, &found, sizeof create);
    }
    if (!WORLD->running)
        return create(thread, attributes, run, argument);
    WORLD->step_count_max = 0;
    if (!world_globals_bytes || !is_of_program(run))
        return create(thread, attributes, run, argument);
    struct body *body = malloc(sizeof *body);
    CORE_CHECK(body);
    *body = (struct body){run, argument};
    alive++;
    int failed = create(thread, attributes, thread_counted, body);
    if (failed) {
        CORE_CHECK(alive > 0);
        alive--;
        free(body);
    }
    return failed;
}

static _Noreturn void thread_refuse(const char *what)
{
    fprintf(stderr, "crosswait: %s\n", what);
    fflush(stderr);
    _Exit(2);
}

void world_thread_leave(void)
{
    if (alive)
        thread_refuse("threads of a rank still run while another rank continues: ranks of the "
                      "in-process MPI share the program's global variables and run one after the "
                      "other; join the threads before the next call of MPI, or "
                      "use mpirun");
}

void world_thread_check(void)
{
    const uint8_t *here = __builtin_frame_address(0), *stack = WORLD->fiber->stack;
    if (here >= stack && here < stack + WORLD->fiber->stack_bytes)
        return;
    char what[300];
    snprintf(what, sizeof what,
             "a thread calls %s: in the in-process MPI only a rank's first thread may"
             " (MPI_Init_thread provides MPI_THREAD_FUNNELED at most)",
             WORLD->fiber->call);
    thread_refuse(what);
}
