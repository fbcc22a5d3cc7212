/* 3 ranks. A word behind a lock: the last to write it is taken to be the highest rank. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, *word;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &word, &win);
    *word = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
#ifdef CORRECT
        MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, win);
#else
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
#endif
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        printf("%d\n", *word);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
