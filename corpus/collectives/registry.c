/* Walks over the registered collectives and calls them. See registry.h. */
#include "corpus/collectives/registry.h"

#include <string.h>

extern const struct collective *const __start_crosswait_collectives[] __attribute__((weak));
extern const struct collective *const __stop_crosswait_collectives[] __attribute__((weak));

const struct collective *collective_first(void)
{
    const struct collective *const *first = __start_crosswait_collectives;
    return first == __stop_crosswait_collectives ? NULL : *first;
}

const struct collective *collective_next(const struct collective *c)
{
    const struct collective *const *p = __start_crosswait_collectives;
    while (p < __stop_crosswait_collectives && *p != c)
        p++;
    return p + 1 < __stop_crosswait_collectives ? p[1] : NULL;
}

const struct collective *collective_find(const char *name)
{
    const struct collective *c = collective_first();
    while (c && strcmp(c->name, name))
        c = collective_next(c);
    return c;
}

const char *collective_kind_name(enum collective_kind kind)
{
    static const char *const names[] = {"bcast",
                                        "bcast",
                                        "reduce",
                                        "scatter",
                                        "scatterv",
                                        "gather",
                                        "gatherv",
                                        "allgather",
                                        "allgatherv",
                                        "reduce_scatter",
                                        "reduce_scatter_block",
                                        "allreduce",
                                        "barrier",
                                        "scan",
                                        "exscan",
                                        "alltoall",
                                        "alltoallv",
                                        "alltoallw",
                                        "neighbor_allgather",
                                        "neighbor_allgatherv",
                                        "neighbor_alltoall",
                                        "neighbor_alltoallv",
                                        "neighbor_alltoallw",
                                        "shift",
                                        "custom"};
    _Static_assert(sizeof(names) / sizeof(names[0]) == COLLECTIVE_KINDS, "a name for each kind");
    return (unsigned)kind < COLLECTIVE_KINDS ? names[kind] : "?";
}

int collective_reduces(enum collective_kind kind)
{
    return kind == collective_kind_reduce || kind == collective_kind_allreduce ||
           kind == collective_kind_scan || kind == collective_kind_exscan ||
           kind == collective_kind_reduce_scatter || kind == collective_kind_reduce_scatter_block;
}

int collective_between_groups(enum collective_kind kind)
{
    return kind <= collective_kind_alltoallw && kind != collective_kind_bcast_k &&
           kind != collective_kind_scan && kind != collective_kind_exscan;
}

int collective_when_commutative(int ranks, int count, int commutative)
{
    (void)ranks, (void)count;
    return commutative;
}

int collective_when_always(int ranks, int count, int commutative)
{
    (void)ranks, (void)count, (void)commutative;
    return 1;
}

int collective_domain_holds(const struct collective *c, int ranks)
{
    int root = 0;
    switch (c->domain) {
    case COLLECTIVE_ANY:
        return 1;
    case COLLECTIVE_POWER_OF_TWO:
        return (ranks & (ranks - 1)) == 0;
    case COLLECTIVE_FULL_TREE:
        return (ranks & (ranks + 1)) == 0;
    case COLLECTIVE_SQUARE:
        while (root * root < ranks)
            root++;
        return root * root == ranks;
    }
    return 0;
}

/* The arguments that each call takes. */
#define TAKEN_bcast a->recvbuf, a->recvcount, a->recvtype, a->root, a->comm
#define TAKEN_reduce a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->op, a->root, a->comm
#define TAKEN_scatter \
    a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype, a->root, a->comm
#define TAKEN_scatterv                                                                         \
    a->sendbuf, a->sendcounts, a->sdispls, a->sendtype, a->recvbuf, a->recvcount, a->recvtype, \
        a->root, a->comm
#define TAKEN_gather \
    a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype, a->root, a->comm
#define TAKEN_gatherv                                                                          \
    a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcounts, a->rdispls, a->recvtype, \
        a->root, a->comm
#define TAKEN_allgather \
    a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype, a->comm
#define TAKEN_allgatherv                                                                       \
    a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcounts, a->rdispls, a->recvtype, \
        a->comm
