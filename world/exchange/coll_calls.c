/* The MPI functions of the collectives: checks, then coll.c; the nonblocking forms run the same
 * code on a fiber of their own, the persistent forms at each start. */
#include "world/exchange/coll.h"
#include "world_newer.h"

static int check_type(MPI_Comm comm, int count, MPI_Datatype type)
{
    if (count < 0)
        return world_error(comm, MPI_ERR_COUNT, "count %d", count);
    if (world_type_check(type, true))
        return world_error(comm, MPI_ERR_TYPE, "the datatype is null, freed or not committed");
    return MPI_SUCCESS;
}

/* Checks one count for each rank. */
static int check_counts(MPI_Comm comm, int size, const int *counts)
{
    for (int i = 0; i < size; i++)
        if (counts[i] < 0)
            return world_error(comm, MPI_ERR_COUNT, "count %d of rank %d", counts[i], i);
    return MPI_SUCCESS;
}

/* Checks one datatype for each rank. */
static int check_types(MPI_Comm comm, int size, const MPI_Datatype *types)
{
    for (int i = 0; i < size; i++)
        if (world_type_check(types[i], true))
            return world_error(comm, MPI_ERR_TYPE,
                               "the datatype of rank %d is null, freed or not committed", i);
    return MPI_SUCCESS;
}

/* Checks that the total count of a reduce-scatter fits an int. */
static int check_total(const struct world_coll *c, int size)
{
    long long total = 0;
    for (int i = 0; i < size; i++)
        total += c->recv_counts ? c->recv_counts[i] : c->recv_count;
    if (total > INT32_MAX)
        return world_error(c->comm, MPI_ERR_COUNT, "%lld elements in all", total);
    return MPI_SUCCESS;
}

static int check_lists(const struct world_coll *c, bool sends, bool receives)
{
    MPI_Comm comm = c->comm;
    int in, out, code = MPI_SUCCESS;
    world_coll_partners(c, &in, &out);
    CORE_CHECK(in >= 0 && out >= 0);
    if (receives && c->recv_counts)
        code = check_counts(comm, in, c->recv_counts);
    if (!code && sends && c->send_counts)
        code = check_counts(comm, out, c->send_counts);
    if (!code && (c->kind == COLL_REDUCE_SCATTER || c->kind == COLL_REDUCE_SCATTER_BLOCK))
        code = check_total(c, in);
    if (!code && receives && c->recv_types)
        code = check_types(comm, in, c->recv_types);
    if (!code && sends && c->send_types)
        code = check_types(comm, out, c->send_types);
    return code;
}

static bool coll_calls_reduces(enum world_coll_kind kind)
{
    return kind == COLL_REDUCE || kind == COLL_ALLREDUCE || kind == COLL_SCAN ||
           kind == COLL_EXSCAN || kind == COLL_REDUCE_SCATTER || kind == COLL_REDUCE_SCATTER_BLOCK;
}

static int check_inter(const struct world_coll *c)
{
    MPI_Comm comm = c->comm;
    CORE_CHECK(comm->remote_size > 0);
    bool alone = coll_is_alone(c), chief = coll_has_root(c->kind) && c->root == MPI_ROOT;
    bool to_root = c->kind == COLL_GATHER || c->kind == COLL_GATHERV;
    bool from_root = c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV;
    if (c->kind == COLL_SCAN || c->kind == COLL_EXSCAN || c->kind >= COLL_NEIGHBOR_ALLGATHER)
        return world_error(comm, MPI_ERR_COMM, "not for an intercommunicator");
    if (coll_has_root(c->kind) && !alone && !chief && (c->root < 0 || c->root >= comm->remote_size))
        return world_error(comm, MPI_ERR_ROOT, "root %d of %d", c->root, comm->remote_size);
    if (c->send == MPI_IN_PLACE || c->recv == MPI_IN_PLACE)
        return world_error(comm, MPI_ERR_ARG, "MPI_IN_PLACE on an intercommunicator");
    int code = alone ? MPI_SUCCESS
                     : check_lists(c, (!from_root || chief) && !(to_root && chief),
                                   (!to_root || chief) && !(from_root && chief));
    if (code)
        return code;
    if (c->recv_type && !alone && !(to_root && !chief) && !(from_root && chief))
        code = check_type(comm, c->recv_counts ? 0 : c->recv_count, c->recv_type);
    if (!code && c->send_type && !alone && !(from_root && !chief) && !(to_root && chief))
        code = check_type(comm, c->send_counts ? 0 : c->send_count, c->send_type);
    if (!code && !alone && coll_calls_reduces(c->kind) &&
        (code = world_op_check(c->op, c->recv_type)))
        return world_error(comm, code,
                           "the operation is null, freed, or is not defined for the datatype");
    return code;
}

