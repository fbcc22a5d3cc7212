/* Planted defect: a segmented broadcast uses the full segment size for the last, shorter segment
 * too.
 *
 * Origin: Open MPI 0d7c8c36. Axis: segment. Shows as: reads and writes past the end of the buffer,
 * unless the segment divides the size.
 */
#include "corpus/defects/bcast_segment.h"

enum { SEGMENT_BYTES = 64 };

/* Cuts by bytes, so that all ranks agree; the full last segment overruns the user's buffer. */
static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int full_last)
{
    int rank, size, error;
    char *all = NULL;
    MPI_Aint bytes = 0, true_lower, true_extent;
    MPI_Comm_rank(comm, &rank);
    if (!packed_fits(count, type))
        return MPI_ERR_COUNT;
    MPI_Type_size(type, &size);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    if (extent_of(type) == size && true_extent == size && !true_lower) /* no need to pack */
        return chain_segments(buffer, (MPI_Aint)count * size, MPI_BYTE, SEGMENT_BYTES, full_last,
                              root, comm);
    TRY(packed_new(buffer, count, type, rank == root, &all, &bytes));
    TRY(chain_segments(all, bytes, MPI_PACKED, SEGMENT_BYTES, 0, root, comm));
    if (rank != root)
        TRY(packed_take(all, bytes, buffer, count, type));
done:
    free(all);
    return error;
}

int defect_bcast_last_segment(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 1);
}

int fixed_bcast_last_segment(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 0);
}

COLLECTIVE(bcast, "", fixed_bcast_last_segment)
DEFECT(bcast, "", defect_bcast_last_segment, fixed_bcast_last_segment, .expect = "overrun",
       .axis = "segment", .origin = "Open MPI 0d7c8c36")
