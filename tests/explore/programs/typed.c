/* 3 ranks. Rank 0 receives an integer and then a float; the message of rank 2, a float, may come
 * first. The twin receives bytes, packed data, and integers of another sign. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, integer = 1, at = 0;
    float real = 1;
    char packed[4];
    MPI_Datatype type = MPI_FLOAT;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef CORRECT
    MPI_Pack(&real, 1, MPI_FLOAT, packed, 4, &at, MPI_COMM_WORLD);
    type = MPI_UNSIGNED;
    if (rank == 2)
        MPI_Send(packed, at, MPI_PACKED, 0, 0, MPI_COMM_WORLD);
#else
    (void)packed, (void)at;
    if (rank == 2)
        MPI_Send(&real, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
#endif
    if (rank == 1)
        MPI_Send(&integer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&integer, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&real, 1, type, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
