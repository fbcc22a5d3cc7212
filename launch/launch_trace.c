/* Writes the traces after the end: finds what became of each rank, and writes one trace per world
 * that the command started. It removes a spool only when its trace is whole. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "launch/launch_inside.h"
#include "launch/proof/launch_jobs.h"
#include "launch/snapshot.h"
#include "store/store.h"
#include "core/text.h"

/* --- what became of each rank ----------------------------------------------------------------- */

static enum spool_state state_of(const struct launch_rank *rank)
{
    enum spool_state state = SPOOL_STATE_RUNNING;

    for (uint32_t l = 0; l < rank->lane_count; l++)
        if (rank->lane[l].header.state > (uint32_t)state)
            state = (enum spool_state)rank->lane[l].header.state;
    return state;
}

static bool signal_is_own(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
           signal == SIGABRT || signal == SIGTRAP || signal == SIGSYS;
}

/* Returns when the rank ended, by CLOCK_REALTIME, as it says itself or as the launcher saw it. 0:
 * it did not, or the time is unknown. */
static uint64_t ended_ns(const struct launch_rank *rank, uint64_t monotonic_to_real)
{
    uint64_t first = 0;

    for (uint32_t l = 0; l < rank->lane_count; l++) {
        const struct spool_end *end = &rank->lane[l].header.end;

        uint64_t at = end->realtime_ns - (uint64_t)rank->lane[l].header.compared[0].ahead_ns;

        if (end->kind != EXIT_CAUSE_NONE && (!first || at < first))
            first = at;
    }
    return first || !rank->gone ? first : rank->gone_ns + monotonic_to_real;
}

static bool launch_trace_tells(const struct launch_rank *rank)
{
    for (uint32_t l = 0; l < rank->lane_count; l++)
        if (rank->lane[l].header.end.kind != EXIT_CAUSE_NONE)
            return true;
    return false;
}

/* Tells whether the rank's end may have ended the others. */
static bool may_be_first(const struct launch_rank *rank)
{
    if (state_of(rank) == SPOOL_STATE_FINALIZED)
        return false;
    return launch_trace_tells(rank) || (rank->gone && !launch_watch_termed(rank));
}

/* Tells whether ranks of the world left no spool: they had not returned from MPI_Init. */
static bool any_missing(const struct launch_world *world)
{
    int32_t size = 0;

    for (uint32_t r = 0; r < world->rank_count; r++)
        if (world->rank[r].lane_count && world->rank[r].lane[0].header.world_size > size)
            size = world->rank[r].lane[0].header.world_size;
    return (uint32_t)size > world->rank_count;
}

static uint32_t starter_of(const struct launch_world *world)
{
    for (uint32_t r = 0; r < world->rank_count; r++)
        if (world->rank[r].lane_count)
            return world->rank[r].lane[0].header.starter;
    return 0;
}

/* Tells whether the worlds end together: a starter that ends a world because of a rank also ends
 * the worlds that this one spawned or was spawned by. */
static bool end_together(const struct launch_world *one, const struct launch_world *other)
{
    return one == other || (starter_of(one) && starter_of(one) == starter_of(other));
}

/* The search for the rank whose end ended the others. */
struct culprit {
    const struct launch_rank *rank, *failed; /* NULL: none */
    const struct launch_rank *termed;        /* the first that died of SIGTERM during the run */
    uint64_t at_ns;
    bool tie;
    bool any_missing;
    const struct launch_rank *unseen; /* gone when first seen, so the time is unknown */
};

/* Keeps the first rank that finalized and then exited with an error, for which starters end the
 * others. It counts if no rank died during the run. */
static void failed_look(struct culprit *culprit, const struct launch_rank *rank)
{
    if (state_of(rank) == SPOOL_STATE_FINALIZED && rank->status_known && rank->status != 0 &&
        (!culprit->failed || rank->gone_ns < culprit->failed->gone_ns))
        culprit->failed = rank;
}

static void culprit_look(struct culprit *culprit, const struct launch_rank *rank, uint64_t offset)
{
    uint64_t at_ns = ended_ns(rank, offset);
    const struct launch_rank *first = culprit->rank;

    failed_look(culprit, rank);
    if (rank->gone && launch_watch_termed(rank) &&
        (!culprit->termed || rank->gone_look < culprit->termed->gone_look))
        culprit->termed = rank;
    if (!may_be_first(rank))
        return;
    if (!launch_trace_tells(rank) && rank->local && rank->pidfd < 0)
        culprit->unseen = rank;
    culprit->tie = first && !launch_trace_tells(rank) && !launch_trace_tells(first) &&
                   rank->gone_look == first->gone_look;
    if (!first || at_ns < culprit->at_ns) {
        culprit->rank = rank;
        culprit->at_ns = at_ns;
    }
}

