/* 2 ranks. A put that is complete at its origin only comes behind one that needed a message. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, *a, value, got;
    MPI_Win wa;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &a, &wa);
    a[0] = -5;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, wa);
    value = rank + 10;
    if (rank == 1) {
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, wa);
        MPI_Win_flush_local(0, wa);
        value = -9;
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_flush(0, wa);
    } else {
        MPI_Recv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, wa);
        MPI_Win_flush(0, wa);
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(wa);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", a[0]);
    MPI_Win_free(&wa);
    MPI_Finalize();
    return 0;
}
