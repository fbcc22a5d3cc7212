/* 3 ranks. Rank 0 looks once for a message of each, and goes on without what is not there yet. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, got, flag, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; i < 3 && rank == 0; i++) {
        do
            MPI_Iprobe(i, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
#ifdef CORRECT
        while (!flag);
#else
        while (0);
#endif
        if (flag) {
            MPI_Recv(&got, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += got;
        }
    }
    if (rank == 0)
        printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
