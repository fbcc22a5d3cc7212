# A rank has thousands of accumulates in one epoch: they keep their order, so the explorer finds the
# next one without a look at each. With a look at each for each, no world would finish in time.
cat >many.c <<'END'
#include <mpi.h>
enum { COUNT = 5000 };
int main(int argc, char **argv)
{
    int rank, *base;
    struct {
        int value, at;
    } given[COUNT];
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; rank == 2 && i < COUNT; i++) {
        given[i].value = given[i].at = i;
        MPI_Accumulate(&given[i], 1, MPI_2INT, 0, 0, 1, MPI_2INT, MPI_REPLACE, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -o many many.c || exit 1
crosswait explore --allow=output -n 3 -- ./many
echo "[$?]"
