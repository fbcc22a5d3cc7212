/* Writes a trace as an OTF2 archive. See foreign/export.h.
 *
 * A rank's calls are written one after the other, each between Enter and Leave of the call's
 * region, within a region for the place that made it. Where calls overlap in time (polls that took
 * turns), the later one begins when the earlier one ends, since times of a location must not
 * decrease. Definitions come last, because they contain the number of events.
 *
 * Invariants
 *  1. Times that are written to a location never decrease. */
#include "foreign/export.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <otf2/otf2.h>
#include <otf2/OTF2_ErrorCodes.h>

#include "core/array.h"
#include "core/check.h"
#include "core/progress.h"
#include "core/table.h"
#include "core/version.h"

enum { EVENT_CHUNK = 1 << 20, DEFINITION_CHUNK = 4 << 20, THREAD_SHIFT = 32 };

struct export_request {
    uint64_t id;
    enum event_class class; /* of its operation: ISEND, IRECV, ICOLL; else OTHER */
    int32_t comm, peer, tag, root;
    enum verb verb;
    uint64_t bytes;
};
struct export_region { /* an MPI call, or a place that made one */
    struct {
        uint32_t site, call; /* site > 0: a place */
    } key;
};
struct export_location {
    OTF2_EvtWriter *writer;
    uint64_t time, events;
};
struct export_rank {
    struct export_location *location; /* by thread */
    uint32_t location_count, location_room;
};
struct export
{
    struct trace *trace;
    OTF2_Archive *archive;
    struct export_rank *rank;
    struct core_table request; /* requests of the rank being written */
    uint32_t *comm_number;     /* its reference + 1; 0: not all members are known */
    struct core_table region;  /* struct export_region: entered regions, by reference */
    uint64_t end_ns;
    uint32_t strings; /* defined so far */
    OTF2_GlobalDefWriter *definitions;
    OTF2_ErrorCode failed; /* the first */
};

static uint64_t location_ref(uint32_t rank, uint32_t thread)
{
    return (uint64_t)thread << THREAD_SHIFT | rank;
}

/* Keeps the first failure; later calls of the library do no harm. */
static void done_with(struct export *export, OTF2_ErrorCode code)
{
    if (export->failed == OTF2_SUCCESS)
        export->failed = code;
}

/* --- events ----------------------------------------------------------------------------------- */

static enum core_status location_of(struct export *export, uint32_t rank, uint32_t thread,
                                    struct export_location **out_location)
{
    struct export_rank *of = &export->rank[rank];
    enum core_status status =
        CORE_ARRAY_ROOM_ZERO(of->location, of->location_room, thread + 1ul, "the locations");

    if (status != CORE_OK)
        return status;
    of->location_count = thread >= of->location_count ? thread + 1 : of->location_count;
    *out_location = &of->location[thread];
    if (!of->location[thread].writer)
        of->location[thread].writer =
            OTF2_Archive_GetEvtWriter(export->archive, location_ref(rank, thread));
    return of->location[thread].writer ? CORE_OK
                                       : core_report(CORE_IO,
                                                     "the OTF2 library cannot write the "
                                                     "events of rank %" PRIu32,
                                                     rank);
}

