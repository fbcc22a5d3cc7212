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
    for (volatile int work = 0; rank == 0 && argc > 1 && work < 60000000; work++)
        ;
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
# Worlds take so long that run has no time to run one of each outcome again.
mpicc -g -O1 -DTIMES -o elapsed elapsed.c || exit 1
crosswait run -o T.db -- mpirun -n 6 ./elapsed slow | grep -o -E '^warning.*|: 1 outcome'
# Times, process numbers and random numbers of the system, before and after MPI_Init, are the same
# in all worlds, but not in all jobs. Seeds that are constant, and times that change nothing, are.
cat >chance.cc <<'C'
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mpi.h>
#include <random>
#include <string>
#include <sys/random.h>
#include <unistd.h>
static int byte()
{
    char got;
    return getrandom(&got, 1, 0) == 1 ? got : 0;
}
static int value(const std::string &how)
{
    using clock = std::chrono::system_clock;
    return how == "device"    ? std::random_device()()
           : how == "engine"  ? std::mt19937(clock::now().time_since_epoch().count())()
           : how == "bytes"   ? byte()
           : how == "process" ? getpid()
           : how == "time"    ? std::mt19937(time(NULL))()
           : how == "seed"    ? (srand(time(NULL)), 0)
           : how == "fixed"   ? (srand(1), rand() + std::mt19937(7)() + (time(NULL) < 0))
                              : 0;
}
static int early = value(getenv("EARLY"));
int main(int argc, char **argv)
{
    int rank, bit = 0, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        bit = (early + value(getenv("LATE"))) & 1;
    if (rank)
        MPI_Send(&bit, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; i < 3 && rank == 0; i++, bit |= got)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%s\n", bit ? "heads" : "tails");
    MPI_Finalize();
}
C
mpicxx -g -w -o chance chance.cc || exit 1
for late in device engine bytes process; do
    EARLY= LATE=$late crosswait explore -n 3 -- ./chance |
        grep -o 'all there are\|there may be more'
done
for early in device time seed fixed; do
    EARLY=$early LATE=fixed crosswait explore -n 3 -- ./chance |
        grep -o 'all there are\|there may be more'
done
cat >chance.f90 <<'F'
program chance
    use mpi
    integer :: ierr, n
    real :: x
    call MPI_Init(ierr)
    if (command_argument_count() == 1) then
        call random_seed(size=n)
        call random_seed(put=[(5, i = 1, n)])
    end if
    call random_number(x)
    print *, x > 0.5
    call MPI_Finalize(ierr)
end program
F
mpif90 -g -o chance chance.f90 || exit 1
crosswait explore -n 2 -- ./chance | tail -1
crosswait explore -n 2 -- ./chance 5 | tail -1
# A sum of doubles depends on the order in which the library adds; a sum of integers does not.
cat >sum.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double large[] = {1e16, 1, -1e16, 1}, sum;
    long one = 1L << rank, all;
    MPI_Allreduce(&large[argc == 1 ? rank : 1], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum: %.0f, %ld\n", sum, all);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -o sum sum.c || exit 1
crosswait explore -n 4 -- ./sum | tail -1
crosswait explore -n 4 -- ./sum exact | tail -1
exit 0
