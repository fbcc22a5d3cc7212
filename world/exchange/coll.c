/* Built-in collectives: short, plain algorithms over the same messages as all other calls, so that
 * a user's collective that calls MPI_Bcast inside still shows its rounds. They need not be fast:
 * broadcast, reduction and barrier are logarithmic, the rest linear or rings. Each call has its own
 * tag in the communicator's second context. */
#include "world/exchange/coll.h"

static const void *coll_at_rank(const void *buffer, ptrdiff_t elements, MPI_Datatype type)
{
    return (const uint8_t *)buffer + elements * type_extent(type);
}

static void *at_w(void *buffer, ptrdiff_t elements, MPI_Datatype type)
{
    return (uint8_t *)buffer + elements * type_extent(type);
}

/* Allocates room for count elements, to be addressed like a user's buffer of that type. */
void *world_coll_scratch(int count, MPI_Datatype type)
{
    CORE_CHECK(count >= 0); /* the call was checked */
    if (count == 0)
        return world_alloc(1);
    ptrdiff_t extent = type_extent(type), reach = (count - 1) * extent;
    ptrdiff_t low = type->true_lb + (reach < 0 ? reach : 0),
              high = type->true_ub + (reach > 0 ? reach : 0);
    size_t bytes = (size_t)(high - low) + 1;
    uint8_t *room =
        bytes < WORLD_LARGE || WORLD_PROCESSES ? world_alloc(bytes) : world_heap_sparse(bytes);
    return room - low;
}

/* Returns MPI_ERR_COUNT if there is less than the destination asks for, as coll_finish. */
static int coll_copy(void *to, int to_count, MPI_Datatype to_type, const void *from, int count,
                     MPI_Datatype type)
{
    const size_t room = (size_t)to_count * to_type->size, bytes = (size_t)count * type->size;
    world_type_copy(to, (size_t)to_count, to_type, from, (size_t)count, type);
    return bytes == room ? MPI_SUCCESS : bytes > room ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT;
}

int world_coll_barrier(const struct world_coll *c)
{
    int rank = c->comm->rank, size = c->comm->size;
    CORE_CHECK(!c->comm->remote_size && rank < size);
    for (int distance = 1; distance < size; distance *= 2) {
        struct ompi_request_t here[2];
        struct ompi_request_t *send = world_request_local(&here[0]);
        struct ompi_request_t *recv = world_request_local(&here[1]);
        coll_recv(c, NULL, 0, MPI_BYTE, (rank - distance + size) % size, recv);
        coll_send(c, NULL, 0, MPI_BYTE, (rank + distance) % size, send);
        coll_finish_both(recv, send);
    }
    return MPI_SUCCESS;
}

/* Each rank waits for the root alone. */
static int bcast_loosely(const struct world_coll *c, void *buffer, int count, MPI_Datatype type,
                         int root)
{
    CORE_CHECK(coll_is_loose() && root >= 0 && root < c->comm->size);
    if (c->comm->rank != root)
        return coll_recv_now(c, buffer, count, type, root);
    for (int i = 0; i < c->comm->size; i++)
        if (i != root)
            coll_send_now(c, buffer, count, type, i);
    return MPI_SUCCESS;
}

int world_coll_bcast(const struct world_coll *c, void *buffer, int count, MPI_Datatype type,
                     int root)
{
    if (coll_is_loose())
        return bcast_loosely(c, buffer, count, type, root);
    int size = c->comm->size, me = (c->comm->rank - root + size) % size, mask = 1,
        code = MPI_SUCCESS;
    CORE_CHECK(!c->comm->remote_size && root >= 0 && root < size);
    for (; mask < size; mask *= 2)
        if (me & mask) {
            code = coll_recv_now(c, buffer, count, type, (me - mask + root) % size);
            break;
        }
    while ((mask /= 2) > 0)
        if (me + mask < size)
            coll_send_now(c, buffer, count, type, (me + mask + root) % size);
    return code;
}

