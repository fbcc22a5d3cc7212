/* Planted defect: in a segmented broadcast each rank cuts the message after a fixed number of
 * elements of its own datatype.
 *
 * Origin: Open MPI #2256. Axis: datatype. Shows as: truncation, leftover messages or hang if ranks
 * describe the same message by different datatypes, as their segments then differ. The twin cuts
 * the packed bytes.
 */
#include "corpus/defects/bcast_segment.h"

int defect_bcast_mixed_types(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return chain_segments(buffer, count, type, 4, 0, root, comm);
}

int fixed_bcast_mixed_types(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, error;
    char *all = NULL;
    MPI_Aint bytes = 0;
    MPI_Comm_rank(comm, &rank);
    if (!packed_fits(count, type))
        return MPI_ERR_COUNT;
    TRY(packed_new(buffer, count, type, rank == root, &all, &bytes));
    TRY(chain_segments(all, bytes, MPI_PACKED, 32, 0, root, comm));
    if (rank != root)
        TRY(packed_take(all, bytes, buffer, count, type));
done:
    free(all);
    return error;
}

COLLECTIVE(bcast, "", fixed_bcast_mixed_types)
DEFECT(bcast, "", defect_bcast_mixed_types, fixed_bcast_mixed_types, .expect = "truncation",
       .axis = "datatype", .origin = "Open MPI #2256")
