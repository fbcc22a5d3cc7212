/* 2 ranks. Rank 1 loads from its window what rank 0 puts there, with nothing that orders the two.
 * The correct one loads behind the barrier that comes behind the put. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *cell, seven = 7, found = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    cell[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    }
#ifndef CORRECT
    found = cell[0];
#endif
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef CORRECT
    found = cell[0] - 7 * rank;
#endif
    if (found)
        MPI_Abort(MPI_COMM_WORLD, found);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
