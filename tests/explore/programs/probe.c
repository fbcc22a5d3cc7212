/* 3 ranks. Makes room for the message that the probe has found, and receives any. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, count;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *data = calloc(64, sizeof *data);
    if (rank)
        MPI_Send(data, 10 * rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; i < 3 && rank == 0; i++) {
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
#ifdef CORRECT
        int from = status.MPI_SOURCE;
#else
        int from = MPI_ANY_SOURCE;
#endif
        MPI_Recv(data, count, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
