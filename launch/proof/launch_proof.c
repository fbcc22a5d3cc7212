/* Whether the job is proven to hang. Here stands what only the machine can tell about a rank: that
 * it is still, inside a call, was not kept from moving, and has no thread that could call MPI of
 * its own accord. The rest is launch/proof/proof.h.
 *
 * Invariant: a rank is PROOF_STILL, or that for longer, only if its header was the same
 * before and after the proof. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "launch/proof/proof.h"
#include "launch/launch_inside.h"
#include "core/spool/spool_read.h"

enum {
    /* Since it last moved a running rank must have had so much of a processor, or have got it so
     * often (one that yields whenever it finds nothing gets little): so that it has seen what is
     * there to see. */
    PROOF_CPU_MIN_NS = 3000000,
    PROOF_RUNS_MIN = 30,
    PROOF_STILL_LONG_MS = 1200, /* where the kernel does not count that: stand still for so long */
    PROOF_SETTLED_MS =
        800, /* still for so long, and so many times as much of a processor: PROOF_SETTLED */
    PROOF_SETTLED_FACTOR = 4,
    PROOF_PAUSED_MS = 2000, /* the same of PROOF_PAUSED */
    PROOF_PAUSED_FACTOR = 10,
    PROOF_RESTED_MS = 8000, /* and of PROOF_RESTED */
    PROOF_RESTED_FACTOR = 40,
    PROOF_DYING_MS = 10000, /* a job that lost a rank is given so long to be ended by its starter */
    PROOF_PAUSE_FACTOR = 10 /* a proof that took much of our processor is tried again only after so
                               many times as long */
};

struct task {
    char state;
    bool cpu_known;
    uint64_t cpu_ns, runs;
};

static size_t file_text(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "re");
    size_t bytes = 0;

    if (file) {
        bytes = fread(text, 1, room - 1, file);
        fclose(file);
    }
    text[bytes] = '\0';
    return bytes;
}

static bool task_read(pid_t pid, pid_t tid, struct task *out_task)
{
    char path[96], text[1024];
    unsigned long long cpu, waited, runs;
    char *p;

    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    if (!file_text(path, text, sizeof text) || !(p = strrchr(text, ')')) || p[1] != ' ')
        return false;
    *out_task = (struct task){.state = p[2]};
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
    if (file_text(path, text, sizeof text) &&
        sscanf(text, "%llu %llu %llu", &cpu, &waited, &runs) == 3) {
        out_task->cpu_known = true;
        out_task->cpu_ns = cpu;
        out_task->runs = runs;
    }
    return true;
}

/* --- threads that have not called MPI yet ----------------------------------------------------- */

static bool rank_has_lane(const struct launch_rank *rank, pid_t tid)
{
    for (uint32_t l = 0; l < rank->lane_count; l++)
        if (rank->lane[l].header.tid == tid)
            return true;
    return false;
}

static bool was_there(const struct launch_rank *rank, pid_t tid)
{
    for (uint32_t t = 0; t < rank->thread_count; t++)
        if (rank->thread[t] == tid)
            return true;
    return false;
}

/* Whether no other process has the memory at this address. */
static bool address_is_own(pid_t pid, unsigned long address)
{
    char path[64], line[8192], access[8];
    unsigned long start, end;
    bool own = false;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    file = fopen(path, "re");
    while (file && !own && fgets(line, sizeof line, file))
        own = sscanf(line, "%lx-%lx %7s", &start, &end, access) == 3 && start <= address &&
              address < end && access[3] == 'p';
    if (file)
        fclose(file);
    return own;
}

/* The MPI library's own threads wait in poll or epoll from the start; idle workers, and threads
 * that join others or want their locks, wait for a futex that only another thread can touch,
 * without a time limit. Any other thread may come to life and call MPI. */
static bool thread_is_harmless(const struct launch_rank *rank, pid_t tid)
{
    char path[96], text[256];
    unsigned long arg[4] = {0};
    long number = -1;

    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)rank->pid, (int)tid);
    if (!file_text(path, text, sizeof text) ||
        sscanf(text, "%ld %lx %lx %lx %lx", &number, &arg[0], &arg[1], &arg[2], &arg[3]) < 5)
        return false;
    if (number == SYS_futex)
        return arg[3] == 0 && address_is_own(rank->pid, arg[0]);
#ifdef SYS_poll
    if (number == SYS_poll && was_there(rank, tid))
        return true;
#endif
#ifdef SYS_epoll_wait
    if (number == SYS_epoll_wait && was_there(rank, tid))
        return true;
#endif
    return (number == SYS_ppoll || number == SYS_epoll_pwait) && was_there(rank, tid);
}

static uint32_t threads_list(pid_t pid, pid_t **out_thread)
{
    char path[64];
    pid_t *list = NULL;
    uint32_t count = 0, room = 0;
    struct dirent *entry;
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        if (CORE_ARRAY_PUSH(list, count, room, "the threads of a rank", atoi(entry->d_name)))
            break;
    }
    if (folder)
        closedir(folder);
    *out_thread = list;
    return count;
}

