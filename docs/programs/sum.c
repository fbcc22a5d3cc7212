#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sum = rank + 1;
    MPI_Allreduce(&sum, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* MPI_IN_PLACE is meant */
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
