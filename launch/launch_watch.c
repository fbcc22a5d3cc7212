/* Watches the spools of the running ranks: which worlds, ranks and lanes exist, whether anything
 * moves, which ranks are gone. Relies on core/spool/spool_read.h for a consistent look at a header.
 *
 * A rank's pidfd tells in poll(2) that the rank is gone. Its status comes from PIDFD_GET_INFO
 * (Linux 6.15), else from the zombie in /proc if its parent has not reaped it yet, else from
 * waitpid if it became the launcher's child. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"
#include "launch/proof/proof.h"
#include "launch/launch_inside.h"
#include "core/spool/spool_read.h"

enum { EXITING_MS = 50 };
enum {
    WATCH_SOON_MAX = 1000
}; /* a ring that never becomes complete is of another version, or is no ring */

uint64_t launch_clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t launch_now_ns(void)
{
    return launch_clock_ns(CLOCK_MONOTONIC);
}

/* --- the end of a rank ------------------------------------------------------------------------ */

/* First version of the kernel's struct pidfd_info, which the headers of Debian 12 lack. */
struct pidfd_info_v0 {
    uint64_t mask, cgroupid;
    uint32_t ids[11];
    int32_t exit_code;
};
#define WATCH_PIDFD_GET_INFO _IOWR(0xFF, 11, struct pidfd_info_v0)
#define WATCH_PIDFD_INFO_EXIT (1u << 3)

static bool status_of_pidfd(int pidfd, int *out_status)
{
    struct pidfd_info_v0 info = {.mask = WATCH_PIDFD_INFO_EXIT};

    _Static_assert(sizeof info == 64, "the kernel's first version of the structure");
    if (ioctl(pidfd, WATCH_PIDFD_GET_INFO, &info) < 0 || !(info.mask & WATCH_PIDFD_INFO_EXIT))
        return false;
    *out_status = info.exit_code;
    return true;
}

static bool status_of_zombie(pid_t pid, int *out_status)
{
    char text[LAUNCH_STAT_BYTES];
    const char *p = launch_stat(pid, text);

    if (!p || *p != 'Z')
        return false;
    for (int field = 3; p && field < 52; field++) {
        p = strchr(p, ' ');
        if (p)
            p++;
    }
    if (!p)
        return false;
    *out_status = atoi(p);
    return true;
}

/* Finds the rank's status: in /proc until its parent reaps it, from the pidfd afterwards. */
static void rank_status(struct launch_rank *rank)
{
    if (rank->status_known || rank->pidfd < 0)
        return;
    rank->status_known = status_of_pidfd(rank->pidfd, &rank->status) ||
                         status_of_zombie(rank->pid, &rank->status) ||
                         status_of_pidfd(rank->pidfd, &rank->status);
}

void launch_watch_gone(struct launch *launch, struct launch_rank *rank)
{
    rank->gone = true;
    rank->gone_ns = launch_now_ns();
    rank->gone_look = launch->look;
    rank_status(rank);
}

void launch_watch_reaped(struct launch *launch, pid_t pid, int status)
{
    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++) {
            struct launch_rank *rank = &launch->world[w].rank[r];

            if (rank->pid != pid || rank->status_known || (rank->pidfd < 0 && !rank->local))
                continue;
            rank->status_known = true;
            rank->status = status;
        }
}

static bool ranks_look(struct launch *launch)
{
    bool found = false;

    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++) {
            struct launch_rank *rank = &launch->world[w].rank[r];
            struct pollfd fd = {.fd = rank->pidfd, .events = POLLIN};

            if (rank->gone) {
                rank_status(rank);
            } else if (rank->pidfd >= 0 && poll(&fd, 1, 0) > 0) {
                launch_watch_gone(launch, rank);
                found = true;
            }
        }
    return found;
}

/* Looks twice if a rank is found gone, since ranks examined before it in the first look may have
 * ended earlier. So a rank found gone in a later look was still there when those of an earlier look
 * were gone. */
