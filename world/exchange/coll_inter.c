/* Collectives between the two groups of an intercommunicator: a step inside a group uses this group
 * alone, with its own tags; a step between the groups is between the two first ranks, or from all
 * to all.
 *
 * The root argument is MPI_ROOT at the root, MPI_PROC_NULL at the others of its group, and the
 * root's rank in the other group. */
#include "world/exchange/coll.h"
#include "world/exchange/explore.h"

enum { INSIDE_TAG = 0x4000000 }; /* above the numbers of collective calls */
_Static_assert((int)INSIDE_TAG > (int)COLL_TAG_MAX,
               "messages inside a group have tags of their own");

/* Returns the call on the caller's own group, as if that were a communicator. */
static struct world_coll coll_inter_inside(const struct world_coll *c,
                                           struct ompi_communicator_t *group)
{
    CORE_CHECK(c->comm->remote_size > 0 && c->tag < (int)INSIDE_TAG);
    *group = *c->comm;
    group->remote_size = 0;
    group->remote = NULL;
    struct world_coll one = *c;
    one.comm = group;
    one.tag = c->tag + INSIDE_TAG;
    return one;
}

static void *coll_inter_place(void *buffer, ptrdiff_t elements, MPI_Datatype type)
{
    return (uint8_t *)buffer + elements * type_extent(type);
}

static int coll_inter_barrier(const struct world_coll *c)
{
    struct ompi_communicator_t group;
    struct world_coll one = coll_inter_inside(c, &group);
    world_coll_barrier(&one);
    if (c->comm->rank == 0) {
        struct ompi_request_t here, *send = world_request_local(&here);
        coll_send(c, NULL, 0, MPI_BYTE, 0, send);
        coll_recv_now(c, NULL, 0, MPI_BYTE, 0);
        coll_finish(send);
        world_request_local_end(send);
    }
    return world_coll_bcast(&one, NULL, 0, MPI_BYTE, 0);
}

static int coll_inter_bcast(const struct world_coll *c)
{
    CORE_CHECK(c->root == MPI_ROOT || (c->root >= 0 && c->root < c->comm->remote_size));
    if (coll_is_loose() && c->root != MPI_ROOT)
        return coll_recv_now(c, c->recv, c->recv_count, c->recv_type, c->root);
    for (int i = 1; coll_is_loose() && i < c->comm->remote_size; i++)
        coll_send_now(c, c->recv, c->recv_count, c->recv_type, i);
    if (c->root == MPI_ROOT)
        return coll_send_now(c, c->recv, c->recv_count, c->recv_type, 0);
    int code = c->comm->rank == 0 ? coll_recv_now(c, c->recv, c->recv_count, c->recv_type, c->root)
                                  : MPI_SUCCESS;
    struct ompi_communicator_t group;
    struct world_coll one = coll_inter_inside(c, &group);
    return code ? code : world_coll_bcast(&one, c->recv, c->recv_count, c->recv_type, 0);
}

/* Reduces what each rank of the other group sends. */
static int reduce_theirs(const struct world_coll *c, void *result)
{
    CORE_CHECK(c->comm->remote_size > 0);
    void *next = world_coll_scratch(c->recv_count, c->recv_type);
    int code = coll_recv_now(c, result, c->recv_count, c->recv_type, 0);
    for (int i = 1; i < c->comm->remote_size && !code; i++) {
        code = coll_recv_now(c, next, c->recv_count, c->recv_type, i);
        if (!code) /* next = result op next */
            code = world_op_apply(c->op, result, next, c->recv_count, c->recv_type);
        world_type_copy(result, (size_t)c->recv_count, c->recv_type, next, (size_t)c->recv_count,
                        c->recv_type);
    }
    return code;
}

