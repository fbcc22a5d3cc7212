/* Steps that several collectives share. See phases.h. Holds no state. */
#include "corpus/collectives/phases.h"

struct ring ring_of_all(MPI_Comm comm)
{
    struct ring ring = {.first = 0, .stride = 1, .comm = comm};
    rank_and_size(comm, &ring.me, &ring.size);
    return ring;
}

MPI_Aint *pieces_even(MPI_Aint n, int pieces)
{
    MPI_Aint *start = malloc(sizeof(*start) * ((size_t)pieces + 1));
    for (int i = 0; start && i <= pieces; i++)
        start[i] = n / pieces * i + (i < n % pieces ? i : n % pieces);
    return start;
}

MPI_Aint *pieces_same(MPI_Aint n, int pieces)
{
    MPI_Aint *start = malloc(sizeof(*start) * ((size_t)pieces + 1));
    for (int i = 0; start && i <= pieces; i++)
        start[i] = n * i;
    return start;
}

int ring_allgather(const struct ring *ring, void *buffer, const MPI_Aint *start, MPI_Datatype type)
{
    int error = MPI_SUCCESS;
    MPI_Aint extent = extent_of(type);
    for (int step = 0; step < ring->size - 1 && !error; step++) {
        int out = (ring->me - step + ring->size) % ring->size;
        int in = (ring->me - step - 1 + ring->size) % ring->size;
        error = exchange_elements(element_at(buffer, start[out], extent),
                                  start[out + 1] - start[out], ring_rank(ring, ring->me + 1),
                                  element_at(buffer, start[in], extent), start[in + 1] - start[in],
                                  ring_rank(ring, ring->me - 1), type, ring->comm);
    }
    return error;
}

static MPI_Aint largest_piece(const MPI_Aint *start, int pieces)
{
    MPI_Aint largest = 0;
    for (int i = 0; i < pieces; i++)
        largest = start[i + 1] - start[i] > largest ? start[i + 1] - start[i] : largest;
    return largest;
}

/* Sends the piece of member b once round the ring, from its right neighbour on; each member adds
 * its part. */
static int pass_and_combine(const struct ring *ring, void *buffer, const MPI_Aint *start,
                            MPI_Datatype type, MPI_Op op)
{
    struct temporary arrived = {0};
    MPI_Aint extent = extent_of(type);
    int error;
    TRY(temporary_new(largest_piece(start, ring->size), type, &arrived));
    for (int step = 0; step < ring->size - 1; step++) {
        int out = (ring->me - step - 1 + ring->size) % ring->size;
        int in = (ring->me - step - 2 + 2 * ring->size) % ring->size;
        MPI_Aint in_n = start[in + 1] - start[in];
        TRY(exchange_elements(element_at(buffer, start[out], extent), start[out + 1] - start[out],
                              ring_rank(ring, ring->me + 1), arrived.data, in_n,
                              ring_rank(ring, ring->me - 1), type, ring->comm));
        TRY(reduce_elements(arrived.data, element_at(buffer, start[in], extent), in_n, type, op));
    }
done:
    free(arrived.base);
    return error;
}

/* Each member sends piece i directly to member i, then combines the pieces it got in rank order. */
static int send_and_combine_in_order(const struct ring *ring, void *buffer, const MPI_Aint *start,
                                     MPI_Datatype type, MPI_Op op)
{
    struct temporary all = {0};
    MPI_Aint extent = extent_of(type), n = start[ring->me + 1] - start[ring->me];
    void *own = element_at(buffer, start[ring->me], extent);
    int error;
    TRY(temporary_new(n * ring->size, type, &all));
    TRY(copy_elements(own, n, type, element_at(all.data, n * ring->me, extent), n, type));
    for (int step = 1; step < ring->size; step++) {
        int to = (ring->me + step) % ring->size, from = (ring->me - step + ring->size) % ring->size;
        TRY(exchange_elements(element_at(buffer, start[to], extent), start[to + 1] - start[to],
                              ring_rank(ring, to), element_at(all.data, n * from, extent), n,
                              ring_rank(ring, from), type, ring->comm));
    }
    for (int i = 1; i < ring->size; i++)
        TRY(reduce_elements(element_at(all.data, n * (i - 1), extent),
                            element_at(all.data, n * i, extent), n, type, op));
    TRY(copy_elements(element_at(all.data, n * (ring->size - 1), extent), n, type, own, n, type));
done:
    free(all.base);
    return error;
}

int ring_reduce_scatter(const struct ring *ring, void *buffer, const MPI_Aint *start,
                        MPI_Datatype type, MPI_Op op)
{
    return is_commutative(op) ? pass_and_combine(ring, buffer, start, type, op)
                              : send_and_combine_in_order(ring, buffer, start, type, op);
}