/* Tells whether the rank ended after one that SIGTERM ended. A starter sends SIGTERM because of
 * another rank, but not because of this one, which was still there. MPICH's starter sends SIGKILL,
 * so then the rank may have ended in the same look. */
static bool after_termed(const struct launch_rank *rank, const struct culprit *culprit)
{
    const struct launch_rank *termed = culprit->termed;
    bool kills = rank->lane_count && !strncmp(rank->lane[0].header.library, "MPICH", 5);

    return termed && rank->gone &&
           (termed->gone_look < rank->gone_look || (kills && termed->gone_look == rank->gone_look));
}

/* Returns the first rank that died during the run, in all worlds that end with this one. NULL:
 * none, or unknown. */
static const struct launch_rank *culprit_find(const struct launch *launch,
                                              const struct launch_world *world)
{
    uint64_t offset = launch_clock_ns(CLOCK_REALTIME) - launch_clock_ns(CLOCK_MONOTONIC);
    struct culprit culprit = {0};

    for (uint32_t w = 0; w < launch->world_count; w++) {
        if (!end_together(world, &launch->world[w]))
            continue;
        culprit.any_missing |= any_missing(&launch->world[w]);
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++)
            culprit_look(&culprit, &launch->world[w].rank[r], offset);
    }
    if (!culprit.rank)
        return culprit.failed;
    if (!launch_trace_tells(culprit.rank)) {
        bool killed = culprit.rank->status_known && WIFSIGNALED(culprit.rank->status);

        if ((culprit.tie && !killed) || culprit.any_missing ||
            (culprit.unseen && culprit.unseen != culprit.rank) ||
            after_termed(culprit.rank, &culprit))
            return NULL;
    }
    return culprit.rank;
}

struct end_text {
    char text[200];
};

static bool starter_died(const struct launch *launch, const struct launch_rank *rank)
{
    return WIFSIGNALED(launch->child_status) && launch->child_gone && rank->gone &&
           rank->gone_ns >= launch->child_gone_ns && rank->pid != launch->child;
}

static void end_of_exited(int status, struct store_rank_end *end, struct end_text *detail)
{
    end->state = EVENT_RANK_EXITED;
    end->code = status;
    snprintf(detail->text, sizeof detail->text, "exit status %d, without MPI_Finalize", status);
}

static bool end_of_known(const struct launch *launch, const struct launch_rank *rank, bool culprit,
                         struct store_rank_end *end, struct end_text *detail)
{
    int signal;

    if (!rank->status_known)
        return false;
    if (starter_died(launch, rank) &&
        !(WIFSIGNALED(rank->status) && signal_is_own(WTERMSIG(rank->status)))) {
        end->state = EVENT_RANK_ENDED;
        end->code = WIFEXITED(rank->status) ? WEXITSTATUS(rank->status) : WTERMSIG(rank->status);
        snprintf(detail->text, sizeof detail->text,
                 "%s %d, when its starter had died of signal %d (%s)",
                 WIFEXITED(rank->status) ? "exit status" : "signal", end->code,
                 WTERMSIG(launch->child_status), strsignal(WTERMSIG(launch->child_status)));
        return true;
    }
    if (WIFEXITED(rank->status)) {
        end_of_exited(WEXITSTATUS(rank->status), end, detail);
        return true;
    }
    signal = WTERMSIG(rank->status);
    if (!culprit && !signal_is_own(signal))
        return false; /* the starter ended it because of another rank */
    end->code = signal;
    end->state = signal_is_own(signal) ? EVENT_RANK_CRASHED : EVENT_RANK_KILLED;
    snprintf(detail->text, sizeof detail->text, "signal %d (%s)", signal, strsignal(signal));
    return true;
}

static bool is_of(const struct launch_world *world, const struct launch_rank *rank)
{
    for (uint32_t r = 0; r < world->rank_count; r++)
        if (&world->rank[r] == rank)
            return true;
    return false;
}

/* Returns the exit status that the rank itself recorded; -1: none. */
static int exit_status_of(const struct launch_rank *rank)
{
    int status = -1;

    for (uint32_t l = 0; l < rank->lane_count && status < 0; l++)
        if (rank->lane[l].header.state == SPOOL_STATE_EXITED)
            status = (int32_t)rank->lane[l].header.code;
    return status;
}

