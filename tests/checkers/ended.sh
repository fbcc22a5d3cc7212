# Findings say how the recorded run ended: they do not say "completed" of a run that crashed.
# timeout: 180
cat >past.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return MPI_Finalize();
}
P
mpicc -g -o past past.c || exit 1
for how in "" aborts; do
    rm -f past.db
    crosswait record -o past.db -- mpirun -n 2 ./past $how >/dev/null 2>&1
    crosswait check --only=deadlock past.db | grep -o "the recorded run.*"
done
exit 0