/* Does the same as world_coll_reduce: the root waits for all, nobody else for anybody. It applies
 * the last operation first, and has the first two ranks the other way round if the operation is
 * said to commute. */
static int reduce_loosely(const struct world_coll *c, const void *send, void *recv, int count,
                          MPI_Datatype type, int root)
{
    int rank = c->comm->rank, size = c->comm->size, code = MPI_SUCCESS;
    CORE_CHECK(root >= 0 && root < size);
    if (rank != root)
        return coll_send_now(c, send, count, type, root);
    void *sum = world_coll_scratch(count, type), *next = world_coll_scratch(count, type);
    for (int i = size - 1; i >= 0 && !code; i--) {
        const int from = c->op->commutative && size > 2 && i < 2 ? 1 - i : i;
        void *to = i == size - 1 ? sum : next;
        if (from == rank)
            coll_copy(to, count, type, send, count, type);
        else
            code = coll_recv_now(c, to, count, type, from);
        if (!code && to == next) /* sum = next op sum */
            code = world_op_apply(c->op, next, sum, count, type);
    }
    coll_copy(recv, count, type, sum, count, type);
    return code;
}

/* Reduces x0 op x1 op ... in that order, or in the opposite one where it waits for all ranks and
 * the operation is said to commute. Root 0 of a binomial tree passes the result on. */
int world_coll_reduce(const struct world_coll *c, const void *send, void *recv, int count,
                      MPI_Datatype type, int root)
{
    int rank = c->comm->rank, size = c->comm->size, code = MPI_SUCCESS;
    CORE_CHECK(!c->comm->remote_size && root >= 0 && root < size);
    const bool backwards = coll_is_strict() && c->op->commutative;
    WORLD->reduces |= size > 2;
    if (coll_is_loose() || UNLIKELY(WORLD->options->reduce_last))
        return reduce_loosely(c, send, recv, count, type, root);
    void *mine = world_coll_scratch(count, type), *other = world_coll_scratch(count, type);
    coll_copy(mine, count, type, send, count, type);
    for (int mask = 1; mask < size && !code; mask *= 2) {
        if (rank & mask) {
            coll_send_now(c, mine, count, type, rank - mask);
            break;
        }
        if (rank + mask >= size)
            continue;
        code = coll_recv_now(c, other, count, type, rank + mask);
        if (code)
            break;
        /* other has the higher ranks: other = mine op other */
        if (backwards) {
            code = world_op_apply(c->op, other, mine, count, type);
            continue;
        }
        code = world_op_apply(c->op, mine, other, count, type);
        void *swap = mine;
        mine = other;
        other = swap;
    }
    if (root == 0 && rank == 0)
        coll_copy(recv, count, type, mine, count, type);
    else if (rank == 0)
        coll_send_now(c, mine, count, type, root);
    else if (rank == root)
        code = coll_recv_now(c, recv, count, type, 0);
    return code;
}

static int coll_gather(const struct world_coll *c)
{
    int rank = c->comm->rank, size = c->comm->size, code = MPI_SUCCESS;
    CORE_CHECK(c->root >= 0 && c->root < size);
    if (rank != c->root)
        return coll_send_now(c, c->send, c->send_count, c->send_type, c->root);
    struct ompi_request_t *request = world_alloc((size_t)size * sizeof *request);
    for (int i = 0; i < size; i++) {
        int count = c->recv_counts ? c->recv_counts[i] : c->recv_count;
        void *to = at_w(c->recv, c->recv_at ? c->recv_at[i] : (ptrdiff_t)i * count, c->recv_type);
        if (i != rank)
            coll_recv(c, to, count, c->recv_type, i, &request[i]);
        else if (c->send != MPI_IN_PLACE)
            code = coll_copy(to, count, c->recv_type, c->send, c->send_count, c->send_type);
    }
    for (int i = 0; i < size; i++)
        if (i != rank) {
            int one = coll_finish(&request[i]);
            code = code ? code : one;
        }
    return code;
}

