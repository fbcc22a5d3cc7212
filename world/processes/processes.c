/* The runner of worlds of processes: starts the program, requests worlds, and reads their results.
 * See region.h for what both sides share. */
#include "world/processes/processes.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/check.h"
#include "world/processes/environment.h"
#include "world/processes/region.h"
#include "world/rule.h"

enum {
    PAGE = 4096,
    START_MS = 60000,
    WORLD_MS = 10000,
    END_MS = 5000,
    VARIABLES_BYTES = 1 << 20, /* enough for the library's variables and its tables */
    NOT_RUN = 127,             /* exit status if the program does not exist */
    FILES_FIRST = 64           /* number of the first file for the program's side */
};
#define MEMORY_BYTES ((size_t)1 << 30)

struct code {                    /* code that is mapped from a file of the program */
    uint64_t low, high, address; /* address: of `low`, as the file counts addresses */
    char *path;
};

struct caught { /* an output stream of a rank */
    int file;
    char *text;
    size_t bytes, room;
};

struct world_processes {
    int rank_count;
    uint32_t world_ms_max;
    bool patient;
    struct region *region;
    size_t bytes;
    int region_file, control; /* the socket */
    pid_t child;              /* the started process: the program, or what starts it */
    struct caught *caught;    /* standard output and error of each rank */
    char *early[2];           /* output of the program before its MPI_Init */
    size_t early_bytes[2];
    struct world_rank_outcome *rank;
    struct code *code;
    size_t code_count;
    struct world_decisions decisions;
    int debugged; /* a rank, or -1 */
    world_attach_fn attach;
    void *attach_context;
};

/* --- the start -------------------------------------------------------------------------------- */

static int stream_count(const struct world_processes *w)
{
    CORE_CHECK(w->rank_count >= 1 && w->rank_count <= WORLD_RANKS_MAX);
    return 2 * w->rank_count;
}

static int file_new(const char *name)
{
    return memfd_create(name, MFD_CLOEXEC);
}

