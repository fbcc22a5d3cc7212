/* Two threads of each client send to rank 0, which takes all by MPI_Probe of any source and tag.
 * LEFT: at its end rank 0 sends a message to each client, which nobody receives. */
#include <mpi.h>
#include <pthread.h>

enum { ROUNDS = 200 };

static void *ask(void *unused)
{
    char answer[16];
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Send(NULL, 0, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
        MPI_Recv(answer, 16, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return unused;
}

static void *tell(void *unused)
{
    char data[40] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Send(data, 40, MPI_CHAR, 0, 9, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_CHAR, 0, 13, MPI_COMM_WORLD);
    }
    return unused;
}

static void serve(int size)
{
    char data[64] = {0};
    MPI_Status status;
    for (int i = 0; i < 3 * ROUNDS * (size - 1); i++) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(data, status.MPI_TAG == 9 ? 40 : 0, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (status.MPI_TAG == 7)
            MPI_Send(data, 16, MPI_CHAR, status.MPI_SOURCE, 7, MPI_COMM_WORLD);
    }
#ifdef LEFT
    for (int i = 1; i < size; i++)
        MPI_Send(NULL, 0, MPI_CHAR, i, 5, MPI_COMM_WORLD);
#endif
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    pthread_t asks, tells;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        serve(size);
    } else {
        pthread_create(&asks, NULL, ask, NULL);
        pthread_create(&tells, NULL, tell, NULL);
        pthread_join(asks, NULL);
        pthread_join(tells, NULL);
    }
    MPI_Finalize();
    return 0;
}
