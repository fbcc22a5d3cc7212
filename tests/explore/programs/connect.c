/* 3 ranks. Rank 0 accepts two connections, and takes the first to be that of rank 1. */
#include <mpi.h>

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int rank, number, first = 1;
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < 3; i++) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        MPI_Recv(&number, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
#ifdef CORRECT
        first = number;
#endif
        if (i == 1 && number != first)
            MPI_Abort(MPI_COMM_WORLD, 9);
        MPI_Comm_disconnect(&other);
    }
    if (rank) {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, other);
        MPI_Comm_disconnect(&other);
    }
    if (rank == 0)
        MPI_Close_port(port);
    MPI_Finalize();
    return 0;
}
