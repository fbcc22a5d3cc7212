/* 3 ranks. Ranks 0 and 1 wait for each other if no send has a buffer; rank 0 waits for ever with
 * any buffers where its first receive took rank 1's message. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got = 0, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
#ifdef CORRECT
    if (rank < 2)
        MPI_Sendrecv(&rank, 1, MPI_INT, other, 1, &got, 1, MPI_INT, other, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
#else
    if (rank < 2) {
        MPI_Send(&rank, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
#endif
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef CORRECT
        MPI_Recv(&got, 1, MPI_INT, 3 - got, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
        MPI_Recv(&got, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    }
    MPI_Finalize();
    return 0;
}
