# A thread that is cancelled while it sleeps ends after it, and the world continues.
cat >prog.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int rank;
static void *sleeper(void *unused)
{
    int got;
    MPI_Sendrecv(&rank, 1, MPI_INT, rank, 7, &got, 1, MPI_INT, rank, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (;;)
        sleep(100);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    void *result;
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, sleeper, NULL);
    usleep(1000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED)
        abort();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -pthread -o prog prog.c && crosswait explore -q -n 2 -- ./prog
