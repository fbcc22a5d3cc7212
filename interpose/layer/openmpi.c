/* The library layer for Open MPI 4.1 and 5.0: records the messages and waits inside its own
 * collectives, for all their components (tuned, basic, libnbc, han, adapt, inter, sync).
 *
 * Every message of Open MPI passes through the table mca_pml and every wait through
 * ompi_request_functions. After MPI_Init the layer installs recording versions in both; before
 * MPI_Finalize it restores the library's own. It records only what collectives do, as children of
 * the application's call. The application's own sends and receives pass through the same tables;
 * their tags, which are not negative, distinguish them.
 *
 * A non-blocking collective continues inside any call that makes progress. Its messages carry a tag
 * that it took from its communicator's counter when it started, so the tag tells the call they
 * belong to. No table shows their completion; the request's completion callback reports it. If the
 * library sets a callback of its own on a message (adapt), the layer sees that it was called the
 * next time that the library calls a table function: before it sends anything that waited for it.
 *
 * A collective through shared memory sends no messages. The layer notices this when the collective
 * returns: the record then holds the inside of some collectives only, and says so.
 *
 *  1. Nothing is swapped unless version, table sizes and all entries are what openmpi.h says.
 *  2. A datatype that the library made for itself has no envelope and no lasting address: its
 *     messages are recorded in bytes.
 *  3. A communicator's id is forgotten when the library deletes it, whoever freed it. */
#include "interpose/layer/openmpi.h"

#include <stdlib.h>
#include <string.h>

#include "core/trace/traits.h"
#include "interpose/objects/handles.h"
#include "interpose/layer/layer.h"
#include "interpose/perturb.h"

static const struct openmpi_shape *shape;
static struct openmpi_messages *table, own_table; /* the library's, and a copy of its original
                                                     content */
static struct openmpi_waits *wait_table, own_wait_table;
static openmpi_del_comm_fn *del_comm, own_del_comm;

#define COLLECTIVES                                                                         \
    (1ull << EVENT_CLASS_COLL | 1ull << EVENT_CLASS_ICOLL | 1ull << EVENT_CLASS_COLL_INIT | \
     1ull << EVENT_CLASS_COMM_CREATE | 1ull << EVENT_CLASS_COMM_ICREATE |                   \
     1ull << EVENT_CLASS_COMM_FREE | 1ull << EVENT_CLASS_WIN_CREATE |                       \
     1ull << EVENT_CLASS_WIN_FREE | 1ull << EVENT_CLASS_RMA_FENCE |                         \
     1ull << EVENT_CLASS_FILE_COLL | 1ull << EVENT_CLASS_SPAWN)

enum {
    LAYER_SEND = CALL_COUNT,
    LAYER_ISEND = LAYER_SEND + 4,
    LAYER_RECV = LAYER_ISEND + 4,
    LAYER_IRECV,
    LAYER_WAIT,
    LAYER_WAITALL,
    LAYER_WAITANY,
    LAYER_WAITSOME,
    LAYER_TEST,
    LAYER_TESTALL,
    LAYER_COMPLETE,
    LAYER_SEND_INIT,
    LAYER_RECV_INIT = LAYER_SEND_INIT + 4,
    LAYER_START,
    LAYER_END
};
_Static_assert(LAYER_END <= CALL_COUNT + 64, "recorder.defined has room for the layer's calls");

#define INNER(name) (TRAIT_BIT(INNER) | TRAIT_BIT(name))
#define SENDS INNER(SENDS)
#define RECEIVES INNER(RECEIVES)
#define REQUEST TRAIT_BIT(MAKES_REQUEST)
#define PERSISTENT (REQUEST | TRAIT_BIT(PERSISTENT))

