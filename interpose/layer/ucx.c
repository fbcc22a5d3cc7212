/* The library layer for MPICH over UCX: records the messages inside its collectives, at the
 * transport.
 *
 * The library's own calls of UCX's tagged operations are bound to functions here. In the 64 bits of
 * a tag MPICH keeps a context (16 bits: the communicator, and a bit for collectives), the sender's
 * rank (16) and a tag. Only the endpoint tells the receiver of a message: each rank writes its
 * address into the folder of its spools before any rank can get it, and an endpoint is made for an
 * address. The layer learns the communicator of a context when a collective on a communicator first
 * sends or receives in it.
 *
 * A call that makes a communicator may send in it: those messages are not recorded, as no handle
 * exists yet.
 *
 * Non-blocking collectives have tags of their own from UCX_TAG_SCHEDULED on; a tag belongs to the
 * call that first used it.
 *
 * The library waits by making progress; the layer cannot see whether it waits for an operation that
 * completed at once. So the layer reports a receive that completed at once (its message had
 * arrived) to the library at its next progress, as UCX may do: if the library sends before it
 * waits, the record shows this order. A send that completed at once is recorded as completed then.
 *
 *  1. UCX gets the library's arguments, except for the callback; the layer's callback calls the
 *     library's with its usual arguments.
 *  2. No function of MPI is called from here: the library's locks are held.
 *  3. A message whose communicator, partner or call is unknown is not recorded, and the record then
 *     says that the inside of some collectives only was seen. */
#include "interpose/layer/ucx.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/trace/traits.h"
#include "interpose/entry/body.h"
#include "interpose/layer/layer.h"
#include "interpose/library/library.h"
#include "interpose/life.h"
#include "interpose/objects/handles.h"
#include "interpose/recorder.h"

#define MAKERS (1ull << EVENT_CLASS_COMM_CREATE | 1ull << EVENT_CLASS_COMM_ICREATE)
#define COLLECTIVES \
    (1ull << EVENT_CLASS_COLL | 1ull << EVENT_CLASS_ICOLL | 1ull << EVENT_CLASS_COMM_FREE | MAKERS)

enum { UCX_SEND = CALL_COUNT, UCX_SSEND, UCX_RECEIVE, UCX_COMPLETE, UCX_END };
#define INNER(name) (TRAIT_BIT(INNER) | TRAIT_BIT(name))
#define REQUEST TRAIT_BIT(MAKES_REQUEST)
static const struct call_description description[] = {
    {"ucp_tag_send", "", EVENT_CLASS_ISEND, EVENT_MODE_STANDARD, 0, INNER(SENDS) | REQUEST},
    {"ucp_tag_send_sync", "", EVENT_CLASS_ISEND, EVENT_MODE_SYNCHRONOUS, 0, INNER(SENDS) | REQUEST},
    {"ucp_tag_recv", "", EVENT_CLASS_IRECV, EVENT_MODE_NONE, 0, INNER(RECEIVES) | REQUEST},
    {"ucp_complete", "", EVENT_CLASS_WAIT, EVENT_MODE_NONE, 0, INNER(COMPLETES_ONE)},
};
_Static_assert(sizeof description / sizeof *description == UCX_END - CALL_COUNT,
               "a description per id");

const struct call_description *layer_description(unsigned call)
{
    return &description[call - CALL_COUNT];
}

static struct {
    ucx_send_fn send, send_sync;
    ucx_receive_fn receive;
    ucx_connect_fn connect;
    ucx_address_fn address;
    ucx_type_fn type;
    ucx_progress_fn progress;
} ucx; /* UCX's own functions */

/* --- partners --------------------------------------------------------------------------------- */

enum { ADDRESS_BYTES = 16, PARTNERS_MAX = 65536 };
struct address {
    unsigned char byte[ADDRESS_BYTES];
};
static struct partner {
    void *endpoint;
    struct address address;
    int32_t rank; /* world rank; -1: unknown yet */
} * partner;
static uint32_t partner_count, partner_room;
static bool started, written, lost, silent;
static uint32_t byte_id; /* id of MPI_BYTE */

