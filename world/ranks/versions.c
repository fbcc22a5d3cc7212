/* Versions of a rank: in a search by states, a rank that is scheduled at a greater depth than its
 * own forks, and the new process continues in its place. The old process waits for the end of the
 * new one, and then takes the rank's place again, with its memory and stack unchanged.
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

static void version_ended(uint32_t place, pid_t pid, int status)
{
    struct region_rank *rank = &rank_region->rank[rank_own];
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) /* invariant 3 */
        return;
    CORE_CHECK(rank_region->states.version[place].pid == pid);
    rank_region->states.version[place].pid = 0;
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
bool rank_version_goes_on(void)
{
    struct region_states *states = &rank_region->states;
    if (depth_own >= states->depth)
        return true;
    CORE_CHECK(rank_version_is_last()); /* invariant 2 */
    const uint32_t place = states->version_count++;
    CORE_CHECK(place < REGION_VERSIONS_MAX); /* states.c stops before */
    states->version[place].rank = rank_own;
    states->version[place].depth = states->depth;
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0) {
        version_begin(place);
        return true;
    }
    int status;
    while (pid < 0 || waitpid(pid, &status, 0) < 0)
        if (pid < 0 || errno != EINTR) { /* no more processes, or the program waits for all */
            states->stop = 1;
            pause();
        }
    version_ended(place, pid, status);
    return false;
}

void rank_versions_drop(uint32_t depth)
{
    struct region_states *states = &rank_region->states;
    CORE_CHECK(states->version_count <= REGION_VERSIONS_MAX);
    while (states->version_count && states->version[states->version_count - 1].depth > depth) {
        struct region_version *last = &states->version[--states->version_count];
        atomic_thread_fence(memory_order_seq_cst); /* with version_begin: one of the two sees it */
        if (last->pid > 0)
            kill(last->pid, SIGKILL);
    }
}
