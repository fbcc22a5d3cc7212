/* What an explanation has to say of: one-sided operations and what synchronises them, a buffer and
 * a request that are freed too early, a result that the rank itself spoils or that never came, tags
 * beyond those that MPI promises. explained.sh says of which. */
#include <mpi.h>
#include <stdlib.h>

#define BCAST void *b, int n, MPI_Datatype t, int root, MPI_Comm c

/* Everyone puts its rank to the left neighbour, and does not wait until it is there. */
static int puts_early(MPI_Comm c)
{
    int rank, size, *here;
    MPI_Win win;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    MPI_Win_allocate(sizeof *here, 1, MPI_INFO_NULL, c, &here, &win);
    *here = rank;
    MPI_Barrier(c);
    MPI_Win_lock_all(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_flush_local((rank + 1) % size, win);
    MPI_Barrier(c);
    int right = *here == (rank - 1 + size) % size;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return right ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* Frees the copy that its message comes from. */
static int frees_copy(BCAST)
{
    int rank, size;
    MPI_Request request;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    if (rank != root)
        return MPI_Recv(b, n, t, root, 1, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++) {
        char *copy = malloc(64);
        int bytes = 0;
        if (n == 1)
            MPI_Pack(b, n, t, copy, 64, &bytes, c);
        if (i != root)
            MPI_Isend(n == 1 ? copy : b, n == 1 ? bytes : n, n == 1 ? MPI_PACKED : t, i, 1, c,
                      &request);
        free(copy);
        if (i != root)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

/* Frees the request of a message that is under way, and leaves its buffer to the caller. */
static int frees_request(BCAST)
{
    int rank, size;
    MPI_Request request;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    if (rank != root)
        return MPI_Recv(b, n, t, root, 1, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        if (i != root) {
            MPI_Isend(b, n, t, i, 1, c, &request);
            MPI_Request_free(&request);
        }
    return MPI_SUCCESS;
}

/* From the root down a chain; each third rank touches what it has passed on, or passes less on. */
static int chain(BCAST, int spoils)
{
    int rank, size, bytes;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    MPI_Type_size(t, &bytes);
    int place = (rank - root + size) % size, less = place == 1 && size > 2 && !spoils && n;
    if (place > 0)
        MPI_Recv(b, n, t, (rank - 1 + size) % size, 1, c, MPI_STATUS_IGNORE);
    if (place < size - 1)
        MPI_Send(b, n - less, t, (rank + 1) % size, 1, c);
    if (spoils && place == 2 && n > 0 && bytes == 4)
        ++*(char *)b;
    return MPI_SUCCESS;
}

static int spoils(BCAST)
{
    return chain(b, n, t, root, c, 1);
}

static int cuts(BCAST)
{
    return chain(b, n, t, root, c, 0);
}

static int high_tags(BCAST)
{
    int rank, size;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    if (rank != root)
        return MPI_Recv(b, n, t, root, 70000, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        if (i != root)
            MPI_Send(b, n, t, i, 70000, c);
    return MPI_SUCCESS;
}

COLLECTIVE(barrier, "", puts_early)
COLLECTIVE(bcast, "", frees_copy)
COLLECTIVE(bcast, "", frees_request)
COLLECTIVE(bcast, "", spoils)
COLLECTIVE(bcast, "", cuts)
COLLECTIVE(bcast, "", high_tags)