static bool address_path(char *path, size_t room, int rank)
{
    return snprintf(path, room, "%s/%d.0.address", recorder_folder(), rank) < (int)room;
}

static int8_t ucx_address(void *worker, void **out, size_t *out_bytes)
{
    enum { PATH_BYTES = 4096 };
    int8_t status = ucx.address(worker, out, out_bytes);
    const char *rank = library_place().rank;
    char path[PATH_BYTES];

    if (status != UCX_OK || started || !rank || hosts_several() || *out_bytes < ADDRESS_BYTES ||
        !recorder_folder_choose() || !address_path(path, sizeof path, atoi(rank)))
        return status;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0) {
        written = write(file, *out, ADDRESS_BYTES) == ADDRESS_BYTES;
        close(file);
    }
    return status;
}

static int8_t ucx_connect(void *worker, const struct ucx_endpoint *parameters, void **out)
{
    int8_t status = ucx.connect(worker, parameters, out);

    if (status != UCX_OK || !(parameters->fields & 1))
        return status;
    recorder_lock();
    if (partner_count == partner_room && partner_count < PARTNERS_MAX) {
        uint32_t room = partner_room ? 2 * partner_room : 64;
        struct partner *more = realloc(partner, room * sizeof *more);
        if (more) {
            partner = more;
            partner_room = room;
        }
    }
    if (partner_count < partner_room) {
        struct partner *p = &partner[partner_count++];
        *p = (struct partner){.endpoint = *out, .rank = -1};
        memcpy(p->address.byte, parameters->address, ADDRESS_BYTES);
    } else {
        lost = true;
    }
    recorder_unlock();
    return status;
}

/* Finds the rank of each partner by the addresses, which all ranks had written before others could
 * connect to them. */
static void partners_find(void)
{
    enum { PATH_BYTES = 4096 };
    for (int rank = 0; rank < recorder.world_size; rank++) {
        char path[PATH_BYTES];
        struct address address;
        int file = address_path(path, sizeof path, rank) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        if (file < 0)
            continue;
        while (read(file, &address, sizeof address) == sizeof address)
            for (uint32_t i = 0; i < partner_count; i++)
                if (!memcmp(&partner[i].address, &address, sizeof address))
                    partner[i].rank = rank;
        close(file);
    }
}

static int32_t partner_rank(void *endpoint)
{
    int32_t rank = -1;
    recorder_lock();
    for (int turn = 0; turn < 2 && rank < 0; turn++) {
        bool known = false;
        for (uint32_t i = partner_count; i-- > 0 && !known;)
            if (partner[i].endpoint == endpoint) {
                known = true;
                rank = partner[i].rank;
            }
        if (known && rank < 0 && turn == 0)
            partners_find();
    }
    recorder_unlock();
    return rank;
}

/* --- contexts --------------------------------------------------------------------------------- */

enum {
    CONTEXT_SHIFT = 48,
    SOURCE_SHIFT = 32,
    FIELD_MASK = 0xffff,
    CONTEXT_COLLECTIVE = 1,   /* the last bit of a context */
    CONTEXT_PART = 0xe,       /* the next three bits: a part of the communicator */
    CONTEXT_NUMBER_SHIFT = 4, /* the remaining bits are the communicator's */
    CONTEXTS = 1 << (16 - CONTEXT_NUMBER_SHIFT),
    UCX_TAG_SCHEDULED = 32,
    UCX_TAG_MASK = 0x3fffffff,
    SCHEDULES = 4096
};
static struct context {
    MPI_Comm comm;
    uint32_t id; /* 0: unknown */
    uint32_t age;
} contexts[CONTEXTS];
static struct schedule {
    uint32_t number, age, tag;
    uint64_t seq; /* 0: its inside is not recorded */
} schedule[SCHEDULES];

static bool context_is_of(uint32_t id)
{
    for (uint32_t i = 0; i < CONTEXTS; i++)
        if (contexts[i].id == id)
            return true;
    return false;
}

/* Returns the communicator of a context; NULL: unknown. */
static struct context *context_find(struct lane *lane, uint32_t number, bool own)
{
    struct context *c = &contexts[number];
    const struct spool_event *call = &lane->open[0];

