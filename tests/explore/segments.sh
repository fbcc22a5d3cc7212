# Loads and stores in memory of MPI_Win_allocate_shared, also in segments of other ranks: a race is
# told with both places; with a barrier between the two there is one outcome.
cat >seg.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int me, *mine, *first, unit;
    MPI_Aint size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_shared_query(win, 0, &size, &unit, &first);
    MPI_Win_lock_all(0, win);
    *mine = 0;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    if (me == 1)
        *first = 7;
#ifdef FIXED
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
#endif
    if (me == 0)
        printf("%d\n", *mine);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return MPI_Finalize();
}
C
touch -d "1 hour ago" seg.c # else the report takes it for changed since the run
for kind in RACE FIXED; do
    mpicc -g -D$kind -o seg seg.c
    echo "$kind"
    crosswait explore --time=60 -- mpirun -n 2 ./seg
    echo "[$?]"
done
exit 0
