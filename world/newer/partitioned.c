/* Partitioned sends and receives: a persistent exchange whose data become ready part by part.
 *
 * The n-th MPI_Psend_init and the n-th MPI_Precv_init of two ranks with one communicator and tag
 * make a channel. Each partition of the send is a message of its own, with a tag that no other
 * channel of the sender has; the receiver expects all of them once the channel has its sender.
 *
 *   sender: 4 partitions of 3 bytes    receiver: 2 of 6; its partition 0 has arrived when messages
 *                                      0 and 1 have, in any order.
 *
 * A partition that has arrived reaches the receiver's buffer as late as MPI allows: when
 * MPI_Parrived says that it is there, or with the end of the wait.
 *
 * Invariants: 1. A channel has each side once. 2. A partition is sent once in each start. */
#include "world/exchange/explore.h"
#include "world_newer.h"

/* Added to the context of a communicator; odd: the program has not given the tags. */
enum { PARTITIONS = 0x20000001 };

static const char NOT_THERE[] = "waits for partitions that have not arrived";
static const char NOT_READY[] = "waits for partitions that are not ready";

struct world_channel {
    struct world_channel *next;
    uint32_t context;
    int from, to, tag; /* world ranks */
    bool sends, receives;
    int tag_first, partitions;
    size_t bytes; /* of a partition of the sender */
    const struct world_causes *causes;
    struct world_fiber *waiter; /* the receiver, for the sender */
};

struct world_partitions {
    struct world_deferred deferred; /* of a receive: the data reach the buffer last */
    bool send;
    int count; /* partitions */
    size_t elements;
    MPI_Datatype type;
    uint8_t *buffer;
    int peer;
    struct world_channel *channel; /* NULL: no peer */
    bool *ready;                   /* of a send */
    int ready_count;
    uint8_t *packed;                 /* of a receive: what has arrived */
    struct ompi_request_t **arrived; /* of a receive: each is complete with its partition */
};

/* --- channels --------------------------------------------------------------------------------- */

static struct world_channel *channel_find(MPI_Comm comm, int peer, int tag, bool send)
{
    CORE_CHECK(peer >= 0 && !comm->remote_size); /* wildcards are refused */
    const int other = world_peer(comm, peer);
    const int from = send ? ME->rank : other, to = send ? other : ME->rank;
    struct world_channel **link = &WORLD->channels;
    for (; *link; link = &(*link)->next)
        if ((*link)->context == comm->context && (*link)->from == from && (*link)->to == to &&
            (*link)->tag == tag && !(send ? (*link)->sends : (*link)->receives))
            break;
    if (!*link) {
        *link = world_zalloc(sizeof **link);
        (*link)->context = comm->context;
        (*link)->from = from;
        (*link)->to = to;
        (*link)->tag = tag;
    }
    CORE_CHECK(!(send ? (*link)->sends : (*link)->receives)); /* invariant 1 */
    *(send ? &(*link)->sends : &(*link)->receives) = true;
    return *link;
}

static void channel_open(struct world_channel *channel, const struct world_partitions *p)
{
    CORE_CHECK(p->send && p->count > 0 && !channel->partitions);
    channel->partitions = p->count;
    channel->bytes = p->elements * p->type->size;
    channel->tag_first = world_extra()->partition_count;
    world_extra()->partition_count += p->count;
    channel->causes = WORLD->fiber->causes;
    world_gate_give(GATE_CHANNEL, channel->context, ME->rank, channel->tag_first);
    if (channel->waiter)
        world_fiber_ready(channel->waiter);
    channel->waiter = NULL;
}

/* Waits until the channel has its sender. */
static void channel_await(struct world_channel *channel)
{
    struct world_fiber *fiber = WORLD->fiber;
    if (!channel->sends) {
        channel->waiter = fiber;
        fiber->why = NOT_THERE;
        world_fiber_block();
        fiber->why = NULL;
        CORE_CHECK(channel->sends && !channel->waiter);
    }
    if (UNLIKELY(WORLD->explore != NULL))
        fiber->causes = world_causes_join(fiber->causes, channel->causes);
    CORE_CHECK(channel->partitions > 0);
    world_gate_need(GATE_CHANNEL, channel->context, channel->from, channel->tag_first);
}