static int coll_inter_reduce(const struct world_coll *c)
{
    CORE_CHECK(c->root == MPI_ROOT || (c->root >= 0 && c->root < c->comm->remote_size));
    if (coll_is_loose())
        return c->root == MPI_ROOT
                   ? reduce_theirs(c, c->recv)
                   : coll_send_now(c, c->send, c->recv_count, c->recv_type, c->root);
    if (c->root == MPI_ROOT)
        return coll_recv_now(c, c->recv, c->recv_count, c->recv_type, 0);
    struct ompi_communicator_t group;
    struct world_coll one = coll_inter_inside(c, &group);
    void *ours = world_coll_scratch(c->recv_count, c->recv_type);
    int code = world_coll_reduce(&one, c->send, ours, c->recv_count, c->recv_type, 0);
    return code || c->comm->rank ? code
                                 : coll_send_now(c, ours, c->recv_count, c->recv_type, c->root);
}

/* Gives the first rank the reduced data of the other group. */
static int reduce_exchange(const struct world_coll *c, const struct world_coll *one, int count,
                           void *theirs)
{
    CORE_CHECK(!one->comm->remote_size && one->tag != c->tag);
    void *ours = world_coll_scratch(count, c->recv_type);
    int code = world_coll_reduce(one, c->send, ours, count, c->recv_type, 0);
    if (code || c->comm->rank)
        return code;
    struct ompi_request_t here, *send = world_request_local(&here);
    coll_send(c, ours, count, c->recv_type, 0, send);
    code = coll_recv_now(c, theirs, count, c->recv_type, 0);
    coll_finish(send);
    world_request_local_end(send);
    return code;
}

/* Each rank waits for the other group alone. */
static int allreduce_loosely(const struct world_coll *c)
{
    const int size = c->comm->remote_size;
    struct ompi_request_t *request = world_alloc((size_t)size * sizeof *request);
    CORE_CHECK(coll_is_loose());
    for (int i = 0; i < size; i++)
        coll_send(c, c->send, c->recv_count, c->recv_type, i, &request[i]);
    int code = reduce_theirs(c, c->recv);
    for (int i = 0; i < size; i++)
        coll_finish(&request[i]);
    return code;
}

static int coll_inter_allreduce(const struct world_coll *c)
{
    if (coll_is_loose())
        return allreduce_loosely(c);
    struct ompi_communicator_t group;
    struct world_coll one = coll_inter_inside(c, &group);
    int code = reduce_exchange(c, &one, c->recv_count, c->recv);
    return code ? code : world_coll_bcast(&one, c->recv, c->recv_count, c->recv_type, 0);
}

static int reduce_scatter(const struct world_coll *c)
{
    int size = c->comm->size, total = 0;
    int *counts = world_alloc((size_t)size * sizeof *counts),
        *places = world_alloc((size_t)size * sizeof *places);
    for (int i = 0; i < size; i++) {
        counts[i] = c->recv_counts ? c->recv_counts[i] : c->recv_count;
        places[i] = total;
        total += counts[i];
    }
    struct ompi_communicator_t group;
    struct world_coll one = coll_inter_inside(c, &group);
    if (coll_is_loose()) /* a rank waits for others of its group, whose data it does not need */
        world_explore_limited();
    void *whole = world_coll_scratch(total, c->recv_type);
    int code = reduce_exchange(c, &one, total, whole);
    one.root = 0;
    one.send_counts = counts;
    one.send_at = places;
    one.recv_count = counts[c->comm->rank];
    return code ? code : world_coll_scatter(&one, whole, c->recv_type);
}

/* Gathers from every rank of the other group. */
static int coll_inter_gather(const struct world_coll *c)
{
    CORE_CHECK(c->root == MPI_ROOT || (c->root >= 0 && c->root < c->comm->remote_size));
    if (c->root != MPI_ROOT)
        return coll_send_now(c, c->send, c->send_count, c->send_type, c->root);
    int size = c->comm->remote_size, code = MPI_SUCCESS;
    struct ompi_request_t *request = world_alloc((size_t)size * sizeof *request);
    for (int i = 0; i < size; i++) {
        int count = c->recv_counts ? c->recv_counts[i] : c->recv_count;
        ptrdiff_t at = c->recv_at ? c->recv_at[i] : (ptrdiff_t)i * count;
        coll_recv(c, coll_inter_place(c->recv, at, c->recv_type), count, c->recv_type, i,
                  &request[i]);
    }
    for (int i = 0; i < size; i++) {
        int one = coll_finish(&request[i]);
        code = code ? code : one;
    }
    return code;
}