static OTF2_CollectiveOp operation_of(enum verb verb, uint64_t traits)
{
    bool varies = traits & TRAIT_BIT(PER_RANK), types = traits & TRAIT_BIT(PER_TYPE);

    switch (verb) {
    case VERB_BARRIER:
        return OTF2_COLLECTIVE_OP_BARRIER;
    case VERB_BCAST:
        return OTF2_COLLECTIVE_OP_BCAST;
    case VERB_GATHER:
        return varies ? OTF2_COLLECTIVE_OP_GATHERV : OTF2_COLLECTIVE_OP_GATHER;
    case VERB_SCATTER:
        return varies ? OTF2_COLLECTIVE_OP_SCATTERV : OTF2_COLLECTIVE_OP_SCATTER;
    case VERB_ALLGATHER:
        return varies ? OTF2_COLLECTIVE_OP_ALLGATHERV : OTF2_COLLECTIVE_OP_ALLGATHER;
    case VERB_ALLTOALL:
        return types    ? OTF2_COLLECTIVE_OP_ALLTOALLW
               : varies ? OTF2_COLLECTIVE_OP_ALLTOALLV
                        : OTF2_COLLECTIVE_OP_ALLTOALL;
    case VERB_REDUCE:
        return OTF2_COLLECTIVE_OP_REDUCE;
    case VERB_ALLREDUCE:
        return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case VERB_REDUCE_SCATTER:
        return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case VERB_REDUCE_SCATTER_BLOCK:
        return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case VERB_SCAN:
        return OTF2_COLLECTIVE_OP_SCAN;
    default:
        return OTF2_COLLECTIVE_OP_EXSCAN;
    }
}

static uint32_t root_of(int32_t root)
{
    return root >= 0            ? (uint32_t)root
           : root == EVENT_ROOT ? OTF2_COLLECTIVE_ROOT_SELF
                                : OTF2_COLLECTIVE_ROOT_NONE;
}

static bool comm_told(const struct export *export, int32_t comm)
{
    return comm >= 0 && (uint32_t)comm < export->trace->comm_count && export->comm_number[comm];
}

static uint32_t comm_ref(const struct export *export, int32_t comm)
{
    CORE_CHECK(comm_told(export, comm));
    return export->comm_number[comm] - 1;
}

/* Tells whether the call has a message that can be written. */
static bool has_peer(const struct export *export, int32_t comm, int32_t peer)
{
    return peer >= 0 && comm_told(export, comm);
}

static void send_write(struct export *export, struct export_location *to,
                       const struct trace_event *event)
{
    if (has_peer(export, event->comm, event->peer))
        done_with(export, OTF2_EvtWriter_MpiSend(to->writer, NULL, to->time, (uint32_t)event->peer,
                                                 comm_ref(export, event->comm),
                                                 (uint32_t)event->tag, event->bytes));
}

/* Returns the communicator of a matched message, known from its probe; -1 if unknown. */
static int32_t message_comm(const struct export *export, uint64_t message)
{
    const struct export_request *probed = core_table_find(&export->request, &message);

    return probed ? probed->comm : -1;
}

static void recv_write(struct export *export, struct export_location *to,
                       const struct trace_event *event)
{
    const struct trace_completion *done = event->completion_count ? event->completion : NULL;
    int32_t comm =
        event->class == EVENT_CLASS_MRECV ? message_comm(export, event->request) : event->comm;

    if (done && done->done && has_peer(export, comm, done->source))
        done_with(export,
                  OTF2_EvtWriter_MpiRecv(to->writer, NULL, to->time, (uint32_t)done->source,
                                         comm_ref(export, comm), (uint32_t)done->tag, done->bytes));
}

/* Writes the start of a request, for MPI_Isend, MPI_Irecv, collectives and MPI_Start. */
static void request_begin(struct export *export, struct export_location *to,
                          const struct export_request *request)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (request->class == EVENT_CLASS_ICOLL && comm_told(export, request->comm))
        code = OTF2_EvtWriter_NonBlockingCollectiveRequest(to->writer, NULL, to->time, request->id);
    else if (request->class == EVENT_CLASS_ISEND && has_peer(export, request->comm, request->peer))
        code = OTF2_EvtWriter_MpiIsend(to->writer, NULL, to->time, (uint32_t)request->peer,
                                       comm_ref(export, request->comm), (uint32_t)request->tag,
                                       request->bytes, request->id);
    else if (request->class == EVENT_CLASS_IRECV && request->peer != EVENT_PROC_NULL &&
             comm_told(export, request->comm))
        code = OTF2_EvtWriter_MpiIrecvRequest(to->writer, NULL, to->time, request->id);
    done_with(export, code);
}

