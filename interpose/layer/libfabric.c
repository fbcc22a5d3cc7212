/* The library layer for MPICH's family over libfabric: records the messages inside its collectives
 * (transport.h).
 *
 * All of libfabric's functions but the first, fi_fabric, are reached through tables of the objects
 * that it makes. The objects that the MPI library gets have copies of these tables, with the
 * functions here in the place of some. The endpoint's table of tagged operations is replaced when
 * the endpoint is enabled, since providers choose it then. Intel MPI looks fi_fabric up by dlvsym;
 * in MPICH it is bound.
 *
 * The library and the provider decide where a tag keeps the context, and whether it keeps the
 * sender's rank or the message carries it as data; MPI_TAG_UB tells which. A receive names its
 * sender by an address.
 *
 * While the transport is busy it refuses an operation, and the library makes progress and calls
 * again: the operation is recorded at the first call. It is complete when the library reads so from
 * a queue, or at once if libfabric copied the data (inject). */
#include "interpose/layer/libfabric.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/entry/body.h"
#include "interpose/layer/transport.h"
#include "interpose/objects/handles.h"
#include "interpose/recorder.h"

/* --- tables ----------------------------------------------------------------------------------- */

/* A copy of a table lies behind this. */
struct copy {
    const void *real;
    size_t entry_bytes; /* of a queue */
    struct copy *next;
    uint64_t align;
};
static struct copy *copies;
static bool unknown; /* something has an unexpected form: the layer stays off */

static bool is_copy(const void *table)
{
    for (struct copy *each = copies; each; each = each->next)
        if (table == each + 1)
            return true;
    return false;
}

/* Copies a table that has at least so many bytes; returns NULL if it must be left as it is. */
static void *copy_new(const void *table, size_t least, size_t entry_bytes)
{
    size_t bytes = table ? *(const size_t *)table : 0;
    struct copy *copy = NULL;

    recorder_lock();
    if (bytes >= least && !is_copy(table))
        copy = malloc(sizeof *copy + bytes);
    if (copy) {
        *copy = (struct copy){table, entry_bytes, copies, 0};
        memcpy(copy + 1, table, bytes);
        copies = copy;
    } else if (bytes < least || !is_copy(table)) {
        unknown = true;
    }
    recorder_unlock();
    return copy ? copy + 1 : NULL;
}

static const struct copy *copy_of(const void *table)
{
    return (const struct copy *)table - 1;
}
#define REAL(object, table) ((__typeof__((object)->table))copy_of((object)->table)->real)

/* --- tags ------------------------------------------------------------------------------------- */

/* How a library divides the bits of a tag, by its version and the value of MPI_TAG_UB. Without bits
 * for the sender's rank, each message carries it as data. A bit of the tag or of the data marks a
 * synchronous message, and a bit of the tag its acknowledgement. */
static const struct division {
    const char *name, *version;
    int tag_ub;
    uint8_t tag_bits, context_at, context_bits, source_at, source_bits;
    uint64_t synchronous, synchronous_data, acknowledges;
} divisions[] = {
    {"Intel(R) MPI Library", "2021.18", (1 << 19) - 1, 20, 20, 20, 40, 20, 1ull << 61, 0,
     1ull << 60},
    {"Intel(R) MPI Library", "2021.18", (1 << 30) - 1, 32, 32, 20, 52, 0, 0, 1ull << 30,
     1ull << 52},
    {"MPICH Version:", "5.0", (1 << 30) - 1, 31, 31, 20, 51, 0, 1ull << 54, 0, 1ull << 51},
    {"MPICH Version:", "5.0", (1 << 18) - 1, 19, 42, 16, 19, 23, 1ull << 61, 0, 1ull << 58},
};
static const struct division *division;

static uint64_t tag_field(unsigned at, unsigned count)
{
    return ((1ull << count) - 1) << at;
}

static uint32_t context_of(uint64_t tag)
{
    return (uint32_t)((tag & tag_field(division->context_at, division->context_bits)) >>
                      division->context_at);
}

static int32_t source_of(uint64_t tag)
{
    return (int32_t)((tag & tag_field(division->source_at, division->source_bits)) >>
                     division->source_at);
}

static uint32_t tag_of(uint64_t tag)
{
    return (uint32_t)(tag & tag_field(0, division->tag_bits)) & INT32_MAX;
}

static uint64_t named_bits(void)
{
    return tag_field(0, division->tag_bits) |
           tag_field(division->context_at, division->context_bits) |
           tag_field(division->source_at, division->source_bits);
}

