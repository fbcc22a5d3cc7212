/* Two ranks hang with several threads inside of MPI, or with one inside and one outside. The first
 * argument selects the case, "fixed" its correct twin.
 *
 * TEST: ranks=2 args=receives job=hangs verdict=deadlock
 * TEST: ranks=2 args=receives fixed job=0 verdict=clean
 * TEST: ranks=2 args=mutex job=hangs verdict=deadlock
 * TEST: ranks=2 args=mutex fixed job=0 verdict=clean
 * TEST: ranks=2 args=mixed job=hangs verdict=deadlock
 * TEST: ranks=2 args=mixed fixed job=0 verdict=clean
 * INPROC: no, its threads call MPI
 */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, other, number[2], sent[2]; /* by tag */
static bool fixed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static MPI_Comm copy;

static void receive(int tag)
{
    MPI_Recv(&number[tag], 1, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int tag)
{
    MPI_Send(&sent[tag], 1, MPI_INT, other, tag, MPI_COMM_WORLD);
}

/* Each of two threads of each rank receives before it sends. In the twin the second thread sleeps,
 * then sends first. */
static void *receives(void *argument)
{
    int tag = argument != NULL;

    if (fixed && tag) {
        usleep(1500000);
        send(0);
    }
    receive(tag);
    if (!fixed || !tag)
        send(fixed ? 1 : tag);
    return NULL;
}

/* In each rank a thread holds the mutex and receives; the other, which would send, waits for it. */
static void *mutex_user(void *argument)
{
    if (argument) {
        if (!fixed)
            pthread_barrier_wait(&both); /* the other thread holds the mutex */
        pthread_mutex_lock(&mutex);
        send(0);
        pthread_mutex_unlock(&mutex);
    } else if (fixed) {
        receive(0);
    } else {
        pthread_mutex_lock(&mutex);
        pthread_barrier_wait(&both);
        receive(0);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

/* Each rank has a thread in a synchronous send. Rank 0 receives only after a barrier, which rank 1
 * enters only after its send. */
static void *mixed(void *argument)
{
    if (!argument) {
        if (rank == 1)
            MPI_Ssend(&number[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 1 || !fixed)
            MPI_Barrier(copy);
        if (rank == 0)
            receive(0);
        if (rank == 0 && fixed)
            MPI_Barrier(copy);
    } else {
        if (rank == 0)
            MPI_Ssend(&number[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        else {
            if (!fixed)
                MPI_Recv(&number[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            receive(1);
        }
    }
    return NULL;
}

static void two_threads(void *(*body)(void *))
{
    pthread_t thread;

    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, body, &rank);
    body(NULL);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "receives";
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    fixed = argc > 2 && !strcmp(argv[2], "fixed");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (!strcmp(way, "receives"))
        two_threads(receives);
    else if (!strcmp(way, "mutex"))
        two_threads(mutex_user);
    else
        two_threads(mixed);
    MPI_Comm_free(&copy);
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
