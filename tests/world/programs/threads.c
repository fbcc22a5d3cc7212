/* Threads of ranks in one process. Argument: mpi (a thread calls MPI), on (a thread runs on while
 * the ranks take turns), joined (it ends before the next call of MPI), team (OpenMP's own threads
 * wait between two loops). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int rank, sum;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *by)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&one_at_a_time);
        sum += *(int *)by;
        pthread_mutex_unlock(&one_at_a_time);
    }
    return NULL;
}

static void *barrier(void *unused)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return unused;
}

static void *sleep_on(void *lock)
{
    pthread_mutex_lock(lock); /* for ever */
    return NULL;
}

static void run(void *(*what)(void *), void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, what, argument);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int provided, by;
    pthread_t thread;
    const char *way = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    by = rank + 1;
    if (!strcmp(way, "mpi"))
        run(barrier, NULL);
    if (!strcmp(way, "on")) {
        pthread_mutex_lock(&one_at_a_time);
        pthread_create(&thread, NULL, sleep_on, &one_at_a_time);
    }
    for (int round = 0; round < 3; round++) {
        if (!strcmp(way, "joined"))
            run(add, &by);
        if (!strcmp(way, "team")) {
#pragma omp parallel for reduction(+ : sum) num_threads(3)
            for (int i = 0; i < 1000; i++)
                sum += by;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
