/* A lock of all windows beside exclusive ones: `before` it, `after` it, or `beside` it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, *mine, got = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    const char *when = argc > 1 ? argv[1] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    if (strcmp(when, "after")) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
        *mine = rank;
        MPI_Win_unlock(rank, win);
    }
    if (strcmp(when, "beside"))
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(NULL, &got, MPI_INT, 1 - rank, 0, MPI_NO_OP, win);
    MPI_Win_unlock_all(win);
    if (!strcmp(when, "after")) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
        *mine = rank;
        MPI_Win_unlock(rank, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
