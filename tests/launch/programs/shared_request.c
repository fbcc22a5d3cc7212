/* Two threads of each rank start a send into one variable: the first handle is lost, and both
 * threads wait for the second. Whichever thread waits in vain never returns. A third thread
 * receives when both wait. With -DOWN each sender has a variable of its own. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

enum { COUNT = 10000 };
static int out[2][COUNT], in[2][COUNT], rank;
static MPI_Request requests[2];
static pthread_barrier_t both;

static void *exchange(void *argument)
{
    const int me = (int)(long)argument;
#ifdef OWN
    MPI_Request *sent = &requests[me];
#else
    MPI_Request *sent = &requests[0];
#endif
    pthread_barrier_wait(&both);
    MPI_Isend(out[me], COUNT, MPI_INT, 1 - rank, me, MPI_COMM_WORLD, sent);
    pthread_barrier_wait(&both);
    MPI_Wait(sent, MPI_STATUS_IGNORE);
    return NULL;
}

static void *receive(void *argument)
{
    (void)argument;
    sleep(1);
    for (int i = 0; i < 2; i++)
        MPI_Recv(in[i], COUNT, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&both, NULL, 2);
    pthread_t other, receiver;
    pthread_create(&other, NULL, exchange, (void *)1L);
    pthread_create(&receiver, NULL, receive, NULL);
    exchange((void *)0L);
    pthread_join(other, NULL);
    pthread_join(receiver, NULL);
    MPI_Finalize();
    return 0;
}
