/* Ranks 1 and 2 reach every other cell of rank 0's window: each its own (HOW put, add), or both the
 * same (put same, add same); rank 0 prints what it finds behind the fence. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, cells[4], *base;
    const int same = argc > 2;
    MPI_Datatype every;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(4, 1, 2, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    memset(base, 0, 8 * sizeof(int));
    for (int i = 0; i < 4; i++)
        cells[i] = rank;
    MPI_Win_fence(0, win);
    if (rank && !strcmp(argv[1], "put"))
        MPI_Put(cells, 4, MPI_INT, 0, same ? 0 : rank - 1, 1, every, win);
    if (rank && !strcmp(argv[1], "add"))
        MPI_Accumulate(cells, 4, MPI_INT, 0, same ? 0 : rank - 1, 1, every, MPI_REPLACE, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 8 && !rank; i++)
        printf(" %d", base[i]);
    if (!rank)
        puts("");
    MPI_Win_free(&win);
    MPI_Type_free(&every);
    MPI_Finalize();
    return 0;
}
