/* Each of two ranks sends with one thread and receives with another: the receive of the second
 * thread frees the send of the first one of the other rank, without any buffering. Silent, although
 * each send comes first.
 *
 * Arguments: [joined]  the second thread is not made before the first one has sent: then it is as
 * if there were one thread, and the job finishes only because the library buffers. A trace cannot
 * tell it from luck, the real job can.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 * TEST: ranks=2 args=joined job=0 verdict=deadlock-unbuffered
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void *send(void *argument)
{
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    return argument;
}

static void *receive(void *argument)
{
    int in = -1;
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return in == 1 - rank ? argument : NULL;
}

int main(int argc, char **argv)
{
    int provided, joined = argc > 1 && !strcmp(argv[1], "joined");
    pthread_t sender, receiver;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&sender, NULL, send, NULL);
    if (joined)
        pthread_join(sender, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    if (!joined)
        pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    if (rank == 0)
        printf("exchanged\n");
    MPI_Finalize();
    return 0;
}