int world_coll_scatter(const struct world_coll *c, const void *send, MPI_Datatype type)
{
    int rank = c->comm->rank, size = c->comm->size, code = MPI_SUCCESS;
    CORE_CHECK(!c->comm->remote_size && c->root >= 0 && c->root < size);
    if (rank != c->root)
        return coll_recv_now(c, c->recv, c->recv_count, c->recv_type, c->root);
    struct ompi_request_t *request = world_alloc((size_t)size * sizeof *request);
    for (int i = 0; i < size; i++) {
        int count = c->send_counts ? c->send_counts[i] : c->send_count;
        const void *from =
            coll_at_rank(send, c->send_at ? c->send_at[i] : (ptrdiff_t)i * count, type);
        if (i != rank)
            coll_send(c, from, count, type, i, &request[i]);
        else if (c->recv != MPI_IN_PLACE)
            code = coll_copy(c->recv, c->recv_count, c->recv_type, from, count, type);
    }
    for (int i = 0; i < size; i++)
        if (i != rank)
            coll_finish(&request[i]);
    return code;
}

#define COUNT(i) (c->recv_counts ? c->recv_counts[i] : c->recv_count)
#define PLACE(i) \
    at_w(c->recv, c->recv_at ? c->recv_at[i] : (ptrdiff_t)(i)*c->recv_count, c->recv_type)

/* Each rank gets each block from its owner. */
static int allgather_loosely(const struct world_coll *c)
{
    int rank = c->comm->rank, size = c->comm->size, code = MPI_SUCCESS;
    struct ompi_request_t *request = world_alloc(2 * (size_t)size * sizeof *request);
    CORE_CHECK(coll_is_loose());
    for (int i = 0; i < size; i++) {
        if (i == rank)
            continue;
        coll_recv(c, PLACE(i), COUNT(i), c->recv_type, i, &request[2 * i]);
        coll_send(c, PLACE(rank), COUNT(rank), c->recv_type, i, &request[2 * i + 1]);
    }
    for (int i = 0; i < size; i++)
        if (i != rank) {
            int one = coll_finish(&request[2 * i]);
            code = code ? code : one;
            coll_finish(&request[2 * i + 1]);
        }
    return code;
}

static int coll_allgather(const struct world_coll *c)
{
    int rank = c->comm->rank, size = c->comm->size, code = MPI_SUCCESS;
    int right = (rank + 1) % size, left = (rank - 1 + size) % size;
    if (c->send != MPI_IN_PLACE)
        code =
            coll_copy(PLACE(rank), COUNT(rank), c->recv_type, c->send, c->send_count, c->send_type);
    if (code)
        return code;
    if (coll_is_loose())
        return allgather_loosely(c);
    for (int step = 0; step < size - 1 && !code; step++) {
        int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        struct ompi_request_t here[2];
        struct ompi_request_t *send = world_request_local(&here[0]);
        struct ompi_request_t *recv = world_request_local(&here[1]);
        coll_recv(c, PLACE(in), COUNT(in), c->recv_type, left, recv);
        coll_send(c, PLACE(out), COUNT(out), c->recv_type, right, send);
        code = coll_finish_both(recv, send);
    }
    return code;
}

