/* 3 ranks. Rank 0 stops at the first word that says so, and leaves the other one unread if that
 * came second. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got, words = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    while (rank == 0 && words < 2) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        words++;
#ifndef CORRECT
        if (got == 2)
            break;
#endif
    }
    MPI_Finalize();
    return 0;
}
