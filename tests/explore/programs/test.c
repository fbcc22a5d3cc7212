/* 2 ranks. Uses what it receives whether or not MPI_Test says that it is there. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, got = -1, flag;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        int before = flag ? got : -1;
        if (!flag)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef CORRECT
        (void)before;
        printf("%d\n", got);
#else
        printf("%d\n", before);
#endif
    }
    MPI_Finalize();
    return 0;
}