int ring_alltoall(const struct ring *ring, const void *from, void *to, MPI_Aint n,
                  MPI_Datatype type)
{
    struct temporary out = {0}, in = {0};
    MPI_Aint extent = extent_of(type);
    int error, size = ring->size;
    TRY(temporary_new(n * size, type, &out));
    TRY(temporary_new(n * size, type, &in));
    TRY(copy_elements(element_at(from, n * ring->me, extent), n, type,
                      element_at(to, n * ring->me, extent), n, type));
    for (int distance = 1; distance < size; distance++)
        TRY(copy_elements(element_at(from, n * ((ring->me + distance) % size), extent), n, type,
                          element_at(out.data, n * (distance - 1), extent), n, type));
    /* In step s the first piece that arrives is for this member, from the member s to its left; the
     * next step passes on the rest. */
    for (int step = 1; step < size; step++) {
        MPI_Aint pieces = size - step;
        TRY(exchange_elements(out.data, n * pieces, ring_rank(ring, ring->me + 1), in.data,
                              n * pieces, ring_rank(ring, ring->me - 1), type, ring->comm));
        TRY(copy_elements(in.data, n, type,
                          element_at(to, n * ((ring->me - step + size) % size), extent), n, type));
        TRY(copy_elements(element_at(in.data, n, extent), n * (pieces - 1), type, out.data,
                          n * (pieces - 1), type));
    }
done:
    free(out.base);
    free(in.base);
    return error;
}

int cube_place(int rank, int size)
{
    int place = 0;
    for (int low = 1, high = size / 2; high; low *= 2, high /= 2)
        place |= rank & low ? high : 0;
    return place;
}

int cube_reduce_scatter(MPI_Comm comm, void *buffer, const MPI_Aint *start, MPI_Datatype type,
                        MPI_Op op)
{
    struct temporary arrived = {0};
    MPI_Aint extent = extent_of(type);
    int rank, size, error, low = 0;
    rank_and_size(comm, &rank, &size);
    TRY(temporary_new(start[size], type, &arrived));
    /* The owners of the places [low, low + 2 * half) have the same bits below `bit` as this rank.
     */
    for (int bit = 1, half = size / 2; half; bit *= 2, half /= 2) {
        int partner = rank ^ bit, keep = rank & bit ? low + half : low,
            give = rank & bit ? low : low + half;
        MPI_Aint n = start[keep + half] - start[keep];
        void *kept = element_at(buffer, start[keep], extent);
        TRY(exchange_elements(element_at(buffer, start[give], extent),
                              start[give + half] - start[give], partner, arrived.data, n, partner,
                              type, comm));
        if (partner < rank) {
            TRY(reduce_elements(arrived.data, kept, n, type, op));
        } else {
            TRY(reduce_elements(kept, arrived.data, n, type, op));
            TRY(copy_elements(arrived.data, n, type, kept, n, type));
        }
        low = keep;
    }
done:
    free(arrived.base);
    return error;
}

int cube_allgather(MPI_Comm comm, void *buffer, const MPI_Aint *start, MPI_Datatype type)
{
    MPI_Aint extent = extent_of(type);
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    for (int bit = size / 2, held = 1; bit && !error; bit /= 2, held *= 2) {
        int mine = cube_place(rank, size) & ~(held - 1), theirs = mine ^ held;
        error = exchange_elements(element_at(buffer, start[mine], extent),
                                  start[mine + held] - start[mine], rank ^ bit,
                                  element_at(buffer, start[theirs], extent),
                                  start[theirs + held] - start[theirs], rank ^ bit, type, comm);
    }
    return error;
}

int reduction_start(struct reduction *r, const void *sendbuf, const void *recvbuf, int count,
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int error;
    *r = (struct reduction){.count = count, .type = type, .op = op, .comm = comm};
    MPI_Comm_rank(comm, &r->rank);
    TRY(temporary_new(count, type, &r->mine));
    TRY(temporary_new(count, type, &r->theirs));
    TRY(copy_elements(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type, r->mine.data, count,
                      type));
done:
    return error;
}

int reduction_send(struct reduction *r, int partner)
{
    return MPI_Send(r->mine.data, r->count, r->type, partner, COLLECTIVE_TAG, r->comm);
}

int reduction_receive(struct reduction *r, int partner)
{
    int error = MPI_Recv(r->theirs.data, r->count, r->type, partner, COLLECTIVE_TAG, r->comm,
                         MPI_STATUS_IGNORE);
    return error ? error
                 : combine(&r->mine, &r->theirs, partner < r->rank, r->count, r->type, r->op);
}

int reduction_result(struct reduction *r, void *recvbuf)
{
    return copy_elements(r->mine.data, r->count, r->type, recvbuf, r->count, r->type);
}

void reduction_done(struct reduction *r)
{
    free(r->mine.base);
    free(r->theirs.base);
}
