/* The program's start, up to its MPI_Init, and the server that it becomes there: for each world it
 * forks the ranks, waits for their ends, and reports how they ended. */
#include "world/ranks/ranks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct region *rank_region;
int rank_own = -1;

/* The section of shared variables consists of whole pages: the linker aligns it as shared_end is
 * aligned, and it ends with shared_end, as this file is linked last. */
extern char __start_world_shared[] __attribute__((visibility("hidden")));
static char shared_end[PAGE] __attribute__((section("world_shared"), aligned(4096), used));

static int region_file = -1, control = -1;
static size_t tables_used; /* bytes of the region that follow the shared variables */
static size_t memory_begin;

/* State before MPI_Init: a process that calls MPI then is a rank by itself. */
static struct world_options early_options;
static struct world_outcome early_outcome;
static struct world_rank early_rank = {.rank = -1};
static int early_keyvals;
bool world_process_early, world_process_alone = true;
static struct world_fiber early_fiber = {.rank = &early_rank, .live = true};

static void fork_server_say(char what)
{
    while (write(control, &what, 1) < 0 && errno == EINTR)
        ;
}

void rank_refuse(const char *format, ...)
{
    char text[REGION_REFUSAL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (rank_region) {
        memcpy(rank_region->refusal, text, sizeof text);
        fork_server_say(REGION_REFUSED);
    } else {
        fprintf(stderr, "crosswait: %s\n", text);
    }
    _exit(3);
}

/* --- what is shared --------------------------------------------------------------------------- */

static size_t shared_bytes(void)
{
    CORE_CHECK((shared_end - __start_world_shared) % PAGE == 0); /* pages are mapped over it */
    return (size_t)(shared_end - __start_world_shared);
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

size_t rank_shared(void **out_variables, void **out_tables, size_t *out_tables_bytes)
{
    const size_t head = whole_pages(sizeof *rank_region) + shared_bytes();
    *out_variables = __start_world_shared;
    *out_tables = (uint8_t *)rank_region + head;
    *out_tables_bytes = tables_used - head;
    return shared_bytes();
}

static void bug_told(const char *text)
{
    const struct world_fiber *fiber = WORLD->fiber;
    if (!*rank_region->bug)
        snprintf(rank_region->bug, sizeof rank_region->bug,
                 "%s (in rank %d, while rank %d ran, in %s)", text, rank_own,
                 fiber ? fiber->rank->rank : -1,
                 fiber && fiber->call ? fiber->call : "no MPI call");
}

static void region_map(void)
{
    size_t head = whole_pages(sizeof *rank_region), bytes = 0;
    struct region *first = rank_map(NULL, head, MAP_SHARED, region_file, 0);
    if (first == MAP_FAILED)
        return; /* a process that the program started without its files */
    if (first->version != REGION_VERSION)
        rank_refuse("what '%s' names is not a world's", REGION_VARIABLE);
    bytes = first->bytes;
    munmap(first, head);
    rank_region = rank_map(NULL, bytes, MAP_SHARED | MAP_NORESERVE, region_file, 0);
    if (rank_region == MAP_FAILED) {
        rank_region = NULL;
        rank_refuse("the memory of worlds cannot be mapped: %s", strerror(errno));
    }
    rank_region->address = (uintptr_t)rank_region;
    core_check_told = bug_told;
    tables_used = head + shared_bytes();
}

/* Maps the region over the place of the shared variables, which are the region's from now on. */
static void variables_share(void)
{
    size_t at = whole_pages(sizeof *rank_region);
    uint8_t *copy = (uint8_t *)rank_region + at;
    memcpy(copy, __start_world_shared, shared_bytes());
    CORE_CHECK((uintptr_t)__start_world_shared % PAGE == 0);
    void *there = rank_map(__start_world_shared, shared_bytes(), MAP_SHARED | MAP_FIXED,
                           region_file, (off_t)at);
    if (there != __start_world_shared)
        rank_refuse("the memory of worlds cannot be mapped: %s; does the program limit its memory?",
                    strerror(errno));
}

void *world_process_table(size_t bytes)
{
    size_t at = (tables_used + 63) & ~(size_t)63;
    CORE_CHECK(at + bytes < rank_region->bytes && !memory_begin);
    tables_used = at + bytes;
    return (uint8_t *)rank_region + at;
}

void *world_process_memory(size_t *out_bytes)
{
    memory_begin = whole_pages(tables_used);
    CORE_CHECK(memory_begin > 0 && memory_begin < rank_region->bytes);
    *out_bytes = rank_region->bytes - memory_begin;
    return (uint8_t *)rank_region + memory_begin;
}

/* --- the start -------------------------------------------------------------------------------- */

__attribute__((constructor)) static void fork_server_begin(void)
{
    const char *numbers = getenv(REGION_VARIABLE);
    WORLD->options = &early_options;
    WORLD->outcome = &early_outcome;
    WORLD->fiber = &early_fiber;
    ME = &early_rank;
    early_rank.world.errhandler = MPI_ERRORS_ARE_FATAL; /* of what is called before MPI_Init */
    WORLD->running = true;
    WORLD->step_count_max = UINT64_MAX;
    if (!numbers || sscanf(numbers, "%d,%d", &region_file, &control) != 2)
        return;
    setvbuf(stdout, NULL, _IOLBF, 0);
    on_exit(rank_leave, NULL);
    region_map();
    if (!rank_region)
        return;
    rank_inherited_start();
    early_options.look_ns = rank_region->look_ns;
    rank_clock_begin();
    rank_needs_check();
}

/* --- ranks ------------------------------------------------------------------------------------ */

/* Variables by which a library's launcher tells a rank its number; that of ranks is there already
 * (processes/environment.c). */
enum { OF_RANK, OF_LOCAL_RANK };
static const char *const variable[] = {
#ifdef WORLD_SHIM
    [OF_RANK] = "PMI_RANK",
    [OF_LOCAL_RANK] = "MPI_LOCALRANKID",
#else
    [OF_RANK] = "OMPI_COMM_WORLD_RANK",
    [OF_LOCAL_RANK] = "OMPI_COMM_WORLD_LOCAL_RANK",
#endif
};

static void number_set(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv(name, text, 1);
}

static bool is_traced(void)
{
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC), tracer = 0;
    ssize_t bytes = file < 0 ? 0 : read(file, text, sizeof text - 1);
    close(file);
    text[bytes > 0 ? bytes : 0] = 0;
    const char *line = strstr(text, "\nTracerPid:");
    if (line)
        sscanf(line, "\nTracerPid: %d", &tracer);
    return tracer != 0;
}

/* Waits until a debugger is attached, or is gone again; the runner asks for ours. */
static void debugger_wait(int rank)
{
    const struct timespec often = {.tv_nsec = 10000000};
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    rank_region->rank[rank].waits = true;
    while (rank_region->debugged == rank + 1 && !is_traced())
        syscall(SYS_nanosleep, &often, NULL); /* the program's clocks are the world's */
}

/* Files that are open for reading when ranks are forked, such as a standard input that a shell
 * opened. */
enum { FILES_MAX = 256, FILES_ASKED = RANK_FILES_ASKED };
static int inherited[FILES_MAX], inherited_count;

static bool is_read_file(int file)
{
    struct stat is;
    int flags = fcntl(file, F_GETFL);
    return file != region_file && flags >= 0 && (flags & O_ACCMODE) == O_RDONLY &&
           fstat(file, &is) == 0 && S_ISREG(is.st_mode);
}

static void files_find(void)
{
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        int file = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && inherited_count < FILES_MAX && is_read_file(file))
            inherited[inherited_count++] = file;
    }
    if (folder)
        closedir(folder);
}

