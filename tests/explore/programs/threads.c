/* 2 ranks. Two threads share a queue: one looks how long the next message is and then receives it,
 * and the other may have received that one in between. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void take(int tag)
{
    MPI_Status status;
    int count, got[4];
    MPI_Probe(1, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Recv(got, count, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *second(void *argument)
{
    take(*(int *)argument);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, level, values[4] = {0}, tag = 0;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef CORRECT
    tag = 1;
#endif
    if (rank) {
        MPI_Send(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(values, 4, MPI_INT, 0, tag, MPI_COMM_WORLD);
    } else {
        pthread_create(&thread, NULL, second, &tag);
        take(0);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
