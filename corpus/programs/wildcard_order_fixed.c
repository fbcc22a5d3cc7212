/* The safe twin of wildcard_order: both receives take any source, so either order of the messages
 * works.
 *
 * Arguments: none. Ranks: 3.
 *
 * TEST: ranks=3 args= job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, first = -1, second = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("received from both, the sum of their ranks is %d\n", first + second);
    } else if (rank <= 2) {
        if (rank == 2)
            usleep(400000);
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
