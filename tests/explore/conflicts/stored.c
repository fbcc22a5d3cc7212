/* Rank 0 stores to a cell of its window and prints nothing of it; rank 1 puts to it, or adds to it
 * (add). HOW: both between two fences (fence), under a lock that does not keep rank 0 out (shared),
 * with a barrier between the two that completes nothing (barrier), or behind a store to another
 * cell (later). Or in an order: a barrier behind a flush (flush); in two fence
 * epochs (epochs); the store before a fence that opens the epoch (before); under exclusive locks
 * (locks); before MPI_Win_post and behind MPI_Win_wait (post); behind the value that rank 0 waits
 * for (waits). Or to another cell (beside); or both store, and MPI_Win_sync and barriers order
 * that (sync). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *how;
static int rank, seven = 7;
static volatile int *cell;
static MPI_Win win;

static int is(const char *name)
{
    return !strcmp(how, name);
}

static void put(void)
{
    if (is("add"))
        MPI_Accumulate(&seven, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    else
        MPI_Put(&seven, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
}

static void store(void)
{
    if (is("later"))
        cell[3] = 5;
    cell[is("beside") ? 2 : 1] = 5;
    if (is("beside"))
        cell[3] = 5;
}

static void fences(void)
{
    if (is("before") && rank == 0)
        store();
    MPI_Win_fence(0, win);
    if (rank == 1)
        put();
    if (is("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("epochs"))
        MPI_Win_fence(0, win);
    if (rank == 0 && !is("before"))
        store();
    MPI_Win_fence(0, win);
}

static void locks(int kind)
{
    if (rank == 1 || kind == MPI_LOCK_EXCLUSIVE || is("waits"))
        MPI_Win_lock(kind, 0, 0, win);
    if (rank == 1)
        put();
    if (rank == 1 && is("flush")) {
        MPI_Win_flush(0, win);
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 0 && is("flush"))
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (rank == 0 && is("waits") && cell[1] != seven)
        MPI_Win_sync(win);
    if (rank == 0)
        store();
    if (rank == 1 || kind == MPI_LOCK_EXCLUSIVE || is("waits"))
        MPI_Win_unlock(0, win);
}

static void post(void)
{
    int other = !rank;
    MPI_Group all, group;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &group);
    if (rank == 0) {
        store();
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
        store();
    } else {
        MPI_Win_start(group, 0, win);
        put();
        MPI_Win_complete(win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void sync(void)
{
    MPI_Aint bytes;
    int unit;
    void *base;
    MPI_Win_shared_query(win, 0, &bytes, &unit, &base);
    cell = base;
    MPI_Win_lock_all(0, win);
    for (int turn = 0; turn < 2; turn++) {
        if (rank == turn)
            store();
        MPI_Win_sync(win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_sync(win);
    }
    MPI_Win_unlock_all(win);
}

int main(int argc, char **argv)
{
    void *base;
    how = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is("sync"))
        MPI_Win_allocate_shared(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    else
        MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    cell = base;
    cell[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (is("sync"))
        sync();
    else if (is("post"))
        post();
    else if (is("locks"))
        locks(MPI_LOCK_EXCLUSIVE);
    else if (is("shared") || is("flush") || is("waits"))
        locks(MPI_LOCK_SHARED);
    else
        fences();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
