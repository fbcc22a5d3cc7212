# timeout: 60
# Each rank is reported with its own call: a rank that leaves a collective out calls the same
# function on another communicator, which is named with the call that made it; two ranks whose calls
# are both refused are not reported as making the same one; and no tag of a send is "any". Correct
# twins are clean.
set -u
failed=0
cat >both.c <<'C'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size, one = 1, sum = 0, bad = argc > 2;
    MPI_Comm reversed;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* neither rank ends the other */
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
    if (!strcmp(argv[1], "reduce")) {
        MPI_Comm used = rank || !bad ? MPI_COMM_WORLD : reversed;
        MPI_Ireduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, used, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
        MPI_Send(&one, 1, MPI_INT, 1, bad ? -1 : 3, MPI_COMM_WORLD);
    } else if (MPI_Recv_init(&one, 1, MPI_INT, 0, bad ? -2 : 3, MPI_COMM_WORLD, &request) ==
               MPI_SUCCESS) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Comm_free(&reversed);
    return MPI_Finalize();
}
C
mpicc -g -o both both.c || exit 1
run() { timeout 50 crosswait run --confirm=0 -o T.db -- mpirun -n 2 ./both "$@" >out 2>&1; }
has() { grep -qE -- "$1" out || { echo "not said: $1"; cat out; failed=1; }; }
lacks() { ! grep -qE -- "$1" out || { echo "said: $1"; cat out; failed=1; }; }
run reduce bad
has 'rank 0 leaves out MPI_Ireduce, which rank 1 calls \(collective [0-9]+ of MPI_COMM_WORLD\)'
has '= rank 0 calls it at both.c:15 on the communicator made by MPI_Comm_split at both.c:12'
lacks never
run tags bad
has "MPI_Send: 'tag' is -1: tags are not negative \(rank 0\)"
has "MPI_Recv_init: 'tag' is -2: tags are not negative \(rank 1\)"
has 'dest=1, tag=-1, 4 bytes'
lacks 'tag=any|ranks 0 and 1: MPI_'
for what in reduce tags; do
    run $what || failed=1
    has '^verdict: clean'
done
exit $failed
