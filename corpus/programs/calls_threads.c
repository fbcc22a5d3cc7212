/* Uses MPI_THREAD_MULTIPLE: the threads of each rank send and receive at once, each with its own
 * tag. Each rank prints how often its threads together made each call.
 *
 * Arguments: [THREADS] [ROUNDS]  defaults 4 and 100. Ranks: 2 or more.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 * TEST: ranks=3 args=8 50 job=0 verdict=clean
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

static int rank, size, rounds;

static void *work(void *argument)
{
    int thread = (int)(size_t)argument, right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int round = 0; round < rounds; round++) {
        int out = rank * 1000000 + thread * 1000 + round, in = -1;
        MPI_Request request;
        MPI_Status status;
        CALL(MPI_Irecv, &in, 1, MPI_INT, left, thread, MPI_COMM_WORLD, &request);
        if (round % 2) {
            CALL(MPI_Send, &out, 1, MPI_INT, right, thread, MPI_COMM_WORLD);
        } else {
            MPI_Request send;
            CALL(MPI_Isend, &out, 1, MPI_INT, right, thread, MPI_COMM_WORLD, &send);
            CALL(MPI_Wait, &send, MPI_STATUS_IGNORE);
        }
        CALL(MPI_Wait, &request, &status);
        EXPECT(in == left * 1000000 + thread * 1000 + round);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, threads = argc > 1 ? atoi(argv[1]) : 4;
    pthread_t ids[64];
    rounds = argc > 2 ? atoi(argv[2]) : 100;
    EXPECT(threads <= 64);
    CALL(MPI_Init_thread, &argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    for (int i = 0; i < threads; i++)
        EXPECT(!pthread_create(&ids[i], NULL, work, (void *)(size_t)i));
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
