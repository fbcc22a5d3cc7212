/* 4 ranks. Each draws a ticket with one-sided operations; whoever has the second one is taken to
 * have a rank above the first one's. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, ticket = -1, one = 1, *counter, holder[4];
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Allgather(&ticket, 1, MPI_INT, holder, 1, MPI_INT, MPI_COMM_WORLD);
    int first = 0, second = 0;
    for (int i = 0; i < size; i++) {
        first = holder[i] == 0 ? i : first;
        second = holder[i] == 1 ? i : second;
    }
#ifdef CORRECT
    if (first == second)
        abort();
#else
    if (rank == 0 && first == 3 && second == 1)
        abort();
#endif
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
