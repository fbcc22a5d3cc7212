/* Planted defect: in a broadcast round a ring a rank probes for its neighbour's message a fixed
 * number of times. Then it asks the root instead, and never receives the message, which still
 * arrives.
 *
 * Seen in: recovery code that was tried on a fast network only. Axis: timing. Shows as: a leftover
 * message, a hang if sends do not buffer, or the last call's data in the next call, if a message
 * takes longer than the probes.
 */
#include "corpus/collectives/collective.h"

enum { LOOKS = 200, ANSWER_TAG = COLLECTIVE_TAG + 1 };

static int root_part(void *buffer, int count, MPI_Datatype type, int root, int size, MPI_Comm comm)
{
    int error;
    MPI_Request request;
    TRY(MPI_Isend(buffer, count, type, (root + 1) % size, COLLECTIVE_TAG, comm, &request));
    for (int i = 1; i < size; i++) {
        int asks = 0, rank = (root + i) % size;
        TRY(MPI_Recv(&asks, 1, MPI_INT, rank, ANSWER_TAG, comm, MPI_STATUS_IGNORE));
        if (asks)
            TRY(MPI_Send(buffer, count, type, rank, ANSWER_TAG, comm));
    }
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
done:
    return error;
}

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int forgets)
{
    int rank, size, here = 0, error = MPI_SUCCESS;
    struct temporary late = {0};
    rank_and_size(comm, &rank, &size);
    if (size == 1)
        return MPI_SUCCESS;
    if (rank == root)
        return root_part(buffer, count, type, root, size, comm);
    int left = (rank - 1 + size) % size, right = (rank + 1) % size;
    for (int i = 0; i < LOOKS && !here; i++)
        TRY(MPI_Iprobe(left, COLLECTIVE_TAG, comm, &here, MPI_STATUS_IGNORE));
    if (here)
        TRY(MPI_Recv(buffer, count, type, left, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
    int asks = !here;
    TRY(MPI_Send(&asks, 1, MPI_INT, root, ANSWER_TAG, comm));
    if (asks)
        TRY(MPI_Recv(buffer, count, type, root, ANSWER_TAG, comm, MPI_STATUS_IGNORE));
    if (right != root)
        TRY(MPI_Send(buffer, count, type, right, COLLECTIVE_TAG, comm));
    if (asks && !forgets) {
        TRY(temporary_new(count, type, &late));
        TRY(MPI_Recv(late.data, count, type, left, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
    }
done:
    free(late.base);
    return error;
}

int defect_bcast_try_and_ask(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 1);
}

int fixed_bcast_try_and_ask(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 0);
}

COLLECTIVE(bcast, "", fixed_bcast_try_and_ask)
DEFECT(bcast, "", defect_bcast_try_and_ask, fixed_bcast_try_and_ask, .expect = "deadlock",
       .axis = "timing", .origin = "fallbacks that are never taken on a fast network")
