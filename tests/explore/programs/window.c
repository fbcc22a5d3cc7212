/* 2 ranks. Two threads store to one place of a window, each completes its own store; the value of
 * the second thread is taken to be the last one. */
#include <mpi.h>
#include <pthread.h>

static MPI_Win win;

static void *store(void *value)
{
    MPI_Op op = MPI_REPLACE;
#ifdef CORRECT
    op = MPI_SUM;
#endif
    MPI_Accumulate(value, 1, MPI_INT, 1, 0, 1, MPI_INT, op, win);
    MPI_Win_flush(1, win);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, *memory, value[2] = {1, 2}, last = 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (!rank) {
        pthread_t thread;
        pthread_create(&thread, NULL, store, &value[1]);
        store(&value[0]);
        pthread_join(thread, NULL);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef CORRECT
    last = 3;
#endif
    if (rank && *memory != last)
        MPI_Abort(MPI_COMM_WORLD, 6);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
