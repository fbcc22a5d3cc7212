/* Two ranks exchange a message in each of N rounds. In round SLOW rank 1 works for MS milliseconds;
 * 0: in none. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static void work(int ms)
{
    double end = now() + ms * 1e-3;

    while (now() < end)
        ;
}

int main(int argc, char **argv)
{
    int rank, in, out = 1, rounds, slow, ms;

    MPI_Init(&argc, &argv);
    if (argc < 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    rounds = atoi(argv[1]);
    slow = atoi(argv[2]);
    ms = atoi(argv[3]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 1; round <= rounds; round++) {
        MPI_Request request[2];
        if (rank == 1 && round == slow)
            work(ms);
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]); /* LATE */
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);                          /* WAITS */
    }
    MPI_Finalize();
    return 0;
}
