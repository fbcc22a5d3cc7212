/* What programs do beside MPI: `habits HABIT...` does that, one after the other, passes numbers
 * around and prints a line. habits.sh runs them plain and recorded. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static int me, size;

/* As many messages around the ring. */
static long around(int rounds)
{
    long mine = me, its = 0, sum = 0, all = 0;

    for (int i = 0; i < rounds; i++) {
        MPI_Sendrecv(&mine, 1, MPI_LONG, (me + 1) % size, 1, &its, 1, MPI_LONG,
                     (me + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mine = its + 1;
        sum += mine;
    }
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* As many calls that need no other rank: each of those takes a moment of the machine's where it is
 * busy. */
static void alone(int rounds)
{
    long mine = me, its = -1;

    for (int i = 0; i < rounds; i++) {
        MPI_Sendrecv(&mine, 1, MPI_LONG, 0, 1, &its, 1, MPI_LONG, 0, 1, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        mine = its + 1;
    }
    if (its != me + rounds - 1)
        printf("rank %d: got %ld\n", me, its);
}

static void say(const char *what)
{
    printf("rank %d: %s\n", me, what);
    fflush(stdout);
}

static void *around_in_thread(void *argument)
{
    MPI_Comm self = *(MPI_Comm *)argument;
    int out = 7, in = 0;

    MPI_Sendrecv(&out, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, 0, 3, self, MPI_STATUS_IGNORE);
    return in == 7 ? argument : NULL;
}

static void thread_more(void) /* which needs a lane of its own */
{
    pthread_t thread;
    MPI_Comm self = MPI_COMM_SELF;
    void *good = NULL;

    pthread_create(&thread, NULL, around_in_thread, &self);
    pthread_join(thread, &good);
    if (!good)
        say("the thread got nothing");
}

/* The cancellation is pending, and nothing here acts on it before it is asked for. */
static void *cancelled_at_end(void *counted)
{
    int bytes;

    pthread_cancel(pthread_self());
    for (int i = 0; i < 20000; i++) {
        MPI_Type_size(MPI_INT, &bytes);
        *(long *)counted += bytes;
    }
    pthread_testcancel();
    return counted;
}

static void cancelled(void)
{
    pthread_t thread;
    long count = 0;

    for (int i = 0; i < 20; i++) {
        pthread_create(&thread, NULL, cancelled_at_end, &count);
        pthread_join(thread, NULL);
    }
    printf("rank %d: %ld\n", me, count);
}

static void leave_thread(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    pthread_exit(NULL);
}

static void *fail_in_thread(void *unused)
{
    MPI_Send(&me, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
    return unused;
}

/* Calls that never return, more than there can be inside each other. */
static void ends_in_handler(void)
{
    MPI_Errhandler handler;
    pthread_t thread;

    MPI_Comm_create_errhandler(leave_thread, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < 40; i++) {
        pthread_create(&thread, NULL, fail_in_thread, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    thread_more();
}

/* --- descriptors and limits ------------------------------------------------------------------- */

static void files_closed(void) /* those that are files; MPI needs its sockets */
{
    struct stat st;

    for (int fd = 3; fd < 2000; fd++)
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
            close(fd);
    for (int i = 0; i < 500; i++)
        if (open("/dev/null", O_RDONLY) < 0)
            break;
}

static void reused(void) /* every number that is free is another file's */
{
    char name[64];

    files_closed();
    snprintf(name, sizeof name, "data.%d", me);
    for (int i = 0; i < 1200 && open(name, O_RDWR | O_CREAT | O_APPEND, 0600) >= 0; i++)
        continue;
    alone(60000);
    struct stat st;
    if (stat(name, &st) < 0 || st.st_size)
        say("somebody wrote to my file");
}

static void few_files(void)
{
    struct rlimit r = {64, 64};

    setrlimit(RLIMIT_NOFILE, &r);
    thread_more();
}

static void no_memory_more(void)
{
    struct rlimit r = {0, 0};
    char line[256];
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (file && fgets(line, sizeof line, file))
        pages = strtoul(line, NULL, 10);
    if (file)
        fclose(file);
    r.rlim_cur = r.rlim_max = pages * 4096 + (32 << 20);
    setrlimit(RLIMIT_AS, &r);
    thread_more();
}

static void locked(void)
{
    struct rlimit r = {8 << 20, 8 << 20};

    setrlimit(RLIMIT_MEMLOCK, &r);
    mlockall(MCL_FUTURE);
    thread_more();
}

/* --- where it is, and who --------------------------------------------------------------------- */

static void elsewhere(void)
{
    umask(0777);
    if (chdir("/"))
        say("cannot");
    thread_more();
}

static void jail(void)
{
    if (geteuid() == 0 && (mkdir("jail", 0755) >= 0 || errno == EEXIST) && chroot("jail"))
        say("cannot");
    if (chdir("/"))
        say("cannot");
}

static void jailed(void)
{
    jail();
    thread_more();
}

static void *late(void *unused)
{
    sleep(4);
    MPI_Send(&me, 1, MPI_INT, me, 8, MPI_COMM_WORLD);
    return unused;
}

static void unseen_thread(void) /* and whoever waits for it only waits */
{
    pthread_t thread;
    int value = -1;

    jail();
    pthread_create(&thread, NULL, late, NULL);
    MPI_Recv(&value, 1, MPI_INT, me, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
    if (value != me)
        say("got another one");
}

static void nobody(void)
{
    if (geteuid() == 0 && setresuid(65534, 65534, 65534))
        say("cannot");
    thread_more();
}

static void undumpable(void)
{
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    thread_more();
}

static void session(void)
{
    setsid();
    prctl(PR_SET_NAME, "x y)z (1", 0, 0, 0);
}

/* --- children --------------------------------------------------------------------------------- */

static void children(void)
{
    char *words[] = {"/bin/sh", "-c", "exit 4", NULL};
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        _exit(3);
    waitpid(pid, &status, 0);
    if (WEXITSTATUS(status) != 3)
        say("_exit");
    pid = fork();
    if (pid == 0)
        exit(5);
    waitpid(pid, &status, 0);
    if (WEXITSTATUS(status) != 5)
        say("exit");
    pid = fork();
    if (pid == 0)
        execv(words[0], words);
    waitpid(pid, &status, 0);
    if (WEXITSTATUS(status) != 4)
        say("execv");
    pid = vfork();
    if (pid == 0) {
        execv(words[0], words);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    if (WEXITSTATUS(status) != 4)
        say("vfork");
    if (posix_spawn(&pid, words[0], NULL, NULL, words, NULL) || waitpid(pid, &status, 0) < 0 ||
        WEXITSTATUS(status) != 4)
        say("posix_spawn");
    if (WEXITSTATUS(system("exit 6")) != 6)
        say("system");
    FILE *pipe = popen("echo from a pipe", "r");
    char line[64] = "";
    if (!pipe || !fgets(line, sizeof line, pipe) || strcmp(line, "from a pipe\n"))
        say("popen");
    if (pipe)
        pclose(pipe);
}

static void aborting_child(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        signal(SIGABRT, SIG_DFL); /* Open MPI's handler tells much */
    if (pid == 0)
        abort();
    waitpid(pid, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
        say("abort");
}

static void reaped(void) /* nobody may have children that it does not know of */
{
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
        say("a child that is not mine");
    signal(SIGCHLD, SIG_IGN);
}

/* --- signals ---------------------------------------------------------------------------------- */

static void blocked(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    thread_more();
}

static sigjmp_buf back;
static volatile sig_atomic_t faults, alarms;

static void on_fault(int number)
{
    (void)number;
    faults++;
    siglongjmp(back, 1);
}

static void fault_handled(int after)
{
    static char stack[64 * 1024];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = after ? SA_ONSTACK : 0};

    sigaltstack(&own, NULL);
    sigaction(SIGSEGV, &action, NULL);
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)(long)me = 1;
    say(faults == 1 ? "handled" : "not handled");
}

static void faults_after(void)
{
    fault_handled(1);
    around(1000);
    fault_handled(0);
}

static void on_alarm(int number)
{
    (void)number;
    alarms++;
}

static void alarmed(void)
{
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};

    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    alone(20000);
    setitimer(ITIMER_REAL, &never, NULL);
    if (!alarms)
        say("no alarm");
}

static void user_signals(void)
{
    const int numbers[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGRTMIN, SIGRTMAX};

    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before;
        sigaction(numbers[i], NULL, &before);
        signal(numbers[i], on_alarm);
        raise(numbers[i]);
    }
    say(alarms == 8 ? "all came" : "some did not");
}

static void dies_of_term(void)
{
    around(100);
    raise(SIGTERM);
}

/* --- a filter of system calls ----------------------------------------------------------------- */

static void confined(void) /* what MPI itself may well do without, at the price of life */
{
#define KILL(call)                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        KILL(SYS_perf_event_open),
        KILL(SYS_ptrace),
        KILL(SYS_memfd_create),
        KILL(SYS_execve),
        KILL(SYS_rt_tgsigqueueinfo),
        KILL(SYS_process_vm_writev),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    thread_more();
}

/* --- stacks ----------------------------------------------------------------------------------- */

static ucontext_t main_context, other_context;

static void in_context(void)
{
    char buffer[100000];

    memset(buffer, 0, sizeof buffer);
    buffer[5] = (char)around(10);
    MPI_Bcast(buffer, sizeof buffer, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void coroutine(void)
{
    size_t bytes = 1 << 20;
    char *stack = malloc(bytes);

    for (int i = 0; i < 10; i++) {
        getcontext(&other_context);
        other_context.uc_stack.ss_sp = stack;
        other_context.uc_stack.ss_size = bytes;
        other_context.uc_link = &main_context;
        makecontext(&other_context, in_context, 0);
        swapcontext(&main_context, &other_context);
    }
    free(stack);
}

#if defined __x86_64__
static void *main_stack, *own_stack;

__attribute__((naked, noinline)) static void change_stack(void **from, void **to)
{
    (void)from;
    (void)to;
    __asm__("push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
            "mov %rsp, (%rdi); mov (%rsi), %rsp\n"
            "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret");
}

static void on_own_stack(void)
{
    for (;;) {
        int out = me + 7, in = 0;

        MPI_Sendrecv(&out, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, 0, 3, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        printf("rank %d: %d on a stack of mine\n", me, in);
        change_stack(&own_stack, &main_stack);
    }
}

/* A coroutine whose first function never returns: above it lies what was there before. */
static void bottomless(void)
{
    enum { BYTES = 1 << 18, SAVED = 6, GARBAGE = 0x5a };
    char *stack = malloc(BYTES);
    void **top = (void **)(stack + BYTES - 64);

    memset(stack, GARBAGE, BYTES);
    *--top = (void *)0x5a5a5a5a5a5a5a5a;
    *--top = (void *)on_own_stack;
    own_stack = top - SAVED;
    for (int i = 0; i < 3; i++)
        change_stack(&main_stack, &own_stack);
    free(stack);
}
#else
static void bottomless(void)
{
}
#endif

static void *deep_in_thread(void *argument)
{
    return around_in_thread(argument);
}

static void little_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    MPI_Comm self = MPI_COMM_SELF;
    void *good = NULL;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 32 * 1024);
    pthread_create(&thread, &attributes, deep_in_thread, &self);
    pthread_join(thread, &good);
    if (!good)
        say("the thread got nothing");
}

static long recurse(int depth)
{
    volatile char room[4096];

    room[0] = (char)depth;
    return depth ? recurse(depth - 1) + room[0] : around(10);
}

static void deep(void)
{
    recurse(1500); /* of 8 MB, 6 */
}

/* --- errors that jump, ends ------------------------------------------------------------------- */

static jmp_buf out_of_error;

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(out_of_error, 1);
}

static void jumping(void)
{
    MPI_Errhandler handler;
    volatile int jumps = 0;
    int value = 0;

    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (volatile int i = 0; i < 50; i++)
        if (setjmp(out_of_error) == 0)
            MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
        else
            jumps++;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    say(jumps == 50 ? "jumped" : "did not jump");
}

static ucontext_t failing_context, calling_context;

static void go_on_elsewhere(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    swapcontext(&failing_context, &calling_context);
}

static void fail(void)
{
    int value = 0;

    MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
}

/* Inside the error handler of one stack's call, another stack makes calls. */
static void swapping(void)
{
    size_t bytes = 1 << 20;
    char *stack = malloc(bytes);
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(go_on_elsewhere, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < 10; i++) {
        getcontext(&failing_context);
        failing_context.uc_stack.ss_sp = stack;
        failing_context.uc_stack.ss_size = bytes;
        failing_context.uc_link = &calling_context;
        makecontext(&failing_context, fail, 0);
        swapcontext(&calling_context, &failing_context);
        around(3);
        swapcontext(&calling_context, &failing_context);
    }
    MPI_Errhandler_free(&handler);
    free(stack);
}

static void at_end(void)
{
    say("at exit");
}

static void finalize_at_end(void)
{
    printf("rank %d: %ld at exit\n", me, around(10));
    MPI_Finalize();
}

static void prints_at_end(void)
{
    atexit(at_end);
    at_quick_exit(at_end);
}

static void finalized_at_end(void)
{
    atexit(finalize_at_end);
    exit(around(10) ? 0 : 1);
}

/* mpirun ends the other when this one fails: rank 0 waits until that one is gone. */
static void finalize_last(void)
{
    pid_t own = getpid(), its = 0;

    MPI_Sendrecv(&own, sizeof own, MPI_BYTE, 1 - me, 11, &its, sizeof its, MPI_BYTE, 1 - me, 11,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    while (me == 0 && kill(its, 0) == 0)
        usleep(1000);
}

static void quick(void)
{
    prints_at_end();
    around(10);
    finalize_last();
    quick_exit(me ? 0 : 6);
}

static void quicker(void)
{
    prints_at_end();
    around(10);
    finalize_last();
    _exit(me ? 0 : 7);
}

static void quick_unfinished(void)
{
    around(10);
    if (me) /* mpirun ends it when the other has exited: no sooner than here */
        close(creat("reached", 0600));
    while (me || access("reached", F_OK))
        usleep(1000);
    _exit(0);
}

static void *exits(void *unused)
{
    (void)unused;
    exit(0);
}

static void exits_in_thread(void)
{
    pthread_t thread;

    around(10);
    MPI_Finalize();
    prints_at_end();
    pthread_create(&thread, NULL, exits, NULL);
    pthread_join(thread, NULL);
}

static void main_leaves(void)
{
    around(10);
    MPI_Finalize();
    prints_at_end();
    pthread_exit(NULL);
}

/* --- many, large ------------------------------------------------------------------------------ */

static void communicators(void)
{
    enum { MANY = 2000 };
    MPI_Comm *comm = malloc(MANY * sizeof *comm);
    int sum = 0;

    for (int i = 0; i < MANY; i++) {
        MPI_Comm_dup(i ? comm[i - 1] : MPI_COMM_WORLD, &comm[i]);
        int mine = i + me, all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm[i]);
        sum += all;
    }
    for (int i = 0; i < MANY; i++)
        MPI_Comm_free(&comm[i]);
    free(comm);
    printf("rank %d: %d\n", me, sum);
}

static void requests(void)
{
    enum { MANY = 20000 };
    MPI_Request *request = malloc(2 * MANY * sizeof *request);
    int *out = malloc(MANY * sizeof *out), *in = malloc(MANY * sizeof *in);
    long sum = 0;

    for (int i = 0; i < MANY; i++) {
        out[i] = i;
        MPI_Irecv(&in[i], 1, MPI_INT, (me + size - 1) % size, 1, MPI_COMM_WORLD, &request[i]);
        MPI_Isend(&out[i], 1, MPI_INT, (me + 1) % size, 1, MPI_COMM_WORLD, &request[MANY + i]);
    }
    MPI_Waitall(2 * MANY, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++)
        sum += in[i];
    free(request);
    free(in);
    free(out);
    printf("rank %d: %ld\n", me, sum);
}

static void large(void)
{
    const size_t bytes = 2147483647;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MPI_Datatype block;

    MPI_Type_contiguous(1 << 20, MPI_CHAR, &block);
    MPI_Type_commit(&block);
    memory[bytes - 1] = (char)(me + 1);
    if (me == 0) {
        MPI_Send(memory, 0, block, size - 1, 1, MPI_COMM_WORLD);
        MPI_Send(memory, 300, block, size - 1, 2, MPI_COMM_WORLD);
    } else if (me == size - 1) {
        MPI_Recv(memory, 2147483647, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(memory, 2147483647, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&block);
    munmap(memory, bytes);
}

/* --- before MPI is there ---------------------------------------------------------------------- */

static void nothing(void)
{
}

static void faults_before(void)
{
    fault_handled(1);
    faults = 0;
}

static void blocked_before(void)
{
    sigset_t all;

    sigfillset(&all);
    sigdelset(&all, SIGCHLD);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void *all_in_thread(void *unused)
{
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("rank %d: %ld\n", me, around(100));
    MPI_Finalize();
    return unused;
}

static void lives_in_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, all_in_thread, NULL);
    pthread_join(thread, NULL);
    exit(0);
}

/* Removes all that only the command before mpirun set. */
static void unset(void)
{
    for (int i = 0; environ[i];) {
        char *name = environ[i];
        bool ours = !strncmp(name, "CROSSWAIT_", 10) || !strncmp(name, "LD_", 3);
        name = ours ? strndup(name, strcspn(name, "=")) : NULL;
        if (!name || unsetenv(name))
            i++;
        free(name);
    }
}

static const struct habit {
    const char *name;
    void (*before)(void), (*after)(void);
} habits[] = {{"files-closed", NULL, files_closed},
              {"numbers-reused", NULL, reused},
              {"few-files", NULL, few_files},
              {"no-memory-more", NULL, no_memory_more},
              {"locked", NULL, locked},
              {"elsewhere", NULL, elsewhere},
              {"jailed", NULL, jailed},
              {"unseen-thread", NULL, unseen_thread},
              {"nobody", NULL, nobody},
              {"undumpable", NULL, undumpable},
              {"session", NULL, session},
              {"children", NULL, children},
              {"aborting-child", NULL, aborting_child},
              {"reaped", NULL, reaped},
              {"blocked", NULL, blocked},
              {"blocked-before", blocked_before, nothing},
              {"faults", NULL, faults_after},
              {"faults-before", faults_before, faults_after},
              {"alarmed", NULL, alarmed},
              {"user-signals", NULL, user_signals},
              {"dies-of-term", NULL, dies_of_term},
              {"confined", NULL, confined},
              {"coroutine", NULL, coroutine},
              {"bottomless", NULL, bottomless},
              {"little-stack", NULL, little_stack},
              {"deep", NULL, deep},
              {"cancelled", NULL, cancelled},
              {"ends-in-handler", NULL, ends_in_handler},
              {"jumping", NULL, jumping},
              {"swapping", NULL, swapping},
              {"prints-at-exit", NULL, prints_at_end},
              {"finalized-at-exit", NULL, finalized_at_end},
              {"quick", NULL, quick},
              {"quicker", NULL, quicker},
              {"quick-unfinished", NULL, quick_unfinished},
              {"exits-in-thread", NULL, exits_in_thread},
              {"main-leaves", NULL, main_leaves},
              {"communicators", NULL, communicators},
              {"requests", NULL, requests},
              {"large", NULL, large},
              {"unset", unset, nothing},
              {"lives-in-thread", lives_in_thread, nothing}};
enum { HABITS = sizeof habits / sizeof *habits };

static const struct habit *habit_of(const char *name)
{
    for (int i = 0; i < HABITS; i++)
        if (!strcmp(habits[i].name, name))
            return &habits[i];
    fprintf(stderr, "%s: no habit\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    int provided, there;

    for (int i = 1; i < argc; i++)
        if (habit_of(argv[i])->before)
            habit_of(argv[i])->before();
    MPI_Initialized(&there);
    if (!there)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++) {
        around(100);
        habit_of(argv[i])->after();
    }
    printf("rank %d: %ld\n", me, around(100));
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