static int coll_alltoall(const struct world_coll *c)
{
    int rank = c->comm->rank, size = c->comm->size, code = MPI_SUCCESS;
    bool in_place = c->send == MPI_IN_PLACE, wide = c->recv_types != NULL;
    struct ompi_request_t *request = world_alloc(2 * (size_t)size * sizeof *request);
    for (int i = 0; i < size; i++) {
        MPI_Datatype recv_type = wide ? c->recv_types[i] : c->recv_type;
        int recv_count = c->recv_counts ? c->recv_counts[i] : c->recv_count;
        ptrdiff_t recv_at = c->recv_at ? c->recv_at[i] : (ptrdiff_t)i * recv_count;
        void *to = wide ? (uint8_t *)c->recv + recv_at : at_w(c->recv, recv_at, recv_type);
        MPI_Datatype type = in_place ? recv_type : wide ? c->send_types[i] : c->send_type;
        int count = in_place ? recv_count : c->send_counts ? c->send_counts[i] : c->send_count;
        ptrdiff_t send_at = c->send_at && !in_place ? c->send_at[i] : (ptrdiff_t)i * count;
        const void *from = in_place ? to
                           : wide   ? (const uint8_t *)c->send + send_at
                                    : coll_at_rank(c->send, send_at, type);
        if (i == rank) {
            if (!in_place)
                code = coll_copy(to, recv_count, recv_type, from, count, type);
            continue;
        }
        if (in_place) {
            size_t bytes = (size_t)count * type->size;
            uint8_t *packed = world_alloc(bytes + 1);
            world_type_pack(packed, bytes, from, (size_t)count, type);
            coll_send(c, packed, (int)bytes, MPI_PACKED, i, &request[2 * i]);
        } else {
            coll_send(c, from, count, type, i, &request[2 * i]);
        }
        coll_recv(c, to, recv_count, recv_type, i, &request[2 * i + 1]);
    }
    for (int i = 0; i < size; i++)
        if (i != rank) {
            int one = coll_finish(&request[2 * i + 1]);
            code = code ? code : one;
            coll_finish(&request[2 * i]);
        }
    return code;
}

static int coll_scan(const struct world_coll *c, bool exclusive)
{
    int rank = c->comm->rank, size = c->comm->size, count = c->recv_count, code = MPI_SUCCESS;
    MPI_Datatype type = c->recv_type;
    void *mine = world_coll_scratch(count, type), *lower = world_coll_scratch(count, type);
    coll_copy(mine, count, type, c->send == MPI_IN_PLACE ? c->recv : c->send, count, type);
    if (rank > 0) {
        code = coll_recv_now(c, lower, count, type, rank - 1);
        if (code)
            return code;
        code = world_op_apply(c->op, lower, mine, count, type);
        if (exclusive)
            coll_copy(c->recv, count, type, lower, count, type);
    }
    if (!exclusive)
        coll_copy(c->recv, count, type, mine, count, type);
    if (rank + 1 < size)
        coll_send_now(c, mine, count, type, rank + 1);
    return code;
}

/* Each rank reduces its own block, and waits for nobody if that is empty. */
static int reduce_scatter_loosely(const struct world_coll *c, const int *counts, const int *places,
                                  int total, void *whole)
{
    int code = MPI_SUCCESS;
    CORE_CHECK(coll_is_loose() && total >= 0);
    coll_copy(whole, total, c->recv_type, c->send == MPI_IN_PLACE ? c->recv : c->send, total,
              c->recv_type);
    for (int i = 0; i < c->comm->size && !code; i++)
        if (counts[i])
            code = reduce_loosely(c, at_w(whole, places[i], c->recv_type), c->recv, counts[i],
                                  c->recv_type, i);
    return code;
}

static int reduce_scatter(const struct world_coll *c)
{
    int size = c->comm->size, rank = c->comm->rank, total = 0;
    int *counts = world_alloc((size_t)size * sizeof *counts),
        *places = world_alloc((size_t)size * sizeof *places);
    for (int i = 0; i < size; i++) {
        counts[i] = c->recv_counts ? c->recv_counts[i] : c->recv_count;
        places[i] = total;
        total += counts[i];
    }
    void *whole = world_coll_scratch(total, c->recv_type);
    if (coll_is_loose())
        return reduce_scatter_loosely(c, counts, places, total, whole);
    int code = world_coll_reduce(c, c->send == MPI_IN_PLACE ? c->recv : c->send, whole, total,
                                 c->recv_type, 0);
    if (code)
        return code;
    struct world_coll part = *c;
    part.root = 0;
    part.send_counts = counts;
    part.send_at = places;
    part.recv_count = counts[rank];
    return world_coll_scatter(&part, whole, c->recv_type);
}

