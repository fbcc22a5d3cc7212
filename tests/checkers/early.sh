# expected
# A rank that returns early, since a receive returned an error, leaves out what others wait for: one
# mistake, of the message that was too long. A hang that does not wait for that rank is another one.
cat >early.c <<'P'
#include <mpi.h>
#include <string.h>
static int rank, out[4], in[4];
static int take(int room)
{
    if (rank == 0) MPI_Send(out, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return rank != 1 ||
           MPI_Recv(in, room, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int taken = take(!strcmp(argv[1], "right") ? 4 : 2);
    if (!strcmp(argv[1], "other")) {
        if (rank > 1) MPI_Recv(in, 4, MPI_INT, 5 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (taken) {
        MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
P
mpicc -g -o early early.c || exit 1
for case in early other right; do
    crosswait run --confirm=0 -o T.db -- mpirun -n 4 ./early $case >said 2>&1 </dev/null
    echo "$case: $?"
    grep -E '^(error|warning)\[|^ *= (error|the call)' said
done
exit 0
