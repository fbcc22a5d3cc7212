/* How decisions are named and counted, for everybody who makes, records, repeats or searches them:
 * our MPI (world/exchange/explore.h), the recorder (interpose/decide.h, interpose/live_order.h),
 * re-execution (explore/reexec.h) and the policies' grammar.
 *
 * A decision is a point where MPI leaves a choice open. Policies, schedules, state files and
 * command lines name it RANK.NUMBER. The number packs what struct decision has apart: nobody but
 * this file computes with it. A number is below 2^32 and never 0; 0 says that there is no decision.
 *
 * How they are counted:
 *  - Each thread counts its choices from 1, in the order in which it asks. A poll that found
 *    nothing and is made again is a choice only if it finds something.
 *  - Each thread counts its standard sends from 1, those inside collectives not. A start of a
 *    persistent send has the number of the call that made the request.
 *  - What comes next at an object is counted from 1 by the object, each queue of it by itself.
 *  - Objects are communicators, windows and files, counted as their rank makes them. */
#ifndef CORE_DECISION_DECISION_H
#define CORE_DECISION_DECISION_H

#include <stdbool.h>
#include <stdint.h>

enum decision_kind {
    DECISION_CHOICE, /* a wildcard's message; what a poll, or a wait for one of several, finds */
    DECISION_BUFFER, /* whether a standard send has a buffer */
    DECISION_CANCEL, /* what a receive gets that names its source and is cancelled */
    DECISION_EPOCH,  /* whether the first MPI_Win_test of an exposure epoch finds its end */
    DECISION_MEMORY, /* whose operation on the memory of a window comes next */
    DECISION_LOCK,   /* who gets the lock of a window next */
    DECISION_THREAD, /* which thread's call on a communicator comes next */
    DECISION_FILE    /* which rank's call on a file comes next */
};

struct decision {
    uint32_t rank;   /* whose decision it is: of a window, whose memory; of a file, rank 0 */
    uint32_t thread; /* CHOICE, BUFFER: who asks; known only where the rank has several */
    enum decision_kind kind;
    uint32_t object; /* MEMORY, LOCK, THREAD, FILE: decision_comm, _window or _file */
    uint32_t queue;  /* THREAD, FILE: what is ordered apart from the object's other calls */
    uint32_t index;  /* how many-th; from 1 */
};

enum {
    DECISION_THREADS = 500,         /* of a rank, that have numbers of their own */
    DECISION_THREAD_NUMBERS = 2000, /* choices, and sends, of each */
    DECISION_QUEUE = 1500,          /* of each queue */
    DECISION_OBJECT = 2000000,
    DECISION_OBJECT_HALF =
        1000000, /* the first half: memory, choices, files; the second: the rest */
    DECISION_QUEUES = DECISION_OBJECT_HALF / DECISION_QUEUE,
    DECISION_FILES = 512 /* queues of files, by their names */
};
enum decision_queue { /* of the calls of threads on a communicator */
                      DECISION_QUEUE_RECEIVES,
                      DECISION_QUEUE_COLLECTIVES,
                      DECISION_QUEUE_SENDS, /* and one a destination from here on */
                      DECISION_QUEUE_FREES =
                          DECISION_QUEUES - 1 /* what frees the object, and what uses it */
};
#define DECISION_BUFFERS 4000000000u
#define DECISION_CANCELS 4200000000u
#define DECISION_EPOCHS 4250000000u

_Static_assert(DECISION_THREADS *DECISION_THREAD_NUMBERS == DECISION_OBJECT_HALF,
               "the choices of threads end where the order of threads begins");
_Static_assert(DECISION_FILES *DECISION_QUEUE < DECISION_OBJECT_HALF, "queues of files have room");

