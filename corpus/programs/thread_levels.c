/* Uses MPI_THREAD_FUNNELED (threads compute while the main thread communicates) or
 * MPI_THREAD_SERIALIZED (one at a time communicates). Each rank prints how often it made each call.
 *
 * Arguments: [funneled|serialized]  default funneled. Ranks: 2 or more.
 *
 * TEST: ranks=2 args=funneled job=0 verdict=clean
 * TEST: ranks=2 args=serialized job=0 verdict=clean
 * INPROC: no, its threads run on while the ranks take turns
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

enum { THREADS = 3, ROUNDS = 20 };

static int rank, size, serialized;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void ring(void)
{
    int in = -1;
    CALL(MPI_Sendrecv, &rank, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT,
         (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in == (rank + size - 1) % size);
}

static void *work(void *argument)
{
    volatile double x = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 10000; i++)
            x = x * 1.0001;
        pthread_mutex_lock(&one_at_a_time);
        if (serialized)
            ring();
        pthread_mutex_unlock(&one_at_a_time);
    }
    return argument;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t ids[THREADS];
    serialized = argc > 1 && !strcmp(argv[1], "serialized");
    CALL(MPI_Init_thread, &argc, &argv, serialized ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED,
         &provided);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++)
        EXPECT(!pthread_create(&ids[i], NULL, work, NULL));
    for (int round = 0; round < ROUNDS && !serialized; round++)
        ring();
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
