/* MPI_Send and its relatives: argument checks, blocking and nonblocking forms, persistent requests,
 * MPI_Sendrecv. A blocking call's request is on its fiber's stack; `checked` says that nobody can
 * access its buffer meanwhile. */
#include "world/exchange/explore.h"
#include "world_newer.h"

/* Checks a tag. A tag above MPI_TAG_UB is an error if the program asked for that attribute;
 * otherwise the world reports the highest tag, as some MPI libraries do not have it. */
static int tag_check(MPI_Comm comm, int tag, bool send)
{
    int most = WORLD->options->tag_ub;
    CORE_CHECK(WORLD->tag_high >= 0 && most >= 0);
    if (tag < 0 && !(tag == MPI_ANY_TAG && !send))
        return world_error(comm, MPI_ERR_TAG, "tag %d", tag);
    if (most && tag > most && WORLD->tag_asked)
        return world_error(comm, MPI_ERR_TAG, "tag %d, and MPI_TAG_UB is %d", tag, most);
    if (tag > WORLD->tag_high)
        WORLD->tag_high = tag;
    return MPI_SUCCESS;
}

static int p2p_check(MPI_Comm comm, const void *buffer, MPI_Count count, MPI_Datatype type,
                     int peer, int tag, bool send)
{
    if (UNLIKELY(!comm))
        return world_error(NULL, MPI_ERR_COMM, "the communicator is null, freed or not one");
    if (UNLIKELY(count < 0))
        return world_error(comm, MPI_ERR_COUNT, "count %lld", (long long)count);
    int code = world_type_check(type, true);
    if (UNLIKELY(code))
        return world_error(comm, code, "the datatype is null, freed or not committed");
    if (UNLIKELY((unsigned)tag > WORLD_TAG_PROMISED) && (code = tag_check(comm, tag, send)))
        return code;
    int size = comm->remote_size ? comm->remote_size : comm->size;
    if (UNLIKELY((peer < 0 || peer >= size) && peer != MPI_PROC_NULL &&
                 !(peer == MPI_ANY_SOURCE && !send)))
        return world_error(comm, MPI_ERR_RANK, "rank %d of %d", peer, size);
    if (UNLIKELY(!buffer && count > 0 && type->predefined && peer != MPI_PROC_NULL))
        return world_error(comm, MPI_ERR_BUFFER, "the buffer is NULL and count is %lld",
                           (long long)count);
    if (UNLIKELY(buffer == MPI_IN_PLACE))
        return world_error(comm, MPI_ERR_BUFFER, "MPI_IN_PLACE is not a buffer");
    return MPI_SUCCESS;
}

int world_p2p_check(MPI_Comm comm, const void *buffer, MPI_Count count, MPI_Datatype type, int peer,
                    int tag, bool send)
{
    return p2p_check(comm, buffer, count, type, peer, tag, send);
}

static void p2p_fill(struct ompi_request_t *request, enum world_request_kind kind,
                     enum world_mode mode, const void *buffer, size_t count, MPI_Datatype type,
                     int peer, int tag, MPI_Comm comm, uint32_t context)
{
    CORE_CHECK_HOT(WORLD->fiber->rank == ME && kind <= REQUEST_RECV);
    request->handle.made_by = WORLD->fiber->call;
    request->kind = (uint8_t)kind;
    request->mode = (uint8_t)mode;
    request->active = true;
    request->complete = request->cancelled = false;
    request->owner = ME;
    request->waiter = NULL;
    request->completing = NULL;
    request->buffer = (void *)(uintptr_t)buffer;
    request->count = count;
    request->type = type;
    request->peer = peer;
    request->tag = tag;
    request->comm = comm;
    request->context = context;
    request->error = MPI_SUCCESS;
    request->late = NULL;
    request->serial = ++WORLD->serial;
    request->causes = request->done_causes = NULL;
    request->polled = request->settled = request->masked = false;
    request->id = ME->request_count++;
    request->status = (MPI_Status){.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};
}