void launch_proof_attach(struct launch_rank *rank)
{
    rank->thread_count = threads_list(rank->pid, &rank->thread);
}

static bool threads_are_harmless(const struct launch_rank *rank)
{
    pid_t *thread;
    uint32_t count = threads_list(rank->pid, &thread);
    bool harmless = count > 0;

    for (uint32_t t = 0; t < count && harmless; t++)
        harmless = rank_has_lane(rank, thread[t]) || thread_is_harmless(rank, thread[t]);
    free(thread);
    return harmless;
}

/* --- one rank --------------------------------------------------------------------------------- */

/* With --last, definitions have a lane of their own, which is no thread's. */
static bool lane_is_shadow(const struct launch_rank *rank, const struct launch_lane *lane)
{
    for (uint32_t l = 0; l < rank->lane_count; l++)
        if (&rank->lane[l] != lane && rank->lane[l].header.tid == lane->header.tid &&
            rank->lane[l].header.depth)
            return true;
    return false;
}

/* Called in every look: from when on the processor time of threads inside MPI counts. */
void launch_proof_look(struct launch_rank *rank, bool moved)
{
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        struct launch_lane *lane = &rank->lane[l];
        struct task task;

        if (moved || rank->pidfd < 0 || rank->gone)
            lane->still_cpu_known = false;
        else if (!lane->still_cpu_known && spool_is_inside(&lane->header) &&
                 task_read(rank->pid, lane->header.tid, &task) && task.cpu_known) {
            lane->still_cpu_known = true;
            lane->still_cpu_ns = task.cpu_ns;
            lane->still_runs = task.runs;
        }
    }
}

/* Whether a thread inside MPI has had the time, `factor` times the least, to see what there is to
 * see. One that sleeps has seen that there is nothing. */
static bool has_looked(const struct launch_rank *rank, const struct launch_lane *lane,
                       uint64_t still_ns, uint64_t factor)
{
    struct task task;

    if (!task_read(rank->pid, lane->header.tid, &task) || !strchr("RSD", task.state))
        return false;
    if (task.state == 'S')
        return true;
    if (!lane->still_cpu_known || !task.cpu_known)
        return still_ns >= (uint64_t)PROOF_STILL_LONG_MS * 1000000u * factor;
    return task.cpu_ns - lane->still_cpu_ns >= PROOF_CPU_MIN_NS * factor ||
           task.runs - lane->still_runs >= PROOF_RUNS_MIN * factor;
}

bool launch_proof_outside(const struct launch_rank *rank, const struct launch_lane *lane)
{
    struct task task;

    return !spool_is_inside(&lane->header) && !lane_is_shadow(rank, lane) &&
           task_read(rank->pid, lane->header.tid, &task) && task.state != 'Z' &&
           task.state != 'X' && !thread_is_harmless(rank, lane->header.tid);
}

/* Whether all threads that call MPI are inside of it and have looked, but for such as wait outside
 * for another thread, as in a join; and at least one is inside. */
static bool lanes_stand(const struct launch_rank *rank, uint64_t still_ns, uint64_t factor)
{
    bool inside = false;

    for (uint32_t l = 0; l < rank->lane_count; l++) {
        const struct launch_lane *lane = &rank->lane[l];

        inside |= spool_is_inside(&lane->header);
        if (spool_is_inside(&lane->header) ? !has_looked(rank, lane, still_ns, factor)
                                           : launch_proof_outside(rank, lane))
            return false;
    }
    return inside;
}

/* Whether threads that have not called MPI yet may do so. */
static bool others_may_call(const struct launch_rank *rank)
{
    bool may = rank->lane[0].header.thread_level >= 2;

    for (uint32_t l = 0; l < rank->lane_count; l++)
        may |= (rank->lane[l].header.flags & SPOOL_FLAG_GENERALIZED) != 0;
    return may;
}

static bool for_so_long(const struct launch_rank *rank, uint64_t still_ns, uint64_t least_ms,
                        uint64_t factor)
{
    return still_ns >= least_ms * 1000000u && lanes_stand(rank, still_ns, factor);
}

