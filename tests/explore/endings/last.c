/* 5 ranks. Rank 0 prints the order of what it receives, and waits for ever in one of the 24. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, got, reverse = 1;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        printf("%d: rank %d\n", i, got);
        reverse &= status.MPI_SOURCE == size - i;
    }
#ifndef CORRECT
    if (rank == 0 && reverse)
        MPI_Recv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
#endif
    MPI_Finalize();
    return 0;
}
