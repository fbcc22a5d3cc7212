/* Planted defect: a barrier sends a token twice round a ring, and computes the left neighbour as
 * (rank - 1) % size.
 *
 * Origin: Open MPI b682b635; 16 years unseen, since all tests pass. Axis: only a trace shows it. In
 * C, -1 % size is -1, which is MPI_ANY_SOURCE: rank 0 receives from any rank, and any message with
 * this tag lets it leave early.
 */
#include "corpus/collectives/collective.h"

static int barrier(MPI_Comm comm, int left)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    int right = (rank + 1) % size;
    for (int turn = 0; turn < 2 && size > 1; turn++) {
        if (rank > 0)
            TRY(MPI_Recv(NULL, 0, MPI_BYTE, left, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
        TRY(MPI_Send(NULL, 0, MPI_BYTE, right, COLLECTIVE_TAG, comm));
        if (rank == 0)
            TRY(MPI_Recv(NULL, 0, MPI_BYTE, left, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
    }
done:
    return error;
}

int defect_barrier_double_ring(MPI_Comm comm)
{
    int rank, size;
    rank_and_size(comm, &rank, &size);
    return barrier(comm, (rank - 1) % size);
}

int fixed_barrier_double_ring(MPI_Comm comm)
{
    int rank, size;
    rank_and_size(comm, &rank, &size);
    return barrier(comm, (rank - 1 + size) % size);
}

COLLECTIVE(barrier, "", fixed_barrier_double_ring)
DEFECT(barrier, "", defect_barrier_double_ring, fixed_barrier_double_ring, .expect = "wildcard",
       .axis = "trace only", .origin = "Open MPI b682b635")
