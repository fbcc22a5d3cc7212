/* usage: sampling STEPS BYTES COMPUTE  So many steps of COMPUTE rounds of arithmetic and an
 * MPI_Allreduce of BYTES. Rank 0 prints the processor time of its own that they took, in
 * nanoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    struct timespec from, to;
    int rank, steps = argc > 1 ? atoi(argv[1]) : 100, bytes = argc > 2 ? atoi(argv[2]) : 8;
    int rounds = argc > 3 ? atoi(argv[3]) : 0;
    volatile double x = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int count = bytes / (int)sizeof(double);
    double *given = calloc((size_t)count + 1, sizeof *given), *sum = malloc((size_t)bytes + 8);

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < rounds; k++)
            x = x * 1.0000001 + 0.5;
        MPI_Allreduce(given, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    if (rank == 0)
        printf("%lld\n",
               (long long)(to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec);
    free(given);
    free(sum);
    MPI_Finalize();
    return 0;
}