/* Words the end of a rank if ranks without a record may have ended first. */
static void end_of_unknown(const struct launch *launch, const struct launch_world *world,
                           const struct launch_rank *rank, const struct launch_rank *culprit,
                           struct store_rank_end *end, struct end_text *detail)
{
    int status = launch->child_status;

    end->state = EVENT_RANK_ENDED;
    end->code = rank->status_known && WIFSIGNALED(rank->status) ? WTERMSIG(rank->status) : 0;
    if (rank == culprit && exit_status_of(rank) >= 0) {
        end_of_exited(exit_status_of(rank), end, detail);
    } else if (rank == culprit) {
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

        if (code > 128) {
            end->state = signal_is_own(code - 128) ? EVENT_RANK_CRASHED : EVENT_RANK_KILLED;
            end->code = code - 128;
            snprintf(detail->text, sizeof detail->text,
                     "signal %d (%s), as the starter's exit status says", end->code,
                     strsignal(end->code));
        } else if (code > 0) {
            end->state = EVENT_RANK_EXITED;
            end->unknown = true;
            snprintf(detail->text, sizeof detail->text,
                     "without MPI_Finalize, its status is not known; its starter's is %d", code);
        } else {
            end->state = EVENT_RANK_KILLED;
            snprintf(detail->text, sizeof detail->text, "vanished in mid-run");
        }
    } else if (culprit) {
        snprintf(detail->text, sizeof detail->text, "because of rank %d%s", (int)culprit->rank,
                 is_of(world, culprit) ? "" : " of another world");
    } else if (any_missing(world) && launch->child_gone) {
        snprintf(detail->text, sizeof detail->text,
                 "with the job, of which some ranks left no record");
    } else if (WIFSIGNALED(status)) {
        snprintf(detail->text, sizeof detail->text, "when its starter died of signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        end->state = EVENT_RANK_KILLED;
        snprintf(detail->text, sizeof detail->text, "vanished in mid-run");
    }
}

/* Tells whether the rank exited by itself: after a signal to the job, the library exits silently
 * when its starter is gone. */
static bool exited_of_itself(const struct launch *launch, const struct launch_rank *rank)
{
    return rank->status_known && WIFEXITED(rank->status) &&
           (rank->gone_ns < launch->signal_ns || state_of(rank) == SPOOL_STATE_EXITED);
}

/* Words the signal as the rank's status would have, had it been known in time. */
static void end_of_signalled(const struct launch_rank *rank, struct end_text *detail)
{
    for (uint32_t l = 0; l < rank->lane_count; l++) {
        const struct spool_header *header = &rank->lane[l].header;
        int signal = header->code;

        if (header->state == SPOOL_STATE_SIGNALLED)
            snprintf(detail->text, sizeof detail->text, "signal %d (%s)", signal,
                     strsignal(signal));
    }
}

/* Handles a rank that died of a signal after it had finalized. */
static bool end_of_finalized(const struct launch_rank *rank, struct store_rank_end *end,
                             struct end_text *detail)
{
    int signal = rank->status_known && WIFSIGNALED(rank->status) ? WTERMSIG(rank->status) : 0;

    if (!signal_is_own(signal))
        return false;
    end->state = EVENT_RANK_CRASHED;
    end->code = signal;
    snprintf(detail->text, sizeof detail->text, "signal %d (%s)", signal, strsignal(signal));
    return true;
}

/* Finds the ends that the spool does not tell: a rank that aborted has recorded it. */
static uint32_t ends_find(const struct launch *launch, const struct launch_world *world,
                          struct store_rank_end *end, struct end_text *detail)
{
    const struct launch_rank *culprit = NULL;
    uint32_t count = 0;