/* Checks the use of MPI_IN_PLACE. */
static int check_in_place(const struct world_coll *c, bool gives, bool gets)
{
    bool at_root = c->comm->rank == c->root;
    bool scatters = c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV;
    if (c->recv == MPI_IN_PLACE && gets && !(scatters && at_root))
        return world_error(c->comm, MPI_ERR_ARG,
                           "MPI_IN_PLACE is not allowed as this receive buffer");
    if (c->send == MPI_IN_PLACE && gives &&
        (scatters || c->kind >= COLL_NEIGHBOR_ALLGATHER || (c->kind == COLL_REDUCE && !at_root)))
        return world_error(c->comm, MPI_ERR_ARG, "MPI_IN_PLACE is not allowed as this send buffer");
    return MPI_SUCCESS;
}

/* The result is not where the data are, unless MPI_IN_PLACE says so. */
static int check_alias(const struct world_coll *c, bool gives, bool gets)
{
    const bool some = c->recv_count > 0 && !c->recv_counts && !c->send_counts;
    if (c->kind == COLL_BCAST || !gives || !gets || !some || c->send != c->recv || !c->send ||
        c->send == MPI_BOTTOM || !c->recv_type->size)
        return MPI_SUCCESS;
    return world_error(c->comm, MPI_ERR_BUFFER,
                       "the send buffer is also the receive buffer: use MPI_IN_PLACE");
}

static int coll_calls_check(struct world_coll *c)
{
    MPI_Comm comm = c->comm;
    CORE_CHECK(coll_has_root(c->kind) || c->root == -1);
    if (!comm)
        return world_error(NULL, MPI_ERR_COMM, "the communicator is null, freed or not one");
    if (UNLIKELY(comm->remote_size))
        return check_inter(c);
    if (coll_has_root(c->kind) && (c->root < 0 || c->root >= comm->size))
        return world_error(comm, MPI_ERR_ROOT, "root %d of %d", c->root, comm->size);
    bool to_root = c->kind == COLL_GATHER || c->kind == COLL_GATHERV;
    bool from_root = c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV;
    bool at_root = comm->rank == c->root;
    bool neighbours = c->kind >= COLL_NEIGHBOR_ALLGATHER;
    bool gets = at_root || !(to_root || c->kind == COLL_REDUCE), gives = at_root || !from_root;
    if (neighbours && !comm->topology)
        return world_error(comm, MPI_ERR_TOPOLOGY, "the communicator has no topology");
    int code = check_in_place(c, gives, gets);
    if (!code)
        code = check_lists(c, c->send != MPI_IN_PLACE && gives, c->recv != MPI_IN_PLACE && gets);
    if (code)
        return code;
    if (c->recv_type && !(to_root && !at_root) && !(gets && c->recv == MPI_IN_PLACE))
        code = check_type(comm, c->recv_counts ? 0 : c->recv_count, c->recv_type);
    if (!code && c->send_type && c->send != MPI_IN_PLACE && !(from_root && !at_root))
        code = check_type(comm, c->send_counts ? 0 : c->send_count, c->send_type);
    if (!code && coll_calls_reduces(c->kind)) {
        code = world_op_check(c->op, c->recv_type);
        if (code)
            return world_error(comm, code,
                               "the operation is null, freed, or is not defined for the datatype");
    }
    if (!code)
        code = check_alias(c, gives, gets);
    if (!code && c->send == MPI_IN_PLACE && to_root && !at_root)
        return world_error(comm, MPI_ERR_ARG, "MPI_IN_PLACE on a rank that is not the root");
    return code;
}

