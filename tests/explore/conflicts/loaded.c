/* Rank 0 puts to a cell of rank 1's window, which rank 1 loads itself. HOW: apart; or in an order:
 * behind a barrier (barrier); under exclusive locks of both (locks); another cell, and which rank
 * comes first is told by an atomic counter in the same window (beside); or rank 1 waits for the
 * value, and says how often it has looked (waits). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *how = argv[1];
    int rank, seven = 7, got = 0, one = 1, place = -1, looks = 0;
    volatile int *cell;
    void *base;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    cell = base;
    cell[0] = cell[1] = cell[2] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        int locks = !strcmp(how, "locks"), beside = !strcmp(how, "beside");
        MPI_Win_lock(locks ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 1, 0, win);
        if (beside)
            MPI_Fetch_and_op(&one, &place, MPI_INT, 1, 2, MPI_SUM, win);
        else
            MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    }
    if (!strcmp(how, "barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        if (!strcmp(how, "locks"))
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        if (!strcmp(how, "waits")) {
            while (!(got = cell[0])) {
                int flag;
                looks++;
                MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            }
        } else {
            got = cell[strcmp(how, "beside") ? 0 : 1];
        }
        if (!strcmp(how, "locks"))
            MPI_Win_unlock(1, win);
        if (!strcmp(how, "beside")) {
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            MPI_Fetch_and_op(&one, &place, MPI_INT, 1, 2, MPI_SUM, win);
            MPI_Win_unlock(1, win);
        }
        printf("the cell holds %d, place %d, %d looks\n", got, place, looks);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
