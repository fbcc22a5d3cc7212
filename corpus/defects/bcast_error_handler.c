/* Planted defect: a broadcast looks at the errors of its own sends, so it sets MPI_ERRORS_RETURN on
 * its caller's communicator, and leaves it there.
 *
 * Seen in: libraries that try out whether a call works. Axis: arguments. Shows as: the caller's
 * later errors no longer end its job.
 */
#include "corpus/collectives/collective.h"

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int restores)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Errhandler before;
    rank_and_size(comm, &rank, &size);
    MPI_Comm_get_errhandler(comm, &before);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int to = 0; rank == root && to < size && !error; to++)
        if (to != root)
            error = MPI_Send(buffer, count, type, to, COLLECTIVE_TAG, comm);
    if (rank != root)
        error = MPI_Recv(buffer, count, type, root, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
    if (restores)
        MPI_Comm_set_errhandler(comm, before);
    return error;
}

int defect_bcast_error_handler(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 0);
}

int fixed_bcast_error_handler(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 1);
}

COLLECTIVE(bcast, "", fixed_bcast_error_handler)
DEFECT(bcast, "", defect_bcast_error_handler, fixed_bcast_error_handler, .expect = "error-handler",
       .axis = "arguments", .origin = "libraries that try out whether a call works")