static void ranks_poll(struct launch *launch)
{
    launch->look++;
    if (ranks_look(launch))
        ranks_look(launch);
}

uint32_t launch_watch_alive(const struct launch *launch)
{
    uint32_t alive = 0;

    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++)
            alive += launch->world[w].rank[r].pidfd >= 0 && !launch->world[w].rank[r].gone;
    return alive;
}

bool launch_watch_killed(const struct launch *launch)
{
    bool killed = false;

    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++)
            killed |= launch->world[w].rank[r].status_known &&
                      WIFSIGNALED(launch->world[w].rank[r].status);
    return killed;
}

uint32_t launch_watch_poll(const struct launch *launch, struct pollfd *fds, uint32_t room)
{
    uint32_t count = 0;

    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count && count < room; r++)
            if (launch->world[w].rank[r].pidfd >= 0 && !launch->world[w].rank[r].gone)
                fds[count++] =
                    (struct pollfd){.fd = launch->world[w].rank[r].pidfd, .events = POLLIN};
    return count;
}

/* --- who is there ----------------------------------------------------------------------------- */

/* Tells whether process pid maps the ring: then the pid is still the rank's own (launch_inside.h
 * invariant 1). *out_ends: it maps nothing any more. */
static bool process_maps(pid_t pid, const char *ring_name, bool *out_ends)
{
    char path[64], line[8192];
    bool found = false, any = false;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        any = true;
        found = strstr(line, ring_name) != NULL;
    }
    *out_ends = file && !any;
    if (file)
        fclose(file);
    return found;
}

static void rank_attach(struct launch *launch, struct launch_rank *rank,
                        const struct spool_header *header, const char *ring_name)
{
    rank->pid = header->pid;
    rank->pidfd = -1;
    rank->local = core_machine_same(&header->machine, &launch->machine);
    if (!rank->local || header->pid <= 0)
        return;
    rank->pidfd = (int)syscall(SYS_pidfd_open, header->pid, 0);
    if (rank->pidfd >= 0)
        fcntl(rank->pidfd, F_SETFD, FD_CLOEXEC);
    bool ends = false;
    if (rank->pidfd >= 0 && process_maps(header->pid, ring_name, &ends))
        return;
    if (ends) /* it has released its memory and soon has a status */
        poll(&(struct pollfd){.fd = rank->pidfd, .events = POLLIN}, 1, EXITING_MS);
    launch_watch_gone(launch, rank); /* gone before it was seen */
    rank->gone_look++;               /* as if the next look had found it */
    if (rank->pidfd >= 0 && !rank->status_known) {
        close(rank->pidfd); /* it may be another process */
        rank->pidfd = -1;
    }
}

/* Returns the index of the world's first rank with this number or a higher one. */
static uint32_t rank_place(const struct launch_world *world, int32_t number)
{
    uint32_t low = CORE_ARRAY_FIND(at, 0, world->rank_count, world->rank[at].rank < number);
    return low;
}

struct launch_rank *launch_watch_rank(const struct launch_world *world, int32_t number)
{
    uint32_t at = rank_place(world, number);

    return at < world->rank_count && world->rank[at].rank == number ? &world->rank[at] : NULL;
}

static struct launch_rank *rank_get(struct launch_world *world, int32_t number)
{
    struct launch_rank *more = launch_watch_rank(world, number);
    uint32_t at = rank_place(world, number);

    if (more)
        return more;
    more = realloc(world->rank, (world->rank_count + 1) * sizeof *more);
    if (!more)
        return NULL;
    world->rank = more;
    more += at;
    memmove(more + 1, more, (world->rank_count++ - at) * sizeof *more);
    *more = (struct launch_rank){.rank = number, .pidfd = -1};
    return more;
}