/* Tells whether the message is a part of a protocol, as one that is followed by reads. */
static bool is_protocol(uint64_t tag)
{
    return (tag & ~named_bits() & ~division->synchronous) != 0;
}

static struct lane *fabric_lane(uint64_t tag)
{
    return recorder.layer ? transport_lane(context_of(tag)) : NULL;
}

/* --- operations ------------------------------------------------------------------------------- */

/* An incomplete operation, by the context that the library gave it. */
enum { OPERATIONS = 1024 };
static struct operation {
    void *context;
    struct transport_message message;
    uint64_t seq;
    uint32_t id;
    bool receives;
    struct operation *next;
} * operation[OPERATIONS], *unused;
static _Atomic uint32_t operation_count;

static struct operation **operation_slot(const void *context)
{
    return &operation[((uintptr_t)context * 0x9E3779B97F4A7C15u) >> 54];
}

static bool operation_add(const struct operation *o)
{
    struct operation **slot = operation_slot(o->context), *own;

    recorder_lock();
    if ((own = unused))
        unused = own->next;
    else
        own = malloc(sizeof *own);
    if (own) {
        *own = *o;
        own->next = *slot;
        *slot = own;
        operation_count++;
    }
    recorder_unlock();
    return own != NULL;
}

static bool operation_take(const void *context, struct operation *out)
{
    struct operation **at = operation_slot(context), *own;

    recorder_lock();
    while (*at && (*at)->context != context)
        at = &(*at)->next;
    own = *at;
    if (own) {
        *out = *own;
        *at = own->next;
        own->next = unused;
        unused = own;
        operation_count--;
    }
    recorder_unlock();
    return own != NULL;
}

/* A call of a tagged operation. */
struct posted {
    struct lane *lane;
    unsigned call;
    uint64_t entered;
    const void *buf;
    size_t bytes;
    uint64_t partner, tag, ignore;
    uint64_t data; /* of a send; UINT64_MAX: none */
    void *context; /* NULL: it completes at once */
};

/* The last receive of an acknowledgement, which the library posts before it sends. */
static __thread struct {
    uint64_t partner, tag;
    void *context;
} acknowledgement __attribute__((tls_model("initial-exec")));

/* Calls that were recorded and that libfabric did not accept yet. */
static struct waiting {
    struct posted posted;
    struct operation operation;
    struct waiting *next;
} * waiting;

/* Takes the waiting call that is repeated. */
static bool waiting_take(const struct posted *p, struct waiting *out)
{
    struct waiting **at = &waiting, *own;

    recorder_lock();
    for (; (own = *at); at = &own->next)
        if (own->posted.call == p->call && own->posted.buf == p->buf &&
            own->posted.bytes == p->bytes && own->posted.partner == p->partner &&
            own->posted.tag == p->tag && own->posted.context == p->context)
            break;
    if (own) {
        *out = *own;
        *at = own->next;
        free(own);
    }
    recorder_unlock();
    return own != NULL;
}

static void waiting_add(const struct waiting *w)
{
    struct waiting *own = malloc(sizeof *own);

    if (!own) {
        transport_lose();
        return;
    }
    *own = *w;
    recorder_lock();
    own->next = waiting;
    waiting = own;
    recorder_unlock();
}

/* Returns the other rank; -1: it is unknown, or the library divides tags in another way. */
static int32_t peer_of(const struct posted *p, const struct transport_call *of)
{
    int32_t world =
                is_protocol(p->tag) || p->ignore & named_bits() ? -1 : transport_rank(p->partner),
            peer = world >= 0 ? recorder_comm_rank_of(p->lane, of->comm, world) : -1;
    if (p->call == FABRIC_RECEIVE)
        return !division->source_bits || source_of(p->tag) == peer ? peer : -1;
    int64_t source = division->source_bits ? source_of(p->tag)
                                           : (int64_t)(p->data & ~division->synchronous_data);
    return source == recorder_comm_own(p->lane, of->comm) ? peer : -1;
}

static bool is_synchronous(const struct posted *p)
{
    return p->call == FABRIC_SEND &&
           (p->tag & division->synchronous ||
            (p->data != UINT64_MAX && p->data & division->synchronous_data));
}

/* A synchronous send is complete when its acknowledgement is there. */
static bool completes_by_acknowledgement(struct posted *p)
{
    const uint64_t same =
        tag_field(0, division->tag_bits) | tag_field(division->context_at, division->context_bits);

    p->call = FABRIC_SSEND;
    p->context = acknowledgement.context;
    return acknowledgement.context && acknowledgement.partner == p->partner &&
           (acknowledgement.tag & same) == (p->tag & same);
}

