/* See the header. */
#include "interpose/threads/threads.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "core/c11_threads.h"

enum { THREADS_MAX = 4096 }; /* threads whose joins are reported */

struct begun {
    void *(*run)(void *argument);
    void *argument;
    uint32_t number;
};

const struct threads_watch *_Atomic THREADS_WATCH;

static struct {
    pthread_t thread;
    _Atomic uint32_t number; /* 0: unknown, or joined */
} known[THREADS_MAX];
static _Atomic uint32_t known_count;

typedef int (*create_fn)(pthread_t *out_thread, const pthread_attr_t *attributes,
                         void *(*run)(void *argument), void *argument);
typedef int (*join_fn)(pthread_t thread, void **out_result);

static void *run_begun(void *argument)
{
    struct begun begun = *(struct begun *)argument;
    free(argument);
    THREADS_WATCH->begins(begun.number);
    return begun.run(begun.argument);
}

static void threads_keep(pthread_t thread, uint32_t number)
{
    uint32_t at = known_count++;
    if (at >= THREADS_MAX)
        return;
    known[at].thread = thread;
    known[at].number = number;
}

int pthread_create(pthread_t *out_thread, const pthread_attr_t *attributes,
                   void *(*run)(void *argument), void *argument)
{
    const struct threads_watch *watch = THREADS_WATCH;
    create_fn real;
    void *symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &symbol, sizeof real);
    struct begun *begun = watch ? malloc(sizeof *begun) : NULL;
    uint32_t number = begun ? watch->made() : 0;
    if (!number) {
        free(begun);
        return real(out_thread, attributes, run, argument);
    }
    *begun = (struct begun){run, argument, number};
    int error = real(out_thread, attributes, run_begun, begun);
    if (error)
        free(begun);
    else
        threads_keep(*out_thread, number);
    return error;
}

/* Finds a live thread: its identifier may be reused after it was joined. */
static uint32_t known_at(pthread_t thread)
{
    uint32_t count = known_count < THREADS_MAX ? known_count : THREADS_MAX, at = count;
    for (uint32_t i = 0; i < count; i++)
        if (known[i].number && pthread_equal(known[i].thread, thread))
            at = i;
    return at;
}

int pthread_join(pthread_t thread, void **out_result)
{
    join_fn real;
    void *symbol = dlsym(RTLD_NEXT, "pthread_join");
    memcpy(&real, &symbol, sizeof real);
    uint32_t at = THREADS_WATCH ? known_at(thread) : THREADS_MAX, number = 0;
    if (at < known_count && at < THREADS_MAX)
        number = known[at].number;
    int error = real(thread, out_result);
    if (number && !error) {
        known[at].number = 0;
        THREADS_WATCH->joined(number);
    }
    return error;
}