static enum core_status region_make(struct world_processes *w, size_t memory)
{
    size_t head = (sizeof *w->region + PAGE - 1) & ~(size_t)(PAGE - 1);
    size_t tables = (size_t)w->rank_count * 4096 + VARIABLES_BYTES;
    w->bytes = head + tables + (memory ? memory : MEMORY_BYTES);
    w->bytes = (w->bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    CORE_CHECK(w->bytes % PAGE == 0 && w->bytes > head + tables);
    w->region_file = file_new("world");
    if (w->region_file < 0 || ftruncate(w->region_file, (off_t)w->bytes) != 0)
        return core_report(CORE_IO, "no memory file of %zu bytes for worlds: %s", w->bytes,
                           strerror(errno));
    w->region =
        mmap(NULL, w->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, w->region_file, 0);
    if (w->region == MAP_FAILED) {
        w->region = NULL;
        return core_report(CORE_IO, "a memory file of worlds cannot be mapped: %s",
                           strerror(errno));
    }
    w->region->version = REGION_VERSION;
    w->region->rank_count = (uint32_t)w->rank_count;
    w->region->bytes = w->bytes;
    return CORE_OK;
}

static enum core_status streams_make(struct world_processes *w)
{
    struct rlimit limit;
    rlim_t need = (rlim_t)(FILES_FIRST + w->region_file + 2 * stream_count(w) + 256);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < need) {
        limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    w->caught = calloc((size_t)stream_count(w), sizeof *w->caught);
    w->rank = calloc((size_t)w->rank_count, sizeof *w->rank);
    if (!w->caught || !w->rank)
        return CORE_NO_MEMORY;
    for (int i = 0; i < stream_count(w); i++) {
        w->caught[i].file = file_new("stream");
        if (w->caught[i].file < 0)
            return core_report(CORE_LIMIT, "no file for the output of %d ranks: %s", w->rank_count,
                               strerror(errno));
    }
    return CORE_OK;
}

static int file_of(const struct world_processes *w, int socket, int number)
{
    CORE_CHECK(number >= 0 && number < 2 + stream_count(w));
    return number == 0 ? w->region_file : number == 1 ? socket : w->caught[number - 2].file;
}

/* Gives the files the numbers by which the program's side finds them. First copies them to numbers
 * above all present ones, so that no copy replaces a file that is still to be copied. */
static bool files_place(const struct world_processes *w, int socket)
{
    int count = 2 + stream_count(w), above = FILES_FIRST + count;
    for (int i = 0; i < count; i++)
        above = file_of(w, socket, i) < above ? above : file_of(w, socket, i) + 1;
    CORE_CHECK(above >= FILES_FIRST + count); /* nor at a number that is still needed */
    for (int i = 0; i < count; i++)
        if (dup3(file_of(w, socket, i), above + i, O_CLOEXEC) < 0)
            return false;
    for (int i = 0; i < count; i++)
        if (dup2(above + i, FILES_FIRST + i) < 0)
            return false;
    return true;
}

/* Runs the program in the child. */
static _Noreturn void program_run(const struct world_processes *w,
                                  const struct world_program *program, enum region_abi abi,
                                  const char *library, int socket, pid_t parent)
{
    char name[32] = "/dev/null";
    if (program->input)
        snprintf(name, sizeof name, "/proc/self/fd/%d", program->input);
    int input = open(name, O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0); /* signals of a terminal go to the runner of the worlds */
    dup2(input, 0);
    if (input > 0)
        close(input);
    if (!files_place(w, socket))
        _exit(126);
    dup2(FILES_FIRST + 2, 1);
    dup2(FILES_FIRST + 3, 2);
    w->region->scratch.strict = program->unheard;
    clock_gettime(CLOCK_REALTIME_COARSE, &w->region->scratch.since); /* the clock of files */
    if (!program->real_files)
        scratch_enter(&w->region->scratch);
    personality(ADDR_NO_RANDOMIZE);
    char files[32];
    snprintf(files, sizeof files, "%d,%d", FILES_FIRST, FILES_FIRST + 1);
    environment_set(program, abi, library);
    setenv(REGION_VARIABLE, files, 1);
    execvp(program->argv[0], (char *const *)(uintptr_t)program->argv);
    dprintf(2, "crosswait: '%s' cannot be run: %s\n", program->argv[0], strerror(errno));
    _exit(NOT_RUN);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Waits so many milliseconds for a message from the program's side; returns 0 if there is none, -1
 * if the program has ended. */
static int processes_hear(const struct world_processes *w, uint64_t ms)
{
    uint64_t until = now_ms() + ms;
    for (;;) {
        uint64_t now = now_ms();
        struct pollfd wait = {.fd = w->control, .events = POLLIN};
        int ready = poll(&wait, 1, now < until ? (int)(until - now) : 0);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return 0;
        char said;
        ssize_t bytes = read(w->control, &said, 1);
        if (bytes < 0 && errno == EINTR)
            continue;
        return bytes == 1 ? said : -1;
    }
}

/* Returns how long the process could have computed while others had the processors. */
static uint64_t process_waited_ms(pid_t process)
{
    char path[40];
    uint64_t waited_ns = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)process);
    FILE *file = process > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return 0;
    int read = fscanf(file, "%*u %" SCNu64, &waited_ns);
    fclose(file);
    return read == 1 ? waited_ns / 1000000 : 0;
}

/* Sums this up for the ranks of the world, which began with it, or the program before it has any.
 */
static uint64_t waited_ms(const struct world_processes *w)
{
    uint64_t sum = w->region->rank[0].pid > 0 ? 0 : process_waited_ms(w->child);
    for (int r = 0; r < w->rank_count; r++)
        if (!w->region->rank[r].ended)
            sum += process_waited_ms(w->region->rank[r].pid);
    return sum;
}

/* As processes_hear(), but a world that had to wait for the processors has as much more time. */
static int world_hear(const struct world_processes *w, uint64_t ms)
{
    int said = processes_hear(w, ms);
    for (uint64_t before = 0, waited; !said && (waited = waited_ms(w)) > before; before = waited)
        said = processes_hear(w, waited - before);
    return said;
}

/* --- what the ranks write --------------------------------------------------------------------- */

/* Reads all of the file after `before`, and empties it. */
static enum core_status stream_read(struct caught *c, const char *before, size_t before_bytes)
{
    off_t end = lseek(c->file, 0, SEEK_END);
    size_t written = end > 0 ? (size_t)end : 0, bytes = before_bytes + written;
    if (bytes + 1 > c->room) {
        char *larger = realloc(c->text, 2 * bytes + 1);
        if (!larger)
            return CORE_NO_MEMORY;
        c->text = larger;
        c->room = 2 * bytes + 1;
    }
    if (before_bytes)
        memcpy(c->text, before, before_bytes);
    c->bytes = before_bytes;
    for (ssize_t got = 0; c->bytes < bytes; c->bytes += (size_t)got) {
        got =
            pread(c->file, c->text + c->bytes, bytes - c->bytes, (off_t)(c->bytes - before_bytes));
        if (got <= 0)
            break;
    }
    CORE_CHECK(c->bytes < c->room);
    c->text[c->bytes] = 0;
    if (written) {
        lseek(c->file, 0, SEEK_SET);
        if (ftruncate(c->file, 0) != 0)
            return core_report(CORE_IO, "the output of a rank cannot be emptied: %s",
                               strerror(errno));
    }
    return CORE_OK;
}

