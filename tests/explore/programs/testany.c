/* 4 ranks. A server that counts what it has served, and stops one too early if the third was there
 * before the first. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got[3], index, flag, served = 0, first = -1;
    MPI_Request request[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 3 && rank == 0; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &request[i]);
    while (rank == 0 && served < 3) {
        MPI_Testany(3, request, &index, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            continue;
        if (first < 0)
            first = index;
        MPI_Send(&rank, 1, MPI_INT, index + 1, 1, MPI_COMM_WORLD);
        served++;
#ifndef CORRECT
        if (first == 2 && index == 0)
            break;
#endif
    }
    MPI_Finalize();
    return 0;
}
