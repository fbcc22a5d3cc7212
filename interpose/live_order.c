/* See the header. Reads the schedule and holds the memory in which places are counted.
 * live_order_thread.c orders threads, live_order_window.c windows. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/live_order_inside.h"
#include "core/decision/order_log.h"

struct live_order turns;
struct lock live_order_lock;
struct live_order_row *live_order_rows;

static _Atomic uint32_t lost;
_Atomic uint32_t *live_order_lost = &lost;
static const struct replay_policy *policy;
static struct log {
    _Atomic uint32_t count, vague, lost, unused; /* struct order_log_head */
    struct order_log_row turn[];
} * written; /* NULL: no log was asked for */

_Static_assert(sizeof(struct log) == sizeof(struct order_log_head), "one is the other");

uint64_t live_order_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void live_order_pause(void)
{
    int flag;
    OWN(Iprobe)(0, 0, recorder_handle.comm_self, &flag, MPI_STATUS_IGNORE);
    sched_yield();
}

/* --- the schedule ----------------------------------------------------------------------------- */

uint32_t live_order_place(uint32_t rank, uint32_t first, uint32_t from, int32_t answer,
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

static bool schedule_has(enum decision_kind kind)
{
    for (uint32_t i = 0; i < policy->forced.count; i++)
        if (decision_kind_of(policy->forced.name[i].id) == kind)
            return true;
    return false;
}

void live_order_gave_up(const char *what)
{
    char text[256];
    if (atomic_exchange(live_order_lost, 1))
        return;
    snprintf(text, sizeof text,
             "rank %d timed out waiting for its place in the schedule %s: the job continues "
             "unordered, and does not follow the schedule",
             recorder.world_rank, what);
    recorder_say(text);
    recorder_lock();
    if (recorder.lanes)
        recorder.lanes->writer.header->flags |= SPOOL_FLAG_UNTURNED;
    recorder_unlock();
}

/* --- the log ---------------------------------------------------------------------------------- */

void live_order_vague(void)
{
    if (written)
        written->vague = 1;
}

static void write_row(struct order_log_row turn)
{
    uint32_t at = written ? atomic_fetch_add(&written->count, 1) : ORDER_LOG_ROWS_MAX;
    if (at < ORDER_LOG_ROWS_MAX)
        written->turn[at] = turn;
}

void live_order_write(uint32_t rank, uint32_t number, int32_t answer, uint64_t seq)
{
    write_row((struct order_log_row){rank, number, answer, ORDER_LOG_DONE, seq});
}

void live_order_write_thread(uint32_t kind, uint32_t number, int32_t answer, uint64_t seq)
{
    write_row((struct order_log_row){(uint32_t)recorder.world_rank, number, answer, kind, seq});
}

/* Maps memory that all ranks share; NULL: a rank failed. The file stays as the log if the
 * environment names its folder. */
static void *memory_shared(size_t bytes)
{
    char name[4200];
    const char *folder = recorder_setting(ORDER_LOG_VARIABLE);
    bool first = recorder.world_rank == 0;
    snprintf(name, sizeof name, "%s/" ORDER_LOG_FILE, folder ? folder : recorder_folder());
    int file = first ? open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    bool created = file >= 0; /* and allocate it: on a full disk a write to it would kill the
                                 rank */
    bool made = created && !posix_fallocate(file, 0, (off_t)bytes);
    OWN(Bcast)(&made, sizeof made, recorder_handle.type_byte, 0, recorder_handle.comm_world);
    if (!first && made)
        file = open(name, O_RDWR | O_CLOEXEC);
    void *memory = file < 0 || !made
                       ? MAP_FAILED
                       : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    long long lacks = memory == MAP_FAILED, all_lack;
    OWN(Allreduce)
    (&lacks, &all_lack, 1, recorder_handle.type_long_long, recorder_handle.op_sum,
     recorder_handle.comm_world);
    if (created && (!folder || all_lack))
        unlink(name);
    if (all_lack && memory != MAP_FAILED)
        munmap(memory, bytes);
    return all_lack ? NULL : memory;
}

static void memory_take(bool writes)
{
    size_t rows = (size_t)recorder.world_size * LIVE_ORDER_ROWS;
    size_t bytes =
        sizeof(struct log) + (writes ? ORDER_LOG_ROWS_MAX * sizeof(struct order_log_row) : 0);
    struct log *log = memory_shared(bytes + rows * sizeof *live_order_rows);
    if (!log) {
        if (recorder.world_rank == 0)
            recorder_warn("accesses to windows cannot be ordered: there is no room for the log of "
                          "their order");
        return;
    }
    live_order_rows = (struct live_order_row *)((char *)log + bytes);
    live_order_lost = &log->lost;
    written = writes ? log : NULL;
}

void live_order_start(const struct replay_policy *given)
{
    policy = given;
    if (policy->order != REPLAY_ORDER_EXPLORE)
        return;
    bool writes = recorder_setting(ORDER_LOG_VARIABLE) != NULL, windows = writes;
    bool several = recorder.lanes->writer.header->thread_level >= MPI_THREAD_SERIALIZED;
    bool seen = live_order_threads_start();
    windows |= schedule_has(DECISION_MEMORY) || schedule_has(DECISION_LOCK);
    turns.threads =
        schedule_has(DECISION_THREAD) || schedule_has(DECISION_LOCK) || (writes && several);
    if (turns.threads && !seen) {
        recorder_warn("ordering threads needs libcrosswait-threads.so, which is not loaded");
        turns.threads = false;
    }
    if (windows && recorder.several) {
        recorder_warn("accesses to windows cannot be ordered: the ranks run on several machines");
        windows = false;
    }
    if (windows)
        memory_take(writes);
    turns.windows = live_order_rows != NULL;
    turns.on = turns.windows || turns.threads;
    turns.fewer = policy->buffering != REPLAY_EAGER;
}

void live_order_before(bool waits)
{
    live_order_after();
    live_order_looked();
    live_order_windows_before(waits);
}
