/* Versions of a rank: in a search by states, a rank that is scheduled at a greater depth than its
 * own forks, and the new process continues in its place. The old process waits for the end of the
 * new one, and then takes the rank's place again, with its memory and stack unchanged.
 *
 * In the search by single ranks (compose.c) there is one more version of each rank that runs, its
 * runner. It takes snapshots (snapshots.c) at greater depths instead of forking, and goes back to
 * one of them when it is scheduled after a drop. If it leaves MPI, a process forked from it ends in
 * its place.
 *
 * Invariants: 1. Versions are a stack, sorted by depth: a version above another was forked later.
 * 2. Each rank has one version that runs or waits to be scheduled: the last one that has not ended;
 * earlier versions wait for its end. 3. A version that SIGKILL ended was taken back by the
 * searcher; the version before it reports any other end. */
#include "world/ranks/ranks.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static uint32_t depth_own;

static void version_begin(uint32_t place)
{
    struct region_states *states = &rank_region->states;
    const pid_t own = getpid();

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    states->version[place].pid = own;   /* from here on the searcher can take it back */
    if (place >= states->version_count) /* the searcher already did, as the time is over */
        kill(own, SIGKILL);
    CORE_CHECK(rank_own >= 0 && depth_own < states->depth); /* invariant 1 */
    depth_own = states->depth;
    rank_region->rank[rank_own].pid = own;
}

static void version_ended(int status)
{
    struct region_rank *rank = &rank_region->rank[rank_own];
    const bool left = rank->left; /* the searcher continues and restores it once `ended` is set */
    rank->status = status;
    rank->ended = true;
    rank_region->states.deaths++;
    syscall(SYS_futex, &rank_region->states.deaths, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    if (!left) { /* it was the running one */
        _Atomic uint32_t *scheduled = &rank_region->rank[rank_region->rank_count].scheduled;
        *scheduled = 1;
        syscall(SYS_futex, scheduled, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

bool rank_version_is_last(void)
{
    CORE_CHECK(rank_own >= 0);
    return rank_region->rank[rank_own].pid == getpid();
}

/* Forks by the system call itself, as the C library's fork leaves a mark in memory. */
static pid_t version_fork(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* Waits for the end of a later version, whose status it returns. */
static int version_await(pid_t pid)
{
    int status;
    CORE_CHECK(rank_own >= 0);
    while (pid < 0 || waitpid(pid, &status, 0) < 0)
        if (pid < 0 || errno != EINTR) { /* no more processes, or the program waits for all */
            rank_region->states.stop = 1;
            pause();
        }
    return status;
}

/* --- the runner ------------------------------------------------------------------------------- */

static bool is_runner;

static void runner_is(pid_t pid)
{
    rank_region->states.runner[rank_own] = pid;
    rank_region->rank[rank_own].pid = pid;
}

static void runner_begin(void)
{
    CORE_CHECK(!is_runner);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    runner_is(getpid());
    if (!rank_region->states.snapshots) /* the search is over */
        kill(getpid(), SIGKILL);
    is_runner = true;
    if (!rank_snapshots_begin())
        rank_region->states.no_snapshots = true;
}

/* Goes back as far as the searcher has dropped, then on from there. Returns when scheduled; this
 * may be a call of long ago. */
static void runner_goes_on(void)
{
    struct region_states *states = &rank_region->states;
    const uint32_t kept = states->kept[rank_own];
    CORE_CHECK(is_runner && states->depth > 1);
    if (states->no_snapshots)
        return; /* the searcher sees it before it goes back */
    states->kept[rank_own] = UINT32_MAX;
    if (kept < depth_own)
        rank_snapshot_return(kept);
    if (depth_own < states->depth && rank_snapshot_take(depth_own))
        CORE_CHECK(states->depth > rank_snapshot_depth()); /* went back: the snapshot stays */
    depth_own = states->depth;
    rank_snapshots_run();
}

/* Makes the runner; false in the rank's version that waited for its end. */
static bool runner_new(void)
{
    const pid_t pid = version_fork();
    if (pid == 0) {
        runner_begin();
        return true;
    }
    const int status = version_await(pid);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return false;
    rank_region->states.runner[rank_own] = 0;
    version_ended(status);
    return false;
}

void rank_version_leaves(void)
{
    if (!is_runner)
        return;
    const pid_t pid = version_fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        runner_is(getpid());
        return;
    }
    const int status = version_await(pid);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) /* the search is over */
        kill(getpid(), SIGKILL);
    runner_is(getpid());
    version_ended(status);
    rank_sched_wait(); /* until it goes back */
    CORE_CHECK(!"a rank continues that has ended");
}

void rank_runners_end(void)
{
    struct region_states *states = &rank_region->states;
    states->snapshots = states->no_snapshots = false;
    atomic_thread_fence(memory_order_seq_cst); /* with runner_begin: one of the two sees it */
    for (uint32_t r = 0; r < rank_region->rank_count; r++) {
        if (states->runner[r] > 0)
            kill(states->runner[r], SIGKILL);
        states->runner[r] = 0;
        states->kept[r] = UINT32_MAX;
    }
}

/* --- scheduled -------------------------------------------------------------------------------- */

bool rank_version_goes_on(void)
{
    struct region_states *states = &rank_region->states;
    if (is_runner) {
        runner_goes_on();
        return true;
    }
    if (depth_own >= states->depth)
        return true;
    if (states->snapshots) {
        if (!runner_new())
            return false;
        runner_goes_on();
        return true;
    }
    CORE_CHECK(rank_version_is_last()); /* invariant 2 */
    const uint32_t place = states->version_count++;
    CORE_CHECK(place < REGION_VERSIONS_MAX); /* states.c stops before */
    states->version[place].rank = rank_own;
    states->version[place].depth = states->depth;
    const pid_t pid = version_fork();
    if (pid == 0) {
        version_begin(place);
        return true;
    }
    const int status = version_await(pid);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) { /* invariant 3 */
        CORE_CHECK(states->version[place].pid == pid);
        states->version[place].pid = 0;
        version_ended(status);
    }
    return false;
}

void rank_versions_drop(uint32_t depth)
{
    struct region_states *states = &rank_region->states;
    CORE_CHECK(states->version_count <= REGION_VERSIONS_MAX);
    for (uint32_t r = 0; r < rank_region->rank_count; r++)
        if (depth < states->kept[r])
            states->kept[r] = depth;
    while (states->version_count && states->version[states->version_count - 1].depth > depth) {
        struct region_version *last = &states->version[--states->version_count];
        atomic_thread_fence(memory_order_seq_cst); /* with version_begin: one of the two sees it */
        if (last->pid > 0)
            kill(last->pid, SIGKILL);
    }
}