int launch_proof_standing(const struct launch_rank *rank)
{
    uint64_t still_ns = launch_now_ns() - rank->still_ns;
    bool dying = false;

    for (uint32_t l = 0; l < rank->lane_count; l++) {
        if (rank->lane[l].header.state == SPOOL_STATE_FINALIZED)
            return PROOF_ENDED;
        dying |= rank->lane[l].header.state != SPOOL_STATE_RUNNING;
    }
    /* A rank that died in mid-run: its starter is about to end the others, and knows better how. */
    if (rank->gone)
        return launch_now_ns() - rank->gone_ns < (uint64_t)PROOF_DYING_MS * 1000000u ? PROOF_UNKNOWN
                                                                                     : PROOF_ENDED;
    if (dying || !rank->lane_count)
        return PROOF_UNKNOWN;
    if (!rank->local || rank->pidfd < 0 || still_ns < (uint64_t)LAUNCH_STILL_MS * 1000000u)
        return PROOF_UNKNOWN;
    if (!lanes_stand(rank, still_ns, 1) || (others_may_call(rank) && !threads_are_harmless(rank)))
        return PROOF_UNKNOWN;
    return for_so_long(rank, still_ns, PROOF_RESTED_MS, PROOF_RESTED_FACTOR)     ? PROOF_RESTED
           : for_so_long(rank, still_ns, PROOF_PAUSED_MS, PROOF_PAUSED_FACTOR)   ? PROOF_PAUSED
           : for_so_long(rank, still_ns, PROOF_SETTLED_MS, PROOF_SETTLED_FACTOR) ? PROOF_SETTLED
                                                                                 : PROOF_STILL;
}

/* Whether every lane of a rank that was called still is where it was when that was said. */
static bool rank_unmoved(const struct launch_rank *rank)
{
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        const struct spool_header *before = &rank->lane[l].header;
        struct spool_header now;

        if (spool_header_read(rank->lane[l].ring_fd, &now, NULL) != CORE_OK ||
            now.committed != before->committed || now.moved != before->moved ||
            now.polled != before->polled || now.depth != before->depth ||
            now.callback != before->callback || now.open[0].seq != before->open[0].seq)
            return false;
    }
    return true;
}

/* --- one world -------------------------------------------------------------------------------- */

static uint32_t world_size(const struct launch_world *world)
{
    int32_t size = 0;

    for (uint32_t r = 0; r < world->rank_count; r++)
        if (world->rank[r].lane_count && world->rank[r].lane[0].header.world_size > size)
            size = world->rank[r].lane[0].header.world_size;
    return size > 0 && size <= SPOOL_RANKS_MAX ? (uint32_t)size : 0;
}

static bool is_still(uint8_t standing)
{
    return standing == PROOF_STILL || proof_is_settled(standing);
}

/* As far as the proof may rely on it: between machines nobody knows how long a message is on its
 * way. */
static uint8_t rank_standing(const struct launch *launch, const struct launch_rank *rank, bool far)
{
    uint8_t standing = rank->relay && !rank->gone ? launch_relay_standing(launch, rank)
                                                  : (uint8_t)launch_proof_standing(rank);

    return far && proof_is_settled(standing) ? PROOF_STILL : standing;
}

static bool world_prove(const struct launch *launch, struct launch_world *world,
                        struct ending *out_ending)
{
    uint32_t size = world_size(world), still = 0;
    uint8_t *standing = size ? malloc(size) : NULL;
    struct proof_verdict verdict = {0};
    bool proven, far = false;

    if (!standing)
        return false;
    memset(standing, PROOF_UNKNOWN, size);
    for (uint32_t r = 0; r < world->rank_count; r++)
        far |= world->rank[r].relay != 0;
    for (uint32_t r = 0; r < world->rank_count; r++) {
        const struct launch_rank *rank = &world->rank[r];

        if (rank->rank < 0 || (uint32_t)rank->rank >= size)
            continue;
        standing[rank->rank] = rank_standing(launch, rank, far);
        still += is_still(standing[rank->rank]);
    }
    proven = still && (world->prover || proof_prover_new(&world->prover) == CORE_OK) &&
             proof_prove(world->prover, world->path, standing, size, &verdict) == CORE_OK &&
             verdict.proven;
    for (uint32_t r = 0; r < world->rank_count && proven; r++)
        if (world->rank[r].rank >= 0 && (uint32_t)world->rank[r].rank < size &&
            is_still(standing[world->rank[r].rank]))
            proven = rank_unmoved(&world->rank[r]);
    if (proven)
        *out_ending = verdict.ending;
    else
        ending_done(&verdict.ending);
    free(standing);
    return proven;
}

static uint64_t cpu_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool launch_proof_try(struct launch *launch)
{
    for (uint32_t w = 0; w < launch->world_count; w++) {
        struct launch_world *world = &launch->world[w];
        uint64_t now = launch_now_ns(), cpu = cpu_now_ns();
        bool still = false, proven;

        for (uint32_t r = 0; r < world->rank_count; r++)
            still |= (world->rank[r].pidfd >= 0 || world->rank[r].relay) && !world->rank[r].gone &&
                     now - world->rank[r].still_ns >= (uint64_t)LAUNCH_STILL_MS * 1000000u;
        if (!still || now < world->ask_ns || access(world->path, R_OK) < 0)
            continue;
        proven = world_prove(launch, world, &launch->result->ending);
        if (proven && launch_relay_agrees(launch, world)) {
            launch->ended_world = w;
            return true;
        }
        if (proven)
            ending_done(&launch->result->ending);
        world->ask_ns = launch_now_ns() + (uint64_t)LAUNCH_AGAIN_MS * 1000000u +
                        PROOF_PAUSE_FACTOR * (cpu_now_ns() - cpu);
    }
    return false;
}