    if (c->id && !handles_comm_is(c->id, c->comm)) /* the communicator was freed */
        c->id = 0;
    if (own && !c->id && lane->comm_cache.id == call->comm && !context_is_of(call->comm))
        *c = (struct context){(MPI_Comm)(uintptr_t)lane->comm_cache.handle, call->comm, c->age + 1};
    return c->id ? c : NULL;
}

/* Returns the application's call that a message belongs to; 0: it is not recorded. */
static uint64_t parent_of(struct lane *lane, uint64_t bits, const struct context **out)
{
    uint32_t at = bits >> CONTEXT_SHIFT, number = at >> CONTEXT_NUMBER_SHIFT,
             tag = (uint32_t)bits & UCX_TAG_MASK;
    const struct spool_event *call = &lane->open[0];
    unsigned class =
        call->head.a < CALL_COUNT ? call_description[call->head.a].class : EVENT_CLASS_OTHER;
    bool makes = MAKERS >> class & 1;
    bool own = call->comm && COLLECTIVES >> class & 1;
    uint64_t seq = 0;

    if (at & CONTEXT_PART) {
        lost = true;
        return 0;
    }
    recorder_lock();
    struct context *c = context_find(lane, number, own);
    own = own && c && c->id == call->comm;
    struct schedule *s = &schedule[(number * 0x9E3779B1u + tag * 0x85EBCA6Bu) % SCHEDULES];
    if (c && tag >= UCX_TAG_SCHEDULED && s->number == number && s->age == c->age && s->tag == tag) {
        seq = s->seq;
    } else if (own) {
        seq = call->seq != lane->unseen ? call->seq : 0;
        if (tag >= UCX_TAG_SCHEDULED)
            *s = (struct schedule){number, c->age, tag, seq};
    } else if (c || !makes) {
        lost = true; /* invariant 3 */
    }
    recorder_unlock();
    *out = c;
    return seq;
}

/* --- events ----------------------------------------------------------------------------------- */

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

enum { SENT_MAX = 64 };
static __thread struct sent { /* sends that completed at once: their ids, and the call of the last
                                 one */
    uint64_t parent;
    uint32_t count, id[SENT_MAX];
} * sent __attribute__((tls_model("initial-exec")));

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
    return bits >> CONTEXT_SHIFT & CONTEXT_COLLECTIVE && recorder.layer ? layer_lane() : NULL;
}

static void ucx_done(struct lane *lane, uint64_t seq, uint32_t id, int8_t status,
                     const struct ucx_received *received)
{
    const struct spool_done done = {
        .head = {SPOOL_DONE, sizeof(struct spool_done) / 8, status == UCX_CANCELLED, 0},
        .seq = seq,
        .request = id,
        .source = received ? (int32_t)(received->tag >> SOURCE_SHIFT & FIELD_MASK) : EVENT_NONE,
        .tag = received ? (int32_t)(received->tag & UCX_TAG_MASK) : EVENT_NONE,
        .bytes = received ? received->bytes : 0};
    spool_put_done(&lane->writer, &done);
}

static void ucx_completed(const struct operation *o, int8_t status,
                          const struct ucx_received *received)
{
    struct lane *lane = recorder_thread.current;
    if (!recorder.layer || !lane || lane == recorder_nobody || lane->depth == 0 ||
        lane->depth >= SPOOL_DEPTH_MAX) {
        lost = true;
        return;
    }
    struct spool_event *e = layer_enter(lane, UCX_COMPLETE, o->parent);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, o->id);
    recorder_open(lane, e);
    e->t_leave = e->t_enter;
    ucx_done(lane, e->seq, o->id, status, received);
    recorder_close(lane, e, 0, STEP_ON);
}

/* Records the thread's sends that completed at once. */
static void sent_completed(void)
{
    struct operation o = {.parent = sent->parent};
    uint32_t count = sent->count;

    sent->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        o.id = sent->id[i];
        ucx_completed(&o, UCX_OK, NULL);
    }
}