/* --- the receiving side ----------------------------------------------------------------------- */

static bool partition_covers(const struct world_partitions *p, int partition, int message)
{
    CORE_CHECK(partition < p->count && message < p->channel->partitions);
    const size_t own = p->elements * p->type->size, theirs = p->channel->bytes;
    const size_t from = (size_t)partition * own, to = from + own;
    const size_t first = (size_t)message * theirs, last = first + theirs;
    return first < to && last > from;
}

/* Puts a partition into the receiver's buffer. */
static void arrived_deliver(const struct world_partitions *p, int partition)
{
    const size_t own = p->elements * p->type->size;
    const size_t room = p->channel->bytes * (size_t)p->channel->partitions;
    CORE_CHECK(!p->send && partition < p->count && p->packed);
    const size_t at = (size_t)partition * own;
    const size_t bytes = at >= room ? 0 : room - at < own ? room - at : own;
    world_type_unpack(p->buffer +
                          (ptrdiff_t)(p->elements * (size_t)partition) * type_extent(p->type),
                      p->elements, p->type, p->packed + at, bytes);
}

static void arrived_finish(struct ompi_request_t *request, struct world_deferred *self)
{
    const struct world_partitions *p = (const struct world_partitions *)(const void *)self;
    CORE_CHECK(request->helped->partitions == p && request->complete);
    for (int i = 0; i < p->count; i++)
        if (!p->arrived[i]->seen)
            arrived_deliver(p, i);
}

/* Completes each partition whose last message is this one. */
static void arrived_with(const struct world_partitions *p, const bool *there, int message)
{
    CORE_CHECK(message < 0 || there[message]);
    for (int i = 0; i < p->count; i++) {
        bool all = !p->arrived[i]->complete && (partition_covers(p, i, message) || message < 0);
        for (int m = 0; all && m < p->channel->partitions; m++)
            all = there[m] || !partition_covers(p, i, m);
        if (all)
            world_request_complete(p->arrived[i]);
    }
}

static void receive_body(struct world_fiber *fiber)
{
    struct ompi_request_t *request = fiber->argument;
    struct world_partitions *p = request->helped->partitions;
    CORE_CHECK(!p->send && !fiber->is_rank);
    fiber->call = request->handle.made_by;
    world_gate_need(GATE_BEGUN, fiber->helper, ME->rank, 0);
    channel_await(p->channel);
    const int count = p->channel->partitions;
    const size_t bytes = p->channel->bytes;
    const size_t all = bytes * (size_t)count, room = p->elements * p->type->size * (size_t)p->count;
    if (all > room) {
        world_found(WORLD_RULE_TRUNCATION, ME->rank,
                    "MPI_ERR_TRUNCATE in %s: %d partitions of %zu bytes from rank %d, tag %d, for "
                    "a receive of %zu bytes",
                    fiber->call, count, bytes, p->channel->from, p->channel->tag, room);
        world_end_job();
    }
    struct ompi_request_t *part = world_zalloc((size_t)count * sizeof *part);
    bool *there = world_zalloc((size_t)count * sizeof *there + 1);
    struct ompi_request_t **list = world_alloc(((size_t)count + 1) * sizeof *list);
    p->packed = world_alloc(all + 1);
    for (int i = 0; i < count; i++) {
        list[i] = &part[i];
        part[i].checked = true;
        world_irecv(p->packed + (size_t)i * bytes, bytes, MPI_BYTE, p->peer,
                    p->channel->tag_first + i, request->comm, request->comm->context + PARTITIONS,
                    &part[i]);
    }
    request->helped->part = list;
    request->helped->part_count = count;
    for (int left = count; left > 0;) {
        int done = -1;
        for (int i = 0; i < count && done < 0; i++)
            if (!there[i] && part[i].complete)
                done = i;
        if (done < 0) { /* waits for any of them */
            for (int i = 0; i < count; i++)
                if (!there[i])
                    part[i].waiter = fiber;
            fiber->waiting = 1;
            for (int i = 0; i < count; i++)
                if (!there[i]) {
                    world_wait_describe(&part[i]);
                    break;
                }
            world_fiber_block();
            fiber->why = NULL;
            for (int i = 0; i < count; i++)
                part[i].waiter = NULL;
            continue;
        }
        world_request_finish(&part[done]);
        part[done].active = false;
        there[done] = true;
        left--;
        arrived_with(p, there, done);
    }
    arrived_with(p, there, -1); /* those beyond what is sent */
    request->helped->part_count = 0;
    p->deferred.finish = arrived_finish;
    request->deferred = &p->deferred;
    request->late = p->packed;
    world_gate_give(GATE_ENDED, fiber->helper, ME->rank, 0);
    world_request_complete(request);
}

