/* 3 ranks. MPI_Request_get_status_any: rank 0 believes that rank 1's message is there first. The
 * messages leave a buffer that MPI provides. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[2], index, flag = 0, bytes;
    void *buffer;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) {
        MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
        MPI_Bsend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &bytes);
        if (buffer != MPI_BUFFER_AUTOMATIC)
            MPI_Abort(MPI_COMM_WORLD, 5);
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &request[i]);
        while (!flag)
            MPI_Request_get_status_any(2, request, &index, &flag, MPI_STATUS_IGNORE);
#ifndef CORRECT
        if (index != 0)
            MPI_Abort(MPI_COMM_WORLD, 3);
#endif
        if (in[index] != index + 1)
            MPI_Abort(MPI_COMM_WORLD, 4);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