/* Reads what the program wrote as rank 0 before ranks existed: every rank's output begins with it.
 */
static enum core_status early_read(struct world_processes *w)
{
    for (int s = 0; s < 2; s++) {
        enum core_status status = stream_read(&w->caught[s], NULL, 0);
        if (status != CORE_OK)
            return status;
        w->early[s] = malloc(w->caught[s].bytes + 1);
        if (!w->early[s])
            return CORE_NO_MEMORY;
        w->early_bytes[s] = w->caught[s].bytes;
        memcpy(w->early[s], w->caught[s].text, w->caught[s].bytes + 1);
    }
    return CORE_OK;
}

static enum core_status streams_read(struct world_processes *w)
{
    enum core_status status = CORE_OK;
    for (int i = 0; i < stream_count(w) && status == CORE_OK; i++)
        status = stream_read(&w->caught[i], w->early[i % 2], w->early_bytes[i % 2]);
    return status;
}

/* --- where code lies -------------------------------------------------------------------------- */

/* Returns the address, as the file counts it, of code that is mapped from that offset. A linker may
 * give a segment an address that differs from its offset, and an executable that is always loaded
 * at one place has the addresses of that place. */
static uint64_t code_address(const char *path, uint64_t offset)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t address = offset;
    Elf64_Ehdr head = {.e_phnum = 0};
    Elf64_Phdr part;
    CORE_CHECK(*path == '/' && page);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return address;
    if (pread(file, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        head.e_phnum = 0;
    for (int i = 0; i < head.e_phnum; i++)
        if (pread(file, &part, sizeof part, (off_t)(head.e_phoff + i * sizeof part)) ==
                sizeof part &&
            part.p_type == PT_LOAD && (part.p_flags & PF_X) &&
            part.p_offset - part.p_offset % page <= offset &&
            offset < part.p_offset + part.p_filesz)
            address = offset - part.p_offset + part.p_vaddr;
    close(file);
    return address;
}

static enum core_status code_read(struct world_processes *w)
{
    char line[4096];
    size_t bytes = strnlen(w->region->maps, REGION_MAPS_MAX);
    FILE *maps = bytes ? fmemopen(w->region->maps, bytes, "r") : NULL;
    enum core_status status = CORE_OK;
    while (maps && status == CORE_OK && fgets(line, sizeof line, maps)) {
        unsigned long long low, high, offset;
        char flags[8];
        int path = 0;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &low, &high, flags, &offset, &path) < 4 ||
            !strchr(flags, 'x') || line[path] != '/')
            continue;
        struct code *larger = realloc(w->code, (w->code_count + 1) * sizeof *larger);
        if (!larger) {
            status = CORE_NO_MEMORY;
            break;
        }
        w->code = larger;
        w->code[w->code_count] =
            (struct code){low, high, code_address(line + path, offset), strdup(line + path)};
        if (!w->code[w->code_count++].path)
            status = CORE_NO_MEMORY;
    }
    if (maps)
        fclose(maps);
    return status;
}

const char *world_processes_scratch(const struct world_processes *w)
{
    return w->region->scratch.count ? NULL : w->region->scratch.why;
}

bool world_processes_site(const struct world_processes *w, uint64_t address, const char **out_path,
                          uint64_t *out_address)
{
    for (size_t i = 0; i < w->code_count; i++)
        if (address >= w->code[i].low && address < w->code[i].high) {
            *out_path = w->code[i].path;
            *out_address = address - w->code[i].low + w->code[i].address;
            return true;
        }
    return false;
}

bool world_processes_script(const struct world_processes *w, uint64_t site, const char **out_path,
                            int *out_line)
{
    if (!(site & REGION_SCRIPT))
        return false;
    for (uint64_t at = site, tried = 0; tried < REGION_SCRIPTS_MAX; at++, tried++) {
        const struct region_script *script = &w->region->script[at % REGION_SCRIPTS_MAX];
        if (script->site == site && memchr(script->path, 0, sizeof script->path)) {
            *out_path = script->path;
            *out_line = script->line;
            return true;
        }
    }
    return false;
}

