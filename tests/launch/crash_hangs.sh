# expected
# A rank that crashes inside malloc hangs in Open MPI's handler of the signal, which allocates as
# well: the launcher ends the rank, and the job ends. A rank whose handler returns is left alone.
# polls
. $SOURCE/tests/launch/lib.bash
cat >crash_hangs.c <<'C'
#include <malloc.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && argc > 1) {
        char *last = malloc(100000);
        memset(last + malloc_usable_size(last), 0xff, 8);
        return malloc(100000) == last;
    }
    if (rank == 1)
        abort();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -o cw.crash_hangs crash_hangs.c || exit 1
for how in "" inside; do
    timeout 60 crosswait run -o T.db -- mpirun -n 2 ./cw.crash_hangs $how >out 2>err
    echo "${how:-returns}: $?"
    grep -h '^error\[crash\]' out | sed 's/ in .*//'
    grep -h '^crosswait:' err
    echo "left behind $(left cw.crash_hangs)"
done
exit 0
