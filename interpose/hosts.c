/* Jobs on several machines. In a job on one machine nothing here communicates. Where the launcher
 * can be reached, the first rank of each other machine starts a relay (launch/relay/relay.h), which
 * brings it what is recorded while it is; else the spools travel at the end:
 *
 * In MPI_Init the clocks are compared: the first rank of each machine exchanges a few messages with
 * rank 0 and takes the offset of the fastest exchange; its neighbours get it from it. In
 * MPI_Finalize, once every rank's record is closed, rank 0 looks which spools it can see; the
 * others send theirs to it over MPI, on a communicator of our own, and remove them.
 *
 *  1. Every rank takes part in the same collective operations here, or none does: the decision is a
 *     sum over all ranks. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "interpose/library/library.h"
#include "interpose/life.h"
#include "core/spool/relay_place.h"

enum { EXCHANGES = 12, CHUNK_BYTES = 1 << 20, NAME_BYTES = 64, TAG = 77 };
#define WORLD recorder_handle.comm_world

#define LONGS recorder_handle.type_long_long
#define BYTES recorder_handle.type_byte
#define SUM recorder_handle.op_sum

/* The launcher tells each process how many ranks its machine has, and the job; what it says of
 * another job, which started this one, counts for nothing. Without it, or when a rank cannot
 * record: as on one machine. */
bool hosts_several(bool opened)
{
    const struct library_place place = library_place();
    const char *local = place.local_size;
    bool several = local && atoi(local) > 0 && atoi(local) < recorder.world_size;
    long long mine = opened, all = 0;
    if (recorder.world_size == 1 || recorder.apart || !local || !LONGS || !BYTES || !SUM)
        return false;
    if (place.size && atoi(place.size) != recorder.world_size)
        return false;
    if (!several) /* all ranks are here: so say all others (interpose invariant 6) */
        return false;
    return REAL(Allreduce)(&mine, &all, 1, LONGS, SUM, WORLD) == MPI_SUCCESS &&
           all == recorder.world_size;
}

static int64_t realtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Of this machine's clock against rank 0's; INT64_MIN unknown. Collective. */
int64_t hosts_offset(void)
{
    const char *local = library_place().local_rank;
    long long leader = local && atoi(local) == 0, offset = 0,
              *leaders = calloc((size_t)recorder.world_size, sizeof *leaders);
    MPI_Comm node = recorder_handle.comm_null;
    if (!leaders || REAL(Allgather)(&leader, 1, LONGS, leaders, 1, LONGS, WORLD) != MPI_SUCCESS) {
        free(leaders);
        return INT64_MIN;
    }
    for (int r = 1; r < recorder.world_size; r++) {
        if (!leaders[r] || (recorder.world_rank != 0 && recorder.world_rank != r))
            continue;
        int64_t best = INT64_MAX;
        for (int i = 0; i < EXCHANGES; i++) {
            long long here, there = 0;
            if (recorder.world_rank == 0) {
                REAL(Recv)(&there, 1, LONGS, r, TAG, WORLD, MPI_STATUS_IGNORE);
                here = realtime();
                REAL(Send)(&here, 1, LONGS, r, TAG, WORLD);
            } else {
                int64_t before = realtime();
                here = before;
                REAL(Send)(&here, 1, LONGS, 0, TAG, WORLD);
                REAL(Recv)(&there, 1, LONGS, 0, TAG, WORLD, MPI_STATUS_IGNORE);
                int64_t after = realtime();
                if (after - before < best) {
                    best = after - before;
                    offset = before + best / 2 - there;
                }
            }
        }
    }
    free(leaders);
    if (REAL(Comm_split_type)(WORLD, MPI_COMM_TYPE_SHARED, 0, recorder_handle.info_null, &node) ==
        MPI_SUCCESS) {
        REAL(Bcast)(&offset, 1, LONGS, 0, node);
        REAL(Comm_free)(&node);
    }
    return offset;
}

/* --- the relay -------------------------------------------------------------------------------- */

/* The launcher's machine, as the relay's place begins (core/spool/relay_place.h): whether it is
 * another one. */
static bool far_from_launcher(const char **out_place)
{
    const char *place = getenv(RELAY_PLACE), *end = place ? strchr(place, ';') : NULL;
    char host[64] = "";

    gethostname(host, sizeof host - 1);
    *out_place = place;
    return end && (strlen(host) != (size_t)(end - place) || memcmp(host, place, strlen(host)) != 0);
}

bool hosts_spool(const char *spool, char *text, size_t room)
{
    const char *place, *port;
    char host[64] = "";

    if (!far_from_launcher(&place))
        return snprintf(text, room, "%s", spool) < (int)room;
    gethostname(host, sizeof host - 1);
    port = strchr(strchr(place, ';') + 1, ';'); /* what tells this job from those before it */
    return port && snprintf(text, room, "%s.%s.%.*s", spool, host, (int)strcspn(port + 1, ";"),
                            port + 1) < (int)room;
}

