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
    static const char *const names[] = {
        "bcast",     "bcast",      "reduce",         "scatter",           "gather",
        "allgather", "allgatherv", "reduce_scatter", "allreduce",         "barrier",
        "scan",      "alltoall",   "alltoallv",      "neighbor_alltoall", "shift",
    };
    _Static_assert(sizeof(names) / sizeof(names[0]) == COLLECTIVE_KINDS, "a name for each kind");
    return (unsigned)kind < COLLECTIVE_KINDS ? names[kind] : "?";
}

int collective_reduces(enum collective_kind kind)
{
    return kind == collective_kind_reduce || kind == collective_kind_allreduce ||
           kind == collective_kind_scan || kind == collective_kind_reduce_scatter;
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

int collective_call(const struct collective *c, const struct collective_arguments *a)
{
    switch (c->kind) {
    case collective_kind_bcast:
        return c->function.bcast(a->recvbuf, a->recvcount, a->recvtype, a->root, a->comm);
    case collective_kind_bcast_k:
        return c->function.bcast_k(a->recvbuf, a->recvcount, a->recvtype, a->root, a->comm,
                                   a->parameter);
    case collective_kind_reduce:
        return c->function.reduce(a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->op, a->root,
                                  a->comm);
    case collective_kind_scatter:
        return c->function.scatter(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount,
                                   a->recvtype, a->root, a->comm);
    case collective_kind_gather:
        return c->function.gather(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount,
                                  a->recvtype, a->root, a->comm);
    case collective_kind_allgather:
        return c->function.allgather(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf,
                                     a->recvcount, a->recvtype, a->comm);
    case collective_kind_allgatherv:
        return c->function.allgatherv(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf,
                                      a->recvcounts, a->rdispls, a->recvtype, a->comm);
    case collective_kind_reduce_scatter:
        return c->function.reduce_scatter(a->sendbuf, a->recvbuf, a->recvcounts, a->recvtype, a->op,
                                          a->comm);
    case collective_kind_allreduce:
        return c->function.allreduce(a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->op,
                                     a->comm);
    case collective_kind_barrier:
        return c->function.barrier(a->comm);
    case collective_kind_scan:
        return c->function.scan(a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->op, a->comm);
    case collective_kind_alltoall:
        return c->function.alltoall(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount,
                                    a->recvtype, a->comm);
    case collective_kind_neighbor_alltoall:
        return c->function.neighbor_alltoall(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf,
                                             a->recvcount, a->recvtype, a->comm);
    case collective_kind_alltoallv:
        return c->function.alltoallv(a->sendbuf, a->sendcounts, a->sdispls, a->sendtype, a->recvbuf,
                                     a->recvcounts, a->rdispls, a->recvtype, a->comm);
    case collective_kind_shift:
        return c->function.shift(a->sendbuf, a->recvbuf, a->recvcount, a->recvtype, a->comm,
                                 a->parameter);
    case COLLECTIVE_KINDS:
        break;
    }
    return MPI_ERR_ARG;
}
