/* Planted defect: in a broadcast by scatter and ring pass the ring counts pieces from rank 0 on,
 * but the scatter counts them from the root on.
 *
 * Origin: MPICH #4413. Axis: root. Shows as: wrong result with a root other than 0.
 */
#include "corpus/collectives/packed.h"

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int ring_root)
{
    int rank, size, error;
    char *all = NULL;
    MPI_Aint bytes = 0;
    rank_and_size(comm, &rank, &size);
    if (!packed_fits(count, type))
        return MPI_ERR_COUNT;
    TRY(packed_new(buffer, count, type, rank == root, &all, &bytes));
    MPI_Aint piece = (bytes + size - 1) / size; /* all have this size; the last is padded */
    if (!(all = realloc(all, (size_t)piece * size + 1)))
        return MPI_ERR_NO_MEM;
    memset(all + bytes, 0, (size_t)(piece * size - bytes));
    int place = (rank - root + size) % size;
    if (rank != root)
        TRY(receive_elements(all + piece * place, piece, MPI_PACKED, root, comm));
    for (int i = 1; i < size && rank == root; i++)
        TRY(send_elements(all + piece * i, piece, MPI_PACKED, (root + i) % size, comm));
    place = (rank - ring_root + size) % size;
    for (int step = 0; step < size - 1; step++) {
        int out = (place - step + size) % size, in = (place - step - 1 + 2 * size) % size;
        TRY(exchange_elements(all + piece * out, piece, (rank + 1) % size, all + piece * in, piece,
                              (rank - 1 + size) % size, MPI_PACKED, comm));
    }
    if (rank != root)
        TRY(packed_take(all, bytes, buffer, count, type));
done:
    free(all);
    return error;
}

int defect_bcast_ring_root(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 0);
}

int fixed_bcast_ring_root(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, root);
}

COLLECTIVE(bcast, "", fixed_bcast_ring_root)
DEFECT(bcast, "", defect_bcast_ring_root, fixed_bcast_ring_root, .expect = "wrong result",
       .axis = "root", .origin = "MPICH #4413")
