/* Tries to prove that the job hangs. This file finds what only the machine can tell about a rank:
 * that it does not move, is inside a call, was not kept from moving, and has no thread that could
 * call MPI by itself. launch/proof/proof.h does the rest.
 *
 * Invariant: a rank is PROOF_STILL or PROOF_IDLE... only if its header was the same before and
 * after the proof. */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "launch/proof/launch_jobs.h"
#include "launch/proof/proof.h"
#include "launch/launch_inside.h"
#include "core/spool/spool_read.h"

enum {
    /* A running rank must have had this much processor time since it last moved, or have been
     * scheduled this often (a rank that yields whenever it finds nothing gets little time): then it
     * has seen all that there is to see. */
    PROOF_CPU_MIN_NS = 3000000,
    PROOF_RUNS_MIN = 30,
    PROOF_STILL_LONG_MS = 1200, /* where the kernel does not count it: time without movement */
    PROOF_SETTLED_MS =
        800, /* PROOF_IDLE: time without movement, and multiple of the processor time */
    PROOF_SETTLED_FACTOR = 4,
    PROOF_PAUSED_MS = 2000, /* the same for PROOF_IDLE_1MIB */
    PROOF_PAUSED_FACTOR = 10,
    PROOF_RESTED_MS = 8000, /* the same for PROOF_IDLE_64MIB */
    PROOF_RESTED_FACTOR = 100,
    PROOF_DYING_MS = 10000,  /* time for a starter to end a job that lost a rank */
    PROOF_HANDLER_MS = 3000, /* time in which a rank that crashed waits in its handler */
    PROOF_PAUSE_FACTOR = 10  /* after a proof that took much of our processor time, pauses for so
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

static size_t task_text(pid_t pid, pid_t tid, const char *name, char *text, size_t room)
{
    char path[96];

    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
    return file_text(path, text, room);
}

static bool task_read(pid_t pid, pid_t tid, struct task *out_task)
{
    char text[1024];
    unsigned long long cpu, waited, runs, faults = 0;
    char *p;

    if (!task_text(pid, tid, "stat", text, sizeof text) || !(p = strrchr(text, ')')) || p[1] != ' ')
        return false;
    *out_task = (struct task){.state = p[2]};
    /* each page read from a disk made it sleep and run again */
    sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %llu", &faults);
    if (task_text(pid, tid, "schedstat", text, sizeof text) &&
        sscanf(text, "%llu %llu %llu", &cpu, &waited, &runs) == 3) {
        out_task->cpu_known = true;
        out_task->cpu_ns = cpu;
        out_task->runs = runs > faults ? runs - faults : 0;
    }
    return true;
}

char launch_proof_task_state(pid_t pid, pid_t tid)
{
    struct task task;

    return task_read(pid, tid, &task) ? task.state : '\0';
}

/* Reads a line of a status file that holds a mask of signals. */
static uint64_t signals_of(const char *status, const char *name)
{
    const char *at = strstr(status, name);

    return at ? strtoull(at + strlen(name), NULL, 16) : 0;
}

/* Tells whether a sleeping thread sleeps in no call of its own: it waits for its memory, or is
 * frozen with its control group. */
static bool sleeps_for_others(pid_t pid, pid_t tid)
{
    char text[256];
    long number;

    if (task_text(pid, tid, "wchan", text, sizeof text) &&
        (strstr(text, "freez") || strstr(text, "get_signal")))
        return true;
    return task_text(pid, tid, "syscall", text, sizeof text) && sscanf(text, "%ld", &number) == 1 &&
           (number < 0 || number == SYS_sched_yield);
}

/* Tells whether a sleeping thread sleeps until a time has passed or a signal comes, whatever others
 * do. A function of the program that MPI calls may do so, or a signal handler, during which its
 * signal is blocked. */
static bool sleeps_for_time(pid_t pid, pid_t tid)
{
    char text[256];
    unsigned long arg[2] = {0};
    long number = -1;

    if (!task_text(pid, tid, "syscall", text, sizeof text) ||
        sscanf(text, "%ld %lx %lx", &number, &arg[0], &arg[1]) < 3)
        return false;
    switch (number) {
#ifdef SYS_pause
    case SYS_pause:
#endif
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
        return true;
#ifdef SYS_poll
    case SYS_poll:
#endif
    case SYS_ppoll:
        return arg[1] == 0;
#ifdef SYS_select
    case SYS_select:
#endif
    case SYS_pselect6:
        return arg[0] == 0;
    default:
        return false;
    }
}

