/* Both ranks start an epoch before they post one: MPI_Win_start may wait for the post. Run with 2 ranks; with an argument in the right order. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, value = 1, other;
    MPI_Win window;
    MPI_Group world, group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    if (argc > 1)
        MPI_Win_post(group, 0, window);
    MPI_Win_start(group, 0, window);
    if (argc == 1)
        MPI_Win_post(group, 0, window);
    MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
