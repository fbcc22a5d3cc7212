/* Only rank 0, the root, calls MPI_Reduce; the others call MPI_Finalize instead. Rank 0 waits for
 * contributions that never come, so the job always hangs.
 *
 * Arguments: none. Ranks: 2 or more.
 *
 * TEST: ranks=2 args= job=hangs verdict=deadlock
 * TEST: ranks=4 args= job=hangs verdict=deadlock
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine = rank + 1, sum = 0;
    if (rank == 0) {
        MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        printf("the sum is %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
