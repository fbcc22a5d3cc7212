/* See the header. The command is the leader of its own process group, so that a terminal's signals
 * are for us, and that all it started here can be ended. */
#include "core/search/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"
#include "core/file.h"

enum { STEP_MS = 10, TERMINATED_MS = 10000 };

struct search_launcher {
    pid_t process; /* 0: it has ended */
    int status;
    char script[PATH_MAX];
};

/* --- the script ------------------------------------------------------------------------------- */

static void quoted_write(const char *word, FILE *file)
{
    CORE_CHECK(word && file);
    fputc('\'', file);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", file);
        else
            fputc(*word, file);
    fputc('\'', file);
}

static bool script_write(const char *path, uint64_t number, char *const argv[])
{
    CORE_CHECK(number && argv[0]);
    char folder[PATH_MAX], program[PATH_MAX];
    int fd = core_file_create(path, O_WRONLY | O_EXCL);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file || !getcwd(folder, sizeof folder) || !core_program_file(program, sizeof program)) {
        if (file)
            fclose(file);
        return false;
    }
    fputs("cd ", file);
    quoted_write(folder, file);
    fprintf(file, " && %s=%016" PRIx64 " exec ", SEARCH_LAUNCHER_NUMBER, number);
    quoted_write(program, file);
    for (; *argv; argv++) {
        fputc(' ', file);
        quoted_write(*argv, file);
    }
    fputc('\n', file);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

/* --- the command ------------------------------------------------------------------------------ */

static _Noreturn void command_run(const char *command, const char *script, pid_t parent)
{
    static const char word[] = " /bin/sh \"$0\"";
    size_t bytes = strlen(command) + sizeof word;
    char *line = malloc(bytes);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!line || null < 0 || getppid() != parent)
        _exit(126);
    snprintf(line, bytes, "%s%s", command, word);
    setpgid(0, 0);
    dup2(null, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* our output is the result */
    execl("/bin/sh", "sh", "-c", line, script, (char *)NULL);
    _exit(126);
}

enum core_status search_launcher_start(const char *command, uint64_t number, char *const argv[],
                                       struct search_launcher **out)
{
    struct search_launcher *launcher = NULL;
    char folder[PATH_MAX - 64];
    pid_t parent = getpid();
    enum core_status status = CORE_ARRAY_NEW(launcher, 1, "the command of --spread");
    if (status != CORE_OK)
        return status;
    if (!getcwd(folder, sizeof folder))
        folder[0] = 0;
    snprintf(launcher->script, sizeof launcher->script, "%s/.crosswait-helper-%016" PRIx64, folder,
             number);
    fflush(NULL);
    if (!script_write(launcher->script, number, argv))
        status = core_report(CORE_IO, "cannot write '%s', which --spread runs: %s",
                             launcher->script, strerror(errno));
    else if ((launcher->process = fork()) == 0)
        command_run(command, launcher->script, parent);
    else if (launcher->process < 0)
        status = core_report(CORE_IO, "cannot start the command of --spread: %s", strerror(errno));
    if (status == CORE_OK) {
        setpgid(launcher->process, launcher->process);
        *out = launcher;
        return CORE_OK;
    }
    unlink(launcher->script);
    free(launcher);
    return status;
}

bool search_launcher_ended(struct search_launcher *launcher, int *out_status)
{
    int status;
    CORE_CHECK(launcher->process >= 0);
    if (launcher->process && waitpid(launcher->process, &status, WNOHANG) == launcher->process) {
        launcher->process = 0;
        launcher->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    *out_status = launcher->status;
    return !launcher->process;
}

/* Returns false if the command still runs after that time. */
static bool command_wait(struct search_launcher *launcher, int limit_ms)
{
    int status;
    for (int waited = 0; !search_launcher_ended(launcher, &status); waited += STEP_MS) {
        if (waited >= limit_ms)
            return false;
        poll(NULL, 0, STEP_MS);
    }
    return true;
}

int search_launcher_end(struct search_launcher *launcher, int limit_ms)
{
    pid_t group = launcher->process;
    bool ended = command_wait(launcher, limit_ms);
    int status = ended ? launcher->status : -1;
    if (!ended) {
        CORE_CHECK(group > 0);
        kill(-group, SIGTERM);
        if (!command_wait(launcher, TERMINATED_MS)) {
            kill(-group, SIGKILL);
            command_wait(launcher, TERMINATED_MS);
        }
    }
    unlink(launcher->script);
    free(launcher);
    return status;
}
