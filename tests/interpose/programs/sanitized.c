/* Threads that send in rings and add up what they get: as it should be, or with one mistake that a
 * sanitizer sees.
 *
 * sanitized fine|overflow|leak|undefined|unset */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, ROUNDS = 200, LENGTH = 64, LEAK_BYTES = 12345 };

static int rank, ranks, sum;
static const char *mistake = "fine";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int makes(const char *what)
{
    return rank == 0 && !strcmp(mistake, what);
}

static void *work(void *argument)
{
    const int tag = *(const int *)argument;
    int *to = malloc(LENGTH * sizeof *to), *from = malloc(LENGTH * sizeof *from);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request[2];
        for (int i = 0; i < LENGTH; i++)
            from[i] = round;
        MPI_Irecv(to, LENGTH, MPI_INT, (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD,
                  &request[0]);
        MPI_Isend(from, LENGTH, MPI_INT, (rank + 1) % ranks, tag, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        pthread_mutex_lock(&mutex);
        sum += from[0];
        pthread_mutex_unlock(&mutex);
    }
    free(to);
    free(from);
    return NULL;
}

static void make_mistake(void)
{
    volatile int index = LENGTH, most = 2147483647;
    volatile int *numbers = malloc(LENGTH * sizeof *numbers);
    if (makes("overflow"))
        numbers[index] = 1;
    if (makes("undefined"))
        most++;
    if (makes("unset") && numbers[index / 2])
        puts("it is not 0");
    free((void *)numbers);
    if (makes("leak")) {
        numbers = malloc(LEAK_BYTES);
        numbers[0] = 1;
        numbers = NULL;
    }
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int tag[THREADS], level;
    if (argc > 1)
        mistake = argv[1];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < THREADS; i++) {
        tag[i] = i;
        pthread_create(&thread[i], NULL, work, &tag[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    make_mistake();
    if (rank == 0)
        printf("%d\n", sum);
    fflush(stdout);
    return MPI_Finalize();
}
