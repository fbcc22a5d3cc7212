/* A wildcard receive that takes the wrong message deadlocks: rank 0 receives from any rank, then
 * from rank 2. This works while the message of rank 1 comes first; if the wildcard takes that of
 * rank 2, the second receive waits for ever. Rank 2 sends a little later, so that the job ends in
 * most runs.
 *
 * Arguments: none. Ranks: 3.
 *
 * TEST: ranks=3 args= job=0 verdict=deadlock-some-order
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
        MPI_Recv(&second, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("received from %d, then from %d\n", first, second);
    } else if (rank <= 2) {
        if (rank == 2)
            usleep(400000);
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
