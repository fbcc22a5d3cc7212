/* A solver that iterates until its residual is small, which it decides in a wrong way: each rank
 * looks at its own residual, and one of them is satisfied earlier than the others. */
#include <mpi.h>

static double residual(int rank, int iteration)
{
    return 1.0 / (iteration * (rank == 5 ? 4 : 2));
}

static double norm(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void solve(int rank)
{
    for (int i = 1; residual(rank, i) > 0.1; i++)
        norm(residual(rank, i));
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    solve(rank);
    MPI_Finalize();
    return 0;
}