static uint64_t files_before;
static off_t position_before[FILES_MAX];

/* Hashes which files of the process are open, number by number: reading their folder costs much
 * more. */
static uint64_t files_hash(void)
{
    static struct pollfd file[FILES_ASKED] RANK_SCRATCH;
    const struct timespec none = {0};
    uint64_t sum = 1;
    for (int i = 0; i < FILES_ASKED; i++)
        file[i] = (struct pollfd){.fd = i};
    if (ppoll(file, FILES_ASKED, &none, NULL) < 0)
        return 0;
    for (int i = 0; i < FILES_ASKED; i++)
        sum += file[i].revents & POLLNVAL ? 0 : core_random_mix((uint64_t)i + 1);
    for (int i = 0; i <= 2; i++) { /* a file that is opened anew has the same number */
        struct stat is;
        if (fstat(i, &is) == 0)
            sum += core_random_mix(core_random_mix(is.st_ino) ^ is.st_dev ^ (uint64_t)i << 32);
    }
    int next = fcntl(0, F_DUPFD_CLOEXEC, FILES_ASKED);
    if (next >= 0)
        close(next);
    return sum + core_random_mix((uint64_t)(uint32_t)next << 32);
}

/* Notes the open files when the rank begins. */
static void files_note(void)
{
    files_before = files_hash();
    for (int i = 0; i < inherited_count; i++)
        position_before[i] = lseek(inherited[i], 0, SEEK_CUR);
}

