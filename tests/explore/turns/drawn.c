/* Calls on a window that are drawn, each rank its own: drawn SEED HOW CALLS, where all is locked by
 * all for everything (all), each call has a lock of its own (own), or a fence comes before and
 * behind them (fence). Each prints what it got and saw. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 16, PLACES = 2, TEXT = 64 * CALLS };

static unsigned state;
static MPI_Win win;
static int *memory, got[CALLS], value[CALLS], compare;
static char text[TEXT];
static size_t used;

static int below(int count)
{
    state = state * 1103515245 + 12345;
    return (int)(state >> 16) % count;
}

static void saw(char what, int number)
{
    used += (size_t)snprintf(text + used, sizeof text - used, " %c%d", what, number);
}

static void look(void)
{
    MPI_Win_sync(win);
    for (int i = 0; i < PLACES; i++)
        saw('l', memory[i]);
}

static void call(int i, int target, int all)
{
    int place = below(PLACES);
    switch (below(all ? 7 : 5)) {
    case 0:
        MPI_Put(&value[i], 1, MPI_INT, target, place, 1, MPI_INT, win);
        break;
    case 1:
        MPI_Get(&got[i], 1, MPI_INT, target, place, 1, MPI_INT, win);
        break;
    case 2:
        MPI_Accumulate(&value[i], 1, MPI_INT, target, place, 1, MPI_INT,
                       below(2) ? MPI_SUM : MPI_REPLACE, win);
        break;
    case 3:
        MPI_Fetch_and_op(&value[i], &got[i], MPI_INT, target, place, MPI_SUM, win);
        break;
    case 4:
        MPI_Compare_and_swap(&value[i], &compare, &got[i], MPI_INT, target, place, win);
        break;
    case 5:
        MPI_Win_flush(target, win);
        break;
    default:
        look();
    }
}

int main(int argc, char **argv)
{
    int rank, size, calls = atoi(argv[3]), all = argv[2][0] == 'a', fence = argv[2][0] == 'f';
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(PLACES * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    state = (unsigned)(atoi(argv[1]) * 100 + rank);
    for (int i = 0; i < PLACES; i++)
        memory[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (all)
        MPI_Win_lock_all(0, win);
    if (fence)
        MPI_Win_fence(0, win);
    for (int i = 0; i < calls && i < CALLS; i++) {
        int target = below(size);
        value[i] = 10 * rank + i + 1;
        if (!all && !fence)
            MPI_Win_lock(below(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
        call(i, target, all);
        if (!all && !fence)
            MPI_Win_unlock(target, win);
    }
    if (all)
        MPI_Win_unlock_all(win);
    if (fence)
        MPI_Win_fence(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    for (int i = 0; i < PLACES; i++)
        saw('m', memory[i]);
    MPI_Win_unlock(rank, win);
    for (int i = 0; i < calls && i < CALLS; i++)
        saw('g', got[i]);
    printf("%d:%s\n", rank, text);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
