/* A reduction to rank 1: afterwards A_local is the sum on rank 1 and untouched on the others.
 *
 * Arguments: none. Ranks: 3 (A_local starts as rank + 1, so the sum is 6).
 *
 * TEST: ranks=3 args= job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int a_local = rank + 1;
    if (rank == 1)
        MPI_Reduce(MPI_IN_PLACE, &a_local, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    else
        MPI_Reduce(&a_local, NULL, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    printf("rank %d: A_local is %d\n", rank, a_local);
    MPI_Finalize();
    return 0;
}
