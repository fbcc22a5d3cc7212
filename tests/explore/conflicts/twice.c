/* Rank 0 stores in a fence epoch to cells of its window that rank 1 puts (put), or gets and prints
 * (get): to one, or with MPI_Comm_rank in between to two (MORE). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, seven = 7, got = 0;
    const int more = argc > 2;
    volatile int *cell;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&cell,
                     &win);
    cell[0] = cell[1] = cell[2] = cell[3] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 1 && !strcmp(argv[1], "get"))
        MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    if (rank == 1 && !strcmp(argv[1], "put"))
        MPI_Put(&seven, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (rank == 1 && more)
        MPI_Put(&seven, 1, MPI_INT, 0, 3, 1, MPI_INT, win);
    if (rank == 0)
        cell[!strcmp(argv[1], "get")] = 5;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && more)
        cell[3] = 5;
    MPI_Win_fence(0, win);
    if (!strcmp(argv[1], "get"))
        printf("%d\n", got);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
