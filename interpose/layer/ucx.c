/* The library layer for MPICH over UCX: records the messages inside its collectives (transport.h).
 *
 * The library's own calls of UCX's tagged operations are bound to functions here. In the 64 bits of
 * a tag MPICH keeps a context (16 bits), the sender's rank (16) and a tag. An endpoint is made for
 * an address.
 *
 * The library waits by making progress; the layer cannot see whether it waits for an operation that
 * completed at once. So the layer reports a receive that completed at once (its message had
 * arrived) to the library at its next progress, as UCX may do: if the library sends before it
 * waits, the record shows this order. A send that completed at once is recorded as completed then.
 *
 *  1. UCX gets the library's arguments, except for the callback; the layer's callback calls the
 *     library's with its usual arguments. */
#include "interpose/layer/ucx.h"

#include <stdlib.h>
#include <string.h>

#include "interpose/entry/body.h"
#include "interpose/layer/transport.h"
#include "interpose/recorder.h"

static struct {
    ucx_send_fn send, send_sync;
    ucx_receive_fn receive;
    ucx_connect_fn connect;
    ucx_address_fn address;
    ucx_type_fn type;
    ucx_progress_fn progress;
} ucx; /* UCX's own functions */
static bool used;

/* --- tags and partners ------------------------------------------------------------------------ */

enum { CONTEXT_SHIFT = 48, SOURCE_SHIFT = 32, FIELD_MASK = 0xffff, TAG_MASK = 0x3fffffff };

static uint32_t context_of(uint64_t bits)
{
    return (uint32_t)(bits >> CONTEXT_SHIFT);
}

static int32_t source_of(uint64_t bits)
{
    return (int32_t)(bits >> SOURCE_SHIFT & FIELD_MASK);
}

static uint32_t tag_of(uint64_t bits)
{
    return (uint32_t)bits & TAG_MASK;
}

/* Returns false if the message is not recorded, as are those in a part of a communicator: its ranks
 * have other numbers. */
static bool call_of(struct lane *lane, uint64_t bits, struct transport_call *out)
{
    if (context_of(bits) & TRANSPORT_PART) {
        transport_lose();
        return false;
    }
    return transport_call_of(lane, context_of(bits), tag_of(bits), out);
}

enum { ADDRESS_BYTES = 16 }; /* the first bytes differ between workers */

static int8_t ucx_address(void *worker, void **out, size_t *out_bytes)
{
    int8_t status = ucx.address(worker, out, out_bytes);

    if (status == UCX_OK && *out_bytes >= ADDRESS_BYTES)
        transport_address(*out, ADDRESS_BYTES);
    return status;
}

static int8_t ucx_connect(void *worker, const struct ucx_endpoint *parameters, void **out)
{
    int8_t status = ucx.connect(worker, parameters, out);

    if (status == UCX_OK && parameters->fields & 1) {
        transport_partner((uintptr_t)*out, parameters->address, ADDRESS_BYTES);
        used = true;
    }
    return status;
}

/* --- operations ------------------------------------------------------------------------------- */

/* An incomplete operation: the arguments of its callback, and its record. */
struct operation {
    union {
        ucx_sent_fn sent;
        ucx_received_fn received;
        struct operation *next;
    } call;
    void *context;
    uint64_t parent;
    uint32_t id;
};
static struct operation *unused;

static __thread struct {
    struct operation *operation; /* the operation that is being started; NULL: none */
    void *worker;
} receiving __attribute__((tls_model("initial-exec")));
static struct early { /* operations that completed while they were started */
    void *worker, *request;
    struct operation *operation;
    struct ucx_received received;
    struct early *next;
    int8_t status;
} * early, **early_last = &early;
static _Atomic uint32_t early_count;

static struct operation *operation_new(void)
{
    recorder_lock();
    struct operation *o = unused;
    if (o)
        unused = o->call.next;
    recorder_unlock();
    return o ? o : malloc(sizeof *o);
}

static void operation_free(struct operation *o)
{
    recorder_lock();
    o->call.next = unused;
    unused = o;
    recorder_unlock();
}

static struct lane *ucx_lane(uint64_t bits)
{
    return transport_lane(context_of(bits));
}

static void ucx_completed(const struct operation *o, int8_t status,
                          const struct ucx_received *received)
{
    struct transport_message message;

    if (received)
        message = (struct transport_message){source_of(received->tag), tag_of(received->tag),
                                             received->bytes};
    transport_complete(UCX_COMPLETE, o->parent, o->id, status == UCX_CANCELLED,
                       received ? &message : NULL);
}