/* Tells whether something keeps a thread from looking: it is stopped or traced, waits for a disk,
 * or runs a signal handler, during which the signal is blocked. */
static bool task_is_held(pid_t pid, pid_t tid, const struct task *task)
{
    char text[4096];

    if (!strchr("RS", task->state))
        return true;
    if (task->state == 'S' && sleeps_for_others(pid, tid))
        return true;
    return task_text(pid, tid, "status", text, sizeof text) &&
           (signals_of(text, "\nSigBlk:") & signals_of(text, "\nSigCgt:"));
}

/* --- threads that have not called MPI yet ----------------------------------------------------- */

static bool rank_has_lane(const struct launch_rank *rank, pid_t tid)
{
    for (uint32_t l = 0; l < rank->lane_count; l++)
        if (rank->lane[l].header.tid == tid)
            return true;
    return false;
}

static bool is_own(const struct launch_rank *rank, pid_t tid)
{
    for (uint32_t l = 0; l < rank->lane_count; l++)
        for (uint32_t t = 0; t < SPOOL_OWN_MAX && rank->lane[l].header.own[t]; t++)
            if (rank->lane[l].header.own[t] == tid)
                return true;
    return false;
}

/* Tells whether no other process has the memory at this address. */
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

static bool handlers_may_wake(const struct launch_rank *rank)
{
    char text[4096];

    return !task_text(rank->pid, rank->pid, "status", text, sizeof text) ||
           launch_handlers_may_wake(rank, signals_of(text, "\nSigCgt:"));
}

/* Returns the signals that timers of the process send; none if the kernel does not tell. It never
 * tells about alarm and setitimer. */
static uint64_t signals_of_timers(pid_t pid)
{
    char path[64], line[256];
    uint64_t signals = 0;
    int number;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/timers", (int)pid);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "signal: %d/", &number) == 1 && number > 0 && number <= 64)
            signals |= 1ull << (number - 1);
    if (file)
        fclose(file);
    return signals;
}

/* Tells whether a thread cannot call MPI by itself. The MPI library's own threads wait in poll or
 * epoll. Idle workers, and threads that join others or want their locks, wait without a time limit
 * on a futex that only other threads can touch. Any other thread may wake up and call MPI. */
static bool thread_is_harmless(const struct launch_rank *rank, pid_t tid)
{
    char text[256];
    unsigned long arg[4] = {0};
    long number = -1;

    if (!task_text(rank->pid, tid, "syscall", text, sizeof text) ||
        sscanf(text, "%ld %lx %lx %lx %lx", &number, &arg[0], &arg[1], &arg[2], &arg[3]) < 5)
        return false;
    if (number == SYS_futex)
        return is_own(rank, tid) ||
               (arg[3] == 0 && address_is_own(rank->pid, arg[0]) && !handlers_may_wake(rank));
#ifdef SYS_poll
    if (number == SYS_poll)
        return is_own(rank, tid);
#endif
#ifdef SYS_epoll_wait
    if (number == SYS_epoll_wait)
        return is_own(rank, tid);
#endif
    return (number == SYS_ppoll || number == SYS_epoll_pwait) && is_own(rank, tid);
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

/* Tells whether the process is a child that runs: one that has ended sends no signal. */
static bool process_runs(pid_t pid)
{
    char path[64], text[512];
    const char *name_end = NULL;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file && fgets(text, sizeof text, file))
        name_end = strrchr(text, ')');
    if (file)
        fclose(file);
    return name_end && strlen(name_end) > 2 && name_end[2] != 'Z' && name_end[2] != 'X';
}

static bool has_children(pid_t pid)
{
    pid_t *thread;
    const uint32_t count = threads_list(pid, &thread);
    bool found = false;

    for (uint32_t t = 0; t < count && !found; t++) {
        char path[64];
        int child;
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)thread[t]);
        FILE *file = fopen(path, "re");
        while (file && !found && fscanf(file, "%d", &child) == 1)
            found = process_runs(child);
        if (file)
            fclose(file);
    }
    free(thread);
    return found;
}

/* Tells whether the program handles a signal that comes by itself after a time, with data, or from
 * a child: the handler may call MPI, or leave the call that waits. */