/* count: 0 for MPI_COMM_WORLD. */
static inline uint32_t decision_comm(uint32_t count)
{
    return 2 * count;
}
static inline uint32_t decision_window(uint32_t index)
{
    return 2 * index + 1;
}
/* A communicator has no memory, so that half of one's numbers is free for files. */
static inline uint32_t decision_file(void)
{
    return decision_comm(1);
}
static inline uint32_t decision_queue_sends(int dest)
{
    uint32_t queue = DECISION_QUEUE_SENDS + (uint32_t)dest;
    return queue < DECISION_QUEUE_FREES ? queue : DECISION_QUEUE_FREES - 1;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* The number of the send or choice `index` of a thread, without what a kind adds. */
static inline uint32_t decision_of_thread(uint32_t thread, uint32_t index)
{
    return thread % DECISION_THREADS * DECISION_THREAD_NUMBERS + index;
}

static inline uint32_t decision_number(const struct decision *d)
{
    switch (d->kind) {
    case DECISION_CHOICE:
        return decision_of_thread(d->thread, d->index);
    case DECISION_BUFFER:
        return DECISION_BUFFERS + decision_of_thread(d->thread, d->index);
    case DECISION_CANCEL:
        return DECISION_CANCELS + d->index;
    case DECISION_EPOCH:
        return DECISION_EPOCHS + d->index;
    case DECISION_MEMORY:
    case DECISION_FILE:
        return d->object * DECISION_OBJECT + d->queue * DECISION_QUEUE + d->index;
    case DECISION_LOCK:
    case DECISION_THREAD:
        return d->object * DECISION_OBJECT + DECISION_OBJECT_HALF + d->queue * DECISION_QUEUE +
               d->index;
    }
    return 0;
}

static inline enum decision_kind decision_kind_of(uint64_t number)
{
    bool window = number / DECISION_OBJECT % 2,
         second = number % DECISION_OBJECT > DECISION_OBJECT_HALF;

    if (number >= DECISION_BUFFERS)
        return number > DECISION_EPOCHS    ? DECISION_EPOCH
               : number > DECISION_CANCELS ? DECISION_CANCEL
                                           : DECISION_BUFFER;
    if (window)
        return second ? DECISION_LOCK : DECISION_MEMORY;
    if (second)
        return DECISION_THREAD;
    return number < DECISION_OBJECT ? DECISION_CHOICE : DECISION_FILE;
}

/* threads: the rank has several; else `index` counts the choices or sends of the rank. */
static inline struct decision decision_of(uint32_t rank, uint64_t number, bool threads)
{
    struct decision d = {.rank = rank, .kind = decision_kind_of(number)};
    uint32_t within = (uint32_t)(number % DECISION_OBJECT);

    switch (d.kind) {
    case DECISION_CHOICE:
    case DECISION_BUFFER:
        d.index = (uint32_t)(number - (d.kind == DECISION_BUFFER ? DECISION_BUFFERS : 0));
        if (threads && d.index) {
            d.thread = (d.index - 1) / DECISION_THREAD_NUMBERS;
            d.index = (d.index - 1) % DECISION_THREAD_NUMBERS + 1;
        }
        return d;
    case DECISION_CANCEL:
    case DECISION_EPOCH:
        d.index =
            (uint32_t)(number - (d.kind == DECISION_EPOCH ? DECISION_EPOCHS : DECISION_CANCELS));
        return d;
    default:
        d.object = (uint32_t)(number / DECISION_OBJECT);
        within -= d.kind == DECISION_LOCK || d.kind == DECISION_THREAD ? DECISION_OBJECT_HALF : 0;
        bool queues = d.kind == DECISION_THREAD || d.kind == DECISION_FILE;
        d.queue = queues ? (within - 1) / DECISION_QUEUE : 0;
        d.index = within - d.queue * DECISION_QUEUE;
        return d;
    }
}

/* The decisions about a send by its own number (decision_count_send), and about a rank's index-th
 * cancelled receive and exposure epoch. */
static inline uint32_t decision_of_send(uint32_t send)
{
    return DECISION_BUFFERS + send;
}
static inline uint32_t decision_of_cancel(uint32_t index)
{
    return decision_number(&(struct decision){.kind = DECISION_CANCEL, .index = index});
}
static inline uint32_t decision_of_epoch(uint32_t index)
{
    return decision_number(&(struct decision){.kind = DECISION_EPOCH, .index = index});
}
/* The send's own number of a decision about its buffer. */
static inline uint32_t decision_send(uint64_t number)
{
    return (uint32_t)(number - DECISION_BUFFERS);
}

/* The first decisions about a window, and about what threads call. */
static inline uint32_t decision_window_first(uint32_t object, bool lock)
{
    return decision_number(&(struct decision){
        .kind = lock ? DECISION_LOCK : DECISION_MEMORY, .object = object, .index = 1});
}
static inline uint32_t decision_thread_first(uint32_t object, uint32_t queue)
{
    return decision_number(
        &(struct decision){.kind = DECISION_THREAD, .object = object, .queue = queue, .index = 1});
}

/* Whether it says what comes next at an object. */
static inline bool decision_orders(uint64_t number)
{
    return decision_kind_of(number) >= DECISION_MEMORY;
}

/* The number of the other-th in the same queue as the index-th, which has this number. */
static inline uint64_t decision_beside(uint64_t number, uint32_t index, uint32_t other)
{
    return number - index + other;
}

/* The object of what orders calls at one. */
static inline uint32_t decision_object_of(uint64_t number)
{
    return (uint32_t)(number / DECISION_OBJECT);
}

/* --- counting --------------------------------------------------------------------------------- */

struct decision_count { /* of a thread */
    uint32_t thread;    /* as the program made them; the first is 0 */
    uint32_t choices, sends;
};

/* The number of the choice that the thread asks for now. */
static inline uint32_t decision_count_choice(struct decision_count *count)
{
    return decision_of_thread(count->thread, ++count->choices);
}

/* The choice got its answer: again: it was a poll that had found nothing before. */
static inline void decision_count_answered(struct decision_count *count, bool again, bool found)
{
    count->choices -= again && !found;
}

/* The number of the send that the thread begins now, as the policy's lists of sends name it.
 */
static inline uint32_t decision_count_send(struct decision_count *count)
{
    return decision_of_thread(count->thread, ++count->sends);
}

/* Whether the thread has more than have numbers of their own, where its rank has other threads. */
static inline bool decision_count_exceeds(const struct decision_count *count)
{
    return count->thread >= DECISION_THREADS || count->choices > DECISION_THREAD_NUMBERS ||
           count->sends > DECISION_THREAD_NUMBERS;
}

#endif