static uint32_t coll_enter(const struct world_coll *c, const char *call)
{
    bool checked = coll_calls_reduces(c->kind) && !c->comm->remote_size;
    const char *op = checked ? world_op_name(c->op) : NULL;
    return world_collective_enter(c->comm, call, c->root, op);
}

#define NUMBER(number) ((const void *)(uintptr_t)(number))

static int run(const char *call, struct world_coll c)
{
    ENTER(call);
    c.comm = comm_of(c.comm);
    int code = coll_calls_check(&c);
    if (code)
        return code;
    c.tag = (int)(coll_enter(&c, call) & COLL_TAG_MAX);
    CALL_USES(NULL, NULL, NUMBER(c.kind), c.send, c.recv, NUMBER(c.send_count),
              NUMBER(c.recv_count), c.send_counts, c.recv_counts, c.send_at, c.recv_at, c.send_far,
              c.recv_far, c.send_type, c.recv_type, c.send_types, c.recv_types, c.op,
              NUMBER(c.root), c.comm);
    code = world_coll_run(&c);
    WORLD->fiber->call = call;
    return code ? world_error(
                      c.comm, code, "%s",
                      code == MPI_ERR_TRUNCATE
                          ? "a message is longer than its receive: counts differ between ranks"
                      : code == MPI_ERR_COUNT
                          ? "a message is shorter than its receive: counts differ between ranks"
                          : "it failed")
                : MPI_SUCCESS;
}

void world_helper_start(struct ompi_request_t *request, void (*body)(struct world_fiber *),
                        void *argument)
{
    struct world_fiber *fiber = world_fiber_get(ME, body, argument);
    CORE_CHECK(request->kind == REQUEST_COLL && fiber->helper);
    request->id = (int32_t)fiber->helper;
    world_gate_give(GATE_BEGUN, fiber->helper, ME->rank, 0);
    world_fiber_ready(fiber);
}

static void coll_calls_body(struct world_fiber *fiber)
{
    struct world_coll *c = fiber->argument;
    CORE_CHECK(c->request->kind == REQUEST_COLL && !fiber->is_rank);
    fiber->call = c->request->handle.made_by;
    world_gate_need(GATE_BEGUN, fiber->helper, ME->rank, 0);
    c->request->error = world_coll_run(c);
    world_gate_give(GATE_ENDED, fiber->helper, ME->rank, 0);
    world_request_complete(c->request);
}

/* Makes the request of a nonblocking or persistent collective. */
static int coll_make(const char *call, struct world_coll c, MPI_Request *out_request)
{
    c.comm = comm_of(c.comm);
    int code = coll_calls_check(&c);
    if (code)
        return code;
    c.tag = (int)(coll_enter(&c, call) & COLL_TAG_MAX);
    struct ompi_request_t *request = world_request_helped(c.comm);
    c.request = request;
    struct world_coll *kept = world_alloc(sizeof *kept);
    *kept = c;
    request->helped->coll = kept;
    *out_request = request;
    return MPI_SUCCESS;
}

static int start(const char *call, struct world_coll c, MPI_Request *out_request)
{
    ENTER(call);
    int code = coll_make(call, c, out_request);
    if (!code)
        world_coll_start(*out_request);
    return code;
}

/* MPI leaves it to the library whether an initialisation waits for the other ranks. Messages of two
 * starts may have the same tag: a rank starts again only after it has ended the start before. */
static int coll_init(const char *call, struct world_coll c, MPI_Request *out_request)
{
    ENTER(call);
    int code = coll_make(call, c, out_request);
    if (code)
        return code;
    struct ompi_request_t *request = *out_request;
    CORE_CHECK(request->kind == REQUEST_COLL && !request->complete);
    if (coll_is_strict())
        world_meet(request->comm, NULL);
    request->persistent = request->complete = true;
    request->active = false;
    return MPI_SUCCESS;
}