/* In the order of the ids above; sends by mode: standard, buffered, synchronous, ready. */
static const struct call_description description[] = {
    {"pml_send", "", EVENT_CLASS_SEND, EVENT_MODE_STANDARD, 0, SENDS},
    {"pml_bsend", "", EVENT_CLASS_SEND, EVENT_MODE_BUFFERED, 0, SENDS},
    {"pml_ssend", "", EVENT_CLASS_SEND, EVENT_MODE_SYNCHRONOUS, 0, SENDS},
    {"pml_rsend", "", EVENT_CLASS_SEND, EVENT_MODE_READY, 0, SENDS},
    {"pml_isend", "", EVENT_CLASS_ISEND, EVENT_MODE_STANDARD, 0, SENDS | REQUEST},
    {"pml_ibsend", "", EVENT_CLASS_ISEND, EVENT_MODE_BUFFERED, 0, SENDS | REQUEST},
    {"pml_issend", "", EVENT_CLASS_ISEND, EVENT_MODE_SYNCHRONOUS, 0, SENDS | REQUEST},
    {"pml_irsend", "", EVENT_CLASS_ISEND, EVENT_MODE_READY, 0, SENDS | REQUEST},
    {"pml_recv", "", EVENT_CLASS_RECV, EVENT_MODE_NONE, 0, RECEIVES},
    {"pml_irecv", "", EVENT_CLASS_IRECV, EVENT_MODE_NONE, 0, RECEIVES | REQUEST},
    {"request_wait", "", EVENT_CLASS_WAIT, EVENT_MODE_NONE, 0, INNER(COMPLETES_ONE)},
    {"request_wait_all", "", EVENT_CLASS_WAITALL, EVENT_MODE_NONE, 0, INNER(COMPLETES_ALL)},
    {"request_wait_any", "", EVENT_CLASS_WAITANY, EVENT_MODE_NONE, 0, INNER(COMPLETES_ANY)},
    {"request_wait_some", "", EVENT_CLASS_WAITSOME, EVENT_MODE_NONE, 0, INNER(COMPLETES_SOME)},
    {"request_test", "", EVENT_CLASS_TEST, EVENT_MODE_NONE, 0,
     INNER(COMPLETES_ONE) | TRAIT_BIT(POLLS)},
    {"request_test_all", "", EVENT_CLASS_TESTALL, EVENT_MODE_NONE, 0,
     INNER(COMPLETES_ALL) | TRAIT_BIT(POLLS)},
    {"request_complete", "", EVENT_CLASS_WAIT, EVENT_MODE_NONE, 0, INNER(COMPLETES_ONE)},
    {"pml_send_init", "", EVENT_CLASS_SEND_INIT, EVENT_MODE_STANDARD, 0, SENDS | PERSISTENT},
    {"pml_bsend_init", "", EVENT_CLASS_SEND_INIT, EVENT_MODE_BUFFERED, 0, SENDS | PERSISTENT},
    {"pml_ssend_init", "", EVENT_CLASS_SEND_INIT, EVENT_MODE_SYNCHRONOUS, 0, SENDS | PERSISTENT},
    {"pml_rsend_init", "", EVENT_CLASS_SEND_INIT, EVENT_MODE_READY, 0, SENDS | PERSISTENT},
    {"pml_recv_init", "", EVENT_CLASS_RECV_INIT, EVENT_MODE_NONE, 0, RECEIVES | PERSISTENT},
    {"pml_start", "", EVENT_CLASS_START, EVENT_MODE_NONE, 0, INNER(STARTS)},
};
_Static_assert(sizeof description / sizeof *description == LAYER_END - CALL_COUNT,
               "a description per id");

const struct call_description *layer_description(unsigned call)
{
    return &description[call - CALL_COUNT];
}

/* --- parents of messages ---------------------------------------------------------------------- */

enum { SCHEDULES = 4096 };
static struct schedule { /* started non-blocking collectives, by communicator and tag; a newer one
                            replaces an older one */
    MPI_Comm comm;
    int tag;
    uint32_t request; /* of a persistent collective */
    uint64_t seq;     /* 0: its inside is not recorded */
} schedule[SCHEDULES];

/* Calls that make communicators and return before they are done (MPI_Comm_idup): they start
 * collectives over the old communicator inside any call that makes progress. */
static struct maker {
    MPI_Comm comm;
    uint64_t seq;
    uint32_t id; /* of comm */
} maker[16];
static unsigned maker_count; /* total number; only the newest are kept */

/* The last call on each communicator. With threads, another thread may be the first to send for a
 * collective whose tags are unknown: they become known when its call returns, and never for a
 * blocking one. */
enum { CALLS = 256 };
static struct comm_call {
    MPI_Comm comm;
    uint64_t seq;
} comm_call[CALLS];

static struct comm_call *call_on(MPI_Comm comm)
{
    return &comm_call[(((uintptr_t)comm >> 4) * 0x9E3779B1u >> 8) % CALLS];
}

static struct schedule *schedule_at(MPI_Comm comm, int tag)
{
    return &schedule[(((uintptr_t)comm >> 4) * 0x9E3779B1u + (unsigned)tag * 0x85EBCA6Bu) %
                     SCHEDULES];
}

static bool in_collective(const struct lane *lane)
{
    unsigned call = lane->open[0].head.a;
    return call < CALL_COUNT && (COLLECTIVES >> call_description[call].class & 1);
}

/* Tells whether no wait of the table waits for the message: schedules and the makers of
 * communicators check its request themselves. */
static bool openmpi_scheduled(int tag)
{
    return tag <= shape->tag_first && tag >= OPENMPI_TAG_LAST;
}

