/* Thread t of each of two ranks exchanges a message with thread t of the other rank; both send
 * first. The job finishes only because the library buffers: otherwise each pair of threads blocks
 * itself, whatever the other pair does.
 *
 * Arguments: [fixed]  both threads of rank 1 receive first.
 *            [BYTES]  size of a message, default 8; the job hangs if the library does not buffer
 * this size.
 *
 * TEST: ranks=2 args= job=0 verdict=deadlock-unbuffered
 * TEST: ranks=2 args=8 job=0 verdict=deadlock-unbuffered
 * TEST: ranks=2 args=fixed job=0 verdict=clean
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, bytes = 8;
static int fixed;

static void *exchange(void *argument)
{
    int tag = (int)(size_t)argument, other = 1 - rank;
    char *out = calloc(1, (size_t)bytes), *in = calloc(1, (size_t)bytes);

    if (fixed && rank == 1)
        MPI_Recv(in, bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD);
    if (!fixed || rank == 0)
        MPI_Recv(in, bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t second;

    fixed = argc > 1 && !strcmp(argv[1], "fixed");
    if (argc > 1 && !fixed)
        bytes = atoi(argv[1]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&second, NULL, exchange, (void *)1);
    exchange((void *)0);
    pthread_join(second, NULL);
    if (rank == 0)
        printf("exchanged\n");
    MPI_Finalize();
    return 0;
}
