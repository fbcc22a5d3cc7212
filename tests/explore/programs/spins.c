/* 2 ranks. Rank 0 polls for its send, which rank 1 receives only behind what rank 0 sends next:
 * without a buffer it polls for ever. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got, flag = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
#ifdef CORRECT
        MPI_Send(&rank, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
#endif
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
#ifndef CORRECT
        MPI_Send(&rank, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
#endif
    } else {
        MPI_Recv(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
