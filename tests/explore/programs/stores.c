/* 2 ranks. Rank 1 stores in its window, which rank 0 gets from: by a load and store, and by system
 * calls that are handed the memory. The correct one locks its own window for that. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static void beat(int number)
{
    (void)number;
}

/* Four system calls that reach for the memory, one by what another address names. */
static void hand_over(int *cell)
{
    struct iovec all = {cell, 4 * sizeof *cell};
    int ends[2], copy[4] = {1, 2, 3, 4};
    if (pipe(ends) != 0 || write(ends[1], copy, sizeof copy) != sizeof copy ||
        readv(ends[0], &all, 1) != sizeof copy ||
        write(ends[1], cell, sizeof copy) != sizeof copy ||
        read(ends[0], copy, sizeof copy) != sizeof copy || copy[3] != 4)
        abort();
    close(ends[0]);
    close(ends[1]);
}

int main(int argc, char **argv)
{
    int rank, *cell, got[4];
    MPI_Win win;
    sigset_t set, now;
    MPI_Init(&argc, &argv);
    signal(SIGALRM, beat);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    for (int i = 0; i < 4; i++)
        cell[i] = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGALRM); /* pending, until it is let in */
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    sigprocmask(SIG_BLOCK, NULL, &now);
    if (sigismember(&now, SIGALRM))
        abort();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Get(got, 4, MPI_INT, 1, 0, 4, MPI_INT, win);
        MPI_Win_unlock(1, win);
        if (got[0] != 0 && got[0] != 2)
            MPI_Abort(MPI_COMM_WORLD, got[0]);
    } else {
#ifdef CORRECT
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
#endif
        hand_over(cell);
#ifndef CORRECT
        MPI_Barrier(MPI_COMM_SELF);
#endif
        cell[0]++;
#ifdef CORRECT
        MPI_Win_unlock(1, win);
#endif
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
