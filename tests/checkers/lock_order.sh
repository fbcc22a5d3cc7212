# expected
# If ranks each hold a lock and wait for the other's, the help is about the order of locks, not
# about a lock that somebody forgot to release. If all take them in one order, there is no finding.
cat >lock_order.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, one = 1, *base[2];
    MPI_Win window[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base[i], &window[i]);
    int crossed = argc > 1, first = crossed ? rank : 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window[first]);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window[first]);
    MPI_Win_flush(0, window[first]);
    if (crossed)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window[!first]);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window[!first]);
    MPI_Win_unlock(0, window[!first]);
    MPI_Win_unlock(0, window[first]);
    for (int i = 0; i < 2; i++)
        MPI_Win_free(&window[i]);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -o lock_order lock_order.c || exit 1
for how in crossed ""; do
    timeout 60 crosswait run --confirm=0 -o job.db -- mpirun -n 2 ./lock_order $how >out 2>/dev/null
    echo "${how:-ordered}: $?"
    grep -E '^(error|warning|note)\[|holds the lock|= help' out
done
exit 0
