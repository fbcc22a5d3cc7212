/* 3 ranks. Rank 0 watches its window, and calls MPI_Win_flush meanwhile. Rank 1 puts what it waits
 * for only if the message of rank 2 came first. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got = 0, from = MPI_ANY_SOURCE, one = 1;
    volatile int *cell;
    MPI_Win win;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    *cell = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
#ifdef CORRECT
    from = 2;
#endif
    if (rank != 1)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        while (!*cell)
            MPI_Win_flush(0, win);
    } else if (rank == 1) {
        MPI_Recv(&got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE == 0)
            MPI_Recv(&got, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &status); /* nobody sends it */
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