/* Tells whether the communicator joins two groups: its parts are not made of its ranks. */
static bool comm_is_inter(struct lane *lane, MPI_Comm comm)
{
    const struct comm_info *info = handles_comm_info(lane, comm);
    return !info || info->inter;
}

/* Records the call. Returns false if it is not to be recorded. */
static bool call_record(const struct posted *p, struct operation *out)
{
    struct transport_call of;
    bool part = context_of(p->tag) & TRANSPORT_PART;

    if (!transport_call_of(p->lane, context_of(p->tag), tag_of(p->tag), &of))
        return false;
    int32_t peer = peer_of(p, &of);
    if (peer < 0 || (part && comm_is_inter(p->lane, of.comm))) {
        transport_lose();
        return false;
    }
    *out = (struct operation){.context = p->context,
                              .message = {peer, of.tag, 0},
                              .seq = of.seq,
                              .id = recorder_request_id(),
                              .receives = p->call == FABRIC_RECEIVE};
    struct spool_event *e = transport_enter(p->lane, p->call, &of, peer, out->id);
    e->t_enter = p->entered;
    recorder_back(e);
    transport_leave(p->lane, e, p->bytes);
    return true;
}

static __attribute__((noinline)) void call_returned(struct posted p, ssize_t status)
{
    struct waiting w;

    if (p.tag & division->acknowledges) {
        if (p.call == FABRIC_RECEIVE && status == 0) {
            acknowledgement.partner = p.partner;
            acknowledgement.tag = p.tag;
            acknowledgement.context = p.context;
        }
        return;
    }
    if (is_synchronous(&p) && !completes_by_acknowledgement(&p)) {
        transport_lose();
        return;
    }
    if (!(waiting && waiting_take(&p, &w))) {
        w.posted = p;
        if ((status != 0 && status != -EAGAIN) || !call_record(&p, &w.operation))
            return;
    }
    if (status == -EAGAIN)
        waiting_add(&w);
    else if (status != 0 || (p.context && !operation_add(&w.operation)))
        transport_lose();
    else if (!p.context)
        transport_sent(FABRIC_COMPLETE, w.operation.seq, w.operation.id);
}

static size_t parts_bytes(const struct iovec *part, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += part[i].iov_len;
    return bytes;
}

/* --- tagged operations ------------------------------------------------------------------------ */

static ssize_t fabric_receive(struct fabric_endpoint *ep, void *buf, size_t bytes, void *memory,
                              uint64_t from, uint64_t tag, uint64_t ignore, void *context)
{
    struct lane *lane = fabric_lane(tag);
    uint64_t now = lane ? recorder_clock() : 0;
    ssize_t status = REAL(ep, tagged)->receive(ep, buf, bytes, memory, from, tag, ignore, context);

    if (UNLIKELY(lane))
        call_returned((struct posted){lane, FABRIC_RECEIVE, now, buf, bytes, from, tag, ignore,
                                      UINT64_MAX, context},
                      status);
    return status;
}

static ssize_t fabric_receive_parts(struct fabric_endpoint *ep, const struct iovec *part,
                                    void **memory, size_t parts, uint64_t from, uint64_t tag,
                                    uint64_t ignore, void *context)
{
    struct lane *lane = fabric_lane(tag);
    uint64_t now = lane ? recorder_clock() : 0;
    ssize_t status =
        REAL(ep, tagged)->receive_parts(ep, part, memory, parts, from, tag, ignore, context);

    if (UNLIKELY(lane))
        call_returned((struct posted){lane, FABRIC_RECEIVE, now, part, parts_bytes(part, parts),
                                      from, tag, ignore, UINT64_MAX, context},
                      status);
    return status;
}

static ssize_t fabric_receive_message(struct fabric_endpoint *ep, const struct fabric_message *m,
                                      uint64_t flags)
{
    struct lane *lane = flags & FABRIC_LOOKS ? NULL : fabric_lane(m->tag);
    uint64_t now = lane ? recorder_clock() : 0;
    ssize_t status = REAL(ep, tagged)->receive_message(ep, m, flags);

    if (UNLIKELY(lane))
        call_returned((struct posted){lane, FABRIC_RECEIVE, now, m->part,
                                      parts_bytes(m->part, m->parts), m->partner, m->tag, m->ignore,
                                      UINT64_MAX, m->context},
                      status);
    return status;
}

