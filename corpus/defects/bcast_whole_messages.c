/* Planted defect: the scatter of a scatter-allgather broadcast sends the whole message instead of
 * the pieces of half the range.
 *
 * Origin: MPICH r3686 to r8288, two years unseen. Axis: cost. Shows as: the right result, but n lg
 * P words instead of n (P-1)/P, which is more than the row of the model has.
 */
#include "corpus/collectives/packed.h"

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int whole)
{
    int rank, size, error;
    char *all = NULL;
    MPI_Aint bytes = 0;
    rank_and_size(comm, &rank, &size);
    if (!packed_fits(count, type))
        return MPI_ERR_COUNT;
    TRY(packed_new(buffer, count, type, rank == root, &all, &bytes));
    MPI_Aint piece = (bytes + size - 1) / size; /* pieces are cut at the end of the message */
    int me = (rank - root + size) % size, low = 0, high = size;
    while (high - low > 1) {
        int middle = low + power_of_two_from(high - low) / 2;
        MPI_Aint from = whole ? 0 : middle * piece, to = whole ? bytes : high * piece;
        from = from < bytes ? from : bytes;
        to = to < bytes ? to : bytes;
        if (me == low)
            TRY(send_elements(all + from, to - from, MPI_PACKED, (middle + root) % size, comm));
        else if (me == middle)
            TRY(receive_elements(all + from, to - from, MPI_PACKED, (low + root) % size, comm));
        if (me < middle)
            high = middle;
        else
            low = middle;
    }
    for (int step = 0; step < size - 1; step++) {
        int out = (me - step + size) % size, in = (me - step - 1 + size) % size;
        MPI_Aint out_from = out * piece < bytes ? out * piece : bytes,
                 in_from = in * piece < bytes ? in * piece : bytes;
        MPI_Aint out_n = bytes - out_from < piece ? bytes - out_from : piece;
        MPI_Aint in_n = bytes - in_from < piece ? bytes - in_from : piece;
        TRY(exchange_elements(all + out_from, out_n, (rank + 1) % size, all + in_from, in_n,
                              (rank - 1 + size) % size, MPI_PACKED, comm));
    }
    if (rank != root)
        TRY(packed_take(all, bytes, buffer, count, type));
done:
    free(all);
    return error;
}

int defect_bcast_whole_messages(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 1);
}

int fixed_bcast_whole_messages(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 0);
}

COLLECTIVE(bcast, "bcast.scatter_allgather", fixed_bcast_whole_messages)
DEFECT(bcast, "bcast.scatter_allgather", defect_bcast_whole_messages, fixed_bcast_whole_messages,
       .expect = "cost", .axis = "cost", .origin = "MPICH r3686 to r8288")
