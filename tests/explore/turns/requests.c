/* 3 ranks. Operations with requests, and buffers that are used again before what they held has
 * reached the target. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, *a, prev = -1, other;
    MPI_Win wa;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &a, &wa);
    a[0] = a[1] = -5;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, wa);
    other = rank + 10;
    MPI_Raccumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, wa, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Accumulate(&other, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, wa);
    MPI_Win_flush_local(0, wa);
    other = -9;
    MPI_Win_flush(0, wa);
    MPI_Get(&prev, 1, MPI_INT, 0, 1, 1, MPI_INT, wa);
    MPI_Win_flush_all(wa);
    MPI_Win_unlock_all(wa);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %d\n", a[0], a[1]);
    printf("rank %d: %d\n", rank, prev);
    MPI_Win_free(&wa);
    MPI_Finalize();
    return 0;
}
