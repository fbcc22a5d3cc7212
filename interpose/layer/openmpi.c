/* The library layer for Open MPI 4.1 and 5.0: the messages and waits inside its own collectives.
 * Built for the version of the headers, and on in that version only.
 *
 * Every message of Open MPI passes through the table mca_pml and every wait through
 * ompi_request_functions. After MPI_Init both get recording versions; before MPI_Finalize the
 * library's own are put back. Only what collectives do is recorded, as children of the
 * application's call: its own sends and receives, which pass through the same tables, are told by
 * their tags (not negative).
 *
 * A non-blocking collective goes on inside whatever call makes progress. Its messages carry a tag
 * that was taken from its communicator's counter when it was started, so the tag says which call
 * they belong to; their completion, which no table shows, is told by the request's completion
 * callback.
 *
 *  1. Nothing is swapped unless version, table sizes and all entries are what this file was
 *     compiled for.
 *  2. A datatype that the library made for itself has no envelope and no lasting address: its
 *     messages are recorded in bytes.
 *  3. A communicator's id is forgotten when the library deletes it, whoever freed it. */
#define OMPI_SKIP_MPICXX 1
#include "interpose/recorder.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/pml/base/pml_base_request.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/request/request.h"

#include "core/trace/traits.h"
#include "interpose/objects/handles.h"
#include "interpose/layer/layer.h"
#include "interpose/perturb.h"

static mca_pml_base_module_t *table, own_table; /* the library's, and a copy as it was */
static ompi_request_fns_t *wait_table, own_wait_table;

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

/* --- whose child ------------------------------------------------------------------------------ */

enum { SCHEDULES = 4096 };
static struct schedule { /* started non-blocking collectives, by communicator and tag; the newest
                            wins a place */
    MPI_Comm comm;
    int tag;
    uint32_t request; /* of a persistent one */
    uint64_t seq;     /* 0: its inside is not recorded */
} schedule[SCHEDULES];

/* Makers of communicators that return before they are done (MPI_Comm_idup) start collectives over
 * the old one from whoever makes progress. */
static struct maker {
    MPI_Comm comm;
    uint64_t seq;
    uint32_t id; /* of comm */
} maker[16];
static unsigned maker_count; /* ever; the newest are kept */

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

/* Whether nobody waits for the message through the table: schedules and the makers of communicators
 * look at its request themselves. */
static bool openmpi_scheduled(int tag)
{
    return tag <= MCA_COLL_BASE_TAG_NONBLOCKING_BASE && tag >= MCA_COLL_BASE_TAG_NONBLOCKING_END;
}

/* Sequence number of the application's call that a message with an internal tag belongs to; 0: not
 * a collective's. */
static uint64_t parent_of(const struct lane *lane, MPI_Comm comm, int tag)
{
    bool collective = in_collective(lane);
    if (openmpi_scheduled(tag)) { /* not of a blocking collective such as MPI_Barrier, but of what
                             makes a communicator, it may be */
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
    }
    return collective && lane->open[0].seq != lane->unseen ? lane->open[0].seq : 0;
}

int layer_tag(MPI_Comm comm)
{
    return comm && comm != recorder_handle.comm_null ? comm->c_nbc_tag : 0;
}

