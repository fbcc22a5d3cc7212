/* Functions that the command, or the C++ library that is linked into it, calls and that glibc 2.28
 * lacks. Only the command of the wheel is linked with this file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

int close_range(unsigned int first, unsigned int last, int flags);
const char *sigabbrev_np(int signal);
unsigned int arc4random(void);

/* In glibc this variable tells libstdc++ that there is only one thread. Here it never does, which
 * is always safe: libstdc++ then changes reference counts by atomic operations. */
extern char __libc_single_threaded;
char __libc_single_threaded = 0;

/* Closes files by the list of open files if the kernel (before 5.9) lacks the system call. */
int close_range(unsigned int first, unsigned int last, int flags)
{
    DIR *list = NULL;

    if (syscall(SYS_close_range, first, last, flags) == 0)
        return 0;
    if (errno != ENOSYS || flags != 0 || !(list = opendir("/proc/self/fd")))
        return -1;
    for (struct dirent *entry; (entry = readdir(list));) {
        int fd = atoi(entry->d_name);
        if (*entry->d_name != '.' && fd != dirfd(list) && (unsigned int)fd >= first &&
            (unsigned int)fd <= last)
            close(fd);
    }
    closedir(list);
    return 0;
}

const char *sigabbrev_np(int signal)
{
    static const char *const name[] = {
        [SIGHUP] = "HUP",   [SIGINT] = "INT",       [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
        [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",     [SIGBUS] = "BUS",   [SIGFPE] = "FPE",
        [SIGKILL] = "KILL", [SIGUSR1] = "USR1",     [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
        [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",     [SIGTERM] = "TERM", [SIGSTKFLT] = "STKFLT",
        [SIGCHLD] = "CHLD", [SIGCONT] = "CONT",     [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
        [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU",
        [SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH",
        [SIGPOLL] = "POLL", [SIGPWR] = "PWR",       [SIGSYS] = "SYS",
    };
    return signal > 0 && (size_t)signal < sizeof name / sizeof *name ? name[signal] : NULL;
}

unsigned int arc4random(void)
{
    unsigned int number;

    if (getrandom(&number, sizeof number, 0) != sizeof number)
        abort();
    return number;
}