static bool early_add(void *request, int8_t status, const struct ucx_received *received,
                      struct operation *o)
{
    struct early *e = malloc(sizeof *e);
    if (!e)
        return false;
    *e = (struct early){receiving.worker,
                        request,
                        o,
                        received ? *received : (struct ucx_received){0},
                        NULL,
                        status};
    recorder_lock();
    *early_last = e;
    early_last = &e->next;
    early_count++;
    recorder_unlock();
    return true;
}

static void ucx_sent(void *request, int8_t status, void *context)
{
    struct operation own = *(struct operation *)context;
    operation_free(context);
    ucx_completed(&own, status, NULL);
    own.call.sent(request, status, own.context); /* invariant 1 */
}

static void ucx_received(void *request, int8_t status, const struct ucx_received *received,
                         void *context)
{
    struct operation own = *(struct operation *)context;
    if (receiving.operation == context && early_add(request, status, received, context))
        return;
    operation_free(context);
    ucx_completed(&own, status, received);
    own.call.received(request, status, received, own.context);
}

/* Takes the oldest operation of a worker; NULL: none. The library's locks guard all use of a
 * worker. */
static struct early *early_take(const void *worker)
{
    struct early **at = &early, *e = NULL;

    recorder_lock();
    while (*at && (*at)->worker != worker)
        at = &(*at)->next;
    if (*at) {
        e = *at;
        *at = e->next;
        if (!e->next)
            early_last = at;
        early_count--;
    }
    recorder_unlock();
    return e;
}

static unsigned ucx_progress(void *worker)
{
    unsigned polled = 0;

    transport_progress();
    while (UNLIKELY(early_count)) {
        struct early *e = early_take(worker);
        if (!e)
            break;
        ucx_received(e->request, e->status, &e->received, e->operation);
        free(e);
        polled++;
    }
    return polled + ucx.progress(worker);
}

/* The size of a message with a generic datatype: UCX asks the library's function for it, with a
 * state that only a message may have; the answer is kept. */
static size_t (*packed_bytes)(void *state);
static __thread size_t packed __attribute__((tls_model("initial-exec")));

static size_t packed_asked(void *state)
{
    return packed = packed_bytes(state);
}

static int8_t ucx_type(const struct ucx_functions *functions, void *context, uint64_t *out)
{
    struct ucx_functions own = *functions;

    if (packed_bytes && packed_bytes != own.packed_bytes)
        return ucx.type(functions, context, out);
    packed_bytes = own.packed_bytes;
    own.packed_bytes = packed_asked;
    return ucx.type(&own, context, out);
}

static size_t parts_bytes(const struct ucx_part *part, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += part[i].bytes;
    return bytes;
}

/* Returns the bytes of a message; for a generic type those that UCX asked for since `packed` was
 * SIZE_MAX. */
static size_t ucx_bytes(const struct ucx_parameters *parameters, const void *buf, size_t count)
{
    uint64_t type = parameters->fields & UCX_TYPE ? parameters->type : 1 << UCX_CLASS_BITS;
    unsigned class = type & ((1 << UCX_CLASS_BITS) - 1);

    return class == UCX_CLASS_PLAIN   ? count * (type >> UCX_CLASS_BITS)
           : class == UCX_CLASS_PARTS ? parts_bytes(buf, count)
                                      : packed;
}

/* Returns the parameters with the operation as the callback's argument; the caller sets the
 * callback. */
static struct ucx_parameters
operation_begin(struct operation *o, const struct ucx_parameters *parameters, uint64_t parent)
{
    struct ucx_parameters own = *parameters;

    *o = (struct operation){.context = own.fields & UCX_CONTEXT ? own.context : NULL,
                            .parent = parent,
                            .id = recorder_request_id()};
    own.fields |= UCX_CONTEXT;
    own.context = o;
    return own;
}

static __attribute__((noinline)) void *inner_send(struct lane *lane, ucx_send_fn real,
                                                  unsigned call, void *endpoint, const void *buf,
                                                  size_t count, uint64_t tag,
                                                  const struct ucx_parameters *parameters)
{
    struct transport_call of;
    bool known = call_of(lane, tag, &of);
    int32_t world = known ? transport_rank((uintptr_t)endpoint) : -1;
    /* Ignores a library that was built with other widths of these fields. */
    if (world >= 0 && source_of(tag) != recorder_comm_own(lane, of.comm))
        world = -1;
    int dest = world >= 0 ? recorder_comm_rank_of(lane, of.comm, world) : -1;
    struct operation *o = dest >= 0 && parameters->fields & UCX_CALLBACK ? operation_new() : NULL;

    if (!o) {
        if (known)
            transport_lose();
        return real(endpoint, buf, count, tag, parameters);
    }
    struct ucx_parameters own = operation_begin(o, parameters, of.seq);
    o->call.sent = own.call.sent;
    own.call.sent = ucx_sent;
    struct spool_event *e = transport_enter(lane, call, &of, dest, o->id);
    packed = SIZE_MAX;
    uint32_t id = o->id;
    void *request = real(endpoint, buf, count, tag, &own);
    recorder_back(e);
    bool complete = !request || ucx_is_error(request); /* no callback follows */
    transport_leave(lane, e, ucx_bytes(parameters, buf, count));
    if (complete) {
        transport_sent(UCX_COMPLETE, of.seq, id);
        operation_free(o);
    }
    return request;
}

