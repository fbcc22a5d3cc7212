/* 3 ranks. A generalized request is complete, and so is a receive of a message of nobody: the
 * receive beside them may be reported first. */
#include <mpi.h>
#include <stdlib.h>

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, got, none, at;
    MPI_Request request[3];
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Grequest_start(query, nothing, cancel, NULL, &request[0]);
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(&none, 1, MPI_INT, &message, &request[2]);
        MPI_Recv(&none, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Grequest_complete(request[0]);
        MPI_Waitany(3, request, &at, MPI_STATUS_IGNORE);
#ifndef CORRECT
        if (at == 1 && got == 2)
            MPI_Abort(MPI_COMM_WORLD, 1);
#endif
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
