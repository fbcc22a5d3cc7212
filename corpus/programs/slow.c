/* A correct job that only looks stuck: rank 0 sleeps or computes for SECONDS before it receives
 * the messages of the others.
 *
 * Arguments: [SECONDS] [sleep|compute]  defaults 20 and sleep. Ranks: 2 or more.
 *
 * TEST: ranks=2 args=20 job=0 verdict=clean
 * TEST: ranks=2 args=3 job=0 verdict=clean
 * TEST: ranks=3 args=3 compute job=0 verdict=clean
 * INPROC: not 20, which takes so long with mpirun
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, value = 0, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double seconds = argc > 1 ? atof(argv[1]) : 20;
    if (rank == 0) {
        if (argc > 2 && !strcmp(argv[2], "compute")) {
            volatile double x = 1;
            for (double start = MPI_Wtime(); MPI_Wtime() - start < seconds;)
                for (int i = 0; i < 1000000; i++)
                    x = x * 1.0000001 + 1e-9;
        } else {
            usleep((useconds_t)(seconds * 1e6));
        }
        for (int r = 1; r < size; r++) {
            MPI_Recv(&value, 1, MPI_INT, r, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        printf("the sum is %d\n", sum);
    } else {
        MPI_Ssend(&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
