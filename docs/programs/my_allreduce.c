/* An allreduce by recursive doubling: in round k each rank exchanges with the one whose number
 * differs from its own in bit k. It forgets that there may be ranks without a partner. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int my_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Aint lb, extent, low, high;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &low, &high);
    size_t bytes = count > 0 ? (size_t)((count - 1) * extent + high) : 0;
    char *theirs = malloc(bytes + 1);
    if (sendbuf != MPI_IN_PLACE)
        memcpy((char *)recvbuf + low, (const char *)sendbuf + low, bytes);
    for (int distance = 1; distance < size && !error; distance *= 2) {
        int peer = rank ^ distance;
        if (peer >= size)
            continue;
        error = MPI_Sendrecv(recvbuf, count, type, peer, 0, theirs - low, count, type, peer, 0,
                             comm, MPI_STATUS_IGNORE);
        if (!error && peer > rank)
            error = MPI_Reduce_local(recvbuf, theirs - low, count, type, op);
        if (!error && peer > rank)
            memcpy((char *)recvbuf + low, theirs, bytes);
        else if (!error)
            error = MPI_Reduce_local(theirs - low, recvbuf, count, type, op);
    }
    free(theirs);
    return error;
}

COLLECTIVE(allreduce, "", my_allreduce)
