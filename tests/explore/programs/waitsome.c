/* 3 ranks. Takes for granted that Waitsome reports both at once, and so never frees the other. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got[2], count, index[2], left = 2, word = 7;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&got[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &request[i]);
        while (left) {
            MPI_Waitsome(2, request, &count, index, MPI_STATUSES_IGNORE);
            for (int i = 0; i < count; i++)
                MPI_Send(&word, 1, MPI_INT, index[i] + 1, 1, MPI_COMM_WORLD);
            left -= count;
#ifndef CORRECT
            left = 0;
            for (int i = 0; i < 2; i++)
                if (request[i] != MPI_REQUEST_NULL)
                    MPI_Request_free(&request[i]);
#endif
        }
    }
    MPI_Finalize();
    return 0;
}
