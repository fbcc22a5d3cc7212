/* Starts two more processes of itself, exchanges a message with them over the intercommunicator,
 * and ends. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int me, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE);
        if (me == 0)
            MPI_Recv(&value, 1, MPI_INT, 1, 3, children, MPI_STATUS_IGNORE);
        MPI_Bcast(&value, 1, MPI_INT, me == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
        MPI_Comm_disconnect(&children);
    } else {
        value = 7 * me;
        if (me == 1)
            MPI_Send(&value, 1, MPI_INT, 0, 3, parent);
        MPI_Bcast(&value, 1, MPI_INT, 0, parent);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return value != 7 && me == 0;
}
