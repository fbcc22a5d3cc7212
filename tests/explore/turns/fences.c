/* 4 ranks. Two windows, one on a part of the ranks; puts and accumulates between fences. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, *a, *b, prev = -1;
    MPI_Comm part;
    MPI_Win wa, wb;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &a, &wa);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, part, &b, &wb);
    *a = *b = -5;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, wa);
    if (rank)
        MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, wa);
    MPI_Win_fence(0, wa);
    MPI_Win_fence(0, wb);
    if (rank > 1)
        MPI_Get_accumulate(&rank, 1, MPI_INT, &prev, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, wb);
    MPI_Win_fence(0, wb);
    printf("rank %d: %d %d %d\n", rank, *a, *b, prev);
    MPI_Win_free(&wb);
    MPI_Win_free(&wa);
    MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