/* Returns the send's number in the policy; each thread counts its sends from its own first number.
 * A start of a persistent send has the number of its MPI_Send_init. */
static uint32_t number_next(enum world_request_kind kind, enum world_mode mode, uint32_t context)
{
    bool inner = context & 1;
    CORE_CHECK_HOT(kind == REQUEST_SEND || mode == MODE_STANDARD);
    if (inner || mode != MODE_STANDARD)
        return 0;
    if (kind == REQUEST_RECV)
        return ++ME->named_receives;
    return decision_count_send(&WORLD->fiber->decisions);
}

static void null_peer(struct ompi_request_t *request)
{
    CORE_CHECK_HOT(request->peer == MPI_PROC_NULL);
    request->complete = true;
    request->post[0] = request->post[1] = request->done[0] = request->done[1] = 0;
    if (request->kind == REQUEST_RECV)
        request->status = (MPI_Status){.MPI_SOURCE = MPI_PROC_NULL, .MPI_TAG = MPI_ANY_TAG};
}

static void request_start(struct ompi_request_t *request)
{
    CORE_CHECK_HOT(request->kind == REQUEST_SEND || request->kind == REQUEST_RECV);
    CORE_CHECK_HOT(request->active && !request->complete && request->owner == ME);
    request->done[0] = request->done[1] = 0;
    if (world_several() && !(request->context & 1))
        world_turn_thread(request->comm, request->kind == REQUEST_SEND ? TURN_SENDS : TURN_RECEIVES,
                          request->peer, request->tag);
    if (UNLIKELY(request->peer == MPI_PROC_NULL)) {
        null_peer(request);
    } else if (request->kind == REQUEST_SEND) {
        if (!request->checked)
            request->checksum = world_type_checksum(request->buffer, request->count, request->type);
        world_send_post(request);
    } else {
        world_recv_post(request);
    }
}

int world_isend(const void *buffer, size_t count, MPI_Datatype type, int dest, int tag,
                MPI_Comm comm, uint32_t context, enum world_mode mode,
                struct ompi_request_t *request)
{
    CORE_CHECK_HOT(dest == MPI_PROC_NULL ||
                   (dest >= 0 && dest < (comm->remote_size ? comm->remote_size : comm->size)));
    p2p_fill(request, REQUEST_SEND, mode, buffer, count, type, dest, tag, comm, context);
    request->number = number_next(REQUEST_SEND, mode, context);
    request_start(request);
    return MPI_SUCCESS;
}

int world_irecv(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                uint32_t context, struct ompi_request_t *request)
{
    CORE_CHECK_HOT(source == MPI_PROC_NULL || source == MPI_ANY_SOURCE ||
                   (source >= 0 && source < (comm->remote_size ? comm->remote_size : comm->size)));
    p2p_fill(request, REQUEST_RECV, MODE_STANDARD, buffer, count, type, source, tag, comm, context);
    request->number = number_next(REQUEST_RECV, MODE_STANDARD, context);
    request_start(request);
    return MPI_SUCCESS;
}

struct ompi_request_t *world_request_new(enum world_request_kind kind)
{
    CORE_CHECK(kind != REQUEST_NONE);
    if (kind > REQUEST_RECV)
        world_states_beyond(
            "it has requests of collectives, windows or files, or generalised requests");
    struct ompi_request_t *request = world_handle_new(HANDLE_REQUEST, sizeof *request);
    request->kind = (uint8_t)kind;
    request->owner = ME;
    request->serial = ++WORLD->serial;
    return request;
}

struct ompi_request_t *world_request_helped(MPI_Comm comm)
{
    struct ompi_request_t *request = world_request_new(REQUEST_COLL);
    request->active = true;
    request->comm = comm;
    request->peer = MPI_PROC_NULL;
    request->status = (MPI_Status){.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};
    request->helped = world_zalloc(sizeof *request->helped);
    return request;
}

