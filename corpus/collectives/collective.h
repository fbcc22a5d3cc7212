/* Helpers of all collectives: sizes, blocks of any datatype, temporary buffers, local copies,
 * exchanges.
 *
 * Relies on <mpi.h> and the C library alone; holds no state. A function that can fail returns MPI's
 * error code. In a function with an `int error` and a label `done`, TRY(call) leaves through `done`
 * with the code of a failed call.
 *
 * Counts are ints as in MPI, but a message of several blocks may have more elements than an int
 * holds. So numbers of elements and distances in memory are MPI_Aint, and such a message is sent
 * with a larger datatype.
 */
#ifndef CORPUS_COLLECTIVES_COLLECTIVE_H
#define CORPUS_COLLECTIVES_COLLECTIVE_H

#include "corpus/collectives/registry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* MPI promises tags up to 32767; programs rarely use a tag as high as ours. */
#define COLLECTIVE_TAG 32001

#define TRY(call)                            \
    do {                                     \
        if ((error = (call)) != MPI_SUCCESS) \
            goto done;                       \
    } while (0)

static inline int is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* Returns the smallest power of two that is at least n. */
static inline int power_of_two_from(int n)
{
    int power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* Returns the q with q * q == n, or 0 if there is none. */
static inline int square_root_of(int n)
{
    int q = 0;
    while (q < n / (q + 1))
        q++;
    return q * q == n ? q : 0;
}

static inline void rank_and_size(MPI_Comm comm, int *out_rank, int *out_size)
{
    MPI_Comm_rank(comm, out_rank);
    MPI_Comm_size(comm, out_size);
}

static inline MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    return extent;
}

/* Returns the address of element `index` (an MPI_Aint, as block * count may exceed an int). */
static inline void *element_at(const void *buffer, MPI_Aint index, MPI_Aint extent)
{
    return (char *)buffer + index * extent;
}

static inline int is_commutative(MPI_Op op)
{
    int commutative = 0;
    MPI_Op_commutative(op, &commutative);
    return commutative;
}

/* A buffer for `count` elements of any datatype, whatever its bounds. `data` goes to MPI, `base` to
 * free(). */
struct temporary {
    void *base;
    void *data;
};

static inline int temporary_new(MPI_Aint count, MPI_Datatype type, struct temporary *out)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    MPI_Aint reach = count > 0 ? (count - 1) * extent : 0, before = reach < 0 ? -reach : 0;
    out->base = malloc((size_t)(count > 0 ? true_extent + (reach < 0 ? -reach : reach) : 0) + 1);
    out->data = out->base ? (char *)out->base + before - true_lower : NULL;
    return out->base ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Copies elements between buffers of this rank that do not overlap; the two type signatures must
 * agree. */
static inline int copy_elements(const void *from, MPI_Aint from_count, MPI_Datatype from_type,
                                void *to, MPI_Aint to_count, MPI_Datatype to_type)
{
    int error = MPI_SUCCESS, size = 0;
    char *packed = NULL;
    MPI_Aint lower, extent, true_lower, true_extent, to_extent = extent_of(to_type);
    MPI_Type_size(from_type, &size);
    MPI_Type_get_extent(from_type, &lower, &extent);
    MPI_Type_get_true_extent(from_type, &true_lower, &true_extent);
    if (!from_count || !size)
        return MPI_SUCCESS;
    if (from_type == to_type && extent == size && true_extent == size) {
        memcpy((char *)to + true_lower, (const char *)from + true_lower, (size_t)from_count * size);
        return MPI_SUCCESS;
    }
    /* Packs and unpacks pieces whose size fits into an int. If the types differ, the only piece is
     * the whole. */
    MPI_Aint piece = from_type == to_type ? (1 << 20) / size + 1 : from_count;
    for (MPI_Aint i = 0; i < from_count; i += piece) {
        MPI_Aint n = from_count - i < piece ? from_count - i : piece;
        int space, position = 0;
        if (n > INT_MAX || to_count > INT_MAX)
            return MPI_ERR_COUNT;
        TRY(MPI_Pack_size((int)n, from_type, MPI_COMM_SELF, &space));
        if (!packed && !(packed = malloc((size_t)space + 1)))
            TRY(MPI_ERR_NO_MEM);
        TRY(MPI_Pack(element_at(from, i, extent), (int)n, from_type, packed, space, &position,
                     MPI_COMM_SELF));
        space = position;
        position = 0;
        TRY(MPI_Unpack(packed, space, &position, element_at(to, i, to_extent),
                       (int)(from_type == to_type ? n : to_count), to_type, MPI_COMM_SELF));
    }
done:
    free(packed);
    return error;
}

