/* Rank 0 takes the first number of any rank, and then rank 2's, which may have been that one. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2) /* comes second wherever rank 1 has no bad luck */
        MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank)
        MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(&number, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    for (int i = 0; i < 2 && !rank; i++)
        MPI_Recv(&number, 1, MPI_INT, i ? 2 : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
