/* Observes how threads of the program begin, and which threads join them. This is a library of its
 * own, preloaded beside libcrosswait only if threads are to be ordered, so that other jobs keep the
 * C library's pthread_create. Without a watch it only calls the C library. */
#ifndef INTERPOSE_THREADS_THREADS_H
#define INTERPOSE_THREADS_THREADS_H

#include <stdint.h>

#define THREADS_WATCH crosswait_threads_watch /* found by name: libcrosswait may be alone */
#define THREADS_WATCH_NAME "crosswait_threads_watch"

struct threads_watch {
    uint32_t (*made)(void);          /* called by the creating thread: returns the new thread's
                                        number; 0: not followed */
    void (*begins)(uint32_t number); /* called in the new thread, before its own code */
    void (*joined)(uint32_t number); /* called by the joining thread, after the other ended */
};

/* NULL: no watch. Set once. */
extern const struct threads_watch *_Atomic THREADS_WATCH;

#endif