static bool signals_may_interrupt(const struct launch_rank *rank)
{
    char text[4096];

    if (!task_text(rank->pid, rank->pid, "status", text, sizeof text))
        return true;
    const uint64_t handled = signals_of(text, "\nSigCgt:"), timed = 1ull << (SIGALRM - 1) |
                                                                    1ull << (SIGIO - 1) |
                                                                    signals_of_timers(rank->pid);
    if (handled & timed && launch_handlers_may_wake(rank, handled & timed))
        return true;
    return launch_handlers_may_wake(rank, handled) && has_children(rank->pid);
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

/* Tells whether the lane holds only definitions: with --last these have a lane that is no thread's.
 */
static bool lane_is_shadow(const struct launch_rank *rank, const struct launch_lane *lane)
{
    for (uint32_t l = 0; l < rank->lane_count; l++)
        if (&rank->lane[l] != lane && rank->lane[l].header.tid == lane->header.tid &&
            rank->lane[l].header.depth)
            return true;
    return false;
}

static void marks_forget(struct launch_rank *rank)
{
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        rank->lane[l].base.at_ns = 0;
        rank->lane[l].marks = 0;
    }
}

static const struct launch_mark *mark_newest(const struct launch_lane *lane)
{
    return lane->marks ? &lane->mark[(lane->marks - 1) % LAUNCH_MARKS] : NULL;
}

/* Records in every look how much processor time the threads inside MPI have had. A rank that was
 * kept from looking starts again. */
void launch_proof_look(struct launch_rank *rank, bool moved)
{
    uint64_t now = launch_now_ns();

    if (moved || rank->pidfd < 0 || rank->gone)
        marks_forget(rank);
    for (uint32_t l = 0; l < rank->lane_count && !moved && rank->pidfd >= 0 && !rank->gone; l++) {
        struct launch_lane *lane = &rank->lane[l];
        const struct launch_mark *newest = mark_newest(lane);
        struct task task;

        if (!spool_is_inside(&lane->header) ||
            (newest && now - newest->at_ns < LAUNCH_MARK_MS * 1000000ull) ||
            !task_read(rank->pid, lane->header.tid, &task))
            continue;
        if (task_is_held(rank->pid, lane->header.tid, &task)) {
            rank->still_ns = now;
            marks_forget(rank);
            return;
        }
        lane->mark[lane->marks++ % LAUNCH_MARKS] =
            (struct launch_mark){now, task.cpu_ns, task.runs};
        if (!lane->base.at_ns)
            lane->base = *mark_newest(lane);
    }
}

void launch_proof_again(struct launch *launch)
{
    uint64_t now = launch_now_ns();

    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++) {
            launch->world[w].rank[r].still_ns = now;
            marks_forget(&launch->world[w].rank[r]);
        }
}

/* Returns the oldest mark that is younger than that. */
static const struct launch_mark *mark_after(const struct launch_lane *lane, uint64_t after_ns)
{
    uint32_t first = lane->marks > LAUNCH_MARKS ? lane->marks - LAUNCH_MARKS : 0;

    if (lane->base.at_ns > after_ns)
        return &lane->base;
    for (uint32_t at = first; at < lane->marks; at++)
        if (lane->mark[at % LAUNCH_MARKS].at_ns > after_ns)
            return &lane->mark[at % LAUNCH_MARKS];
    return NULL;
}

/* For how long a rank has not moved, and with how much processor time. */
struct stand {
    uint64_t now, still_ns, since_ns;
    uint64_t least_ms, factor;
    struct ending_stand evidence; /* of the threads examined */
};

/* Keeps the evidence of the thread that had least, as that of the rank. */
static void evidence_add(struct stand *stand, enum ending_look look, uint64_t cpu_ns, uint64_t runs)
{
    struct ending_stand *least = &stand->evidence;
    uint64_t had = cpu_ns / PROOF_CPU_MIN_NS > runs / PROOF_RUNS_MIN ? cpu_ns / PROOF_CPU_MIN_NS
                                                                     : runs / PROOF_RUNS_MIN;
    uint64_t least_had = least->cpu_ns / PROOF_CPU_MIN_NS > least->runs / PROOF_RUNS_MIN
                             ? least->cpu_ns / PROOF_CPU_MIN_NS
                             : least->runs / PROOF_RUNS_MIN;

    if (look < least->look || (look == ENDING_LOOK_RAN && least->look == look && had >= least_had))
        return;
    least->look = look;
    least->cpu_ns = cpu_ns;
    least->runs = runs;
}