static ssize_t fabric_send(struct fabric_endpoint *ep, const void *buf, size_t bytes, void *memory,
                           uint64_t to, uint64_t tag, void *context)
{
    struct lane *lane = fabric_lane(tag);
    uint64_t now = lane ? recorder_clock() : 0;
    ssize_t status = REAL(ep, tagged)->send(ep, buf, bytes, memory, to, tag, context);

    if (UNLIKELY(lane))
        call_returned(
            (struct posted){lane, FABRIC_SEND, now, buf, bytes, to, tag, 0, UINT64_MAX, context},
            status);
    return status;
}

static ssize_t fabric_send_parts(struct fabric_endpoint *ep, const struct iovec *part,
                                 void **memory, size_t parts, uint64_t to, uint64_t tag,
                                 void *context)
{
    struct lane *lane = fabric_lane(tag);
    uint64_t now = lane ? recorder_clock() : 0;
    ssize_t status = REAL(ep, tagged)->send_parts(ep, part, memory, parts, to, tag, context);

    if (UNLIKELY(lane))
        call_returned((struct posted){lane, FABRIC_SEND, now, part, parts_bytes(part, parts), to,
                                      tag, 0, UINT64_MAX, context},
                      status);
    return status;
}

static ssize_t fabric_send_message(struct fabric_endpoint *ep, const struct fabric_message *m,
                                   uint64_t flags)
{
    struct lane *lane = fabric_lane(m->tag);
    uint64_t now = lane ? recorder_clock() : 0;
    ssize_t status = REAL(ep, tagged)->send_message(ep, m, flags);

    if (UNLIKELY(lane))
        call_returned((struct posted){lane, FABRIC_SEND, now, m->part,
                                      parts_bytes(m->part, m->parts), m->partner, m->tag, 0,
                                      m->data, flags & FABRIC_REPORTS ? m->context : NULL},
                      status);
    return status;
}

static ssize_t fabric_inject(struct fabric_endpoint *ep, const void *buf, size_t bytes, uint64_t to,
                             uint64_t tag)
{
    struct lane *lane = fabric_lane(tag);
    uint64_t now = lane ? recorder_clock() : 0;
    ssize_t status = REAL(ep, tagged)->inject(ep, buf, bytes, to, tag);

    if (UNLIKELY(lane))
        call_returned(
            (struct posted){lane, FABRIC_SEND, now, buf, bytes, to, tag, 0, UINT64_MAX, NULL},
            status);
    return status;
}

static ssize_t fabric_send_data(struct fabric_endpoint *ep, const void *buf, size_t bytes,
                                void *memory, uint64_t data, uint64_t to, uint64_t tag,
                                void *context)
{
    struct lane *lane = fabric_lane(tag);
    uint64_t now = lane ? recorder_clock() : 0;
    ssize_t status = REAL(ep, tagged)->send_data(ep, buf, bytes, memory, data, to, tag, context);

    if (UNLIKELY(lane))
        call_returned(
            (struct posted){lane, FABRIC_SEND, now, buf, bytes, to, tag, 0, data, context}, status);
    return status;
}

static ssize_t fabric_inject_data(struct fabric_endpoint *ep, const void *buf, size_t bytes,
                                  uint64_t data, uint64_t to, uint64_t tag)
{
    struct lane *lane = fabric_lane(tag);
    uint64_t now = lane ? recorder_clock() : 0;
    ssize_t status = REAL(ep, tagged)->inject_data(ep, buf, bytes, data, to, tag);

    if (UNLIKELY(lane))
        call_returned((struct posted){lane, FABRIC_SEND, now, buf, bytes, to, tag, 0, data, NULL},
                      status);
    return status;
}

static void tagged_replace(struct fabric_endpoint *ep)
{
    struct fabric_tagged_table *own = ep->tagged ? copy_new(ep->tagged, sizeof *own, 0) : NULL;

    if (!own)
        return;
    own->receive = fabric_receive;
    own->receive_parts = fabric_receive_parts;
    own->receive_message = fabric_receive_message;
    own->send = fabric_send;
    own->send_parts = fabric_send_parts;
    own->send_message = fabric_send_message;
    own->inject = fabric_inject;
    own->send_data = fabric_send_data;
    own->inject_data = fabric_inject_data;
    ep->tagged = own;
}

/* --- queues ----------------------------------------------------------------------------------- */

