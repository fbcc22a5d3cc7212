# A buffer that is used too early, in a job whose orders of messages cannot all be decided: the wait
# that would mend it is tried, and the report comes all the same.
cat >early.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, out[4] = {1}, in[4], x, there;
    MPI_Request send, receive;
    MPI_Message message;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 50; i++) {
        for (int k = 0; k < 4 && rank; k++)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        for (int k = 0; k < 4 * (size - 1) && !rank; k++) {
            do
                MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &message, &status);
            while (!there);
            MPI_Mrecv(&x, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Irecv(in, 4, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &receive);
    MPI_Isend(out, 4, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &send);
    out[1] = 7;
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
P
mpicc -g -w -o early early.c || exit 1
crosswait record --buffers=on -o T.db -- mpirun -n 3 ./early || exit 1
crosswait check --only=buffer T.db >said 2>&1
[ $? = 1 ] && grep -q '^error\[buffer\]' said || { cat said; exit 1; }