/* Tells whether a thread inside MPI had time (`factor` times the minimum) to see all that there is
 * to see, after all other ranks that stand had stopped moving. A thread that sleeps until there is
 * news has seen that there is none. */
static bool has_looked(const struct launch_rank *rank, struct launch_lane *lane,
                       struct stand *stand)
{
    uint64_t after_ns = stand->now - stand->least_ms * 1000000u;
    const struct launch_mark *mark;
    struct task task;

    if (!task_read(rank->pid, lane->header.tid, &task) || !strchr("RS", task.state))
        return false;
    if (task.state == 'S' && !sleeps_for_time(rank->pid, lane->header.tid)) {
        evidence_add(stand, ENDING_LOOK_SLEEPS, 0, 0);
        return true;
    }
    if (!task.cpu_known) {
        evidence_add(stand, ENDING_LOOK_STOOD, 0, 0);
        return stand->still_ns >= (uint64_t)PROOF_STILL_LONG_MS * 1000000u * stand->factor;
    }
    if (lane->base.at_ns && lane->base.at_ns <= stand->since_ns &&
        (mark = mark_after(lane, stand->since_ns)))
        lane->base = *mark;
    mark = mark_after(lane, after_ns < stand->since_ns ? after_ns : stand->since_ns);
    if (!mark)
        return false;
    uint64_t cpu_ns = task.cpu_ns - mark->cpu_ns;
    uint64_t runs = task.runs > mark->runs ? task.runs - mark->runs : 0;
    evidence_add(stand, ENDING_LOOK_RAN, cpu_ns, runs);
    return cpu_ns >= PROOF_CPU_MIN_NS * stand->factor || runs >= PROOF_RUNS_MIN * stand->factor;
}

bool launch_proof_outside(const struct launch_rank *rank, const struct launch_lane *lane)
{
    struct task task;

    return !spool_is_inside(&lane->header) && !lane_is_shadow(rank, lane) &&
           task_read(rank->pid, lane->header.tid, &task) && task.state != 'Z' &&
           task.state != 'X' && !thread_is_harmless(rank, lane->header.tid);
}

/* Tells whether all threads that call MPI are inside of it and have looked, and at least one is
 * inside. Threads that wait outside for another thread, as in a join, do not count. */
static bool lanes_stand(struct launch_rank *rank, struct stand *stand)
{
    bool inside = false;

    for (uint32_t l = 0; l < rank->lane_count; l++) {
        struct launch_lane *lane = &rank->lane[l];

        inside |= spool_is_inside(&lane->header);
        if (spool_is_inside(&lane->header) ? !has_looked(rank, lane, stand)
                                           : launch_proof_outside(rank, lane))
            return false;
    }
    return inside;
}

/* Tells whether threads that have not called MPI yet may do so. */
static bool others_may_call(const struct launch_rank *rank)
{
    bool may = rank->lane[0].header.thread_level >= 2;

    for (uint32_t l = 0; l < rank->lane_count; l++)
        may |= (rank->lane[l].header.flags & SPOOL_FLAG_GENERALIZED) != 0;
    return may;
}

static bool for_so_long(struct launch_rank *rank, struct stand stand, uint64_t least_ms,
                        uint64_t factor)
{
    stand.least_ms = least_ms;
    stand.factor = factor;
    if (stand.still_ns < least_ms * 1000000u || !lanes_stand(rank, &stand))
        return false;
    rank->stand = stand.evidence;
    rank->stand.still_ms = stand.still_ns / 1000000u;
    rank->stand.still_ms_min =
        stand.evidence.look == ENDING_LOOK_STOOD && PROOF_STILL_LONG_MS * factor > least_ms
            ? PROOF_STILL_LONG_MS * factor
            : least_ms;
    if (stand.evidence.look == ENDING_LOOK_RAN) {
        rank->stand.cpu_ns_min = PROOF_CPU_MIN_NS * factor;
        rank->stand.runs_min = PROOF_RUNS_MIN * factor;
    }
    return true;
}