static __attribute__((noinline)) void completed(const void *context, size_t bytes, bool cancelled)
{
    struct operation o;

    if (!operation_take(context, &o))
        return;
    o.message.bytes = bytes;
    transport_complete(FABRIC_COMPLETE, o.seq, o.id, cancelled, o.receives ? &o.message : NULL);
}

static void completed_all(const struct fabric_queue *queue, const char *entry, ssize_t count)
{
    size_t bytes = copy_of(queue->table)->entry_bytes;

    for (ssize_t i = 0; i < count && operation_count; i++) {
        const struct fabric_entry *each = (const void *)(entry + (size_t)i * bytes);
        completed(each->context, each->bytes, false);
    }
}

static ssize_t queue_read(struct fabric_queue *queue, void *entry, size_t count)
{
    transport_progress();
    ssize_t got = REAL(queue, table)->read(queue, entry, count);
    completed_all(queue, entry, got);
    return got;
}

static ssize_t queue_read_error(struct fabric_queue *queue, struct fabric_error *error,
                                uint64_t flags)
{
    ssize_t got = REAL(queue, table)->read_error(queue, error, flags);
    if (got > 0 && operation_count)
        completed(error->entry.context, error->entry.bytes, error->error == FABRIC_CANCELLED);
    return got;
}

static int domain_queue(struct fabric_domain *of, struct fabric_queue_how *how,
                        struct fabric_queue **out, void *context)
{
    static const size_t bytes[] = {
        [FABRIC_ENTRY_PLAIN] = offsetof(struct fabric_entry, buf),
        [FABRIC_ENTRY_DATA] = offsetof(struct fabric_entry, tag),
        [FABRIC_ENTRY_TAGGED] = sizeof(struct fabric_entry),
    };
    int status = REAL(of, table)->queue(of, how, out, context);

    if (status != 0)
        return status;
    struct fabric_queue_table *own = NULL;
    if (how && how->format >= FABRIC_ENTRY_PLAIN && how->format <= FABRIC_ENTRY_TAGGED)
        own = copy_new((*out)->table, sizeof *own, bytes[how->format]);
    else
        unknown = true;
    if (own) {
        own->read = queue_read;
        own->read_error = queue_read_error;
        (*out)->table = own;
    }
    return status;
}

/* --- partners --------------------------------------------------------------------------------- */

static size_t address_bytes; /* 0: not asked yet */
static bool used;

static int endpoint_name(struct fabric_id *id, void *address, size_t *bytes_inout)
{
    const struct fabric_endpoint *ep = (const void *)id;
    size_t room = *bytes_inout;
    int status = REAL(ep, connection)->name(id, address, bytes_inout);

    if (status == 0 && *bytes_inout <= room) {
        address_bytes = *bytes_inout;
        transport_address(address, address_bytes);
    }
    return status;
}

static int addresses_insert(struct fabric_addresses *to, const void *address, size_t count,
                            uint64_t *out, uint64_t flags, void *context)
{
    int status = REAL(to, table)->insert(to, address, count, out, flags, context);

    used = true;
    if (!out || !address_bytes || status != (int)count)
        unknown = true;
    else
        for (size_t i = 0; i < count; i++)
            transport_partner(out[i], (const char *)address + i * address_bytes, address_bytes);
    return status;
}

static int domain_addresses(struct fabric_domain *of, void *how, struct fabric_addresses **out,
                            void *context)
{
    int status = REAL(of, table)->addresses(of, how, out, context);
    struct fabric_addresses_table *own =
        status == 0 ? copy_new((*out)->table, sizeof *own, 0) : NULL;

    if (own) {
        own->insert = addresses_insert;
        (*out)->table = own;
    }
    return status;
}

/* --- endpoints -------------------------------------------------------------------------------- */

static int endpoint_control(struct fabric_id *id, int command, void *argument)
{
    int status = REAL(id, table)->control(id, command, argument);

    if (status == 0 && command == FABRIC_ENABLE)
        tagged_replace((void *)id);
    return status;
}

static void endpoint_watch(struct fabric_endpoint *ep)
{
    struct fabric_id_table *own = copy_new(ep->id.table, sizeof *own, 0);

    if (own) {
        own->control = endpoint_control;
        ep->id.table = own;
    }
}

static void endpoint_name_watch(struct fabric_endpoint *ep)
{
    struct fabric_connection_table *own = copy_new(ep->connection, sizeof *own, 0);

    if (own) {
        own->name = endpoint_name;
        ep->connection = own;
    }
}

/* True while a provider makes an endpoint: what it makes for it by the domain's table is its own.
 */
