/* Lowering of collectives, and of the calls that are collective besides. */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "replay/program/lower_state.h"

struct shape_row {
    const char *name; /* without MPI_, the I of non-blocking ones, and _init */
    enum replay_coll_shape shape;
};

/* The rest needs all from all. */
static const struct shape_row shapes[] = {
    {"bcast", REPLAY_COLL_FROM_ROOT},    {"scatter", REPLAY_COLL_FROM_ROOT},
    {"scatterv", REPLAY_COLL_FROM_ROOT}, {"reduce", REPLAY_COLL_TO_ROOT},
    {"gather", REPLAY_COLL_TO_ROOT},     {"gatherv", REPLAY_COLL_TO_ROOT},
    {"scan", REPLAY_COLL_PREFIX},        {"exscan", REPLAY_COLL_PREFIX},
};

static enum replay_coll_shape shape_of(const char *call, enum event_class class)
{
    const char *name = strncmp(call, "MPI_", 4) == 0    ? call + 4
                       : strncmp(call, "MPIX_", 5) == 0 ? call + 5
                                                        : call;
    if (class == EVENT_CLASS_ICOLL && *name == 'I')
        name++;
    const char *end = strstr(name, "_init");
    size_t length = end ? (size_t)(end - name) : strlen(name);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strlen(shapes[i].name) == length && strncasecmp(shapes[i].name, name, length) == 0)
            return shapes[i].shape;
    return REPLAY_COLL_ALL_TO_ALL;
}

static bool is_neighbour(const char *call)
{
    return strstr(call, "eighbor_") != NULL;
}

static enum core_status next_number(struct lower *lower, uint32_t comm, int32_t *out_number)
{
    if (comm >= lower->number_room) {
        uint32_t room = lower->program->comm_count + 8;
        uint32_t *larger = realloc(lower->number, room * sizeof *larger);
        if (!larger)
            return core_report(CORE_NO_MEMORY, "out of memory for lowering a trace");
        memset(larger + lower->number_room, 0, (room - lower->number_room) * sizeof *larger);
        lower->number = larger;
        lower->number_room = room;
    }
    *out_number = (int32_t)lower->number[comm]++;
    return CORE_OK;
}

enum core_status lower_place(struct lower *lower, const struct trace_event *event, bool of_window,
                             int32_t id, struct replay_op *op, bool *out_skip)
{
    int32_t comm = -1, *slot;
    *out_skip = true;
    if (id >= 0) {
        slot =
            of_window && event->win >= 0 ? lower_window_slot(lower, event->win) : &lower->comm[id];
        enum core_status status =
            slot ? lower_comm(lower, slot, id, &comm)
                 : core_report(CORE_NO_MEMORY, "out of memory for lowering a trace");
        if (status != CORE_OK)
            return status;
    }
    if (comm < 0) {
        lower_unsupported(lower, event);
        lower->stop |= event->pending;
        return CORE_OK;
    }
    const struct replay_comm *members = &lower->program->comm[comm];
    if (members->member && members->count == 1 && op->kind == REPLAY_COLL)
        return CORE_OK;
    op->comm = (uint32_t)comm;
    *out_skip = false;
    return op->kind == REPLAY_COLL || op->kind == REPLAY_ICOLL
               ? next_number(lower, op->comm, &op->tag)
               : CORE_OK;
}

static int32_t root_of(struct lower *lower, const struct trace_event *event)
{
    if (event->root == EVENT_NONE || event->root == EVENT_PROC_NULL)
        return REPLAY_PROC_NULL;
    if (event->root == EVENT_ROOT)
        return (int32_t)lower->rank;
    int32_t root = trace_comm_world(lower->trace, event->comm, (int32_t)lower->rank, event->root);
    return root >= 0 ? root : REPLAY_PROC_NULL;
}

/* MPI_Comm_create_group and MPI_Intercomm_create are collective over what they make, not over the
 * communicator they are given. */
static bool over_made(const char *call)
{
    return strcmp(call, "MPI_Comm_create_group") == 0 || strcmp(call, "MPI_Intercomm_create") == 0;
}

enum core_status lower_collective(struct lower *lower, const struct trace_event *event)
{
    const char *call = lower->trace->call[event->call].name;
    struct replay_op op = {.kind = REPLAY_COLL,
                           .mode = REPLAY_COLL_ALL_TO_ALL,
                           .peer = REPLAY_PROC_NULL,
                           .bytes = event->bytes,
                           .request = REPLAY_NO_REQUEST};
    int32_t id = event->comm;
    bool skip, of_window = false;

    switch (event->class) {
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_ICOLL:
    case EVENT_CLASS_COLL_INIT:
        op.peer = root_of(lower, event);
        op.mode = (uint8_t)shape_of(call, event->class);
        if (is_neighbour(call)) { /* needs its neighbours at most: relaxed, nobody */
            op.mode = REPLAY_COLL_FROM_ROOT;
            op.peer = REPLAY_PROC_NULL;
        }
        if (event->class != EVENT_CLASS_COLL)
            op.kind = REPLAY_ICOLL;
        break;
    case EVENT_CLASS_COMM_ICREATE:
        op.kind = REPLAY_ICOLL;
        break;
    case EVENT_CLASS_COMM_CREATE:
        if (over_made(call))
            id = event->pending || !event->request || event->request >= lower->trace->comm_count
                     ? -1
                     : (int32_t)event->request;
        break;
    case EVENT_CLASS_RMA_FENCE:
    case EVENT_CLASS_WIN_FREE:
        of_window = true;
        break;
    case EVENT_CLASS_WIN_CREATE:
        break;
    default: /* comm_free, file_coll: collective, but nobody needs anybody's data */
        op.mode = REPLAY_COLL_FROM_ROOT;
        of_window = strcmp(call, "MPI_File_open") != 0; /* a file has collectives of its own */
        if (strncmp(call, "MPI_File_i", 10) == 0)
            op.kind = REPLAY_ICOLL;
        break;
    }
    enum core_status status = lower_place(lower, event, of_window, id, &op, &skip);
    if (status != CORE_OK || skip)
        return status;
    if (event->class == EVENT_CLASS_COLL_INIT) {
        lower->number[op.comm]--; /* each start counts, the making does not */
        op.tag = -1;
        return lower_persistent(lower, event, &op);
    }
    return op.kind == REPLAY_ICOLL ? lower_start(lower, event, op, event->request)
                                   : lower_add(lower, event, op);
}