static void lane_add(struct launch *launch, struct launch_world *world, int32_t number,
                     uint32_t lane_number, const char *ring_name)
{
    struct launch_lane lane = {.lane = lane_number, .spool_fd = -1};
    struct launch_rank *rank = rank_get(world, number);
    struct launch_lane *more;
    char name[64];

    if (!rank)
        return;
    for (uint32_t l = 0; l < rank->lane_count; l++)
        if (rank->lane[l].lane == lane_number)
            return;
    lane.ring_fd = openat(world->folder_fd, ring_name, O_RDONLY | O_CLOEXEC);
    if (lane.ring_fd < 0)
        return;
    if (spool_header_read(lane.ring_fd, &lane.header, NULL) != CORE_OK) { /* still being created */
        launch->soon = launch->soon_count++ < WATCH_SOON_MAX;
        close(lane.ring_fd);
        return;
    }
    snprintf(name, sizeof name, "%d.%u.spool", (int)number, (unsigned)lane_number);
    lane.spool_fd = openat(world->folder_fd, name, O_RDONLY | O_CLOEXEC);
    more = realloc(rank->lane, (rank->lane_count + 1) * sizeof *more);
    if (!more) {
        close(lane.ring_fd);
        if (lane.spool_fd >= 0)
            close(lane.spool_fd);
        return;
    }
    rank->lane = more;
    rank->lane[rank->lane_count++] = lane;
    if (rank->lane_count == 1)
        rank_attach(launch, rank, &lane.header, ring_name);
    rank->still_ns = rank->progress_ns = rank->called_ns = launch_now_ns();
}

static void world_scan(struct launch *launch, struct launch_world *world)
{
    int fd = openat(world->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(folder))) {
        int number, end = 0;
        unsigned lane;

        if (isdigit((unsigned char)entry->d_name[0]) &&
            sscanf(entry->d_name, "%d.%u.ring%n", &number, &lane, &end) == 2 && end &&
            !entry->d_name[end])
            lane_add(launch, world, number, lane, entry->d_name);
    }
    closedir(folder);
}

static void world_add(struct launch *launch, const char *name)
{
    struct launch_world world = {0};
    struct launch_world *more;

    if (asprintf(&world.path, "%s/%s", launch->spool, name) < 0)
        return;
    for (uint32_t w = 0; w < launch->world_count; w++)
        if (!strcmp(launch->world[w].path, world.path)) {
            free(world.path);
            return;
        }
    world.folder_fd = open(world.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    more = world.folder_fd < 0 ? NULL
                               : realloc(launch->world, (launch->world_count + 1) * sizeof *more);
    if (!more) {
        if (world.folder_fd >= 0)
            close(world.folder_fd);
        free(world.path);
        return;
    }
    launch->world = more;
    launch->world[launch->world_count++] = world;
    inotify_add_watch(launch->notify_fd, world.path, IN_CREATE | IN_MOVED_TO);
}

/* --- does it move ----------------------------------------------------------------------------- */

static bool lane_look(struct launch_world *world, int32_t rank, struct launch_lane *lane,
                      bool *out_progress, bool *out_called)
{
    struct spool_header now;
    bool moved;
    char name[64];

    if (lane->spool_fd < 0) { /* created when the ring is first drained */
        snprintf(name, sizeof name, "%d.%u.spool", (int)rank, (unsigned)lane->lane);
        lane->spool_fd = openat(world->folder_fd, name, O_RDONLY | O_CLOEXEC);
    }
    if (spool_header_read(lane->ring_fd, &now, NULL) != CORE_OK)
        return false;
    moved = now.committed != lane->header.committed || now.moved != lane->header.moved ||
            now.polled != lane->header.polled || now.depth != lane->header.depth ||
            now.local != lane->header.local || now.callback != lane->header.callback ||
            now.state != lane->header.state ||
            (now.depth && now.open[0].seq != lane->header.open[0].seq);
    *out_progress |= now.moved != lane->header.moved || now.state != lane->header.state;
    *out_called |= now.local != lane->header.local || now.lost != lane->header.lost;
    lane->header = now;
    return moved;
}

static void world_look(struct launch *launch, struct launch_world *world)
{
    uint64_t now = launch_now_ns();

    for (uint32_t r = 0; r < world->rank_count; r++) {
        bool moved = false, progress = false, called = false;

        for (uint32_t l = 0; l < world->rank[r].lane_count; l++)
            moved |=
                lane_look(world, world->rank[r].rank, &world->rank[r].lane[l], &progress, &called);
        if (progress)
            world->rank[r].progress_ns = now;
        if (progress || called)
            world->rank[r].called_ns = now;
        if (moved)
            world->rank[r].still_ns = launch->last_progress_ns = now;
        world->moves += moved;
        launch_proof_look(&world->rank[r], moved);
    }
}

void launch_watch_start(struct launch *launch)
{
    launch->thread = (pid_t)syscall(SYS_gettid);
    launch->notify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (launch->notify_fd >= 0) /* without inotify it only looks less often */
        inotify_add_watch(launch->notify_fd, launch->spool, IN_CREATE | IN_MOVED_TO);
}

void launch_watch_scan(struct launch *launch)
{
    char events[4096];
    DIR *folder = opendir(launch->spool);
    struct dirent *entry;

    CORE_CHECK(launch->thread == (pid_t)syscall(SYS_gettid)); /* launch_inside.h invariant 3 */
    while (launch->notify_fd >= 0 && read(launch->notify_fd, events, sizeof events) > 0)
        continue;
    launch->soon = false;
    ranks_poll(launch);
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "probe"))
            world_add(launch, entry->d_name);
    if (folder)
        closedir(folder);
    for (uint32_t w = 0; w < launch->world_count; w++) {
        world_scan(launch, &launch->world[w]);
        world_look(launch, &launch->world[w]);
    }
}