/* Returns the neighbours that a topology names, in its order; those of MPI_Cart are minus then
 * plus, dimension by dimension. */
static void coll_neighbours(MPI_Comm comm, int *out_in_count, const int **out_in,
                            int *out_out_count, const int **out_out)
{
    const struct world_topology *t = comm->topology;
    CORE_CHECK(t->kind == MPI_DIST_GRAPH || t->kind == MPI_GRAPH || t->kind == MPI_CART);
    if (t->kind == MPI_DIST_GRAPH) {
        *out_in_count = t->in_count;
        *out_in = t->in;
        *out_out_count = t->out_count;
        *out_out = t->out;
        return;
    }
    if (t->kind == MPI_GRAPH) {
        int from = comm->rank ? t->index[comm->rank - 1] : 0;
        CORE_CHECK(from >= 0 && from <= t->index[comm->rank]); /* checked before */
        *out_in_count = *out_out_count = t->index[comm->rank] - from;
        *out_in = *out_out = t->edges + from;
        return;
    }
    int *list = world_alloc(((size_t)t->dimension_count * 2 + 1) * sizeof *list),
        stride = comm->size;
    for (int d = 0; d < t->dimension_count; d++) {
        stride /= t->dims[d];
        for (int side = 0; side < 2; side++) {
            int to = t->coords[d] + (side ? 1 : -1);
            bool outside = to < 0 || to >= t->dims[d];
            to = (to + t->dims[d]) % t->dims[d];
            CORE_CHECK(to >= 0 && to < t->dims[d]);
            list[2 * d + side] = outside && !t->periods[d]
                                     ? MPI_PROC_NULL
                                     : comm->rank + (to - t->coords[d]) * stride;
        }
    }
    CORE_CHECK(stride == 1); /* the dimensions make up the communicator */
    *out_in_count = *out_out_count = 2 * t->dimension_count;
    *out_in = *out_out = list;
}

void world_coll_partners(const struct world_coll *c, int *out_in, int *out_out)
{
    const int *in, *out;
    if (c->kind >= COLL_NEIGHBOR_ALLGATHER)
        coll_neighbours(c->comm, out_in, &in, out_out, &out);
    else
        *out_in = *out_out = c->comm->remote_size && c->kind != COLL_REDUCE_SCATTER &&
                                     c->kind != COLL_REDUCE_SCATTER_BLOCK
                                 ? c->comm->remote_size
                                 : c->comm->size;
}

enum { NEIGHBOUR_TAGS = 64 }; /* of one call */

static int neighbour_tag(const struct world_coll *c)
{
    CORE_CHECK(c->kind >= COLL_NEIGHBOR_ALLGATHER);
    return (c->tag & 0x1ffffff) * NEIGHBOUR_TAGS;
}

static int neighbour_exchange(const struct world_coll *c, bool same_to_all)
{
    int in_count, out_count, code = MPI_SUCCESS, tag = neighbour_tag(c);
    CORE_CHECK(c->comm->topology && !c->comm->remote_size);
    const int *in, *out;
    coll_neighbours(c->comm, &in_count, &in, &out_count, &out);
    bool grid = c->comm->topology->kind == MPI_CART;
    struct ompi_request_t *request =
        world_alloc((size_t)(in_count + out_count + 1) * sizeof *request);
    struct world_coll tagged = *c;
    for (int i = 0; i < in_count; i++) {
        MPI_Datatype type = c->recv_types ? c->recv_types[i] : c->recv_type;
        int count = c->recv_counts ? c->recv_counts[i] : c->recv_count;
        void *to = c->recv_far
                       ? (uint8_t *)c->recv + c->recv_far[i]
                       : at_w(c->recv, c->recv_at ? c->recv_at[i] : (ptrdiff_t)i * count, type);
        CORE_CHECK(in[i] == MPI_PROC_NULL || (in[i] >= 0 && in[i] < c->comm->size));
        tagged.tag = tag + (grid ? i : 0);
        coll_recv(&tagged, to, count, type, in[i], &request[i]);
    }
    for (int i = 0; i < out_count; i++) {
        MPI_Datatype type = c->send_types ? c->send_types[i] : c->send_type;
        int count = c->send_counts ? c->send_counts[i] : c->send_count;
        ptrdiff_t place = same_to_all ? 0 : c->send_at ? c->send_at[i] : (ptrdiff_t)i * count;
        const void *from = c->send_far ? (const uint8_t *)c->send + c->send_far[i]
                                       : coll_at_rank(c->send, place, type);
        CORE_CHECK(out[i] == MPI_PROC_NULL || (out[i] >= 0 && out[i] < c->comm->size));
        tagged.tag = tag + (grid ? i ^ 1 : 0); /* a message sent downwards arrives from above */
        coll_send(&tagged, from, count, type, out[i], &request[in_count + i]);
    }
    for (int i = 0; i < in_count + out_count; i++) {
        int one = coll_finish(&request[i]);
        code = code ? code : one;
    }
    return code;
}

