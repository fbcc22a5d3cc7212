# expected
# Outcomes that differ only in times and random names that the program prints count as one, in
# whatever order it slept; if a result differs as well, they do not.
cat >elapsed.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, got, mixed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double begin = MPI_Wtime();
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(1000 * got * i);
        mixed = 2 * mixed + got;
    }
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        printf("elapsed %.3f s\n", MPI_Wtime() - begin);
#ifdef SEED
    if (rank == 1)
        srand(SEED);
#endif
#ifdef NAMES
    char name[] = "part.XXXXXX";
    if (rank == 0 && close(mkstemp(name)) == 0)
        printf("wrote %s\n", name);
#endif
#ifdef MIXED
    if (rank == 0)
        printf("result %d\n", mixed);
#endif
    MPI_Finalize();
    return 0;
}
C
for what in TIMES MIXED NAMES 'NAMES -DMIXED'; do
    mpicc -g -O1 -D$what -o elapsed elapsed.c || exit 1
    crosswait explore -n 4 -- ./elapsed | grep -E '^warning|time|^crosswait'
    crosswait run -o T.db -- mpirun -n 4 ./elapsed | grep -E '^warning|^explored'
done
# A seed of random numbers that comes from a clock is the same in all worlds, but not in all jobs.
for seed in 'time(NULL)' 'rank + (MPI_Wtime() < 0)'; do
    mpicc -g -O1 "-DSEED=$seed" -o elapsed elapsed.c || exit 1
    crosswait explore -n 4 -- ./elapsed | grep '^crosswait'
done
exit 0
