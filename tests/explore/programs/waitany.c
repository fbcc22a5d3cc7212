/* 4 ranks. The index that Waitany reports is taken for the number of requests that are done. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, got[3] = {0}, index, seen[3] = {0};
    MPI_Request request[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3 && rank == 0; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < 3 && rank == 0; i++) {
        MPI_Waitany(3, request, &index, MPI_STATUS_IGNORE);
#ifndef CORRECT
        index = i == 1 && index == 2 ? 0 : index;
#endif
        seen[index]++;
    }
    for (int i = 0; i < 3 && rank == 0; i++)
        if (seen[i] != 1)
            abort();
    MPI_Finalize();
    return 0;
}