/* A frozen rank cannot close files that were open before, so their number is enough: its folder in
 * /proc, and the count that newer kernels report for it. 0: unknown. */
static int folder = -1;
static off_t count_frozen;

static off_t files_count(void)
{
    struct stat is;
    return folder >= 0 && fstat(folder, &is) == 0 ? is.st_size : 0;
}

void rank_files_freeze(void)
{
    const int file = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    folder = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, RANK_FILES_ASKED);
    if (folder >= 0)
        close(file);
    else
        folder = file;
    count_frozen = files_count();
}

static bool files_differ(void)
{
    if (rank_kernel_is_frozen() && count_frozen)
        return files_count() != count_frozen;
    return !files_before || files_hash() != files_before;
}

const char *rank_files_changed(void)
{
    if (files_differ())
        return "a rank has opened or closed files";
    for (int i = 0; i < inherited_count; i++)
        if (lseek(inherited[i], 0, SEEK_CUR) != position_before[i])
            return "a rank reads from a file";
    return NULL;
}

bool rank_file_is_compared(int file)
{
    for (int i = 0; i < inherited_count; i++)
        if (inherited[i] == file)
            return true;
    return false;
}

bool rank_file_is_ours(int file)
{
    return rank_region && (file == region_file ||
                           (file >= control && file <= control + 2 * (int)rank_region->rank_count));
}

int rank_stream(int number)
{
    return control + 1 + number;
}

/* Opens the files anew for this rank: a read in a forked process moves the position for all that
 * share the file, and under mpirun each rank opened its own. */
static void files_own(void)
{
    for (int i = 0; i < inherited_count; i++) {
        char path[32];
        int file = inherited[i], flags = fcntl(file, F_GETFD);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        int own = open(path, O_RDONLY | O_CLOEXEC);
        if (own < 0)
            continue;
        lseek(own, lseek(file, 0, SEEK_CUR), SEEK_SET);
        dup3(own, file, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
        close(own);
    }
}

/* Leaves the worlds' standard input to rank 0, as mpirun does. */
static void input_leave(void)
{
    char name[64] = "";
    if (readlink("/proc/self/fd/0", name, sizeof name - 1) < 0 || !strstr(name, REGION_INPUT))
        return;
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, 0);
    close(nothing);
}

static void fork_server_become(int rank, pid_t server)
{
    CORE_CHECK(rank_own < 0 && rank >= 0 && rank < (int)rank_region->rank_count);
    rank_own = rank;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server)
        _exit(1);
    rank_region->rank[rank].pid = getpid();
    for (int stream = 1; stream <= 2; stream++)
        dup2(control + 2 * rank + stream, stream);
    files_own();
    rank_inherited_own();
    if (rank > 0)
        input_leave();
    if (rank_region->states.depth)
        files_note();
    number_set(variable[OF_RANK], rank);
    number_set(variable[OF_LOCAL_RANK], rank);
    if (rank_region->debugged == rank + 1)
        debugger_wait(rank);
    rank_shared_tell();
    rank_outside_tell();
    rank_sched_wait();
    WORLD->fiber->call = "MPI_Init";
}

static int rank_of(pid_t pid)
{
    for (int r = 0; r < (int)rank_region->rank_count; r++)
        if (rank_region->rank[r].pid == pid && !rank_region->rank[r].ended)
            return r;
    return -1;
}

static void rest_kill(void)
{
    for (uint32_t r = 0; r < rank_region->rank_count; r++) {
        struct region_rank *rank = &rank_region->rank[r];
        if (rank->pid > 0 && !rank->ended && !rank->left && !rank->stopped) {
            rank->stopped = true;
            kill(rank->pid, SIGKILL);
        }
    }
}