enum { RELAY_STACK_BYTES = 32 * 1024 };
struct relay_start {
    char *argv[4], *envp[8];
    char *stack[2]; /* the ends of two */
};

static int relay_exec(void *context)
{
    const struct relay_start *start = context;
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->argv[0], start->argv, start->envp);
    _exit(127);
}

/* Between the rank and the relay, which loses its parent when this one ends. */
static int relay_detach(void *context)
{
    const struct relay_start *start = context;
    int status = 0;
    pid_t pid = clone(relay_exec, start->stack[1], CLONE_VM | CLONE_VFORK | SIGCHLD, context);

    if (pid < 0)
        _exit(127);
    if (waitpid(pid, &status, WNOHANG) == pid && status)
        _exit(127);
    _exit(0);
}

/* Starts it as nobody's child: no SIGCHLD reaches the program, and no wait of its own finds it. */
static bool relay_start(struct relay_start *start)
{
    char *stack = malloc(2 * RELAY_STACK_BYTES);
    sigset_t all, before;
    int status = -1;
    pid_t pid;

    if (!stack)
        return false;
    start->stack[0] = stack + RELAY_STACK_BYTES;
    start->stack[1] = stack + 2 * RELAY_STACK_BYTES;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = clone(relay_detach, start->stack[0], CLONE_VM | CLONE_VFORK, start);
    while (pid > 0 && waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stack);
    return pid > 0 && status == 0;
}

void hosts_relay(const char *job_folder)
{
    static const char *const kept[] = {RELAY_PLACE, RELAY_SECRET, "PATH", "HOME",
                                       "LD_LIBRARY_PATH"};
    const char *place, *local = library_place().local_rank;
    char folder[PATH_MAX], executable[PATH_MAX], variable[5][PATH_MAX];
    struct relay_start start = {.argv = {executable, "relay", folder, NULL}};
    int variables = 0;

    if (!far_from_launcher(&place) || (local && atoi(local) != 0))
        return;
    const char *from = strchr(place, ';') + 1;
    snprintf(executable, sizeof executable, "%.*s", (int)strcspn(from, ";"), from);
    snprintf(folder, sizeof folder, "%s", job_folder);
    *strrchr(folder, '/') = '\0'; /* the spool's, of which the job's is a part */
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *value = getenv(kept[i]);

        if (value && snprintf(variable[variables], PATH_MAX, "%s=%s", kept[i], value) < PATH_MAX) {
            start.envp[variables] = variable[variables];
            variables++;
        }
    }
    if (!relay_start(&start)) {
        char text[2 * PATH_MAX + 200];

        snprintf(text, sizeof text,
                 "'%s' cannot be started on this machine: what its ranks record stays in '%s'",
                 executable, folder);
        recorder_warn(text);
    }
}

/* --- spools ----------------------------------------------------------------------------------- */

static bool is_mine(const char *name, int rank)
{
    int r, lane, end = 0;
    return sscanf(name, "%d.%d.%n", &r, &lane, &end) == 2 && end && r == rank &&
           (!strcmp(name + end, "ring") || !strcmp(name + end, "spool"));
}

/* Whether rank 0 sees the very ring of that rank: the header names its process and its start. */
static bool visible(const char *folder, int rank, const long long *identity)
{
    char path[PATH_MAX + 64];
    struct spool_header header;
    snprintf(path, sizeof path, "%s/%d.0.ring", folder, rank);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool same = fd >= 0 && read(fd, &header, sizeof header) == sizeof header &&
                header.pid == identity[0] && header.start_ticks == (uint64_t)identity[1];
    if (fd >= 0)
        close(fd);
    return same;
}

/* A message for each file: its name and length, then its bytes; an empty name ends. Files that
 * cannot be read are left out. */
