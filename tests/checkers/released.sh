# A lock of MPI_Compare_and_swap that a rank releases by MPI_Put: the two conflict, as the word of a
# lock is not protected by the lock. Released by MPI_Accumulate it is right.
cat >lock.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, *word, one = 1, zero = 0, was, value;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &word, &win);
    word[0] = word[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    do {
        MPI_Compare_and_swap(&one, &zero, &was, MPI_INT, 0, 0, win);
        MPI_Win_flush(0, win);
    } while (was);
    MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    value++;
    MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
#ifdef FIXED
    MPI_Accumulate(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
#else
    MPI_Put(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
#endif
    MPI_Win_flush(0, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return MPI_Finalize();
}
C
for kind in PUT FIXED; do
    mpicc -g -D$kind -o lock lock.c
    crosswait record -o T.db -- mpirun -n 2 ./lock
    echo "$kind:"
    crosswait check --only=rma T.db | grep -oE '^(error|warning|note)\[rma\]|= .*atomic.*'
done
exit 0