/* --- buffered mode ---------------------------------------------------------------------------- */

static int bsend_reserve(MPI_Comm comm, int count, MPI_Datatype type)
{
    size_t need = (size_t)count * type->size + MPI_BSEND_OVERHEAD;
    world_turn_buffer(false);
    if (!ME->bsend_buffer || need > ME->bsend_bytes)
        return world_error(comm, MPI_ERR_BUFFER, "no attached buffer with room for %zu bytes",
                           need);
    return MPI_SUCCESS;
}

int MPI_Buffer_attach(void *buffer, int size)
{
    ENTER("MPI_Buffer_attach");
    if (!buffer || size < 0)
        return world_error(NULL, MPI_ERR_ARG, "size %d", size);
    world_turn_buffer(true);
    if (ME->bsend_buffer)
        return world_error(NULL, MPI_ERR_BUFFER, "a buffer is attached already");
    ME->bsend_buffer = buffer;
    ME->bsend_bytes = buffer == MPI_BUFFER_AUTOMATIC ? SIZE_MAX : (size_t)size;
    ME->bsend_used = 0;
    ME->bsend_stays = 0;
    ME->bsend_attached++;
    return MPI_SUCCESS;
}

/* Waits for the messages that stay in the buffer. */
static void bsend_drain(void)
{
    struct world_fiber *fiber = WORLD->fiber;
    if (!ME->bsend_stays || ME->detaching)
        return;
    ME->detaching = fiber;
    fiber->why = "waits until its buffered messages are received";
    world_fiber_block();
    CORE_CHECK(!ME->bsend_stays && ME->detaching == fiber);
    fiber->why = NULL;
    ME->detaching = NULL;
}

int MPI_Buffer_detach(void *buffer, int *size)
{
    ENTER("MPI_Buffer_detach");
    if (!buffer || !size)
        return world_error(NULL, MPI_ERR_ARG, "NULL argument");
    world_turn_buffer(true);
    bsend_drain();
    if (UNLIKELY(WORLD->options->event != NULL) && ME->bsend_buffer)
        world_emit(WORLD_EVENT_DETACH, -1, 0, 0, 0, -1, false);
    *(void **)buffer = ME->bsend_buffer;
    const bool automatic = ME->bsend_buffer == MPI_BUFFER_AUTOMATIC;
    CORE_CHECK(automatic || ME->bsend_bytes <= INT32_MAX); /* the program attached it with an int */
    *size = automatic ? 0 : (int)ME->bsend_bytes;
    ME->bsend_buffer = NULL;
    return MPI_SUCCESS;
}

/* --- blocking --------------------------------------------------------------------------------- */

static int blocking_send(const char *call, const void *buffer, int count, MPI_Datatype type,
                         int dest, int tag, MPI_Comm handle, enum world_mode mode)
{
    ENTER(call);
    MPI_Comm comm = comm_of(handle);
    int code = p2p_check(comm, buffer, count, type, dest, tag, true);
    if (UNLIKELY(code))
        return code;
    if (UNLIKELY(mode == MODE_BUFFERED) && dest != MPI_PROC_NULL &&
        (code = bsend_reserve(comm, count, type)))
        return code;
    CALL_USES(NULL, NULL, NULL);
    struct ompi_request_t here, *request = world_request_local(&here);
    world_isend(buffer, (size_t)count, type, dest, tag, comm, comm->context, mode, request);
    if (!request->complete)
        world_request_wait(request);
    world_request_finish(request);
    world_request_local_end(request);
    return MPI_SUCCESS;
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return blocking_send("MPI_Send", buf, count, datatype, dest, tag, comm, MODE_STANDARD);
}

int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return blocking_send("MPI_Ssend", buf, count, datatype, dest, tag, comm, MODE_SYNCHRONOUS);
}

int MPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return blocking_send("MPI_Bsend", buf, count, datatype, dest, tag, comm, MODE_BUFFERED);
}

int MPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return blocking_send("MPI_Rsend", buf, count, datatype, dest, tag, comm, MODE_READY);
}

static int p2p_truncated(const struct ompi_request_t *request)
{
    CORE_CHECK(request->kind == REQUEST_RECV && request->error == MPI_ERR_TRUNCATE);
    return world_error(request->comm, MPI_ERR_TRUNCATE,
                       "a message of %zu bytes from rank %d, tag %d, for a receive of %zu",
                       (size_t)request->status._ucount, request->status.MPI_SOURCE,
                       request->status.MPI_TAG, request->count * request->type->size);
}

static int blocking_finish(struct ompi_request_t *request, MPI_Status *status)
{
    CORE_CHECK_HOT(request->kind == REQUEST_RECV);
    if (!request->complete)
        world_request_wait(request);
    world_request_finish(request);
    if (status) { /* calls that complete one message leave MPI_ERROR unchanged */
        status->MPI_SOURCE = request->status.MPI_SOURCE;
        status->MPI_TAG = request->status.MPI_TAG;
        status->_ucount = request->status._ucount;
        status->_cancelled = 0;
    }
    return UNLIKELY(request->error) ? p2p_truncated(request) : MPI_SUCCESS;
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm handle,
             MPI_Status *status)
{
    ENTER("MPI_Recv");
    MPI_Comm comm = comm_of(handle);
    int code = p2p_check(comm, buf, count, datatype, source, tag, false);
    if (UNLIKELY(code))
        return code;
    CALL_USES(status, NULL, status);
    struct ompi_request_t here, *request = world_request_local(&here);
    world_irecv(buf, (size_t)count, datatype, source, tag, comm, comm->context, request);
    code = blocking_finish(request, status);
    world_request_local_end(request);
    return code;
}

static int p2p_sendrecv(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype, int dest,
                        int sendtag, void *recvbuf, size_t recvcount, MPI_Datatype recvtype,
                        int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    CALL_USES(status, NULL, status);
    struct ompi_request_t here[2];
    struct ompi_request_t *send = world_request_local(&here[0]);
    struct ompi_request_t *recv = world_request_local(&here[1]);
    world_irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, comm->context, recv);
    world_isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, comm->context, MODE_STANDARD,
                send);
    if (!send->complete)
        world_request_wait(send);
    int code = blocking_finish(recv, status);
    world_request_finish(send);
    world_request_local_end(recv);
    world_request_local_end(send);
    return code;
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm handle, MPI_Status *status)
{
    ENTER("MPI_Sendrecv");
    MPI_Comm comm = comm_of(handle);
    int code = p2p_check(comm, sendbuf, sendcount, sendtype, dest, sendtag, true);
    if (LIKELY(!code))
        code = p2p_check(comm, recvbuf, recvcount, recvtype, source, recvtag, false);
    if (UNLIKELY(code))
        return code;
    return p2p_sendrecv(sendbuf, (size_t)sendcount, sendtype, dest, sendtag, recvbuf,
                        (size_t)recvcount, recvtype, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm handle, MPI_Status *status)
{
    ENTER("MPI_Sendrecv_replace");
    MPI_Comm comm = comm_of(handle);
    int code = p2p_check(comm, buf, count, datatype, dest, sendtag, true);
    if (LIKELY(!code))
        code = p2p_check(comm, buf, count, datatype, source, recvtag, false);
    if (UNLIKELY(code))
        return code;
    size_t bytes = (size_t)count * datatype->size;
    uint8_t *packed = world_alloc(bytes + 1);
    world_type_pack(packed, bytes, buf, (size_t)count, datatype);
    return p2p_sendrecv(packed, bytes, MPI_PACKED, dest, sendtag, buf, (size_t)count, datatype,
                        source, recvtag, comm, status);
}

/* --- nonblocking ------------------------------------------------------------------------------ */

static int nonblocking(const char *call, enum world_request_kind kind, const void *buffer,
                       int count, MPI_Datatype type, int peer, int tag, MPI_Comm handle,
                       enum world_mode mode, bool persistent, MPI_Request *out_request)
{
    ENTER(call);
    MPI_Comm comm = comm_of(handle);
    int code = p2p_check(comm, buffer, count, type, peer, tag, kind == REQUEST_SEND);
    if (UNLIKELY(code))
        return code;
    if (UNLIKELY(!out_request))
        return world_error(comm, MPI_ERR_REQUEST, "the request is NULL");
    if (mode == MODE_BUFFERED && !persistent && peer != MPI_PROC_NULL &&
        (code = bsend_reserve(comm, count, type)))
        return code;
    CALL_USES(NULL, NULL, out_request);
    struct ompi_request_t *request = world_request_new(kind);
    p2p_fill(request, kind, mode, buffer, (size_t)count, type, peer, tag, comm, comm->context);
    request->number = number_next(kind, mode, comm->context);
    if (persistent) {
        request->persistent = true;
        request->active = false;
        request->complete = true;
    } else {
        request_start(request);
    }
    *out_request = request;
    return MPI_SUCCESS;
}

#define SEND_FORMS(name, mode)                                                                 \
    int MPI_I##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,      \
                    MPI_Comm comm, MPI_Request *request)                                       \
    {                                                                                          \
        return nonblocking("MPI_I" #name, REQUEST_SEND, buf, count, datatype, dest, tag, comm, \
                           mode, false, request);                                              \
    }