/* Waits until all ranks have come to the call, which costs nothing in the model. */
static void coll_wait_for_all(const struct world_coll *c)
{
    const uint64_t rounds = ME->clock[0], words = ME->clock[1];
    struct world_coll barrier = *c;
    CORE_CHECK(c->kind != COLL_BARRIER);
    barrier.kind = COLL_BARRIER;
    if (c->kind >= COLL_NEIGHBOR_ALLGATHER) /* the last tag of the call */
        barrier.tag = neighbour_tag(c) + NEIGHBOUR_TAGS - 1;
    if (c->comm->remote_size)
        world_coll_inter(&barrier);
    else
        world_coll_barrier(&barrier);
    ME->clock[0] = rounds;
    ME->clock[1] = words;
}

int world_coll_run(const struct world_coll *c)
{
    int code;
    bool in_place = c->send == MPI_IN_PLACE;
    CORE_CHECK(c->tag >= 0 && c->tag <= COLL_TAG_MAX);
    if (coll_is_strict() && c->kind != COLL_BARRIER)
        coll_wait_for_all(c);
    if (UNLIKELY(c->comm->remote_size))
        return world_coll_inter(c);
    switch (c->kind) {
    case COLL_BARRIER:
        return world_coll_barrier(c);
    case COLL_BCAST:
        return world_coll_bcast(c, c->recv, c->recv_count, c->recv_type, c->root);
    case COLL_REDUCE:
        return world_coll_reduce(c, in_place ? c->recv : c->send, c->recv, c->recv_count,
                                 c->recv_type, c->root);
    case COLL_ALLREDUCE:
        code = world_coll_reduce(c, in_place ? c->recv : c->send, c->recv, c->recv_count,
                                 c->recv_type, 0);
        return code ? code : world_coll_bcast(c, c->recv, c->recv_count, c->recv_type, 0);
    case COLL_GATHER:
    case COLL_GATHERV:
        return coll_gather(c);
    case COLL_SCATTER:
    case COLL_SCATTERV:
        return world_coll_scatter(c, c->send, c->send_type);
    case COLL_ALLGATHER:
    case COLL_ALLGATHERV:
        return coll_allgather(c);
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
    case COLL_ALLTOALLW:
        return coll_alltoall(c);
    case COLL_SCAN:
        return coll_scan(c, false);
    case COLL_EXSCAN:
        return coll_scan(c, true);
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE_SCATTER_BLOCK:
        return reduce_scatter(c);
    case COLL_NEIGHBOR_ALLGATHER:
    case COLL_NEIGHBOR_ALLGATHERV:
        return neighbour_exchange(c, true);
    case COLL_NEIGHBOR_ALLTOALL:
    case COLL_NEIGHBOR_ALLTOALLV:
    case COLL_NEIGHBOR_ALLTOALLW:
        return neighbour_exchange(c, false);
    }
    return MPI_ERR_INTERN;
}
