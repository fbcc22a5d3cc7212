/* How decisions are named and counted, by all code that makes, records, repeats or searches them:
 * our MPI (world/exchange/explore.h), the recorder (interpose/decide.h, interpose/live_order.h),
 * re-execution (explore/reexec.h) and the grammar of policies.
 *
 * A decision is a point where MPI leaves a choice open. Policies, schedules, state files and
 * command lines name it RANK.NUMBER. The number packs the fields of struct decision; only this file
 * computes with it. A number is below 2^32 and never 0; 0 means no decision.
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
    DECISION_BUFFER, /* a standard send has a buffer or none */
    DECISION_CANCEL, /* the message of a cancelled receive that names its source */
    DECISION_EPOCH,  /* the first MPI_Win_test of an exposure epoch succeeds or not */
    DECISION_MEMORY, /* the rank whose operation on the memory of a window is next */
    DECISION_LOCK,   /* the rank that gets the lock of a window next */
    DECISION_THREAD, /* the thread whose call on a communicator is next */
    DECISION_FILE    /* the rank whose call on a file is next */
};

struct decision {
    uint32_t rank;   /* the deciding rank; for a window, its memory's owner; for a file, 0 */
    uint32_t thread; /* CHOICE, BUFFER: the asking thread; known only if the rank has several */
    enum decision_kind kind;
    uint32_t object; /* MEMORY, LOCK, THREAD, FILE: decision_comm, _window or _file */
    uint32_t queue;  /* THREAD, FILE: calls on the object that are ordered separately */
    uint32_t index;  /* position in the count, from 1 */
};

enum {
    DECISION_THREADS = 500,         /* threads of a rank with numbers of their own */
    DECISION_THREAD_NUMBERS = 2000, /* choices, and sends, of each */
    DECISION_QUEUE = 1500,          /* of each queue */
    DECISION_OBJECT = 2000000,
    DECISION_OBJECT_HALF =
        1000000, /* the first half: memory, choices, files; the second: the rest */
    DECISION_QUEUES = DECISION_OBJECT_HALF / DECISION_QUEUE,
    DECISION_FILES = 512 /* queues of files, chosen by name */
};
enum decision_queue { /* queues of the threads' calls on a communicator */
                      DECISION_QUEUE_RECEIVES,
                      DECISION_QUEUE_COLLECTIVES,
                      DECISION_QUEUE_SENDS, /* from here on, one for each destination */
                      DECISION_QUEUE_FREES =
                          DECISION_QUEUES - 1 /* calls that free it, calls that use it */
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
/* A communicator has no memory, so this half of its numbers is free for files. */
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

/* Returns the number of the send or choice `index` of a thread, without the offset of its kind. */
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

/* threads: the rank has several threads; otherwise `index` counts the rank's choices or sends. */
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

/* Return the decision about a send, by its own number (decision_count_send), and about a rank's
 * index-th cancelled receive and exposure epoch. */
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
/* Returns the send's own number from a decision about its buffer. */
static inline uint32_t decision_send(uint64_t number)
{
    return (uint32_t)(number - DECISION_BUFFERS);
}

/* Return the first decision about a window, and about the threads' calls in a queue. */
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

/* Tells whether the decision orders accesses to an object. */
static inline bool decision_orders(uint64_t number)
{
    return decision_kind_of(number) >= DECISION_MEMORY;
}

/* Returns the number of the other-th decision in the queue of the index-th, which has this number.
 */
static inline uint64_t decision_beside(uint64_t number, uint32_t index, uint32_t other)
{
    return number - index + other;
}

/* Returns the object of a decision that orders accesses. */
static inline uint32_t decision_object_of(uint64_t number)
{
    return (uint32_t)(number / DECISION_OBJECT);
}

/* --- counting --------------------------------------------------------------------------------- */

struct decision_count { /* of one thread */
    uint32_t thread;    /* in the order of creation; the first is 0 */
    uint32_t choices, sends;
};

/* Returns the number of the choice that the thread asks for now. */
static inline uint32_t decision_count_choice(struct decision_count *count)
{
    return decision_of_thread(count->thread, ++count->choices);
}

/* Notes that the choice was answered. again: it was a repeated poll, which counts only if it found
 * something. */
static inline void decision_count_answered(struct decision_count *count, bool again, bool found)
{
    count->choices -= again && !found;
}

/* Returns the number of the send that the thread starts now, as the policy's lists of sends name
 * it. */
static inline uint32_t decision_count_send(struct decision_count *count)
{
    return decision_of_thread(count->thread, ++count->sends);
}

/* Tells whether the thread has more decisions than numbers of its own, which matters if its rank
 * has other threads. */
static inline bool decision_count_exceeds(const struct decision_count *count)
{
    return count->thread >= DECISION_THREADS || count->choices > DECISION_THREAD_NUMBERS ||
           count->sends > DECISION_THREAD_NUMBERS;
}

#endif