SEND_FORMS(send, MODE_STANDARD)
SEND_FORMS(ssend, MODE_SYNCHRONOUS)
SEND_FORMS(bsend, MODE_BUFFERED)
SEND_FORMS(rsend, MODE_READY)

#define INIT_FORMS(name, mode)                                                                  \
    int MPI_##name##_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, \
                          MPI_Comm comm, MPI_Request *request)                                  \
    {                                                                                           \
        return nonblocking("MPI_" #name "_init", REQUEST_SEND, buf, count, datatype, dest, tag, \
                           comm, mode, true, request);                                          \
    }

INIT_FORMS(Send, MODE_STANDARD)
INIT_FORMS(Ssend, MODE_SYNCHRONOUS)
INIT_FORMS(Bsend, MODE_BUFFERED)
INIT_FORMS(Rsend, MODE_READY)

int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return nonblocking("MPI_Irecv", REQUEST_RECV, buf, count, datatype, source, tag, comm,
                       MODE_STANDARD, false, request);
}

int MPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    return nonblocking("MPI_Recv_init", REQUEST_RECV, buf, count, datatype, source, tag, comm,
                       MODE_STANDARD, true, request);
}

/* --- a send and a receive as one request ------------------------------------------------------ */

/* Waits for all parts; the request gets the status of the first. */
static void parts_body(struct world_fiber *fiber)
{
    struct ompi_request_t *request = fiber->argument;
    CORE_CHECK(request->helped->part_count > 0 && !fiber->is_rank);
    fiber->call = request->handle.made_by;
    world_gate_need(GATE_BEGUN, fiber->helper, ME->rank, 0);
    for (int i = 0; i < request->helped->part_count; i++) {
        struct ompi_request_t *part = request->helped->part[i];
        if (!part->complete)
            world_request_wait(part);
        world_request_finish(part);
        part->active = false;
    }
    if (request->helped->part[0]->kind == REQUEST_RECV) {
        request->status = request->helped->part[0]->status;
        request->error = request->helped->part[0]->error;
    }
    world_gate_give(GATE_ENDED, fiber->helper, ME->rank, 0);
    world_request_complete(request);
}

void world_parts_start(struct ompi_request_t *request)
{
    CORE_CHECK(request->active && request->helped->part_count > 0);
    world_helper_start(request, parts_body, request);
}

