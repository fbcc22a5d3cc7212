/* 2 ranks. Data and a flag are put without a flush between them; whoever sees the flag takes the
 * data to be there. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, value[2] = {7, 1};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 1) {
        MPI_Put(&value[0], 1, MPI_INT, 0, 0, 1, MPI_INT, win);
#ifdef CORRECT
        MPI_Win_flush(0, win);
#endif
        MPI_Put(&value[1], 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    } else {
        do
            MPI_Win_sync(win);
        while (!*(volatile int *)&memory[1]);
        MPI_Win_sync(win);
        if (memory[0] != 7)
            MPI_Abort(MPI_COMM_WORLD, 8);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