static int coll_inter_scatter(const struct world_coll *c)
{
    CORE_CHECK(c->root == MPI_ROOT || (c->root >= 0 && c->root < c->comm->remote_size));
    if (c->root != MPI_ROOT)
        return coll_recv_now(c, c->recv, c->recv_count, c->recv_type, c->root);
    int size = c->comm->remote_size;
    struct ompi_request_t *request = world_alloc((size_t)size * sizeof *request);
    for (int i = 0; i < size; i++) {
        int count = c->send_counts ? c->send_counts[i] : c->send_count;
        ptrdiff_t at = c->send_at ? c->send_at[i] : (ptrdiff_t)i * count;
        coll_send(c, coll_inter_place((void *)(uintptr_t)c->send, at, c->send_type), count,
                  c->send_type, i, &request[i]);
    }
    for (int i = 0; i < size; i++)
        coll_finish(&request[i]);
    return MPI_SUCCESS;
}

/* Exchanges data with every rank of the other group; `same`: all get the same. */
static int coll_inter_exchange(const struct world_coll *c, bool same)
{
    int size = c->comm->remote_size, code = MPI_SUCCESS;
    CORE_CHECK(c->root == -1); /* each rank sends to and receives from all */
    bool wide = c->recv_types != NULL;
    struct ompi_request_t *request = world_alloc(2 * (size_t)size * sizeof *request);
    for (int i = 0; i < size; i++) {
        MPI_Datatype type = wide ? c->recv_types[i] : c->recv_type;
        int count = c->recv_counts ? c->recv_counts[i] : c->recv_count;
        ptrdiff_t at = c->recv_at ? c->recv_at[i] : (ptrdiff_t)i * count;
        coll_recv(c, wide ? (uint8_t *)c->recv + at : coll_inter_place(c->recv, at, type), count,
                  type, i, &request[i]);
    }
    for (int i = 0; i < size; i++) {
        MPI_Datatype type = wide ? c->send_types[i] : c->send_type;
        int count = c->send_counts ? c->send_counts[i] : c->send_count;
        ptrdiff_t at = same ? 0 : c->send_at ? c->send_at[i] : (ptrdiff_t)i * count;
        uint8_t *from = (uint8_t *)(uintptr_t)c->send;
        coll_send(c, wide ? from + at : coll_inter_place(from, at, type), count, type, i,
                  &request[size + i]);
    }
    for (int i = 0; i < 2 * size; i++) {
        int one = coll_finish(&request[i]);
        code = code ? code : one;
    }
    return code;
}

int world_coll_inter(const struct world_coll *c)
{
    if (coll_is_alone(c))
        return MPI_SUCCESS;
    switch (c->kind) {
    case COLL_BARRIER:
        return coll_inter_barrier(c);
    case COLL_BCAST:
        return coll_inter_bcast(c);
    case COLL_REDUCE:
        return coll_inter_reduce(c);
    case COLL_ALLREDUCE:
        return coll_inter_allreduce(c);
    case COLL_GATHER:
    case COLL_GATHERV:
        return coll_inter_gather(c);
    case COLL_SCATTER:
    case COLL_SCATTERV:
        return coll_inter_scatter(c);
    case COLL_ALLGATHER:
    case COLL_ALLGATHERV:
        return coll_inter_exchange(c, true);
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
    case COLL_ALLTOALLW:
        return coll_inter_exchange(c, false);
    case COLL_REDUCE_SCATTER:
    case COLL_REDUCE_SCATTER_BLOCK:
        return reduce_scatter(c);
    default:
        return MPI_ERR_COMM;
    }
}
