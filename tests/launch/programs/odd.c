/* All ranks meet in a barrier, but for one, which receives from rank 0 what that never sends.
 * usage: odd ODD */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, odd = argc > 1 ? atoi(argv[1]) : 0, value;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == odd)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
