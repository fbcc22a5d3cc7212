/* 3 ranks. Persistent collectives: the rank whose message comes last starts the sum once less. */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

int main(int argc, char **argv)
{
    int rank, first = 0, sum = 0, one = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else {
        int second;
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 3; i++) {
#ifndef CORRECT
        if (rank == 0 && first == 2 && i == 2)
            break;
#endif
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (sum != 3)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