static void request_end(struct export *export, struct export_location *to,
                        const struct export_request *request, const struct trace_completion *done)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (!comm_told(export, request->comm) || request->peer == EVENT_PROC_NULL)
        return;
    if (!done->done)
        code = OTF2_EvtWriter_MpiRequestTest(to->writer, NULL, to->time, done->request);
    else if (done->cancelled)
        code = OTF2_EvtWriter_MpiRequestCancelled(to->writer, NULL, to->time, done->request);
    else if (request->class == EVENT_CLASS_ISEND)
        code = OTF2_EvtWriter_MpiIsendComplete(to->writer, NULL, to->time, done->request);
    else if (request->class == EVENT_CLASS_IRECV && done->source >= 0)
        code = OTF2_EvtWriter_MpiIrecv(to->writer, NULL, to->time, (uint32_t)done->source,
                                       comm_ref(export, request->comm), (uint32_t)done->tag,
                                       done->bytes, done->request);
    else if (request->class == EVENT_CLASS_ICOLL)
        code = OTF2_EvtWriter_NonBlockingCollectiveComplete(
            to->writer, NULL, to->time, operation_of(request->verb, 0),
            comm_ref(export, request->comm), root_of(request->root), request->bytes, request->bytes,
            done->request);
    done_with(export, code);
}

/* Returns the class of the operation that starting a request begins. */
static enum event_class started_class(enum event_class class)
{
    return class == EVENT_CLASS_SEND_INIT   ? EVENT_CLASS_ISEND
           : class == EVENT_CLASS_RECV_INIT ? EVENT_CLASS_IRECV
           : class == EVENT_CLASS_IMRECV    ? EVENT_CLASS_IRECV
           : class == EVENT_CLASS_COLL_INIT ? EVENT_CLASS_ICOLL
                                            : class;
}

static enum core_status request_note(struct export *export, const struct trace_event *event,
                                     struct export_request **out_request)
{
    struct export_request *request;
    enum core_status status =
        core_table_put(&export->request, &event->request, "the requests of a rank", &request);

    if (status != CORE_OK)
        return status;
    *request = (struct export_request){event->request, started_class(event->class),
                                       event->comm,    event->peer,
                                       event->tag,     event->root,
                                       event->verb,    event->bytes};
    if (event->class == EVENT_CLASS_IMRECV)
        request->comm = message_comm(export, event->message);
    *out_request = request;
    return CORE_OK;
}

static void start_write(struct export *export, struct export_location *to,
                        const struct trace_event *event)
{
    const struct export_request *request = core_table_find(&export->request, &event->request);

    if (event->request && request)
        request_begin(export, to, request);
    for (uint32_t i = 0; i < event->completion_count; i++)
        if ((request = core_table_find(&export->request, &event->completion[i].request)) &&
            event->completion[i].request != event->request)
            request_begin(export, to, request);
}

/* Writes the events at the start of a call. */
static enum core_status begin_write(struct export *export, struct export_location *to,
                                    const struct trace_event *event)
{
    struct export_request *request;
    enum core_status status = CORE_OK;

    switch (event->class) {
    case EVENT_CLASS_SEND:
    case EVENT_CLASS_SENDRECV:
        send_write(export, to, event);
        break;
    case EVENT_CLASS_ISEND:
    case EVENT_CLASS_IRECV:
    case EVENT_CLASS_IMRECV:
    case EVENT_CLASS_ICOLL:
        status = request_note(export, event, &request);
        if (status == CORE_OK)
            request_begin(export, to, request);
        break;
    case EVENT_CLASS_MPROBE:
    case EVENT_CLASS_IMPROBE:
    case EVENT_CLASS_SEND_INIT:
    case EVENT_CLASS_RECV_INIT:
    case EVENT_CLASS_COLL_INIT:
        status = request_note(export, event, &request);
        break;
    case EVENT_CLASS_START:
        start_write(export, to, event);
        break;
    case EVENT_CLASS_COLL:
        if (comm_told(export, event->comm))
            done_with(export, OTF2_EvtWriter_MpiCollectiveBegin(to->writer, NULL, to->time));
        break;
    default:
        break;
    }
    return status;
}

