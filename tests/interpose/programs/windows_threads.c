/* Two threads of each rank make windows at once, each on a communicator of its own, which each rank
 * sees in an order of its own. */
#include <mpi.h>
#include <pthread.h>

static MPI_Comm comm[2];

static void *work(void *which)
{
    int *memory;
    MPI_Win win;

    for (int i = 0; i < 120; i++) {
        MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, *(MPI_Comm *)which, &memory, &win);
        for (int j = 0; j <= i % 3 + (which == comm) * 2; j++)
            MPI_Win_fence(0, win);
        MPI_Win_free(&win);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    pthread_create(&thread, NULL, work, &comm[1]);
    work(&comm[0]);
    pthread_join(thread, NULL);
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    MPI_Finalize();
    return level != MPI_THREAD_MULTIPLE;
}
