# Findings say how the recorded run ended: they do not say "completed" of a run that crashed. A call
# that had not returned then orders what came before it: its message was received.
# timeout: 180
cat >past.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && argv[1][0] == 'p') { /* pending, and pending without an order */
        int got, first = rank == 0 || argv[1][1] == 'u';
        MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        for (int turn = 0; turn < 2; turn++)
            if (turn != first) {
                MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
                MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
                MPI_Win_unlock(0, window);
            } else if (rank == 1) {
                MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (turn == 1) {
                MPI_Sendrecv(&rank, 1, MPI_INT, 1, 0, &got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
            }
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
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
for how in pending punordered; do
    crosswait record -o past.db -- mpirun -n 2 ./past $how >/dev/null 2>&1
    crosswait check --only=rma past.db | grep -o "conflicting.*" || echo "$how: nothing"
done
exit 0
