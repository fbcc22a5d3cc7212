/* MPI_THREAD_MULTIPLE: `threads THREADS MESSAGES [funneled]`: each thread exchanges messages with
 * its twin on the other rank, by tag. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int me, messages;

/* What threads of a program that asked for less than MULTIPLE do all the same. */
static void *ask_time(void *argument)
{
    (void)argument;
    int flag;
    for (int i = 0; i < messages; i++) {
        MPI_Wtime();
        MPI_Initialized(&flag);
    }
    return NULL;
}

static void *exchange(void *argument)
{
    int tag = (int)(long)argument, in, out;
    for (int i = 0; i < messages; i++) {
        MPI_Request request;
        out = tag * 100000 + i;
        MPI_Irecv(&in, 1, MPI_INT, 1 - me, tag, MPI_COMM_WORLD, &request);
        MPI_Send(&out, 1, MPI_INT, 1 - me, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (in != out) {
            fprintf(stderr, "thread %d got %d for %d\n", tag, in, out);
            exit(1);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, threads = argc > 1 ? atoi(argv[1]) : 4;
    pthread_t thread[64];
    messages = argc > 2 ? atoi(argv[2]) : 50;
    int funneled = argc > 3;
    MPI_Init_thread(&argc, &argv, funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (provided != (funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE))
        return 2;
    for (long t = 0; t < threads; t++)
        pthread_create(&thread[t], NULL, funneled ? ask_time : exchange, (void *)(t + 1));
    for (int t = 0; t < threads; t++)
        pthread_join(thread[t], NULL);
    MPI_Finalize();
    return 0;
}