/* Returns the id of a communicator. The library makes communicators for windows and files; threads
 * that make several at the same time may do so in another order on each rank. The library's own
 * number of a communicator is the same on all its members. */
static uint32_t comm_of(struct lane *lane, MPI_Comm comm)
{
    bool same = !shape->comm_flags || openmpi_field(comm, shape->comm_flags) & OPENMPI_COMM_SAME;
    if (same && (lane->comm_cache.handle != HANDLE(comm) ||
                 lane->comm_cache.generation != recorder.generation))
        return handles_comm(lane, comm, (uint32_t)openmpi_field(comm, shape->comm_number));
    return recorder_comm(lane, comm);
}

/* Returns the current call of the thread; 0: its inside is not recorded. */
static uint64_t own_of(const struct lane *lane)
{
    return lane->open[0].seq != lane->unseen ? lane->open[0].seq : 0;
}

static uint64_t parent_of_threads(struct lane *lane, MPI_Comm comm, int tag, uint64_t own)
{
    struct comm_call *call = call_on(comm);
    if (in_collective(lane) && lane->open[0].comm == comm_of(lane, comm))
        *call = (struct comm_call){comm, own};
    else if (call->comm == comm)
        own = call->seq;
    if (own) /* on a communicator that the library made for itself, the first sender is its owner */
        *schedule_at(comm, tag) = (struct schedule){comm, tag, 0, own};
    return own;
}

/* Returns the sequence number of the application's call that a message with an internal tag belongs
 * to; 0: no collective. */
static uint64_t parent_of(struct lane *lane, MPI_Comm comm, int tag)
{
    bool collective = in_collective(lane);
    if (openmpi_scheduled(tag)) { /* not of a blocking collective such as MPI_Barrier, but perhaps
                                     of a call that makes a communicator */
        bool maybe_own =
            collective && call_description[lane->open[0].head.a].class != EVENT_CLASS_COLL;
        const struct schedule *s = schedule_at(comm, tag);
        if (s->comm == comm && s->tag == tag)
            return s->seq;
        for (unsigned i = maker_count; UNLIKELY(i > 0) && i + 16 > maker_count;
             i--) { /* the newest first */
            const struct maker *m = &maker[(i - 1) % 16];
            if (m->comm == comm && !(maybe_own && lane->open[0].comm == m->id))
                return m->seq;
        }
        if (UNLIKELY(recorder.threads))
            return parent_of_threads(lane, comm, tag, collective ? own_of(lane) : 0);
    }
    return collective ? own_of(lane) : 0;
}

int layer_starting(MPI_Comm comm, uint64_t seq)
{
    const struct lane *lane = recorder_thread.current;
    if (UNLIKELY(recorder.threads))
        *call_on(comm) = (struct comm_call){comm, lane && lane->unseen == seq ? 0 : seq};
    return openmpi_field(comm, shape->comm_tag);
}

void layer_started(MPI_Comm comm, int tag_before, uint64_t seq)
{
    int after = openmpi_field(comm, shape->comm_tag),
        first = tag_before > after ? tag_before : shape->tag_first;
    const struct lane *lane = recorder_thread.current;
    if (lane && lane->unseen == seq)
        seq = 0;
    for (int tag = first; tag > after && first - tag < 64; tag--) /* the counter wraps at its end */
        *schedule_at(comm, tag) = (struct schedule){comm, tag, 0, seq};
}

void layer_making(MPI_Comm comm, uint32_t id, uint64_t seq)
{
    maker[maker_count++ % 16] = (struct maker){comm, seq, id};
}

void layer_persistent(uint64_t init_seq, uint32_t request)
{
    for (int i = 0; i < SCHEDULES; i++)
        if (schedule[i].seq == init_seq)
            schedule[i].request = request;
}

void layer_restarted(uint32_t request, uint64_t seq)
{
    for (int i = 0; i < SCHEDULES; i++)
        if (schedule[i].request == request && schedule[i].comm)
            schedule[i].seq = seq;
}

void layer_silent(struct lane *lane, const struct spool_event *e, MPI_Comm comm)
{
    static _Atomic bool reported;
    const struct comm_info *info =
        !reported && lane->unseen != e->seq && e->comm && call_needs_messages(e->head.a, e->count)
            ? handles_comm_info(lane, comm)
            : NULL;
    if (!info || info->inter || info->size < 2)
        return;
    reported = true;
    lane->writer.header->layer = SPOOL_LAYER_SAMPLE;
    recorder_note(lane, "library layer: some collectives send no messages through the library's "
                        "table (shared memory, or a library of collectives), so crosswait does not "
                        "see inside them");
}

