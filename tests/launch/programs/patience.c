/* Jobs that look as if they hung, and their twins that do. Two ranks or more.
 *
 *   thread   a thread that has not called MPI yet sleeps for a while, then sends what rank 1 waits
 *            for
 *   never    the same, but the thread waits for a condition that nobody signals: hangs
 *   spin     rank 1 polls for a while with MPI_Test, then sends
 *   probe    rank 1 waits in MPI_Probe for what rank 0 sends after a while of sleep
 *   any      rank 0 receives from anybody; rank 1 sends after a while of sleep
 *   anyhang  rank 0 receives from anybody, and everybody else from rank 0: hangs
 *   waitany  rank 0 waits for any of the others; the last sends after a while
 *   bcast    rank 0 enters the broadcast after a while
 *   split    rank 1 comes to MPI_Comm_split after a while
 *   late     rank 1 comes to MPI_Finalize after a while
 *   fence    rank 1 comes to the fence after a while
 *   big      400 MB go from rank 0 to rank 1
 *   self     rank 0 receives from itself what it never sent: hangs
 *   tag      rank 0 waits for a tag that rank 1 has not used, rank 1 in MPI_Finalize: hangs
 *   outside  rank 0 sleeps for ever, outside of MPI: hangs, which nobody can know
 *   vain     the same, while rank 1 polls with MPI_Iprobe
 *   asks     rank 0 makes local calls for 7 s, while rank 1 waits for it
 *   clock    the same, but the only call is MPI_Wtime
 *   server   threads of rank 0 wait in poll, in epoll and for a signal's handler, as servers do,
 *            and send then what rank 1 waits for
 *   handler  the handler of a signal keeps rank 0 in MPI_Recv for a while; meanwhile a message
 * comes nodefer  the same, but the signal is not blocked while its handler runs error    the
 * handler of an error keeps rank 0 in MPI_Ssend for a while, and sends then what rank 1 waits for
 *   computes the handler of an error computes, instead
 *   alarm    the handler of an alarm sends, after a while, what rank 1 waits for, and rank 0 for
 *            that one's answer
 *   timer    the same, of a timer
 *   data     the same, of a child's data in a pipe
 *   child    the same, of a child that ends
 *   operates of three, rank 1 is in the operation of a scan for a while, in which rank 2 has no
 * part before it gets what rank 1 sends then passes   of six, rank 1 computes before it passes on
 * to rank 3 what a nonblocking broadcast gives; rank 2, to which that has nothing to pass on, comes
 * to it when 3 is through aside    a thread of rank 0 does, which has called MPI before, while the
 * other one waits for rank 1, and that for rank 0 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { WHILE_S = 2 };
static int rank, size, value, computing;
static sem_t posted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *sleeper(void *argument)
{
    (void)argument;
    usleep(1300000);
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return NULL;
}

static void *waiter(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&mutex);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
    return NULL;
}

static void *sleeps_for_ever(void *argument)
{
    int own = 0; /* the other thread receives into value */

    (void)argument;
    MPI_Send(&own, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    for (;;)
        pause();
    return NULL;
}

static void recv_from(int from, int tag)
{
    MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute(void)
{
    const double end = MPI_Wtime() + 1.2;

    while (MPI_Wtime() < end)
        for (volatile int i = 0; i < 1000000; i++)
            ;
}

static void add_late(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    compute();
}

static void operates(void)
{
    MPI_Op late;
    int sum;

    MPI_Op_create(add_late, 1, &late);
    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Scan(&rank, &sum, 1, MPI_INT, late, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    MPI_Op_free(&late);
}

static void passes(void)
{
    MPI_Request request;

    if (rank == 0)
        usleep(300000); /* the others are there when the message comes */
    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == 1)
        compute();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 3)
        MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
}

static void local_calls(bool clock)
{
    const double start = MPI_Wtime();
    char packed[64];

    while (rank == 0 && MPI_Wtime() - start < 7) {
        int position = 0;
        if (!clock)
            MPI_Pack(&rank, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_SELF);
        usleep(1000);
    }
}

