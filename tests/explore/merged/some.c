/* A manager that prints which of its receives MPI_Waitsome completes together: some ROUNDS. It
 * answers each worker, which then sends its next message. So every list of sets in which each
 * worker is ROUNDS times is an outcome: 3, 13, 75 or 541 for 2 to 5 workers and one round; 13 or
 * 409 for 2 or 3 workers and two rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 8 };

static MPI_Request request[WORKERS];
static int rank, size, rounds, value[WORKERS], index_of[WORKERS], left[WORKERS];

static void post(int w)
{
    MPI_Irecv(&value[w], 1, MPI_INT, w + 1, 1, MPI_COMM_WORLD, &request[w]);
}

static void manager(void)
{
    for (int w = 0; w < size - 1; w++) {
        left[w] = rounds;
        post(w);
    }
    for (int open = (size - 1) * rounds, count; open > 0; open -= count) {
        int set = 0;
        MPI_Waitsome(size - 1, request, &count, index_of, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++) {
            const int w = index_of[i];
            set |= 1 << w;
            MPI_Send(&set, 1, MPI_INT, w + 1, 2, MPI_COMM_WORLD);
            if (--left[w] > 0)
                post(w);
        }
        printf(" %d", set);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    int answer;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rounds = atoi(argv[1]);
    if (rank == 0)
        manager();
    for (int i = 0; rank > 0 && i < rounds; i++) {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&answer, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