/* Reports a rank whose process ended without notice. */
static void ended_early(int r, int status)
{
    bool runs = WORLD->fiber->rank->rank == r;
    WORLD->stop = true;
    /* A rank that crashes may survive the next run of the same world; one that aborts does not.
     * Ranks in MPI_Finalize make no more decisions. */
    rank_region->rank[r].early = WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT;
    for (int i = 0; i < WORLD->rank_count; i++)
        rank_region->rank[r].early |=
            i != r && WORLD->rank[i].fiber->live && !world_rank_ended(&WORLD->rank[i]);
    if (rank_region->real_file[0]) {
        world_found(WORLD_RULE_LIMIT, r, "rank %d changes '%s', a file that worlds cannot isolate",
                    r, rank_region->real_file);
    } else if (rank_region->rank[r].stray) {
        static const char *const level[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED"};
        struct world_fiber *fiber = WORLD->rank[r].fiber;
        CORE_CHECK(rank_level == MPI_THREAD_SINGLE || rank_level == MPI_THREAD_FUNNELED);
        fiber->call = rank_region->rank[r].stray;
        fiber->site = (const void *)rank_region->rank[r].stray_site;
        world_found(WORLD_RULE_THREAD_LEVEL, r,
                    "rank %d calls %s in a thread other than the main one, which %s forbids", r,
                    fiber->call, level[rank_level != MPI_THREAD_SINGLE]);
    } else if (WIFSIGNALED(status))
        world_found(WORLD_RULE_CRASH, r, "rank %d is ended by signal %d (%s)", r, WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    else if (runs)
        world_found(WORLD_RULE_EXIT_STATUS, r, "rank %d ends at once with status %d, in %s", r,
                    WEXITSTATUS(status), WORLD->fiber->call ? WORLD->fiber->call : "no MPI call");
    else
        world_found(WORLD_RULE_EXIT_STATUS, r, "rank %d ends with status %d while it waits", r,
                    WEXITSTATUS(status));
    rank_region->over = 1;
}

static bool has_finding(int r)
{
    CORE_CHECK(WORLD->outcome == &rank_region->outcome);
    for (int i = 0; i < rank_region->outcome.finding_count; i++)
        if (rank_region->outcome.finding[i].rank == r)
            return true;
    return false;
}

/* Reports ranks that left the world as if all were well, and ended otherwise: by a signal, or as
 * another program. */
static void ended_late(void)
{
    for (int r = 0; r < (int)rank_region->rank_count; r++) {
        const struct region_rank *rank = &rank_region->rank[r];
        if (!rank->left || !rank->ended || !rank->status || has_finding(r))
            continue;
        if (WIFSIGNALED(rank->status))
            world_found(WORLD_RULE_CRASH, r, "rank %d is ended by signal %d (%s)", r,
                        WTERMSIG(rank->status), strsignal(WTERMSIG(rank->status)));
        else
            world_found(WORLD_RULE_EXIT_STATUS, r, "rank %d ended with status %d", r,
                        WEXITSTATUS(rank->status));
    }
}

static void fork_server_reap(int count)
{
    while (count > 0) {
        int status;
        pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0 && errno == EINTR)
            continue;
        CORE_CHECK(pid > 0);
        int r = rank_of(pid);
        if (r < 0)
            continue; /* a child of the program from before its MPI_Init */
        struct region_rank *rank = &rank_region->rank[r];
        rank->status = status;
        rank->ended = true;
        count--;
        if (!rank->left && !rank->stopped && !rank_region->over && !rank_region->time)
            ended_early(r, status);
        if (rank_region->over || rank_region->time)
            rest_kill();
    }
    ended_late();
}

/* --- worlds ----------------------------------------------------------------------------------- */

static void options_read(struct world_options *out)
{
    *out = (struct world_options){.rank_count = (int)rank_region->rank_count,
                                  .late = rank_region->late,
                                  .warn_types = rank_region->warn_types,
                                  .step_count_max = rank_region->step_count_max,
                                  .look_ns = rank_region->look_ns,
                                  .reduce_last = rank_region->reduce_last,
                                  .memory_bytes_max = rank_region->bytes - memory_begin,
                                  .event = rank_region->states.wanted ? NULL : rank_event};
    replay_choice_seed(&out->choice, 0);
    out->choice.random = rank_region->random;
    if (rank_region->kind == REPLAY_CHOICE_LIST)
        replay_choice_list(&out->choice, rank_region->choice, rank_region->choice_count);
    out->policy = rank_region->policy;
    out->policy.send.name = rank_region->named;
    out->policy.forced.name = rank_region->named + out->policy.send.count;
}

static void answer_begin(void)
{
    rank_region->over = rank_region->time = 0;
    rank_region->question_count = rank_region->event_count = 0;
    rank_region->lost = false;
    *rank_region->bug = *rank_region->real_file = 0;
    rank_region->files.lock = 0;
    rank_region->files.race.found = false;
    if (rank_region->files.used)
        memset(rank_region->files.use, 0, sizeof rank_region->files.use);
    rank_region->files.used = rank_region->files.full = false;
    memset(rank_region->rank, 0, (rank_region->rank_count + 1) * sizeof *rank_region->rank);
    rank_states_answer();
    rank_sched_begin();
}

/* --- between MPI_Init and the ranks ----------------------------------------------------------- */

/* Copies the settings of a communicator that were made while there was one process. */
static void communicator_take(struct ompi_communicator_t *to,
                              const struct ompi_communicator_t *from)
{
    to->errhandler = from->errhandler;
    to->attribute = from->attribute;
    to->name = from->name;
    to->info = from->info;
}

/* Takes over the objects that the program made before: they are in its own memory, which every rank
 * has. */
static void early_take(void)
{
    CORE_CHECK(WORLD->rank_count == (int)rank_region->rank_count);
    WORLD->keyval_count = early_keyvals;
    for (int r = 0; r < WORLD->rank_count; r++) {
        struct world_rank *rank = &WORLD->rank[r];
        communicator_take(&rank->world, &early_rank.world);
        communicator_take(&rank->self, &early_rank.self);
        rank->extra = early_rank.extra;
        rank->initialized = early_rank.initialized;
    }
}

static void early_begin(void)
{
    static int member;
    CORE_CHECK(!world_process_early && rank_own < 0);
    struct ompi_communicator_t start = {
        .handle = {.magic = (uint32_t)HANDLE_MAGIC + HANDLE_COMM, .references = 1},
        .size = (int)rank_region->rank_count,
        .member = &member,
        .errhandler = MPI_ERRORS_ARE_FATAL,
        .name = "MPI_COMM_WORLD"};
    early_rank.world = start;
    start.size = 1;
    start.context = 2;
    start.name = "MPI_COMM_SELF";
    early_rank.self = start;
    rank_layers_find(); /* an interpreter publishes its frame layout while it imports */
    world_process_early = true;
}

/* --- the ranks of a world --------------------------------------------------------------------- */

/* Runs a search by states. The ranks' first versions never run; processes forked from them do. */
static void states_run(const struct world_fiber *first)
{
    static pid_t pid[WORLD_RANKS_MAX] RANK_SCRATCH;
    const uint32_t count = rank_region->rank_count;
    for (uint32_t r = 0; r < count; r++)
        pid[r] = rank_region->rank[r].pid;
    rank_sched_give(first);
    rank_states_search();
    rank_region->over = 1;
    for (uint32_t r = 0; r < count; r++) {
        kill(pid[r], SIGKILL);
        while (waitpid(pid[r], NULL, 0) < 0 && errno == EINTR)
            ;
        rank_region->rank[r] = (struct region_rank){.ended = true, .stopped = true};
    }
    while (waitpid(-1, NULL, WNOHANG) > 0) /* later versions, which no other process waits for */
        ;
}

/* Forks the ranks; true in a rank. */
static bool ranks_fork(void)
{
    pid_t server = getpid();
    for (uint32_t i = 0; i < rank_region->look_ns % 3; i++) { /* other process numbers, too */
        const pid_t skipped = fork();
        if (skipped == 0)
            syscall(SYS_exit_group, 0);
        while (skipped > 0 && waitpid(skipped, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    int made = 0, count = (int)rank_region->rank_count;
    WORLD->fiber = &early_fiber; /* it asks which rank is first */
    ME = &early_rank;
    const bool states = rank_region->states.wanted;
    if (states)
        rank_states_begin();
    const struct world_fiber *first = world_fiber_next();
    if (!states)
        rank_sched_give(first);
    for (; made < count; made++) {
        pid_t pid = fork();
        if (pid == 0) {
            fork_server_become(made, server);
            return true;
        }
        if (pid < 0) {
            WORLD->stop = true;
            world_found(WORLD_RULE_LIMIT, made, "no process for another rank: %s", strerror(errno));
            rank_region->over = 1;
            rest_kill();
            break;
        }
        rank_region->rank[made].pid = pid;
    }
    if (states && made == count) {
        states_run(first);
        return false;
    }
    fork_server_reap(made);
    return false;
}

/* Serves one world; true in a rank. */
static bool world_serve(void)
{
    static struct world_options options;
    CORE_CHECK(!rank_region->busy); /* region.h invariant 1 */
    rank_region->busy = true;
    answer_begin();
    options_read(&options);
    WORLD->running = false;
    bool good = world_open(&options, &rank_region->outcome) == CORE_OK;
    if (good) {
        early_take();
        if (ranks_fork())
            return true;
    }
    if (good && rank_region->time) {
        WORLD->stop = true;
        world_found(WORLD_RULE_TIME, ME->rank, "time limit reached: rank %d was last in %s",
                    ME->rank, WORLD->fiber->call ? WORLD->fiber->call : "its start");
    }
    if (good && scratch_room(&rank_region->scratch) < SCRATCH_SMALL) {
        WORLD->stop = true;
        world_found(WORLD_RULE_LIMIT, ME->rank, "the files of the ranks need more than 1 GiB");
    }
    if (good)
        world_close();
    rank_region->again = WORLD->again;
    rank_region->files_written[0] = 0;
    if (scratch_written(&rank_region->scratch))
        scratch_list(&rank_region->scratch, rank_region->files_written,
                     sizeof rank_region->files_written);
    good &= scratch_clear(&rank_region->scratch);
    if (good && *rank_region->real_file)
        rank_region->again |= scratch_grow(&rank_region->scratch, rank_region->real_file, true);
    rank_region->busy = false;
    fork_server_say(good ? REGION_DONE : REGION_FAILED);
    return false;
}

int world_process_init(int required)
{
    if (!rank_region)
        rank_refuse("only crosswait explore can use this library");
    world_process_loaded();
    rank_level = required < MPI_THREAD_SINGLE     ? MPI_THREAD_SINGLE
                 : required > MPI_THREAD_MULTIPLE ? MPI_THREAD_MULTIPLE
                                                  : required;
    world_process_watched |= required >= MPI_THREAD_SERIALIZED;
    /* Processes that the program starts are not part of the world, such as a debugger or a
     * sanitizer's symbolizer. */
    const char *others = getenv(REGION_PRELOAD_VARIABLE);
    if (others)
        setenv("LD_PRELOAD", others, 1);
    else
        unsetenv("LD_PRELOAD");
    unsetenv(REGION_VARIABLE);
    early_begin();
    return world_process_threads();
}

/* Copies the program's maps, while files still have the names by which the program opened them. */
static void maps_tell(void)
{
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t bytes = 0;
    for (ssize_t got = 1; file >= 0 && got > 0 && bytes < REGION_MAPS_MAX; bytes += (size_t)got) {
        got = read(file, rank_region->maps + bytes, REGION_MAPS_MAX - bytes);
        if (got < 0)
            got = 0;
    }
    if (file >= 0)
        close(file);
}

void world_process_begin(void)
{
    CORE_CHECK(world_process_early);
    const int error = errno; /* the program's errno, with which each world begins */
    int threads = rank_thread_count(getpid());
    if (threads > 1)
        rank_refuse(
            "the program already runs %d threads at its first MPI call that concerns ranks; "
            "its ranks are forked there, before threads start",
            threads);
    rank_layers_find();
    rank_chance_tell(); /* before the world's count of clock reads begins */
    maps_tell();
    files_find();
    rank_inherited_find();
    if (!scratch_begin(&rank_region->scratch))
        rank_refuse("the files that it writes cannot be isolated (%s)", rank_region->scratch.why);
    WORLD->fiber->site = world_process_site();
    world_process_early = world_process_alone = false;
    early_keyvals = WORLD->keyval_count;
    world_arena_forget();
    variables_share();
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    rank_region->zygote = getpid();
    fork_server_say(REGION_READY);
    for (char request;;) {
        ssize_t bytes = read(control, &request, 1);
        if (bytes < 0 && errno == EINTR)
            continue;
        if (bytes != 1)
            _exit(0);
        if (world_serve()) {
            errno = error;
            return;
        }
    }
}

int world_process_threads(void)
{
    return rank_level;
}

bool world_process_is_main(void)
{
    return getpid() == syscall(SYS_gettid);
}

void world_process_aborts(int code)
{
    CORE_CHECK(rank_own >= 0);
    rank_region->rank[rank_own].aborted = true;
    rank_region->rank[rank_own].abort_code = code;
}
