/* 3 ranks. Rank 0 polls for the end of its exposure epoch. Rank 1 completes its access epoch only
 * if the message of rank 0 came first: otherwise it waits for one that nobody sends. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got, cell = 0, flag = 0, from = MPI_ANY_SOURCE;
    MPI_Win win;
    MPI_Group all, one;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &(int){rank == 0}, &one);
    MPI_Win_create(&cell, sizeof(cell), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
#ifdef CORRECT
    from = 0;
#endif
    if (rank == 0)
        MPI_Win_post(one, 0, win);
    if (rank != 1)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        while (!flag)
            MPI_Win_test(win, &flag);
    } else if (rank == 1) {
        MPI_Win_start(one, 0, win);
        MPI_Recv(&got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE != 0)
            MPI_Recv(&got, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &status);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&one);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
