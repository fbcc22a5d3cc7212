# expected
# A thread of rank 0 puts, another one calls the barrier after which rank 1 reads: a note, as
# something unseen may order the two threads. Nothing if the barrier follows both threads, and an
# error if rank 1 does not wait at all.
cat >prog.c <<'END'
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, level, *cell, nine = 9, got = 0;
    MPI_Win win;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        volatile int put = 0;
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) {
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            MPI_Put(&nine, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
            MPI_Win_unlock(1, win);
            put = 1;
        } else {
            while (!put)
                usleep(1000);
#ifndef JOINED
            MPI_Barrier(MPI_COMM_WORLD);
#endif
        }
#ifdef JOINED
        MPI_Barrier(MPI_COMM_WORLD);
#endif
    } else {
#ifndef EARLY
        MPI_Barrier(MPI_COMM_WORLD);
#endif
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
#ifdef EARLY
        MPI_Barrier(MPI_COMM_WORLD);
#endif
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
END
for how in APART JOINED EARLY; do
    mpicc -g -fopenmp -D$how -o prog prog.c || exit 1
    crosswait record -o T.db -- mpirun -n 2 ./prog >/dev/null 2>&1
    crosswait check T.db >said
    echo "$how: $?"
    grep -E '^[a-z]*\[|threads of rank' said
    rm -f T.db
done
exit 0
