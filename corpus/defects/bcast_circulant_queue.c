/* Planted defect: in a broadcast over a circulant graph the queue of outstanding sends holds only
 * one send.
 *
 * Origin: MPICH da0b95d2. Axis: buffering, P. Shows as: deadlock if the library does not buffer
 * sends and a skip and P have a common divisor: with P = 10 and skip 2, ranks 1-3-5-7-9-1 all wait
 * for their sends. P = 4 and 6 hang too.
 *
 * The root sends each rank its piece; then for skip = 1, 2, 4... each rank sends what it has to
 * rank + skip, except that nobody sends to the root, which has all. Slot i of a rank holds piece
 * (rank - i) mod P, so a rank sends adjacent slots.
 */
#include "corpus/collectives/packed.h"

static int exchange_run(char *slots, MPI_Aint piece, int skip, int pieces, int root,
                        int queue_length, MPI_Comm comm)
{
    int rank, size, outstanding = 0, error = MPI_SUCCESS;
    MPI_Request send = MPI_REQUEST_NULL;
    rank_and_size(comm, &rank, &size);
    int to = (rank + skip) % size, from = (rank - skip + size) % size;
    if (to != root) {
        TRY(MPI_Isend(slots, (int)(piece * pieces), MPI_PACKED, to, COLLECTIVE_TAG, comm, &send));
        outstanding++;
    }
    if (outstanding == queue_length)
        TRY(MPI_Wait(&send,
                     MPI_STATUS_IGNORE)); /* a queue of one waits before the receive is posted */
    if (rank != root)
        TRY(MPI_Recv(slots + piece * skip, (int)(piece * pieces), MPI_PACKED, from, COLLECTIVE_TAG,
                     comm, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
done:
    return error;
}

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                 int queue_length)
{
    int rank, size, error;
    char *all = NULL, *slots = NULL;
    MPI_Aint bytes = 0;
    rank_and_size(comm, &rank, &size);
    if (!packed_fits(count, type))
        return MPI_ERR_COUNT;
    TRY(packed_new(buffer, count, type, rank == root, &all, &bytes));
    MPI_Aint piece = (bytes + size - 1) / size;
    if (!(slots = calloc((size_t)piece * size + 1, 1)) ||
        !(all = realloc(all, (size_t)piece * size + 1)))
        TRY(MPI_ERR_NO_MEM);
    if (rank == root) {
        for (int i = 0; i < size; i++)
            memcpy(slots + piece * i, all + piece * ((rank - i + size) % size), (size_t)piece);
        for (int i = 1; i < size; i++)
            TRY(send_elements(all + piece * ((root + i) % size), piece, MPI_PACKED,
                              (root + i) % size, comm));
    } else {
        TRY(receive_elements(slots, piece, MPI_PACKED, root, comm));
    }
    for (int skip = 1; skip < size; skip *= 2)
        TRY(exchange_run(slots, piece, skip, size - skip < skip ? size - skip : skip, root,
                         queue_length, comm));
    for (int i = 0; i < size; i++)
        memcpy(all + piece * ((rank - i + size) % size), slots + piece * i, (size_t)piece);
    if (rank != root)
        TRY(packed_take(all, bytes, buffer, count, type));
done:
    free(all);
    free(slots);
    return error;
}

int defect_bcast_circulant_queue(void *buffer, int count, MPI_Datatype type, int root,
                                 MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 1);
}

int fixed_bcast_circulant_queue(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 2);
}

COLLECTIVE(bcast, "", fixed_bcast_circulant_queue)
DEFECT(bcast, "", defect_bcast_circulant_queue, fixed_bcast_circulant_queue, .expect = "deadlock",
       .axis = "buffering, P", .origin = "MPICH da0b95d2")