int launch_proof_standing(struct launch_rank *rank, uint64_t since_ns)
{
    struct stand stand = {
        .now = launch_now_ns(), .since_ns = since_ns, .evidence = {.look = ENDING_LOOK_SLEEPS}};
    bool dying = false;

    stand.still_ns = stand.now - rank->still_ns;
    rank->stand = (struct ending_stand){.look = ENDING_LOOK_FINALIZED};
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        if (rank->lane[l].header.state == SPOOL_STATE_FINALIZED)
            return PROOF_ENDED;
        dying |= rank->lane[l].header.state != SPOOL_STATE_RUNNING;
    }
    /* A rank died during the run: its starter is about to end the others, and knows better how. */
    rank->stand = (struct ending_stand){.look = ENDING_LOOK_NONE};
    if (rank->gone) {
        rank->stand = (struct ending_stand){.look = ENDING_LOOK_GONE,
                                            .still_ms = (stand.now - rank->gone_ns) / 1000000u,
                                            .still_ms_min = PROOF_DYING_MS};
        return rank->stand.still_ms < PROOF_DYING_MS ? PROOF_UNKNOWN : PROOF_ENDED;
    }
    if (dying || !rank->lane_count)
        return PROOF_UNKNOWN;
    if (!rank->local || rank->pidfd < 0 || !for_so_long(rank, stand, LAUNCH_STILL_MS, 1) ||
        (others_may_call(rank) && !threads_are_harmless(rank)) || signals_may_interrupt(rank))
        return PROOF_UNKNOWN;
    return for_so_long(rank, stand, PROOF_RESTED_MS, PROOF_RESTED_FACTOR)     ? PROOF_IDLE_64MIB
           : for_so_long(rank, stand, PROOF_PAUSED_MS, PROOF_PAUSED_FACTOR)   ? PROOF_IDLE_1MIB
           : for_so_long(rank, stand, PROOF_SETTLED_MS, PROOF_SETTLED_FACTOR) ? PROOF_IDLE
                                                                              : PROOF_STILL;
}

/* Tells whether no lane of a rank has moved since its standing was found. */
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

static bool is_still(uint8_t standing)
{
    return standing == PROOF_STILL || proof_is_idle(standing);
}

/* Returns the standing that the proof may use: between machines the time of a message is unknown.
 */
static uint8_t rank_standing(const struct launch *launch, struct launch_rank *rank, bool far,
                             uint64_t since_ns)
{
    bool relayed = rank->relay && !rank->gone;
    uint8_t standing = relayed ? launch_relay_standing(launch, rank)
                               : (uint8_t)launch_proof_standing(rank, since_ns);

    if (relayed)
        rank->stand = (struct ending_stand){.look = ENDING_LOOK_RELAYED};
    return far && proof_is_idle(standing) ? PROOF_STILL : standing;
}

/* Returns when any of the ranks that stand, or have ended, last moved. */
static uint64_t world_since(const struct launch_world *world)
{
    uint64_t now = launch_now_ns(), since_ns = 0;

    for (uint32_t r = 0; r < world->rank_count; r++) {
        const struct launch_rank *rank = &world->rank[r];
        bool ended =
            rank->gone || (rank->lane_count && rank->lane[0].header.state != SPOOL_STATE_RUNNING);

        if (rank->still_ns > since_ns &&
            (ended || now - rank->still_ns >= (uint64_t)LAUNCH_STILL_MS * 1000000u))
            since_ns = rank->still_ns;
    }
    return since_ns;
}

static bool world_prove(const struct launch *launch, struct launch_world *world,
                        struct ending *out_ending)
{
    uint32_t size = launch_jobs_size(world), still = 0;
    uint64_t since_ns = world_since(world);
    uint8_t *standing = size ? malloc(size) : NULL;
    struct proof_verdict verdict = {0};
    bool proven, far = false;