static void receive_start(struct ompi_request_t *request)
{
    struct world_partitions *p = request->helped->partitions;
    CORE_CHECK(!p->send && p->channel->receives);
    for (int i = 0; i < p->count; i++) {
        struct ompi_request_t *arrived = p->arrived[i];
        arrived->complete = arrived->seen = false;
        arrived->active = true;
        arrived->serial = ++WORLD->serial;
        arrived->causes = arrived->done_causes = NULL;
    }
    world_helper_start(request, receive_body, request);
}

/* --- both sides ------------------------------------------------------------------------------- */

void world_partitions_start(struct ompi_request_t *request)
{
    struct world_partitions *p = request->helped->partitions;
    CORE_CHECK(request->active && !request->complete);
    if (!p->channel) {
        CORE_CHECK(p->peer == MPI_PROC_NULL);
        request->complete = true;
        request->status = (MPI_Status){.MPI_SOURCE = MPI_PROC_NULL, .MPI_TAG = MPI_ANY_TAG};
        return;
    }
    if (!p->send) {
        receive_start(request);
        return;
    }
    memset(p->ready, 0, (size_t)p->count * sizeof *p->ready);
    p->ready_count = 0;
}

static int partitions_init(const char *call, const void *buffer, int count, MPI_Count elements,
                           MPI_Datatype type, int peer, int tag, MPI_Comm handle, bool send,
                           MPI_Request *out_request)
{
    ENTER(call);
    MPI_Comm comm = comm_of(handle);
    int code = world_p2p_check(comm, buffer, elements, type, peer, tag, true);
    if (code)
        return code;
    if (count <= 0)
        return world_error(comm, MPI_ERR_ARG, "%d partitions", count);
    if (comm->remote_size)
        return world_error(comm, MPI_ERR_COMM, "an intercommunicator");
    struct ompi_request_t *request = world_request_helped(comm);
    struct world_partitions *p = world_zalloc(sizeof *p);
    *p = (struct world_partitions){.send = send,
                                   .count = count,
                                   .elements = (size_t)elements,
                                   .type = type,
                                   .buffer = (uint8_t *)(uintptr_t)buffer,
                                   .peer = peer};
    if (peer != MPI_PROC_NULL)
        p->channel = channel_find(comm, peer, tag, send);
    if (send) {
        p->ready = world_zalloc((size_t)count * sizeof *p->ready);
        request->helped->part = world_alloc((size_t)count * sizeof *request->helped->part);
        struct ompi_request_t *part = world_zalloc((size_t)count * sizeof *part);
        for (int i = 0; i < count; i++)
            request->helped->part[i] = &part[i];
        if (p->channel)
            channel_open(p->channel, p);
    } else {
        p->arrived = world_alloc((size_t)count * sizeof *p->arrived);
        for (int i = 0; i < count; i++) {
            p->arrived[i] = world_request_helped(comm);
            p->arrived[i]->freed = p->arrived[i]->complete = true; /* the program has no handle */
            p->arrived[i]->active = false;
        }
    }
    request->helped->partitions = p;
    request->helped->waits = send ? NOT_READY : NOT_THERE;
    request->persistent = request->complete = true;
    request->active = false;
    *out_request = request;
    return MPI_SUCCESS;
}

