/* Rank 0 gets data into a null pointer: Open MPI tries to for ever. Rank 1 waits in the fence
 * behind that. */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, mine[8] = {0};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Get(NULL, 8, MPI_INT, 1, 0, 8, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
