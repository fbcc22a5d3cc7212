/* 3 ranks. A lock by MPI_Fetch_and_op with MPI_REPLACE; rank 2 does not wait for it. Correct: it
 * does. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, *cell, old, zero = 0, one = 1, count = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    cell[0] = cell[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank) {
        do {
            MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_REPLACE, win);
            MPI_Win_flush(0, win);
#ifndef CORRECT
            if (rank == 2)
                break;
#endif
        } while (old);
        MPI_Get(&count, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        count++;
        MPI_Put(&count, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        MPI_Fetch_and_op(&zero, &old, MPI_INT, 0, 0, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && cell[1] != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