void layer_started(MPI_Comm comm, int tag_before, uint64_t seq)
{
    if (!comm || comm == recorder_handle.comm_null)
        return;
    int after = comm->c_nbc_tag,
        first = tag_before > after ? tag_before : MCA_COLL_BASE_TAG_NONBLOCKING_BASE;
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

/* --- events ----------------------------------------------------------------------------------- */

/* The application's own messages, which are recorded as its calls: they go straight on. */
static inline bool openmpi_outside(int tag)
{
    return tag >= -1;
}

/* The lane to record into, NULL: this is not a message inside a collective of a recorded call. */
static struct lane *openmpi_inside(int tag)
{
    struct lane *lane = recorder_thread.current;
    if (openmpi_outside(tag) || !lane || lane == recorder_nobody || lane->depth == 0 ||
        lane->depth >= SPOOL_DEPTH_MAX ||
        lane->writer.header->callback) /* what a callback calls is recorded as it is */
        return NULL;
    return lane;
}

static struct spool_event *openmpi_enter(struct lane *lane, unsigned call, uint64_t parent)
{
    if (UNLIKELY(!recorder.defined[call]))
        recorder_define_call(lane, call);
    if (UNLIKELY(lane->poll_count)) /* progress made in a poll */
        recorder_polls_write(lane);
    struct spool_event *e = recorder_begin(lane, call, 0);
    e->parent = (uint32_t)(e->seq - parent);
    return e;
}

/* The library makes communicators for windows and files: threads that make some at once have them
 * in another order on each rank. Its own number of one is that of all its members. */
static uint32_t comm_of(struct lane *lane, MPI_Comm comm)
{
#if OMPI_MAJOR_VERSION < 5
    if (lane->comm_cache.handle != HANDLE(comm) ||
        lane->comm_cache.generation != recorder.generation)
        return handles_comm(lane, comm, comm->c_contextid);
#endif
    return recorder_comm(lane, comm);
}

static void message_fields(struct lane *lane, struct spool_event *e, size_t count,
                           MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    uint32_t id = handles_type_known(type);
    if (!id && (type->super.flags & OMPI_DATATYPE_FLAG_PREDEFINED))
        id = recorder_type(lane, type);
    if (!id) {
        id = recorder_type(lane, recorder_handle.type_byte);
        count *= type->super.size;
    }
    recorder_fields(e, comm_of(lane, comm), recorder_peer(peer), tag, id,
                    count <= INT32_MAX ? (int32_t)count : INT32_MAX, 0);
}

static unsigned mode_offset(mca_pml_base_send_mode_t mode)
{
    return mode == MCA_PML_BASE_SEND_BUFFERED      ? 1
           : mode == MCA_PML_BASE_SEND_SYNCHRONOUS ? 2
           : mode == MCA_PML_BASE_SEND_READY       ? 3
                                                   : 0;
}

static void record_completion(struct lane *lane, ompi_request_t *request, uint64_t parent)
{
    struct request_info info = recorder_request_find(request, NULL);
    if (!info.id)
        return;
    recorder_request_forget(info);
    if (lane->depth >= SPOOL_DEPTH_MAX)
        return;
    struct spool_event *e = openmpi_enter(lane, LAYER_COMPLETE, parent);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, info.id);
    recorder_open(lane, e);
    e->t_leave = e->t_enter;
    recorder_done(lane, e->seq, 0, info, NULL, &request->req_status, request->req_status.MPI_ERROR);
    recorder_close(lane, e, 0, STEP_ON);
}

/* Called by whoever makes progress. */
static int openmpi_completed(ompi_request_t *request)
{
    struct lane *lane = recorder_thread.current;
    if (lane && lane != recorder_nobody)
        record_completion(lane, request, (uint64_t)(uintptr_t)request->req_complete_cb_data);
    return 0;
}

/* The started message gets its id; then its event is closed; then its completion is told or waited
 * for. */
static void leave_started(struct lane *lane, struct spool_event *e, ompi_request_t *request,
                          uint64_t parent, int tag, enum request_kind kind, int returned)
{
    bool watched = returned == OMPI_SUCCESS && request != recorder_handle.request_null;
    if (watched)
        e->request = recorder_request_new(request, NULL, kind, 0);
    recorder_close(lane, e, returned, STEP_ON);
    if (!watched || !openmpi_scheduled(tag) || request->req_complete_cb)
        return;
    if (REQUEST_COMPLETE(request)) {
        record_completion(lane, request, parent);
        return;
    }
    request->req_complete_cb_data = (void *)(uintptr_t)parent;
    request->req_complete_cb = openmpi_completed;
}

/* Under a live policy a standard send inside a collective becomes synchronous. */
static mca_pml_base_send_mode_t mode_under_policy(mca_pml_base_send_mode_t mode, size_t count,
                                                  const ompi_datatype_t *type)
{
    if (LIKELY(!recorder.perturb) || mode != MCA_PML_BASE_SEND_STANDARD ||
        !perturb_inner_send(count * type->super.size))
        return mode;
    return MCA_PML_BASE_SEND_SYNCHRONOUS;
}