int MPI_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                   int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return partitions_init("MPI_Psend_init", buf, partitions, count, datatype, dest, tag, comm,
                           true, request);
}

int MPI_Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return partitions_init("MPI_Precv_init", buf, partitions, count, datatype, source, tag, comm,
                           false, request);
}

/* Returns NULL if the request is none of that side. */
static struct world_partitions *partitions_of(const struct ompi_request_t *request, bool send)
{
    struct world_partitions *p = handle_good(request, HANDLE_REQUEST) && request->helped
                                     ? request->helped->partitions
                                     : NULL;
    CORE_CHECK(!p || request->persistent);
    return p && p->send == send ? p : NULL;
}

static int ready_one(struct ompi_request_t *request, int partition)
{
    struct world_partitions *p = partitions_of(request, true);
    if (!p)
        return world_error(NULL, MPI_ERR_REQUEST, "not a request of MPI_Psend_init");
    if (!request->active)
        return world_error(request->comm, MPI_ERR_REQUEST, "the request is not started");
    if (partition < 0 || partition >= p->count)
        return world_error(request->comm, MPI_ERR_ARG, "partition %d of %d", partition, p->count);
    if (!p->channel)
        return MPI_SUCCESS;
    if (p->ready[partition])
        return world_error(request->comm, MPI_ERR_ARG, "partition %d is ready already", partition);
    CORE_CHECK(p->ready_count < p->count && p->channel->sends); /* invariant 2 */
    p->ready[partition] = true;
    const size_t before = p->elements * (size_t)partition;
    struct ompi_request_t *part = request->helped->part[partition];
    part->persistent = part->freed = part->checked = false;
    world_isend(p->buffer + (ptrdiff_t)before * type_extent(p->type), p->elements, p->type, p->peer,
                p->channel->tag_first + partition, request->comm,
                request->comm->context + PARTITIONS, MODE_STANDARD, part);
    if (++p->ready_count == p->count) {
        request->helped->part_count = p->count;
        world_parts_start(request);
    }
    return MPI_SUCCESS;
}

int MPI_Pready(int partition, MPI_Request request)
{
    ENTER("MPI_Pready");
    return ready_one(request, partition);
}

int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request)
{
    ENTER("MPI_Pready_range");
    int code = MPI_SUCCESS;
    for (int i = partition_low; i <= partition_high && !code; i++)
        code = ready_one(request, i);
    return code;
}

#if OMPI_MAJOR_VERSION >= 5 /* its mpi.h has no const there */
int MPI_Pready_list(int length, int array_of_partitions[], MPI_Request request)
#else
int MPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request)
#endif
{
    ENTER("MPI_Pready_list");
    int code = MPI_SUCCESS;
    for (int i = 0; i < length && !code; i++)
        code = ready_one(request, array_of_partitions[i]);
    return code;
}

int MPI_Parrived(MPI_Request request, int partition, int *flag)
{
    ENTER("MPI_Parrived");
    *flag = 1;
    if (request == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    const struct world_partitions *p = partitions_of(request, false);
    if (!p)
        return world_error(NULL, MPI_ERR_REQUEST, "not a request of MPI_Precv_init");
    if (partition < 0 || partition >= p->count)
        return world_error(request->comm, MPI_ERR_ARG, "partition %d of %d", partition, p->count);
    if (!request->active || !p->channel || p->arrived[partition]->seen)
        return MPI_SUCCESS;
    *flag = world_request_look(p->arrived[partition]);
    if (*flag)
        arrived_deliver(p, partition);
    return MPI_SUCCESS;
}
