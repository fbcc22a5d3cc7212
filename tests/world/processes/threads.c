/* Rank 0 has some threads, and how many orders of their calls there are is known: threads.sh. */
#include <aio.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS_MAX = 4 };
static const char *mode;
static int rank, thread_count;
static MPI_Comm own[THREADS_MAX];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int whose;
static volatile int sent;

static bool is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void send_to(int value, int dest, MPI_Comm comm)
{
    MPI_Send(&value, 1, MPI_INT, dest, 0, comm);
}

/* One after the other, as they have agreed. */
static void send_in_order(int i)
{
    pthread_mutex_lock(&mutex);
    while (whose != i)
        pthread_cond_wait(&changed, &mutex);
    send_to(i, 1, MPI_COMM_WORLD);
    whose++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

/* Another process may have the semaphore. */
static void wait_for_process(void)
{
    sem_t *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(shared, 1, 0);
    sem_wait(shared);
}

/* A thread that the C library makes for it reads. */
static void wait_for_library(void)
{
    static char byte;
    static struct aiocb reads;
    const struct aiocb *const list[] = {&reads};
    int ends[2];
    if (pipe(ends) == 0) {
        reads = (struct aiocb){.aio_fildes = ends[0], .aio_buf = &byte, .aio_nbytes = 1};
        aio_read(&reads);
        aio_suspend(list, 1, NULL);
    }
}

static void wait_outside(int i)
{
    while (is("spins") && i && !sent)
        sched_yield();
    if (is("pauses") && i)
        pause();
    if (is("shares") && i)
        wait_for_process();
    if (is("reads") && i)
        wait_for_library();
    send_to(i, 1, MPI_COMM_WORLD);
    sent = 1;
}

static void *work(void *number)
{
    int i = *(int *)number, got;
    MPI_Request request;
    if (is("same") || is("twice") || is("joined"))
        send_to(i, 1, MPI_COMM_WORLD);
    if (is("twice"))
        send_to(i + 10, 1, MPI_COMM_WORLD);
    if (is("ranks"))
        send_to(i, 1 + i % 2, MPI_COMM_WORLD);
    if (is("late") && i)
        send_to(i, 2, MPI_COMM_WORLD);
    if (is("late"))
        send_to(i, 1, MPI_COMM_WORLD);
    if (is("communicators"))
        send_to(i, 1, own[i]);
    for (int k = 0; is("tags") && k < 3; k++)
        MPI_Recv(&got, 1, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is("beside")) {
        MPI_Ibarrier(own[i], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (is("mutex")) {
        pthread_mutex_lock(&mutex);
        send_to(i, 1, MPI_COMM_WORLD);
        pthread_mutex_unlock(&mutex);
    }
    for (int k = 0; is("asks") && k < 3; k++) {
        MPI_Is_thread_main(&got);
        MPI_Query_thread(&got);
        MPI_Wtime();
    }
    if (is("order"))
        send_in_order(i);
    if (is("spins") || is("pauses") || is("shares") || is("reads"))
        wait_outside(i);
    return NULL;
}

static void threads_run(void)
{
    pthread_t thread[THREADS_MAX];
    int number[THREADS_MAX];
    for (int i = 0; i < thread_count; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, work, &number[i]);
        if (is("joined"))
            pthread_join(thread[i], NULL);
    }
    if (is("asks"))
        MPI_Sendrecv(NULL, 0, MPI_INT, 0, 9, NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    if (is("pauses") || is("shares") || is("reads"))
        MPI_Recv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < thread_count && !is("joined"); i++)
        pthread_join(thread[i], NULL);
}

/* What the threads of rank 0 send to this one, or wait for. */
static void serve(void)
{
    int count = rank == 1    ? thread_count * (is("twice") ? 2 : 1)
                : is("late") ? thread_count - 1
                             : thread_count / 2;
    int value = 0;
    if (is("tags"))
        for (int i = 0; rank == 1 && i < 3 * thread_count; i++)
            MPI_Send(&value, 1, MPI_INT, 0, i % thread_count, MPI_COMM_WORLD);
    if (is("ranks") && rank == 1)
        count = thread_count - thread_count / 2;
    if (is("tags") || is("beside") || is("asks") || (rank > 1 && !is("late") && !is("ranks")))
        return;
    for (int i = 0; i < count; i++) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, is("communicators") ? own[i] : MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        printf("%d ", value);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    int level = argc <= 3                            ? MPI_THREAD_MULTIPLE
                : strcmp(argv[3], "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                     : MPI_THREAD_FUNNELED;
    MPI_Init_thread(&argc, &argv, level, &level);
    mode = argv[1];
    thread_count = atoi(argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < thread_count; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    if (rank == 0 || is("beside"))
        threads_run();
    if (rank)
        serve();
    for (int i = 0; i < thread_count; i++)
        MPI_Comm_free(&own[i]);
    MPI_Finalize();
    return 0;
}
