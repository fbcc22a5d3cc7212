/* Broadcasts down a chain of ranks, segment by segment, for several planted defects. */
#ifndef CORPUS_DEFECTS_BCAST_SEGMENT_H
#define CORPUS_DEFECTS_BCAST_SEGMENT_H

#include "corpus/collectives/packed.h"

/* Sends `units` units of `type` down the chain in segments of `segment` units. The last segment has
 * the rest of the units, or with `full_last` as many as the others. */
static inline int chain_segments(void *data, MPI_Aint units, MPI_Datatype type, MPI_Aint segment,
                                 int full_last, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Aint extent = extent_of(type);
    rank_and_size(comm, &rank, &size);
    int place = (rank - root + size) % size;
    for (MPI_Aint at = 0; at < units && !error; at += segment) {
        MPI_Aint n = units - at < segment && !full_last ? units - at : segment;
        if (place > 0)
            error = receive_elements(element_at(data, at, extent), n, type,
                                     (rank - 1 + size) % size, comm);
        if (place + 1 < size && !error)
            error = send_elements(element_at(data, at, extent), n, type, (rank + 1) % size, comm);
    }
    return error;
}

#endif
