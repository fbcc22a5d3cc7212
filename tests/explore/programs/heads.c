/* 2 ranks. Two threads send a head and a body each with one tag: a body may follow the other's
 * head, and then rank 1 ends while rank 0 still sends. */
#include <mpi.h>
#include <pthread.h>

static void *send_two(void *number)
{
    int head = *(int *)number, body = 10 * head, tag = 0;
#ifdef CORRECT
    tag = head;
#endif
    MPI_Send(&head, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    MPI_Send(&body, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, level, head, body, tag = 0, number[] = {1, 2};
    pthread_t other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&other, NULL, send_two, &number[0]);
        send_two(&number[1]);
        pthread_join(other, NULL);
    }
    for (int i = 0; rank == 1 && i < 2; i++) {
#ifdef CORRECT
        tag = number[i];
#endif
        MPI_Recv(&head, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&body, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (body != 10 * head)
            return 1;
    }
    MPI_Finalize();
    return 0;
}