/* Writes the events at the end of a call. */
static void end_write(struct export *export, struct export_location *to,
                      const struct trace_event *event)
{
    switch (event->class) {
    case EVENT_CLASS_RECV:
    case EVENT_CLASS_MRECV:
    case EVENT_CLASS_SENDRECV:
        recv_write(export, to, event);
        return;
    case EVENT_CLASS_COLL:
        if (comm_told(export, event->comm))
            done_with(export,
                      OTF2_EvtWriter_MpiCollectiveEnd(
                          to->writer, NULL, to->time, operation_of(event->verb, event->traits),
                          comm_ref(export, event->comm), root_of(event->root), event->bytes,
                          event->bytes));
        return;
    case EVENT_CLASS_START:
        return;
    default:
        for (uint32_t i = 0; i < event->completion_count; i++) {
            const struct trace_completion *done = &event->completion[i];
            const struct export_request *request =
                core_table_find(&export->request, &done->request);
            if (request)
                request_end(export, to, request, done);
        }
    }
}

static enum core_status region_ref(struct export *export, uint32_t site, uint32_t call,
                                   uint32_t *out_ref)
{
    const struct {
        uint32_t site, call;
    } key = {site, call};
    struct export_region *region;
    enum core_status status = core_table_put(&export->region, &key, "the regions", &region);

    if (status == CORE_OK)
        *out_ref = (uint32_t)(((char *)region - export->region.entry) / sizeof *region);
    return status;
}

static bool site_told(const struct export *export, int32_t site)
{
    return site > 0 && (uint32_t)site < export->trace->site_count &&
           export->trace->site[site].file && export->trace->site[site].line;
}

static void time_go(struct export *export, struct export_location *to, uint64_t time)
{
    to->time = time > to->time ? time : to->time; /* invariant 1 */
    export->end_ns = to->time > export->end_ns ? to->time : export->end_ns;
}

static enum core_status event_write(struct export *export, const struct trace_event *event)
{
    struct export_location *to;
    enum core_status status =
        location_of(export, event->rank, event->thread > 0 ? (uint32_t)event->thread : 0, &to);
    const bool placed = site_told(export, event->site);
    uint32_t call, place = 0;

    if (status == CORE_OK && placed)
        status = region_ref(export, (uint32_t)event->site, 0, &place);
    if (status == CORE_OK)
        status = region_ref(export, 0, (uint32_t)event->call, &call);
    if (status != CORE_OK)
        return status;
    time_go(export, to, event->t_enter);
    if (placed)
        done_with(export, OTF2_EvtWriter_Enter(to->writer, NULL, to->time, place));
    done_with(export, OTF2_EvtWriter_Enter(to->writer, NULL, to->time, call));
    if (!event->error)
        status = begin_write(export, to, event);
    if (event->pending || status != CORE_OK)
        return status;
    time_go(export, to, event->t_leave);
    end_write(export, to, event);
    done_with(export, OTF2_EvtWriter_Leave(to->writer, NULL, to->time, call));
    if (placed)
        done_with(export, OTF2_EvtWriter_Leave(to->writer, NULL, to->time, place));
    return CORE_OK;
}