static void *ucx_send(void *endpoint, const void *buf, size_t count, uint64_t tag,
                      const struct ucx_parameters *parameters)
{
    struct lane *lane = ucx_lane(tag);
    return LIKELY(!lane)
               ? ucx.send(endpoint, buf, count, tag, parameters)
               : inner_send(lane, ucx.send, UCX_SEND, endpoint, buf, count, tag, parameters);
}

static void *ucx_send_sync(void *endpoint, const void *buf, size_t count, uint64_t tag,
                           const struct ucx_parameters *parameters)
{
    struct lane *lane = ucx_lane(tag);
    return LIKELY(!lane)
               ? ucx.send_sync(endpoint, buf, count, tag, parameters)
               : inner_send(lane, ucx.send_sync, UCX_SSEND, endpoint, buf, count, tag, parameters);
}

static __attribute__((noinline)) void *inner_receive(struct lane *lane, void *worker, void *buf,
                                                     size_t count, uint64_t tag, uint64_t mask,
                                                     const struct ucx_parameters *parameters)
{
    struct transport_call of;
    bool known = call_of(lane, tag, &of);
    struct operation *o = known && parameters->fields & UCX_CALLBACK ? operation_new() : NULL;

    if (!o) {
        if (known)
            transport_lose();
        return ucx.receive(worker, buf, count, tag, mask, parameters);
    }
    struct ucx_parameters own = operation_begin(o, parameters, of.seq);
    o->call.received = own.call.received;
    own.call.received = ucx_received;
    bool any = !(mask >> SOURCE_SHIFT & FIELD_MASK);
    struct spool_event *e = transport_enter(
        lane, UCX_RECEIVE, &of, any ? recorder_peer(MPI_ANY_SOURCE) : source_of(tag), o->id);
    packed = SIZE_MAX;
    receiving.operation = o;
    receiving.worker = worker;
    void *request = ucx.receive(worker, buf, count, tag, mask, &own);
    receiving.operation = NULL;
    recorder_back(e);
    transport_leave(lane, e, ucx_bytes(parameters, buf, count));
    if (!request || ucx_is_error(request)) {
        operation_free(o);
        transport_lose();
    }
    return request;
}

static void *ucx_receive(void *worker, void *buf, size_t count, uint64_t tag, uint64_t mask,
                         const struct ucx_parameters *parameters)
{
    struct lane *lane = ucx_lane(tag);
    return LIKELY(!lane) ? ucx.receive(worker, buf, count, tag, mask, parameters)
                         : inner_receive(lane, worker, buf, count, tag, mask, parameters);
}

/* --- on --------------------------------------------------------------------------------------- */

bool ucx_found(const struct body_entry *entry)
{
    *(void **)&ucx.send = recorder_symbol("ucp_tag_send_nbx");
    *(void **)&ucx.send_sync = recorder_symbol("ucp_tag_send_sync_nbx");
    *(void **)&ucx.receive = recorder_symbol("ucp_tag_recv_nbx");
    *(void **)&ucx.connect = recorder_symbol("ucp_ep_create");
    *(void **)&ucx.address = recorder_symbol("ucp_worker_get_address");
    *(void **)&ucx.progress = recorder_symbol("ucp_worker_progress");
    *(void **)&ucx.type = recorder_symbol("ucp_dt_create_generic");
    if (!ucx.send || !ucx.send_sync || !ucx.receive || !ucx.connect || !ucx.address || !ucx.type ||
        !ucx.progress)
        return false;
    entry->bind("ucp_ep_create", (void *)ucx_connect);
    entry->bind("ucp_worker_get_address", (void *)ucx_address);
    entry->bind("ucp_worker_progress", (void *)ucx_progress);
    entry->bind("ucp_dt_create_generic", (void *)ucx_type);
    entry->bind("ucp_tag_send_nbx", (void *)ucx_send);
    entry->bind("ucp_tag_send_sync_nbx", (void *)ucx_send_sync);
    entry->bind("ucp_tag_recv_nbx", (void *)ucx_receive);
    return true;
}

bool ucx_reads(const char *version)
{
    return used && (transport_version(version, "MPICH Version:", "5.0") ||
                    transport_version(version, "MPICH Version:", "4.0"));
}
