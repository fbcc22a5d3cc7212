# Ranks whose arguments differ only by their number share a line; sends of one place are one line;
# all ranks that make a mistake are named, with the sizes of the first; the verdict counts what the
# report shows.
cat >eight.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static int all[8 * 40];
    int rank, size, list[64] = {0};
    float number[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc > 2) {
        int *own = calloc(rank < 6 ? 6 : 10, sizeof *own);
        MPI_Allgather(own, 40, MPI_INT, all, 40, MPI_INT, MPI_COMM_WORLD);
    }
    for (int i = 0; argc == 2 && i < 3; i++) {
        MPI_Send(list, 10 + i, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD);
        MPI_Recv(list, 64, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    for (int i = 1; argc == 1 && i < size && !rank; i++) {
        MPI_Recv(list, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(number, 1, MPI_FLOAT, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (argc == 1 && rank) {
        MPI_Send(list, 4 + rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(list, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(list, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
C
touch -d "1 hour ago" eight.c # else the report takes it for changed since the run
mpicc -g -o eight eight.c || exit 1
crosswait record -o ring.db -- mpirun -n 8 ./eight ring
crosswait check --only=deadlock ring.db | grep -E '^error|rank|verdict'
crosswait record -o T.db -- mpirun -n 8 ./eight
crosswait check --only=message,deadlock T.db | grep -E '^(error|warning)|rank|in all|verdict'
CROSSWAIT_BUFFERS=on crosswait record -o T.db -- mpirun -n 8 ./eight own sizes
crosswait check --only=buffer T.db | grep -E '^error|-->|same|verdict'
exit 0