/* --- the library's objects -------------------------------------------------------------------- */

static inline struct openmpi_request *openmpi_request(MPI_Request request)
{
    return (struct openmpi_request *)request;
}

static inline const struct openmpi_type *openmpi_type(MPI_Datatype type)
{
    return (const struct openmpi_type *)type;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Tells whether the message is the application's own, which is recorded as its call: it passes
 * through. */
static inline bool openmpi_outside(int tag)
{
    return tag >= -1;
}

/* Returns the lane to record into; NULL: the message is not inside a collective of a recorded
 * call. */
static struct lane *openmpi_inside(int tag)
{
    return openmpi_outside(tag) ? NULL : layer_lane();
}

static void message_fields(struct lane *lane, struct spool_event *e, size_t count,
                           MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    uint32_t id = handles_type_known(type);
    if (!id && (openmpi_type(type)->flags & OPENMPI_TYPE_PREDEFINED))
        id = recorder_type(lane, type);
    if (!id) {
        id = recorder_type(lane, recorder_handle.type_byte);
        count *= openmpi_type(type)->bytes;
    }
    recorder_fields(e, comm_of(lane, comm), recorder_peer(peer), tag, id,
                    count <= INT32_MAX ? (int32_t)count : INT32_MAX, 0);
}

static unsigned mode_offset(enum openmpi_mode mode)
{
    return mode == OPENMPI_BUFFERED      ? 1
           : mode == OPENMPI_SYNCHRONOUS ? 2
           : mode == OPENMPI_READY       ? 3
                                         : 0;
}

/* Records a completion. id: of the request when it started, since its memory may have been
 * reused. */
static void record_completion(struct lane *lane, MPI_Request request, uint32_t id, uint64_t parent)
{
    struct request_info info = recorder_request_find(request, NULL);
    if (!info.id || info.id != id)
        return;
    recorder_request_forget(info);
    if (lane->depth >= SPOOL_DEPTH_MAX)
        return;
    struct spool_event *e = layer_enter(lane, LAYER_COMPLETE, parent);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, info.id);
    recorder_open(lane, e);
    e->t_leave = e->t_enter;
    const MPI_Status *status = &openmpi_request(request)->status;
    recorder_done(lane, e->seq, 0, info, NULL, status, status->MPI_ERROR);
    recorder_close(lane, e, 0, STEP_ON);
}

/* --- callbacks of the library ----------------------------------------------------------------- */

/* Messages with a callback of the library, or which may get one: the last one that the thread
 * started, and those of all threads that have one. */
static __thread struct started {
    MPI_Request request; /* NULL: none */
    uint32_t id;
    uint64_t parent;
} latest __attribute__((tls_model("initial-exec")));

enum { OUTSTANDING_MAX = 256 };
static struct started outstanding[OUTSTANDING_MAX];
static _Atomic uint32_t outstanding_count;

/* Called by the thread that makes progress. */
static int openmpi_completed(MPI_Request request)
{
    struct lane *lane = recorder_thread.current;
    if (latest.request == request)
        latest.request = NULL;
    if (lane && lane != recorder_nobody)
        record_completion(lane, request, recorder_request_find(request, NULL).id,
                          (uint64_t)(uintptr_t)openmpi_request(request)->context);
    return 0;
}

static void outstanding_add(struct lane *lane, struct started started)
{
    struct started oldest = {0};
    recorder_lock();
    if (outstanding_count == OUTSTANDING_MAX) {
        oldest = outstanding[0];
        memmove(outstanding, outstanding + 1, (OUTSTANDING_MAX - 1) * sizeof *outstanding);
        outstanding_count--;
    }
    outstanding[outstanding_count++] = started;
    recorder_unlock();
    if (oldest.request)
        record_completion(lane, oldest.request, oldest.id, oldest.parent);
}

/* Finds a message whose callback was called; false: there is none. */
static bool outstanding_completed(struct started *out)
{
    uint32_t i = 0;
    recorder_lock();
    while (i < outstanding_count && openmpi_request(outstanding[i].request)->completed)
        i++;
    bool found = i < outstanding_count;
    if (found) {
        *out = outstanding[i];
        outstanding_count--;
        memmove(outstanding + i, outstanding + i + 1,
                (outstanding_count - i) * sizeof *outstanding);
    }
    recorder_unlock();
    return found;
}

/* Completes a message that another thread completed before it saw the callback, which is then never
 * called. */
