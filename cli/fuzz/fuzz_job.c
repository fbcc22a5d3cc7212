/* See fuzz_job.h. Finds sh, clang, mpicc and nm through PATH.
 *
 * State: the running child, and the signal that asked to end the command. */
#include "core/file.h"
#include "core/trace/describe.h"
#include "cli/fuzz/fuzz_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MAX = 64 };

static bool path_join(char out[FUZZ_PATH_MAX], const char *folder, const char *name)
{
    return snprintf(out, FUZZ_PATH_MAX, "%s/%s", folder, name) < FUZZ_PATH_MAX;
}

static bool share_good(const char *share)
{
    char path[FUZZ_PATH_MAX];
    return path_join(path, share, "build.sh") && access(path, X_OK) == 0;
}

enum core_status fuzz_share_find(char share[FUZZ_PATH_MAX])
{
    const char *given = getenv("CROSSWAIT_SHARE");
    char self[FUZZ_PATH_MAX - 64];
    if (given && *given) {
        snprintf(share, FUZZ_PATH_MAX, "%s", given);
        if (share_good(share))
            return CORE_OK;
        return core_report(CORE_NOT_FOUND, "CROSSWAIT_SHARE is '%s', and there is no 'build.sh'",
                           given);
    }
    if (core_program_folder(self, sizeof self)) {
        snprintf(share, FUZZ_PATH_MAX, "%s/share/crosswait", self);
        if (share_good(share))
            return CORE_OK;
        snprintf(share, FUZZ_PATH_MAX, "%s/../lib/crosswait/fuzz", self);
        if (share_good(share))
            return CORE_OK;
    }
    return core_report(
        CORE_NOT_FOUND,
        "cannot find the files that build collectives ('share/crosswait/build.sh' beside the "
        "program, or '../lib/crosswait/fuzz'): install all of crosswait (by 'make install', or the "
        "package crosswait-fuzz; pip's wheel lacks them), or set CROSSWAIT_SHARE");
}

enum core_status fuzz_folder_make(const char *path)
{
    char part[FUZZ_PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1;; at++) {
        char end = *at;
        if (end && end != '/')
            continue;
        *at = 0;
        if (mkdir(part, 0777) && errno != EEXIST)
            return core_report(CORE_IO, "cannot make the folder '%s': %s", part, strerror(errno));
        if (!end)
            return CORE_OK;
        *at = end;
    }
}

/* --- processes -------------------------------------------------------------------------------- */

static void fuzz_job_redirect(const char *path, int fd)
{
    if (!path)
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 || dup2(file, fd) < 0) {
        fprintf(stderr, "crosswait: cannot write '%s': %s\n", path, strerror(errno));
        _exit(126);
    }
}

static volatile sig_atomic_t running, heard;

int fuzz_interrupted(void)
{
    return heard ? 128 + heard : 0;
}

/* Passes SIGTERM on to the child; a terminal's interrupt reaches it anyway. A second signal ends
 * this process. */
static void on_interrupt(int number)
{
    if (number == SIGTERM && running > 0)
        kill(running, SIGINT);
    heard = number;
}

