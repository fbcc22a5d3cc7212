/* Two ranks broadcast, each with itself as the root. The library buffers small messages, so both
 * calls return, and each rank keeps its own value. With the argument `same` both name rank 0.
 *
 * Arguments: [same]. Ranks: 2.
 *
 * TEST: ranks=2 args= job=0 verdict=misuse
 * TEST: ranks=2 args=same job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;

    (void)argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int value = 10 + rank;
    MPI_Bcast(&value, 1, MPI_INT, argc > 1 ? 0 : rank, MPI_COMM_WORLD);
    printf("rank %d has %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
