/* Orders the threads of a rank: at each communicator's sends, receives and collectives, and at
 * windows (world/exchange/explore_access.h). */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/threads/threads.h"
#include "interpose/live_order_inside.h"
#include "core/decision/order_log.h"

enum {
    QUEUES = 256,
    RUNNING = 4,
    BEGUN_MS = 100,
    PROBED_MS = 1000,
    RAN_MS = 2,
    SKIP_MS = 1000,
    SKIP_EACH_MS = 50
};

struct queue { /* one queue of threads */
    uint32_t first, had;
    uint32_t given;               /* places given to threads that the schedule names */
    uint32_t running;             /* running calls */
    uint64_t begun_ms, begins_ms; /* start of the latest call, and the time after which it counts as
                                     begun */
    clockid_t clock;              /* processor clock of its thread */
    uint64_t computed_ms;         /* processor time of the thread at that start */
    long thread;
};

static uint32_t comm_count = 1;
static struct {
    MPI_Comm comm;
    uint32_t object;
} * comms;
static uint32_t comms_count, comms_room;
static struct queue queues[QUEUES];
static uint32_t queue_count;
static uint32_t thread_count;
static __thread struct queue *running[RUNNING];
static __thread uint32_t running_count, own_index; /* 0: the first thread, or unknown */
static __thread bool own_known, own_came;
static __thread uint64_t own_seq; /* of its current call */

/* --- threads ---------------------------------------------------------------------------------- */

/* Numbers threads as the program starts them after MPI_Init, without the library's own. */
static uint32_t live_order_thread_made(void)
{
    if (!recorder.on || recorder_thread.current)
        return 0;
    lock_take(&live_order_lock);
    uint32_t number = ++thread_count;
    lock_leave(&live_order_lock);
    live_order_write_thread(ORDER_LOG_THREAD_MADE, number, (int32_t)own_index, recorder.seq);
    return number;
}

static void live_order_thread_begins(uint32_t number)
{
    own_index = number;
    own_known = true;
}

static void live_order_thread_joined(uint32_t number)
{
    if (recorder.on)
        live_order_write_thread(ORDER_LOG_THREAD_JOINED, number, (int32_t)own_index, recorder.seq);
}

static uint32_t thread_index(void)
{
    if (!own_known)
        live_order_vague(); /* the thread existed before, or nobody saw it begin */
    own_known = true;
    return own_index;
}

bool live_order_threads_start(void)
{
    static const struct threads_watch watch = {live_order_thread_made, live_order_thread_begins,
                                               live_order_thread_joined};
    const struct threads_watch *_Atomic *there = dlsym(RTLD_DEFAULT, THREADS_WATCH_NAME);
    own_known = true;
    if (there)
        *there = &watch;
    return there != NULL;
}

struct decision_count *live_order_decisions(void)
{
    static __thread struct decision_count count;
    count.thread = thread_index();
    return &count;
}

void live_order_came(uint64_t seq)
{
    own_seq = seq;
    if (!turns.threads || own_came)
        return;
    own_came = true;
    live_order_write_thread(ORDER_LOG_THREAD_CALLS, thread_index(), 0, seq);
}

/* --- turns ------------------------------------------------------------------------------------ */

static struct queue *queue_of(uint32_t object, uint32_t number)
{
    uint32_t first = decision_thread_first(object, number);
    for (uint32_t i = 0; i < queue_count; i++)
        if (queues[i].first == first)
            return &queues[i];
    if (queue_count == QUEUES) {
        live_order_vague();
        return NULL;
    }
    queues[queue_count] = (struct queue){.first = first};
    return &queues[queue_count++];
}

/* Tells whether the call's thread got a processor, or sleeps: it may still wait for a processor. */
static bool has_run(const struct queue *queue)
{
    char name[64], text[512] = "";
    struct timespec now;
    snprintf(name, sizeof name, "/proc/self/task/%ld/stat", queue->thread);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    const char *state = bytes > 0 ? strrchr(text, ')') : NULL;
    return !state || !strncmp(state, ") S", 3) || clock_gettime(queue->clock, &now) ||
           live_order_ms(queue->clock) - queue->computed_ms >= RAN_MS;
}

/* Takes the queue's next place for this thread. Returns false if that is not the thread's place. */
static bool queue_enter(struct queue *queue)
{
    uint32_t last, place = live_order_place((uint32_t)recorder.world_rank, queue->first,
                                            queue->given, (int32_t)thread_index(), &last);
    bool begun =
        !queue->running ||
        (live_order_ms(CLOCK_MONOTONIC) - queue->begun_ms >= queue->begins_ms && has_run(queue));
    if (!begun || (place ? place != queue->given + 1 : queue->given < last))
        return false;
    queue->given++;
    live_order_write((uint32_t)recorder.world_rank, queue->first + queue->had++,
                     (int32_t)thread_index(), own_seq);
    if (queue->had > DECISION_QUEUE)
        live_order_vague(); /* its number belongs to another queue */
    return true;
}

