/* usage: threads send|late. Two threads of rank 0 send a message of one tag to rank 1, too long to
 * be buffered, and get an answer; rank 1 receives one of them. send   and goes to MPI_Finalize: the
 * other send never returns late   and the other one, once rank 2 has slept for 4 seconds and says
 * so */
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 10000 };

static void *talk(void *argument)
{
    static _Thread_local int data[COUNT];

    MPI_Send(data, COUNT, MPI_INT, 1, 5, MPI_COMM_WORLD);
    MPI_Recv(data, COUNT, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return argument;
}

static void answer(int times)
{
    static int data[COUNT];

    for (int i = 0; i < times; i++) {
        MPI_Recv(data, COUNT, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, COUNT, MPI_INT, 0, 6, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, level, word = 0, late = argc > 1 && strcmp(argv[1], "late") == 0;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&thread, NULL, talk, NULL);
        talk(NULL);
        pthread_join(thread, NULL);
    } else if (rank == 1) {
        answer(1);
        if (late) {
            MPI_Recv(&word, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            answer(1);
        }
    } else if (late) {
        sleep(4);
        MPI_Send(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
