# expected
# If a world reaches a limit, here a datatype with too many pieces, this is no behaviour of the
# program: nothing is blamed, run says why it could not explore, and the twin with fewer pieces is
# explored. The program with more takes some seconds, as run explores about as long as the job took.
cat >pieces.c <<'P'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, got;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(atoi(argv[1]), 1, 2, MPI_CHAR, &type);
    MPI_Type_free(&type);
    if (atoi(argv[1]) > 1000000)
        sleep(9); // gives run time to explore, on a busy machine, too
    for (int i = 1; rank == 0 && i < 3; i++)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
P
mpicc -g -O1 -o pieces pieces.c || exit 1
for pieces in 5000000 1000; do
    crosswait explore -n 3 -- ./pieces $pieces
    echo "[$?]"
    crosswait explore --again=order=explore -n 3 -- ./pieces $pieces 2>&1
    echo "[$?]"
    crosswait run -o T.db -- mpirun -n 3 ./pieces $pieces | grep -v ^recorded
    echo "[${PIPESTATUS[0]}]"
done
