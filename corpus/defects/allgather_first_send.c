/* Planted defect: a ring allgather tests whether its first send is complete. If so, it assumes that
 * the library buffers, and sends before it receives.
 *
 * Seen in: programs that measure the eager limit while they run. Axis: credits. Shows as: deadlock
 * if a receiver can buffer one, two or three messages. It works with none, as the first send is not
 * complete, and with all four.
 *
 * Each block is sent in four pieces; the first is the largest.
 */
#include "corpus/collectives/collective.h"

enum { PIECES = 4 };

/* Returns the number of elements of piece i; *out_first is the number before it. */
static int piece_of(int count, int i, int *out_first)
{
    int whole = count / PIECES, rest = count % PIECES;
    *out_first = i * whole + (i < rest ? i : rest);
    return whole + (i < rest);
}

static int step(const char *out, char *in, int count, MPI_Datatype type, MPI_Aint extent, int left,
                int right, MPI_Comm comm, int *buffers, int look)
{
    int error, first, n = piece_of(count, 0, &first);
    MPI_Request requests[2 * PIECES];
    TRY(MPI_Isend(out, n, type, right, COLLECTIVE_TAG, comm, &requests[0]));
    if (look && *buffers < 0)
        TRY(MPI_Test(&requests[0], buffers, MPI_STATUS_IGNORE));
    for (int i = 0; i < PIECES && *buffers != 1; i++) {
        n = piece_of(count, i, &first);
        TRY(MPI_Irecv(in + first * extent, n, type, left, COLLECTIVE_TAG, comm,
                      &requests[PIECES + i]));
    }
    for (int i = 1; i < PIECES; i++) {
        n = piece_of(count, i, &first);
        if (*buffers == 1)
            TRY(MPI_Send(out + first * extent, n, type, right, COLLECTIVE_TAG, comm));
        else
            TRY(MPI_Isend(out + first * extent, n, type, right, COLLECTIVE_TAG, comm,
                          &requests[i]));
    }
    for (int i = 0; i < PIECES && *buffers == 1; i++) {
        n = piece_of(count, i, &first);
        TRY(MPI_Recv(in + first * extent, n, type, left, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
    }
    if (*buffers == 1)
        TRY(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    else
        TRY(MPI_Waitall(2 * PIECES, requests, MPI_STATUSES_IGNORE));
done:
    return error;
}

static int allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm, int look)
{
    int rank, size, error = MPI_SUCCESS, buffers = -1;
    MPI_Aint extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype,
                          element_at(recvbuf, (MPI_Aint)rank * recvcount, extent), recvcount,
                          recvtype));
    for (int i = 0; i < size - 1; i++)
        TRY(step(element_at(recvbuf, (MPI_Aint)((rank - i + size) % size) * recvcount, extent),
                 element_at(recvbuf, (MPI_Aint)((rank - i - 1 + size) % size) * recvcount, extent),
                 recvcount, recvtype, extent, (rank - 1 + size) % size, (rank + 1) % size, comm,
                 &buffers, look));
done:
    return error;
}

int defect_allgather_first_send(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 1);
}

int fixed_allgather_first_send(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 0);
}

COLLECTIVE(allgather, "", fixed_allgather_first_send)
DEFECT(allgather, "", defect_allgather_first_send, fixed_allgather_first_send, .expect = "deadlock",
       .axis = "credits", .origin = "measuring the eager limit")