/* --- start and end ---------------------------------------------------------------------------- */

/* Waits until the program is ready. *out_wanted: the ABI with which to start the program again;
 * otherwise unchanged. */
static enum core_status came_up(struct world_processes *w, const struct world_program *program,
                                enum region_abi *out_wanted)
{
    uint32_t limit = program->start_ms_max && program->start_ms_max < START_MS
                         ? program->start_ms_max
                         : START_MS;
    int said = program->patient ? world_hear(w, limit) : processes_hear(w, limit);
    enum core_status status = early_read(w);
    if (status == CORE_OK && said == REGION_READY)
        status = code_read(w);
    if (status != CORE_OK || said == REGION_READY)
        return status;
    if (said == REGION_REFUSED && *out_wanted == REGION_OPENMPI && !program->library &&
        w->region->abi < REGION_OTHER && w->region->abi != REGION_OPENMPI) {
        *out_wanted = w->region->abi;
        return CORE_UNSUPPORTED;
    }
    if (!program->unheard) {
        fputs(w->early[0], stdout);
        fflush(stdout);
        fputs(w->early[1], stderr);
    }
    if (said == REGION_REFUSED)
        return core_report(CORE_UNSUPPORTED, "explore cannot run '%s': %s", program->argv[0],
                           w->region->refusal);
    if (said == 0)
        return core_report(
            CORE_BUDGET, "'%s' does not reach its first MPI call that concerns ranks within %u ms",
            program->argv[0], limit);
    int ended = 0;
    if (waitpid(w->child, &ended, 0) == w->child)
        w->child = -1;
    if (WIFSIGNALED(ended))
        return core_report(CORE_BAD_INPUT,
                           "'%s' is ended by signal %d before its ranks can begin%s",
                           program->argv[0], WTERMSIG(ended),
                           w->region->number_read ? "; it reads its rank from the environment, "
                                                    "which a world sets in MPI_Init"
                                                  : "");
    return core_report(WEXITSTATUS(ended) == NOT_RUN ? CORE_NOT_FOUND : CORE_BAD_INPUT,
                       "'%s' ends with status %d before its ranks can begin", program->argv[0],
                       WEXITSTATUS(ended));
}

static enum core_status program_start(struct world_processes *w,
                                      const struct world_program *program, enum region_abi *abi)
{
    char library[8192];
    if (!environment_library(program->library, *abi, library, sizeof library))
        return core_report(CORE_NOT_FOUND,
                           "cannot find crosswait's own %s; build or install crosswait again",
                           environment_library_name(*abi));
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return core_report(CORE_IO, "no socket: %s", strerror(errno));
    w->control = pair[0];
    CORE_CHECK(w->child < 0); /* one struct starts one program */
    pid_t parent = getpid();
    fflush(NULL);
    w->child = fork();
    if (w->child == 0)
        program_run(w, program, *abi, library, pair[1], parent);
    close(pair[1]);
    if (w->child < 0)
        return core_report(CORE_IO, "no process for '%s': %s", program->argv[0], strerror(errno));
    return came_up(w, program, abi);
}

static enum core_status processes_start(const struct world_program *program, enum region_abi *abi,
                                        struct world_processes **out_worlds)
{
    struct world_processes *w = calloc(1, sizeof *w);
    if (!w)
        return CORE_NO_MEMORY;
    w->rank_count = program->rank_count;
    w->world_ms_max = program->world_ms_max ? program->world_ms_max : WORLD_MS;
    w->patient = program->patient;
    w->region_file = w->control = w->child = w->debugged = -1;
    enum core_status status = region_make(w, program->memory_bytes);
    if (status == CORE_OK)
        status = streams_make(w);
    if (status == CORE_OK)
        w->region->look_ns = program->look_ns;
    if (status == CORE_OK)
        status = program_start(w, program, abi);
    if (status != CORE_OK) {
        world_processes_end(w);
        return status;
    }
    CORE_CHECK(w->region && w->control >= 0);
    *out_worlds = w;
    return CORE_OK;
}

/* Starts the program for Open MPI's ABI first; what it has loaded when it calls MPI tells the real
 * one. */
