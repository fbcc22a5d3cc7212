/* One collective call as data, so that the blocking and the nonblocking form share everything. */
#ifndef WORLD_EXCHANGE_COLL_H
#define WORLD_EXCHANGE_COLL_H

#include "world/state.h"

enum world_coll_kind {
    COLL_BARRIER,
    COLL_BCAST,
    COLL_REDUCE,
    COLL_ALLREDUCE,
    COLL_GATHER,
    COLL_GATHERV,
    COLL_SCATTER,
    COLL_SCATTERV,
    COLL_ALLGATHER,
    COLL_ALLGATHERV,
    COLL_ALLTOALL,
    COLL_ALLTOALLV,
    COLL_ALLTOALLW,
    COLL_SCAN,
    COLL_EXSCAN,
    COLL_REDUCE_SCATTER,
    COLL_REDUCE_SCATTER_BLOCK,
    COLL_NEIGHBOR_ALLGATHER,
    COLL_NEIGHBOR_ALLGATHERV,
    COLL_NEIGHBOR_ALLTOALL,
    COLL_NEIGHBOR_ALLTOALLV,
    COLL_NEIGHBOR_ALLTOALLW
};
_Static_assert(COLL_EXSCAN < COLL_NEIGHBOR_ALLGATHER &&
                   COLL_REDUCE_SCATTER_BLOCK < COLL_NEIGHBOR_ALLGATHER &&
                   COLL_NEIGHBOR_ALLTOALLW - COLL_NEIGHBOR_ALLGATHER == 4,
               "those among neighbours come last");

enum { COLL_TAG_MAX = 0x3ffffff }; /* calls are numbered up to here, and from 0 again */

struct world_coll {
    enum world_coll_kind kind;
    const void *send;
    void *recv;
    int send_count, recv_count;
    const int *send_counts, *recv_counts; /* v and w forms */
    const int *send_at, *recv_at;
    const MPI_Aint *send_far, *recv_far; /* in bytes: MPI_Neighbor_alltoallw */
    MPI_Datatype send_type, recv_type;
    const MPI_Datatype *send_types, *recv_types; /* w forms */
    MPI_Op op;
    int root; /* -1: none */
    MPI_Comm comm;
    int tag;
    struct ompi_request_t *request;
};

/* Tells whether a root is an argument; the others have root -1, which a program may pass as well.
 */
static inline bool coll_has_root(enum world_coll_kind kind)
{
    return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER ||
           kind == COLL_GATHERV || kind == COLL_SCATTER || kind == COLL_SCATTERV;
}
/* Tells whether the rank is in the root's group without being the root. */
static inline bool coll_is_alone(const struct world_coll *c)
{
    return coll_has_root(c->kind) && c->root == MPI_PROC_NULL;
}

int world_coll_run(const struct world_coll *coll);
/* Counts the ranks that it receives from and sends to, if the call has lists of counts; among
 * neighbours, those that the topology names. */
void world_coll_partners(const struct world_coll *coll, int *out_in, int *out_out);

/* Building blocks of other collectives, on c->comm, which is no intercommunicator. */
int world_coll_barrier(const struct world_coll *c);
int world_coll_bcast(const struct world_coll *c, void *buffer, int count, MPI_Datatype type,
                     int root);
int world_coll_reduce(const struct world_coll *c, const void *send, void *recv, int count,
                      MPI_Datatype type, int root);
int world_coll_scatter(const struct world_coll *c, const void *send, MPI_Datatype type);
void *world_coll_scratch(int count, MPI_Datatype type);
/* coll_inter.c: runs any of them between the two groups of an intercommunicator. */
int world_coll_inter(const struct world_coll *c);

static inline bool coll_is_loose(void)
{
    return UNLIKELY(WORLD->options->waiting == WORLD_WAITS_FOR_DATA);
}
static inline bool coll_is_strict(void)
{
    return UNLIKELY(WORLD->options->waiting == WORLD_WAITS_FOR_ALL);
}
/* A message without data need not be there. */
static inline int coll_peer(const struct world_coll *c, int count, MPI_Datatype type, int peer)
{
    const bool empty = count == 0 || type->size == 0;
    return empty && c->kind != COLL_BARRIER && coll_is_loose() ? MPI_PROC_NULL : peer;
}

static inline void coll_send(const struct world_coll *c, const void *buffer, int count,
                             MPI_Datatype type, int dest, struct ompi_request_t *request)
{
    request->checked = true;
    request->persistent = request->freed = false;
    world_isend(buffer, (size_t)count, type, coll_peer(c, count, type, dest), c->tag, c->comm,
                c->comm->context + 1, MODE_STANDARD, request);
}

static inline void coll_recv(const struct world_coll *c, void *buffer, int count, MPI_Datatype type,
                             int source, struct ompi_request_t *request)
{
    request->checked = true;
    request->persistent = request->freed = false;
    world_irecv(buffer, (size_t)count, type, coll_peer(c, count, type, source), c->tag, c->comm,
                c->comm->context + 1, request);
}

/* A collective that gets less than it asked for returns MPI_ERR_COUNT: counts must agree. */
static inline int coll_finish(struct ompi_request_t *request)
{
    if (!request->complete)
        world_request_wait(request);
    CORE_CHECK_HOT(request->complete && request->checked);
    world_request_finish(request);
    if (UNLIKELY(request->kind == REQUEST_RECV && request->peer >= 0 && !request->error &&
                 request->status._ucount < request->count * request->type->size))
        request->error = MPI_ERR_COUNT;
    return request->error;
}

static inline int coll_send_now(const struct world_coll *c, const void *buffer, int count,
                                MPI_Datatype type, int dest)
{
    struct ompi_request_t here, *request = world_request_local(&here);
    coll_send(c, buffer, count, type, dest, request);
    int code = coll_finish(request);
    world_request_local_end(request);
    return code;
}

static inline int coll_recv_now(const struct world_coll *c, void *buffer, int count,
                                MPI_Datatype type, int source)
{
    struct ompi_request_t here, *request = world_request_local(&here);
    coll_recv(c, buffer, count, type, source, request);
    int code = coll_finish(request);
    world_request_local_end(request);
    return code;
}

/* Finishes both directions; returns the code of the receive. */
static inline int coll_finish_both(struct ompi_request_t *recv, struct ompi_request_t *send)
{
    int code = coll_finish(recv);
    coll_finish(send);
    world_request_local_end(recv);
    world_request_local_end(send);
    return code;
}

#endif
