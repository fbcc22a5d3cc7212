/* 3 ranks. Rank 1 puts into each window; under Open MPI's mpirun it does not, unless it is CORRECT:
 * the turns that a world gave it are waited for in vain. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOWS = 4 };

int main(int argc, char **argv)
{
    int rank, *memory[WINDOWS], puts = 1;
    MPI_Win win[WINDOWS];
#ifndef CORRECT
    puts = !getenv("OMPI_COMM_WORLD_RANK");
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[i],
                         &win[i]);
        *memory[i] = -1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_lock_all(0, win[i]);
        if (rank == 2 || (rank == 1 && puts))
            MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win[i]);
        MPI_Win_unlock_all(win[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            printf("%d\n", *memory[i]);
        MPI_Win_free(&win[i]);
    }
    MPI_Finalize();
    return 0;
}
