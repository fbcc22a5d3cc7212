/* 3 ranks. Rank 0 looks at two sends a few times before their receives can be posted. The first one
 * has no buffer and the second one has: then it gives up. */
#include <mpi.h>

static int looks(MPI_Request *request)
{
    int flag = 0;
    for (int i = 0; i < 3 && !flag; i++)
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

int main(int argc, char **argv)
{
    int rank, got, data[2] = {0, 0};
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(&data[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&data[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request[1]);
        int first = looks(&request[0]), second = looks(&request[1]);
#ifndef CORRECT
        if (second && !first)
            MPI_Abort(MPI_COMM_WORLD, 7);
#else
        first = second || first;
#endif
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    else
        MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
