/* How threads of the program begin, and whom others join: a library of its own, which is preloaded
 * beside libcrosswait where that has to be known (turns among threads), so that no other job has
 * our pthread_create. Without a watch it does what the C library does. */
#ifndef INTERPOSE_THREADS_THREADS_H
#define INTERPOSE_THREADS_THREADS_H

#include <stdint.h>

#define THREADS_WATCH crosswait_threads_watch /* found by its name: libcrosswait may be alone */
#define THREADS_WATCH_NAME "crosswait_threads_watch"

struct threads_watch {
    uint32_t (*made)(void);          /* by the calling thread; its number, 0: it is none of ours */
    void (*begins)(uint32_t number); /* in it, before all that it does */
    void (*joined)(uint32_t number); /* by the calling thread, and it has ended */
};

/* NULL: nobody watches. Set once. */
extern const struct threads_watch *_Atomic THREADS_WATCH;

#endif
