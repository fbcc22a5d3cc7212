/* Allgather around a ring: each rank passes on to its right what came from its left. As lectures
 * print it each rank sends, then receives; with an argument it does both at once. */
#include <mpi.h>

enum { WORDS = 64, RANKS_MAX = 16 };

int main(int argc, char **argv)
{
    static double block[RANKS_MAX][WORDS];
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    for (int i = 0; i + 1 < ranks; i++) {
        double *out = block[(rank + ranks - i) % ranks];
        double *in = block[(rank + ranks - i - 1) % ranks];
        if (argc > 1) {
            MPI_Sendrecv(out, WORDS, MPI_DOUBLE, right, 0, in, WORDS, MPI_DOUBLE, left, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Send(out, WORDS, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
            MPI_Recv(in, WORDS, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
