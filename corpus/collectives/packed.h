/* Packs a whole message, so that a collective can cut it into pieces of bytes.
 *
 * Ranks may describe one message by different counts and datatypes of the same signature, so they
 * can agree only on places between bytes.
 */
#ifndef CORPUS_COLLECTIVES_PACKED_H
#define CORPUS_COLLECTIVES_PACKED_H

#include "corpus/collectives/collective.h"

/* Tells whether the message is small enough for MPI_Pack, whose sizes are ints: all ranks get the
 * same answer. */
static inline int packed_fits(int count, MPI_Datatype type)
{
    int size = 0;
    MPI_Type_size(type, &size);
    return (MPI_Aint)count * size <= INT_MAX / 2;
}

/* Allocates room for the message, and packs `buffer` into it if `fill`; the caller frees it. */
static inline int packed_new(const void *buffer, int count, MPI_Datatype type, int fill, char **out,
                             MPI_Aint *out_bytes)
{
    int size = 0, space = 0, position = 0, error;
    MPI_Type_size(type, &size);
    TRY(MPI_Pack_size(count, type, MPI_COMM_SELF, &space));
    if (!(*out = malloc((size_t)space + 1)))
        return MPI_ERR_NO_MEM;
    *out_bytes =
        (MPI_Aint)count * size; /* what MPI_Pack makes if all ranks represent their data alike */
    if (fill)
        TRY(MPI_Pack(buffer, count, type, *out, space, &position, MPI_COMM_SELF));
done:
    return error;
}

static inline int packed_take(const char *packed, MPI_Aint bytes, void *buffer, int count,
                              MPI_Datatype type)
{
    int position = 0;
    return MPI_Unpack(packed, (int)bytes, &position, buffer, count, type, MPI_COMM_SELF);
}

#endif