enum core_status world_processes_start(const struct world_program *program,
                                       struct world_processes **out_worlds)
{
    if (program->rank_count < 1 || program->rank_count > WORLD_RANKS_MAX)
        return core_report(CORE_BAD_INPUT, "%d ranks: a world has 1 to %d", program->rank_count,
                           WORLD_RANKS_MAX);
    enum region_abi abi = REGION_OPENMPI;
    enum core_status status = processes_start(program, &abi, out_worlds);
    if (status == CORE_UNSUPPORTED && abi != REGION_OPENMPI)
        status = processes_start(program, &abi, out_worlds);
    return status;
}

static void program_end(struct world_processes *w)
{
    if (w->control >= 0)
        close(w->control); /* the server then ends by itself */
    if (w->region && w->region->zygote > 0 && w->region->zygote != w->child)
        kill(w->region->zygote, SIGKILL);
    if (w->child > 0) {
        kill(w->child, SIGKILL);
        while (waitpid(w->child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

void world_processes_end(struct world_processes *w)
{
    if (!w)
        return;
    program_end(w);
    for (int i = 0; w->caught && i < stream_count(w); i++) {
        if (w->caught[i].file > 0)
            close(w->caught[i].file);
        free(w->caught[i].text);
    }
    if (w->region)
        munmap(w->region, w->bytes);
    if (w->region_file >= 0)
        close(w->region_file);
    for (size_t i = 0; i < w->code_count; i++)
        free(w->code[i].path);
    free(w->code);
    free(w->early[0]);
    free(w->early[1]);
    free(w->caught);
    free(w->rank);
    free(w);
}

/* --- one world -------------------------------------------------------------------------------- */

static enum core_status request_write(struct region *region, const struct world_options *options)
{
    const struct replay_choice *choice = &options->choice;
    if (choice->kind != REPLAY_CHOICE_SEED && choice->kind != REPLAY_CHOICE_LIST)
        return core_report(CORE_BAD_INPUT, "worlds of processes choose by seed or by list");
    if (choice->count > WORLD_LOG_MAX)
        return core_report(CORE_LIMIT, "%zu choices, at most %d", choice->count, WORLD_LOG_MAX);
    const struct replay_names *send = &options->policy.send, *forced = &options->policy.forced;
    if ((uint64_t)send->count + forced->count > REGION_NAMED_MAX)
        return core_report(CORE_LIMIT, "a policy names more than %d calls", REGION_NAMED_MAX);
    region->policy = options->policy;
    if (send->count)
        memcpy(region->named, send->name, send->count * sizeof *send->name);
    if (forced->count)
        memcpy(region->named + send->count, forced->name, forced->count * sizeof *forced->name);
    region->late = options->late;
    region->warn_types = options->warn_types;
    region->step_count_max = options->step_count_max;
    region->look_ns = options->look_ns;
    region->reduce_last = options->reduce_last;
    region->kind = choice->kind;
    region->random = choice->random;
    region->choice_count =
        choice->count - (choice->at < choice->count ? choice->at : choice->count);
    CORE_CHECK(region->choice_count <= WORLD_LOG_MAX);
    if (region->choice_count)
        memcpy(region->choice, choice->list + choice->at,
               region->choice_count * sizeof *choice->list);
    return CORE_OK;
}

static const struct replay_policy *states_policy(void)
{
    static struct replay_policy policy;
    replay_policy_init(&policy);
    policy.order = REPLAY_ORDER_EXPLORE;
    policy.loads = REPLAY_LOADS_TURNS;
    policy.buffering = REPLAY_EAGER;
    return &policy;
}

/* Ends all processes that still run when the time is over, including those that are being forked.
 */
static int time_over(struct world_processes *w)
{
    struct region *region = w->region;
    region->time = 1;
    for (int tried = 0; tried < END_MS / 10; tried++) {
        for (int r = 0; r < w->rank_count; r++)
            if (region->rank[r].pid > 0 && !region->rank[r].ended)
                kill(region->rank[r].pid, SIGKILL);
        int said = processes_hear(w, 10);
        if (said)
            return said;
    }
    return 0;
}

void world_processes_debug(struct world_processes *w, int rank, world_attach_fn attach,
                           void *context)
{
    CORE_CHECK(rank >= 0 && rank < w->rank_count);
    w->debugged = rank;
    w->attach = attach;
    w->attach_context = context;
}

/* Waits for the process of the rank, and attaches the debugger; there may be no process if another
 * rank ends the world at once. */
static void debugger_attach(struct world_processes *w)
{
    struct pollfd said = {.fd = w->control, .events = POLLIN};
    const struct region_rank *rank = &w->region->rank[w->debugged];
    while (!rank->waits && poll(&said, 1, 1) == 0)
        ;
    if (rank->waits)
        w->attach(w->attach_context, rank->pid);
    w->region->debugged = 0;
}

static const char *name_of(const struct region *region, const char *text)
{
    uintptr_t number = (uintptr_t)text;
    return number && number <= REGION_NAMES_MAX ? region->name[number - 1].text : "";
}

static void names_resolve(struct region *region)
{
    for (size_t i = 0; i < region->question_count; i++)
        region->question[i].call = name_of(region, region->question[i].call);
    for (size_t i = 0; i < region->event_count; i++)
        region->event[i].call = name_of(region, region->event[i].call);
}

/* Returns our address for the program's address of so many bytes; NULL if they are not in the
 * region. */
static const void *processes_here(const struct region *region, const void *there, uint64_t count,
                                  size_t size)
{
    uint64_t at = (uintptr_t)there - region->address;
    bool inside = (uintptr_t)there >= region->address && at < region->bytes &&
                  count <= (region->bytes - at) / size;
    return inside && count ? (const uint8_t *)region + at : NULL;
}

/* Tells whether a thread of some rank may do more than was seen. */
static bool has_loose(const struct region *region)
{
    bool has = false;
    for (uint32_t r = 0; r < region->rank_count; r++)
        has |= region->rank[r].loose;
    return has;
}

/* Copies the decisions, with pointers to what they refer to in this process. */
static const struct world_decisions *decisions_read(struct world_processes *w)
{
    const struct region *region = w->region;
    const struct world_decisions *from =
        processes_here(region, region->outcome.decisions, 1, sizeof *from);
    if (!from)
        return NULL;
    struct world_decisions *d = &w->decisions;
    *d = *from;
    d->decision = processes_here(region, d->decision, d->decision_count, sizeof *d->decision);
    d->option = processes_here(region, d->option, d->option_count, sizeof *d->option);
    d->missed = processes_here(region, d->missed, d->missed_count, sizeof *d->missed);
    d->causes = processes_here(region, d->causes, d->causes_count, sizeof *d->causes);
    d->race = region->files.race;
    d->outside = WORLD_OUTSIDE_NONE;
    d->limited |= has_loose(region) || d->race.found || region->files.full;
    for (uint32_t r = 0; r < region->rank_count; r++) {
        d->limited |= region->rank[r].contended;
        d->blind_threads |= region->rank[r].several;
        d->blind_shared |= region->rank[r].shares;
        d->early |= region->rank[r].early;
        if (region->rank[r].outside && !d->outside) {
            d->outside = region->rank[r].outside;
            d->outside_rank = (int32_t)r;
        }
    }
    d->limited |= d->outside != WORLD_OUTSIDE_NONE;
    return d;
}

static bool rules_are_whole(const struct world_outcome *outcome)
{
    bool whole = true;
    CORE_CHECK(outcome->finding_count >= 0 && outcome->finding_count <= WORLD_FINDINGS_MAX);
    for (int i = 0; i < outcome->finding_count; i++)
        whole &= (unsigned)outcome->finding[i].rule < WORLD_RULE_COUNT;
    return whole;
}

/* Checks the answer: a rank that writes to wrong addresses may have overwritten shared memory. */
static bool answer_is_whole(const struct region *region, const struct world_decisions *d)
{
    return region->outcome.finding_count >= 0 &&
           region->outcome.finding_count <= WORLD_FINDINGS_MAX &&
           rules_are_whole(&region->outcome) && region->question_count <= WORLD_LOG_MAX &&
           region->event_count <= WORLD_LOG_MAX &&
           (!d || (!d->decision == !d->decision_count && !d->option == !d->option_count &&
                   !d->missed == !d->missed_count && !d->causes == !d->causes_count));
}

static void broken_off(struct world_processes *w, bool overdue)
{
    if (!w->region->outcome.decisions)
        w->decisions = (struct world_decisions){0};
    w->decisions.unfinished = true;
    w->decisions.overdue = overdue;
    w->region->outcome.decisions = &w->decisions;
}

/* Tells whether a limit of ours ended the world, not the program. */
static bool is_beyond(const struct region *region)
{
    bool beyond = false;
    for (int i = 0; i < region->outcome.finding_count; i++)
        beyond |= region->outcome.finding[i].rule == WORLD_RULE_LIMIT;
    return beyond;
}

/* Tells whether a rank had ended the job while others had not ended when the time was over. */
static bool is_ended(const struct region *region)
{
    bool ended = false;
    CORE_CHECK(region->outcome.finding_count <= WORLD_FINDINGS_MAX); /* answer_is_whole */
    for (int i = 0; i < region->outcome.finding_count; i++)
        ended |= world_rule_is(region->outcome.finding[i].rule, WORLD_ENDS);
    return ended && region->outcome.decisions;
}

/* Tells whether a rank that seems to wait for ever might be woken by a thread outside of MPI. */
static bool is_unsure(struct region *region, struct world_decisions *decisions)
{
    bool unsure = false;
    for (int i = 0; i < region->outcome.finding_count; i++) {
        struct world_finding *finding = &region->outcome.finding[i];
        if (!has_loose(region) ||
            (finding->rule != WORLD_RULE_DEADLOCK && finding->rule != WORLD_RULE_LIVELOCK))
            continue;
        unsure = true;
        finding->rule = WORLD_RULE_THREADS;
        snprintf(finding->text, sizeof finding->text,
                 "a rank waits in MPI while another thread of a rank waits for something other "
                 "than MPI: a world cannot tell whether that thread continues");
    }
    if (unsure && decisions)
        decisions->cut = decisions->limited = true;
    return unsure;
}

static void rank_read(const struct world_processes *w, int r)
{
    CORE_CHECK(r >= 0 && r < w->rank_count);
    struct region_rank *from = &w->region->rank[r];
    struct world_rank_outcome *to = &w->rank[r];
    *to = (struct world_rank_outcome){.end = WORLD_RANK_STOPPED};
    if (from->aborted)
        *to =
            (struct world_rank_outcome){.end = WORLD_RANK_ABORTED, .abort_code = from->abort_code};
    else if (!from->stopped && from->ended && WIFEXITED(from->status))
        *to = (struct world_rank_outcome){.end = WORLD_RANK_EXITED,
                                          .exit_status = WEXITSTATUS(from->status)};
    else if (!from->stopped && from->ended && !w->region->time)
        *to =
            (struct world_rank_outcome){.end = WORLD_RANK_KILLED, .signal = WTERMSIG(from->status)};
    CORE_CHECK(w->caught[2 * r].text && w->caught[2 * r + 1].text); /* streams_read ran before */
    to->output = w->caught[2 * r].text;
    to->output_bytes = w->caught[2 * r].bytes;
    to->errors = w->caught[2 * r + 1].text;
    to->errors_bytes = w->caught[2 * r + 1].bytes;
    from->call[sizeof from->call - 1] = from->why[sizeof from->why - 1] = 0;
    to->call = *from->call ? from->call : NULL;
    to->why = from->why;
    to->site = from->site;
    to->detaching = from->detaching;
    to->seeds = from->seeds;
    to->varies = from->varies;
}

static uint64_t computed_of(const struct region *region, int ranks)
{
    uint64_t sum = 0;
    for (int r = 0; r < ranks; r++) {
        if (!region->rank[r].left)
            return 0;
        sum += region->rank[r].computed_ns;
    }
    return sum;
}

static enum core_status run_once(struct world_processes *w, const struct world_options *options,
                                 struct world_process_outcome *out_outcome)
{
    struct region *region = w->region;
    enum core_status status = request_write(region, options);
    if (status != CORE_OK)
        return status;
    region->debugged = w->debugged + 1;
    if (region->busy || send(w->control, "w", 1, MSG_NOSIGNAL) != 1)
        return core_report(CORE_IO, "the program that worlds are forked from has ended");
    if (w->debugged >= 0)
        debugger_attach(w);
    bool less = options->left_ms && options->left_ms <= w->world_ms_max, over;
    const uint32_t ms = less ? options->left_ms : w->world_ms_max;
    int said = less && !w->patient ? processes_hear(w, ms) : world_hear(w, ms);
    if ((over = said == 0))
        said = time_over(w);
    status = streams_read(w);
    if (status == CORE_OK && said != REGION_DONE)
        status = core_report(CORE_IO, "the program that worlds are forked from %s: %s",
                             said == REGION_FAILED ? "cannot begin one" : "has ended",
                             w->caught[1].text);
    if (status != CORE_OK)
        return status;
    region->bug[sizeof region->bug - 1] = 0;
    if (*region->bug)
        return core_report(
            CORE_UNSUPPORTED,
            "a bug of crosswait ended a world, or a rank overwrote memory that the ranks share: %s",
            region->bug);
    region->files_written[sizeof region->files_written - 1] = 0;
    region->outcome.decisions = decisions_read(w);
    if (!answer_is_whole(region, region->outcome.decisions))
        return core_report(CORE_BAD_FORMAT, "a rank has overwritten memory that the ranks share");
    names_resolve(region);
    if (over && is_ended(region))
        w->decisions.early = true;
    else if (over || is_beyond(region))
        broken_off(w, !over || !less);
    bool unsure = is_unsure(region, region->outcome.decisions ? &w->decisions : NULL);
    for (int r = 0; r < w->rank_count; r++)
        rank_read(w, r);
    *out_outcome = (struct world_process_outcome){.world = region->outcome,
                                                  .rank = w->rank,
                                                  .computed_ns = computed_of(region, w->rank_count),
                                                  .question = region->question,
                                                  .event = region->event,
                                                  .question_count = region->question_count,
                                                  .event_count = region->event_count,
                                                  .files = region->files_written,
                                                  .lost = region->lost,
                                                  .unsure = unsure};
    return CORE_OK;
}

enum core_status world_processes_run(struct world_processes *w, const struct world_options *options,
                                     struct world_process_outcome *out_outcome)
{
    struct region *region = w->region;
    enum core_status status = run_once(w, options, out_outcome);
    while (status == CORE_OK && region->again) /* it learns something each time */
        status = run_once(w, options, out_outcome);
    for (size_t i = 0; status == CORE_OK && options->event && i < region->event_count; i++)
        options->event(options->event_context, &region->event[i]);
    return status;
}

/* --- a world from its states ------------------------------------------------------------------ */

enum { STATES_END_MS = 20000, STATES_LOOK_MS = 100 };

static int states_hear(const struct world_processes *w, uint32_t ms_max, volatile const int *stop)
{
    const uint64_t until = now_ms() + ms_max + STATES_END_MS;
    int said = 0;
    while (!(said = processes_hear(w, STATES_LOOK_MS)) && now_ms() < until)
        if (stop && *stop)
            w->region->states.stop = 1;
    return said;
}

static enum core_status states_once(struct world_processes *w, uint32_t ms_max,
                                    volatile const int *stop)
{
    struct region *region = w->region;
    const struct world_options options = {.policy = *states_policy(),
                                          .choice = {.kind = REPLAY_CHOICE_LIST}};
    enum core_status status = request_write(region, &options);
    if (status != CORE_OK)
        return status;
    region->debugged = 0;
    region->states.wanted = true;
    region->states.ms_max = ms_max;
    region->states.stop = 0;
    if (region->busy || send(w->control, "w", 1, MSG_NOSIGNAL) != 1)
        return core_report(CORE_IO, "the program that worlds are forked from has ended");
    int said = states_hear(w, ms_max, stop);
    status = streams_read(w);
    if (status == CORE_OK && said != REGION_DONE)
        status =
            core_report(CORE_IO, "the program that worlds are forked from %s: %s %s",
                        said ? "has ended" : "does not answer", region->bug, w->caught[1].text);
    return status;
}

/* Tells whether the search failed because buffers of receives were left out. It has then noted a
 * further rank whose buffers count. */
static bool wants_unmasked(const struct region *region)
{
    return !region->states.complete && !strcmp(region->states.why, WORLD_STATES_SHORTER);
}

enum core_status world_processes_states(struct world_processes *w, uint32_t ms_max,
                                        volatile const int *stop, struct world_states *result)
{
    struct region_states *states = &w->region->states;
    const uint64_t until = now_ms() + ms_max;
    memset(states->unmasked, 0, sizeof states->unmasked);
    states->as_one = result->as_one;
    enum core_status status = states_once(w, ms_max, stop);
    for (uint32_t i = 0; status == CORE_OK && i < w->region->rank_count &&
                         wants_unmasked(w->region) && now_ms() < until;
         i++)
        status = states_once(w, (uint32_t)(until - now_ms()), stop);
    if (status != CORE_OK)
        return status;
    states->why[sizeof states->why - 1] = 0;
    states->together[sizeof states->together - 1] = 0;
    if (states->answer_count > REGION_ANSWERS_MAX)
        return core_report(CORE_BAD_FORMAT, "a rank has overwritten memory that the ranks share");
    *result = (struct world_states){.complete = states->complete,
                                    .asked_again = states->asked_again,
                                    .why = states->why,
                                    .together = states->together,
                                    .states = states->state_count,
                                    .steps = states->step_count,
                                    .ends = states->list_count,
                                    .answer = states->answer,
                                    .answer_count = states->answer_count};
    return CORE_OK;
}
