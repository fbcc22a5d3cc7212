/* Handles signals to the launcher. The command is in the launcher's process group. A signal to the
 * group (from the terminal, timeout(1), a CI runner) reaches it directly and must not reach it
 * twice: a second TERM makes mpirun abandon its cleanup. The launcher passes on a signal to itself
 * alone, except SIGUSR1, which requests a snapshot.
 *
 * A witness distinguishes the two: a child in the same group that only waits for the same signals.
 * A signal that it receives too was sent to the group. It dies with the launcher. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/launch_inside.h"

enum {
    SIGNAL_WITNESS_MS = 100
}; /* the time that the witness may take to report that it got the signal too */

static const int signals_passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static _Noreturn void witness_run(int to, pid_t launcher)
{
    sigset_t set;
    int number;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher)
        _exit(0);
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals_passed / sizeof *signals_passed; i++)
        sigaddset(&set, signals_passed[i]);
    while (sigwait(&set, &number) == 0) {
        unsigned char byte = (unsigned char)number;

        if (write(to, &byte, 1) != 1)
            break;
    }
    _exit(0);
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
    launch->witness = fork();
    if (launch->witness == 0)
        witness_run(pipe_fd[1], self);
    close(pipe_fd[1]);
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
