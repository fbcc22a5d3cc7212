/* Locks of this library's own, which tools that look for races among the program's threads do not
 * know: what the recorder does for one call must not seem to order it before another thread's. A
 * mutex of pthreads would: ThreadSanitizer takes all that a thread did before it gave one up for
 * done before what the next owner does, and says nothing of races between the two.
 *
 * Nothing here is a call that ThreadSanitizer knows. Between hidden_begin and hidden_end the
 * thread's calls of the C library and of the MPI library, which it does know, order nothing, and
 * are taken for no access to memory. */
#ifndef INTERPOSE_LOCK_H
#define INTERPOSE_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock { /* zero: nobody's */
    _Atomic uint32_t state;
};
enum { LOCK_FREE, LOCK_TAKEN, LOCK_WAITED };
void lock_wait(struct lock *lock); /* until it is the caller's */
void lock_wake(struct lock *lock);

/* False: it cannot be had at once. */
static inline bool lock_try(struct lock *lock)
{
    uint32_t nobody = LOCK_FREE;
    return atomic_compare_exchange_strong_explicit(&lock->state, &nobody, LOCK_TAKEN,
                                                   memory_order_acquire, memory_order_relaxed);
}
static inline void lock_take(struct lock *lock)
{
    if (!lock_try(lock))
        lock_wait(lock);
}
static inline void lock_leave(struct lock *lock)
{
    if (atomic_exchange_explicit(&lock->state, LOCK_FREE, memory_order_release) == LOCK_WAITED)
        lock_wake(lock);
}

void hidden_start(void); /* looks for ThreadSanitizer in the process */
/* They may be nested. Where something in between is to be seen after all: hidden_pause, and, with
 * its result, hidden_resume. */
void hidden_begin(void);
void hidden_end(void);
void hidden_sleep(uint64_t ns); /* a race is said to be hidden by sleeps of the program */
unsigned hidden_pause(void);
void hidden_resume(unsigned depth);

#endif