uint64_t launch_watch_called(const struct launch *launch)
{
    uint64_t last_ns = 0;
    bool running = false;

    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++) {
            const struct launch_rank *rank = &launch->world[w].rank[r];

            running |= !rank->gone && rank->lane_count &&
                       rank->lane[0].header.state == SPOOL_STATE_RUNNING;
            if (rank->called_ns > last_ns)
                last_ns = rank->called_ns;
            for (uint32_t l = 0; l < rank->lane_count; l++)
                if (rank->lane[l].header.flags & SPOOL_FLAG_LEFT)
                    return launch_now_ns(); /* it left its ring: no longer seen */
        }
    return running ? last_ns : launch_now_ns();
}

int launch_status_as_shell(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool launch_watch_termed(const struct launch_rank *rank)
{
    return rank->status_known && WIFSIGNALED(rank->status) && WTERMSIG(rank->status) == SIGTERM;
}

int launch_watch_status(const struct launch *launch)
{
    const struct launch_rank *first = NULL;

    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++) {
            const struct launch_rank *rank = &launch->world[w].rank[r];

            if (!rank->status_known || !rank->status)
                continue;
            if (!first || launch_watch_termed(first) > launch_watch_termed(rank) ||
                (launch_watch_termed(first) == launch_watch_termed(rank) &&
                 rank->gone_look < first->gone_look))
                first = rank;
        }
    return first ? launch_status_as_shell(first->status) : 0;
}

void launch_watch_done(struct launch *launch)
{
    for (uint32_t w = 0; w < launch->world_count; w++) {
        struct launch_world *world = &launch->world[w];

        for (uint32_t r = 0; r < world->rank_count; r++) {
            for (uint32_t l = 0; l < world->rank[r].lane_count; l++) {
                close(world->rank[r].lane[l].ring_fd);
                if (world->rank[r].lane[l].spool_fd >= 0)
                    close(world->rank[r].lane[l].spool_fd);
            }
            if (world->rank[r].pidfd >= 0)
                close(world->rank[r].pidfd);
            free(world->rank[r].lane);
        }
        proof_prover_free(world->prover);
        ending_done(&world->ending);
        free(world->unreceived);
        close(world->folder_fd);
        free(world->rank);
        free(world->path);
    }
    free(launch->world);
    if (launch->notify_fd >= 0)
        close(launch->notify_fd);
}
