/* Each of two ranks sends with one thread and receives with another: the receive of the second
 * thread completes the send of the other rank's first thread without buffering. So checkers must
 * report nothing, although each send comes first.
 *
 * Arguments: [joined]  the program makes the second thread only after the first one has sent. This
 * equals one thread: the job finishes only because the library buffers. A trace cannot distinguish
 * the two cases, a real job can.
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