void fuzz_hear(void)
{
    static const int heard_of[] = {SIGINT, SIGTERM};
    struct sigaction hear = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, before;
    for (size_t i = 0; i < sizeof heard_of / sizeof *heard_of; i++)
        if (sigaction(heard_of[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(heard_of[i], &hear, NULL);
}

/* Starts a child. An interrupt meanwhile ends the child, whatever this process does with it. */
static pid_t fuzz_job_start(char *const argv[], const char *output, const char *errors)
{
    struct sigaction action;
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    if (!child && sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* it does not outlive this process */
    if (getppid() != parent)
        _exit(127);
    fuzz_job_redirect(output, STDOUT_FILENO);
    if (errors && output && !strcmp(errors, output))
        dup2(STDOUT_FILENO, STDERR_FILENO);
    else
        fuzz_job_redirect(errors, STDERR_FILENO);
    execvp(argv[0], argv);
    fprintf(stderr, "crosswait: cannot start '%s': %s\n", argv[0], strerror(errno));
    _exit(127);
}

static int status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

enum core_status fuzz_spawn(char *const argv[], const char *output, const char *errors,
                            int *out_status)
{
    int status;
    pid_t child = fuzz_job_start(argv, output, errors);
    if (child < 0)
        return core_report(CORE_IO, "cannot start '%s': %s", argv[0], strerror(errno));
    running = child;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return core_report(CORE_IO, "cannot wait for '%s': %s", argv[0], strerror(errno));
    running = 0;
    *out_status = status_of(status);
    return CORE_OK;
}

/* Reads the last line of libFuzzer's log. */
struct progress {
    unsigned long worlds, branches;
};

/* Reads the last "#WORLDS ..." lines: libFuzzer's own with branches behind "ft: ", and those of
 * fuzz/libfuzzer_main.c, one a second. */
static void progress_read(const char *log, struct progress *progress)
{
    char tail[2048];
    FILE *file = fopen(log, "rb");
    if (!file)
        return;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fseek(file, size > 2000 ? size - 2000 : 0, SEEK_SET);
    tail[fread(tail, 1, sizeof tail - 1, file)] = 0;
    fclose(file);
    for (char *line = tail, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        char *branches = strstr(line, " ft: ");
        if (line[0] != '#' || (!branches && !strstr(line, " worlds")))
            continue;
        progress->worlds = strtoul(line + 1, NULL, 10);
        if (branches)
            progress->branches = strtoul(branches + strlen(" ft: "), NULL, 10);
    }
}

static void progress_show(const struct progress *progress, double elapsed, double seconds)
{
    char whole[16] = "", worlds[48], rate[32];
    if (progress->worlds == 0)
        return;
    if (seconds > 0)
        snprintf(whole, sizeof whole, "/%.0f", seconds);
    describe_count(progress->worlds, "world", worlds, sizeof worlds);
    describe_number((uint64_t)((double)progress->worlds / (elapsed < 1 ? 1 : elapsed)), rate,
                    sizeof rate);
    fprintf(stderr, "\r\033[Kcrosswait: %.0f%s s, %s, %s/s, %lu branch%s seen", elapsed, whole,
            worlds, rate, progress->branches, progress->branches == 1 ? "" : "es");
}

/* Prints the log's lines about findings, from *at on. */
static void found_show(const char *log, long *at)
{
    char line[1024];
    FILE *file = fopen(log, "r");
    if (!file)
        return;
    fseek(file, *at, SEEK_SET);
    while (fgets(line, sizeof line, file) && strchr(line, '\n')) {
        *at = ftell(file);
        if (!strncmp(line, FUZZ_FOUND, strlen(FUZZ_FOUND)))
            fprintf(stderr, "%s%s", isatty(STDERR_FILENO) ? "\r\033[K" : "", line);
    }
    fclose(file);
}

enum { TURN_MS = 20, SHOW_TURNS = 15, PATIENCE_TURNS = 250 };

/* Waits for the child, and shows its progress on a terminal. Kills it if it does not end after an
 * interrupt: its findings are in files. */
static int fuzz_job_watch(pid_t child, const char *log, double seconds,
                          const struct fuzz_watch *watch)
{
    const bool shown = isatty(STDERR_FILENO);
    struct progress progress = {0};
    struct timespec began, now;
    int status, patience = PATIENCE_TURNS;
    long at = 0;
    bool ends = false;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (long turn = 1; waitpid(child, &status, WNOHANG) != child; turn++) {
        nanosleep(&(struct timespec){.tv_nsec = TURN_MS * 1000000L}, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (turn % SHOW_TURNS == 0)
            found_show(log, &at);
        if (shown && turn % SHOW_TURNS == 0) {
            progress_read(log, &progress);
            progress_show(&progress, (double)(now.tv_sec - began.tv_sec), seconds);
        }
        if (!ends && watch && watch->ends(watch->context)) {
            ends = true;
            kill(child, SIGINT);
        }
        if ((heard || ends) && patience-- == 0)
            kill(child, SIGKILL);
    }
    found_show(log, &at);
    if (shown)
        fprintf(stderr, "\r\033[K");
    return status_of(status);
}

enum core_status fuzz_spawn_watched(char *const argv[], const char *output, const char *log,
                                    double seconds, const struct fuzz_watch *watch, int *out_status)
{
    if (isatty(STDERR_FILENO))
        setenv("CROSSWAIT_FUZZ_PROGRESS", "1", 1);
    running = fuzz_job_start(argv, output, log);
    if (running < 0)
        return core_report(CORE_IO, "cannot start '%s': %s", argv[0], strerror(errno));
    *out_status = fuzz_job_watch(running, log, seconds, watch);
    running = 0;
    if (heard)
        *out_status = fuzz_interrupted();
    return CORE_OK;
}

/* --- building --------------------------------------------------------------------------------- */

static bool fuzz_job_newer(const char *program, const char *source)
{
    struct stat a, b;
    return stat(program, &a) == 0 && stat(source, &b) == 0 &&
           (a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
            (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec > b.st_mtim.tv_nsec));
}

void fuzz_line(const char *path, const char *start, char line[512])
{
    FILE *file = fopen(path, "r");
    char read[512];
    line[0] = 0;
    while (file && !line[0] && fgets(read, sizeof read, file))
        if (strstr(read, start))
            strcpy(line, strstr(read, start));
    line[strcspn(line, "\n")] = 0;
    if (file)
        fclose(file);
}

/* Tells whether all sources of the last build are older than its product, and the options are the
 * same. */
static bool fuzz_job_fresh(const struct fuzz_job *job, const char *program)
{
    static const char *const made_of[] = {"build.sh",          "lib/libfuzz.a",  "lib/libworld.a",
                                          "lib/libcheckers.a", "lib/libmodel.a", "lib/libreplay.a",
                                          "lib/libcore.a"};
    char path[FUZZ_PATH_MAX], line[FUZZ_PATH_MAX], asked[FUZZ_PATH_MAX];
    const char *flags = job->cflags ? job->cflags : getenv("CFLAGS");
    size_t used = (size_t)snprintf(asked, sizeof asked, "%s", flags ? flags : "");
    for (int i = 0; i < job->file_count && used < sizeof asked; i++)
        used += (size_t)snprintf(asked + used, sizeof asked - used, " %s", job->file[i]);
    for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++)
        if (!path_join(path, job->share, made_of[i]) || !fuzz_job_newer(program, path))
            return false;
    snprintf(path, sizeof path, "%.4000s.made", program);
    FILE *file = fopen(path, "r");
    bool good = file && fgets(line, sizeof line, file);
    if (good)
        line[strcspn(line, "\n")] = 0;
    good = good && !strcmp(line, asked);
    while (good && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        good = fuzz_job_newer(program, line);
    }
    if (file)
        fclose(file);
    return good;
}

void fuzz_show(const char *path, FILE *out)
{
    char line[2048];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        fputs(line, out);
    if (file)
        fclose(file);
}

/* Reports a refused build. The log has a sentence on each line (build.sh). */
static enum core_status build_refused(const char *log, enum core_status status)
{
    char line[2048];
    FILE *file = fopen(log, "r");

    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        core_report(status, "%s", line);
    }
    if (file)
        fclose(file);
    return status;
}

static bool log_says(const char *log, const char *words)
{
    char line[2048];
    bool found = false;
    FILE *file = fopen(log, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, words) != NULL;
    if (file)
        fclose(file);
    return found;
}

/* Lists names in "undefined reference to `MPI_Win_create'" and the like, each once. */
static int missing_calls(const char *log, char names[FILES_MAX][64])
{
    char line[2048];
    int count = 0;
    FILE *file = fopen(log, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *at = strstr(line, "undefined reference to ");
        if (!at || !(at = strpbrk(at, "`'")))
            continue;
        char name[64];
        if (sscanf(at + 1, "%63[A-Za-z0-9_]", name) != 1 ||
            (strncmp(name, "MPI_", 4) && strncmp(name, "PMPI_", 5)))
            continue;
        bool known = false;
        for (int i = 0; i < count; i++)
            known |= !strcmp(names[i], name);
        if (!known && count < FILES_MAX)
            strcpy(names[count++], name);
    }
    if (file)
        fclose(file);
    return count;
}

static void show_calls(const struct fuzz_job *job)
{
    char library[FUZZ_PATH_MAX], list[FUZZ_PATH_MAX], line[256], name[200], kind;
    int status, column = 0;
    if (!path_join(library, job->share, "lib/libworld.a") ||
        !path_join(list, job->folder, "calls.txt"))
        return;
    char *argv[] = {"nm", "-g", "--defined-only", library, NULL};
    if (fuzz_spawn(argv, list, "/dev/null", &status) != CORE_OK || status)
        return;
    FILE *file = fopen(list, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%*s %c %199s", &kind, name) != 2 || (kind != 'T' && kind != 'W') ||
            strncmp(name, "MPI_", 4))
            continue;
        int length = (int)strlen(name) - 3;
        if (column + length > 98) {
            fputc('\n', stderr);
            column = 0;
        }
        column += fprintf(stderr, " %s", name + 4);
    }
    fputc('\n', stderr);
    if (file)
        fclose(file);
    unlink(list);
}

enum core_status fuzz_build(const struct fuzz_job *job, const char *kind,
                            char program[FUZZ_PATH_MAX])
{
    char script[FUZZ_PATH_MAX], log[FUZZ_PATH_MAX], names[FILES_MAX][64];
    char *argv[FILES_MAX + 8];
    int n = 0, status;
    if (job->file_count > FILES_MAX)
        return core_report(CORE_LIMIT, "more than %d source files", FILES_MAX);
    if (!path_join(script, job->share, "build.sh") || !path_join(program, job->folder, kind) ||
        !path_join(log, job->folder, "build.log"))
        return core_report(CORE_LIMIT, "the path of '%s' is too long", job->folder);
    struct stat about;
    for (int i = 0; i < job->file_count; i++)
        if (stat(job->file[i], &about) == 0 && S_ISDIR(about.st_mode))
            return core_report(CORE_NOT_FOUND, "'%s' is a folder, not a source file", job->file[i]);
        else if (access(job->file[i], R_OK))
            return core_report(CORE_NOT_FOUND, "cannot read '%s': %s", job->file[i],
                               strerror(errno));
    if (fuzz_job_fresh(job, program))
        return CORE_OK;
    argv[n++] = script;
    argv[n++] = (char *)(uintptr_t)kind;
    argv[n++] = (char *)(uintptr_t)job->share;
    argv[n++] = program;
    for (int i = 0; i < job->file_count; i++)
        argv[n++] = job->file[i];
    argv[n] = NULL;
    if (job->cflags)
        setenv("CFLAGS", job->cflags, 1);
    unlink(program);
    enum core_status result = fuzz_spawn(argv, log, log, &status);
    if (result != CORE_OK || status == 0)
        return result;
    if (status == 4 || status == 5)
        return build_refused(log, status == 4 ? CORE_IO : CORE_BAD_INPUT);
    if (status == 1) {
        fuzz_show(log, stderr);
        return core_report(CORE_BAD_INPUT, "'%s' does not compile", job->file[0]);
    }
    if (status == 2 && log_says(log, "multiple definition of `main'"))
        return core_report(CORE_BAD_INPUT,
                           "'%s' cannot be linked: it has a main of its own; put that between"
                           " #ifndef CROSSWAIT_FUZZ and #endif",
                           job->file[0]);
    int missing = status == 2 ? missing_calls(log, names) : 0;
    if (missing == 0) {
        fuzz_show(log, stderr);
        return core_report(status == 2 ? CORE_BAD_INPUT : CORE_IO, "'%s' cannot be linked",
                           job->file[0]);
    }
    for (int i = 0; i < missing; i++)
        core_report(CORE_BAD_INPUT, "the in-process MPI has no %s", names[i]);
    fprintf(stderr, "crosswait: it has, with MPI_ in front:\n");
    show_calls(job);
    return CORE_BAD_INPUT;
}
