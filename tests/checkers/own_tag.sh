# expected
# A wildcard receive takes a message of the next phase, which has the same tag. Where the record has
# all calls, crosswait gives these messages a tag of their own and decides every order again; where
# the job hung, the help names the change. The program with the second tag gets no such words.
# timeout: 120
cat >phases.c <<'P'
#include <mpi.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, x = 0, hangs = !strcmp(argv[1], "hangs"), tag = !strcmp(argv[1], "right");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 1; i < 3; i++)
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i < 3; i++)
            MPI_Recv(&x, 1, MPI_INT, i, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        if (hangs && rank == 2)
            usleep(200000);
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (!hangs)
            usleep(200000);
        MPI_Send(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
P
mpicc -g -w -o phases phases.c || exit 1
for how in ends hangs right; do
    crosswait run -o T.db -- mpirun -n 3 ./phases $how >said 2>/dev/null </dev/null
    echo "$how: $?"
    crosswait check --only=deadlock T.db | grep -E '^(error|warning|note)\[|that message is|help:' |
        sed 's/rank [12]/rank N/'
done
exit 0
