/* 3 ranks. Takes a test of its neighbour's message for one that finds it; of a neighbour that there
 * is none of, it does. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, got[2] = {-1, -1}, flag, count, index[2], left, right;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = rank ? rank - 1 : MPI_PROC_NULL;
    right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Irecv(&got[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &request[1]);
    if (left == MPI_PROC_NULL) {
        MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
        printf("%d\n", flag);
    } else if (right == MPI_PROC_NULL) {
        MPI_Request both[2] = {request[1], MPI_REQUEST_NULL};
#ifndef CORRECT
        both[1] = request[0];
#endif
        MPI_Testsome(2, both, &count, index, MPI_STATUSES_IGNORE);
        printf("%d: %d\n", count, index[0]);
        request[1] = MPI_REQUEST_NULL;
#ifndef CORRECT
        request[0] = both[1];
#endif
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