/* Returns a count and a datatype for `n` elements of `type`, also if n exceeds an int.
 * elements_done frees the datatype. */
static inline int elements_start(MPI_Aint n, MPI_Datatype type, int *out_count,
                                 MPI_Datatype *out_type)
{
    int error = MPI_SUCCESS;
    *out_count = (int)n;
    *out_type = type;
    if (n > INT_MAX) {
        MPI_Datatype large, parts[2];
        int lengths[2] = {(int)(n >> 30), (int)(n & ((1 << 30) - 1))};
        MPI_Aint places[2] = {0, (n >> 30 << 30) * extent_of(type)};
        TRY(MPI_Type_contiguous(1 << 30, type, &large));
        parts[0] = large;
        parts[1] = type;
        error = MPI_Type_create_struct(2, lengths, places, parts, out_type);
        MPI_Type_free(&large);
        TRY(error);
        TRY(MPI_Type_commit(out_type));
        *out_count = 1;
    }
done:
    return error;
}

static inline void elements_done(MPI_Datatype type, MPI_Datatype *made)
{
    if (*made != type)
        MPI_Type_free(made);
}

static inline int send_elements(const void *buffer, MPI_Aint n, MPI_Datatype type, int to,
                                MPI_Comm comm)
{
    int count, error;
    MPI_Datatype made = type;
    TRY(elements_start(n, type, &count, &made));
    TRY(MPI_Send(buffer, count, made, to, COLLECTIVE_TAG, comm));
done:
    elements_done(type, &made);
    return error;
}

static inline int receive_elements(void *buffer, MPI_Aint n, MPI_Datatype type, int from,
                                   MPI_Comm comm)
{
    int count, error;
    MPI_Datatype made = type;
    TRY(elements_start(n, type, &count, &made));
    TRY(MPI_Recv(buffer, count, made, from, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
done:
    elements_done(type, &made);
    return error;
}

/* Sends and receives at the same time, so that no message needs a buffer. */
static inline int exchange_elements(const void *out, MPI_Aint out_n, int to, void *in,
                                    MPI_Aint in_n, int from, MPI_Datatype type, MPI_Comm comm)
{
    int out_count, in_count, error;
    MPI_Datatype out_made = type, in_made = type;
    TRY(elements_start(out_n, type, &out_count, &out_made));
    TRY(elements_start(in_n, type, &in_count, &in_made));
    TRY(MPI_Sendrecv(out, out_count, out_made, to, COLLECTIVE_TAG, in, in_count, in_made, from,
                     COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
done:
    elements_done(type, &out_made);
    elements_done(type, &in_made);
    return error;
}

/* Exchanges as textbooks print it: send, then receive. Deadlocks if the library does not buffer
 * the sends. */
static inline int send_then_receive_elements(const void *out, MPI_Aint out_n, int to, void *in,
                                             MPI_Aint in_n, int from, MPI_Datatype type,
                                             MPI_Comm comm)
{
    int error = send_elements(out, out_n, type, to, comm);
    return error ? error : receive_elements(in, in_n, type, from, comm);
}

/* Computes b = a op b for any number of elements. */
static inline int reduce_elements(const void *a, void *b, MPI_Aint n, MPI_Datatype type, MPI_Op op)
{
    int error = MPI_SUCCESS;
    MPI_Aint extent = n > INT_MAX ? extent_of(type) : 0;
    for (MPI_Aint i = 0; i < n && !error; i += INT_MAX)
        error = MPI_Reduce_local(element_at(a, i, extent), element_at(b, i, extent),
                                 (int)(n - i < INT_MAX ? n - i : INT_MAX), type, op);
    return error;
}

/* Combines in rank order and leaves the result in `mine`; may swap the two buffers. */
static inline int combine(struct temporary *mine, struct temporary *theirs, int theirs_come_first,
                          MPI_Aint n, MPI_Datatype type, MPI_Op op)
{
    if (theirs_come_first)
        return reduce_elements(theirs->data, mine->data, n, type, op);
    int error = reduce_elements(mine->data, theirs->data, n, type, op);
    struct temporary swap = *mine;
    *mine = *theirs;
    *theirs = swap;
    return error;
}

#endif
