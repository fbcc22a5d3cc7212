/* Is correct, but looks like a deadlock in a trace: rank 0 receives from any of two ranks, then
 * from the other one. In the trace the second receive names one rank, but the program chooses it by
 * the result of the first receive.
 *
 * Arguments: none. Ranks: 3.
 *
 * TEST: ranks=3 args= job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        int other = 3 - status.MPI_SOURCE, sum = value;
        MPI_Recv(&value, 1, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("the sum is %d\n", sum + value);
    } else if (rank < 3) {
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
