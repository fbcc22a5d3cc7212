/* 2 ranks. Rank 1 looks into its window at some time while rank 0 stores to eight places there:
 * it may see any of the 256 sets of them. It relies on the last one to tell that all are there. */
#include <mpi.h>

enum { PLACES = 8 };

int main(int argc, char **argv)
{
    int rank, *memory, value = 1, seen = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(PLACES * (int)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    for (int i = 0; i < PLACES; i++)
        memory[i] = 0;
    MPI_Win_fence(0, win);
    for (int i = 0; !rank && i < PLACES; i++)
        MPI_Put(&value, 1, MPI_INT, 1, i, 1, MPI_INT, win);
#ifdef CORRECT
    MPI_Win_fence(0, win);
#endif
    if (rank)
        for (int i = 0; i < PLACES; i++)
            seen |= memory[i] << i;
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    if (seen == (1 << (PLACES - 1) | 0x55))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
