/* Rank 0 takes a message of each other in any order, ten times, and then one more of each whose tag
 * it does not know: 8 ranks have more orders than can be tried, and none of them hangs. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 1, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 11; round++)
        for (int i = 1; i < size; i++) {
            if (rank == i)
                MPI_Send(&value, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
            if (rank == 0)
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round < 10 ? round : MPI_ANY_TAG,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
    MPI_Finalize();
    return sum < 0;
}