static void completed_meanwhile(struct lane *lane, struct started started)
{
    struct openmpi_request *of = openmpi_request(started.request);
    openmpi_completed_fn ours = openmpi_completed;
    if (__atomic_load_n(&of->complete, __ATOMIC_SEQ_CST) == OPENMPI_IS_COMPLETE &&
        __atomic_compare_exchange_n(&of->completed, &ours, NULL, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
        record_completion(lane, started.request, started.id, started.parent);
}

static __attribute__((noinline)) void settle_some(struct lane *lane)
{
    struct started started = latest;
    latest.request = NULL;
    if (started.request && openmpi_request(started.request)->completed != openmpi_completed)
        outstanding_add(lane, started);
    else if (started.request && recorder.threads)
        completed_meanwhile(lane, started);
    while (outstanding_count && outstanding_completed(&started))
        record_completion(lane, started.request, started.id, started.parent);
}

/* Called before and after the library's own work here, in a thread that is in a recorded call. */
static inline void openmpi_settle(void)
{
    struct lane *lane = recorder_thread.current;
    if (UNLIKELY(latest.request || outstanding_count) && lane && lane != recorder_nobody)
        settle_some(lane);
}

/* Assigns the started message an id, closes its event, and then records its completion or waits for
 * it. */
static void leave_started(struct lane *lane, struct spool_event *e, MPI_Request request,
                          uint64_t parent, int tag, enum request_kind kind, int returned)
{
    struct openmpi_request *of = openmpi_request(request);
    bool watched = returned == MPI_SUCCESS && request != recorder_handle.request_null;
    uint32_t id = watched ? recorder_request_new(request, NULL, kind, 0) : 0;
    e->request = id;
    recorder_close(lane, e, returned, STEP_ON);
    if (!watched || !openmpi_scheduled(tag) || of->completed)
        return;
    if (of->complete == OPENMPI_IS_COMPLETE) {
        record_completion(lane, request, id, parent);
        return;
    }
    of->context = (void *)(uintptr_t)parent;
    of->completed = openmpi_completed;
    latest = (struct started){request, id, parent};
    if (UNLIKELY(recorder.threads)) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        completed_meanwhile(lane, latest);
    }
}

/* Makes a standard send inside a collective synchronous, if a live policy says so. */
static enum openmpi_mode mode_under_policy(enum openmpi_mode mode, size_t count, MPI_Datatype type)
{
    if (LIKELY(!recorder.perturb) || mode != OPENMPI_STANDARD ||
        !perturb_inner_send(count * openmpi_type(type)->bytes))
        return mode;
    return OPENMPI_SYNCHRONOUS;
}

static __attribute__((noinline)) int inner_isend(const void *buf, size_t count, MPI_Datatype type,
                                                 int dst, int tag, enum openmpi_mode mode,
                                                 MPI_Comm comm, MPI_Request *request)
{
    openmpi_settle();
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (!parent)
        return own_table.isend(buf, count, type, dst, tag, mode, comm, request);
    struct spool_event *e = layer_enter(lane, LAYER_ISEND + mode_offset(mode), parent);
    message_fields(lane, e, count, type, dst, tag, comm);
    mode = mode_under_policy(mode, count, type);
    recorder_open(lane, e);
    int returned = own_table.isend(buf, count, type, dst, tag, mode, comm, request);
    recorder_back(e);
    leave_started(lane, e, *request, parent, tag, REQUEST_SEND, returned);
    return returned;
}

static int layer_isend(const void *buf, size_t count, MPI_Datatype type, int dst, int tag,
                       enum openmpi_mode mode, MPI_Comm comm, MPI_Request *request)
{
    return LIKELY(openmpi_outside(tag))
               ? own_table.isend(buf, count, type, dst, tag, mode, comm, request)
               : inner_isend(buf, count, type, dst, tag, mode, comm, request);
}

static __attribute__((noinline)) int inner_send(const void *buf, size_t count, MPI_Datatype type,
                                                int dst, int tag, enum openmpi_mode mode,
                                                MPI_Comm comm)
{
    openmpi_settle();
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (!parent)
        return own_table.send(buf, count, type, dst, tag, mode, comm);
    struct spool_event *e = layer_enter(lane, LAYER_SEND + mode_offset(mode), parent);
    message_fields(lane, e, count, type, dst, tag, comm);
    mode = mode_under_policy(mode, count, type);
    recorder_open(lane, e);
    int returned = own_table.send(buf, count, type, dst, tag, mode, comm);
    recorder_back(e);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_send(const void *buf, size_t count, MPI_Datatype type, int dst, int tag,
                      enum openmpi_mode mode, MPI_Comm comm)
{
    return LIKELY(openmpi_outside(tag)) ? own_table.send(buf, count, type, dst, tag, mode, comm)
                                        : inner_send(buf, count, type, dst, tag, mode, comm);
}

static __attribute__((noinline)) int inner_irecv(void *buf, size_t count, MPI_Datatype type,
                                                 int src, int tag, MPI_Comm comm,
                                                 MPI_Request *request)
{
    openmpi_settle();
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (!parent)
        return own_table.irecv(buf, count, type, src, tag, comm, request);
    struct spool_event *e = layer_enter(lane, LAYER_IRECV, parent);
    message_fields(lane, e, count, type, src, tag, comm);
    recorder_open(lane, e);
    int returned = own_table.irecv(buf, count, type, src, tag, comm, request);
    recorder_back(e);
    leave_started(lane, e, *request, parent, tag, REQUEST_RECV, returned);
    return returned;
}

static int layer_irecv(void *buf, size_t count, MPI_Datatype type, int src, int tag, MPI_Comm comm,
                       MPI_Request *request)
{
    return LIKELY(openmpi_outside(tag)) ? own_table.irecv(buf, count, type, src, tag, comm, request)
                                        : inner_irecv(buf, count, type, src, tag, comm, request);
}

static __attribute__((noinline)) int inner_recv(void *buf, size_t count, MPI_Datatype type, int src,
                                                int tag, MPI_Comm comm, MPI_Status *status)
{
    openmpi_settle();
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (!parent)
        return own_table.recv(buf, count, type, src, tag, comm, status);
    MPI_Status mine = {0};
    MPI_Status *at = status == MPI_STATUS_IGNORE ? &mine : status;
    struct spool_event *e = layer_enter(lane, LAYER_RECV, parent);
    message_fields(lane, e, count, type, src, tag, comm);
    recorder_open(lane, e);
    int returned = own_table.recv(buf, count, type, src, tag, comm, at);
    recorder_back(e);
    MPI_Status seen = *at;
    seen.MPI_TAG = tag; /* the layer over UCX loses the sign of tags */
    recorder_status(lane, e->seq, 0, &seen, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_recv(void *buf, size_t count, MPI_Datatype type, int src, int tag, MPI_Comm comm,
                      MPI_Status *status)
{
    return LIKELY(openmpi_outside(tag)) ? own_table.recv(buf, count, type, src, tag, comm, status)
                                        : inner_recv(buf, count, type, src, tag, comm, status);
}

static int layer_isend_init(const void *buf, size_t count, MPI_Datatype type, int dst, int tag,
                            enum openmpi_mode mode, MPI_Comm comm, MPI_Request *request)
{
    openmpi_settle();
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (LIKELY(!parent))
        return own_table.isend_init(buf, count, type, dst, tag, mode, comm, request);
    struct spool_event *e = layer_enter(lane, LAYER_SEND_INIT + mode_offset(mode), parent);
    message_fields(lane, e, count, type, dst, tag, comm);
    mode = mode_under_policy(mode, count, type);
    recorder_open(lane, e);
    int returned = own_table.isend_init(buf, count, type, dst, tag, mode, comm, request);
    recorder_back(e);
    if (returned == MPI_SUCCESS)
        e->request = recorder_request_new(*request, NULL, REQUEST_SEND | REQUEST_PERSISTENT, 0);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_irecv_init(void *buf, size_t count, MPI_Datatype type, int src, int tag,
                            MPI_Comm comm, MPI_Request *request)
{
    openmpi_settle();
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (LIKELY(!parent))
        return own_table.irecv_init(buf, count, type, src, tag, comm, request);
    struct spool_event *e = layer_enter(lane, LAYER_RECV_INIT, parent);
    message_fields(lane, e, count, type, src, tag, comm);
    recorder_open(lane, e);
    int returned = own_table.irecv_init(buf, count, type, src, tag, comm, request);
    recorder_back(e);
    if (returned == MPI_SUCCESS)
        e->request = recorder_request_new(*request, NULL, REQUEST_RECV | REQUEST_PERSISTENT, 0);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_del_comm(MPI_Comm comm)
{
    uint32_t id = recorder_freeing(OBJECT_COMM, comm);
    if (id)
        recorder_freed(OBJECT_COMM, id, NULL);
    for (int i = 0; i < SCHEDULES; i++) /* its address may be reused soon */
        if (schedule[i].comm == comm)
            schedule[i].comm = NULL;
    for (int i = 0; i < 16; i++)
        if (maker[i].comm == comm)
            maker[i].comm = NULL;
    if (call_on(comm)->comm == comm)
        call_on(comm)->comm = NULL;
    return own_del_comm(comm);
}

/* --- waits ------------------------------------------------------------------------------------ */

/* Returns the lane if a blocking collective of the application waits. */
static inline struct lane *openmpi_waiting(void)
{
    openmpi_settle();
    struct lane *lane = recorder_thread.current;
    return lane && lane != recorder_nobody && lane->depth == 1 && in_collective(lane) &&
                   lane->open[0].seq != lane->unseen
               ? lane
               : NULL;
}

static inline int back_settled(int returned)
{
    openmpi_settle();
    return returned;
}

static void leave_one(struct lane *lane, struct spool_event *e, uint32_t index,
                      struct request_info info, const MPI_Status *status, int error)
{
    recorder_done(lane, e->seq, index, info, NULL, status, error);
    if (!(info.kind & REQUEST_PERSISTENT))
        recorder_request_forget(info);
}

static int layer_wait(MPI_Request *request, MPI_Status *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info info = {0};
    if (lane)
        info = recorder_request_find(*request, NULL);
    if (LIKELY(!info.id))
        return back_settled(own_wait_table.wait(request, status));
    MPI_Status mine = {0};
    MPI_Status *at = status == MPI_STATUS_IGNORE ? &mine : status;
    struct spool_event *e = layer_enter(lane, LAYER_WAIT, lane->open[0].seq);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, info.id);
    recorder_open(lane, e);
    int returned = own_wait_table.wait(request, at);
    recorder_back(e);
    leave_one(lane, e, 0, info, at, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

/* Enters a wait for several requests. NULL: none of them is known. */
static struct spool_event *enter_list(struct lane *lane, unsigned call, size_t count,
                                      MPI_Request *request, struct request_info **out_info)
{
    if (!lane || !count || count > INT32_MAX)
        return NULL;
    struct request_info *info = recorder_request_list(lane, (int)count, request);
    int32_t *id = info ? recorder_scratch(lane, count * sizeof *id) : NULL;
    uint32_t any = 0;
    if (!id)
        return NULL;
    for (size_t i = 0; i < count; i++)
        any |= (uint32_t)(id[i] = (int32_t)info[i].id);
    if (!any)
        return NULL;
    struct spool_event *e = layer_enter(lane, call, lane->open[0].seq);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, (int32_t)count, 0);
    recorder_list(lane, e->seq, 1, SPOOL_LIST_REQUESTS, 4, (int64_t)count, id);
    recorder_open(lane, e);
    *out_info = info;
    return e;
}

/* Starts persistent requests, of which linear all-to-all and all-gather consist. */
static int layer_start_requests(size_t count, MPI_Request *request)
{
    struct request_info *info;
    struct spool_event *e = enter_list(openmpi_waiting(), LAYER_START, count, request, &info);
    if (LIKELY(!e))
        return own_table.start(count, request);
    int returned = own_table.start(count, request);
    recorder_back(e);
    recorder_close(recorder_thread.current, e, returned, STEP_ON);
    return returned;
}

static int layer_wait_all(size_t count, MPI_Request *request, MPI_Status *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info *info;
    struct spool_event *e = enter_list(lane, LAYER_WAITALL, count, request, &info);
    if (LIKELY(!e))
        return back_settled(own_wait_table.wait_all(count, request, status));
    MPI_Status *at = status == MPI_STATUSES_IGNORE ? recorder_statuses(lane, (int)count) : status;
    int returned = own_wait_table.wait_all(count, request, at);
    recorder_back(e);
    if (returned == MPI_SUCCESS)
        for (size_t i = 0; i < count; i++)
            leave_one(lane, e, (uint32_t)i, info[i], at ? &at[i] : at, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_wait_any(size_t count, MPI_Request *request, int *index, MPI_Status *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info *info;
    struct spool_event *e = enter_list(lane, LAYER_WAITANY, count, request, &info);
    if (LIKELY(!e))
        return own_wait_table.wait_any(count, request, index, status);
    MPI_Status mine = {0};
    MPI_Status *at = status == MPI_STATUS_IGNORE ? &mine : status;
    int returned = own_wait_table.wait_any(count, request, index, at);
    recorder_back(e);
    if (returned == MPI_SUCCESS && *index >= 0 && (size_t)*index < count)
        leave_one(lane, e, (uint32_t)*index, info[*index], at, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_wait_some(size_t count, MPI_Request *request, int *outcount, int *indices,
                           MPI_Status *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info *info;
    struct spool_event *e = enter_list(lane, LAYER_WAITSOME, count, request, &info);
    if (LIKELY(!e))
        return own_wait_table.wait_some(count, request, outcount, indices, status);
    MPI_Status *at = status == MPI_STATUSES_IGNORE ? recorder_statuses(lane, (int)count) : status;
    int returned = own_wait_table.wait_some(count, request, outcount, indices, at);
    recorder_back(e);
    if (returned == MPI_SUCCESS && *outcount != MPI_UNDEFINED)
        for (int i = 0; i < *outcount; i++)
            leave_one(lane, e, (uint32_t)indices[i], info[indices[i]], at ? &at[i] : at, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info info = {0};
    if (lane)
        info = recorder_request_find(*request, NULL);
    if (LIKELY(!info.id))
        return back_settled(own_wait_table.test(request, flag, status));
    MPI_Status mine = {0};
    MPI_Status *at = status == MPI_STATUS_IGNORE ? &mine : status;
    struct spool_event *e = layer_enter(lane, LAYER_TEST, lane->open[0].seq);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, info.id);
    recorder_open(lane, e);
    int returned = own_wait_table.test(request, flag, at);
    recorder_back(e);
    if (returned == MPI_SUCCESS && *flag)
        leave_one(lane, e, 0, info, at, returned);
    recorder_close(lane, e, returned, returned != MPI_SUCCESS || *flag ? STEP_ON : STEP_IN_VAIN);
    return returned;
}

static int layer_test_all(size_t count, MPI_Request *request, int *flag, MPI_Status *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info *info;
    struct spool_event *e = enter_list(lane, LAYER_TESTALL, count, request, &info);
    if (LIKELY(!e))
        return own_wait_table.test_all(count, request, flag, status);
    MPI_Status *at = status == MPI_STATUSES_IGNORE ? recorder_statuses(lane, (int)count) : status;
    int returned = own_wait_table.test_all(count, request, flag, at);
    recorder_back(e);
    if (returned == MPI_SUCCESS && *flag)
        for (size_t i = 0; i < count; i++)
            leave_one(lane, e, (uint32_t)i, info[i], at ? &at[i] : at, returned);
    recorder_close(lane, e, returned, returned != MPI_SUCCESS || *flag ? STEP_ON : STEP_IN_VAIN);
    return returned;
}

/* --- on and off ------------------------------------------------------------------------------- */

bool layer_knows(const char *version)
{
    const char *why;
    if (!shape)
        shape = openmpi_shape(version, &why);
    return shape != NULL;
}

const char *layer_start(const char *version)
{
    const char *why = NULL, *setting = recorder_setting("CROSSWAIT_INSIDE");
    if (setting && strcmp(setting, "off") == 0)
        return "library layer off: --inside=off";
    shape = openmpi_shape(version, &why);
    if (!shape)
        return why;
    char *at = recorder_symbol("mca_pml");
    table = (struct openmpi_messages *)(at + shape->messages);
    del_comm = (openmpi_del_comm_fn *)(at + shape->del_comm);
    wait_table = recorder_symbol("ompi_request_functions");
    recorder_handle.type_byte = recorder_symbol("ompi_mpi_byte");
    own_table = *table; /* invariant 1: openmpi_shape checked all of it */
    own_del_comm = *del_comm;
    own_wait_table = *wait_table;
    table->isend = layer_isend;
    table->send = layer_send;
    table->irecv = layer_irecv;
    table->recv = layer_recv;
    table->isend_init = layer_isend_init;
    table->irecv_init = layer_irecv_init;
    table->start = layer_start_requests;
    *del_comm = layer_del_comm;
    wait_table->wait = layer_wait;
    wait_table->wait_all = layer_wait_all;
    wait_table->wait_any = layer_wait_any;
    wait_table->wait_some = layer_wait_some;
    wait_table->test = layer_test;
    wait_table->test_all = layer_test_all;
    recorder.layer = true;
    return NULL;
}

/* --- persistent receives ---------------------------------------------------------------------- */

/* Tells whether the library itself matches messages (ob1): then a persistent receive holds its
 * source, which is read at each start. */
static bool matches_itself(void)
{
    enum { BYTES = 280, NAME = 84 };
    const char *selected = openmpi_variable("mca_pml_base_selected_component", BYTES);
    return selected && !strcmp(selected + NAME, "ob1");
}

MPI_Comm layer_receive_comm(MPI_Request request)
{
    const struct openmpi_message_request *of = (const void *)request;
    if (!recorder.layer || !matches_itself() || of->request.type != OPENMPI_REQUEST_MESSAGE ||
        !of->request.persistent || of->type != OPENMPI_RECEIVE)
        return recorder_handle.comm_null;
    return of->comm;
}

void layer_receive_from(MPI_Request request, int source)
{
    *(int32_t *)((char *)request + shape->partner) = source;
}

void layer_stop(void)
{
    if (!recorder.layer)
        return;
    recorder.layer = false;
    *table = own_table;
    *del_comm = own_del_comm;
    *wait_table = own_wait_table;
}