static int parts_sendrecv(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype, int dest,
                          int sendtag, void *recvbuf, size_t recvcount, MPI_Datatype recvtype,
                          int source, int recvtag, MPI_Comm comm, MPI_Request *out_request)
{
    CORE_CHECK(!world_type_check(sendtype, true) && !world_type_check(recvtype, true));
    struct ompi_request_t *both = world_zalloc(2 * sizeof *both);
    world_irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, comm->context, &both[0]);
    world_isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, comm->context, MODE_STANDARD,
                &both[1]);
    struct ompi_request_t *request = world_request_helped(comm);
    request->helped->part = world_alloc(2 * sizeof(struct ompi_request_t *));
    request->helped->part_count = 2;
    for (int i = 0; i < 2; i++)
        request->helped->part[i] = &both[i];
    request->buffer = recvbuf;
    request->count = recvcount;
    request->type = recvtype;
    world_parts_start(request);
    *out_request = request;
    return MPI_SUCCESS;
}

int MPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm handle, MPI_Request *request)
{
    ENTER("MPI_Isendrecv");
    MPI_Comm comm = comm_of(handle);
    int code = p2p_check(comm, sendbuf, sendcount, sendtype, dest, sendtag, true);
    if (!code)
        code = p2p_check(comm, recvbuf, recvcount, recvtype, source, recvtag, false);
    if (code)
        return code;
    return parts_sendrecv(sendbuf, (size_t)sendcount, sendtype, dest, sendtag, recvbuf,
                          (size_t)recvcount, recvtype, source, recvtag, comm, request);
}

int MPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm handle, MPI_Request *request)
{
    ENTER("MPI_Isendrecv_replace");
    MPI_Comm comm = comm_of(handle);
    int code = p2p_check(comm, buf, count, datatype, dest, sendtag, true);
    if (!code)
        code = p2p_check(comm, buf, count, datatype, source, recvtag, false);
    if (code)
        return code;
    size_t bytes = (size_t)count * datatype->size;
    uint8_t *packed = world_alloc(bytes + 1);
    world_type_pack(packed, bytes, buf, (size_t)count, datatype);
    return parts_sendrecv(packed, bytes, MPI_PACKED, dest, sendtag, buf, (size_t)count, datatype,
                          source, recvtag, comm, request);
}

/* --- starts ----------------------------------------------------------------------------------- */

static int p2p_start(struct ompi_request_t *request)
{
    if (!handle_good(request, HANDLE_REQUEST) || !request->persistent || request->freed)
        return world_error(NULL, MPI_ERR_REQUEST, "not a persistent request");
    if (request->active)
        return world_error(request->comm, MPI_ERR_REQUEST, "the request is active already");
    if (request->kind == REQUEST_COLL) {
        request->active = true;
        request->complete = request->cancelled = request->seen = false;
        request->error = MPI_SUCCESS;
        request->serial = ++WORLD->serial;
        request->causes = request->done_causes = NULL;
        if (request->helped->partitions)
            world_partitions_start(request);
        else
            world_coll_start(request);
        return MPI_SUCCESS;
    }
    p2p_fill(request, request->kind, request->mode, request->buffer, request->count, request->type,
             request->peer, request->tag, request->comm, request->context);
    request_start(request);
    return MPI_SUCCESS;
}

int MPI_Start(MPI_Request *request)
{
    ENTER("MPI_Start");
    CALL_USES(NULL, NULL, request);
    return p2p_start(*request);
}

int MPI_Startall(int count, MPI_Request array_of_requests[])
{
    ENTER("MPI_Startall");
    CALL_USES(NULL, NULL, array_of_requests, (const void *)(uintptr_t)count);
    for (int i = 0; i < count; i++) {
        int code = p2p_start(array_of_requests[i]);
        if (code)
            return code;
    }
    return MPI_SUCCESS;
}