static enum core_status rank_write(struct export *export, uint32_t rank)
{
    struct export_rank *of = &export->rank[rank];
    struct trace_cursor *cursor;
    struct export_location *first;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(export->trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    core_table_clear(&export->request);
    status = location_of(export, rank, 0, &first);
    while (status == CORE_OK && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK &&
           more)
        if (!event.parent)
            status = event_write(export, &event);
    trace_cursor_close(cursor);
    for (uint32_t thread = 0; thread < of->location_count; thread++) {
        struct export_location *at = &of->location[thread];
        if (!at->writer)
            continue;
        done_with(export, OTF2_EvtWriter_GetNumberOfEvents(at->writer, &at->events));
        done_with(export, OTF2_Archive_CloseEvtWriter(export->archive, at->writer));
        at->writer = NULL;
    }
    return status;
}

static enum core_status events_write(struct export *export)
{
    enum core_status status = CORE_OK;

    done_with(export, OTF2_Archive_OpenEvtFiles(export->archive));
    core_progress_begin("exporting", export->trace->rank_count);
    for (uint32_t rank = 0; status == CORE_OK && rank < export->trace->rank_count; rank++) {
        status = rank_write(export, rank);
        core_progress_at(rank + 1);
    }
    core_progress_end();
    done_with(export, OTF2_Archive_CloseEvtFiles(export->archive));
    return status;
}

/* --- definitions ------------------------------------------------------------------------------ */

static uint32_t text_define(struct export *export, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static uint32_t text_define(struct export *export, const char *format, ...)
{
    char line[1024];
    va_list list;

    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    done_with(export, OTF2_GlobalDefWriter_WriteString(export->definitions, export->strings, line));
    return export->strings++;
}

static OTF2_RegionRole role_of(enum event_class class)
{
    switch (class) {
    case EVENT_CLASS_SEND:
    case EVENT_CLASS_ISEND:
    case EVENT_CLASS_RECV:
    case EVENT_CLASS_IRECV:
    case EVENT_CLASS_SENDRECV:
    case EVENT_CLASS_WAIT:
    case EVENT_CLASS_WAITALL:
        return OTF2_REGION_ROLE_POINT2POINT;
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_ICOLL:
        return OTF2_REGION_ROLE_COLL_OTHER;
    case EVENT_CLASS_RMA:
        return OTF2_REGION_ROLE_RMA;
    default:
        return OTF2_REGION_ROLE_FUNCTION;
    }
}

static void region_define(struct export *export, uint32_t ref, uint32_t none)
{
    const struct export_region *region = core_table_at(&export->region, ref);
    const struct trace *trace = export->trace;
    uint32_t file = OTF2_UNDEFINED_STRING, line = 0, name;

    if (region->key.site) {
        const struct trace_site *site = &trace->site[region->key.site];
        name = text_define(export, "%s", site->function ? site->function : site->file);
        file = text_define(export, "%s", site->path ? site->path : site->file);
        line = (uint32_t)site->line;
    } else {
        name = text_define(export, "%s", trace->call[region->key.call].name);
    }
    done_with(export,
              OTF2_GlobalDefWriter_WriteRegion(export->definitions, ref, name, name, none,
                                               line ? OTF2_REGION_ROLE_FUNCTION
                                                    : role_of(trace->call[region->key.call].class),
                                               line ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI,
                                               OTF2_REGION_FLAG_NONE, file, line, line));
}

/* Defines ranks, with a machine per run of ranks on the same host. */
static void ranks_define(struct export *export)
{
    const struct trace *trace = export->trace;
    uint32_t machine = text_define(export, "machine"), node = text_define(export, "node"), next = 0,
             at = 0;
    const char *host = NULL;

    done_with(export,
              OTF2_GlobalDefWriter_WriteSystemTreeNode(export->definitions, next++, machine,
                                                       machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        const char *here = trace->rank[rank].host ? trace->rank[rank].host : "";
        if (!host || strcmp(host, here) != 0) {
            host = here;
            at = next++;
            done_with(export, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                                  export->definitions, at,
                                  text_define(export, "%s", *here ? here : "unknown"), node, 0));
            done_with(export, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                                  export->definitions, at, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
        }
        done_with(export,
                  OTF2_GlobalDefWriter_WriteLocationGroup(
                      export->definitions, rank, text_define(export, "MPI rank %" PRIu32, rank),
                      OTF2_LOCATION_GROUP_TYPE_PROCESS, at, OTF2_UNDEFINED_LOCATION_GROUP));
        for (uint32_t thread = 0; thread < export->rank[rank].location_count; thread++)
            done_with(export,
                      OTF2_GlobalDefWriter_WriteLocation(
                          export->definitions, location_ref(rank, thread),
                          text_define(export, thread ? "thread %" PRIu32 : "master thread", thread),
                          OTF2_LOCATION_TYPE_CPU_THREAD, export->rank[rank].location[thread].events,
                          rank));
    }
}

static void group_define(struct export *export, uint32_t group, uint32_t name, OTF2_GroupType type,
                         const int32_t *member, uint32_t count, uint64_t *scratch)
{
    for (uint32_t i = 0; i < count; i++)
        scratch[i] = member ? (uint64_t)member[i] : location_ref(i, 0);
    done_with(export, OTF2_GlobalDefWriter_WriteGroup(export->definitions, group, name, type,
                                                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                                      count, scratch));
}

static void comms_define(struct export *export, uint64_t *scratch)
{
    const struct trace *trace = export->trace;
    uint32_t none = text_define(export, "%s", ""), group = 0, name;

    for (uint32_t ref = 0; ref < export->region.count; ref++)
        region_define(export, ref, none);
    group_define(export, group++, none, OTF2_GROUP_TYPE_COMM_LOCATIONS, NULL, trace->rank_count,
                 scratch);
    for (uint32_t i = 0; i < trace->comm_count; i++) {
        const struct trace_comm *comm = &trace->comm[i];
        if (!export->comm_number[i])
            continue;
        name = comm->name ? text_define(export, "%s", comm->name)
                          : text_define(export, "communicator %" PRIu32, i);
        const uint32_t own = group++, ref = comm_ref(export, (int32_t)i),
                       parent = comm_told(export, comm->parent) ? comm_ref(export, comm->parent)
                                                                : OTF2_UNDEFINED_COMM;
        group_define(export, own, none, OTF2_GROUP_TYPE_COMM_GROUP, comm->member,
                     (uint32_t)comm->size, scratch);
        if (!comm->inter) {
            done_with(export, OTF2_GlobalDefWriter_WriteComm(export->definitions, ref, name, own,
                                                             parent, OTF2_COMM_FLAG_NONE));
            continue;
        }
        group_define(export, group, none, OTF2_GROUP_TYPE_COMM_GROUP, comm->remote,
                     (uint32_t)comm->remote_size, scratch);
        done_with(export,
                  OTF2_GlobalDefWriter_WriteInterComm(export->definitions, ref, name, own, group++,
                                                      parent, OTF2_COMM_FLAG_NONE));
    }
}

static enum core_status definitions_write(struct export *export)
{
    const struct trace *trace = export->trace;
    uint64_t *scratch;
    enum core_status status = CORE_ARRAY_NEW(scratch, trace->rank_count, "the definitions");

    if (status != CORE_OK)
        return status;
    /* readers expect a file of definitions for each location */
    done_with(export, OTF2_Archive_OpenDefFiles(export->archive));
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        for (uint32_t thread = 0; thread < export->rank[rank].location_count; thread++) {
            OTF2_DefWriter *local =
                OTF2_Archive_GetDefWriter(export->archive, location_ref(rank, thread));
            if (local)
                done_with(export, OTF2_Archive_CloseDefWriter(export->archive, local));
        }
    done_with(export, OTF2_Archive_CloseDefFiles(export->archive));
    export->definitions = OTF2_Archive_GetGlobalDefWriter(export->archive);
    if (!export->definitions) {
        free(scratch);
        return core_report(CORE_IO, "the OTF2 library cannot write the definitions");
    }
    done_with(export, OTF2_GlobalDefWriter_WriteClockProperties(export->definitions, 1000000000, 0,
                                                                export->end_ns + 1,
                                                                OTF2_UNDEFINED_TIMESTAMP));
    ranks_define(export);
    comms_define(export, scratch);
    done_with(export, OTF2_Archive_CloseGlobalDefWriter(export->archive, export->definitions));
    free(scratch);
    return CORE_OK;
}

/* --- the whole -------------------------------------------------------------------------------- */

static OTF2_FlushType before_flush(void *context, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)context, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* Makes the folder, or accepts it if it exists and is empty. */
static enum core_status folder_make_empty(const char *folder)
{
    struct dirent *entry;
    bool holds = false;
    DIR *open;

    if (mkdir(folder, 0777) == 0)
        return CORE_OK;
    if (errno != EEXIST || !(open = opendir(folder)))
        return core_report(CORE_IO, "cannot make the folder '%s': %s", folder, strerror(errno));
    while ((entry = readdir(open)))
        holds |= strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(open);
    return holds ? core_report(CORE_BAD_INPUT,
                               "the folder '%s' is not empty; name one that does not exist", folder)
                 : CORE_OK;
}

static enum core_status comms_number(struct export *export)
{
    const struct trace *trace = export->trace;
    uint32_t next = 0;
    enum core_status status =
        CORE_ARRAY_NEW(export->comm_number, trace->comm_count, "the communicators");

    for (uint32_t i = 0; status == CORE_OK && i < trace->comm_count; i++) {
        const struct trace_comm *comm = &trace->comm[i];
        bool known = comm->size > 0 && comm->member;
        for (int32_t k = 0; known && k < comm->size; k++)
            known = comm->member[k] >= 0 && (uint32_t)comm->member[k] < trace->rank_count;
        for (int32_t k = 0; known && comm->inter && k < comm->remote_size; k++)
            known = comm->remote[k] >= 0 && (uint32_t)comm->remote[k] < trace->rank_count;
        export->comm_number[i] = known ? ++next : 0;
    }
    return status;
}

static enum core_status archive_write(struct export *export, const char *folder)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
    enum core_status status;

    export->archive =
        OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!export->archive)
        return core_report(CORE_IO, "the OTF2 library cannot write to '%s'", folder);
    done_with(export, OTF2_Archive_SetFlushCallbacks(export->archive, &flush, NULL));
    done_with(export, OTF2_Archive_SetSerialCollectiveCallbacks(export->archive));
    done_with(export, OTF2_Archive_SetCreator(export->archive, "crosswait " CORE_VERSION));
    status = events_write(export);
    if (status == CORE_OK)
        status = definitions_write(export);
    done_with(export, OTF2_Archive_Close(export->archive));
    if (status == CORE_OK && export->failed != OTF2_SUCCESS)
        status = core_report(CORE_IO, "cannot write the OTF2 archive '%s': %s", folder,
                             OTF2_Error_GetDescription(export->failed));
    return status;
}

enum core_status export_otf2(struct trace *trace, const char *folder)
{
    struct export export = {.trace = trace,
                            .request = CORE_TABLE(struct export_request, id),
                            .region = CORE_TABLE(struct export_region, key)};
    enum core_status status = trace_times_needed(trace, "an OTF2 archive");

    if (status == CORE_OK)
        status = folder_make_empty(folder);
    if (status == CORE_OK)
        status = comms_number(&export);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(export.rank, trace->rank_count, "the ranks");
    if (status == CORE_OK)
        status = archive_write(&export, folder);
    for (uint32_t rank = 0; export.rank && rank < trace->rank_count; rank++)
        free(export.rank[rank].location);
    free(export.rank);
    free(export.comm_number);
    core_table_done(&export.region);
    core_table_done(&export.request);
    return status;
}