    if ((!launch->end_ns || launch->stuck) && !launch->signal_passed)
        culprit = culprit_find(launch, world);
    for (uint32_t r = 0; r < world->rank_count; r++) {
        const struct launch_rank *rank = &world->rank[r];
        enum spool_state state = state_of(rank);

        end[count] = (struct store_rank_end){
            .rank = rank->rank, .detail = detail[count].text, .first = rank == culprit};
        if (state == SPOOL_STATE_FINALIZED) {
            if (!end_of_finalized(rank, &end[count], &detail[count]))
                continue;
        } else if (state == SPOOL_STATE_ABORTED) {
            end[count].state = EVENT_RANK_ABORTED;
            end[count].detail = NULL;
        } else if (state == SPOOL_STATE_SIGNALLED) {
            if (!end_of_known(launch, rank, true, &end[count], &detail[count]))
                end_of_signalled(rank, &detail[count]);
        } else if ((rank->pidfd >= 0 || rank->relay) && rank->gone && launch->end_ns &&
                   rank->gone_ns >= launch->end_ns) {
            end[count].state = EVENT_RANK_ENDED;
            snprintf(detail[count].text, sizeof detail->text, "by crosswait: %s",
                     launch->result->end == LAUNCH_END_DEADLOCK ? "a deadlock was proven"
                     : launch->result->stalled ? "no progress within the allowed time (--stall)"
                     : launch->result->end == LAUNCH_END_BUDGET ? "the budget was spent"
                                                                : "its starter had died");
        } else if (launch->signal_passed && !exited_of_itself(launch, rank)) {
            end[count].state = EVENT_RANK_ENDED;
            end[count].code = launch->signal_passed;
            snprintf(detail[count].text, sizeof detail->text, "by signal %d (%s), sent to the job",
                     launch->signal_passed, strsignal(launch->signal_passed));
        } else if (!end_of_known(launch, rank, rank == culprit, &end[count], &detail[count])) {
            end_of_unknown(launch, world, rank, culprit, &end[count], &detail[count]);
        }
        count++;
    }
    return count;
}

/* --- the spool -------------------------------------------------------------------------------- */

static enum core_status file_copy(int from, const char *folder, const char *name)
{
    static char buffer[1 << 16];
    char path[4096];
    off_t at = 0;
    ssize_t bytes;
    int to;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    to = core_file_create(path, O_WRONLY | O_TRUNC);
    if (to < 0)
        return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
    while ((bytes = pread(from, buffer, sizeof buffer, at)) > 0 &&
           write(to, buffer, (size_t)bytes) == bytes)
        at += bytes;
    if (close(to) < 0 || bytes)
        return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
    return CORE_OK;
}

/* Restores files that were removed while the job ran, from the descriptors that the launcher holds.
 */
static void world_restore(const struct launch *launch, const struct launch_world *world)
{
    bool said = false;

    for (uint32_t r = 0; r < world->rank_count; r++)
        for (uint32_t l = 0; l < world->rank[r].lane_count; l++) {
            const struct launch_lane *lane = &world->rank[r].lane[l];
            char name[64], path[4096];
            const char *const suffix[] = {"ring", "spool"};
            const int fd[] = {lane->ring_fd, lane->spool_fd};

            for (int k = 0; k < 2; k++) {
                snprintf(name, sizeof name, "%d.%u.%s", (int)world->rank[r].rank,
                         (unsigned)lane->lane, suffix[k]);
                snprintf(path, sizeof path, "%s/%s", world->path, name);
                if (fd[k] < 0 || access(path, F_OK) == 0)
                    continue;
                if (!said)
                    core_report(CORE_OK,
                                "'%s' was removed while the job ran; crosswait kept the records",
                                world->path);
                said = true;
                core_folder_make(launch->spool);
                core_folder_make(world->path);
                if (file_copy(fd[k], world->path, name))
                    return;
            }
        }
}

/* Removes all lanes, including those still being created when the job died. */
static void world_remove(const struct launch_world *world)
{
    DIR *folder = opendir(world->path);
    struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        int end = 0;

        sscanf(entry->d_name, "%*d.%*u.%n", &end);
        if (end && (!strcmp(entry->d_name + end, "ring") || !strcmp(entry->d_name + end, "spool") ||
                    !strcmp(entry->d_name + end, "address")))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
    if (rmdir(world->path) < 0 && errno != ENOENT)
        core_report(CORE_IO, "cannot remove '%s': %s; it is no longer needed", world->path,
                    strerror(errno));
}

/* --- the traces ------------------------------------------------------------------------------- */

static char *command_text(char *const *command)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    for (int i = 0; command[i]; i++) {
        if (i)
            fputc(' ', file);
        core_text_shell(command[i], file);
    }
    return core_text_close(file, &text);
}

static enum core_status world_write(struct launch *launch, struct launch_world *world,
                                    const char *trace, const char *command)
{
    /* traces of the command's other jobs say only why they were ended */
    bool own = world == &launch->world[launch->ended_world];
    struct ending reason = {.reason = launch->result->ending.reason,
                            .limit_ms = launch->result->ending.limit_ms};
    struct store_rank_end *end = calloc(world->rank_count + 1, sizeof *end);
    struct end_text *detail = calloc(world->rank_count + 1, sizeof *detail);
    const int signal = launch_interrupted_by(launch->result);
    char interrupted[16];
    struct store_options options = {
        .command = command,
        .exit_code = launch->result->status,
        .interrupted = signal ? interrupted : NULL,
        .end = end,
        .ending = own                    ? &launch->result->ending
                  : world->ending.reason ? &world->ending
                                         : &reason,
        .unreceived = world->unreceived,
        .unreceived_count = world->unreceived_count,
        .times_all = launch->options->times_all,
    };
    enum core_status status;

    world->ending.limit_ms = reason.limit_ms;
    snprintf(interrupted, sizeof interrupted, "SIG%s", signal ? sigabbrev_np(signal) : "");
    if (!end || !detail) {
        status = core_report(CORE_NO_MEMORY, "out of memory");
    } else {
        options.end_count = ends_find(launch, world, end, detail);
        world_restore(launch, world);
        status = store_write(world->path, trace, &options);
    }
    free(end);
    free(detail);
    return status;
}

