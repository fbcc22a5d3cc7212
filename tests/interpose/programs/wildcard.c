/* Rank 0 takes one message of each other rank, whichever comes first, by wildcard. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int me, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (me)
        MPI_Send(&me, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else
        for (int i = 1; i < size; i++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