void world_coll_start(struct ompi_request_t *request)
{
    CORE_CHECK(request->kind == REQUEST_COLL && request->helped->coll && request->active);
    world_helper_start(request, coll_calls_body, request->helped->coll);
}

/* Defines the three forms of a call: PARAMS as in mpi.h without the request, VALUES as designated
 * initialisers. */
#define UNWRAP(...) __VA_ARGS__
#define FORMS(Name, iname, PARAMS, VALUES)                                                   \
    int MPI_##Name(UNWRAP PARAMS)                                                            \
    {                                                                                        \
        return run("MPI_" #Name, (struct world_coll){UNWRAP VALUES});                        \
    }                                                                                        \
    int MPI_I##iname(UNWRAP PARAMS, MPI_Request *request)                                    \
    {                                                                                        \
        return start("MPI_I" #iname, (struct world_coll){UNWRAP VALUES}, request);           \
    }                                                                                        \
    int MPI_##Name##_init(UNWRAP PARAMS, MPI_Info info, MPI_Request *request)                \
    {                                                                                        \
        (void)info;                                                                          \
        return coll_init("MPI_" #Name "_init", (struct world_coll){UNWRAP VALUES}, request); \
    }

FORMS(Barrier, barrier, (MPI_Comm comm), (.kind = COLL_BARRIER, .root = -1, .comm = comm))
FORMS(Bcast, bcast, (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
      (.kind = COLL_BCAST, .recv = buffer, .recv_count = count, .recv_type = datatype, .root = root,
       .comm = comm))
FORMS(Reduce, reduce,
      (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
       MPI_Comm comm),
      (.kind = COLL_REDUCE, .send = sendbuf, .recv = recvbuf, .recv_count = count,
       .recv_type = datatype, .op = op, .root = root, .comm = comm))
FORMS(Allreduce, allreduce,
      (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
       MPI_Comm comm),
      (.kind = COLL_ALLREDUCE, .send = sendbuf, .recv = recvbuf, .recv_count = count,
       .recv_type = datatype, .op = op, .root = -1, .comm = comm))
FORMS(Scan, scan,
      (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
       MPI_Comm comm),
      (.kind = COLL_SCAN, .send = sendbuf, .recv = recvbuf, .recv_count = count,
       .recv_type = datatype, .op = op, .root = -1, .comm = comm))
FORMS(Exscan, exscan,
      (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
       MPI_Comm comm),
      (.kind = COLL_EXSCAN, .send = sendbuf, .recv = recvbuf, .recv_count = count,
       .recv_type = datatype, .op = op, .root = -1, .comm = comm))
FORMS(Reduce_scatter, reduce_scatter,
      (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
       MPI_Comm comm),
      (.kind = COLL_REDUCE_SCATTER, .send = sendbuf, .recv = recvbuf, .recv_counts = recvcounts,
       .recv_type = datatype, .op = op, .root = -1, .comm = comm))
FORMS(Reduce_scatter_block, reduce_scatter_block,
      (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
       MPI_Comm comm),
      (.kind = COLL_REDUCE_SCATTER_BLOCK, .send = sendbuf, .recv = recvbuf, .recv_count = recvcount,
       .recv_type = datatype, .op = op, .root = -1, .comm = comm))

#define BASIC_PARAMS                                                                         \
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, \
        MPI_Datatype recvtype
#define BASIC_VALUES                                                                  \
    .send = sendbuf, .send_count = sendcount, .send_type = sendtype, .recv = recvbuf, \
    .recv_count = recvcount, .recv_type = recvtype, .comm = comm

FORMS(Gather, gather, (BASIC_PARAMS, int root, MPI_Comm comm),
      (.kind = COLL_GATHER, .root = root, BASIC_VALUES))
FORMS(Scatter, scatter, (BASIC_PARAMS, int root, MPI_Comm comm),
      (.kind = COLL_SCATTER, .root = root, BASIC_VALUES))
FORMS(Allgather, allgather, (BASIC_PARAMS, MPI_Comm comm),
      (.kind = COLL_ALLGATHER, .root = -1, BASIC_VALUES))
FORMS(Alltoall, alltoall, (BASIC_PARAMS, MPI_Comm comm),
      (.kind = COLL_ALLTOALL, .root = -1, BASIC_VALUES))
FORMS(Neighbor_allgather, neighbor_allgather, (BASIC_PARAMS, MPI_Comm comm),
      (.kind = COLL_NEIGHBOR_ALLGATHER, .root = -1, BASIC_VALUES))
FORMS(Neighbor_alltoall, neighbor_alltoall, (BASIC_PARAMS, MPI_Comm comm),
      (.kind = COLL_NEIGHBOR_ALLTOALL, .root = -1, BASIC_VALUES))

#define GATHERV_PARAMS                                                        \
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, \
        const int recvcounts[], const int displs[], MPI_Datatype recvtype
#define GATHERV_VALUES                                                                \
    .send = sendbuf, .send_count = sendcount, .send_type = sendtype, .recv = recvbuf, \
    .recv_counts = recvcounts, .recv_at = displs, .recv_type = recvtype, .comm = comm

FORMS(Gatherv, gatherv, (GATHERV_PARAMS, int root, MPI_Comm comm),
      (.kind = COLL_GATHERV, .root = root, GATHERV_VALUES))
FORMS(Allgatherv, allgatherv, (GATHERV_PARAMS, MPI_Comm comm),
      (.kind = COLL_ALLGATHERV, .root = -1, GATHERV_VALUES))
FORMS(Neighbor_allgatherv, neighbor_allgatherv, (GATHERV_PARAMS, MPI_Comm comm),
      (.kind = COLL_NEIGHBOR_ALLGATHERV, .root = -1, GATHERV_VALUES))
FORMS(Scatterv, scatterv,
      (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
       void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
      (.kind = COLL_SCATTERV, .send = sendbuf, .send_counts = sendcounts, .send_at = displs,
       .send_type = sendtype, .recv = recvbuf, .recv_count = recvcount, .recv_type = recvtype,
       .root = root, .comm = comm))

#define ALLTOALLV_PARAMS                                                                     \
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, \
        void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,   \
        MPI_Comm comm
#define ALLTOALLV_VALUES                                                                   \
    .send = sendbuf, .send_counts = sendcounts, .send_at = sdispls, .send_type = sendtype, \
    .recv = recvbuf, .recv_counts = recvcounts, .recv_at = rdispls, .recv_type = recvtype, \
    .root = -1, .comm = comm

FORMS(Alltoallv, alltoallv, (ALLTOALLV_PARAMS), (.kind = COLL_ALLTOALLV, ALLTOALLV_VALUES))
FORMS(Neighbor_alltoallv, neighbor_alltoallv, (ALLTOALLV_PARAMS),
      (.kind = COLL_NEIGHBOR_ALLTOALLV, ALLTOALLV_VALUES))
FORMS(Alltoallw, alltoallw,
      (const void *sendbuf, const int sendcounts[], const int sdispls[],
       const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
       const MPI_Datatype recvtypes[], MPI_Comm comm),
      (.kind = COLL_ALLTOALLW, .send = sendbuf, .send_counts = sendcounts, .send_at = sdispls,
       .send_types = sendtypes, .recv = recvbuf, .recv_counts = recvcounts, .recv_at = rdispls,
       .recv_types = recvtypes, .root = -1, .comm = comm))
FORMS(Neighbor_alltoallw, neighbor_alltoallw,
      (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
       const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
      (.kind = COLL_NEIGHBOR_ALLTOALLW, .send = sendbuf, .send_counts = sendcounts,
       .send_far = sdispls, .send_types = sendtypes, .recv = recvbuf, .recv_counts = recvcounts,
       .recv_far = rdispls, .recv_types = recvtypes, .root = -1, .comm = comm))
