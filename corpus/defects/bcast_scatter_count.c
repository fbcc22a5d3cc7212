/* Planted defect: in a scatter-allgather broadcast the receiver of a range that ends at the last
 * rank expects one piece too few.
 *
 * Origin: Open MPI #7410. Axis: P no power of two (else P cuts no range short). Shows as:
 * truncation.
 */
#include "corpus/collectives/packed.h"
#include "corpus/collectives/phases.h"

static int scatter(char *all, const MPI_Aint *start, int rank, int size, MPI_Comm comm,
                   int pieces_short)
{
    int low = 0, high = size, error = MPI_SUCCESS;
    while (high - low > 1 && !error) {
        int half = power_of_two_from(high - low) / 2, middle = low + half;
        if (rank == low)
            error = send_elements(all + start[middle], start[high] - start[middle], MPI_PACKED,
                                  middle, comm);
        else if (rank == middle) {
            int expected = high - middle < half ? high - pieces_short : high; /* cut by P */
            error = receive_elements(all + start[middle], start[expected] - start[middle],
                                     MPI_PACKED, low, comm);
        }
        if (rank < middle)
            high = middle;
        else
            low = middle;
    }
    return error;
}

/* The scatter starts at rank 0, which first gets the message from the root if that is another. */
static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                 int pieces_short)
{
    int rank, size, error;
    char *all = NULL;
    MPI_Aint *start = NULL, bytes = 0;
    rank_and_size(comm, &rank, &size);
    struct ring ring = ring_of_all(comm);
    if (!packed_fits(count, type))
        return MPI_ERR_COUNT;
    TRY(packed_new(buffer, count, type, rank == root, &all, &bytes));
    if (!(start = pieces_even(bytes, size)))
        TRY(MPI_ERR_NO_MEM);
    if (root && rank == root)
        TRY(send_elements(all, bytes, MPI_PACKED, 0, comm));
    if (root && rank == 0)
        TRY(receive_elements(all, bytes, MPI_PACKED, root, comm));
    TRY(scatter(all, start, rank, size, comm, pieces_short));
    TRY(ring_allgather(&ring, all, start, MPI_PACKED));
    if (rank != root)
        TRY(packed_take(all, bytes, buffer, count, type));
done:
    free(all);
    free(start);
    return error;
}

int defect_bcast_scatter_count(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 1);
}

int fixed_bcast_scatter_count(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 0);
}

COLLECTIVE(bcast, "", fixed_bcast_scatter_count)
DEFECT(bcast, "", defect_bcast_scatter_count, fixed_bcast_scatter_count, .expect = "truncation",
       .axis = "P", .origin = "Open MPI #7410")
