/* Rank 0 of 5 ranks deadlocks in one of (P - 1)! orders: where the messages come from the last rank
 * to the first. CORRECT: in none. POLLS: it tests for each message. ONE: it names the sources.
 * POSTED: it posts all receives at once, so that there is no search through its states. A job is
 * unlikely to meet that order, as ranks send one after the other. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, sum = 0, got = 0, reverse = 1;
    MPI_Status status = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank) {
        usleep(20000 * (unsigned)rank);
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    } else {
#ifdef POSTED
        int from[99];
        MPI_Request request[99];
        MPI_Status each[99];
        for (int i = 1; i < size; i++)
            MPI_Irecv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(size - 1, request + 1, each + 1);
#endif
        for (int i = 1; i < size; i++) {
#if defined(POLLS)
            int there = 0;
            while (!there)
                MPI_Iprobe(i, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
            MPI_Recv(&got, 1, MPI_INT, i, 5, MPI_COMM_WORLD, &status);
#elif defined(POSTED)
            got = from[i];
            status = each[i];
#elif defined(ONE)
            MPI_Recv(&got, 1, MPI_INT, i, 5, MPI_COMM_WORLD, &status);
#else
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
#endif
            sum += got;
            reverse &= status.MPI_SOURCE == size - i;
        }
#if !defined(CORRECT) && !defined(POLLS) && !defined(ONE)
        if (reverse)
            MPI_Recv(&got, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &status);
#endif
        printf("sum %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