static void send_files(const char *folder, MPI_Comm comm)
{
    char path[PATH_MAX + 300], name[NAME_BYTES] = "";
    char *chunk = malloc(CHUNK_BYTES);
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (chunk && dir && (entry = readdir(dir))) {
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        int fd = is_mine(entry->d_name, recorder.world_rank) && strlen(entry->d_name) < NAME_BYTES
                     ? open(path, O_RDONLY | O_CLOEXEC)
                     : -1;
        if (fd < 0 || fstat(fd, &status) < 0) {
            if (fd >= 0)
                close(fd);
            continue;
        }
        long long bytes = status.st_size;
        snprintf(name, sizeof name, "%s", entry->d_name);
        REAL(Send)(name, NAME_BYTES, BYTES, 0, TAG, comm);
        REAL(Send)(&bytes, 1, LONGS, 0, TAG, comm);
        while (bytes > 0) {
            int want = bytes < CHUNK_BYTES ? (int)bytes : CHUNK_BYTES;
            ssize_t got = read(fd, chunk, (size_t)want);
            if (got < want) /* cut short under us: zeros, which the reader takes for the end */
                memset(chunk + (got > 0 ? got : 0), 0, (size_t)(want - (got > 0 ? got : 0)));
            REAL(Send)(chunk, want, BYTES, 0, TAG, comm);
            bytes -= want;
        }
        close(fd);
    }
    if (dir)
        closedir(dir);
    free(chunk);
    memset(name, 0, sizeof name);
    REAL(Send)(name, NAME_BYTES, BYTES, 0, TAG, comm);
}

static bool receive_files(const char *folder, int rank, MPI_Comm comm)
{
    char path[PATH_MAX + NAME_BYTES + 2], name[NAME_BYTES];
    char *chunk = malloc(CHUNK_BYTES);
    bool good = chunk != NULL;
    if (!chunk)
        return false;
    for (;;) {
        long long bytes = 0;
        REAL(Recv)(name, NAME_BYTES, BYTES, rank, TAG, comm, MPI_STATUS_IGNORE);
        name[NAME_BYTES - 1] = 0;
        if (!name[0])
            break;
        REAL(Recv)(&bytes, 1, LONGS, rank, TAG, comm, MPI_STATUS_IGNORE);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        int fd = is_mine(name, rank) ? core_file_create(path, O_WRONLY | O_TRUNC) : -1;
        good &= fd >= 0;
        while (bytes > 0) {
            int want = bytes < CHUNK_BYTES ? (int)bytes : CHUNK_BYTES;
            REAL(Recv)(chunk, want, BYTES, rank, TAG, comm, MPI_STATUS_IGNORE);
            good &= fd < 0 || write(fd, chunk, (size_t)want) == want;
            bytes -= want;
        }
        if (fd >= 0)
            close(fd);
    }
    free(chunk);
    return good;
}

/* Whether the launcher has the rank's record, or gets it from the relay of this machine, which says
 * in its lock file that it has reached the launcher. */
static bool is_relayed(const char *folder)
{
    const char *place, *slash = strrchr(folder, '/');
    char path[PATH_MAX], host[64] = "", state = 0;
    bool far = far_from_launcher(&place);
    int fd;

    if (!place || !far || !slash)
        return place != NULL;
    gethostname(host, sizeof host - 1);
    if (snprintf(path, sizeof path, "%.*s/" RELAY_LOCK "%s", (int)(slash - folder), folder, host) >=
        (int)sizeof path)
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (pread(fd, &state, 1, 0) != 1)
        state = 0;
    close(fd);
    return state == RELAY_STATE_LINKED;
}

void hosts_collect(const char *folder)
{
    MPI_Comm comm;
    int size = recorder.world_size;
    long long identity[2] = {0, 0}, *all = calloc((size_t)size * 3, sizeof *all),
              *hidden = all ? all + 2 * size : NULL;
    const struct lane *first = recorder.lanes;
    while (first && first->index)
        first = first->next;
    if (first) {
        identity[0] = first->writer.header->pid;
        identity[1] = (long long)first->writer.header->start_ticks;
    }
    if (is_relayed(folder))
        identity[0] = -1;
    long long ready = all != NULL, ready_all = 0;
    if (REAL(Allreduce)(&ready, &ready_all, 1, LONGS, SUM, WORLD) != MPI_SUCCESS ||
        ready_all != size || REAL(Comm_dup)(WORLD, &comm) != MPI_SUCCESS) {
        free(all);
        return;
    }
    REAL(Gather)(identity, 2, LONGS, all, 2, LONGS, 0, comm);
    if (recorder.world_rank == 0)
        for (int r = 1; r < size; r++)
            hidden[r] = all[2 * r] != -1 && !visible(folder, r, all + 2 * r);
    REAL(Bcast)(hidden, size, LONGS, 0, comm);
    bool good = true;
    for (int r = 1; r < size; r++) {
        if (!hidden[r])
            continue;
        if (recorder.world_rank == 0)
            good &= receive_files(folder, r, comm);
        else if (recorder.world_rank == r)
            send_files(folder, comm);
    }
    long long whole = good;
    REAL(Bcast)(&whole, 1, LONGS, 0, comm);
    if (whole && hidden[recorder.world_rank])
        life_remove_spools(folder, recorder.world_rank);
    else if (!good)
        recorder_warn("the spools of other machines could not all be written here; they are left "
                      "where they were made");
    REAL(Comm_free)(&comm);
    free(all);
}
