/* One collective call as data, so that the blocking and the nonblocking form share everything. */
#ifndef REPLAY_INPROC_COLL_H
#define REPLAY_INPROC_COLL_H

#include "replay/inproc/state.h"

enum inproc_coll_kind {
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
    COLL_NEIGHBOR_ALLTOALLV
};

struct inproc_coll {
    enum inproc_coll_kind kind;
    const void *send;
    void *recv;
    int send_count, recv_count;
    const int *send_counts, *recv_counts; /* v and w forms */
    const int *send_at, *recv_at;
    MPI_Datatype send_type, recv_type;
    const MPI_Datatype *send_types, *recv_types; /* w forms */
    MPI_Op op;
    int root; /* -1: none */
    MPI_Comm comm;
    int tag;
    struct ompi_request_t *request;
};

int inproc_coll_run(const struct inproc_coll *coll);

#endif
