/* Planted defect: a linear broadcast counts its tags, one for each rank, upwards from MPI_TAG_UB,
 * or from 100,000 if MPI_TAG_UB is above that.
 *
 * Axis: tags. Shows as: error MPI_ERR_TAG if MPI_TAG_UB is below 100,000, which MPI allows, as all
 * tags but the first exceed it.
 */
#include "corpus/collectives/collective.h"

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int downwards)
{
    int rank, size, known = 0, *most = NULL, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &known);
    int base = known && *most > 100000 ? 100000 : *most;
    if (rank != root)
        return MPI_Recv(buffer, count, type, root, downwards ? base - rank : base + rank, comm,
                        MPI_STATUS_IGNORE);
    for (int i = 0; i < size && !error; i++)
        if (i != root)
            error = MPI_Send(buffer, count, type, i, downwards ? base - i : base + i, comm);
    return error;
}

int defect_bcast_tag_bound(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 0);
}

int fixed_bcast_tag_bound(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm, 1);
}

COLLECTIVE(bcast, "", fixed_bcast_tag_bound)
DEFECT(bcast, "", defect_bcast_tag_bound, fixed_bcast_tag_bound, .expect = "error", .axis = "tags",
       .origin = "tags counted upwards from MPI_TAG_UB")
