/* 3 ranks. A lock that one rank keeps across a barrier, and another takes before its own. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *word;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &word, &win);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
#ifdef CORRECT
        MPI_Win_unlock(1, win);
        MPI_Barrier(MPI_COMM_WORLD);
#else
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_unlock(1, win);
#endif
    } else if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Win_unlock(1, win);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
