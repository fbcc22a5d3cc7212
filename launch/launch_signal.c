/* Handles signals to the launcher. The command is in the launcher's process group. A signal to the
 * group (from the terminal, timeout(1), a CI runner) reaches it directly and must not reach it
 * twice: a second TERM makes mpirun abandon its cleanup. The launcher passes on a signal to itself
 * alone, except SIGUSR1, which requests a snapshot.
 *
 * A witness distinguishes the two: a child in the same group that only waits for the same signals.
 * A signal that it receives too was sent to the group.
 *
 * The witness outlives a launcher that was killed with SIGKILL, and then sends the command SIGTERM:
 * whoever kills the launcher, as test runners do after a time limit, means the job, which would run
 * on with nobody above it. What the command left in the background before it ended is left alone.
 * So is the job of a launcher that dies of a fault of its own: the launcher must not harm it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/launch_inside.h"

enum {
    SIGNAL_WITNESS_MS = 100
}; /* the time that the witness may take to report that it got the signal too */

static const int signals_passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/* Signals by which a fault of ours ends the launcher. */
static const int signals_faults[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGABRT,
                                     SIGSYS,  SIGPIPE, SIGXCPU, SIGXFSZ};
enum { SIGNAL_FAULTS = sizeof signals_faults / sizeof *signals_faults };

/* Shared with the witness. */
struct launch_command {
    atomic_int pid;                     /* 0: not started yet */
    _Atomic unsigned long long started; /* as /proc/PID/stat has it: the pid is not another's */
    atomic_bool fault;                  /* the launcher dies of one */
};
static struct launch_command *command_shared; /* of the handler */

static void on_fault(int number)
{
    atomic_store(&command_shared->fault, true);
    raise(number); /* the handler is gone (SA_RESETHAND): it takes its course when we return */
}

/* Handlers that somebody else has, such as a sanitizer's, stay. */
static void faults_watch(void)
{
    struct sigaction before, action = {.sa_handler = on_fault, .sa_flags = SA_RESETHAND};

    for (size_t i = 0; i < SIGNAL_FAULTS; i++)
        if (!sigaction(signals_faults[i], NULL, &before) && !(before.sa_flags & SA_SIGINFO) &&
            before.sa_handler == SIG_DFL)
            sigaction(signals_faults[i], &action, NULL);
}

static void faults_leave(void)
{
    struct sigaction now, before = {.sa_handler = SIG_DFL};

    for (size_t i = 0; i < SIGNAL_FAULTS; i++)
        if (!sigaction(signals_faults[i], NULL, &now) && now.sa_handler == on_fault)
            sigaction(signals_faults[i], &before, NULL);
}

/* When the process began, in the kernel's ticks; 0: there is none. */
static unsigned long long started_at(pid_t pid)
{
    enum { FIELDS_BEFORE = 19 }; /* from the state on */
    char text[LAUNCH_STAT_BYTES];
    const char *at = launch_stat(pid, text);

    for (int i = 0; at && i < FIELDS_BEFORE; i++)
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
    return at ? strtoull(at, NULL, 10) : 0;
}

static void command_end(const struct launch_command *command)
{
    pid_t pid = atomic_load(&command->pid);
    int fd = pid && !atomic_load(&command->fault) ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

    if (fd >= 0 && started_at(pid) == atomic_load(&command->started))
        syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0);
}

static _Noreturn void witness_run(int to, pid_t launcher, const struct launch_command *command)
{
    sigset_t set;
    int number;

    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    for (size_t i = 0; i < sizeof signals_passed / sizeof *signals_passed; i++)
        sigaddset(&set, signals_passed[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_PDEATHSIG, SIGALRM);
    while (getppid() == launcher && sigwait(&set, &number) == 0) {
        unsigned char byte = (unsigned char)number;

        if (number != SIGALRM && write(to, &byte, 1) != 1)
            break;
    }
    command_end(command);
    _exit(0);
}

void launch_signal_command(struct launch *launch)
{
    if (!launch->command)
        return;
    atomic_store(&launch->command->started, started_at(launch->child));
    atomic_store(&launch->command->pid, launch->child);
}

enum core_status launch_signal_take(struct launch *launch)
{
    pid_t self = getpid();
    int pipe_fd[2];
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof signals_passed / sizeof *signals_passed; i++)
        sigaddset(&set, signals_passed[i]);
    sigprocmask(SIG_BLOCK, &set, &launch->signal_before);
    launch->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (launch->signal_fd < 0) {
        sigprocmask(SIG_SETMASK, &launch->signal_before, NULL);
        return core_report(CORE_IO, "cannot watch signals: %s", strerror(errno));
    }
    launch->witness_fd = -1;
    if (pipe2(pipe_fd, O_CLOEXEC) < 0)
        return CORE_OK; /* then every signal is passed on */
    launch->command = mmap(NULL, sizeof *launch->command, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (launch->command == MAP_FAILED) {
        launch->command = NULL;
        close(pipe_fd[0]);
        close(pipe_fd[1]);
        return CORE_OK;
    }
    launch->witness = fork();
    if (launch->witness == 0)
        witness_run(pipe_fd[1], self, launch->command);
    close(pipe_fd[1]);
    command_shared = launch->command;
    faults_watch();
    launch->witness_fd = pipe_fd[0];
    return CORE_OK;
}

void launch_signal_give_back(struct launch *launch)
{
    if (launch->witness > 0) {
        kill(launch->witness, SIGKILL);
        waitpid(launch->witness, NULL, 0);
    }
    if (launch->witness_fd >= 0)
        close(launch->witness_fd);
    faults_leave();
    if (launch->command)
        munmap(launch->command, sizeof *launch->command);
    command_shared = launch->command = NULL;
    close(launch->signal_fd);
    sigprocmask(SIG_SETMASK, &launch->signal_before, NULL);
}

static bool witness_got(const struct launch *launch, int number)
{
    struct pollfd fd = {.fd = launch->witness_fd, .events = POLLIN};
    unsigned char byte;

    while (launch->witness_fd >= 0 && poll(&fd, 1, SIGNAL_WITNESS_MS) > 0 &&
           read(launch->witness_fd, &byte, 1) == 1)
        if (byte == number)
            return true;
    return false;
}

void launch_signal_pass(struct launch *launch)
{
    struct signalfd_siginfo info;

    while (read(launch->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        int number = (int)info.ssi_signo;

        if (number == SIGCHLD)
            continue;
        if (number == SIGUSR1 && !witness_got(launch, number)) { /* for the launcher alone */
            launch->snapshot = true;
            continue;
        }
        launch_leftover_note(launch); /* it may end the starter at once, or stop its cleanup */
        launch->signal_passed = number;
        if (!launch->signal_ns)
            launch->signal_ns = launch_now_ns();
        if (number == SIGUSR1 || witness_got(launch, number))
            continue;
        if (!launch->child_gone)
            kill(launch->child, number);
        else
            launch_end_signal(launch, number, true);
    }
}