/* Skips places that no thread takes. The schedule's places come from a job in which each send had a
 * buffer. If some sends have none, a thread may not come to its place; then the next waiting thread
 * that the schedule names goes first. */
static bool queue_skip(struct queue *queue, uint64_t waited_ms)
{
    uint32_t last, place = live_order_place((uint32_t)recorder.world_rank, queue->first,
                                            queue->given, (int32_t)thread_index(), &last);
    uint32_t behind = (place ? place : last + 1) - queue->given;
    if (!turns.fewer || waited_ms < SKIP_MS + (uint64_t)behind * SKIP_EACH_MS)
        return false;
    queue->given += behind - 1;
    return true;
}

void live_order_thread(uint32_t object, uint32_t number)
{
    uint64_t since = live_order_ms(CLOCK_MONOTONIC), waited = 0;
    lock_take(&live_order_lock);
    struct queue *queue = thread_count ? queue_of(object, number) : NULL;
    uint32_t given = queue ? queue->given : 0;
    while (queue && !*live_order_lost && !queue_enter(queue)) {
        if (given != queue->given)
            since = live_order_ms(CLOCK_MONOTONIC);
        given = queue->given;
        waited = live_order_ms(CLOCK_MONOTONIC) - since;
        if (queue_skip(queue, waited))
            continue;
        lock_leave(&live_order_lock);
        sched_yield();
        if (waited >= LIVE_ORDER_GIVE_UP_MS) {
            live_order_vague();
            live_order_gave_up("among its threads");
            return;
        }
        lock_take(&live_order_lock);
    }
    if (queue && running_count < RUNNING) {
        queue->running++;
        queue->begun_ms = live_order_ms(CLOCK_MONOTONIC);
        queue->begins_ms = BEGUN_MS;
        queue->thread = syscall(SYS_gettid);
        pthread_getcpuclockid(pthread_self(), &queue->clock);
        queue->computed_ms = live_order_ms(queue->clock);
        running[running_count++] = queue;
    }
    lock_leave(&live_order_lock);
}

void live_order_after(void)
{
    if (!running_count)
        return;
    lock_take(&live_order_lock);
    while (running_count)
        running[--running_count]->running--;
    lock_leave(&live_order_lock);
}

void live_order_comm_made(MPI_Comm comm, uint64_t seq)
{
    lock_take(&live_order_lock);
    if (comms_count == comms_room) {
        uint32_t room = comms_room ? 2 * comms_room : 16;
        void *larger = realloc(comms, room * sizeof *comms);
        if (larger) {
            comms = larger;
            comms_room = room;
        }
    }
    uint32_t object = decision_comm(++comm_count);
    uint32_t at = 0;
    while (at < comms_count && comms[at].comm != comm)
        at++;
    if (at < comms_room) {
        comms[at].comm = comm;
        comms[at].object = object;
        comms_count += at == comms_count;
    }
    lock_leave(&live_order_lock);
    if (turns.threads)
        live_order_write_thread(ORDER_LOG_COMM_MADE, object, 0, seq);
}

static uint32_t object_of(MPI_Comm comm)
{
    uint32_t object = decision_comm(comm == recorder_handle.comm_self);
    lock_take(&live_order_lock);
    for (uint32_t i = 0; i < comms_count; i++)
        if (comms[i].comm == comm)
            object = comms[i].object;
    lock_leave(&live_order_lock);
    return object;
}

void live_order_sends(MPI_Comm comm, int dest)
{
    if (turns.threads && dest >= 0)
        live_order_thread(object_of(comm), decision_queue_sends(dest));
}

void live_order_receives(MPI_Comm comm, int source)
{
    if (turns.threads && source != MPI_PROC_NULL)
        live_order_thread(object_of(comm), DECISION_QUEUE_RECEIVES);
}

/* Keeps this thread's place until its probe has found something, since the next thread could take
 * the message that the probe must find. */
void live_order_probes(MPI_Comm comm, int source)
{
    live_order_receives(comm, source);
    lock_take(&live_order_lock);
    for (uint32_t i = 0; i < running_count; i++)
        running[i]->begins_ms = PROBED_MS;
    lock_leave(&live_order_lock);
}

void live_order_collective(MPI_Comm comm)
{
    if (turns.threads)
        live_order_thread(object_of(comm), DECISION_QUEUE_COLLECTIVES);
}
