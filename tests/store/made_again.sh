# Persistent requests that each round makes, starts and frees: all messages are in the trace, also
# if the loop was first seen between the making and the start (store_loop.c).
cat >made.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, in[3], out[3] = {0};
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 84; i++) {
        MPI_Send_init(out, 3, MPI_INT, 1 - rank, 21, MPI_COMM_WORLD, &request[0]);
        MPI_Recv_init(in, 3, MPI_INT, 1 - rank, 21, MPI_COMM_WORLD, &request[1]);
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Request_free(&request[0]);
        MPI_Request_free(&request[1]);
    }
    MPI_Finalize();
    return 0;
}
P
mpicc -g -w -o made made.c || exit 1
crosswait record -o T.db -- mpirun -n 2 ./made || exit 1
[ "$(sqlite3 T.db 'select count(*) from message')" = 168 ]
