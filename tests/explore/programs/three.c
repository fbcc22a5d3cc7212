/* 4 ranks. Two rounds of three messages, 36 orders: only where both rounds begin with rank 3 and
 * the first ends with rank 1 does rank 0 wait for a word that nobody sends. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got, order[6];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 2; round++) {
        if (rank)
            MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        for (int i = 0; i < 3 && rank == 0; i++) {
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
            order[3 * round + i] = status.MPI_SOURCE;
        }
    }
#ifndef CORRECT
    if (rank == 0 && order[0] == 3 && order[2] == 1 && order[3] == 3)
        MPI_Recv(&got, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    (void)order;
#endif
    MPI_Finalize();
    return 0;
}