static __attribute__((noinline)) int
inner_isend(const void *buf, size_t count, ompi_datatype_t *type, int dst, int tag,
            mca_pml_base_send_mode_t mode, ompi_communicator_t *comm, ompi_request_t **request)
{
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (!parent)
        return own_table.pml_isend(buf, count, type, dst, tag, mode, comm, request);
    struct spool_event *e = openmpi_enter(lane, LAYER_ISEND + mode_offset(mode), parent);
    message_fields(lane, e, count, type, dst, tag, comm);
    mode = mode_under_policy(mode, count, type);
    recorder_open(lane, e);
    int returned = own_table.pml_isend(buf, count, type, dst, tag, mode, comm, request);
    recorder_back(e);
    leave_started(lane, e, *request, parent, tag, REQUEST_SEND, returned);
    return returned;
}

static int layer_isend(const void *buf, size_t count, ompi_datatype_t *type, int dst, int tag,
                       mca_pml_base_send_mode_t mode, ompi_communicator_t *comm,
                       ompi_request_t **request)
{
    return LIKELY(openmpi_outside(tag))
               ? own_table.pml_isend(buf, count, type, dst, tag, mode, comm, request)
               : inner_isend(buf, count, type, dst, tag, mode, comm, request);
}

static __attribute__((noinline)) int inner_send(const void *buf, size_t count,
                                                ompi_datatype_t *type, int dst, int tag,
                                                mca_pml_base_send_mode_t mode,
                                                ompi_communicator_t *comm)
{
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (!parent)
        return own_table.pml_send(buf, count, type, dst, tag, mode, comm);
    struct spool_event *e = openmpi_enter(lane, LAYER_SEND + mode_offset(mode), parent);
    message_fields(lane, e, count, type, dst, tag, comm);
    mode = mode_under_policy(mode, count, type);
    recorder_open(lane, e);
    int returned = own_table.pml_send(buf, count, type, dst, tag, mode, comm);
    recorder_back(e);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_send(const void *buf, size_t count, ompi_datatype_t *type, int dst, int tag,
                      mca_pml_base_send_mode_t mode, ompi_communicator_t *comm)
{
    return LIKELY(openmpi_outside(tag)) ? own_table.pml_send(buf, count, type, dst, tag, mode, comm)
                                        : inner_send(buf, count, type, dst, tag, mode, comm);
}

static __attribute__((noinline)) int inner_irecv(void *buf, size_t count, ompi_datatype_t *type,
                                                 int src, int tag, ompi_communicator_t *comm,
                                                 ompi_request_t **request)
{
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (!parent)
        return own_table.pml_irecv(buf, count, type, src, tag, comm, request);
    struct spool_event *e = openmpi_enter(lane, LAYER_IRECV, parent);
    message_fields(lane, e, count, type, src, tag, comm);
    recorder_open(lane, e);
    int returned = own_table.pml_irecv(buf, count, type, src, tag, comm, request);
    recorder_back(e);
    leave_started(lane, e, *request, parent, tag, REQUEST_RECV, returned);
    return returned;
}

static int layer_irecv(void *buf, size_t count, ompi_datatype_t *type, int src, int tag,
                       ompi_communicator_t *comm, ompi_request_t **request)
{
    return LIKELY(openmpi_outside(tag))
               ? own_table.pml_irecv(buf, count, type, src, tag, comm, request)
               : inner_irecv(buf, count, type, src, tag, comm, request);
}

static __attribute__((noinline)) int inner_recv(void *buf, size_t count, ompi_datatype_t *type,
                                                int src, int tag, ompi_communicator_t *comm,
                                                ompi_status_public_t *status)
{
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (!parent)
        return own_table.pml_recv(buf, count, type, src, tag, comm, status);
    MPI_Status mine = {0};
    MPI_Status *at = status == MPI_STATUS_IGNORE ? &mine : status;
    struct spool_event *e = openmpi_enter(lane, LAYER_RECV, parent);
    message_fields(lane, e, count, type, src, tag, comm);
    recorder_open(lane, e);
    int returned = own_table.pml_recv(buf, count, type, src, tag, comm, at);
    recorder_back(e);
    recorder_status(lane, e->seq, 0, at, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_recv(void *buf, size_t count, ompi_datatype_t *type, int src, int tag,
                      ompi_communicator_t *comm, ompi_status_public_t *status)
{
    return LIKELY(openmpi_outside(tag))
               ? own_table.pml_recv(buf, count, type, src, tag, comm, status)
               : inner_recv(buf, count, type, src, tag, comm, status);
}

static int layer_isend_init(const void *buf, size_t count, ompi_datatype_t *type, int dst, int tag,
                            mca_pml_base_send_mode_t mode, ompi_communicator_t *comm,
                            ompi_request_t **request)
{
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (LIKELY(!parent))
        return own_table.pml_isend_init(buf, count, type, dst, tag, mode, comm, request);
    struct spool_event *e = openmpi_enter(lane, LAYER_SEND_INIT + mode_offset(mode), parent);
    message_fields(lane, e, count, type, dst, tag, comm);
    mode = mode_under_policy(mode, count, type);
    recorder_open(lane, e);
    int returned = own_table.pml_isend_init(buf, count, type, dst, tag, mode, comm, request);
    recorder_back(e);
    if (returned == OMPI_SUCCESS)
        e->request = recorder_request_new(*request, NULL, REQUEST_SEND | REQUEST_PERSISTENT, 0);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_irecv_init(void *buf, size_t count, ompi_datatype_t *type, int src, int tag,
                            ompi_communicator_t *comm, ompi_request_t **request)
{
    struct lane *lane = openmpi_inside(tag);
    uint64_t parent = lane ? parent_of(lane, comm, tag) : 0;
    if (LIKELY(!parent))
        return own_table.pml_irecv_init(buf, count, type, src, tag, comm, request);
    struct spool_event *e = openmpi_enter(lane, LAYER_RECV_INIT, parent);
    message_fields(lane, e, count, type, src, tag, comm);
    recorder_open(lane, e);
    int returned = own_table.pml_irecv_init(buf, count, type, src, tag, comm, request);
    recorder_back(e);
    if (returned == OMPI_SUCCESS)
        e->request = recorder_request_new(*request, NULL, REQUEST_RECV | REQUEST_PERSISTENT, 0);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_del_comm(ompi_communicator_t *comm)
{
    uint32_t id = recorder_freeing(OBJECT_COMM, comm);
    if (id)
        recorder_freed(OBJECT_COMM, id, NULL);
    for (int i = 0; i < SCHEDULES; i++) /* its address may be another's soon */
        if (schedule[i].comm == comm)
            schedule[i].comm = NULL;
    for (int i = 0; i < 16; i++)
        if (maker[i].comm == comm)
            maker[i].comm = NULL;
    return own_table.pml_del_comm(comm);
}

/* --- waits ------------------------------------------------------------------------------------ */

/* The lane, when a blocking collective of the application waits. */
static inline struct lane *openmpi_waiting(void)
{
    struct lane *lane = recorder_thread.current;
    return lane && lane != recorder_nobody && lane->depth == 1 && in_collective(lane) &&
                   lane->open[0].seq != lane->unseen
               ? lane
               : NULL;
}

static void leave_one(struct lane *lane, struct spool_event *e, uint32_t index,
                      struct request_info info, const MPI_Status *status, int error)
{
    recorder_done(lane, e->seq, index, info, NULL, status, error);
    if (!(info.kind & REQUEST_PERSISTENT))
        recorder_request_forget(info);
}

static int layer_wait(ompi_request_t **request, ompi_status_public_t *status)
{
    struct lane *lane = openmpi_waiting();
    if (LIKELY(!lane))
        return own_wait_table.req_wait(request, status);
    struct request_info info = recorder_request_find(*request, NULL);
    if (!info.id)
        return own_wait_table.req_wait(request, status);
    MPI_Status mine = {0};
    MPI_Status *at = status == MPI_STATUS_IGNORE ? &mine : status;
    struct spool_event *e = openmpi_enter(lane, LAYER_WAIT, lane->open[0].seq);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, info.id);
    recorder_open(lane, e);
    int returned = own_wait_table.req_wait(request, at);
    recorder_back(e);
    leave_one(lane, e, 0, info, at, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

/* Enters a wait on several. NULL: none of them is known. */
static struct spool_event *enter_list(struct lane *lane, unsigned call, size_t count,
                                      ompi_request_t **request, struct request_info **out_info)
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
    struct spool_event *e = openmpi_enter(lane, call, lane->open[0].seq);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, (int32_t)count, 0);
    recorder_list(lane, e->seq, 1, SPOOL_LIST_REQUESTS, 4, (int64_t)count, id);
    recorder_open(lane, e);
    *out_info = info;
    return e;
}

/* Persistent requests, which linear all-to-all and all-gather are made of. */
static int layer_start_requests(size_t count, ompi_request_t **request)
{
    struct request_info *info;
    struct spool_event *e = enter_list(openmpi_waiting(), LAYER_START, count, request, &info);
    if (LIKELY(!e))
        return own_table.pml_start(count, request);
    int returned = own_table.pml_start(count, request);
    recorder_back(e);
    recorder_close(recorder_thread.current, e, returned, STEP_ON);
    return returned;
}

static int layer_wait_all(size_t count, ompi_request_t **request, ompi_status_public_t *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info *info;
    struct spool_event *e = enter_list(lane, LAYER_WAITALL, count, request, &info);
    if (LIKELY(!e))
        return own_wait_table.req_wait_all(count, request, status);
    MPI_Status *at = status == MPI_STATUSES_IGNORE ? recorder_statuses(lane, (int)count) : status;
    int returned = own_wait_table.req_wait_all(count, request, at);
    recorder_back(e);
    if (returned == OMPI_SUCCESS)
        for (size_t i = 0; i < count; i++)
            leave_one(lane, e, (uint32_t)i, info[i], at ? &at[i] : at, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_wait_any(size_t count, ompi_request_t **request, int *index,
                          ompi_status_public_t *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info *info;
    struct spool_event *e = enter_list(lane, LAYER_WAITANY, count, request, &info);
    if (LIKELY(!e))
        return own_wait_table.req_wait_any(count, request, index, status);
    MPI_Status mine = {0};
    MPI_Status *at = status == MPI_STATUS_IGNORE ? &mine : status;
    int returned = own_wait_table.req_wait_any(count, request, index, at);
    recorder_back(e);
    if (returned == OMPI_SUCCESS && *index >= 0 && (size_t)*index < count)
        leave_one(lane, e, (uint32_t)*index, info[*index], at, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_wait_some(size_t count, ompi_request_t **request, int *outcount, int *indices,
                           ompi_status_public_t *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info *info;
    struct spool_event *e = enter_list(lane, LAYER_WAITSOME, count, request, &info);
    if (LIKELY(!e))
        return own_wait_table.req_wait_some(count, request, outcount, indices, status);
    MPI_Status *at = status == MPI_STATUSES_IGNORE ? recorder_statuses(lane, (int)count) : status;
    int returned = own_wait_table.req_wait_some(count, request, outcount, indices, at);
    recorder_back(e);
    if (returned == OMPI_SUCCESS && *outcount != MPI_UNDEFINED)
        for (int i = 0; i < *outcount; i++)
            leave_one(lane, e, (uint32_t)indices[i], info[indices[i]], at ? &at[i] : at, returned);
    recorder_close(lane, e, returned, STEP_ON);
    return returned;
}

static int layer_test(ompi_request_t **request, int *flag, ompi_status_public_t *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info info = {0};
    if (lane)
        info = recorder_request_find(*request, NULL);
    if (LIKELY(!info.id))
        return own_wait_table.req_test(request, flag, status);
    MPI_Status mine = {0};
    MPI_Status *at = status == MPI_STATUS_IGNORE ? &mine : status;
    struct spool_event *e = openmpi_enter(lane, LAYER_TEST, lane->open[0].seq);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, info.id);
    recorder_open(lane, e);
    int returned = own_wait_table.req_test(request, flag, at);
    recorder_back(e);
    if (returned == OMPI_SUCCESS && *flag)
        leave_one(lane, e, 0, info, at, returned);
    recorder_close(lane, e, returned, returned != OMPI_SUCCESS || *flag ? STEP_ON : STEP_IN_VAIN);
    return returned;
}

static int layer_test_all(size_t count, ompi_request_t **request, int *flag,
                          ompi_status_public_t *status)
{
    struct lane *lane = openmpi_waiting();
    struct request_info *info;
    struct spool_event *e = enter_list(lane, LAYER_TESTALL, count, request, &info);
    if (LIKELY(!e))
        return own_wait_table.req_test_all(count, request, flag, status);
    MPI_Status *at = status == MPI_STATUSES_IGNORE ? recorder_statuses(lane, (int)count) : status;
    int returned = own_wait_table.req_test_all(count, request, flag, at);
    recorder_back(e);
    if (returned == OMPI_SUCCESS && *flag)
        for (size_t i = 0; i < count; i++)
            leave_one(lane, e, (uint32_t)i, info[i], at ? &at[i] : at, returned);
    recorder_close(lane, e, returned, returned != OMPI_SUCCESS || *flag ? STEP_ON : STEP_IN_VAIN);
    return returned;
}

/* --- on and off ------------------------------------------------------------------------------- */

static void *table_of_size(const char *name, size_t size)
{
    void *at = recorder_symbol(name);
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!at || !dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        symbol->st_size != size)
        return NULL;
    return at;
}

#define TEXT_OF(x) #x
#define VERSION(major, minor) "Open MPI v" TEXT_OF(major) "." TEXT_OF(minor) "."

bool layer_knows(const char *version)
{
    const char *wanted = VERSION(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION);
    return strncmp(version, wanted, strlen(wanted)) == 0;
}

const char *layer_start(const char *version)
{
    static char reason[200];
    if (!layer_knows(version)) {
        snprintf(reason, sizeof reason, "library layer off: built for %.40s, this is %.100s",
                 VERSION(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION), version);
        return reason;
    }
    const char *off = getenv("CROSSWAIT_LAYER");
    if (off && strcmp(off, "off") == 0)
        return "library layer off: CROSSWAIT_LAYER=off";
    table = table_of_size("mca_pml", sizeof *table);
    wait_table = table_of_size("ompi_request_functions", sizeof *wait_table);
    recorder_handle.type_byte = recorder_symbol("ompi_mpi_byte");
    if (!table || !wait_table || !recorder_handle.type_byte)
        return "library layer off: the library's tables are not of the known shape";
    if (!table->pml_isend || !table->pml_send || !table->pml_irecv || !table->pml_recv ||
        !table->pml_del_comm || !table->pml_isend_init || !table->pml_irecv_init ||
        !table->pml_start || !wait_table->req_wait || !wait_table->req_wait_all ||
        !wait_table->req_wait_any || !wait_table->req_wait_some || !wait_table->req_test ||
        !wait_table->req_test_all)
        return "library layer off: an entry of the library's tables is empty";
    own_table = *table; /* invariant 1: all that was looked at above is as it should be */
    own_wait_table = *wait_table;
    table->pml_isend = layer_isend;
    table->pml_send = layer_send;
    table->pml_irecv = layer_irecv;
    table->pml_recv = layer_recv;
    table->pml_isend_init = layer_isend_init;
    table->pml_irecv_init = layer_irecv_init;
    table->pml_start = layer_start_requests;
    table->pml_del_comm = layer_del_comm;
    wait_table->req_wait = layer_wait;
    wait_table->req_wait_all = layer_wait_all;
    wait_table->req_wait_any = layer_wait_any;
    wait_table->req_wait_some = layer_wait_some;
    wait_table->req_test = layer_test;
    wait_table->req_test_all = layer_test_all;
    recorder.layer = true;
    return NULL;
}

/* --- persistent receives ---------------------------------------------------------------------- */

/* Whom a persistent receive takes from stands in it, and is read when it is started, where messages
 * are matched by the library itself (ob1). */
static bool matches_itself(void)
{
    const mca_pml_base_component_t *selected =
        table_of_size("mca_pml_base_selected_component", sizeof *selected);
    return selected && !strcmp(selected->pmlm_version.mca_component_name, "ob1");
}

MPI_Comm layer_receive_comm(MPI_Request request)
{
    const struct mca_pml_base_request_t *of = (const void *)request;
    if (!recorder.layer || !matches_itself() || request->req_type != OMPI_REQUEST_PML ||
        !request->req_persistent || of->req_type != MCA_PML_REQUEST_RECV)
        return recorder_handle.comm_null;
    return of->req_comm;
}

void layer_receive_from(MPI_Request request, int source)
{
    ((struct mca_pml_base_request_t *)request)->req_peer = source;
}

void layer_stop(void)
{
    if (!recorder.layer)
        return;
    recorder.layer = false;
    *table = own_table;
    *wait_table = own_wait_table;
}
