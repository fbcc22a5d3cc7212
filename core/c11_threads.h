/* Defines C11's thrd_create and thrd_join by the pthread_create and pthread_join of the library
 * that includes this file, once. The C library's own thrd_create would bypass our pthread_create.
 * The two interfaces differ only in results: int in C11, a pointer in POSIX. */
#ifndef CORE_C11_THREADS_H
#define CORE_C11_THREADS_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <threads.h>

_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "a thread of C11 is one of POSIX");

int thrd_create(thrd_t *out_thread, thrd_start_t run, void *argument)
{
    void *(*start)(void *argument);
    memcpy(&start, &run, sizeof start);
    int error = pthread_create(out_thread, NULL, start, argument);
    return !error ? thrd_success : error == EAGAIN ? thrd_nomem : thrd_error;
}

int thrd_join(thrd_t thread, int *out_result)
{
    void *result = NULL;
    int error = pthread_join(thread, &result);
    if (out_result)
        *out_result = (int)(intptr_t)result;
    return error ? thrd_error : thrd_success;
}

#endif
