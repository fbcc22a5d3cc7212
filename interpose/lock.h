/* Locks that tools which look for races among the program's threads do not know: what the recorder
 * does for one call must not seem to order it before another thread's call. A mutex of pthreads
 * would: for ThreadSanitizer everything before its release comes before everything after the next
 * acquire, and it reports no race between the two.
 *
 * Nothing here is a call that ThreadSanitizer knows. It does know calls of the C library and of the
 * MPI library; between hidden_begin and hidden_end such calls of the thread order nothing for it,
 * and access no memory. */
#ifndef INTERPOSE_LOCK_H
#define INTERPOSE_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock { /* zero: free */
    _Atomic uint32_t state;
};
enum { LOCK_FREE, LOCK_TAKEN, LOCK_WAITED };
void lock_wait(struct lock *lock); /* waits until the caller holds the lock */
void lock_wake(struct lock *lock);

/* Returns false if the lock is not free. */
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
/* The pairs nest. hidden_pause makes calls visible in between, until hidden_resume, which takes its
 * result. */
void hidden_begin(void);
void hidden_end(void);
void hidden_sleep(uint64_t ns); /* a sleep of the program could hide a race */
unsigned hidden_pause(void);
void hidden_resume(unsigned depth);

#endif