static void sent_add(uint64_t parent, uint32_t id)
{
    if (!sent && !(sent = calloc(1, sizeof *sent)))
        return;
    if (sent->count == SENT_MAX || (sent->count && sent->parent != parent))
        sent_completed();
    sent->parent = parent;
    sent->id[sent->count++] = id;
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

    if (UNLIKELY(sent && sent->count))
        sent_completed();
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
static int32_t ucx_bytes(const struct ucx_parameters *parameters, const void *buf, size_t count)
{
    uint64_t type = parameters->fields & UCX_TYPE ? parameters->type : 1 << UCX_CLASS_BITS;
    unsigned class = type & ((1 << UCX_CLASS_BITS) - 1);

    size_t bytes = class == UCX_CLASS_PLAIN   ? count * (type >> UCX_CLASS_BITS)
                   : class == UCX_CLASS_PARTS ? parts_bytes(buf, count)
                                              : packed;
    return bytes <= INT32_MAX ? (int32_t)bytes : INT32_MAX;
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
    const struct context *c = NULL;
    uint64_t parent = parent_of(lane, tag, &c);
    int32_t world = parent ? partner_rank(endpoint) : -1;
    /* Ignores a library that was built with other widths of these fields. */
    if (world >= 0 && (int)(tag >> SOURCE_SHIFT & FIELD_MASK) != recorder_comm_own(lane, c->comm))
        world = -1;
    int dest = world >= 0 ? recorder_comm_rank_of(lane, c->comm, world) : -1;
    struct operation *o =
        parent && dest >= 0 && parameters->fields & UCX_CALLBACK ? operation_new() : NULL;

    if (!o) {
        lost |= parent != 0;
        return real(endpoint, buf, count, tag, parameters);
    }
    struct ucx_parameters own = operation_begin(o, parameters, parent);
    o->call.sent = own.call.sent;
    own.call.sent = ucx_sent;
    struct spool_event *e = layer_enter(lane, call, parent);
    recorder_fields(e, c->id, dest, (int32_t)(tag & UCX_TAG_MASK), byte_id, 0, o->id);
    recorder_open(lane, e);
    packed = SIZE_MAX;
    uint32_t id = o->id;
    void *request = real(endpoint, buf, count, tag, &own);
    recorder_back(e);
    bool complete = !request || ucx_is_error(request); /* no callback follows */
    e->count = ucx_bytes(parameters, buf, count);
    recorder_close(lane, e, 0, STEP_ON);
    if (complete) {
        sent_add(parent, id);
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
    const struct context *c = NULL;
    uint64_t parent = parent_of(lane, tag, &c);
    struct operation *o = parent && parameters->fields & UCX_CALLBACK ? operation_new() : NULL;

    if (!o) {
        lost |= parent != 0;
        return ucx.receive(worker, buf, count, tag, mask, parameters);
    }
    struct ucx_parameters own = operation_begin(o, parameters, parent);
    o->call.received = own.call.received;
    own.call.received = ucx_received;
    bool any = !(mask >> SOURCE_SHIFT & FIELD_MASK);
    struct spool_event *e = layer_enter(lane, UCX_RECEIVE, parent);
    recorder_fields(
        e, c->id, any ? recorder_peer(MPI_ANY_SOURCE) : (int32_t)(tag >> SOURCE_SHIFT & FIELD_MASK),
        (int32_t)(tag & UCX_TAG_MASK), byte_id, 0, o->id);
    recorder_open(lane, e);
    packed = SIZE_MAX;
    receiving.operation = o;
    receiving.worker = worker;
    void *request = ucx.receive(worker, buf, count, tag, mask, &own);
    receiving.operation = NULL;
    recorder_back(e);
    e->count = ucx_bytes(parameters, buf, count);
    recorder_close(lane, e, 0, STEP_ON);
    if (!request || ucx_is_error(request)) {
        operation_free(o);
        lost = true;
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

/* --- on and off ------------------------------------------------------------------------------- */

static bool inside_is(const char *word)
{
    const char *setting = getenv("CROSSWAIT_INSIDE");
    return setting && !strcmp(setting, word);
}

void layer_found(const struct body_entry *entry)
{
    if (!inside_is("transport"))
        return;
    *(void **)&ucx.send = recorder_symbol("ucp_tag_send_nbx");
    *(void **)&ucx.send_sync = recorder_symbol("ucp_tag_send_sync_nbx");
    *(void **)&ucx.receive = recorder_symbol("ucp_tag_recv_nbx");
    *(void **)&ucx.connect = recorder_symbol("ucp_ep_create");
    *(void **)&ucx.address = recorder_symbol("ucp_worker_get_address");
    *(void **)&ucx.progress = recorder_symbol("ucp_worker_progress");
    *(void **)&ucx.type = recorder_symbol("ucp_dt_create_generic");
    if (!ucx.send || !ucx.send_sync || !ucx.receive || !ucx.connect || !ucx.address || !ucx.type ||
        !ucx.progress)
        return;
    setenv("MPIR_CVAR_CH4_NETMOD", "ucx", 0);
    setenv("MPIR_CVAR_NOLOCAL", "1", 0);
    entry->bind("ucp_ep_create", (void *)ucx_connect);
    entry->bind("ucp_worker_get_address", (void *)ucx_address);
    entry->bind("ucp_worker_progress", (void *)ucx_progress);
    entry->bind("ucp_dt_create_generic", (void *)ucx_type);
    entry->bind("ucp_tag_send_nbx", (void *)ucx_send);
    entry->bind("ucp_tag_send_sync_nbx", (void *)ucx_send_sync);
    entry->bind("ucp_tag_recv_nbx", (void *)ucx_receive);
}

bool layer_knows(const char *version)
{
    static const char name[] = "MPICH Version:";

    if (strncmp(version, name, strlen(name)) != 0)
        return false;
    version += strlen(name);
    version += strspn(version, " \t");
    return !strncmp(version, "5.0", 3) || !strncmp(version, "4.0", 3);
}

const char *layer_start(const char *version)
{
    static const char changed[] = "inside=transport: all messages go over UCX, whose eager limits "
                                  "differ from those of shared memory";

    started = true;
    if (!layer_knows(version) || !written || !partner_count || lost)
        return "library layer off: crosswait does not see what this MPI library does inside its "
               "collectives";
    /* Here, because it asks MPI (invariant 2). */
    byte_id = recorder_type(recorder_thread.current, recorder_handle.type_byte);
    recorder_lock();
    partners_find();
    recorder_unlock();
    recorder.layer = true;
    if (recorder.world_rank == 0)
        recorder_say(changed);
    return changed;
}

void layer_stop(void)
{
    if (recorder.layer && sent && sent->count)
        sent_completed();
    if (recorder.layer && lost)
        for (struct lane *lane = recorder.lanes; lane; lane = lane->next)
            lane->writer.header->layer = SPOOL_LAYER_SAMPLE;
    recorder.layer = false;
}

MPI_Comm layer_receive_comm(MPI_Request request)
{
    (void)request;
    return recorder_handle.comm_null;
}

void layer_receive_from(MPI_Request request, int source)
{
    (void)request, (void)source;
}

int layer_starting(MPI_Comm comm, uint64_t seq)
{
    (void)comm, (void)seq;
    return 0;
}

void layer_started(MPI_Comm comm, int tag_before, uint64_t seq)
{
    (void)comm, (void)tag_before, (void)seq;
}

void layer_making(MPI_Comm comm, uint32_t id, uint64_t seq)
{
    (void)comm, (void)id, (void)seq;
}

void layer_persistent(uint64_t init_seq, uint32_t request)
{
    (void)init_seq, (void)request;
}

void layer_restarted(uint32_t request, uint64_t seq)
{
    (void)request, (void)seq;
}

/* Called for a collective through shared memory, between ranks of one machine. */
void layer_silent(struct lane *lane, const struct spool_event *e, MPI_Comm comm)
{
    const struct comm_info *info =
        !silent && lane->unseen != e->seq && e->comm && call_needs_messages(e->head.a, e->count)
            ? handles_comm_info(lane, comm)
            : NULL;

    if (!info || info->inter || info->size < 2)
        return;
    silent = true;
    lane->writer.header->layer = SPOOL_LAYER_SAMPLE;
    recorder_note(lane, "library layer: some collectives send no messages over UCX, so crosswait "
                        "does not see inside them");
}
