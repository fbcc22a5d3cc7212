/* See the header: what the schedule says, and what its turns are counted in. Threads' turns are in
 * turns_thread.c, those of windows in turns_window.c. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/turns_inside.h"

struct turns turns;
pthread_mutex_t turns_lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic uint32_t *turns_had;

static _Atomic uint32_t lost;
_Atomic uint32_t *turns_lost = &lost;
static const struct replay_policy *policy;

uint64_t turns_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void turns_pause(void)
{
    int flag;
    REAL(Iprobe)(0, 0, recorder_handle.comm_self, &flag, MPI_STATUS_IGNORE);
    sched_yield();
}

/* --- the schedule ----------------------------------------------------------------------------- */

uint32_t turns_place(uint32_t rank, uint32_t first, uint32_t from, int32_t answer,
                     uint32_t *out_last)
{
    uint32_t place = 0, at = 1;
    const struct replay_name *name;
    for (; (name = replay_policy_find(&policy->forced, rank, false, first + at - 1)); at++)
        if (!place && at > from && name->source == answer)
            place = at;
    *out_last = at - 1;
    return place;
}

static bool names_turns(uint64_t low, uint64_t high)
{
    for (uint32_t i = 0; i < policy->forced.count; i++) {
        uint64_t id = policy->forced.name[i].id, within = id % REPLAY_TURN_OBJECT;
        if (id < REPLAY_BUFFER_NUMBERS && within >= low && within < high &&
            (low || id >= REPLAY_TURN_OBJECT))
            return true;
    }
    return false;
}

void turns_gave_up(const char *what)
{
    char text[256];
    if (atomic_exchange(turns_lost, 1))
        return;
    snprintf(text, sizeof text,
             "rank %d waited for its turn %s, and nobody came: all go on without, and the run is "
             "not what the schedule says",
             recorder.world_rank, what);
    recorder_say(text);
    recorder_lock();
    if (recorder.lanes)
        recorder.lanes->writer.header->flags |= SPOOL_FLAG_UNTURNED;
    recorder_unlock();
}

static _Atomic uint32_t *memory_shared(size_t bytes)
{
    char name[4200];
    snprintf(name, sizeof name, "%s/turns", recorder_folder());
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *memory = file < 0 || ftruncate(file, (off_t)bytes)
                       ? MAP_FAILED
                       : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    REAL(Barrier)(recorder_handle.comm_world);
    if (recorder.world_rank == 0)
        unlink(name);
    return memory == MAP_FAILED ? NULL : memory;
}

void turns_start(const struct replay_policy *given)
{
    policy = given;
    if (policy->order != REPLAY_ORDER_EXPLORE)
        return;
    size_t rows = (size_t)recorder.world_size * TURNS_ROWS;
    turns.windows = false;
    for (uint32_t i = 0; i < policy->forced.count; i++) {
        uint64_t id = policy->forced.name[i].id;
        turns.windows |= id < REPLAY_BUFFER_NUMBERS && id / REPLAY_TURN_OBJECT % 2;
    }
    turns.threads = names_turns(REPLAY_TURN_LOCKS, REPLAY_TURN_OBJECT);
    if (turns.windows && recorder.several) {
        recorder_warn("turns at windows cannot be had where ranks are on several machines");
        turns.windows = false;
    }
    if (turns.windows)
        turns_had = memory_shared((rows + 1) * sizeof *turns_had);
    turns.windows &= turns_had != NULL;
    turns_lost = turns.windows ? turns_had + rows : &lost;
    turns.on = turns.windows || turns.threads;
    turns_threads_start();
}

void turns_before(void)
{
    turns_after();
    turns_looked();
    turns_windows_before();
}