#define TAKEN_reduce_scatter a->sendbuf, a->recvbuf, a->recvcounts, a->recvtype, a->op, a->comm
#define TAKEN_reduce_scatter_block a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->op, a->comm
#define TAKEN_allreduce a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->op, a->comm
#define TAKEN_barrier a->comm
#define TAKEN_scan a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->op, a->comm
#define TAKEN_exscan a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->op, a->comm
#define TAKEN_alltoall \
    a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype, a->comm
#define TAKEN_alltoallv                                                                        \
    a->sendbuf, a->sendcounts, a->sdispls, a->sendtype, a->recvbuf, a->recvcounts, a->rdispls, \
        a->recvtype, a->comm
#define TAKEN_alltoallw                                                                         \
    a->sendbuf, a->sendcounts, a->sdispls, a->sendtypes, a->recvbuf, a->recvcounts, a->rdispls, \
        a->recvtypes, a->comm
#define TAKEN_neighbor_allgather \
    a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype, a->comm
#define TAKEN_neighbor_allgatherv                                                              \
    a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcounts, a->rdispls, a->recvtype, \
        a->comm
#define TAKEN_neighbor_alltoall \
    a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount, a->recvtype, a->comm
#define TAKEN_neighbor_alltoallv                                                               \
    a->sendbuf, a->sendcounts, a->sdispls, a->sendtype, a->recvbuf, a->recvcounts, a->rdispls, \
        a->recvtype, a->comm
#define TAKEN_neighbor_alltoallw                                                       \
    a->sendbuf, a->sendcounts, a->saddresses, a->sendtypes, a->recvbuf, a->recvcounts, \
        a->raddresses, a->recvtypes, a->comm

int collective_call(const struct collective *c, const struct collective_arguments *a)
{
#define CALLED(call)             \
    case collective_kind_##call: \
        return c->function.call(TAKEN_##call);
    switch (c->kind) {
        CALLED(bcast)
        CALLED(reduce)
        CALLED(scatter)
        CALLED(scatterv)
        CALLED(gather)
        CALLED(gatherv)
        CALLED(allgather)
        CALLED(allgatherv)
        CALLED(reduce_scatter)
        CALLED(reduce_scatter_block)
        CALLED(allreduce)
        CALLED(barrier)
        CALLED(scan)
        CALLED(exscan)
        CALLED(alltoall)
        CALLED(alltoallv)
        CALLED(alltoallw)
        CALLED(neighbor_allgather)
        CALLED(neighbor_allgatherv)
        CALLED(neighbor_alltoall)
        CALLED(neighbor_alltoallv)
        CALLED(neighbor_alltoallw)
    case collective_kind_bcast_k:
        return c->function.bcast_k(TAKEN_bcast, a->parameter);
    case collective_kind_shift:
        return c->function.shift(a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->comm,
                                 a->parameter);
    case collective_kind_custom:
        return c->function.custom(a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->comm);
    }
    return MPI_ERR_ARG;
}

int collective_start(const struct collective *c, const struct collective_arguments *a,
                     MPI_Request *out_request, void **out_state)
{
#define STARTED(call)                                                                             \
    case collective_kind_##call:                                                                  \
        return c->form == COLLECTIVE_NONBLOCKING ? c->function.i##call(TAKEN_##call, out_request) \
               : c->form == COLLECTIVE_PERSISTENT                                                 \
                   ? c->function.call##_init(TAKEN_##call, MPI_INFO_NULL, out_request)            \
                   : c->function.call##_start(TAKEN_##call, out_state);
    switch (c->kind) {
        STARTED(bcast)
        STARTED(reduce)
        STARTED(scatter)
        STARTED(scatterv)
        STARTED(gather)
        STARTED(gatherv)
        STARTED(allgather)
        STARTED(allgatherv)
        STARTED(reduce_scatter)
        STARTED(reduce_scatter_block)
        STARTED(allreduce)
        STARTED(barrier)
        STARTED(scan)
        STARTED(exscan)
        STARTED(alltoall)
        STARTED(alltoallv)
        STARTED(alltoallw)
        STARTED(neighbor_allgather)
        STARTED(neighbor_allgatherv)
        STARTED(neighbor_alltoall)
        STARTED(neighbor_alltoallv)
        STARTED(neighbor_alltoallw)
    }
    return MPI_ERR_ARG;
}