static __thread bool provider_makes __attribute__((tls_model("initial-exec")));

static int domain_endpoint(struct fabric_domain *of, void *info, struct fabric_endpoint **out,
                           void *context)
{
    bool own = provider_makes;
    provider_makes = true;
    int status = REAL(of, table)->endpoint(of, info, out, context);
    provider_makes = own;

    if (status == 0 && !own) {
        endpoint_watch(*out);
        endpoint_name_watch(*out);
    }
    return status;
}

static int endpoint_sender(struct fabric_endpoint *of, int index, void *how,
                           struct fabric_endpoint **out, void *context)
{
    int status = REAL(of, table)->sender(of, index, how, out, context);
    if (status == 0)
        endpoint_watch(*out);
    return status;
}

static int endpoint_receiver(struct fabric_endpoint *of, int index, void *how,
                             struct fabric_endpoint **out, void *context)
{
    int status = REAL(of, table)->receiver(of, index, how, out, context);
    if (status == 0)
        endpoint_watch(*out);
    return status;
}

static int domain_scalable(struct fabric_domain *of, void *info, struct fabric_endpoint **out,
                           void *context)
{
    int status = REAL(of, table)->scalable(of, info, out, context);
    struct fabric_endpoint_table *own =
        status == 0 ? copy_new((*out)->table, sizeof *own, 0) : NULL;

    if (own) {
        own->sender = endpoint_sender;
        own->receiver = endpoint_receiver;
        (*out)->table = own;
        endpoint_name_watch(*out);
    }
    return status;
}

/* Receives that endpoints share are not observed. */
static int domain_receivers(struct fabric_domain *of, void *how, struct fabric_endpoint **out,
                            void *context)
{
    unknown |= !provider_makes;
    return REAL(of, table)->receivers(of, how, out, context);
}

static int fabric_domain(struct fabric *of, void *info, struct fabric_domain **out, void *context)
{
    int status = REAL(of, table)->domain(of, info, out, context);
    struct fabric_domain_table *own = status == 0 ? copy_new((*out)->table, sizeof *own, 0) : NULL;

    if (own) {
        own->addresses = domain_addresses;
        own->queue = domain_queue;
        own->endpoint = domain_endpoint;
        own->scalable = domain_scalable;
        own->receivers = domain_receivers;
        (*out)->table = own;
    }
    return status;
}

/* --- on --------------------------------------------------------------------------------------- */

static fabric_open_fn real_open;
static const char open_name[] = "fi_fabric";

static int fabric_open(void *how, struct fabric **out, void *context)
{
    int status = real_open(how, out, context);
    struct fabric_table *own = status == 0 ? copy_new((*out)->table, sizeof *own, 0) : NULL;

    if (own) {
        own->domain = fabric_domain;
        (*out)->table = own;
    }
    return status;
}

static void *instead_of(void *function)
{
    if (!function)
        return NULL;
    *(void **)&real_open = function;
    return (void *)fabric_open;
}

/* For other names these two end in a jump: the caller of the real function stays the MPI library,
 * which RTLD_NEXT needs. */
static void *library_dlsym(void *handle, const char *name)
{
    if (strcmp(name, open_name) != 0)
        return dlsym(handle, name);
    return instead_of(dlsym(handle, name));
}

static void *library_dlvsym(void *handle, const char *name, const char *version)
{
    if (strcmp(name, open_name) != 0)
        return dlvsym(handle, name, version);
    return instead_of(dlvsym(handle, name, version));
}

void libfabric_found(const struct body_entry *entry)
{
    void *bound = instead_of(recorder_symbol(open_name));

    if (bound)
        entry->bind(open_name, bound);
    entry->bind("dlsym", (void *)library_dlsym);
    entry->bind("dlvsym", (void *)library_dlvsym);
}

static bool is_set(const char *variable, const char *value)
{
    const char *setting = getenv(variable);
    return setting && !strcmp(setting, value);
}

bool libfabric_reads(const char *version, int tag_ub)
{
    /* The user may have set other values: then data also go through shared memory. */
    if (!strncmp(version, "Intel", 5) &&
        !(is_set("I_MPI_FABRICS", "ofi") && is_set("I_MPI_COLL_INTRANODE", "pt2pt")))
        transport_lose();
    for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++)
        if (tag_ub == divisions[i].tag_ub &&
            transport_version(version, divisions[i].name, divisions[i].version))
            division = &divisions[i];
    return used && !unknown && division;
}

void libfabric_stop(void)
{
    if (waiting)
        transport_lose();
}