    if (!standing)
        return false;
    memset(standing, PROOF_UNKNOWN, size);
    for (uint32_t r = 0; r < world->rank_count; r++)
        far |= world->rank[r].relay != 0;
    for (uint32_t r = 0; r < world->rank_count; r++) {
        struct launch_rank *rank = &world->rank[r];

        if (rank->rank < 0 || (uint32_t)rank->rank >= size)
            continue;
        standing[rank->rank] = rank_standing(launch, rank, far, since_ns);
        still += is_still(standing[rank->rank]);
    }
    proven = still && (world->prover || proof_prover_new(&world->prover) == CORE_OK) &&
             proof_prove(world->prover, world->path, standing, size, &verdict) == CORE_OK &&
             verdict.proven;
    for (uint32_t r = 0; r < world->rank_count && proven; r++)
        if (world->rank[r].rank >= 0 && (uint32_t)world->rank[r].rank < size &&
            is_still(standing[world->rank[r].rank]))
            proven = rank_unmoved(&world->rank[r]);
    for (uint32_t r = 0; r < world->rank_count && proven; r++)
        if (world->rank[r].rank >= 0 && (uint32_t)world->rank[r].rank < verdict.ending.rank_count)
            verdict.ending.rank[world->rank[r].rank].stand = world->rank[r].stand;
    if (proven)
        *out_ending = verdict.ending;
    else
        ending_done(&verdict.ending);
    free(standing);
    return proven;
}

/* --- jobs that communicate -------------------------------------------------------------------- */

/* Gives each job of the proof the record of its own calls. */
static bool parts_make(struct launch *launch, const struct launch_jobs *jobs,
                       const struct ending *all)
{
    struct ending part;
    bool good = true;

    for (uint32_t j = 0; j < jobs->count && good; j++) {
        good = launch_jobs_part(jobs, all, j, &part);
        if (good)
            launch->world[jobs->world[j]].ending = part;
    }
    for (uint32_t j = 0; j < jobs->count && !good; j++)
        ending_done(&launch->world[jobs->world[j]].ending);
    return good;
}

static bool has_core(const struct ending *ending)
{
    for (uint32_t i = 0; i < ending->call_count; i++)
        if (ending->call[i].role == ENDING_CORE)
            return true;
    return false;
}

/* Finds the state of each rank of the jobs. Returns how many stand. Jobs need not share memory: how
 * long a message takes from one to the other is unknown, as between machines. */
static uint32_t standings_find(const struct launch *launch, const struct launch_jobs *jobs,
                               uint8_t *standing)
{
    uint64_t since_ns = 0;
    uint32_t still = 0;

    for (uint32_t j = 0; j < jobs->count; j++) {
        uint64_t since = world_since(&launch->world[jobs->world[j]]);
        since_ns = since > since_ns ? since : since_ns;
    }
    for (uint32_t j = 0; j < jobs->count; j++)
        for (uint32_t r = 0; r < jobs->job[j].rank_count; r++) {
            uint8_t *own = &standing[jobs->job[j].base + r];
            *own = rank_standing(launch, &launch->world[jobs->world[j]].rank[r], true, since_ns);
            still += is_still(*own);
        }
    return still;
}

/* Tells whether no rank that stood has moved since, and adds the evidence that it stood. */
static bool jobs_unmoved(const struct launch *launch, const struct launch_jobs *jobs,
                         const uint8_t *standing, struct ending *ending)
{
    for (uint32_t j = 0; j < jobs->count; j++)
        for (uint32_t r = 0; r < jobs->job[j].rank_count; r++) {
            const struct launch_rank *rank = &launch->world[jobs->world[j]].rank[r];
            const uint32_t at = jobs->job[j].base + r;
            if (is_still(standing[at]) && !rank_unmoved(rank))
                return false;
            if (at < ending->rank_count)
                ending->rank[at].stand = rank->stand;
        }
    return true;
}

static bool jobs_prove(struct launch *launch)
{
    struct launch_jobs jobs;
    struct proof_prover *prover = NULL;
    struct proof_verdict verdict = {0};
    uint8_t *standing = NULL;
    bool proven = launch_jobs_find(launch, &jobs) == CORE_OK && jobs.count;

    if (proven)
        standing = malloc(jobs.rank_count);
    proven =
        standing && standings_find(launch, &jobs, standing) && proof_prover_new(&prover) == CORE_OK;
    const struct proof_jobs all = {jobs.job, jobs.link, jobs.count, jobs.link_count};
    proven = proven && proof_prove_jobs(prover, &all, standing, &verdict) == CORE_OK &&
             verdict.proven && jobs_unmoved(launch, &jobs, standing, &verdict.ending) &&
             parts_make(launch, &jobs, &verdict.ending);
    for (uint32_t j = jobs.count; j-- > 0 && proven;)
        if (has_core(&launch->world[jobs.world[j]].ending))
            launch->ended_world = jobs.world[j];
    if (proven) {
        struct ending *own = &launch->world[launch->ended_world].ending;
        launch->result->ending = *own;
        *own = (struct ending){0};
    }
    ending_done(&verdict.ending);
    proof_prover_free(prover);
    free(standing);
    launch_jobs_done(&jobs);
    return proven;
}

