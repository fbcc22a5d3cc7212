/* Turns among the threads of a rank: at what each communicator has for sends, receives and
 * collectives, and at windows (world/exchange/explore_turn.h). */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/turns_inside.h"

enum { THREADS = 500, QUEUES = 256, RUNNING = 4, BEGUN_MS = 100 };

struct queue { /* of threads */
    uint32_t first, given;
    bool running;
    uint64_t begun_ms;
};

static uint32_t comm_count = 1;
static struct {
    MPI_Comm comm;
    uint32_t object;
} * comms;
static uint32_t comms_count, comms_room;
static struct queue queues[QUEUES];
static uint32_t queue_count;
static long thread_id[THREADS], first_id;
static uint32_t thread_count;
static __thread struct queue *running[RUNNING];
static __thread uint32_t running_count, own_index;
static __thread bool own_known;

/* --- threads ---------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const long *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Those that the program made, in the order it made them; the library's own were there before.
 * Under the lock. */
static void threads_find(void)
{
    long id[THREADS], known = thread_count ? thread_id[thread_count - 1] : first_id;
    uint32_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    while (tasks && (task = readdir(tasks)) && count < THREADS) {
        id[count] = strtol(task->d_name, NULL, 10);
        count += id[count] > known;
    }
    if (tasks)
        closedir(tasks);
    qsort(id, count, sizeof *id, by_id);
    if (first_id < 0)
        first_id = count ? id[count - 1] : getpid();
    else
        for (uint32_t i = 0; i < count && thread_count < THREADS; i++)
            thread_id[thread_count++] = id[i];
}

static uint32_t thread_index(void)
{
    if (own_known)
        return own_index;
    long self = syscall(SYS_gettid);
    threads_find();
    for (uint32_t i = 0; i < thread_count; i++)
        if (thread_id[i] == self)
            own_index = i + 1;
    own_known = true;
    return own_index;
}

void turns_threads_start(void)
{
    first_id = -1;
    turns_thread_first();
}

uint64_t turns_thread_first(void)
{
    pthread_mutex_lock(&turns_lock);
    uint64_t index = thread_index();
    pthread_mutex_unlock(&turns_lock);
    return index * REPLAY_THREAD_NUMBERS;
}

static struct queue *queue_of(uint32_t object, uint32_t number)
{
    uint32_t first = replay_turn_first(object, true, number);
    for (uint32_t i = 0; i < queue_count; i++)
        if (queues[i].first == first)
            return &queues[i];
    if (queue_count == QUEUES)
        return NULL;
    queues[queue_count] = (struct queue){.first = first};
    return &queues[queue_count++];
}

/* True: it has its turn. */
static bool queue_enter(struct queue *queue)
{
    uint32_t last, place = turns_place((uint32_t)recorder.world_rank, queue->first, queue->given,
                                       (int32_t)thread_index(), &last);
    bool begun = !queue->running || turns_ms(CLOCK_MONOTONIC) - queue->begun_ms >= BEGUN_MS;
    if (!begun || (place ? place != queue->given + 1 : queue->given < last))
        return false;
    queue->given = place ? place : queue->given;
    return true;
}

void turns_thread(uint32_t object, uint32_t number)
{
    uint64_t until = turns_ms(CLOCK_MONOTONIC) + TURNS_GIVE_UP_MS;
    pthread_mutex_lock(&turns_lock);
    if (!thread_count)
        threads_find();
    struct queue *queue = thread_count ? queue_of(object, number) : NULL;
    uint32_t given = queue ? queue->given : 0;
    while (queue && !*turns_lost && !queue_enter(queue)) {
        if (given != queue->given)
            until = turns_ms(CLOCK_MONOTONIC) + TURNS_GIVE_UP_MS;
        given = queue->given;
        pthread_mutex_unlock(&turns_lock);
        sched_yield();
        if (turns_ms(CLOCK_MONOTONIC) >= until) {
            turns_gave_up("among its threads");
            return;
        }
        pthread_mutex_lock(&turns_lock);
    }
    if (queue && running_count < RUNNING) {
        queue->running = true;
        queue->begun_ms = turns_ms(CLOCK_MONOTONIC);
        running[running_count++] = queue;
    }
    pthread_mutex_unlock(&turns_lock);
}

void turns_after(void)
{
    if (!running_count)
        return;
    pthread_mutex_lock(&turns_lock);
    while (running_count)
        running[--running_count]->running = false;
    pthread_mutex_unlock(&turns_lock);
}

void turns_comm_made(MPI_Comm comm)
{
    pthread_mutex_lock(&turns_lock);
    if (comms_count == comms_room) {
        uint32_t room = comms_room ? 2 * comms_room : 16;
        void *larger = realloc(comms, room * sizeof *comms);
        if (larger) {
            comms = larger;
            comms_room = room;
        }
    }
    uint32_t object = replay_turn_comm(++comm_count);
    uint32_t at = 0;
    while (at < comms_count && comms[at].comm != comm)
        at++;
    if (at < comms_room) {
        comms[at].comm = comm;
        comms[at].object = object;
        comms_count += at == comms_count;
    }
    pthread_mutex_unlock(&turns_lock);
}

static uint32_t object_of(MPI_Comm comm)
{
    uint32_t object = replay_turn_comm(comm == recorder_handle.comm_self);
    pthread_mutex_lock(&turns_lock);
    for (uint32_t i = 0; i < comms_count; i++)
        if (comms[i].comm == comm)
            object = comms[i].object;
    pthread_mutex_unlock(&turns_lock);
    return object;
}

void turns_sends(MPI_Comm comm, int dest)
{
    if (turns.threads && dest >= 0)
        turns_thread(object_of(comm), replay_turn_sends(dest));
}

void turns_receives(MPI_Comm comm)
{
    if (turns.threads)
        turns_thread(object_of(comm), REPLAY_TURN_RECEIVES);
}

void turns_collective(MPI_Comm comm)
{
    if (turns.threads)
        turns_thread(object_of(comm), REPLAY_TURN_COLLECTIVES);
}