/* Explains why nothing was recorded. called: a process created the folder of its job in MPI_Init.
 */
static void nothing_recorded(const struct launch *launch, bool called)
{
    const char *name = launch->options->command[0];
    int status = launch->result->status;

    if (launch->result->end == LAUNCH_END_SIGNAL || launch->result->end == LAUNCH_END_BUDGET)
        core_report(
            CORE_NOT_FOUND,
            "nothing was recorded: the job was ended before MPI_Init had returned on a rank");
    else if (status)
        core_report(CORE_NOT_FOUND,
                    "nothing was recorded: '%s' ended with status %d before MPI_Init had returned "
                    "on a rank",
                    name, status);
    else if (called)
        core_report(CORE_NOT_FOUND,
                    "nothing was recorded: processes of '%s' called MPI_Init, and none could make "
                    "a spool",
                    name);
    else
        core_report(CORE_NOT_FOUND,
                    "nothing was recorded: no process of '%s' was seen to call MPI_Init; it may be "
                    "no MPI program, may be static or setuid, may load MPI with dlmopen, or "
                    "what starts it may set or remove LD_PRELOAD",
                    name);
}

static bool recorded_inside(const struct launch *launch)
{
    struct stat about;
    int fd = launch->options->inside_fd;

    return fd && !fstat(fd, &about) && about.st_size > 0;
}

enum core_status launch_trace_write(struct launch *launch)
{
    struct launch_result *result = launch->result;
    char *command = command_text(launch->options->command);
    enum core_status status = CORE_OK;
    uint32_t number = 0, empty = 0;

    result->trace = calloc(launch->world_count + 1, sizeof *result->trace);
    if (!command || !result->trace) {
        free(command);
        return core_report(CORE_NO_MEMORY, "out of memory; the spools are in '%s'", launch->spool);
    }
    if (launch->world_count > 1 && launch_jobs_unreceived(launch) != CORE_OK)
        core_report(CORE_OK, "messages from job to job were not checked");
    for (uint32_t w = 0; w < launch->world_count; w++) {
        struct launch_world *world = &launch->world[w];
        enum core_status one;
        char *trace;

        if (rmdir(world->path) == 0 || !store_begun(world->path)) {
            if (!launch->options->keep_spool)
                world_remove(world);
            empty++;
            continue; /* otherwise the store reports what is wrong */
        }
        trace = store_trace_name(launch->options->output, ++number);
        one = trace ? world_write(launch, world, trace, command)
                    : core_report(CORE_NO_MEMORY, "out of memory");
        if (one) {
            char *folder = core_text_shell_quoted(launch->spool);
            core_report(one,
                        "no trace was written; the records are in '%s'; try: crosswait recover %s",
                        world->path, folder ? folder : "");
            free(folder);
            free(trace);
            status = one;
            continue;
        }
        if (!launch->options->keep_spool)
            world_remove(world);
        result->trace[result->trace_count++] = trace;
    }
    free(command);
    if (!number && !recorded_inside(launch))
        nothing_recorded(launch, empty > 0);
    else if (number && empty)
        core_report(CORE_OK,
                    "no trace was written of %" PRIu32 " of the command's %" PRIu32
                    " jobs: no rank "
                    "of it had returned from MPI_Init",
                    empty, empty + number);
    return status;
}

void launch_trace_snapshot(struct launch *launch)
{
    char *command = command_text(launch->options->command);
    char *name = snapshot_name(launch->options->output);

    launch->snapshot = false;
    for (uint32_t w = 0; command && name && w < launch->world_count; w++) {
        char *trace = store_trace_name(name, w + 1);
        char *path = trace ? core_text_shell_quoted(trace) : NULL;

        if (path && snapshot_write(launch->world[w].path, trace, command) == CORE_OK)
            core_report(CORE_OK, "the job as it is now: crosswait report %s", path);
        free(path);
        free(trace);
    }
    free(name);
    free(command);
}
