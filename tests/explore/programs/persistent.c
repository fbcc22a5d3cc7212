/* 3 ranks. A persistent receive from anybody is started twice; the second message is taken to be
 * that of the last rank. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, got = 0, seen = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
        for (int i = 1; i < size; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            seen += got;
        }
#ifdef CORRECT
        if (seen != size * (size - 1) / 2)
#else
        if (got != size - 1)
#endif
            MPI_Abort(MPI_COMM_WORLD, 5);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
