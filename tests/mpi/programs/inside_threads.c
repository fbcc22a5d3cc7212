/* Threads that make collectives at once, each on its own communicator: blocking and non-blocking
 * ones, of which some are completed by whichever thread makes progress. Prints a sum a rank. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 20, COUNT = 3000 };

static MPI_Comm own[THREADS];
static long sum[THREADS];

static void *work(void *context)
{
    int me = (int)(long)context;
    static int in[THREADS][2][COUNT], out[THREADS][2][COUNT];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request[2];
        for (int i = 0; i < COUNT; i++)
            in[me][0][i] = in[me][1][i] = round + i;
        MPI_Ibcast(in[me][0], COUNT, MPI_INT, round % 2, own[me], &request[0]);
        MPI_Ireduce(in[me][1], out[me][1], COUNT, MPI_INT, MPI_SUM, 0, own[me], &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Allreduce(in[me][0], out[me][0], COUNT, MPI_INT, MPI_SUM, own[me]);
        MPI_Bcast(out[me][1], COUNT, MPI_INT, 0, own[me]);
        sum[me] += out[me][0][round] + out[me][1][COUNT - 1];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t thread[THREADS];
    long all = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        all += sum[i];
        MPI_Comm_free(&own[i]);
    }
    printf("rank %d: %ld\n", rank, all);
    MPI_Finalize();
    return provided == MPI_THREAD_MULTIPLE ? 0 : 1;
}
