/* Plays ping-pong between ranks 0 and 1 with sizes from 8 bytes to BYTES_MAX, each twice the one
 * before; alpha and beta are fitted to the times.
 *
 * Arguments: [ITERATIONS] [BYTES_MAX]  defaults 100 round trips for each size, and 1 MiB. Ranks: 2
 * (others are idle). Prints a line for each size: bytes, microseconds one way (half of the shortest
 * round trip).
 *
 * TEST: ranks=2 args=20 65536 job=0 verdict=clean
 * TEST: ranks=3 args=5 job=0 verdict=clean
 * INPROC: prints times
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int iterations = argc > 1 ? atoi(argv[1]) : 100;
    int bytes_max = argc > 2 ? atoi(argv[2]) : 1 << 20;
    char *buffer = calloc(bytes_max + 1, 1);
    for (int bytes = 8; bytes <= bytes_max && rank < 2 && size > 1; bytes *= 2) {
        double best = 1e9;
        for (int i = 0; i < iterations; i++) {
            double start = MPI_Wtime();
            if (rank == 0) {
                MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                MPI_Recv(buffer, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(buffer, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
            }
            double took = MPI_Wtime() - start;
            best = took < best ? took : best;
        }
        if (rank == 0)
            printf("%d %.3f\n", bytes, best / 2 * 1e6);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