static void probe_in_vain(void)
{
    for (int found = 0; !found;)
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void send_to(int to, int tag)
{
    MPI_Ssend(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void threads(void *(*body)(void *))
{
    pthread_t thread;

    if (rank == 0) {
        pthread_create(&thread, NULL, body, NULL);
        recv_from(1, 0);
        pthread_join(thread, NULL);
    } else if (rank == 1) {
        recv_from(0, 0);
        send_to(0, 0);
    }
}

static void spin(void)
{
    MPI_Request request;
    double start = MPI_Wtime();
    int done = 0;

    if (rank == 0) {
        recv_from(1, 0);
        send_to(1, 1);
    } else if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        while (MPI_Wtime() - start < 1.3 && !done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        send_to(0, 0);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void waitany(void)
{
    MPI_Request request[64];
    int index;

    if (rank == 0) {
        for (int r = 1; r < size; r++)
            MPI_Irecv(&value, 1, MPI_INT, r, 0, MPI_COMM_WORLD, &request[r - 1]);
        for (int r = 1; r < size; r++)
            MPI_Waitany(size - 1, request, &index, MPI_STATUS_IGNORE);
    } else {
        if (rank == size - 1)
            usleep(1300000);
        send_to(0, 0);
    }
}

static void fence(void)
{
    MPI_Win window;
    int *base;

    MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_fence(0, window);
    if (rank == 1)
        usleep(1300000);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void big(void)
{
    size_t bytes = 400000000;
    char *buffer = calloc(bytes, 1);

    if (rank == 0)
        MPI_Send(buffer, (int)bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(buffer, (int)bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(buffer);
}

/* --- server, handler -------------------------------------------------------------------------- */

static void on_alarm(int signal)
{
    (void)signal;
    sem_post(&posted);
}

static void on_alarm_sleep(int signal)
{
    struct timespec left = {WHILE_S, 0};

    (void)signal;
    while (nanosleep(&left, &left) < 0)
        continue;
}

/* From before MPI_Init, so that it is there when the library's own threads come to be. */
static void *polls_first(void *argument)
{
    poll(NULL, 0, WHILE_S * 1000 + 500);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return argument;
}

static void *receives(void *argument)
{
    recv_from(1, 0);
    return argument;
}

/* The main thread waits outside of MPI while the other one is inside. */
static void server_waits(void (*wait)(void))
{
    pthread_t thread;

    if (rank == 0) {
        pthread_create(&thread, NULL, receives, NULL);
        wait();
        send_to(1, 1);
        pthread_join(thread, NULL);
    } else if (rank == 1) {
        recv_from(0, 1);
        send_to(0, 0);
    }
}

static void wait_epoll(void)
{
    struct epoll_event event;
    int fd = epoll_create1(0);

    epoll_wait(fd, &event, 1, WHILE_S * 1000);
    close(fd);
}

static void wait_signal(void)
{
    sem_init(&posted, 0, 0);
    signal(SIGALRM, on_alarm);
    alarm(WHILE_S);
    while (sem_wait(&posted) < 0 && errno == EINTR)
        continue;
}

static void server(pthread_t first)
{
    if (rank == 0) {
        recv_from(1, 0);
    } else if (rank == 1) {
        recv_from(0, 0);
        send_to(0, 0);
    }
    pthread_join(first, NULL);
    server_waits(wait_epoll);
    server_waits(wait_signal);
}

/* The message fits the second receive alone, but the first one may seem to have taken it. */
static void handler(int flags)
{
    struct sigaction action = {.sa_handler = on_alarm_sleep, .sa_flags = SA_RESTART | flags};
    MPI_Request request;
    int first;

    if (rank == 0) {
        sigaction(SIGALRM, &action, NULL);
        alarm(1);
        MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
        recv_from(1, MPI_ANY_TAG);
        send_to(1, 3);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        usleep(1300000);
        MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        recv_from(0, 3);
        send_to(0, 1);
    }
}

static void on_alarm_send(int signal)
{
    (void)signal;
    MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* it does not have to wait */
}

/* Starts a child that writes and ends after a while. */
static void child_begin(bool told)
{
    int ends[2];
    if (pipe(ends))
        abort();
    fcntl(ends[0], F_SETOWN, getpid());
    fcntl(ends[0], F_SETFL, told ? O_ASYNC : 0);
    if (fork())
        return;
    sleep(WHILE_S);
    _exit(write(ends[1], "", 1) != 1);
}

static void alarmed(int signal_number)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal_number};
    struct itimerspec once = {.it_value.tv_sec = WHILE_S};
    timer_t timer;

    if (rank == 0) {
        signal(signal_number, on_alarm_send);
        if (signal_number == SIGALRM)
            alarm(WHILE_S);
        else if (signal_number == SIGIO || signal_number == SIGCHLD)
            child_begin(signal_number == SIGIO);
        else if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
            timer_settime(timer, 0, &once, NULL);
        recv_from(1, 0);
    } else if (rank == 1) {
        recv_from(0, 1);
        send_to(0, 0);
    }
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    if (computing)
        compute();
    else
        on_alarm_sleep(0);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
}

static void error(void)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (rank == 0)
        send_to(1, -9);
    else if (rank == 1)
        recv_from(0, 0);
    MPI_Errhandler_free(&handler);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int provided;
    pthread_t first;
    MPI_Comm half;
    MPI_Status status;

    if (!strcmp(mode, "server"))
        pthread_create(&first, NULL, polls_first, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    computing = !strcmp(mode, "computes");
    if (!strcmp(mode, "passes")) {
        passes();
    } else if (!strcmp(mode, "operates")) {
        operates();
    } else if (!strcmp(mode, "thread")) {
        threads(sleeper);
    } else if (!strcmp(mode, "never")) {
        threads(waiter);
    } else if (!strcmp(mode, "aside")) {
        if (rank == 1)
            MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        threads(sleeps_for_ever);
    } else if (!strcmp(mode, "asks") || !strcmp(mode, "clock")) {
        local_calls(!strcmp(mode, "clock"));
    } else if (!strcmp(mode, "outside") || !strcmp(mode, "vain")) {
        for (; rank == 0;)
            pause();
        if (!strcmp(mode, "vain"))
            probe_in_vain();
        recv_from(0, 0);
    } else if (!strcmp(mode, "spin")) {
        spin();
    } else if (!strcmp(mode, "probe")) {
        if (rank == 0) {
            usleep(1300000);
            send_to(1, 0);
        } else if (rank == 1) {
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            recv_from(0, 0);
        }
    } else if (!strcmp(mode, "any") || !strcmp(mode, "anyhang")) {
        if (rank == 0) {
            recv_from(MPI_ANY_SOURCE, MPI_ANY_TAG);
        } else if (!strcmp(mode, "anyhang")) {
            recv_from(0, 0);
        } else if (rank == 1) {
            usleep(1300000);
            send_to(0, 0);
        }
    } else if (!strcmp(mode, "waitany")) {
        waitany();
    } else if (!strcmp(mode, "bcast")) {
        if (rank == 0)
            usleep(1300000);
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (!strcmp(mode, "split")) {
        if (rank == 1)
            usleep(1300000);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
        MPI_Comm_free(&half);
    } else if (!strcmp(mode, "late")) {
        if (rank == 1)
            usleep(1300000);
    } else if (!strcmp(mode, "fence")) {
        fence();
    } else if (!strcmp(mode, "big")) {
        big();
    } else if (!strcmp(mode, "server")) {
        server(first);
    } else if (!strcmp(mode, "handler")) {
        handler(0);
    } else if (!strcmp(mode, "nodefer")) {
        handler(SA_NODEFER);
    } else if (!strcmp(mode, "alarm")) {
        alarmed(SIGALRM);
    } else if (!strcmp(mode, "timer")) {
        alarmed(SIGUSR2);
    } else if (!strcmp(mode, "data")) {
        alarmed(SIGIO);
    } else if (!strcmp(mode, "child")) {
        alarmed(SIGCHLD);
    } else if (!strcmp(mode, "error") || computing) {
        error();
    } else if (!strcmp(mode, "self")) {
        if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "tag")) {
        if (rank == 0)
            recv_from(1, 4);
        else if (rank == 1)
            MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
