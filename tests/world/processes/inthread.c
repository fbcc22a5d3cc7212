/* All that the program does with MPI but its start and end it does in another thread, made before
 * any call that concerns ranks. Any number of ranks. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static void *ring(void *unused)
{
    int rank, size, from;

    (void)unused;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d from %d\n", rank, from);
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (pthread_create(&thread, NULL, ring, NULL))
        return 1;
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