/* Tells whether several jobs run, and some rank has not moved for long enough. */
static bool jobs_may_hang(const struct launch *launch)
{
    uint64_t now = launch_now_ns();
    uint32_t running = 0;
    bool still = false;

    for (uint32_t w = 0; w < launch->world_count; w++) {
        const struct launch_world *world = &launch->world[w];
        bool runs = false;
        for (uint32_t r = 0; r < world->rank_count; r++) {
            const struct launch_rank *rank = &world->rank[r];
            runs |= rank->pidfd >= 0 && !rank->gone;
            still |= rank->pidfd >= 0 && !rank->gone &&
                     now - rank->still_ns >= (uint64_t)LAUNCH_STILL_MS * 1000000u;
        }
        running += runs;
    }
    return launch->world_count > 1 && running && still;
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
    if (!jobs_may_hang(launch) || launch_now_ns() < launch->ask_ns)
        return false;
    uint64_t cpu = cpu_now_ns();
    bool proven = jobs_prove(launch);
    launch->ask_ns = launch_now_ns() + (uint64_t)LAUNCH_AGAIN_MS * 1000000u +
                     PROOF_PAUSE_FACTOR * (cpu_now_ns() - cpu);
    return proven;
}

/* --- a rank that crashed ---------------------------------------------------------------------- */

/* Returns the signal that the rank dies of; 0: none is known. */
static int signal_of_end(const struct launch_rank *rank)
{
    int number = 0;

    for (uint32_t l = 0; l < rank->lane_count && !number; l++) {
        const struct spool_end *end = &rank->lane[l].header.end;
        if (end->realtime_ns && end->kind == EXIT_CAUSE_SIGNAL)
            number = end->code;
    }
    return number > 0 && number <= 64 ? number : 0;
}

/* Tells whether the thread is in the handler of the signal, which is blocked then, and waits there
 * without a time limit on a futex in memory of its process. */
static bool handler_waits(const struct launch_rank *rank, pid_t tid, int signal)
{
    char text[4096];
    unsigned long arg[4] = {0};
    long number = -1;

    return task_text(rank->pid, tid, "status", text, sizeof text) &&
           signals_of(text, "\nSigBlk:") & 1ull << (signal - 1) &&
           task_text(rank->pid, tid, "syscall", text, sizeof text) &&
           sscanf(text, "%ld %lx %lx %lx %lx", &number, &arg[0], &arg[1], &arg[2], &arg[3]) == 5 &&
           number == SYS_futex && arg[3] == 0 && address_is_own(rank->pid, arg[0]);
}

static bool hangs_in_handler(const struct launch_rank *rank, int signal)
{
    pid_t *thread;
    uint32_t count = threads_list(rank->pid, &thread);
    bool waits = false, harmless = true;

    for (uint32_t t = 0; t < count && harmless; t++)
        if (handler_waits(rank, thread[t], signal))
            waits = true;
        else
            harmless = thread_is_harmless(rank, thread[t]);
    free(thread);
    return waits && harmless && !handlers_may_wake(rank);
}

void launch_proof_crashed(struct launch *launch)
{
    const uint64_t now = launch_now_ns();

    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++) {
            struct launch_rank *rank = &launch->world[w].rank[r];
            const int signal = rank->pidfd < 0 || rank->gone ? 0 : signal_of_end(rank);
            if (!signal || !hangs_in_handler(rank, signal)) {
                rank->handler_ns = 0;
            } else if (!rank->handler_ns) {
                rank->handler_ns = now;
            } else if (rank->handler_ns <= now &&
                       now - rank->handler_ns > PROOF_HANDLER_MS * 1000000ull) {
                core_report(CORE_OK,
                            "rank %" PRId32 " crashed (signal %d), and the handler of the signal "
                            "waits for a lock that nothing can release: crosswait ended the rank",
                            rank->rank, signal);
                syscall(SYS_pidfd_send_signal, rank->pidfd, SIGKILL, NULL, 0);
                rank->handler_ns = UINT64_MAX; /* once */
            }
        }
}
