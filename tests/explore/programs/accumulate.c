/* 4 ranks. What rank 0 prints (SENT: sends on) depends on the order in which it combines it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    double got, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    got = rank;
    if (rank)
        MPI_Send(&got, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef CORRECT
        sum += got;
#else
        sum = sum / 2 + got;
#endif
    }
#ifdef SENT
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#else
    if (rank == 0)
        printf("%g\n", sum);
#endif
    MPI_Finalize();
    return 0;
}
