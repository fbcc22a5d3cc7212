/* 2 ranks. Rank 0 cancels a receive, which may have its message already, and takes it to be
 * cancelled. Correct: it asks, and receives once more only then. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got = 0, cancelled = 1;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
#ifdef CORRECT
        MPI_Test_cancelled(&status, &cancelled);
#endif
        if (cancelled)
            MPI_Recv(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
