# expected
# Signals of a timer with a handler, those of other ranks and of children, data in sockets, and what
# ranks exchange by queues and named pipes come at times that no decision determines: the explorer
# does not say "all there are" of a program that uses them. It does if a timer only ends the
# program, or a rank sends the signal to itself.
cat >prog.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t ticks;
static const char *how;
static int is(const char *name)
{
    return !strcmp(how, name);
}
static void tick(int number)
{
    (void)number;
    ticks++;
}
static void thread_tick(union sigval value)
{
    (void)value;
    ticks++;
}
static void set(void)
{
    struct itimerval often = {{0, 200}, {0, is("later") ? 200000 : 200}};
    struct itimerspec late = {{0, 0}, {1000, 0}};
    struct sigevent thread = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = thread_tick};
    timer_t timer;
    if (is("itimer") || is("alarm") || is("itself") || is("child") || is("other"))
        signal(is("itimer") || is("alarm") ? SIGALRM : SIGUSR1, tick);
    if (is("itimer") || is("later"))
        setitimer(ITIMER_REAL, &often, NULL);
    if (is("later"))
        signal(SIGALRM, tick);
    if (is("alarm") || is("watchdog"))
        alarm(1000);
    if (is("profile")) {
        signal(SIGPROF, tick);
        setitimer(ITIMER_PROF, &often, NULL);
    }
    if (is("thread") && timer_create(CLOCK_REALTIME, &thread, &timer) == 0)
        timer_settime(timer, 0, &late, NULL);
    if (is("itself"))
        kill(getpid(), SIGUSR1);
    pid_t child = is("child") ? fork() : -1;
    if (child == 0) {
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    if (is("queue"))
        msgctl(msgget(IPC_PRIVATE, 0600), IPC_RMID, NULL);
    if (is("fifo"))
        mkfifo("fifo", 0600);
    if (is("opened"))
        open("before", O_RDWR);
    if (is("file"))
        timerfd_create(CLOCK_MONOTONIC, 0);
}
int main(int argc, char **argv)
{
    int rank, got;
    how = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        set();
    if (is("writes")) {
        FILE *file = rank ? NULL : fopen("written", "w");
        if (file)
            fclose(file);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            signal(SIGALRM, tick), alarm(1000);
    } else if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (is("other")) {
        int pid = getpid();
        MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
        if (rank == 2)
            kill(pid, SIGUSR1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (is("socket")) {
        struct sockaddr_un at = {AF_UNIX, "socket"};
        int file = socket(AF_UNIX, SOCK_STREAM, 0), from;
        char first = rank;
        if (rank == 0 && bind(file, (void *)&at, sizeof at) == 0)
            listen(file, 2);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank && connect(file, (void *)&at, sizeof at) == 0 && write(file, &first, 1) == 1)
            close(file);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0 && (from = accept(file, NULL, NULL)) >= 0 && read(from, &first, 1) == 1)
            printf("%d is first\n", first);
        if (rank == 0)
            unlink("socket");
    }
    if (rank == 1)
        printf("%s\n", ticks ? "ticks" : "no tick");
    MPI_Finalize();
    return 0;
}
END
mpicc -g -w -o prog prog.c && mkfifo before || exit 1
for how in itimer later alarm profile thread other child watchdog itself socket queue fifo \
    opened file; do
    echo "$how: $(crosswait explore -n 3 -- ./prog $how | tail -1 | sed -E "s/: [12] outcomes?$//")"
done
# run, which asks one world about a job that wrote a file, names the true reason, too.
crosswait run -o T.db -- mpirun -n 3 ./prog writes | grep '^explored'
# What was seen before remains known.
crosswait explore -q --state=state --worlds=1 -n 3 -- ./prog alarm
crosswait explore --state=state -n 3 -- ./prog alarm | tail -1
# The same for a program of another ABI.
mpicc.mpich -g -w -o prog prog.c && crosswait explore -n 3 -- ./prog alarm | tail -1
