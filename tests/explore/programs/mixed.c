/* 4 ranks. Rank 2 is first at rank 0 only if its send to rank 3 is buffered; then ranks 0 and 1
 * send to each other before they receive, and wait for ever if those are not. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got, first = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 3, 1, MPI_COMM_WORLD);
    if (rank == 1 || rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&first, 1, MPI_INT, 3, 2, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, 3 - first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&first, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    }
    if (rank == 3) {
        MPI_Recv(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 1)
        MPI_Recv(&first, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef CORRECT
    int send_first = rank == 0;
#else
    int send_first = rank == 0 || first == 2;
#endif
    if (rank < 2) {
        if (send_first)
            MPI_Send(&rank, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!send_first)
            MPI_Send(&rank, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
