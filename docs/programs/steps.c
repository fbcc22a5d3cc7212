/* Time steps: each rank computes, then all agree on the length of the next step. One rank has more
 * to compute than the others. */
#include <mpi.h>
#include <unistd.h>

static void compute(int rank)
{
    usleep(rank == 2 ? 30000 : 2000);
}

static double next(double mine)
{
    double least;

    MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return least;
}

int main(int argc, char **argv)
{
    double time = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (time < 1) {
        compute(rank);
        time += next(0.05 + 0.01 * rank);
    }
    MPI_Finalize();
    return 0;
}
