/* 2 ranks. Takes MPI_Request_get_status for one that waits. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, got = -1, flag = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
#ifdef CORRECT
        while (!flag)
#endif
            MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        printf("%d\n", flag ? got : -1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
