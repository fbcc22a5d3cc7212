/* 4 ranks. If rank 2 comes first, ranks 0 and 1 send to each other before they receive: that takes
 * a buffer, and a choice. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got, first = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Recv(&got, 1, MPI_INT, 5 - first, 0, MPI_COMM_WORLD, &status);
        MPI_Send(&first, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
    if (rank == 1)
        MPI_Recv(&first, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    if (rank < 2) {
#ifdef CORRECT
        int send_first = rank == 0;
#else
        int send_first = first == 3 || rank == 0;
#endif
        if (send_first)
            MPI_Send(&rank, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &status);
        if (!send_first)
            MPI_Send(&rank, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
